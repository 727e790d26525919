/* classify/figures.h - the figures of every group of messages into the store: counts, rates, quantiles, the matrix
 * (truth model, sections 4 to 6, and "not evaluated" of section 10). Threading: one thread. */
#pragma once
#include "classify/run.h"
#include "store/store.h"

MUST_CHECK enum imp_rc figures_write(struct run *r, struct store *s, int64_t run_no, struct imp_err *err);
