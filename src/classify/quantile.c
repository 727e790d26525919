#include "config.h"

#include "classify/quantile.h"

#include <stdlib.h>
#include <string.h>

#define MANTISSA_BITS 13
#define MANTISSA (1u << MANTISSA_BITS)
/* Buckets for 0 … 2^63: MANTISSA small values one by one, then MANTISSA for every power of two. */
#define SIDE ((64 - MANTISSA_BITS) * MANTISSA)
#define INNER_BITS 17
#define INNER (1u << INNER_BITS)

static const unsigned permille[QUANTILES] = { 500, 950, 990, 999 };

/* Values low … low + 2^bits - 1, of which the wanted one is the rank-th smallest (from 1). */
struct target {
	int64_t low;
	unsigned bits;
	uint64_t rank;
	uint32_t *count; /* INNER buckets, NULL: shares those of an earlier target */
	unsigned shared; /* that target */
};

struct quantile {
	unsigned look;	     /* 0: not yet */
	uint32_t *outer;     /* 2 * SIDE buckets: negative values, then the others ... */
	uint32_t first, end; /* ... of which only these are in use: most of 3 MB is never looked at */
	struct target target[QUANTILES];
	uint32_t *inner; /* QUANTILES * INNER */
	uint64_t n;
	__int128 sum;
	int64_t max;
};

unsigned
quantile_permille(unsigned i)
{
	return permille[i];
}

enum imp_rc
quantile_init(struct quantile **ret, struct imp_err *err)
{
	struct quantile *q = calloc(1, sizeof(*q));

	if (q != NULL) {
		q->outer = calloc(2 * SIDE, sizeof(*q->outer));
		q->inner = calloc((size_t)QUANTILES * INNER, sizeof(*q->inner));
	}
	if (q == NULL || q->outer == NULL || q->inner == NULL) {
		quantile_done(q);
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: quantiles");
	}
	*ret = q;
	return IMP_OK;
}

void
quantile_done(struct quantile *q)
{
	if (q == NULL)
		return;
	free(q->outer);
	free(q->inner);
	free(q);
}

void
quantile_clear(struct quantile *q)
{
	if (q->n > 0)
		memset(q->outer + q->first, 0, (q->end - q->first) * sizeof(*q->outer));
	q->first = q->end = 0;
	q->look = 0;
	q->n = 0;
	q->sum = 0;
	q->max = 0;
}

/* The bucket of v >= 0. */
static uint32_t
bucket_of(uint64_t v)
{
	unsigned e;

	if (v < MANTISSA)
		return (uint32_t)v;
	e = 63 - (unsigned)__builtin_clzll(v);
	return (e - MANTISSA_BITS) * MANTISSA + (uint32_t)(v >> (e - MANTISSA_BITS));
}

/* The lowest value of a bucket, and how many bits its values vary in. */
static uint64_t
bucket_low(uint32_t i, unsigned *ret_bits)
{
	unsigned e;

	*ret_bits = 0;
	if (i < 2 * MANTISSA)
		return i;
	e = i / MANTISSA - 1;
	*ret_bits = e;
	return (uint64_t)(i % MANTISSA + MANTISSA) << e;
}

static uint32_t
outer_index(int64_t v)
{
	return v >= 0 ? SIDE + bucket_of((uint64_t)v) : SIDE - 1 - bucket_of((uint64_t)~v);
}

static void
target_from_outer(struct target *t, uint32_t i)
{
	if (i >= SIDE) {
		t->low = (int64_t)bucket_low(i - SIDE, &t->bits);
	} else {
		uint64_t low = bucket_low(SIDE - 1 - i, &t->bits); /* of ~v: the largest v of the bucket */

		t->low = ~(int64_t)(low + ((UINT64_C(1) << t->bits) - 1));
	}
}

/* The bucket that holds the rank; *rank becomes the rank inside it. */
static uint32_t
find_rank(const uint32_t *count, uint32_t n, uint64_t *rank)
{
	uint32_t i = 0;

	while (i + 1 < n && *rank > count[i])
		*rank -= count[i++];
	return i;
}

static void
after_first_look(struct quantile *q)
{
	for (unsigned k = 0; k < QUANTILES; k++) {
		struct target *t = &q->target[k];

		t->rank = (q->n * permille[k] + 999) / 1000;
		target_from_outer(t, q->first + find_rank(q->outer + q->first, q->end - q->first, &t->rank));
	}
}

static unsigned
inner_shift(const struct target *t)
{
	return t->bits > INNER_BITS ? t->bits - INNER_BITS : 0;
}

static void
after_inner_look(struct quantile *q)
{
	for (unsigned k = 0; k < QUANTILES; k++) {
		struct target *t = &q->target[k];
		unsigned shift = inner_shift(t);
		uint32_t i;

		if (t->bits == 0)
			continue;
		i = find_rank(q->inner + (size_t)t->shared * INNER, INNER, &t->rank);
		t->low += (int64_t)((uint64_t)i << shift);
		t->bits = shift;
	}
}

/* Targets in the same bucket count together. */
static bool
share_buckets(struct quantile *q)
{
	bool open = false;

	for (unsigned k = 0; k < QUANTILES; k++) {
		struct target *t = &q->target[k];

		t->shared = 0;
		while (t->shared < k && (q->target[t->shared].low != t->low || q->target[t->shared].bits != t->bits))
			t->shared++;
		t->count = t->shared == k && t->bits > 0 ? q->inner + (size_t)k * INNER : NULL;
		if (t->count != NULL)
			memset(t->count, 0, INNER * sizeof(*t->count));
		open |= t->bits > 0;
	}
	return open;
}

bool
quantile_again(struct quantile *q)
{
	if (q->look == 1)
		after_first_look(q);
	else if (q->look > 1)
		after_inner_look(q);
	q->look++;
	if (q->look == 1)
		return true;
	return q->n > 0 && share_buckets(q);
}

void
quantile_add(struct quantile *q, int64_t value)
{
	if (q->look == 1) {
		uint32_t bucket = outer_index(value);

		q->outer[bucket]++;
		q->first = q->n == 0 || bucket < q->first ? bucket : q->first;
		q->end = bucket >= q->end ? bucket + 1 : q->end;
		q->max = q->n == 0 || value > q->max ? value : q->max;
		q->sum += value;
		q->n++;
		return;
	}
	for (unsigned k = 0; k < QUANTILES; k++) {
		const struct target *t = &q->target[k];

		if (t->count != NULL && value >= t->low && (uint64_t)value - (uint64_t)t->low < UINT64_C(1) << t->bits)
			t->count[((uint64_t)value - (uint64_t)t->low) >> inner_shift(t)]++;
	}
}

void
quantile_get(const struct quantile *q, struct quantile_result *ret)
{
	__int128 doubled = q->sum * 2 + (__int128)q->n, mean = 0;

	*ret = (struct quantile_result){ .n = q->n };
	if (q->n == 0)
		return;
	mean = doubled / (__int128)(q->n * 2);
	if (doubled % (__int128)(q->n * 2) < 0)
		mean--; /* floor */
	ret->mean = (int64_t)mean;
	ret->max = q->max;
	for (unsigned k = 0; k < QUANTILES; k++)
		ret->rank[k] = q->target[k].low;
}
