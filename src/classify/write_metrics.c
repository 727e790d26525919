#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "classify/write_sources.h"
#include "ingest/metrics.h"
#include "sql_gen.h"

/* Rows of sql/classify/insert-metric-samples.sql: a third of the time goes into beginning and ending statements. */
#define SAMPLES_AT_ONCE 8u

/* A file below metrics/. */
struct metrics_file {
	struct slice path;
	struct snapshot_name name;
	uint32_t file;
	bool api;
};

struct writing {
	struct sources *x;
	struct metrics m;
	int64_t series0; /* number of the table's first series */
	size_t series_done;
};

/* Sources are written last, when all is known of them; series refer to their numbers before. */
static int64_t
source_number(struct writing *w, uint32_t source)
{
	return w->x->o->sources + source;
}

static enum imp_rc
write_samples(void *payload, struct metrics *m, const struct metrics_sample *v, size_t n, struct imp_err *err)
{
	struct writing *w = payload;
	struct out *o = w->x->o;
	uint32_t series = NONE, no = 0;
	size_t in_row = 0; /* that the statement at hand still takes */

	(void)err; /* o->err */
	for (; w->series_done < m->series.n; w->series_done++) {
		const struct metrics_series *s = &m->series.v[w->series_done];

		out_begin(o, sql_classify_insert_metric_series);
		out_int(o, w->series0 + (int64_t)w->series_done);
		out_int(o, source_number(w, s->source));
		out_text(o, s->name);
		out_text(o, s->labels);
		out_str(o, s->type);
		out_end(o);
	}
	for (size_t i = 0; i < n && o->rc == IMP_OK; i++) {
		no = v[i].series == series ? no + 1 : m->series.v[v[i].series].samples;
		series = v[i].series;
		if (in_row == 0) {
			in_row = n - i >= SAMPLES_AT_ONCE ? SAMPLES_AT_ONCE : 1;
			out_begin(o, in_row > 1 ? sql_classify_insert_metric_samples : sql_classify_insert_metric_sample);
		}
		out_int(o, w->series0 + series);
		out_int(o, no);
		out_opt(o, v[i].t);
		if (isnan(v[i].value))
			out_null(o);
		else
			out_real(o, v[i].value);
		out_int(o, v[i].file);
		out_int(o, v[i].line);
		if (--in_row == 0)
			out_end(o);
	}
	return o->rc;
}

/* Series whose samples came out of order are numbered anew. */
static void
settle_order(struct writing *w)
{
	const char *const steps[] = { sql_classify_metric_samples_aside, sql_classify_metric_samples_back };

	for (size_t i = 0; i < w->m.series.n; i++) {
		for (int k = 0; k < 2 && w->m.series.v[i].disordered; k++) {
			out_begin(w->x->o, steps[k]);
			out_int(w->x->o, w->series0 + (int64_t)i);
			out_end(w->x->o);
		}
	}
}

/* How much a series grew, from the store: in the right order only there. */
static void
measure_again(struct writing *w, size_t series, struct metrics_increase *ret)
{
	struct out *o = w->x->o;
	sqlite3_stmt *st;
	bool row = true;

	*ret = (struct metrics_increase){ .any = false };
	if (o->rc == IMP_OK)
		o->rc = store_stmt(o->s, sql_classify_metric_samples, &st, o->err);
	if (o->rc != IMP_OK)
		return;
	sqlite3_bind_int64(st, 1, o->run_no);
	sqlite3_bind_int64(st, 2, w->series0 + (int64_t)series);
	while ((o->rc = store_step_row(o->s, st, &row, o->err)) == IMP_OK && row)
		metrics_increase_add(ret, &w->m.marks, sqlite3_column_int64(st, 0), sqlite3_column_double(st, 1),
		    (uint32_t)sqlite3_column_int64(st, 2), (uint32_t)sqlite3_column_int64(st, 3));
}

static void
write_increases(struct writing *w)
{
	const struct metrics_marks *marks = &w->m.marks;
	struct out *o = w->x->o;

	for (size_t i = 0; i < w->m.series.n && marks->load_start != NO_TIME && marks->drain_end != NO_TIME; i++) {
		struct metrics_increase x = w->m.series.v[i].grown;

		if (w->m.series.v[i].disordered)
			measure_again(w, i, &x);
		if (!x.any)
			continue;
		out_begin(o, sql_classify_insert_metric_increase);
		out_int(o, w->series0 + (int64_t)i);
		out_int(o, x.from_t);
		out_int(o, x.to_t);
		out_real(o, x.increase);
		out_int(o, (int64_t)x.resets);
		out_real(o, x.closing);
		out_real(o, x.first);
		out_real(o, x.last);
		out_int(o, x.from_t <= marks->load_start && marks->load_end != NO_TIME && x.to_t >= marks->load_end);
		out_int(o, x.file);
		out_int(o, x.line);
		out_end(o);
	}
}

static void
add_series(struct source_row *row, const struct metrics_series *s, uint32_t *most)
{
	if (s->first_t != NO_TIME && (row->first_t == NO_TIME || s->first_t < row->first_t))
		row->first_t = s->first_t;
	if (s->last_t > row->last_t)
		row->last_t = s->last_t;
	if (s->samples <= *most)
		return;
	*most = s->samples; /* the series that was sampled most speaks for the silences of its source */
	row->gaps = s->gaps;
	row->longest_gap_ns = s->longest;
}

static struct source_row
row_of(const struct writing *w, const struct metrics_source *s)
{
	struct source_row row = SOURCE_ROW_INIT;

	row.kind = "metrics";
	row.name = s->name;
	row.pod = s->pod.p != NULL ? s->pod : sources_pod(w->x, s->name);
	row.format = s->format;
	row.samples = s->samples;
	row.cut = s->cut;
	row.limited = s->limited;
	row.damaged = s->damaged;
	row.resent = s->resent;
	row.note = buf_slice(&s->note);
	row.file = s->file;
	return row;
}

static void
write_source_rows(struct writing *w)
{
	size_t n = w->m.sources.n;
	CLEANUP(freep) struct source_row *rows = calloc(n + 1, sizeof(*rows));
	CLEANUP(freep) uint32_t *most = calloc(n + 1, sizeof(*most));

	if (w->x->o->rc == IMP_OK && (rows == NULL || most == NULL))
		w->x->o->rc = imp_err_set(w->x->o->err, IMP_E_NOMEM, "out of memory: %zu sources", n);
	if (w->x->o->rc != IMP_OK)
		return;
	for (size_t i = 0; i < n && w->x->o->rc == IMP_OK; i++) {
		rows[i] = row_of(w, &w->m.sources.v[i]);
		w->x->o->rc = buf_status(&w->m.sources.v[i].note, w->x->o->err);
	}
	for (size_t i = 0; i < w->m.series.n; i++)
		add_series(&rows[w->m.series.v[i].source], &w->m.series.v[i], &most[w->m.series.v[i].source]);
	for (size_t i = 0; i < n; i++)
		source_row_write(w->x->o, &rows[i]);
}

static enum imp_rc
read_file(struct writing *w, const struct metrics_file *f)
{
	struct snapshot s;
	enum imp_rc rc;

	sources_begin(w->x, f->file, &s);
	if (f->api)
		rc = metrics_read_api(&w->m, &s, f->file, f->name.source, w->x->o->err);
	else
		rc = metrics_read_text(&w->m, &s, f->file, f->name.source, f->name.t, w->x->o->err);
	if (rc == IMP_OK)
		sources_note(w->x, f->file, &s);
	snapshot_done(&s);
	return rc == IMP_OK ? w->x->o->rc : rc;
}

/* When the server had its time to work off the load: as marked, else the end of the last drain window. */
static int64_t
drain_end(const struct run *r)
{
	if (r->mark[MARK_drain_end] != NO_TIME)
		return r->mark[MARK_drain_end];
	return r->last_window_end != NO_TIME ? r->last_window_end : r->mark[MARK_load_end];
}

/* The files of one table: of one target, or all answers. */
static void
write_table(struct sources *x, const struct metrics_file *v, size_t n, int64_t *series)
{
	const int64_t *mark = x->r->mark;
	struct writing w = { .x = x, .series0 = *series };
	enum imp_rc rc = IMP_OK;

	metrics_init(&w.m, x->r->ledger->budget);
	w.m.from = x->from;
	w.m.to = x->to;
	w.m.marks = (struct metrics_marks){
		.load_start = mark[MARK_load_start],
		.drain_end = drain_end(x->r),
		.close_start = mark[MARK_close_start],
		.load_end = mark[MARK_load_end],
	};
	w.m.take = write_samples;
	w.m.payload = &w;
	for (size_t i = 0; i < n && rc == IMP_OK; i++)
		rc = read_file(&w, &v[i]);
	if (rc == IMP_OK)
		rc = metrics_flush(&w.m, x->o->err);
	if (rc != IMP_OK)
		x->o->rc = rc;
	settle_order(&w);
	write_increases(&w);
	write_source_rows(&w);
	*series += (int64_t)w.m.series.n;
	metrics_done(&w.m);
}

/* Snapshots by source, then by time; answers behind them. */
static int
file_cmp(const void *a, const void *b)
{
	const struct metrics_file *x = a, *y = b;
	int c = x->api - y->api;

	if (c == 0 && !x->api)
		c = slice_cmp(x->name.source, y->name.source);
	if (c == 0 && !x->api && x->name.t != y->name.t)
		c = x->name.t < y->name.t ? -1 : 1;
	return c != 0 ? c : (x->file > y->file) - (x->file < y->file);
}

/* Does the file go into the table of the one before it? */
static bool
same_table(const struct metrics_file *a, const struct metrics_file *b)
{
	return a->api == b->api && (a->api || slice_eq(a->name.source, b->name.source));
}

void
write_metrics(struct sources *x)
{
	const struct inputs *in = x->r->ledger->inputs;
	CLEANUP(freep) struct metrics_file *v = calloc(in->v.n + 1, sizeof(*v));
	int64_t series = 0;
	size_t n = 0;

	if (v == NULL && x->o->rc == IMP_OK)
		x->o->rc = imp_err_set(x->o->err, IMP_E_NOMEM, "out of memory: %zu files", in->v.n);
	for (uint32_t f = sources_next(x, INPUT_METRICS, 0); f != NONE; f = sources_next(x, INPUT_METRICS, f + 1)) {
		struct slice path = slice_of(in->v.v[f].path);

		v[n++] = (struct metrics_file){ path, snapshot_name(path, x->r->mark), f, snapshot_ends(path, SLICE(".json")) };
	}
	if (n > 1)
		qsort(v, n, sizeof(*v), file_cmp);
	for (size_t i = 0, k; i < n && x->o->rc == IMP_OK; i = k) {
		for (k = i + 1; k < n && same_table(&v[i], &v[k]); k++)
			;
		write_table(x, &v[i], k - i, &series);
	}
}
