#include "config.h"

#include "base/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

uint64_t
hash_bytes(struct slice s)
{
	return XXH3_64bits(s.p, s.n);
}

void
intern_init(struct intern *t, struct mem_budget *budget)
{
	*t = (struct intern){ .budget = budget, .arena = { .budget = budget } };
}

void
intern_done(struct intern *t)
{
	arena_done(&t->arena);
	VEC_FREE(t->budget, &t->names);
	mem_release(t->budget, t->nslots * 2 * sizeof(*t->slot));
	free(t->slot);
	free(t->tag);
	intern_init(t, t->budget);
}

/* The slot of `s`, or the free one where it belongs. */
static size_t
intern_slot(const struct intern *t, struct slice s, uint64_t hash)
{
	size_t i = hash & (t->nslots - 1);
	uint32_t tag = (uint32_t)(hash >> 32);

	while (t->slot[i] != INTERN_NONE && (t->tag[i] != tag || !slice_eq(t->names.v[t->slot[i]], s)))
		i = (i + 1) & (t->nslots - 1);
	return i;
}

static enum imp_rc
intern_rehash(struct intern *t, struct imp_err *err)
{
	struct intern bigger = *t;
	enum imp_rc rc;

	bigger.nslots = t->nslots > 0 ? t->nslots * 2 : 256;
	rc = mem_charge(t->budget, (bigger.nslots - t->nslots) * 2 * sizeof(*t->slot), err);
	if (rc != IMP_OK)
		return rc;
	bigger.slot = malloc(bigger.nslots * sizeof(*t->slot));
	bigger.tag = malloc(bigger.nslots * sizeof(*t->tag));
	if (bigger.slot == NULL || bigger.tag == NULL) {
		free(bigger.slot);
		free(bigger.tag);
		mem_release(t->budget, (bigger.nslots - t->nslots) * 2 * sizeof(*t->slot));
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: table of %zu names", bigger.nslots);
	}
	memset(bigger.slot, 0xff, bigger.nslots * sizeof(*t->slot));
	for (size_t n = 0; n < t->names.n; n++) {
		uint64_t hash = hash_bytes(t->names.v[n]);
		size_t i = intern_slot(&bigger, t->names.v[n], hash);

		bigger.slot[i] = (uint32_t)n;
		bigger.tag[i] = (uint32_t)(hash >> 32);
	}
	free(t->slot);
	free(t->tag);
	*t = bigger;
	return IMP_OK;
}

enum imp_rc
intern_add(struct intern *t, struct slice s, uint32_t *ret, struct imp_err *err)
{
	uint64_t hash = hash_bytes(s);
	struct slice copy;
	enum imp_rc rc;
	size_t i;

	if ((t->names.n + 1) * 2 > t->nslots) {
		rc = intern_rehash(t, err);
		if (rc != IMP_OK)
			return rc;
	}
	i = intern_slot(t, s, hash);
	if (t->slot[i] != INTERN_NONE) {
		*ret = t->slot[i];
		return IMP_OK;
	}
	rc = VEC_RESERVE(t->budget, &t->names, 1, err);
	if (rc != IMP_OK)
		return rc;
	copy = arena_slice(&t->arena, s, err);
	if (copy.p == NULL)
		return err != NULL ? err->code : IMP_E_NOMEM;
	t->slot[i] = (uint32_t)t->names.n;
	t->tag[i] = (uint32_t)(hash >> 32);
	*ret = (uint32_t)t->names.n;
	t->names.v[t->names.n++] = copy;
	return IMP_OK;
}

uint32_t
intern_find(const struct intern *t, struct slice s)
{
	return t->nslots > 0 ? t->slot[intern_slot(t, s, hash_bytes(s))] : INTERN_NONE;
}
