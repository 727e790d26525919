/* classify/outcome.c - what became of every attempt, and the outcome of the message (truth model, section 1). */
#include "config.h"

#include <stdlib.h>

#include "classify/run.h"

struct attempt_state {
	bool answered; /* a `ctrl` with a code from 200 */
	bool failed;
	bool unwritten; /* `fail write` with 0 bytes */
	bool timed_out; /* so far, in the order of answers */
};

struct judging {
	struct run *r;
	struct message *m;
	VEC(struct attempt_state) state; /* by attempt of the message, skips too */
	bool ack_without_seq;
};

static uint32_t
agent_of(const struct run *r, uint64_t place)
{
	return r->ledger->files[place_file(place)].agent;
}

/* The attempt with the answer's id, of the same agent; of several the last at or before it. */
static uint32_t
attempt_by_id(const struct run *r, const struct message *m, const struct answer *a)
{
	uint32_t found = NONE;

	for (uint32_t i = 0; i < m->nattempts && a->id != NONE; i++) {
		const struct attempt *p = &r->ledger->attempts.v[m->attempt0 + i];

		if (p->kind == ATTEMPT_PUB && p->id == a->id && agent_of(r, p->place) == agent_of(r, a->place) &&
		    (found == NONE || p->t <= a->t))
			found = i;
	}
	return found;
}

/* The last `pub` at or before the answer, else the first. *ret_candidates: how many lie at or before it. */
static uint32_t
attempt_by_time(const struct run *r, const struct message *m, const struct answer *a, uint32_t *ret_candidates)
{
	uint32_t found = NONE;

	*ret_candidates = 0;
	for (uint32_t i = 0; i < m->nattempts; i++) {
		const struct attempt *p = &r->ledger->attempts.v[m->attempt0 + i];

		if (p->kind != ATTEMPT_PUB || (found != NONE && p->t > a->t))
			continue;
		found = i;
		*ret_candidates += p->t <= a->t;
	}
	return found;
}

static void
take_ack(struct judging *j, uint32_t answer, const struct answer *a, bool ambiguous)
{
	const struct attempt *p = &j->r->ledger->attempts.v[j->m->attempt0 + a->attempt];
	struct message *m = j->m;

	if (j->state.v[a->attempt].timed_out)
		m->anomalies |= 1u << ANOMALY_late_ack;
	if (m->ack != NONE) {
		if (a->seq != m->ack_seq)
			m->anomalies |= 1u << ANOMALY_multi_seq;
		return;
	}
	m->ack = answer;
	m->ack_seq = a->seq;
	m->code = a->code;
	m->ack_ns = a->t - p->t;
	if (m->first_plan != NO_TIME)
		m->ack_from_plan_ns = a->t - m->first_plan;
	m->ack_ambiguous = ambiguous;
}

static void
take_ctrl(struct judging *j, uint32_t answer, const struct answer *a, bool ambiguous)
{
	if (a->code == NO_TIME || a->code < 200)
		return; /* no answer */
	if (a->attempt != NONE)
		j->state.v[a->attempt].answered = true;
	if (a->code <= 299 && (a->seq == NO_TIME || a->seq < 1))
		j->ack_without_seq = true;
	else if (a->code <= 299 && a->attempt != NONE)
		take_ack(j, answer, a, ambiguous);
	if (j->m->ack == NONE)
		j->m->code = a->code;
}

static void
take_fail(struct judging *j, const struct answer *a)
{
	struct attempt_state *s = a->attempt != NONE ? &j->state.v[a->attempt] : NULL;
	struct slice why = ledger_text_slice(j->r->ledger, a->why);

	if (s == NULL)
		return;
	s->failed = true;
	if (slice_eq(why, SLICE("timeout")))
		s->timed_out = true;
	if (slice_eq(why, SLICE("write")) && a->bytes == 0)
		s->unwritten = true;
}

static void
conclude(struct judging *j)
{
	struct message *m = j->m;
	bool open = false, written = false;

	for (uint32_t i = 0; i < m->nattempts; i++) {
		const struct attempt *p = &j->r->ledger->attempts.v[m->attempt0 + i];
		const struct attempt_state *s = &j->state.v[i];
		uint32_t agent = agent_of(j->r, p->place);

		if (p->kind != ATTEMPT_PUB || (s->unwritten && !s->answered))
			continue;
		written = true;
		if (s->answered)
			continue;
		open = true;
		if (!s->failed && agent != NONE && j->r->agents[agent].cut_off)
			m->cut_off++;
		else if (!s->failed)
			m->no_answer++;
	}
	if (m->npubs == 0 && m->nanswers > 0) {
		open = true; /* its `pub` is lost */
		j->r->lost_pubs += !m->excluded;
	}
	if (j->ack_without_seq)
		m->anomalies |= 1u << ANOMALY_ack_without_seq;
	if (m->ack != NONE)
		m->outcome = OUTCOME_ACKED;
	else if (open || j->ack_without_seq)
		m->outcome = OUTCOME_UNKNOWN;
	else
		m->outcome = written ? OUTCOME_REJECTED : OUTCOME_UNSENT;
}

static enum imp_rc
judge_message(struct judging *j, struct imp_err *err)
{
	struct message *m = j->m;
	enum imp_rc rc = VEC_RESERVE(NULL, &j->state, m->nattempts, err);

	if (rc != IMP_OK)
		return rc;
	memset(j->state.v, 0, m->nattempts * sizeof(*j->state.v));
	j->ack_without_seq = false;
	for (uint32_t i = 0; i < m->nanswers; i++) {
		struct answer *a = &j->r->ledger->answers.v[m->answer0 + i];
		uint32_t candidates = 0;

		a->attempt = attempt_by_id(j->r, m, a);
		if (a->attempt == NONE)
			a->attempt = attempt_by_time(j->r, m, a, &candidates);
		if (a->kind == ANSWER_CTRL)
			take_ctrl(j, m->answer0 + i, a, candidates > 1);
		else
			take_fail(j, a);
	}
	conclude(j);
	return IMP_OK;
}

enum imp_rc
outcome_judge(struct run *r, struct imp_err *err)
{
	struct judging j = { .r = r };
	enum imp_rc rc = IMP_OK;

	for (uint32_t i = 0; i < r->nmessages && rc == IMP_OK; i++) {
		j.m = &r->messages[i];
		rc = judge_message(&j, err);
	}
	VEC_FREE(NULL, &j.state);
	return rc;
}
