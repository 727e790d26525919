#include "config.h"

#include "store/walk-parts.h"

void
walk_rewind(struct walk *w)
{
	w->n = w->i = w->end = w->stop = w->windows = 0;
	w->x = 0;
	w->first = w->next_member = w->block_first = 0;
	w->block.members = 0;
	w->block_left = w->whole = w->at_extra = w->drained = false;
	w->first_member = WALK_NO_MEMBER;
}

static int64_t
block_end(const struct walk *w)
{
	return w->block_first + w->block.members;
}

/* Take the block of the line at hand, if it has one, and look at the next line. */
static int
take_block(struct walk *w)
{
	sqlite3_stmt *st = w->st[WALK_ST_MESSAGES];
	int64_t first = sqlite3_column_int64(st, COL_FIRST_MEMBER);
	int rc;

	if (sqlite3_column_type(st, COL_BODY) != SQLITE_NULL) {
		if (first < block_end(w) || first > MEMBER_MAX - (int64_t)BLOCK_MEMBERS_MAX)
			return walk_damaged(w, "delivery blocks overlap");
		rc = walk_bytes_set(&w->body, store_column_slice(st, COL_BODY));
		if (rc != SQLITE_OK)
			return rc;
		if (block_open((struct slice){ (char *)w->body.v, w->body.n }, &w->block, NULL) != IMP_OK)
			return walk_damaged(w, "damaged delivery block");
		w->block_first = first;
		w->block_left = w->block.members > 0;
	}
	return walk_step(st, &w->row);
}

/* Unpack what the block has of the window. */
static void
unpack(struct walk *w)
{
	int64_t from = w->first > w->block_first ? w->first : w->block_first;
	int64_t to = w->first + w->n < block_end(w) ? w->first + w->n : block_end(w);

	if (from < to)
		block_decode(&w->block, (uint32_t)(from - w->block_first), (uint32_t)(to - from), w->t + (from - w->first));
	w->block_left = to < block_end(w);
}

/* The next window over members that have a block. */
static int
next_block_window(struct walk *w, bool *ret_got)
{
	int64_t skip, left;
	int rc;

	for (;; w->block_left = false, w->windows++) {
		while (!w->block_left && walk_row_is_ours(w)) {
			rc = take_block(w);
			if (rc != SQLITE_OK)
				return rc;
		}
		*ret_got = w->block_left;
		if (!*ret_got)
			return SQLITE_OK;
		if (w->only_member == WALK_ANY_MEMBER || (w->only_member >= w->block_first && w->only_member < block_end(w)))
			break;
	}
	w->first = w->next_member > w->block_first ? w->next_member : w->block_first;
	if (w->only_member > w->first) {
		skip = (w->only_member - w->first) / WALK_WINDOW;
		w->windows += skip > 0;
		w->first += skip * WALK_WINDOW;
	}
	left = block_end(w) - w->first;
	w->n = left < WALK_WINDOW ? (uint32_t)left : WALK_WINDOW;
	w->seq = w->block.seq;
	unpack(w);
	w->next_member = w->first + w->n;
	w->whole = w->windows++ == 0 && !w->block_left && !walk_row_is_ours(w);
	return SQLITE_OK;
}

/* The next window over members that may be expected, whether they have a block or not. The topic is loaded. */
static int
next_member_window(struct walk *w, bool *ret_got)
{
	int64_t all = (int64_t)(w->expected.n * 8 < w->members.n ? w->expected.n * 8 : w->members.n);
	int64_t left = all - w->next_member;
	int rc;

	*ret_got = left > 0;
	if (!*ret_got)
		return SQLITE_OK;
	w->first = w->next_member;
	w->n = left < WALK_WINDOW ? (uint32_t)left : WALK_WINDOW;
	for (uint32_t i = 0; i < w->n; i++)
		w->t[i] = BLOCK_ABSENT;
	for (;;) {
		if (w->block_left) {
			unpack(w);
			if (w->block_left)
				break;
		}
		if (!walk_row_is_ours(w))
			break;
		rc = take_block(w);
		if (rc != SQLITE_OK)
			return rc;
	}
	w->next_member = w->first + w->n;
	w->whole = w->windows++ == 0 && w->next_member == all;
	return SQLITE_OK;
}

/* Where the next extra copy comes in: behind the block's copy at the same member. */
void
walk_set_stop(struct walk *w)
{
	int64_t behind;

	w->stop = w->end;
	if (w->x == w->extras.n)
		return;
	behind = w->extras.v[w->x].member == WALK_NO_MEMBER ? 0 : (int64_t)w->extras.v[w->x].member + 1;
	if (behind <= w->first + w->i)
		w->stop = w->i;
	else if (behind < w->first + w->end)
		w->stop = (uint32_t)(behind - w->first);
}

/* Look at the arrivals of the window, or at only_member's. */
void
walk_begin_window(struct walk *w)
{
	int64_t i = w->only_member - w->first;

	w->i = 0;
	w->end = w->n;
	if (w->only_member != WALK_ANY_MEMBER) {
		w->i = i >= 0 && i < w->n ? (uint32_t)i : w->n;
		w->end = w->i < w->n ? w->i + 1 : w->n;
	}
	walk_set_stop(w);
}

int
walk_next_window(struct walk *w)
{
	bool got = false, enough = w->only_member != WALK_ANY_MEMBER && w->n > 0 && w->next_member > w->only_member;
	int rc = SQLITE_OK;

	if (!enough)
		rc = w->kind == WALK_MISSING ? next_member_window(w, &got) : next_block_window(w, &got);
	if (rc != SQLITE_OK)
		return rc;
	if (got) {
		walk_begin_window(w);
		return SQLITE_OK;
	}
	if (w->windows == 0)
		w->whole = true;
	w->drained = true;
	return SQLITE_OK;
}
