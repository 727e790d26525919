/* JSON documents as trees: what is read, what is refused and where, and every allocation that fails. */
#include "config.h"

#include "fault.h"
#include "ingest/json.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static struct arena arena;
static struct json root;
static struct imp_err err;

static enum imp_rc
read_text(const char *text)
{
	char padded[4096] = "";

	arena_done(&arena);
	snprintf(padded, sizeof(padded) - JSON_PADDING, "%s", text);
	return json_read(&arena, (struct slice){ padded, strlen(padded) }, &root, &err);
}

static void
values(void)
{
	const struct json *v;

	ok(read_text(" {\"a\":1,\"b\":[true,null,-2.5,\"x\"],\"c\":{\"d\":\"\\u00e9\\n\"},\"e\":null} \n") == IMP_OK, "a document");
	ok(root.type == JSON_OBJECT && root.items.n == 4, "its members");
	v = json_get(&root, "a");
	ok(v != NULL && v->type == JSON_INT && v->i == 1, "an integer");
	v = json_get(&root, "b");
	ok(v != NULL && v->type == JSON_ARRAY && v->items.n == 4 && v->items.first->type == JSON_BOOL && v->items.first->truth,
	    "an array");
	v = v->items.first->next;
	ok(v->type == JSON_NULL && v->next->type == JSON_REAL && v->next->d == -2.5, "null and a fraction");
	ok(v->next->next->type == JSON_TEXT && slice_eq(v->next->next->text, SLICE("x")) && v->next->next->next == NULL, "a text");
	v = json_get(json_get(&root, "c"), "d");
	ok(v != NULL && slice_eq(v->text, SLICE("\xc3\xa9\n")), "a text with escapes");
	ok(json_get(&root, "e") == NULL && json_get(&root, "f") == NULL, "null is as if it were not there");
	ok(read_text("{\"a\":1,\"a\":2}") == IMP_OK && json_get(&root, "a")->i == 2, "the last of equal keys counts");
	ok(read_text("{\"\\u0061\":3}") == IMP_OK && json_get(&root, "a")->i == 3, "a key with an escape");
	ok(read_text("[9223372036854775807]") == IMP_OK && root.items.first->i == INT64_MAX, "the largest integer");
	ok(read_text("[9223372036854775808]") == IMP_OK && root.items.first->type == JSON_REAL, "one more is none");
	ok(read_text("[]") == IMP_OK && root.items.n == 0 && read_text("{ }") == IMP_OK && root.items.n == 0, "nothing inside");
}

static void
refusals(void)
{
	static const struct {
		const char *text, *complaint;
	} rows[] = {
		{ "", "it ends too early at byte 0" },
		{ "{\"a\":1", "it ends too early at byte 6" },
		{ "{\"a\"", "it ends too early at byte 4" },
		{ "[1,]", "not JSON at byte 3" },
		{ "{\"a\":1,}", "not JSON at byte 7" },
		{ "{a:1}", "not JSON at byte 1" },
		{ "{\"a\" 1}", "not JSON at byte 5" },
		{ "[1 2]", "not JSON at byte 3" },
		{ "[1}", "not JSON at byte 2" },
		{ "1", "not JSON at byte 0" },
		{ "[] 2", "not JSON at byte 3" },
		{ "[01]", "not JSON at byte 2" },
		{ "[NaN]", "not JSON at byte 1" },
		{ "[1e999]", "not JSON at byte 1" },
		{ "/* */ 1", "not JSON at byte 0" },
		{ "[\"a\xff\"]", "not JSON at byte 1" },
		{ "[\"\\ud800\"]", "not JSON at byte 1" },
		{ "{\"\xff\":1}", "not JSON at byte" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!ok(read_text(rows[i].text) == IMP_E_DATA &&
			    strncmp(err.msg, rows[i].complaint, strlen(rows[i].complaint)) == 0,
			"refused: %s", rows[i].complaint))
			printf("# text %zu: %s\n", i, err.msg);
	}
}

static void
depth(void)
{
	char text[2 * (JSON_DEPTH_MAX + 1) + 1];

	for (int n = JSON_DEPTH_MAX; n <= JSON_DEPTH_MAX + 1; n++) {
		memset(text, '[', (size_t)n);
		memset(text + n, ']', (size_t)n);
		text[2 * n] = '\0';
		ok(read_text(text) == (n == JSON_DEPTH_MAX ? IMP_OK : IMP_E_DATA), "%d arrays within each other", n);
	}
}

static void
shortage(void)
{
	enum imp_rc rc = IMP_E_NOMEM;
	int n = 0;
	bool clean = true;

	while (rc != IMP_OK && n < 100) {
		arena_done(&arena);
		fault_at = ++n;
		rc = read_text("{\"a\":[\"\\u00e9\",{\"b\":1}],\"\\u00e8\":\"c\"}");
		clean &= rc == IMP_OK || rc == IMP_E_NOMEM;
	}
	fault_at = 0;
	ok(clean && rc == IMP_OK && n > 2, "out of memory at each of %d allocations", n - 1);
}

int
main(void)
{
	values();
	refusals();
	depth();
	shortage();
	arena_done(&arena);
	return done();
}
