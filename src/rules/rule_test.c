#include "config.h"

#include <stdio.h>

#include "rules/rule.h"
#include "sql_gen.h"

#define COLUMN_BYTES_MAX 64

static const char *const test_keys[] = { "name", "run", "figures", "tables", "expect", NULL };
static const char *const expect_names[] = { "pass", "fail", "not_evaluated", "not_applicable", NULL }; /* enum rule_result */

enum imp_rc
rule_check_tests(const struct doc_node *list, struct imp_err *err)
{
	static const char *const maps[] = { "run", "figures", "tables" };
	const struct doc_node *n;
	enum imp_rc rc = doc_is(list, DOC_LIST, err);
	unsigned i;

	for (const struct doc_node *t = list->first; t != NULL && rc == IMP_OK; t = t->next) {
		rc = doc_check_keys(t, test_keys, err);
		if (rc == IMP_OK)
			rc = doc_need(t, "name", &n, err);
		if (rc == IMP_OK)
			rc = doc_is(n, DOC_SCALAR, err);
		if (rc == IMP_OK)
			rc = doc_need(t, "expect", &n, err);
		if (rc == IMP_OK)
			rc = doc_choice(n, "result", expect_names, &i, err);
		for (size_t k = 0; k < sizeof(maps) / sizeof(*maps) && rc == IMP_OK; k++) {
			n = doc_get(t, maps[k]);
			rc = n != NULL ? doc_is(n, DOC_MAP, err) : IMP_OK;
		}
	}
	return rc;
}

/* A number, null, or text. */
static enum imp_rc
bind_scalar(sqlite3_stmt *st, int i, const struct doc_node *n, struct imp_err *err)
{
	struct number x;
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc != IMP_OK)
		return rc;
	if (!n->plain || !number_parse(n->text, &x)) {
		bool null = n->plain && slice_eq(n->text, SLICE("null"));

		store_bind_slice(st, i, null ? (struct slice){ NULL, 0 } : n->text);
	} else if (x.den == 1) {
		sqlite3_bind_int64(st, i, x.num);
	} else {
		sqlite3_bind_double(st, i, (double)x.num / (double)x.den);
	}
	return IMP_OK;
}

/* {column: value, ...} into the parameters of those names. */
static enum imp_rc
bind_columns(sqlite3_stmt *st, const struct doc_node *columns, struct imp_err *err)
{
	enum imp_rc rc = doc_is(columns, DOC_MAP, err);

	for (const struct doc_node *c = columns->first; c != NULL && rc == IMP_OK; c = c->next) {
		char name[COLUMN_BYTES_MAX];
		int i;

		snprintf(name, sizeof(name), ":%.*s", SLICE_ARG(c->key));
		i = sqlite3_bind_parameter_index(st, name);
		rc =
		    i > 0 ? bind_scalar(st, i, c, err) : doc_error(&c->key_at, err, "there is no column '%.*s'", SLICE_ARG(c->key));
	}
	return rc;
}

static enum imp_rc
insert_run(struct store *s, const struct doc_node *columns, struct imp_err *err)
{
	sqlite3_stmt *st;
	enum imp_rc rc = store_stmt(s, sql_rules_test_run, &st, err);

	if (rc == IMP_OK && columns != NULL)
		rc = bind_columns(st, columns, err);
	return rc == IMP_OK ? store_step_done(s, st, err) : rc;
}

static enum imp_rc
insert_figures(struct store *s, const struct doc_node *figures, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *f = figures != NULL ? figures->first : NULL; f != NULL && rc == IMP_OK; f = f->next) {
		sqlite3_stmt *st;

		rc = store_stmt(s, sql_rules_test_figure, &st, err);
		if (rc != IMP_OK)
			return rc;
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":name"), f->key);
		rc = bind_scalar(st, sqlite3_bind_parameter_index(st, ":value"), f, err);
		if (rc == IMP_OK)
			rc = store_step_done(s, st, err);
	}
	return rc;
}

static enum imp_rc
insert_rows(struct store *s, const struct doc_node *rows, const char *sql, struct imp_err *err)
{
	sqlite3_stmt *st = NULL;
	int64_t number = 0;
	int prepared = sqlite3_prepare_v2(store_db(s), sql, -1, &st, NULL);
	enum imp_rc rc = prepared == SQLITE_OK ? doc_is(rows, DOC_LIST, err) : store_error(s, prepared, err);

	for (const struct doc_node *r = rows->first; r != NULL && rc == IMP_OK; r = r->next) {
		int row = sqlite3_bind_parameter_index(st, ":row");

		sqlite3_clear_bindings(st);
		if (row > 0)
			sqlite3_bind_int64(st, row, number++);
		rc = bind_columns(st, r, err);
		if (rc == IMP_OK)
			rc = store_step_done(s, st, err);
	}
	sqlite3_finalize(st);
	return rc;
}

static enum imp_rc
insert_tables(struct store *s, const struct doc_node *tables, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *t = tables != NULL ? tables->first : NULL; t != NULL && rc == IMP_OK; t = t->next) {
		sqlite3_stmt *st;
		bool row;

		rc = store_stmt(s, sql_rules_test_insert, &st, err);
		if (rc != IMP_OK)
			return rc;
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":table"), t->key);
		rc = store_step_row(s, st, &row, err);
		if (rc == IMP_OK && sqlite3_column_type(st, 0) != SQLITE_TEXT)
			rc = doc_error(&t->key_at, err, "there is no table '%.*s'", SLICE_ARG(t->key));
		if (rc == IMP_OK)
			rc = insert_rows(s, t, (const char *)sqlite3_column_text(st, 0), err);
		sqlite3_reset(st);
	}
	return rc;
}

static enum imp_rc
fill(struct store *s, const struct doc_node *test, struct imp_err *err)
{
	enum imp_rc rc = insert_run(s, doc_get(test, "run"), err);

	if (rc == IMP_OK)
		rc = insert_figures(s, doc_get(test, "figures"), err);
	if (rc == IMP_OK)
		rc = insert_tables(s, doc_get(test, "tables"), err);
	return rc;
}

static enum imp_rc
judge_test(const struct ruleset *rs, const struct rule *r, const struct doc_node *test, struct arena *arena,
    struct rule_verdict *ret, struct imp_err *err)
{
	struct profile_rule use = { .rule = r };
	struct evaluation ev;
	struct store *s = NULL;
	enum imp_rc rc = store_open(":memory:", STORE_WRITE, 0, &s, err);

	if (rc == IMP_OK)
		rc = fill(s, test, err);
	if (rc == IMP_OK)
		rc = store_select_run(s, 1, err);
	if (rc == IMP_OK)
		rc = store_seal(s, 0, err);
	if (rc == IMP_OK)
		rc = evaluation_begin(&ev, rs, s, 1, arena, err);
	if (rc == IMP_OK)
		rc = evaluation_judge(&ev, &use, ret, err);
	store_close(s);
	return rc;
}

enum imp_rc
rule_run_tests(const struct ruleset *rs, const struct rule *r, void (*each)(void *payload, const struct rules_test *t),
    void *payload, size_t *run, size_t *failed, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *t = r->tests != NULL ? r->tests->first : NULL; t != NULL && rc == IMP_OK; t = t->next) {
		struct rules_test result = { .rule = r->id, .name = doc_get(t, "name")->text };
		struct arena arena = { 0 };
		struct rule_verdict v;
		unsigned expected = 0;

		rc = doc_choice(doc_get(t, "expect"), "result", expect_names, &expected, err);
		if (rc == IMP_OK)
			rc = judge_test(rs, r, t, &arena, &v, err);
		if (rc == IMP_OK) {
			result.expected = expected;
			result.got = v.result;
			result.why = v.why.p;
			++*run;
			*failed += result.got != result.expected;
			if (each != NULL)
				each(payload, &result);
		}
		arena_done(&arena);
	}
	if (rc != IMP_OK && rc != IMP_E_RULE)
		imp_err_wrap(err, "tests of rule '%.*s'", SLICE_ARG(r->id));
	return rc;
}

enum imp_rc
rules_run_tests(const struct ruleset *rs, void (*each)(void *payload, const struct rules_test *t), void *payload, size_t *ret_run,
    size_t *ret_failed, struct imp_err *err)
{
	size_t run = 0, failed = 0;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < rs->rules.n && rc == IMP_OK; i++)
		rc = rule_run_tests(rs, rs->rules.v[i], each, payload, &run, &failed, err);
	if (rc == IMP_OK) {
		*ret_run = run;
		*ret_failed = failed;
	}
	return rc;
}
