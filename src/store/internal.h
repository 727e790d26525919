/* store/internal.h - what the files of src/store share. */
#pragma once
#include "base/mem.h"
#include "store/store.h"

#define STORE_NO_RUN (-1)

struct run_names;

struct cached_stmt {
	const char *sql; /* embedded text: its address is the key */
	sqlite3_stmt *st;
};

struct store {
	sqlite3 *db;
	char *path;
	enum store_mode mode;
	int64_t run_no; /* selected, or STORE_NO_RUN */
	VEC(struct cached_stmt) stmts;
	struct run_names *names; /* of the selected run, store/names.h */
	uint64_t max_ops;	 /* store_seal() */
	uint64_t ops;		 /* since the statement began, in SEAL_GRAIN */
};

/* Prepare an embedded statement; the caller owns *ret. */
MUST_CHECK enum imp_rc store_prepare(struct store *s, const char *sql, sqlite3_stmt **ret, struct imp_err *err);

/* As store_error(), with the name of the embedded text that failed (NULL: none). */
enum imp_rc store_error_in(struct store *s, int sqlite_rc, const char *sql, struct imp_err *err);

/* Check whose file it is; in STORE_WRITE make it or bring it up to date. */
MUST_CHECK enum imp_rc store_migrate(struct store *s, struct imp_err *err);

/* Make the virtual tables known. */
MUST_CHECK enum imp_rc store_add_tables(struct store *s, struct imp_err *err);
