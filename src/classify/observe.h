/* classify/observe.h - what receivers saw (truth model, section 2), one pass over the members after another.
 *
 * Life cycle: 1. observe_init()  2. for each pass of the reader: observe_pass(); when it asks for lines, the pass is read again
 * with them; else observe_commit()  3. observe_finish()  4. observe_done(). Threading: one thread. */
#pragma once
#include "classify/run.h"
#include "store/store.h"

struct observe; /* opaque; classify/observe.c */

MUST_CHECK enum imp_rc observe_init(struct run *r, struct observe **ret, struct imp_err *err);
void observe_done(struct observe *o); /* takes NULL */

/* Judge the copies that the ledger holds now. *ret_needs_lines: two arrivals in the same nanosecond can only be told apart by their
 * lines, so nothing of this pass counts. */
MUST_CHECK enum imp_rc observe_pass(struct observe *o, bool *ret_needs_lines, struct imp_err *err);

/* Add the pass up, re-sent deliveries into the files' counts too, and write its deliveries to the store. */
MUST_CHECK enum imp_rc observe_commit(struct observe *o, struct store *s, int64_t run_no, struct imp_err *err);

/* After the last pass: `observed` and the anomalies of every message. */
void observe_finish(struct observe *o);
