/* agent/agent_plan.h - the schedule: which account sends which message when, fixed before the first connection is opened.
 *
 * Open-loop and deterministic: a pure function of the plan's settings, the run id and the account, so that every agent works out its
 * own part alone and a slow server delays nothing. Times are offsets from the common start; the agent turns them into absolute times
 * of its monotonic clock.
 *
 * A plan has streams that run side by side. In a p2p stream every participant sends in each turn, at the turn's begin and a delay of its
 * own (`jitter_ns`); account n of the first half of agents is paired with account n of the second. In a group stream the senders
 * take turns, agent by agent, one message each `interval_ns` over all agents.
 *
 *	agent_plan_make() -> agent_plan_sha256(), agent_plan_mid(), cursors -> agent_plan_done()
 *
 * Ownership: the plan borrows the settings; cursors borrow the plan. Threading: a plan is read-only once made, a cursor has one owner. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"

#define AGENT_PLAN_AGENTS_MAX 64
#define AGENT_PLAN_STREAMS_MAX 16
#define AGENT_PLAN_ACCOUNTS_MAX 1000000 /* of one agent */
#define AGENT_PLAN_MESSAGES_MAX UINT64_C(1000000000000)
#define AGENT_PLAN_SPAN_MAX (INT64_C(30) * 86400 * 1000000000) /* from the start to the last message */

enum plan_kind { PLAN_P2P, PLAN_GROUP, _PLAN_KIND_MAX };

enum plan_shape {
	PLAN_STEADY, /* at its interval */
	PLAN_BURST,  /* the same messages, all at the begin */
	PLAN_RAMP,   /* the same messages in the same time, at a rate that rises evenly from nothing */
	_PLAN_SHAPE_MAX
};

struct plan_agent {
	const char *name;   /* "a" */
	const char *prefix; /* of its accounts: "a" for a0001 */
	uint32_t accounts;
};

struct plan_stream {
	const char *id; /* of its scenario */
	enum plan_kind kind;
	enum plan_shape shape;
	uint32_t first, last; /* accounts of each agent that send, from 1 */
	uint64_t turns;	      /* messages of each sender */
	int64_t begin_ns, interval_ns;
	int64_t jitter_ns; /* delays are 0 to jitter_ns - 1, p2p alone; less than the interval */
};

struct plan_settings {
	const char *run_id;
	const char *mid_prefix; /* of every client mid */
	const struct plan_agent *agents;
	const struct plan_stream *streams;
	unsigned nagents, nstreams;
};

struct plan_message {
	uint32_t stream;  /* in settings->streams */
	uint32_t agent;	  /* in settings->agents */
	uint32_t account; /* of that agent, from 1 */
	uint64_t turn;	  /* from 0 */
	int64_t at_ns;	  /* after the start */
};

struct agent_plan {
	const struct plan_settings *settings;
	struct plan_order *order; /* of each stream */
	uint64_t messages;	  /* of all agents */
};

/* IMP_E_RULE says what does not fit. */
MUST_CHECK enum imp_rc agent_plan_make(const struct plan_settings *settings, struct agent_plan *ret, struct imp_err *err);
void agent_plan_done(struct agent_plan *p); /* takes a zeroed one */

uint64_t agent_plan_stream_messages(const struct plan_settings *settings, uint32_t stream);
/* When the last message of a stream is due. */
int64_t agent_plan_stream_end(const struct agent_plan *p, uint32_t stream);

/* Over everything that the schedule depends on, in a text that other programs can make too: agents compare it before they start. */
MUST_CHECK enum imp_rc agent_plan_sha256(const struct agent_plan *p, unsigned char ret[SHA256_BYTES], struct imp_err *err);

/* "a0001" */
void agent_plan_account(const struct plan_settings *settings, uint32_t agent, uint32_t account, struct buf *out);
/* "lt-demo-1-s1-a0001-00001": the same for every try. */
void agent_plan_mid(const struct plan_settings *settings, const struct plan_message *m, struct buf *out);

/* The messages of one agent by time; of one instant by stream, then as the stream has them. */
struct plan_cursor {
	const struct agent_plan *plan;
	uint32_t agent;
	uint64_t next[AGENT_PLAN_STREAMS_MAX]; /* of each stream: how many are behind it */
	struct plan_message head[AGENT_PLAN_STREAMS_MAX];
	bool has[AGENT_PLAN_STREAMS_MAX];
};

void plan_cursor_begin(struct plan_cursor *c, const struct agent_plan *plan, uint32_t agent);
/* False when the cursor is behind the last. The message that was looked at last stays until plan_cursor_next(). */
bool plan_cursor_peek(const struct plan_cursor *c, struct plan_message *ret);
void plan_cursor_next(struct plan_cursor *c);
