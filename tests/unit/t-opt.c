/* Command-line options from tables. */
#include "config.h"

#include "base/opt.h"

#include <stdint.h>

#include "base/cleanup.h"
#include "tap.h"

#define WORDS_MAX 8

struct values {
	bool flag, other;
	const char *text;
	uint64_t count, bytes;
};

static const struct opt opts[] = {
	{ "flag", 'f', OPT_FLAG, offsetof(struct values, flag), NULL, "a flag" },
	{ "text", 't', OPT_TEXT, offsetof(struct values, text), "WORD", "a word" },
	{ "count", 0, OPT_COUNT, offsetof(struct values, count), "N", "a number" },
	{ "bytes", 'b', OPT_BYTES, offsetof(struct values, bytes), "SIZE", "a size" },
	{ .name = NULL },
};

static const struct opt more[] = {
	{ "other", 'o', OPT_FLAG, offsetof(struct values, other), NULL, "another flag" },
	{ .name = NULL },
};

static const struct row {
	const char *words[WORDS_MAX];
	struct values want;
	const char *operands[WORDS_MAX];
	const char *error; /* part of the message; NULL: accepted */
} rows[] = {
	{ .words = { "a", "-f", "b", "--text=x", "c" }, .want = { .flag = true, .text = "x" }, .operands = { "a", "b", "c" } },
	{ .words = { "--text", "x y", "--other" }, .want = { .text = "x y", .other = true } },
	{ .words = { "-fo", "-tx", "-" }, .want = { .flag = true, .other = true, .text = "x" }, .operands = { "-" } },
	{ .words = { "-ft", "-f", "--", "-f" }, .want = { .flag = true, .text = "-f" }, .operands = { "-f" } },
	{ .words = { "--bytes", "64M", "--count=007" }, .want = { .bytes = 64u << 20, .count = 7 } },
	{ .words = { "-b", "17179869183G" }, .want = { .bytes = UINT64_C(17179869183) << 30 } },
	{ .words = { "--text=" }, .want = { .text = "" } },
	{ .words = { "--bytes", "17179869184G" }, .error = "too large" },
	{ .words = { "--bytes", "12X" }, .error = "with K, M or G" },
	{ .words = { "--count", "12K" }, .error = "wants a number" },
	{ .words = { "--count", "-1" }, .error = "wants a number" },
	{ .words = { "--count", "99999999999999999999" }, .error = "wants a number" },
	{ .words = { "--count" }, .error = "wants a value: N" },
	{ .words = { "--nope" }, .error = "unknown option '--nope'" },
	{ .words = { "-fx" }, .error = "unknown option '-x'" },
	{ .words = { "--flag=1" }, .error = "takes no value" },
	{ .words = { "--fla" }, .error = "unknown option" },
};

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void
check(const struct row *row)
{
	struct values v = { 0 };
	const struct opt_table tables[] = { { opts, &v }, { more, &v } };
	char *args[WORDS_MAX] = { 0 };
	struct imp_err err = { 0 };
	int n = 0, operands = -1;
	bool same = true;
	enum imp_rc rc;

	for (; row->words[n] != NULL; n++)
		args[n] = (char *)(uintptr_t)row->words[n];
	rc = opt_parse(tables, 2, args, n, &operands, &err);
	if (row->error != NULL) {
		ok(rc == IMP_E_USAGE && strstr(err.msg, row->error) != NULL && operands == -1, "%s: %s", row->words[0], err.msg);
		return;
	}
	ok(rc == IMP_OK && v.flag == row->want.flag && v.other == row->want.other && v.count == row->want.count &&
		v.bytes == row->want.bytes && same_text(v.text, row->want.text),
	    "%s: values", row->words[0]);
	for (int i = 0; i < operands; i++)
		same &= same_text(args[i], row->operands[i]);
	ok(same && operands >= 0 && row->operands[operands] == NULL, "%s: operands", row->words[0]);
}

static void
test_leading(void)
{
	struct values v = { 0 };
	const struct opt_table table = { opts, &v };
	char t[] = "-t", x[] = "x", command[] = "report", f[] = "-f";
	char *args[] = { t, x, command, f };
	int used = -1;

	is_int(opt_parse_leading(&table, args, 4, &used, NULL), IMP_OK, "leading options");
	is_int(used, 2, "up to the command");
	ok(!v.flag && same_text(v.text, "x"), "nothing behind it");
}

/* An option that may be repeated keeps all its values, in order, up to a limit. */
static void
test_repeated(void)
{
	static const struct opt many[] = { { "dir", 'd', OPT_TEXTS, 0, "DIR", "a directory" }, { .name = NULL } };
	struct opt_texts v = { 0 };
	const struct opt_table table = { many, &v };
	char a[] = "--dir=a", d[] = "-d", b[] = "b", c[] = "-dc";
	char *args[] = { a, d, b, c }, *too_many[OPT_TEXTS_MAX + 1];
	struct imp_err err = { 0 };
	int operands = -1;

	is_int(opt_parse(&table, 1, args, 4, &operands, NULL), IMP_OK, "an option three times");
	is_int(operands, 0, "no operand");
	ok(v.n == 3 && same_text(v.v[0], "a") && same_text(v.v[1], "b") && same_text(v.v[2], "c"), "its values");
	v.n = 0;
	for (size_t i = 0; i <= OPT_TEXTS_MAX; i++)
		too_many[i] = c;
	ok(opt_parse(&table, 1, too_many, OPT_TEXTS_MAX + 1, &operands, &err) == IMP_E_USAGE && v.n == OPT_TEXTS_MAX,
	    "too often: %s", err.msg);
}

static void
test_help(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

	opt_help(opts, &out);
	is_str(out.p,
	    "  -f, --flag              a flag\n"
	    "  -t, --text WORD         a word\n"
	    "      --count N           a number\n"
	    "  -b, --bytes SIZE        a size\n",
	    "help");
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(&rows[i]);
	test_leading();
	test_repeated();
	test_help();
	return done();
}
