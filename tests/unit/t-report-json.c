/* The JSON report of the sample run, read back with json-c. */
#include "config.h"

#include "json-at.h"
#include "sample-report.h"
#include "tap.h"

#include "report/render.h"

static bool
has_key(struct json_object *o, const char *path, const char *key)
{
	return json_object_object_get_ex(json_at(o, path), key, NULL);
}

static void
test_order(struct json_object *root)
{
	static const char *const keys[] = { "schema", "run", "verdict", "ingest", "agents", "scenarios", "total", "gates", "causes",
		"findings", "concentration", "failing_messages", "unexplained_messages", "trust" };
	size_t i = 0;

	json_object_object_foreach(root, key, value)
	{
		(void)value;
		if (i < sizeof(keys) / sizeof(keys[0]))
			is_str(key, keys[i++], "key");
	}
}

static void
test_values(struct json_object *root)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{ "schema", "\"impaudit.report\\/1\"" },
		{ "run/id", "\"demo-1\"" },
		{ "verdict/result", "\"FAIL\"" },
		{ "verdict/exit_code", "1" },
		{ "verdict/reasons/0", "\"loss.durable\"" },
		{ "ingest/rejected", "1" },
		{ "ingest/foreign/data", "4" },
		{ "ingest/foreign/dead", "0" },
		{ "ingest/cut_off_agents/0", "\"b\"" },
		{ "ingest/absent_agents/0", "\"c\"" },
		{ "ingest/files_not_read/0", "\"notes.txt\"" },
		{ "ingest/unknown_keys", "2" },
		{ "agents/0/id", "\"a\"" },
		{ "agents/0/acked", "3" },
		{ "scenarios/0/kind", "\"p2p\"" },
		{ "total/by_code/202", "3" },
		{ "total/classes/unknown_absent", "1" },
		{ "total/matrix/3/outcome", "\"unknown\"" },
		{ "total/matrix/3/count", "1" },
		{ "total/delivery/missing", "2" },
		{ "total/delivery/missing_upper_bound", "false" },
		{ "total/rates/accept_rate", "0.75" },
		{ "total/latency_ms/ack/p50", "4.000000" },
		{ "total/latency_ms/ack/mean", "4.037967" },
		{ "total/latency_ms/ack/valid", "true" },
		{ "total/latency_ms/delivery/p50", "10.000001" },
		{ "total/latency_ms/delivery/valid", "false" },
		{ "total/latency_ms/delivery/why", "\"no clock measurement of agent a\"" },
		{ "total/anomalies/late_ack", "1" },
		{ "gates/0/result", "\"fail\"" },
		{ "gates/0/value", "1" },
		{ "gates/0/threshold", "\"= 0\"" },
		{ "gates/0/evidence/0/line", "7" },
		{ "gates/2/result", "\"not_evaluated\"" },
		{ "gates/2/missing/0", "\"db_status\"" },
		{ "gates/3/result", "\"not_applicable\"" },
		{ "gates/4/result", "\"fail\"" }, /* waived, and still what it is */
		{ "gates/4/waived/until", "\"2026-12-31\"" },
		{ "validity/0/id", "\"agent.cut_off\"" },
		{ "findings/0/evidence/0/file", "\"agents\\/a\\/a.jsonl\"" },
		{ "failing_messages", "3" }, /* m2, m3, m4 */
		{ "unexplained_messages", "3" },
		{ "trust/result", "\"not_evaluated\"" },
		{ "losses/missing/total", "2" },
		{ "losses/missing/deliveries/1/mid", "\"m3\\u001b[2J\"" },
		{ "losses/stored/messages/0/last_layer", "\"nowhere\"" },
		{ "repairs/total", "1" },
		{ "repairs/how", "{\"replay\":1,\"backlog\":0,\"not_known\":0}" },
		{ "repairs/median", "{\"least_ns\":48996000000,\"most_ns\":98996000000}" },
		{ "repairs/messages/0/how", "\"replay\"" },
		{ "repairs/messages/0/changed", "\"messages.id: int to big|int\"" },
		{ "repairs/messages/0/missing/line", "4" },
		{ "repairs/messages/0/there/check", "2" },
		{ "servers/1/id", "\"two\"" },
		{ "servers/1/other_than_before", "true" },
		{ "servers/1/may_lag", "true" },
		{ "servers/1/requests", "null" },
		{ "collected/not_all_got", "2" },
		{ "collected/requests/0/status", "\"denied\"" },
		{ "collected/requests/1/times", "2" },
		{ "marks/0/at/t", "1790000000000000000" },
		{ "marks/0/at/utc", "\"2026-09-21T14:13:20.000000000Z\"" },
		{ "damage/total", "1" },
		{ "files/1/manifest", "\"mismatch\"" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json_object *v = json_at(root, rows[i].path);

		is_str(v != NULL ? json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN) : "null", rows[i].want, rows[i].path);
	}
}

/* What was not evaluated is there, and null. */
static void
test_nulls(struct json_object *root)
{
	ok(has_key(root, "total/persistence", "history_found") && json_at(root, "total/persistence/history_found") == NULL,
	    "history_found");
	ok(has_key(root, "total/rates", "arrival_rate") && json_at(root, "total/rates/arrival_rate") == NULL, "arrival_rate");
	ok(has_key(root, "gates/2", "value") && json_at(root, "gates/2/value") == NULL, "value of an open gate");
	ok(json_object_is_type(json_at(root, "causes"), json_type_array) && json_object_array_length(json_at(root, "causes")) == 0,
	    "causes");
	ok(json_object_is_type(json_at(root, "concentration"), json_type_array), "concentration");
}

static void
render(const struct report *r, struct buf *out)
{
	const struct render_options opt = { 0 };
	struct imp_err err = { 0 };

	buf_clear(out);
	sample_check(renderer_json.render(r, &opt, out, &err), &err);
}

/* A rate that the store has as a double reads back as that double. */
static void
test_exact_rates(struct json_object *root)
{
	ok(json_object_get_double(json_at(root, "total/rates/loss_rate")) == 2.0 / 3, "2/3");
	ok(json_object_get_double(json_at(root, "total/rates/persistence_loss")) == 1.0 / 3, "1/3");
}

static void
test_without_topics(struct report *r, struct buf *text)
{
	struct json_object *root;

	r->run.has_topics = false;
	render(r, text);
	root = json_tokener_parse(text->p);
	ok(has_key(root, "total", "delivery") && json_at(root, "total/delivery") == NULL,
	    "without topics.jsonl `delivery` is null");
	json_object_put(root);
}

int
main(void)
{
	struct store *s = sample_store();
	CLEANUP(report_done) struct report r = { 0 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(RENDER_BYTES_MAX);
	struct json_object *root;

	sample_report(s, 100, &r);
	render(&r, &text);
	root = json_tokener_parse(text.p);
	if (ok(root != NULL, "json-c reads it")) {
		test_order(root);
		test_values(root);
		test_nulls(root);
		test_exact_rates(root);
	}
	json_object_put(root);
	test_without_topics(&r, &text);
	store_close(s);
	return done();
}
