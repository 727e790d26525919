/* base/arena.h - allocation by lifetime: everything taken from an arena goes with arena_done(). Not thread-safe. */
#pragma once
#include <stddef.h>

#include "base/mem.h"
#include "base/slice.h"

struct arena {
	struct mem_budget *budget; /* borrowed; may be NULL */
	struct arena_block *head;
};

void arena_done(struct arena *a); /* takes a zeroed one too */

/* `n` zeroed bytes, aligned for any type; NULL when out of memory or budget (`err` says which). */
void *arena_alloc(struct arena *a, size_t n, struct imp_err *err);

/* A copy of `s` that lives as long as the arena, NUL-terminated behind its last byte. On failure .p is NULL. */
struct slice arena_slice(struct arena *a, struct slice s, struct imp_err *err);
