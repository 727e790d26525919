#include "config.h"

#include "report/md.h"

#include "base/text.h"

/* "12 of them are listed below" when a list is cut; the total is always exact. */
static void
add_total(struct md *m, int64_t all, size_t listed, const char *one, const char *many)
{
	if (all == 0) {
		buf_add_str(m->out, "None.\n\n");
		return;
	}
	md_plural(m, all, one, many);
	if ((uint64_t)all > listed) {
		buf_add_str(m->out, ", the first ");
		text_add_count(m->out, (int64_t)listed);
		buf_add_str(m->out, " of them here (`--limit` shows more)");
	}
	buf_add_str(m->out, listed > 0 ? ":\n\n" : ".\n\n");
}

static void
add_separator(struct md *m)
{
	buf_add_str(m->out, " | ");
}

/* The last cell of a row: where the message was tried first. */
static void
add_attempt(struct md *m, struct slice path, int64_t line)
{
	add_separator(m);
	if (path.p == NULL)
		buf_add_str(m->out, MD_NOT_EVALUATED);
	else
		md_place(m, path, line);
	buf_add_str(m->out, " |\n");
}

/* Few receivers that miss everything are another fault than many that miss a little. */
static void
add_receivers(struct md *m)
{
	if (m->r->receivers.n == 0)
		return;
	md_plural(m, m->r->receivers_total, "receiver misses", "receivers miss");
	buf_add_str(m->out, " something. ");
	buf_add_str(m->out,
	    (uint64_t)m->r->receivers_total <= m->r->receivers.n ? "They are:\n\n" :
		m->r->run.has_conns				 ? "Those that miss most while connected:\n\n" :
								   "Those that miss most:\n\n");
	buf_add_str(m->out,
	    "| receiver | missing | of these while connected throughout | topics | first published | last published |\n"
	    "|---|--:|--:|--:|---|---|\n");
	for (size_t i = 0; i < m->r->receivers.n; i++) {
		const struct report_receiver *x = &m->r->receivers.v[i];

		buf_add_str(m->out, "| ");
		md_code(m, x->name);
		add_separator(m);
		text_add_count(m->out, x->missing);
		add_separator(m);
		md_int(m, x->connected);
		add_separator(m);
		text_add_count(m->out, x->topics);
		add_separator(m);
		md_time_or_dash(m, x->first);
		add_separator(m);
		md_time_or_dash(m, x->last);
		buf_add_str(m->out, " |\n");
	}
	buf_add_char(m->out, '\n');
}

static void
add_missing(struct md *m)
{
	buf_add_str(m->out, "## Every missing delivery\n\n");
	if (!m->r->missing_total.known) {
		buf_add_str(m->out, "Not evaluated.\n\n");
		return;
	}
	add_receivers(m);
	add_total(m, m->r->missing_total.v, m->r->missing.n, "delivery", "deliveries");
	if (m->r->missing.n == 0)
		return;
	buf_add_str(m->out,
	    "| topic | sender | receiver | message | seq | published | acked | window ends | receiver connected throughout | sent at |\n"
	    "|---|---|---|---|--:|---|---|---|---|---|\n");
	for (size_t i = 0; i < m->r->missing.n; i++) {
		const struct report_missing *x = &m->r->missing.v[i];

		buf_add_str(m->out, "| ");
		md_code(m, x->topic);
		add_separator(m);
		md_code(m, x->sender);
		add_separator(m);
		md_code(m, x->receiver);
		add_separator(m);
		md_code(m, x->mid);
		add_separator(m);
		md_int(m, x->seq);
		add_separator(m);
		md_time_or_dash(m, x->first_pub);
		add_separator(m);
		md_time_or_dash(m, x->ack_t);
		add_separator(m);
		md_time_or_dash(m, x->window_end);
		add_separator(m);
		buf_add_str(m->out, !x->disconnected.known ? MD_NOT_EVALUATED : x->disconnected.v != 0 ? "no" : "yes");
		add_attempt(m, x->path, x->line);
	}
	buf_add_char(m->out, '\n');
}

static void
add_lost(struct md *m)
{
	buf_add_str(m->out, "## Every message whose storage is lost, wrong or unproven\n\n");
	add_total(m, m->r->losses_total, m->r->losses.n, "message", "messages");
	if (m->r->losses.n == 0)
		return;
	buf_add_str(m->out,
	    "| topic | sender | message | seq | published | acked | class | stored | last seen in | place in its topic | sent at |\n"
	    "|---|---|---|--:|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < m->r->losses.n; i++) {
		const struct report_loss *x = &m->r->losses.v[i];

		buf_add_str(m->out, "| ");
		md_code(m, x->topic);
		add_separator(m);
		md_code(m, x->sender);
		add_separator(m);
		md_code(m, x->mid);
		add_separator(m);
		md_int(m, x->seq);
		add_separator(m);
		md_time_or_dash(m, x->first_pub);
		add_separator(m);
		md_time_or_dash(m, x->ack_t);
		add_separator(m);
		md_code(m, x->klass);
		add_separator(m);
		md_code(m, x->persisted);
		add_separator(m);
		md_code(m, x->last_layer);
		add_separator(m);
		md_code(m, x->place);
		add_attempt(m, x->path, x->line);
	}
	buf_add_char(m->out, '\n');
}

void
md_losses(struct md *m)
{
	add_missing(m);
	add_lost(m);
}
