/* tests/lib/query.h - ask a store in tests: SQL text in, text out. */
#pragma once
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "store/store.h"

/* Run a script; a failure ends the test program. */
static inline void
must_exec(struct store *s, const char *sql)
{
	if (sqlite3_exec(store_db(s), sql, NULL, NULL, NULL) != SQLITE_OK) {
		printf("Bail out! %s: %s\n", sql, sqlite3_errmsg(store_db(s)));
		exit(1);
	}
}

/* The result of a query: columns with a space between (NULL is "-"), lines with ", " between; for an error its code and words.
 * Good until the next call. */
static inline const char *
query_text(struct store *s, const char *sql)
{
	static struct buf out = BUF_INIT(1 << 20);
	sqlite3_stmt *st = NULL;
	struct imp_err err = { 0 };
	bool row = false;
	enum imp_rc rc;
	int sqlite_rc = sqlite3_prepare_v2(store_db(s), sql, -1, &st, NULL);

	buf_clear(&out);
	rc = sqlite_rc == SQLITE_OK ? store_step_row(s, st, &row, &err) : store_error(s, sqlite_rc, &err);
	while (rc == IMP_OK && row) {
		if (out.n > 0)
			buf_add_str(&out, ", ");
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			if (i > 0)
				buf_add_char(&out, ' ');
			buf_add_slice(&out, sqlite3_column_type(st, i) == SQLITE_NULL ? SLICE("-") : store_column_slice(st, i));
		}
		rc = store_step_row(s, st, &row, &err);
	}
	if (rc != IMP_OK) {
		buf_clear(&out);
		buf_addf(&out, "error %d: %s", (int)rc, err.msg);
	}
	sqlite3_finalize(st);
	return out.n > 0 ? out.p : "";
}
