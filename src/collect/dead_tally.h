/* collect/dead_tally.h - the dead letters of one look-up, counted over all of their sources: one `deads` line speaks for them all.
 *
 * Letters are told apart as the auditor tells them. Threading: one thread. Memory: 16 bytes a letter, at most 16 M letters
 * (IMP_E_LIMIT). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

struct dead_tally;

MUST_CHECK enum imp_rc dead_tally_new(struct dead_tally **ret, struct imp_err *err);
void dead_tally_free(struct dead_tally *t); /* NULL is fine */

/* A `dead` line was written. */
MUST_CHECK enum imp_rc dead_tally_add(struct dead_tally *t, struct slice mid, int64_t when, struct slice error, struct imp_err *err);
/* One source has ended; `complete`: it gave all it has. Called once by each, also by one that failed. */
void dead_tally_source(struct dead_tally *t, bool complete);

uint64_t dead_tally_sources(const struct dead_tally *t);
bool dead_tally_complete(const struct dead_tally *t); /* all of them, and there was one */
uint64_t dead_tally_count(const struct dead_tally *t); /* distinct letters */
