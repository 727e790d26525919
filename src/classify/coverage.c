#include "config.h"

#include "classify/coverage.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/cmp.h"
#include "base/search.h"

static int
row_check_cmp(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	CMP(a->table, b->table);
	CMP(a->check, b->check);
	CMP(a->mid, b->mid);
	CMP(a->topic, b->topic);
	CMP(a->seq, b->seq);
	CMP(a->id, b->id);
	CMP(a->place, b->place);
	return 0;
}

static bool
file_whole(const struct run *r, uint64_t place)
{
	const struct ledger_file *f = &r->ledger->files[place_file(place)];

	return f->n.rejected == 0 && !f->cut;
}

/* The first row of a table and check, or of what comes behind them. */
static size_t
first_row(const struct ledger *l, uint32_t table, int64_t check)
{
	const struct row *v = l->rows.v;
	size_t i;

	LOWER_BOUND(i, 0, l->rows.n, v[i].table < table || (v[i].table == table && v[i].check < check));
	return i;
}

/* Rows are sorted by table and check: count the distinct ones of a look-up, and see that their files are whole. */
static bool
weigh_rows(const struct run *r, struct query *q)
{
	const struct row *v = r->ledger->rows.v;
	size_t first = first_row(r->ledger, q->table, q->check);
	bool whole = true;

	for (size_t i = first; i < r->ledger->rows.n && v[i].table == q->table && v[i].check == q->check; i++) {
		q->found += i == first || !same_row(&v[i - 1], &v[i]);
		whole &= file_whole(r, v[i].place);
	}
	return whole;
}

static int
dead_check_cmp(const void *va, const void *vb)
{
	const struct dead *a = va, *b = vb;

	CMP(a->check, b->check);
	CMP(a->mid, b->mid);
	CMP(a->t, b->t);
	CMP(a->replayed, b->replayed);
	CMP(a->code, b->code);
	CMP(a->error, b->error);
	CMP(a->topic, b->topic);
	CMP(a->kafka_topic, b->kafka_topic);
	return 0;
}

static size_t
first_letter(const struct ledger *l, int64_t check)
{
	size_t i;

	LOWER_BOUND(i, 0, l->deads.n, l->deads.v[i].check < check);
	return i;
}

/* As weigh_rows() for letters, which are sorted by check. */
static bool
weigh_letters(const struct run *r, struct query *q)
{
	const struct dead *v = r->ledger->deads.v;
	size_t first = first_letter(r->ledger, q->check);
	bool whole = true;

	for (size_t i = first; i < r->ledger->deads.n && v[i].check == q->check; i++) {
		q->found += i == first || dead_check_cmp(&v[i - 1], &v[i]) != 0;
		whole &= file_whole(r, v[i].place);
	}
	return whole;
}

static int
query_cmp(const void *va, const void *vb)
{
	const struct query *a = va, *b = vb;

	CMP(a->deads, b->deads);
	CMP(a->check, b->check);
	CMP(a->table, b->table);
	CMP(a->kind, b->kind);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

/* Do two queries look into the same table (or for letters) in the same check? */
static bool
same_look_up(const struct query *a, const struct query *b)
{
	return a->deads == b->deads && a->check == b->check && a->table == b->table;
}

/* Is the i-th query the last of its check, table and kind? */
static bool
last_of_its_kind(const struct ledger *l, size_t i)
{
	const struct query *v = l->queries.v;

	return i + 1 == l->queries.n || !same_look_up(&v[i], &v[i + 1]) || v[i].kind != v[i + 1].kind;
}

/* Of several queries of one check, table and kind the last counts; one without kind must have found as many as it says. */
static void
weigh_queries(struct run *r)
{
	const struct ledger *l = r->ledger;
	struct query *v = l->queries.v;
	bool whole = true; /* of the look-up at hand */

	for (size_t i = 0; i < l->queries.n; i++) {
		v[i].found = 0;
		if (i > 0 && same_look_up(&v[i - 1], &v[i]))
			v[i].found = v[i - 1].found;
		else
			whole = v[i].deads ? weigh_letters(r, &v[i]) : weigh_rows(r, &v[i]);
		v[i].holds = last_of_its_kind(l, i) && v[i].complete && whole && file_whole(r, v[i].place) &&
		    (v[i].kind != KIND_UNKNOWN || (v[i].count >= 0 && (uint64_t)v[i].count == v[i].found));
	}
}

/* Is the query one that speaks of this kind of message? */
static bool
speaks_of(const struct query *q, enum kind kind)
{
	return !q->deads && (q->kind == KIND_UNKNOWN || q->kind == kind);
}

/* Did the table whose look-up begins at query *i end complete for the kind, not before `t`? *i moves behind it. */
static bool
table_complete(const struct ledger *l, size_t *i, enum kind kind, int64_t t)
{
	const struct query *v = l->queries.v, *first = &v[*i];
	bool asked = false, complete = true;

	for (; *i < l->queries.n && same_look_up(first, &v[*i]); (*i)++) {
		if (!speaks_of(&v[*i], kind) || !last_of_its_kind(l, *i))
			continue;
		asked = true;
		complete &= v[*i].holds && (t == NO_TIME || v[*i].t >= t);
	}
	return asked && complete;
}

static int
text_cmp(const void *a, const void *b)
{
	CMP(*(const uint32_t *)a, *(const uint32_t *)b);
	return 0;
}

/* How many tables are asked for this kind, in any check? `scratch` has room for all queries. */
static size_t
count_tables(const struct ledger *l, enum kind kind, uint32_t *scratch)
{
	size_t n = 0, tables = 0;

	for (size_t i = 0; i < l->queries.n; i++) {
		if (speaks_of(&l->queries.v[i], kind))
			scratch[n++] = l->queries.v[i].table;
	}
	qsort(scratch, n, sizeof(*scratch), text_cmp);
	for (size_t i = 0; i < n; i++)
		tables += i == 0 || scratch[i] != scratch[i - 1];
	return tables;
}

/* Is there a check in which as many tables ended complete as are asked at all? */
static bool
absence_covered(const struct ledger *l, const struct scenario *sc, enum kind kind, size_t tables)
{
	const struct query *v = l->queries.v;
	size_t complete = 0;

	for (size_t i = 0; i < l->queries.n && !v[i].deads && tables > 0;) {
		if (i > 0 && v[i - 1].check != v[i].check)
			complete = 0;
		complete += table_complete(l, &i, kind, sc->last_pub);
		if (complete == tables)
			return true;
	}
	return false;
}

static void
sort_look_ups(struct ledger *l)
{
	if (l->rows.n > 0)
		qsort(l->rows.v, l->rows.n, sizeof(*l->rows.v), row_check_cmp);
	if (l->deads.n > 0)
		qsort(l->deads.v, l->deads.n, sizeof(*l->deads.v), dead_check_cmp);
	if (l->queries.n > 0)
		qsort(l->queries.v, l->queries.n, sizeof(*l->queries.v), query_cmp);
}

enum imp_rc
coverage_init(struct coverage *c, struct run *r, struct imp_err *err)
{
	struct ledger *l = r->ledger;
	CLEANUP(freep) uint32_t *scratch = calloc(l->queries.n + 1, sizeof(*scratch));
	bool *covered = run_alloc(r, r->scenarios.n * _KIND_MAX, sizeof(bool), err);

	if (covered == NULL)
		return err->code;
	if (scratch == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu queries", l->queries.n);
	sort_look_ups(l);
	weigh_queries(r);
	for (int k = 0; k < _KIND_MAX; k++) {
		size_t tables = count_tables(l, (enum kind)k, scratch);

		for (size_t s = 0; s < r->scenarios.n; s++)
			covered[s * _KIND_MAX + (size_t)k] = absence_covered(l, &r->scenarios.v[s], (enum kind)k, tables);
	}
	c->covered = covered;
	return IMP_OK;
}

bool
coverage_has(const struct coverage *c, uint32_t scenario, enum kind kind)
{
	return c->covered[scenario * _KIND_MAX + (uint32_t)kind];
}
