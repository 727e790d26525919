/* lab_metrics.h - how long storing took, counted as it happens, and all counters as /metrics shows them. The loop's thread. */
#pragma once
#include <stdint.h>

#include "base/buf.h"

#define METRIC_BUCKETS 9

struct histogram {
	uint64_t bucket[METRIC_BUCKETS + 1]; /* the last one has no upper end */
	uint64_t n;
	double sum; /* seconds */
};

struct lab;

void histogram_add(struct histogram *h, int64_t ns);
void metrics_add(struct buf *out, const struct lab *lab);
