/* bench-record [-n ROUNDS] FILE - how fast lines are split, hashed and scanned, in MB/s of the file as it lies on disk.
 *
 * The ways take turns in every round and the median of each is printed, so that a busy machine hits all alike:
 *   scan         record_scan() over lines in memory
 *   lines        source_next() alone
 *   lines+scan   both
 *   +hash        both, and SHA-256 in the same thread
 *   +hash thread both, and SHA-256 in a helper thread */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/slice.h"
#include "ingest/record.h"
#include "ingest/source.h"

#define ROUNDS_MAX 99

struct way {
	const char *name;
	bool read, scan;
	struct source_limits limits;
	double seconds[ROUNDS_MAX];
	uint64_t lines, refused;
};

struct job {
	const char *path, *name;
	int dirfd; /* of the directory that `name` lies in */
	char *text;
	size_t n;
	struct record_scanner scanner;
	struct record record;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
die(const char *what)
{
	fprintf(stderr, "bench-record: %s\n", what);
	exit(EX_IOERR);
}

static void
scan_line(struct job *job, struct way *way, struct slice text)
{
	size_t end;

	way->lines++;
	if (way->scan)
		way->refused += record_scan(&job->scanner, text, &job->record, &end) != RECORD_OK;
}

static void
run_memory(struct job *job, struct way *way)
{
	const char *p = job->text, *end = job->text + job->n;

	while (p < end) {
		const char *feed = memchr(p, '\n', (size_t)(end - p));

		if (feed == NULL)
			feed = end;
		scan_line(job, way, (struct slice){ p, (size_t)(feed - p) });
		p = feed + 1;
	}
}

static void
run_source(struct job *job, struct way *way)
{
	struct imp_err err = { 0 };
	struct source_line line;
	struct source *source;
	bool more = true;
	enum imp_rc rc = source_open(job->dirfd, job->name, &way->limits, &source, &err);

	if (rc != IMP_OK)
		die(err.msg);
	while (rc == IMP_OK && more) {
		rc = source_next(source, &line, &more, &err);
		if (rc == IMP_OK && more)
			scan_line(job, way, line.text);
	}
	if (rc == IMP_OK)
		rc = source_finish(source, &err);
	if (rc != IMP_OK)
		die(err.msg);
	job->n = source_bytes(source);
	source_close(source);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
read_all(struct job *job)
{
	const char *slash = strrchr(job->path, '/');
	CLEANUP(freep) char *dir = slash != NULL ? strndup(job->path, (size_t)(slash - job->path) + 1) : strdup(".");
	FILE *f = fopen(job->path, "rb");

	job->name = slash != NULL ? slash + 1 : job->path;
	job->dirfd = dir != NULL ? open(dir, O_PATH | O_DIRECTORY) : -1;
	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		die("could not read the file");
	job->n = (size_t)ftell(f);
	job->text = calloc(1, job->n + RECORD_PADDING);
	rewind(f);
	if (job->text == NULL || fread(job->text, 1, job->n, f) != job->n)
		die("could not read the file");
	fclose(f);
}

int
main(int argc, char **argv)
{
	static struct job job;
	static struct way ways[] = {
		{ .name = "scan", .scan = true },
		{ .name = "lines", .read = true },
		{ .name = "lines+scan", .read = true, .scan = true },
		{ .name = "+hash", .read = true, .scan = true, .limits = { .hash = true } },
		{ .name = "+hash thread", .read = true, .scan = true, .limits = { .hash = true, .hash_thread = true } },
	};
	const size_t nways = sizeof(ways) / sizeof(ways[0]);
	int rounds = 9, option;

	while ((option = getopt(argc, argv, "n:")) != -1) {
		rounds = option == 'n' ? (int)strtol(optarg, NULL, 10) : 0;
		if (rounds < 1 || rounds > ROUNDS_MAX)
			break;
	}
	if (rounds < 1 || rounds > ROUNDS_MAX || optind + 1 != argc) {
		fprintf(stderr, "usage: bench-record [-n ROUNDS] FILE\n");
		return EX_USAGE;
	}
	job.path = argv[optind];
	record_scanner_init(&job.scanner);
	read_all(&job);
	for (int round = 0; round < rounds; round++) {
		for (size_t w = 0; w < nways; w++) {
			double begin = now();

			ways[w].lines = ways[w].refused = 0;
			(ways[w].read ? run_source : run_memory)(&job, &ways[w]);
			ways[w].seconds[round] = now() - begin;
		}
	}
	for (size_t w = 0; w < nways; w++) {
		double *s = ways[w].seconds;

		qsort(s, (size_t)rounds, sizeof(*s), compare);
		printf("%-12s %6.0f MB/s  %6.1f ns a line  [%.4f-%.4f s]  %ju lines, %ju refused\n", ways[w].name,
		    (double)job.n / s[rounds / 2] / 1e6, s[rounds / 2] * 1e9 / (double)ways[w].lines, s[0], s[rounds - 1],
		    (uintmax_t)ways[w].lines, (uintmax_t)ways[w].refused);
	}
	record_scanner_done(&job.scanner);
	free(job.text);
	return EX_OK;
}
