#include "config.h"

#include "classify/out.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/redact.h"

#define REDACTED_GROWTH 11 /* at most: every secret is at least a byte, and what stands for it has ten */

void
out_begin(struct out *o, const char *sql)
{
	o->column = 0;
	o->st = NULL;
	if (o->rc == IMP_OK)
		o->rc = store_stmt(o->s, sql, &o->st, o->err);
	out_int(o, o->run_no);
}

void
out_int(struct out *o, int64_t v)
{
	if (o->rc == IMP_OK)
		sqlite3_bind_int64(o->st, ++o->column, v);
}

void
out_null(struct out *o)
{
	if (o->rc == IMP_OK)
		sqlite3_bind_null(o->st, ++o->column);
}

void
out_opt(struct out *o, int64_t v)
{
	if (v == NO_TIME)
		out_null(o);
	else
		out_int(o, v);
}

void
out_number(struct out *o, uint32_t v)
{
	if (v == NONE)
		out_null(o);
	else
		out_int(o, v);
}

void
out_real(struct out *o, double v)
{
	if (o->rc == IMP_OK)
		sqlite3_bind_double(o->st, ++o->column, v);
}

void
out_text(struct out *o, struct slice s)
{
	if (o->rc == IMP_OK)
		store_bind_slice(o->st, ++o->column, s);
}

void
out_redacted(struct out *o, struct slice s)
{
	CLEANUP(buf_done) struct buf kept = BUF_INIT(s.n * REDACTED_GROWTH + 1);

	/* a single word holds none, and most texts are one: timeout, reset */
	if (s.p == NULL || (memchr(s.p, ':', s.n) == NULL && memchr(s.p, '=', s.n) == NULL && memchr(s.p, ' ', s.n) == NULL)) {
		out_text(o, s);
		return;
	}
	redact_add(&kept, s);
	if (o->rc == IMP_OK)
		o->rc = buf_status(&kept, o->err);
	if (o->rc == IMP_OK)
		sqlite3_bind_text64(o->st, ++o->column, buf_slice(&kept).p, kept.n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void
out_str(struct out *o, const char *s)
{
	out_text(o, slice_of(s));
}

void
out_blob(struct out *o, const void *p, size_t n)
{
	if (o->rc == IMP_OK)
		sqlite3_bind_blob64(o->st, ++o->column, p, n, SQLITE_STATIC);
}

void
out_place(struct out *o, uint64_t place)
{
	out_int(o, place_file(place));
	out_int(o, place_line(place));
}

void
out_end(struct out *o)
{
	if (o->rc == IMP_OK)
		o->rc = store_step_done(o->s, o->st, o->err);
}
