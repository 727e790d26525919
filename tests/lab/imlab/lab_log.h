/* lab_log.h - the log in the server's form: "W2026/11/30 16:49:50.507573 topic.go:423: text".
 *
 * Level, local time with microseconds, the file and line that the server's own line has, then the text. Lines are buffered and
 * written when the loop is about to sleep; E lines at once. One thread. */
#pragma once
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct lab_log {
	int fd;
	bool quiet; /* nothing is logged */
	struct buf out;
};

#define LAB_LOG_BUFFER ((size_t)1 << 20)

MUST_CHECK enum imp_rc log_open(struct lab_log *log, const char *path, struct imp_err *err); /* NULL: standard error */
void log_close(struct lab_log *log);
void log_flush(struct lab_log *log);
/* `place` is "topic.go:423". */
void log_line(struct lab_log *log, char level, const char *place, const char *fmt, ...) PRINTF_LIKE(4, 5);
