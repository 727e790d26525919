#include "config.h"

#include "store/walk-parts.h"

#include <stdlib.h>
#include <string.h>

#include "sql_gen.h"
#include "store/conns.h"
#include "store/internal.h"
#include "store/names.h"

static const char *const stmt_sql[_WALK_ST_MAX] = {
	[WALK_ST_MESSAGES] = sql_store_walk,
	[WALK_ST_EXTRAS] = sql_store_walk_extra,
	[WALK_ST_MEMBERS] = sql_store_walk_member,
	[WALK_ST_EXPECTATION] = sql_store_walk_expectation,
	[WALK_ST_MID] = sql_store_walk_mid,
	[WALK_ST_WATCHED] = sql_store_walk_watched,
};

int
walk_new(struct store *s, enum walk_kind kind, struct walk **ret)
{
	struct walk *w = calloc(1, sizeof(*w));
	int rc = SQLITE_OK;

	if (w == NULL)
		return SQLITE_NOMEM;
	w->store = s;
	w->kind = kind;
	for (int i = 0; i < _WALK_ST_MAX && rc == SQLITE_OK; i++)
		rc = sqlite3_prepare_v3(s->db, stmt_sql[i], -1, SQLITE_PREPARE_PERSISTENT, &w->st[i], NULL);
	if (rc != SQLITE_OK) {
		walk_free(w);
		return rc;
	}
	*ret = w;
	return SQLITE_OK;
}

void
walk_free(struct walk *w)
{
	if (w == NULL)
		return;
	for (int i = 0; i < _WALK_ST_MAX; i++)
		sqlite3_finalize(w->st[i]);
	VEC_FREE(NULL, &w->m.mid);
	VEC_FREE(NULL, &w->extras);
	VEC_FREE(NULL, &w->watched);
	VEC_FREE(NULL, &w->members);
	VEC_FREE(NULL, &w->by_account);
	VEC_FREE(NULL, &w->expected);
	VEC_FREE(NULL, &w->body);
	free(w);
}

void
walk_rest(struct walk *w)
{
	for (int i = 0; i < _WALK_ST_MAX; i++)
		sqlite3_reset(w->st[i]);
	w->row = false;
}

int
walk_damaged(struct walk *w, const char *what)
{
	w->complaint = what;
	return SQLITE_CORRUPT_VTAB;
}

int64_t
walk_column_int(sqlite3_stmt *st, int i)
{
	return sqlite3_column_type(st, i) == SQLITE_NULL ? WALK_NULL : sqlite3_column_int64(st, i);
}

int
walk_bytes_set(struct bytes *b, struct slice s)
{
	b->n = 0;
	if (VEC_RESERVE(NULL, b, s.n, NULL) != IMP_OK)
		return SQLITE_NOMEM;
	if (s.n > 0)
		memcpy(b->v, s.p, s.n);
	b->n = s.n;
	return SQLITE_OK;
}

/* Step a statement; *ret_row says whether there is a line. */
int
walk_step(sqlite3_stmt *st, bool *ret_row)
{
	int rc = sqlite3_step(st);

	*ret_row = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Begin one of the short queries about the message at hand. */
sqlite3_stmt *
walk_ask(struct walk *w, enum walk_stmt which, int64_t about)
{
	sqlite3_reset(w->st[which]);
	sqlite3_bind_int64(w->st[which], 1, w->store->run_no);
	sqlite3_bind_int64(w->st[which], 2, about);
	return w->st[which];
}

bool
walk_row_is_ours(const struct walk *w)
{
	return w->row && w->loaded && sqlite3_column_int64(w->st[WALK_ST_MESSAGES], COL_MESSAGE_NO) == w->m.no;
}

/* The three kinds of walk */

static int
next_message(struct walk *w)
{
	int rc;

	while (walk_row_is_ours(w)) {
		rc = walk_step(w->st[WALK_ST_MESSAGES], &w->row);
		if (rc != SQLITE_OK)
			return rc;
	}
	if (!w->row) {
		w->eof = true;
		return SQLITE_OK;
	}
	w->loaded = false;
	walk_rewind(w);
	rc = walk_read_message(w);
	if (rc == SQLITE_OK)
		rc = walk_load_extras(w);
	if (rc == SQLITE_OK && w->kind == WALK_MISSING)
		rc = walk_load_topic(w);
	if (w->watched.n > 0)
		memset(w->watched.v, 0, w->watched.n);
	w->loaded = rc == SQLITE_OK;
	return rc;
}

static bool
extra_is_due(const struct walk *w)
{
	uint32_t member;

	if (w->x == w->extras.n)
		return false;
	member = w->extras.v[w->x].member;
	return w->drained || member == WALK_NO_MEMBER || member < w->first + w->i;
}

static int
next_copy(struct walk *w)
{
	int rc = SQLITE_OK;

	while (rc == SQLITE_OK && !w->eof) {
		while (w->i < w->stop) {
			if (w->t[w->i++] != BLOCK_ABSENT) {
				w->at_extra = false;
				return SQLITE_OK;
			}
		}
		if (extra_is_due(w)) {
			w->x++;
			w->at_extra = true;
			walk_set_stop(w);
			return SQLITE_OK;
		}
		rc = w->drained ? next_message(w) : walk_next_window(w);
	}
	return rc;
}

static int
next_missing(struct walk *w)
{
	int rc = SQLITE_OK;
	bool watched;

	while (rc == SQLITE_OK && !w->eof) {
		while (w->i < w->end) {
			uint32_t i = w->i++, member = (uint32_t)w->first + i;

			if (w->t[i] != BLOCK_ABSENT || !walk_is_expected(w, member) || walk_has_first_extra(w, member))
				continue;
			rc = walk_is_watched(w, member, &watched);
			if (rc != SQLITE_OK || watched)
				return rc;
		}
		rc = w->drained ? next_message(w) : walk_next_window(w);
	}
	return rc;
}

static int
next_duplicate(struct walk *w)
{
	const struct walk_extra *e;
	int rc;

	while ((rc = next_copy(w)) == SQLITE_OK && !w->eof) {
		if (walk_copy(w) == 1 && walk_member(w) != WALK_NO_MEMBER && walk_topic(w) == w->m.topic) {
			w->first_member = walk_member(w);
			w->first_t = walk_t(w);
		}
		e = w->at_extra ? &w->extras.v[w->x - 1] : NULL;
		if (e == NULL || e->kind != EXTRA_DUPLICATE)
			continue;
		rc = walk_load_topic(w);
		if (rc != SQLITE_OK || walk_is_expected(w, e->member))
			return rc;
	}
	return rc;
}

int
walk_next(struct walk *w)
{
	switch (w->kind) {
	case WALK_MISSING:
		return next_missing(w);
	case WALK_DUPLICATES:
		return next_duplicate(w);
	default:
		return next_copy(w);
	}
}

/* Forget what stems from another state of the store. */
static int
refresh(struct walk *w)
{
	uint64_t state;
	int rc = run_names_refresh(w->store, &state);

	if (rc != SQLITE_OK)
		return rc;
	if (w->state != state) {
		w->loaded = false;
		w->members_of = w->expected_of = WALK_NULL;
		w->state = state;
	}
	return SQLITE_OK;
}

int
walk_seek(struct walk *w, int64_t from, int64_t to, int64_t member)
{
	sqlite3_stmt *st;
	int rc;

	walk_rest(w);
	w->complaint = NULL;
	w->eof = false;
	w->only_member = member;
	rc = refresh(w);
	if (rc != SQLITE_OK)
		return rc;
	if (w->loaded && from == w->m.no && to == from &&
	    (w->whole || (w->n > 0 && member >= w->first && member < w->first + w->n))) {
		w->x = 0;
		w->at_extra = w->drained = w->block_left = false;
		w->first_member = WALK_NO_MEMBER;
		w->next_member = MEMBER_MAX;
		walk_begin_window(w);
		return SQLITE_OK;
	}
	w->loaded = false;
	w->extras.n = 0;
	walk_rewind(w);
	w->drained = true;
	st = walk_ask(w, WALK_ST_MESSAGES, from);
	sqlite3_bind_int64(st, 3, to);
	sqlite3_bind_int(st, 4, w->kind);
	return walk_step(st, &w->row);
}

int
walk_find(struct walk *w, struct slice mid, int64_t *ret)
{
	sqlite3_stmt *st = w->st[WALK_ST_MID];
	bool row;
	int rc = refresh(w);

	if (rc != SQLITE_OK)
		return rc;
	if (w->loaded && slice_eq(mid, (struct slice){ (char *)w->m.mid.v, w->m.mid.n })) {
		*ret = w->m.no;
		return SQLITE_OK;
	}
	st = walk_ask(w, WALK_ST_MID, 0);
	store_bind_slice(st, 2, mid);
	rc = walk_step(st, &row);
	if (rc == SQLITE_OK)
		*ret = row ? sqlite3_column_int64(st, 0) : -1;
	sqlite3_reset(st);
	return rc;
}

/* Where the walk stands */

static const struct walk_extra *
extra_at(const struct walk *w)
{
	return w->at_extra ? &w->extras.v[w->x - 1] : NULL;
}

uint32_t
walk_member(const struct walk *w)
{
	return w->at_extra ? extra_at(w)->member : (uint32_t)w->first + w->i - 1;
}

int64_t
walk_t(const struct walk *w)
{
	return w->at_extra ? extra_at(w)->t : w->t[w->i - 1];
}

int64_t
walk_seq(const struct walk *w)
{
	return w->at_extra ? extra_at(w)->seq : w->kind == WALK_MISSING ? w->m.seq : w->seq;
}

int64_t
walk_topic(const struct walk *w)
{
	return w->at_extra ? extra_at(w)->topic : w->m.topic;
}

uint32_t
walk_copy(const struct walk *w)
{
	return w->at_extra ? extra_at(w)->copy : 1;
}

int64_t
walk_first_t(const struct walk *w)
{
	return w->first_member == walk_member(w) ? w->first_t : WALK_NULL;
}

int
walk_account(struct walk *w, int64_t *ret)
{
	int rc;

	if (w->at_extra) {
		*ret = extra_at(w)->account;
		return SQLITE_OK;
	}
	rc = walk_load_members(w);
	if (rc != SQLITE_OK)
		return rc;
	*ret = -1;
	if (walk_member(w) < w->members.n)
		*ret = w->members.v[walk_member(w)];
	return SQLITE_OK;
}

int
walk_copy_kind(struct walk *w, const char **ret)
{
	const struct walk_extra *e = extra_at(w);
	uint32_t member = walk_member(w);
	int rc = walk_load_topic(w);

	if (rc != SQLITE_OK)
		return rc;
	if (e != NULL && e->kind == EXTRA_WRONG_TOPIC)
		*ret = "wrong_topic";
	else if (member >= w->members.n)
		*ret = "stranger";
	else if (walk_is_echo(w, member))
		*ret = "echo";
	else
		*ret = walk_is_expected(w, member) ? "expected" : "not_ready";
	return SQLITE_OK;
}

int
walk_disconnected(struct walk *w, int64_t *ret)
{
	int64_t account;
	int away, rc = walk_account(w, &account);

	*ret = WALK_NULL;
	if (rc != SQLITE_OK || w->m.first_pub == WALK_NULL || w->m.window_end == WALK_NULL)
		return rc;
	rc = run_disconnected(w->store, account, w->m.first_pub, w->m.window_end, &away);
	if (rc == SQLITE_OK && away >= 0)
		*ret = away;
	return rc;
}

int64_t
walk_rowid(const struct walk *w)
{
	uint64_t within = w->at_extra ? (UINT64_C(1) << 31) + w->x - 1 : walk_member(w);

	return (int64_t)((uint64_t)w->m.no << 32 | within);
}
