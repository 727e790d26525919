#include "config.h"

#include "classify/order.h"

#include <stdlib.h>

#include "base/cmp.h"

struct seq_copies { /* first copies of one message that carry one seq */
	int64_t seq;
	uint32_t topic, message;
	uint32_t odd; /* this one of the row's odd copies; NONE: all that carry the row's seq */
};

struct arrival {
	int64_t t;
	uint64_t place;
};

struct pass_group {
	uint64_t regressions;
	unsigned char *accounts; /* as struct group */
};

struct order {
	struct run *r;
	struct pass_group *pass; /* by group: this pass */
	VEC(struct seq_copies) list;
	/* by member of the pass, for the topic and group at hand */
	size_t cap;
	struct arrival *cell;	  /* of the message at hand */
	int64_t *t;		  /* its times alone, as they come out of the cells */
	struct arrival *earliest; /* of all copies with a higher seq */
	uint32_t *count;
	bool needs_lines;
};

enum imp_rc
order_init(struct run *r, struct order **ret, struct imp_err *err)
{
	struct order *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	o->r = r;
	o->pass = arena_alloc(&r->arena, (r->groups.n + 1) * sizeof(*o->pass), err);
	for (size_t g = 0; o->pass != NULL && g < r->groups.n; g++) {
		o->pass[g].accounts = arena_alloc(&r->arena, r->ledger->accounts.n + 1, err);
		r->groups.v[g].accounts = arena_alloc(&r->arena, r->ledger->accounts.n + 1, err);
		if (o->pass[g].accounts == NULL || r->groups.v[g].accounts == NULL)
			o->pass = NULL;
	}
	if (o->pass == NULL) {
		order_done(o);
		return err->code;
	}
	*ret = o;
	return IMP_OK;
}

void
order_done(struct order *o)
{
	if (o == NULL)
		return;
	VEC_FREE(NULL, &o->list);
	free(o->cell);
	free(o->t);
	free(o->earliest);
	free(o->count);
	free(o);
}

static enum imp_rc
reserve_members(struct order *o, size_t n, struct imp_err *err)
{
	if (n <= o->cap)
		return IMP_OK;
	free(o->cell);
	free(o->t);
	free(o->earliest);
	free(o->count);
	o->cell = malloc(n * sizeof(*o->cell));
	o->t = malloc(n * sizeof(*o->t));
	o->earliest = malloc(n * sizeof(*o->earliest));
	o->count = malloc(n * sizeof(*o->count));
	o->cap = o->cell != NULL && o->t != NULL && o->earliest != NULL && o->count != NULL ? n : 0;
	return o->cap > 0 ? IMP_OK : imp_err_set(err, IMP_E_NOMEM, "out of memory: topic of %zu members", n);
}

/* ------------------------------------------------------------------ the copies of a topic */

static int
seq_copies_cmp(const void *va, const void *vb)
{
	const struct seq_copies *a = va, *b = vb;

	CMP(a->topic, b->topic);
	CMP(b->seq, a->seq); /* the highest first */
	CMP(a->message, b->message);
	CMP(a->odd, b->odd);
	return 0;
}

static const struct delivery_row *
row_of(const struct order *o, const struct message *m)
{
	return &o->r->ledger->copies.rows[m->mid];
}

/* Does this odd copy go with the row's cells? */
static bool
goes_with_cells(const struct delivery_row *row, const struct copy *c)
{
	return c->kind == COPY_FIRST && c->seq == row->seq;
}

static enum imp_rc
list_message(struct order *o, uint32_t message, struct imp_err *err)
{
	const struct message *m = &o->r->messages[message];
	const struct delivery_row *row = row_of(o, m);
	struct seq_copies s = { row->seq, m->topic, message, NONE };
	enum imp_rc rc = row->ncells + row->nodd > 0 ? VEC_PUSH(NULL, &o->list, s, err) : IMP_OK;

	for (s.odd = 0; s.odd < row->nodd && rc == IMP_OK; s.odd++) {
		s.seq = row->odd[s.odd].seq;
		if (row->odd[s.odd].kind == COPY_FIRST && s.seq != row->seq)
			rc = VEC_PUSH(NULL, &o->list, s, err);
	}
	return rc;
}

static enum imp_rc
list_messages(struct order *o, struct imp_err *err)
{
	const struct run *r = o->r;
	enum imp_rc rc = IMP_OK;

	o->list.n = 0;
	for (uint32_t i = 0; i < r->nmessages && rc == IMP_OK; i++) {
		const struct message *m = &r->messages[i];

		if (!m->excluded && m->mid < r->ledger->copies.nrows && run_topic(r, m)->listed)
			rc = list_message(o, i, err);
	}
	if (rc == IMP_OK && o->list.n > 0)
		qsort(o->list.v, o->list.n, sizeof(*o->list.v), seq_copies_cmp);
	return rc;
}

/* First copies of one message with the row's seq, by member of the pass, in o->cell; t is NO_TIME where there is none. */
static void
load_cells(struct order *o, const struct message *m, uint32_t first, uint32_t n)
{
	const struct copies *copies = &o->r->ledger->copies;
	const struct delivery_row *row = row_of(o, m);
	uint32_t check;

	if (row->width > 0)
		copies_cells(copies, row, o->t);
	for (uint32_t i = 0; i < n; i++) {
		o->cell[i] = (struct arrival){ row->width > 0 ? o->t[i] : NO_TIME, 0 };
		if (copies->keep_lines && o->cell[i].t != NO_TIME)
			copies_cell(copies, row, i, &o->cell[i].place, &check);
	}
	for (uint32_t i = 0; i < row->nodd; i++) {
		const struct copy *c = &row->odd[i];

		if (goes_with_cells(row, c))
			o->cell[c->member - first] = (struct arrival){ c->t, c->place };
	}
}

/* ------------------------------------------------------------------ regressions */

struct sight { /* what is looked at: a topic for a group, at the members of the pass */
	size_t group;
	const struct topic *topic;
	uint32_t first, n;
};

/* Did `a` arrive after `b`, the earliest of those with a higher seq? */
static bool
arrived_after(struct order *o, const struct arrival *a, const struct arrival *b)
{
	if (a->t != b->t)
		return a->t > b->t;
	if (b->t != INT64_MAX && !o->r->ledger->copies.keep_lines)
		o->needs_lines = true;
	return a->place > b->place;
}

static void
note_regression(struct pass_group *g, uint32_t account)
{
	g->regressions++;
	g->accounts[account] |= GROUP_REGRESSED;
}

enum look { LOOK_COMPARE = 1, LOOK_JOIN = 2 };

/* A first copy at the i-th member: compare it with those of a higher seq, let it join them, or one after the other. */
static inline void
look_at_copy(struct order *o, const struct sight *at, const struct message *m, uint32_t i, const struct arrival *a, unsigned look)
{
	uint32_t account = at->topic->members[at->first + i];
	struct arrival *e = &o->earliest[i];

	if (a->t == NO_TIME || !run_expects(o->r, m, at->topic->kind, account))
		return;
	if (look & LOOK_COMPARE) {
		o->count[i]++;
		if (arrived_after(o, a, e))
			note_regression(&o->pass[at->group], account);
	}
	if ((look & LOOK_JOIN) && (a->t < e->t || (a->t == e->t && a->place < e->place)))
		*e = *a;
}

/* Copies of one seq (nearly always of one message) against all higher ones; then they join these. */
static void
compare_seq(struct order *o, const struct sight *at, const struct seq_copies *v, size_t nv)
{
	for (unsigned step = LOOK_COMPARE; step <= LOOK_JOIN; step++) {
		/* one message alone joins as it is compared */
		unsigned look = nv == 1 ? LOOK_COMPARE | LOOK_JOIN : step;

		if (nv == 1 && step == LOOK_JOIN)
			break;
		for (size_t k = 0; k < nv; k++) {
			const struct message *m = &o->r->messages[v[k].message];

			if (!run_in_group(m, &o->r->groups.v[at->group]))
				continue;
			if (v[k].odd != NONE) {
				const struct copy *c = &row_of(o, m)->odd[v[k].odd];

				look_at_copy(o, at, m, c->member - at->first, &(struct arrival){ c->t, c->place }, look);
				continue;
			}
			load_cells(o, m, at->first, at->n);
			for (uint32_t i = 0; i < at->n; i++)
				look_at_copy(o, at, m, i, &o->cell[i], look);
		}
	}
}

static enum imp_rc
compare_topic(struct order *o, size_t group, const struct seq_copies *v, size_t nv, struct imp_err *err)
{
	struct sight at = { .group = group, .topic = &o->r->ledger->topics.v[v->topic] };
	enum imp_rc rc;

	at.n = copies_range(&o->r->ledger->copies, at.topic->nmembers, &at.first);
	rc = reserve_members(o, at.n, err);
	if (rc != IMP_OK || at.n == 0)
		return rc;
	memset(o->count, 0, at.n * sizeof(*o->count));
	for (uint32_t i = 0; i < at.n; i++)
		o->earliest[i] = (struct arrival){ INT64_MAX, UINT64_MAX };
	for (size_t from = 0, to; from < nv; from = to) {
		for (to = from + 1; to < nv && v[to].seq == v[from].seq;)
			to++;
		compare_seq(o, &at, v + from, to - from);
	}
	for (uint32_t i = 0; i < at.n; i++) {
		if (o->count[i] >= 2)
			o->pass[group].accounts[at.topic->members[at.first + i]] |= GROUP_TWO_COPIES;
	}
	return IMP_OK;
}

enum imp_rc
order_pass(struct order *o, bool *ret_needs_lines, struct imp_err *err)
{
	const struct run *r = o->r;
	enum imp_rc rc = list_messages(o, err);

	o->needs_lines = false;
	for (size_t g = 0; g < r->groups.n && rc == IMP_OK; g++) {
		o->pass[g].regressions = 0;
		memset(o->pass[g].accounts, 0, r->ledger->accounts.n);
		if (g > 0 && r->groups.v[g].same_as_total)
			continue;
		for (size_t from = 0, to; from < o->list.n && rc == IMP_OK; from = to) {
			for (to = from + 1; to < o->list.n && o->list.v[to].topic == o->list.v[from].topic;)
				to++;
			rc = compare_topic(o, g, o->list.v + from, to - from, err);
		}
	}
	*ret_needs_lines = o->needs_lines;
	return rc;
}

void
order_commit(struct order *o)
{
	struct run *r = o->r;

	for (size_t g = 0; g < r->groups.n; g++) {
		const struct pass_group *from = &o->pass[r->groups.v[g].same_as_total ? 0 : g];

		r->groups.v[g].regressions += from->regressions;
		for (size_t a = 0; a < r->ledger->accounts.n; a++)
			r->groups.v[g].accounts[a] |= from->accounts[a];
	}
}
