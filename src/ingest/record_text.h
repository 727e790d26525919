/* ingest/record_text.h - the lexer below record.c: strings, numbers, words and nested values of one line of JSON.
 *
 * Internal to ingest/record*.c. Every reader takes the position of the first byte and returns the position behind the last one,
 * or NULL with `stop` at the byte that does not fit; `stop` == `end` means that the text ended too early. The readers that every
 * line needs are inline and look at eight bytes at a time: RECORD_PADDING bytes behind `end` may be loaded, never used.
 * (SSE2 in their place was no faster: the strings of a ledger are short.)
 * Numbers are read in the C numeric locale: the program never sets another. */
#pragma once
#include <endian.h>
#include <stdint.h>

#include "ingest/record.h"

#define RECORD_DEPTH_MAX 64 /* objects and arrays within each other, the record itself included */

struct record_text {
	const char *end;
	struct record_scratch *scratch; /* for strings that cannot be borrowed */
	const char *stop;
	bool nomem;
	bool fixed_text, not_measured; /* as in struct record */
};

/* The strings with escapes or non-ASCII bytes; `odd` is the first of these (or whatever else ended the plain part). */
const char *record_read_odd_string(struct record_text *t, const char *start, const char *odd, struct slice *ret);

/* A number that is not an int64 in digits, from its first byte; and everything that is neither a string nor a number. */
const char *record_read_odd_number(struct record_text *t, const char *p, struct record_value *ret);
const char *record_read_other(struct record_text *t, const char *p, struct record_value *ret);

static inline const char *
record_stop(struct record_text *t, const char *p)
{
	t->stop = p < t->end ? p : t->end;
	return NULL;
}

/* The byte at `p`; NUL, which JSON has no use for, at the end. */
static inline char
record_byte(const struct record_text *t, const char *p)
{
	return p < t->end ? *p : '\0';
}

static inline const char *
record_skip_space(const struct record_text *t, const char *p)
{
	while (p < t->end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

/* The number of bytes at `p` before the first that is a quote, a backslash, a control character or not ASCII; at most 8. */
static inline unsigned
record_plain_run(const char *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t v, odd;

	memcpy(&v, p, sizeof(v));
	v = le64toh(v);
	/* A borrow may mark a byte above a true hit, never one below it: the lowest mark is right. */
	odd = (v | (v - ones * ' ') | ((v ^ ones * '"') - ones) | ((v ^ ones * '\\') - ones)) & ones << 7;
	return odd != 0 ? (unsigned)__builtin_ctzll(odd) / 8 : 8;
}

/* The end of the plain ASCII text at `p`. */
static inline const char *
record_plain_end(const struct record_text *t, const char *p)
{
	while (p < t->end) {
		unsigned n = record_plain_run(p);

		p += n;
		if (n < 8)
			break;
	}
	return p < t->end ? p : t->end;
}

/* `p` is at the opening quote. */
static inline const char *
record_read_string(struct record_text *t, const char *p, struct slice *ret)
{
	const char *q = record_plain_end(t, p + 1);

	if (q >= t->end || *q != '"')
		return record_read_odd_string(t, p + 1, q, ret);
	*ret = (struct slice){ p + 1, (size_t)(q - p - 1) };
	return q + 1;
}

/* Eight digit values, the first in the lowest byte, as one number. */
static inline uint64_t
record_eight_digits(uint64_t v)
{
	const uint64_t mask = UINT64_C(0x000000ff000000ff);

	v = v * 10 + (v >> 8);
	return ((v & mask) * (100 + (UINT64_C(1000000) << 32)) + (v >> 16 & mask) * (1 + (UINT64_C(10000) << 32))) >> 32;
}

/* The end of the digits at `p`; *ret_value is theirs modulo 2^64. */
static inline const char *
record_read_digits(const struct record_text *t, const char *p, uint64_t *ret_value)
{
	static const uint64_t power[9] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t value = 0;
	unsigned n = 8;

	while (p < t->end && n == 8) {
		uint64_t v, other;

		memcpy(&v, p, sizeof(v));
		v = le64toh(v) ^ ones * '0';
		other = (((v & ones * 0x7f) + ones * (0x80 - 10)) | v) & ones << 7; /* top bit: no digit */
		n = other != 0 ? (unsigned)__builtin_ctzll(other) / 8 : 8;
		if (n > 0)
			value = value * power[n] + record_eight_digits(v << (64 - 8 * n));
		p += n;
	}
	*ret_value = value;
	return p < t->end ? p : t->end;
}

/* `p` is at a minus sign or a digit. */
static inline const char *
record_read_number(struct record_text *t, const char *p, struct record_value *ret)
{
	bool minus = *p == '-';
	const char *digits = p + minus, *q;
	uint64_t value;

	q = record_read_digits(t, digits, &value);
	if (q >= t->end || q == digits || q - digits > 19 || value > (uint64_t)INT64_MAX + minus || *q == '.' ||
	    (*q | 0x20) == 'e' || (*digits == '0' && q - digits > 1))
		return record_read_odd_number(t, p, ret);
	ret->type = REC_INT;
	ret->s = (struct slice){ p, (size_t)(q - p) };
	ret->i = (int64_t)(minus ? -value : value);
	return q;
}

static inline const char *
record_read_value(struct record_text *t, const char *p, struct record_value *ret)
{
	char c = record_byte(t, p);

	if (c == '"') {
		ret->type = REC_STRING;
		return record_read_string(t, p, &ret->s);
	}
	if ((c >= '0' && c <= '9') || c == '-')
		return record_read_number(t, p, ret);
	return record_read_other(t, p, ret);
}

/* A key and its colon, up to the first byte of the value. */
static inline const char *
record_read_name(struct record_text *t, const char *p, struct slice *ret)
{
	if (record_byte(t, p) != '"')
		return record_stop(t, p);
	p = record_read_string(t, p, ret);
	if (p == NULL)
		return NULL;
	p = record_skip_space(t, p);
	if (record_byte(t, p) != ':')
		return record_stop(t, p);
	return record_skip_space(t, p + 1);
}
