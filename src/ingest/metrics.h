/* ingest/metrics.h - samples of metrics from text snapshots and from answers of the Prometheus HTTP API, as series in their one form.
 *
 * Life cycle: 1. metrics_init()  2. metrics_read_text() or metrics_read_api() for each file, in the order of their times
 * 3. metrics_flush()  4. read `series` and `sources`  5. metrics_done(). All files of one scrape target go into one table: its series in
 * several files are one. Samples are handed on in batches, ordered by series and time within each, so that memory does not depend on
 * their number; series and what is known of them stay until the end.
 * Errors: IMP_E_LIMIT when the budget has no room for one more series; whatever is wrong with a file is in its struct snapshot.
 * Threading: one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "ingest/metrics_increase.h"
#include "ingest/snapshot.h"

struct metrics_sample {
	int64_t t;	 /* NO_TIME: undated */
	double value;	 /* may be NaN */
	uint32_t series; /* in `series` */
	uint32_t file, line;
};

struct metrics_series {
	struct slice name, labels; /* labels with braces, empty for none */
	const char *type;	   /* counter, gauge, ...; untyped when nobody says */
	uint32_t source;	   /* in `sources` */
	uint32_t samples;	   /* handed on so far */
	bool disordered;	   /* some sample came after a later one: renumber them by time */
	int64_t first_t, last_t;   /* NO_TIME: undated */
	double last;
	int64_t step, longest;	       /* the shortest and the longest time between two neighbours, NO_TIME */
	uint32_t gaps;		       /* holes of more than one and a half steps */
	uint32_t seen;		       /* file of its last sample, NONE */
	struct metrics_increase grown; /* of no use when it is disordered */
};

struct metrics_source {
	struct slice name;
	struct slice pod;	   /* p NULL: its samples do not say */
	const char *format;	   /* prometheus, openmetrics, api */
	uint32_t file;		   /* its first */
	uint64_t samples, damaged; /* samples: lines that could be used */
	uint64_t resent;	   /* equal to their neighbour in time as well */
	bool cut, limited;
	struct buf note;
};

struct metrics {
	struct mem_budget *budget;
	int64_t from, to; /* times of samples lie within, NO_TIME: not known; tells seconds from milliseconds */
	struct metrics_marks marks;
	struct intern raw, names;
	VEC(uint32_t) raw_series;	   /* by number of `raw` */
	VEC(struct metrics_series) series; /* by number of `names` */
	VEC(struct metrics_source) sources;
	struct intern families;
	VEC(const char *) types; /* by number of `families` */
	VEC(struct metrics_sample) samples;
	size_t batch;
	struct buf key, scratch;
	/* Samples of one batch, by series, then by time; the series' own `samples` is how many went before. */
	enum imp_rc (*take)(void *payload, struct metrics *m, const struct metrics_sample *v, size_t n, struct imp_err *err);
	void *payload;
};

void metrics_init(struct metrics *m, struct mem_budget *budget);
void metrics_done(struct metrics *m);

/* A snapshot of one target, at `t` (NO_TIME: undated) unless its lines have times of their own. */
MUST_CHECK enum imp_rc metrics_read_text(struct metrics *m, struct snapshot *s, uint32_t file, struct slice source, int64_t t,
    struct imp_err *err);
/* An answer of /api/v1/query or /api/v1/query_range. Series belong to the pod that their labels name, else to the instance, else to
 * `source`. */
MUST_CHECK enum imp_rc metrics_read_api(struct metrics *m, struct snapshot *s, uint32_t file, struct slice source,
    struct imp_err *err);
/* Hand on what is left. */
MUST_CHECK enum imp_rc metrics_flush(struct metrics *m, struct imp_err *err);

/* Internal to ingest/metrics*.c. */
MUST_CHECK enum imp_rc metrics_source(struct metrics *m, struct slice name, struct slice pod, const char *format, uint32_t file,
    uint32_t *ret, struct imp_err *err);
/* The series whose key (metrics_series_write()) is in m->key, made when it is new. */
MUST_CHECK enum imp_rc metrics_find(struct metrics *m, uint32_t source, uint32_t *ret, struct imp_err *err);
MUST_CHECK enum imp_rc metrics_add(struct metrics *m, struct metrics_sample sample, struct imp_err *err);
/* What a time on a line means: seconds or milliseconds, as *seconds says where neither lies within from ... to, else whichever does:
 * *seconds then tells. NO_TIME when it is none that one can reckon with. */
int64_t metrics_time(const struct metrics *m, struct slice s, bool *seconds);
/* Note in a source what came of a file of its. */
void metrics_settle(struct metrics *m, uint32_t source, struct snapshot *s);
