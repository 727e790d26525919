/* base/intern.h - strings to small numbers: the n-th new string gets number n, counted from 0. Not thread-safe. */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/slice.h"

#define INTERN_NONE UINT32_MAX

struct intern {
	struct mem_budget *budget; /* borrowed; may be NULL */
	struct arena arena;
	VEC(struct slice) names; /* by number; read only */
	uint32_t *slot;
	uint32_t *tag;
	size_t nslots;
};

void intern_init(struct intern *t, struct mem_budget *budget);
void intern_done(struct intern *t);

/* The number of `s`, made when it is new. */
MUST_CHECK enum imp_rc intern_add(struct intern *t, struct slice s, uint32_t *ret, struct imp_err *err);

/* The number of `s` or INTERN_NONE. */
uint32_t intern_find(const struct intern *t, struct slice s);

/* A 64-bit hash of bytes (XXH3), for tables of this process only. */
uint64_t hash_bytes(struct slice s);
