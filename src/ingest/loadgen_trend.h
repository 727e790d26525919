/* ingest/loadgen_trend.h - many numbers of one metric in bounded memory: their sum and extremes exactly, percentiles exactly as long as
 * they are few, to a thousandth after that.
 *
 * Life cycle: 1. zeroed  2. trend_add()  3. trend_settle(), trend_percentile()  4. trend_done(). Threading: one thread. Errors:
 * IMP_E_LIMIT for the budget, IMP_E_NOMEM. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

#define TREND_EXACT_MAX ((size_t)1 << 16) /* numbers that are kept one by one */

struct trend {
	uint64_t n, passes; /* passes: that were not 0 */
	double sum, min, max, last;
	VEC(double) values;
	uint64_t *buckets; /* NULL: all are in `values` */
	uint64_t low;	   /* that are too small for a bucket */
};

MUST_CHECK enum imp_rc trend_add(struct trend *t, struct mem_budget *budget, double value, struct imp_err *err);
/* Before the first percentile, and after the last number. */
void trend_settle(struct trend *t);
/* As k6 has it: linear between the neighbours of pct * (n - 1). n > 0, 0 <= pct <= 100. */
double trend_percentile(const struct trend *t, double pct);
void trend_done(struct trend *t, struct mem_budget *budget);
