#include "config.h"

#include "rules/causes.h"

#include <stdlib.h>

#include "rules/cause_weigh.h"
#include "rules/concentration.h"
#include "sql_gen.h"

/* A result with the arena that holds all of it. */
struct held_causes {
	struct causes c; /* first: causes_free() gets its address */
	struct arena arena;
};

const char *const cause_results[] = {
	[CAUSE_CONFIRMED] = "confirmed",
	[CAUSE_PROBABLE] = "probable",
	[CAUSE_POSSIBLE] = "possible",
	[CAUSE_REFUTED] = "refuted",
	[CAUSE_NOT_EVALUATED] = "not_evaluated",
	[_CAUSE_RESULT_MAX] = NULL,
};

const char *
cause_result_name(enum cause_result r)
{
	return cause_results[r];
}

static enum imp_rc
load_failing(struct weighing *x, struct imp_err *err)
{
	struct store *s = x->ev.from.store;
	VEC(struct failing_message) found = { 0 };
	sqlite3_stmt *st;
	bool row = true;
	enum imp_rc rc = store_stmt(s, sql_rules_failing, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), x->ev.from.run_no);
	while (rc == IMP_OK && row) {
		struct failing_message m = { .owner = WEIGH_NOBODY, .code = WEIGH_NO_CODE };

		rc = store_step_row(s, st, &row, err);
		if (rc != IMP_OK || !row)
			continue;
		m.no = sqlite3_column_int64(st, 0);
		m.from_t = sqlite3_column_int64(st, 1);
		m.to_t = sqlite3_column_int64(st, 2);
		if (sqlite3_column_type(st, 3) != SQLITE_NULL)
			m.code = sqlite3_column_int64(st, 3);
		rc = VEC_PUSH(NULL, &found, m, err);
	}
	x->failing = rc == IMP_OK ? arena_alloc(x->ev.from.arena, (found.n + 1) * sizeof(*x->failing), err) : NULL;
	if (x->failing != NULL) {
		x->nfailing = found.n;
		if (found.n > 0)
			memcpy(x->failing, found.v, found.n * sizeof(*found.v));
	} else if (rc == IMP_OK) {
		rc = IMP_E_NOMEM;
	}
	VEC_FREE(NULL, &found);
	return rc;
}

static enum imp_rc
load_repaired(struct weighing *x, struct imp_err *err)
{
	struct store *s = x->ev.from.store;
	VEC(struct repaired_message) found = { 0 };
	sqlite3_stmt *st;
	bool row = true;
	enum imp_rc rc = store_keep_views(s, slice_of(sql_rules_repaired), err);

	if (rc == IMP_OK)
		rc = store_stmt(s, sql_rules_repaired, &st, err);
	while (rc == IMP_OK && row) {
		rc = store_step_row(s, st, &row, err);
		if (rc == IMP_OK && row)
			rc = VEC_PUSH(NULL, &found,
			    ((struct repaired_message){ sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
				sqlite3_column_int64(st, 2) }),
			    err);
	}
	x->repaired = rc == IMP_OK ? arena_alloc(x->ev.from.arena, (found.n + 1) * sizeof(*x->repaired), err) : NULL;
	if (x->repaired != NULL) {
		x->nrepaired = found.n;
		if (found.n > 0)
			memcpy(x->repaired, found.v, found.n * sizeof(*found.v));
	} else if (rc == IMP_OK) {
		rc = IMP_E_NOMEM;
	}
	VEC_FREE(NULL, &found);
	return rc;
}

/* One cause: which messages it fits, and what speaks for it. One that is not for this run is left out. */
static enum imp_rc
add_cause(struct weighing *x, const struct rule *r, struct imp_err *err)
{
	struct weighed *w = &x->v[x->n];
	struct slice why;
	bool applies;
	enum imp_rc rc = evaluation_applies(&x->ev, &r->applies, &applies, &why, err);

	if (rc != IMP_OK || !applies)
		return rc;
	*w = (struct weighed){ .rule = r, .cause = r->cause, .missing = r->needs & ~x->ev.present, .under = WEIGH_NOBODY };
	x->n++;
	rc = cause_fit(x, w, err);
	return rc == IMP_OK ? cause_weigh_items(x, w, err) : rc;
}

static bool
has_open_count(const struct weighed *w)
{
	for (size_t i = 0; i < w->cause->nfor; i++)
		if (w->items[i].matched && w->items[i].hi > w->items[i].lo)
			return true;
	return false;
}

static enum imp_rc
make_verdict(struct weighing *x, uint32_t i, struct cause_verdict *v, struct imp_err *err)
{
	const struct weighed *w = &x->v[i];
	const struct rule *r = w->rule;
	enum imp_rc rc;

	*v = (struct cause_verdict){ .id = r->id,
		.title = r->title,
		.about = r->about,
		.fix = r->fix,
		.result = w->result,
		.finding = w->cause->finding,
		.explains = w->nowned,
		.also = w->nfit - w->nowned,
		.repaired = w->nrepaired,
		.lower_bound = has_open_count(w),
		.for_weight = w->for_weight,
		.against_weight = w->against_weight,
		.from_t = CAUSE_NO_T,
		.to_t = CAUSE_NO_T,
		.items = w->items,
		.nitems = w->cause->nclauses };
	if (w->under != WEIGH_NOBODY)
		v->under = x->v[w->under].rule->id;
	for (size_t m = 0; m < x->nfailing; m++) {
		if (x->failing[m].owner != i)
			continue;
		if (v->from_t == CAUSE_NO_T || x->failing[m].from_t < v->from_t)
			v->from_t = x->failing[m].from_t;
		if (x->failing[m].to_t > v->to_t)
			v->to_t = x->failing[m].to_t;
	}
	rc = evaluation_name_missing(x->ev.from.arena, w->missing, &v->missing, err);
	return rc == IMP_OK ? cause_put_into_words(x, w, v, err) : rc;
}

/* Does `a` stand before `b`, which is later in the rule set? */
static bool
ranks_before(const struct cause_verdict *a, const struct cause_verdict *b)
{
	if (a->result != b->result)
		return a->result < b->result;
	if (a->explains != b->explains)
		return a->explains > b->explains;
	return a->also >= b->also;
}

static void
insert_ranked(struct cause_verdict *v, size_t n, const struct cause_verdict *add)
{
	size_t at = n;

	while (at > 0 && !ranks_before(&v[at - 1], add)) {
		v[at] = v[at - 1];
		at--;
	}
	v[at] = *add;
}

static enum imp_rc
make_verdicts(struct weighing *x, struct causes *c, struct imp_err *err)
{
	struct arena *a = x->ev.from.arena;
	enum imp_rc rc = IMP_OK;

	c->v = arena_alloc(a, (x->n + 1) * sizeof(*c->v), err);
	c->findings = arena_alloc(a, (x->n + 1) * sizeof(*c->findings), err);
	if (c->v == NULL || c->findings == NULL)
		return IMP_E_NOMEM;
	for (uint32_t i = 0; i < x->n && rc == IMP_OK; i++) {
		struct cause_verdict v;

		rc = make_verdict(x, i, &v, err);
		if (rc == IMP_OK && v.finding)
			insert_ranked(c->findings, c->nfindings++, &v);
		else if (rc == IMP_OK)
			insert_ranked(c->v, c->n++, &v);
	}
	c->repaired = x->nrepaired;
	c->failing = x->nfailing;
	for (size_t m = 0; m < x->nfailing; m++)
		c->unexplained += x->failing[m].owner == WEIGH_NOBODY;
	return rc;
}

/* Weigh these rules against each other; those of other kinds are passed over. */
static enum imp_rc
weigh(struct held_causes *h, struct weighing *x, const struct rule *const *rules, size_t n, struct imp_err *err)
{
	enum imp_rc rc = load_failing(x, err);

	if (rc == IMP_OK)
		rc = load_repaired(x, err);
	x->v = rc == IMP_OK ? arena_alloc(&h->arena, (n + 1) * sizeof(*x->v), err) : NULL;
	if (x->v == NULL)
		return rc != IMP_OK ? rc : IMP_E_NOMEM;
	for (size_t i = 0; i < n && rc == IMP_OK; i++)
		if (rules[i]->kind == RULE_KIND_CAUSE)
			rc = add_cause(x, rules[i], err);
	if (rc == IMP_OK)
		rc = cause_own(x, err);
	return rc == IMP_OK ? make_verdicts(x, &h->c, err) : rc;
}

static enum imp_rc
evaluate(const struct ruleset *rs, const struct rule *only, bool concentration, struct store *s, int64_t run_no,
    struct causes **ret, struct imp_err *err)
{
	struct held_causes *h = calloc(1, sizeof(*h));
	struct weighing x = { .failing = NULL };
	enum imp_rc rc;

	if (h == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: causes");
	rc = evaluation_begin(&x.ev, rs, s, run_no, &h->arena, err);
	if (rc == IMP_OK && only != NULL)
		rc = weigh(h, &x, &only, 1, err);
	else if (rc == IMP_OK)
		rc = weigh(h, &x, (const struct rule *const *)rs->rules.v, rs->rules.n, err);
	if (rc == IMP_OK && concentration)
		rc = concentration_find(&x, &h->c, err);
	if (rc == IMP_OK)
		*ret = &h->c;
	else
		causes_free(&h->c);
	return rc;
}

enum imp_rc
causes_evaluate(const struct ruleset *rs, struct store *s, int64_t run_no, struct causes **ret, struct imp_err *err)
{
	return evaluate(rs, NULL, true, s, run_no, ret, err);
}

enum imp_rc
causes_weigh(const struct ruleset *rs, struct store *s, int64_t run_no, struct causes **ret, struct imp_err *err)
{
	return evaluate(rs, NULL, false, s, run_no, ret, err);
}

enum imp_rc
causes_evaluate_one(const struct ruleset *rs, const struct rule *r, struct store *s, int64_t run_no, struct causes **ret,
    struct imp_err *err)
{
	return evaluate(rs, r, false, s, run_no, ret, err);
}

void
causes_free(struct causes *c)
{
	struct held_causes *h = (struct held_causes *)c;

	if (h == NULL)
		return;
	arena_done(&h->arena);
	free(h);
}
