/* ingest/log_hits.h - the hits of one stream, put together by signature, second and subject while it is read.
 *
 * Rows are limited for all streams of a unit together (`room`): when it is used up a stream drops its subjects, then makes its
 * seconds longer; then, beyond LOG_HITS_MIN rows, it is full. Life cycle: zeroed, log_hits_done(). Threading: one thread. */
#pragma once
#include "ingest/log.h"
#include "ingest/log_time.h"

#define LOG_HITS_MIN ((size_t)1000) /* rows that a stream has in any case */

struct log_hit_row {
	struct log_hit hit;
	enum log_time_kind kind; /* what hit.second and the times are */
};

struct log_hits {
	VEC(struct log_hit_row) v; /* in order of the first */
	uint32_t *slot;		   /* number + 1 in v, 0 is free */
	size_t nslots;
	bool no_subjects;
	bool full;     /* some hits are not here: they are of no row, and there was no room for another one */
	int64_t grain; /* seconds of a row; 0 is 1 */
};

/* Count a hit; a new row takes the text from `text` (into `arena`). */
MUST_CHECK enum imp_rc log_hits_add(struct log_hits *h, struct arena *arena, size_t *room, const struct log_hit *hit,
    enum log_time_kind kind, struct slice text, struct imp_err *err);

/* Local times become absolute ones by `offset_ns`, or undated when `known` is false; then rows that are now one are put together. */
MUST_CHECK enum imp_rc log_hits_settle(struct log_hits *h, size_t *room, bool known, int64_t offset_ns, struct imp_err *err);
void log_hits_done(struct log_hits *h);
