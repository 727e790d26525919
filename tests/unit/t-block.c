#include "config.h"

#include <stdlib.h>

#include "store/block.h"
#include "tap.h"

#define MEMBERS_MAX 5000

static int64_t in[MEMBERS_MAX], out[MEMBERS_MAX];

static uint64_t
next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 11;
}

/* Pack in[0..n) and read it back by both ways; `out` gets the result. */
static bool
round_trip(int64_t seq, uint32_t n, struct buf *body, struct block *b)
{
	struct imp_err err;

	buf_clear(body);
	block_encode(seq, in, n, body);
	if (buf_status(body, &err) != IMP_OK || block_open(buf_slice(body), b, &err) != IMP_OK)
		return false;
	if (b->members != n || b->seq != seq)
		return false;
	block_decode(b, 0, n, out);
	for (uint32_t i = 0; i < n; i++) {
		if (out[i] != in[i] || block_get(b, i) != in[i])
			return false;
	}
	return true;
}

static void
test_layout(void)
{
	/* members 3, seq -2, base 1000, 3 bits, no outlier: codes 1, 0, 6 are the bits 001 000 110 from the lowest on, 0x181 */
	static const unsigned char plain[] = { 3, 3, 0xd0, 0x0f, 3, 0, 0x81, 0x01 };
	/* members 20, seq 0, base 1000, 1 bit, one outlier: no copy at 5, the code of 12 is 2^20 + 1 */
	static const unsigned char late[] = { 20, 0, 0xd0, 0x0f, 1, 1, 0xdf, 0xef, 0x0f, 12, 0x81, 0x80, 0x40 };
	static const int64_t t[] = { 1000, BLOCK_ABSENT, 1005 };
	struct buf body = BUF_INIT(100);
	struct block b;

	block_encode(-2, t, 3, &body);
	ok(body.n == sizeof(plain) && memcmp(body.p, plain, sizeof(plain)) == 0, "layout of a body");
	ok(block_open(buf_slice(&body), &b, NULL) == IMP_OK && b.members == 3 && b.seq == -2 && b.base == 1000 && b.bits == 3 &&
		b.outliers == 0,
	    "head of a body");
	for (int i = 0; i < 20; i++)
		in[i] = i == 5 ? BLOCK_ABSENT : i == 12 ? 1000 + (1 << 20) : 1000;
	buf_clear(&body);
	block_encode(0, in, 20, &body);
	ok(body.n == sizeof(late) && memcmp(body.p, late, sizeof(late)) == 0, "layout of a body with an outlier");
	buf_done(&body);
}

static void
test_round_trip(void)
{
	struct buf body = BUF_INIT(1 << 20);
	uint64_t random = 1;
	struct block b;
	int bad = 0;

	ok(round_trip(7, 0, &body, &b), "no member");
	for (unsigned bits = 1; bits <= 63; bits++) {
		for (uint32_t n = 1; n <= 300; n += 1 + n / 4) {
			for (uint32_t i = 0; i < n; i++)
				in[i] = i % 5 == 3 ? BLOCK_ABSENT :
						     1790000000000000000 -
					(int64_t)(next_random(&random) >> (53 - (bits > 53 ? 53 : bits))
						<< (bits > 53 ? bits - 53 : 0));
			in[n / 3] += (int64_t)(n % 3) << 40; /* mostly an outlier */
			bad += !round_trip((int64_t)next_random(&random) - 5, n, &body, &b);
		}
	}
	ok(bad == 0, "random arrivals of every width: %d wrong", bad);
	for (uint32_t i = 0; i < MEMBERS_MAX; i++)
		in[i] = BLOCK_ABSENT;
	ok(round_trip(INT64_MAX, MEMBERS_MAX, &body, &b) && body.n < 20, "nobody got it");
	in[4999] = INT64_MIN + 1;
	ok(round_trip(INT64_MIN, MEMBERS_MAX, &body, &b) && body.n < 40, "one got it");
	in[17] = INT64_MAX;
	ok(round_trip(0, MEMBERS_MAX, &body, &b) && b.outliers == 2, "the whole range of times, in outliers");
	for (uint32_t i = 0; i < 1000; i++)
		in[i] = i % 4 ? INT64_MAX - i : INT64_MIN + 1 + i;
	ok(round_trip(0, 1000, &body, &b) && b.bits == 64, "the whole range of times, in codes");
	for (uint32_t i = 0; i < 1000; i++)
		in[i] = 5;
	ok(round_trip(0, 1000, &body, &b) && b.bits == 1, "all at once");
	buf_done(&body);
}

static void
test_ranges(void)
{
	struct buf body = BUF_INIT(1 << 20);
	struct block b;
	int bad = 0;

	for (uint32_t i = 0; i < 100; i++)
		in[i] = i % 7 == 0 ? BLOCK_ABSENT : (int64_t)i * 1000003 + (i % 31 == 1 ? INT64_C(1) << 50 : 0);
	block_encode(1, in, 100, &body);
	ok(block_open(buf_slice(&body), &b, NULL) == IMP_OK && b.outliers == 3, "a body of 100, three of them outliers");
	for (uint32_t first = 0; first <= 100; first++) {
		for (uint32_t n = 0; first + n <= 100; n++) {
			out[n] = -1;
			block_decode(&b, first, n, out);
			bad += out[n] != -1 || memcmp(out, in + first, n * sizeof(*in)) != 0;
		}
	}
	ok(bad == 0, "every range of it: %d wrong", bad);
	buf_done(&body);
}

static void
test_damage(void)
{
	static const struct {
		const char *name;
		struct slice body;
	} rows[] = {
		{ "empty", { "", 0 } },
		{ "no outliers", { "\1\1\1\0", 4 } },
		{ "65 bits", { "\1\1\1\x41\0\0\0\0\0\0\0\0\0\0", 14 } },
		{ "a byte too few", { "\3\3\xd0\x0f\3\0\x81", 7 } },
		{ "a byte too many", { "\3\3\xd0\x0f\3\0\x81\1\0", 9 } },
		{ "too many members", { "\x81\x80\x80\x08\0\0\0\0", 8 } },
		{ "more outliers than members", { "\1\0\0\0\2\0\1\0\1", 9 } },
		{ "an outlier behind the members", { "\2\0\0\0\1\2\1", 7 } },
		{ "a second outlier behind the members", { "\2\0\0\0\2\1\1\0\1", 9 } },
		{ "an outlier cut off", { "\2\0\0\0\1\1", 6 } },
		{ "members beyond 2^64", { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\0\0\0\0", 14 } },
		{ "an endless number", { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct block b = { .members = 99 };
		struct imp_err err = { 0 };

		ok(block_open(rows[i].body, &b, &err) == IMP_E_DB && b.members == 99 && err.msg[0] != '\0', "refused: %s",
		    rows[i].name);
	}
}

static void
test_cap(void)
{
	struct buf body = BUF_INIT(10);

	for (uint32_t i = 0; i < 100; i++)
		in[i] = i * 12345;
	block_encode(1, in, 100, &body);
	ok(buf_status(&body, NULL) == IMP_E_LIMIT, "a buffer too small is reported");
	buf_done(&body);
}

int
main(void)
{
	test_layout();
	test_round_trip();
	test_ranges();
	test_damage();
	test_cap();
	return done();
}
