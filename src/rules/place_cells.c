/* rules/place_cells.c - the deliveries that could have gone missing, counted without walking them: they may be tens of
 * millions. All messages of a topic and scenario have the same expected receivers, and a receiver rarely changes its pod. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/cmp.h"
#include "base/search.h"
#include "rules/places.h"

/* Acked messages of one topic and scenario. */
struct batch {
	const struct places *p;
	const uint32_t *v; /* indices of messages, by number */
	size_t n;
	int64_t from, to; /* their first and last time */
	uint64_t *by_pod; /* counts by sender's pod, the last one for no pod */
	enum imp_rc (*each)(void *payload, const struct cell *c, struct imp_err *err);
	void *payload;
};

static const struct placed_message *
message_at(const struct batch *b, size_t i)
{
	return &b->p->messages.v[b->v[i]];
}

/* Message by message, equal neighbours together. */
static enum imp_rc
walk_receiver(const struct batch *b, uint32_t receiver, struct imp_err *err)
{
	struct cell run = { .topic = message_at(b, 0)->topic, .receiver = receiver };
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < b->n && rc == IMP_OK; i++) {
		const struct placed_message *m = message_at(b, i);
		uint32_t pod;

		if (m->p2p && m->sender == receiver)
			continue;
		pod = places_pod(b->p, receiver, m->t);
		if (run.n > 0 && (run.sender_pod != m->pod || run.receiver_pod != pod)) {
			rc = b->each(b->payload, &run, err);
			run.n = 0;
		}
		run.sender_pod = m->pod;
		run.receiver_pod = pod;
		run.n++;
	}
	return rc == IMP_OK && run.n > 0 ? b->each(b->payload, &run, err) : rc;
}

/* Was the receiver on one pod from the first message to the last? */
static bool
stays(const struct batch *b, uint32_t receiver)
{
	size_t i = places_next_ready(b->p, receiver, b->from);

	return i == b->p->ready.n || b->p->ready.v[i].account != receiver || b->p->ready.v[i].t > b->to;
}

static enum imp_rc
count_receiver(const struct batch *b, uint32_t receiver, struct imp_err *err)
{
	const struct placed_message *first = message_at(b, 0);
	size_t npods = b->p->pods.names.n;
	enum imp_rc rc = IMP_OK;

	if (first->p2p || !stays(b, receiver))
		return walk_receiver(b, receiver, err);
	for (size_t pod = 0; pod <= npods && rc == IMP_OK; pod++) {
		struct cell c = { first->topic, receiver, pod < npods ? (uint32_t)pod : PLACES_NONE,
			places_pod(b->p, receiver, first->t), b->by_pod[pod] };

		if (c.n > 0)
			rc = b->each(b->payload, &c, err);
	}
	return rc;
}

static const struct place_expectation *
find_expectation(const struct places *p, uint32_t topic, uint32_t scenario)
{
	size_t i;

	LOWER_BOUND(i, 0, p->expectations.n, p->expectations.v[i].topic < topic);
	for (; i < p->expectations.n && p->expectations.v[i].topic == topic; i++)
		if (p->expectations.v[i].scenario == scenario)
			return &p->expectations.v[i];
	return NULL;
}

static size_t
first_member(const struct places *p, uint32_t topic)
{
	size_t i;

	LOWER_BOUND(i, 0, p->members.n, p->members.v[i].topic < topic);
	return i;
}

static enum imp_rc
count_batch(struct batch *b, struct imp_err *err)
{
	const struct places *p = b->p;
	const struct placed_message *first = message_at(b, 0);
	const struct place_expectation *e = find_expectation(p, first->topic, first->scenario);
	enum imp_rc rc = IMP_OK;

	if (e == NULL)
		return IMP_OK;
	memset(b->by_pod, 0, (p->pods.names.n + 1) * sizeof(*b->by_pod));
	b->from = b->to = first->t;
	for (size_t i = 0; i < b->n; i++) {
		const struct placed_message *m = message_at(b, i);

		b->by_pod[m->pod != PLACES_NONE ? m->pod : p->pods.names.n]++;
		b->from = m->t < b->from ? m->t : b->from;
		b->to = m->t > b->to ? m->t : b->to;
	}
	for (size_t i = first_member(p, first->topic); i < p->members.n && p->members.v[i].topic == first->topic && rc == IMP_OK;
	     i++) {
		uint32_t member = p->members.v[i].member;

		if (member / 8 < e->bits.n && (unsigned char)e->bits.p[member / 8] >> member % 8 & 1)
			rc = count_receiver(b, p->members.v[i].account, err);
	}
	return rc;
}

/* Sorting key of a message: its topic, scenario and number. */
struct order {
	uint32_t topic, scenario, message;
};

static int
order_cmp(const void *va, const void *vb)
{
	const struct order *a = va, *b = vb;

	CMP(a->topic, b->topic);
	CMP(a->scenario, b->scenario);
	CMP(a->message, b->message);
	return 0;
}

/* The messages of the scope by topic, scenario and number. */
static enum imp_rc
put_in_order(const struct places *p, enum place_scope scope, struct order **ret, size_t *ret_n, struct imp_err *err)
{
	struct order *v = calloc(p->messages.n + 1, sizeof(*v));
	size_t n = 0;

	if (v == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: messages by topic");
	for (uint32_t i = 0; i < p->messages.n; i++) {
		const struct placed_message *m = &p->messages.v[i];

		if (m->acked && m->expected > 0 && places_in_scope(m, scope))
			v[n++] = (struct order){ m->topic, m->scenario, i };
	}
	qsort(v, n, sizeof(*v), order_cmp);
	*ret = v;
	*ret_n = n;
	return IMP_OK;
}

enum imp_rc
places_each_cell(const struct places *p, enum place_scope scope,
    enum imp_rc (*each)(void *payload, const struct cell *c, struct imp_err *err), void *payload, struct imp_err *err)
{
	struct batch b = { .p = p, .each = each, .payload = payload };
	struct order *v = NULL;
	uint32_t *indices = NULL;
	size_t n = 0;
	enum imp_rc rc = put_in_order(p, scope, &v, &n, err);

	b.by_pod = calloc(p->pods.names.n + 1, sizeof(*b.by_pod));
	indices = calloc(n + 1, sizeof(*indices));
	if (rc == IMP_OK && (b.by_pod == NULL || indices == NULL))
		rc = imp_err_set(err, IMP_E_NOMEM, "out of memory: messages by topic");
	for (size_t i = 0; i < n && rc == IMP_OK; i++)
		indices[i] = v[i].message;
	for (size_t i = 0; i < n && rc == IMP_OK; i += b.n) {
		b.v = indices + i;
		for (b.n = 1; i + b.n < n && v[i + b.n].topic == v[i].topic && v[i + b.n].scenario == v[i].scenario;)
			b.n++;
		rc = count_batch(&b, err);
	}
	free(indices);
	free(b.by_pod);
	free(v);
	return rc;
}
