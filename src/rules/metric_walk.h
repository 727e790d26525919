/* rules/metric_walk.h - the samples of series one by one: internal to rules/metric_value.c and rules/metric_walk.c. */
#pragma once
#include "base/mem.h"
#include "rules/metric_value.h"

/* The increase of one bucket over all processes. */
struct bucket {
	double le, n;
};

/* A metric on its way to a value. */
struct calculation {
	const struct metric_expr *e;
	const struct value_source *from;
	struct metric_trace *trace;
	bool only_inside;
	int64_t start, end; /* of the marks, Unix ns */
	struct slice from_mark, to_mark;

	/* the series that is looked at, and its process */
	int64_t series_no, source_no, first_t, last_t;
	struct slice name, labels;

	VEC(struct slice) pods; /* processes that have such a metric */
	bool named, found;	/* a series has this name, and these labels */
	bool seen;		/* a sample counted */
	double sum;		/* of all series; or the extreme of their samples */
	double maybe;		/* what may or may not have been inside the seconds: part of the upper bound */
	bool open;		/* the upper bound is missing (of a minimum: the lower one) */
	VEC(struct bucket) buckets;
	const char *why; /* a bound is missing */
	struct slice missing_pod;
};

/* Do samples count as steps from one to the next? */
bool metric_is_increase(enum metric_fn fn);

/* A bound is missing; the first reason stays. */
void metric_open(struct calculation *c, const char *why);
extern const char metric_why_not_enclosed[];

/* Add the series that c->series_no ... c->labels describe. */
MUST_CHECK enum imp_rc metric_add_series(struct calculation *c, struct imp_err *err);
