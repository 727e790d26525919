/* store/block.h - first copies of one message at a range of its topic's members, packed.
 *
 * body = varint members, zigzag varint seq, zigzag varint base, varint bits, varint outliers, then `members` codes of `bits` bits
 * each, lowest bit first, then the outliers. Code 0 is "no copy", else the arrival is base + code - 1 (UTC ns); `base` is the earliest
 * arrival of the block. An outlier, whose code needs more than `bits` bits (a late copy), is 0 among the codes and stands behind them:
 * varint member - previous outlier's member - 1 (the first: its member), varint code. `bits` is chosen so that the body is shortest.
 * About 3.5 bytes a delivery for real arrivals: their last 27 bits are noise that nothing compresses. Pure functions, any thread. */
#pragma once
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#define BLOCK_ABSENT INT64_MIN
#define BLOCK_MEMBERS_MAX (1u << 24)

struct block {
	uint32_t members;
	int64_t seq;   /* that every copy of the block carries */
	int64_t base;  /* ns */
	unsigned bits; /* 0..64 */
	uint32_t outliers;
	struct slice codes; /* borrowed from the body, as are the outliers */
	struct slice outlier_list;
};

/* Append the packed form of `t[0..members)`, at most BLOCK_MEMBERS_MAX, to `out` (check buf_status() there). */
void block_encode(int64_t seq, const int64_t *t, uint32_t members, struct buf *out);

/* Read the head of a body. IMP_E_DB when it is damaged: after success every member can be read. */
MUST_CHECK enum imp_rc block_open(struct slice body, struct block *ret, struct imp_err *err);

/* Unpack the members [first, first + n) of the block into `t`. */
void block_decode(const struct block *b, uint32_t first, uint32_t n, int64_t *t);

/* The arrival at one member, or BLOCK_ABSENT. */
int64_t block_get(const struct block *b, uint32_t member);
