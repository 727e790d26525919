#include "config.h"

#include "rules/rule.h"

#include "rules/cause.h"
#include "rules/fields.h"
#include "rules/rule_test.h"

#define REV_MAX 1000000

#define CONDITION_KEYS "text", "value", "needs", "only_when", "open"
#define GATE_KEYS CONDITION_KEYS, "require", "scopes", "proof"

static const char *const gate_keys[] = { RULE_JUDGED_KEYS, GATE_KEYS, "conditions", "evidence", "warning", NULL };
static const char *const gate_condition_keys[] = { GATE_KEYS, "name", NULL };
static const char *const validity_keys[] = { RULE_JUDGED_KEYS, CONDITION_KEYS, "fires", "sql", "conditions", "evidence", NULL };
static const char *const validity_condition_keys[] = { CONDITION_KEYS, "fires", "name", NULL };
static const char *const signature_keys[] = { RULE_JUDGED_KEYS, "match", "effect", "server", "profile", "also", NULL };
static const char *const metric_keys[] = { RULE_JUDGED_KEYS, "series", "compute", NULL };
static const char *const query_keys[] = { RULE_JUDGED_KEYS, "sql", NULL };
static const char *const profile_keys[] = { RULE_KEYS, "extends", "gates", "validity", "thresholds", "waivers", NULL };
static const char *const applies_keys[] = { "systems", "server", "kinds", "sql", "otherwise", NULL };
static const char *const system_names[] = { "mysql", "kafka", "redis", "kubernetes", "prometheus", NULL };
const char *const rule_server_names[] = { "im-server", "tinode", NULL };
const char *const rule_status_names[] = { "stable", "test", "experimental", "deprecated", NULL };

/* What the kinds of rules have of their own. */
struct rule_form {
	const char *const *keys, *const *condition_keys;
	const char *threshold; /* the key of a condition's threshold; NULL: no conditions */
};
const char *const rule_kind_names[] = { "gate", "validity", "profile", "signature", "metric", "query", "cause", NULL };
static const struct rule_form forms[] = {
	[RULE_KIND_GATE] = { gate_keys, gate_condition_keys, "require" },
	[RULE_KIND_VALIDITY] = { validity_keys, validity_condition_keys, "fires" },
	[RULE_KIND_PROFILE] = { .keys = profile_keys },
	[RULE_KIND_SIGNATURE] = { .keys = signature_keys },
	[RULE_KIND_METRIC] = { .keys = metric_keys },
	[RULE_KIND_QUERY] = { .keys = query_keys },
	[RULE_KIND_CAUSE] = { .keys = cause_keys },
};

static enum imp_rc
parse_systems(struct arena *a, const struct doc_node *n, struct applicability *ret, struct imp_err *err)
{
	enum imp_rc rc = n != NULL ? doc_is(n, DOC_LIST, err) : IMP_OK;
	unsigned i;

	if (n == NULL || rc != IMP_OK)
		return rc;
	ret->systems = arena_alloc(a, (n->n + 1) * sizeof(*ret->systems), err);
	if (ret->systems == NULL)
		return IMP_E_NOMEM;
	for (const struct doc_node *c = n->first; c != NULL && rc == IMP_OK; c = c->next) {
		rc = doc_choice(c, "system", system_names, &i, err);
		ret->systems[ret->nsystems++] = c->text;
	}
	return rc;
}

static enum imp_rc
parse_applies(struct arena *a, const struct doc_node *n, struct applicability *ret, struct imp_err *err)
{
	const struct doc_node *sql, *otherwise;
	enum imp_rc rc;

	if (n == NULL)
		return IMP_OK;
	rc = doc_check_keys(n, applies_keys, err);
	if (rc == IMP_OK)
		rc = parse_systems(a, doc_get(n, "systems"), ret, err);
	if (rc == IMP_OK)
		rc = field_bits(doc_get(n, "kinds"), "kind", value_scope_names, &ret->kinds, err);
	if (rc == IMP_OK)
		rc = field_bits_or_one(doc_get(n, "server"), "server", rule_server_names, &ret->servers, err);
	sql = doc_get(n, "sql");
	otherwise = doc_get(n, "otherwise");
	if (rc == IMP_OK && (sql != NULL) != (otherwise != NULL))
		rc = doc_error(&n->at, err, "'sql' and 'otherwise' go together");
	if (rc == IMP_OK && sql != NULL)
		rc = value_parse_sql(sql, &ret->sql, err);
	ret->has_sql = sql != NULL;
	return rc == IMP_OK ? field_text(otherwise, &ret->otherwise, err) : rc;
}

static enum imp_rc
parse_threshold(const struct doc_node *n, struct threshold *ret, struct imp_err *err)
{
	const char *why;
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc == IMP_OK && !threshold_parse(n->text, ret, &why))
		rc = doc_error(&n->at, err, "'%.*s' is no threshold: %s", SLICE_ARG(n->text), why);
	return rc;
}

/* A time is compared with a time; nothing else can be told from an expression. */
static enum imp_rc
check_unit(const struct condition *c, struct imp_err *err)
{
	if (c->value != NULL && c->value->kind == VALUE_LATENCY && c->threshold.unit != UNIT_TIME)
		return doc_error(&c->at, err, "a latency needs a threshold in ns, us, ms, s or min");
	if (c->value != NULL && c->value->kind == VALUE_LATENCY && c->scopes != 1u << SCOPE_TOTAL)
		return doc_error(&c->at, err, "a latency has no scopes: quantiles of kinds do not add up");
	return IMP_OK;
}

static enum imp_rc
parse_measure(struct arena *a, const struct doc_node *n, const struct rule_form *form, struct condition *c, struct imp_err *err)
{
	const struct doc_node *value = doc_get(n, "value"), *needs = doc_get(n, "needs"), *only_when = doc_get(n, "only_when"),
			      *threshold;
	enum imp_rc rc = IMP_OK;

	c->has_only_when = only_when != NULL;
	if (only_when != NULL)
		rc = value_parse_sql(only_when, &c->only_when, err);

	if (rc == IMP_OK && needs != NULL)
		rc = evidence_parse(needs, &c->needs, err);
	if (rc == IMP_OK && value != NULL)
		rc = value_parse(a, value, &c->value, err);
	else if (rc == IMP_OK && c->needs == 0)
		rc = doc_error(&n->at, err, "a condition without 'value' says in 'needs' what it is missing");
	if (rc == IMP_OK)
		rc = doc_need(n, form->threshold, &threshold, err);
	return rc == IMP_OK ? parse_threshold(threshold, &c->threshold, err) : rc;
}

static enum imp_rc
parse_condition(struct arena *a, const struct doc_node *n, const struct rule_form *form, struct condition *ret, struct imp_err *err)
{
	struct condition c = { .at = n->at, .name = SLICE("value"), .scopes = 1u << SCOPE_TOTAL };
	enum imp_rc rc = parse_measure(a, n, form, &c, err);

	if (rc == IMP_OK && doc_get(n, "name") != NULL)
		rc = field_id(doc_get(n, "name"), &c.name, err);
	if (rc == IMP_OK)
		rc = field_text(doc_get(n, "text"), &c.text, err);
	if (rc == IMP_OK)
		rc = field_text(doc_get(n, "open"), &c.open, err);
	if (rc == IMP_OK)
		rc = field_bits(doc_get(n, "scopes"), "scope", value_scope_names, &c.scopes, err);
	if (rc == IMP_OK)
		rc = field_truth(doc_get(n, "proof"), &c.proof, err);
	if (rc == IMP_OK)
		rc = check_unit(&c, err);
	if (rc == IMP_OK)
		*ret = c;
	return rc;
}

static enum imp_rc
parse_condition_list(struct arena *a, const struct doc_node *list, const struct rule_form *form, struct rule *r,
    struct imp_err *err)
{
	const struct doc_node *name;
	enum imp_rc rc = doc_is(list, DOC_LIST, err);

	if (rc == IMP_OK && list->n == 0)
		rc = doc_error(&list->at, err, "an empty list");
	r->conditions = rc == IMP_OK ? arena_alloc(a, list->n * sizeof(*r->conditions), err) : NULL;
	if (rc == IMP_OK && r->conditions == NULL)
		return IMP_E_NOMEM;
	for (const struct doc_node *c = list->first; c != NULL && rc == IMP_OK; c = c->next) {
		rc = doc_check_keys(c, form->condition_keys, err);
		if (rc == IMP_OK)
			rc = doc_need(c, "name", &name, err);
		if (rc == IMP_OK)
			rc = parse_condition(a, c, form, &r->conditions[r->nconditions], err);
		for (size_t i = 0; i < r->nconditions && rc == IMP_OK; i++)
			if (slice_eq(r->conditions[i].name, name->text))
				rc = doc_error(&name->at, err, "condition '%.*s' stands here twice", SLICE_ARG(name->text));
		r->nconditions++;
	}
	return rc;
}

/* `sql:` of a validity rule: it fires when there is a row. */
static enum imp_rc
parse_offenders(struct arena *a, const struct doc_node *n, struct rule *r, struct imp_err *err)
{
	struct condition *c = r->conditions;
	struct value_expr *e = arena_alloc(a, sizeof(*e), err);
	enum imp_rc rc;

	if (e == NULL)
		return IMP_E_NOMEM;
	*c = (struct condition){ .at = n->at, .name = SLICE("value"), .scopes = 1u << SCOPE_TOTAL, .value = e };
	c->threshold = (struct threshold){ OP_GT, number_int(0), UNIT_NONE, SLICE("> 0") };
	e->kind = VALUE_ROWS;
	e->at = n->at;
	rc = value_parse_sql(doc_get(n, "sql"), &e->sql, err);
	if (rc == IMP_OK)
		rc = field_text(doc_get(n, "text"), &c->text, err);
	if (rc == IMP_OK && doc_get(n, "needs") != NULL)
		rc = evidence_parse(doc_get(n, "needs"), &c->needs, err);
	return rc;
}

static enum imp_rc
parse_conditions(struct arena *a, const struct doc_node *n, const struct rule_form *form, struct rule *r, struct imp_err *err)
{
	const struct doc_node *list = doc_get(n, "conditions"), *evidence = doc_get(n, "evidence");
	const struct doc_node *value = doc_get(n, "value"), *sql = doc_get(n, "sql");
	enum imp_rc rc;

	if ((list != NULL) + (value != NULL) + (sql != NULL) > 1)
		return doc_error(&n->at, err, "a rule measures one thing, or has 'conditions'");
	if (list != NULL) {
		rc = parse_condition_list(a, list, form, r, err);
	} else {
		r->conditions = arena_alloc(a, sizeof(*r->conditions), err);
		if (r->conditions == NULL)
			return IMP_E_NOMEM;
		r->nconditions = 1;
		rc = sql != NULL ? parse_offenders(a, n, r, err) : parse_condition(a, n, form, r->conditions, err);
	}
	r->has_evidence = evidence != NULL;
	if (rc == IMP_OK && evidence != NULL)
		rc = value_parse_sql(evidence, &r->evidence, err);
	return rc == IMP_OK ? field_truth(doc_get(n, "warning"), &r->warning, err) : rc;
}

/* `falsepositives` and `refs` are for the reader of the file. */
static enum imp_rc
check_remarks(const struct doc_node *n, const char *key, struct imp_err *err)
{
	const struct doc_node *list = doc_get(n, key);
	enum imp_rc rc = list != NULL ? doc_is(list, DOC_LIST, err) : IMP_OK;

	for (const struct doc_node *c = list != NULL ? list->first : NULL; c != NULL && rc == IMP_OK; c = c->next)
		rc = doc_is(c, DOC_SCALAR, err);
	return rc;
}

static enum imp_rc
parse_description(const struct doc_node *n, struct rule *r, struct imp_err *err)
{
	const struct doc_node *title, *status = doc_get(n, "status");
	unsigned i = RULE_STABLE;
	enum imp_rc rc = doc_need(n, "title", &title, err);

	if (rc == IMP_OK)
		rc = field_text(title, &r->title, err);
	if (rc == IMP_OK)
		rc = field_text(doc_get(n, "why"), &r->about, err);
	if (rc == IMP_OK)
		rc = field_text(doc_get(n, "fix"), &r->fix, err);
	if (rc == IMP_OK && status != NULL)
		rc = doc_choice(status, "status", rule_status_names, &i, err);
	r->status = i;
	if (rc == IMP_OK)
		rc = check_remarks(n, "falsepositives", err);
	return rc == IMP_OK ? check_remarks(n, "refs", err) : rc;
}

static enum imp_rc
parse_common(struct arena *a, const struct doc_node *n, struct rule *r, struct imp_err *err)
{
	const struct doc_node *id, *rev = doc_get(n, "rev"), *needs = doc_get(n, "requires");
	enum imp_rc rc = doc_need(n, "id", &id, err);

	r->rev = 1;
	if (rc == IMP_OK)
		rc = field_id(id, &r->id, err);
	if (rc == IMP_OK && rev != NULL)
		rc = field_int(rev, "'rev'", 1, REV_MAX, &r->rev, err);
	if (rc == IMP_OK)
		rc = parse_description(n, r, err);
	if (rc == IMP_OK && needs != NULL)
		rc = evidence_parse(needs, &r->needs, err);
	if (rc == IMP_OK)
		rc = parse_applies(a, doc_get(n, "applies_when"), &r->applies, err);
	r->tests = doc_get(n, "tests");
	return rc == IMP_OK && r->tests != NULL ? rule_check_tests(r->tests, r->kind, err) : rc;
}

bool
rule_is_counted(enum rule_kind k)
{
	return k == RULE_KIND_SIGNATURE || k == RULE_KIND_METRIC || k == RULE_KIND_QUERY;
}

static enum imp_rc
parse_query(const struct doc_node *n, struct rule *r, struct imp_err *err)
{
	const struct doc_node *sql;
	enum imp_rc rc = doc_need(n, "sql", &sql, err);

	return rc == IMP_OK ? value_parse_sql(sql, &r->query, err) : rc;
}

static enum imp_rc
parse_metric(struct arena *a, const struct doc_node *n, struct rule *r, struct imp_err *err)
{
	const struct doc_node *compute;
	enum imp_rc rc = doc_need(n, "compute", &compute, err);

	return rc == IMP_OK ? metric_parse(a, n, compute, &r->metric, err) : rc;
}

/* What the kind has of its own. */
static enum imp_rc
parse_kind(struct arena *a, const struct doc_node *n, struct rule *r, struct imp_err *err)
{
	switch (r->kind) {
	case RULE_KIND_GATE:
	case RULE_KIND_VALIDITY:
		return parse_conditions(a, n, &forms[r->kind], r, err);
	case RULE_KIND_PROFILE:
		return profile_parse(a, n, &r->profile, err);
	case RULE_KIND_SIGNATURE:
		return signature_parse(a, n, r, err);
	case RULE_KIND_METRIC:
		return parse_metric(a, n, r, err);
	case RULE_KIND_QUERY:
		return parse_query(n, r, err);
	case RULE_KIND_CAUSE:
		return cause_parse(a, n, &r->cause, err);
	case _RULE_KIND_MAX:
		break;
	}
	return imp_err_set(err, IMP_E_INTERNAL, "a rule of no kind");
}

enum imp_rc
rule_parse(struct arena *arena, const struct doc_node *n, struct rule *ret, struct imp_err *err)
{
	struct rule r = { .at = n->at };
	const struct doc_node *kind;
	unsigned i = 0;
	enum imp_rc rc = doc_need(n, "kind", &kind, err);

	if (rc == IMP_OK)
		rc = doc_choice(kind, "kind of rule", rule_kind_names, &i, err);
	if (rc == IMP_OK)
		rc = doc_check_keys(n, forms[i].keys, err);
	r.kind = i;
	if (rc == IMP_OK)
		rc = parse_common(arena, n, &r, err);
	if (rc == IMP_OK)
		rc = parse_kind(arena, n, &r, err);
	if (rc == IMP_OK)
		*ret = r;
	return rc;
}
