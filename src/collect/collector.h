/* collect/collector.h - what a kind of system has to bring: one const struct each, listed in collectors.c.
 *
 * To add one: src/collect/NAME.c (several files where it is large) with its `const struct collector`, its line in collectors.c, its
 * section in docs/collect.md with the rights it needs, its test against the real thing in tests/lab.
 *
 * A collector reads and never writes: no statement, command or request that changes anything. What it gets it writes into
 * job->out in the formats of docs/ledger.md; each request gets its line in job->journal, those that failed too. It goes on with
 * the rest after a failure of one thing and returns the first that keeps evidence from being complete; missing permissions for
 * side evidence are only journalled. Everything has the limits of `limits`. */
#pragma once
#include <signal.h>

#include "base/arena.h"
#include "base/doc.h"
#include "base/err.h"
#include "collect/dead_tally.h"
#include "collect/journal.h"
#include "collect/outdir.h"
#include "collect/retry.h"

enum collect_phase { PHASE_BASELINE, PHASE_LOAD, PHASE_DRAIN, PHASE_FINAL, _PHASE_MAX };

/* What the results directory says of the run; text lives as long as the job. */
struct run_facts {
	const char *run_id, *tenant;				 /* NULL: not known */
	const char *mid_prefix;					 /* client_mid_prefix; NULL: not known */
	int64_t baseline_start, load_start, load_end, drain_end; /* Unix ns; INT64_MIN: not known */
	const char *const *topics;				 /* of topics.jsonl, each once, in byte order */
	const char *const *kinds;				 /* of each topic: "p2p", "group" */
	size_t ntopics;
	size_t topics_damaged; /* lines of topics.jsonl that could not be read: the topics are not all of the run's */
};

/* When evidence of the run begins, `margin_ns` before its baseline or load; INT64_MIN: neither is known. */
static inline int64_t
run_since(const struct run_facts *run, int64_t margin_ns)
{
	bool base = run->baseline_start != INT64_MIN && (run->load_start == INT64_MIN || run->baseline_start < run->load_start);
	int64_t t = base ? run->baseline_start : run->load_start;

	return t != INT64_MIN ? t - margin_ns : INT64_MIN;
}

struct collect_job {
	struct outdir *out;
	struct journal *journal;
	const struct run_facts *run;
	enum collect_phase phase;
	const char *mark;		   /* that the names of a snapshot bear; NULL: they bear the time */
	const volatile sig_atomic_t *stop; /* set: end soon, and well */
	int64_t check;		       /* number of this look-up of rows and dead letters; its files go into db/check-N/; 0: none */
	struct dead_tally *deads;      /* of this look-up; NULL: none */
	bool allow_scan;	       /* statements without an index may run */
	const char *const *mids;       /* of a recheck: nothing but these; NULL: all of the run */
	const char *const *mid_topics; /* their topics, same order */
	size_t nmids;
};

/* Stem of a file's name for a snapshot taken now: "metrics/SOURCE@load_start" with a mark, else, and of samples of an interval always,
 * "metrics/SOURCE@1790000000". `folder` without slash; `source` is made safe for a name. */
void job_stem(const struct collect_job *job, const char *folder, const char *source, bool sample, struct buf *out);

/* Keys that every map of a section may have. They are read before configure() is called, and are to stand in its list of keys. */
#define COLLECTOR_KEYS "name", "timeout", "tries", "pause", "answer_max"

struct collector {
	const char *name; /* key of its section, word of --only and --skip */

	/* Read one map of the section (a section may be a list of maps: one instance each). *ret_settings lives in `arena`; secrets
	 * in it are ended by `forget`. */
	enum imp_rc (*configure)(struct arena *arena, const struct doc_node *map, const char *source,
	    const struct ask_limits *limits, void **ret_settings, struct imp_err *err);
	void (*forget)(void *settings);
	/* Is this instance a source of dead letters? NULL: never one. */
	bool (*holds_dead_letters)(const void *settings);

	/* Connect and say who answers (journal_server). */
	enum imp_rc (*open)(const void *settings, const struct collect_job *job, void **ret_state, struct imp_err *err);
	/* What is taken at every phase, and again at every interval (`sample`): counters, lag, status. Cheap. */
	enum imp_rc (*snapshot)(void *state, const struct collect_job *job, bool sample, struct imp_err *err);
	/* What is taken once, in the final phase: rows, dead letters, schema, logs, objects, ranges. NULL: nothing. */
	enum imp_rc (*whole)(void *state, const struct collect_job *job, struct imp_err *err);
	/* The run's messages `job->mids` alone; NULL: nothing to look up again. */
	enum imp_rc (*again)(void *state, const struct collect_job *job, struct imp_err *err);
	/* Did the last sample show that nothing waits any more, on grounds it knows? For `--until drained`. NULL: not its to say. */
	bool (*drained)(const void *state);
	/* NULL state is fine. */
	void (*close)(void *state);
};

extern const struct collector collector_mysql, collector_kafka, collector_redis, collector_prometheus, collector_kubernetes;
