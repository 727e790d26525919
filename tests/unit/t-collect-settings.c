/* Values of the configuration: lengths, sizes, numbers, and secrets that are nowhere else. */
#include "config.h"

#include "base/settings.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run-dir.h"
#include "tap.h"

static struct arena arena;
static struct imp_err err;

/* The value of `key` in a document of the one line `text`. */
static const struct doc_node *
node(const char *text)
{
	struct doc_node *root;

	if (doc_parse(&arena, "c.yaml", slice_of(text), &root, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return doc_get(root, "key");
}

static void
test_lengths(void)
{
	static const struct {
		const char *text;
		int64_t want; /* -1: refused */
	} rows[] = {
		{ "key: 250ms", 250000000 },
		{ "key: 5s", 5000000000 },
		{ "key: 1.5m", 90000000000 },
		{ "key: 24h", 86400000000000 },
		{ "key: 1ms", 1000000 },
		{ "key: 0.5ms", -1 },
		{ "key: 24.1h", -1 },
		{ "key: 0s", -1 },
		{ "key: 5", -1 },
		{ "key: s", -1 },
		{ "key: -5s", -1 },
		{ "key: 1e3s", -1 },
		{ "key: infs", -1 },
		{ "key: 1..5s", -1 },
		{ "key: 5 s", -1 },
		{ "key: 5d", -1 },
		{ "key: 0000000000000000000000000000000000005s", -1 },
		{ "key: [5s]", -1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t got = -1;
		enum imp_rc rc = setting_length(node(rows[i].text), 7, &got, &err);

		ok(rc == (rows[i].want < 0 ? IMP_E_RULE : IMP_OK) && got == rows[i].want, "%s: %lld", rows[i].text, (long long)got);
	}
	int64_t got = 0;

	is_int(setting_length(NULL, 7, &got, &err), IMP_OK, "no length");
	is_int(got, 7, "is the default");
	is_int(setting_length(node("key: 5x"), 7, &got, &err), IMP_E_RULE, "a wrong one");
	is_str(err.msg, "c.yaml:1:6: '5x' is not a length of time such as 250ms, 5s, 2m, 1h (1ms to 24h)", "has its place");
	is_int(setting_length_text("2s", "--every", &got, &err), IMP_OK, "of the command line");
	is_int(got, 2000000000, "2s");
	is_int(setting_length_text("2", "--every", &got, &err), IMP_E_USAGE, "without unit");
}

static void
test_numbers(void)
{
	uint64_t got = 0;
	bool yes = false;
	const char *text = NULL;

	is_int(setting_bytes(node("key: 64M"), 0, &got, &err), IMP_OK, "64M");
	is_int((intmax_t)got, 67108864, "are 2^26 bytes");
	is_int(setting_bytes(node("key: 10"), 0, &got, &err), IMP_OK, "bytes without unit");
	is_int((intmax_t)got, 10, "are bytes");
	got = 1;
	is_int(setting_bytes(node("key: 0"), 0, &got, &err), IMP_E_RULE, "no bytes at all");
	is_int(setting_bytes(node("key: 99999999999999999999"), 0, &got, &err), IMP_E_RULE, "more than there are");
	is_int(setting_bytes(node("key: 17179869184G"), 0, &got, &err), IMP_E_RULE, "more than fit with their unit");
	is_int(setting_bytes(node("key: 1MB"), 0, &got, &err), IMP_E_RULE, "two units");
	is_int(setting_bytes(node("key: 1m"), 0, &got, &err), IMP_E_RULE, "a small letter");
	is_int((intmax_t)got, 1, "nothing was written");
	is_int(setting_count(node("key: 3"), 0, 1, 20, &got, &err), IMP_OK, "a number");
	is_int((intmax_t)got, 3, "is it");
	is_int(setting_count(node("key: 21"), 0, 1, 20, &got, &err), IMP_E_RULE, "above the range");
	is_str(err.msg, "c.yaml:1:6: '21' is not a number from 1 to 20", "says the range");
	is_int(setting_count(node("key: 3x"), 0, 1, 20, &got, &err), IMP_E_RULE, "letters behind it");
	is_int(setting_count(node("key: ''"), 0, 0, 20, &got, &err), IMP_E_RULE, "nothing is no number");
	is_int(setting_count(NULL, 9, 1, 20, &got, &err), IMP_OK, "no number");
	is_int((intmax_t)got, 9, "is the default");
	is_int(setting_bool(node("key: true"), false, &yes, &err), IMP_OK, "true");
	ok(yes, "is true");
	is_int(setting_bool(node("key: yes"), false, &yes, &err), IMP_E_RULE, "yes is neither");
	is_int(setting_bool(NULL, false, &yes, &err), IMP_OK, "nothing");
	ok(!yes, "is the default");
	is_int(setting_text(&arena, node("key: word"), NULL, &text, &err), IMP_OK, "text");
	is_str(text, "word", "is it");
	is_int(setting_text(&arena, node("key: ''"), NULL, &text, &err), IMP_E_RULE, "text that is empty");
	is_str(err.msg, "c.yaml:1:6: 'key' is empty", "says which");
	is_int(setting_text(&arena, NULL, "else", &text, &err), IMP_OK, "no text");
	is_str(text, "else", "is the default");
}

/* A document that names the file `name` of the run directory. */
static const struct doc_node *
file_node(const char *name)
{
	char text[600];

	snprintf(text, sizeof(text), "key: {file: '%s/%s'}", run_dir, name);
	return node(text);
}

static void
check_file(const char *name, const char *content, mode_t mode, const char *want, const char *why)
{
	struct secret s = { NULL, 0 };
	enum imp_rc rc;

	run_dir_put(name, "%s", content);
	chmod(run_dir_path(name), mode);
	rc = secret_read(file_node(name), &s, &err);
	is_int(rc, want != NULL ? IMP_OK : IMP_E_RULE, why);
	is_str(s.p, want, name);
	if (rc != IMP_OK)
		ok(strstr(err.msg, "geheim") == NULL && strstr(err.hint, "geheim") == NULL, "the message does not tell it");
	secret_done(&s);
	ok(s.p == NULL && s.n == 0, "it is gone");
}

static void
test_secrets(void)
{
	struct secret s = { NULL, 0 };

	check_file("plain", "geheim", 0600, "geheim", "a file of the owner's");
	check_file("read-only", "geheim\n", 0400, "geheim", "a line feed at the end is not part of it");
	check_file("two-lines", "geheim\n\n", 0600, "geheim\n", "of two one is");
	check_file("group", "geheim", 0640, NULL, "that its group can read");
	ok(strncmp(err.hint, "chmod 600 ", 10) == 0, "says what to do");
	check_file("others", "geheim", 0604, NULL, "that others can read");
	check_file("writable", "geheim", 0620, NULL, "that its group can write");
	check_file("empty", "\n", 0600, NULL, "with nothing in it");
	is_int(secret_read(file_node("missing"), &s, &err), IMP_E_RULE, "no file");
	is_int(symlink("plain", run_dir_path("link")), 0, "a link");
	is_int(secret_read(file_node("link"), &s, &err), IMP_OK, "is followed");
	secret_done(&s);
	is_int(secret_read(file_node(""), &s, &err), IMP_E_RULE, "a directory is none");
	is_int(mkfifo(run_dir_path("fifo"), 0600), 0, "a pipe");
	is_int(secret_read(file_node("fifo"), &s, &err), IMP_E_RULE, "is none, and is not waited for");

	run_dir_bytes("nul", (struct slice){ "a\0b", 3 });
	chmod(run_dir_path("nul"), 0600);
	is_int(secret_read(file_node("nul"), &s, &err), IMP_E_RULE, "a NUL in it");

	setenv("IMP_TEST_SECRET", "from env", 1);
	is_int(secret_read(node("key: {env: IMP_TEST_SECRET}"), &s, &err), IMP_OK, "of the environment");
	is_str(s.p, "from env", "is it");
	secret_done(&s);
	is_int(secret_read(node("key: {env: IMP_TEST_NOTHING}"), &s, &err), IMP_E_RULE, "that is not there");
	is_str(err.msg, "c.yaml:1:12: the environment has no 'IMP_TEST_NOTHING'", "says which");
	is_int(secret_read(node("key: geheim"), &s, &err), IMP_E_RULE, "in the clear");
	is_str(err.msg, "c.yaml:1:6: a secret does not stand in the configuration", "is not repeated");
	is_int(secret_read(node("key: {}"), &s, &err), IMP_E_RULE, "neither");
	is_int(secret_read(node("key: {env: A, file: b}"), &s, &err), IMP_E_RULE, "both");
	is_int(secret_read(node("key: {envv: A}"), &s, &err), IMP_E_RULE, "an unknown key");
	is_int(secret_read(NULL, &s, &err), IMP_OK, "none");
	ok(s.p == NULL, "is none");
}

static void
test_long_secret(void)
{
	char *text = malloc(SECRET_BYTES_MAX + 1);
	struct secret s = { NULL, 0 };

	memset(text, 'x', SECRET_BYTES_MAX + 1);
	run_dir_bytes("long", (struct slice){ text, SECRET_BYTES_MAX });
	chmod(run_dir_path("long"), 0600);
	is_int(secret_read(file_node("long"), &s, &err), IMP_OK, "as long as it may be");
	is_int((intmax_t)s.n, SECRET_BYTES_MAX, "whole");
	secret_done(&s);
	run_dir_bytes("longer", (struct slice){ text, SECRET_BYTES_MAX + 1 });
	chmod(run_dir_path("longer"), 0600);
	is_int(secret_read(file_node("longer"), &s, &err), IMP_E_RULE, "longer");
	free(text);
}

int
main(void)
{
	run_dir_clear();
	test_lengths();
	test_numbers();
	test_secrets();
	test_long_secret();
	arena_done(&arena);
	return done();
}
