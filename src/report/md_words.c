#include "config.h"

#include "report/md.h"

#include <inttypes.h>
#include <string.h>

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
	uint64_t us, v = ns.i < 0 ? -(uint64_t)ns.i : (uint64_t)ns.i;

	if (ns.type != REPORT_INT) {
		buf_add_str(m->out, MD_NOT_EVALUATED);
		return;
	}
	if (ns.i < 0)
		buf_add_char(m->out, '-');
	us = (v + 500) / 1000;
	text_add_count(m->out, (int64_t)(us / 1000));
	buf_addf(m->out, ".%03" PRIu64, us % 1000);
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

/* Rules write comparisons in ASCII and names between backticks. A `>` inside a line is no markup, and good to read as it is. */
void
md_add_rule_text(struct buf *out, struct slice s)
{
	size_t from = 0, i = 0;

	while (i < s.n) {
		const char *close = s.p[i] == '`' ? memchr(s.p + i + 1, '`', s.n - i - 1) : NULL;
		bool comparison = (s.p[i] == '<' || s.p[i] == '>') && i + 1 < s.n && s.p[i + 1] == '=';
		bool greater = s.p[i] == '>' && i + 1 < s.n && s.p[i + 1] == ' ';

		if (close == NULL && !comparison && !greater) {
			i++;
			continue;
		}
		text_add_markdown(out, (struct slice){ s.p + from, i - from });
		if (close != NULL) {
			text_add_code(out, (struct slice){ s.p + i + 1, (size_t)(close - s.p) - i - 1 });
			i = (size_t)(close - s.p) + 1;
		} else if (comparison) {
			buf_add_str(out, s.p[i] == '<' ? "≤" : "≥");
			i += 2;
		} else {
			buf_add_char(out, s.p[i++]);
		}
		from = i;
	}
	text_add_markdown(out, (struct slice){ s.p + from, s.n - from });
}

void
md_rule_text(struct md *m, struct slice s)
{
	md_add_rule_text(m->out, s);
}

void
md_place(struct md *m, struct slice file, int64_t line)
{
	text_add_markdown(m->out, file);
	if (line > 0)
		buf_addf(m->out, ":%" PRId64, line);
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
	int64_t part, unseen;

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
			of.i = 0;
		part = v.i + (c->besides != NULL ? report_figure_int(scope, c->besides) : 0);
		unseen = c->unseen != NULL ? report_figure_int(scope, c->unseen) : 0;
		if (c->kind == MD_SHARE)
			md_share(m, part, of.i > unseen ? of.i : 0);
		else
			md_bad_share(m, part, of.i, of.i - unseen);
		return;
	}
}

/* Is it a rare count that is known to be 0 in every scope? */
static bool
is_nowhere(const struct md *m, const struct md_column *c)
{
	if (!c->rare)
		return false;
	for (size_t i = 0; i < md_scopes(m); i++) {
		struct report_value v = report_figure(md_scope(m, i), c->figure);

		/* Agents have no plan of their own: what is not evaluated there says nothing. */
		if (v.type == REPORT_INT ? v.i != 0 : i == 0)
			return false;
	}
	return true;
}

static void
add_nowhere(struct md *m, const struct md_column *columns, size_t n)
{
	bool any = false;

	for (size_t c = 0; c < n; c++) {
		if (!is_nowhere(m, &columns[c]))
			continue;
		buf_addf(m->out, "%s%s", any ? ", " : "0 everywhere: ", columns[c].head);
		any = true;
	}
	buf_add_str(m->out, any ? ".\n\n" : "");
}

void
md_scope_table(struct md *m, const struct md_column *columns, size_t n)
{
	buf_add_str(m->out, "| |");
	for (size_t c = 0; c < n; c++)
		if (!is_nowhere(m, &columns[c]))
			buf_addf(m->out, " %s |", columns[c].head);
	buf_add_str(m->out, "\n|---|");
	for (size_t c = 0; c < n; c++)
		buf_add_str(m->out, is_nowhere(m, &columns[c]) ? "" : "--:|");
	buf_add_char(m->out, '\n');
	for (size_t i = 0; i < md_scopes(m); i++) {
		buf_add_str(m->out, "| ");
		md_scope_label(m, i);
		buf_add_str(m->out, " |");
		for (size_t c = 0; c < n; c++) {
			if (is_nowhere(m, &columns[c]))
				continue;
			buf_add_char(m->out, ' ');
			add_cell(m, md_scope(m, i), &columns[c]);
			buf_add_str(m->out, " |");
		}
		buf_add_char(m->out, '\n');
	}
	buf_add_char(m->out, '\n');
	add_nowhere(m, columns, n);
}
