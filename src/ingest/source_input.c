#include "config.h"

#include "ingest/source_input.h"

#include <errno.h>
#include <fcntl.h>

#include "base/beneath.h"
#include "base/cleanup.h"

#define HASH_THREAD_FLOOR ((off_t)4 << 20) /* a smaller file is hashed sooner than a thread is started */

static enum imp_rc
open_failed(const char *path, struct imp_err *err)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		return imp_err_errno(err, IMP_E_NOINPUT, errno, "could not open '%s'", path);
	case ELOOP:
	case EXDEV:
		imp_err_set(err, IMP_E_DATA, "could not open '%s': its path leads out of the directory", path);
		imp_err_hint(err, "put the file itself in place of the symbolic link");
		return IMP_E_DATA;
	default:
		return imp_err_errno(err, IMP_E_IO, errno, "could not open '%s'", path);
	}
}

enum imp_rc
input_open(struct input *in, int dirfd, const char *path, bool hash, bool hash_thread, struct imp_err *err)
{
	/* O_NONBLOCK: a FIFO in place of the file must not hold us up before it is refused */
	CLEANUP(close_fdp) int fd = beneath_open(dirfd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct input opened = { .path = path, .fd = -1 };
	enum imp_rc rc;

	if (fd < 0)
		return open_failed(path, err);
	if (fstat(fd, &opened.st) != 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not read '%s'", path);
	if (!S_ISREG(opened.st.st_mode))
		return imp_err_set(err, IMP_E_DATA, "could not read '%s': not a regular file", path);
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	if (hash) {
		rc = digest_new(hash_thread && opened.st.st_size >= HASH_THREAD_FLOOR, &opened.digest, err);
		if (rc != IMP_OK)
			return rc;
	}
	opened.fd = fd;
	fd = -1;
	*in = opened;
	return IMP_OK;
}

void
input_close(struct input *in)
{
	digest_free(in->digest);
	in->digest = NULL;
	close_fdp(&in->fd);
	in->fd = -1;
}

static enum imp_rc
read_at(const struct input *in, uint64_t offset, void *dst, size_t n, size_t *ret_n, struct imp_err *err)
{
	uint64_t left = (uint64_t)in->st.st_size - offset;
	size_t got = 0;

	if (n > left)
		n = (size_t)left;
	while (got < n) {
		ssize_t r = pread(in->fd, (char *)dst + got, n - got, (off_t)(offset + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return imp_err_errno(err, IMP_E_IO, errno, "could not read '%s'", in->path);
		if (r == 0)
			break; /* it shrank: input_finish() tells */
		got += (size_t)r;
	}
	*ret_n = got;
	return IMP_OK;
}

enum imp_rc
input_peek(const struct input *in, void *dst, size_t n, size_t *ret_n, struct imp_err *err)
{
	return read_at(in, 0, dst, n, ret_n, err);
}

enum imp_rc
input_read(struct input *in, void *dst, size_t n, size_t *ret_n, struct imp_err *err)
{
	size_t got = 0;
	enum imp_rc rc;

	if (in->digest != NULL)
		digest_reuse(in->digest, dst, n);
	rc = read_at(in, in->offset, dst, n, &got, err);
	if (rc != IMP_OK)
		return rc;
	if (in->digest != NULL)
		digest_add(in->digest, dst, got);
	in->offset += got;
	*ret_n = got;
	return IMP_OK;
}

enum imp_rc
input_finish(struct input *in, struct imp_err *err)
{
	struct stat now;
	enum imp_rc rc;

	if (in->digest != NULL && !in->hashed) {
		rc = digest_final(in->digest, in->sha256, err);
		if (rc != IMP_OK)
			return rc;
		in->hashed = true;
	}
	if (fstat(in->fd, &now) != 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not read '%s'", in->path);
	if (in->offset != (uint64_t)in->st.st_size || now.st_size != in->st.st_size ||
	    now.st_mtim.tv_sec != in->st.st_mtim.tv_sec || now.st_mtim.tv_nsec != in->st.st_mtim.tv_nsec) {
		imp_err_set(err, IMP_E_IO, "could not read '%s': it changed while it was read", in->path);
		imp_err_hint(err, "wait until nothing writes to it any more and start again");
		return IMP_E_IO;
	}
	return IMP_OK;
}
