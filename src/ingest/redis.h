/* ingest/redis.h - what Redis says of itself: INFO as text, SLOWLOG and LATENCY as JSON.
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

struct redis_spike {
	int64_t t, duration_ns;
	int64_t max_ns; /* the longest of its event since the server began to count, NO_TIME */
	struct slice event;
	uint64_t line;
};

struct redis {
	struct arena arena;
	VEC(struct redis_figure) figures;
	VEC(struct redis_slow) slow;
	VEC(struct redis_spike) spikes;
	bool limited; /* as many spikes of an event as the server keeps */
};

/* A file that is a JSON object is LATENCY (docs/ledger.md, section 12). One that is an array is a SLOWLOG: arrays [id, Unix s, µs, [arguments], client, name] as the server answers, or objects with these as
 * members. Anything else is INFO. */
MUST_CHECK enum imp_rc redis_read(struct redis *r, struct snapshot *s, struct imp_err *err);
void redis_done(struct redis *r);
