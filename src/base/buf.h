/* base/buf.h - a byte buffer with a cap given at birth; hitting the cap is IMP_E_LIMIT, not growth.
 *
 * An error sticks: after the first failed append every later one is a no-op, and buf_status() reports it. So a long row of appends
 * is checked once, at its end. The content is always NUL-terminated. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

struct buf {
	char *p;
	size_t n, cap, max;
	enum imp_rc failed;
};

#define BUF_INIT(max_bytes) \
	{ \
		.max = (max_bytes) \
	}

void buf_done(struct buf *b);		    /* for CLEANUP() too */
void buf_clear(struct buf *b);		    /* empty, reusable, the error gone */
void buf_truncate(struct buf *b, size_t n); /* keep the first n bytes */
void buf_add(struct buf *b, const void *p, size_t n);
void buf_add_slice(struct buf *b, struct slice s);
void buf_add_str(struct buf *b, const char *s);
void buf_add_char(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
struct slice buf_slice(const struct buf *b); /* borrows until the next change */
/* `part` was made apart to go into `b`: false when something is missing in it, and then `b` has failed as it did. */
bool buf_part_ok(struct buf *b, const struct buf *part);
MUST_CHECK enum imp_rc buf_status(const struct buf *b, struct imp_err *err);
