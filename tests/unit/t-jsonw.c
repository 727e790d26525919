/* The JSON writer: its layout, and json-c as the judge of what it writes. */
#include "config.h"

#include "base/jsonw.h"

#include <json-c/json.h>

#include "base/cleanup.h"
#include "tap.h"

static void
write_sample(struct jsonw *w)
{
	jsonw_object(w);
	jsonw_key(w, "a");
	jsonw_int(w, INT64_MAX);
	jsonw_key(w, "list");
	jsonw_array(w);
	jsonw_bool(w, true);
	jsonw_null(w);
	jsonw_flat_object(w);
	jsonw_key(w, "in");
	jsonw_array(w);
	jsonw_double(w, 0.25);
	jsonw_ms(w, 1500001);
	jsonw_end(w);
	jsonw_key(w, "x");
	jsonw_str(w, NULL);
	jsonw_end(w);
	jsonw_end(w);
	jsonw_key(w, "none");
	jsonw_array(w);
	jsonw_end(w);
	jsonw_key(w, "empty");
	jsonw_flat_object(w);
	jsonw_end(w);
	jsonw_key_slice(w, SLICE("k\"\n"));
	jsonw_text(w, SLICE("v\\\xff"));
	jsonw_key(w, "n");
	jsonw_number(w, SLICE("12.5"));
	jsonw_end(w);
}

static void
test_layout(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	struct jsonw w = JSONW_INIT(&out);

	write_sample(&w);
	is_str(out.p,
	    "{\n \"a\": 9223372036854775807,\n \"list\": [\n  true,\n  null,\n  {\"in\": [0.25, 1.500001], \"x\": null}\n ],\n"
	    " \"none\": [],\n \"empty\": {},\n \"k\\\"\\u000a\": \"v\\\\\xef\xbf\xbd\",\n \"n\": 12.5\n}\n",
	    "layout");
}

static void
test_judge(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	struct jsonw w = JSONW_INIT(&out);
	struct json_object *root, *v;

	write_sample(&w);
	root = json_tokener_parse(out.p);
	if (!ok(root != NULL, "json-c reads it"))
		return;
	is_int(json_object_get_int64(json_object_object_get(root, "a")), INT64_MAX, "integer");
	is_int((intmax_t)json_object_array_length(json_object_object_get(root, "list")), 3, "list");
	v = json_object_object_get(root, "k\"\n");
	is_str(json_object_get_string(v), "v\\\xef\xbf\xbd", "text");
	is_int((intmax_t)json_object_object_length(root), 6, "members");
	json_object_put(root);
}

/* A full buffer is an error that sticks, not a crash or half a document that looks whole. */
static void
test_limit(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(40);
	struct jsonw w = JSONW_INIT(&out);
	struct imp_err err = { 0 };

	write_sample(&w);
	is_int(buf_status(&out, &err), IMP_E_LIMIT, "limit");
}

int
main(void)
{
	test_layout();
	test_judge();
	test_limit();
	return done();
}
