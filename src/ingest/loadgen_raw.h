/* ingest/loadgen_raw.h - internal to ingest/loadgen_*.c: raw output of k6 put together, metric by metric. */
#pragma once
#include "base/intern.h"
#include "ingest/loadgen.h"
#include "ingest/loadgen_trend.h"

enum raw_kind { RAW_COUNTER, RAW_GAUGE, RAW_RATE, RAW_TREND };

struct raw_metric {
	enum raw_kind kind;
	struct trend trend;
	uint64_t line; /* its first */
};

struct raw_threshold {
	struct slice metric, text;
};

/* What is followed second by second. */
struct second {
	double iterations, dropped, queue;
	bool any, queued;
};

struct raw_reading {
	struct loadgen *g;
	struct snapshot *s;
	struct imp_err *err;
	struct mem_budget *budget;
	uint64_t line;
	struct intern names;
	VEC(struct raw_metric) metrics; /* by number of `names` */
	VEC(struct raw_threshold) thresholds;
	VEC(struct second) seconds;
	int64_t second0; /* Unix s of the first */
	bool crowded, long_run;
};

/* Everything that follows from the lines, into rd->g. */
MUST_CHECK enum imp_rc raw_totals(struct raw_reading *rd);
