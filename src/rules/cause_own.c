/* rules/cause_own.c - the one formula of confidence, and whose each failing message is. docs/rules.md says both in words. */
#include "config.h"

#include "rules/cause_weigh.h"

#define CONFIRMED_WEIGHT 3
#define PROBABLE_WEIGHT 2

bool
cause_only_absence(const struct weighed *w)
{
	bool any = false;

	for (size_t i = 0; i < w->cause->nfor; i++) {
		if (!w->items[i].matched || w->cause->clauses[i].off)
			continue;
		if (!w->cause->clauses[i].absence)
			return false;
		any = true;
	}
	return any;
}

bool
cause_is_aligned(const struct weighed *w)
{
	if (weighed_stands_alone(w)) /* it has no failing seconds */
		return true;
	for (size_t i = 0; i < w->cause->nfor; i++)
		if (w->items[i].matched && !w->cause->clauses[i].off && (w->items[i].aligned || w->items[i].identity))
			return true;
	return false;
}

bool
cause_is_covered(const struct weighed *w)
{
	bool any = false;

	for (size_t i = 0; i < w->cause->nfor; i++) {
		if (w->cause->clauses[i].off)
			continue;
		if (!w->items[i].evaluated || !w->items[i].covered)
			return false;
		any = true;
	}
	return any;
}

static bool
is_decided_against(const struct weighed *w)
{
	for (size_t i = w->cause->nfor; i < w->cause->nclauses; i++)
		if (w->items[i].matched && w->items[i].decisive && !w->cause->clauses[i].off)
			return true;
	return false;
}

enum cause_result
cause_judge(const struct weighed *w, bool owns)
{
	int in_favour = w->for_weight, against = w->against_weight;
	enum cause_result r = CAUSE_NOT_EVALUATED;

	if (w->fit_reason != RULE_REASON_NONE)
		return CAUSE_NOT_EVALUATED;
	if (is_decided_against(w))
		return CAUSE_REFUTED;
	if (in_favour == 0)
		return cause_is_covered(w) && w->missing == 0 ? CAUSE_REFUTED : CAUSE_NOT_EVALUATED;
	if (in_favour >= CONFIRMED_WEIGHT && against == 0 && cause_is_aligned(w))
		r = CAUSE_CONFIRMED;
	else if (in_favour >= PROBABLE_WEIGHT && in_favour > 2 * against)
		r = CAUSE_PROBABLE;
	else
		r = CAUSE_POSSIBLE;
	if (w->missing != 0 && r < CAUSE_PROBABLE)
		r = CAUSE_PROBABLE;
	owns |= w->nrepaired > 0 || w->cause->finding || w->cause->without_messages;
	if ((cause_only_absence(w) || !owns) && r < CAUSE_POSSIBLE)
		r = CAUSE_POSSIBLE;
	return r;
}

bool
cause_can_be_probable(const struct rule *r)
{
	int weight = 0;

	for (size_t i = 0; i < r->cause->nfor; i++)
		weight += r->cause->clauses[i].weight;
	return weight >= PROBABLE_WEIGHT;
}

/* ------------------------------------------------------------------ owners */

static bool
has_parent(const struct weighed *w, const struct weighed *parent)
{
	const struct doc_node *list = w->cause->parents;

	for (const struct doc_node *n = list != NULL ? list->first : NULL; n != NULL; n = n->next)
		if (slice_eq(n->text, parent->rule->id))
			return true;
	return false;
}

/* What is the same for all messages: parents that a cause would yield to, by index. */
struct contest {
	const struct weighing *x;
	const uint32_t **parents_of; /* lists ended by WEIGH_NOBODY */
};

/* Is the message, as this cause has it, what a confirmed or probable cause looks like from elsewhere? */
static bool
yields(const struct contest *c, uint32_t cause, size_t message)
{
	if (c->x->v[cause].fit[message] == CLOSENESS_OWN + 1)
		return false;
	for (const uint32_t *p = c->parents_of[cause]; *p != WEIGH_NOBODY; p++)
		if (weighed_is_strong(&c->x->v[*p]) && c->x->v[*p].fit[message])
			return true;
	return false;
}

/* Does `a` come before `b` for this message? `a` is the earlier one in the rule set. */
static bool
keeps(const struct contest *c, uint32_t a, uint32_t b, size_t message)
{
	const struct weighed *va = &c->x->v[a], *vb = &c->x->v[b];
	bool a_yields, b_yields;

	if (weighed_is_strong(va) != weighed_is_strong(vb))
		return weighed_is_strong(va);
	a_yields = yields(c, a, message);
	b_yields = yields(c, b, message);
	if (a_yields != b_yields)
		return b_yields;
	if (va->fit[message] != vb->fit[message])
		return va->fit[message] > vb->fit[message];
	return va->for_weight >= vb->for_weight;
}

static void
assign(const struct contest *c, struct weighing *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->v[i].nowned = 0;
	for (size_t m = 0; m < x->nfailing; m++) {
		uint32_t owner = WEIGH_NOBODY;

		for (uint32_t i = 0; i < x->n; i++) {
			const struct weighed *w = &x->v[i];

			if (!w->fit[m] || w->cause->finding || w->result > CAUSE_POSSIBLE)
				continue;
			if (owner == WEIGH_NOBODY || !keeps(c, owner, i, m))
				owner = i;
		}
		x->failing[m].owner = owner;
		if (owner != WEIGH_NOBODY)
			x->v[owner].nowned++;
	}
}

/* A cause that owns nothing is neither confirmed nor probable. It was in nobody's way, but those that would yield to it may now keep
 * what went to a third. */
static bool
demote(struct weighing *x)
{
	bool any = false;

	for (size_t i = 0; i < x->n; i++) {
		struct weighed *w = &x->v[i];
		enum cause_result r = w->nowned == 0 && weighed_is_strong(w) ? cause_judge(w, false) : w->result;

		any |= r != w->result;
		w->result = r;
	}
	return any;
}

/* The parent that most of what the cause fits went to. */
static uint32_t
find_under(const struct contest *c, uint32_t cause)
{
	const struct weighing *x = c->x;

	for (const uint32_t *p = c->parents_of[cause]; *p != WEIGH_NOBODY; p++) {
		uint64_t n = 0;

		for (size_t m = 0; m < x->nfailing; m++)
			n += x->v[cause].fit[m] && x->failing[m].owner == *p;
		if (weighed_is_strong(&x->v[*p]) && 2 * n > x->v[cause].nfit)
			return *p;
	}
	return WEIGH_NOBODY;
}

static enum imp_rc
list_parents(struct contest *c, struct arena *a, struct imp_err *err)
{
	const struct weighing *x = c->x;
	uint32_t *list = arena_alloc(a, (x->n + 1) * (x->n + 1) * sizeof(*list), err);

	c->parents_of = arena_alloc(a, (x->n + 1) * sizeof(*c->parents_of), err);
	if (list == NULL || c->parents_of == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; i < x->n; i++) {
		c->parents_of[i] = list;
		for (uint32_t p = 0; p < x->n; p++)
			if (p != i && has_parent(&x->v[i], &x->v[p]))
				*list++ = p;
		*list++ = WEIGH_NOBODY;
	}
	return IMP_OK;
}

enum imp_rc
cause_own(struct weighing *x, struct imp_err *err)
{
	struct contest c = { .x = x };
	enum imp_rc rc = list_parents(&c, x->ev.from.arena, err);

	if (rc != IMP_OK)
		return rc;
	for (size_t i = 0; i < x->n; i++)
		x->v[i].result = cause_judge(&x->v[i], x->v[i].nfit > 0);
	do
		assign(&c, x);
	while (demote(x));
	for (uint32_t i = 0; i < x->n; i++)
		x->v[i].under = x->v[i].result <= CAUSE_POSSIBLE ? find_under(&c, i) : WEIGH_NOBODY;
	return IMP_OK;
}
