#include "config.h"

#include "agent/session.h"

#include <stdlib.h>

#include "base/cleanup.h"

#define ID_BYTES_MAX 256

void
session_init(struct session *s, const struct session_plan *plan)
{
	*s = (struct session){ .plan = plan, .next = 1 };
}

void
session_done(struct session *s)
{
	VEC_FREE(NULL, &s->waiting);
}

void
session_id(const struct session *s, uint32_t number, struct buf *out)
{
	buf_addf(out, "%s-%u", s->plan->account, number);
}

/* The number of an id of ours; 0: it is none. */
static uint32_t
number_of(const struct session *s, struct slice id)
{
	const struct slice account = slice_of(s->plan->account);
	uint64_t v = 0;

	if (id.n < account.n + 2 || !slice_has_prefix(id, account) || id.p[account.n] != '-')
		return 0;
	for (size_t i = account.n + 1; i < id.n; i++) {
		if (id.p[i] < '0' || id.p[i] > '9' || v > UINT32_MAX / 10)
			return 0;
		v = v * 10 + (uint64_t)(id.p[i] - '0');
	}
	return v <= UINT32_MAX ? (uint32_t)v : 0;
}

/* ------------------------------------------------------------------ steps to READY */

/* Send the request of the state that the session is in. */
static void
send_step(struct session *s, struct buf *out)
{
	const struct session_plan *p = s->plan;
	CLEANUP(buf_done) struct buf id = BUF_INIT(ID_BYTES_MAX);

	s->awaited = s->next++;
	session_id(s, s->awaited, &id);
	if (!buf_part_ok(out, &id))
		return;
	switch (s->state) {
	case SESSION_HI:
		wire_hi(p->client, id.p, out);
		break;
	case SESSION_LOGIN:
		if (p->token.n > 0)
			wire_login_token(id.p, p->token, out);
		else
			wire_login_basic(id.p, p->login, p->password, out);
		break;
	case SESSION_ME:
		wire_sub(id.p, SLICE("me"), out);
		break;
	case SESSION_TOPICS:
		wire_sub(id.p, p->topics[s->topic].wire, out);
		break;
	default:
		break;
	}
}

void
session_begin(struct session *s, struct buf *out)
{
	s->state = SESSION_HI;
	s->topic = 0;
	send_step(s, out);
}

void
session_again(struct session *s, struct buf *out)
{
	if (s->state > SESSION_DOWN && s->state < SESSION_READY)
		send_step(s, out);
}

/* The next step, or READY. */
static enum session_event_kind
go_on(struct session *s, struct buf *out)
{
	if (s->state == SESSION_TOPICS)
		s->topic++;
	else
		s->state++;
	if (s->state == SESSION_TOPICS && s->topic >= s->plan->ntopics) {
		s->state = SESSION_READY;
		return SESSION_IS_READY;
	}
	send_step(s, out);
	return SESSION_NOTHING;
}

static bool
is_locked(const struct wire_message *m)
{
	return m->code == 503 && slice_eq(m->text, SLICE("locked"));
}

static enum session_event_kind
take_step(struct session *s, const struct wire_message *m, struct buf *out)
{
	if (m->code >= 200 && m->code < 300)
		return go_on(s, out);
	if (m->code == 304) /* already subscribed */
		return go_on(s, out);
	if (is_locked(m)) /* the topic is being loaded */
		return SESSION_LATER;
	if (m->code < 300)
		return SESSION_NOTHING;
	s->state = SESSION_REFUSED;
	return SESSION_WAS_REFUSED;
}

/* ------------------------------------------------------------------ what comes */

static bool
take_waiting(struct session *s, uint32_t number, struct session_waiting *ret)
{
	for (size_t i = 0; i < s->waiting.n; i++) {
		if (s->waiting.v[i].number != number)
			continue;
		*ret = s->waiting.v[i];
		memmove(&s->waiting.v[i], &s->waiting.v[i + 1], (s->waiting.n - i - 1) * sizeof(s->waiting.v[0]));
		s->waiting.n--;
		return true;
	}
	return false;
}

static uint32_t
topic_of(const struct session *s, struct slice wire)
{
	for (uint32_t i = 0; i < s->plan->ntopics; i++) {
		if (slice_eq(s->plan->topics[i].wire, wire))
			return s->plan->topics[i].number;
	}
	return SESSION_NO_TOPIC;
}

static void
take_answer(struct session *s, const struct wire_message *m, struct buf *out, struct session_event *ret)
{
	ret->number = number_of(s, m->id);
	if (ret->number == 0) {
		if (m->code == 205)
			ret->kind = SESSION_EVICTED;
		return;
	}
	if (s->state < SESSION_READY) {
		if (ret->number == s->awaited)
			ret->kind = take_step(s, m, out);
		return;
	}
	if (slice_eq(m->what, SLICE("data"))) {
		ret->kind = SESSION_PAGE;
		return;
	}
	ret->kind = SESSION_ANSWER;
	if (!take_waiting(s, ret->number, &ret->waiting))
		ret->waiting.number = 0;
}

void
session_take(struct session *s, const struct wire_message *m, struct buf *out, struct session_event *ret)
{
	*ret =
	    (struct session_event){ .code = m->code, .seq = m->seq, .count = m->count, .text = m->text, .topic = SESSION_NO_TOPIC };
	if (m->kind == WIRE_CTRL) {
		take_answer(s, m, out, ret);
	} else if (m->kind == WIRE_DATA && m->mid.n > 0) {
		ret->kind = SESSION_DELIVERY;
		ret->mid = m->mid;
		ret->from = m->from;
		ret->run_id = m->run_id;
		ret->topic = topic_of(s, m->topic);
	}
}

void
session_end(struct session *s)
{
	s->state = SESSION_DOWN;
}

void
session_forget(struct session *s)
{
	s->waiting.n = 0;
}

/* ------------------------------------------------------------------ what goes */

enum imp_rc
session_publish(struct session *s, const struct session_topic *topic, const struct wire_publish *p, const struct session_waiting *w,
    struct buf *out, uint32_t *ret_number, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf id = BUF_INIT(ID_BYTES_MAX);
	struct wire_publish whole = *p;
	struct session_waiting waiting = *w;
	enum imp_rc rc;

	waiting.number = s->next;
	session_id(s, waiting.number, &id);
	rc = buf_status(&id, err);
	if (rc == IMP_OK)
		rc = VEC_PUSH(NULL, &s->waiting, waiting, err);
	if (rc != IMP_OK)
		return rc;
	s->next++;
	whole.id = id.p;
	whole.topic = topic->wire;
	wire_pub(&whole, out);
	*ret_number = waiting.number;
	return buf_status(out, err);
}

bool
session_timed_out(struct session *s, int64_t now, struct session_waiting *ret)
{
	return s->waiting.n > 0 && s->waiting.v[0].until <= now && take_waiting(s, s->waiting.v[0].number, ret);
}

void
session_get(struct session *s, const struct session_topic *topic, int64_t since, int64_t before, unsigned limit, struct buf *out,
    uint32_t *ret_number)
{
	CLEANUP(buf_done) struct buf id = BUF_INIT(ID_BYTES_MAX);

	*ret_number = s->next++;
	session_id(s, *ret_number, &id);
	if (buf_part_ok(out, &id))
		wire_get_data(id.p, topic->wire, since, before, limit, out);
}
