/* run.json and timeline.json: every key, its default, and what is refused because denominators would be wrong. */
#include "config.h"

#include "ingest/plan.h"
#include "run-dir.h"
#include "tap.h"

#define S INT64_C(1000000000)

static struct plan plan_; /* `plan` is a function of tap.h */
static struct imp_err err;

static enum imp_rc
read_plan(const char *run, const char *timeline)
{
	struct inputs in;
	enum imp_rc rc;

	run_dir_clear();
	if (run != NULL)
		run_dir_put("run.json", "%s", run);
	if (timeline != NULL)
		run_dir_put("timeline.json", "%s", timeline);
	plan_done(&plan_);
	rc = inputs_open(run_dir, &in, &err);
	if (rc != IMP_OK)
		return rc;
	rc = plan_read(&in, &plan_, &err);
	inputs_close(&in);
	return rc;
}

static void
is_slice(struct slice got, const char *want, const char *what)
{
	ok(want != NULL ? slice_eq(got, slice_of(want)) : got.p == NULL, "%s", what);
}

/* The example of the format (docs/ledger.md, section 2). */
static void
whole_plan(void)
{
	const struct plan_scenario *sc;
	enum imp_rc rc =
	    read_plan("{\"format\":1,\"run_id\":\"demo-1\",\"tenant\":\"t008\",\"scenarios\":["
		      "{\"id\":\"s1\",\"kind\":\"p2p\",\"planned_messages\":20000,\"drain_s\":45},"
		      "{\"id\":\"s2\",\"kind\":\"group\",\"planned_messages\":2000},"
		      "{\"id\":\"w\",\"kind\":\"p2p\",\"drain_s\":0.25,\"warmup\":true},{\"id\":\"x\"}],"
		      "\"planned_accounts\":2000,\"agents\":[\"a\",\"b\"],\"client_mid_prefix\":\"lt-\",\"server\":\"tinode\","
		      "\"systems\":[\"mysql\",\"kafka\"],\"shared_host\":true,\"log_zone\":\"+08:00\","
		      "\"build\":{\"expected\":\"75bb448\"},\"gates\":\"trust\",\"new_key\":[1],"
		      "\"warmup\":{\"start\":1790000000000000001,\"end\":1790000060000000002}}",
		"{\"load_start\":1790000000000000003,\"close_end\":5,\"new_mark\":7}");

	if (!ok(rc == IMP_OK && plan_.present && plan_.scenarios.n == 4, "the whole plan")) {
		printf("# %s\n", err.msg);
		return;
	}
	is_slice(plan_.run_id, "demo-1", "run_id");
	is_slice(plan_.tenant, "t008", "tenant");
	is_slice(plan_.server, "tinode", "server");
	is_slice(plan_.gates, "trust", "gates");
	is_slice(plan_.log_zone, "+08:00", "log_zone");
	is_slice(plan_.mid_prefix, "lt-", "client_mid_prefix");
	is_slice(plan_.build_expected, "75bb448", "build.expected");
	is_int(plan_.planned_accounts, 2000, "planned_accounts");
	ok(plan_.shared_host && plan_.systems_given && plan_.systems.n == 2 && slice_eq(plan_.systems.v[1], SLICE("kafka")),
	    "systems");
	ok(plan_.agents.n == 2 && slice_eq(plan_.agents.v[1], SLICE("b")), "agents");
	ok(plan_.warmup_start == INT64_C(1790000000000000001) && plan_.warmup_end == INT64_C(1790000060000000002),
	    "warmup, to the nanosecond");
	sc = plan_.scenarios.v;
	ok(slice_eq(sc[0].id, SLICE("s1")) && sc[0].kind == KIND_P2P && sc[0].planned == 20000 && sc[0].drain_ns == 45 * S &&
		!sc[0].warmup,
	    "a p2p scenario");
	ok(sc[1].kind == KIND_GROUP && sc[1].planned == 2000 && sc[1].drain_ns == 60 * S, "a group scenario, drained for 60 s");
	ok(sc[2].warmup && sc[2].planned == PLAN_UNKNOWN && sc[2].drain_ns == S / 4,
	    "a warm-up, drained for a quarter of a second");
	ok(sc[3].kind == KIND_UNKNOWN && sc[3].drain_ns == 30 * S, "one with an id alone");
	ok(plan_.mark[MARK_load_start] == INT64_C(1790000000000000003) && plan_.mark[MARK_close_end] == 5, "marks");
	is_int(plan_.mark[MARK_load_end], PLAN_UNKNOWN, "a mark that is not there");
}

static void
defaults(void)
{
	ok(read_plan(NULL, NULL) == IMP_OK && !plan_.present && plan_.scenarios.n == 0 && plan_.run_id.p == NULL, "no plan at all");
	ok(plan_.planned_accounts == PLAN_UNKNOWN && plan_.warmup_start == PLAN_UNKNOWN &&
		plan_.mark[MARK_load_start] == PLAN_UNKNOWN,
	    "knows nothing");
	ok(read_plan("{}", NULL) == IMP_OK && plan_.present && !plan_.systems_given && !plan_.shared_host, "an empty plan");
	ok(read_plan("{\"systems\":[]}", NULL) == IMP_OK && plan_.systems_given && plan_.systems.n == 0, "a plan of no systems");
	ok(read_plan("{\"run_id\":null,\"planned_accounts\":null,\"scenarios\":null}", NULL) == IMP_OK && plan_.run_id.p == NULL,
	    "null is not stated");
	ok(read_plan("\xef\xbb\xbf{\r\n \"run_id\": \"x\"\r\n}\r\n", NULL) == IMP_OK, "a mark of byte order and CRLF");
	is_slice(plan_.run_id, "x", "are no part of it");
	ok(read_plan(NULL, "{\"load_start\":1}") == IMP_OK && !plan_.present && plan_.mark[MARK_load_start] == 1,
	    "a timeline without a plan");
}

static void
refusals(void)
{
	static const struct {
		const char *name, *run, *timeline, *word;
	} rows[] = {
		{ "no JSON", "{\"run_id\":", NULL, "ends too early" },
		{ "no object", "[1]", NULL, "another type" },
		{ "garbage", "run", NULL, "not a JSON object" },
		{ "an empty file", "", NULL, "not a JSON object" },
		{ "a run_id that is a number", "{\"run_id\":1}", NULL, "`run_id` is not a string" },
		{ "scenarios that are no array", "{\"scenarios\":{}}", NULL, "`scenarios` is not an array" },
		{ "a scenario that is no object", "{\"scenarios\":[1]}", NULL, "no object" },
		{ "a scenario without id", "{\"scenarios\":[{\"kind\":\"p2p\"}]}", NULL, "`id`" },
		{ "a kind that nobody knows", "{\"scenarios\":[{\"id\":\"s\",\"kind\":\"x\"}]}", NULL, "`kind`" },
		{ "two scenarios of one id", "{\"scenarios\":[{\"id\":\"s\"},{\"id\":\"s\"}]}", NULL, "same `id`" },
		{ "planned_messages as text", "{\"scenarios\":[{\"id\":\"s\",\"planned_messages\":\"9\"}]}", NULL,
		    "`planned_messages`" },
		{ "fewer messages than none", "{\"scenarios\":[{\"id\":\"s\",\"planned_messages\":-1}]}", NULL,
		    "`planned_messages`" },
		{ "more messages than can be added up", "{\"scenarios\":[{\"id\":\"s\",\"planned_messages\":1000000000001}]}", NULL,
		    "`planned_messages`" },
		{ "a run_id with a NUL", "{\"run_id\":\"a\\u0000b\"}", NULL, "`run_id`" },
		{ "a mark at no time", NULL, "{\"load_start\":9223372036854775807}", "`load_start` is not an integer" },
		{ "a negative drain", "{\"scenarios\":[{\"id\":\"s\",\"drain_s\":-1}]}", NULL, "`drain_s`" },
		{ "a drain of years", "{\"scenarios\":[{\"id\":\"s\",\"drain_s\":1e9}]}", NULL, "`drain_s`" },
		{ "a warm-up in doubles", "{\"warmup\":{\"start\":1.5,\"end\":2}}", NULL, "`start` is not an integer" },
		{ "a mark in doubles", NULL, "{\"load_start\":1790000000.5}", "`load_start` is not an integer" },
		{ "an agent that is a number", "{\"agents\":[7]}", NULL, "agents" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum imp_rc rc = read_plan(rows[i].run, rows[i].timeline);

		if (!ok(rc == IMP_E_DATA && strstr(err.msg, rows[i].word) != NULL &&
			    strstr(err.msg, rows[i].run != NULL ? "run.json" : "timeline.json") != NULL,
			"refused: %s", rows[i].name))
			printf("# %d: %s\n", (int)rc, rc != IMP_OK ? err.msg : "");
	}
}

static void
names(void)
{
	enum plan_mark m;

	ok(plan_mark_parse(SLICE("drain_end"), &m) && m == MARK_drain_end && strcmp(plan_mark_name(m), "drain_end") == 0,
	    "names of marks");
	ok(!plan_mark_parse(SLICE("drain"), &m), "no others");
	ok(kind_parse(SLICE("group")) == KIND_GROUP && kind_parse(SLICE("")) == KIND_UNKNOWN &&
		strcmp(kind_name(KIND_P2P), "p2p") == 0 && kind_name(KIND_UNKNOWN) == NULL,
	    "names of kinds");
}

int
main(void)
{
	whole_plan();
	defaults();
	refusals();
	names();
	plan_done(&plan_);
	return done();
}
