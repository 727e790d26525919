/* A results directory as a collector writes it: new names, nothing outside, hashes in the manifest. */
#include "config.h"

#include "collect/outdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "run-dir.h"
#include "tap.h"

/* printf abc | sha256sum; printf '' | sha256sum */
#define SHA_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SHA_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static struct imp_err err;

static const char *
content(const char *path)
{
	static char text[2048];
	FILE *f = fopen(run_dir_path(path), "re");
	size_t n = f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f == NULL)
		return NULL;
	fclose(f);
	return text;
}

static struct outdir *
open_dir(void)
{
	struct outdir *d = NULL;

	if (outdir_open(run_dir, &d, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return d;
}

/* Put `text` there, and give the name that it got. */
static const char *
put(struct outdir *d, const char *stem, const char *suffix, const char *text)
{
	static struct buf name = BUF_INIT(1024);
	enum imp_rc rc;

	buf_clear(&name);
	rc = outdir_put(d, stem, suffix, slice_of(text), &name, &err);
	return rc == IMP_OK ? name.p : NULL;
}

static void
test_names(void)
{
	struct outdir *d = open_dir();
	const char *name;

	is_str(put(d, "db/check-1/rows", ".jsonl", "abc"), "db/check-1/rows.jsonl", "folders are made");
	is_str(content("db/check-1/rows.jsonl"), "abc", "with the text");
	is_str(put(d, "db/check-1/rows", ".jsonl", "new"), "db/check-1/rows-2.jsonl", "a name that is taken");
	is_str(content("db/check-1/rows.jsonl"), "abc", "the first one is as it was");
	is_str(put(d, "db/check-1/rows", ".jsonl", ""), "db/check-1/rows-3.jsonl", "taken twice");
	is_str(put(d, "kafka/lag@1790000000", ".jsonl", ""), "kafka/lag@1790000000.jsonl", "a time");
	is_str(put(d, "kafka/lag@1790000000", ".jsonl", ""), "kafka/lag@1790000000.001.jsonl", "taken: a time that can be read");
	is_str(put(d, "kafka/lag@1790000000", ".jsonl", ""), "kafka/lag@1790000000.002.jsonl", "taken twice");
	is_str(put(d, "metrics/x@load_start", ".prom", ""), "metrics/x@load_start.prom", "a mark");
	name = put(d, "metrics/x@load_start", ".prom", "");
	ok(name != NULL && strncmp(name, "metrics/x@", 10) == 0 && name[10] >= '1' && name[10] <= '9', "taken: the time of now: %s",
	    name);
	is_str(put(d, "a@b/c", ".json", ""), "a@b/c.json", "an @ in a folder");
	is_str(put(d, "a@b/c", ".json", ""), "a@b/c-2.json", "is no time");
	outdir_close(d);
}

static void
test_outside(void)
{
	static const char *const stems[] = { "../x", "db/../../x", "/tmp/x", "", "db//x", "db/", ".hidden", "db/.hidden/x", "a\nb",
		"a\\b", "a\033b" };
	struct outdir *d = open_dir();

	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++)
		ok(put(d, stems[i], "", "x") == NULL && err.code == IMP_E_CREATE, "no name: %s", err.msg);
	is_int(symlink("/tmp", run_dir_path("logs")), 0, "a folder that leads out");
	ok(put(d, "logs/pod", ".log", "x") == NULL && err.code == IMP_E_CREATE, "is not followed: %s", err.msg);
	ok(strstr(err.hint, "link") != NULL, "says what to do: %s", err.hint);
	mkdir(run_dir_path("real"), 0755);
	is_int(symlink("real", run_dir_path("inside")), 0, "one that stays inside");
	is_str(put(d, "inside/f", "", "abc"), "inside/f", "is");
	is_str(content("real/f"), "abc", "there it is");
	is_int(symlink("/tmp/impaudit-not-there", run_dir_path("trap")), 0, "a file that is a link");
	is_str(put(d, "trap", "", "x"), "trap-2", "is a name that is taken");
	ok(access("/tmp/impaudit-not-there", F_OK) != 0, "nothing was made there");
	outdir_close(d);
}

static void
test_buffer(void)
{
	struct outdir *d = open_dir();
	struct outfile *f;
	char *block = malloc(300000);
	struct stat st;

	memset(block, 'x', 300000);
	is_int(outdir_create(d, "big", ".txt", &f, &err), IMP_OK, "a large file");
	is_int(outfile_add(f, SLICE("abc"), &err), IMP_OK, "a little");
	is_int(stat(run_dir_path("big.txt"), &st) == 0 ? st.st_size : -1, 0, "is held");
	is_int(outfile_flush(f, &err), IMP_OK, "until it is flushed");
	is_int(stat(run_dir_path("big.txt"), &st) == 0 ? st.st_size : -1, 3, "then it is there");
	is_int(outfile_add(f, SLICE("de"), &err), IMP_OK, "a little more");
	is_int(outfile_add(f, (struct slice){ block, 300000 }, &err), IMP_OK, "more than the buffer holds");
	is_int((intmax_t)outfile_bytes(f), 300005, "all is counted");
	is_str(outfile_name(f), "big.txt", "its name");
	is_int(outfile_close(f, true, &err), IMP_OK, "closed");
	is_int(stat(run_dir_path("big.txt"), &st) == 0 ? st.st_size : -1, 300005, "all is there");
	is_int((intmax_t)outdir_counts(d).bytes, 300005, "counted with the directory");

	is_int(outdir_create(d, "nothing", "", &f, &err), IMP_OK, "a file that is not wanted");
	is_int(outfile_close(f, false, &err), IMP_OK, "and has nothing");
	ok(access(run_dir_path("nothing"), F_OK) != 0, "is gone");
	is_int(outdir_create(d, "something", "", &f, &err), IMP_OK, "one that has something");
	is_int(outfile_add(f, SLICE("abc"), &err), IMP_OK, "before it broke off");
	is_int(outfile_close(f, false, &err), IMP_OK, "closed");
	is_str(content("something"), "abc", "stays");
	is_int((intmax_t)outdir_counts(d).files, 1, "and is not counted");
	is_int(outfile_close(NULL, true, &err), IMP_OK, "no file");
	free(block);
	outdir_close(d);
}

static void
test_manifest(void)
{
	struct outdir *d = open_dir();
	struct outfile *f;

	is_int(outdir_write_manifest(d, &err), IMP_OK, "nothing to say");
	ok(access(run_dir_path("manifest.sha256"), F_OK) != 0, "no manifest");
	run_dir_put("manifest.sha256", "%s",
	    SHA_ABC "  run.json\n" SHA_ABC "  ./b/gone.txt\n" SHA_ABC " *c\nnot a line\n\\" SHA_ABC "  x\\n");
	put(d, "b/gone", ".txt", "");
	put(d, "a", ".txt", "abc");
	is_int(outdir_create(d, "broken", "", &f, &err), IMP_OK, "a file that breaks off");
	is_int(outfile_add(f, SLICE("abc"), &err), IMP_OK, "with something");
	is_int(outfile_close(f, false, &err), IMP_OK, "closed");
	is_int(outdir_write_manifest(d, &err), IMP_OK, "merged");
	is_str(content("manifest.sha256"),
	    SHA_ABC "  run.json\n" SHA_ABC " *c\nnot a line\n\\" SHA_ABC "  x\\n\n" SHA_ABC "  a.txt\n" SHA_EMPTY "  b/gone.txt\n",
	    "others stay, ours are new and in order, what broke off is not there");
	put(d, "later", "", "abc");
	is_int(outdir_write_manifest(d, &err), IMP_OK, "once more");
	ok(strstr(content("manifest.sha256"), SHA_EMPTY "  b/gone.txt\n" SHA_ABC "  later\n") != NULL, "the next stands behind");
	outdir_close(d);
}

/* Several processes at one manifest: none takes away what another put there. */
static void
test_together(void)
{
	enum { PROCESSES = 4, EACH = 10 };
	int failed = 0, lines = 0;
	FILE *f;

	for (int p = 0; p < PROCESSES; p++) {
		if (fork() != 0)
			continue;
		for (int i = 0; i < EACH; i++) {
			struct outdir *d = open_dir();
			char stem[32];

			snprintf(stem, sizeof(stem), "p%d-%d", p, i);
			put(d, stem, "", "abc");
			failed += outdir_write_manifest(d, NULL) != IMP_OK;
			outdir_close(d);
		}
		_exit(failed);
	}
	for (int status; wait(&status) > 0;)
		failed += status != 0;
	is_int(failed, 0, "all could write");
	f = fopen(run_dir_path("manifest.sha256"), "re");
	for (int c; f != NULL && (c = getc(f)) != EOF;)
		lines += c == '\n';
	if (f != NULL)
		fclose(f);
	is_int(lines, PROCESSES * EACH, "each line is there");
}

/* As a full disk does it. */
static void
test_no_room(void)
{
	struct rlimit old, small;
	struct outdir *d = open_dir();
	struct outfile *f;

	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ 2, old.rlim_max };
	is_int(outdir_create(d, "full", "", &f, &err), IMP_OK, "a file");
	is_int(outfile_add(f, SLICE("abc"), &err), IMP_OK, "is held");
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	is_int(outfile_flush(f, &err), IMP_E_IO, "no room for it");
	setrlimit(RLIMIT_FSIZE, &old);
	is_int(outfile_add(f, SLICE("abc"), &err), IMP_E_IO, "the error sticks");
	is_int(outfile_flush(f, &err), IMP_E_IO, "to everything");
	is_int(outfile_close(f, true, &err), IMP_E_IO, "to the end");
	is_int(outdir_write_manifest(d, &err), IMP_OK, "the manifest");
	ok(access(run_dir_path("manifest.sha256"), F_OK) != 0, "does not have it");
	outdir_close(d);
}

int
main(void)
{
	static void (*const tests[])(void) = { test_names, test_outside, test_buffer, test_manifest, test_together, test_no_room };
	struct outdir *d = NULL;
	char path[300];

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		run_dir_clear();
		tests[i]();
	}
	run_dir_clear();
	snprintf(path, sizeof(path), "%s/new", run_dir);
	is_int(outdir_open(path, &d, &err), IMP_OK, "a directory that was not there");
	outdir_done(&d);
	ok(d == NULL, "closed");
	snprintf(path, sizeof(path), "%s/new/too/deep", run_dir);
	is_int(outdir_open(path, &d, &err), IMP_OK, "one whose parent is not there");
	outdir_done(&d);
	run_dir_put("file", "x");
	snprintf(path, sizeof(path), "%s/file/deep", run_dir);
	is_int(outdir_open(path, &d, &err), IMP_E_CREATE, "one whose parent is a file");
	is_int(outdir_open(run_dir_path("file"), &d, &err), IMP_E_CREATE, "a file in its place");
	outdir_close(NULL);
	return done();
}
