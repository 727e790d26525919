/* tests/lib/run-dir.h - a results directory that a test makes, below $TMPDIR; it goes when the program ends.
 *
 * 1. run_dir_clear() makes it, empty  2. run_dir_put() and run_dir_bytes() put files there  3. ingest it by its path, run_dir. */
#pragma once
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"

static char run_dir[256]; /* its path */

static inline int
run_dir_remove(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static inline void
run_dir_done(void)
{
	nftw(run_dir, run_dir_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void
run_dir_bail(const char *what)
{
	printf("Bail out! %s: ", what);
	fflush(stdout);
	perror(NULL);
	exit(1);
}

/* Make the directory, or empty it. */
static inline void
run_dir_clear(void)
{
	const char *tmp = getenv("TMPDIR");

	if (run_dir[0] == '\0') {
		snprintf(run_dir, sizeof(run_dir), "%s/impaudit-XXXXXX", tmp != NULL ? tmp : "/tmp");
		if (mkdtemp(run_dir) == NULL)
			run_dir_bail(run_dir);
		atexit(run_dir_done);
		return;
	}
	run_dir_done();
	if (mkdir(run_dir, 0755) != 0)
		run_dir_bail(run_dir);
}

/* The path of a file below the directory; folders on the way are made. Good until the next call. */
static inline const char *
run_dir_path(const char *path)
{
	static char full[512];
	int n = snprintf(full, sizeof(full), "%s/%s", run_dir, path);

	if (n < 0 || (size_t)n >= sizeof(full))
		run_dir_bail(path);
	for (char *p = full + strlen(run_dir) + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
		*p = '\0';
		mkdir(full, 0755);
	}
	return full;
}

static inline void
run_dir_bytes(const char *path, struct slice bytes)
{
	FILE *f = fopen(run_dir_path(path), "w");

	if (f == NULL || fwrite(bytes.p, 1, bytes.n, f) != bytes.n || fclose(f) != 0)
		run_dir_bail(path);
}

__attribute__((format(printf, 2, 3))) static inline void
run_dir_put(const char *path, const char *fmt, ...)
{
	FILE *f = fopen(run_dir_path(path), "w");
	va_list ap;

	va_start(ap, fmt);
	if (f == NULL || vfprintf(f, fmt, ap) < 0 || fclose(f) != 0)
		run_dir_bail(path);
	va_end(ap);
}
