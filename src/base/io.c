#include "config.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"

static int
write_all(int fd, struct slice text)
{
	while (text.n > 0) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text.p += n;
		text.n -= (size_t)n;
	}
	return 0;
}

/* Let the new name survive a power cut. Some file systems cannot sync a directory: that is no failure of the output. */
static void
sync_directory_of(int dirfd, const char *name)
{
	CLEANUP(buf_done) struct buf dir = BUF_INIT(4096);
	CLEANUP(close_fdp) int fd = -1;
	const char *slash = strrchr(name, '/');

	buf_add(&dir, slash != NULL ? name : ".", slash != NULL ? (size_t)(slash - name) + 1 : 1);
	if (buf_status(&dir, NULL) != IMP_OK)
		return;
	fd = openat(dirfd, dir.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)fsync(fd);
}

/* Write `text` to `beside` and give it the name. Whatever was written to `beside` is gone on failure. */
static enum imp_rc
replace_by(int dirfd, const char *beside, const char *name, struct slice text, struct imp_err *err)
{
	CLEANUP(close_fdp) int fd = openat(dirfd, beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	enum imp_rc rc = IMP_OK;

	if (fd < 0)
		return imp_err_errno(err, IMP_E_CREATE, errno, "could not create '%s'", name);
	if (write_all(fd, text) != 0 || fsync(fd) != 0)
		rc = imp_err_errno(err, IMP_E_IO, errno, "could not write '%s'", name);
	else if (renameat(dirfd, beside, dirfd, name) != 0)
		rc = imp_err_errno(err, IMP_E_CREATE, errno, "could not create '%s'", name);
	if (rc != IMP_OK)
		(void)unlinkat(dirfd, beside, 0);
	return rc;
}

enum imp_rc
io_replace(int dirfd, const char *name, struct slice text, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf beside = BUF_INIT(4096);
	sigset_t ending, before;
	enum imp_rc rc;

	buf_addf(&beside, "%s.%ld.tmp", name, (long)getpid());
	rc = buf_status(&beside, err);
	if (rc != IMP_OK)
		return rc;
	/* a signal that ends the program waits until there is nothing beside */
	sigemptyset(&ending);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ending, &before);
	(void)unlinkat(dirfd, beside.p, 0);
	rc = replace_by(dirfd, beside.p, name, text, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == IMP_OK)
		sync_directory_of(dirfd, name);
	return rc;
}

enum imp_rc
io_write(const char *path, struct slice text, struct imp_err *err)
{
	CLEANUP(freep) char *real = NULL;
	CLEANUP(close_fdp) int fd = -1;
	struct stat st;

	if (stat(path, &st) != 0)
		return io_replace(AT_FDCWD, path, text, err);
	if (S_ISREG(st.st_mode)) {
		real = realpath(path, NULL);
		return io_replace(AT_FDCWD, real != NULL ? real : path, text, err);
	}
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return imp_err_errno(err, IMP_E_CREATE, errno, "could not open '%s' for writing", path);
	if (write_all(fd, text) != 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not write '%s'", path);
	return IMP_OK;
}
