/* ingest/copies.h - who got which message when: one cell of five bytes for a member's first copy, lists for all that is unusual.
 *
 * A *regular* copy is one at a member of its topic, on the topic and with the seq of the row it belongs to, whose arrival lies
 * within -274 s … +824 s of the row's first one: it goes into a cell. Everything else (further copies, other seqs, other topics,
 * accounts that are no members) is an *odd* copy of 48 bytes. A row with few copies has no cells at all, only odd copies.
 *
 * Memory is bounded by looking at some members only: a pass covers the members whose number lies in [from, to) of COPIES_WHOLE parts
 * of their topic. When the budget is spent the range is narrowed, cells are given back, and a later pass takes the rest.
 * With `keep_lines` a cell also knows its line (17 bytes): needed only where two arrivals are equal to the nanosecond.
 * Threading: as struct ledger. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define COPIES_WHOLE 65536u /* parts of a topic's members */

enum copy_kind {
	COPY_UNJUDGED,
	COPY_FIRST,    /* at a member of the message's topic */
	COPY_FURTHER,  /* likewise, but not the first there */
	COPY_STRANGER, /* at an account that is no member */
	COPY_WRONG_TOPIC,
};

struct copy {
	int64_t t, seq;
	uint64_t place;
	uint32_t topic, account;
	uint32_t member;     /* of `topic`, NONE: no member */
	uint32_t check;	     /* hash of the line's bytes */
	enum copy_kind kind; /* classify's judgement */
};

struct delivery_row {	   /* of one mid */
	int64_t base, seq; /* of the first copy that was read */
	uint32_t topic;	   /* likewise; NONE: no copy yet */
	uint32_t width;	   /* members that have cells, 0: none has */
	uint32_t ncells;   /* cells in use */
	uint32_t nodd, odd_cap;
	unsigned char *cells;
	struct copy *odd;
};

struct topic;

struct copies {
	struct mem_budget *budget;
	uint32_t from, to; /* parts of COPIES_WHOLE */
	bool keep_lines;
	struct delivery_row *rows; /* by mid */
	size_t nrows, cap;
	size_t held; /* bytes of cells and odd copies */
};

/* Start a pass over the members [from, to); rows are emptied. */
void copies_begin(struct copies *c, uint32_t from, uint32_t to, bool keep_lines);
void copies_done(struct copies *c);

/* How many parts the first pass should begin with when about so many deliveries are to come: a pass that is narrowed on the way
 * leaves holes behind. */
uint32_t copies_first_parts(const struct copies *c, uint64_t deliveries, bool keep_lines);

/* How many parts a pass behind this one may take, by what this one holds now. */
uint32_t copies_next_parts(const struct copies *c);

/* The members [*ret_first, *ret_first + n) of a topic of `members` that a pass looks at; returns n. */
uint32_t copies_range(const struct copies *c, uint32_t members, uint32_t *ret_first);

/* Put down one copy of message `mid`. `topics` are the ledger's. May narrow the range of the pass. */
MUST_CHECK enum imp_rc copies_add(struct copies *c, const struct topic *topics, uint32_t mid, const struct copy *copy,
    struct imp_err *err);

/* The cell of a member number (of the row's topic): its arrival or NO_TIME; place and check with keep_lines, else 0. */
int64_t copies_cell(const struct copies *c, const struct delivery_row *row, uint32_t i, uint64_t *ret_place, uint32_t *ret_check);

/* Take a copy out of its cell. */
void copies_clear_cell(const struct copies *c, struct delivery_row *row, uint32_t i);

/* One more odd copy in a row that was read already (never narrows the pass). */
MUST_CHECK enum imp_rc copies_add_odd(struct copies *c, struct delivery_row *row, const struct copy *copy, struct imp_err *err);

/* Move what is in the cells of a row to its odd copies. `t` is the row's topic. */
MUST_CHECK enum imp_rc copies_spill(struct copies *c, const struct topic *t, struct delivery_row *row, struct imp_err *err);

/* Arrivals of all cells of a row, NO_TIME where there is none: `t` has room for row->width. */
void copies_cells(const struct copies *c, const struct delivery_row *row, int64_t *t);
