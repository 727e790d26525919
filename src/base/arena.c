#include "config.h"

#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES (64 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

void
arena_done(struct arena *a)
{
	while (a->head != NULL) {
		struct arena_block *b = a->head;

		a->head = b->next;
		mem_release(a->budget, sizeof(*b) + b->size);
		free(b);
	}
}

void *
arena_alloc(struct arena *a, size_t n, struct imp_err *err)
{
	size_t need = (n + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct arena_block *b = a->head;
	void *p;

	if (b == NULL || b->size - b->used < need) {
		size_t size = need > ARENA_BLOCK_BYTES / 4 ? need : ARENA_BLOCK_BYTES;

		if (mem_charge(a->budget, sizeof(*b) + size, err) != IMP_OK)
			return NULL;
		b = calloc(1, sizeof(*b) + size);
		if (b == NULL) {
			mem_release(a->budget, sizeof(*b) + size);
			imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu bytes", size);
			return NULL;
		}
		b->size = size;
		/* a block made for one large piece goes behind the one that still has room */
		if (a->head != NULL && size != ARENA_BLOCK_BYTES) {
			b->next = a->head->next;
			a->head->next = b;
		} else {
			b->next = a->head;
			a->head = b;
		}
	}
	p = b->data + b->used;
	b->used += need;
	return p;
}

struct slice
arena_slice(struct arena *a, struct slice s, struct imp_err *err)
{
	char *p = arena_alloc(a, s.n + 1, err);

	if (p == NULL)
		return (struct slice){ NULL, 0 };
	if (s.n > 0)
		memcpy(p, s.p, s.n);
	return (struct slice){ p, s.n };
}
