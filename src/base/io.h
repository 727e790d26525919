/* base/io.h - output files that are whole or not there: written beside, synced, renamed. Any thread. */
#pragma once
#include "base/err.h"
#include "base/slice.h"

/* Make `text` the content of `name` (relative to the directory `dirfd`, or AT_FDCWD). What stood under that name is replaced; a
 * symbolic link is replaced, not followed. IMP_E_CREATE when the file cannot be made, IMP_E_IO when it cannot be written. */
MUST_CHECK enum imp_rc io_replace(int dirfd, const char *name, struct slice text, struct imp_err *err);

/* The same for a path that a user gave: links are followed, and what is no regular file (a pipe, a terminal, /dev/null) is written
 * to as it is. */
MUST_CHECK enum imp_rc io_write(const char *path, struct slice text, struct imp_err *err);
