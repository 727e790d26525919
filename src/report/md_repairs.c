#include "config.h"

#include "report/md.h"

#include "base/text.h"
#include "report/repair_words.h"

static void
add_repair(struct md *m, const struct report_repair *x)
{
	buf_add_str(m->out, "| ");
	md_code(m, x->mid);
	buf_add_str(m->out, " | ");
	md_code(m, x->topic);
	buf_add_str(m->out, " | ");
	md_time_or_dash(m, x->since);
	buf_addf(m->out, " | check %lld, ", (long long)x->missed_check);
	md_time_or_dash(m, x->missed);
	buf_add_str(m->out, " (");
	md_place(m, x->missed_path, x->missed_line);
	buf_addf(m->out, ") | check %lld, ", (long long)x->check);
	md_time_or_dash(m, x->found);
	buf_add_str(m->out, " (");
	md_place(m, x->path, x->line);
	buf_add_str(m->out, ") | ");
	repair_add_span(x->lasted, m->out);
	buf_addf(m->out, " | %s", repair_words(x->how));
	if (x->letter_path.p != NULL) {
		buf_addf(m->out, x->how.p == NULL ? "; its dead letter is still %.*s (" : " (", SLICE_ARG(x->letter));
		md_place(m, x->letter_path, x->letter_line);
		buf_add_char(m->out, ')');
	}
	buf_add_str(m->out, " |\n");
}

/* What made it possible: a column that holds more than before. */
static void
add_changes(struct md *m)
{
	const struct report_repairs *x = &m->r->repairs;

	for (size_t i = 0; i < x->messages.n; i++) {
		const struct report_repair *v = &x->messages.v[i];
		bool said = v->changed.p == NULL;

		for (size_t k = 0; k < i && !said; k++)
			said = slice_eq(x->messages.v[k].changed, v->changed);
		if (said)
			continue;
		buf_add_str(m->out, "- Meanwhile a column became another: ");
		text_add_markdown(m->out, v->changed);
		buf_add_str(m->out, " (");
		md_place(m, v->changed_path, v->changed_line);
		buf_add_str(m->out, ").\n");
	}
}

static void
add_lengths(struct md *m)
{
	const struct report_repairs *x = &m->r->repairs;

	buf_add_str(m->out, "- From the ack to the row, as far as the look-ups tell: the shortest ");
	repair_add_span(x->shortest, m->out);
	buf_add_str(m->out, ", the median ");
	repair_add_span(x->median, m->out);
	buf_add_str(m->out, ", the longest ");
	repair_add_span(x->longest, m->out);
	buf_add_str(m->out, ".\n");
}

void
md_repairs(struct md *m)
{
	const struct report_repairs *x = &m->r->repairs;

	if (x->total == 0)
		return;
	buf_add_str(m->out, "## Repaired since: missing at an earlier look-up, stored now\n\n");
	md_plural(m, x->total, "message", "messages");
	buf_add_str(m->out, " had no row at an earlier look-up and ");
	buf_add_str(m->out, x->total == 1 ? "has" : "have");
	buf_add_str(m->out, " one at a later one: ");
	repair_add_ways(x, m->out);
	buf_add_str(m->out, ". The figures above are those of the last look-up.\n\n");
	add_lengths(m);
	add_changes(m);
	buf_add_str(m->out,
	    "\n| message | topic | acked | missing | there | lasted | what repaired it |\n|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < x->messages.n; i++)
		add_repair(m, &x->messages.v[i]);
	buf_add_char(m->out, '\n');
	if ((size_t)x->total > x->messages.n) {
		buf_add_str(m->out, "The first ");
		text_add_count(m->out, (int64_t)x->messages.n);
		buf_add_str(m->out, " of ");
		text_add_count(m->out, x->total);
		buf_add_str(m->out, ".\n\n");
	}
}
