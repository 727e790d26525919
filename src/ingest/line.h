/* ingest/line.h - the records of one line, whatever happened to the line.
 *
 * A line holds one record. Records glued together, a whole record behind a torn start and NUL runs around a record are repaired;
 * what cannot be read is one rejected piece, and the search goes on at the next `{"ev"`.
 * Life cycle: 1. line_begin()  2. line_next() until LINE_END. Threading: as the scanner. */
#pragma once
#include <stdbool.h>

#include "base/slice.h"
#include "ingest/record.h"

enum line_rc {
	LINE_RECORD,   /* `text` and `record` are valid; `repair` may say what was wrong around it */
	LINE_REJECTED, /* `text` is the piece, `reason` says why */
	LINE_END,      /* `repair` may say what was wrong behind the last record */
	LINE_NOMEM,
};

struct line {
	struct slice all, text;
	size_t pos;
	unsigned pieces, records; /* so far; pieces are both records and what was rejected */
	bool complete;		  /* a line feed ended it */
	bool after_reject;
	const char *reason, *repair; /* static texts or NULL */
};

void line_begin(struct line *l, struct slice text, bool complete);
MUST_CHECK enum line_rc line_next(struct line *l, struct record_scanner *sc, struct record *ret);
