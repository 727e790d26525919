#include "config.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "rules/cause.h"
#include "rules/rule_test.h"

#define LINES_PER_TEST_MAX 20 /* signatures of one test that are complained about */

struct linter {
	const struct ruleset *rs;
	struct test_reader reader;
	void (*each)(void *payload, const struct rules_remark *r);
	void *payload;
	size_t errors, warnings;
};

static void remark(struct linter *l, const struct rule *r, const struct doc_place *at, bool warning, const char *fmt, ...)
    PRINTF_LIKE(5, 6);

static void
remark(struct linter *l, const struct rule *r, const struct doc_place *at, bool warning, const char *fmt, ...)
{
	struct rules_remark m = { .rule = r->id, .file = at->file, .line = at->line, .warning = warning };
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	m.text = slice_of(text);
	l->errors += !warning;
	l->warnings += warning;
	if (l->each != NULL)
		l->each(l->payload, &m);
}

/* ------------------------------------------------------------------ languages */

static void
check_languages(struct linter *l, const struct rule *r, const char *what, const struct rule_text *t, bool needed)
{
	if (t->en.n == 0 && needed)
		remark(l, r, &r->at, false, "%s is missing", what);
	else if (t->en.n > 0 && slice_eq(t->en, t->zh))
		remark(l, r, &r->at, false, "%s is in English alone", what);
}

/* ------------------------------------------------------------------ the ways that tests go */

/* A gate of which nothing is measured can only be missing. */
static bool
measures(const struct rule *r)
{
	for (size_t i = 0; i < r->nconditions; i++)
		if (r->conditions[i].value != NULL)
			return true;
	return r->nconditions == 0;
}

/* What can only be possible has no test that hits. */
static bool
can_hit(const struct rule *r)
{
	return measures(r) && (r->kind != RULE_KIND_CAUSE || cause_can_be_probable(r));
}

/* Does the rule need evidence? On a run without any, one that does not has an answer all the same. */
static enum imp_rc
needs_evidence(struct linter *l, const struct rule *r, bool *ret, struct imp_err *err)
{
	CLEANUP(arena_done) struct arena arena = { 0 };
	const struct doc_node nothing = { .kind = DOC_MAP };
	struct slice word;
	enum imp_rc rc = rule_test_result(&l->reader, l->rs, r, &nothing, &arena, &word, err);

	if (rc == IMP_OK)
		*ret = slice_eq(word, SLICE("not_evaluated"));
	return rc;
}

static enum imp_rc
check_ways(struct linter *l, const struct rule *r, struct imp_err *err)
{
	unsigned ways = 0;
	bool absent = false;
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *t = r->tests != NULL ? r->tests->first : NULL; t != NULL; t = t->next)
		ways |= rule_test_ways(t, r->kind);
	if (can_hit(r) && (ways & 1u << TEST_HIT) == 0)
		remark(l, r, &r->at, false, "no test has a hit");
	if (measures(r) && (ways & 1u << TEST_MISS) == 0)
		remark(l, r, &r->at, false, "no test has a miss");
	if ((ways & 1u << TEST_ABSENT) == 0)
		rc = needs_evidence(l, r, &absent, err);
	if (rc == IMP_OK && absent)
		remark(l, r, &r->at, false, "no test is without the evidence");
	return rc;
}

/* ------------------------------------------------------------------ lines that two signatures match */

struct crossing {
	struct linter *l;
	const struct rule *rule;
	const struct doc_node *test;
	struct slice seen[LINES_PER_TEST_MAX];
	size_t nseen;
};

static bool
lists(const struct rule *r, struct slice id)
{
	for (size_t i = 0; i < r->log.nalso; i++)
		if (slice_eq(r->log.also[i], id))
			return true;
	return slice_eq(r->id, id);
}

static enum imp_rc
note_crossing(void *payload, struct slice id, struct imp_err *err)
{
	struct crossing *c = payload;
	const struct rule *other = ruleset_find(c->l->rs, id);

	(void)err;
	if (lists(c->rule, id) || other == NULL || lists(other, c->rule->id) || c->nseen == LINES_PER_TEST_MAX)
		return IMP_OK;
	for (size_t i = 0; i < c->nseen; i++)
		if (slice_eq(c->seen[i], id))
			return IMP_OK;
	c->seen[c->nseen++] = id;
	remark(c->l, c->rule, &c->test->at, true, "a line of test '%.*s' is also %.*s: tell them apart, or say so in `also`",
	    SLICE_ARG(doc_get(c->test, "name")->text), SLICE_ARG(id));
	return IMP_OK;
}

static enum imp_rc
check_crossings(struct linter *l, const struct rule *r, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *t = r->tests != NULL ? r->tests->first : NULL; t != NULL && rc == IMP_OK; t = t->next) {
		struct crossing c = { .l = l, .rule = r, .test = t };
		const struct doc_node *logs = doc_get(t, "logs");

		if (rule_test_ways(t, r->kind) != 1u << TEST_HIT || logs == NULL)
			continue;
		for (const struct doc_node *n = logs->first; n != NULL && rc == IMP_OK; n = n->next)
			rc = test_log_scan(&l->reader, n->text, note_crossing, &c, err);
	}
	return rc;
}

static enum imp_rc
lint_rule(struct linter *l, const struct rule *r, struct imp_err *err)
{
	enum imp_rc rc;

	check_languages(l, r, "`title`", &r->title, true);
	if (r->kind == RULE_KIND_PROFILE)
		return IMP_OK;
	check_languages(l, r, "`why`", &r->about, true);
	check_languages(l, r, "`fix`", &r->fix, false);
	rc = check_ways(l, r, err);
	return rc == IMP_OK && r->kind == RULE_KIND_SIGNATURE ? check_crossings(l, r, err) : rc;
}

enum imp_rc
rules_lint(const struct ruleset *rs, void (*each)(void *payload, const struct rules_remark *r), void *payload, size_t *ret_errors,
    size_t *ret_warnings, struct imp_err *err)
{
	struct linter l = { .rs = rs, .each = each, .payload = payload };
	enum imp_rc rc = test_reader_init(&l.reader, &rs->signatures, err);

	for (size_t i = 0; i < rs->rules.n && rc == IMP_OK; i++)
		rc = lint_rule(&l, rs->rules.v[i], err);
	test_reader_done(&l.reader);
	if (rc == IMP_OK) {
		*ret_errors = l.errors;
		*ret_warnings = l.warnings;
	}
	return rc;
}
