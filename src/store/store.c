/* The journal is SQLite's rollback journal, not a write-ahead log:
 *
 * - An ingest appends megabytes of new pages. These go into the file at once and once, since only pages that had content before are
 *   journaled; a log would take them first and be copied into the file afterwards.
 * - The store stays one file that can be copied, and read where the directory cannot be written.
 *
 * Writers queue at BEGIN IMMEDIATE. Readers go on beside a writer until its cache is full or it commits, and wait meanwhile: ingest
 * writes for a small part of its time. What a killed writer left is rolled back by whoever opens the store next, which is why readers
 * open the file for writing where they may, and forbid themselves to write by PRAGMA query_only. */
#include "config.h"

#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sql_gen.h"
#include "store/conns.h"
#include "store/internal.h"
#include "store/names.h"

static void
store_closep(struct store **s)
{
	store_close(*s);
}

static enum imp_rc
open_failed(struct store *s, int sqlite_rc, struct imp_err *err)
{
	int errnum = sqlite3_system_errno(s->db);
	enum imp_rc rc;

	if (sqlite_rc != SQLITE_CANTOPEN && sqlite_rc != SQLITE_PERM)
		return store_error(s, sqlite_rc, err);
	if (errnum == 0)
		errnum = EISDIR;
	if (s->mode == STORE_WRITE)
		return imp_err_errno(err, IMP_E_CREATE, errnum, "could not create store '%s'", s->path);
	rc = imp_err_errno(err, errnum == ENOENT ? IMP_E_NOINPUT : IMP_E_IO, errnum, "could not open store '%s'", s->path);
	imp_err_hint(err, "name it with --store, or make it with 'impaudit ingest DIR'");
	return rc;
}

enum imp_rc
store_open(const char *path, enum store_mode mode, int busy_ms, struct store **ret, struct imp_err *err)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
	CLEANUP(store_closep) struct store *s = calloc(1, sizeof(*s));
	enum imp_rc rc;
	int sqlite_rc;

	if (path[0] == '\0')
		return imp_err_set(err, IMP_E_USAGE, "the store has no name");
	if (s == NULL || (s->path = strdup(path)) == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: store '%s'", path);
	s->mode = mode;
	s->run_no = STORE_NO_RUN;
	sqlite_rc = sqlite3_open_v2(path, &s->db, flags, NULL);
	if (sqlite_rc != SQLITE_OK)
		return open_failed(s, sqlite_rc, err);
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, busy_ms);
	if (mode != STORE_READ && sqlite3_db_readonly(s->db, "main") == 1)
		return imp_err_set(err, IMP_E_CREATE, "store '%s' cannot be written", path);
	rc = store_exec(s, sql_store_open, err);
	if (rc == IMP_OK)
		rc = store_migrate(s, err);
	if (rc == IMP_OK)
		rc = store_add_tables(s, err);
	if (rc == IMP_OK && mode == STORE_READ)
		rc = store_exec(s, sql_store_read_only_on, err);
	if (rc == IMP_OK)
		*ret = TAKE(s);
	return rc;
}

void
store_close(struct store *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->stmts.n; i++)
		sqlite3_finalize(s->stmts.v[i].st);
	VEC_FREE(NULL, &s->stmts);
	sqlite3_close(s->db); /* rolls back; the virtual tables give their statements back first */
	run_conns_free(s->conns);
	run_names_free(s->names);
	free(s->path);
	free(s);
}

sqlite3 *
store_db(struct store *s)
{
	return s->db;
}

enum imp_rc
store_begin(struct store *s, struct imp_err *err)
{
	return store_exec(s, sql_store_begin, err);
}

enum imp_rc
store_begin_read(struct store *s, struct imp_err *err)
{
	return store_exec(s, sql_store_begin_read, err);
}

enum imp_rc
store_commit(struct store *s, struct imp_err *err)
{
	return store_exec(s, sql_store_commit, err);
}

void
store_rollback(struct store *s)
{
	for (size_t i = 0; i < s->stmts.n; i++)
		sqlite3_reset(s->stmts.v[i].st);
	/* After some errors SQLite has rolled back by itself; an error here is one of those, or leaves it to the next open. */
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, sql_store_rollback, NULL, NULL, NULL);
}

enum imp_rc
store_exec(struct store *s, const char *sql, struct imp_err *err)
{
	int sqlite_rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return sqlite_rc == SQLITE_OK ? IMP_OK : store_error_in(s, sqlite_rc, sql, err);
}

enum imp_rc
store_find_run(struct store *s, const char *run_id, int64_t *ret_run_no, struct imp_err *err)
{
	sqlite3_stmt *st;
	enum imp_rc rc;
	int64_t run_no;
	bool row;

	rc = store_stmt(s, sql_store_find_run, &st, err);
	if (rc != IMP_OK)
		return rc;
	store_bind_slice(st, 1, slice_of(run_id));
	rc = store_step_row(s, st, &row, err);
	if (rc != IMP_OK)
		return rc;
	if (row) {
		run_no = sqlite3_column_int64(st, 0);
		sqlite3_reset(st);
		*ret_run_no = run_no;
		return IMP_OK;
	}
	if (run_id == NULL) {
		imp_err_set(err, IMP_E_NOINPUT, "store '%s' has no run", s->path);
		imp_err_hint(err, "'impaudit ingest DIR' reads one");
	} else {
		imp_err_set(err, IMP_E_NOINPUT, "store '%s' has no run '%s'", s->path, run_id);
		imp_err_hint(err, "'impaudit runs' lists them");
	}
	return IMP_E_NOINPUT;
}

/* What an SQLite result code is to the caller. */
static enum imp_rc
code_of(int sqlite_rc)
{
	if (sqlite_rc == SQLITE_IOERR_NOMEM)
		return IMP_E_NOMEM;
	switch (sqlite_rc & 0xff) {
	case SQLITE_NOMEM:
		return IMP_E_NOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return IMP_E_BUSY;
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
		return IMP_E_IO;
	case SQLITE_NOTADB:
		return IMP_E_DATA;
	case SQLITE_INTERRUPT:
	case SQLITE_TOOBIG:
		return IMP_E_LIMIT;
	default:
		return IMP_E_DB;
	}
}

static const char *
sql_name(const char *sql)
{
	for (const struct sql_file *f = sql_files; f->name != NULL; f++) {
		if (f->text == sql)
			return f->name;
	}
	return NULL;
}

enum imp_rc
store_error_in(struct store *s, int sqlite_rc, const char *sql, struct imp_err *err)
{
	const char *name = sql_name(sql), *words = sqlite3_errmsg(s->db);
	enum imp_rc rc = code_of(sqlite_rc);
	int errnum = sqlite3_system_errno(s->db);

	switch (rc) {
	case IMP_E_NOMEM:
		return imp_err_set(err, rc, "store '%s': out of memory", s->path);
	case IMP_E_BUSY:
		imp_err_set(err, rc, "store '%s' is in use by another process", s->path);
		imp_err_hint(err, "try again later, or name another store with --store");
		return rc;
	case IMP_E_DATA:
		return imp_err_set(err, rc, "'%s' is not an impaudit store", s->path);
	case IMP_E_IO:
		if ((sqlite_rc & 0xff) == SQLITE_IOERR && errnum != 0)
			return imp_err_errno(err, rc, errnum, "store '%s': %s", s->path, words);
		imp_err_set(err, rc, "store '%s': %s", s->path, words);
		if (sqlite_rc == SQLITE_READONLY_ROLLBACK)
			imp_err_hint(err, "an interrupted ingest must be undone first: make the store writable");
		return rc;
	case IMP_E_LIMIT:
		if ((sqlite_rc & 0xff) == SQLITE_INTERRUPT)
			return imp_err_set(err, rc, "statement stopped after %ju steps", (uintmax_t)s->max_ops);
		return imp_err_set(err, rc, "store '%s': %s", s->path, words);
	default:
		if (name != NULL)
			return imp_err_set(err, rc, "store '%s': %s: %s", s->path, name, words);
		return imp_err_set(err, rc, "store '%s': %s", s->path, words);
	}
}

enum imp_rc
store_error(struct store *s, int sqlite_rc, struct imp_err *err)
{
	return store_error_in(s, sqlite_rc, NULL, err);
}
