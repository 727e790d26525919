/* ingest/lineset.h - which lines an agent has already written, byte for byte: a set of 128-bit hashes (XXH3). Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/slice.h"

struct lineset {
	struct mem_budget *budget;
	uint64_t (*slot)[2]; /* {0, 0} is free */
	size_t nslots, used;
};

void lineset_done(struct lineset *s);

/* Put `text` in; *ret_seen says whether it was there. */
MUST_CHECK enum imp_rc lineset_add(struct lineset *s, struct slice text, bool *ret_seen, struct imp_err *err);
