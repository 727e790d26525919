#include "config.h"

#include "collect/outdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/cleanup.h"
#include "base/sha256.h"
#include "base/time.h"
#include "collect/outdir_manifest.h"

#define BUFFER_BYTES ((size_t)256 << 10)
#define NAME_BYTES_MAX 1024
#define ATTEMPTS_MAX 999 /* at a free name */

struct outdir {
	int fd;
	char *path; /* as the user gave it, for messages */
	struct manifest_lines closed;
	struct outdir_counts counts;
};

struct outfile {
	struct outdir *dir;
	int fd;
	struct buf name;
	char *buffer;
	size_t held; /* bytes of it that are not in the file yet */
	uint64_t bytes;
	struct sha256 hash;
	struct imp_err failed; /* sticks */
};

/* ------------------------------------------------------------------ the directory */

/* Make the folders of `path` that are missing; the text is changed in between. */
static int
make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		int bad;

		*slash = '\0';
		bad = mkdir(path, 0777) != 0 && errno != EEXIST ? errno : 0;
		*slash = '/';
		if (bad != 0)
			return bad;
	}
	return mkdir(path, 0777) != 0 && errno != EEXIST ? errno : 0;
}

static enum imp_rc
open_directory(char *path, int *ret, struct imp_err *err)
{
	const int bad = path[0] != '\0' ? make_folders(path) : ENOENT;

	if (bad != 0)
		return imp_err_errno(err, IMP_E_CREATE, bad, "could not make the results directory '%s'", path);
	*ret = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret < 0)
		return imp_err_errno(err, IMP_E_CREATE, errno, "could not open the results directory '%s'", path);
	return IMP_OK;
}

enum imp_rc
outdir_open(const char *path, struct outdir **ret, struct imp_err *err)
{
	CLEANUP(outdir_done) struct outdir *d = calloc(1, sizeof(*d));
	enum imp_rc rc;

	if (d == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	d->fd = -1;
	d->path = strdup(path);
	if (d->path == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	rc = open_directory(d->path, &d->fd, err);
	if (rc == IMP_OK)
		*ret = TAKE(d);
	return rc;
}

void
outdir_close(struct outdir *d)
{
	if (d == NULL)
		return;
	close_fdp(&d->fd);
	manifest_lines_done(&d->closed);
	free(d->path);
	free(d);
}

void
outdir_done(struct outdir **d)
{
	outdir_close(*d);
	*d = NULL;
}

int
outdir_fd(const struct outdir *d)
{
	return d->fd;
}

struct outdir_counts
outdir_counts(const struct outdir *d)
{
	return d->counts;
}

enum imp_rc
outdir_write_manifest(struct outdir *d, struct imp_err *err)
{
	enum imp_rc rc = manifest_merge(d->fd, &d->closed, err);

	if (rc != IMP_OK)
		imp_err_wrap(err, "'%s'", d->path);
	else
		manifest_lines_done(&d->closed);
	return rc;
}

/* ------------------------------------------------------------------ names */

/* Parts of a name may come from outside, such as that of a pod: none leads up or is hidden, nor needs to be quoted in the manifest. */
static bool
name_is_safe(const char *name)
{
	const char *part = name;

	for (const char *p = name; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == '\\' || *p == 0x7f)
			return false;
	for (;;) {
		size_t n = strcspn(part, "/");

		if (n == 0 || part[0] == '.')
			return false;
		if (part[n] == '\0')
			return true;
		part += n + 1;
	}
}

/* The n-th name to try. */
static void
make_name(struct buf *out, const char *stem, const char *suffix, unsigned attempt)
{
	const char *at = strrchr(stem, '@');

	buf_clear(out);
	if (attempt == 1) {
		buf_add_str(out, stem);
	} else if (at == NULL || strchr(at, '/') != NULL) {
		buf_addf(out, "%s-%u", stem, attempt);
	} else if (at[1] >= '0' && at[1] <= '9') {
		buf_addf(out, "%s.%03u", stem, attempt - 1);
	} else {
		buf_add(out, stem, (size_t)(at - stem));
		buf_addf(out, "@%lld", (long long)time_second(time_now()));
		if (attempt > 2)
			buf_addf(out, ".%03u", attempt - 2);
	}
	buf_add_str(out, suffix);
}

static enum imp_rc
folder_failed(const struct outdir *d, const char *name, int errnum, struct imp_err *err)
{
	enum imp_rc rc = imp_err_errno(err, IMP_E_CREATE, errnum, "could not open the folder '%s/%s'", d->path, name);

	if (errnum == EXDEV || errnum == ELOOP)
		imp_err_hint(err, "it leads out of the results directory: put a folder in place of the link");
	return rc;
}

/* Make the folders of `name`, and open the last one. */
static enum imp_rc
open_folder(const struct outdir *d, char *name, int *ret, struct imp_err *err)
{
	CLEANUP(close_fdp) int folder = fcntl(d->fd, F_DUPFD_CLOEXEC, 0);
	char *part = name;
	int fd = folder;

	for (char *slash; fd >= 0 && (slash = strchr(part, '/')) != NULL; part = slash + 1) {
		*slash = '\0';
		if (mkdirat(folder, part, 0777) != 0 && errno != EEXIST)
			return imp_err_errno(err, IMP_E_CREATE, errno, "could not make the folder '%s/%s'", d->path, name);
		fd = beneath_open(d->fd, name, O_RDONLY | O_DIRECTORY);
		if (fd < 0)
			return folder_failed(d, name, errno, err);
		*slash = '/';
		close_fdp(&folder);
		folder = fd;
	}
	if (fd < 0)
		return imp_err_errno(err, IMP_E_CREATE, errno, "could not open '%s'", d->path);
	*ret = fd;
	folder = -1;
	return IMP_OK;
}

/* Open the first name that is free. */
static enum imp_rc
create_free(struct outfile *f, const char *stem, const char *suffix, struct imp_err *err)
{
	CLEANUP(close_fdp) int folder = -1;
	enum imp_rc rc;

	make_name(&f->name, stem, suffix, 1);
	rc = buf_status(&f->name, err);
	if (rc == IMP_OK && !name_is_safe(f->name.p))
		rc = imp_err_set(err, IMP_E_CREATE, "'%s' is no name for a file in '%s'", f->name.p, f->dir->path);
	if (rc == IMP_OK)
		rc = open_folder(f->dir, f->name.p, &folder, err);
	if (rc != IMP_OK)
		return rc;
	for (unsigned attempt = 2; attempt <= ATTEMPTS_MAX; attempt++) {
		const char *slash = strrchr(f->name.p, '/');

		f->fd = openat(folder, slash != NULL ? slash + 1 : f->name.p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0666);
		if (f->fd >= 0)
			return IMP_OK;
		if (errno != EEXIST)
			break;
		make_name(&f->name, stem, suffix, attempt);
		rc = buf_status(&f->name, err);
		if (rc != IMP_OK)
			return rc;
	}
	return imp_err_errno(err, IMP_E_CREATE, errno, "could not create '%s/%s'", f->dir->path, f->name.p);
}

/* ------------------------------------------------------------------ a file */

static void
outfile_free(struct outfile *f)
{
	if (f == NULL)
		return;
	close_fdp(&f->fd);
	sha256_done(&f->hash);
	buf_done(&f->name);
	free(f->buffer);
	free(f);
}

static void
outfile_freep(struct outfile **f)
{
	outfile_free(*f);
}

enum imp_rc
outdir_create(struct outdir *d, const char *stem, const char *suffix, struct outfile **ret, struct imp_err *err)
{
	CLEANUP(outfile_freep) struct outfile *f = calloc(1, sizeof(*f));
	enum imp_rc rc;

	if (f == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	*f = (struct outfile){ .dir = d, .fd = -1, .name = BUF_INIT(NAME_BYTES_MAX), .buffer = malloc(BUFFER_BYTES) };
	if (f->buffer == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	rc = sha256_begin(&f->hash, err);
	if (rc == IMP_OK)
		rc = create_free(f, stem, suffix, err);
	if (rc == IMP_OK)
		*ret = TAKE(f);
	return rc;
}

const char *
outfile_name(const struct outfile *f)
{
	return f->name.p;
}

uint64_t
outfile_bytes(const struct outfile *f)
{
	return f->bytes;
}

/* What failed once fails for ever: no caller takes the rest of a file for the whole. */
static enum imp_rc
outfile_status(const struct outfile *f, struct imp_err *err)
{
	if (f->failed.code != IMP_OK && err != NULL)
		*err = f->failed;
	return f->failed.code;
}

static void
outfile_fail(struct outfile *f, int errnum)
{
	imp_err_errno(&f->failed, IMP_E_IO, errnum, "could not write '%s/%s'", f->dir->path, f->name.p);
	if (errnum == ENOSPC || errnum == EDQUOT)
		imp_err_hint(&f->failed, "make room on that disk and collect again: what is complete stays");
}

static void
write_through(struct outfile *f, const char *p, size_t n)
{
	sha256_add(&f->hash, p, n);
	while (n > 0) {
		ssize_t done = write(f->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			outfile_fail(f, errno);
			return;
		}
		p += done;
		n -= (size_t)done;
	}
}

enum imp_rc
outfile_flush(struct outfile *f, struct imp_err *err)
{
	if (f->failed.code == IMP_OK)
		write_through(f, f->buffer, f->held);
	f->held = 0;
	return outfile_status(f, err);
}

enum imp_rc
outfile_add(struct outfile *f, struct slice s, struct imp_err *err)
{
	enum imp_rc rc = outfile_status(f, err);

	if (rc == IMP_OK && s.n > BUFFER_BYTES - f->held)
		rc = outfile_flush(f, err);
	if (rc != IMP_OK)
		return rc;
	if (s.n >= BUFFER_BYTES) {
		write_through(f, s.p, s.n);
	} else if (s.n > 0) {
		memcpy(f->buffer + f->held, s.p, s.n);
		f->held += s.n;
	}
	f->bytes += s.n;
	return outfile_status(f, err);
}

static enum imp_rc
remember(struct outfile *f, struct imp_err *err)
{
	unsigned char sum[SHA256_BYTES];
	enum imp_rc rc = sha256_end(&f->hash, sum, err);

	if (rc == IMP_OK)
		rc = manifest_lines_add(&f->dir->closed, buf_slice(&f->name), sum, err);
	if (rc != IMP_OK)
		return rc;
	f->dir->counts.files++;
	f->dir->counts.bytes += f->bytes;
	return IMP_OK;
}

enum imp_rc
outfile_close(struct outfile *f, bool keep, struct imp_err *err)
{
	CLEANUP(outfile_freep) struct outfile *owned = f;
	enum imp_rc rc;

	if (f == NULL)
		return IMP_OK;
	rc = outfile_flush(f, err);
	if (rc == IMP_OK && keep && fsync(f->fd) != 0) {
		outfile_fail(f, errno);
		rc = outfile_status(f, err);
	}
	if (rc == IMP_OK && keep)
		return remember(f, err);
	if (f->bytes == 0)
		(void)unlinkat(f->dir->fd, f->name.p, 0);
	return rc;
}

enum imp_rc
outdir_put(struct outdir *d, const char *stem, const char *suffix, struct slice text, struct buf *ret_name, struct imp_err *err)
{
	struct outfile *f;
	enum imp_rc rc = outdir_create(d, stem, suffix, &f, err), closed;

	if (rc != IMP_OK)
		return rc;
	rc = outfile_add(f, text, err);
	if (rc == IMP_OK && ret_name != NULL)
		buf_add_str(ret_name, f->name.p);
	closed = outfile_close(f, rc == IMP_OK, rc == IMP_OK ? err : NULL);
	return rc != IMP_OK ? rc : closed;
}
