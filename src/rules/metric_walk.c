#include "config.h"

#include "rules/metric_walk.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/time.h"
#include "rules/count.h"
#include "sql_gen.h"

#define STEP_NS_MAX (60 * NS_PER_S) /* samples farther apart say nothing of what was between them */
#define BUCKETS_MAX 1000
#define STEP_COUNT_MAX UINT32_MAX /* of one step: a sample may be any number */

const char metric_why_not_enclosed[] = "the samples do not enclose the marks";

bool
metric_is_increase(enum metric_fn fn)
{
	return fn == METRIC_DELTA || fn == METRIC_RATIO || fn == METRIC_QUANTILE;
}

void
metric_open(struct calculation *c, const char *why)
{
	c->open = true;
	if (c->why == NULL)
		c->why = why;
}

/* One sample as the statement gives it. */
struct sample {
	bool dated;
	int64_t t;
	double value;
};

static struct sample
sample_of(sqlite3_stmt *st)
{
	return (
	    struct sample){ sqlite3_column_type(st, 0) != SQLITE_NULL, sqlite3_column_int64(st, 0), sqlite3_column_double(st, 1) };
}

/* Where the current row stands, with what it shows. */
static enum imp_rc
trace_place(struct calculation *c, sqlite3_stmt *st, const double *before, struct imp_err *err)
{
	struct metric_trace *t = c->trace;
	struct arena *a = c->from->arena;
	struct buf text = BUF_INIT(8192);
	struct cause_place *p;
	struct sample s = sample_of(st);
	enum imp_rc rc = IMP_OK;

	if (t == NULL || t->places_total++ >= CAUSE_PLACES_MAX)
		return IMP_OK;
	p = &t->places[t->nplaces];
	*p = (struct cause_place){ .line = sqlite3_column_int64(st, 4), .t = s.dated ? s.t : CAUSE_NO_T };
	buf_addf(&text, "%.*s%.*s ", SLICE_ARG(c->name), SLICE_ARG(c->labels));
	if (before != NULL) {
		text_add_double(&text, *before);
		buf_add_str(&text, " -> ");
	}
	text_add_double(&text, s.value);
	p->file = arena_slice(a, store_column_slice(st, 2), err);
	p->sha256 = arena_slice(a, store_column_slice(st, 3), err);
	evaluation_settle(a, &text, &p->text, &rc, err);
	if (rc == IMP_OK && (p->file.p == NULL || p->sha256.p == NULL))
		rc = IMP_E_NOMEM;
	t->nplaces += rc == IMP_OK;
	return rc;
}

/* A counter went up by `step` between two moments. */
static enum imp_rc
add_step(struct calculation *c, sqlite3_stmt *st, double before, double step, int64_t since, double *sum, struct imp_err *err)
{
	const struct seconds *seconds = c->trace != NULL ? c->trace->seconds : NULL;
	int64_t t = sqlite3_column_int64(st, 0);
	bool near = seconds != NULL && seconds_between(seconds, since, t), sharp = t - since <= STEP_NS_MAX;

	if (c->only_inside && !near)
		return IMP_OK;
	if (near && sharp)
		c->trace->inside += step < 1 ? 1 : step < STEP_COUNT_MAX ? (uint64_t)step : STEP_COUNT_MAX;
	if (c->only_inside && !sharp) {
		c->maybe += step;
		return IMP_OK;
	}
	*sum += step;
	return trace_place(c, st, &before, err);
}

static enum imp_rc
query_restarts(struct calculation *c, bool *ret, struct imp_err *err)
{
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(c->from->store, sql_rules_metric_restarts, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), c->from->run_no);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":source"), c->source_no);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":from"), c->start);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":to"), c->end);
	rc = store_step_row(c->from->store, st, &row, err);
	if (rc == IMP_OK)
		*ret = sqlite3_column_int(st, 0) != 0;
	sqlite3_reset(st);
	return rc;
}

static enum imp_rc
query_samples(struct calculation *c, sqlite3_stmt **ret, struct imp_err *err)
{
	enum imp_rc rc = store_stmt(c->from->store, sql_rules_metric_samples, ret, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(*ret, sqlite3_bind_parameter_index(*ret, ":run"), c->from->run_no);
	sqlite3_bind_int64(*ret, sqlite3_bind_parameter_index(*ret, ":series"), c->series_no);
	return IMP_OK;
}

/* A counter between the samples that enclose the marks. */
struct walk {
	bool has_base, enclosed_before, enclosed_after, went_back;
	double base, sum;
	int64_t base_t;
};

static enum imp_rc
walk_sample(struct calculation *c, struct walk *w, sqlite3_stmt *st, struct imp_err *err)
{
	struct sample s = sample_of(st);
	double step;
	enum imp_rc rc = IMP_OK;

	if (s.t <= c->start) {
		w->enclosed_before = w->has_base = true;
	} else if (!w->has_base && c->first_t < s.t) {
		/* an earlier snapshot of the process did not have it: it began at 0 */
		w->enclosed_before = c->first_t <= c->start;
		w->has_base = true;
		w->base_t = c->first_t > c->start ? c->first_t : c->start;
	}
	if (s.t > c->start && w->has_base) {
		step = s.value - w->base;
		w->went_back |= step < 0;
		if (step > 0 && s.t > c->end + NS_PER_S)
			c->maybe += step; /* part of it may lie behind the mark; names of snapshots have whole seconds */
		else if (step > 0)
			rc = add_step(c, st, w->base, step, w->base_t, &w->sum, err);
	}
	w->enclosed_after = s.t > c->start && s.t >= c->end; /* what comes behind it lies outside */
	w->has_base = true;
	w->base = s.value;
	w->base_t = s.t;
	return rc;
}

/* Why the increase of this series may have been more. */
static enum imp_rc
note_gaps(struct calculation *c, const struct walk *w, struct imp_err *err)
{
	bool restarted = w->went_back;
	enum imp_rc rc = restarted ? IMP_OK : query_restarts(c, &restarted, err);

	if (rc == IMP_OK && restarted)
		metric_open(c, "a counter went back: its process started anew");
	if (rc == IMP_OK && (!w->enclosed_before || !w->enclosed_after))
		metric_open(c, metric_why_not_enclosed);
	return rc;
}

/* `*ret`: by how much the series went up. */
static enum imp_rc
increase(struct calculation *c, double *ret, struct imp_err *err)
{
	struct walk w = { 0 };
	sqlite3_stmt *st;
	bool row = true;
	enum imp_rc rc = query_samples(c, &st, err);

	while (rc == IMP_OK && row && !w.enclosed_after) {
		rc = store_step_row(c->from->store, st, &row, err);
		if (rc == IMP_OK && row && sqlite3_column_type(st, 0) != SQLITE_NULL)
			rc = walk_sample(c, &w, st, err);
	}
	if (rc != IMP_OK)
		return rc;
	sqlite3_reset(st);
	c->seen |= w.has_base;
	*ret = w.sum;
	return note_gaps(c, &w, err);
}

/* The largest or smallest sample between the marks, which is a bound from one side unless samples follow each other closely. */
static enum imp_rc
extreme(struct calculation *c, struct imp_err *err)
{
	bool max = c->e->fn == METRIC_MAX, row = true, close_by = true, before = false, after = false;
	int64_t last = INT64_MIN;
	sqlite3_stmt *st;
	enum imp_rc rc = query_samples(c, &st, err);

	while (rc == IMP_OK && row && !after) {
		struct sample s;

		rc = store_step_row(c->from->store, st, &row, err);
		if (rc != IMP_OK || !row || sqlite3_column_type(st, 0) == SQLITE_NULL)
			continue;
		s = sample_of(st);
		before |= s.t <= c->start;
		after = s.t >= c->end;
		close_by &= s.t <= c->start || last == INT64_MIN || s.t - last <= STEP_NS_MAX;
		last = s.t;
		if (s.t < c->start || s.t > c->end || (c->seen && (max ? s.value <= c->sum : s.value >= c->sum)))
			continue;
		c->sum = s.value;
		c->seen = true;
		if (c->trace != NULL)
			c->trace->nplaces = c->trace->places_total = 0;
		rc = trace_place(c, st, NULL, err);
	}
	if (rc != IMP_OK)
		return rc;
	sqlite3_reset(st);
	if (!before || !after || !close_by)
		metric_open(c, before && after ? "samples are too far apart to show every peak" : metric_why_not_enclosed);
	return IMP_OK;
}

/* The first sample from the first mark on, or the last one up to the second; one without a time serves as the last one. */
static enum imp_rc
edge(struct calculation *c, struct imp_err *err)
{
	bool row = true, has = false, first = c->e->fn == METRIC_FIRST;
	double value = 0;
	sqlite3_stmt *st;
	enum imp_rc rc = query_samples(c, &st, err);

	while (rc == IMP_OK && row) {
		struct sample s;

		rc = store_step_row(c->from->store, st, &row, err);
		if (rc != IMP_OK || !row)
			continue;
		s = sample_of(st);
		if (first ? has || !s.dated || s.t < c->start : s.dated && s.t > c->end)
			continue;
		value = s.value;
		has = true;
		if (first)
			rc = trace_place(c, st, NULL, err);
	}
	if (rc != IMP_OK)
		return rc;
	c->sum += value;
	c->seen |= has;
	return IMP_OK;
}

static enum imp_rc
add_to_bucket(struct calculation *c, double n, struct imp_err *err)
{
	CLEANUP(freep) char *text = malloc(c->labels.n + 1);
	struct slice le;
	double bound;
	size_t i = 0;

	if (text == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: the labels of a series");
	le = metric_label(c->labels, SLICE("le"), text);
	if (le.n == 0)
		return IMP_OK;
	text[le.n] = '\0'; /* `le` is in it, and shorter than the labels */
	bound = strtod(text, NULL);
	while (i < c->buckets.n && c->buckets.v[i].le != bound)
		i++;
	if (i < c->buckets.n) {
		c->buckets.v[i].n += n;
		return IMP_OK;
	}
	if (c->buckets.n == BUCKETS_MAX) {
		metric_open(c, "a histogram has more buckets than are looked at");
		return IMP_OK;
	}
	return VEC_PUSH(NULL, &c->buckets, ((struct bucket){ bound, n }), err);
}

enum imp_rc
metric_add_series(struct calculation *c, struct imp_err *err)
{
	double n = 0;
	enum imp_rc rc;

	switch (c->e->fn) {
	case METRIC_MAX:
	case METRIC_MIN:
		return extreme(c, err);
	case METRIC_FIRST:
	case METRIC_LAST:
		return edge(c, err);
	case METRIC_DELTA:
	case METRIC_RATIO:
	case METRIC_QUANTILE:
		break;
	}
	rc = increase(c, &n, err);
	c->sum += n;
	return rc == IMP_OK && c->e->fn == METRIC_QUANTILE ? add_to_bucket(c, n, err) : rc;
}
