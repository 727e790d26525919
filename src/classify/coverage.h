/* classify/coverage.h - which look-ups of the database prove absence: for whose kind, of which scenario (ledger format, section 7).
 *
 * Life cycle: 1. coverage_init()  2. coverage_has(). Sorts the ledger's rows, letters and queries, and notes in every query what it
 * found and whether absence may stand on it. */
#pragma once
#include "classify/run.h"

struct coverage {
	const bool *covered; /* by scenario and kind */
};

MUST_CHECK enum imp_rc coverage_init(struct coverage *c, struct run *r, struct imp_err *err);

/* Is a message of this scenario and kind that has no row absent? */
bool coverage_has(const struct coverage *c, uint32_t scenario, enum kind kind);

/* The same row read again, perhaps in another check. */
static inline bool
same_row(const struct row *a, const struct row *b)
{
	return a->mid == b->mid && a->table == b->table && a->topic == b->topic && a->seq == b->seq && a->id == b->id;
}
