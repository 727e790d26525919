/* classify/sums.h - what is counted over the messages of a group. Pure over a judged run; any thread. */
#pragma once
#include "classify/run.h"

/* Counts that are sums over messages. */
struct sums {
	uint64_t outcome[_OUTCOME_MAX], class[_CLASS_MAX], anomaly[_ANOMALY_MAX];
	uint64_t persisted[_PERSISTED_MAX]; /* of acked messages */
	uint64_t matrix[_OUTCOME_MAX][_OBSERVED_MAX][_PERSISTED_MAX];
	uint64_t messages, excluded;
	uint64_t expected, unique, late, unwitnessed, missing, duplicate, disconnected; /* of acked messages */
	uint64_t echo, unexpected, strangers, wrong_topic, early;			/* of all */
	uint64_t unacked_observed, unacked_deliveries, not_ready;
	uint64_t unacked_persisted, history_found, witness_conflicts;
	uint64_t no_answer, cut_off;
	bool upper_bound;
};

void sums_of(const struct run *r, const struct group *g, struct sums *ret);

/* (topic, seq) pairs that carry two mids of the group. */
uint64_t sums_seq_conflicts(const struct run *r, const struct group *g);

/* One answer with a code, one `fail` or `skip` with a reason. */
struct tally_use {
	int64_t key; /* code, or number of a text */
	uint32_t message;
};

struct tallies { /* sorted */
	VEC(struct tally_use) codes, fails, skips;
};

MUST_CHECK enum imp_rc tallies_of(const struct run *r, const struct group *g, struct tallies *ret, struct imp_err *err);
void tallies_done(struct tallies *t);

/* Walk over the keys: how many messages have each (or lines, with `each_line`). *pos begins at 0; false at the end. */
bool tally_next(const struct tally_use *v, size_t n, bool each_line, size_t *pos, int64_t *ret_key, uint64_t *ret_n);
