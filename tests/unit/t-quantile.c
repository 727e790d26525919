/* Quantiles: against sorted arrays of every kind of values, and ranks worked out by hand. */
#include "config.h"

#include <stdlib.h>

#include "classify/quantile.h"
#include "tap.h"

#define VALUES_MAX 20000
#define SECOND INT64_C(1000000000)

static struct quantile *q;
static int64_t values[VALUES_MAX], sorted[VALUES_MAX];
static unsigned looks; /* that the last measure() took */
static uint64_t state = 88172645463325252u;

static uint64_t
next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static struct quantile_result
measure(const int64_t *v, size_t n)
{
	struct quantile_result got;

	quantile_clear(q);
	for (looks = 0; quantile_again(q); looks++) {
		for (size_t i = 0; i < n; i++)
			quantile_add(q, v[i]);
	}
	quantile_get(q, &got);
	return got;
}

static int
int64_order(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* floor(sum / n + 1/2), by 128-bit integers that are never negative. */
static int64_t
mean_half_up(const int64_t *v, size_t n)
{
	unsigned __int128 twice = n;

	for (size_t i = 0; i < n; i++)
		twice += 2 * ((unsigned __int128)((__int128)v[i] - INT64_MIN));
	return (int64_t)((__int128)(twice / (2 * n)) + INT64_MIN);
}

/* The first n values against the same in order. */
static void
agrees(size_t n, const char *what)
{
	static const unsigned permille[QUANTILES] = { 500, 950, 990, 999 };
	struct quantile_result got = measure(values, n);
	bool same = got.n == n;

	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), int64_order);
	for (unsigned i = 0; i < QUANTILES; i++) {
		size_t rank = (n * permille[i] + 999) / 1000;

		same = same && quantile_permille(i) == permille[i] && got.rank[i] == sorted[rank - 1];
	}
	ok(same && got.max == sorted[n - 1] && got.mean == mean_half_up(values, n), "%zu %s", n, what);
}

/* Kinds of values. */
static int64_t
any(void)
{
	return (int64_t)next_random();
}

static int64_t
any_size(void)
{
	return (int64_t)(next_random() >> (next_random() & 63));
}

static int64_t
latency(void)
{
	return 3000000 + (int64_t)(next_random() % SECOND) / (1 + (int64_t)(next_random() % 500));
}

static int64_t
coarse(void)
{
	return 1000000 * (int64_t)(next_random() % 40);
}

static int64_t
small_negative(void)
{
	return -(int64_t)(next_random() % 9000);
}

static int64_t
huge(void)
{
	return (INT64_C(1) << 62) - (int64_t)(next_random() % 100000);
}

static int64_t
huge_negative(void)
{
	return -huge();
}

static int64_t
around_zero(void)
{
	return (int64_t)(next_random() % 5) - 2;
}

static int64_t
equal(void)
{
	return 123456789;
}

/* Powers of two and their neighbours: the borders of buckets. */
static int64_t
border(void)
{
	int64_t v = (INT64_C(1) << next_random() % 63) + (int64_t)(next_random() % 3) - 1;

	return next_random() & 1 ? v : -v;
}

static void
kinds_of_values(void)
{
	static const struct {
		int64_t (*make)(void);
		const char *name;
	} kinds[] = {
		{ any, "values of 64 bits" },
		{ any_size, "values of any size" },
		{ latency, "latencies" },
		{ coarse, "values of a coarse clock" },
		{ small_negative, "small negative values" },
		{ huge, "values near 2^62" },
		{ huge_negative, "values near -2^62" },
		{ around_zero, "values around zero" },
		{ equal, "equal values" },
		{ border, "values at the borders of buckets" },
	};
	static const size_t counts[] = { 1, 2, 7, 100, 1001, VALUES_MAX };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			for (size_t i = 0; i < counts[c]; i++)
				values[i] = kinds[k].make();
			agrees(counts[c], kinds[k].name);
		}
	}
}

/* 10, 20, 30 ... n * 10, the largest first: p50, p95, p99 and p99.9 by hand. */
static void
ranks_by_hand(void)
{
	static const int p50[] = { 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10 };

	for (int n = 1; n <= 20; n++) {
		struct quantile_result got;
		int64_t v[20];

		for (int i = 0; i < n; i++)
			v[i] = 10 * (n - i);
		got = measure(v, (size_t)n);
		ok(got.rank[0] == 10 * p50[n - 1] && got.rank[1] == 10 * (n < 20 ? n : 19) && got.rank[2] == 10 * n &&
			got.rank[3] == 10 * n && got.max == 10 * n && got.mean == 5 * (n + 1),
		    "ranks of %d values", n);
	}
	for (int i = 0; i < 1000; i++)
		values[i] = i + 1;
	is_int(measure(values, 1000).rank[3], 999, "p99.9 of 1000 is the 999th");
	is_int(measure(values, 999).rank[3], 999, "of 999 the last");
}

static void
means(void)
{
	static const struct {
		int64_t v[4];
		size_t n;
		int64_t mean;
		const char *what;
	} rows[] = {
		{ { 1, 2 }, 2, 2, "one and a half" },
		{ { 1, 1, 2 }, 3, 1, "one and a third" },
		{ { -1, -2 }, 2, -1, "minus one and a half" },
		{ { -1, 0 }, 2, 0, "minus a half" },
		{ { -1, -1, -2 }, 3, -1, "minus one and a third" },
		{ { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX }, 4, INT64_MAX, "a sum beyond 64 bits" },
		{ { INT64_MIN, INT64_MIN, INT64_MIN }, 3, INT64_MIN, "the smallest" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_int(measure(rows[i].v, rows[i].n).mean, rows[i].mean, rows[i].what);
}

static void
nothing(void)
{
	struct quantile_result got = measure(values, 0);

	ok(got.n == 0 && got.max == 0 && got.mean == 0 && got.rank[0] == 0 && got.rank[3] == 0, "no values");
}

/* What a look costs is reading all deliveries again. */
static void
number_of_looks(void)
{
	for (size_t i = 0; i < 1000; i++)
		values[i] = latency();
	measure(values, 1000);
	is_int(looks, 2, "two looks for values up to a second");
	for (size_t i = 0; i < 1000; i++)
		values[i] = any();
	measure(values, 1000);
	ok(looks <= 5, "five at most");
}

int
main(void)
{
	if (quantile_init(&q, NULL) != IMP_OK)
		return 1;
	nothing();
	ranks_by_hand();
	kinds_of_values();
	means();
	number_of_looks();
	quantile_done(q);
	return done();
}
