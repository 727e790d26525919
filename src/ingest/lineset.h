/* ingest/lineset.h - which lines an agent has already written, byte for byte, and where: a table of 128-bit hashes (XXH3).
 * Not thread-safe. */
#pragma once
#include <stdint.h>

#include "base/mem.h"
#include "base/slice.h"

#define LINESET_NEW UINT64_MAX

struct lineset_line {
	uint64_t low, high; /* {0, 0} is free */
	uint64_t place;
};

struct lineset {
	struct mem_budget *budget;
	struct lineset_line *slot;
	size_t nslots, used;
};

void lineset_done(struct lineset *s);

/* Put `text`, which stands at `place`, in; *ret_was is the smallest place where it was met before, or LINESET_NEW. */
MUST_CHECK enum imp_rc lineset_add(struct lineset *s, struct slice text, uint64_t place, uint64_t *ret_was, struct imp_err *err);
