#include "config.h"

#include "store/block.h"

#include <endian.h>
#include <string.h>

#define VARINT_MAX 10
#define FAST_BITS 57 /* so many bits lie within eight bytes wherever they begin */

static size_t
varint_put(unsigned char *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (unsigned char)(v | 0x80);
	p[n++] = (unsigned char)v;
	return n;
}

/* Take a varint off the front of *s. */
static bool
varint_take(struct slice *s, uint64_t *ret)
{
	uint64_t v = 0;

	for (size_t i = 0; i < s->n && i < VARINT_MAX; i++) {
		unsigned char byte = (unsigned char)s->p[i];

		if (i == VARINT_MAX - 1 && byte > 1)
			return false;
		v |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			s->p += i + 1;
			s->n -= i + 1;
			*ret = v;
			return true;
		}
	}
	return false;
}

static uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t
unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

static uint64_t
mask_of(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Times are subtracted and added modulo 2^64, so that no pair of them overflows. */
static uint64_t
code_of(int64_t t, int64_t base)
{
	return t == BLOCK_ABSENT ? 0 : (uint64_t)t - (uint64_t)base + 1;
}

static int64_t
time_of(uint64_t code, int64_t base)
{
	return code == 0 ? BLOCK_ABSENT : (int64_t)((uint64_t)base + code - 1);
}

struct bit_writer {
	struct buf *out;
	uint64_t acc;
	unsigned fill; /* bits in acc, below 64 */
	size_t n;
	unsigned char bytes[512];
};

static void
bits_put(struct bit_writer *w, uint64_t code, unsigned bits)
{
	uint64_t word;

	w->acc |= code << w->fill;
	w->fill += bits;
	if (w->fill < 64)
		return;
	word = htole64(w->acc);
	memcpy(w->bytes + w->n, &word, sizeof(word));
	w->n += sizeof(word);
	if (w->n == sizeof(w->bytes)) {
		buf_add(w->out, w->bytes, w->n);
		w->n = 0;
	}
	w->fill -= 64;
	w->acc = w->fill > 0 ? code >> (bits - w->fill) : 0;
}

static void
bits_end(struct bit_writer *w)
{
	uint64_t word = htole64(w->acc);

	buf_add(w->out, w->bytes, w->n);
	buf_add(w->out, &word, (w->fill + 7) / 8);
}

static unsigned
bits_of(uint64_t code)
{
	return code == 0 ? 0 : 64 - (unsigned)__builtin_clzll(code);
}

/* The width of codes that makes the body shortest; count[b] members need b bits. An outlier is taken for two bytes of member and
 * its code. */
static unsigned
best_bits(const uint32_t *count, uint32_t members, uint32_t *ret_outliers)
{
	uint64_t least = UINT64_MAX, outlier_bits = 0, size;
	uint32_t outliers = 0;
	unsigned best = 0;

	for (unsigned bits = 65; bits-- > 0;) {
		size = (uint64_t)members * bits + outlier_bits;
		if (size < least) {
			least = size;
			best = bits;
			*ret_outliers = outliers;
		}
		outliers += count[bits];
		outlier_bits += count[bits] * (16 + (bits + 6) / 7 * 8);
	}
	return best;
}

static void
encode_codes(const int64_t *t, uint32_t members, int64_t base, unsigned bits, struct buf *out)
{
	struct bit_writer w = { .out = out };

	for (uint32_t i = 0; i < members && bits > 0; i++) {
		uint64_t code = code_of(t[i], base);

		bits_put(&w, code <= mask_of(bits) ? code : 0, bits);
	}
	bits_end(&w);
}

static void
encode_outliers(const int64_t *t, uint32_t members, int64_t base, unsigned bits, struct buf *out)
{
	unsigned char pair[2 * VARINT_MAX];
	uint32_t next = 0;
	size_t n;

	for (uint32_t i = 0; i < members; i++) {
		uint64_t code = code_of(t[i], base);

		if (code <= mask_of(bits))
			continue;
		n = varint_put(pair, i - next);
		n += varint_put(pair + n, code);
		buf_add(out, pair, n);
		next = i + 1;
	}
}

void
block_encode(int64_t seq, const int64_t *t, uint32_t members, struct buf *out)
{
	uint32_t count[65] = { 0 }, outliers = 0;
	unsigned char head[5 * VARINT_MAX];
	int64_t base = INT64_MAX;
	unsigned bits;
	size_t n;

	for (uint32_t i = 0; i < members; i++) {
		if (t[i] != BLOCK_ABSENT && t[i] < base)
			base = t[i];
	}
	if (base == INT64_MAX)
		base = 0; /* nobody has a copy; or all at the end of time, which 0 serves as well */
	for (uint32_t i = 0; i < members; i++)
		count[bits_of(code_of(t[i], base))]++;
	count[0] = 0;
	bits = best_bits(count, members, &outliers);
	n = varint_put(head, members);
	n += varint_put(head + n, zigzag(seq));
	n += varint_put(head + n, zigzag(base));
	n += varint_put(head + n, bits);
	n += varint_put(head + n, outliers);
	buf_add(out, head, n);
	encode_codes(t, members, base, bits, out);
	if (outliers > 0)
		encode_outliers(t, members, base, bits, out);
}

/* Take an outlier off the front of *list; *member is the one before it, UINT32_MAX at the beginning. */
static bool
outlier_take(struct slice *list, uint32_t members, uint32_t *member, uint64_t *ret_code)
{
	uint32_t next = *member + 1;
	uint64_t skip;

	if (!varint_take(list, &skip) || !varint_take(list, ret_code) || skip >= members - next)
		return false;
	*member = next + (uint32_t)skip;
	return true;
}

/* Can all outliers be read, and do they end where the body ends? */
static bool
outliers_are_sound(const struct block *b)
{
	struct slice list = b->outlier_list;
	uint32_t member = UINT32_MAX;
	uint64_t code;

	for (uint32_t i = 0; i < b->outliers; i++) {
		if (!outlier_take(&list, b->members, &member, &code))
			return false;
	}
	return list.n == 0;
}

enum imp_rc
block_open(struct slice body, struct block *ret, struct imp_err *err)
{
	uint64_t members, seq, base, bits, outliers;
	struct block b;
	size_t n;

	if (!varint_take(&body, &members) || !varint_take(&body, &seq) || !varint_take(&body, &base) ||
	    !varint_take(&body, &bits) || !varint_take(&body, &outliers))
		return imp_err_set(err, IMP_E_DB, "damaged delivery block: its head is cut off");
	if (members > BLOCK_MEMBERS_MAX || bits > 64 || outliers > members)
		return imp_err_set(err, IMP_E_DB, "damaged delivery block: %ju members of %ju bits, %ju outliers",
		    (uintmax_t)members, (uintmax_t)bits, (uintmax_t)outliers);
	n = (size_t)(members * bits + 7) / 8;
	if (body.n < n)
		return imp_err_set(err, IMP_E_DB, "damaged delivery block: %zu bytes where %ju members of %ju bits stand", body.n,
		    (uintmax_t)members, (uintmax_t)bits);
	b = (struct block){ .members = (uint32_t)members,
		.seq = unzigzag(seq),
		.base = unzigzag(base),
		.bits = (unsigned)bits,
		.outliers = (uint32_t)outliers,
		.codes = { body.p, n },
		.outlier_list = { body.p + n, body.n - n } };
	if (!outliers_are_sound(&b))
		return imp_err_set(err, IMP_E_DB, "damaged delivery block: its outliers cannot be read");
	*ret = b;
	return IMP_OK;
}

static uint64_t
code_at(const struct block *b, uint32_t member)
{
	uint64_t at = (uint64_t)member * b->bits;
	size_t from = (size_t)(at / 8), n = b->codes.n - from;
	unsigned shift = at % 8;
	unsigned char bytes[9] = { 0 };
	uint64_t code;

	if (b->bits == 0)
		return 0;
	memcpy(bytes, b->codes.p + from, n < sizeof(bytes) ? n : sizeof(bytes));
	memcpy(&code, bytes, sizeof(code));
	code = le64toh(code) >> shift;
	if (shift > 0)
		code |= (uint64_t)bytes[8] << (64 - shift);
	return code & mask_of(b->bits);
}

/* Put the outliers among [first, first + n) into `t`, where the codes say "no copy". */
static void
decode_outliers(const struct block *b, uint32_t first, uint32_t n, int64_t *t)
{
	struct slice list = b->outlier_list;
	uint32_t member = UINT32_MAX;
	uint64_t code;

	while (list.n > 0 && outlier_take(&list, b->members, &member, &code)) {
		if (member >= first && member - first < n && t[member - first] == BLOCK_ABSENT)
			t[member - first] = time_of(code, b->base);
	}
}

int64_t
block_get(const struct block *b, uint32_t member)
{
	int64_t t = time_of(code_at(b, member), b->base);

	if (t == BLOCK_ABSENT)
		decode_outliers(b, member, 1, &t);
	return t;
}

/* How many members, from the first on, have eight bytes of the body before them. */
static uint32_t
fast_members(const struct block *b)
{
	uint64_t n;

	if (b->bits == 0 || b->bits > FAST_BITS || b->codes.n < 8)
		return 0;
	n = ((b->codes.n - 8) * 8 + 7) / b->bits + 1;
	return n < b->members ? (uint32_t)n : b->members;
}

void
block_decode(const struct block *b, uint32_t first, uint32_t n, int64_t *t)
{
	uint32_t end = first + n, fast = fast_members(b);
	uint64_t at = (uint64_t)first * b->bits, mask = mask_of(b->bits);
	uint32_t i = first;

	for (; i < end && i < fast; i++, at += b->bits) {
		uint64_t code;

		memcpy(&code, b->codes.p + at / 8, sizeof(code));
		t[i - first] = time_of(le64toh(code) >> at % 8 & mask, b->base);
	}
	for (; i < end; i++)
		t[i - first] = time_of(code_at(b, i), b->base);
	decode_outliers(b, first, n, t);
}
