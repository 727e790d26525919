/* rules/cause_items.c - what speaks for and against a cause on one run. */
#include "config.h"

#include "base/time.h"
#include "rules/cause_weigh.h"
#include "rules/rule_sql.h"
#include "sql_gen.h"

#define WHY_BYTES_MAX ((size_t)4096)

/* Evidence that is whole when no line of the ledgers was lost. Of anything else `complete` must say so. */
static const char *const whole[] = { "plan", "topics", "conns", "pods", NULL };

/* One item under way. */
struct item {
	struct weighing *x;
	const struct weighed *w;
	const struct cause_clause *c;
	struct cause_item r;
	struct text_values values; /* of its first match */
	struct value stopped;	   /* why its SQL did not come to an end */
};

enum imp_rc
cause_take_columns(struct arena *arena, sqlite3_stmt *st, struct text_values *ret, struct imp_err *err)
{
	for (int i = 0; i < sqlite3_column_count(st) && ret->n < TEXT_VALUES_MAX; i++) {
		struct text_value v = { .type = TEXT_UNKNOWN };

		v.name = arena_slice(arena, slice_of(sqlite3_column_name(st, i)), err);
		if (v.name.p == NULL)
			return IMP_E_NOMEM;
		if (sqlite3_column_type(st, i) == SQLITE_INTEGER) {
			v.type = TEXT_INT;
			v.i = sqlite3_column_int64(st, i);
		} else if (sqlite3_column_type(st, i) == SQLITE_FLOAT) {
			v.type = TEXT_REAL;
			v.d = sqlite3_column_double(st, i);
		} else if (sqlite3_column_type(st, i) == SQLITE_TEXT) {
			v.type = TEXT_SLICE;
			v.s = arena_slice(arena, store_column_slice(st, i), err);
			if (v.s.p == NULL)
				return IMP_E_NOMEM;
		}
		ret->v[ret->n++] = v;
	}
	return IMP_OK;
}

static uint64_t
count_of(const struct number *x)
{
	return x->num > 0 ? (uint64_t)(x->num / x->den) : 0;
}

/* ------------------------------------------------------------------ a rule */

static enum imp_rc
weigh_rule(struct item *it, struct imp_err *err)
{
	const struct rule *rule = ruleset_find(it->x->ev.rules, it->c->rule);
	struct count_scope scope = { &it->w->seconds, it->c->when == CAUSE_WHEN_INSIDE };
	struct rule_count n;
	enum imp_rc rc = rule_count(&it->x->ev, rule, weighed_stands_alone(it->w) ? NULL : &scope, &n, err);
	struct buf why = BUF_INIT(WHY_BYTES_MAX);

	if (rc != IMP_OK)
		return rc;
	it->r.rule = rule->id;
	it->r.evaluated = n.evaluated;
	it->r.matched = n.evaluated && rule_count_matched(&n);
	it->r.covered = n.evaluated && n.covered;
	it->r.aligned = it->r.matched && n.inside > 0;
	it->r.lo = n.v.i.has_lo ? count_of(&n.v.i.lo) : 0;
	it->r.hi = n.v.i.has_hi ? count_of(&n.v.i.hi) : UINT64_MAX;
	it->r.nplaces = n.nplaces;
	it->r.places_total = n.places_total;
	for (size_t i = 0; i < n.nplaces; i++)
		it->r.places[i] = n.places[i];
	if (n.evaluated)
		return IMP_OK;
	it->r.reason = n.v.reason;
	buf_add_slice(&why, n.v.why);
	if (n.v.why.n == 0)
		evidence_add_missing(&why, n.missing);
	evaluation_settle(it->x->ev.from.arena, &why, &it->r.why, &rc, err);
	return rc;
}

/* ------------------------------------------------------------------ codes */

static enum imp_rc
add_answer(struct item *it, const struct failing_message *m, struct imp_err *err)
{
	const struct value_source *from = &it->x->ev.from;
	struct cause_place *place = &it->r.places[it->r.nplaces];
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(from->store, sql_rules_answer_place, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), from->run_no);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":message"), m->no);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":code"), m->code);
	rc = store_step_row(from->store, st, &row, err);
	if (rc != IMP_OK || !row)
		return rc;
	*place = (struct cause_place){ .line = sqlite3_column_int64(st, 1), .t = sqlite3_column_int64(st, 2) };
	place->file = arena_slice(from->arena, store_column_slice(st, 0), err);
	sqlite3_reset(st);
	if (place->file.p == NULL)
		return IMP_E_NOMEM;
	it->r.nplaces++;
	return rule_sql_file_hash(from, place->file, &place->sha256, err);
}

static bool
has_code(const struct cause_clause *c, int64_t code)
{
	for (size_t i = 0; i < c->ncodes; i++)
		if (c->codes[i] == code)
			return true;
	return false;
}

/* Messages that the cause fits, answered with one of the codes. A finding fits none: all failing ones are looked at. */
static enum imp_rc
weigh_codes(struct item *it, struct imp_err *err)
{
	const struct weighing *x = it->x;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < x->nfailing && rc == IMP_OK; i++) {
		if ((!it->w->fit[i] && !it->w->cause->finding) || !has_code(it->c, x->failing[i].code))
			continue;
		it->r.lo++;
		if (it->r.nplaces < CAUSE_PLACES_MAX)
			rc = add_answer(it, &x->failing[i], err);
	}
	it->r.hi = it->r.places_total = it->r.lo;
	it->r.evaluated = true;
	it->r.matched = it->r.aligned = it->r.identity = it->r.lo > 0;
	it->r.covered = !x->ev.lines_lost;
	return rc;
}

/* ------------------------------------------------------------------ a query */

/* What a row of an item's query says, by the names of its columns. */
struct match {
	int64_t t, until, n, line, message_no;
	bool has_t, has_until, has_message;
	struct slice file, text;
};

static struct match
read_match(sqlite3_stmt *st)
{
	struct match m = { .n = 1 };

	for (int i = 0; i < sqlite3_column_count(st); i++) {
		struct slice name = slice_of(sqlite3_column_name(st, i));

		if (sqlite3_column_type(st, i) == SQLITE_NULL)
			continue;
		if (slice_eq(name, SLICE("t"))) {
			m.t = sqlite3_column_int64(st, i);
			m.has_t = true;
		} else if (slice_eq(name, SLICE("until"))) {
			m.until = sqlite3_column_int64(st, i);
			m.has_until = true;
		} else if (slice_eq(name, SLICE("n"))) {
			m.n = sqlite3_column_int64(st, i);
		} else if (slice_eq(name, SLICE("line"))) {
			m.line = sqlite3_column_int64(st, i);
		} else if (slice_eq(name, SLICE("message_no"))) {
			m.message_no = sqlite3_column_int64(st, i);
			m.has_message = true;
		} else if (slice_eq(name, SLICE("file"))) {
			m.file = store_column_slice(st, i);
		} else if (slice_eq(name, SLICE("text"))) {
			m.text = store_column_slice(st, i);
		}
	}
	return m;
}

/* Does it lie in the failing seconds: its moment, or some of the time that it lasted? */
static bool
is_inside(const struct item *it, const struct match *m)
{
	if (!m->has_t)
		return false;
	return seconds_between(&it->w->seconds, m->t, m->has_until ? m->until : m->t);
}

static bool
counts(const struct item *it, const struct match *m, bool inside)
{
	if (weighed_stands_alone(it->w) || it->c->when == CAUSE_WHEN_ANY)
		return true;
	return inside || (it->c->when == CAUSE_WHEN_TIMED && !m->has_t);
}

static enum imp_rc
add_place(struct item *it, const struct match *m, struct imp_err *err)
{
	const struct value_source *from = &it->x->ev.from;
	struct cause_place place = { .line = m->line, .t = m->has_t ? m->t : CAUSE_NO_T };

	it->r.places_total++;
	if (it->r.nplaces == CAUSE_PLACES_MAX)
		return IMP_OK;
	place.file = arena_slice(from->arena, m->file, err);
	if (place.file.p == NULL)
		return IMP_E_NOMEM;
	if (m->text.n > 0) {
		place.text = arena_slice(from->arena, m->text, err);
		if (place.text.p == NULL)
			return IMP_E_NOMEM;
	}
	it->r.places[it->r.nplaces++] = place;
	return rule_sql_file_hash(from, place.file, &it->r.places[it->r.nplaces - 1].sha256, err);
}

static enum imp_rc
take_match(void *payload, sqlite3_stmt *st, struct imp_err *err)
{
	struct item *it = payload;
	struct match m = read_match(st);
	bool inside = is_inside(it, &m);
	enum imp_rc rc = IMP_OK;

	if (m.n <= 0 || !counts(it, &m, inside))
		return IMP_OK;
	if (it->r.lo == 0) {
		text_values_add_int(&it->values, "n", 0); /* the total, when it is known */
		rc = cause_take_columns(it->x->ev.from.arena, st, &it->values, err);
	}
	it->r.lo = it->r.lo > INT64_MAX - (uint64_t)m.n ? INT64_MAX : it->r.lo + (uint64_t)m.n;
	it->r.aligned |= inside;
	it->r.identity |= m.has_message && weighed_fits(it->x, it->w, m.message_no);
	if (rc == IMP_OK && m.file.n > 0)
		rc = add_place(it, &m, err);
	return rc;
}

/* Would the query have found any, had there been one? */
static enum imp_rc
is_complete(const struct item *it, bool *ret, struct imp_err *err)
{
	evidence_set rest = it->c->needs;

	if (it->c->has_complete)
		return rule_sql_holds(&it->c->complete, &it->x->ev.from, false, ret, err);
	for (size_t i = 0; whole[i] != NULL; i++)
		for (unsigned k = 0; evidence_names[k] != NULL; k++)
			if (strcmp(whole[i], evidence_names[k]) == 0)
				rest &= ~((evidence_set)1 << k);
	*ret = rest == 0 && !it->x->ev.lines_lost;
	return IMP_OK;
}

static enum imp_rc
weigh_query(struct item *it, struct imp_err *err)
{
	enum imp_rc rc = rule_sql_run(&it->c->sql, &it->x->ev.from, take_match, it, &it->stopped, err);

	it->r.evaluated = it->stopped.reason == RULE_REASON_NONE;
	if (rc != IMP_OK || !it->r.evaluated) {
		it->r.reason = it->stopped.reason;
		it->r.why = it->stopped.why;
		return rc;
	}
	it->r.matched = it->r.lo > 0;
	rc = is_complete(it, &it->r.covered, err);
	it->r.hi = it->r.covered ? it->r.lo : UINT64_MAX;
	return rc;
}

/* ------------------------------------------------------------------ all of them */

static enum imp_rc
default_text(struct item *it, struct rule_text *ret, struct imp_err *err)
{
	struct buf en = BUF_INIT(WHY_BYTES_MAX), zh = BUF_INIT(WHY_BYTES_MAX);
	enum imp_rc rc = IMP_OK;

	if (it->c->kind == CAUSE_RULE) {
		const struct rule *rule = ruleset_find(it->x->ev.rules, it->c->rule);

		buf_addf(&en, "{n} × %.*s", SLICE_ARG(rule->title.en));
		buf_addf(&zh, "{n} × %.*s", SLICE_ARG(rule->title.zh));
	} else {
		buf_add_str(&en, "{n} of these messages were answered with ");
		buf_add_str(&zh, "这些消息中有 {n} 条的应答码为 ");
		for (size_t i = 0; i < it->c->ncodes; i++) {
			buf_addf(&en, "%s%lld", i == 0 ? "" : " or ", (long long)it->c->codes[i]);
			buf_addf(&zh, "%s%lld", i == 0 ? "" : " 或 ", (long long)it->c->codes[i]);
		}
	}
	evaluation_settle(it->x->ev.from.arena, &en, &ret->en, &rc, err);
	evaluation_settle(it->x->ev.from.arena, &zh, &ret->zh, &rc, err);
	return rc;
}

static enum imp_rc
say(struct item *it, struct imp_err *err)
{
	struct rule_text template = it->c->text;
	struct text_values *v = &it->values;
	enum imp_rc rc = template.en.n == 0 ? default_text(it, &template, err) : IMP_OK;

	if (v->n == 0)
		text_values_add_int(v, "n", 0);
	v->of_nothing = !it->r.matched;
	v->v[0].i = it->r.lo < INT64_MAX ? (int64_t)it->r.lo : INT64_MAX;
	v->v[0].at_least = it->r.hi > it->r.lo && it->r.evaluated;
	return rc == IMP_OK ? cause_text(it->x->ev.from.arena, &template, v, &it->r.text, err) : rc;
}

static enum imp_rc
say_missing(struct item *it, evidence_set missing, struct imp_err *err)
{
	struct buf why = BUF_INIT(WHY_BYTES_MAX);
	enum imp_rc rc = IMP_OK;

	it->r.reason = RULE_REASON_MISSING_SOURCE;
	evidence_add_missing(&why, missing);
	evaluation_settle(it->x->ev.from.arena, &why, &it->r.why, &rc, err);
	return rc;
}

static enum imp_rc
weigh_item(struct item *it, struct imp_err *err)
{
	evidence_set missing = it->c->needs & ~it->x->ev.present;
	enum imp_rc rc;

	it->r.against = it->c->against;
	it->r.decisive = it->c->decisive;
	it->r.weight = it->c->weight;
	if (missing != 0)
		rc = say_missing(it, missing, err);
	else if (it->c->kind == CAUSE_RULE)
		rc = weigh_rule(it, err);
	else
		rc = it->c->kind == CAUSE_CODE ? weigh_codes(it, err) : weigh_query(it, err);
	return rc == IMP_OK ? say(it, err) : rc;
}

enum imp_rc
cause_weigh_items(struct weighing *x, struct weighed *w, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	w->items = arena_alloc(x->ev.from.arena, (w->cause->nclauses + 1) * sizeof(*w->items), err);
	if (w->items == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; i < w->cause->nclauses && rc == IMP_OK; i++) {
		struct item it = { .x = x, .w = w, .c = &w->cause->clauses[i] };

		rc = weigh_item(&it, err);
		w->items[i] = it.r;
		if (it.r.matched && !it.c->off)
			*(it.c->against ? &w->against_weight : &w->for_weight) += it.c->weight;
	}
	return rc;
}
