/* rules/metric_value.h - a metric rule worked out for one run.
 *
 * Every series is one process for itself: an increase is the sum of its own steps upward from the last sample at or before the first
 * mark to the first one at or after the second; a step that ends more than a second behind that mark is in the upper bound alone. It
 * is a lower bound where a process started anew, where the samples do not enclose
 * the marks, or where a pod that should be there was not asked. A series that a process did not have before began at 0.
 * Ownership: results live in from->arena. Threading: one thread. Errors: a failing store. */
#pragma once
#include "rules/causes.h"
#include "rules/value.h"

/* Where the value comes from, for those who want to show it. */
struct metric_trace {
	const struct seconds *seconds;		     /* in: which samples are inside; NULL: none */
	uint64_t inside;			     /* steps that end inside of them */
	bool covered;				     /* samples of all processes enclose the marks */
	struct cause_place places[CAUSE_PLACES_MAX]; /* steps upward, or the sample that decided */
	size_t nplaces;
	uint64_t places_total;
};

/* `only_inside`: steps outside of trace->seconds do not count. `trace` may be NULL without it. */
MUST_CHECK enum imp_rc metric_value(const struct metric_expr *e, const struct value_source *from, bool only_inside,
    struct value *ret, struct metric_trace *trace, struct imp_err *err);
