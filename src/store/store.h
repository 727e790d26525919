/* store/store.h - the evidence store: one SQLite file that holds many runs.
 *
 * Life cycle: 1. store_open()  2. store_begin() … store_commit() around writes, store_select_run() before reads through views
 * 3. store_close(), also after a failed open. Threading: one thread. Errors: IMP_E_DB (says which statement), IMP_E_BUSY when
 * another process holds the store longer than `busy_ms`, IMP_E_DATA for a store of a newer version or no store at all. */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

struct store; /* opaque; store/store.c */

enum store_mode {
	STORE_READ,   /* must exist; nothing is written */
	STORE_CHANGE, /* must exist; migrated when need be */
	STORE_WRITE,  /* made or migrated when need be */
};

/* The version of the schema that this program writes: the number of migrations. */
int store_schema_version(void);

/* Open the store at `path`; ":memory:" with STORE_WRITE is an empty one that goes with its connection. On success the caller owns
 * *ret. */
MUST_CHECK enum imp_rc store_open(const char *path, enum store_mode mode, int busy_ms, struct store **ret, struct imp_err *err);
void store_close(struct store *s); /* takes NULL; rolls back what was not committed */

sqlite3 *store_db(struct store *s); /* borrowed until store_close() */

MUST_CHECK enum imp_rc store_begin(struct store *s, struct imp_err *err); /* IMMEDIATE: waits for its turn */
/* For readers that need one state of the store over several statements; ends with store_commit() or store_rollback(). */
MUST_CHECK enum imp_rc store_begin_read(struct store *s, struct imp_err *err);
MUST_CHECK enum imp_rc store_commit(struct store *s, struct imp_err *err);
void store_rollback(struct store *s);

/* Run an embedded script of several statements without parameters. */
MUST_CHECK enum imp_rc store_exec(struct store *s, const char *sql, struct imp_err *err);

/* A prepared statement from the cache, reset and unbound. `sql` must be one of the embedded texts (sql_gen.h): its address is the
 * key. Borrowed until the next store_stmt() for the same text. */
MUST_CHECK enum imp_rc store_stmt(struct store *s, const char *sql, sqlite3_stmt **ret, struct imp_err *err);

/* Step a statement that returns no rows, then reset it. */
MUST_CHECK enum imp_rc store_step_done(struct store *s, sqlite3_stmt *st, struct imp_err *err);

/* Step; *ret_row says whether there is a row. At the end the statement is reset. */
MUST_CHECK enum imp_rc store_step_row(struct store *s, sqlite3_stmt *st, bool *ret_row, struct imp_err *err);

/* Turn an SQLite result code into an error with SQLite's own words. */
enum imp_rc store_error(struct store *s, int sqlite_rc, struct imp_err *err);

/* Look a run up by id; `run_id` NULL: the one ingested last. IMP_E_NOINPUT when there is none. */
MUST_CHECK enum imp_rc store_find_run(struct store *s, const char *run_id, int64_t *ret_run_no, struct imp_err *err);

/* Point the views and virtual tables (message, delivery, missing, duplicate, ...) of this connection at one run. From then on a bare
 * table name means the view of that name: statements that mean the table say main.NAME. */
MUST_CHECK enum imp_rc store_select_run(struct store *s, int64_t run_no, struct imp_err *err);

/* From now on this connection only reads: an authorizer refuses all but SELECT, READ, RECURSIVE and a list of functions
 * (no ATTACH, PRAGMA, load_extension), and a progress handler stops a statement after `max_ops` virtual machine steps (0: none;
 * counted from the first store_step_row()), with IMP_E_LIMIT. For good: select the run before. */
MUST_CHECK enum imp_rc store_seal(struct store *s, uint64_t max_ops, struct imp_err *err);

/* Before `sql` (of a rule file, say) runs: views in it that cost much to look at are replaced by their rows, once for the selected run.
 * Works on a sealed connection. */
MUST_CHECK enum imp_rc store_keep_views(struct store *s, struct slice sql, struct imp_err *err);

/* Bind helpers: an empty slice with p == NULL binds NULL. Text is bound without a copy: it must outlive the step. */
void store_bind_slice(sqlite3_stmt *st, int i, struct slice s);
/* A text or blob column as a slice, borrowed until the next step; {NULL, 0} for NULL, and for a number for whose text there is no
 * memory. */
struct slice store_column_slice(sqlite3_stmt *st, int i);
