#include "config.h"

#include "report/md.h"

#include "base/text.h"

static void
add_remarks(struct md *m, const struct report_server *s)
{
	if (s->path.p == NULL)
		buf_add_str(m->out, "no server said who it is");
	if (s->other)
		buf_add_str(m->out, "**another server** than the one that was asked before");
	if (s->lags)
		buf_addf(m->out, "%sa replica: its rows may be behind", s->other ? "; " : "");
	if (s->path.p != NULL) {
		buf_add_str(m->out, s->other || s->lags ? " (" : "");
		md_place(m, s->path, s->line);
		buf_add_str(m->out, s->other || s->lags ? ")" : "");
	}
}

static void
add_server(struct md *m, const struct report_server *s)
{
	const struct slice words[] = { s->source, s->address, s->version, s->id, s->role };

	buf_add_str(m->out, "| ");
	text_add_markdown(m->out, s->system);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		buf_add_str(m->out, " | ");
		md_code(m, words[i]);
	}
	buf_add_str(m->out, " | ");
	md_time_or_dash(m, s->first);
	buf_add_str(m->out, " | ");
	md_time_or_dash(m, s->last);
	buf_add_str(m->out, " | ");
	md_int(m, s->requests);
	buf_add_str(m->out, " | ");
	md_int(m, s->failed);
	buf_add_str(m->out, " | ");
	add_remarks(m, s);
	buf_add_str(m->out, " |\n");
}

/* Who was asked, and who answered. */
static void
add_servers(struct md *m)
{
	if (m->r->servers.n == 0)
		return;
	buf_add_str(m->out,
	    "Collected from live systems:\n\n"
	    "| system | instance | address | version | id | role | from | to | requests | not all got | |\n"
	    "|---|---|---|---|---|---|---|---|--:|--:|---|\n");
	for (size_t i = 0; i < m->r->servers.n; i++)
		add_server(m, &m->r->servers.v[i]);
	buf_add_char(m->out, '\n');
}

/* "- `mysql` `main`, rows of messages: **denied**, SELECT on im.dead (collect/1.jsonl:4)" */
static void
add_asked(struct md *m, const struct report_asked *x)
{
	buf_add_str(m->out, "- ");
	text_add_markdown(m->out, x->system);
	if (x->source.n > 0) {
		buf_add_char(m->out, ' ');
		md_code(m, x->source);
	}
	buf_add_str(m->out, ", ");
	text_add_markdown(m->out, x->what);
	buf_add_str(m->out, ": **");
	text_add_markdown(m->out, x->status);
	buf_add_str(m->out, "**");
	if (x->why.n > 0) {
		buf_add_str(m->out, ", ");
		text_add_markdown(m->out, x->why);
	}
	if (x->target.n > 0) {
		buf_add_str(m->out, ", so that a part of ");
		md_code(m, x->target);
		buf_add_str(m->out, " may be missing");
	}
	if (x->times > 1) {
		buf_add_str(m->out, ", ");
		md_plural(m, x->times, "time", "times");
	}
	buf_add_str(m->out, " (");
	md_place(m, x->path, x->line);
	buf_add_str(m->out, ")\n");
}

/* What was asked for and not got, or not all of it. */
static void
add_not_got(struct md *m)
{
	if (m->r->asked_total == 0)
		return;
	buf_add_str(m->out, "Asked for, and not got, or not all of it");
	if ((size_t)m->r->asked_total > m->r->asked.n) {
		buf_add_str(m->out, " (the first ");
		text_add_count(m->out, (int64_t)m->r->asked.n);
		buf_add_str(m->out, " of ");
		text_add_count(m->out, m->r->asked_total);
		buf_add_char(m->out, ')');
	}
	buf_add_str(m->out, ":\n\n");
	for (size_t i = 0; i < m->r->asked.n; i++)
		add_asked(m, &m->r->asked.v[i]);
	buf_add_char(m->out, '\n');
}

void
md_collected(struct md *m)
{
	add_servers(m);
	add_not_got(m);
}
