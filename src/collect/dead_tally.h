/* collect/dead_tally.h - the dead letters of one look-up, from all of their sources: one `deads` line speaks for them all.
 *
 *	dead_tally_line() for each letter ... dead_tally_source() once by each source ... dead_tally_end() by the driver
 *
 * Letters are told apart as the auditor tells them: two are one when everything that their lines say is the same. Threading: one thread.
 * Memory: 16 bytes a line, at most 16 M lines (IMP_E_LIMIT). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#define DEAD_NO_CODE INT64_MIN

struct dead_letter {
	int64_t t; /* when it died (Unix ns) */
	struct slice mid, error;
	int64_t code;		  /* of the database's error, such as 1264; DEAD_NO_CODE */
	struct slice topic;	  /* of the message; p NULL: not known */
	struct slice kafka_topic; /* it was found in; p NULL: in none */
	bool replayed;
};

struct dead_tally;

MUST_CHECK enum imp_rc dead_tally_new(int64_t check, struct dead_tally **ret, struct imp_err *err);
void dead_tally_free(struct dead_tally *t); /* NULL is fine */

/* Append the letter's line to `out`, and count it. */
MUST_CHECK enum imp_rc dead_tally_line(struct dead_tally *t, const struct dead_letter *d, struct buf *out, struct imp_err *err);
/* One source has ended; `complete`: it gave all it has. Called once by each, also by one that failed. */
void dead_tally_source(struct dead_tally *t, bool complete);
uint64_t dead_tally_sources(const struct dead_tally *t);

/* Append the `deads` line of the look-up, as of `now`: complete when every source was. Nothing when there was none. */
void dead_tally_end(struct dead_tally *t, int64_t now, struct buf *out);
