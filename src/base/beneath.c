#include "config.h"

#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/cleanup.h"

int
beneath_open_by_parts(int dirfd, const char *path, int flags)
{
	CLEANUP(close_fdp) int owned = -1;
	char name[NAME_MAX + 1];
	const char *rest = path;

	if (*path == '/') {
		errno = EXDEV;
		return -1;
	}
	for (;;) {
		size_t n = strcspn(rest, "/");
		int dir = owned >= 0 ? owned : dirfd, fd;
		bool last;

		if (n >= sizeof(name)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, rest, n);
		name[n] = '\0';
		rest += n;
		last = *rest == '\0';
		rest += strspn(rest, "/");
		if (strcmp(name, "..") == 0) {
			errno = EXDEV;
			return -1;
		}
		fd = openat(dir, name, (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || last)
			return fd;
		close_fdp(&owned);
		owned = fd;
	}
}

int
beneath_open(int dirfd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	do {
		fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
	} while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM)) /* EPERM: a container's filter that does not know the call */
		return beneath_open_by_parts(dirfd, path, flags);
	return (int)fd;
}
