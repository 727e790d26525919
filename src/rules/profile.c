#include "config.h"

#include "rules/rule.h"

#define EXTENDS_MAX 8 /* profiles one upon the other */

static const char *const waiver_keys[] = { "gate", "until", "reason", NULL };

bool
profile_is_date(struct slice s)
{
	int month, day;

	if (s.n != 10 || s.p[4] != '-' || s.p[7] != '-')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (i != 4 && i != 7 && (s.p[i] < '0' || s.p[i] > '9'))
			return false;
	month = (s.p[5] - '0') * 10 + s.p[6] - '0';
	day = (s.p[8] - '0') * 10 + s.p[9] - '0';
	return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static enum imp_rc
need_scalar(const struct doc_node *map, const char *key, struct slice *ret, struct imp_err *err)
{
	const struct doc_node *n;
	enum imp_rc rc = doc_need(map, key, &n, err);

	if (rc == IMP_OK)
		rc = doc_is(n, DOC_SCALAR, err);
	if (rc == IMP_OK && n->text.n == 0)
		rc = doc_error(&n->at, err, "'%s' is empty", key);
	if (rc == IMP_OK)
		*ret = n->text;
	return rc;
}

static enum imp_rc
parse_waivers(struct arena *a, const struct doc_node *list, struct profile *ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(list, DOC_LIST, err);

	ret->waivers = rc == IMP_OK ? arena_alloc(a, (list->n + 1) * sizeof(*ret->waivers), err) : NULL;
	if (rc == IMP_OK && ret->waivers == NULL)
		return IMP_E_NOMEM;
	for (const struct doc_node *c = list->first; c != NULL && rc == IMP_OK; c = c->next) {
		struct waiver *w = &ret->waivers[ret->nwaivers++];

		w->at = c->at;
		rc = doc_check_keys(c, waiver_keys, err);
		if (rc == IMP_OK)
			rc = need_scalar(c, "gate", &w->gate, err);
		if (rc == IMP_OK)
			rc = need_scalar(c, "until", &w->until, err);
		if (rc == IMP_OK)
			rc = need_scalar(c, "reason", &w->why, err);
		if (rc == IMP_OK && !profile_is_date(w->until))
			rc = doc_error(&c->at, err, "'%.*s' is no date (YYYY-MM-DD)", SLICE_ARG(w->until));
	}
	return rc;
}

static enum imp_rc
parse_change(const struct doc_node *n, struct slice gate, struct slice condition, struct profile *ret, struct imp_err *err)
{
	struct threshold_change *c = &ret->changes[ret->nchanges++];
	const char *why;
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	*c = (struct threshold_change){ .at = n->at, .gate = gate, .condition = condition };
	if (rc == IMP_OK && !threshold_parse(n->text, &c->threshold, &why))
		rc = doc_error(&n->at, err, "'%.*s' is no threshold: %s", SLICE_ARG(n->text), why);
	return rc;
}

/* {GATE: '<= 1 s', GATE: {CONDITION: '<= 1 s', ...}, ...} */
static enum imp_rc
parse_changes(struct arena *a, const struct doc_node *map, struct profile *ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(map, DOC_MAP, err);
	size_t n = 0;

	for (const struct doc_node *g = map->first; g != NULL; g = g->next)
		n += g->n + 1;
	ret->changes = arena_alloc(a, (n + 1) * sizeof(*ret->changes), err);
	if (ret->changes == NULL)
		return IMP_E_NOMEM;
	for (const struct doc_node *g = map->first; g != NULL && rc == IMP_OK; g = g->next) {
		if (g->kind != DOC_MAP)
			rc = parse_change(g, g->key, (struct slice){ NULL, 0 }, ret, err);
		else
			for (const struct doc_node *c = g->first; c != NULL && rc == IMP_OK; c = c->next)
				rc = parse_change(c, g->key, c->key, ret, err);
	}
	return rc;
}

enum imp_rc
profile_parse(struct arena *arena, const struct doc_node *n, struct profile *ret, struct imp_err *err)
{
	const struct doc_node *extends = doc_get(n, "extends"), *thresholds = doc_get(n, "thresholds"),
			      *waivers = doc_get(n, "waivers");
	enum imp_rc rc = IMP_OK;

	*ret = (struct profile){ .gates = doc_get(n, "gates"), .validity = doc_get(n, "validity") };
	if (extends != NULL) {
		rc = need_scalar(n, "extends", &ret->extends, err);
		ret->extends_at = extends->at;
	}
	if (rc == IMP_OK && ret->gates != NULL)
		rc = doc_is(ret->gates, DOC_LIST, err);
	if (rc == IMP_OK && ret->validity != NULL)
		rc = doc_is(ret->validity, DOC_LIST, err);
	if (rc == IMP_OK && thresholds != NULL)
		rc = parse_changes(arena, thresholds, ret, err);
	if (rc == IMP_OK && waivers != NULL)
		rc = parse_waivers(arena, waivers, ret, err);
	return rc;
}

static enum imp_rc
no_such_rule(struct ruleset *rs, const struct doc_place *at, struct slice id, enum rule_kind kind, struct imp_err *err)
{
	static const char *const nouns[] = {
		[RULE_KIND_GATE] = "gate",
		[RULE_KIND_VALIDITY] = "validity rule",
		[RULE_KIND_PROFILE] = "profile",
	};
	const char **names = arena_alloc(&rs->arena, (rs->rules.n + 1) * sizeof(*names), err);
	const char *nearest;
	size_t n = 0;

	if (names == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; i < rs->rules.n; i++)
		if (rs->rules.v[i]->kind == kind)
			names[n++] = rs->rules.v[i]->id.p;
	nearest = doc_nearest(id, names);
	return doc_error(at, err, "there is no %s '%.*s'%s%s%s", nouns[kind], SLICE_ARG(id),
	    nearest != NULL ? ": did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

/* Find a rule of that kind, or say which one is near. */
static enum imp_rc
find_rule(struct ruleset *rs, const struct doc_place *at, struct slice id, enum rule_kind kind, const struct rule **ret,
    struct imp_err *err)
{
	const struct rule *r = ruleset_find(rs, id);

	if (r == NULL || r->kind != kind)
		return no_such_rule(rs, at, id, kind, err);
	*ret = r;
	return IMP_OK;
}

static struct profile_rule *
find_use(struct profile_rule *v, size_t n, const struct rule *r)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].rule == r)
			return &v[i];
	return NULL;
}

/* Add the rules of a list of ids; one that is there stays where it is. */
static enum imp_rc
add_rules(struct ruleset *rs, const struct doc_node *list, enum rule_kind kind, struct profile_rule *v, size_t *n,
    struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *c = list != NULL ? list->first : NULL; c != NULL && rc == IMP_OK; c = c->next) {
		const struct rule *r;

		rc = doc_is(c, DOC_SCALAR, err);
		if (rc == IMP_OK)
			rc = find_rule(rs, &c->at, c->text, kind, &r, err);
		if (rc == IMP_OK && find_use(v, *n, r) == NULL)
			v[(*n)++] = (struct profile_rule){ .rule = r };
	}
	return rc;
}

/* A gate of the plan by id. */
static enum imp_rc
find_gate(struct ruleset *rs, const struct profile_plan *plan, const struct doc_place *at, struct slice id,
    struct profile_rule **ret, struct imp_err *err)
{
	const struct rule *r;
	enum imp_rc rc = find_rule(rs, at, id, RULE_KIND_GATE, &r, err);

	if (rc != IMP_OK)
		return rc;
	*ret = find_use(plan->gates, plan->ngates, r);
	if (*ret == NULL)
		return doc_error(at, err, "gate '%.*s' is not part of this profile", SLICE_ARG(id));
	return IMP_OK;
}

static enum imp_rc
find_condition(const struct rule *r, const struct threshold_change *c, size_t *ret, struct imp_err *err)
{
	if (c->condition.n == 0 && r->nconditions == 1) {
		*ret = 0;
		return IMP_OK;
	}
	for (size_t i = 0; i < r->nconditions; i++)
		if (slice_eq(r->conditions[i].name, c->condition)) {
			*ret = i;
			return IMP_OK;
		}
	if (c->condition.n == 0)
		return doc_error(&c->at, err, "gate '%.*s' has several conditions: name one", SLICE_ARG(r->id));
	return doc_error(&c->at, err, "gate '%.*s' has no condition '%.*s'", SLICE_ARG(r->id), SLICE_ARG(c->condition));
}

static enum imp_rc
apply_change(struct ruleset *rs, const struct profile_plan *plan, const struct threshold_change *c, struct imp_err *err)
{
	struct profile_rule *use;
	struct threshold *own;
	size_t k = 0;
	enum imp_rc rc = find_gate(rs, plan, &c->at, c->gate, &use, err);

	if (rc == IMP_OK)
		rc = find_condition(use->rule, c, &k, err);
	if (rc != IMP_OK)
		return rc;
	if (c->threshold.unit != use->rule->conditions[k].threshold.unit)
		return doc_error(&c->at, err, "the unit is not that of '%.*s'", SLICE_ARG(use->rule->conditions[k].threshold.text));
	own = arena_alloc(&rs->arena, use->rule->nconditions * sizeof(*own), err);
	if (own == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; i < use->rule->nconditions; i++)
		own[i] = use->thresholds != NULL ? use->thresholds[i] : use->rule->conditions[i].threshold;
	own[k] = c->threshold;
	use->thresholds = own;
	return IMP_OK;
}

static enum imp_rc
apply_waiver(struct ruleset *rs, const struct profile_plan *plan, const struct waiver *w, const char *today, struct imp_err *err)
{
	struct profile_rule *use;
	enum imp_rc rc = find_gate(rs, plan, &w->at, w->gate, &use, err);

	if (rc != IMP_OK)
		return rc;
	if (today != NULL && slice_cmp(w->until, slice_of(today)) < 0)
		return doc_error(&w->at, err, "the waiver of gate '%.*s' ended on %.*s", SLICE_ARG(w->gate), SLICE_ARG(w->until));
	use->waiver = w;
	return IMP_OK;
}

/* What one profile of the chain adds to the plan. */
static enum imp_rc
apply_profile(struct ruleset *rs, const struct profile *p, struct profile_plan *plan, const char *today, struct imp_err *err)
{
	enum imp_rc rc = add_rules(rs, p->gates, RULE_KIND_GATE, plan->gates, &plan->ngates, err);

	if (rc == IMP_OK)
		rc = add_rules(rs, p->validity, RULE_KIND_VALIDITY, plan->validity, &plan->nvalidity, err);
	for (size_t i = 0; i < p->nchanges && rc == IMP_OK; i++)
		rc = apply_change(rs, plan, &p->changes[i], err);
	for (size_t i = 0; i < p->nwaivers && rc == IMP_OK; i++)
		rc = apply_waiver(rs, plan, &p->waivers[i], today, err);
	return rc;
}

static enum imp_rc
resolve(struct ruleset *rs, const struct rule *r, const char *today, struct profile_plan *ret, struct imp_err *err)
{
	const struct rule *chain[EXTENDS_MAX] = { r };
	struct profile_plan plan = { .profile = r };
	size_t n = 1;
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && chain[n - 1]->profile.extends.n > 0) {
		const struct profile *p = &chain[n - 1]->profile;

		if (n == EXTENDS_MAX)
			return doc_error(&p->extends_at, err, "profiles extend one another in a circle, or more than %d deep",
			    EXTENDS_MAX);
		rc = find_rule(rs, &p->extends_at, p->extends, RULE_KIND_PROFILE, &chain[n], err);
		n++;
	}
	if (rc != IMP_OK)
		return rc;
	plan.gates = arena_alloc(&rs->arena, rs->rules.n * sizeof(*plan.gates), err);
	plan.validity = plan.gates != NULL ? arena_alloc(&rs->arena, rs->rules.n * sizeof(*plan.validity), err) : NULL;
	if (plan.validity == NULL)
		return IMP_E_NOMEM;
	while (n > 0 && rc == IMP_OK)
		rc = apply_profile(rs, &chain[--n]->profile, &plan, today, err);
	if (rc == IMP_OK)
		*ret = plan;
	return rc;
}

enum imp_rc
profile_resolve_all(struct ruleset *rs, const char *today, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < rs->rules.n && rc == IMP_OK; i++) {
		struct profile_plan plan;

		if (rs->rules.v[i]->kind != RULE_KIND_PROFILE)
			continue;
		rc = resolve(rs, rs->rules.v[i], today, &plan, err);
		if (rc == IMP_OK)
			rc = VEC_PUSH(NULL, &rs->plans, plan, err);
	}
	return rc;
}
