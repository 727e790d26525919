/* store/walk-parts.h - what the files of a walk share: walk.c moves it, walk-message.c knows a message with its topic and its extra
 * copies, walk-window.c unpacks blocks. Results and threading as in walk.h. */
#pragma once
#include "store/walk.h"

#define MEMBER_MAX INT32_MAX

/* Columns of sql/store/walk.sql. */
enum walk_column {
	COL_MESSAGE_NO,
	COL_MID,
	COL_TOPIC,
	COL_SENDER,
	COL_SCENARIO,
	COL_OUTCOME,
	COL_FIRST_PUB,
	COL_WINDOW_END,
	COL_SEQ,
	COL_P2P,
	COL_HAS_EXTRAS,
	COL_FIRST_MEMBER,
	COL_BODY
};

/* walk.c */

/* Complain about what the store says (static text) and return SQLITE_CORRUPT_VTAB. */
int walk_damaged(struct walk *w, const char *what);
/* WALK_NULL for NULL. */
int64_t walk_column_int(sqlite3_stmt *st, int i);
MUST_CHECK int walk_bytes_set(struct bytes *b, struct slice s);
/* Step a statement; *ret_row says whether there is a line. */
MUST_CHECK int walk_step(sqlite3_stmt *st, bool *ret_row);
/* Begin one of the short queries: run and `about` are bound. */
sqlite3_stmt *walk_ask(struct walk *w, enum walk_stmt which, int64_t about);
/* Does the statement stand on a line of the message at hand? */
bool walk_row_is_ours(const struct walk *w);

/* walk-message.c */

MUST_CHECK int walk_read_message(struct walk *w); /* from the line at hand */
MUST_CHECK int walk_load_extras(struct walk *w);
MUST_CHECK int walk_load_members(struct walk *w);
MUST_CHECK int walk_load_topic(struct walk *w); /* members and expectation */

/* With the topic loaded: is the member the sender of a p2p message; is it an expected receiver? */
bool walk_is_echo(const struct walk *w, uint32_t member);
bool walk_is_expected(const struct walk *w, uint32_t member);
/* Does an extra copy say that the member got the message? */
bool walk_has_first_extra(const struct walk *w, uint32_t member);
/* Was the member's agent watching from the first `pub` to the end of the drain window? */
MUST_CHECK int walk_is_watched(struct walk *w, uint32_t member, bool *ret);

/* walk-window.c */

void walk_rewind(struct walk *w);		 /* nothing of the message at hand is unpacked */
MUST_CHECK int walk_next_window(struct walk *w); /* or w->drained */
void walk_begin_window(struct walk *w);		 /* look at the window's arrivals, or at only_member's */
void walk_set_stop(struct walk *w);		 /* after a change of w->x */
