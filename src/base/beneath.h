/* base/beneath.h - open what lies below a directory and nothing else, whatever links and names a stranger has put there.
 *
 * Both return a descriptor, or -1 with errno set: EXDEV or ELOOP where the path leads out. Any thread. */
#pragma once

/* open() of `path`, relative to `dirfd`; links are followed as long as they stay below it (openat2, RESOLVE_BENEATH). */
int beneath_open(int dirfd, const char *path, int flags);

/* The same for a kernel without openat2(): part by part, no symbolic link at all, no "..". */
int beneath_open_by_parts(int dirfd, const char *path, int flags);
