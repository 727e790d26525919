/* Any bytes as manifest.sha256, beside a file that was hashed, one that could not be, and one whose name needs escaping. A manifest can
 * vouch for a file only with its true hash. */
#include "config.h"

#include <strings.h>

#include "dir.h"
#include "ingest/manifest.h"
#include "ingest/source.h"

#define LINE_BYTES_MAX 4096
#define MANIFEST 2 /* its place below */

static struct input_file files[] = {
	{ .path = "a\nb\\c", .kind = INPUT_UNREAD },
	{ .path = "agents/a/1.jsonl", .kind = INPUT_LEDGER },
	{ .path = "manifest.sha256", .kind = INPUT_MANIFEST },
	{ .path = "run.json", .kind = INPUT_PLAN },
};
#define FILES_N (sizeof(files) / sizeof(files[0]))

static bool
has_hash(struct slice text, const unsigned char sha256[32])
{
	char hex[65];

	source_hex(sha256, hex);
	for (size_t i = 0; i + 64 <= text.n; i++) {
		if (strncasecmp(text.p + i, hex, 64) == 0)
			return true;
	}
	return false;
}

static void
check_ledger(const struct ledger *l, struct slice text)
{
	for (size_t i = 0; i < FILES_N; i++) {
		const struct ledger_file *f = &l->files[i];

		must(f->manifest == MANIFEST_UNLISTED || f->manifest == MANIFEST_OK || f->manifest == MANIFEST_MISMATCH);
		must(f->manifest != MANIFEST_OK || (f->hashed && has_hash(text, f->sha256)));
	}
	for (size_t i = 0; i < l->not_there.n; i++) {
		for (size_t k = 0; k < FILES_N; k++)
			must(!slice_eq(l->not_there.v[i], slice_of(files[k].path)));
		must(i == 0 || slice_cmp(l->not_there.v[i - 1], l->not_there.v[i]) < 0);
	}
	must(l->damages.n == l->files[MANIFEST].n.rejected);
}

static void
check_bytes(int dirfd, struct slice text)
{
	const struct inputs in = { .dirfd = dirfd, .v = { .v = files, .n = FILES_N } };
	const struct plan plan = { .present = false };
	const struct reader_options opt = { .threads = 1, .line_max = LINE_BYTES_MAX, .hash = true };
	struct mem_budget budget = { .limit = (size_t)64 << 20 };
	struct imp_err err;
	struct ledger l;
	enum imp_rc rc;

	ledger_init(&l, &budget);
	must(ledger_prepare(&l, &in, &plan, &err) == IMP_OK);
	l.files[0].hashed = l.files[1].hashed = true;
	memset(l.files[0].sha256, 0xab, sizeof(l.files[0].sha256));
	rc = manifest_check(&l, &opt, &err);
	must(rc == IMP_OK || rc == IMP_E_LIMIT); /* a bomb */
	check_ledger(&l, text);
	ledger_done(&l);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int dirfd = fuzz_dirfd();

	run_dir_bytes(files[MANIFEST].path, (struct slice){ (const char *)data, size });
	check_bytes(dirfd, (struct slice){ (const char *)data, size });
	return 0;
}
