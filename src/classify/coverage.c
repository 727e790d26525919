#include "config.h"

#include "classify/coverage.h"

#include <stdlib.h>

#include "base/cmp.h"

struct table_list { /* texts */
	uint32_t *v;
	size_t n, cap;
};

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

/* Rows are sorted by table and check: count the distinct ones of a query, and see that their files are whole. */
static void
weigh_rows_query(const struct run *r, struct query *q, bool *ret_whole)
{
	const struct row *v = r->ledger->rows.v;

	for (size_t i = 0; i < r->ledger->rows.n; i++) {
		if (v[i].table != q->table || v[i].check != q->check)
			continue;
		if (i == 0 || v[i - 1].check != v[i].check || !same_row(&v[i - 1], &v[i]))
			q->found++;
		*ret_whole &= file_whole(r, v[i].place);
	}
}

static bool
same_letter(const struct dead *a, const struct dead *b)
{
	return a->mid == b->mid && a->t == b->t && a->replayed == b->replayed && a->code == b->code && a->error == b->error &&
	    a->topic == b->topic && a->kafka_topic == b->kafka_topic;
}

static void
weigh_deads_query(const struct run *r, struct query *q, bool *ret_whole)
{
	const struct dead *v = r->ledger->deads.v;

	for (size_t i = 0; i < r->ledger->deads.n; i++) {
		if (v[i].check != q->check)
			continue;
		if (i == 0 || !same_letter(&v[i - 1], &v[i]))
			q->found++;
		*ret_whole &= file_whole(r, v[i].place);
	}
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

/* Of several queries of one check, table and kind the last counts; one without kind must have found as many as it says. */
static void
weigh_queries(struct run *r)
{
	struct query *v = r->ledger->queries.v;
	size_t n = r->ledger->queries.n;

	if (n > 0)
		qsort(v, n, sizeof(*v), query_cmp);
	for (size_t i = 0; i < n; i++) {
		bool whole = file_whole(r, v[i].place);
		bool last = i + 1 == n || v[i + 1].deads != v[i].deads || v[i + 1].check != v[i].check ||
		    v[i + 1].table != v[i].table || v[i + 1].kind != v[i].kind;

		v[i].found = 0;
		if (v[i].deads)
			weigh_deads_query(r, &v[i], &whole);
		else
			weigh_rows_query(r, &v[i], &whole);
		v[i].holds = last && v[i].complete && whole &&
		    (v[i].kind != KIND_UNKNOWN || (v[i].count >= 0 && (uint64_t)v[i].count == v[i].found));
	}
}

/* Is the query one that speaks of this kind of message, and the last of its check, table and kind? */
static bool
speaks_of(const struct query *q, enum kind kind)
{
	return !q->deads && (q->kind == KIND_UNKNOWN || q->kind == kind);
}

static bool
last_of_its_kind(const struct run *r, size_t i)
{
	const struct query *v = r->ledger->queries.v;

	return i + 1 == r->ledger->queries.n || v[i + 1].deads || v[i + 1].check != v[i].check || v[i + 1].table != v[i].table ||
	    v[i + 1].kind != v[i].kind;
}

/* Did the table end complete for the kind in this check, not before `t`? */
static bool
table_complete(const struct run *r, uint32_t table, int64_t check, enum kind kind, int64_t t)
{
	const struct query *v = r->ledger->queries.v;
	bool any = false;

	for (size_t i = 0; i < r->ledger->queries.n; i++) {
		if (!speaks_of(&v[i], kind) || v[i].table != table || v[i].check != check || !last_of_its_kind(r, i))
			continue;
		if (!v[i].holds || (t != NO_TIME && v[i].t < t))
			return false;
		any = true;
	}
	return any;
}

/* The tables that are asked for this kind, in any check. */
static enum imp_rc
tables_asked(const struct run *r, enum kind kind, struct table_list *ret, struct imp_err *err)
{
	const struct query *v = r->ledger->queries.v;
	enum imp_rc rc = IMP_OK;

	ret->n = 0;
	for (size_t i = 0; i < r->ledger->queries.n && rc == IMP_OK; i++) {
		size_t k = 0;

		while (k < ret->n && ret->v[k] != v[i].table)
			k++;
		if (k == ret->n && speaks_of(&v[i], kind))
			rc = VEC_PUSH(NULL, ret, v[i].table, err);
	}
	return rc;
}

/* Is there a check in which all of them ended complete? */
static bool
absence_covered(const struct run *r, const struct scenario *sc, enum kind kind, const struct table_list *tables)
{
	const struct query *v = r->ledger->queries.v;

	for (size_t c = 0; c < r->ledger->queries.n && tables->n > 0; c++) {
		size_t k = 0;

		if (v[c].deads || (c > 0 && v[c - 1].check == v[c].check))
			continue; /* sorted by check: each once */
		while (k < tables->n && table_complete(r, tables->v[k], v[c].check, kind, sc->last_pub))
			k++;
		if (k == tables->n)
			return true;
	}
	return false;
}

static int
dead_check_cmp(const void *va, const void *vb)
{
	const struct dead *a = va, *b = vb;

	CMP(a->mid, b->mid);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

enum imp_rc
coverage_init(struct coverage *c, struct run *r, struct imp_err *err)
{
	struct ledger *l = r->ledger;
	struct table_list tables = { NULL, 0, 0 };
	bool *covered = run_alloc(r, r->scenarios.n * 3, sizeof(bool), err);
	enum imp_rc rc = covered != NULL ? IMP_OK : err->code;

	if (l->rows.n > 0)
		qsort(l->rows.v, l->rows.n, sizeof(*l->rows.v), row_check_cmp);
	if (l->deads.n > 0)
		qsort(l->deads.v, l->deads.n, sizeof(*l->deads.v), dead_check_cmp);
	weigh_queries(r);
	for (int k = KIND_UNKNOWN; k <= KIND_GROUP && rc == IMP_OK; k++) {
		rc = tables_asked(r, (enum kind)k, &tables, err);
		for (size_t s = 0; s < r->scenarios.n && rc == IMP_OK; s++)
			covered[s * 3 + (size_t)k] = absence_covered(r, &r->scenarios.v[s], (enum kind)k, &tables);
	}
	VEC_FREE(NULL, &tables);
	c->covered = covered;
	return rc;
}

bool
coverage_has(const struct coverage *c, uint32_t scenario, enum kind kind)
{
	return c->covered[scenario * 3 + (uint32_t)kind];
}
