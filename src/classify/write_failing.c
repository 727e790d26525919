/* classify/write_failing.c - where accounts were READY, and which messages failed: what causes are weighed against. */
#include "config.h"

#include "classify/write.h"
#include "sql_gen.h"

/* One `ready` line, and the next line of its account (`end`: behind its last one), which ends it whatever it says. */
static void
write_interval(struct out *o, const struct run *r, uint32_t account_no, uint32_t ready, uint32_t end)
{
	const struct ledger *l = r->ledger;
	const struct conn *from = &l->conns.v[ready], *to = ready + 1 < end ? from + 1 : NULL, *last = to != NULL ? to : from;

	out_begin(o, sql_classify_insert_presence);
	out_int(o, account_no);
	out_int(o, from->t);
	out_opt(o, to != NULL ? to->t : NO_TIME);
	out_text(o, ledger_text_slice(l, watch_pod(r, ready)));
	out_str(o, to != NULL ? conn_state_name(to->state) : NULL);
	out_redacted(o, ledger_text_slice(l, to != NULL ? to->why : NONE));
	out_opt(o, to != NULL ? to->code : NO_TIME);
	out_text(o, ledger_text_slice(l, last->peer));
	out_place(o, last->place);
	out_end(o);
}

void
write_presence(struct out *o, const struct run *r)
{
	const struct conn *v = r->ledger->conns.v;

	for (uint32_t i = 0; i < r->ledger->accounts.n; i++) {
		uint32_t account = r->account_at[i], first = r->conn0[account], end = r->conn0[account + 1];
		int64_t written = NO_TIME;

		/* of two that begin in one nanosecond the later line counts */
		for (uint32_t k = end; k-- > first;) {
			if (v[k].state != CONN_READY || v[k].t == written)
				continue;
			write_interval(o, r, i, k, end);
			written = v[k].t;
		}
	}
}

/* When the last word on a message came, at the earliest its first attempt. */
static int64_t
last_answer(const struct run *r, const struct message *m)
{
	int64_t t = m->nanswers > 0 ? r->ledger->answers.v[m->answer0 + m->nanswers - 1].t : m->first_t;

	return t > m->first_t ? t : m->first_t;
}

void
write_failing(struct out *o, const struct run *r)
{
	for (uint32_t i = 0; i < r->nmessages; i++) {
		const struct message *m = &r->messages[i];
		bool late_ack = m->anomalies >> ANOMALY_late_ack & 1;
		uint32_t ready;

		if (m->excluded || (m->class == CLASS_ok && !late_ack))
			continue;
		ready = watch_last_ready(r, m->sender, m->first_t);
		out_begin(o, sql_classify_insert_failing);
		out_int(o, i);
		out_int(o, m->first_t);
		out_int(o, last_answer(r, m));
		out_text(o, ledger_text_slice(r->ledger, ready != NONE ? watch_pod(r, ready) : NONE));
		out_int(o, late_ack);
		out_end(o);
	}
}
