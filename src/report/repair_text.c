#include "config.h"

#include "report/repair_text.h"

#include "base/text.h"
#include "report/repair_words.h"

/* "  m1 in p1: missing at check 1, there at check 2 (db/check-2/rows.jsonl:1), lasted 12 s to 3 min; replayed from the dead letters" */
static void
add_repair(const struct report_repair *x, struct buf *out)
{
	buf_add_str(out, "  ");
	text_add_terminal(out, x->mid);
	buf_add_str(out, " in ");
	text_add_terminal(out, x->topic);
	buf_addf(out, ": missing at check %lld, there at check %lld (", (long long)x->missed_check, (long long)x->check);
	text_add_terminal(out, x->path);
	buf_addf(out, ":%lld), lasted ", (long long)x->line);
	repair_add_span(x->lasted, out);
	buf_addf(out, "; %s%s", x->how.p == NULL ? "what repaired it is " : "", repair_words(x->how));
	if (x->changed.p != NULL) {
		buf_add_str(out, "; ");
		text_add_terminal(out, x->changed);
	}
	buf_add_char(out, '\n');
}

void
repair_text(const struct report_repairs *x, struct buf *out)
{
	buf_add_str(out, "repaired: ");
	text_add_count(out, x->total);
	if (x->total > 0) {
		buf_add_str(out, " (");
		repair_add_ways(x, out);
		buf_add_str(out, "); shortest ");
		repair_add_span(x->shortest, out);
		buf_add_str(out, ", median ");
		repair_add_span(x->median, out);
		buf_add_str(out, ", longest ");
		repair_add_span(x->longest, out);
	}
	buf_add_char(out, '\n');
	for (size_t i = 0; i < x->messages.n; i++)
		add_repair(&x->messages.v[i], out);
}
