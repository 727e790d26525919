/* rules/value.h - what a condition measures: the `value:` of a rule, read from its file and worked out for one run.
 *
 * A value that is not known carries the reason. Counts are never negative, so a sum with an unknown part still has a lower bound.
 * Ownership: expressions live in the arena of their rule set, values in that of the evaluation. Threading: expressions are read
 * only after value_parse(). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/doc.h"
#include "rules/metric.h"
#include "rules/number.h"
#include "rules/rules.h"
#include "store/store.h"

/* SQL of a rule file. */
struct rule_sql {
	struct slice text;
	struct doc_place at;
	bool block; /* the text begins in the line after `at` */
};

enum value_kind {
	VALUE_NUMBER,
	VALUE_FIGURES, /* the sum of figures */
	VALUE_LATENCY,
	VALUE_SUM,
	VALUE_DIFFERENCE,
	VALUE_RATIO,
	VALUE_BETWEEN, /* from the lower bound of one to the upper bound of the other */
	VALUE_FIRST,   /* the first one of which anything is known */
	VALUE_STATUS,  /* the increase of counters of SHOW GLOBAL STATUS */
	VALUE_RULE,    /* 1 when a validity rule fired, 0 when not */
	VALUE_ROWS,    /* the number of rows of a query */
	VALUE_SQL,
	VALUE_COUNT,  /* what a signature, a metric or a query comes to */
	VALUE_METRIC, /* the same of a metric that stands here itself */
};

/* The names of a latency expression. */
enum { LATENCY_VALUE, LATENCY_VALID, LATENCY_WHY, LATENCY_NAMES };

struct value_list {
	struct value_expr **v;
	size_t n;
};

struct value_expr {
	enum value_kind kind;
	struct doc_place at;
	struct number number;
	struct slice *names; /* of figures, counters or the rule */
	size_t nnames;
	bool absent_is_zero; /* figures that stand for what was seen (codes, reasons) */
	struct value_list args;
	struct value_list lower_bound_when, upper_bound_when; /* anything but 0 in one of them makes the value such a bound */
	struct rule_sql sql;
	const char *counted; /* the kind of rule that a count is of */
	struct metric_expr *metric;
};

/* Which messages a figure is over. */
enum value_scope { SCOPE_TOTAL, SCOPE_P2P, SCOPE_GROUP, _SCOPE_MAX };
extern const char *const value_scope_names[]; /* "total", "p2p", "group", NULL */

struct value {
	struct interval i;
	bool is_ratio;
	struct number part, whole; /* of a ratio that is a point */
	struct slice examples;	   /* of rows the first column of the first few, of other SQL its `detail` */
	enum rule_reason reason;   /* why a bound is missing */
	struct slice why;
};

/* Where values come from. */
struct value_source {
	struct store *store;
	int64_t run_no;
	struct arena *arena;
	/* The result of a validity rule. */
	enum imp_rc (*rule)(void *payload, struct slice id, enum rule_result *ret, struct imp_err *err);
	/* What a signature, a metric or a query comes to. */
	enum imp_rc (*count)(void *payload, struct slice id, struct value *ret, struct imp_err *err);
	void *payload;
};

MUST_CHECK enum imp_rc value_parse(struct arena *arena, const struct doc_node *n, struct value_expr **ret, struct imp_err *err);
MUST_CHECK enum imp_rc value_parse_sql(const struct doc_node *n, struct rule_sql *ret, struct imp_err *err);
MUST_CHECK enum imp_rc value_eval(const struct value_expr *e, const struct value_source *from, enum value_scope scope,
    struct value *ret, struct imp_err *err);

/* Call `each` for the expression and all inside it, as long as it returns IMP_OK. */
MUST_CHECK enum imp_rc value_walk(const struct value_expr *e,
    enum imp_rc (*each)(void *payload, const struct value_expr *e, struct imp_err *err), void *payload, struct imp_err *err);

/* The value for people, and as a JSON number or null. */
void value_add_text(struct buf *out, const struct value *v, const struct threshold *t);
void value_add_json(struct buf *out, const struct value *v, enum unit unit);
