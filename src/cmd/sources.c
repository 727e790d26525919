#include "config.h"

#include "cmd/sources.h"

#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "ingest/event.h"
#include "ingest/line.h"
#include "ingest/source.h"
#include "sql_gen.h"

static enum imp_rc
keep_text(struct sources *src, sqlite3_stmt *st, int column, struct slice *ret, struct imp_err *err)
{
	*ret = (struct slice){ NULL, 0 };
	if (sqlite3_column_type(st, column) == SQLITE_NULL)
		return IMP_OK;
	*ret = arena_slice(&src->arena, store_column_slice(st, column), err);
	return ret->p != NULL ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
open_files(struct sources *src, struct store *s, int64_t run_no, struct imp_err *err)
{
	sqlite3_stmt *st;
	enum imp_rc rc = store_stmt(s, sql_cmd_explain_files, &st, err);
	bool row;

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, run_no);
	while ((rc = store_step_row(s, st, &row, err)) == IMP_OK && row) {
		struct source_file f = { .file_no = sqlite3_column_int64(st, 0), .bytes = sqlite3_column_int64(st, 4) };

		f.ledger = slice_eq(store_column_slice(st, 2), SLICE("ledger"));
		rc = keep_text(src, st, 1, &f.path, err);
		if (rc == IMP_OK)
			rc = keep_text(src, st, 3, &f.sha256, err);
		if (rc == IMP_OK)
			rc = VEC_PUSH(NULL, &src->files, f, err);
		if (rc != IMP_OK)
			return rc;
	}
	return rc;
}

enum imp_rc
sources_open(struct sources *src, struct store *s, int64_t run_no, struct imp_err *err)
{
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc;

	*src = (struct sources){ 0 };
	rc = store_stmt(s, sql_cmd_explain_directory, &st, err);
	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, run_no);
	while ((rc = store_step_row(s, st, &row, err)) == IMP_OK && row) {
		rc = keep_text(src, st, 1, &src->dir, err);
		if (rc != IMP_OK)
			return rc;
	}
	return rc == IMP_OK ? open_files(src, s, run_no, err) : rc;
}

void
sources_close(struct sources *src)
{
	VEC_FREE(NULL, &src->files);
	VEC_FREE(NULL, &src->hits);
	arena_done(&src->arena);
	*src = (struct sources){ 0 };
}

/* Keep a record when it is a delivery of `mid`. */
static enum imp_rc
look_at_record(struct sources *src, size_t file, uint64_t number, const struct record *r, struct slice mid, struct imp_err *err)
{
	struct source_hit hit = { .file = file, .line = number };
	struct event e;

	if (event_check(r, &e) != NULL || e.shape != EVENT_DATA || !slice_eq(r->v[KEY_mid].s, mid))
		return IMP_OK;
	hit.t = e.t;
	hit.seq = r->v[KEY_seq].i;
	hit.receiver = arena_slice(&src->arena, r->v[KEY_to].s, err);
	return hit.receiver.p != NULL ? VEC_PUSH(NULL, &src->hits, hit, err) : IMP_E_NOMEM;
}

static enum imp_rc
look_at_line(struct sources *src, size_t file, const struct source_line *text, struct slice mid, struct record_scanner *scanner,
    struct imp_err *err)
{
	struct record record;
	struct line line;
	enum line_rc found;

	/* A mid with escapes in it looks different in the line. */
	if (memmem(text->text.p, text->text.n, mid.p, mid.n) == NULL && memchr(text->text.p, '\\', text->text.n) == NULL)
		return IMP_OK;
	line_begin(&line, text->text, text->complete);
	while ((found = line_next(&line, scanner, &record)) != LINE_END) {
		enum imp_rc rc = IMP_OK;

		if (found == LINE_NOMEM)
			return imp_err_set(err, IMP_E_NOMEM, "out of memory");
		if (found == LINE_RECORD)
			rc = look_at_record(src, file, text->number, &record, mid, err);
		if (rc != IMP_OK)
			return rc;
	}
	return IMP_OK;
}

static bool
is_same(const struct source_file *f, const struct source *source)
{
	char hex[65];

	if (f->sha256.p == NULL)
		return source_bytes(source) == (uint64_t)f->bytes;
	source_hex(source_sha256(source), hex);
	return slice_eq(slice_of(hex), f->sha256);
}

/* What becomes of a file that cannot be read, which is no error. */
static enum source_state
state_of(enum imp_rc rc)
{
	return rc == IMP_E_IO ? SOURCE_UNREADABLE : rc == IMP_E_NOINPUT ? SOURCE_GONE : SOURCE_CHANGED;
}

/* One file from its first to its last byte. */
static enum imp_rc
scan_file(struct sources *src, int dirfd, size_t file, struct slice mid, struct record_scanner *scanner, struct imp_err *err)
{
	struct source_file *f = &src->files.v[file];
	const struct source_limits limits = { .line_max = SOURCE_LINE_MAX_DEFAULT,
		.ratio_max = SOURCE_RATIO_MAX,
		.hash = f->sha256.p != NULL,
		.hash_thread = true };
	size_t before = src->hits.n;
	CLEANUP(source_closep) struct source *source = NULL;
	struct source_line line;
	struct imp_err why;
	bool more = true;
	enum imp_rc rc = source_open(dirfd, f->path.p, &limits, &source, &why);

	while (rc == IMP_OK && (rc = source_next(source, &line, &more, &why)) == IMP_OK && more)
		if (f->ledger && !line.too_long)
			rc = look_at_line(src, file, &line, mid, scanner, &why);
	if (rc == IMP_OK)
		rc = source_finish(source, &why);
	if (rc == IMP_E_NOMEM) {
		*err = why;
		return rc;
	}
	f->state = rc != IMP_OK ? state_of(rc) : is_same(f, source) ? SOURCE_SAME : SOURCE_CHANGED;
	if (f->state != SOURCE_SAME)
		src->hits.n = before;
	return IMP_OK;
}

enum imp_rc
sources_scan(struct sources *src, struct slice mid, struct imp_err *err)
{
	CLEANUP(close_fdp) int dirfd = open(src->dir.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum source_state without = errno == ENOENT || errno == ENOTDIR ? SOURCE_GONE : SOURCE_UNREADABLE;
	struct record_scanner scanner;
	enum imp_rc rc = IMP_OK;

	record_scanner_init(&scanner);
	for (size_t i = 0; i < src->files.n && rc == IMP_OK; i++) {
		if (dirfd < 0)
			src->files.v[i].state = without;
		else
			rc = scan_file(src, dirfd, i, mid, &scanner, err);
	}
	record_scanner_done(&scanner);
	return rc;
}

const struct source_hit *
sources_take(struct sources *src, struct slice receiver, int64_t t, int64_t seq)
{
	for (size_t i = 0; i < src->hits.n; i++) {
		struct source_hit *hit = &src->hits.v[i];

		if (hit->taken || hit->t != t || hit->seq != seq || !slice_eq(hit->receiver, receiver))
			continue;
		hit->taken = true;
		return hit;
	}
	return NULL;
}

const struct source_file *
sources_file(const struct sources *src, int64_t file_no)
{
	for (size_t i = 0; i < src->files.n; i++)
		if (src->files.v[i].file_no == file_no)
			return &src->files.v[i];
	return NULL;
}
