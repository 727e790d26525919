/* classify/run.h - one run, judged: messages in their lasting order, scenarios, windows, connections, and every judgement on them.
 *
 * Definitions are those of the truth model (docs/truth-model.md); comments name its sections. Numbers of messages, accounts and
 * topics here and in the store are the lasting ones: messages by first attempt (time, then mid), accounts and topics by name. The
 * ledger's own numbers are called "ledger numbers". Threading: one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ingest/inputs.h"
#include "ingest/ledger.h"

enum outcome { OUTCOME_ACKED, OUTCOME_REJECTED, OUTCOME_UNKNOWN, OUTCOME_UNSENT, _OUTCOME_MAX };
enum observed { OBSERVED_FULL, OBSERVED_PARTIAL, OBSERVED_NONE, OBSERVED_NA, _OBSERVED_MAX };

enum persisted {
	PERSISTED_EXACT,
	PERSISTED_DUPLICATE,
	PERSISTED_MISMATCH,
	PERSISTED_DEAD_LETTER,
	PERSISTED_ABSENT,
	PERSISTED_CONFLICT,
	PERSISTED_UNCHECKED,
	_PERSISTED_MAX
};

/* In the order in which section 4 tries them. */
/* clang-format off */
#define CLASSES(X) \
	X(contradiction) \
	X(rejected) \
	X(unsent) \
	X(integrity) \
	X(durable_lost) X(dead_lettered) X(unverified) X(lost_realtime_persisted) X(late_persisted) X(ok) \
	    X(unknown_observed_persisted) X(unknown_persisted) X(unknown_observed) X(unknown_absent) X(unknown_unverified)
/* clang-format on */
enum message_class {
#define X(c) CLASS_##c,
	CLASSES(X)
#undef X
	    _CLASS_MAX
};

/* Anomalies that a message can have. */
#define ANOMALIES(X) X(multi_seq) X(mid_collision) X(ack_without_seq) X(late_ack) X(ack_data_mismatch) X(wrong_topic) X(clock_skew)
enum anomaly {
#define X(a) ANOMALY_##a,
	ANOMALIES(X)
#undef X
	    _ANOMALY_MAX
};

const char *outcome_name(enum outcome o);
const char *observed_name(enum observed o);
const char *persisted_name(enum persisted p);
const char *class_name(enum message_class c);
const char *anomaly_name(enum anomaly a);

/* What the receivers saw of one message (section 2); sums over the members that were looked at so far. */
struct seen {
	uint32_t expected, unique, late, unwitnessed, missing, disconnected;
	uint32_t further; /* copies beyond the first at expected receivers: `duplicate` */
	uint32_t echo, unexpected, strangers, wrong_topic;
	uint32_t early;		/* first copies at expected receivers before the first pub: `clock_skew` */
	uint32_t copies;	/* of any kind */
	uint32_t not_acked_seq; /* copies whose seq is none of the acks' */
	int64_t data_seq;	/* that all copies on the topic agree on, NO_TIME: none or several */
	bool data_seqs_differ;
};

struct message {
	uint32_t mid, topic, sender;   /* ledger numbers */
	uint32_t agent;		       /* of the sender, NONE */
	uint32_t clock;		       /* agent whose folder has its first `pub`, NONE */
	uint32_t scenario;	       /* run.scenarios; never NONE */
	uint32_t attempt0, nattempts;  /* run.ledger->attempts, by time; skips too */
	uint32_t answer0, nanswers;    /* run.ledger->answers, by time */
	int64_t first_t;	       /* first attempt, skip or pub */
	int64_t first_pub, first_plan; /* NO_TIME */
	uint32_t npubs;
	bool excluded; /* warm-up */

	enum outcome outcome;
	uint32_t ack;				   /* the earliest ack in ledger->answers, NONE */
	int64_t ack_seq, ack_ns, ack_from_plan_ns; /* NO_TIME */
	bool ack_ambiguous;
	int64_t code;		     /* that decided, NO_TIME */
	uint32_t cut_off, no_answer; /* attempts without any answer */
	uint32_t anomalies;	     /* 1 << enum anomaly */

	struct seen seen;
	bool missing_upper_bound; /* damage in the ledger of an expected receiver's agent, inside the window */
	enum observed observed;

	enum persisted persisted;
	int64_t known_seq; /* NO_TIME */
	bool in_history, witness_conflict;
	const char *last_layer, *place; /* NULL */
	enum message_class class;
};

struct scenario {
	struct plan_scenario plan;
	bool fits_none;				 /* messages that belong to no scenario of the plan, of one kind */
	int64_t first_pub, last_pub, window_end; /* NO_TIME: nothing was written */
	uint64_t excluded;			 /* messages that the warm-up took out */
	uint64_t messages;			 /* that count */
	bool *ready;				 /* by ledger account: READY at first_pub */
};

enum mark_source { MARK_FROM_TIMELINE, MARK_FROM_LEDGER, MARK_DERIVED };

struct stretch {
	int64_t from, to;
	bool ended;
};

struct run_agent {
	VEC(struct stretch) stretches;
	bool cut_off;
	uint64_t records;	/* re-sent ones once */
	int64_t records_stated; /* NO_TIME */
	int64_t clock_worst_ns; /* measured offset farthest from 0, NO_TIME: never measured */
};

/* A seq of a topic that some ack or delivery gave to a message. */
struct seq_use {
	int64_t seq;
	uint32_t topic, message;
};

/* A set of messages that figures are given for: all, those of a scenario, those whose senders belong to an agent. */
enum scope { SCOPE_TOTAL, SCOPE_SCENARIO, SCOPE_AGENT };

struct group {
	enum scope scope;
	uint32_t index;		 /* scenario or agent */
	bool same_as_total;	 /* every message that counts is in it */
	uint64_t regressions;	 /* seq lower than the highest seen */
	unsigned char *accounts; /* by ledger account: GROUP_* */
};
#define GROUP_REGRESSED 1u  /* saw a regression */
#define GROUP_TWO_COPIES 2u /* two or more first copies of one topic */

struct run {
	struct ledger *ledger;
	struct arena arena;
	struct slice id;
	struct message *messages;
	uint32_t nmessages;
	uint32_t *message_of_mid; /* by ledger mid; NONE: foreign */
	VEC(struct scenario) scenarios;
	int64_t mark[_PLAN_MARK_MAX]; /* NO_TIME */
	enum mark_source mark_source[_PLAN_MARK_MAX];
	int64_t last_window_end; /* NO_TIME */

	uint32_t *account_no, *topic_no; /* lasting numbers, by ledger number */
	uint32_t *account_at, *topic_at; /* and back */
	uint32_t *account_agent;	 /* who watches it, by ledger number, NONE */
	uint32_t *account_clock;	 /* whose clock stamps its deliveries: the agent whose folder has its lines, NONE */
	uint32_t *conn0;		 /* by ledger account: its first in ledger->conns (sorted); one more entry than accounts */
	bool has_conns;
	bool has_db, has_history; /* any line of these witnesses (persist.c) */
	struct run_agent *agents;

	VEC(struct group) groups; /* total first */
	bool *crossed; /* by scenario, message's agent, clock: acked messages were delivered between this clock and another */
	VEC(struct seq_use) seq_uses; /* of acks and deliveries; sorted and distinct after judge_classes() */
	VEC(struct hist) readback;    /* `data` that answered the read-back; mid is a ledger number */
	uint64_t foreign[6];	      /* enum foreign_kind */
	uint64_t no_scenario;	      /* messages */
	uint64_t lost_pubs;	      /* messages with answers, but only `skip` lines */
};

enum foreign_kind { FOREIGN_DATA, FOREIGN_CTRL, FOREIGN_FAIL, FOREIGN_ROW, FOREIGN_HIST, FOREIGN_DEAD };

/* Number everything, put messages together and find scenarios, windows and marks. Sorts the ledger's arrays. */
MUST_CHECK enum imp_rc run_init(struct run *r, struct ledger *l, struct imp_err *err);
void run_done(struct run *r);

/* The name of a run: as run.json says, else that of its directory. Borrows from both. */
struct slice run_id_of(const struct plan *plan, const struct inputs *in);

static inline struct slice
run_mid(const struct run *r, const struct message *m)
{
	return r->ledger->mids.names.v[m->mid];
}

static inline struct topic *
run_topic(const struct run *r, const struct message *m)
{
	return &r->ledger->topics.v[m->topic];
}

/* Does a message count in a group? Excluded ones count in none. */
static inline bool
run_in_group(const struct message *m, const struct group *g)
{
	return !m->excluded && (g->scope == SCOPE_TOTAL || (g->scope == SCOPE_SCENARIO ? m->scenario : m->agent) == g->index);
}

/* Is this account an expected receiver of the message (it is a member of its topic)? */
static inline bool
run_expects(const struct run *r, const struct message *m, enum kind topic_kind, uint32_t account)
{
	if (topic_kind == KIND_P2P)
		return account != m->sender;
	return !r->has_conns || r->scenarios.v[m->scenario].ready[account];
}

/* classify/messages.c and scenarios.c - parts of run_init(): messages from attempts and answers, in their lasting order; then scenarios,
 * windows, marks and who was READY */
MUST_CHECK enum imp_rc messages_init(struct run *r, struct imp_err *err);
MUST_CHECK enum imp_rc scenarios_init(struct run *r, struct imp_err *err);

/* `n` zeroed elements that live as long as the run; NULL as arena_alloc(). */
void *run_alloc(struct run *r, size_t n, size_t size, struct imp_err *err);

/* The kind that a message is of: its topic's, else its scenario's. */
enum kind run_message_kind(const struct run *r, const struct message *m);

/* classify/watch.c - connections and agents */
const char *conn_state_name(enum conn_state s);
MUST_CHECK enum imp_rc watch_init(struct run *r, struct imp_err *err); /* part of run_init() */
/* READY at `t` (section 2). */
bool watch_ready(const struct run *r, uint32_t account, int64_t t);
/* Was the account not connected at some moment of [from, to]? */
bool watch_disconnected(const struct run *r, uint32_t account, int64_t from, int64_t to);
/* The last `ready` of the account at or before `t`, whatever came after it: an index of ledger->conns, NONE. */
uint32_t watch_last_ready(const struct run *r, uint32_t account, int64_t t);
/* The pod of a `ready` (an index of ledger->conns), which its `open` may have named: a text, NONE. */
uint32_t watch_pod(const struct run *r, uint32_t ready);
/* Changes from connected to not connected within [from, to]. */
uint64_t watch_disconnects(const struct run *r, uint32_t account, int64_t from, int64_t to);
/* Did the agent watch all the time of [from, to]? */
bool watch_covers(const struct run *r, uint32_t agent, int64_t from, int64_t to);

/* classify/outcome.c - section 1 */
MUST_CHECK enum imp_rc outcome_judge(struct run *r, struct imp_err *err);

/* classify/persist.c - section 3; needs outcomes and deliveries. Sorts rows, letters and history; rows and history are then distinct. */
MUST_CHECK enum imp_rc persist_judge(struct run *r, struct imp_err *err);

/* classify/judge.c - section 4; needs all the others */
MUST_CHECK enum imp_rc judge_classes(struct run *r, struct imp_err *err);
