#include "config.h"

#include "store/walk-parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "store/internal.h"
#include "store/names.h"

#define EXTRAS_MAX INT32_MAX

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int
walk_load_members(struct walk *w)
{
	sqlite3_stmt *st;
	bool row;
	int rc;

	if (w->members_of == w->m.topic)
		return SQLITE_OK;
	w->members_of = WALK_NULL;
	w->members.n = w->by_account.n = 0;
	st = walk_ask(w, WALK_ST_MEMBERS, w->m.topic);
	while ((rc = walk_step(st, &row)) == SQLITE_OK && row) {
		uint64_t account = (uint64_t)sqlite3_column_int64(st, 1);

		if (sqlite3_column_int64(st, 0) != (int64_t)w->members.n || w->members.n >= MEMBER_MAX || account > UINT32_MAX)
			return walk_damaged(w, "damaged list of members");
		if (VEC_PUSH(NULL, &w->by_account, account << 32 | w->members.n, NULL) != IMP_OK ||
		    VEC_PUSH(NULL, &w->members, (uint32_t)account, NULL) != IMP_OK)
			return SQLITE_NOMEM;
	}
	if (rc != SQLITE_OK)
		return rc;
	if (w->by_account.n > 1)
		qsort(w->by_account.v, w->by_account.n, sizeof(*w->by_account.v), compare_u64);
	w->members_of = w->m.topic;
	return SQLITE_OK;
}

/* The member that an account is, or WALK_NO_MEMBER. Members are loaded. */
static uint32_t
member_of(const struct walk *w, uint32_t account)
{
	size_t i;

	LOWER_BOUND(i, 0, w->by_account.n, w->by_account.v[i] >> 32 < account);
	if (i < w->by_account.n && w->by_account.v[i] >> 32 == account)
		return (uint32_t)w->by_account.v[i];
	return WALK_NO_MEMBER;
}

static int
load_expectation(struct walk *w)
{
	sqlite3_stmt *st;
	bool row;
	int rc;

	if (w->expected_of == w->m.topic && w->expected_scenario == w->m.scenario)
		return SQLITE_OK;
	w->expected_of = WALK_NULL;
	w->expected.n = 0;
	st = walk_ask(w, WALK_ST_EXPECTATION, w->m.topic);
	sqlite3_bind_int64(st, 3, w->m.scenario);
	rc = walk_step(st, &row);
	if (rc == SQLITE_OK && row)
		rc = walk_bytes_set(&w->expected, store_column_slice(st, 0));
	if (rc != SQLITE_OK)
		return rc;
	w->expected_of = w->m.topic;
	w->expected_scenario = w->m.scenario;
	return SQLITE_OK;
}

int
walk_load_topic(struct walk *w)
{
	int rc = walk_load_members(w);

	return rc == SQLITE_OK ? load_expectation(w) : rc;
}

bool
walk_is_echo(const struct walk *w, uint32_t member)
{
	return w->m.p2p && member < w->members.n && w->members.v[member] == w->m.sender;
}

bool
walk_is_expected(const struct walk *w, uint32_t member)
{
	return member < w->members.n && member / 8 < w->expected.n && (w->expected.v[member / 8] >> member % 8 & 1) &&
	    !walk_is_echo(w, member);
}

int
walk_is_watched(struct walk *w, uint32_t member, bool *ret)
{
	int64_t agent;
	sqlite3_stmt *st;
	bool row;
	int rc;

	*ret = false;
	rc = run_watcher(w->store, w->members.v[member], &agent);
	if (rc != SQLITE_OK || agent < 0 || agent > INT32_MAX || w->m.first_pub == WALK_NULL || w->m.window_end == WALK_NULL)
		return rc;
	while ((size_t)agent >= w->watched.n) {
		if (VEC_PUSH(NULL, &w->watched, 0, NULL) != IMP_OK)
			return SQLITE_NOMEM;
	}
	if (w->watched.v[agent] == 0) {
		st = walk_ask(w, WALK_ST_WATCHED, agent);
		sqlite3_bind_int64(st, 3, w->m.first_pub);
		sqlite3_bind_int64(st, 4, w->m.window_end);
		rc = walk_step(st, &row);
		if (rc != SQLITE_OK)
			return rc;
		w->watched.v[agent] = row && sqlite3_column_int(st, 0) ? 1 : -1;
		sqlite3_reset(st);
	}
	*ret = w->watched.v[agent] > 0;
	return SQLITE_OK;
}

static int
extra_kind_of(struct walk *w, struct slice s, enum extra_kind *ret)
{
	static const struct slice names[] = {
		[EXTRA_FIRST] = { "first", 5 },
		[EXTRA_DUPLICATE] = { "duplicate", 9 },
		[EXTRA_STRANGER] = { "stranger", 8 },
		[EXTRA_WRONG_TOPIC] = { "wrong_topic", 11 },
	};

	for (int i = 0; i < (int)(sizeof(names) / sizeof(*names)); i++) {
		if (slice_eq(s, names[i])) {
			*ret = (enum extra_kind)i;
			return SQLITE_OK;
		}
	}
	return walk_damaged(w, "damaged extra copy");
}

/* By member, strangers first, then by account and time. */
static int
compare_extras(const void *a, const void *b)
{
	const struct walk_extra *x = a, *y = b;
	uint32_t mx = x->member + 1, my = y->member + 1;
	int c = (mx > my) - (mx < my);

	if (c == 0)
		c = (x->account > y->account) - (x->account < y->account);
	if (c == 0)
		c = (x->t > y->t) - (x->t < y->t);
	if (c == 0)
		c = (x->kind == EXTRA_WRONG_TOPIC) - (y->kind == EXTRA_WRONG_TOPIC);
	return c != 0 ? c : (x->copy > y->copy) - (x->copy < y->copy);
}

/* Count the copies at each account, which stand together and in order of time. A duplicate without a first one here has it in a
 * block. */
static void
number_extras(struct walk *w)
{
	uint32_t own = 0, wrong = 0;

	for (size_t i = 0; i < w->extras.n; i++) {
		struct walk_extra *e = &w->extras.v[i];

		if (i == 0 || e->account != e[-1].account)
			own = wrong = 0;
		if (e->kind == EXTRA_DUPLICATE && own == 0)
			own = 1;
		e->copy = e->kind == EXTRA_WRONG_TOPIC ? ++wrong : ++own;
	}
}

int
walk_load_extras(struct walk *w)
{
	sqlite3_stmt *st;
	bool row;
	int rc;

	w->extras.n = 0;
	if (!w->m.has_extras)
		return SQLITE_OK;
	rc = walk_load_members(w);
	if (rc != SQLITE_OK)
		return rc;
	st = walk_ask(w, WALK_ST_EXTRAS, w->m.no);
	while ((rc = walk_step(st, &row)) == SQLITE_OK && row) {
		struct walk_extra e = { .t = sqlite3_column_int64(st, 1),
			.seq = sqlite3_column_int64(st, 3),
			.topic = sqlite3_column_int64(st, 4),
			.account = (uint32_t)sqlite3_column_int64(st, 0) };

		rc = extra_kind_of(w, store_column_slice(st, 2), &e.kind);
		if (rc != SQLITE_OK)
			return rc;
		e.member = member_of(w, e.account);
		if (w->extras.n >= EXTRAS_MAX || VEC_PUSH(NULL, &w->extras, e, NULL) != IMP_OK)
			return SQLITE_NOMEM;
	}
	if (rc != SQLITE_OK)
		return rc;
	number_extras(w);
	if (w->extras.n > 1)
		qsort(w->extras.v, w->extras.n, sizeof(*w->extras.v), compare_extras);
	return SQLITE_OK;
}

int
walk_read_message(struct walk *w)
{
	sqlite3_stmt *st = w->st[WALK_ST_MESSAGES];
	struct walk_message *m = &w->m;
	struct slice outcome = store_column_slice(st, COL_OUTCOME);

	m->no = sqlite3_column_int64(st, COL_MESSAGE_NO);
	m->topic = sqlite3_column_int64(st, COL_TOPIC);
	m->sender = sqlite3_column_int64(st, COL_SENDER);
	m->scenario = sqlite3_column_int64(st, COL_SCENARIO);
	m->first_pub = walk_column_int(st, COL_FIRST_PUB);
	m->window_end = walk_column_int(st, COL_WINDOW_END);
	m->seq = walk_column_int(st, COL_SEQ);
	m->p2p = sqlite3_column_int(st, COL_P2P) != 0;
	m->has_extras = sqlite3_column_int(st, COL_HAS_EXTRAS) != 0;
	if (m->no < 0 || m->no > INT32_MAX || outcome.n >= sizeof(m->outcome))
		return walk_damaged(w, "damaged message");
	memcpy(m->outcome, outcome.p, outcome.n);
	m->outcome[outcome.n] = '\0';
	return walk_bytes_set(&m->mid, store_column_slice(st, COL_MID));
}

bool
walk_has_first_extra(const struct walk *w, uint32_t member)
{
	size_t i;

	LOWER_BOUND(i, 0, w->extras.n, w->extras.v[i].member + 1 < member + 1);
	for (; i < w->extras.n && w->extras.v[i].member == member; i++) {
		if (w->extras.v[i].kind == EXTRA_FIRST)
			return true;
	}
	return false;
}
