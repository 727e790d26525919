/* classify/out.h - one line of a table of the store after another, column by column.
 *
 * out_begin() … out_int() … out_end(). The first failure sticks in `rc` and everything after it is a no-op, so that a long row of
 * columns is checked once, at its end. Every line begins with the run's number. Threading: one thread. */
#pragma once
#include "ingest/ledger.h"
#include "store/store.h"

struct out {
	struct store *s;
	int64_t run_no;
	struct imp_err *err;
	enum imp_rc rc;
	sqlite3_stmt *st;
	int column;
	int64_t sources; /* lines of table `source` so far: their numbers (classify/source_row.h) */
};

void out_begin(struct out *o, const char *sql);
void out_int(struct out *o, int64_t v);
void out_opt(struct out *o, int64_t v);	    /* NO_TIME is NULL */
void out_number(struct out *o, uint32_t v); /* NONE is NULL */
void out_real(struct out *o, double v);
void out_text(struct out *o, struct slice s);	       /* p == NULL is NULL; borrowed until out_end() */
void out_redacted(struct out *o, struct slice s);      /* what people or servers wrote: without its secrets; copied */
void out_str(struct out *o, const char *s);	       /* NULL is NULL; likewise */
void out_blob(struct out *o, const void *p, size_t n); /* likewise */
void out_null(struct out *o);
void out_place(struct out *o, uint64_t place); /* two columns: file and line */
void out_end(struct out *o);
