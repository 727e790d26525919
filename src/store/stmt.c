#include "config.h"

#include "base/slice.h"
#include "store/internal.h"

enum imp_rc
store_prepare(struct store *s, const char *sql, sqlite3_stmt **ret, struct imp_err *err)
{
	sqlite3_stmt *st;
	int sqlite_rc = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL);

	if (sqlite_rc != SQLITE_OK)
		return store_error_in(s, sqlite_rc, sql, err);
	*ret = st;
	return IMP_OK;
}

/* A command uses some dozens of statements and asks for one before a loop, not in it: a walk over them is fast enough. */
enum imp_rc
store_stmt(struct store *s, const char *sql, sqlite3_stmt **ret, struct imp_err *err)
{
	struct cached_stmt fresh = { .sql = sql };
	enum imp_rc rc;

	for (size_t i = 0; i < s->stmts.n; i++) {
		if (s->stmts.v[i].sql != sql)
			continue;
		sqlite3_reset(s->stmts.v[i].st);
		sqlite3_clear_bindings(s->stmts.v[i].st);
		*ret = s->stmts.v[i].st;
		return IMP_OK;
	}
	rc = VEC_RESERVE(NULL, &s->stmts, 1, err);
	if (rc == IMP_OK)
		rc = store_prepare(s, sql, &fresh.st, err);
	if (rc != IMP_OK)
		return rc;
	s->stmts.v[s->stmts.n++] = fresh;
	*ret = fresh.st;
	return IMP_OK;
}

/* The embedded text of a cached statement, NULL for one that the caller prepared. */
static const char *
stmt_text(const struct store *s, const sqlite3_stmt *st)
{
	for (size_t i = 0; i < s->stmts.n; i++) {
		if (s->stmts.v[i].st == st)
			return s->stmts.v[i].sql;
	}
	return NULL;
}

enum imp_rc
store_step_row(struct store *s, sqlite3_stmt *st, bool *ret_row, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;
	int sqlite_rc;

	if (!sqlite3_stmt_busy(st))
		s->ops = 0;
	sqlite_rc = sqlite3_step(st);
	if (sqlite_rc == SQLITE_ROW) {
		*ret_row = true;
		return IMP_OK;
	}
	/* the message is gone after the reset */
	if (sqlite_rc == SQLITE_DONE)
		*ret_row = false;
	else
		rc = store_error_in(s, sqlite_rc, stmt_text(s, st), err);
	sqlite3_reset(st);
	return rc;
}

enum imp_rc
store_step_done(struct store *s, sqlite3_stmt *st, struct imp_err *err)
{
	bool row;
	enum imp_rc rc = store_step_row(s, st, &row, err);

	if (rc == IMP_OK && row)
		sqlite3_reset(st);
	return rc;
}

void
store_bind_slice(sqlite3_stmt *st, int i, struct slice s)
{
	if (s.p == NULL)
		sqlite3_bind_null(st, i);
	else
		sqlite3_bind_text64(st, i, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
}

struct slice
store_column_slice(sqlite3_stmt *st, int i)
{
	int type = sqlite3_column_type(st, i);
	/* unlike sqlite3_column_text() this never makes a copy for the sake of a NUL */
	const void *p = sqlite3_column_blob(st, i);

	if (p == NULL && (type == SQLITE_TEXT || type == SQLITE_BLOB))
		p = ""; /* what SQLite gives for an empty one */
	return (struct slice){ p, p != NULL ? (size_t)sqlite3_column_bytes(st, i) : 0 };
}
