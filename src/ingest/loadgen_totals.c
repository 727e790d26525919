/* ingest/loadgen_totals.c - raw output of k6 as the summary that k6 would have made of it. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "ingest/loadgen_raw.h"

static enum imp_rc
put(struct raw_reading *rd, uint32_t metric, const char *stat, double value)
{
	return loadgen_add(rd->g, rd->names.names.v[metric], slice_of(stat), value, rd->metrics.v[metric].line, rd->err);
}

static enum imp_rc
put_trend(struct raw_reading *rd, uint32_t metric, const struct trend *t)
{
	static const struct {
		const char *stat;
		double pct;
	} percentiles[] = { { "med", 50 }, { "p(90)", 90 }, { "p(95)", 95 }, { "p(99)", 99 } };
	enum imp_rc rc = put(rd, metric, "count", (double)t->n);

	if (rc == IMP_OK)
		rc = put(rd, metric, "sum", t->sum);
	if (rc == IMP_OK)
		rc = put(rd, metric, "avg", t->sum / (double)t->n);
	if (rc == IMP_OK)
		rc = put(rd, metric, "min", t->min);
	if (rc == IMP_OK)
		rc = put(rd, metric, "max", t->max);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]) && rc == IMP_OK; i++)
		rc = put(rd, metric, percentiles[i].stat, trend_percentile(t, percentiles[i].pct));
	if (t->buckets != NULL)
		snapshot_note(rd->s, "percentiles to a thousandth");
	return rc;
}

static enum imp_rc
put_metric(struct raw_reading *rd, uint32_t metric, double length_s)
{
	const struct trend *t = &rd->metrics.v[metric].trend;
	enum imp_rc rc = IMP_OK;

	if (t->n == 0)
		return IMP_OK; /* declared, never measured */
	switch (rd->metrics.v[metric].kind) {
	case RAW_COUNTER:
		rc = put(rd, metric, "count", t->sum);
		return rc == IMP_OK && length_s > 0 ? put(rd, metric, "rate", t->sum / length_s) : rc;
	case RAW_GAUGE:
		rc = put(rd, metric, "value", t->last);
		if (rc == IMP_OK)
			rc = put(rd, metric, "min", t->min);
		return rc == IMP_OK ? put(rd, metric, "max", t->max) : rc;
	case RAW_RATE:
		rc = put(rd, metric, "value", (double)t->passes / (double)t->n);
		if (rc == IMP_OK)
			rc = put(rd, metric, "passes", (double)t->passes);
		return rc == IMP_OK ? put(rd, metric, "fails", (double)(t->n - t->passes)) : rc;
	default:
		return put_trend(rd, metric, t);
	}
}

/* What a threshold compares, NAN when it is nothing that is known. */
static double
aggregate(const struct raw_metric *m, struct slice name, double length_s)
{
	const struct trend *t = &m->trend;
	char number[16];

	if (slice_eq(name, SLICE("count")))
		return m->kind == RAW_COUNTER ? t->sum : (double)t->n;
	if (slice_eq(name, SLICE("rate")))
		return m->kind == RAW_RATE ? (double)t->passes / (double)t->n : length_s > 0 ? t->sum / length_s : (double)NAN;
	if (slice_eq(name, SLICE("value")))
		return t->last;
	if (slice_eq(name, SLICE("avg")))
		return t->sum / (double)t->n;
	if (slice_eq(name, SLICE("min")))
		return t->min;
	if (slice_eq(name, SLICE("max")))
		return t->max;
	if (slice_eq(name, SLICE("med")))
		return trend_percentile(t, 50);
	if (name.n < 4 || name.n > sizeof(number) || !slice_has_prefix(name, SLICE("p(")) || name.p[name.n - 1] != ')')
		return (double)NAN;
	snprintf(number, sizeof(number), "%.*s", (int)name.n - 3, name.p + 2);
	return strtod(number, NULL) >= 0 && strtod(number, NULL) <= 100 ? trend_percentile(t, strtod(number, NULL)) : (double)NAN;
}

static bool
holds(double value, struct slice op, double limit, bool *ret_known)
{
	*ret_known = true;
	if (slice_eq(op, SLICE("<")))
		return value < limit;
	if (slice_eq(op, SLICE("<=")))
		return value <= limit;
	if (slice_eq(op, SLICE(">")))
		return value > limit;
	if (slice_eq(op, SLICE(">=")))
		return value >= limit;
	if (slice_eq(op, SLICE("==")) || slice_eq(op, SLICE("===")))
		return value >= limit && value <= limit;
	*ret_known = slice_eq(op, SLICE("!="));
	return value < limit || value > limit;
}

/* `p(95) < 500` against what was measured; raw output does not say what k6 found. */
static enum imp_rc
put_threshold(struct raw_reading *rd, const struct raw_threshold *t, double length_s)
{
	CLEANUP(buf_done) struct buf stat = BUF_INIT(1024), tight = BUF_INIT(1024);
	uint32_t metric = intern_find(&rd->names, t->metric);
	struct slice text, name, op;
	double value, limit;
	char *end;
	bool known, held;

	for (size_t i = 0; i < t->text.n; i++) {
		if (t->text.p[i] != ' ')
			buf_add_char(&tight, t->text.p[i]);
	}
	buf_add_str(&stat, "threshold:");
	buf_add_slice(&stat, buf_slice(&tight));
	if (tight.failed == IMP_E_NOMEM || stat.failed == IMP_E_NOMEM)
		return imp_err_set(rd->err, IMP_E_NOMEM, "out of memory: '%s'", rd->s->path);
	if (tight.n == 0 || buf_status(&stat, NULL) != IMP_OK || metric == INTERN_NONE || rd->metrics.v[metric].trend.n == 0)
		return IMP_OK;
	text = buf_slice(&tight);
	name = (struct slice){ text.p, strcspn(text.p, "<>=!") };
	op = (struct slice){ text.p + name.n, strspn(text.p + name.n, "<>=!") };
	limit = strtod(op.p + op.n, &end);
	value = aggregate(&rd->metrics.v[metric], name, length_s);
	held = holds(value, op, limit, &known);
	if (*end != '\0' || end == op.p + op.n || isnan(value) || !known)
		return IMP_OK;
	return put(rd, metric, stat.p, !held);
}

static enum imp_rc
put_moment(struct raw_reading *rd, struct slice name, double value, size_t point)
{
	struct loadgen_moment m = {
		.name = name,
		.value = value,
		.t = (rd->second0 + (int64_t)point) * NS_PER_S,
		.point = (uint32_t)point,
		.line = 1,
	};

	return VEC_PUSH(rd->budget, &rd->g->moments, m, rd->err);
}

static enum imp_rc
put_seconds(struct raw_reading *rd)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < rd->seconds.n && rc == IMP_OK; i++) {
		const struct second *s = &rd->seconds.v[i];

		if (!s->any)
			continue;
		rc = put_moment(rd, SLICE("iterations"), s->iterations, i);
		if (rc == IMP_OK)
			rc = put_moment(rd, SLICE("dropped_iterations"), s->dropped, i);
		if (rc == IMP_OK && s->queued)
			rc = put_moment(rd, SLICE("client_queue_ms"), s->queue, i);
	}
	return rc;
}

enum imp_rc
raw_totals(struct raw_reading *rd)
{
	double length_s = rd->g->first_t != NO_TIME ? (double)(rd->g->last_t - rd->g->first_t) / 1e9 : 0;
	enum imp_rc rc = IMP_OK;

	if (length_s > 0)
		rc = loadgen_add(rd->g, SLICE("test_run_duration_ms"), SLICE("value"), length_s * 1e3, 1, rd->err);
	for (uint32_t i = 0; i < rd->metrics.n && rc == IMP_OK; i++) {
		trend_settle(&rd->metrics.v[i].trend);
		rc = put_metric(rd, i, length_s);
	}
	for (size_t i = 0; i < rd->thresholds.n && rc == IMP_OK; i++)
		rc = put_threshold(rd, &rd->thresholds.v[i], length_s);
	if (rc == IMP_OK)
		rc = put_seconds(rd);
	if (rd->crowded)
		snapshot_note(rd->s, "more metrics or thresholds than can be kept apart");
	if (rd->long_run)
		snapshot_note(rd->s, "points more than a week apart");
	return rc;
}
