/* rules/places.h - what of a run is counted to say where its failures are: messages, missing deliveries, and the deliveries that could
 * have gone missing.
 *
 * Life cycle: 1. places_load()  2. read  3. places_done(), also after a failed load. All is numbers of the store; pods are numbered
 * here. Threading: one thread. */
#pragma once
#include "base/intern.h"
#include "rules/cause_weigh.h"

#define PLACES_NONE UINT32_MAX /* no agent, no pod, no scenario */

enum failure {
	FAILURE_MISSING,
	FAILURE_REJECTED,
	FAILURE_UNKNOWN,
	FAILURE_UNANSWERED,
	FAILURE_UNSENT,
	FAILURE_LATE_ACK,
	FAILURE_ABSENT,
	_FAILURE_MAX
};

struct placed_message {
	int64_t t; /* first `pub`; of a message never written its first attempt */
	int64_t code;
	uint32_t topic, sender, agent, scenario, pod;
	uint32_t expected, missing;
	uint32_t failing;    /* index in weighing.failing, PLACES_NONE */
	unsigned failures;   /* bits of enum failure */
	unsigned char tenth; /* of its topic's messages by number, 1 to 10; 0: the topic has fewer than ten */
	bool p2p, acked, attempted;
};

struct miss {			    /* one missing delivery */
	uint32_t message, receiver; /* index in places.messages; account */
};

struct place_ready { /* from when an account was READY, on which pod */
	int64_t t;
	uint32_t account, pod;
};

struct place_member {
	uint32_t topic, member, account;
};

struct place_expectation {
	uint32_t topic, scenario;
	struct slice bits;
};

struct places {
	struct weighing *x;
	VEC(struct placed_message) messages; /* by number */
	VEC(struct miss) misses;
	VEC(struct place_ready) ready;		    /* by account, then by time */
	VEC(struct place_member) members;	    /* by topic, then by member */
	VEC(struct place_expectation) expectations; /* by topic, then by scenario */
	struct intern pods;
};

MUST_CHECK enum imp_rc places_load(struct places *p, struct weighing *x, struct imp_err *err);
void places_done(struct places *p);
/* Index in places.ready: the account's first `ready` after `t`, or what comes behind its last one. */
size_t places_next_ready(const struct places *p, uint32_t account, int64_t t);
/* The pod that the account was READY on last, at `t` or before; PLACES_NONE. */
uint32_t places_pod(const struct places *p, uint32_t account, int64_t t);

/* Which messages are looked at. */
enum place_scope { SCOPE_ALL, SCOPE_ONLY_P2P, SCOPE_ONLY_GROUP };
static inline bool
places_in_scope(const struct placed_message *m, enum place_scope scope)
{
	return scope == SCOPE_ALL || m->p2p == (scope == SCOPE_ONLY_P2P);
}

/* place_cells.c: deliveries of acked messages that were expected, of one topic between two pods at one receiver */
struct cell {
	uint32_t topic, receiver, sender_pod, receiver_pod;
	uint64_t n;
};
MUST_CHECK enum imp_rc places_each_cell(const struct places *p, enum place_scope scope,
    enum imp_rc (*each)(void *payload, const struct cell *c, struct imp_err *err), void *payload, struct imp_err *err);
