/* tests/lib/snapshot-file.h - a snapshot whose file holds given text. */
#pragma once
#include <fcntl.h>

#include "ingest/snapshot.h"
#include "run-dir.h"

/* `s` anew, not yet read; it was done before or is all zero. The caller closes the descriptor of its directory after reading. */
static inline int
snapshot_file(struct snapshot *s, const char *text)
{
	int dirfd;

	run_dir_clear();
	run_dir_bytes("file", slice_of(text));
	dirfd = open(run_dir, O_PATH | O_DIRECTORY);
	snapshot_done(s);
	snapshot_init(s, dirfd, "file");
	return dirfd;
}
