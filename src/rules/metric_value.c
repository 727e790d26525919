#include "config.h"

#include "rules/metric_value.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "rules/metric_walk.h"
#include "rules/rule.h"
#include "sql_gen.h"

static enum imp_rc
find_mark(const struct value_source *from, const struct mark_choice *m, int64_t *ret_t, struct slice *ret_name, struct imp_err *err)
{
	bool row = false;
	enum imp_rc rc = IMP_OK;

	*ret_name = (struct slice){ NULL, 0 };
	for (size_t i = 0; i < m->n && !row && rc == IMP_OK; i++) {
		sqlite3_stmt *st;

		rc = store_stmt(from->store, sql_rules_mark, &st, err);
		if (rc != IMP_OK)
			return rc;
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), from->run_no);
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":name"), m->names[i]);
		rc = store_step_row(from->store, st, &row, err);
		if (rc == IMP_OK && row) {
			*ret_t = sqlite3_column_int64(st, 0);
			*ret_name = m->names[i];
		}
		sqlite3_reset(st);
	}
	return rc;
}

/* A process that has this metric, whatever its labels: what it does not show it did not count. */
static enum imp_rc
note_process(struct calculation *c, struct slice pod, bool partial, struct imp_err *err)
{
	struct slice copy;

	c->named = true;
	if (metric_is_increase(c->e->fn) && (c->first_t > c->start || c->last_t < c->end))
		metric_open(c, metric_why_not_enclosed);
	if (partial)
		metric_open(c, "a source of these metrics was cut, limited or damaged");
	if (c->pods.n > 0 && slice_eq(c->pods.v[c->pods.n - 1], pod))
		return IMP_OK;
	copy = arena_slice(c->from->arena, pod, err);
	return copy.p != NULL ? VEC_PUSH(NULL, &c->pods, copy, err) : IMP_E_NOMEM;
}

/* Does one of the selectors fit? */
static enum imp_rc
any_fits(const struct selector *s, size_t n, struct slice name, const struct slice *labels, bool *ret, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	*ret = false;
	for (size_t i = 0; i < n && !*ret && rc == IMP_OK; i++)
		rc = selector_fits(&s[i], name, labels, ret, err);
	return rc;
}

static enum imp_rc
take_series(struct calculation *c, sqlite3_stmt *st, const struct selector *s, size_t n, struct imp_err *err)
{
	bool fits;
	enum imp_rc rc;

	c->series_no = sqlite3_column_int64(st, 0);
	c->name = store_column_slice(st, 1);
	c->labels = store_column_slice(st, 2);
	c->source_no = sqlite3_column_int64(st, 3);
	c->first_t = sqlite3_column_type(st, 5) != SQLITE_NULL ? sqlite3_column_int64(st, 5) : INT64_MAX;
	c->last_t = sqlite3_column_type(st, 6) != SQLITE_NULL ? sqlite3_column_int64(st, 6) : INT64_MIN;
	rc = any_fits(s, n, c->name, NULL, &fits, err);
	if (rc != IMP_OK || !fits)
		return rc;
	rc = note_process(c, store_column_slice(st, 4), sqlite3_column_int(st, 7) != 0, err);
	if (rc == IMP_OK)
		rc = any_fits(s, n, c->name, &c->labels, &fits, err);
	if (rc != IMP_OK || !fits)
		return rc;
	c->found = true;
	return metric_add_series(c, err);
}

static enum imp_rc
take_all_series(struct calculation *c, const struct selector *s, size_t n, struct imp_err *err)
{
	sqlite3_stmt *st;
	bool row = true;
	enum imp_rc rc = store_stmt(c->from->store, sql_rules_metric_series, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), c->from->run_no);
	while (rc == IMP_OK && row) {
		rc = store_step_row(c->from->store, st, &row, err);
		if (rc == IMP_OK && row)
			rc = take_series(c, st, s, n, err);
	}
	return rc;
}

static bool
has_pod(const struct calculation *c, struct slice pod)
{
	for (size_t i = 0; i < c->pods.n; i++)
		if (slice_eq(c->pods.v[i], pod))
			return true;
	return false;
}

/* Where a pod of the server shows the metric, all of them should. */
static enum imp_rc
look_for_pods(struct calculation *c, struct imp_err *err)
{
	struct slice missing = { NULL, 0 };
	sqlite3_stmt *st;
	bool row = true, any = false;
	enum imp_rc rc = store_stmt(c->from->store, sql_rules_expected_pods, &st, err);

	if (rc != IMP_OK)
		return rc;
	while (rc == IMP_OK && row) {
		rc = store_step_row(c->from->store, st, &row, err);
		if (rc != IMP_OK || !row)
			continue;
		if (has_pod(c, store_column_slice(st, 0))) {
			any = true;
		} else if (missing.p == NULL) {
			missing = arena_slice(c->from->arena, store_column_slice(st, 0), err);
			rc = missing.p != NULL ? IMP_OK : IMP_E_NOMEM;
		}
	}
	if (rc == IMP_OK && any && missing.p != NULL) {
		c->missing_pod = missing;
		c->open = true;
	}
	return rc;
}

static enum imp_rc
sum_up(struct calculation *c, const struct selector *s, size_t n, struct imp_err *err)
{
	enum imp_rc rc = take_all_series(c, s, n, err);

	if (rc == IMP_OK)
		rc = look_for_pods(c, err);
	if (rc == IMP_OK && c->trace != NULL)
		c->trace->covered = c->named && !c->open;
	return rc;
}

static enum imp_rc
set_why(struct calculation *c, struct value *v, const char *fmt, struct slice name, struct imp_err *err)
{
	struct buf why = BUF_INIT(4096);
	enum imp_rc rc = IMP_OK;

	buf_addf(&why, "%s%.*s", fmt, SLICE_ARG(name));
	evaluation_settle(c->from->arena, &why, &v->why, &rc, err);
	return rc;
}

/* A bound as a number, in ns where the samples are times. One that does not fit is none. */
static bool
bound(const struct calculation *c, double d, struct number *ret)
{
	return number_of_double(c->e->unit_ns > 0 ? d * (double)c->e->unit_ns : d, ret);
}

/* What is known of a plain sum or extreme. */
static void
set_bounds(const struct calculation *c, struct value *v)
{
	v->i.has_lo = bound(c, c->sum, &v->i.lo);
	v->i.has_hi = !c->open && bound(c, c->sum + c->maybe, &v->i.hi);
	if (c->e->fn == METRIC_MIN && c->open) { /* seen was this; between the samples it may have been less */
		v->i = (struct interval){ .has_hi = v->i.has_lo, .hi = v->i.lo };
	}
}

static int
compare_buckets(const void *a, const void *b)
{
	const struct bucket *x = a, *y = b;

	return (x->le > y->le) - (x->le < y->le);
}

/* The bucket that the wanted rank falls into. */
static void
set_quantile(struct calculation *c, struct value *v)
{
	double rank, below = 0, all;
	size_t i = 0;

	if (c->buckets.n == 0)
		return;
	qsort(c->buckets.v, c->buckets.n, sizeof(*c->buckets.v), compare_buckets);
	all = c->buckets.v[c->buckets.n - 1].n;
	rank = all * (double)c->e->q.num / (double)c->e->q.den;
	if (all <= 0 || c->open)
		return;
	while (i + 1 < c->buckets.n && c->buckets.v[i].n < rank)
		below = c->buckets.v[i++].le;
	v->i.has_lo = bound(c, below, &v->i.lo);
	v->i.has_hi = isfinite(c->buckets.v[i].le) && bound(c, c->buckets.v[i].le, &v->i.hi);
}

/* The reason for a bound that is not there. */
static enum imp_rc
explain_bounds(struct calculation *c, struct value *v, struct imp_err *err)
{
	if (interval_is_point(&v->i))
		return IMP_OK;
	v->reason = v->i.has_lo || v->i.has_hi || c->open ? RULE_REASON_PARTIAL_COVERAGE : RULE_REASON_MISSING_SOURCE;
	if (c->missing_pod.p != NULL)
		return set_why(c, v, "no such metrics of ", c->missing_pod, err);
	if (c->why != NULL)
		return set_why(c, v, c->why, (struct slice){ "", 0 }, err);
	if (v->i.has_lo && v->i.has_hi)
		return IMP_OK;
	return set_why(c, v, "no sample counts between ", c->from_mark, err);
}

static enum imp_rc
finish(struct calculation *c, struct value *ret, struct imp_err *err)
{
	struct value v = { 0 };
	bool counts = c->e->fn == METRIC_DELTA || c->e->fn == METRIC_RATIO;
	enum imp_rc rc;

	if (!c->named) {
		v.reason = RULE_REASON_MISSING_SOURCE;
		rc = set_why(c, &v, "no series was read that fits ", c->e->series[0].text, err);
	} else {
		if (c->e->fn == METRIC_QUANTILE)
			set_quantile(c, &v);
		else if (c->seen || (counts && !c->found))
			set_bounds(c, &v);
		rc = explain_bounds(c, &v, err);
	}
	if (rc == IMP_OK)
		*ret = v;
	return rc;
}

static void
calculation_done(struct calculation *c)
{
	VEC_FREE(NULL, &c->pods);
	VEC_FREE(NULL, &c->buckets);
}

/* lo is the least by the most, hi the most by the least. */
static struct value
quotient(const struct value *a, const struct value *b)
{
	struct value v = { .reason = a->reason != RULE_REASON_NONE ? a->reason : b->reason, .why = a->why.n > 0 ? a->why : b->why };

	v.i.has_lo = a->i.has_lo && b->i.has_hi && number_divide(a->i.lo, b->i.hi, &v.i.lo);
	v.i.has_hi = a->i.has_hi && b->i.has_lo && number_divide(a->i.hi, b->i.lo, &v.i.hi);
	if (!v.i.has_lo && !v.i.has_hi && v.reason == RULE_REASON_NONE) {
		v.reason = RULE_REASON_MISSING_SOURCE;
		v.why = SLICE("there is nothing to divide by");
	}
	return v;
}

/* Without a mark there is nothing to measure between. */
static enum imp_rc
unknown_mark(const struct value_source *from, const struct mark_choice *m, struct value *ret, struct imp_err *err)
{
	struct calculation c = { .from = from };
	struct value v = { .reason = RULE_REASON_MISSING_SOURCE };
	enum imp_rc rc = set_why(&c, &v, "the run has no mark ", m->names[0], err);

	if (rc == IMP_OK)
		*ret = v;
	return rc;
}

static enum imp_rc
divide(const struct calculation *whole, struct value *v, struct imp_err *err)
{
	CLEANUP(calculation_done)
	struct calculation c = { .e = whole->e,
		.from = whole->from,
		.start = whole->start,
		.end = whole->end,
		.from_mark = whole->from_mark,
		.to_mark = whole->to_mark };
	struct value per;
	enum imp_rc rc = sum_up(&c, c.e->per, c.e->nper, err);

	if (rc == IMP_OK)
		rc = finish(&c, &per, err);
	if (rc == IMP_OK)
		*v = quotient(v, &per);
	return rc;
}

enum imp_rc
metric_value(const struct metric_expr *e, const struct value_source *from, bool only_inside, struct value *ret,
    struct metric_trace *trace, struct imp_err *err)
{
	CLEANUP(calculation_done)
	struct calculation c = { .e = e, .from = from, .trace = trace, .only_inside = only_inside };
	struct value v;
	enum imp_rc rc = find_mark(from, &e->from, &c.start, &c.from_mark, err);

	if (rc == IMP_OK)
		rc = find_mark(from, &e->to, &c.end, &c.to_mark, err);
	if (rc != IMP_OK)
		return rc;
	if (c.from_mark.p == NULL || c.to_mark.p == NULL)
		return unknown_mark(from, c.from_mark.p == NULL ? &e->from : &e->to, ret, err);
	rc = sum_up(&c, e->series, e->nseries, err);
	if (rc == IMP_OK)
		rc = finish(&c, &v, err);
	if (rc == IMP_OK && e->fn == METRIC_RATIO)
		rc = divide(&c, &v, err);
	if (rc == IMP_OK)
		*ret = v;
	return rc;
}
