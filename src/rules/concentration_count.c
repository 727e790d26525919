/* rules/concentration_count.c - failures, and all that could have failed, by the values of a dimension. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/cmp.h"
#include "rules/concentration_search.h"
#include "store/names.h"

/* ------------------------------------------------------------------ what a message weighs */

uint64_t
search_fails(const struct search *s, const struct placed_message *m)
{
	if (!places_in_scope(m, s->scope) || !(m->failures >> s->failure & 1))
		return 0;
	return s->failure == FAILURE_MISSING ? m->missing : 1;
}

/* What of it could have failed. */
uint64_t
search_could_fail(const struct search *s, const struct placed_message *m)
{
	bool could;

	if (!places_in_scope(m, s->scope))
		return 0;
	switch (s->failure) {
	case FAILURE_MISSING:
		return m->acked ? m->expected : 0;
	case FAILURE_ABSENT:
		could = m->acked;
		break;
	case FAILURE_UNSENT:
		could = true;
		break;
	default:
		could = m->attempted;
		break;
	}
	return could || search_fails(s, m) > 0;
}

uint64_t
search_message_key(const struct placed_message *m, enum dimension d)
{
	switch (d) {
	case BY_SENDER_POD:
		return m->pod != PLACES_NONE ? m->pod : NO_KEY;
	case BY_TOPIC:
		return m->topic;
	case BY_SENDER:
		return m->sender;
	case BY_SENDER_TOPIC:
		return (uint64_t)m->sender << 32 | m->topic;
	case BY_AGENT:
		return m->agent != PLACES_NONE ? m->agent : NO_KEY;
	case BY_CODE:
		return m->code != WEIGH_NO_CODE ? (uint64_t)m->code : NO_KEY;
	case BY_PLACE:
		return m->tenth > 0 ? m->tenth : NO_KEY;
	default:
		return NO_KEY;
	}
}

/* Missing deliveries are the receivers' agents' to see; everything else is the sender's. */
bool
search_is_of_receivers(const struct search *s, enum dimension d)
{
	if (d == BY_AGENT)
		return s->failure == FAILURE_MISSING;
	return d == BY_RECEIVER_POD || d == BY_PODS || d == BY_RECEIVER || d == BY_RECEIVER_TOPIC;
}

static uint64_t
pair_key(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

static uint64_t
cell_key(const struct places *p, const struct cell *c, enum dimension d)
{
	int64_t agent;

	switch (d) {
	case BY_RECEIVER_POD:
		return c->receiver_pod != PLACES_NONE ? c->receiver_pod : NO_KEY;
	case BY_PODS: /* whichever way */
		if (c->sender_pod == PLACES_NONE || c->receiver_pod == PLACES_NONE)
			return NO_KEY;
		return c->sender_pod < c->receiver_pod ? pair_key(c->sender_pod, c->receiver_pod) :
							 pair_key(c->receiver_pod, c->sender_pod);
	case BY_RECEIVER:
		return c->receiver;
	case BY_RECEIVER_TOPIC:
		return pair_key(c->receiver, c->topic);
	case BY_AGENT: /* of the receiver: what it did not see is missing */
		if (run_watcher(p->x->ev.from.store, c->receiver, &agent) != SQLITE_OK || agent < 0)
			return NO_KEY;
		return (uint64_t)agent;
	default:
		return NO_KEY;
	}
}

uint64_t
search_miss_key(const struct search *s, const struct miss *miss, enum dimension d)
{
	const struct placed_message *m = &s->p->messages.v[miss->message];
	struct cell c = { m->topic, miss->receiver, m->pod, places_pod(s->p, miss->receiver, m->t), 1 };

	return cell_key(s->p, &c, d);
}

/* ------------------------------------------------------------------ the values with most failures */

struct tallies {
	struct tally *v;
	size_t n, cap;
};

static int
by_key(const void *va, const void *vb)
{
	const struct tally *a = va, *b = vb;

	CMP(a->key, b->key);
	return 0;
}

static int
by_fails(const void *va, const void *vb)
{
	const struct tally *a = va, *b = vb;

	CMP(b->fails, a->fails);
	CMP(a->key, b->key);
	return 0;
}

/* Every failure with its value, one line each. */
static enum imp_rc
list_failures(const struct search *s, enum dimension d, struct tallies *out, struct imp_err *err)
{
	const struct places *p = s->p;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < p->misses.n && search_is_of_receivers(s, d) && rc == IMP_OK; i++) {
		struct tally t = { search_miss_key(s, &p->misses.v[i], d), 1, 0 };

		if (places_in_scope(&p->messages.v[p->misses.v[i].message], s->scope) && t.key != NO_KEY)
			rc = VEC_PUSH(NULL, out, t, err);
	}
	for (size_t i = 0; i < p->messages.n && !search_is_of_receivers(s, d) && rc == IMP_OK; i++) {
		struct tally t = { search_message_key(&p->messages.v[i], d), search_fails(s, &p->messages.v[i]), 0 };

		if (t.fails > 0 && t.key != NO_KEY)
			rc = VEC_PUSH(NULL, out, t, err);
	}
	return rc;
}

bool
search_is_most(const struct search *s, uint64_t fails)
{
	return 100 * fails >= 95 * s->fails;
}

enum imp_rc
search_candidate(struct search *s, enum dimension d, struct imp_err *err)
{
	struct candidate *c = &s->candidates[d];
	struct tallies v = { 0 };
	uint64_t held = 0;
	size_t n = 0;
	enum imp_rc rc = list_failures(s, d, &v, err);

	if (rc == IMP_OK && v.n > 0) {
		qsort(v.v, v.n, sizeof(*v.v), by_key);
		for (size_t i = 1; i < v.n; i++) {
			if (v.v[i].key == v.v[n].key)
				v.v[n].fails += v.v[i].fails;
			else
				v.v[++n] = v.v[i];
		}
		n++;
		qsort(v.v, n, sizeof(*v.v), by_fails);
	}
	for (; c->n < n && c->n < SET_VALUES_MAX; c->n++) {
		c->top[c->n] = v.v[c->n];
		held += v.v[c->n].fails;
	}
	if (!search_is_most(s, held))
		c->n = 0;
	memcpy(c->by_key, c->top, sizeof(c->top));
	qsort(c->by_key, c->n, sizeof(*c->by_key), by_key);
	VEC_FREE(NULL, &v);
	return rc;
}

/* ------------------------------------------------------------------ what the same values hold of all */

static void
add_total(struct candidate *c, uint64_t key, uint64_t n)
{
	struct tally want = { .key = key }, *t;

	t = key != NO_KEY ? bsearch(&want, c->by_key, c->n, sizeof(*c->by_key), by_key) : NULL;
	if (t != NULL)
		t->total += n;
}

static enum imp_rc
add_cell(void *payload, const struct cell *cell, struct imp_err *err)
{
	struct search *s = payload;

	(void)err;
	for (enum dimension d = 0; d < _DIMENSION_MAX; d++)
		if (s->candidates[d].n > 0 && search_is_of_receivers(s, d))
			add_total(&s->candidates[d], cell_key(s->p, cell, d), cell->n);
	return IMP_OK;
}

enum imp_rc
search_totals(struct search *s, struct imp_err *err)
{
	bool of_receivers = false;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < s->p->messages.n; i++) {
		const struct placed_message *m = &s->p->messages.v[i];
		uint64_t n = search_could_fail(s, m);

		for (enum dimension d = 0; d < _DIMENSION_MAX && n > 0; d++)
			if (s->candidates[d].n > 0 && !search_is_of_receivers(s, d))
				add_total(&s->candidates[d], search_message_key(m, d), n);
	}
	for (enum dimension d = 0; d < _DIMENSION_MAX; d++)
		of_receivers |= s->candidates[d].n > 0 && search_is_of_receivers(s, d);
	if (of_receivers)
		rc = places_each_cell(s->p, s->scope, add_cell, s, err);
	for (enum dimension d = 0; d < _DIMENSION_MAX && rc == IMP_OK; d++)
		for (size_t i = 0; i < s->candidates[d].n; i++) {
			struct candidate *c = &s->candidates[d];

			c->top[i].total = ((struct tally *)bsearch(&c->top[i], c->by_key, c->n, sizeof(*c->by_key), by_key))->total;
		}
	return rc;
}

/* ------------------------------------------------------------------ how many values there are */

struct value_count {
	const struct search *s;
	enum dimension d;
	struct tallies keys;
};

static enum imp_rc
add_key(void *payload, const struct cell *cell, struct imp_err *err)
{
	struct value_count *v = payload;
	struct tally t = { .key = cell_key(v->s->p, cell, v->d) };

	return t.key != NO_KEY ? VEC_PUSH(NULL, &v->keys, t, err) : IMP_OK;
}

enum imp_rc
search_count_values(const struct search *s, enum dimension d, uint64_t *ret, struct imp_err *err)
{
	struct value_count v = { .s = s, .d = d };
	enum imp_rc rc = IMP_OK;
	uint64_t n = 0;

	if (search_is_of_receivers(s, d))
		rc = places_each_cell(s->p, s->scope, add_key, &v, err);
	for (size_t i = 0; i < s->p->messages.n && !search_is_of_receivers(s, d) && rc == IMP_OK; i++) {
		struct tally t = { .key = search_message_key(&s->p->messages.v[i], d) };

		if (search_could_fail(s, &s->p->messages.v[i]) > 0 && t.key != NO_KEY)
			rc = VEC_PUSH(NULL, &v.keys, t, err);
	}
	if (rc == IMP_OK && v.keys.n > 0)
		qsort(v.keys.v, v.keys.n, sizeof(*v.keys.v), by_key);
	for (size_t i = 0; i < v.keys.n; i++)
		n += i == 0 || v.keys.v[i].key != v.keys.v[i - 1].key;
	VEC_FREE(NULL, &v.keys);
	if (rc == IMP_OK)
		*ret = n;
	return rc;
}
