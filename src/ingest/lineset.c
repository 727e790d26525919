#include "config.h"

#include "ingest/lineset.h"

#include <stdbool.h>
#include <stdlib.h>
#include <xxhash.h>

void
lineset_done(struct lineset *s)
{
	mem_release(s->budget, s->nslots * sizeof(*s->slot));
	free(s->slot);
	*s = (struct lineset){ .budget = s->budget };
}

static bool
is_free(const struct lineset_line *line)
{
	return line->low == 0 && line->high == 0;
}

static struct lineset_line *
lineset_find(const struct lineset *s, uint64_t low, uint64_t high)
{
	size_t i = low & (s->nslots - 1);

	while (!is_free(&s->slot[i]) && (s->slot[i].low != low || s->slot[i].high != high))
		i = (i + 1) & (s->nslots - 1);
	return &s->slot[i];
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
		if (!is_free(&s->slot[i]))
			*lineset_find(&bigger, s->slot[i].low, s->slot[i].high) = s->slot[i];
	}
	lineset_done(s);
	*s = bigger;
	return IMP_OK;
}

enum imp_rc
lineset_add(struct lineset *s, struct slice text, uint64_t place, uint64_t *ret_was, struct imp_err *err)
{
	XXH128_hash_t h = XXH3_128bits(text.p, text.n);
	struct lineset_line *line;

	if ((s->used + 1) * 4 > s->nslots * 3) {
		enum imp_rc rc = lineset_rehash(s, err);

		if (rc != IMP_OK)
			return rc;
	}
	h.high64 |= 1; /* never {0, 0} */
	line = lineset_find(s, h.low64, h.high64);
	*ret_was = LINESET_NEW;
	if (is_free(line)) {
		*line = (struct lineset_line){ h.low64, h.high64, place };
		s->used++;
		return IMP_OK;
	}
	*ret_was = line->place;
	if (place < line->place)
		line->place = place;
	return IMP_OK;
}
