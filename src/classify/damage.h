/* classify/damage.h - when records of an agent's ledger were lost: placed by their neighbours in the file (truth model, section 10).
 *
 * Life cycle: 1. damage_init()  2. damage_within()  3. damage_done(). Read-only after damage_init(). */
#pragma once
#include "classify/run.h"

struct span {
	int64_t from, to; /* both ends included */
};

struct damage_map {
	const struct run *run;
	VEC(struct span) * by_agent; /* in order, apart from one another */
};

MUST_CHECK enum imp_rc damage_init(struct damage_map *d, struct run *r, struct imp_err *err);
void damage_done(struct damage_map *d); /* takes a zeroed one */

/* May a record of the agent have been lost within [from, to]? */
bool damage_within(const struct damage_map *d, uint32_t agent, int64_t from, int64_t to);
