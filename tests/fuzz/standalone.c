/* tests/fuzz/standalone.c - main() of a fuzz target where libFuzzer brings none: run every file of the named directories (or the
 * named files) through it once. Options of libFuzzer are taken and ignored, so both are called alike. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
die(const char *path)
{
	fprintf(stderr, "could not read '%s': %s\n", path, strerror(errno));
	exit(74);
}

/* The input is allocated to the byte, so that a sanitizer sees the first one beyond it. */
static size_t
run_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(size > 0 ? size : 1);

	if (f == NULL || data == NULL || fread(data, 1, size, f) != size)
		die(path);
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

static size_t
run_path(const char *path)
{
	struct dirent *entry;
	struct stat st;
	size_t count = 0;
	DIR *dir;

	if (stat(path, &st) != 0)
		die(path);
	if (!S_ISDIR(st.st_mode))
		return run_file(path, (size_t)st.st_size);
	dir = opendir(path);
	if (dir == NULL)
		die(path);
	while ((entry = readdir(dir)) != NULL) {
		char child[4096];

		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(child, sizeof(child), "%s/%s", path, entry->d_name) >= (int)sizeof(child)) {
			errno = ENAMETOOLONG;
			die(path);
		}
		count += run_path(child);
	}
	closedir(dir);
	return count;
}

int
main(int argc, char **argv)
{
	size_t count = 0;

	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			count += run_path(argv[i]);
	}
	printf("%zu inputs\n", count);
	return count > 0 ? 0 : 1;
}
