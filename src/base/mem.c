#include "config.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

#define ELEMENTS_MIN 8 /* of an array that has any */

bool
mem_fits(const struct mem_budget *b, size_t bytes)
{
	return b == NULL || (bytes <= b->limit && b->used <= b->limit - bytes);
}

enum imp_rc
mem_charge(struct mem_budget *b, size_t bytes, struct imp_err *err)
{
	if (b == NULL)
		return IMP_OK;
	if (!mem_fits(b, bytes)) {
		imp_err_set(err, IMP_E_LIMIT, "memory limit of %zu MiB is too small: at least %zu MiB are needed",
		    (b->beside + b->limit) >> 20, ((b->beside + b->used + bytes) >> 20) + 1);
		imp_err_hint(err, "give more with --memory");
		return IMP_E_LIMIT;
	}
	b->used += bytes;
	if (b->used > b->peak)
		b->peak = b->used;
	return IMP_OK;
}

void
mem_release(struct mem_budget *b, size_t bytes)
{
	if (b != NULL)
		b->used -= bytes;
}

enum imp_rc
mem_grow(struct mem_budget *b, void **p, size_t *cap, size_t need, size_t size, struct imp_err *err)
{
	size_t n = *cap * 2 > need ? *cap * 2 : need;
	enum imp_rc rc;
	void *grown;

	if (need > MEM_ELEMENTS_MAX)
		return imp_err_set(err, IMP_E_LIMIT, "more than %zu things of one kind", MEM_ELEMENTS_MAX);
	if (n < ELEMENTS_MIN)
		n = ELEMENTS_MIN;
	if (n > MEM_ELEMENTS_MAX)
		n = MEM_ELEMENTS_MAX;
	if (n > SIZE_MAX / 2 / size)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu elements of %zu bytes", n, size);
	rc = mem_charge(b, (n - *cap) * size, err);
	if (rc != IMP_OK)
		return rc;
	grown = realloc(*p, n * size);
	if (grown == NULL) {
		mem_release(b, (n - *cap) * size);
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu bytes", n * size);
	}
	*p = grown;
	*cap = n;
	return IMP_OK;
}
