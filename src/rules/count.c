#include "config.h"

#include "rules/count.h"

#include <string.h>

#include "base/search.h"
#include "base/time.h"
#include "rules/metric_value.h"
#include "rules/rule_sql.h"
#include "sql_gen.h"

/* The first of the seconds that is not before `second`; s->n when there is none. */
static size_t
first_from(const struct seconds *s, int64_t second)
{
	size_t i;

	LOWER_BOUND(i, 0, s->n, s->v[i] < second);
	return i;
}

bool
seconds_have(const struct seconds *s, int64_t second)
{
	size_t i = first_from(s, second);

	return i < s->n && s->v[i] == second;
}

bool
seconds_between(const struct seconds *s, int64_t from, int64_t to)
{
	size_t i = first_from(s, time_second(from));

	return i < s->n && s->v[i] <= time_second(to);
}

/* Matches as they are counted. */
struct tally {
	struct evaluation *ev;
	const struct count_scope *scope;
	struct rule_count *c;
	int64_t n, inside, untimed; /* lines or rows; of them those inside, those that may or may not be */
};

static bool
only_inside(const struct count_scope *scope)
{
	return scope != NULL && scope->only_inside;
}

static bool
is_inside(const struct count_scope *scope, int64_t second)
{
	return scope != NULL && scope->seconds != NULL && seconds_have(scope->seconds, second);
}

/* Counts come from outside: their sum stays where it is when it would leave an int64. */
static void
add_count(int64_t *sum, int64_t n)
{
	*sum = *sum > INT64_MAX - n ? INT64_MAX : *sum + n;
}

/* Count `n` matches at one moment. False: they do not count. */
static bool
count_matches(struct tally *t, int64_t n, bool timed, int64_t second)
{
	bool inside = timed && is_inside(t->scope, second);

	if (n <= 0)
		return false;
	if (only_inside(t->scope) && !inside) {
		add_count(&t->untimed, timed ? 0 : n);
		return false;
	}
	if (inside)
		add_count(&t->inside, n);
	add_count(&t->n, n);
	t->c->inside = (uint64_t)t->inside;
	t->c->places_total = (uint64_t)t->n;
	return true;
}

static enum imp_rc
unknown(struct evaluation *ev, enum rule_reason reason, const char *why, struct rule_count *ret, struct imp_err *err)
{
	ret->v = (struct value){ .reason = reason, .why = arena_slice(ev->from.arena, slice_of(why), err) };
	return ret->v.why.p != NULL ? IMP_OK : IMP_E_NOMEM;
}

/* Keep a place: path, hash and line in three columns from `column` on. */
static enum imp_rc
keep_place(struct tally *t, sqlite3_stmt *st, int column, int64_t when, struct slice text, struct imp_err *err)
{
	struct arena *a = t->ev->from.arena;
	struct cause_place *p = &t->c->places[t->c->nplaces];

	if (t->c->nplaces == CAUSE_PLACES_MAX)
		return IMP_OK;
	*p = (struct cause_place){ .line = sqlite3_column_int64(st, column + 2), .t = when };
	p->file = arena_slice(a, store_column_slice(st, column), err);
	p->sha256 = arena_slice(a, store_column_slice(st, column + 1), err);
	p->text = arena_slice(a, text, err);
	t->c->nplaces++;
	return p->file.p != NULL && p->sha256.p != NULL && p->text.p != NULL ? IMP_OK : IMP_E_NOMEM;
}

/* A row of sql/rules/log-hits.sql. */
static enum imp_rc
take_hit(struct tally *t, sqlite3_stmt *st, struct imp_err *err)
{
	bool timed = sqlite3_column_type(st, 0) != SQLITE_NULL;
	int64_t when = sqlite3_column_type(st, 2) != SQLITE_NULL ? sqlite3_column_int64(st, 2) : CAUSE_NO_T;

	if (!count_matches(t, sqlite3_column_int64(st, 1), timed, sqlite3_column_int64(st, 0)))
		return IMP_OK;
	return keep_place(t, st, 4, when, store_column_slice(st, 3), err);
}

static enum imp_rc
take_hits(struct tally *t, struct slice id, struct imp_err *err)
{
	const struct value_source *from = &t->ev->from;
	sqlite3_stmt *st;
	bool row = true;
	enum imp_rc rc = store_stmt(from->store, sql_rules_log_hits, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), from->run_no);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":signature"), id);
	while (rc == IMP_OK && row) {
		rc = store_step_row(from->store, st, &row, err);
		if (rc == IMP_OK && row)
			rc = take_hit(t, st, err);
	}
	return rc;
}

/* [n, n], or open upwards: in logs that do not cover the load there may be more, and lines without a time may be inside. */
static enum imp_rc
set_count(struct tally *t, struct slice open_pods, struct imp_err *err)
{
	struct value *v = &t->c->v;
	struct buf why = BUF_INIT(4096);
	enum imp_rc rc = IMP_OK;

	t->c->evaluated = true;
	v->i = (struct interval){ true, t->c->covered && t->untimed == 0, number_int(t->n), number_int(t->n) };
	if (!t->c->covered) {
		v->reason = RULE_REASON_PARTIAL_COVERAGE;
		buf_addf(&why, "no log of %.*s covers the load", SLICE_ARG(open_pods));
	} else if (t->untimed > 0) {
		v->reason = RULE_REASON_CLOCK;
		buf_add_str(&why, "some lines have no time that is known");
	}
	evaluation_settle(t->ev->from.arena, &why, &v->why, &rc, err);
	return rc;
}

/* What all signatures of the run have in common. */
static enum imp_rc
look_at_logs(struct evaluation *ev, struct imp_err *err)
{
	struct log_cover *c = &ev->logs;
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = c->known ? IMP_OK : store_stmt(ev->from.store, sql_rules_log_state, &st, err);

	if (rc != IMP_OK || c->known)
		return rc;
	rc = store_step_row(ev->from.store, st, &row, err);
	if (rc != IMP_OK)
		return rc;
	c->open = sqlite3_column_int64(st, 0);
	c->pods = arena_slice(ev->from.arena, store_column_slice(st, 1), err);
	c->known = c->pods.p != NULL;
	sqlite3_reset(st);
	return c->known ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
was_looked_for(const struct evaluation *ev, struct slice id, bool *ret, struct imp_err *err)
{
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(ev->from.store, sql_rules_log_signature, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), ev->from.run_no);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":signature"), id);
	rc = store_step_row(ev->from.store, st, &row, err);
	if (rc == IMP_OK)
		*ret = sqlite3_column_int(st, 0) != 0;
	sqlite3_reset(st);
	return rc;
}

static enum imp_rc
count_log(struct evaluation *ev, const struct rule *r, const struct count_scope *scope, struct rule_count *ret, struct imp_err *err)
{
	struct tally t = { .ev = ev, .scope = scope, .c = ret };
	evidence_set logs = evidence_find("logs");
	bool looked;
	enum imp_rc rc;

	if ((ev->present & logs) == 0) {
		ret->missing = logs;
		return unknown(ev, RULE_REASON_MISSING_SOURCE, "no log was read", ret, err);
	}
	rc = was_looked_for(ev, r->id, &looked, err);
	if (rc == IMP_OK && !looked)
		return unknown(ev, RULE_REASON_DEPENDENCY, "this ingest did not look for it: ingest again with these --rules", ret,
		    err);
	if (rc == IMP_OK)
		rc = look_at_logs(ev, err);
	if (rc != IMP_OK)
		return rc;
	ret->covered = ev->logs.open == 0;
	rc = take_hits(&t, r->id, err);
	return rc == IMP_OK ? set_count(&t, ev->logs.pods, err) : rc;
}

static enum imp_rc
count_metric(struct evaluation *ev, const struct rule *r, const struct count_scope *scope, struct rule_count *ret,
    struct imp_err *err)
{
	struct metric_trace trace = { .seconds = scope != NULL ? scope->seconds : NULL };
	enum imp_rc rc = metric_value(&r->metric, &ev->from, only_inside(scope), &ret->v, &trace, err);

	if (rc != IMP_OK)
		return rc;
	ret->evaluated = ret->v.i.has_lo || ret->v.i.has_hi;
	ret->covered = trace.covered;
	ret->inside = trace.inside;
	memcpy(ret->places, trace.places, sizeof(ret->places));
	ret->nplaces = trace.nplaces;
	ret->places_total = trace.places_total;
	if (!ret->evaluated && ret->v.reason == RULE_REASON_MISSING_SOURCE)
		ret->missing = evidence_find("metrics") & ~ev->present;
	return IMP_OK;
}

/* A column of the current row; -1: there is none of this name. */
static int
column_of(sqlite3_stmt *st, const char *name)
{
	for (int i = 0; i < sqlite3_column_count(st); i++)
		if (strcmp(sqlite3_column_name(st, i), name) == 0)
			return sqlite3_column_type(st, i) != SQLITE_NULL ? i : -1;
	return -1;
}

/* A row of a query: it counts once, or as often as its column `n` says; `t`, `file`, `line` say when and where. */
static enum imp_rc
take_row(void *payload, sqlite3_stmt *st, struct imp_err *err)
{
	struct tally *t = payload;
	int n = column_of(st, "n"), when = column_of(st, "t"), file = column_of(st, "file"), line = column_of(st, "line");
	int64_t ns = when >= 0 ? sqlite3_column_int64(st, when) : CAUSE_NO_T;
	struct cause_place *p = &t->c->places[t->c->nplaces];

	if (!count_matches(t, n >= 0 ? sqlite3_column_int64(st, n) : 1, when >= 0, when >= 0 ? time_second(ns) : 0))
		return IMP_OK;
	if (file < 0 || t->c->nplaces == CAUSE_PLACES_MAX)
		return IMP_OK;
	*p = (struct cause_place){ .t = ns,
		.line = line >= 0 ? sqlite3_column_int64(st, line) : 0,
		.text = { "", 0 },
		.sha256 = { "", 0 } };
	p->file = arena_slice(t->ev->from.arena, store_column_slice(st, file), err);
	t->c->nplaces++;
	return p->file.p != NULL ? rule_sql_file_hash(&t->ev->from, p->file, &p->sha256, err) : IMP_E_NOMEM;
}

/* What the store has is all there is to count: the rule's `requires` say what must have been brought. */
static enum imp_rc
count_query(struct evaluation *ev, const struct rule *r, const struct count_scope *scope, struct rule_count *ret,
    struct imp_err *err)
{
	struct tally t = { .ev = ev, .scope = scope, .c = ret };
	struct value v = { 0 };
	enum imp_rc rc = rule_sql_run(&r->query, &ev->from, take_row, &t, &v, err);

	if (rc != IMP_OK)
		return rc;
	ret->v = v;
	if (v.reason != RULE_REASON_NONE)
		return IMP_OK;
	ret->evaluated = ret->covered = true;
	ret->v.i = (struct interval){ true, true, number_int(t.n), number_int(t.n) };
	if (t.untimed == 0)
		return IMP_OK;
	add_count(&t.n, t.untimed);
	ret->v.i.hi = number_int(t.n);
	ret->v.reason = RULE_REASON_CLOCK;
	ret->v.why = SLICE("some rows have no time that is known");
	return IMP_OK;
}

/* A gate that fails and a validity rule that fires are one match, at no time. */
static enum imp_rc
count_judged(struct evaluation *ev, const struct rule *r, struct rule_count *ret, struct imp_err *err)
{
	struct profile_rule use = { .rule = r };
	struct rule_verdict v;
	enum imp_rc rc = evaluation_judge(ev, &use, &v, err);

	if (rc != IMP_OK)
		return rc;
	ret->evaluated = ret->covered = v.result == RULE_PASS || v.result == RULE_FAIL;
	ret->v = (struct value){ .reason = v.reason, .why = v.why };
	if (ret->evaluated)
		ret->v.i = (struct interval){ true, true, number_int(v.result == RULE_FAIL), number_int(v.result == RULE_FAIL) };
	for (size_t i = 0; v.missing[i] != NULL; i++)
		ret->missing |= evidence_find(v.missing[i]);
	for (; ret->nplaces < v.nevidence && ret->nplaces < CAUSE_PLACES_MAX; ret->nplaces++) {
		const struct rule_evidence *e = &v.evidence[ret->nplaces];

		ret->places[ret->nplaces] = (struct cause_place){ .file = e->file,
			.sha256 = e->sha256,
			.line = e->line,
			.t = CAUSE_NO_T,
			.text = { "", 0 } };
	}
	ret->places_total = v.evidence_total;
	return IMP_OK;
}

/* Evidence that it requires is missing. */
static enum imp_rc
count_without(struct evaluation *ev, evidence_set missing, struct rule_count *ret, struct imp_err *err)
{
	struct buf why = BUF_INIT(4096);
	enum imp_rc rc = IMP_OK;

	ret->missing = missing;
	ret->v.reason = RULE_REASON_MISSING_SOURCE;
	evidence_add_missing(&why, missing);
	evaluation_settle(ev->from.arena, &why, &ret->v.why, &rc, err);
	return rc;
}

enum imp_rc
rule_count(struct evaluation *ev, const struct rule *r, const struct count_scope *scope, struct rule_count *ret,
    struct imp_err *err)
{
	struct rule_count c = { 0 };
	evidence_set missing = r->needs & ~ev->present;
	struct slice why_not;
	bool is_for_run;
	enum imp_rc rc = evaluation_applies(ev, &r->applies, &is_for_run, &why_not, err);

	if (rc != IMP_OK)
		return rc;
	if (!rule_is_counted(r->kind))
		rc = count_judged(ev, r, &c, err);
	else if (!is_for_run)
		c.v = (struct value){ .reason = RULE_REASON_NOT_APPLICABLE, .why = why_not };
	else if (missing != 0)
		rc = count_without(ev, missing, &c, err);
	else if (r->kind == RULE_KIND_SIGNATURE)
		rc = count_log(ev, r, scope, &c, err);
	else if (r->kind == RULE_KIND_METRIC)
		rc = count_metric(ev, r, scope, &c, err);
	else
		rc = count_query(ev, r, scope, &c, err);
	if (rc == IMP_OK)
		*ret = c;
	return rc;
}

bool
rule_count_matched(const struct rule_count *c)
{
	return c->v.i.has_lo && number_cmp(c->v.i.lo, number_int(1)) >= 0;
}
