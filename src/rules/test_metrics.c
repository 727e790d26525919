#include "config.h"

#include <math.h>
#include <string.h>

#include "base/time.h"
#include "ingest/metrics_text.h"
#include "rules/number.h"
#include "rules/test_filler.h"
#include "sql_gen.h"

#define METRICS_TEXT_MAX 65536

/* SOURCE@TIME: the time is a mark or Unix seconds. */
static enum imp_rc
parse_snapshot_name(struct filler *f, const struct doc_node *n, struct slice *ret_source, int64_t *ret_t, struct imp_err *err)
{
	const char *at = memchr(n->key.p, '@', n->key.n);
	struct slice time = { at != NULL ? at + 1 : "", at != NULL ? n->key.n - (size_t)(at + 1 - n->key.p) : 0 };
	struct number seconds;
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc;

	if (at == NULL)
		return doc_error(&n->key_at, err, "a snapshot is named SOURCE@TIME");
	*ret_source = (struct slice){ n->key.p, (size_t)(at - n->key.p) };
	if (number_parse(time, &seconds) && seconds.den == 1 && seconds.num < INT64_MAX / NS_PER_S && seconds.num >= 0) {
		*ret_t = seconds.num * NS_PER_S;
		return IMP_OK;
	}
	rc = store_stmt(f->s, sql_rules_mark, &st, err);
	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), 1);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":name"), time);
	rc = store_step_row(f->s, st, &row, err);
	if (rc == IMP_OK && !row)
		rc = doc_error(&n->key_at, err, "'%.*s' is neither a mark nor Unix seconds", SLICE_ARG(time));
	if (rc == IMP_OK)
		*ret_t = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return rc;
}

/* A line of a snapshot: its place, and the buffers that it is taken apart in. */
struct metric_line {
	struct filler *f;
	int64_t source, file, line, t;
	struct buf key, scratch;
};

static enum imp_rc
insert_sample(struct metric_line *m, double value, struct imp_err *err)
{
	static const char *const statements[] = { sql_rules_test_metric_series, sql_rules_test_metric_sample };
	const char *end = memchr(m->key.p, '\xff', m->key.n);
	struct slice name = { m->key.p, end != NULL ? (size_t)(end - m->key.p) : m->key.n };
	struct slice labels = { m->key.p + name.n + (end != NULL), m->key.n - name.n - (end != NULL) };
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < 2 && rc == IMP_OK; i++) {
		sqlite3_stmt *st;

		rc = store_stmt(m->f->s, statements[i], &st, err);
		if (rc != IMP_OK)
			return rc;
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":source"), m->source);
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":name"), name);
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":labels"), labels);
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":t"), m->t);
		if (!isnan(value))
			sqlite3_bind_double(st, sqlite3_bind_parameter_index(st, ":value"), value);
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":file"), m->file);
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":line"), m->line);
		rc = store_step_done(m->f->s, st, err);
	}
	return rc;
}

static enum imp_rc
insert_metric_line(struct metric_line *m, struct slice text, const struct doc_node *n, struct imp_err *err)
{
	struct metrics_line l;
	const char *wrong = metrics_line_read(text, &l);

	if (wrong == NULL && l.kind == METRICS_SAMPLE) {
		buf_clear(&m->key);
		wrong = metrics_series_write(l.series, &m->key, &m->scratch);
	}
	if (wrong != NULL)
		return doc_error(&n->at, err, "line %lld of the snapshot: %s", (long long)m->line, wrong);
	return l.kind == METRICS_SAMPLE ? insert_sample(m, l.value, err) : IMP_OK;
}

/* Snapshots of one source are one source: the number of the first of them. */
static int64_t
source_number(const struct filler *f, const struct doc_node *metrics, const struct doc_node *n, struct slice name)
{
	int64_t number = f->sources;

	for (const struct doc_node *c = metrics->first; c != n; c = c->next, number++)
		if (c->key.n > name.n && c->key.p[name.n] == '@' && slice_has_prefix(c->key, name))
			break;
	return number;
}

static enum imp_rc
insert_snapshot(struct filler *f, const struct doc_node *metrics, const struct doc_node *n, int64_t file, struct imp_err *err)
{
	struct metric_line m = { .f = f, .file = file, .key = BUF_INIT(METRICS_TEXT_MAX), .scratch = BUF_INIT(METRICS_TEXT_MAX) };
	struct slice source, text, rest = n->text;
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc == IMP_OK)
		rc = parse_snapshot_name(f, n, &source, &m.t, err);
	if (rc != IMP_OK)
		return rc;
	m.source = source_number(f, metrics, n, source);
	rc = test_insert_file(f, file, "metrics", n->key, "metrics", err);
	if (rc == IMP_OK)
		rc = test_insert_source(f, m.source, file, "metrics", source, m.t, m.t, err);
	for (m.line = 1; rc == IMP_OK && test_next_line(&rest, &text); m.line++)
		rc = insert_metric_line(&m, text, n, err);
	buf_done(&m.key);
	buf_done(&m.scratch);
	return rc;
}

enum imp_rc
test_insert_metrics(struct filler *f, const struct doc_node *metrics, struct imp_err *err)
{
	int64_t file = f->sources;
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *n = metrics->first; n != NULL && rc == IMP_OK; n = n->next)
		rc = insert_snapshot(f, metrics, n, file++, err);
	f->sources = file;
	return rc;
}
