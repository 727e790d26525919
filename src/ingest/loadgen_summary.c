/* ingest/loadgen_summary.c - the three shapes of k6's summary. */
#include "config.h"

#include <math.h>

#include "base/cleanup.h"
#include "ingest/json_pull.h"
#include "ingest/loadgen.h"

struct summary_reading {
	struct loadgen *g;
	struct snapshot *s;
	struct json_pull *j;
	struct imp_err *err;
	bool nested; /* numbers lie under `values`: data of handleSummary() */
};

static double
number_of(const struct json *v)
{
	return v != NULL && v->type == JSON_INT ? (double)v->i : v != NULL && v->type == JSON_REAL ? v->d : (double)NAN;
}

static bool
is_number(const struct json *v)
{
	return v != NULL && (v->type == JSON_INT || v->type == JSON_REAL);
}

/* How the other shapes call what the old one calls `value`, `passes` and `fails`. */
static enum imp_rc
add_stat(struct summary_reading *rd, struct slice name, const struct json *of, const struct json *v, uint64_t line)
{
	bool share = json_get(of, "passes") != NULL || json_get(of, "matches") != NULL;
	struct slice stat = v->key;
	double value = number_of(v);

	if (share && slice_eq(stat, SLICE("rate")))
		stat = SLICE("value");
	if (share && slice_eq(stat, SLICE("matches")))
		stat = SLICE("passes");
	if (share && slice_eq(stat, SLICE("total"))) {
		stat = SLICE("fails");
		value -= number_of(json_get(of, "matches"));
	}
	return loadgen_add(rd->g, name, stat, value, line, rd->err);
}

/* A threshold: true is breached in the old shape, `ok` is held in the others. */
static enum imp_rc
add_threshold(struct summary_reading *rd, struct slice name, const struct json *v, uint64_t line)
{
	CLEANUP(buf_done) struct buf stat = BUF_INIT(1024);
	const struct json *ok = v->type == JSON_OBJECT ? json_get(v, "ok") : NULL;
	enum imp_rc rc;

	if (v->type != JSON_BOOL && (ok == NULL || ok->type != JSON_BOOL))
		return IMP_OK;
	buf_add_str(&stat, "threshold:");
	buf_add_slice(&stat, v->key);
	rc = buf_status(&stat, rd->err);
	return rc == IMP_OK ? loadgen_add(rd->g, name, buf_slice(&stat), ok != NULL ? !ok->truth : v->truth, line, rd->err) : rc;
}

static enum imp_rc
add_metric(struct summary_reading *rd, struct slice name, const struct json *metric, uint64_t line)
{
	const struct json *values = json_get(metric, "values"), *thresholds = json_get(metric, "thresholds");
	enum imp_rc rc = IMP_OK;

	if (values != NULL && values->type == JSON_OBJECT)
		rd->nested = true;
	else
		values = metric;
	rd->g->samples++;
	for (const struct json *v = values->items.first; v != NULL && rc == IMP_OK; v = v->next) {
		if (is_number(v))
			rc = add_stat(rd, name, values, v, line);
	}
	if (thresholds == NULL || thresholds->type != JSON_OBJECT)
		return rc;
	for (const struct json *v = thresholds->items.first; v != NULL && rc == IMP_OK; v = v->next)
		rc = add_threshold(rd, name, v, line);
	return rc;
}

/* The metric that comes; without a `name` (p NULL) its own is inside: it is of the machine-readable shape. */
static enum imp_rc
read_metric(struct summary_reading *rd, struct slice name)
{
	CLEANUP(arena_done) struct arena arena = { .budget = rd->g->arena.budget };
	uint64_t line = (json_pull_peek(rd->j), json_pull_line(rd->j));
	const struct json *own;
	struct json metric;
	enum imp_rc rc;

	if (name.p != NULL) {
		name = arena_slice(&arena, name, rd->err);
		if (name.p == NULL)
			return rd->err->code;
	}
	if (!json_pull_tree(rd->j, &arena, &metric, &rc)) {
		if (rc != IMP_E_DATA)
			return imp_err_set(rd->err, rc, "out of memory: '%s'", rd->s->path);
		return rd->j->bad ? IMP_OK : snapshot_reject(rd->s, line, "text that is not UTF-8", rd->err);
	}
	own = metric.type == JSON_OBJECT && name.p == NULL ? json_get(&metric, "name") : NULL;
	if (own != NULL && own->type == JSON_TEXT)
		name = own->text;
	if (metric.type != JSON_OBJECT || name.p == NULL)
		return snapshot_reject(rd->s, line, "a metric that is none", rd->err);
	return add_metric(rd, name, &metric, line);
}

static enum imp_rc
read_metrics(struct summary_reading *rd)
{
	char c = json_pull_enter(rd->j);
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (c == '\0') {
		json_pull_skip(rd->j);
		return IMP_OK;
	}
	while (rc == IMP_OK && json_pull_next(rd->j, &key))
		rc = read_metric(rd, key);
	return rc;
}

/* A number somewhere below the top: `key` of the object that comes, times `scale`, as the length of the run. */
static enum imp_rc
read_length(struct summary_reading *rd, struct slice wanted, double scale)
{
	struct record_value v;
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (!json_pull_enter_if(rd->j, '{'))
		return IMP_OK;
	while (rc == IMP_OK && json_pull_next(rd->j, &key)) {
		bool hit = slice_eq(key, wanted);

		if (!json_pull_value(rd->j, &v))
			json_pull_skip(rd->j);
		else if (hit && (v.type == REC_INT || v.type == REC_REAL))
			rc = loadgen_add(rd->g, SLICE("test_run_duration_ms"), SLICE("value"),
			    scale * (v.type == REC_INT ? (double)v.i : v.d), json_pull_line(rd->j), rd->err);
	}
	return rc;
}

/* `results` of the machine-readable shape. */
static enum imp_rc
read_results(struct summary_reading *rd)
{
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (!json_pull_enter_if(rd->j, '{'))
		return IMP_OK;
	while (rc == IMP_OK && json_pull_next(rd->j, &key)) {
		if (slice_eq(key, SLICE("metrics")) && json_pull_peek(rd->j) == '[') {
			rd->g->format = LOADGEN_MACHINE;
			rc = read_metrics(rd);
		} else {
			json_pull_skip(rd->j);
		}
	}
	return rc;
}

enum imp_rc
loadgen_read_summary(struct loadgen *g, struct snapshot *s, struct json_pull *j, struct imp_err *err)
{
	struct summary_reading rd = { .g = g, .s = s, .j = j, .err = err };
	struct slice key;
	enum imp_rc rc = IMP_OK;

	json_pull_enter(j);
	while (rc == IMP_OK && json_pull_next(j, &key)) {
		if (slice_eq(key, SLICE("metrics")) && json_pull_peek(j) == '{') {
			g->format = LOADGEN_EXPORT;
			rc = read_metrics(&rd);
		} else if (slice_eq(key, SLICE("results"))) {
			rc = read_results(&rd);
		} else if (slice_eq(key, SLICE("state"))) {
			rc = read_length(&rd, SLICE("testRunDurationMs"), 1);
		} else if (slice_eq(key, SLICE("config"))) {
			rc = read_length(&rd, SLICE("duration"), 1000);
		} else {
			json_pull_skip(j);
		}
	}
	if (g->format == LOADGEN_EXPORT && rd.nested)
		g->format = LOADGEN_SUMMARY;
	return rc;
}
