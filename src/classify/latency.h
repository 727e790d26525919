/* classify/latency.h - the four latencies of a group of messages (truth model, section 6). Threading: one thread. */
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

/* Deliveries are read from the store's blocks, where all passes have put them. */
MUST_CHECK enum imp_rc latency_measure(struct run *r, const struct group *g, struct store *s, int64_t run_no, struct quantile *q,
    struct latency_result *ret, struct imp_err *err);
