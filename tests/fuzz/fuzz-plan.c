/* Any bytes as run.json, and as timeline.json: refused, or a plan that everything can be reckoned from. And as JSON: what is read is
 * what another parser reads. */
#include "config.h"

#define json_type jsonc_type /* the name of one of ours too */
#include <json-c/json.h>
#undef json_type

#include "base/time.h"
#include "dir.h"
#include "ingest/json.h"
#include "ingest/plan.h"

#define DRAIN_MAX_NS INT64_C(100000000000000000)

static bool
is_count(int64_t n)
{
	return n == PLAN_UNKNOWN || (n >= 0 && n <= PLAN_COUNT_MAX);
}

static bool
is_time(int64_t t)
{
	return t == PLAN_UNKNOWN || time_fits(t);
}

static void
check_plan(const struct plan *p)
{
	must(is_count(p->planned_accounts) && is_time(p->warmup_start) && is_time(p->warmup_end));
	must(p->run_id.n <= PLAN_RUN_ID_MAX);
	for (int m = 0; m < _PLAN_MARK_MAX; m++)
		must(is_time(p->mark[m]));
	for (size_t i = 0; i < p->scenarios.n; i++) {
		const struct plan_scenario *sc = &p->scenarios.v[i];

		must(sc->id.p != NULL && is_count(sc->planned) && sc->drain_ns >= 0 && sc->drain_ns <= DRAIN_MAX_NS);
		for (size_t k = 0; k < i; k++)
			must(!slice_eq(p->scenarios.v[k].id, sc->id));
	}
	for (size_t i = 0; i < p->agents.n; i++)
		must(p->agents.v[i].p != NULL);
	for (size_t i = 0; i < p->systems.n; i++)
		must(p->systems.v[i].p != NULL);
}

static void
read_as(int dirfd, const char *name, enum input_kind kind)
{
	struct input_file file = { .path = name, .kind = kind };
	const struct inputs in = { .dirfd = dirfd, .v = { .v = &file, .n = 1 } };
	struct plan plan;
	struct imp_err err;
	enum imp_rc rc = plan_read(&in, &plan, &err);

	must(rc == IMP_OK || rc == IMP_E_DATA || rc == IMP_E_LIMIT);
	if (rc != IMP_OK)
		return;
	must(plan.present == (kind == INPUT_PLAN));
	check_plan(&plan);
	plan_done(&plan);
}

static void
check_same(const struct json *a, struct json_object *b)
{
	static const enum json_type types[] = { [json_type_null] = JSON_NULL,
		[json_type_boolean] = JSON_BOOL,
		[json_type_double] = JSON_REAL,
		[json_type_int] = JSON_INT,
		[json_type_object] = JSON_OBJECT,
		[json_type_array] = JSON_ARRAY,
		[json_type_string] = JSON_TEXT };
	const struct json *item;

	if (a->type == JSON_REAL) /* json-c has room for more integers */
		must(json_object_is_type(b, json_type_double) || json_object_is_type(b, json_type_int));
	else
		must(a->type == types[json_object_get_type(b)]);
	if (a->type == JSON_INT)
		must(a->i == json_object_get_int64(b));
	else if (a->type == JSON_TEXT)
		must(slice_eq(a->text, (struct slice){ json_object_get_string(b), (size_t)json_object_get_string_len(b) }));
	if (a->type != JSON_ARRAY)
		return;
	must(a->items.n == json_object_array_length(b));
	item = a->items.first;
	for (size_t i = 0; i < a->items.n; i++, item = item->next)
		check_same(item, json_object_array_get_idx(b, i));
}

static void
check_json(struct slice text)
{
	struct json_tokener *tok = json_tokener_new_ex(1000);
	struct buf padded = BUF_INIT(PLAN_BYTES_MAX);
	struct arena arena = { 0 };
	struct json_object *o;
	struct imp_err err;
	struct json root;

	buf_add_slice(&padded, text);
	buf_add(&padded, (const char[JSON_PADDING]){ 0 }, JSON_PADDING);
	must(tok != NULL && buf_status(&padded, NULL) == IMP_OK);
	text.p = padded.p;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	if (json_read(&arena, text, &root, &err) == IMP_OK) {
		o = json_tokener_parse_ex(tok, text.p, (int)text.n);
		must(json_tokener_get_error(tok) == json_tokener_success);
		check_same(&root, o);
		json_object_put(o);
	}
	json_tokener_free(tok);
	arena_done(&arena);
	buf_done(&padded);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int dirfd = fuzz_dirfd();

	run_dir_bytes("bytes", (struct slice){ (const char *)data, size });
	read_as(dirfd, "bytes", INPUT_PLAN);
	read_as(dirfd, "bytes", INPUT_TIMELINE);
	check_json((struct slice){ (const char *)data, size });
	return 0;
}
