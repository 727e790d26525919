/* store/walk.h - walk over the copies of a run's messages in order of message and member; what the virtual tables stand on.
 *
 * Life cycle: 1. walk_new()  2. walk_seek(), then walk_next() until walk->eof, any number of times; walk_rest() where a walk ends
 * early  3. walk_free(). A walk keeps the message it looked at last, so that asking for it again costs no reading.
 * Memory: one block, one window of unpacked arrivals, the members of one topic, the further copies of one message.
 * Results are SQLite codes, since SQLite calls. Threading: as struct store. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "store/block.h"
#include "store/store.h"

#define WALK_NULL INT64_MIN /* a number that is not there */
#define WALK_WINDOW 4096    /* arrivals unpacked at once */
#define WALK_NO_MEMBER UINT32_MAX
#define WALK_ANY_MEMBER (-1)

/* What a walk stops at. The numbers stand in sql/store/walk.sql. */
enum walk_kind {
	WALK_COPIES = 0,     /* every copy */
	WALK_MISSING = 1,    /* every expected receiver of an acked message that never got it */
	WALK_DUPLICATES = 2, /* every further copy at an expected receiver */
};

struct bytes {
	unsigned char *v;
	size_t n, cap;
};

struct walk_message {
	int64_t no, topic, sender;
	int64_t scenario;		    /* -1: fits none */
	int64_t first_pub, window_end, seq; /* WALK_NULL */
	bool p2p;
	bool has_extras;
	char outcome[16];
	struct bytes mid;
};

enum extra_kind { EXTRA_FIRST, EXTRA_DUPLICATE, EXTRA_STRANGER, EXTRA_WRONG_TOPIC };

struct walk_extra { /* a copy that is in no block */
	int64_t t, seq, topic;
	uint32_t account;
	uint32_t member; /* WALK_NO_MEMBER */
	uint32_t copy;
	enum extra_kind kind;
};

enum walk_stmt {
	WALK_ST_MESSAGES,
	WALK_ST_EXTRAS,
	WALK_ST_MEMBERS,
	WALK_ST_EXPECTATION,
	WALK_ST_MID,
	WALK_ST_WATCHED,
	_WALK_ST_MAX
};

struct walk {
	struct store *store;
	enum walk_kind kind;
	sqlite3_stmt *st[_WALK_ST_MAX];
	const char *complaint; /* about damage; NULL: the code says all */
	uint64_t state;	       /* of the store (run_names_refresh()) that all of this stems from */
	bool eof;

	/* the message at hand */
	bool loaded;
	bool row; /* the statement stands on a line: of m, or of the next message */
	struct walk_message m;
	VEC(struct walk_extra) extras; /* by member (none first), account, time */
	VEC(signed char) watched;      /* by agent: 0 not asked, 1 all the time, -1 not */

	/* its topic */
	int64_t members_of, expected_of, expected_scenario; /* WALK_NULL: nothing is loaded */
	VEC(uint32_t) members;				    /* accounts */
	VEC(uint64_t) by_account;			    /* account << 32 | member, sorted */
	struct bytes expected;				    /* bits */

	/* its block */
	struct bytes body;
	struct block block;
	int64_t block_first; /* member of the first code */
	bool block_left;     /* some of it is still to be unpacked */

	/* the window: arrivals at the members [first, first + n) */
	int64_t t[WALK_WINDOW];
	int64_t first, seq;
	uint32_t n;
	unsigned windows;    /* unpacked or passed over so far */
	bool whole;	     /* there is no other window */
	int64_t next_member; /* first one that no window had */
	int64_t only_member; /* or WALK_ANY_MEMBER */

	/* the place in it */
	uint32_t i;	       /* arrival to look at next */
	uint32_t end;	       /* look at none from here on: n, or less with only_member */
	uint32_t stop;	       /* where an extra comes in, else `end` */
	size_t x;	       /* extra to look at next */
	bool at_extra;	       /* the walk stands at extras.v[x - 1], else at t[i - 1] */
	bool drained;	       /* no window is left */
	uint32_t first_member; /* the member that was passed last, WALK_NO_MEMBER: none */
	int64_t first_t;       /* its first copy */
};

MUST_CHECK int walk_new(struct store *s, enum walk_kind kind, struct walk **ret);
void walk_free(struct walk *w); /* takes NULL */
void walk_rest(struct walk *w); /* holds no lock any more */

/* Go before the first stop of the messages [from, to]; with `member` (else WALK_ANY_MEMBER) others may be left out. */
MUST_CHECK int walk_seek(struct walk *w, int64_t from, int64_t to, int64_t member);
MUST_CHECK int walk_next(struct walk *w);

/* The number of the message `mid`, -1: there is none. */
MUST_CHECK int walk_find(struct walk *w, struct slice mid, int64_t *ret);

/* Where the walk stands. */
uint32_t walk_member(const struct walk *w);
int64_t walk_t(const struct walk *w);
int64_t walk_seq(const struct walk *w);
int64_t walk_topic(const struct walk *w);
uint32_t walk_copy(const struct walk *w);
int64_t walk_first_t(const struct walk *w);		   /* of a duplicate; WALK_NULL: not known */
MUST_CHECK int walk_account(struct walk *w, int64_t *ret); /* -1: not known */
MUST_CHECK int walk_copy_kind(struct walk *w, const char **ret);
MUST_CHECK int walk_disconnected(struct walk *w, int64_t *ret); /* 0, 1, WALK_NULL */
/* Different for any two stops of one kind of walk, and the same every time. */
int64_t walk_rowid(const struct walk *w);
