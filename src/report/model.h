/* report/model.h - everything a report says, read from the store once, for all renderers.
 *
 * Life cycle: 1. report_load()  2. renderers read it  3. report_done(), also after a failed load. The model owns all its text (one
 * arena); only the verdict and the causes are borrowed. It carries no clock and no order of reading: the same store gives the same model.
 * Threading: one thread loads, any may read. Errors: IMP_E_DB, IMP_E_NOMEM, IMP_E_NOINPUT (no such run). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/slice.h"
#include "rules/causes.h"
#include "rules/rules.h"
#include "store/store.h"

/* An optional integer of the store. */
struct report_int {
	bool known;
	int64_t v;
};

enum report_type { REPORT_NULL, REPORT_INT, REPORT_REAL, REPORT_TEXT };

struct report_value {
	enum report_type type;
	int64_t i;
	double d;
	struct slice s;
};

struct report_figure {
	struct slice name; /* dotted path below the scope: "delivery.missing" */
	struct report_value value;
};

struct report_cell {
	struct slice outcome, observed, persisted;
	int64_t count;
};

/* The figures of the whole run, of one scenario or of one agent. */
struct report_scope {
	struct slice id;
	VEC(struct report_figure) figures; /* by name, in byte order */
	VEC(struct report_cell) matrix;
};

struct report_scenario {
	struct report_scope scope;
	struct slice kind;
	bool warmup;
	int64_t drain_ns;
	struct report_int first_pub, last_pub, window_end;
};

struct report_agent {
	struct report_scope scope;
	bool planned, present, cut_off;
	int64_t records;
	struct report_int records_stated, clock_worst_ns;
};

struct report_run {
	struct slice id, server, gates, tenant, build_expected;
	bool has_plan, has_topics, has_conns, hashed, shared_host;
	struct report_int planned_accounts;
	VEC(struct slice) systems; /* none: not stated */
};

struct report_mark {
	struct slice name, source;
	int64_t t;
};

struct report_file {
	struct slice path, kind, sha256, manifest, compression; /* .p NULL: not known */
	int64_t bytes, lines, records, events, rejected, repaired, resent;
	bool cut;
};

struct report_damage {
	struct slice path, what, reason;
	int64_t line;
};

struct report_finding {
	struct slice id, detail;
	struct slice path, sha256; /* of the first place; path.p NULL: no single place */
	int64_t count, line;
};

struct report_count {
	struct slice name; /* dotted path below `ingest` */
	int64_t value;
};

/* When the messages of a class were tried. */
struct report_class {
	struct slice name;
	struct report_int first, last;
};

/* A message that ended badly for what is stored. */
struct report_loss {
	struct slice mid, topic, sender, klass, persisted, last_layer, place;
	struct report_int seq, first_pub, ack_t;
	struct slice path; /* of its first attempt ... */
	int64_t line;
};

/* A delivery that did not happen. */
struct report_missing {
	struct slice mid, topic, sender, receiver, klass;
	struct report_int disconnected; /* 1: the receiver was not connected throughout */
	struct report_int seq, first_pub, ack_t, window_end;
	struct slice path; /* of the message's first attempt ... */
	int64_t line;
};

/* A receiver that misses deliveries of acked messages. */
struct report_receiver {
	struct slice name;
	int64_t missing, topics;
	struct report_int connected;   /* of `missing`: while it was connected throughout */
	struct report_int first, last; /* `pub` of the messages */
};

/* A stream of evidence that is no ledger, and what it can testify to. */
/* Lines of one log that match a signature. */
struct report_log_line {
	struct slice signature, source;
	int64_t n;
	bool covers_load; /* else there may be more */
	struct report_int first, last;
	struct slice path; /* of the first one ... */
	int64_t line;
};

struct report_source {
	struct slice kind, name, pod, container, format, zone, note;
	struct slice path; /* of its first file; .p NULL: none */
	struct report_int first, last, longest_gap_ns, zone_offset_ns;
	int64_t samples, gaps, damaged, resent;
	bool cut, sampled, limited;
	bool covers_load; /* all of it, without a hole that it knows of */
};

/* A server that answered a collector; `address`, `version`, `id`, `role` are what it says of itself, .p NULL where it says nothing. */
struct report_server {
	struct slice system, source;
	struct slice address, version, id, role;
	struct report_int first, last;	    /* when it was asked who it is; when nobody answered: when it was asked for anything */
	bool other;			    /* another one answered for the instance before */
	bool lags;			    /* rows were looked for in a replica */
	struct report_int requests, failed; /* of the instance; known in its first line */
	struct slice path;		    /* .p NULL: nobody answered */
	int64_t line;
};

/* Requests that did not get all they asked for, equal ones together. */
struct report_asked {
	struct slice system, source, what, status, why;
	struct slice target; /* file of the answer, .p NULL: none */
	int64_t times, first, last;
	struct slice path; /* of the first one ... */
	int64_t line;
};

/* From at least to at most; what is not known is open. */
struct report_span {
	struct report_int least, most;
};

/* A message that an earlier look-up of the database missed and a later one has. */
struct report_repair {
	struct slice mid, topic, persisted;
	struct slice how;     /* replay, backlog; .p NULL: not known */
	struct slice letter;  /* state of its latest dead letter, .p NULL: none */
	struct slice changed; /* "messages.id: int to bigint"; .p NULL: nothing that is known */
	int64_t missed_check, check;
	struct report_int since, missed, found; /* acked; the look-up that missed it last; the first that has it */
	struct report_span came, lasted;	/* when its row came, Unix ns; how long it was missing, ns */
	struct slice path, missed_path, letter_path, changed_path; /* of its row, and of the lines that show the rest */
	int64_t line, missed_line, letter_line, changed_line;
};

struct report_repairs {
	int64_t total, replay, backlog, not_known;
	int64_t changed; /* of the total: a column's type changed meanwhile */
	struct report_span shortest, median, longest;
	VEC(struct report_repair) messages; /* at most `list_max` */
};

struct report {
	struct arena arena;
	struct report_run run;
	struct report_scope total;
	VEC(struct report_scenario) scenarios;
	VEC(struct report_agent) agents;
	VEC(struct report_mark) marks;	       /* by time */
	VEC(struct report_file) files;	       /* by path */
	VEC(struct report_count) counts;       /* by name */
	VEC(struct report_source) sources;     /* by kind, then by name */
	VEC(struct report_log_line) log_lines; /* by signature, then by log; at most `list_max` */
	VEC(struct report_finding) findings;
	VEC(struct report_class) classes; /* that some message has, by name */
	VEC(struct report_damage) damage; /* at most `list_max` */
	int64_t damage_total;
	VEC(struct report_loss) losses; /* acked or contradicting messages, at most `list_max` */
	int64_t losses_total;
	VEC(struct report_missing) missing; /* at most `list_max` */
	struct report_int missing_total;
	VEC(struct report_receiver) receivers; /* the ten that miss most */
	int64_t receivers_total;
	VEC(struct report_server) servers;
	VEC(struct report_asked) asked; /* at most `list_max` */
	int64_t asked_total;
	struct report_repairs repairs;
	int64_t failing_messages;
	const struct verdict *verdict; /* borrowed; may be NULL while a verdict is not wanted */
	const struct causes *causes;   /* borrowed; NULL: not weighed */
};

#define REPORT_LIST_MAX_DEFAULT 200

/* Read run `run_no` of `s`, which has it selected (store_select_run). Lists are cut at `list_max`; their totals are exact. */
MUST_CHECK enum imp_rc report_load(struct report *r, struct store *s, int64_t run_no, size_t list_max, struct imp_err *err);
/* Only `run` and the totals of `repairs`. */
MUST_CHECK enum imp_rc report_load_run(struct report *r, struct store *s, int64_t run_no, struct imp_err *err);
/* Only `run` and `repairs`. */
MUST_CHECK enum imp_rc report_load_repairs(struct report *r, struct store *s, int64_t run_no, size_t list_max, struct imp_err *err);
void report_done(struct report *r);

/* The value of a figure; one that the scope does not have is REPORT_NULL. */
struct report_value report_figure(const struct report_scope *scope, const char *name);

/* The same as an integer, 0 for what is not evaluated. */
int64_t report_figure_int(const struct report_scope *scope, const char *name);

/* A counter of ingest by name; 0 when there is none. */
int64_t report_count(const struct report *r, const char *name);
