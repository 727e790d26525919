/* ingest/loadgen_raw.c - k6 run --out json: one object a line, as many lines as there were samples; put together metric by metric, for
 * each scenario and phase too, in bounded memory. */
#include "config.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "ingest/json_pull.h"
#include "ingest/loadgen_raw.h"
#include "ingest/rfc3339.h"

#define NAME_MAX_BYTES 256u
#define LINE_BYTES_MAX ((size_t)4 << 20)
#define METRICS_MAX 4096u
#define THRESHOLDS_MAX 4096u
#define SECONDS_MAX ((int64_t)7 * 86400) /* that a run may take */

/* What one line says. */
struct raw_line {
	char metric[NAME_MAX_BYTES], type[16], kind[16]; /* kind: of a metric */
	char phase[NAME_MAX_BYTES / 4], scenario[NAME_MAX_BYTES / 4];
	bool has_value, has_time;
	double value;
	int64_t t;
};

/* ------------------------------------------------------------------ one line */

static void
copy_text(char *to, size_t size, const struct record_value *v)
{
	to[0] = '\0';
	if (v->type == REC_STRING && v->s.n < size)
		snprintf(to, size, "%.*s", SLICE_ARG(v->s));
}

static enum imp_rc
add_threshold(struct raw_reading *rd, const char *metric, struct slice text)
{
	struct raw_threshold t;

	if (rd->thresholds.n == THRESHOLDS_MAX) {
		rd->crowded = true;
		return IMP_OK;
	}
	t.metric = arena_slice(&rd->g->arena, slice_of(metric), rd->err);
	t.text = (struct slice){ NULL, 0 };
	if (t.metric.p != NULL)
		t.text = arena_slice(&rd->g->arena, text, rd->err);
	return t.text.p != NULL ? VEC_PUSH(rd->budget, &rd->thresholds, t, rd->err) : rd->err->code;
}

/* Texts, or objects with a text `threshold`. */
static enum imp_rc
read_thresholds(struct raw_reading *rd, struct json_pull *j, const char *metric)
{
	struct record_value v;
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (!json_pull_enter_if(j, '['))
		return IMP_OK;
	while (rc == IMP_OK && json_pull_next(j, &key)) {
		if (json_pull_value(j, &v)) {
			if (v.type == REC_STRING)
				rc = add_threshold(rd, metric, v.s);
			continue;
		}
		if (!json_pull_enter_if(j, '{'))
			continue;
		while (rc == IMP_OK && json_pull_next(j, &key)) {
			bool hit = slice_eq(key, SLICE("threshold"));

			if (!json_pull_value(j, &v))
				json_pull_skip(j);
			else if (hit && v.type == REC_STRING)
				rc = add_threshold(rd, metric, v.s);
		}
	}
	return rc;
}

static void
read_tags(struct json_pull *j, struct raw_line *ret)
{
	struct record_value v;
	struct slice key;

	if (!json_pull_enter_if(j, '{'))
		return;
	while (json_pull_next(j, &key)) {
		char *to = slice_eq(key, SLICE("phase")) ? ret->phase : slice_eq(key, SLICE("scenario")) ? ret->scenario : NULL;

		if (!json_pull_value(j, &v))
			json_pull_skip(j);
		else if (to != NULL)
			copy_text(to, sizeof(ret->phase), &v);
	}
}

static enum imp_rc
read_data(struct raw_reading *rd, struct json_pull *j, struct raw_line *ret)
{
	char name[NAME_MAX_BYTES] = "";
	struct record_value v;
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (!json_pull_enter_if(j, '{'))
		return IMP_OK;
	while (rc == IMP_OK && json_pull_next(j, &key)) {
		bool time = slice_eq(key, SLICE("time")), value = slice_eq(key, SLICE("value"));
		bool type = slice_eq(key, SLICE("type")), named = slice_eq(key, SLICE("name"));

		if (slice_eq(key, SLICE("tags"))) {
			read_tags(j, ret);
		} else if (slice_eq(key, SLICE("thresholds"))) {
			rc = read_thresholds(rd, j, name[0] != '\0' ? name : ret->metric);
		} else if (!json_pull_value(j, &v)) {
			json_pull_skip(j);
		} else if (time) {
			ret->has_time = v.type == REC_STRING && rfc3339_parse(v.s, &ret->t) && time_fits(ret->t);
		} else if (value) {
			ret->has_value = v.type == REC_INT || v.type == REC_REAL;
			ret->value = v.type == REC_INT ? (double)v.i : v.type == REC_REAL ? v.d : 0;
		} else if (type) {
			copy_text(ret->kind, sizeof(ret->kind), &v);
		} else if (named) {
			copy_text(name, sizeof(name), &v);
		}
	}
	return rc;
}

static enum imp_rc
read_line(struct raw_reading *rd, struct slice text, struct raw_line *ret, bool *ret_ok)
{
	struct json_pull j;
	struct record_value v;
	struct slice key;
	enum imp_rc rc = IMP_OK;

	json_pull_init(&j, text);
	*ret_ok = json_pull_enter(&j) == '{';
	while (*ret_ok && rc == IMP_OK && json_pull_next(&j, &key)) {
		bool metric = slice_eq(key, SLICE("metric")), type = slice_eq(key, SLICE("type"));

		if (slice_eq(key, SLICE("data")))
			rc = read_data(rd, &j, ret);
		else if (!json_pull_value(&j, &v))
			json_pull_skip(&j);
		else if (metric)
			copy_text(ret->metric, sizeof(ret->metric), &v);
		else if (type)
			copy_text(ret->type, sizeof(ret->type), &v);
	}
	*ret_ok = *ret_ok && json_pull_end(&j) && ret->metric[0] != '\0';
	if (rc == IMP_OK && j.lexer.nomem)
		rc = imp_err_set(rd->err, IMP_E_NOMEM, "out of memory: '%s'", rd->s->path);
	json_pull_done(&j);
	return rc;
}

/* A line of JSON with a metric that is declared or measured. */
bool
loadgen_is_raw(struct slice line)
{
	struct loadgen g = { .format = LOADGEN_UNKNOWN };
	struct raw_line l = { .has_value = false };
	struct imp_err err;
	struct raw_reading rd = { .g = &g, .err = &err };
	bool ok;
	enum imp_rc rc = read_line(&rd, line, &l, &ok);

	VEC_FREE(NULL, &rd.thresholds);
	loadgen_done(&g);
	return rc == IMP_OK && ok && (strcmp(l.type, "Metric") == 0 || strcmp(l.type, "Point") == 0);
}

/* ------------------------------------------------------------------ all lines */

static enum raw_kind
kind_of(const char *kind)
{
	if (strcmp(kind, "counter") == 0)
		return RAW_COUNTER;
	if (strcmp(kind, "gauge") == 0)
		return RAW_GAUGE;
	return strcmp(kind, "rate") == 0 ? RAW_RATE : RAW_TREND;
}

/* The metric of a name, made when it is new; *ret NULL: there are too many. */
static enum imp_rc
find_metric(struct raw_reading *rd, const char *name, enum raw_kind kind, struct raw_metric **ret)
{
	struct raw_metric fresh = { .kind = kind, .line = rd->line };
	uint32_t number = intern_find(&rd->names, slice_of(name));
	enum imp_rc rc = IMP_OK;

	*ret = NULL;
	if (number == INTERN_NONE && rd->metrics.n == METRICS_MAX) {
		rd->crowded = true;
		return IMP_OK;
	}
	if (number == INTERN_NONE)
		rc = VEC_RESERVE(rd->budget, &rd->metrics, 1, rd->err);
	if (rc == IMP_OK && number == INTERN_NONE)
		rc = intern_add(&rd->names, slice_of(name), &number, rd->err);
	if (rc != IMP_OK)
		return rc;
	if (number == rd->metrics.n)
		rd->metrics.v[rd->metrics.n++] = fresh;
	*ret = &rd->metrics.v[number];
	return IMP_OK;
}

static enum imp_rc
count_value(struct raw_reading *rd, const char *name, enum raw_kind kind, double value)
{
	struct raw_metric *m;
	enum imp_rc rc = find_metric(rd, name, kind, &m);

	return rc == IMP_OK && m != NULL ? trend_add(&m->trend, rd->budget, value, rd->err) : rc;
}

/* The second of a time; NULL: the run would be too long. */
static enum imp_rc
find_second(struct raw_reading *rd, int64_t t, struct second **ret)
{
	int64_t s = time_second(t), end = rd->second0 + (int64_t)rd->seconds.n, from, to;
	size_t more;
	enum imp_rc rc;

	*ret = NULL;
	if (rd->seconds.n == 0)
		rd->second0 = end = s;
	from = s < rd->second0 ? s : rd->second0;
	to = s + 1 > end ? s + 1 : end;
	if (to - from > SECONDS_MAX) {
		rd->long_run = true;
		return IMP_OK;
	}
	more = (size_t)(to - from) - rd->seconds.n;
	rc = VEC_RESERVE(rd->budget, &rd->seconds, more, rd->err);
	if (rc != IMP_OK)
		return rc;
	if (more > 0 && from < rd->second0) {
		memmove(rd->seconds.v + more, rd->seconds.v, rd->seconds.n * sizeof(*rd->seconds.v));
		memset(rd->seconds.v, 0, more * sizeof(*rd->seconds.v));
	} else if (more > 0) {
		memset(rd->seconds.v + rd->seconds.n, 0, more * sizeof(*rd->seconds.v));
	}
	rd->second0 = from;
	rd->seconds.n += more;
	*ret = &rd->seconds.v[s - from];
	return IMP_OK;
}

static enum imp_rc
count_second(struct raw_reading *rd, const struct raw_line *l)
{
	bool iterations = strcmp(l->metric, "iterations") == 0, dropped = strcmp(l->metric, "dropped_iterations") == 0;
	bool queue = strcmp(l->metric, "client_queue_ms") == 0;
	struct second *second;
	enum imp_rc rc;

	if (!iterations && !dropped && !queue)
		return IMP_OK;
	rc = find_second(rd, l->t, &second);
	if (rc != IMP_OK || second == NULL)
		return rc;
	second->any = true;
	second->iterations += iterations ? l->value : 0;
	second->dropped += dropped ? l->value : 0;
	if (queue && (!second->queued || l->value > second->queue)) {
		second->queue = l->value;
		second->queued = true;
	}
	return IMP_OK;
}

static enum imp_rc
take_point(struct raw_reading *rd, const struct raw_line *l)
{
	uint32_t declared = intern_find(&rd->names, slice_of(l->metric));
	enum raw_kind kind = declared != INTERN_NONE ? rd->metrics.v[declared].kind : RAW_TREND;
	char name[2 * NAME_MAX_BYTES];
	enum imp_rc rc;

	if (rd->g->first_t == NO_TIME || l->t < rd->g->first_t)
		rd->g->first_t = l->t;
	if (rd->g->last_t == NO_TIME || l->t > rd->g->last_t)
		rd->g->last_t = l->t;
	rd->g->samples++;
	rc = count_value(rd, l->metric, kind, l->value);
	if (rc == IMP_OK && l->phase[0] != '\0') {
		snprintf(name, sizeof(name), "%s{phase:%s}", l->metric, l->phase);
		rc = count_value(rd, name, kind, l->value);
	}
	if (rc == IMP_OK && l->scenario[0] != '\0') {
		snprintf(name, sizeof(name), "%s{scenario:%s}", l->metric, l->scenario);
		rc = count_value(rd, name, kind, l->value);
	}
	return rc == IMP_OK ? count_second(rd, l) : rc;
}

static enum imp_rc
take_line(struct raw_reading *rd, const struct source_line *line)
{
	struct raw_line l = { .has_value = false };
	struct raw_metric *ignored;
	bool ok = false;
	enum imp_rc rc = IMP_OK;

	rd->line = line->number;
	if (line->text.n == 0)
		return IMP_OK;
	if (!line->too_long)
		rc = read_line(rd, line->text, &l, &ok);
	if (rc != IMP_OK)
		return rc;
	if (!ok && !line->complete) {
		rd->s->cut = true;
		return snapshot_reject(rd->s, rd->line, "a torn line", rd->err);
	}
	if (ok && strcmp(l.type, "Metric") == 0)
		return find_metric(rd, l.metric, kind_of(l.kind), &ignored);
	if (ok && strcmp(l.type, "Point") == 0 && l.has_value && l.has_time)
		return take_point(rd, &l);
	return snapshot_reject(rd->s, rd->line, "not a line of k6", rd->err);
}

static enum imp_rc
read_lines(struct raw_reading *rd)
{
	const struct source_limits limits = { .line_max = LINE_BYTES_MAX, .ratio_max = SOURCE_RATIO_MAX };
	CLEANUP(source_closep) struct source *src = NULL;
	struct source_line line;
	bool more = true;
	enum imp_rc rc = source_open(rd->s->dirfd, rd->s->path, &limits, &src, rd->err);

	if (rc == IMP_OK)
		rd->s->compression = source_kind(src);
	while (rc == IMP_OK && (rc = source_next(src, &line, &more, rd->err)) == IMP_OK && more)
		rc = take_line(rd, &line);
	rd->s->lines = rd->line;
	if (rc == IMP_OK)
		rd->s->cut |= source_cut(src);
	return rc;
}

enum imp_rc
loadgen_read_raw(struct loadgen *g, struct snapshot *s, struct imp_err *err)
{
	struct raw_reading rd = { .g = g, .s = s, .err = err, .budget = g->arena.budget };
	enum imp_rc rc;

	g->format = LOADGEN_RAW;
	intern_init(&rd.names, rd.budget);
	rc = read_lines(&rd);
	if (rc == IMP_OK)
		rc = raw_totals(&rd);
	for (size_t i = 0; i < rd.metrics.n; i++)
		trend_done(&rd.metrics.v[i].trend, rd.budget);
	VEC_FREE(rd.budget, &rd.metrics);
	VEC_FREE(rd.budget, &rd.thresholds);
	VEC_FREE(rd.budget, &rd.seconds);
	intern_done(&rd.names);
	return rc;
}
