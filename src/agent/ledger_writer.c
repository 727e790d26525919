#include "config.h"

#include "agent/ledger_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/time.h"

#define BLOCK_BYTES ((size_t)256 << 10)
#define LINE_BYTES_MAX ((size_t)1 << 20)
#define RESERVE_STEP ((uint64_t)1 << 20) /* of the file, kept free ahead of what is written */
#define RESERVE_END ((uint64_t)64 << 10) /* of these, for what ends the file */
#define COMPRESS_LEVEL 3

/* Lines of one thread, on their way. */
struct block {
	struct block *next;
	struct buf text;
	uint64_t lines;
};

struct ledger_file {
	int fd;
	unsigned number;
	uint64_t written;  /* bytes in the file */
	uint64_t text;	   /* of lines, before compression */
	uint64_t reserved; /* bytes from its beginning that are the file's */
	int64_t begun;	   /* monotonic ns */
};

struct ledger_writer {
	struct ledger_writer_options o;
	struct ledger_file file; /* the thread's */
	ZSTD_CCtx *zstd;
	struct buf packed;
	uint64_t lines; /* in the files */
	pthread_t thread;
	pthread_mutex_t lock; /* of the queue, `ending` and `err` */
	pthread_cond_t work;
	struct block *first, **last;
	bool ending;
	struct imp_err err;
	atomic_bool failed;
	_Atomic uint64_t waiting; /* bytes in the queue */
	_Atomic uint64_t lost;	  /* lines that came after the failure */
};

struct ledger_lines {
	struct ledger_writer *w;
	struct block *block; /* NULL: none is begun */
	size_t line_at;	     /* where the line that is being made begins */
};

/* ------------------------------------------------------------------ the file */

static enum imp_rc
io_failed(struct ledger_writer *w, int errnum, struct imp_err *err)
{
	enum imp_rc rc =
	    imp_err_errno(err, IMP_E_IO, errnum, "could not write the ledger '%s-%04u.jsonl'", w->o.agent, w->file.number);

	imp_err_hint(err, "the run cannot be judged without it: make room, or give another --out, and repeat the run");
	return rc;
}

/* Make sure that `n` more bytes fit, and the end of the ledger behind them. Where the file system cannot promise it, nothing is lost but
 * the promise. */
static enum imp_rc
reserve(struct ledger_writer *w, uint64_t n, struct imp_err *err)
{
	struct ledger_file *f = &w->file;
	const uint64_t need = f->written + n + RESERVE_END;

	if (need <= f->reserved)
		return IMP_OK;
	if (fallocate(f->fd, FALLOC_FL_KEEP_SIZE, (off_t)f->written, (off_t)(n + RESERVE_END + RESERVE_STEP)) == 0) {
		f->reserved = need + RESERVE_STEP;
		return IMP_OK;
	}
	if (fallocate(f->fd, FALLOC_FL_KEEP_SIZE, (off_t)f->written, (off_t)(n + RESERVE_END)) == 0 || errno == EOPNOTSUPP) {
		f->reserved = need;
		return IMP_OK;
	}
	return io_failed(w, errno, err);
}

static enum imp_rc
write_bytes(struct ledger_writer *w, const char *p, size_t n, struct imp_err *err)
{
	while (n > 0) {
		ssize_t got = write(w->file.fd, p, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return io_failed(w, got < 0 ? errno : ENOSPC, err);
		p += got;
		n -= (size_t)got;
		w->file.written += (uint64_t)got;
	}
	return IMP_OK;
}

/* Text behind what the file has, readable by others from now on. `end`: no more will come. */
static enum imp_rc
put(struct ledger_writer *w, struct slice text, bool end, bool reserved, struct imp_err *err)
{
	enum imp_rc rc = reserved ? IMP_OK : reserve(w, text.n, err);
	const uint64_t before = w->file.written;
	struct slice out = text;

	if (rc != IMP_OK)
		return rc;
	if (w->o.compress) {
		ZSTD_inBuffer in = { text.p, text.n, 0 };
		char chunk[16384];
		size_t left;

		buf_clear(&w->packed);
		do {
			ZSTD_outBuffer to = { chunk, sizeof(chunk), 0 };

			left = ZSTD_compressStream2(w->zstd, &to, &in, end ? ZSTD_e_end : ZSTD_e_flush);
			if (ZSTD_isError(left))
				return imp_err_set(err, IMP_E_NOMEM, "could not compress the ledger: %s", ZSTD_getErrorName(left));
			buf_add(&w->packed, chunk, to.pos);
		} while (left > 0);
		rc = buf_status(&w->packed, err);
		out = buf_slice(&w->packed);
	}
	if (rc == IMP_OK)
		rc = write_bytes(w, out.p, out.n, err);
	if (rc != IMP_OK && !w->o.compress && ftruncate(w->file.fd, (off_t)before) == 0 &&
	    lseek(w->file.fd, (off_t)before, SEEK_SET) >= 0)
		w->file.written = before; /* a line that is torn in the midst is none */
	w->file.text += text.n;
	return rc;
}

static enum imp_rc
open_file(struct ledger_writer *w, struct imp_err *err)
{
	char name[512];
	struct ledger_file f = { .number = w->file.number + 1, .begun = time_monotonic() };

	snprintf(name, sizeof(name), "%s-%04u.jsonl%s", w->o.agent, f.number, w->o.compress ? ".zst" : "");
	f.fd = openat(w->o.dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (f.fd < 0) {
		enum imp_rc rc = imp_err_errno(err, IMP_E_CREATE, errno, "could not create the ledger '%s'", name);

		if (errno == EEXIST)
			imp_err_hint(err, "a ledger is never written over: give a new run id, or another --out");
		return rc;
	}
	if (w->o.compress)
		ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_only);
	w->file = f;
	return IMP_OK;
}

/* What was kept free and not used goes back; the file is on the disk. */
static enum imp_rc
close_file(struct ledger_writer *w, struct imp_err *err)
{
	struct ledger_file *f = &w->file;
	int bad = 0;

	if (f->fd < 0)
		return IMP_OK;
	if (ftruncate(f->fd, (off_t)f->written) != 0 || fsync(f->fd) != 0)
		bad = errno;
	if (close(f->fd) != 0 && bad == 0)
		bad = errno;
	f->fd = -1;
	return bad == 0 || bad == EINVAL ? IMP_OK : io_failed(w, bad, err);
}

static enum imp_rc
rotate(struct ledger_writer *w, struct imp_err *err)
{
	const struct ledger_file *f = &w->file;
	enum imp_rc rc;

	if (f->text == 0 ||
	    !((w->o.rotate_bytes > 0 && f->text >= w->o.rotate_bytes) ||
		(w->o.rotate_ns > 0 && time_monotonic() - f->begun >= w->o.rotate_ns)))
		return IMP_OK;
	rc = w->o.compress ? put(w, SLICE(""), true, true, err) : IMP_OK;
	if (rc == IMP_OK)
		rc = close_file(w, err);
	return rc == IMP_OK ? open_file(w, err) : rc;
}

/* ------------------------------------------------------------------ the thread */

static void
block_free(struct block *b)
{
	if (b != NULL)
		buf_done(&b->text);
	free(b);
}

static void
fail(struct ledger_writer *w, const struct imp_err *err)
{
	pthread_mutex_lock(&w->lock);
	if (!atomic_load(&w->failed))
		w->err = *err;
	atomic_store(&w->failed, true);
	pthread_mutex_unlock(&w->lock);
}

static void
write_block(struct ledger_writer *w, struct block *b)
{
	struct imp_err err;
	enum imp_rc rc = IMP_OK;

	if (!atomic_load(&w->failed)) {
		rc = rotate(w, &err);
		if (rc == IMP_OK)
			rc = put(w, buf_slice(&b->text), false, false, &err);
		if (rc == IMP_OK)
			w->lines += b->lines;
		else
			fail(w, &err);
	}
	if (atomic_load(&w->failed))
		atomic_fetch_add(&w->lost, b->lines);
	atomic_fetch_sub(&w->waiting, b->text.n);
	block_free(b);
}

static void *
writer_run(void *payload)
{
	struct ledger_writer *w = payload;
	bool more = true;

	while (more) {
		struct block *b;

		pthread_mutex_lock(&w->lock);
		while (w->first == NULL && !w->ending)
			pthread_cond_wait(&w->work, &w->lock);
		b = w->first;
		w->first = NULL;
		w->last = &w->first;
		more = !w->ending || b != NULL;
		pthread_mutex_unlock(&w->lock);
		while (b != NULL) {
			struct block *next = b->next;

			write_block(w, b);
			b = next;
		}
	}
	return NULL;
}

bool
ledger_writer_failed(const struct ledger_writer *w)
{
	return atomic_load_explicit(&w->failed, memory_order_relaxed);
}

/* ------------------------------------------------------------------ lines */

enum imp_rc
ledger_lines_new(struct ledger_writer *w, struct ledger_lines **ret, struct imp_err *err)
{
	struct ledger_lines *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: lines of the ledger");
	l->w = w;
	*ret = l;
	return IMP_OK;
}

/* Out of memory, or too much waits for the disk. */
static void
lines_failed(struct ledger_lines *l, uint64_t lines, enum imp_rc code, const char *why)
{
	struct imp_err err;

	imp_err_set(&err, code, "%s", why);
	fail(l->w, &err);
	atomic_fetch_add(&l->w->lost, lines);
}

void
ledger_lines_flush(struct ledger_lines *l)
{
	struct ledger_writer *w = l->w;
	struct block *b = l->block;

	if (b == NULL || b->lines == 0)
		return;
	l->block = NULL;
	if (atomic_fetch_add(&w->waiting, b->text.n) + b->text.n > w->o.queue_bytes) {
		atomic_fetch_sub(&w->waiting, b->text.n);
		lines_failed(l, b->lines, IMP_E_LIMIT, "the disk cannot follow the ledger");
		block_free(b);
		return;
	}
	pthread_mutex_lock(&w->lock);
	*w->last = b;
	w->last = &b->next;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

void
ledger_lines_free(struct ledger_lines *l)
{
	if (l == NULL)
		return;
	ledger_lines_flush(l);
	block_free(l->block);
	free(l);
}

void
ledger_line(struct ledger_lines *l, const char *ev, int64_t t)
{
	if (l->block == NULL) {
		l->block = calloc(1, sizeof(*l->block));
		if (l->block == NULL) {
			lines_failed(l, 1, IMP_E_NOMEM, "out of memory: lines of the ledger");
			return;
		}
		l->block->text = (struct buf)BUF_INIT(BLOCK_BYTES + LINE_BYTES_MAX);
	}
	l->line_at = l->block->text.n;
	buf_addf(&l->block->text, "{\"ev\":\"%s\",\"t\":%" PRId64, ev, t);
}

/* ,"KEY": of the line that was begun; NULL when there is none. */
static struct buf *
key(struct ledger_lines *l, const char *name)
{
	struct buf *out = l->block != NULL ? &l->block->text : NULL;

	if (out != NULL) {
		buf_add_str(out, ",\"");
		buf_add_str(out, name);
		buf_add_str(out, "\":");
	}
	return out;
}

void
ledger_text(struct ledger_lines *l, const char *name, struct slice value)
{
	struct buf *out = key(l, name);

	if (out != NULL) {
		buf_add_char(out, '"');
		text_add_json(out, value);
		buf_add_char(out, '"');
	}
}

void
ledger_str(struct ledger_lines *l, const char *name, const char *value)
{
	if (value != NULL)
		ledger_text(l, name, slice_of(value));
}

void
ledger_int(struct ledger_lines *l, const char *name, int64_t value)
{
	struct buf *out = key(l, name);

	if (out != NULL)
		buf_addf(out, "%" PRId64, value);
}

void
ledger_line_end(struct ledger_lines *l)
{
	struct block *b = l->block;

	if (b == NULL)
		return;
	buf_add_str(&b->text, "}\n");
	if (buf_status(&b->text, NULL) != IMP_OK) {
		lines_failed(l, b->lines + 1, IMP_E_LIMIT, "a line of the ledger is longer than 1 MiB, or memory is short");
		l->block = NULL;
		block_free(b);
		return;
	}
	b->lines++;
	if (b->text.n >= BLOCK_BYTES)
		ledger_lines_flush(l);
}

/* ------------------------------------------------------------------ begin and end */

static void
writer_free(struct ledger_writer *w)
{
	if (w->file.fd >= 0)
		close(w->file.fd);
	for (struct block *b = w->first, *next; b != NULL; b = next) {
		next = b->next;
		block_free(b);
	}
	ZSTD_freeCCtx(w->zstd);
	buf_done(&w->packed);
	pthread_cond_destroy(&w->work);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static enum imp_rc
begin(struct ledger_writer *w, struct imp_err *err)
{
	struct ledger_lines l = { .w = w };
	enum imp_rc rc = IMP_OK;

	if (w->o.compress) {
		w->zstd = ZSTD_createCCtx();
		if (w->zstd == NULL || ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, COMPRESS_LEVEL)))
			return imp_err_set(err, IMP_E_NOMEM, "out of memory: compression of the ledger");
	}
	rc = open_file(w, err);
	if (rc != IMP_OK)
		return rc;
	ledger_line(&l, "start", time_now());
	ledger_str(&l, "agent", w->o.agent);
	ledger_str(&l, "version", w->o.version);
	ledger_str(&l, "plan_sha256", w->o.plan_sha256);
	ledger_line_end(&l);
	if (l.block == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: lines of the ledger");
	rc = put(w, buf_slice(&l.block->text), false, false, err);
	w->lines = 1;
	block_free(l.block);
	return rc;
}

enum imp_rc
ledger_writer_open(const struct ledger_writer_options *o, struct ledger_writer **ret, struct imp_err *err)
{
	struct ledger_writer *w = calloc(1, sizeof(*w));
	enum imp_rc rc;
	int bad;

	if (w == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: a ledger");
	w->o = *o;
	w->file.fd = -1;
	w->last = &w->first;
	w->packed = (struct buf)BUF_INIT(ZSTD_COMPRESSBOUND(BLOCK_BYTES + LINE_BYTES_MAX) + BLOCK_BYTES);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	rc = begin(w, err);
	bad = rc == IMP_OK ? pthread_create(&w->thread, NULL, writer_run, w) : 0;
	if (bad != 0)
		rc = imp_err_errno(err, IMP_E_NOMEM, bad, "could not start the thread of the ledger");
	if (rc != IMP_OK) {
		writer_free(w);
		return rc;
	}
	*ret = w;
	return IMP_OK;
}

/* The last line; its room was kept. */
static enum imp_rc
put_end(struct ledger_writer *w, const char *why, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(LINE_BYTES_MAX);

	buf_addf(&text, "{\"ev\":\"end\",\"t\":%" PRId64 ",\"agent\":\"", time_now());
	text_add_json(&text, slice_of(w->o.agent));
	buf_addf(&text, "\",\"events\":%" PRIu64, w->lines);
	if (why != NULL) {
		buf_add_str(&text, ",\"why\":\"");
		text_add_json(&text, slice_of(why));
		buf_add_char(&text, '"');
	}
	buf_add_str(&text, "}\n");
	return buf_status(&text, NULL) == IMP_OK ? put(w, buf_slice(&text), true, true, err) :
						   imp_err_set(err, IMP_E_NOMEM, "out of memory: the end of the ledger");
}

enum imp_rc
ledger_writer_close(struct ledger_writer *w, const char *why, struct imp_err *err)
{
	struct imp_err ending;
	bool failed;
	enum imp_rc rc;

	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);

	failed = atomic_load(&w->failed);
	if (failed)
		imp_err_wrap(&w->err, "%" PRIu64 " lines are not in the ledger", atomic_load(&w->lost));
	rc = w->file.fd >= 0 ? put_end(w, failed ? w->err.msg : why, &ending) : IMP_OK;
	if (rc == IMP_OK)
		rc = close_file(w, &ending);
	if (failed) {
		rc = w->err.code;
		ending = w->err;
	}
	if (rc != IMP_OK && err != NULL)
		*err = ending;
	writer_free(w);
	return rc;
}
