#include "config.h"

#include "classify/damage.h"

#include <stdlib.h>

#include "base/search.h"

static enum imp_rc
add_span(struct damage_map *d, uint32_t file, int64_t before, int64_t after, struct imp_err *err)
{
	uint32_t agent = d->run->ledger->files[file].agent;
	/* without a neighbour on one side it may have been at any time on that side */
	struct span s = { before != NO_TIME ? before : INT64_MIN, after != NO_TIME ? after : INT64_MAX };

	if (agent == NONE)
		return IMP_OK;
	if (s.from > s.to)
		s = (struct span){ s.to, s.from };
	return VEC_PUSH(NULL, &d->by_agent[agent], s, err);
}

static int
span_cmp(const void *va, const void *vb)
{
	const struct span *a = va, *b = vb;

	return (a->from > b->from) - (a->from < b->from);
}

/* Spans that touch become one, so that those left lie behind one another. */
static void
merge_spans(struct damage_map *d, uint32_t agent)
{
	struct span *v = d->by_agent[agent].v;
	size_t kept = 0;

	if (d->by_agent[agent].n > 1)
		qsort(v, d->by_agent[agent].n, sizeof(*v), span_cmp);
	for (size_t i = 0; i < d->by_agent[agent].n; i++) {
		if (kept > 0 && v[i].from <= v[kept - 1].to)
			v[kept - 1].to = v[i].to > v[kept - 1].to ? v[i].to : v[kept - 1].to;
		else
			v[kept++] = v[i];
	}
	d->by_agent[agent].n = kept;
}

static enum imp_rc
find_spans(struct damage_map *d, struct imp_err *err)
{
	const struct ledger *l = d->run->ledger;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < l->damages.n && rc == IMP_OK; i++) {
		const struct damage *lost = &l->damages.v[i];

		if (!lost->repaired)
			rc = add_span(d, place_file(lost->place), lost->before, lost->after, err);
	}
	for (uint32_t f = 0; f < l->inputs->v.n && rc == IMP_OK; f++) {
		if (l->files[f].cut)
			rc = add_span(d, f, NO_TIME, NO_TIME, err);
		if (rc == IMP_OK && l->files[f].rejected_rest)
			rc = add_span(d, f, l->files[f].rejected_from, l->files[f].rejected_to, err);
	}
	for (uint32_t a = 0; a < l->agents.n; a++)
		merge_spans(d, a);
	return rc;
}

bool
damage_within(const struct damage_map *d, uint32_t agent, int64_t from, int64_t to)
{
	const struct span *v = d->by_agent[agent].v;
	size_t i;

	/* the last span that begins at or before `to` */
	LOWER_BOUND(i, 0, d->by_agent[agent].n, v[i].from <= to);
	return i > 0 && v[i - 1].to >= from;
}

enum imp_rc
damage_init(struct damage_map *d, struct run *r, struct imp_err *err)
{
	*d = (struct damage_map){ .run = r, .by_agent = run_alloc(r, r->ledger->agents.n, sizeof(*d->by_agent), err) };
	return d->by_agent != NULL ? find_spans(d, err) : err->code;
}

void
damage_done(struct damage_map *d)
{
	for (size_t i = 0; d->by_agent != NULL && i < d->run->ledger->agents.n; i++)
		VEC_FREE(NULL, &d->by_agent[i]);
}
