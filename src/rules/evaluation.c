#include "config.h"

#include "rules/count.h"
#include "rules/rule.h"
#include "rules/rule_sql.h"
#include "sql_gen.h"

#define TEXT_MAX ((size_t)1 << 20)
#define SYSTEMS_MAX 100

void
evaluation_settle(struct arena *a, struct buf *b, struct slice *ret, enum imp_rc *rc, struct imp_err *err)
{
	if (*rc == IMP_OK)
		*rc = buf_status(b, err);
	if (*rc == IMP_OK) {
		*ret = arena_slice(a, buf_slice(b), err);
		*rc = ret->p != NULL ? IMP_OK : IMP_E_NOMEM;
	}
	buf_done(b);
}

static enum imp_rc
validity_result(void *payload, struct slice id, enum rule_result *ret, struct imp_err *err)
{
	struct evaluation *ev = payload;
	struct profile_rule use = { .rule = ruleset_find(ev->rules, id) };
	struct rule_verdict v;
	enum imp_rc rc = evaluation_judge(ev, &use, &v, err);

	if (rc == IMP_OK)
		*ret = v.result;
	return rc;
}

static enum imp_rc
count_result(void *payload, struct slice id, struct value *ret, struct imp_err *err)
{
	struct evaluation *ev = payload;
	struct rule_count count;
	enum imp_rc rc = rule_count(ev, ruleset_find(ev->rules, id), NULL, &count, err);

	if (rc == IMP_OK)
		*ret = count.v;
	return rc;
}

static enum imp_rc
load_run(struct evaluation *ev, struct imp_err *err)
{
	struct store *s = ev->from.store;
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(s, sql_rules_run, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), ev->from.run_no);
	rc = store_step_row(s, st, &row, err);
	if (rc == IMP_OK && !row)
		return imp_err_set(err, IMP_E_NOINPUT, "the store has no such run");
	if (rc != IMP_OK)
		return rc;
	ev->server = arena_slice(ev->from.arena, store_column_slice(st, 0), err);
	ev->gates = arena_slice(ev->from.arena, store_column_slice(st, 1), err);
	ev->kinds = (sqlite3_column_int(st, 2) ? 1u << SCOPE_P2P : 0) | (sqlite3_column_int(st, 3) ? 1u << SCOPE_GROUP : 0);
	ev->lines_lost = sqlite3_column_int(st, 4) != 0;
	sqlite3_reset(st);
	return ev->server.p != NULL && ev->gates.p != NULL ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
load_systems(struct evaluation *ev, struct imp_err *err)
{
	struct store *s = ev->from.store;
	sqlite3_stmt *st;
	bool row = true;
	enum imp_rc rc = store_stmt(s, sql_rules_systems, &st, err);

	ev->systems = rc == IMP_OK ? arena_alloc(ev->from.arena, SYSTEMS_MAX * sizeof(*ev->systems), err) : NULL;
	if (ev->systems == NULL)
		return rc != IMP_OK ? rc : IMP_E_NOMEM;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), ev->from.run_no);
	while (rc == IMP_OK && row) {
		rc = store_step_row(s, st, &row, err);
		if (rc != IMP_OK || !row || ev->nsystems == SYSTEMS_MAX)
			continue;
		ev->systems[ev->nsystems] = arena_slice(ev->from.arena, store_column_slice(st, 0), err);
		if (ev->systems[ev->nsystems++].p == NULL)
			rc = IMP_E_NOMEM;
	}
	sqlite3_reset(st);
	return rc;
}

enum imp_rc
evaluation_begin(struct evaluation *ev, const struct ruleset *rs, struct store *s, int64_t run_no, struct arena *arena,
    struct imp_err *err)
{
	enum imp_rc rc;

	*ev = (struct evaluation){ .rules = rs, .from = { s, run_no, arena, validity_result, count_result, ev } };
	rc = load_run(ev, err);
	if (rc == IMP_OK)
		rc = load_systems(ev, err);
	if (rc == IMP_OK)
		rc = evidence_load(s, run_no, &ev->present, err);
	return rc;
}

static bool
lists_system(const struct evaluation *ev, struct slice system)
{
	for (size_t i = 0; i < ev->nsystems; i++)
		if (slice_eq(ev->systems[i], system))
			return true;
	return false;
}

static bool
is_for_server(const struct evaluation *ev, unsigned servers)
{
	for (unsigned i = 0; rule_server_names[i] != NULL; i++)
		if ((servers & 1u << i) != 0 && slice_eq(ev->server, slice_of(rule_server_names[i])))
			return true;
	return servers == 0;
}

static void
add_servers(struct buf *out, unsigned servers)
{
	const char *separator = "";

	for (unsigned i = 0; rule_server_names[i] != NULL; i++)
		if ((servers & 1u << i) != 0) {
			buf_addf(out, "%s%s", separator, rule_server_names[i]);
			separator = " and ";
		}
}

enum imp_rc
evaluation_applies(const struct evaluation *ev, const struct applicability *a, bool *ret, struct slice *ret_why,
    struct imp_err *err)
{
	struct buf why = BUF_INIT(TEXT_MAX);
	bool holds = true;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < a->nsystems && ev->nsystems > 0 && why.n == 0; i++)
		if (!lists_system(ev, a->systems[i]))
			buf_addf(&why, "run.json does not list %.*s", SLICE_ARG(a->systems[i]));
	if (why.n == 0 && !is_for_server(ev, a->servers)) {
		buf_add_str(&why, "for server ");
		add_servers(&why, a->servers);
		buf_add_str(&why, " only");
	}
	if (why.n == 0 && a->kinds != 0 && (a->kinds & ev->kinds) == 0)
		buf_add_str(&why, "the run has no scenario of this kind");
	if (why.n == 0 && a->has_sql)
		rc = rule_sql_holds(&a->sql, &ev->from, true, &holds, err); /* a failing rule must not take a gate away */
	if (!holds)
		buf_add_slice(&why, a->otherwise.en);
	*ret = why.n == 0;
	evaluation_settle(ev->from.arena, &why, ret_why, &rc, err);
	return rc;
}

/* Everything about one condition in one scope before it is put into words. */
struct measured {
	const struct rule *rule;
	const struct condition *c;
	const struct threshold *threshold;
	enum value_scope scope;
	evidence_set missing;
	struct value v;
	enum rule_result result;
};

static enum imp_rc
measure(const struct evaluation *ev, struct measured *m, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	m->result = RULE_NOT_EVALUATED;
	m->missing = (m->rule->needs | m->c->needs) & ~ev->present;
	if (m->missing != 0 || m->c->value == NULL) {
		m->v.reason = RULE_REASON_MISSING_SOURCE;
		return IMP_OK;
	}
	rc = value_eval(m->c->value, &ev->from, m->scope, &m->v, err);
	if (rc != IMP_OK)
		return rc;
	m->result = threshold_test(m->threshold, &m->v.i);
	/* the threshold of a validity rule is what makes it fire */
	if (m->rule->kind == RULE_KIND_VALIDITY && m->result != RULE_NOT_EVALUATED)
		m->result = m->result == RULE_PASS ? RULE_FAIL : RULE_PASS;
	return IMP_OK;
}

static void
say_failed(struct buf *out, const struct measured *m, struct slice value)
{
	struct slice what = m->c->text.en.n > 0 ? m->c->text.en : m->rule->title.en;

	buf_add_slice(out, what);
	if (m->scope != SCOPE_TOTAL)
		buf_addf(out, " (%s)", value_scope_names[m->scope]);
	buf_addf(out, ": %.*s, %s %.*s", SLICE_ARG(value), m->rule->kind == RULE_KIND_VALIDITY ? "invalid when" : "required",
	    SLICE_ARG(m->threshold->text));
	if (m->v.examples.n > 0)
		buf_addf(out, ": %.*s", SLICE_ARG(m->v.examples));
}

static void
say_open(struct buf *out, const struct measured *m, struct slice value)
{
	if (m->missing != 0)
		evidence_add_missing(out, m->missing);
	else if (m->c->value == NULL)
		buf_add_str(out, "nothing that was read measures it");
	else if (m->v.why.n > 0)
		buf_add_slice(out, m->v.why);
	else if (m->c->open.en.n > 0)
		buf_add_slice(out, m->c->open.en);
	else if (value.n > 0)
		buf_addf(out, "known is only %.*s", SLICE_ARG(value));
	else
		buf_add_str(out, "too little is known of it");
}

static void
add_name(struct buf *out, const struct measured *m)
{
	bool plain = slice_eq(m->c->name, SLICE("value"));

	if (!plain)
		buf_add_slice(out, m->c->name);
	if (!plain && m->scope != SCOPE_TOTAL)
		buf_add_char(out, ' ');
	if (m->scope != SCOPE_TOTAL)
		buf_add_str(out, value_scope_names[m->scope]);
	else if (plain)
		buf_add_str(out, m->c->scopes == 1u << SCOPE_TOTAL ? "value" : "total");
}

static enum imp_rc
put_into_words(struct arena *a, const struct measured *m, struct condition_result *ret, struct imp_err *err)
{
	struct buf name = BUF_INIT(TEXT_MAX), value = BUF_INIT(TEXT_MAX), json = BUF_INIT(TEXT_MAX), why = BUF_INIT(TEXT_MAX);
	struct condition_result r = { .text = m->c->text, .result = m->result, .threshold = m->threshold->text };
	enum imp_rc rc = IMP_OK;

	add_name(&name, m);
	value_add_text(&value, &m->v, m->threshold);
	value_add_json(&json, &m->v, m->threshold->unit);
	if (m->threshold != &m->c->threshold && !slice_eq(m->threshold->text, m->c->threshold.text))
		r.threshold_was = m->c->threshold.text;
	if (m->result == RULE_FAIL)
		say_failed(&why, m, buf_slice(&value));
	else if (m->result == RULE_NOT_EVALUATED)
		say_open(&why, m, buf_slice(&value));
	if (m->result == RULE_NOT_EVALUATED)
		r.reason = m->v.reason;
	evaluation_settle(a, &name, &r.name, &rc, err);
	evaluation_settle(a, &value, &r.value, &rc, err);
	evaluation_settle(a, &json, &r.value_json, &rc, err);
	evaluation_settle(a, &why, &r.why, &rc, err);
	if (rc == IMP_OK)
		*ret = r;
	return rc;
}

/* Kinds are looked at one by one only where a run has both. */
static bool
wants_scope(const struct evaluation *ev, const struct condition *c, enum value_scope scope)
{
	unsigned both = 1u << SCOPE_P2P | 1u << SCOPE_GROUP;
	bool alone = (c->scopes & 1u << SCOPE_TOTAL) == 0;

	if ((c->scopes & 1u << scope) == 0)
		return false;
	return scope == SCOPE_TOTAL || (alone ? (ev->kinds & 1u << scope) != 0 : (ev->kinds & both) == both);
}

static enum imp_rc
judge_conditions(const struct evaluation *ev, const struct profile_rule *use, struct rule_verdict *v, evidence_set *ret_missing,
    struct imp_err *err)
{
	const struct rule *r = use->rule;
	struct condition_result *results = arena_alloc(ev->from.arena, r->nconditions * _SCOPE_MAX * sizeof(*results), err);
	enum imp_rc rc = IMP_OK;

	if (results == NULL)
		return IMP_E_NOMEM;
	v->conditions = results;
	for (size_t i = 0; i < r->nconditions; i++) {
		struct measured m = { .rule = r, .c = &r->conditions[i] };
		bool wanted = true;

		if (m.c->has_only_when)
			rc = rule_sql_holds(&m.c->only_when, &ev->from, true, &wanted, err);
		if (rc != IMP_OK)
			return rc;
		m.threshold = use->thresholds != NULL ? &use->thresholds[i] : &m.c->threshold;
		for (m.scope = SCOPE_TOTAL; m.scope < _SCOPE_MAX && rc == IMP_OK; m.scope++) {
			if (!wanted || !wants_scope(ev, m.c, m.scope))
				continue;
			rc = measure(ev, &m, err);
			if (rc == IMP_OK)
				rc = put_into_words(ev->from.arena, &m, &results[v->nconditions], err);
			if (rc != IMP_OK)
				return rc;
			v->nconditions++;
			v->proven |= m.c->proof && m.result == RULE_FAIL;
			*ret_missing |= m.missing;
		}
	}
	return IMP_OK;
}

/* All must pass: fail before not evaluated before pass. "Does any fire" is the same question asked of the opposite. */
static enum rule_result
combine(const struct condition_result *c, size_t n)
{
	enum rule_result all = n > 0 ? RULE_PASS : RULE_NOT_APPLICABLE;

	for (size_t i = 0; i < n; i++) {
		if (c[i].result == RULE_FAIL)
			return RULE_FAIL;
		if (c[i].result == RULE_NOT_EVALUATED)
			all = RULE_NOT_EVALUATED;
	}
	return all;
}

static bool
same_threshold(const struct rule_verdict *v)
{
	for (size_t i = 1; i < v->nconditions; i++)
		if (!slice_eq(v->conditions[i].threshold, v->conditions[0].threshold))
			return false;
	return true;
}

/* Has an earlier condition with this result said the same? */
static bool
said_before(const struct rule_verdict *v, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (v->conditions[k].result == v->conditions[i].result && slice_eq(v->conditions[k].why, v->conditions[i].why))
			return true;
	return false;
}

static void
join_named(struct buf *out, const struct rule_verdict *v, struct slice name, struct slice text)
{
	if (text.n == 0)
		return;
	buf_add_str(out, out->n > 0 ? ", " : "");
	if (v->nconditions > 1)
		buf_addf(out, "%.*s ", SLICE_ARG(name));
	buf_add_slice(out, text);
}

/* The conditions in one line: what was measured, what is required, what is wrong. */
static enum imp_rc
summarize(struct arena *a, struct rule_verdict *v, struct imp_err *err)
{
	struct buf value = BUF_INIT(TEXT_MAX), threshold = BUF_INIT(TEXT_MAX), why = BUF_INIT(TEXT_MAX);
	const struct condition_result *decided = NULL;
	bool same = same_threshold(v);
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < v->nconditions; i++) {
		const struct condition_result *c = &v->conditions[i];

		join_named(&value, v, c->name, c->value);
		if (!same)
			join_named(&threshold, v, c->name, c->threshold);
		v->changed |= c->threshold_was.n > 0;
		if (c->result != v->result)
			continue;
		if (decided == NULL)
			decided = c;
		if (c->why.n > 0 && !said_before(v, i))
			buf_addf(&why, "%s%.*s", why.n > 0 ? "; " : "", SLICE_ARG(c->why));
	}
	if (same && v->nconditions > 0)
		buf_add_slice(&threshold, v->conditions[0].threshold);
	v->value_json = decided != NULL ? decided->value_json : SLICE("null");
	v->reason = decided != NULL ? decided->reason : RULE_REASON_NONE;
	evaluation_settle(a, &value, &v->value, &rc, err);
	evaluation_settle(a, &threshold, &v->threshold, &rc, err);
	evaluation_settle(a, &why, &v->why, &rc, err);
	return rc;
}

enum imp_rc
evaluation_name_missing(struct arena *a, evidence_set missing, const char *const **ret, struct imp_err *err)
{
	const char **names = arena_alloc(a, (sizeof(missing) * 8 + 1) * sizeof(*names), err);
	size_t n = 0;

	if (names == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; evidence_names[i] != NULL; i++)
		if (missing & (evidence_set)1 << i)
			names[n++] = evidence_names[i];
	*ret = names;
	return IMP_OK;
}

/* What is said of a rule that is not for this run: the threshold, and why not. */
static void
leave_out(const struct profile_rule *use, struct rule_verdict *v)
{
	v->result = RULE_NOT_APPLICABLE;
	v->value_json = SLICE("null");
	v->threshold = use->rule->nconditions == 1 ? use->rule->conditions[0].threshold.text : (struct slice){ "", 0 };
}

static void
waive(const struct waiver *w, struct rule_verdict *v)
{
	v->unwaived = v->result;
	if (w == NULL)
		return;
	v->waived_until = w->until;
	v->waived_why = w->why;
	if (v->result == RULE_FAIL || v->result == RULE_NOT_EVALUATED)
		v->result = RULE_WAIVED;
}

enum imp_rc
evaluation_judge(struct evaluation *ev, const struct profile_rule *use, struct rule_verdict *ret, struct imp_err *err)
{
	const struct rule *r = use->rule;
	struct rule_verdict v = { .id = r->id,
		.validity = r->kind == RULE_KIND_VALIDITY,
		.warning = r->warning,
		.title = r->title,
		.about = r->about,
		.fix = r->fix };
	evidence_set missing = 0;
	bool is_for_run;
	enum imp_rc rc = evaluation_applies(ev, &r->applies, &is_for_run, &v.why, err);

	if (rc == IMP_OK && !is_for_run)
		leave_out(use, &v);
	if (rc == IMP_OK && is_for_run) {
		rc = judge_conditions(ev, use, &v, &missing, err);
		v.result = combine(v.conditions, v.nconditions);
		if (rc == IMP_OK)
			rc = summarize(ev->from.arena, &v, err);
	}
	if (rc == IMP_OK)
		rc = evaluation_name_missing(ev->from.arena, missing, &v.missing, err);
	if (rc == IMP_OK && v.result == RULE_FAIL && r->has_evidence)
		rc =
		    rule_sql_evidence(&r->evidence, &ev->from, RULE_EVIDENCE_MAX, v.evidence, &v.nevidence, &v.evidence_total, err);
	if (rc != IMP_OK)
		return rc;
	waive(use->waiver, &v);
	*ret = v;
	return IMP_OK;
}
