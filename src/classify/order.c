#include "config.h"

#include "classify/order.h"

#include <stdlib.h>

#include "base/cleanup.h"

struct seq_message { /* a message of the topic at hand, and the seq its cells carry */
	int64_t seq;
	uint32_t topic, message;
};

struct arrival {
	int64_t seq, t;
	uint64_t place;
};

struct pass_group {
	uint64_t regressions;
	unsigned char *accounts; /* as struct group */
};

struct order {
	struct run *r;
	struct pass_group *pass; /* by group: this pass */
	VEC(struct seq_message) list;
	VEC(struct arrival) column;
	/* by member of the pass, for the topic and group at hand */
	size_t cap;
	struct arrival *cell;	  /* of the message at hand */
	struct arrival *earliest; /* of all messages with a higher seq */
	uint32_t *count;
	bool *odd; /* some first copy carries another seq than its row */
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
	VEC_FREE(NULL, &o->column);
	free(o->cell);
	free(o->earliest);
	free(o->count);
	free(o->odd);
	free(o);
}

static enum imp_rc
reserve_members(struct order *o, size_t n, struct imp_err *err)
{
	if (n <= o->cap)
		return IMP_OK;
	free(o->cell);
	free(o->earliest);
	free(o->count);
	free(o->odd);
	o->cell = malloc(n * sizeof(*o->cell));
	o->earliest = malloc(n * sizeof(*o->earliest));
	o->count = malloc(n * sizeof(*o->count));
	o->odd = malloc(n * sizeof(*o->odd));
	o->cap = o->cell != NULL && o->earliest != NULL && o->count != NULL && o->odd != NULL ? n : 0;
	return o->cap > 0 ? IMP_OK : imp_err_set(err, IMP_E_NOMEM, "out of memory: topic of %zu members", n);
}

/* ------------------------------------------------------------------ the messages of a topic */

static int
seq_message_cmp(const void *va, const void *vb)
{
	const struct seq_message *a = va, *b = vb;

	if (a->topic != b->topic)
		return a->topic < b->topic ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq > b->seq ? -1 : 1; /* the highest first */
	return (a->message > b->message) - (a->message < b->message);
}

static const struct delivery_row *
row_of(const struct order *o, const struct message *m)
{
	return &o->r->ledger->copies.rows[m->mid];
}

static enum imp_rc
list_messages(struct order *o, struct imp_err *err)
{
	const struct run *r = o->r;
	enum imp_rc rc = IMP_OK;

	o->list.n = 0;
	for (uint32_t i = 0; i < r->nmessages && rc == IMP_OK; i++) {
		const struct message *m = &r->messages[i];
		struct seq_message s = { 0, m->topic, i };

		if (m->excluded || m->mid >= r->ledger->copies.nrows || !run_topic(r, m)->listed)
			continue;
		if (row_of(o, m)->ncells == 0 && row_of(o, m)->nodd == 0)
			continue;
		s.seq = row_of(o, m)->seq;
		rc = VEC_PUSH(NULL, &o->list, s, err);
	}
	if (rc == IMP_OK && o->list.n > 0)
		qsort(o->list.v, o->list.n, sizeof(*o->list.v), seq_message_cmp);
	return rc;
}

/* First copies of one message by member of the pass, in o->cell; t is NO_TIME where there is none. */
static void
load_cells(struct order *o, const struct message *m, uint32_t first, uint32_t n)
{
	const struct copies *copies = &o->r->ledger->copies;
	const struct delivery_row *row = row_of(o, m);
	uint32_t check;

	for (uint32_t i = 0; i < n; i++) {
		o->cell[i].seq = row->seq;
		o->cell[i].t = NO_TIME;
		if (row->width > 0)
			o->cell[i].t = copies_cell(copies, row, i, &o->cell[i].place, &check);
	}
	for (uint32_t i = 0; i < row->nodd; i++) {
		const struct copy *c = &row->odd[i];

		if (c->kind == COPY_FIRST)
			o->cell[c->member - first] = (struct arrival){ c->seq, c->t, c->place };
	}
}

/* Which members have a first copy whose seq is not its row's? Rows that no other topic's copies opened are the rule. */
static bool
find_odd_members(struct order *o, const struct seq_message *v, size_t nv, uint32_t first, uint32_t n)
{
	bool any = false;

	memset(o->odd, 0, n * sizeof(*o->odd));
	for (size_t k = 0; k < nv; k++) {
		const struct delivery_row *row = row_of(o, &o->r->messages[v[k].message]);

		for (uint32_t i = 0; i < row->nodd; i++) {
			if (row->odd[i].kind == COPY_FIRST && row->odd[i].seq != row->seq)
				any = o->odd[row->odd[i].member - first] = true;
		}
	}
	return any;
}

/* ------------------------------------------------------------------ regressions */

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
note_copies(struct order *o, size_t group, uint32_t account, uint32_t copies, uint64_t regressions)
{
	struct pass_group *g = &o->pass[group];

	g->regressions += regressions;
	if (copies >= 2)
		g->accounts[account] |= GROUP_TWO_COPIES;
	if (regressions > 0)
		g->accounts[account] |= GROUP_REGRESSED;
}

/* Messages of one seq (nearly always one) against all higher ones; then they join these. */
static void
compare_seq(struct order *o, size_t group, const struct seq_message *v, size_t nv, uint32_t first, uint32_t n)
{
	const struct run *r = o->r;
	const struct topic *topic = &r->ledger->topics.v[v->topic];
	const struct group *g = &r->groups.v[group];

	for (int join = 0; join <= 1; join++) {
		for (size_t k = 0; k < nv; k++) {
			const struct message *m = &r->messages[v[k].message];

			if (!run_in_group(m, g))
				continue;
			if (nv > 1 || join == 0)
				load_cells(o, m, first, n);
			for (uint32_t i = 0; i < n; i++) {
				uint32_t account = topic->members[first + i];
				struct arrival *a = &o->cell[i], *e = &o->earliest[i];

				if (a->t == NO_TIME || o->odd[i] || !run_expects(r, m, topic->kind, account))
					continue;
				if (join == 0) {
					o->count[i]++;
					if (arrived_after(o, a, e))
						note_copies(o, group, account, 0, 1);
				} else if (a->t < e->t || (a->t == e->t && a->place < e->place)) {
					*e = *a;
				}
			}
		}
	}
}

static int
arrival_cmp(const void *va, const void *vb)
{
	const struct arrival *a = va, *b = vb;

	if (a->seq != b->seq)
		return a->seq > b->seq ? -1 : 1;
	if (a->t != b->t)
		return a->t < b->t ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* One member whose copies carry seqs of their own: gather them all, highest seq first. */
static enum imp_rc
compare_member(struct order *o, size_t group, const struct seq_message *v, size_t nv, uint32_t first, uint32_t i, uint32_t n,
    struct imp_err *err)
{
	const struct topic *topic = &o->r->ledger->topics.v[v->topic];
	struct arrival earliest = { 0, INT64_MAX, UINT64_MAX }, same = earliest;
	uint64_t regressions = 0;
	enum imp_rc rc = IMP_OK;

	o->column.n = 0;
	for (size_t k = 0; k < nv && rc == IMP_OK; k++) {
		const struct message *m = &o->r->messages[v[k].message];

		if (!run_in_group(m, &o->r->groups.v[group]) || !run_expects(o->r, m, topic->kind, topic->members[first + i]))
			continue;
		load_cells(o, m, first, n);
		if (o->cell[i].t != NO_TIME)
			rc = VEC_PUSH(NULL, &o->column, o->cell[i], err);
	}
	if (rc != IMP_OK || o->column.n == 0)
		return rc;
	qsort(o->column.v, o->column.n, sizeof(*o->column.v), arrival_cmp);
	for (size_t k = 0; k < o->column.n; k++) {
		struct arrival *a = &o->column.v[k];

		if (k > 0 && a->seq != a[-1].seq && (same.t < earliest.t || (same.t == earliest.t && same.place < earliest.place)))
			earliest = same;
		if (k == 0 || a->seq != a[-1].seq)
			same = *a; /* the earliest of its seq, by the order of sorting */
		regressions += arrived_after(o, a, &earliest);
	}
	note_copies(o, group, topic->members[first + i], (uint32_t)o->column.n, regressions);
	return IMP_OK;
}

static enum imp_rc
compare_topic(struct order *o, size_t group, const struct seq_message *v, size_t nv, struct imp_err *err)
{
	const struct topic *topic = &o->r->ledger->topics.v[v->topic];
	uint32_t first, n = copies_range(&o->r->ledger->copies, topic->nmembers, &first);
	enum imp_rc rc = reserve_members(o, n, err);
	bool any_odd;

	if (rc != IMP_OK || n == 0)
		return rc;
	any_odd = find_odd_members(o, v, nv, first, n);
	memset(o->count, 0, n * sizeof(*o->count));
	for (uint32_t i = 0; i < n; i++)
		o->earliest[i] = (struct arrival){ 0, INT64_MAX, UINT64_MAX };
	for (size_t from = 0, to; from < nv; from = to) {
		for (to = from + 1; to < nv && v[to].seq == v[from].seq;)
			to++;
		compare_seq(o, group, v + from, to - from, first, n);
	}
	for (uint32_t i = 0; i < n; i++)
		note_copies(o, group, topic->members[first + i], o->count[i], 0);
	for (uint32_t i = 0; i < n && any_odd && rc == IMP_OK; i++) {
		if (o->odd[i])
			rc = compare_member(o, group, v, nv, first, i, n, err);
	}
	return rc;
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
