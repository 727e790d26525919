/* classify/messages.c - attempts and answers put together to messages, in their lasting order. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cmp.h"
#include "base/search.h"
#include "classify/run.h"

static int
attempt_cmp(const void *va, const void *vb)
{
	const struct attempt *a = va, *b = vb;

	CMP(a->mid, b->mid);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

static int
answer_cmp(const void *va, const void *vb)
{
	const struct answer *a = va, *b = vb;

	CMP(a->mid, b->mid);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

struct request { /* a `pub` by its agent and request id */
	uint32_t agent, id, mid;
	int64_t t;
	uint64_t place;
};

static int
request_cmp(const void *va, const void *vb)
{
	const struct request *a = va, *b = vb;

	CMP(a->agent, b->agent);
	CMP(a->id, b->id);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

static uint32_t
request_find(const struct request *v, size_t n, uint32_t agent, uint32_t id)
{
	size_t i;

	LOWER_BOUND(i, 0, n, v[i].agent < agent || (v[i].agent == agent && v[i].id < id));
	return i < n && v[i].agent == agent && v[i].id == id ? v[i].mid : NONE;
}

/* An answer that names only its request gets the mid of the `pub` with that id. */
static enum imp_rc
name_answers(struct run *r, struct imp_err *err)
{
	struct ledger *l = r->ledger;
	CLEANUP(freep) struct request *requests = NULL;
	size_t n = 0, nameless = 0;

	for (size_t i = 0; i < l->answers.n; i++)
		nameless += l->answers.v[i].mid == NONE;
	if (nameless == 0)
		return IMP_OK;
	requests = calloc(l->attempts.n + 1, sizeof(*requests));
	if (requests == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu requests", l->attempts.n);
	for (size_t i = 0; i < l->attempts.n; i++) {
		const struct attempt *a = &l->attempts.v[i];

		if (a->kind == ATTEMPT_PUB && a->id != NONE)
			requests[n++] = (struct request){ l->files[place_file(a->place)].agent, a->id, a->mid, a->t, a->place };
	}
	qsort(requests, n, sizeof(*requests), request_cmp);
	for (size_t i = 0; i < l->answers.n; i++) {
		struct answer *a = &l->answers.v[i];

		if (a->mid == NONE)
			a->mid = request_find(requests, n, l->files[place_file(a->place)].agent, a->id);
	}
	return IMP_OK;
}

static void
message_from_attempts(const struct run *r, struct message *m, uint32_t first, uint32_t n)
{
	const struct ledger *l = r->ledger;
	const struct attempt *a = &l->attempts.v[first], *lead = NULL;

	*m = (struct message){
		.mid = a->mid,
		.attempt0 = first,
		.nattempts = n,
		.first_t = a->t,
		.first_pub = NO_TIME,
		.first_plan = NO_TIME,
		.ack = NONE,
		.ack_seq = NO_TIME,
		.ack_ns = NO_TIME,
		.ack_from_plan_ns = NO_TIME,
		.code = NO_TIME,
		.known_seq = NO_TIME,
	};
	for (uint32_t i = 0; i < n; i++) {
		if (m->first_plan == NO_TIME)
			m->first_plan = a[i].plan;
		if (a[i].kind != ATTEMPT_PUB)
			continue;
		m->npubs++;
		if (lead == NULL)
			lead = &a[i];
	}
	if (lead != NULL)
		m->first_pub = lead->t;
	else
		lead = a;
	m->topic = lead->topic;
	m->sender = lead->from;
	m->agent = l->accounts.v[m->sender].agent;
	m->clock = l->files[place_file(lead->place)].agent;
	if (m->agent == NONE)
		m->agent = m->clock;
	for (uint32_t i = 0; i < n; i++) {
		if (a[i].topic != m->topic || a[i].from != m->sender)
			m->anomalies |= 1u << ANOMALY_mid_collision;
	}
}

struct message_key {
	int64_t first_t;
	struct slice mid;
	uint32_t first, n; /* attempts */
};

static int
message_key_cmp(const void *va, const void *vb)
{
	const struct message_key *a = va, *b = vb;

	CMP(a->first_t, b->first_t);
	return slice_cmp(a->mid, b->mid);
}

/* Put attempts together to messages and number these. */
static enum imp_rc
make_messages(struct run *r, struct imp_err *err)
{
	struct ledger *l = r->ledger;
	CLEANUP(freep) struct message_key *keys = calloc(l->attempts.n + 1, sizeof(*keys));
	uint32_t n = 0;

	if (keys == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu messages", l->attempts.n);
	if (l->attempts.n > 0)
		qsort(l->attempts.v, l->attempts.n, sizeof(*l->attempts.v), attempt_cmp);
	for (uint32_t i = 0; i < l->attempts.n; i++) {
		const struct attempt *a = &l->attempts.v[i];

		if (i == 0 || a->mid != a[-1].mid)
			keys[n++] = (struct message_key){ a->t, l->mids.names.v[a->mid], i, 0 };
		keys[n - 1].n++;
	}
	qsort(keys, n, sizeof(*keys), message_key_cmp);
	r->messages = run_alloc(r, n, sizeof(*r->messages), err);
	r->message_of_mid = run_alloc(r, l->mids.names.n, sizeof(uint32_t), err);
	if (r->messages == NULL || r->message_of_mid == NULL)
		return err->code;
	r->nmessages = n;
	memset(r->message_of_mid, 0xff, (l->mids.names.n + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		message_from_attempts(r, &r->messages[i], keys[i].first, keys[i].n);
		r->message_of_mid[r->messages[i].mid] = i;
	}
	return IMP_OK;
}

static enum imp_rc
give_answers(struct run *r, struct imp_err *err)
{
	struct ledger *l = r->ledger;
	enum imp_rc rc = name_answers(r, err);

	if (rc != IMP_OK)
		return rc;
	if (l->answers.n > 0)
		qsort(l->answers.v, l->answers.n, sizeof(*l->answers.v), answer_cmp);
	for (uint32_t i = 0; i < l->answers.n; i++) {
		uint32_t mid = l->answers.v[i].mid;
		uint32_t m = mid != NONE ? r->message_of_mid[mid] : NONE;

		if (m == NONE) {
			r->foreign[l->answers.v[i].kind == ANSWER_CTRL ? FOREIGN_CTRL : FOREIGN_FAIL]++;
			continue;
		}
		if (r->messages[m].nanswers++ == 0)
			r->messages[m].answer0 = i;
	}
	return IMP_OK;
}

enum imp_rc
messages_init(struct run *r, struct imp_err *err)
{
	enum imp_rc rc = make_messages(r, err);

	return rc == IMP_OK ? give_answers(r, err) : rc;
}
