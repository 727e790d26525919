/* ingest/loadgen.h - what a foreign load tool says: summaries and raw output of k6, and health samples of its machine.
 *
 * Needs no results directory: 1. snapshot_init() with any folder and name  2. loadgen_read() into a zeroed struct loadgen (its arena may
 * have a budget)  3. loadgen_done(). Names are those of k6 whatever the shape of the file was:
 *
 *	counter   count, rate (per second)
 *	gauge     value, min, max
 *	rate      value (the share), passes, fails
 *	trend     avg, min, med, max, p(90), ..., count and sum where they are known
 *	thresholds are `threshold:p(95)<500`, 1 when breached
 *	submetrics are http_req_waiting{phase:steady}
 *	how long the run took is test_run_duration_ms, `value`
 *
 * What a tool did not observe is not there: it is not 0. Threading: one thread. Errors: IMP_E_NOMEM and those of reading; whatever is
 * wrong with a file is in its struct snapshot. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ingest/snapshot.h"

enum loadgen_format {
	LOADGEN_UNKNOWN, /* nothing that is read here */
	LOADGEN_HEALTH,	 /* [{"ts": ..., "cpu_pct": ...}] */
	LOADGEN_EXPORT,	 /* k6 run --summary-export */
	LOADGEN_SUMMARY, /* data of k6's handleSummary() */
	LOADGEN_MACHINE, /* k6's machine-readable summary */
	LOADGEN_RAW,	 /* k6 run --out json */
};
const char *loadgen_format_name(enum loadgen_format f); /* health, k6-export, ...; NULL */

struct loadgen_metric {
	struct slice name, stat;
	double value; /* NAN: not measured */
	uint64_t line;
};

/* One figure of a moment: of a sample of the machine's health; of raw output iterations, dropped_iterations and the largest
 * client_queue_ms of each second. */
struct loadgen_moment {
	struct slice name;
	double value;
	int64_t t;	/* NO_TIME: the time carries no zone; the figure `ts` then has it, as seconds of its own clock */
	uint32_t point; /* place of the sample, from 0; second of the run */
	uint64_t line;
};

struct loadgen {
	struct arena arena;
	enum loadgen_format format;
	VEC(struct loadgen_metric) metrics;
	VEC(struct loadgen_moment) moments; /* by point */
	int64_t first_t, last_t;	    /* NO_TIME */
	int64_t longest_gap_ns;		    /* between two health samples, by whatever clock they have; NO_TIME */
	uint64_t samples;		    /* health samples, points of raw output, metrics of a summary */
};

MUST_CHECK enum imp_rc loadgen_read(struct loadgen *g, struct snapshot *s, struct imp_err *err);
void loadgen_done(struct loadgen *g); /* takes a zeroed one */

/* Internal to ingest/loadgen*.c. Names and stats are copied. */
MUST_CHECK enum imp_rc loadgen_add(struct loadgen *g, struct slice name, struct slice stat, double value, uint64_t line,
    struct imp_err *err);
struct json_pull;
MUST_CHECK enum imp_rc loadgen_read_summary(struct loadgen *g, struct snapshot *s, struct json_pull *j, struct imp_err *err);
MUST_CHECK enum imp_rc loadgen_read_raw(struct loadgen *g, struct snapshot *s, struct imp_err *err);
/* Is this the first line of raw output? */
bool loadgen_is_raw(struct slice line);
