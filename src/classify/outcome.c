/* classify/outcome.c - what became of every attempt, and the outcome of the message (truth model, section 1). */
#include "config.h"

#include <stdlib.h>

#include "base/cmp.h"
#include "base/search.h"
#include "classify/run.h"

struct attempt_state {
	bool answered; /* a `ctrl` with a code from 200 */
	bool failed;
	bool unwritten; /* `fail write` with 0 bytes */
	bool timed_out; /* so far, in the order of answers */
};

struct request { /* a `pub` of the message with a request id */
	uint32_t id, agent, attempt;
	int64_t t;
};

struct judging {
	struct run *r;
	struct message *m;
	VEC(struct attempt_state) state; /* by attempt of the message, skips too */
	VEC(struct request) requests;	 /* sorted */
	uint32_t passed;		 /* attempts at or before the answer at hand ... */
	uint32_t npubs, last_pub;	 /* ... and the `pub` lines among them; NONE */
	uint32_t first_pub;		 /* of all; NONE */
	bool ack_without_seq;
};

static uint32_t
agent_of(const struct run *r, uint64_t place)
{
	return r->ledger->files[place_file(place)].agent;
}

static int
request_cmp(const void *va, const void *vb)
{
	const struct request *a = va, *b = vb;

	CMP(a->id, b->id);
	CMP(a->agent, b->agent);
	CMP(a->t, b->t);
	CMP(a->attempt, b->attempt);
	return 0;
}

/* The message's `pub` lines: the first one, and those with a request id. */
static enum imp_rc
list_pubs(struct judging *j, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	j->requests.n = 0;
	j->passed = j->npubs = 0;
	j->first_pub = j->last_pub = NONE;
	for (uint32_t i = 0; i < j->m->nattempts && rc == IMP_OK; i++) {
		const struct attempt *p = &j->r->ledger->attempts.v[j->m->attempt0 + i];
		struct request request = { p->id, agent_of(j->r, p->place), i, p->t };

		if (p->kind != ATTEMPT_PUB)
			continue;
		if (j->first_pub == NONE)
			j->first_pub = i;
		if (p->id != NONE)
			rc = VEC_PUSH(NULL, &j->requests, request, err);
	}
	if (j->requests.n > 1)
		qsort(j->requests.v, j->requests.n, sizeof(*j->requests.v), request_cmp);
	return rc;
}

/* The attempt with the answer's id, of the same agent; of several the last at or before it, else the first. */
static uint32_t
attempt_by_id(const struct judging *j, const struct answer *a)
{
	const struct request *v = j->requests.v;
	const struct request key = { a->id, agent_of(j->r, a->place), UINT32_MAX, a->t };
	size_t i;

	/* the first request behind it */
	LOWER_BOUND(i, 0, a->id != NONE ? j->requests.n : 0, request_cmp(&v[i], &key) < 0);
	if (i > 0 && v[i - 1].id == key.id && v[i - 1].agent == key.agent)
		return v[i - 1].attempt;
	if (a->id != NONE && i < j->requests.n && v[i].id == key.id && v[i].agent == key.agent)
		return v[i].attempt;
	return NONE;
}

/* The last `pub` at or before the answer, else the first. Answers come in the order of time. */
static uint32_t
attempt_by_time(const struct judging *j)
{
	return j->last_pub != NONE ? j->last_pub : j->first_pub;
}

static void
pass_attempts(struct judging *j, int64_t t)
{
	const struct attempt *v = &j->r->ledger->attempts.v[j->m->attempt0];

	for (; j->passed < j->m->nattempts && v[j->passed].t <= t; j->passed++) {
		if (v[j->passed].kind != ATTEMPT_PUB)
			continue;
		j->last_pub = j->passed;
		j->npubs++;
	}
}

static void
take_ack(struct judging *j, uint32_t answer, const struct answer *a, bool ambiguous)
{
	struct message *m = j->m;

	if (a->attempt != NONE && j->state.v[a->attempt].timed_out)
		m->anomalies |= 1u << ANOMALY_late_ack;
	if (m->ack_seq != NO_TIME) {
		if (a->seq != m->ack_seq)
			m->anomalies |= 1u << ANOMALY_multi_seq;
		return;
	}
	m->ack_seq = a->seq;
	if (a->attempt == NONE)
		return; /* its `pub` is lost and the message unknown, but for the seq */
	m->ack = answer;
	m->code = a->code;
	m->ack_ns = a->t - j->r->ledger->attempts.v[m->attempt0 + a->attempt].t;
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
	else if (a->code <= 299)
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
	rc = list_pubs(j, err);
	if (rc != IMP_OK)
		return rc;
	for (uint32_t i = 0; i < m->nanswers; i++) {
		struct answer *a = &j->r->ledger->answers.v[m->answer0 + i];
		bool by_time;

		pass_attempts(j, a->t);
		a->attempt = attempt_by_id(j, a);
		by_time = a->attempt == NONE;
		if (by_time)
			a->attempt = attempt_by_time(j);
		if (a->kind == ANSWER_CTRL)
			take_ctrl(j, m->answer0 + i, a, by_time && j->npubs > 1);
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
	VEC_FREE(NULL, &j.requests);
	return rc;
}
