#include "config.h"

#include "rules/concentration.h"

#include <stdlib.h>

#include "base/cmp.h"
#include "base/time.h"
#include "rules/concentration_search.h"
#include "store/names.h"

static const char *const failure_names[_FAILURE_MAX] = {
	[FAILURE_MISSING] = "missing",
	[FAILURE_REJECTED] = "rejected",
	[FAILURE_UNKNOWN] = "unknown",
	[FAILURE_UNANSWERED] = "unanswered",
	[FAILURE_UNSENT] = "unsent",
	[FAILURE_LATE_ACK] = "late_ack",
	[FAILURE_ABSENT] = "absent",
};

static const char *const dimension_names[_DIMENSION_MAX] = {
	[BY_SENDER_POD] = "sender_pod",
	[BY_RECEIVER_POD] = "receiver_pod",
	[BY_PODS] = "pods",
	[BY_TOPIC] = "topic",
	[BY_SENDER] = "sender",
	[BY_RECEIVER] = "receiver",
	[BY_RECEIVER_TOPIC] = "receiver,topic",
	[BY_SENDER_TOPIC] = "sender,topic",
	[BY_AGENT] = "agent",
	[BY_CODE] = "code",
	[BY_SECOND] = "second",
	[BY_PLACE] = "place",
};

/* ------------------------------------------------------------------ sets */

static bool
is_asked(const struct search *s, enum dimension d)
{
	if (d == BY_SECOND)
		return false; /* a span, not a set */
	if (d == BY_CODE)
		return s->failure == FAILURE_REJECTED || s->failure == FAILURE_UNKNOWN;
	return s->failure == FAILURE_MISSING || !search_is_of_receivers(s, d);
}

/* Is the share of the failures at least twice the share of the total? */
static bool
stands_out(const struct search *s, uint64_t fails, uint64_t total)
{
	return (unsigned __int128)fails * s->total >= (unsigned __int128)2 * total * s->fails;
}

/* All failures are in it, and so many could have been elsewhere that ten or more were to be expected there. */
static bool
is_exclusive(const struct search *s, uint64_t fails, uint64_t total)
{
	return fails == s->fails && total < s->total && 4 * (s->total - total) >= s->total &&
	    (unsigned __int128)(s->total - total) * s->fails >= (unsigned __int128)10 * s->total;
}

static struct concentration
begin_set(const struct search *s, const char *by)
{
	static const struct slice kinds[] = { { "", 0 }, { "p2p", 3 }, { "group", 5 } };

	return (struct concentration){ .of = slice_of(failure_names[s->failure]),
		.kind = kinds[s->scope],
		.by = slice_of(by),
		.total = s->fails,
		.from_t = CAUSE_NO_T,
		.to_t = CAUSE_NO_T };
}

static enum imp_rc
add_set(struct search *s, const struct concentration *r, struct imp_err *err)
{
	struct arena *a = s->p->x->ev.from.arena;
	struct causes *c = s->c;

	if (c->concentration == NULL)
		c->concentration = arena_alloc(a, _FAILURE_MAX * 3 * _DIMENSION_MAX * sizeof(*c->concentration), err);
	if (c->concentration == NULL)
		return IMP_E_NOMEM;
	c->concentration[c->nconcentration++] = *r;
	s->found++;
	return IMP_OK;
}

/* The smallest set that holds nearly all, and then those that have at least half as much as its last one; an exclusive one holds all
 * and ends there. */
static enum imp_rc
try_dimension(struct search *s, enum dimension d, bool exclusive, struct imp_err *err)
{
	const struct candidate *c = &s->candidates[d];
	struct concentration r = begin_set(s, dimension_names[d]);
	uint64_t total = 0, last = 0;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < c->n; i++) {
		bool most = exclusive ? r.holds == s->fails : search_is_most(s, r.holds);

		if (most &&
		    (exclusive || 2 * c->top[i].fails < last || !stands_out(s, r.holds + c->top[i].fails, total + c->top[i].total)))
			break;
		if (!most)
			last = c->top[i].fails;
		r.holds += c->top[i].fails;
		total += c->top[i].total;
		r.values++;
	}
	if (r.values == 0 || !(exclusive ? is_exclusive(s, r.holds, total) : stands_out(s, r.holds, total)))
		return IMP_OK;
	r.exclusive = exclusive;
	r.share_of_total = (double)total / (double)s->total;
	s->named[d] = true;
	rc = search_count_values(s, d, &r.of_values, err);
	if (rc == IMP_OK)
		rc = search_name_values(s, d, &r, err);
	if (rc == IMP_OK)
		rc = search_name_owners(s, d, &r, err);
	return rc == IMP_OK ? add_set(s, &r, err) : rc;
}

/* ------------------------------------------------------------------ the span of time */

struct moment {
	int64_t t;
	uint64_t fails;
};

static int
by_time(const void *va, const void *vb)
{
	const struct moment *a = va, *b = vb;

	CMP(a->t, b->t);
	return 0;
}

static uint64_t
total_between(const struct search *s, int64_t from, int64_t to)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->p->messages.n; i++)
		if (s->p->messages.v[i].t >= from && s->p->messages.v[i].t <= to)
			n += search_could_fail(s, &s->p->messages.v[i]);
	return n;
}

struct burst { /* moments from `first` to `last` */
	size_t first, last;
	uint64_t fails, total;
};

/* The shortest span that holds nearly all, in moments of ascending time; false when there is none. */
static bool
shortest_span(const struct search *s, const struct moment *v, size_t n, struct burst *ret)
{
	uint64_t held = 0;
	size_t first = 0;
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		held += v[i].fails;
		while (search_is_most(s, held - v[first].fails))
			held -= v[first++].fails;
		if (search_is_most(s, held) && (!found || v[i].t - v[first].t < v[ret->last].t - v[ret->first].t)) {
			*ret = (struct burst){ .first = first, .last = i, .fails = held };
			found = true;
		}
	}
	return found;
}

/* Failures that follow within a second, on either side, belong to it. */
static struct burst
with_neighbours(const struct moment *v, size_t n, struct burst span)
{
	while (span.first > 0 && v[span.first].t - v[span.first - 1].t <= NS_PER_S)
		span.fails += v[--span.first].fails;
	while (span.last + 1 < n && v[span.last + 1].t - v[span.last].t <= NS_PER_S)
		span.fails += v[++span.last].fails;
	return span;
}

/* How many seconds the messages that could have failed took. */
static uint64_t
seconds_in_all(const struct search *s)
{
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (size_t i = 0; i < s->p->messages.n; i++) {
		const struct placed_message *m = &s->p->messages.v[i];

		if (search_could_fail(s, m) == 0)
			continue;
		from = m->t < from ? m->t : from;
		to = m->t > to ? m->t : to;
	}
	return from <= to ? (uint64_t)((to - from) / NS_PER_S + 1) : 0;
}

static enum imp_rc
name_span(struct search *s, const struct moment *v, size_t n, struct imp_err *err)
{
	struct concentration r = begin_set(s, dimension_names[BY_SECOND]);
	struct burst span = { .first = 0 }, wider;
	enum imp_rc rc;

	if (!shortest_span(s, v, n, &span))
		return IMP_OK;
	span.total = total_between(s, v[span.first].t, v[span.last].t);
	if (!stands_out(s, span.fails, span.total))
		return IMP_OK;
	wider = with_neighbours(v, n, span);
	wider.total = total_between(s, v[wider.first].t, v[wider.last].t);
	if (stands_out(s, wider.fails, wider.total))
		span = wider;
	r.from_t = v[span.first].t;
	r.to_t = v[span.last].t;
	r.holds = span.fails;
	r.values = (uint64_t)((r.to_t - r.from_t) / NS_PER_S + 1);
	r.of_values = seconds_in_all(s);
	r.share_of_total = (double)span.total / (double)s->total;
	s->named[BY_SECOND] = true;
	rc = search_name_owners(s, BY_SECOND, &r, err);
	return rc == IMP_OK ? add_set(s, &r, err) : rc;
}

static enum imp_rc
try_span(struct search *s, struct imp_err *err)
{
	struct moment *v = calloc(s->p->messages.n + 1, sizeof(*v));
	size_t n = 0;
	enum imp_rc rc;

	if (v == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: times of failures");
	for (size_t i = 0; i < s->p->messages.n; i++)
		if (search_fails(s, &s->p->messages.v[i]) > 0)
			v[n++] = (struct moment){ s->p->messages.v[i].t, search_fails(s, &s->p->messages.v[i]) };
	qsort(v, n, sizeof(*v), by_time);
	rc = name_span(s, v, n, err);
	free(v);
	return rc;
}

/* ------------------------------------------------------------------ all of it */

/* Is the dimension named, here or, of those without an answer, for all unknown messages? */
static bool
is_named(const struct search *s, enum dimension d)
{
	for (size_t i = 0; i < s->c->nconcentration && s->failure == FAILURE_UNANSWERED; i++)
		if (slice_eq(s->c->concentration[i].of, slice_of(failure_names[FAILURE_UNKNOWN])) &&
		    slice_eq(s->c->concentration[i].by, slice_of(dimension_names[d])))
			return true;
	return s->named[d];
}

/* A pair says nothing more where one of its parts is named, nor does a place in the order where the time is. */
static bool
is_told(const struct search *s, enum dimension d)
{
	switch (d) {
	case BY_PODS:
		return is_named(s, d) || is_named(s, BY_SENDER_POD) || is_named(s, BY_RECEIVER_POD);
	case BY_RECEIVER_TOPIC:
		return is_named(s, d) || is_named(s, BY_RECEIVER) || is_named(s, BY_TOPIC);
	case BY_SENDER_TOPIC:
		return is_named(s, d) || is_named(s, BY_SENDER) || is_named(s, BY_TOPIC);
	case BY_PLACE:
		return is_named(s, d) || is_named(s, BY_SECOND);
	default:
		return is_named(s, d);
	}
}

/* Name what stands out. Where no pod does, those that all failures have to do with still say something. */
static enum imp_rc
name_sets(struct search *s, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (enum dimension d = 0; d <= BY_PODS && rc == IMP_OK; d++)
		if (!is_told(s, d))
			rc = try_dimension(s, d, false, err);
	for (enum dimension d = 0; d <= BY_PODS && rc == IMP_OK; d++)
		if (!is_told(s, BY_PODS))
			rc = try_dimension(s, d, true, err);
	for (enum dimension d = BY_PODS + 1; d < _DIMENSION_MAX && rc == IMP_OK; d++)
		if (!is_told(s, d))
			rc = d == BY_SECOND ? try_span(s, err) : try_dimension(s, d, false, err);
	return rc;
}

static enum imp_rc
search_scope(struct search *s, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < s->p->messages.n; i++) {
		s->fails += search_fails(s, &s->p->messages.v[i]);
		s->total += search_could_fail(s, &s->p->messages.v[i]);
	}
	if (s->fails == 0)
		return IMP_OK;
	for (enum dimension d = 0; d < _DIMENSION_MAX && rc == IMP_OK; d++)
		if (is_asked(s, d))
			rc = search_candidate(s, d, err);
	if (rc == IMP_OK)
		rc = search_totals(s, err);
	return rc == IMP_OK ? name_sets(s, err) : rc;
}

static bool
has_failures(const struct places *p, enum failure f, enum place_scope scope)
{
	for (size_t i = 0; i < p->messages.n; i++)
		if (p->messages.v[i].failures >> f & 1 && places_in_scope(&p->messages.v[i], scope))
			return true;
	return false;
}

/* Are there unknown messages with an answer beside those without any? */
static bool
has_others(const struct places *p)
{
	for (size_t i = 0; i < p->messages.n; i++)
		if ((p->messages.v[i].failures & (1u << FAILURE_UNKNOWN | 1u << FAILURE_UNANSWERED)) == 1u << FAILURE_UNKNOWN)
			return true;
	return false;
}

static enum imp_rc
search_in(struct places *p, struct causes *c, enum failure f, enum place_scope scope, bool spread_too, size_t *ret_found,
    struct imp_err *err)
{
	struct search *s = calloc(1, sizeof(*s));
	enum imp_rc rc;

	if (s == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: where failures concentrate");
	s->p = p;
	s->c = c;
	s->failure = f;
	s->scope = scope;
	rc = search_scope(s, err);
	if (rc == IMP_OK && s->found == 0 && spread_too) {
		struct concentration r = begin_set(s, "");

		r.spread = true;
		rc = add_set(s, &r, err);
	}
	if (rc == IMP_OK)
		*ret_found = s->found;
	free(s);
	return rc;
}

/* All messages first; where that names nothing and the run has both kinds, each kind alone. */
static enum imp_rc
search_failure(struct places *p, struct causes *c, enum failure f, struct imp_err *err)
{
	bool both = has_failures(p, f, SCOPE_ONLY_P2P) && has_failures(p, f, SCOPE_ONLY_GROUP);
	size_t found;
	enum imp_rc rc = search_in(p, c, f, SCOPE_ALL, !both && f != FAILURE_UNANSWERED, &found, err);

	if (rc != IMP_OK || found > 0 || !both || f == FAILURE_UNANSWERED)
		return rc;
	rc = search_in(p, c, f, SCOPE_ONLY_P2P, true, &found, err);
	return rc == IMP_OK ? search_in(p, c, f, SCOPE_ONLY_GROUP, true, &found, err) : rc;
}

enum imp_rc
concentration_find(struct weighing *x, struct causes *c, struct imp_err *err)
{
	struct places p;
	uint64_t state;
	int names;
	enum imp_rc rc;

	if (x->nfailing == 0)
		return IMP_OK;
	names = run_names_refresh(x->ev.from.store, &state);
	if (names != SQLITE_OK)
		return store_error(x->ev.from.store, names, err);
	rc = places_load(&p, x, err);
	for (enum failure f = 0; f < _FAILURE_MAX && rc == IMP_OK; f++) {
		/* of the unknown ones, those without an answer apart, where there are others */
		if (f == FAILURE_UNANSWERED && !has_others(&p))
			continue;
		if (has_failures(&p, f, SCOPE_ALL))
			rc = search_failure(&p, c, f, err);
	}
	places_done(&p);
	return rc;
}
