#include "config.h"

#include "rules/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "sql_gen.h"

/* Run an embedded statement over the run, each row to `take`. */
static enum imp_rc
each_row(struct places *p, const char *sql, enum imp_rc (*take)(struct places *p, sqlite3_stmt *st, struct imp_err *err),
    struct imp_err *err)
{
	struct store *s = p->x->ev.from.store;
	sqlite3_stmt *st;
	bool row = true;
	enum imp_rc rc = store_stmt(s, sql, &st, err);

	if (rc != IMP_OK)
		return rc;
	if (sqlite3_bind_parameter_count(st) > 0)
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), p->x->ev.from.run_no);
	while (rc == IMP_OK && row) {
		rc = store_step_row(s, st, &row, err);
		if (rc == IMP_OK && row)
			rc = take(p, st, err);
	}
	sqlite3_reset(st);
	return rc;
}

static uint32_t
number_or_none(sqlite3_stmt *st, int i)
{
	return sqlite3_column_type(st, i) == SQLITE_NULL ? PLACES_NONE : (uint32_t)sqlite3_column_int64(st, i);
}

static enum imp_rc
take_ready(struct places *p, sqlite3_stmt *st, struct imp_err *err)
{
	struct place_ready r = { .account = (uint32_t)sqlite3_column_int64(st, 0),
		.t = sqlite3_column_int64(st, 1),
		.pod = PLACES_NONE };
	enum imp_rc rc = IMP_OK;

	if (sqlite3_column_type(st, 2) != SQLITE_NULL)
		rc = intern_add(&p->pods, store_column_slice(st, 2), &r.pod, err);
	return rc == IMP_OK ? VEC_PUSH(NULL, &p->ready, r, err) : rc;
}

size_t
places_next_ready(const struct places *p, uint32_t account, int64_t t)
{
	const struct place_ready *v = p->ready.v;
	size_t i;

	LOWER_BOUND(i, 0, p->ready.n, v[i].account < account || (v[i].account == account && v[i].t <= t));
	return i;
}

uint32_t
places_pod(const struct places *p, uint32_t account, int64_t t)
{
	size_t i = places_next_ready(p, account, t);

	return i > 0 && p->ready.v[i - 1].account == account ? p->ready.v[i - 1].pod : PLACES_NONE;
}

static unsigned
failures_of(sqlite3_stmt *st, const struct placed_message *m)
{
	struct slice outcome = store_column_slice(st, 10);
	unsigned f = 0;

	if (m->acked)
		f = m->missing > 0 ? 1u << FAILURE_MISSING : 0;
	else if (slice_eq(outcome, SLICE("rejected")))
		f = 1u << FAILURE_REJECTED;
	else if (slice_eq(outcome, SLICE("unknown")))
		f = 1u << FAILURE_UNKNOWN | (m->code != WEIGH_NO_CODE ? 0 : 1u << FAILURE_UNANSWERED);
	else
		f = 1u << FAILURE_UNSENT;
	if (m->acked && sqlite3_column_int(st, 11))
		f |= 1u << FAILURE_ABSENT;
	if (sqlite3_column_int(st, 12))
		f |= 1u << FAILURE_LATE_ACK;
	return f;
}

static enum imp_rc
take_message(struct places *p, sqlite3_stmt *st, struct imp_err *err)
{
	const struct failing_message *failing = weighing_find(p->x, sqlite3_column_int64(st, 0));
	struct placed_message m = { .t = sqlite3_column_int64(st, 1),
		.code = sqlite3_column_type(st, 2) != SQLITE_NULL ? sqlite3_column_int64(st, 2) : WEIGH_NO_CODE,
		.topic = (uint32_t)sqlite3_column_int64(st, 3),
		.sender = (uint32_t)sqlite3_column_int64(st, 4),
		.agent = number_or_none(st, 5),
		.scenario = number_or_none(st, 6),
		.expected = (uint32_t)sqlite3_column_int64(st, 7),
		.missing = (uint32_t)sqlite3_column_int64(st, 8),
		.failing = failing != NULL ? (uint32_t)(failing - p->x->failing) : PLACES_NONE,
		.p2p = sqlite3_column_int(st, 9) != 0,
		.acked = slice_eq(store_column_slice(st, 10), SLICE("acked")),
		.attempted = sqlite3_column_int(st, 13) != 0 };

	m.failures = failures_of(st, &m);
	m.pod = places_pod(p, m.sender, m.t);
	return VEC_PUSH(NULL, &p->messages, m, err);
}

static enum imp_rc
take_member(struct places *p, sqlite3_stmt *st, struct imp_err *err)
{
	struct place_member m = { (uint32_t)sqlite3_column_int64(st, 0), (uint32_t)sqlite3_column_int64(st, 1),
		(uint32_t)sqlite3_column_int64(st, 2) };

	return VEC_PUSH(NULL, &p->members, m, err);
}

static enum imp_rc
take_expectation(struct places *p, sqlite3_stmt *st, struct imp_err *err)
{
	struct place_expectation e = { .topic = (uint32_t)sqlite3_column_int64(st, 0) };
	int64_t scenario = sqlite3_column_int64(st, 1);

	e.scenario = scenario < 0 ? PLACES_NONE : (uint32_t)scenario;
	e.bits = arena_slice(p->x->ev.from.arena, store_column_slice(st, 2), err);
	return e.bits.p != NULL ? VEC_PUSH(NULL, &p->expectations, e, err) : IMP_E_NOMEM;
}

static const struct place_member *
find_member(const struct places *p, uint32_t topic, uint32_t member)
{
	const struct place_member *v = p->members.v;
	size_t i;

	LOWER_BOUND(i, 0, p->members.n, v[i].topic < topic || (v[i].topic == topic && v[i].member < member));
	return i < p->members.n && v[i].topic == topic && v[i].member == member ? &v[i] : NULL;
}

/* Only failing messages miss receivers: the index of such a message leads to its place. */
static enum imp_rc
load_misses(struct places *p, struct imp_err *err)
{
	struct weighing *x = p->x;
	struct store *s = x->ev.from.store;
	uint32_t *message_of = arena_alloc(x->ev.from.arena, (x->nfailing + 1) * sizeof(*message_of), err);
	sqlite3_stmt *st;
	bool row = true;
	enum imp_rc rc = message_of != NULL ? store_keep_views(s, slice_of(sql_rules_place_misses), err) : IMP_E_NOMEM;

	if (rc == IMP_OK)
		rc = store_stmt(s, sql_rules_place_misses, &st, err);
	if (rc != IMP_OK)
		return rc;
	for (uint32_t i = 0; i < p->messages.n; i++)
		if (p->messages.v[i].failing != PLACES_NONE)
			message_of[p->messages.v[i].failing] = i;
	while (rc == IMP_OK && row) {
		const struct failing_message *f;
		const struct place_member *member;
		struct miss miss;

		rc = store_step_row(s, st, &row, err);
		f = rc == IMP_OK && row ? weighing_find(x, sqlite3_column_int64(st, 0)) : NULL;
		if (f == NULL)
			continue;
		miss.message = message_of[f - x->failing];
		member = find_member(p, p->messages.v[miss.message].topic, (uint32_t)sqlite3_column_int64(st, 1));
		if (member == NULL)
			continue;
		miss.receiver = member->account;
		rc = VEC_PUSH(NULL, &p->misses, miss, err);
	}
	sqlite3_reset(st);
	return rc;
}

/* Which tenth of its topic each message is in. */
static enum imp_rc
find_tenths(struct places *p, struct imp_err *err)
{
	uint32_t ntopics = 0, *total, *seen;

	for (size_t i = 0; i < p->messages.n; i++)
		if (p->messages.v[i].topic >= ntopics)
			ntopics = p->messages.v[i].topic + 1;
	total = calloc((size_t)2 * ntopics + 1, sizeof(*total));
	if (total == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: topics");
	seen = total + ntopics;
	for (size_t i = 0; i < p->messages.n; i++)
		total[p->messages.v[i].topic]++;
	for (size_t i = 0; i < p->messages.n; i++) {
		struct placed_message *m = &p->messages.v[i];
		uint64_t at = seen[m->topic]++;

		if (total[m->topic] >= 10)
			m->tenth = (unsigned char)(at * 10 / total[m->topic] + 1);
	}
	free(total);
	return IMP_OK;
}

enum imp_rc
places_load(struct places *p, struct weighing *x, struct imp_err *err)
{
	bool misses = false;
	enum imp_rc rc;

	*p = (struct places){ .x = x };
	intern_init(&p->pods, NULL);
	rc = each_row(p, sql_rules_place_ready, take_ready, err);
	if (rc == IMP_OK)
		rc = each_row(p, sql_rules_place_messages, take_message, err);
	if (rc == IMP_OK)
		rc = find_tenths(p, err);
	for (size_t i = 0; i < p->messages.n && !misses; i++)
		misses = p->messages.v[i].failures & 1u << FAILURE_MISSING;
	if (rc != IMP_OK || !misses)
		return rc;
	rc = each_row(p, sql_rules_place_members, take_member, err);
	if (rc == IMP_OK)
		rc = each_row(p, sql_rules_place_expectations, take_expectation, err);
	return rc == IMP_OK ? load_misses(p, err) : rc;
}

void
places_done(struct places *p)
{
	VEC_FREE(NULL, &p->messages);
	VEC_FREE(NULL, &p->misses);
	VEC_FREE(NULL, &p->ready);
	VEC_FREE(NULL, &p->members);
	VEC_FREE(NULL, &p->expectations);
	intern_done(&p->pods);
}
