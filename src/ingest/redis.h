/* ingest/redis.h - what Redis says of itself: INFO as text, SLOWLOG as JSON.
 *
 * Life cycle: 1. zeroed, with a budget in `arena`  2. redis_read()  3. redis_done(). Texts belong to the arena; commands are without
 * secrets. Threading: one thread. Errors: IMP_E_NOMEM and those of reading; whatever is wrong with a file is in its struct snapshot. */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "ingest/snapshot.h"

struct redis_figure {
	struct slice name, value;
	uint64_t line;
};

struct redis_slow {
	int64_t t, id, duration_us;   /* id: NO_TIME when it is not said */
	struct slice command, client; /* client: p NULL when it is not said */
	uint64_t line;
};

struct redis {
	struct arena arena;
	VEC(struct redis_figure) figures;
	VEC(struct redis_slow) slow;
};

/* A file that is JSON is a SLOWLOG: arrays [id, Unix s, µs, [arguments], client, name] as the server answers, or objects with these as
 * members. Anything else is INFO. */
MUST_CHECK enum imp_rc redis_read(struct redis *r, struct snapshot *s, struct imp_err *err);
void redis_done(struct redis *r);
