#include "config.h"

#include "classify/write_loadgen.h"

#include <math.h>

#include "classify/write_sources.h"
#include "sql_gen.h"

static void
write_moments(struct out *o, struct loadgen_numbers *numbers, int64_t source, uint32_t file, const struct loadgen *g)
{
	for (size_t i = 0; i < g->moments.n; i++) {
		const struct loadgen_moment *m = &g->moments.v[i];

		out_begin(o, sql_classify_insert_host_sample);
		out_int(o, numbers->moments++);
		out_int(o, source);
		out_int(o, m->point);
		out_opt(o, m->t);
		out_text(o, m->name);
		out_real(o, m->value);
		out_int(o, file);
		out_int(o, (int64_t)m->line);
		out_end(o);
	}
}

static void
write_metrics_of(struct out *o, struct loadgen_numbers *numbers, int64_t source, uint32_t file, const struct loadgen *g)
{
	for (size_t i = 0; i < g->metrics.n; i++) {
		const struct loadgen_metric *m = &g->metrics.v[i];

		out_begin(o, sql_classify_insert_loadgen_metric);
		out_int(o, numbers->metrics++);
		out_int(o, source);
		out_text(o, m->name);
		out_text(o, m->stat);
		if (isfinite(m->value))
			out_real(o, m->value);
		else
			out_null(o);
		out_int(o, file);
		out_int(o, (int64_t)m->line);
		out_end(o);
	}
}

void
write_loadgen_file(struct out *o, struct loadgen_numbers *numbers, struct slice name, uint32_t file, const struct loadgen *g,
    const struct snapshot *s)
{
	int64_t source = source_row_number(o);
	struct source_row row = SOURCE_ROW_INIT;

	row.kind = g->format == LOADGEN_HEALTH ? "health" : "loadgen";
	row.name = name;
	row.format = loadgen_format_name(g->format);
	row.first_t = g->first_t;
	row.last_t = g->last_t;
	row.samples = g->samples;
	row.longest_gap_ns = g->longest_gap_ns;
	row.cut = s->cut;
	row.damaged = s->rejected;
	row.note = buf_slice(&s->note);
	row.file = file;
	source_row_put(o, source, &row);
	write_moments(o, numbers, source, file, g);
	write_metrics_of(o, numbers, source, file, g);
}

void
write_loadgen(struct sources *x)
{
	const struct inputs *in = x->r->ledger->inputs;
	struct loadgen_numbers numbers = { .moments = 0 };

	for (uint32_t f = sources_next(x, INPUT_LOADGEN, 0); f != NONE; f = sources_next(x, INPUT_LOADGEN, f + 1)) {
		struct loadgen g = { .arena = { .budget = x->r->ledger->budget } };
		struct snapshot s;
		enum imp_rc rc;

		snapshot_init(&s, in->dirfd, in->v.v[f].path);
		rc = loadgen_read(&g, &s, x->o->err);
		if (rc == IMP_OK) {
			write_loadgen_file(x->o, &numbers, snapshot_name(slice_of(s.path), x->r->mark).source, f, &g, &s);
			sources_note(x, f, &s);
		} else {
			x->o->rc = rc;
		}
		snapshot_done(&s);
		loadgen_done(&g);
	}
}
