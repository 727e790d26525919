/* classify/quantile.h - exact order statistics of any number of int64 values in bounded memory, by looking at them several times.
 *
 * Life cycle: 1. quantile_init()  2. while (quantile_again(q)) offer every value with quantile_add()  3. quantile_get()
 * 4. quantile_done(). The first look puts values into buckets of 1/8192 of their size and finds those that hold the wanted ranks; the
 * next ones look inside these alone, until a bucket is one value. Two looks for values up to two
 * seconds (in ns), one more for each factor of 131072 beyond.
 * Nearest rank: the quantile p of n values is the ceil(p * n)-th smallest. Threading: one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define QUANTILES 4

struct quantile; /* opaque; classify/quantile.c */

struct quantile_result {
	uint64_t n;
	int64_t rank[QUANTILES]; /* p50, p95, p99, p99.9 */
	int64_t max, mean;	 /* mean rounded half up */
};

MUST_CHECK enum imp_rc quantile_init(struct quantile **ret, struct imp_err *err);
void quantile_done(struct quantile *q);	 /* takes NULL */
void quantile_clear(struct quantile *q); /* ready for other values */

/* Must the values be offered (once more)? */
bool quantile_again(struct quantile *q);
void quantile_add(struct quantile *q, int64_t value);

/* All values are known. With n == 0 the rest of *ret is 0. */
void quantile_get(const struct quantile *q, struct quantile_result *ret);

/* The permille whose rank is rank[i]. */
unsigned quantile_permille(unsigned i);
