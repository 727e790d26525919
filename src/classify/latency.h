/* classify/latency.h - the four latencies of groups of messages (truth model, section 6). Threading: one thread. */
#pragma once
#include "classify/quantile.h"
#include "classify/run.h"
#include "store/store.h"

enum latency { LATENCY_ACK, LATENCY_ACK_FROM_PLAN, LATENCY_DELIVERY, LATENCY_QUEUE, _LATENCY_MAX };
const char *latency_name(enum latency l);

struct latency_result {
	struct quantile_result of[_LATENCY_MAX];
	uint64_t ambiguous; /* acks that two attempts may have got */
	bool delivery_valid;
	char delivery_why[256]; /* when it is not */
};

/* Measure `n` groups into ret[0..n). Deliveries are read from the store's blocks, where all passes have put them: once a look for as
 * many groups as LATENCY_TOGETHER, each of which takes some 6 MB. */
#define LATENCY_TOGETHER 3
MUST_CHECK enum imp_rc latency_measure(struct run *r, const struct group *g, size_t n, struct store *s, int64_t run_no,
    struct latency_result *ret, struct imp_err *err);
