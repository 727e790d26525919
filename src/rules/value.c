#include "config.h"

#include "rules/value.h"

#include <stdio.h>
#include <string.h>

const char *const value_scope_names[] = { "total", "p2p", "group", NULL };

static const char *const expr_keys[] = { "figure", "class", "anomaly", "code", "skip", "latency", "quantile", "sum", "difference",
	"ratio", "between", "first", "status", "rule", "rows", "sql", "signature", "metric", "query", "lower_bound_when",
	"upper_bound_when", NULL };
static const char *const latency_names[] = { "ack", "ack_from_plan", "delivery", "queue", NULL };
static const char *const quantile_names[] = { "p50", "p95", "p99", "p999", "max", "mean", NULL };

struct form {
	const char *key;
	enum value_kind kind;
	const char *prefix; /* of figure names */
	bool absent_is_zero;
	size_t nargs; /* 0: one or more */
	enum imp_rc (
	    *parse)(struct arena *a, const struct doc_node *n, const struct form *f, struct value_expr *e, struct imp_err *);
};

enum imp_rc
value_parse_sql(const struct doc_node *n, struct rule_sql *ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc != IMP_OK)
		return rc;
	*ret = (struct rule_sql){ n->text, n->at, n->block };
	return IMP_OK;
}

static enum imp_rc
join(struct arena *a, const char *prefix, struct slice s, struct slice *ret, struct imp_err *err)
{
	size_t n = strlen(prefix);
	char *p = arena_alloc(a, n + s.n + 1, err);

	if (p == NULL)
		return IMP_E_NOMEM;
	memcpy(p, prefix, n);
	memcpy(p + n, s.p, s.n);
	*ret = (struct slice){ p, n + s.n };
	return IMP_OK;
}

/* One name or a list of names. */
static enum imp_rc
parse_names(struct arena *a, const struct doc_node *n, const struct form *f, struct value_expr *e, struct imp_err *err)
{
	const struct doc_node *item = n->kind == DOC_LIST ? n->first : n;

	e->names = arena_alloc(a, (n->n + 1) * sizeof(*e->names), err);
	if (e->names == NULL)
		return IMP_E_NOMEM;
	for (; item != NULL; item = n->kind == DOC_LIST ? item->next : NULL) {
		enum imp_rc rc = doc_is(item, DOC_SCALAR, err);

		if (rc == IMP_OK && item->text.n == 0)
			rc = doc_error(&item->at, err, "a name is missing");
		if (rc == IMP_OK)
			rc = join(a, f->prefix, item->text, &e->names[e->nnames++], err);
		if (rc != IMP_OK)
			return rc;
	}
	return e->nnames > 0 ? IMP_OK : doc_error(&n->at, err, "an empty list");
}

static enum imp_rc
parse_args(struct arena *a, const struct doc_node *n, size_t exactly, struct value_list *ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_LIST, err);

	if (rc != IMP_OK)
		return rc;
	if (n->n == 0 || (exactly > 0 && n->n != exactly))
		return doc_error(&n->at, err, "%s expected, not %zu", exactly > 0 ? "two values are" : "at least one value is",
		    n->n);
	ret->v = arena_alloc(a, n->n * sizeof(*ret->v), err);
	if (ret->v == NULL)
		return IMP_E_NOMEM;
	for (const struct doc_node *c = n->first; c != NULL && rc == IMP_OK; c = c->next)
		rc = value_parse(a, c, &ret->v[ret->n++], err);
	return rc;
}

static enum imp_rc
parse_operands(struct arena *a, const struct doc_node *n, const struct form *f, struct value_expr *e, struct imp_err *err)
{
	return parse_args(a, n, f->nargs, &e->args, err);
}

static enum imp_rc
parse_query(struct arena *a, const struct doc_node *n, const struct form *f, struct value_expr *e, struct imp_err *err)
{
	(void)a;
	(void)f;
	return value_parse_sql(n, &e->sql, err);
}

/* The id of a rule that is counted. */
static enum imp_rc
parse_counted(struct arena *a, const struct doc_node *n, const struct form *f, struct value_expr *e, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	e->counted = f->key;
	return rc == IMP_OK ? parse_names(a, n, f, e, err) : rc;
}

/* The id of a metric rule, or what such a rule would say. */
static enum imp_rc
parse_metric(struct arena *a, const struct doc_node *n, const struct form *f, struct value_expr *e, struct imp_err *err)
{
	if (n->kind == DOC_SCALAR)
		return parse_counted(a, n, f, e, err);
	e->kind = VALUE_METRIC;
	e->metric = arena_alloc(a, sizeof(*e->metric), err);
	return e->metric != NULL ? metric_parse(a, n, n, e->metric, err) : IMP_E_NOMEM;
}

static const struct form forms[] = {
	{ "figure", VALUE_FIGURES, "", false, 0, parse_names },
	{ "class", VALUE_FIGURES, "classes.", false, 0, parse_names },
	{ "anomaly", VALUE_FIGURES, "anomalies.", false, 0, parse_names },
	{ "code", VALUE_FIGURES, "by_code.", true, 0, parse_names },
	{ "skip", VALUE_FIGURES, "by_skip.", true, 0, parse_names },
	{ "latency", VALUE_LATENCY, "", false, 0, parse_names },
	{ "sum", VALUE_SUM, "", false, 0, parse_operands },
	{ "difference", VALUE_DIFFERENCE, "", false, 2, parse_operands },
	{ "ratio", VALUE_RATIO, "", false, 2, parse_operands },
	{ "between", VALUE_BETWEEN, "", false, 2, parse_operands },
	{ "first", VALUE_FIRST, "", false, 0, parse_operands },
	{ "status", VALUE_STATUS, "", false, 0, parse_names },
	{ "rule", VALUE_RULE, "", false, 0, parse_names },
	{ "rows", VALUE_ROWS, "", false, 0, parse_query },
	{ "sql", VALUE_SQL, "", false, 0, parse_query },
	{ "signature", VALUE_COUNT, "", false, 0, parse_counted },
	{ "metric", VALUE_COUNT, "", false, 0, parse_metric },
	{ "query", VALUE_COUNT, "", false, 0, parse_counted },
};

/* The names of a latency's figures: the quantile, and whether and why not it is valid. */
static enum imp_rc
take_quantile(struct arena *a, const struct doc_node *map, struct value_expr *e, struct imp_err *err)
{
	const struct doc_node *quantity = doc_get(map, "latency"), *quantile;
	struct slice parts[LATENCY_NAMES] = { [LATENCY_VALID] = SLICE("valid"), [LATENCY_WHY] = SLICE("why") };
	unsigned i;
	enum imp_rc rc = doc_choice(quantity, "latency", latency_names, &i, err);

	if (rc == IMP_OK)
		rc = doc_need(map, "quantile", &quantile, err);
	if (rc == IMP_OK)
		rc = doc_choice(quantile, "quantile", quantile_names, &i, err);
	if (rc != IMP_OK)
		return rc;
	parts[LATENCY_VALUE] = quantile->text;
	e->nnames = LATENCY_NAMES;
	e->names = arena_alloc(a, LATENCY_NAMES * sizeof(*e->names), err);
	if (e->names == NULL)
		return IMP_E_NOMEM;
	for (i = 0; i < LATENCY_NAMES && rc == IMP_OK; i++) {
		char prefix[64];

		snprintf(prefix, sizeof(prefix), "latency_ms.%.*s.", SLICE_ARG(quantity->text));
		rc = join(a, prefix, parts[i], &e->names[i], err);
	}
	return rc;
}

static enum imp_rc
parse_map(struct arena *a, const struct doc_node *n, struct value_expr *e, struct imp_err *err)
{
	const struct doc_node *lower = doc_get(n, "lower_bound_when"), *upper = doc_get(n, "upper_bound_when");
	const struct form *form = NULL;
	enum imp_rc rc = doc_check_keys(n, expr_keys, err);

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms) && rc == IMP_OK; i++) {
		const struct doc_node *arg = doc_get(n, forms[i].key);

		if (arg == NULL)
			continue;
		if (form != NULL)
			return doc_error(&arg->key_at, err, "a value is either '%s' or '%s'", form->key, forms[i].key);
		form = &forms[i];
		e->kind = form->kind;
		e->absent_is_zero = form->absent_is_zero;
		rc = form->parse(a, arg, form, e, err);
	}
	if (rc == IMP_OK && form == NULL)
		return doc_error(&n->at, err, "this says no value: one of 'figure', 'latency', 'ratio', 'sql', ... is missing");
	if (rc == IMP_OK && e->kind == VALUE_LATENCY)
		rc = take_quantile(a, n, e, err);
	else if (rc == IMP_OK && doc_get(n, "quantile") != NULL)
		return doc_error(&doc_get(n, "quantile")->key_at, err, "'quantile' goes with 'latency'");
	if (rc == IMP_OK && lower != NULL)
		rc = parse_args(a, lower, 0, &e->lower_bound_when, err);
	if (rc == IMP_OK && upper != NULL)
		rc = parse_args(a, upper, 0, &e->upper_bound_when, err);
	return rc;
}

enum imp_rc
value_parse(struct arena *arena, const struct doc_node *n, struct value_expr **ret, struct imp_err *err)
{
	struct value_expr *e = arena_alloc(arena, sizeof(*e), err);
	enum imp_rc rc = IMP_OK;

	if (e == NULL)
		return IMP_E_NOMEM;
	e->at = n->at;
	if (n->kind == DOC_MAP)
		rc = parse_map(arena, n, e, err);
	else if (n->kind == DOC_SCALAR && number_parse(n->text, &e->number))
		e->kind = VALUE_NUMBER;
	else if (n->kind == DOC_SCALAR) {
		e->kind = VALUE_FIGURES;
		rc = parse_names(arena, n, &forms[0], e, err);
	} else
		rc = doc_error(&n->at, err, "a number, the name of a figure or a map is expected here");
	if (rc == IMP_OK)
		*ret = e;
	return rc;
}

static enum imp_rc
walk_list(const struct value_list *l, enum imp_rc (*each)(void *payload, const struct value_expr *e, struct imp_err *err),
    void *payload, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < l->n && rc == IMP_OK; i++)
		rc = value_walk(l->v[i], each, payload, err);
	return rc;
}

enum imp_rc
value_walk(const struct value_expr *e, enum imp_rc (*each)(void *payload, const struct value_expr *e, struct imp_err *err),
    void *payload, struct imp_err *err)
{
	enum imp_rc rc = each(payload, e, err);

	if (rc == IMP_OK)
		rc = walk_list(&e->args, each, payload, err);
	if (rc == IMP_OK)
		rc = walk_list(&e->lower_bound_when, each, payload, err);
	if (rc == IMP_OK)
		rc = walk_list(&e->upper_bound_when, each, payload, err);
	return rc;
}
