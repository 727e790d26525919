#include "config.h"

#include "rules/cause.h"

#include "rules/cause_text.h"
#include "rules/count.h"
#include "rules/fields.h"
#include "rules/rule.h"
#include "rules/rule_sql.h"

#define WEIGHT_MAX 10
#define CODES_MAX 100
#define CLAUSES_MAX 50

#define CLAUSE_KEYS "rule", "code", "sql", "complete", "name", "weight", "when", "needs", "text"

const char *const cause_keys[] = { RULE_JUDGED_KEYS, "finding", "without_messages", "facts", "says", "for", "against", "explains",
	"consequence_of", NULL };
static const char *const for_keys[] = { CLAUSE_KEYS, "absence", NULL };
static const char *const against_keys[] = { CLAUSE_KEYS, "decisive", NULL };
static const char *const explains_keys[] = { "sql", NULL };
static const char *const explains_columns[] = { "message_no", "closeness", NULL };
static const char *const when_names[] = { "failing_seconds", "any", NULL };

/* What `says` may name besides the columns of `facts`, and the text of an item besides those of its query. */
static const char *const says_names[] = { "explains", "also", "failing", "from_t", "to_t", NULL };
static const char *const item_names[] = { "n", NULL };

static enum imp_rc
parse_codes(struct arena *a, const struct doc_node *n, struct cause_clause *c, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_LIST, err);
	int64_t *codes;

	if (rc != IMP_OK)
		return rc;
	if (n->n == 0 || n->n > CODES_MAX)
		return doc_error(&n->at, err, "a list of 1 to %d codes", CODES_MAX);
	codes = arena_alloc(a, n->n * sizeof(*codes), err);
	if (codes == NULL)
		return IMP_E_NOMEM;
	for (const struct doc_node *v = n->first; v != NULL && rc == IMP_OK; v = v->next)
		rc = field_int(v, "a code", 0, 9999, &codes[c->ncodes++], err);
	c->codes = codes;
	return rc;
}

/* What the item looks at. */
static enum imp_rc
parse_source(struct arena *a, const struct doc_node *n, struct cause_clause *c, struct imp_err *err)
{
	const struct doc_node *rule = doc_get(n, "rule"), *code = doc_get(n, "code"), *sql = doc_get(n, "sql");
	const struct doc_node *complete = doc_get(n, "complete");
	enum imp_rc rc = IMP_OK;

	if ((rule != NULL) + (code != NULL) + (sql != NULL) != 1)
		return doc_error(&n->at, err, "an item has one of 'rule', 'code', 'sql'");
	if (complete != NULL && sql == NULL)
		return doc_error(&complete->at, err, "'complete' goes with 'sql'");
	c->kind = rule != NULL ? CAUSE_RULE : code != NULL ? CAUSE_CODE : CAUSE_SQL;
	c->when = sql != NULL ? CAUSE_WHEN_TIMED : CAUSE_WHEN_ANY;
	c->has_complete = complete != NULL;
	if (rule != NULL)
		return field_id(rule, &c->rule, err);
	if (code != NULL)
		return parse_codes(a, code, c, err);
	rc = value_parse_sql(sql, &c->sql, err);
	return rc == IMP_OK && complete != NULL ? value_parse_sql(complete, &c->complete, err) : rc;
}

static enum imp_rc
parse_when(const struct doc_node *n, struct cause_clause *c, struct imp_err *err)
{
	unsigned i;
	enum imp_rc rc;

	if (n == NULL)
		return IMP_OK;
	if (c->kind == CAUSE_CODE)
		return doc_error(&n->at, err, "codes are those of the failing messages: they need no 'when'");
	rc = doc_choice(n, "time", when_names, &i, err);
	if (rc == IMP_OK)
		c->when = i == 0 ? CAUSE_WHEN_INSIDE : CAUSE_WHEN_ANY;
	return rc;
}

static enum imp_rc
parse_clause(struct arena *a, const struct doc_node *n, bool against, struct cause_clause *ret, struct imp_err *err)
{
	struct cause_clause c = { .at = n->at, .against = against };
	const struct doc_node *weight = NULL, *name, *text;
	int64_t w = 0;
	enum imp_rc rc = doc_check_keys(n, against ? against_keys : for_keys, err);

	if (rc == IMP_OK)
		rc = parse_source(a, n, &c, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "weight", &weight, err);
	if (rc == IMP_OK)
		rc = field_int(weight, "a weight", 1, WEIGHT_MAX, &w, err);
	c.weight = (int)w;
	name = rc == IMP_OK ? doc_get(n, "name") : NULL;
	if (name != NULL)
		rc = field_id(name, &c.name, err);
	if (rc == IMP_OK)
		rc = parse_when(doc_get(n, "when"), &c, err);
	if (rc == IMP_OK && doc_get(n, "needs") != NULL)
		rc = evidence_parse(doc_get(n, "needs"), &c.needs, err);
	if (rc == IMP_OK)
		rc = field_truth(doc_get(n, "absence"), &c.absence, err);
	if (rc == IMP_OK)
		rc = field_truth(doc_get(n, "decisive"), &c.decisive, err);
	if (rc == IMP_OK && c.kind == CAUSE_SQL) /* others have words of their own */
		rc = doc_need(n, "text", &text, err);
	if (rc == IMP_OK)
		rc = field_text(doc_get(n, "text"), &c.text, err);
	if (rc == IMP_OK)
		*ret = c;
	return rc;
}

static enum imp_rc
parse_clauses(struct arena *a, const struct doc_node *list, bool against, struct cause *c, struct imp_err *err)
{
	enum imp_rc rc = list != NULL ? doc_is(list, DOC_LIST, err) : IMP_OK;

	for (const struct doc_node *n = list != NULL ? list->first : NULL; n != NULL && rc == IMP_OK; n = n->next) {
		rc = parse_clause(a, n, against, &c->clauses[c->nclauses], err);
		c->nclauses++;
	}
	return rc;
}

static enum imp_rc
parse_evidence(struct arena *a, const struct doc_node *n, struct cause *c, struct imp_err *err)
{
	const struct doc_node *against = doc_get(n, "against"), *in_favour;
	enum imp_rc rc = doc_need(n, "for", &in_favour, err);

	if (rc != IMP_OK)
		return rc;
	if (in_favour->n == 0 || in_favour->n + (against != NULL ? against->n : 0) > CLAUSES_MAX)
		return doc_error(&in_favour->at, err, "a cause has at least one item that speaks for it, and at most %d",
		    CLAUSES_MAX);
	c->clauses = arena_alloc(a, CLAUSES_MAX * sizeof(*c->clauses), err);
	if (c->clauses == NULL)
		return IMP_E_NOMEM;
	rc = parse_clauses(a, in_favour, false, c, err);
	c->nfor = c->nclauses;
	return rc == IMP_OK ? parse_clauses(a, against, true, c, err) : rc;
}

static enum imp_rc
parse_explains(const struct doc_node *n, const struct doc_node *at, struct cause *c, struct imp_err *err)
{
	const struct doc_node *sql;
	enum imp_rc rc;

	if ((n != NULL) == c->finding)
		return doc_error(n != NULL ? &n->at : &at->at, err, "a finding explains no messages, any other cause says which");
	if (n == NULL)
		return IMP_OK;
	rc = doc_check_keys(n, explains_keys, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "sql", &sql, err);
	c->has_explains = true;
	return rc == IMP_OK ? value_parse_sql(sql, &c->explains, err) : rc;
}

enum imp_rc
cause_parse(struct arena *arena, const struct doc_node *n, struct cause **ret, struct imp_err *err)
{
	struct cause *c = arena_alloc(arena, sizeof(*c), err);
	const struct doc_node *facts = doc_get(n, "facts"), *says = doc_get(n, "says");
	enum imp_rc rc;

	if (c == NULL)
		return IMP_E_NOMEM;
	c->parents = doc_get(n, "consequence_of");
	c->says_at = says != NULL ? says->at : n->at;
	c->has_facts = facts != NULL;
	rc = field_truth(doc_get(n, "finding"), &c->finding, err);
	if (rc == IMP_OK)
		rc = field_truth(doc_get(n, "without_messages"), &c->without_messages, err);
	if (rc == IMP_OK && facts != NULL)
		rc = value_parse_sql(facts, &c->facts, err);
	if (rc == IMP_OK)
		rc = field_text(says, &c->says, err);
	if (rc == IMP_OK)
		rc = parse_evidence(arena, n, c, err);
	if (rc == IMP_OK)
		rc = parse_explains(doc_get(n, "explains"), n, c, err);
	if (rc == IMP_OK && c->parents != NULL)
		rc = doc_is(c->parents, DOC_LIST, err);
	if (rc == IMP_OK)
		*ret = c;
	return rc;
}

/* ------------------------------------------------------------------ with the whole set */

static bool
is_one_of(struct slice name, const char *const *names)
{
	for (size_t i = 0; names[i] != NULL; i++)
		if (slice_eq(name, slice_of(names[i])))
			return true;
	return false;
}

static bool
is_column(struct slice name, sqlite3_stmt *st)
{
	for (int i = 0; st != NULL && i < sqlite3_column_count(st); i++)
		if (slice_eq(name, slice_of(sqlite3_column_name(st, i))))
			return true;
	return false;
}

static enum imp_rc
check_placeholders(struct slice s, const struct doc_place *at, sqlite3_stmt *st, const char *const *names, struct imp_err *err)
{
	struct slice name, format;
	size_t pos = 0, start;

	while (cause_text_next(s, &pos, &start, &name, &format)) {
		if (!is_column(name, st) && !is_one_of(name, names))
			return doc_error(at, err, "the text names '%.*s', which is no column of its SQL", SLICE_ARG(name));
		if (!cause_text_is_format(format))
			return doc_error(at, err, "'%.*s' is no format", SLICE_ARG(format));
	}
	return IMP_OK;
}

/* The text of `q` (NULL: of no query). */
static enum imp_rc
check_text(const struct rule_text *text, const struct doc_place *at, const struct rule_sql *q, const char *const *names,
    sqlite3 *db, struct imp_err *err)
{
	sqlite3_stmt *st = NULL;
	enum imp_rc rc;

	if (q != NULL && sqlite3_prepare_v2(db, q->text.p, (int)q->text.n, &st, NULL) != SQLITE_OK)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: preparing the SQL of a rule");
	rc = check_placeholders(text->en, at, st, names, err);
	if (rc == IMP_OK)
		rc = check_placeholders(text->zh, at, st, names, err);
	sqlite3_finalize(st);
	return rc;
}

static enum imp_rc
check_clause(const struct ruleset *rs, const struct cause_clause *c, sqlite3 *db, struct imp_err *err)
{
	const struct rule *r = c->kind == CAUSE_RULE ? ruleset_find(rs, c->rule) : NULL;
	enum imp_rc rc = IMP_OK;

	if (c->kind == CAUSE_RULE && (r == NULL || !rule_can_count(r->kind)))
		return doc_error(&c->at, err, "'%.*s' is no signature, metric, query or validity rule", SLICE_ARG(c->rule));
	if (c->kind == CAUSE_SQL)
		rc = rule_sql_check(&c->sql, db, NULL, 0, err);
	if (rc == IMP_OK && c->has_complete)
		rc = rule_sql_check(&c->complete, db, NULL, 0, err);
	return rc == IMP_OK ? check_text(&c->text, &c->at, c->kind == CAUSE_SQL ? &c->sql : NULL, item_names, db, err) : rc;
}

static enum imp_rc
check_parents(const struct ruleset *rs, const struct cause *c, struct imp_err *err)
{
	for (const struct doc_node *n = c->parents != NULL ? c->parents->first : NULL; n != NULL; n = n->next) {
		const struct rule *parent = n->kind == DOC_SCALAR ? ruleset_find_cause(rs, n->text) : NULL;

		if (parent == NULL || parent->kind != RULE_KIND_CAUSE || parent->cause->finding)
			return doc_error(&n->at, err, "'%.*s' is no cause that explains messages", SLICE_ARG(n->text));
	}
	return IMP_OK;
}

enum imp_rc
cause_check(const struct ruleset *rs, const struct rule *r, sqlite3 *db, struct imp_err *err)
{
	const struct cause *c = r->cause;
	enum imp_rc rc = check_parents(rs, c, err);

	if (rc == IMP_OK && c->has_facts)
		rc = rule_sql_check(&c->facts, db, NULL, 0, err);
	if (rc == IMP_OK && c->has_explains)
		rc = rule_sql_check(&c->explains, db, explains_columns, 2, err);
	if (rc == IMP_OK)
		rc = check_text(&c->says, &c->says_at, c->has_facts ? &c->facts : NULL, says_names, db, err);
	for (size_t i = 0; i < c->nclauses && rc == IMP_OK; i++)
		rc = check_clause(rs, &c->clauses[i], db, err);
	return rc;
}

size_t
cause_nitems(const struct rule *r)
{
	return r->cause->nclauses;
}

void
cause_set_item_off(struct rule *r, size_t i, bool off)
{
	r->cause->clauses[i].off = off;
}
