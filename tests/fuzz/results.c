#include "config.h"

#include "results.h"

#include "classify/reconcile.h"
#include "dir.h"

/* Short, so that lines which are too long are met. */
#define LINE_BYTES_MAX 2000

static const char *const files[] = { "agents/a/1.jsonl", "agents/a/2.jsonl", "agents/b/1.jsonl", "run.json", "timeline.json",
	"accounts.jsonl", "topics.jsonl", "history/1.jsonl", "history/2.jsonl", "db/1.jsonl", "db/2.jsonl", "kafka/1.jsonl",
	"manifest.sha256" };
#define FILES_N (sizeof(files) / sizeof(files[0]))

static bool
begins_file(struct slice line, size_t *ret)
{
	if (!slice_has_prefix(line, SLICE("== ")))
		return false;
	for (size_t i = 0; i < FILES_N; i++) {
		if (slice_eq((struct slice){ line.p + 3, line.n - 3 }, slice_of(files[i]))) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static void
split(struct slice bytes, struct slice content[FILES_N])
{
	size_t pos = 0, file = 0;

	content[file].p = bytes.p;
	while (pos < bytes.n) {
		struct slice line = { bytes.p + pos, bytes.n - pos };
		const char *feed = memchr(line.p, '\n', line.n);
		size_t used = feed != NULL ? (size_t)(feed - line.p) + 1 : line.n;

		line.n = feed != NULL ? used - 1 : used;
		pos += used;
		if (begins_file(line, &file))
			content[file] = (struct slice){ bytes.p + pos, 0 };
		else
			content[file].n += used;
	}
}

/* Every writing gets a time of its own: two of the same size within one tick of the clock would pass for the same file. */
static void
write_file(const char *name, struct slice content)
{
	static long writes;
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = ++writes } };
	int dirfd = fuzz_dirfd();

	if (content.p == NULL) {
		unlinkat(dirfd, name, 0);
		return;
	}
	run_dir_bytes(name, content);
	must(utimensat(dirfd, name, times, 0) == 0);
}

bool
results_ingest(struct store *s, struct slice bytes, int64_t *ret_run_no)
{
	static const struct reconcile_options opt = {
		.memory_max = RECONCILE_MEMORY_MIN,
		.threads = 1,
		.line_max = LINE_BYTES_MAX,
		.hash = true,
		.replace = true,
	};
	struct slice content[FILES_N] = { { NULL, 0 } };
	struct reconcile_result result;
	enum imp_rc rc;

	split(bytes, content);
	for (size_t i = 0; i < FILES_N; i++)
		write_file(files[i], content[i]);
	rc = reconcile_directory(s, run_dir, &opt, &result, NULL);
	must(rc == IMP_OK || rc == IMP_E_DATA || rc == IMP_E_LIMIT); /* the last: a compressed file is a bomb */
	if (rc != IMP_OK)
		return false;
	must(!result.unchanged);
	must(store_find_run(s, result.run_id, ret_run_no, NULL) == IMP_OK);
	must(store_select_run(s, *ret_run_no, NULL) == IMP_OK);
	return true;
}
