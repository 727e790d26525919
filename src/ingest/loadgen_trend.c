#include "config.h"

#include "ingest/loadgen_trend.h"

#include <math.h>
#include <stdlib.h>

/* Bucket i holds what lies from SMALLEST * GROWTH^i to the next: values from a nanosecond (in ms) to 30 years. */
#define SMALLEST 1e-6
#define GROWTH 1.001
#define BUCKETS ((size_t)41500)

static void
to_bucket(struct trend *t, double value)
{
	double place = floor(log(value / SMALLEST) / log(GROWTH));

	if (!(value >= SMALLEST))
		t->low++;
	else
		t->buckets[place < (double)BUCKETS ? (size_t)place : BUCKETS - 1]++;
}

/* From single values to buckets. */
static enum imp_rc
make_buckets(struct trend *t, struct mem_budget *budget, struct imp_err *err)
{
	enum imp_rc rc = mem_charge(budget, BUCKETS * sizeof(*t->buckets), err);

	if (rc != IMP_OK)
		return rc;
	t->buckets = calloc(BUCKETS, sizeof(*t->buckets));
	if (t->buckets == NULL) {
		mem_release(budget, BUCKETS * sizeof(*t->buckets));
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	}
	for (size_t i = 0; i < t->values.n; i++)
		to_bucket(t, t->values.v[i]);
	VEC_FREE(budget, &t->values);
	return IMP_OK;
}

enum imp_rc
trend_add(struct trend *t, struct mem_budget *budget, double value, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (t->buckets == NULL && t->values.n == TREND_EXACT_MAX)
		rc = make_buckets(t, budget, err);
	if (rc == IMP_OK && t->buckets == NULL)
		rc = VEC_PUSH(budget, &t->values, value, err);
	else if (rc == IMP_OK)
		to_bucket(t, value);
	if (rc != IMP_OK)
		return rc;
	t->min = t->n == 0 || value < t->min ? value : t->min;
	t->max = t->n == 0 || value > t->max ? value : t->max;
	t->n++;
	t->passes += value != 0;
	t->sum += value;
	t->last = value;
	return IMP_OK;
}

static int
double_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void
trend_settle(struct trend *t)
{
	if (t->values.n > 1)
		qsort(t->values.v, t->values.n, sizeof(*t->values.v), double_cmp);
}

static double
bucket_percentile(const struct trend *t, double rank)
{
	uint64_t below = t->low;
	double value;
	size_t i = 0;

	if (rank < (double)below)
		return t->min;
	while (i + 1 < BUCKETS && (double)(below + t->buckets[i]) <= rank)
		below += t->buckets[i++];
	value = SMALLEST * pow(GROWTH, (double)i + 0.5);
	return value < t->min ? t->min : value > t->max ? t->max : value;
}

double
trend_percentile(const struct trend *t, double pct)
{
	double rank = pct / 100 * (double)(t->n - 1);
	size_t i = (size_t)rank;

	if (t->buckets != NULL)
		return bucket_percentile(t, rank);
	if (i + 1 >= t->values.n)
		return t->values.v[t->values.n - 1];
	return t->values.v[i] + (t->values.v[i + 1] - t->values.v[i]) * (rank - (double)i);
}

void
trend_done(struct trend *t, struct mem_budget *budget)
{
	VEC_FREE(budget, &t->values);
	if (t->buckets != NULL)
		mem_release(budget, BUCKETS * sizeof(*t->buckets));
	free(t->buckets);
	t->buckets = NULL;
}
