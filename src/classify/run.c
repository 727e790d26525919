#include "config.h"

#include "classify/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* ------------------------------------------------------------------ names */

const char *
outcome_name(enum outcome o)
{
	static const char *const names[_OUTCOME_MAX] = { "acked", "rejected", "unknown", "unsent" };

	return names[o];
}

const char *
observed_name(enum observed o)
{
	static const char *const names[_OBSERVED_MAX] = { "full", "partial", "none", "na" };

	return names[o];
}

const char *
persisted_name(enum persisted p)
{
	static const char *const names[_PERSISTED_MAX] = {
		"exact",
		"duplicate",
		"mismatch",
		"dead_letter",
		"absent",
		"conflict",
		"unchecked",
	};

	return names[p];
}

const char *
class_name(enum message_class c)
{
	static const char *const names[_CLASS_MAX] = {
#define X(c) #c,
		CLASSES(X)
#undef X
	};

	return names[c];
}

const char *
anomaly_name(enum anomaly a)
{
	static const char *const names[_ANOMALY_MAX] = {
#define X(a) #a,
		ANOMALIES(X)
#undef X
	};

	return names[a];
}

/* ------------------------------------------------------------------ lasting numbers */

struct named {
	struct slice name;
	uint32_t number;
};

static int
named_cmp(const void *a, const void *b)
{
	return slice_cmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void *
run_alloc(struct run *r, size_t n, size_t size, struct imp_err *err)
{
	return arena_alloc(&r->arena, (n + 1) * size, err);
}

/* Number the names of a table in byte order: *ret_no by table number, *ret_at back. */
static enum imp_rc
number_names(struct run *r, const struct intern *t, uint32_t **ret_no, uint32_t **ret_at, struct imp_err *err)
{
	size_t n = t->names.n;
	CLEANUP(freep) struct named *sorted = calloc(n + 1, sizeof(*sorted));

	*ret_no = run_alloc(r, n, sizeof(uint32_t), err);
	*ret_at = run_alloc(r, n, sizeof(uint32_t), err);
	if (sorted == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu names", n);
	if (*ret_no == NULL || *ret_at == NULL)
		return err->code;
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct named){ t->names.v[i], (uint32_t)i };
	qsort(sorted, n, sizeof(*sorted), named_cmp);
	for (size_t i = 0; i < n; i++) {
		(*ret_no)[sorted[i].number] = (uint32_t)i;
		(*ret_at)[i] = sorted[i].number;
	}
	return IMP_OK;
}

/* ------------------------------------------------------------------ messages */

static int
int64_cmp(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
attempt_cmp(const void *va, const void *vb)
{
	const struct attempt *a = va, *b = vb;

	if (a->mid != b->mid)
		return a->mid < b->mid ? -1 : 1;
	if (a->t != b->t)
		return int64_cmp(a->t, b->t);
	return (a->place > b->place) - (a->place < b->place);
}

static int
answer_cmp(const void *va, const void *vb)
{
	const struct answer *a = va, *b = vb;

	if (a->mid != b->mid)
		return a->mid < b->mid ? -1 : 1;
	if (a->t != b->t)
		return int64_cmp(a->t, b->t);
	return (a->place > b->place) - (a->place < b->place);
}

struct request { /* a `pub` by its agent and request id */
	uint32_t agent, id, mid;
	int64_t t;
};

static int
request_cmp(const void *va, const void *vb)
{
	const struct request *a = va, *b = vb;

	if (a->agent != b->agent)
		return a->agent < b->agent ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return int64_cmp(a->t, b->t);
}

static uint32_t
request_find(const struct request *v, size_t n, uint32_t agent, uint32_t id)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].agent < agent || (v[mid].agent == agent && v[mid].id < id))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && v[lo].agent == agent && v[lo].id == id ? v[lo].mid : NONE;
}

/* An answer that names only its request gets the mid of the `pub` with that id. */
static enum imp_rc
name_answers(struct run *r, struct imp_err *err)
{
	struct ledger *l = r->ledger;
	CLEANUP(freep) struct request *requests = NULL;
	size_t n = 0, nameless = 0;

	for (size_t i = 0; i < l->answers.n; i++)
		nameless += l->answers.v[i].mid == NONE;
	if (nameless == 0)
		return IMP_OK;
	requests = calloc(l->attempts.n + 1, sizeof(*requests));
	if (requests == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu requests", l->attempts.n);
	for (size_t i = 0; i < l->attempts.n; i++) {
		const struct attempt *a = &l->attempts.v[i];

		if (a->kind == ATTEMPT_PUB && a->id != NONE)
			requests[n++] = (struct request){ l->files[place_file(a->place)].agent, a->id, a->mid, a->t };
	}
	qsort(requests, n, sizeof(*requests), request_cmp);
	for (size_t i = 0; i < l->answers.n; i++) {
		struct answer *a = &l->answers.v[i];

		if (a->mid == NONE)
			a->mid = request_find(requests, n, l->files[place_file(a->place)].agent, a->id);
	}
	return IMP_OK;
}

static void
message_from_attempts(const struct run *r, struct message *m, uint32_t first, uint32_t n)
{
	const struct ledger *l = r->ledger;
	const struct attempt *a = &l->attempts.v[first], *lead = NULL;

	*m = (struct message){
		.mid = a->mid,
		.attempt0 = first,
		.nattempts = n,
		.first_t = a->t,
		.first_pub = NO_TIME,
		.first_plan = NO_TIME,
		.ack = NONE,
		.ack_seq = NO_TIME,
		.ack_ns = NO_TIME,
		.ack_from_plan_ns = NO_TIME,
		.code = NO_TIME,
		.known_seq = NO_TIME,
	};
	for (uint32_t i = 0; i < n; i++) {
		if (m->first_plan == NO_TIME)
			m->first_plan = a[i].plan;
		if (a[i].kind != ATTEMPT_PUB)
			continue;
		m->npubs++;
		if (lead == NULL)
			lead = &a[i];
	}
	if (lead != NULL)
		m->first_pub = lead->t;
	else
		lead = a;
	m->topic = lead->topic;
	m->sender = lead->from;
	m->agent = l->accounts.v[m->sender].agent;
	if (m->agent == NONE)
		m->agent = l->files[place_file(lead->place)].agent;
	for (uint32_t i = 0; i < n; i++) {
		if (a[i].topic != m->topic || a[i].from != m->sender)
			m->anomalies |= 1u << ANOMALY_mid_collision;
	}
}

struct message_key {
	int64_t first_t;
	struct slice mid;
	uint32_t first, n; /* attempts */
};

static int
message_key_cmp(const void *va, const void *vb)
{
	const struct message_key *a = va, *b = vb;

	return a->first_t != b->first_t ? int64_cmp(a->first_t, b->first_t) : slice_cmp(a->mid, b->mid);
}

/* Put attempts together to messages and number these. */
static enum imp_rc
make_messages(struct run *r, struct imp_err *err)
{
	struct ledger *l = r->ledger;
	CLEANUP(freep) struct message_key *keys = calloc(l->attempts.n + 1, sizeof(*keys));
	uint32_t n = 0;

	if (keys == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu messages", l->attempts.n);
	if (l->attempts.n > 0)
		qsort(l->attempts.v, l->attempts.n, sizeof(*l->attempts.v), attempt_cmp);
	for (uint32_t i = 0; i < l->attempts.n; i++) {
		const struct attempt *a = &l->attempts.v[i];

		if (i == 0 || a->mid != a[-1].mid)
			keys[n++] = (struct message_key){ a->t, l->mids.names.v[a->mid], i, 0 };
		keys[n - 1].n++;
	}
	qsort(keys, n, sizeof(*keys), message_key_cmp);
	r->messages = run_alloc(r, n, sizeof(*r->messages), err);
	r->message_of_mid = run_alloc(r, l->mids.names.n, sizeof(uint32_t), err);
	if (r->messages == NULL || r->message_of_mid == NULL)
		return err->code;
	r->nmessages = n;
	memset(r->message_of_mid, 0xff, (l->mids.names.n + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		message_from_attempts(r, &r->messages[i], keys[i].first, keys[i].n);
		r->message_of_mid[r->messages[i].mid] = i;
	}
	return IMP_OK;
}

static enum imp_rc
give_answers(struct run *r, struct imp_err *err)
{
	struct ledger *l = r->ledger;
	enum imp_rc rc = name_answers(r, err);

	if (rc != IMP_OK)
		return rc;
	if (l->answers.n > 0)
		qsort(l->answers.v, l->answers.n, sizeof(*l->answers.v), answer_cmp);
	for (uint32_t i = 0; i < l->answers.n; i++) {
		uint32_t mid = l->answers.v[i].mid;
		uint32_t m = mid != NONE ? r->message_of_mid[mid] : NONE;

		if (m == NONE) {
			r->foreign[l->answers.v[i].kind == ANSWER_CTRL ? FOREIGN_CTRL : FOREIGN_FAIL]++;
			continue;
		}
		if (r->messages[m].nanswers++ == 0)
			r->messages[m].answer0 = i;
	}
	return IMP_OK;
}

/* ------------------------------------------------------------------ scenarios and windows */

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
	bool used[3] = { false, false, false };
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

/* Total, the scenarios of the plan, the agents. */
static enum imp_rc
make_groups(struct run *r, struct imp_err *err)
{
	CLEANUP(freep) uint64_t *of_agent = calloc(r->ledger->agents.n + 1, sizeof(*of_agent));
	struct group g = { .scope = SCOPE_TOTAL, .same_as_total = true };
	uint64_t total = 0;
	enum imp_rc rc;

	if (of_agent == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: agents");
	for (uint32_t i = 0; i < r->nmessages; i++) {
		total += !r->messages[i].excluded;
		if (!r->messages[i].excluded && r->messages[i].agent != NONE)
			of_agent[r->messages[i].agent]++;
	}
	rc = VEC_PUSH(NULL, &r->groups, g, err);
	for (uint32_t i = 0; i < r->scenarios.n && rc == IMP_OK; i++) {
		g = (struct group){ .scope = SCOPE_SCENARIO, .index = i, .same_as_total = r->scenarios.v[i].messages == total };
		if (!r->scenarios.v[i].fits_none)
			rc = VEC_PUSH(NULL, &r->groups, g, err);
	}
	for (uint32_t i = 0; i < r->ledger->agents.n && rc == IMP_OK; i++) {
		g = (struct group){ .scope = SCOPE_AGENT, .index = i, .same_as_total = of_agent[i] == total };
		rc = VEC_PUSH(NULL, &r->groups, g, err);
	}
	return rc;
}

/* ------------------------------------------------------------------ the run */

struct slice
run_id_of(const struct plan *plan, const struct inputs *in)
{
	const char *base = strrchr(in->dir, '/');

	if (plan->run_id.n > 0)
		return plan->run_id;
	return slice_of(base != NULL && base[1] != '\0' ? base + 1 : in->dir);
}

enum imp_rc
run_init(struct run *r, struct ledger *l, struct imp_err *err)
{
	int64_t first_pub, last_pub;
	enum imp_rc rc;

	*r = (struct run){ .ledger = l, .arena = { .budget = l->budget }, .id = run_id_of(l->plan, l->inputs) };
	rc = number_names(r, &l->accounts_by, &r->account_no, &r->account_at, err);
	if (rc == IMP_OK)
		rc = number_names(r, &l->topics_by, &r->topic_no, &r->topic_at, err);
	if (rc == IMP_OK)
		rc = watch_init(r, err);
	if (rc == IMP_OK)
		rc = make_messages(r, err);
	if (rc == IMP_OK)
		rc = give_answers(r, err);
	if (rc == IMP_OK)
		rc = make_scenarios(r, err);
	if (rc == IMP_OK)
		rc = assign_scenarios(r, err);
	if (rc == IMP_OK) {
		find_windows(r, &first_pub, &last_pub);
		find_marks(r, first_pub, last_pub);
		rc = find_ready(r, err);
	}
	return rc == IMP_OK ? make_groups(r, err) : rc;
}

void
run_done(struct run *r)
{
	for (size_t i = 0; r->agents != NULL && i < r->ledger->agents.n; i++)
		VEC_FREE(NULL, &r->agents[i].stretches);
	VEC_FREE(NULL, &r->scenarios);
	VEC_FREE(NULL, &r->groups);
	VEC_FREE(r->ledger != NULL ? r->ledger->budget : NULL, &r->seq_uses);
	VEC_FREE(r->ledger != NULL ? r->ledger->budget : NULL, &r->readback);
	arena_done(&r->arena);
}
