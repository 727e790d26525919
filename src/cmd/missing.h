/* cmd/missing.h - messages of a run that have no row as far as the store knows, to be looked up again.
 *
 * Life cycle: 1. missing_load()  2. read  3. missing_done(), also after a failure. Threading: one thread. */
#pragma once
#include "base/arena.h"
#include "base/mem.h"
#include "store/store.h"

struct missing {
	struct arena arena;
	VEC(const char *) mids;	     /* in the order of the messages ... */
	VEC(const char *) topics;    /* ... of each */
	VEC(struct slice) persisted; /* absent, dead_letter, conflict, unchecked */
};

/* Of messages that were refused or never sent those that nobody looked for are always among them: a look-up that left them out could
 * not say that it was complete. `all`: those that were looked for and not found as well. */
MUST_CHECK enum imp_rc missing_load(struct missing *m, struct store *s, int64_t run_no, bool all, struct imp_err *err);
void missing_done(struct missing *m);

/* How many are in that state. */
size_t missing_count(const struct missing *m, struct slice persisted);
