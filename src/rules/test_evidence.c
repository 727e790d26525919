#include "config.h"

#include "rules/test_evidence.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "rules/fields.h"
#include "rules/number.h"
#include "rules/test_filler.h"
#include "sql_gen.h"

#define COLUMN_BYTES_MAX 64
#define SOURCES_FROM 1000 /* numbers of sources and files, behind those that a test has in `tables` */
/* marks of a test that has none, in s from its first line or snapshot */
#define LOAD_S 60
#define DRAIN_S 90
#define CLOSE_S 120
#define CLOSED_S 150

const char *const test_evidence_maps[] = { "run", "figures", "tables", "logs", "metrics", NULL };

enum imp_rc
test_evidence_check(const struct doc_node *test, struct imp_err *err)
{
	bool covers;
	enum imp_rc rc = field_truth(doc_get(test, "covers"), &covers, err);

	for (size_t i = 0; test_evidence_maps[i] != NULL && rc == IMP_OK; i++) {
		const struct doc_node *n = doc_get(test, test_evidence_maps[i]);

		rc = n != NULL ? doc_is(n, DOC_MAP, err) : IMP_OK;
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

bool
test_next_line(struct slice *text, struct slice *ret)
{
	const char *end = text->n > 0 ? memchr(text->p, '\n', text->n) : NULL;
	size_t n = end != NULL ? (size_t)(end - text->p) : text->n;

	if (text->n == 0)
		return false;
	*ret = (struct slice){ text->p, n };
	n += end != NULL;
	*text = (struct slice){ text->p + n, text->n - n };
	return true;
}

enum imp_rc
test_insert_file(struct filler *f, int64_t file, const char *dir, struct slice name, const char *kind, struct imp_err *err)
{
	struct buf path = BUF_INIT(1024);
	sqlite3_stmt *st;
	enum imp_rc rc;

	buf_addf(&path, "%s/%.*s", dir, SLICE_ARG(name));
	rc = buf_status(&path, err);
	if (rc == IMP_OK)
		rc = store_stmt(f->s, sql_rules_test_file, &st, err);
	if (rc == IMP_OK) {
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":file"), file);
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":path"), buf_slice(&path));
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":kind"), slice_of(kind));
		rc = store_step_done(f->s, st, err);
	}
	buf_done(&path);
	return rc;
}

enum imp_rc
test_insert_source(struct filler *f, int64_t source, int64_t file, const char *kind, struct slice name, int64_t first, int64_t last,
    struct imp_err *err)
{
	sqlite3_stmt *st;
	enum imp_rc rc = store_stmt(f->s, sql_rules_test_source, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":source"), source);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":kind"), slice_of(kind));
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":name"), name);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":pod"), name);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":first"), first);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":last"), last);
	sqlite3_bind_int(st, sqlite3_bind_parameter_index(st, ":cut"), !f->covers);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":file"), file);
	return store_step_done(f->s, st, err);
}

/* A test that says nothing of the load has it begin with its first line. */
static enum imp_rc
insert_marks(struct filler *f, const struct doc_node *logs, struct imp_err *err)
{
	static const struct {
		struct slice name;
		int64_t s;
	} marks[] = { { { "load_start", 10 }, 0 }, { { "load_end", 8 }, LOAD_S }, { { "drain_end", 9 }, DRAIN_S },
		{ { "close_start", 11 }, CLOSE_S }, { { "close_end", 9 }, CLOSED_S } };
	int64_t first = test_first_time(f, logs);
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks) && rc == IMP_OK; i++) {
		sqlite3_stmt *st;

		rc = store_stmt(f->s, sql_rules_test_mark, &st, err);
		if (rc != IMP_OK)
			return rc;
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":name"), marks[i].name);
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":t"), first + marks[i].s * NS_PER_S);
		rc = store_step_done(f->s, st, err);
	}
	f->load_start = first;
	f->load_end = first + LOAD_S * NS_PER_S;
	return rc;
}

static enum imp_rc
settle_marks(struct filler *f, const struct doc_node *logs, struct imp_err *err)
{
	sqlite3_stmt *st;
	bool row, own = false;
	enum imp_rc rc = store_stmt(f->s, sql_rules_test_has_marks, &st, err);

	if (rc == IMP_OK)
		rc = store_step_row(f->s, st, &row, err);
	if (rc != IMP_OK)
		return rc;
	own = sqlite3_column_int64(st, 0) > 0;
	f->load_start = sqlite3_column_int64(st, 1);
	f->load_end = sqlite3_column_int64(st, 2);
	sqlite3_reset(st);
	return own ? IMP_OK : insert_marks(f, logs, err);
}

static enum imp_rc
insert_signatures(struct filler *f, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < f->reader->set.n && rc == IMP_OK; i++) {
		sqlite3_stmt *st;

		rc = store_stmt(f->s, sql_rules_test_signature, &st, err);
		if (rc != IMP_OK)
			return rc;
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":id"), f->reader->set.v[i].id);
		rc = store_step_done(f->s, st, err);
	}
	return rc;
}

enum imp_rc
test_evidence_fill(struct test_reader *r, const struct doc_node *test, struct store *s, struct imp_err *err)
{
	const struct doc_node *logs = doc_get(test, "logs"), *metrics = doc_get(test, "metrics");
	struct filler f = { .reader = r, .s = s, .covers = true, .sources = SOURCES_FROM };
	enum imp_rc rc = field_truth(doc_get(test, "covers"), &f.covers, err);

	if (rc == IMP_OK)
		rc = insert_run(s, doc_get(test, "run"), err);
	if (rc == IMP_OK)
		rc = insert_figures(s, doc_get(test, "figures"), err);
	if (rc == IMP_OK)
		rc = insert_tables(s, doc_get(test, "tables"), err);
	if (rc == IMP_OK)
		rc = insert_signatures(&f, err);
	if (rc == IMP_OK && (logs != NULL || metrics != NULL))
		rc = settle_marks(&f, logs, err);
	if (rc == IMP_OK && logs != NULL)
		rc = test_insert_logs(&f, logs, err);
	return rc == IMP_OK && metrics != NULL ? test_insert_metrics(&f, metrics, err) : rc;
}
