#include "config.h"

#include "ingest/lineset.h"

#include <stdlib.h>
#include <xxhash.h>

void
lineset_done(struct lineset *s)
{
	mem_release(s->budget, s->nslots * sizeof(*s->slot));
	free(s->slot);
	*s = (struct lineset){ .budget = s->budget };
}

static uint64_t *
lineset_find(const struct lineset *s, uint64_t low, uint64_t high)
{
	size_t i = low & (s->nslots - 1);

	while ((s->slot[i][0] != 0 || s->slot[i][1] != 0) && (s->slot[i][0] != low || s->slot[i][1] != high))
		i = (i + 1) & (s->nslots - 1);
	return s->slot[i];
}

static enum imp_rc
lineset_rehash(struct lineset *s, struct imp_err *err)
{
	struct lineset bigger = { .budget = s->budget, .used = s->used, .nslots = s->nslots > 0 ? s->nslots * 2 : 1024 };
	enum imp_rc rc = mem_charge(s->budget, bigger.nslots * sizeof(*s->slot), err);

	if (rc != IMP_OK)
		return rc;
	bigger.slot = calloc(bigger.nslots, sizeof(*s->slot));
	if (bigger.slot == NULL) {
		mem_release(s->budget, bigger.nslots * sizeof(*s->slot));
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu records", bigger.nslots);
	}
	for (size_t i = 0; i < s->nslots; i++) {
		if (s->slot[i][0] != 0 || s->slot[i][1] != 0) {
			uint64_t *to = lineset_find(&bigger, s->slot[i][0], s->slot[i][1]);

			to[0] = s->slot[i][0];
			to[1] = s->slot[i][1];
		}
	}
	lineset_done(s);
	*s = bigger;
	return IMP_OK;
}

enum imp_rc
lineset_add(struct lineset *s, struct slice text, bool *ret_seen, struct imp_err *err)
{
	XXH128_hash_t h = XXH3_128bits(text.p, text.n);
	uint64_t *to;

	if ((s->used + 1) * 4 > s->nslots * 3) {
		enum imp_rc rc = lineset_rehash(s, err);

		if (rc != IMP_OK)
			return rc;
	}
	h.high64 |= 1; /* never {0, 0} */
	to = lineset_find(s, h.low64, h.high64);
	*ret_seen = to[0] != 0 || to[1] != 0;
	if (!*ret_seen) {
		to[0] = h.low64;
		to[1] = h.high64;
		s->used++;
	}
	return IMP_OK;
}
