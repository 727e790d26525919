/* classify/watch.c - who was connected when, and which agents were watching. */
#include "config.h"

#include <stdlib.h>

#include "base/cmp.h"
#include "base/search.h"
#include "classify/run.h"

const char *
conn_state_name(enum conn_state s)
{
	static const char *const names[] = {
		[CONN_OPEN] = "open",
		[CONN_READY] = "ready",
		[CONN_CLOSED] = "closed",
		[CONN_REFUSED] = "refused",
	};

	return names[s];
}

static int
conn_cmp(const void *va, const void *vb)
{
	const struct conn *a = va, *b = vb;

	CMP(a->who, b->who);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

/* The first note of an agent at or after `t`; notes are sorted by agent and time. */
static size_t
first_note(const struct ledger *l, uint32_t agent, int64_t t)
{
	const struct note *v = l->notes.v;
	size_t i;

	LOWER_BOUND(i, 0, l->notes.n, v[i].agent < agent || (v[i].agent == agent && v[i].t < t));
	return i;
}

/* The span of time that a `start` opens: to the last `end` before the next one, else to the last line that was seen. */
static enum imp_rc
add_stretch(struct run *r, uint32_t agent, size_t i, struct imp_err *err)
{
	const struct ledger_agent *a = &r->ledger->agents.v[agent];
	const struct seen_stretch *seen = &a->stretches.v[i];
	int64_t next = i + 1 < a->stretches.n ? a->stretches.v[i + 1].start : INT64_MAX;
	struct stretch s = { seen->start, seen->last, false };

	for (size_t k = first_note(r->ledger, agent, seen->start); k < r->ledger->notes.n; k++) {
		const struct note *n = &r->ledger->notes.v[k];

		if (n->agent != agent || n->t >= next)
			break;
		if (n->kind == NOTE_END && (!s.ended || n->t > s.to)) {
			s.to = n->t;
			s.ended = true;
		}
	}
	if (!seen->no_start && !s.ended)
		r->agents[agent].cut_off = true;
	return VEC_PUSH(NULL, &r->agents[agent].stretches, s, err);
}

static enum imp_rc
agents_init(struct run *r, struct imp_err *err)
{
	const struct ledger *l = r->ledger;
	enum imp_rc rc = IMP_OK;

	r->agents = arena_alloc(&r->arena, (l->agents.n + 1) * sizeof(*r->agents), err);
	if (r->agents == NULL)
		return err->code;
	for (uint32_t a = 0; a < l->agents.n && rc == IMP_OK; a++) {
		bool ended = false;

		r->agents[a].records_stated = r->agents[a].clock_worst_ns = NO_TIME;
		for (size_t i = 0; i < l->agents.v[a].stretches.n && rc == IMP_OK; i++) {
			rc = add_stretch(r, a, i, err);
			ended |= rc == IMP_OK && r->agents[a].stretches.v[i].ended;
		}
		if (l->agents.v[a].present && !ended)
			r->agents[a].cut_off = true;
	}
	return rc;
}

/* What the agents say of themselves: the count of their last `end`, the worst measurement of their clock. */
static void
agents_notes(struct run *r)
{
	int64_t last_end = NO_TIME;
	uint32_t last_agent = NONE;

	for (size_t i = 0; i < r->ledger->notes.n; i++) {
		const struct note *n = &r->ledger->notes.v[i];
		struct run_agent *a = n->agent != NONE ? &r->agents[n->agent] : NULL;

		if (a == NULL)
			continue;
		if (n->agent != last_agent) {
			last_agent = n->agent;
			last_end = NO_TIME;
		}
		if (n->kind == NOTE_END && n->t >= last_end) {
			last_end = n->t;
			a->records_stated = n->a;
		}
		if (n->kind == NOTE_CLOCK &&
		    (a->clock_worst_ns == NO_TIME || llabs(n->a) > llabs(a->clock_worst_ns) ||
			(llabs(n->a) == llabs(a->clock_worst_ns) && n->a > a->clock_worst_ns)))
			a->clock_worst_ns = n->a;
	}
}

static int
note_cmp(const void *va, const void *vb)
{
	const struct note *a = va, *b = vb;

	CMP(a->agent, b->agent);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

static bool
leaves(enum conn_state s)
{
	return s == CONN_CLOSED || s == CONN_REFUSED;
}

/* Note in the lines [first, end) of one account, in order, what the account is from each of them on. */
static void
follow_connections(struct conn *v, uint32_t first, uint32_t end)
{
	bool connected = false;
	uint32_t leave = NONE, ready = NONE;

	for (uint32_t i = first; i < end; i++) {
		connected = v[i].state == CONN_READY || (connected && !leaves(v[i].state));
		ready = v[i].state == CONN_READY ? i : ready;
		v[i].connected = connected;
		v[i].ready = ready;
	}
	for (uint32_t i = end; i-- > first;) {
		leave = leaves(v[i].state) ? i : leave;
		v[i].leave = leave;
	}
}

enum imp_rc
watch_init(struct run *r, struct imp_err *err)
{
	struct ledger *l = r->ledger;
	size_t n = l->accounts.n, c = 0;
	enum imp_rc rc;

	r->has_conns = l->conns.n > 0;
	if (l->conns.n > 0)
		qsort(l->conns.v, l->conns.n, sizeof(*l->conns.v), conn_cmp);
	if (l->notes.n > 0)
		qsort(l->notes.v, l->notes.n, sizeof(*l->notes.v), note_cmp);
	r->conn0 = arena_alloc(&r->arena, (n + 1) * sizeof(uint32_t), err);
	r->account_agent = arena_alloc(&r->arena, (n + 1) * sizeof(uint32_t), err);
	r->account_clock = arena_alloc(&r->arena, (n + 1) * sizeof(uint32_t), err);
	if (r->conn0 == NULL || r->account_agent == NULL || r->account_clock == NULL)
		return err->code;
	for (uint32_t a = 0; a < n; a++) {
		r->conn0[a] = (uint32_t)c;
		while (c < l->conns.n && l->conns.v[c].who == a)
			c++;
		follow_connections(l->conns.v, r->conn0[a], (uint32_t)c);
		r->account_agent[a] = l->accounts.v[a].agent != NONE ? l->accounts.v[a].agent : l->accounts.v[a].seen_by;
		r->account_clock[a] = l->accounts.v[a].seen_by != NONE ? l->accounts.v[a].seen_by : l->accounts.v[a].agent;
	}
	r->conn0[n] = (uint32_t)c;
	rc = agents_init(r, err);
	if (rc == IMP_OK)
		agents_notes(r);
	return rc;
}

bool
watch_ready(const struct run *r, uint32_t account, int64_t t)
{
	bool ready = false;

	for (uint32_t i = r->conn0[account]; i < r->conn0[account + 1]; i++) {
		const struct conn *c = &r->ledger->conns.v[i];

		if (c->t > t)
			break;
		if (c->state == CONN_READY)
			ready = true;
		else if (leaves(c->state) && c->t < t)
			ready = false;
	}
	return ready;
}

/* The first connection line of an account at or after `t`, or the one behind its last. */
static uint32_t
first_conn(const struct run *r, uint32_t account, int64_t t)
{
	size_t i;

	LOWER_BOUND(i, r->conn0[account], r->conn0[account + 1], r->ledger->conns.v[i].t < t);
	return (uint32_t)i;
}

bool
watch_disconnected(const struct run *r, uint32_t account, int64_t from, int64_t to)
{
	const struct conn *v = r->ledger->conns.v;
	uint32_t at = first_conn(r, account, from), behind = first_conn(r, account, from + 1);

	if (behind == r->conn0[account] || !v[behind - 1].connected)
		return true;
	return at < r->conn0[account + 1] && v[at].leave != NONE && v[v[at].leave].t <= to;
}

uint32_t
watch_last_ready(const struct run *r, uint32_t account, int64_t t)
{
	uint32_t behind = first_conn(r, account, t + 1);

	return behind > r->conn0[account] ? r->ledger->conns.v[behind - 1].ready : NONE;
}

uint32_t
watch_pod(const struct run *r, uint32_t ready)
{
	const struct conn *c = &r->ledger->conns.v[ready];

	if (c->pod == NONE && ready > r->conn0[c->who] && c[-1].state == CONN_OPEN)
		return c[-1].pod;
	return c->pod;
}

uint64_t
watch_disconnects(const struct run *r, uint32_t account, int64_t from, int64_t to)
{
	bool connected = false;
	uint64_t n = 0;

	for (uint32_t i = r->conn0[account]; i < r->conn0[account + 1]; i++) {
		const struct conn *c = &r->ledger->conns.v[i];

		if (c->state == CONN_READY)
			connected = true;
		else if (leaves(c->state) && connected) {
			connected = false;
			n += c->t >= from && c->t <= to;
		}
	}
	return n;
}

bool
watch_covers(const struct run *r, uint32_t agent, int64_t from, int64_t to)
{
	const struct stretch *v;
	size_t i;

	if (agent == NONE)
		return false;
	v = r->agents[agent].stretches.v;
	/* the last stretch that begins at or before `from` */
	LOWER_BOUND(i, 0, r->agents[agent].stretches.n, v[i].from <= from);
	return i > 0 && v[i - 1].to >= to;
}
