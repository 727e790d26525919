/* What names of files say, and texts that are read whole. */
#include "config.h"

#include <fcntl.h>

#include "ingest/snapshot.h"
#include "run-dir.h"
#include "tap.h"

#define S INT64_C(1000000000)

static void
names(void)
{
	static const struct {
		const char *path, *source;
		int64_t t;
	} rows[] = {
		{ "metrics/im-0@1790000000.prom", "im-0", 1790000000 * S },
		{ "metrics/im-0@1790000000.25.prom", "im-0", 1790000000 * S + S / 4 },
		{ "metrics/im-0@load_start.prom", "im-0", 7 * S },
		{ "metrics/im-0@load_start.prom.gz", "im-0", 7 * S },
		{ "metrics/im-0@drain_end.prom.zst", "im-0", NO_TIME }, /* no such mark in this run */
		{ "metrics/im-0.prom", "im-0", NO_TIME },
		{ "metrics/im-0@before.prom", "im-0", NO_TIME },
		{ "metrics/im-0@.prom", "im-0", NO_TIME },
		{ "metrics/a@b@load_start.json", "a@b", 7 * S },
		{ "metrics/@load_start.prom", "@load_start", NO_TIME },
		{ "metrics/im-0@99999999999999999999.prom", "im-0", NO_TIME },
		{ "metrics/im-0@-5.prom", "im-0", NO_TIME },
		{ "redis/r@5.info", "r", 5 * S },
		{ "kube/top@5.txt", "top", 5 * S },
		{ "x", "x", NO_TIME },
	};
	int64_t marks[_PLAN_MARK_MAX];

	for (int m = 0; m < _PLAN_MARK_MAX; m++)
		marks[m] = NO_TIME;
	marks[MARK_load_start] = 7 * S;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct snapshot_name n = snapshot_name(slice_of(rows[i].path), marks);

		ok(slice_eq(n.source, slice_of(rows[i].source)) && n.t == rows[i].t, "%s (%.*s, %" PRId64 ")", rows[i].path,
		    SLICE_ARG(n.source), n.t);
	}
	ok(snapshot_ends(SLICE("a.json.gz"), SLICE(".json")) && snapshot_ends(SLICE("a.json"), SLICE(".json")) &&
		!snapshot_ends(SLICE("a.json.txt"), SLICE(".json")),
	    "what a name ends in");
}

static void
texts(void)
{
	struct mem_budget small = { .limit = 1000 };
	struct snapshot_text text;
	struct snapshot s;
	struct imp_err err;
	int dirfd;

	run_dir_clear();
	run_dir_put("a", "\xef\xbb\xbf%s", "one\ntwo");
	dirfd = open(run_dir, O_PATH | O_DIRECTORY);
	snapshot_init(&s, dirfd, "a");
	ok(snapshot_text(&s, NULL, &text, &err) == IMP_OK && slice_eq(text.text, SLICE("one\ntwo")) && s.lines == 2,
	    "a text without its byte-order mark");
	snapshot_text_done(&text);
	ok(snapshot_text(&s, &small, &text, &err) == IMP_OK && text.text.p == NULL && s.rejected == 1 && small.used == 0,
	    "one that is too large is a flaw");
	snapshot_text_done(&text);
	snapshot_note(&s, "a %d", 1);
	snapshot_note(&s, "%s", "b\xff");
	snapshot_note(&s, "a %d", 1);
	is_str(s.note.p, "a 1; b?", "notes, once each, in UTF-8");
	snapshot_done(&s);
	snapshot_init(&s, dirfd, "b");
	ok(snapshot_text(&s, NULL, &text, &err) == IMP_E_NOINPUT, "no such file");
	snapshot_text_done(&text);
	snapshot_done(&s);
	close(dirfd);
}

int
main(void)
{
	names();
	texts();
	return done();
}
