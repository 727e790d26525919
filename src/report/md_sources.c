#include "config.h"

#include "report/md.h"

#include "base/text.h"

/* How the times of a log were settled; NULL: nothing to say. */
static const char *
zone_words(struct slice zone)
{
	static const struct {
		const char *name, *words;
	} zones[] = {
		{ "log_zone", "zone by run.json" },
		{ "other_line", "zone by other lines of it" },
		{ "anchored", "zone by the messages it names" },
		{ "unknown", "**zone unknown**: no good for timing" },
	};

	for (size_t i = 0; i < sizeof(zones) / sizeof(*zones); i++)
		if (slice_eq(slice_of(zones[i].name), zone))
			return zones[i].words;
	return NULL;
}

/* What follows is one more remark of a cell. */
static void
begin_remark(struct md *m, size_t start)
{
	buf_add_str(m->out, m->out->n > start ? "; " : "");
}

static void
add_count_remark(struct md *m, size_t start, int64_t n, const char *one, const char *many)
{
	if (n == 0)
		return;
	begin_remark(m, start);
	md_plural(m, n, one, many);
}

static void
add_remarks(struct md *m, const struct report_source *s)
{
	size_t start = m->out->n;
	const char *zone = zone_words(s->zone);

	if (s->cut)
		buf_add_str(m->out, "**cut**: a part is missing");
	if (s->sampled) {
		begin_remark(m, start);
		buf_add_str(m->out, "**sampled**: it leaves some out");
	}
	if (s->limited) {
		begin_remark(m, start);
		buf_add_str(m->out, "**limited**: a limit was reached");
	}
	add_count_remark(m, start, s->gaps, "gap", "gaps");
	if (s->gaps > 0 && s->longest_gap_ns.known) {
		buf_add_str(m->out, ", the longest ");
		time_add_length(m->out, s->longest_gap_ns.v);
	}
	add_count_remark(m, start, s->damaged, "damaged", "damaged");
	add_count_remark(m, start, s->resent, "sent twice", "sent twice");
	if (zone != NULL) {
		begin_remark(m, start);
		buf_add_str(m->out, zone);
	}
	if (s->note.n > 0) {
		begin_remark(m, start);
		text_add_markdown(m->out, s->note);
	}
}

static void
add_source(struct md *m, const struct report_source *s)
{
	buf_add_str(m->out, "| ");
	md_code(m, s->name);
	buf_add_str(m->out, " | ");
	text_add_markdown(m->out, s->kind);
	buf_add_str(m->out, " | ");
	md_time_or_dash(m, s->first);
	buf_add_str(m->out, " | ");
	md_time_or_dash(m, s->last);
	buf_addf(m->out, " | %s | ", s->covers_load ? "yes" : "**no**");
	text_add_count(m->out, s->samples);
	buf_add_str(m->out, " | ");
	add_remarks(m, s);
	buf_add_str(m->out, " |\n");
}

static bool
is_open_log(const struct report_source *s)
{
	return !s->covers_load && slice_eq(s->kind, SLICE("log"));
}

/* What follows for counts. */
static void
add_lower_bounds(struct md *m)
{
	size_t open = 0, named = 0;

	for (size_t i = 0; i < m->r->sources.n; i++)
		open += is_open_log(&m->r->sources.v[i]);
	if (open == 0)
		return;
	for (size_t i = 0; i < m->r->sources.n; i++) {
		if (!is_open_log(&m->r->sources.v[i]))
			continue;
		buf_add_str(m->out, named++ > 0 ? ", " : open == 1 ? "The log of " : "The logs of ");
		md_code(m, m->r->sources.v[i].name);
	}
	buf_addf(m->out,
	    " %s not cover the load: what is counted in %s is a lower bound (≥), and what is absent from %s proves nothing.\n\n",
	    open == 1 ? "does" : "do", open == 1 ? "it" : "them", open == 1 ? "it" : "them");
}

static void
add_log_line(struct md *m, const struct report_log_line *x)
{
	buf_add_str(m->out, "| ");
	md_code(m, x->signature);
	buf_add_str(m->out, " | ");
	md_code(m, x->source);
	buf_add_str(m->out, x->covers_load ? " | " : " | ≥ ");
	text_add_count(m->out, x->n);
	buf_add_str(m->out, " | ");
	md_time_or_dash(m, x->first);
	buf_add_str(m->out, " | ");
	md_time_or_dash(m, x->last);
	buf_add_str(m->out, " | ");
	md_place(m, x->path, x->line);
	buf_add_str(m->out, " |\n");
}

/* All that was found, at whatever time: causes count what lies in their seconds. */
static void
add_log_lines(struct md *m)
{
	if (m->r->log_lines.n == 0)
		return;
	buf_add_str(m->out,
	    "Lines of logs that mean something (`impaudit rules explain` says what), at whatever time; causes count those in their seconds.\n\n"
	    "| signature | log | lines | first | last | the first one |\n|---|---|--:|---|---|---|\n");
	for (size_t i = 0; i < m->r->log_lines.n; i++)
		add_log_line(m, &m->r->log_lines.v[i]);
	buf_add_char(m->out, '\n');
}

void
md_sources(struct md *m)
{
	if (m->r->sources.n == 0)
		return;
	buf_add_str(m->out,
	    "| source | kind | first | last | covers the load | lines or samples | |\n|---|---|---|---|---|--:|---|\n");
	for (size_t i = 0; i < m->r->sources.n; i++)
		add_source(m, &m->r->sources.v[i]);
	buf_add_char(m->out, '\n');
	add_lower_bounds(m);
	add_log_lines(m);
}
