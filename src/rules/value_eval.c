#include "config.h"

#include <string.h>

#include "base/text.h"
#include "rules/metric_value.h"
#include "rules/rule_sql.h"
#include "rules/value.h"
#include "sql_gen.h"

static struct value
unknown(enum rule_reason reason, struct slice why)
{
	return (struct value){ .reason = reason, .why = why };
}

static struct value
point(struct number x)
{
	return (struct value){ .i = { true, true, x, x } };
}

/* The same with a reason of several parts: `before`, the name, `after`. */
static enum imp_rc
unknown_name(const struct value_source *from, enum rule_reason reason, const char *before, struct slice name, const char *after,
    struct value *ret, struct imp_err *err)
{
	struct buf why = BUF_INIT(4096);
	enum imp_rc rc;

	buf_addf(&why, "%s%.*s%s", before, SLICE_ARG(name), after);
	rc = buf_status(&why, err);
	if (rc == IMP_OK) {
		*ret = unknown(reason, arena_slice(from->arena, buf_slice(&why), err));
		rc = ret->why.p != NULL ? IMP_OK : IMP_E_NOMEM;
	}
	buf_done(&why);
	return rc;
}

/* What is known of a result depends on its parts: the first reason among them stays. */
static void
inherit_reason(struct value *v, const struct value *part)
{
	if (v->reason == RULE_REASON_NONE) {
		v->reason = part->reason;
		v->why = part->why;
	}
}

/* A bound is missing. */
static void
note_open_bound(struct value *v)
{
	if (v->reason == RULE_REASON_NONE)
		v->reason = RULE_REASON_PARTIAL_COVERAGE;
}

/* a + b; `plus` false: a - b. A bound that does not fit is no bound. */
static bool
combine(bool has_a, struct number a, bool has_b, struct number b, bool plus, struct number *ret)
{
	if (!plus)
		b.num = -b.num;
	return has_a && has_b && number_add(a, b, ret);
}

/* A count is never negative: an unknown one is at least 0. */
static void
add_count(struct value *sum, const struct value *v)
{
	struct number lo = v->i.has_lo ? v->i.lo : number_int(0);

	sum->i.has_lo = combine(sum->i.has_lo, sum->i.lo, true, lo, true, &sum->i.lo);
	sum->i.has_hi = combine(sum->i.has_hi, sum->i.hi, v->i.has_hi, v->i.hi, true, &sum->i.hi);
	inherit_reason(sum, v);
}

/* Bind what the two figure statements share and read the one row. */
static enum imp_rc
query_figure(const struct value_source *from, enum value_scope scope, struct slice name, bool absent_is_zero, sqlite3_stmt **ret,
    struct imp_err *err)
{
	const char *sql = scope == SCOPE_TOTAL ? sql_rules_figure : sql_rules_figure_of_kind;
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(from->store, sql, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), from->run_no);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":name"), name);
	if (absent_is_zero)
		sqlite3_bind_int(st, sqlite3_bind_parameter_index(st, ":absent"), 0);
	if (scope != SCOPE_TOTAL)
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":kind"), slice_of(value_scope_names[scope]));
	rc = store_step_row(from->store, st, &row, err);
	if (rc == IMP_OK)
		*ret = st;
	return rc;
}

static enum imp_rc
eval_figure(const struct value_expr *e, struct slice name, const struct value_source *from, enum value_scope scope,
    struct value *ret, struct imp_err *err)
{
	struct number x;
	sqlite3_stmt *st;
	bool known;
	enum imp_rc rc = query_figure(from, scope, name, e->absent_is_zero, &st, err);

	if (rc != IMP_OK)
		return rc;
	known = sqlite3_column_type(st, 0) == SQLITE_INTEGER ? number_fraction(sqlite3_column_int64(st, 0), 1, &x) :
	    sqlite3_column_type(st, 0) == SQLITE_FLOAT	     ? number_of_double(sqlite3_column_double(st, 0), &x) :
							       false;
	sqlite3_reset(st);
	if (known) {
		*ret = point(x);
		return IMP_OK;
	}
	return unknown_name(from, RULE_REASON_MISSING_SOURCE, "", name, " is not known", ret, err);
}

static enum imp_rc
eval_figures(const struct value_expr *e, const struct value_source *from, enum value_scope scope, struct value *ret,
    struct imp_err *err)
{
	struct value sum = point(number_int(0)), v;
	bool known = false;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < e->nnames && rc == IMP_OK; i++) {
		rc = eval_figure(e, e->names[i], from, scope, &v, err);
		if (rc == IMP_OK) {
			add_count(&sum, &v);
			known |= v.i.has_lo;
		}
	}
	if (rc == IMP_OK)
		*ret = known ? sum : v;
	return rc;
}

static enum imp_rc
eval_latency(const struct value_expr *e, const struct value_source *from, struct value *ret, struct imp_err *err)
{
	struct value valid, v;
	sqlite3_stmt *st;
	struct slice why;
	enum imp_rc rc = eval_figure(e, e->names[LATENCY_VALID], from, SCOPE_TOTAL, &valid, err);

	if (rc == IMP_OK)
		rc = eval_figure(e, e->names[LATENCY_VALUE], from, SCOPE_TOTAL, &v, err);
	if (rc != IMP_OK)
		return rc;
	if (!v.i.has_lo || !valid.i.has_lo || valid.i.lo.num != 0) {
		*ret = v.i.has_lo ? v : unknown(RULE_REASON_MISSING_SOURCE, SLICE("no such time was measured"));
		return IMP_OK;
	}
	rc = query_figure(from, SCOPE_TOTAL, e->names[LATENCY_WHY], false, &st, err);
	if (rc != IMP_OK)
		return rc;
	why = arena_slice(from->arena, store_column_slice(st, 0), err);
	sqlite3_reset(st);
	if (why.p == NULL)
		return IMP_E_NOMEM;
	*ret = unknown(RULE_REASON_CLOCK, why);
	return IMP_OK;
}

static enum imp_rc
eval_sum(const struct value_expr *e, const struct value_source *from, enum value_scope scope, struct value *ret,
    struct imp_err *err)
{
	struct value sum = point(number_int(0)), v;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < e->args.n && rc == IMP_OK; i++) {
		rc = value_eval(e->args.v[i], from, scope, &v, err);
		if (rc == IMP_OK)
			add_count(&sum, &v);
	}
	if (rc == IMP_OK)
		*ret = sum;
	return rc;
}

static enum imp_rc
eval_first(const struct value_expr *e, const struct value_source *from, enum value_scope scope, struct value *ret,
    struct imp_err *err)
{
	struct value v = { 0 };
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < e->args.n && rc == IMP_OK && !v.i.has_lo && !v.i.has_hi; i++)
		rc = value_eval(e->args.v[i], from, scope, &v, err);
	if (rc == IMP_OK)
		*ret = v;
	return rc;
}

static struct value
difference(const struct value *a, const struct value *b)
{
	struct value v = { 0 };

	v.i.has_lo = combine(a->i.has_lo, a->i.lo, b->i.has_hi, b->i.hi, false, &v.i.lo);
	v.i.has_hi = combine(a->i.has_hi, a->i.hi, b->i.has_lo, b->i.lo, false, &v.i.hi);
	return v;
}

static struct value
ratio(const struct value *a, const struct value *b)
{
	struct value v = { 0 };

	if (!b->i.has_lo || !b->i.has_hi || !interval_is_point(&b->i))
		return v;
	if (b->i.lo.num == 0)
		return unknown(RULE_REASON_MISSING_SOURCE, SLICE("there is nothing to take a share of"));
	v.i.has_lo = a->i.has_lo && number_divide(a->i.lo, b->i.lo, &v.i.lo);
	v.i.has_hi = a->i.has_hi && number_divide(a->i.hi, b->i.lo, &v.i.hi);
	v.is_ratio = interval_is_point(&v.i);
	v.part = a->i.lo;
	v.whole = b->i.lo;
	return v;
}

static struct value
between(const struct value *a, const struct value *b)
{
	return (struct value){ .i = { a->i.has_lo, b->i.has_hi, a->i.lo, b->i.hi } };
}

static enum imp_rc
eval_pair(const struct value_expr *e, const struct value_source *from, enum value_scope scope, struct value *ret,
    struct imp_err *err)
{
	struct value a, b, v;
	enum imp_rc rc = value_eval(e->args.v[0], from, scope, &a, err);

	if (rc == IMP_OK)
		rc = value_eval(e->args.v[1], from, scope, &b, err);
	if (rc != IMP_OK)
		return rc;
	v = e->kind == VALUE_DIFFERENCE ? difference(&a, &b) : e->kind == VALUE_RATIO ? ratio(&a, &b) : between(&a, &b);
	inherit_reason(&v, &a);
	inherit_reason(&v, &b);
	if (!interval_is_point(&v.i))
		note_open_bound(&v);
	*ret = v;
	return IMP_OK;
}

/* The names in small letters with spaces around them, as sql/rules/status-increase.sql looks for them. */
static enum imp_rc
counter_names(const struct value_expr *e, struct buf *out, struct imp_err *err)
{
	buf_add_char(out, ' ');
	for (size_t i = 0; i < e->nnames; i++) {
		for (size_t k = 0; k < e->names[i].n; k++) {
			char c = e->names[i].p[k];

			buf_add_char(out, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
		}
		buf_add_char(out, ' ');
	}
	return buf_status(out, err);
}

/* A row of sql/rules/status-increase.sql. */
static struct value
status_value(sqlite3_stmt *st)
{
	struct value v = point(number_int(sqlite3_column_int64(st, 0)));
	bool restarted = sqlite3_column_int(st, 2) != 0, encloses = sqlite3_column_int(st, 3) != 0;

	v.i.has_hi = sqlite3_column_int64(st, 1) > 1 && !restarted && encloses;
	if (v.i.has_hi)
		return v;
	v.reason = RULE_REASON_PARTIAL_COVERAGE;
	if (sqlite3_column_int64(st, 1) < 2)
		v.why = SLICE("one status snapshot: no differences");
	else if (restarted)
		v.why = SLICE("the counter went back: the database was restarted");
	else
		v.why = SLICE("the status snapshots do not enclose the load");
	return v;
}

static enum imp_rc
eval_status(const struct value_expr *e, const struct value_source *from, struct value *ret, struct imp_err *err)
{
	struct buf names = BUF_INIT(4096);
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = counter_names(e, &names, err);

	if (rc == IMP_OK)
		rc = store_stmt(from->store, sql_rules_status_increase, &st, err);
	if (rc == IMP_OK) {
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), from->run_no);
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":names"), buf_slice(&names));
		rc = store_step_row(from->store, st, &row, err);
		if (rc == IMP_OK && sqlite3_column_type(st, 1) != SQLITE_NULL)
			*ret = status_value(st);
		else if (rc == IMP_OK)
			rc = unknown_name(from, RULE_REASON_MISSING_SOURCE, "no status row is named ", e->names[0], "", ret, err);
		sqlite3_reset(st);
	}
	buf_done(&names);
	return rc;
}

static enum imp_rc
eval_rule(const struct value_expr *e, const struct value_source *from, struct value *ret, struct imp_err *err)
{
	enum rule_result result;
	enum imp_rc rc = from->rule(from->payload, e->names[0], &result, err);

	if (rc != IMP_OK)
		return rc;
	if (result == RULE_PASS || result == RULE_FAIL)
		*ret = point(number_int(result == RULE_FAIL));
	else
		rc = unknown_name(from, RULE_REASON_PARTIAL_COVERAGE, "", e->names[0], " was not evaluated", ret, err);
	return rc;
}

static enum imp_rc
eval_plain(const struct value_expr *e, const struct value_source *from, enum value_scope scope, struct value *ret,
    struct imp_err *err)
{
	switch (e->kind) {
	case VALUE_NUMBER:
		*ret = point(e->number);
		return IMP_OK;
	case VALUE_FIGURES:
		return eval_figures(e, from, scope, ret, err);
	case VALUE_LATENCY:
		return eval_latency(e, from, ret, err);
	case VALUE_SUM:
		return eval_sum(e, from, scope, ret, err);
	case VALUE_DIFFERENCE:
	case VALUE_RATIO:
	case VALUE_BETWEEN:
		return eval_pair(e, from, scope, ret, err);
	case VALUE_FIRST:
		return eval_first(e, from, scope, ret, err);
	case VALUE_STATUS:
		return eval_status(e, from, ret, err);
	case VALUE_RULE:
		return eval_rule(e, from, ret, err);
	case VALUE_ROWS:
		return rule_sql_rows(&e->sql, from, ret, err);
	case VALUE_SQL:
		return rule_sql_value(&e->sql, from, ret, err);
	case VALUE_COUNT:
		return from->count(from->payload, e->names[0], ret, err);
	case VALUE_METRIC:
		return metric_value(e->metric, from, false, ret, NULL, err);
	}
	return imp_err_set(err, IMP_E_INTERNAL, "a value of no kind");
}

/* Is one of them anything but 0, or not known? */
static enum imp_rc
any_nonzero(const struct value_list *l, const struct value_source *from, enum value_scope scope, bool *ret, struct imp_err *err)
{
	bool any = false;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < l->n && rc == IMP_OK && !any; i++) {
		struct value v;

		rc = value_eval(l->v[i], from, scope, &v, err);
		if (rc == IMP_OK)
			any = !interval_is_point(&v.i) || v.i.lo.num != 0;
	}
	if (rc == IMP_OK)
		*ret = any;
	return rc;
}

enum imp_rc
value_eval(const struct value_expr *e, const struct value_source *from, enum value_scope scope, struct value *ret,
    struct imp_err *err)
{
	bool lower = false, upper = false;
	struct value v;
	enum imp_rc rc = eval_plain(e, from, scope, &v, err);

	if (rc == IMP_OK)
		rc = any_nonzero(&e->lower_bound_when, from, scope, &lower, err);
	if (rc == IMP_OK)
		rc = any_nonzero(&e->upper_bound_when, from, scope, &upper, err);
	if (rc != IMP_OK)
		return rc;
	if (lower && v.i.has_hi) {
		v.i.has_hi = v.is_ratio = false;
		note_open_bound(&v);
	}
	if (upper && v.i.has_lo && v.i.lo.num > 0) {
		v.i.lo = number_int(0);
		v.is_ratio = false;
		note_open_bound(&v);
	}
	*ret = v;
	return IMP_OK;
}

void
value_add_text(struct buf *out, const struct value *v, const struct threshold *t)
{
	if (v->is_ratio && t->unit == UNIT_SHARE && v->part.den == 1 && v->whole.den == 1 && v->part.num >= 0 && v->whole.num > 0) {
		text_add_count(out, v->part.num);
		buf_add_str(out, " / ");
		text_add_count(out, v->whole.num);
		buf_add_str(out, " = ");
		text_add_percent(out, v->part.num, v->whole.num);
	} else if (interval_is_point(&v->i)) {
		number_add_text(out, v->i.lo, t);
	} else if (v->i.has_lo && v->i.has_hi) {
		number_add_text(out, v->i.lo, t);
		buf_add_str(out, " to ");
		number_add_text(out, v->i.hi, t);
	} else if (v->i.has_lo) {
		buf_add_str(out, ">= ");
		number_add_text(out, v->i.lo, t);
	} else if (v->i.has_hi) {
		buf_add_str(out, "<= ");
		number_add_text(out, v->i.hi, t);
	}
}

void
value_add_json(struct buf *out, const struct value *v, enum unit unit)
{
	if (interval_is_point(&v->i))
		number_add_json(out, v->i.lo, unit);
	else
		buf_add_str(out, "null");
}
