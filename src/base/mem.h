/* base/mem.h - growing arrays under a budget.
 *
 * A budget is what one command may hold in its large tables (`--memory`). It is an account, not an allocator: small and
 * short-lived memory is outside it. Threading: one budget belongs to one thread, or to the holder of its owner's lock. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct mem_budget {
	size_t beside; /* bytes of the user's limit that are not in `limit`: libraries and buffers */
	size_t limit;  /* bytes */
	size_t used;   /* bytes */
	size_t peak;   /* bytes, the most that `used` ever was */
};

/* Account for `bytes` more. IMP_E_LIMIT names the need; nothing is accounted then. */
MUST_CHECK enum imp_rc mem_charge(struct mem_budget *b, size_t bytes, struct imp_err *err);
void mem_release(struct mem_budget *b, size_t bytes);
/* Would `bytes` more fit? */
bool mem_fits(const struct mem_budget *b, size_t bytes);

/* Everything is numbered by uint32_t, of which the highest value stands for "none". */
#define MEM_ELEMENTS_MAX ((size_t)UINT32_MAX)

/* Make room for `need` elements of `size` bytes in the array *p of capacity *cap (elements); it at least doubles, up to
 * MEM_ELEMENTS_MAX. IMP_E_LIMIT beyond that, and when the budget does not have it. `b` may be NULL.
 * On failure the array is as it was. The caller owns *p and frees it with free(), releasing cap * size from the budget. */
MUST_CHECK enum imp_rc mem_grow(struct mem_budget *b, void **p, size_t *cap, size_t need, size_t size, struct imp_err *err);

/* vec: VEC(struct x) v = {0}; rc = VEC_PUSH(budget, &v, value, err). */
#define VEC(type) \
	struct { \
		type *v; \
		size_t n, cap; \
	}
#define VEC_RESERVE(b, vec, more, err) \
	((vec)->n + (more) <= (vec)->cap ? \
		IMP_OK : \
		mem_grow((b), (void **)&(vec)->v, &(vec)->cap, (vec)->n + (more), sizeof(*(vec)->v), (err)))
#define VEC_PUSH(b, vec, value, err) \
	__extension__({ \
		enum imp_rc rc_ = VEC_RESERVE((b), (vec), 1, (err)); \
		if (rc_ == IMP_OK) \
			(vec)->v[(vec)->n++] = (value); \
		rc_; \
	})
#define VEC_FREE(b, vec) \
	do { \
		mem_release((b), (vec)->cap * sizeof(*(vec)->v)); \
		free((vec)->v); \
		(vec)->v = NULL; \
		(vec)->n = (vec)->cap = 0; \
	} while (0)
