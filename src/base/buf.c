#include "config.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
buf_reserve(struct buf *b, size_t more)
{
	size_t cap = b->cap > 0 ? b->cap : 256;
	char *p;

	if (b->failed != IMP_OK)
		return 0;
	if (more > b->max || b->n > b->max - more) {
		b->failed = IMP_E_LIMIT;
		return 0;
	}
	while (cap < b->n + more + 1)
		cap *= 2;
	if (cap == b->cap)
		return 1;
	p = realloc(b->p, cap);
	if (p == NULL) {
		b->failed = IMP_E_NOMEM;
		return 0;
	}
	b->p = p;
	b->cap = cap;
	return 1;
}

void
buf_done(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ .max = b->max };
}

void
buf_clear(struct buf *b)
{
	b->n = 0;
	b->failed = IMP_OK;
	if (b->p != NULL)
		b->p[0] = '\0';
}

void
buf_truncate(struct buf *b, size_t n)
{
	if (n < b->n) {
		b->n = n;
		b->p[n] = '\0';
	}
}

void
buf_add(struct buf *b, const void *p, size_t n)
{
	if (!buf_reserve(b, n))
		return;
	if (n > 0)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void
buf_add_slice(struct buf *b, struct slice s)
{
	buf_add(b, s.p, s.n);
}

void
buf_add_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void
buf_add_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void
buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n >= 0 && buf_reserve(b, (size_t)n)) {
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
}

struct slice
buf_slice(const struct buf *b)
{
	return (struct slice){ b->n > 0 ? b->p : "", b->n };
}

bool
buf_part_ok(struct buf *b, const struct buf *part)
{
	if (part->failed != IMP_OK && b->failed == IMP_OK)
		b->failed = part->failed;
	return part->failed == IMP_OK;
}

enum imp_rc
buf_status(const struct buf *b, struct imp_err *err)
{
	switch (b->failed) {
	case IMP_OK:
		return IMP_OK;
	case IMP_E_LIMIT:
		return imp_err_set(err, IMP_E_LIMIT, "text exceeds %zu bytes", b->max);
	default:
		return imp_err_set(err, b->failed, "out of memory");
	}
}
