/* ingest/metrics_api.c - answers of the Prometheus HTTP API: /api/v1/query and /api/v1/query_range. */
#include "config.h"

#include <math.h>

#include "base/cleanup.h"
#include "ingest/json_pull.h"
#include "ingest/metrics.h"
#include "ingest/metrics_text.h"

struct answer_reading {
	struct metrics *m;
	struct snapshot *s;
	struct json_pull j;
	uint32_t file, series;
	struct slice source;
	bool error, partial, no_room;
	struct imp_err *err;
};

static enum imp_rc
reject(struct answer_reading *rd, const char *reason)
{
	return snapshot_reject(rd->s, json_pull_line(&rd->j), reason, rd->err);
}

/* ------------------------------------------------------------------ one series */

struct metric {
	struct metrics_label v[METRICS_LABELS_MAX];
	size_t n;
	struct slice name, pod, instance;
};

/* `metric`: labels and their values. They lie in the scratch of the table until the series was found. */
static const char *
read_labels(struct answer_reading *rd, struct metric *ret)
{
	struct buf *scratch = &rd->m->scratch;
	struct record_value v;
	struct slice key;
	size_t at = 0;

	buf_clear(scratch);
	buf_add_char(scratch, ' '); /* so that it is somewhere */
	buf_truncate(scratch, 0);
	while (json_pull_next(&rd->j, &key)) {
		struct metrics_label *l = &ret->v[ret->n];

		if (ret->n == METRICS_LABELS_MAX)
			return "more than 256 labels";
		buf_add_slice(scratch, key);
		l->name.n = key.n;
		if (!json_pull_value(&rd->j, &v) || v.type != REC_STRING)
			return "a label that is no text";
		buf_add_slice(scratch, v.s);
		l->value.n = v.s.n;
		ret->n++;
	}
	for (size_t i = 0; i < ret->n && scratch->failed == IMP_OK; i++) {
		ret->v[i].name.p = scratch->p + at;
		ret->v[i].value.p = scratch->p + at + ret->v[i].name.n;
		at += ret->v[i].name.n + ret->v[i].value.n;
	}
	return rd->j.bad ? "not JSON" : NULL;
}

static void
pick_names(struct metric *metric)
{
	for (size_t i = 0; i < metric->n; i++) {
		struct metrics_label *l = &metric->v[i];

		if (slice_eq(l->name, SLICE("pod")))
			metric->pod = l->value;
		else if (slice_eq(l->name, SLICE("instance")))
			metric->instance = l->value;
		if (slice_eq(l->name, SLICE("__name__"))) {
			metric->name = l->value;
			*l = metric->v[--metric->n];
			i--;
		}
	}
}

/* Behind the opening brace of `metric`. An expression without a name is a series without one. */
static enum imp_rc
find_series(struct answer_reading *rd, const char **ret_reason)
{
	struct metric metric = { .n = 0 };
	struct metrics *m = rd->m;
	struct slice source;
	uint32_t number;
	enum imp_rc rc;

	*ret_reason = read_labels(rd, &metric);
	rc = buf_status(&m->scratch, rd->err);
	if (rc != IMP_OK || *ret_reason != NULL)
		return rc;
	pick_names(&metric);
	source = metric.pod.n > 0 ? metric.pod : metric.instance.n > 0 ? metric.instance : rd->source;
	buf_clear(&m->key);
	buf_add_slice(&m->key, metric.name);
	buf_add_char(&m->key, '\xff');
	if (!metrics_labels_write(metric.v, metric.n, &m->key))
		*ret_reason = "two labels of one name";
	if (*ret_reason != NULL)
		return IMP_OK;
	rc =
	    metrics_source(m, source, metric.pod.n > 0 ? metric.pod : (struct slice){ NULL, 0 }, "api", rd->file, &number, rd->err);
	if (rc == IMP_OK)
		rc = metrics_find(m, number, &rd->series, rd->err);
	if (rc == IMP_OK)
		m->series.v[rd->series].seen = rd->file;
	return rc;
}

/* [t, "value"], behind the opening bracket; `t` is seconds. */
static const char *
read_point(struct answer_reading *rd, struct metrics_sample *ret)
{
	struct record_value v;
	struct slice key;
	bool seconds = true;

	if (!json_pull_next(&rd->j, &key) || !json_pull_value(&rd->j, &v) || (v.type != REC_INT && v.type != REC_REAL))
		return "a sample without a time";
	ret->t = metrics_time(rd->m, v.s, &seconds);
	if (ret->t == NO_TIME)
		return "the time of a sample is no number";
	if (!json_pull_next(&rd->j, &key) || !json_pull_value(&rd->j, &v) || v.type == REC_BOOL || v.type == REC_NULL)
		return "a sample without a value";
	if (!metrics_number(v.s, &ret->value))
		return "the value of a sample is no number";
	return json_pull_next(&rd->j, &key) ? "a sample of three parts" : NULL;
}

/* The value that comes is a point. */
static enum imp_rc
take_point(struct answer_reading *rd)
{
	struct metrics_sample x = { .series = rd->series, .file = rd->file };
	unsigned depth = rd->j.depth;
	const char *reason = "a sample that is no pair";
	struct slice key;
	enum imp_rc rc;

	if (json_pull_enter(&rd->j) == '[')
		reason = read_point(rd, &x);
	else
		json_pull_skip(&rd->j);
	while (!rd->j.bad && rd->j.depth > depth) { /* what is left of a wrong one */
		if (json_pull_next(&rd->j, &key))
			json_pull_skip(&rd->j);
	}
	if (rd->j.bad)
		return IMP_OK; /* said once, at the end */
	x.line = (uint32_t)json_pull_line(&rd->j);
	if (reason != NULL)
		return reject(rd, reason);
	rd->s->samples++;
	rd->m->sources.v[rd->m->series.v[rd->series].source].samples++;
	rc = metrics_add(rd->m, x, rd->err);
	rd->no_room |= rc == IMP_E_LIMIT;
	return rc == IMP_E_LIMIT ? IMP_OK : rc;
}

static enum imp_rc
take_points(struct answer_reading *rd)
{
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (!json_pull_enter_if(&rd->j, '['))
		return IMP_OK;
	while (rc == IMP_OK && json_pull_next(&rd->j, &key))
		rc = take_point(rd);
	return rc;
}

/* One element of `result`, behind its opening brace. `metric` comes first, as the server writes it; samples before it belong to
 * nothing that is known. */
static enum imp_rc
read_series(struct answer_reading *rd)
{
	const char *reason = "a series without its labels";
	bool found = false;
	struct slice key;
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && json_pull_next(&rd->j, &key)) {
		bool values = slice_eq(key, SLICE("values")), value = slice_eq(key, SLICE("value"));

		if (slice_eq(key, SLICE("metric")) && json_pull_peek(&rd->j) == '{') {
			json_pull_enter(&rd->j);
			rc = find_series(rd, &reason);
			found = rc == IMP_OK && reason == NULL;
			rd->no_room |= rc == IMP_E_LIMIT;
			if (rc == IMP_OK && !found && !rd->j.bad)
				rc = reject(rd, reason);
			if (!found) /* out of it, whatever is wrong there */
				return rc == IMP_E_LIMIT ? IMP_OK : rc;
		} else if (found && (values || value)) {
			rc = values ? take_points(rd) : take_point(rd);
		} else {
			if (values || value)
				rc = reject(rd, reason);
			else if (key.n > 9 && memcmp(key.p, "histogram", 9) == 0)
				snapshot_note(rd->s, "native histograms are passed over");
			json_pull_skip(&rd->j);
		}
	}
	return rc;
}

/* ------------------------------------------------------------------ the answer */

static enum imp_rc
read_result(struct answer_reading *rd)
{
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (!json_pull_enter_if(&rd->j, '['))
		return IMP_OK;
	while (rc == IMP_OK && json_pull_next(&rd->j, &key)) {
		unsigned depth = rd->j.depth;

		if (json_pull_peek(&rd->j) != '{') { /* [t, "v"] itself */
			snapshot_note(rd->s, "a scalar or a string is no series");
			json_pull_skip(&rd->j);
			continue;
		}
		json_pull_enter(&rd->j);
		rc = read_series(rd);
		while (!rd->j.bad && rd->j.depth > depth) { /* a series that was given up */
			if (json_pull_next(&rd->j, &key))
				json_pull_skip(&rd->j);
		}
	}
	return rc;
}

static void
read_words(struct answer_reading *rd, const char *what)
{
	struct record_value v;
	struct slice key;

	if (!json_pull_enter_if(&rd->j, '['))
		return;
	while (json_pull_next(&rd->j, &key)) {
		if (!json_pull_value(&rd->j, &v) || v.type != REC_STRING) {
			json_pull_skip(&rd->j);
			continue;
		}
		rd->partial |= what[0] == 'w';
		snapshot_note(rd->s, "%s: %.*s", what, (int)(v.s.n < 120 ? v.s.n : 120), v.s.p);
	}
}

static enum imp_rc
read_data(struct answer_reading *rd)
{
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (!json_pull_enter_if(&rd->j, '{'))
		return IMP_OK;
	while (rc == IMP_OK && json_pull_next(&rd->j, &key)) {
		if (slice_eq(key, SLICE("result")))
			rc = read_result(rd);
		else
			json_pull_skip(&rd->j);
	}
	return rc;
}

static enum imp_rc
read_answer(struct answer_reading *rd)
{
	struct record_value v;
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (json_pull_enter(&rd->j) != '{')
		return reject(rd, "not an answer of Prometheus");
	while (rc == IMP_OK && json_pull_next(&rd->j, &key)) {
		bool status = slice_eq(key, SLICE("status")), error = slice_eq(key, SLICE("error"));

		if (slice_eq(key, SLICE("data"))) {
			rc = read_data(rd);
		} else if (slice_eq(key, SLICE("warnings")) || slice_eq(key, SLICE("infos"))) {
			read_words(rd, key.p[0] == 'w' ? "warning" : "info");
		} else if ((status || error) && json_pull_value(&rd->j, &v)) {
			rd->error |= status && v.type == REC_STRING && slice_eq(v.s, SLICE("error"));
			if (error && v.type == REC_STRING)
				snapshot_note(rd->s, "error: %.*s", (int)(v.s.n < 120 ? v.s.n : 120), v.s.p);
		} else {
			json_pull_skip(&rd->j);
		}
	}
	if (rc == IMP_OK && rd->error)
		rc = reject(rd, "an error in place of an answer");
	return rc;
}

/* What holds for the whole file, its sources are told. A file that no series came from is a source of its own. */
static enum imp_rc
settle_file(struct answer_reading *rd)
{
	struct metrics *m = rd->m;
	struct snapshot *s = rd->s;
	uint32_t number;
	enum imp_rc rc = IMP_OK;

	rd->partial |= rd->no_room || s->asked_short || s->asked_limited;
	for (size_t i = 0; i < m->series.n && rd->partial; i++) {
		if (m->series.v[i].seen == rd->file)
			m->sources.v[m->series.v[i].source].limited = true;
	}
	if (rd->no_room)
		snapshot_note(s, "more series than --memory has room for");
	if (s->samples == 0 || s->rejected > 0 || s->note.n > 0)
		rc = metrics_source(m, rd->source, (struct slice){ NULL, 0 }, "api", rd->file, &number, rd->err);
	if (rc != IMP_OK || (s->samples > 0 && s->rejected == 0 && s->note.n == 0))
		return rc;
	m->sources.v[number].damaged += s->rejected;
	m->sources.v[number].cut |= s->cut;
	m->sources.v[number].limited |= rd->partial;
	if (m->sources.v[number].note.n == 0)
		buf_add_slice(&m->sources.v[number].note, buf_slice(&s->note));
	return IMP_OK;
}

enum imp_rc
metrics_read_api(struct metrics *m, struct snapshot *s, uint32_t file, struct slice source, struct imp_err *err)
{
	CLEANUP(snapshot_text_done) struct snapshot_text text;
	struct imp_err why;
	struct answer_reading rd = { .m = m, .s = s, .file = file, .source = source, .err = &why };
	enum imp_rc rc = snapshot_text(s, m->budget, &text, &why);

	if (rc == IMP_OK && text.text.p != NULL) {
		json_pull_init(&rd.j, text.text);
		if (text.text.n == 0)
			snapshot_note(s, "empty");
		else
			rc = read_answer(&rd);
		if (rc == IMP_OK && rd.j.lexer.nomem)
			rc = imp_err_set(&why, IMP_E_NOMEM, "out of memory");
		if (rc == IMP_OK && text.text.n > 0 && s->rejected == 0 && !json_pull_end(&rd.j)) {
			s->cut |= rd.j.torn;
			rc = reject(&rd, rd.j.torn ? "it ends too early" : "not JSON");
		}
		json_pull_done(&rd.j);
	}
	if (rc == IMP_OK)
		rc = settle_file(&rd);
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}
