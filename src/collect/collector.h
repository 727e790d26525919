/* collect/collector.h - what a kind of system has to bring: one const struct each, listed in collect.c.
 *
 * To add one: src/collect/NAME.c (several files where it is large) with its `const struct collector`, its line in collect.c, its
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
	const char *run_id, *tenant; /* NULL: not known */
	const char *mid_prefix;	     /* client_mid_prefix; NULL: not known */
	int64_t load_start, load_end, drain_end; /* Unix ns; INT64_MIN: not known */
	const char *const *topics; /* of topics.jsonl, each once, in byte order */
	const char *const *kinds;  /* of each topic: "p2p", "group" */
	size_t ntopics;
};

struct collect_job {
	struct outdir *out;
	struct journal *journal;
	const struct run_facts *run;
	enum collect_phase phase;
	const volatile sig_atomic_t *stop; /* set: end soon, and well */
	int64_t check;		  /* number of this look-up of rows and dead letters; its files go into db/check-N/ */
	struct dead_tally *deads; /* of this look-up */
	bool allow_scan;	  /* statements without an index may run */
	const char *const *mids;  /* of a recheck: nothing but these; NULL: all of the run */
	const char *const *mid_topics; /* their topics, same order */
	size_t nmids;
};

/* Stem of a file's name for a snapshot taken now: "metrics/SOURCE@load_start" when the phase was just asked for by name and the
 * mark is not known to lie elsewhere, else "metrics/SOURCE@1790000000". `folder` without slash; `source` is made safe for a name. */
void job_stem(const struct collect_job *job, const char *folder, const char *source, bool sample, struct buf *out);

struct collector {
	const char *name; /* key of its section, word of --only and --skip */

	/* Read one map of the section (a section may be a list of maps: one instance each). *ret_settings lives in `arena`; secrets
	 * in it are ended by `forget`. */
	enum imp_rc (*configure)(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
	    void **ret_settings, struct imp_err *err);
	void (*forget)(void *settings);

	/* Connect and say who answers (journal_server). */
	enum imp_rc (*open)(const void *settings, const struct collect_job *job, void **ret_state, struct imp_err *err);
	/* What is taken at every phase, and again at every interval (`sample`): counters, lag, status. Cheap. */
	enum imp_rc (*snapshot)(void *state, const struct collect_job *job, bool sample, struct imp_err *err);
	/* What is taken once, in the final phase: rows, dead letters, schema, logs, objects, ranges. NULL: nothing. */
	enum imp_rc (*whole)(void *state, const struct collect_job *job, struct imp_err *err);
	/* The run's messages `job->mids` alone; NULL: nothing to look up again. */
	enum imp_rc (*again)(void *state, const struct collect_job *job, struct imp_err *err);
	/* NULL state is fine. */
	void (*close)(void *state);
};

extern const struct collector collector_mysql, collector_kafka, collector_redis, collector_prometheus, collector_kubernetes;
