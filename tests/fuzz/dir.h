/* tests/fuzz/dir.h - for parsers that read files: the directory run_dir (tests/lib/run-dir.h), made and opened by the first call. */
#pragma once
#include <fcntl.h>

#include "fuzz.h"
#include "run-dir.h"

static inline int
fuzz_dirfd(void)
{
	static int fd = -1;

	if (fd < 0) {
		run_dir_clear();
		fd = open(run_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
		must(fd >= 0);
	}
	return fd;
}
