/* ingest/log_loki.h - a Loki answer (`query_range` as JSON) as lines in the order of time.
 *
 * 1. log_loki_read()  2. use `v`  3. log_loki_done(). Loki gives the newest first, unless it was asked for the other direction, and
 * each of its streams apart. Pure functions, any thread. */
#pragma once
#include "base/arena.h"
#include "base/mem.h"
#include "ingest/log_line.h"

#define LOG_LOKI_BYTES_MAX ((size_t)32 << 20) /* of a document */

struct log_loki_line {
	struct log_line line;
	int64_t order; /* among those of one time */
};

struct log_loki {
	VEC(struct log_loki_line) v; /* by time; borrow from the arena and the document */
	uint64_t damaged;	     /* entries that are none */
	bool limited;		     /* exactly as many as a limit that people use */
	struct arena arena;
};

/* `document` is readable for JSON_PADDING bytes behind its end. IMP_E_DATA: it is no such answer. */
MUST_CHECK enum imp_rc log_loki_read(struct slice document, struct log_loki *ret, struct imp_err *err);
void log_loki_done(struct log_loki *l);
