#include "config.h"

#include <stdlib.h>

#include "base/buf.h"
#include "classify/write.h"
#include "ingest/record.h"
#include "sql_gen.h"

static void
write_conns(struct out *o, const struct run *r)
{
	const struct ledger *l = r->ledger;

	for (uint32_t i = 0; i < l->accounts.n; i++) {
		uint32_t account = r->account_at[i], first = r->conn0[account];

		for (uint32_t k = first; k < r->conn0[account + 1]; k++) {
			const struct conn *c = &l->conns.v[k];

			out_begin(o, sql_classify_insert_conn);
			out_int(o, i);
			out_int(o, k - first);
			out_int(o, c->t);
			out_str(o, conn_state_name(c->state));
			out_text(o, ledger_text_slice(l, c->pod));
			out_opt(o, c->code);
			out_redacted(o, ledger_text_slice(l, c->why));
			out_text(o, ledger_text_slice(l, c->peer));
			out_place(o, c->place);
			out_end(o);
		}
	}
}

static void
write_clock(struct out *o, const struct ledger *l, const struct note *n, int64_t no)
{
	out_begin(o, sql_classify_insert_clock);
	out_int(o, no);
	out_int(o, n->agent);
	out_int(o, n->t);
	out_int(o, n->a);
	out_opt(o, n->b);
	out_text(o, ledger_text_slice(l, n->text));
	out_place(o, n->place);
	out_end(o);
}

static void
write_calibration(struct out *o, const struct ledger *l, const struct note *n, int64_t no)
{
	out_begin(o, sql_classify_insert_calibration);
	out_int(o, no);
	out_int(o, n->agent);
	out_int(o, n->t);
	out_real(o, n->real);
	out_int(o, n->a);
	out_text(o, ledger_text_slice(l, n->text));
	out_text(o, ledger_text_slice(l, n->text2));
	out_place(o, n->place);
	out_end(o);
}

static void
write_agent_mark(struct out *o, const struct ledger *l, const struct note *n, int64_t no)
{
	out_begin(o, sql_classify_insert_agent_mark);
	out_int(o, no);
	out_number(o, n->agent);
	out_text(o, ledger_text_slice(l, n->text));
	out_int(o, n->t);
	out_place(o, n->place);
	out_end(o);
}

void
write_events(struct out *o, const struct run *r)
{
	const struct ledger *l = r->ledger;

	write_conns(o, r);
	for (size_t i = 0; i < l->notes.n; i++) {
		const struct note *n = &l->notes.v[i];

		if (n->kind == NOTE_MARK)
			write_agent_mark(o, l, n, (int64_t)i);
		else if (n->kind == NOTE_CLOCK && n->agent != NONE)
			write_clock(o, l, n, (int64_t)i);
		else if (n->kind == NOTE_CALIBRATION && n->agent != NONE)
			write_calibration(o, l, n, (int64_t)i);
	}
	for (size_t i = 0; i < l->health.n; i++) {
		const struct health *h = &l->health.v[i];

		if (h->agent == NONE)
			continue;
		out_begin(o, sql_classify_insert_health);
		out_int(o, (int64_t)i);
		out_int(o, h->agent);
		out_int(o, h->t);
		out_str(o, record_key_name((enum record_key)h->key));
		out_real(o, h->value);
		out_place(o, h->place);
		out_end(o);
	}
}

/* ------------------------------------------------------------------ messages */

static void
write_attempts(struct out *o, const struct run *r, uint32_t no, const struct message *m)
{
	const struct ledger *l = r->ledger;

	for (uint32_t i = 0; i < m->nattempts; i++) {
		const struct attempt *a = &l->attempts.v[m->attempt0 + i];

		out_begin(o, sql_classify_insert_attempt);
		out_int(o, no);
		out_int(o, i);
		out_str(o, a->kind == ATTEMPT_PUB ? "pub" : "skip");
		out_int(o, a->t);
		out_opt(o, a->plan);
		out_int(o, r->topic_no[a->topic]);
		out_int(o, r->account_no[a->from]);
		out_opt(o, a->try);
		out_text(o, ledger_text_slice(l, a->id));
		out_redacted(o, ledger_text_slice(l, a->why));
		out_opt(o, a->size);
		out_place(o, a->place);
		out_end(o);
	}
}

static void
write_answers(struct out *o, const struct run *r, uint32_t no, const struct message *m)
{
	const struct ledger *l = r->ledger;

	for (uint32_t i = 0; i < m->nanswers; i++) {
		const struct answer *a = &l->answers.v[m->answer0 + i];

		out_begin(o, sql_classify_insert_answer);
		out_int(o, no);
		out_int(o, i);
		out_str(o, a->kind == ANSWER_CTRL ? "ctrl" : "fail");
		out_int(o, a->t);
		out_number(o, a->attempt);
		out_opt(o, a->code);
		out_opt(o, a->seq);
		out_redacted(o, ledger_text_slice(l, a->why));
		out_opt(o, a->bytes);
		out_redacted(o, ledger_text_slice(l, a->text));
		out_place(o, a->place);
		out_end(o);
	}
}

static void
out_anomalies(struct out *o, const struct message *m, struct buf *text)
{
	buf_clear(text);
	for (int a = 0; a < _ANOMALY_MAX; a++) {
		if (m->anomalies >> a & 1)
			buf_addf(text, "%s%s", text->n > 0 ? " " : "", anomaly_name((enum anomaly)a));
	}
	if (o->rc == IMP_OK)
		o->rc = buf_status(text, o->err);
	out_text(o, buf_slice(text));
}

static void
write_message(struct out *o, const struct run *r, uint32_t no, struct buf *scratch)
{
	const struct message *m = &r->messages[no];
	const struct scenario *sc = &r->scenarios.v[m->scenario];
	const struct seen *s = &m->seen;

	out_begin(o, sql_classify_insert_message);
	out_int(o, no);
	out_text(o, run_mid(r, m));
	out_int(o, r->topic_no[m->topic]);
	out_int(o, r->account_no[m->sender]);
	out_number(o, m->agent);
	out_number(o, sc->fits_none ? NONE : m->scenario);
	out_int(o, m->excluded);
	out_opt(o, m->first_plan);
	out_opt(o, m->first_pub);
	out_opt(o, sc->window_end);
	out_int(o, m->npubs);
	out_str(o, outcome_name(m->outcome));
	out_str(o, observed_name(m->observed));
	out_str(o, persisted_name(m->persisted));
	out_str(o, class_name(m->class));
	out_opt(o, m->code);
	out_opt(o, m->known_seq);
	out_opt(o, m->ack != NONE ? r->ledger->answers.v[m->ack].t : NO_TIME);
	out_opt(o, m->ack_ns);
	out_int(o, s->expected);
	out_int(o, s->unique);
	out_int(o, s->late);
	out_int(o, s->unwitnessed);
	out_int(o, s->missing);
	out_int(o, s->further);
	out_int(o, s->disconnected);
	out_int(o, s->copies);
	out_int(o, m->in_history);
	out_int(o, m->witness_conflict);
	out_anomalies(o, m, scratch);
	out_str(o, m->last_layer);
	out_str(o, m->place);
	out_end(o);
}

/* A bit for each member of the topic that messages of the scenario are expected at. */
static void
write_expectation(struct out *o, const struct run *r, const struct message *m, struct buf *bits)
{
	const struct topic *t = run_topic(r, m);

	buf_clear(bits);
	for (uint32_t i = 0; i < t->nmembers; i += 8) {
		unsigned byte = 0;

		for (uint32_t k = i; k < t->nmembers && k < i + 8; k++) {
			if (t->kind == KIND_P2P || run_expects(r, m, t->kind, t->members[k]))
				byte |= 1u << (k - i);
		}
		buf_add_char(bits, (char)byte);
	}
	if (o->rc == IMP_OK)
		o->rc = buf_status(bits, o->err);
	out_begin(o, sql_classify_insert_expectation);
	out_int(o, r->topic_no[m->topic]);
	out_int(o, r->scenarios.v[m->scenario].fits_none ? -1 : (int64_t)m->scenario);
	out_blob(o, buf_slice(bits).p, bits->n);
	out_end(o);
}

static void
write_expectations(struct out *o, const struct run *r, struct buf *bits)
{
	size_t n = r->ledger->topics.n * r->scenarios.n;
	bool *done = calloc(n + 1, sizeof(*done));

	if (done == NULL && o->rc == IMP_OK)
		o->rc = imp_err_set(o->err, IMP_E_NOMEM, "out of memory: expectations");
	for (uint32_t i = 0; i < r->nmessages && o->rc == IMP_OK; i++) {
		const struct message *m = &r->messages[i];
		size_t at = m->topic * r->scenarios.n + m->scenario;

		if (!done[at] && run_topic(r, m)->listed)
			write_expectation(o, r, m, bits);
		done[at] = true;
	}
	free(done);
}

void
write_messages(struct out *o, const struct run *r)
{
	struct buf scratch = BUF_INIT((size_t)64 << 20);

	for (uint32_t i = 0; i < r->nmessages; i++) {
		write_message(o, r, i, &scratch);
		write_attempts(o, r, i, &r->messages[i]);
		write_answers(o, r, i, &r->messages[i]);
	}
	write_expectations(o, r, &scratch);
	buf_done(&scratch);
}
