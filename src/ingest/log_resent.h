/* ingest/log_resent.h - lines that a collector sent twice: same time to the nanosecond, same text, same pipe of one container.
 *
 * Exact in bounded memory. Only a line at or before the latest time so far can have been sent before; a window of the last lines
 * decides most of these. A line that is older than all of the window is put down (`deep`); when there were such lines, the log is
 * read a second time, and the first of each is kept. Life cycle of a window: zeroed, log_window_done(). One thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define LOG_WINDOW ((uint64_t)4096) /* lines, a power of two */
#define LOG_DEEP_MAX ((size_t)4 << 20)

struct log_seen {
	int64_t t;
	uint64_t key;
	uint64_t before; /* the last line of its chain before it, counted from 1; 0: none */
};

struct log_window {
	struct log_seen *ring; /* LOG_WINDOW lines, NULL: none yet */
	uint64_t *chain;       /* LOG_WINDOW chains by key: their last line, counted from 1 */
	uint64_t n;	       /* lines so far */
	uint64_t salt;	       /* for keys: which pipe of which stream it is */
	int64_t max_t, gone_t; /* the latest of all, and of those that have left the window */
};

struct log_deep {
	VEC(uint64_t) keys; /* sorted and distinct in the second reading */
	bool *met;	    /* by place in keys; NULL: first reading */
	bool full;	    /* there were more than LOG_DEEP_MAX: some are taken for new */
};

/* `key` is a hash of time, pipe and text. */
MUST_CHECK enum imp_rc log_resent(struct log_window *w, struct log_deep *deep, int64_t t, uint64_t key, bool *ret_resent,
    struct imp_err *err);
void log_window_done(struct log_window *w);

/* Between the readings; the windows are new ones then. */
MUST_CHECK enum imp_rc log_deep_again(struct log_deep *deep, struct imp_err *err);
void log_deep_done(struct log_deep *deep);
