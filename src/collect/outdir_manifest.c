#include "config.h"

#include "collect/outdir_manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/search.h"

#define MANIFEST "manifest.sha256"
#define MANIFEST_BYTES_MAX ((size_t)64 << 20)
#define READ_BYTES ((size_t)64 << 10)

enum imp_rc
manifest_lines_add(struct manifest_lines *l, struct slice path, const unsigned char sum[SHA256_BYTES], struct imp_err *err)
{
	struct manifest_line line = { .path = strndup(path.p, path.n) };
	enum imp_rc rc;

	if (line.path == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	memcpy(line.sum, sum, SHA256_BYTES);
	rc = VEC_PUSH(NULL, &l->v, line, err);
	if (rc != IMP_OK)
		free(line.path);
	return rc;
}

void
manifest_lines_done(struct manifest_lines *l)
{
	for (size_t i = 0; i < l->v.n; i++)
		free(l->v.v[i].path);
	VEC_FREE(NULL, &l->v);
}

static int
line_cmp(const void *a, const void *b)
{
	return strcmp(((const struct manifest_line *)a)->path, ((const struct manifest_line *)b)->path);
}

/* The text of the manifest; nothing when there is none. */
static enum imp_rc
read_manifest(int dirfd, struct buf *out, struct imp_err *err)
{
	CLEANUP(close_fdp) int fd = beneath_open(dirfd, MANIFEST, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	CLEANUP(freep) char *piece = malloc(READ_BYTES);
	ssize_t n;

	if (piece == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	if (fd < 0)
		return errno == ENOENT ? IMP_OK : imp_err_errno(err, IMP_E_IO, errno, "could not open '%s'", MANIFEST);
	while ((n = read(fd, piece, READ_BYTES)) != 0) {
		if (n < 0 && errno != EINTR)
			return imp_err_errno(err, IMP_E_IO, errno, "could not read '%s'", MANIFEST);
		if (n > 0)
			buf_add(out, piece, (size_t)n);
	}
	return buf_status(out, err);
}

/* Is the line one about a file that is in the list? */
static bool
line_is_replaced(const struct manifest_lines *l, struct slice line)
{
	const struct slice here = SLICE("./");
	struct slice path = { line.p + 2 * SHA256_BYTES + 2, 0 };
	size_t i;

	if (line.n <= 2 * SHA256_BYTES + 2)
		return false;
	path.n = line.n - 2 * SHA256_BYTES - 2;
	if (slice_has_prefix(path, here))
		path = (struct slice){ path.p + here.n, path.n - here.n };
	LOWER_BOUND(i, 0, l->v.n, slice_cmp(slice_of(l->v.v[i].path), path) < 0);
	return i < l->v.n && slice_eq(slice_of(l->v.v[i].path), path);
}

static void
add_others(const struct manifest_lines *l, struct slice old, struct buf *out)
{
	while (old.n > 0) {
		const char *end = memchr(old.p, '\n', old.n);
		struct slice line = { old.p, end != NULL ? (size_t)(end - old.p) : old.n };
		size_t used = line.n + (end != NULL);

		if (!line_is_replaced(l, line)) {
			buf_add_slice(out, line);
			buf_add_char(out, '\n');
		}
		old = (struct slice){ old.p + used, old.n - used };
	}
}

static void
add_line(const struct manifest_line *line, struct buf *out)
{
	for (size_t i = 0; i < SHA256_BYTES; i++)
		buf_addf(out, "%02x", line->sum[i]);
	buf_addf(out, "  %s\n", line->path);
}

static enum imp_rc
merge_locked(int dirfd, struct manifest_lines *l, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf old = BUF_INIT(MANIFEST_BYTES_MAX), text = BUF_INIT(MANIFEST_BYTES_MAX);
	enum imp_rc rc = read_manifest(dirfd, &old, err);

	if (rc != IMP_OK)
		return rc;
	qsort(l->v.v, l->v.n, sizeof(*l->v.v), line_cmp);
	add_others(l, buf_slice(&old), &text);
	for (size_t i = 0; i < l->v.n; i++)
		add_line(&l->v.v[i], &text);
	rc = buf_status(&text, err);
	return rc == IMP_OK ? io_replace(dirfd, MANIFEST, buf_slice(&text), err) : rc;
}

enum imp_rc
manifest_merge(int dirfd, struct manifest_lines *l, struct imp_err *err)
{
	/* a descriptor of its own: the lock goes with it */
	CLEANUP(close_fdp) int lock = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed;

	if (l->v.n == 0)
		return IMP_OK;
	if (lock < 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not open the directory of '%s'", MANIFEST);
	do {
		failed = flock(lock, LOCK_EX);
	} while (failed != 0 && errno == EINTR);
	if (failed != 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not lock the directory of '%s'", MANIFEST);
	return merge_locked(dirfd, l, err);
}
