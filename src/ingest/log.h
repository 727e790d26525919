/* ingest/log.h - the logs of a run, read once: what each can testify to, how much it said in every second, and which signatures its
 * lines match.
 *
 * Parts of one log (rotated, compressed, restarted) are one stream in their order; a file that names pods in its lines gives a stream
 * for each of their containers. Memory does not grow with the lines: per stream it is a window of lines that may be sent again, the
 * seconds and the hits. Life cycle: 1. logs_read() when the ledger has its mids  2. write  3. logs_done().
 * Threading: logs_read() starts and joins its own threads; a log is read by one of them. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "ingest/ledger.h"
#include "ingest/log_zone.h"
#include "ingest/reader.h"
#include "ingest/signature.h"

#define LOG_SECONDS_MAX ((size_t)200000) /* rows of a run; later seconds are then not told apart */
#define LOG_HITS_MAX ((size_t)100000)	 /* rows of a run; then subjects are dropped, and seconds made longer */
#define LOG_TEXT_MAX ((size_t)300)	 /* bytes kept of the first line of a hit */
#define LOG_SUBJECT_MAX ((size_t)200)	 /* bytes */
#define LOG_EVENT_MAX ((size_t)64 << 10) /* bytes of an event of several lines or parts */

struct log_second {
	int64_t second;
	uint64_t lines;
	int64_t first_t, last_t;
};

struct log_hit {
	uint32_t signature;   /* in the set */
	struct slice subject; /* p NULL: none */
	int64_t second;	      /* NO_TIME */
	uint64_t n;
	int64_t first_t, last_t; /* NO_TIME */
	uint64_t place;		 /* of the first ... */
	struct slice text;	 /* ... and its text, cut and without secrets */
};

struct log_source {
	struct slice pod, container; /* container may be empty */
	const char *format;	     /* static text */
	int64_t first_t, last_t;     /* NO_TIME: not dated */
	int64_t longest_gap_ns;	     /* NO_TIME: fewer than two dated lines */
	int64_t zone_offset_ns;	     /* that was taken off its times, NO_TIME: none */
	uint64_t events, damaged, resent, gaps;
	enum log_zone zone;
	bool cut, sampled, limited;
	struct slice note;		/* p NULL: nothing to say */
	uint32_t file;			/* its first */
	VEC(struct log_second) seconds; /* in order of time */
	VEC(struct log_hit) hits;	/* by place, then signature */
	struct arena arena;		/* of the texts */
};

struct logs {
	VEC(struct log_source) v; /* by pod, container, first file */
};

/* Read what `l` has of logs; counts and hashes of the files go there. `set` may be NULL: nothing is looked for. */
MUST_CHECK enum imp_rc logs_read(struct ledger *l, const struct signature_set *set, const struct reader_options *opt,
    struct logs *ret, struct imp_err *err);
void logs_done(struct logs *logs); /* takes a zeroed one */
void log_source_done(struct log_source *s);
