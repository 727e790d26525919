/* Which files of a results directory are what (docs/ledger.md, section 1), and what stays outside. */
#include "config.h"

#include "ingest/inputs.h"
#include "run-dir.h"
#include "tap.h"

static const struct {
	const char *path, *kind, *agent;
} layout[] = {
	{ "accounts.jsonl", "accounts", "" },
	{ "agents/a/.hidden.jsonl", "ledger", "a" },
	{ "agents/a/deep/l.jsonl", "unread", "" },
	{ "agents/a/l.jsonl", "ledger", "a" },
	{ "agents/a/l.jsonl.gz", "ledger", "a" },
	{ "agents/a/notes.txt", "unread", "" },
	{ "agents/b.jsonl", "unread", "" },
	{ "agents/b/2.jsonl.zst", "ledger", "b" },
	{ "collect/1790000000.jsonl", "collect", "" },
	{ "collect/deep/1.jsonl", "unread", "" },
	{ "db/check-2/deep/rows.jsonl", "unread", "" },
	{ "db/check-2/rows.jsonl", "db", "" },
	{ "db/rows.jsonl", "db", "" },
	{ "history/deep/h.jsonl", "unread", "" },
	{ "history/h.jsonl.gz", "history", "" },
	{ "history/h.txt", "unread", "" },
	{ "kafka/lag.jsonl", "kafka", "" },
	{ "kube/pods.json", "kube", "" },
	{ "loadgen/k6/summary.json", "unread", "" },
	{ "loadgen/summary.json", "loadgen", "" },
	{ "logs/notes.txt", "unread", "" },
	{ "logs/pod-0.log", "log", "" },
	{ "logs/pod-0.log.1", "log", "" },
	{ "logs/pod-0/c.log.1.gz", "log", "" },
	{ "logs/pod-0/c/d.log", "log", "" },
	{ "manifest.sha256", "manifest", "" },
	{ "metrics/m@load_start.prom", "metrics", "" },
	{ "metrics/q.json.zst", "metrics", "" },
	{ "notes.md", "unread", "" },
	{ "redis/r@1.info", "redis", "" },
	{ "run.json", "plan", "" },
	{ "run.json.bak", "unread", "" },
	{ "sub/report.md", "unread", "" }, /* the auditor's own output lies at the top alone */
	{ "sub/run.json", "unread", "" },
	{ "timeline.json", "timeline", "" },
	{ "topics.jsonl.gz", "topics", "" },
};
#define LAYOUT_N (sizeof(layout) / sizeof(layout[0]))

static struct inputs inputs = { .dirfd = -1 };
static struct imp_err err;

static enum imp_rc
look(const char *dir)
{
	inputs_close(&inputs);
	return inputs_open(dir, &inputs, &err);
}

static const struct input_file *
find(const char *path)
{
	for (size_t i = 0; i < inputs.v.n; i++) {
		if (strcmp(inputs.v.v[i].path, path) == 0)
			return &inputs.v.v[i];
	}
	return NULL;
}

static void
kinds(void)
{
	static const char *const own[] = { "report.md", "report.json", "impaudit.db", "impaudit.db-wal", "impaudit.db-journal" };

	run_dir_clear();
	for (size_t i = LAYOUT_N; i-- > 0;)
		run_dir_put(layout[i].path, "%s", layout[i].path);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		run_dir_put(own[i], "x");
	if (!ok(look(run_dir) == IMP_OK, "look"))
		printf("# %s\n", err.msg);
	is_int((intmax_t)inputs.v.n, (intmax_t)LAYOUT_N, "every file but the auditor's own output");
	for (size_t i = 0; i < LAYOUT_N && i < inputs.v.n; i++) {
		const struct input_file *f = &inputs.v.v[i];

		ok(strcmp(f->path, layout[i].path) == 0 && strcmp(input_kind_name(f->kind), layout[i].kind) == 0 &&
			slice_eq(f->agent, slice_of(layout[i].agent)) && f->bytes == strlen(layout[i].path),
		    "%s is %s, in the order of bytes", layout[i].path, layout[i].kind);
	}
	ok(input_kind_has_records(INPUT_LEDGER) && input_kind_has_records(INPUT_TOPICS) && !input_kind_has_records(INPUT_PLAN) &&
		!input_kind_has_records(INPUT_LOG),
	    "some kinds hold records");
}

static void
link_to(const char *target, const char *path)
{
	if (symlink(target, run_dir_path(path)) != 0)
		run_dir_bail(path);
}

/* Links are followed inside the directory alone; what else is no file is not read. */
static void
links_and_pipes(void)
{
	static const struct {
		const char *target, *path, *kind, *name;
	} links[] = {
		{ "l.jsonl", "agents/a/same.jsonl", "ledger", "a link to a file beside it" },
		{ "../b/../a/l.jsonl", "agents/a/around.jsonl", "ledger", "a link by .. that stays inside" },
		{ "../../../../../../../../etc/passwd", "agents/a/out.jsonl", "unread", "a link by .. that leads out" },
		{ "/etc/passwd", "agents/a/abs.jsonl", "unread", "an absolute link" },
		{ "nowhere", "agents/a/broken.jsonl", "unread", "a link to nothing" },
		{ "loop.jsonl", "agents/a/loop.jsonl", "unread", "a link to itself" },
		{ "../b", "agents/a/folder.jsonl", "unread", "a link to a folder" },
		{ "/proc/self/exe", "agents/a/magic.jsonl", "unread", "a magic link" },
	};

	run_dir_clear();
	run_dir_put("agents/a/l.jsonl", "12345678901234567890");
	run_dir_put("agents/b/l.jsonl", "x");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		link_to(links[i].target, links[i].path);
	if (mkfifo(run_dir_path("agents/a/pipe.jsonl"), 0644) != 0)
		run_dir_bail("mkfifo");
	ok(look(run_dir) == IMP_OK, "a directory of links and a pipe");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		const struct input_file *f = find(links[i].path);

		is_str(f != NULL ? input_kind_name(f->kind) : NULL, links[i].kind, links[i].name);
		if (f != NULL && strcmp(links[i].kind, "ledger") == 0)
			is_int((intmax_t)f->bytes, 20, "with the size of the file");
	}
	is_str(find("agents/a/pipe.jsonl") != NULL ? input_kind_name(find("agents/a/pipe.jsonl")->kind) : NULL, "unread", "a pipe");
}

/* The digest tells whether anything must be read again. */
static void
digest(void)
{
	char before[65], dotted[300];

	run_dir_clear();
	run_dir_put("agents/a/l.jsonl", "one\n");
	ok(look(run_dir) == IMP_OK && strlen(inputs.digest) == 64, "a digest");
	memcpy(before, inputs.digest, sizeof(before));
	snprintf(dotted, sizeof(dotted), "%s/agents/..//.", run_dir);
	ok(look(dotted) == IMP_OK && strcmp(before, inputs.digest) == 0, "the same by another name of the directory");
	is_str(strrchr(inputs.dir, '/'), strrchr(run_dir, '/'), "whose own name is known");
	run_dir_put("report.md", "x");
	ok(look(run_dir) == IMP_OK && strcmp(before, inputs.digest) == 0, "the auditor's own output does not count");
	run_dir_put("agents/a/l.jsonl", "four\n");
	ok(look(run_dir) == IMP_OK && strcmp(before, inputs.digest) != 0, "another size is another digest");
	memcpy(before, inputs.digest, sizeof(before));
	run_dir_put("new", "%s", "");
	ok(look(run_dir) == IMP_OK && strcmp(before, inputs.digest) != 0, "so is a new file");
	if (unlink(run_dir_path("new")) != 0)
		run_dir_bail("new");
	ok(look(run_dir) == IMP_OK && strcmp(before, inputs.digest) == 0, "without it, it is as before");
}

static void
refusals(void)
{
	char deep[200] = "", missing[300];

	snprintf(missing, sizeof(missing), "%s/none", run_dir);
	is_int(look(missing), IMP_E_NOINPUT, "no such directory");
	snprintf(missing, sizeof(missing), "%s/agents/a/l.jsonl", run_dir);
	is_int(look(missing), IMP_E_NOINPUT, "a file");
	for (unsigned i = 0; i < INPUTS_DEPTH_MAX; i++)
		snprintf(deep + strlen(deep), sizeof(deep) - strlen(deep), "d/");
	snprintf(deep + strlen(deep), sizeof(deep) - strlen(deep), "x");
	run_dir_put(deep, "x");
	is_int(look(run_dir), IMP_OK, "as deep as can be");
	snprintf(deep + strlen(deep), sizeof(deep) - strlen(deep), "y/z");
	run_dir_put(deep, "x");
	is_int(look(run_dir), IMP_E_LIMIT, "deeper");
	ok(strstr(err.msg, "folders deep") != NULL, "says so: %s", err.msg);
}

int
main(void)
{
	kinds();
	links_and_pipes();
	digest();
	refusals();
	inputs_close(&inputs);
	return done();
}
