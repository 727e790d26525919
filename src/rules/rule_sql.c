#include "config.h"

#include "rules/rule_sql.h"

#include <ctype.h>
#include <string.h>

#include "sql_gen.h"

#define EXAMPLES_MAX 3
#define EXAMPLE_BYTES_MAX 80

const char *const rule_sql_value_columns[] = { "value", "per", "lo", "hi", "why", "detail", NULL };
const char *const rule_sql_evidence_columns[] = { "file", "line", NULL };

/* Where in the rule file the byte `offset` of the statement stands. */
static struct doc_place
place_in(const struct rule_sql *q, int offset)
{
	struct doc_place at = q->at;

	if (!q->block || offset < 0)
		return at;
	at.line++;
	at.column = 1;
	for (size_t i = 0; i < (size_t)offset && i < q->text.n; i++)
		at.line += q->text.p[i] == '\n';
	return at;
}

/* Nothing but white space and semicolons? */
static bool
is_blank(const char *p, const char *end)
{
	while (p < end && (isspace((unsigned char)*p) || *p == ';'))
		p++;
	return p == end;
}

static enum imp_rc
check_columns(const struct rule_sql *q, sqlite3_stmt *st, const char *const *columns, size_t nneeded, struct imp_err *err)
{
	size_t found = 0;

	for (int i = 0; i < sqlite3_column_count(st); i++) {
		const char *name = sqlite3_column_name(st, i);
		size_t k = 0;

		while (columns[k] != NULL && strcmp(columns[k], name) != 0)
			k++;
		if (columns[k] == NULL)
			return doc_error(&q->at, err, "SQL: column '%s' means nothing here", name);
		found += k < nneeded;
	}
	if (found != nneeded)
		return doc_error(&q->at, err, "SQL: a column '%s' is missing or stands twice", columns[nneeded - 1]);
	return IMP_OK;
}

static enum imp_rc
check_statement(const struct rule_sql *q, sqlite3_stmt *st, const char *tail, struct imp_err *err)
{
	if (st == NULL)
		return doc_error(&q->at, err, "SQL: no statement");
	if (!is_blank(tail, q->text.p + q->text.n))
		return doc_error(&q->at, err, "SQL: more than one statement");
	if (!sqlite3_stmt_readonly(st) || sqlite3_column_count(st) == 0)
		return doc_error(&q->at, err, "SQL: only a SELECT is allowed");
	if (sqlite3_bind_parameter_count(st) > 0)
		return doc_error(&q->at, err, "SQL: parameters are not allowed");
	return IMP_OK;
}

enum imp_rc
rule_sql_check(const struct rule_sql *q, sqlite3 *db, const char *const *columns, size_t nneeded, struct imp_err *err)
{
	const char *tail = NULL;
	sqlite3_stmt *st = NULL;
	enum imp_rc rc;

	switch (sqlite3_prepare_v2(db, q->text.p, (int)q->text.n, &st, &tail)) {
	case SQLITE_OK:
		rc = check_statement(q, st, tail, err);
		if (rc == IMP_OK && columns != NULL)
			rc = check_columns(q, st, columns, nneeded, err);
		break;
	case SQLITE_NOMEM:
		rc = imp_err_set(err, IMP_E_NOMEM, "out of memory: preparing the SQL of a rule");
		break;
	default: {
		struct doc_place at = place_in(q, sqlite3_error_offset(db));

		rc = doc_error(&at, err, "SQL: %s", sqlite3_errmsg(db));
	}
	}
	sqlite3_finalize(st);
	return rc;
}

static enum imp_rc
keep(struct arena *a, const char *text, struct slice *ret, struct imp_err *err)
{
	*ret = arena_slice(a, slice_of(text), err);
	return ret->p != NULL ? IMP_OK : IMP_E_NOMEM;
}

/* What SQLite says of the last call is a failing store (an error), or a failing rule: the reason goes into *v. */
static enum imp_rc
judge_failure(const struct value_source *from, const struct imp_err *said, struct value *v, struct imp_err *err)
{
	switch (sqlite3_errcode(store_db(from->store)) & 0xff) {
	case SQLITE_INTERRUPT:
		v->reason = RULE_REASON_BUDGET;
		return keep(from->arena, "its SQL takes too many steps", &v->why, err);
	case SQLITE_ERROR:
	case SQLITE_AUTH:
	case SQLITE_MISMATCH:
	case SQLITE_TOOBIG:
	case SQLITE_RANGE:
		v->reason = RULE_REASON_RULE_ERROR;
		return keep(from->arena, said->msg, &v->why, err);
	default:
		if (err != NULL)
			*err = *said;
		return said->code;
	}
}

enum imp_rc
rule_sql_run(const struct rule_sql *q, const struct value_source *from,
    enum imp_rc (*take)(void *payload, sqlite3_stmt *st, struct imp_err *err), void *payload, struct value *v, struct imp_err *err)
{
	sqlite3_stmt *st = NULL;
	struct imp_err said = { 0 };
	bool row = true;
	enum imp_rc rc = store_keep_views(from->store, q->text, err);
	int prepared = SQLITE_OK;

	if (rc == IMP_OK)
		prepared = sqlite3_prepare_v2(store_db(from->store), q->text.p, (int)q->text.n, &st, NULL);
	if (prepared != SQLITE_OK)
		store_error(from->store, prepared, &said);
	while (said.code == IMP_OK && row && rc == IMP_OK)
		if (store_step_row(from->store, st, &row, &said) == IMP_OK && row)
			rc = take(payload, st, err);
	if (said.code != IMP_OK)
		rc = judge_failure(from, &said, v, err);
	sqlite3_finalize(st);
	return rc;
}

struct value_row {
	const struct value_source *from;
	bool seen;
	struct value v;
};

/* A column as a number. A NULL is none. */
static enum imp_rc
take_number(struct value_row *row, sqlite3_stmt *st, int i, bool *ret_has, struct number *ret, struct imp_err *err)
{
	*ret_has = false;
	switch (sqlite3_column_type(st, i)) {
	case SQLITE_NULL:
		return IMP_OK;
	case SQLITE_INTEGER:
		*ret_has = number_fraction(sqlite3_column_int64(st, i), 1, ret);
		break;
	case SQLITE_FLOAT:
		*ret_has = number_of_double(sqlite3_column_double(st, i), ret);
		break;
	default:
		break;
	}
	if (*ret_has)
		return IMP_OK;
	row->v.reason = RULE_REASON_RULE_ERROR;
	return keep(row->from->arena, "its SQL gives something that is no number", &row->v.why, err);
}

static void
set_value(struct value *v, struct number value, const struct number *per)
{
	if (per == NULL) {
		v->i = (struct interval){ true, true, value, value };
	} else if (number_divide(value, *per, &v->i.lo)) {
		v->i.has_lo = v->i.has_hi = v->is_ratio = true;
		v->i.hi = v->i.lo;
		v->part = value;
		v->whole = *per;
	}
}

static enum imp_rc
take_value(void *payload, sqlite3_stmt *st, struct imp_err *err)
{
	struct value_row *row = payload;
	struct number value, per;
	bool has_value = false, has_per = false, wants_per = false;
	enum imp_rc rc = IMP_OK;

	if (row->seen)
		return IMP_OK;
	row->seen = true;
	for (int i = 0; i < sqlite3_column_count(st) && rc == IMP_OK; i++) {
		const char *name = sqlite3_column_name(st, i);

		if (strcmp(name, "value") == 0) {
			rc = take_number(row, st, i, &has_value, &value, err);
		} else if (strcmp(name, "per") == 0) {
			wants_per = true;
			rc = take_number(row, st, i, &has_per, &per, err);
		} else if (strcmp(name, "lo") == 0) {
			rc = take_number(row, st, i, &row->v.i.has_lo, &row->v.i.lo, err);
		} else if (strcmp(name, "hi") == 0) {
			rc = take_number(row, st, i, &row->v.i.has_hi, &row->v.i.hi, err);
		} else if (strcmp(name, "detail") == 0) {
			if (sqlite3_column_type(st, i) == SQLITE_TEXT)
				rc = keep(row->from->arena, (const char *)sqlite3_column_text(st, i), &row->v.examples, err);
		} else if (sqlite3_column_type(st, i) == SQLITE_TEXT && row->v.why.n == 0) {
			rc = keep(row->from->arena, (const char *)sqlite3_column_text(st, i), &row->v.why, err);
		}
	}
	if (rc == IMP_OK && has_value && has_per == wants_per)
		set_value(&row->v, value, wants_per ? &per : NULL);
	return rc;
}

enum imp_rc
rule_sql_value(const struct rule_sql *q, const struct value_source *from, struct value *ret, struct imp_err *err)
{
	struct value_row row = { .from = from };
	enum imp_rc rc = rule_sql_run(q, from, take_value, &row, &row.v, err);

	if (rc != IMP_OK)
		return rc;
	if (row.v.reason != RULE_REASON_NONE)
		row.v.i = (struct interval){ 0 };
	else if (!row.v.i.has_lo && !row.v.i.has_hi)
		row.v.reason = RULE_REASON_MISSING_SOURCE;
	else if (!row.v.i.has_lo || !row.v.i.has_hi)
		row.v.reason = RULE_REASON_PARTIAL_COVERAGE;
	*ret = row.v;
	return IMP_OK;
}

struct rows {
	int64_t n;
	struct buf examples;
};

static enum imp_rc
take_row(void *payload, sqlite3_stmt *st, struct imp_err *err)
{
	struct rows *rows = payload;
	struct slice first = store_column_slice(st, 0);

	(void)err;
	if (first.n > EXAMPLE_BYTES_MAX)
		first.n = EXAMPLE_BYTES_MAX;
	if (rows->n < EXAMPLES_MAX) {
		buf_add_str(&rows->examples, rows->n > 0 ? ", " : "");
		buf_add_slice(&rows->examples, first);
	} else if (rows->n == EXAMPLES_MAX) {
		buf_add_str(&rows->examples, ", ...");
	}
	rows->n++;
	return IMP_OK;
}

enum imp_rc
rule_sql_rows(const struct rule_sql *q, const struct value_source *from, struct value *ret, struct imp_err *err)
{
	struct rows rows = { .examples = BUF_INIT(1024) };
	struct value v = { 0 };
	enum imp_rc rc = rule_sql_run(q, from, take_row, &rows, &v, err);

	if (rc == IMP_OK && v.reason == RULE_REASON_NONE) {
		v.i = (struct interval){ true, true, number_int(rows.n), number_int(rows.n) };
		rc = buf_status(&rows.examples, err);
		if (rc == IMP_OK && rows.n > 0) {
			v.examples = arena_slice(from->arena, buf_slice(&rows.examples), err);
			rc = v.examples.p != NULL ? IMP_OK : IMP_E_NOMEM;
		}
	}
	buf_done(&rows.examples);
	if (rc == IMP_OK)
		*ret = v;
	return rc;
}

static enum imp_rc
take_truth(void *payload, sqlite3_stmt *st, struct imp_err *err)
{
	bool *holds = payload;

	(void)err;
	*holds = sqlite3_column_int(st, 0) != 0;
	return IMP_OK;
}

enum imp_rc
rule_sql_holds(const struct rule_sql *q, const struct value_source *from, bool failed, bool *ret, struct imp_err *err)
{
	struct value v = { 0 };
	bool holds = false;
	enum imp_rc rc = rule_sql_run(q, from, take_truth, &holds, &v, err);

	if (rc == IMP_OK)
		*ret = v.reason == RULE_REASON_NONE ? holds : failed;
	return rc;
}

struct places {
	const struct value_source *from;
	struct slice query;
	struct rule_evidence *v;
	size_t n, max;
	uint64_t total;
};

enum imp_rc
rule_sql_file_hash(const struct value_source *from, struct slice path, struct slice *ret, struct imp_err *err)
{
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(from->store, sql_rules_file, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), from->run_no);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":path"), path);
	rc = store_step_row(from->store, st, &row, err);
	if (rc == IMP_OK && row && sqlite3_column_type(st, 0) == SQLITE_TEXT)
		rc = keep(from->arena, (const char *)sqlite3_column_text(st, 0), ret, err);
	sqlite3_reset(st);
	return rc;
}

static enum imp_rc
take_place(void *payload, sqlite3_stmt *st, struct imp_err *err)
{
	struct places *p = payload;
	struct rule_evidence e = { .query = p->query };

	p->total++;
	if (p->n == p->max)
		return IMP_OK;
	for (int i = 0; i < sqlite3_column_count(st); i++) {
		if (strcmp(sqlite3_column_name(st, i), "line") == 0)
			e.line = sqlite3_column_int64(st, i);
		else
			e.file = arena_slice(p->from->arena, store_column_slice(st, i), err);
	}
	if (e.file.p == NULL)
		return IMP_E_NOMEM;
	p->v[p->n++] = e;
	return rule_sql_file_hash(p->from, e.file, &p->v[p->n - 1].sha256, err);
}

enum imp_rc
rule_sql_evidence(const struct rule_sql *q, const struct value_source *from, size_t max, struct rule_evidence *ret, size_t *ret_n,
    uint64_t *ret_total, struct imp_err *err)
{
	struct places places = { .from = from, .query = q->text, .v = ret, .max = max };
	struct value v = { 0 };
	enum imp_rc rc = rule_sql_run(q, from, take_place, &places, &v, err);

	if (rc != IMP_OK)
		return rc;
	*ret_n = v.reason == RULE_REASON_NONE ? places.n : 0;
	*ret_total = v.reason == RULE_REASON_NONE ? places.total : 0;
	return IMP_OK;
}
