/* JSON piece by piece: where it goes in and out, what it says of torn and wrong text, lines, and trees of parts. */
#include "config.h"

#include "ingest/json_pull.h"
#include "tap.h"

static char padded[1 << 16];
static struct json_pull j;

static void
begin(const char *text)
{
	json_pull_done(&j);
	memset(padded, 0, sizeof(padded));
	snprintf(padded, sizeof(padded) - JSON_PADDING, "%s", text);
	json_pull_init(&j, (struct slice){ padded, strlen(padded) });
}

/* Everything below the value that comes, as text: containers in their brackets, keys with a colon. */
static void
walk(struct json_pull *p, char *out, size_t size)
{
	struct record_value v;
	struct slice key;
	char c = json_pull_enter(p);

	if (c == '\0') {
		if (json_pull_value(p, &v))
			snprintf(out + strlen(out), size - strlen(out), "%.*s,", v.type == REC_NULL ? 4 : (int)v.s.n,
			    v.type == REC_NULL ? "null" : v.s.p);
		return;
	}
	snprintf(out + strlen(out), size - strlen(out), "%c", c);
	while (json_pull_next(p, &key)) {
		if (c == '{')
			snprintf(out + strlen(out), size - strlen(out), "%.*s:", SLICE_ARG(key));
		walk(p, out, size);
	}
	snprintf(out + strlen(out), size - strlen(out), "%c", p->bad ? '!' : c == '{' ? '}' : ']');
}

static const char *
walked(const char *text)
{
	static char out[4096];

	out[0] = '\0';
	begin(text);
	walk(&j, out, sizeof(out));
	return out;
}

static void
whole(void)
{
	is_str(walked(" {\"a\":[1,-2.5e3,\"x\"],\n\"b\":{},\"c\":{\"d\":[[]]},\"e\":null} "),
	    "{a:[1,-2.5e3,x,]b:{}c:{d:[[]]}e:null,}", "a document");
	ok(json_pull_end(&j) && json_pull_line(&j) == 2, "its end, in line 2");
	is_str(walked("{\"\\u0061\\n\":\"b\\\"\\u00e9\"}"), "{a\n:b\"\xc3\xa9,}", "escapes");
	is_str(walked("\"a\""), "a,", "a text alone");
	ok(json_pull_end(&j), "is a document");
	is_str(walked("[] []"), "[]", "the first of two");
	ok(!json_pull_end(&j) && !j.torn, "is not the end");
}

static void
broken(void)
{
	static const struct {
		const char *text;
		bool torn;
		const char *read;
	} rows[] = {
		{ "", true, "" },
		{ "7", true, "" }, /* and 70 is another number */
		{ "{", true, "{!" },
		{ "[1,", true, "[1,!" },
		{ "[1,2", true, "[1,!" },
		{ "{\"a\":1,\"b", true, "{a:1,!" },
		{ "{\"a\\", true, "{!" },
		{ "{\"a\"", true, "{!" },
		{ "[\"x\\u12", true, "[!" },
		{ "[1 2]", false, "[1,!" },
		{ "[1,]", false, "[1,!" },
		{ "{\"a\":1,}", false, "{a:1,!" },
		{ "{1:2}", false, "{!" },
		{ "{\"a\" 1}", false, "{!" },
		{ "[\"x\\q\"]", false, "[!" },
		{ "[\"a\tb\"]", false, "[!" },
		{ "[}", false, "[!" },
		{ "[01]", false, "[!" },
		{ "[nul]", false, "[!" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *read = walked(rows[i].text);

		ok(strcmp(read, rows[i].read) == 0 && !json_pull_end(&j) && j.bad && j.torn == rows[i].torn, "'%s' (%s, %s)",
		    rows[i].text, read, j.torn ? "torn" : "wrong");
	}
	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		padded[i] = '[';
	padded[JSON_DEPTH_MAX] = '[';
	padded[JSON_DEPTH_MAX + 1] = '\0';
	json_pull_init(&j, (struct slice){ padded, JSON_DEPTH_MAX + 1 });
	json_pull_skip(&j);
	ok(j.bad && !j.torn, "too deep");
}

static void
parts(void)
{
	struct arena arena = { .budget = NULL };
	struct json tree;
	struct slice key;
	enum imp_rc rc;

	begin("[{\"a\":{\"b\":[1]}},\"t\",\n{\"c\":\"\xff\"},5]");
	json_pull_enter(&j);
	ok(json_pull_next(&j, &key) && json_pull_tree(&j, &arena, &tree, &rc) && json_get(json_get(&tree, "a"), "b")->items.n == 1,
	    "a part as a tree");
	ok(json_pull_next(&j, &key) && json_pull_tree(&j, &arena, &tree, &rc) && tree.type == JSON_TEXT &&
		slice_eq(tree.text, SLICE("t")),
	    "a scalar as a tree");
	ok(json_pull_next(&j, &key) && !json_pull_tree(&j, &arena, &tree, &rc) && rc == IMP_E_DATA && !j.bad,
	    "a part that is not UTF-8 is none, and reading goes on");
	is_int((intmax_t)json_pull_line(&j), 2, "in line 2");
	ok(json_pull_next(&j, &key) && json_pull_peek(&j) == '5', "behind it");
	json_pull_skip(&j);
	ok(!json_pull_next(&j, &key) && json_pull_end(&j), "the end");
	arena_done(&arena);
}

static void
long_strings(void)
{
	struct slice key;
	struct record_value v;

	memset(padded, 'x', sizeof(padded));
	memcpy(padded, "[\"\\n\",\"", 7);
	memcpy(padded + sizeof(padded) - 32, "\"]", 3);
	json_pull_done(&j);
	json_pull_init(&j, (struct slice){ padded, sizeof(padded) - 30 });
	json_pull_enter(&j);
	ok(json_pull_next(&j, &key) && json_pull_value(&j, &v) && slice_eq(v.s, SLICE("\n")) && j.scratch.cap < 256,
	    "a short string with an escape makes no room for the whole text");
	ok(json_pull_next(&j, &key) && json_pull_value(&j, &v) && v.s.n == sizeof(padded) - 32 - 7, "a long one");
}

int
main(void)
{
	whole();
	broken();
	parts();
	long_strings();
	json_pull_done(&j);
	return done();
}
