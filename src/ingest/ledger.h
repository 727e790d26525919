/* ingest/ledger.h - everything that the lines of one run say, in memory, as they say it; judging is classify's job.
 *
 * Numbers of mids, accounts, topics and request ids are given in the order of reading; classify gives the lasting ones. Every line
 * is known by its `place`: file << 40 | line << 8 | record of the line, which also is the order "by line".
 * Threading: filled by readers that hold the reader's lock (ingest/reader.c); afterwards classify's one thread sorts it and notes in it
 * what the fields marked "classify" say. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/mem.h"
#include "ingest/copies.h"
#include "ingest/plan.h"

#define NONE UINT32_MAX
#define NO_TIME INT64_MIN /* a time or number that is not there */

#define PLACE_LINE_MAX UINT32_MAX
#define PLACE_RECORD_MAX 255u /* the records of a line beyond that share a place */

static inline uint64_t
place_make(uint32_t file, uint64_t line, unsigned record)
{
	return (uint64_t)file << 40 | (line & PLACE_LINE_MAX) << 8 | (record < PLACE_RECORD_MAX ? record : PLACE_RECORD_MAX);
}

static inline uint32_t
place_file(uint64_t place)
{
	return (uint32_t)(place >> 40);
}

static inline int64_t
place_line(uint64_t place)
{
	return (int64_t)(place >> 8 & PLACE_LINE_MAX);
}

struct account {
	uint32_t user;	  /* text, NONE */
	uint32_t agent;	  /* as accounts.jsonl says, NONE; a text until ledger_settle_agents() */
	uint32_t seen_by; /* first agent (by name) whose folder has its conn or data lines, NONE */
	bool listed;
};

struct topic {
	enum kind kind;
	bool listed; /* in topics.jsonl, and not twice with different members */
	bool torn;   /* listed twice with different members */
	uint32_t nmembers;
	uint32_t *members;    /* accounts, in the order of topics.jsonl */
	uint32_t *by_account; /* member number by account, NONE; NULL: few members, walk them */
	uint32_t by_account_n;
	int64_t offline_members; /* NO_TIME */
};

enum attempt_kind { ATTEMPT_PUB, ATTEMPT_SKIP };

struct attempt {
	int64_t t, plan; /* plan: NO_TIME */
	uint64_t place;
	uint32_t mid, topic, from;
	uint32_t sc, id, why; /* texts, NONE */
	int64_t try, size;    /* NO_TIME */
	enum attempt_kind kind;
};

enum answer_kind { ANSWER_CTRL, ANSWER_FAIL };

struct answer {
	int64_t t;
	uint64_t place;
	uint32_t mid, id;	  /* NONE; not both */
	uint32_t why, text;	  /* texts, NONE */
	uint32_t attempt;	  /* classify: which of its message's attempts it answers, NONE */
	int64_t code, seq, bytes; /* NO_TIME */
	enum answer_kind kind;
};

enum conn_state { CONN_OPEN, CONN_READY, CONN_CLOSED, CONN_REFUSED };

struct conn {
	int64_t t;
	uint64_t place;
	uint32_t who, pod, why, peer; /* texts, NONE */
	int64_t code;
	enum conn_state state;
	bool connected; /* classify: from here on */
	uint32_t leave; /* classify: in ledger.conns, the next of its account (itself included) that ends a connection, NONE */
	uint32_t ready; /* classify: in ledger.conns, the last `ready` of its account (itself included), NONE */
};

/* start, end, mark, clock, calibration: few, of one agent (NONE: neither folder nor `agent` says) */
enum note_kind { NOTE_START, NOTE_END, NOTE_MARK, NOTE_CLOCK, NOTE_CALIBRATION };

struct note {
	int64_t t;
	uint64_t place;
	uint32_t agent, text, text2; /* mark: name; clock: source; calibration: target, version */
	int64_t a, b;		     /* end: events; clock: offset_ns, rtt_ns; calibration: sockets */
	double real;		     /* calibration: ceiling_per_s */
	enum note_kind kind;
};

struct health {
	int64_t t;
	uint64_t place;
	double value;
	uint32_t agent;
	uint16_t key; /* enum record_key */
};

struct hist { /* `hist`, and in classify `data` that answers the read-back */
	int64_t t, seq;
	uint64_t place;
	uint32_t mid, topic, times;
};

struct histq {
	int64_t t, lo, hi, found;
	uint64_t place;
	uint32_t topic, by, status;
};

struct row {
	int64_t seq, created, check;
	uint64_t place;
	uint32_t mid, table, topic, id; /* topic is a topic number; id is a text, NONE */
};

struct dead {
	int64_t t, code, check;
	uint64_t place;
	uint32_t mid, error, topic, kafka_topic; /* texts, NONE */
	bool replayed;
};

struct query { /* `rows` and `deads` */
	int64_t t, count, check;
	uint64_t place;
	uint32_t table, text; /* texts, NONE for `deads` */
	enum kind kind;	      /* KIND_UNKNOWN: all kinds */
	bool deads, complete;
	bool holds;	/* classify: absence may stand on it, the time of the scenario apart */
	uint64_t found; /* classify: distinct rows or letters of its check that are here */
};

struct column {
	int64_t t; /* NO_TIME: nobody says when it was looked at */
	uint64_t place;
	uint32_t table, name, type, extra;
	int64_t nullable; /* 0, 1, NO_TIME */
};

struct status {
	int64_t t;
	uint64_t place;
	uint32_t server, name, value;
};

struct innodb { /* what SHOW ENGINE INNODB STATUS says, in short */
	int64_t t;
	int64_t history_length, deadlock_t; /* NO_TIME */
	uint64_t place;
	uint32_t server, deadlock; /* texts, NONE */
};

struct lag {
	int64_t t, partition, committed, end;
	int64_t start, lag, members; /* NO_TIME */
	uint64_t place;
	uint32_t group, topic; /* texts */
};

struct collected { /* a request of a collector, and what became of it */
	int64_t t;
	int64_t ns, n, tries; /* NO_TIME */
	uint64_t place;
	uint32_t phase, system, source, what, query, file, status, why; /* texts, NONE */
};

struct server { /* who answered a collector, as it says itself */
	int64_t t;
	uint64_t place;
	uint32_t phase, system, source, address, version, id, role; /* texts, NONE */
};

struct damage {
	uint64_t place;
	const char *reason;    /* static text */
	bool repaired;	       /* else rejected */
	int64_t before, after; /* times of the neighbours in the file, NO_TIME */
};
#define DAMAGE_PER_FILE_MAX 10000 /* kept one by one; the rest is counted */

#define UNKNOWN_EVENTS_MAX 100 /* distinct names kept, the first in byte order */
#define LEDGER_AGENTS_MAX 1024

struct file_counts {
	uint64_t lines, records, events, rejected, repaired, resent, unknown_events, unknown_keys;
};

struct ledger_file {
	uint32_t agent; /* NONE */
	struct file_counts n;
	int64_t first_t, max_t;		    /* earliest and latest time of its events, NO_TIME */
	int64_t last_t;			    /* time of its last event, by line */
	bool rejected_rest;		    /* some rejected records have no entry of their own ... */
	int64_t rejected_from, rejected_to; /* ... and lie between these neighbours, NO_TIME: open */
	bool cut;			    /* compressed stream incomplete */
	bool asked_short;		    /* classify: the request that filled it did not come to its end ... */
	bool asked_limited;		    /* ... or was cut at a limit; says the collector's journal */
	bool hashed;
	unsigned char sha256[32];
	uint8_t compression; /* enum source_compression */
	uint8_t manifest;    /* enum manifest_state */
};

struct seen_stretch { /* what one agent wrote from one `start` to the next */
	int64_t start;
	int64_t last;  /* its last line, by time */
	bool no_start; /* lines before the first `start` */
};

struct ledger_agent {
	struct slice name;
	bool planned, present;
	int64_t first_t, last_t;	    /* earliest and latest time of its lines, NO_TIME */
	VEC(struct seen_stretch) stretches; /* by start, in order of time; made by reader_pass(READER_FIRST) */
};

struct ledger {
	struct mem_budget *budget;
	const struct inputs *inputs;
	const struct plan *plan;

	struct intern mids, accounts_by, topics_by, texts;
	VEC(struct account) accounts;	 /* by number of accounts_by */
	VEC(struct topic) topics;	 /* by number of topics_by */
	VEC(struct ledger_agent) agents; /* in byte order of the name */
	bool has_accounts, has_topics;

	VEC(struct attempt) attempts;
	VEC(struct answer) answers;
	VEC(struct conn) conns;
	VEC(struct note) notes;
	VEC(struct health) health;
	VEC(struct hist) hists;
	VEC(struct histq) histqs;
	VEC(struct row) rows;
	VEC(struct dead) deads;
	VEC(struct query) queries;
	VEC(struct column) columns;
	VEC(struct status) statuses;
	VEC(struct innodb) innodbs;
	VEC(struct lag) lags;
	VEC(struct collected) collected;
	VEC(struct server) servers;
	VEC(struct damage) damages;
	struct ledger_file *files;   /* by file number */
	VEC(uint32_t) unknown_evs;   /* texts, distinct */
	VEC(struct slice) not_there; /* paths that the manifest lists and the directory has not */

	struct copies copies; /* what was delivered, of the receivers that this pass looks at */
};

void ledger_init(struct ledger *l, struct mem_budget *budget);
void ledger_done(struct ledger *l);

/* Before any reading: `in` and `plan` are borrowed until ledger_done(). */
MUST_CHECK enum imp_rc ledger_prepare(struct ledger *l, const struct inputs *in, const struct plan *plan, struct imp_err *err);

/* After accounts were read and before anything else is: agents of the plan, of the folders and of the accounts, in byte order;
 * files and accounts get theirs. */
MUST_CHECK enum imp_rc ledger_settle_agents(struct ledger *l, struct imp_err *err);

/* Numbers of names, made when new. */
MUST_CHECK enum imp_rc ledger_account(struct ledger *l, struct slice name, uint32_t *ret, struct imp_err *err);
MUST_CHECK enum imp_rc ledger_topic(struct ledger *l, struct slice name, uint32_t *ret, struct imp_err *err);
MUST_CHECK enum imp_rc ledger_mid(struct ledger *l, struct slice name, uint32_t *ret, struct imp_err *err);
MUST_CHECK enum imp_rc ledger_text(struct ledger *l, struct slice text, uint32_t *ret, struct imp_err *err);
uint32_t ledger_agent_find(const struct ledger *l, struct slice name);

/* A line of topics.jsonl. `members` are accounts; the topic takes a copy. */
MUST_CHECK enum imp_rc ledger_topic_list(struct ledger *l, uint32_t topic, enum kind kind, const uint32_t *members, uint32_t n,
    int64_t offline, struct imp_err *err);

/* Member number of an account in a topic, or NONE. */
uint32_t topic_member(const struct topic *t, uint32_t account);

struct slice ledger_text_slice(const struct ledger *l, uint32_t text); /* {NULL, 0} for NONE */
