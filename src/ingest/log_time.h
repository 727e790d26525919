/* ingest/log_time.h - times as lines of logs write them, of the runtime or of the program itself.
 *
 * Most lines share their second with the line before: a clock keeps the last second that it read, so that only its digits are
 * compared. Pure but for the clock, which belongs to one thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum log_time_kind {
	LOG_UNDATED,
	LOG_LOCAL,    /* no zone is written: `ns` is what it would be if it were UTC */
	LOG_ABSOLUTE, /* with its zone */
};

struct log_time {
	enum log_time_kind kind;
	int64_t ns;
	bool fine; /* digits below the second are written */
};

struct log_clock {
	int64_t near;  /* Unix s: years and dates that are not written are those nearest to it */
	char text[19]; /* YYYY-MM-DDThh:mm:ss as it was written ... */
	int64_t second;
	char short_text[14]; /* ... and MMDD hh:mm:ss or hh:mm:ss, with what it was taken for */
	size_t short_n;
	int64_t short_second;
};

/* `2026-09-27T02:02:45.123456789+08:00` at the start of `s`: T or a space, any fraction after a point or comma, Z, +08:00, +0800 or
 * no zone. *ret_end is where it ends. */
bool log_time_read(struct log_clock *c, struct slice s, struct log_time *ret, size_t *ret_end);

/* The time that a program puts before its own lines: Go `log` with a level letter and any flags, klog and glog, RFC 3339 and what is
 * like it, `time=` and `ts=`, JSON with `ts`, `time`, `timestamp` or `@timestamp`. False: this is no such line. A line of Go `log`
 * that has a date and no time is one, undated. */
bool log_time_of_text(struct log_clock *c, struct slice text, struct log_time *ret);

/* As JSON carries it: text as above, or a number of s, ms, us or ns since 1970 (by its size). */
bool log_time_of_json(struct log_clock *c, struct slice value, struct log_time *ret);
