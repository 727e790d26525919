/* rules/concentration_name.c - the values of a set by name, and the causes that its failures belong to. */
#include "config.h"

#include "rules/concentration_search.h"
#include "store/names.h"

#define CAUSES_MAX 5

/* ------------------------------------------------------------------ names */

static enum imp_rc
add_name(struct search *s, struct buf *out, enum names_of of, uint64_t no, struct imp_err *err)
{
	struct store *store = s->p->x->ev.from.store;
	struct slice name;
	int rc = run_name(store, of, (int64_t)no, &name);

	if (rc != SQLITE_OK)
		return store_error(store, rc, err);
	buf_add_slice(out, name);
	return IMP_OK;
}

static enum imp_rc
add_pair(struct search *s, struct buf *out, enum names_of a, enum names_of b, uint64_t key, struct imp_err *err)
{
	enum imp_rc rc = add_name(s, out, a, key >> 32, err);

	buf_add_char(out, ',');
	return rc == IMP_OK ? add_name(s, out, b, key & UINT32_MAX, err) : rc;
}

static enum imp_rc
add_value(struct search *s, struct buf *out, enum dimension d, uint64_t key, struct imp_err *err)
{
	static const char *const tenths[] = { "", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
		"ninth", "last" };
	const struct slice *pods = s->p->pods.names.v;

	switch (d) {
	case BY_SENDER_POD:
	case BY_RECEIVER_POD:
		buf_add_slice(out, pods[key]);
		return IMP_OK;
	case BY_PODS:
		buf_addf(out, "%.*s,%.*s", SLICE_ARG(pods[key >> 32]), SLICE_ARG(pods[key & UINT32_MAX]));
		return IMP_OK;
	case BY_TOPIC:
		return add_name(s, out, NAMES_TOPIC, key, err);
	case BY_SENDER:
	case BY_RECEIVER:
		return add_name(s, out, NAMES_ACCOUNT, key, err);
	case BY_RECEIVER_TOPIC:
	case BY_SENDER_TOPIC:
		return add_pair(s, out, NAMES_ACCOUNT, NAMES_TOPIC, key, err);
	case BY_AGENT:
		return add_name(s, out, NAMES_AGENT, key, err);
	case BY_PLACE:
		buf_addf(out, "%s tenth", tenths[key]);
		return IMP_OK;
	default:
		buf_addf(out, "%lld", (long long)key);
		return IMP_OK;
	}
}

enum imp_rc
search_name_values(struct search *s, enum dimension d, struct concentration *r, struct imp_err *err)
{
	struct arena *a = s->p->x->ev.from.arena;
	enum imp_rc rc = IMP_OK;

	r->examples = arena_alloc(a, (r->values + 1) * sizeof(*r->examples), err);
	if (r->examples == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; i < r->values && rc == IMP_OK; i++) {
		struct buf name = BUF_INIT((size_t)64 << 10);

		rc = add_value(s, &name, d, s->candidates[d].top[i].key, err);
		evaluation_settle(a, &name, &r->examples[r->nexamples++], &rc, err);
	}
	return rc;
}

/* ------------------------------------------------------------------ whose the failures of a set are */

static bool
is_in_set(const struct candidate *c, size_t n, uint64_t key)
{
	for (size_t i = 0; i < n; i++)
		if (c->top[i].key == key)
			return true;
	return false;
}

struct owners {
	uint64_t *n; /* by cause */
	const struct search *s;
};

static void
add_owner(struct owners *o, uint32_t message, uint64_t n)
{
	const struct placed_message *m = &o->s->p->messages.v[message];
	const struct weighing *x = o->s->p->x;

	if (m->failing != PLACES_NONE && x->failing[m->failing].owner != WEIGH_NOBODY)
		o->n[x->failing[m->failing].owner] += n;
}

/* The causes that own a tenth of them or more, the largest first. */
static enum imp_rc
name_owners(const struct search *s, struct owners *o, struct concentration *r, struct imp_err *err)
{
	const struct weighing *x = s->p->x;

	r->causes = arena_alloc(x->ev.from.arena, CAUSES_MAX * sizeof(*r->causes), err);
	if (r->causes == NULL)
		return IMP_E_NOMEM;
	while (r->ncauses < CAUSES_MAX) {
		size_t best = 0;

		for (size_t i = 1; i < x->n; i++)
			if (o->n[i] > o->n[best])
				best = i;
		if (x->n == 0 || o->n[best] == 0 || o->n[best] * 10 < r->holds)
			break;
		r->causes[r->ncauses++] = x->v[best].rule->id;
		o->n[best] = 0;
	}
	return IMP_OK;
}

enum imp_rc
search_name_owners(const struct search *s, enum dimension d, struct concentration *r, struct imp_err *err)
{
	const struct places *p = s->p;
	struct owners o = { arena_alloc(p->x->ev.from.arena, (p->x->n + 1) * sizeof(*o.n), err), s };

	if (o.n == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; i < p->misses.n && search_is_of_receivers(s, d); i++) {
		if (places_in_scope(&p->messages.v[p->misses.v[i].message], s->scope) &&
		    is_in_set(&s->candidates[d], r->values, search_miss_key(s, &p->misses.v[i], d)))
			add_owner(&o, p->misses.v[i].message, 1);
	}
	for (uint32_t i = 0; i < p->messages.n && !search_is_of_receivers(s, d); i++) {
		const struct placed_message *m = &p->messages.v[i];
		bool in = d == BY_SECOND ? m->t >= r->from_t && m->t <= r->to_t :
					   is_in_set(&s->candidates[d], r->values, search_message_key(m, d));

		if (in)
			add_owner(&o, i, search_fails(s, m));
	}
	return name_owners(s, &o, r, err);
}
