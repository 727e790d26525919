/* ingest/log_stream.h - the lines of one container in their order: put together to events, dated, counted, looked through.
 *
 * An event is a line, with the parts that the runtime cut it into; of a program's own text also the lines behind it that do not begin
 * as its lines do; or a whole dump of the Go runtime. Life cycle: 1. log_stream_new()  2. log_stream_line() for each line
 * 3. log_stream_end()  4. log_stream_free(). Threading: one thread, with its `struct log_scan`. */
#pragma once
#include "base/buf.h"
#include "ingest/log_hits.h"
#include "ingest/log_line.h"
#include "ingest/log_resent.h"

#define LOG_NOTE_MAX ((size_t)600) /* bytes of a stream's note */

/* What the streams of one unit share while it is read. */
struct log_scan {
	struct ledger *l;	      /* files[] of the unit are its own; the rest is read only */
	const int64_t *first_pub;     /* by mid, NO_TIME */
	struct matcher_thread *match; /* NULL: nothing to look for */
	size_t nsignatures;	      /* of the set; those behind it are the reader's own */
	struct log_clock clock;
	struct log_deep deep;
	size_t hits_room, seconds_room; /* rows that may still be made */
	VEC(struct damage) damages;
};

struct log_text { /* of an event that may go on; 16 bytes behind it are readable */
	char *p;
	size_t n, cap;
	struct log_time t;
	uint64_t place;
	bool is;   /* there is one */
	bool over; /* LOG_EVENT_MAX was reached */
};

struct log_pipe_state {
	struct log_text parts, event;
	bool dump, traced; /* of `event`: a dump, one whose stack has begun */
	bool of_runtime;   /* event.t is the runtime's */
	unsigned words;	   /* lines of the dump before its stack */
	struct log_window window;
};

struct log_track { /* of the times of one kind */
	int64_t first_t, last_t, seen_t, gap_ns;
	VEC(struct log_second) seconds;
};

struct log_stream {
	struct log_source source; /* what comes of it; seconds and hits at the end */
	struct log_pipe_state pipe[_LOG_PIPE_MAX];
	struct log_track track[LOG_ABSOLUTE + 1];
	struct log_hits hits;
	struct log_zone_votes beside, anchors;
	struct log_time last; /* of the last line that had one */
	struct buf note;
	uint64_t lines_of_file; /* in the file that is being read */
	bool headed;		/* lines of the program begin with a time */
};

MUST_CHECK enum imp_rc log_stream_new(struct slice pod, struct slice container, const char *format, uint32_t file,
    struct log_stream **ret, struct imp_err *err);
void log_stream_free(struct log_stream *s); /* takes NULL; not what log_stream_end() gave away */

/* A line of the stream, in the order of the log. `bare`: the file holds what the program wrote, without times of the runtime. */
MUST_CHECK enum imp_rc log_stream_line(struct log_stream *s, struct log_scan *scan, const struct log_line *line, bool bare,
    uint64_t place, struct imp_err *err);

/* Words for the stream's note, each once. */
void log_stream_note(struct log_stream *s, const char *words);

/* No more lines: what is open is an event, times without zone are settled, and the result goes to *ret. `stated` is run.json's
 * `log_zone`, NULL when there is none. */
MUST_CHECK enum imp_rc log_stream_end(struct log_stream *s, struct log_scan *scan, const int64_t *stated_ns, struct log_source *ret,
    struct imp_err *err);

/* Put down that something of a line is lost. */
MUST_CHECK enum imp_rc log_damaged(struct log_scan *scan, uint64_t place, const char *reason, struct imp_err *err);
