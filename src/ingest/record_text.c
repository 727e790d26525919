#include "config.h"

#include "ingest/record_text.h"

#include <math.h>
#include <stdlib.h>

/* Room for the decoded rest of the text. No byte of it becomes more than three (an invalid one: U+FFFD), so while strings of one
 * record follow each other the first call made enough room for all. */
static char *
scratch_room(struct record_text *t, const char *p)
{
	struct record_scratch *s = t->scratch;
	size_t need = s->n + 3 * (size_t)(t->end - p) + RECORD_PADDING;

	if (need > s->cap) {
		char *grown = realloc(s->p, need);

		if (grown == NULL) {
			t->nomem = true;
			return NULL;
		}
		s->p = grown;
		s->cap = need;
	}
	return s->p + s->n;
}

static char *
put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	}
	return out;
}

static char *
put_replacement(struct record_text *t, char *out)
{
	t->fixed_text = true;
	return put_utf8(out, 0xfffd);
}

/* One character that is not ASCII. Of an invalid sequence the longest part that could have begun a valid one becomes one U+FFFD,
 * as Unicode recommends and others do. */
static const char *
read_utf8(struct record_text *t, const char *p, char **out)
{
	uint8_t lead = (uint8_t)*p, low = 0x80, high = 0xbf;
	size_t want = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
	size_t n = 1;

	if (lead == 0xe0)
		low = 0xa0; /* below: overlong */
	else if (lead == 0xed)
		high = 0x9f; /* above: a surrogate */
	else if (lead == 0xf0)
		low = 0x90; /* below: overlong */
	else if (lead == 0xf4)
		high = 0x8f; /* above: beyond U+10FFFF */
	while (n < want && p + n < t->end && (uint8_t)p[n] >= low && (uint8_t)p[n] <= high) {
		n++;
		low = 0x80;
		high = 0xbf;
	}
	if (n == want) {
		memcpy(*out, p, n);
		*out += n;
	} else {
		*out = put_replacement(t, *out);
	}
	return p + n;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits behind a \u. */
static const char *
read_hex4(struct record_text *t, const char *p, uint32_t *ret)
{
	uint32_t c = 0;

	for (int i = 0; i < 4; i++, p++) {
		int digit = hex_digit(record_byte(t, p));

		if (digit < 0)
			return record_stop(t, p);
		c = c << 4 | (uint32_t)digit;
	}
	*ret = c;
	return p;
}

static const char *
read_unicode_escape(struct record_text *t, const char *p, char **out)
{
	uint32_t c, low;

	p = read_hex4(t, p + 2, &c);
	if (p == NULL)
		return NULL;
	if (c < 0xd800 || c > 0xdfff) {
		*out = put_utf8(*out, c);
		return p;
	}
	if (c < 0xdc00 && record_byte(t, p) == '\\' && record_byte(t, p + 1) == 'u') {
		const char *behind = read_hex4(t, p + 2, &low);

		if (behind != NULL && low >= 0xdc00 && low <= 0xdfff) {
			*out = put_utf8(*out, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
			return behind;
		}
	}
	*out = put_replacement(t, *out);
	return p; /* what follows is read for itself, and fails there if it must */
}

static const char *
read_escape(struct record_text *t, const char *p, char **out)
{
	static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	char c = record_byte(t, p + 1);
	const char *found = c != '\0' ? strchr(names, c) : NULL;

	if (c == 'u')
		return read_unicode_escape(t, p, out);
	if (found == NULL)
		return record_stop(t, p + 1);
	*(*out)++ = bytes[found - names];
	return p + 2;
}

const char *
record_read_odd_string(struct record_text *t, const char *start, const char *odd, struct slice *ret)
{
	char *text = scratch_room(t, start), *out = text;
	const char *p = start;

	while (text != NULL) {
		char c = record_byte(t, odd);

		memcpy(out, p, (size_t)(odd - p));
		out += odd - p;
		if (c == '"') {
			*ret = (struct slice){ text, (size_t)(out - text) };
			t->scratch->n += ret->n;
			return odd + 1;
		}
		if (c == '\\')
			p = read_escape(t, odd, &out);
		else if ((uint8_t)c >= 0x80)
			p = read_utf8(t, odd, &out);
		else
			p = record_stop(t, odd);
		if (p == NULL)
			return NULL;
		odd = record_plain_end(t, p);
	}
	return NULL;
}

static const char *
skip_digits(struct record_text *t, const char *p)
{
	uint64_t ignored;
	const char *q = record_read_digits(t, p, &ignored);

	return q > p ? q : record_stop(t, p);
}

static const char *
read_word(struct record_text *t, const char *p, const char *word)
{
	for (; *word != '\0'; p++, word++) {
		if (record_byte(t, p) != *word)
			return record_stop(t, p);
	}
	return p;
}

const char *
record_read_odd_number(struct record_text *t, const char *p, struct record_value *ret)
{
	const char *q = p + (*p == '-');

	if (q > p && record_byte(t, q) == 'I')
		return record_read_other(t, p, ret);
	q = record_byte(t, q) == '0' ? q + 1 : skip_digits(t, q);
	if (q != NULL && record_byte(t, q) >= '0' && record_byte(t, q) <= '9')
		return record_stop(t, q); /* a leading zero */
	if (q != NULL && record_byte(t, q) == '.')
		q = skip_digits(t, q + 1);
	if (q != NULL && (record_byte(t, q) | 0x20) == 'e') {
		q++;
		q = skip_digits(t, q + (record_byte(t, q) == '+' || record_byte(t, q) == '-'));
	}
	if (q == NULL || q >= t->end)
		return q == NULL ? NULL : record_stop(t, q);
	ret->type = REC_REAL;
	ret->s = (struct slice){ p, (size_t)(q - p) };
	ret->d = strtod(p, NULL); /* stops at *q at the latest: no number goes on with that byte */
	if (isinf(ret->d)) {
		ret->type = REC_NOT_MEASURED;
		t->not_measured = true;
	}
	return q;
}

struct nesting {
	unsigned depth;	  /* 1 in the record itself */
	uint64_t objects; /* a bit for each level below, the innermost lowest: object, not array */
};

/* Behind a value inside: close what closes here; up to the next value, or behind the last bracket. */
static const char *
skip_to_next(struct record_text *t, const char *p, struct nesting *nest)
{
	struct slice name;

	while (nest->depth > 1) {
		bool object = nest->objects & 1;
		char c;

		p = record_skip_space(t, p);
		c = record_byte(t, p);
		if (c == ',') {
			p = record_skip_space(t, p + 1);
			return object ? record_read_name(t, p, &name) : p;
		}
		if (c != (object ? '}' : ']'))
			return record_stop(t, p);
		p++;
		nest->objects >>= 1;
		nest->depth--;
	}
	return p;
}

/* An object or array, checked and passed over without recursion. */
static const char *
skip_nested(struct record_text *t, const char *p)
{
	struct nesting nest = { .depth = 1 };
	struct record_value value;
	struct slice name;

	do {
		char c = record_byte(t, p);

		if (c == '{' || c == '[') {
			if (++nest.depth > RECORD_DEPTH_MAX)
				return record_stop(t, p);
			nest.objects = nest.objects << 1 | (c == '{');
			p = record_skip_space(t, p + 1);
			if (record_byte(t, p) != (c == '{' ? '}' : ']')) {
				if (c == '{')
					p = record_read_name(t, p, &name);
				continue;
			}
		} else {
			p = record_read_value(t, p, &value);
		}
		if (p != NULL)
			p = skip_to_next(t, p, &nest);
	} while (p != NULL && nest.depth > 1);
	return p;
}

static const char *
read_raw(struct record_text *t, const char *p, struct record_value *ret)
{
	size_t kept = t->scratch->n;
	const char *q = skip_nested(t, p);

	t->scratch->n = kept; /* its strings were decoded only to be checked */
	if (q != NULL) {
		ret->type = REC_RAW;
		ret->s = (struct slice){ p, (size_t)(q - p) };
	}
	return q;
}

const char *
record_read_other(struct record_text *t, const char *p, struct record_value *ret)
{
	static const struct {
		char word[10];
		enum record_type type;
		bool value;
	} words[] = {
		{ "true", REC_BOOL, true },
		{ "false", REC_BOOL, false },
		{ "null", REC_NULL, false },
		{ "NaN", REC_NOT_MEASURED, false },
		{ "Infinity", REC_NOT_MEASURED, false },
		{ "-Infinity", REC_NOT_MEASURED, false },
	};
	char c = record_byte(t, p);
	const char *q;

	if (c == '{' || c == '[')
		return read_raw(t, p, ret);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (c != words[i].word[0])
			continue;
		q = read_word(t, p, words[i].word);
		if (q == NULL)
			return NULL;
		t->not_measured |= words[i].type == REC_NOT_MEASURED;
		ret->type = words[i].type;
		ret->s = (struct slice){ p, (size_t)(q - p) };
		ret->i = words[i].value;
		return q;
	}
	return record_stop(t, p);
}
