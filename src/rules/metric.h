/* rules/metric.h - what a metric rule measures: series chosen by a selector, a function over them, between two marks.
 *
 * Ownership: expressions live in the arena of their rule set and are read only after metric_parse(); values live in that of the
 * evaluation. Threading: pure but for the store. Errors: IMP_E_RULE with the place in the file; a failing store. */
#pragma once
#include "base/arena.h"
#include "base/doc.h"
#include "rules/number.h"
#include "store/store.h"

enum label_op { LABEL_EQ, LABEL_NE, LABEL_MATCH, LABEL_NO_MATCH };

struct label_test {
	struct slice label; /* __name__ is the name of the series */
	enum label_op op;
	struct slice value; /* a regular expression matches all of the label's value; an absent label is '' */
};

/* name{label="value", other!="value", third=~"a|b", fourth!~"c.*"} */
struct selector {
	struct slice text;
	struct label_test *tests; /* the name is the first of them */
	size_t ntests;
};

enum metric_fn {
	METRIC_DELTA,	 /* how much counters went up */
	METRIC_MAX,	 /* the largest sample */
	METRIC_MIN,	 /* the smallest */
	METRIC_FIRST,	 /* the sum of the first samples from the first mark on */
	METRIC_LAST,	 /* the sum of the last samples up to the second mark */
	METRIC_RATIO,	 /* one increase divided by another */
	METRIC_QUANTILE, /* of a histogram's increase: between the bounds of the bucket it falls into */
};
extern const char *const metric_fn_names[]; /* ended by NULL */

/* The first of these marks that a run has. */
struct mark_choice {
	struct slice *names;
	size_t n;
};

struct metric_expr {
	struct doc_place at;
	struct selector *series, *per; /* any of them; `per`: what a ratio divides by */
	size_t nseries, nper;
	enum metric_fn fn;
	struct number q; /* of a quantile: 0 < q < 1 */
	int64_t unit_ns; /* samples are times in this many ns; 0: they are no times */
	struct mark_choice from, to;
};

/* Read `series:` of `n` and, from `compute`, fn, over, by, per, q, unit. `compute` may be `n` itself. */
MUST_CHECK enum imp_rc metric_parse(struct arena *a, const struct doc_node *n, const struct doc_node *compute,
    struct metric_expr *ret, struct imp_err *err);

/* The value of a label, unescaped into `out` of at least labels.n bytes; '' when there is none. */
struct slice metric_label(struct slice labels, struct slice label, char *out);

/* Does a series of this name with these labels ({a="b",c="d"}, as the store has them) fit? `labels` NULL: does its name? */
MUST_CHECK enum imp_rc selector_fits(const struct selector *s, struct slice name, const struct slice *labels, bool *ret,
    struct imp_err *err);
