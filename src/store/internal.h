/* store/internal.h - what the files of src/store share. */
#pragma once
#include "base/mem.h"
#include "store/store.h"

#define STORE_NO_RUN (-1)

struct run_conns;
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
	struct run_conns *conns; /* the same, store/conns.h */
	uint64_t max_ops;	 /* store_seal() */
	uint64_t ops;		 /* since the statement began, in SEAL_GRAIN */
	bool sealed;
	uint64_t kept; /* views that are tables now, a bit for each of keep.c's table */
};

/* Prepare an embedded statement; the caller owns *ret. */
MUST_CHECK enum imp_rc store_prepare(struct store *s, const char *sql, sqlite3_stmt **ret, struct imp_err *err);

/* As store_error(), with the name of the embedded text that failed (NULL: none). */
enum imp_rc store_error_in(struct store *s, int sqlite_rc, const char *sql, struct imp_err *err);

/* Check whose file it is; in STORE_WRITE make it or bring it up to date. */
MUST_CHECK enum imp_rc store_migrate(struct store *s, struct imp_err *err);

/* Make the virtual tables known. */
MUST_CHECK enum imp_rc store_add_tables(struct store *s, struct imp_err *err);

/* The program's own statements on a sealed connection: between the two nothing of anybody else's may run. The limit of steps holds;
 * what exceeds it is left undone, and is no failure. store_put_seal() gives `rc`, or what fails after it. */
MUST_CHECK enum imp_rc store_lift_seal(struct store *s, struct imp_err *err);
MUST_CHECK enum imp_rc store_put_seal(struct store *s, enum imp_rc rc, struct imp_err *err);

/* Make kept views what they were: the run changes. */
MUST_CHECK enum imp_rc store_unkeep_views(struct store *s, struct imp_err *err);
