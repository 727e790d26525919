/* rules/concentration.h - where the failures of a run are, by exact counting.
 *
 * A set of values of a dimension is named when it holds at least 95 % of the failures of a kind and its share of them is at least
 * twice its share of all that could have failed, with at most 20 values: the smallest such set, and with it what has at least half as
 * many failures as its last value. Ownership: results live in the arena of the evaluation. Threading: one thread. */
#pragma once
#include "rules/cause_weigh.h"

/* Fill in c->concentration. Causes are weighed before: messages have their owners. */
MUST_CHECK enum imp_rc concentration_find(struct weighing *x, struct causes *c, struct imp_err *err);
