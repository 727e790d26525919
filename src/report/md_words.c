#include "config.h"

#include "report/md.h"

#include <inttypes.h>

#include "base/text.h"

void
md_value(struct md *m, struct report_value v)
{
	switch (v.type) {
	case REPORT_INT:
		text_add_count(m->out, v.i);
		break;
	case REPORT_REAL:
		text_add_double(m->out, v.d);
		break;
	case REPORT_TEXT:
		text_add_markdown(m->out, v.s);
		break;
	case REPORT_NULL:
		buf_add_str(m->out, MD_NOT_EVALUATED);
		break;
	}
}

void
md_int(struct md *m, struct report_int v)
{
	md_value(m, (struct report_value){ .type = v.known ? REPORT_INT : REPORT_NULL, .i = v.v });
}

void
md_code(struct md *m, struct slice s)
{
	if (s.n == 0)
		buf_add_str(m->out, MD_NOT_EVALUATED);
	else
		text_add_code(m->out, s);
}

void
md_time(struct md *m, int64_t ns)
{
	time_add_utc(m->out, ns, 3);
	if (m->zone != NULL) {
		buf_add_str(m->out, " (");
		time_add_zoned(m->out, ns, 3, m->zone);
		buf_add_char(m->out, ')');
	}
}

void
md_time_or_dash(struct md *m, struct report_int t)
{
	if (t.known)
		md_time(m, t.v);
	else
		buf_add_str(m->out, MD_NOT_EVALUATED);
}

void
md_latency(struct md *m, struct report_value ns)
{
	int64_t us, v = ns.i;

	if (ns.type != REPORT_INT) {
		buf_add_str(m->out, MD_NOT_EVALUATED);
		return;
	}
	if (v < 0) {
		buf_add_char(m->out, '-');
		v = -v;
	}
	us = (v + 500) / 1000;
	text_add_count(m->out, us / 1000);
	buf_addf(m->out, ".%03" PRId64, us % 1000);
}

void
md_share(struct md *m, int64_t part, int64_t whole)
{
	if (whole <= 0)
		buf_add_str(m->out, MD_NOT_EVALUATED);
	else
		text_add_percent(m->out, part, whole);
}

void
md_bad_share(struct md *m, int64_t part, int64_t whole, int64_t looked_at)
{
	if (part > 0 || looked_at <= 0) {
		md_share(m, part, part > 0 ? whole : 0);
		return;
	}
	buf_add_str(m->out, "0 (≤ ");
	text_add_zero_bound(m->out, looked_at);
	buf_add_str(m->out, " at 95 %)");
}

void
md_plural(struct md *m, int64_t n, const char *one, const char *many)
{
	text_add_count(m->out, n);
	buf_addf(m->out, " %s", n == 1 ? one : many);
}

size_t
md_scopes(const struct md *m)
{
	return 1 + m->r->scenarios.n + m->r->agents.n;
}

const struct report_scope *
md_scope(const struct md *m, size_t i)
{
	if (i == 0)
		return &m->r->total;
	if (--i < m->r->scenarios.n)
		return &m->r->scenarios.v[i].scope;
	return &m->r->agents.v[i - m->r->scenarios.n].scope;
}

void
md_scope_label(struct md *m, size_t i)
{
	if (i == 0) {
		buf_add_str(m->out, "total");
	} else if (i <= m->r->scenarios.n) {
		const struct report_scenario *s = &m->r->scenarios.v[i - 1];

		md_code(m, s->scope.id);
		if (!slice_eq(s->scope.id, s->kind)) {
			buf_add_str(m->out, " (");
			text_add_markdown(m->out, s->kind);
			buf_add_char(m->out, ')');
		}
		buf_add_str(m->out, s->warmup ? ", warm-up" : "");
	} else {
		buf_add_str(m->out, "agent ");
		md_code(m, md_scope(m, i)->id);
	}
}

static void
add_cell(struct md *m, const struct report_scope *scope, const struct md_column *c)
{
	struct report_value v = report_figure(scope, c->figure), of;

	switch (c->kind) {
	case MD_COUNT:
		md_value(m, v);
		return;
	case MD_LATENCY:
		md_latency(m, v);
		return;
	case MD_SHARE:
	case MD_BAD_SHARE:
		of = report_figure(scope, c->of);
		if (v.type != REPORT_INT || of.type != REPORT_INT)
			buf_add_str(m->out, MD_NOT_EVALUATED);
		else if (c->kind == MD_SHARE)
			md_share(m, v.i, of.i);
		else
			md_bad_share(m, v.i, of.i, of.i - (c->unseen != NULL ? report_figure_int(scope, c->unseen) : 0));
		return;
	}
}

void
md_scope_table(struct md *m, const struct md_column *columns, size_t n)
{
	buf_add_str(m->out, "| |");
	for (size_t c = 0; c < n; c++)
		buf_addf(m->out, " %s |", columns[c].head);
	buf_add_str(m->out, "\n|---|");
	for (size_t c = 0; c < n; c++)
		buf_add_str(m->out, "--:|");
	buf_add_char(m->out, '\n');
	for (size_t i = 0; i < md_scopes(m); i++) {
		buf_add_str(m->out, "| ");
		md_scope_label(m, i);
		buf_add_str(m->out, " |");
		for (size_t c = 0; c < n; c++) {
			buf_add_char(m->out, ' ');
			add_cell(m, md_scope(m, i), &columns[c]);
			buf_add_str(m->out, " |");
		}
		buf_add_char(m->out, '\n');
	}
	buf_add_char(m->out, '\n');
}
