/* rules/cause_fit.c - which failing messages a cause fits, and the seconds that they lie in. */
#include "config.h"

#include <stdlib.h>

#include "base/cmp.h"
#include "base/search.h"
#include "base/time.h"
#include "rules/cause_weigh.h"
#include "rules/rule_sql.h"

#define SECONDS_MAX ((size_t)1 << 18) /* three days: of what fails longer, the first ones */

struct failing_message *
weighing_find(const struct weighing *x, int64_t message_no)
{
	size_t i;

	LOWER_BOUND(i, 0, x->nfailing, x->failing[i].no < message_no);
	return i < x->nfailing && x->failing[i].no == message_no ? &x->failing[i] : NULL;
}

static size_t
find_repaired(const struct weighing *x, int64_t message_no)
{
	size_t i;

	LOWER_BOUND(i, 0, x->nrepaired, x->repaired[i].no < message_no);
	return i < x->nrepaired && x->repaired[i].no == message_no ? i : SIZE_MAX;
}

bool
weighed_fits(const struct weighing *x, const struct weighed *w, int64_t message_no)
{
	const struct failing_message *m = weighing_find(x, message_no);
	size_t r = find_repaired(x, message_no);

	return (m != NULL && w->fit[m - x->failing] > 0) || (r != SIZE_MAX && w->fit_repaired[r] > 0);
}

struct fitting {
	struct weighing *x;
	struct weighed *w;
	int no, closeness; /* columns */
};

static enum imp_rc
take_fit(void *payload, sqlite3_stmt *st, struct imp_err *err)
{
	struct fitting *f = payload;
	const struct failing_message *m;
	int64_t closeness, no;
	size_t repaired;

	(void)err;
	if (f->no < 0)
		for (int i = 0; i < sqlite3_column_count(st); i++)
			*(sqlite3_column_name(st, i)[0] == 'm' ? &f->no : &f->closeness) = i;
	no = sqlite3_column_int64(st, f->no);
	if (sqlite3_column_type(st, f->closeness) == SQLITE_NULL) {
		repaired = find_repaired(f->x, no);
		if (repaired != SIZE_MAX)
			f->w->fit_repaired[repaired] = 1;
		return IMP_OK;
	}
	m = weighing_find(f->x, no);
	if (m == NULL)
		return IMP_OK;
	closeness = sqlite3_column_int64(st, f->closeness);
	closeness = closeness < 0 ? 0 : closeness > CLOSENESS_MAX ? CLOSENESS_MAX : closeness;
	if (f->w->fit[m - f->x->failing] <= closeness)
		f->w->fit[m - f->x->failing] = (unsigned char)(closeness + 1);
	return IMP_OK;
}

struct span { /* of seconds, both included */
	int64_t from, to;
};

static int
span_cmp(const void *va, const void *vb)
{
	const struct span *a = va, *b = vb;

	CMP(a->from, b->from);
	CMP(a->to, b->to);
	return 0;
}

/* Sort and unite spans; *ret_seconds: how many seconds they hold. */
static size_t
unite(struct span *v, size_t n, size_t *ret_seconds)
{
	size_t united = 0;

	qsort(v, n, sizeof(*v), span_cmp);
	*ret_seconds = 0;
	for (size_t i = 0; i < n; i++) {
		if (united > 0 && v[i].from <= v[united - 1].to + 1) {
			if (v[i].to > v[united - 1].to)
				v[united - 1].to = v[i].to;
		} else {
			v[united++] = v[i];
		}
	}
	for (size_t i = 0; i < united && *ret_seconds < SECONDS_MAX; i++)
		*ret_seconds += (size_t)(v[i].to - v[i].from + 1);
	if (*ret_seconds > SECONDS_MAX)
		*ret_seconds = SECONDS_MAX;
	return united;
}

static enum imp_rc
find_seconds(const struct weighing *x, struct weighed *w, struct imp_err *err)
{
	struct arena *a = x->ev.from.arena;
	struct span *spans = arena_alloc(a, (size_t)(w->nfit + w->nrepaired + 1) * sizeof(*spans), err);
	size_t n = 0, nseconds;
	int64_t *seconds;

	if (spans == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; i < x->nfailing; i++)
		if (w->fit[i])
			spans[n++] = (struct span){ time_second(x->failing[i].from_t), time_second(x->failing[i].to_t) + 1 };
	for (size_t i = 0; i < x->nrepaired; i++)
		if (w->fit_repaired[i])
			spans[n++] = (struct span){ time_second(x->repaired[i].from_t), time_second(x->repaired[i].to_t) + 1 };
	if (n == 0)
		return IMP_OK;
	n = unite(spans, n, &nseconds);
	seconds = arena_alloc(a, nseconds * sizeof(*seconds), err);
	if (seconds == NULL)
		return IMP_E_NOMEM;
	w->seconds = (struct seconds){ seconds, nseconds };
	for (size_t i = 0; i < n; i++)
		for (int64_t s = spans[i].from; s <= spans[i].to && nseconds > 0; s++, nseconds--)
			*seconds++ = s;
	return IMP_OK;
}

enum imp_rc
cause_fit(struct weighing *x, struct weighed *w, struct imp_err *err)
{
	struct fitting f = { x, w, -1, -1 };
	struct value v = { 0 };
	enum imp_rc rc = IMP_OK;

	w->fit = arena_alloc(x->ev.from.arena, x->nfailing + 1, err);
	w->fit_repaired = arena_alloc(x->ev.from.arena, x->nrepaired + 1, err);
	if (w->fit == NULL || w->fit_repaired == NULL)
		return IMP_E_NOMEM;
	if (w->cause->has_explains && x->nfailing + x->nrepaired > 0)
		rc = rule_sql_run(&w->cause->explains, &x->ev.from, take_fit, &f, &v, err);
	if (rc != IMP_OK)
		return rc;
	if (v.reason != RULE_REASON_NONE) {
		w->fit_reason = v.reason;
		w->fit_why = v.why;
		memset(w->fit, 0, x->nfailing);
		memset(w->fit_repaired, 0, x->nrepaired);
	}
	for (size_t i = 0; i < x->nfailing; i++)
		w->nfit += w->fit[i] > 0;
	for (size_t i = 0; i < x->nrepaired; i++)
		w->nrepaired += w->fit_repaired[i];
	return find_seconds(x, w, err);
}
