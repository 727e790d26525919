/* classify/scenarios.c - which scenario a message belongs to, the windows of time, the phase marks. */
#include "config.h"

#include <stdlib.h>

#include "classify/run.h"

enum kind
run_message_kind(const struct run *r, const struct message *m)
{
	enum kind kind = run_topic(r, m)->kind;

	return kind != KIND_UNKNOWN ? kind : r->scenarios.v[m->scenario].plan.kind;
}

static enum imp_rc
add_scenario(struct run *r, struct plan_scenario plan, bool fits_none, struct imp_err *err)
{
	struct scenario sc = {
		.plan = plan,
		.fits_none = fits_none,
		.first_pub = NO_TIME,
		.last_pub = NO_TIME,
		.window_end = NO_TIME,
	};

	return VEC_PUSH(NULL, &r->scenarios, sc, err);
}

/* The scenarios of the plan; without a plan, one for each kind of topic. */
static enum imp_rc
make_scenarios(struct run *r, struct imp_err *err)
{
	const struct plan *plan = r->ledger->plan;
	bool used[_KIND_MAX] = { false };
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < plan->scenarios.n && rc == IMP_OK; i++)
		rc = add_scenario(r, plan->scenarios.v[i], false, err);
	if (plan->scenarios.n > 0)
		return rc;
	for (uint32_t i = 0; i < r->ledger->topics.n; i++)
		used[r->ledger->topics.v[i].kind] = true;
	for (enum kind k = KIND_P2P; k <= KIND_GROUP && rc == IMP_OK; k++) {
		struct plan_scenario sc = {
			.id = slice_of(kind_name(k)),
			.kind = k,
			.planned = PLAN_UNKNOWN,
			.drain_ns = plan_default_drain_ns(k),
		};

		if (used[k])
			rc = add_scenario(r, sc, false, err);
	}
	return rc;
}

/* The scenario that a message names, or that it must belong to; NONE when it fits none. */
static uint32_t
find_scenario(const struct run *r, const struct message *m, size_t listed)
{
	const struct ledger *l = r->ledger;
	uint32_t sc = l->attempts.v[m->attempt0].sc, found = NONE;
	enum kind kind = run_topic(r, m)->kind;

	if (sc != NONE && l->plan->scenarios.n > 0) {
		for (uint32_t i = 0; i < listed; i++) {
			if (slice_eq(r->scenarios.v[i].plan.id, ledger_text_slice(l, sc)))
				return i;
		}
		return NONE;
	}
	if (listed == 1)
		return 0;
	for (uint32_t i = 0; i < listed; i++) {
		if (kind == KIND_UNKNOWN || r->scenarios.v[i].plan.kind != kind)
			continue;
		if (found != NONE)
			return NONE;
		found = i;
	}
	return found;
}

/* Messages that fit no scenario are put together by kind, with that kind's default drain. */
static enum imp_rc
none_scenario(struct run *r, enum kind kind, uint32_t *ret, struct imp_err *err)
{
	struct plan_scenario sc = {
		.id = SLICE(""),
		.kind = kind,
		.planned = PLAN_UNKNOWN,
		.drain_ns = plan_default_drain_ns(kind == KIND_UNKNOWN ? KIND_GROUP : kind),
	};
	enum imp_rc rc;

	for (uint32_t i = 0; i < r->scenarios.n; i++) {
		if (r->scenarios.v[i].fits_none && r->scenarios.v[i].plan.kind == kind) {
			*ret = i;
			return IMP_OK;
		}
	}
	rc = add_scenario(r, sc, true, err);
	if (rc == IMP_OK)
		*ret = (uint32_t)r->scenarios.n - 1;
	return rc;
}

static bool
in_warmup(const struct plan *plan, int64_t t)
{
	return plan->warmup_start != PLAN_UNKNOWN && plan->warmup_end != PLAN_UNKNOWN && t >= plan->warmup_start &&
	    t <= plan->warmup_end;
}

static enum imp_rc
assign_scenarios(struct run *r, struct imp_err *err)
{
	size_t listed = r->scenarios.n;
	enum imp_rc rc = IMP_OK;

	for (uint32_t i = 0; i < r->nmessages && rc == IMP_OK; i++) {
		struct message *m = &r->messages[i];

		m->scenario = find_scenario(r, m, listed);
		if (m->scenario == NONE)
			rc = none_scenario(r, run_topic(r, m)->kind, &m->scenario, err);
		if (rc != IMP_OK)
			break;
		m->excluded = r->scenarios.v[m->scenario].plan.warmup || in_warmup(r->ledger->plan, m->first_t);
		if (m->excluded)
			r->scenarios.v[m->scenario].excluded++;
		else {
			r->scenarios.v[m->scenario].messages++;
			r->no_scenario += r->scenarios.v[m->scenario].fits_none;
		}
	}
	return rc;
}

static void
extend(int64_t *first, int64_t *last, int64_t t)
{
	if (*first == NO_TIME || t < *first)
		*first = t;
	if (*last == NO_TIME || t > *last)
		*last = t;
}

/* Windows use every `pub` of the scenario, retries included, those of the warm-up excluded. */
static void
find_windows(struct run *r, int64_t *ret_first, int64_t *ret_last)
{
	*ret_first = *ret_last = NO_TIME;
	for (uint32_t i = 0; i < r->nmessages; i++) {
		const struct message *m = &r->messages[i];
		struct scenario *sc = &r->scenarios.v[m->scenario];

		for (uint32_t k = 0; k < m->nattempts; k++) {
			const struct attempt *a = &r->ledger->attempts.v[m->attempt0 + k];

			if (a->kind != ATTEMPT_PUB || (m->excluded && !sc->plan.warmup))
				continue;
			extend(&sc->first_pub, &sc->last_pub, a->t);
			if (!m->excluded)
				extend(ret_first, ret_last, a->t);
		}
	}
	r->last_window_end = NO_TIME;
	for (size_t i = 0; i < r->scenarios.n; i++) {
		struct scenario *sc = &r->scenarios.v[i];

		if (sc->last_pub == NO_TIME)
			continue;
		sc->window_end = sc->last_pub + sc->plan.drain_ns;
		if (!sc->plan.warmup && sc->window_end > r->last_window_end)
			r->last_window_end = sc->window_end;
	}
}

/* timeline.json, else `mark` lines (the earliest of a start, the latest of an end), else the ledger. */
static void
find_marks(struct run *r, int64_t first_pub, int64_t last_pub)
{
	const struct ledger *l = r->ledger;
	int64_t derived[_PLAN_MARK_MAX];

	for (int m = 0; m < _PLAN_MARK_MAX; m++) {
		derived[m] = NO_TIME;
		r->mark[m] = l->plan->mark[m] != PLAN_UNKNOWN ? l->plan->mark[m] : NO_TIME;
		r->mark_source[m] = MARK_FROM_TIMELINE;
	}
	for (size_t i = 0; i < l->notes.n; i++) {
		const struct note *n = &l->notes.v[i];
		enum plan_mark m;

		if (n->kind != NOTE_MARK || !plan_mark_parse(ledger_text_slice(l, n->text), &m))
			continue;
		if (derived[m] == NO_TIME ||
		    (slice_has_suffix(slice_of(plan_mark_name(m)), SLICE("_start")) ? n->t < derived[m] : n->t > derived[m]))
			derived[m] = n->t;
	}
	for (int m = 0; m < _PLAN_MARK_MAX; m++) {
		if (r->mark[m] != NO_TIME)
			continue;
		r->mark[m] = derived[m];
		r->mark_source[m] = MARK_FROM_LEDGER;
		if (r->mark[m] == NO_TIME && (m == MARK_load_start || m == MARK_load_end)) {
			r->mark[m] = m == MARK_load_start ? first_pub : last_pub;
			r->mark_source[m] = MARK_DERIVED;
		}
	}
}

static enum imp_rc
find_ready(struct run *r, struct imp_err *err)
{
	size_t n = r->ledger->accounts.n;

	for (size_t i = 0; i < r->scenarios.n; i++) {
		struct scenario *sc = &r->scenarios.v[i];

		sc->ready = run_alloc(r, n, sizeof(bool), err);
		if (sc->ready == NULL)
			return err->code;
		for (uint32_t a = 0; a < n && sc->first_pub != NO_TIME; a++)
			sc->ready[a] = watch_ready(r, a, sc->first_pub);
	}
	return IMP_OK;
}

enum imp_rc
scenarios_init(struct run *r, struct imp_err *err)
{
	int64_t first_pub, last_pub;
	enum imp_rc rc = make_scenarios(r, err);

	if (rc == IMP_OK)
		rc = assign_scenarios(r, err);
	if (rc != IMP_OK)
		return rc;
	find_windows(r, &first_pub, &last_pub);
	find_marks(r, first_pub, last_pub);
	return find_ready(r, err);
}
