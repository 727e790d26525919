/* Causes in the Markdown and JSON reports and on the gate's screen. */
#include "config.h"

#include "json-at.h"
#include "sample-causes.h"
#include "sample-report.h"
#include "tap.h"

#include "report/gate_text.h"
#include "report/render.h"

/* What must stand there, word for word. */
static const char *const wanted[] = {
	"\n**1. `pod.gone` (confirmed): a pod was killed or lost.** im-server-1 was gone from 14:13:21. Owns 2 messages, from "
	"2026-09-21T14:13:21.000Z to 2026-09-21T14:13:22.000Z; fits 1 more.\n",
	"- For: 20 connections of im\\|1 closed within a second (agents/a/a.jsonl:9 and 19 more); another node was not connected: "
	"≥ 1,629 (logs/im-0.log:2039 and 1,628 more). Against: nothing.\n",
	"- A consequence of it: `topic.queue_full` (probable): a topic's queue overflowed. Owns 0 messages; fits 2 that others own. "
	"For: 5 lines of a full queue. Against: nothing.\n",
	"- What to do: Look at its `events`.\n",
	"**2. `cluster.partition` (possible): a peer was unreachable.** Owns 1 message.\n\n"
	"- For: 3 messages refused with 502. Against: all nodes were alive: 1 to 4 (metrics/x.prom:7).\n"
	"- Why it is not confirmed: what speaks against it outweighs.\n",
	"**Unexplained: 0 of 3 failing messages** (2 + 1 are explained).\n",
	"- 1,351 missing deliveries: 9 of 60 receivers hold 1,350 (`b\\x7c1`, `b2` and 7 more; 15 % of what could have failed so); "
	"1 of 3 pairs of pods holds all (`b\\x7c1`; 50 % of what could have failed so). The messages are owned by `pod.gone`.\n",
	"- 1 message of unknown outcome: 1 of 40 seconds holds all (2.5 % of what could have failed so).\n",
	"- Spread evenly: 69 refused messages.\n",
	"**Seen, but the cause of no message here:** `topic.serial_stall` (5 lines of a full queue).\n",
	"**Ruled out:** `persist.backlog`, `persist.dead_letter` (3 of 3 rows exact, query complete); `permission.stale` (no 403); "
	"`client.*` (a warm-up was left out).\n",
	"**Not seen, and not ruled out:** `persist.db_stall` (not every source is complete).\n",
	"**Not looked at:** `pod.cpu_throttled` (no server metrics were read (bring metrics/)); `deploy.config_drift` (the cluster was not "
	"read).\n",
	"## Findings\n\n- `presence.close_storm` (confirmed): disconnects flooded topics with presence. For: 5 lines of a full queue. "
	"Against: nothing.\n- `file.equal_across_agents`: two agents left the same bytes",
	"| `im-0` | log | 2026-09-21T14:13:20.000Z | 2026-09-21T14:13:25.000Z | yes | 40 | zone by the messages it names |\n",
	"| `im-1` | log | – | – | **no** | 7 | **cut**: a part is missing; 2 gaps, the longest 3 s; 1 damaged; 4 sent twice; "
	"**zone unknown**: no good for timing; rotated \\| twice |\n",
	"The log of `im-1` does not cover the load: what is counted in it is a lower bound (≥), and what is absent from it proves "
	"nothing.\n",
};

static void
render(const struct renderer *how, const struct report *r, struct buf *out)
{
	const struct render_options opt = { 0 };
	struct imp_err err = { 0 };

	buf_clear(out);
	sample_check(how->render(r, &opt, out, &err), &err);
}

static void
test_markdown(const struct buf *text)
{
	const char *why = strstr(text->p, "## Why"), *look = strstr(text->p, "## Where to look"),
		   *gates = strstr(text->p, "| gate |");

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		ok(strstr(text->p, wanted[i]) != NULL, "has: %.*s", (int)strcspn(wanted[i] + (wanted[i][0] == '\n'), "\n"),
		    wanted[i] + (wanted[i][0] == '\n'));
	ok(gates != NULL && why > gates && look > why, "the reasons stand between the gates and where to look");
	ok(strstr(text->p, "**3. ") == NULL, "a consequence has no number of its own");
	ok(strstr(text->p, "start-up banner") == NULL, "what was not evaluated does not speak for anything");
}

static void
test_nothing_failed(struct report *r, struct buf *text)
{
	struct causes none = sample_causes;

	none.failing = 0;
	r->causes = &none;
	render(&renderer_md, r, text);
	ok(strstr(text->p, "## Why\n\nNothing failed: nothing to explain.\n\n## ") != NULL, "nothing failed");
	r->causes = NULL;
	render(&renderer_md, r, text);
	ok(strstr(text->p, "## Why") == NULL, "not weighed");
	none.failing = 3;
	none.unexplained = 3;
	none.n = 0;
	r->causes = &none;
	render(&renderer_md, r, text);
	ok(strstr(text->p, "## Why\n\nNo cause is known for what failed.\n\n**Unexplained: 3 of 3 failing messages**.\n") != NULL,
	    "nothing explains it");
	r->causes = &sample_causes;
}

/* The value at a path, as compact JSON. */
static const char *
at(struct json_object *o, const char *path)
{
	o = json_at(o, path);
	return o != NULL ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE) : "null";
}

static void
test_json(const struct buf *text)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{ "causes/0/id", "\"pod.gone\"" },
		{ "causes/0/result", "\"confirmed\"" },
		{ "causes/0/explains", "2" },
		{ "causes/0/also", "1" },
		{ "causes/0/lower_bound", "true" },
		{ "causes/0/evidence/0",
		    "{\"file\":\"agents/a/a.jsonl\",\"sha256\":\"aa00000000000000000000000000000000000000000000000000000000000001\","
		    "\"line\":9,\"t\":1790000001000000000,\"text\":\"{\\\"ev\\\":\\\"conn\\\"}\"}" },
		{ "causes/0/evidence/2/line", "2039" },
		{ "causes/0/evidence/3", "null" },
		{ "causes/0/against", "[]" },
		{ "causes/0/title", "{\"en\":\"a pod was killed or lost\",\"zh-CN\":\"Pod 被杀死或丢失\"}" },
		{ "causes/0/items/1/lo", "1629" },
		{ "causes/0/items/1/hi", "null" },
		{ "causes/0/items/2/evaluated", "false" },
		{ "causes/0/items/2/lo", "null" },
		{ "causes/0/items/2/reason", "\"missing_source\"" },
		{ "causes/1/against/0/file", "\"metrics/x.prom\"" },
		{ "causes/1/evidence", "[]" },
		{ "causes/2/under", "\"pod.gone\"" },
		{ "causes/4/result", "\"refuted\"" },
		{ "causes/10/result", "\"not_evaluated\"" },
		{ "causes/10/missing", "[\"metrics\"]" },
		{ "causes/11", "null" },
		{ "findings/0/id", "\"presence.close_storm\"" },
		{ "findings/2/id", "\"file.equal_across_agents\"" },
		{ "concentration/0",
		    "{\"of\":\"missing\",\"kind\":null,\"by\":\"receiver\",\"values\":9,\"of_values\":60,\"holds\":1350,\"total\":1351,"
		    "\"share_of_total\":0.15,\"exclusive\":false,\"from_t\":null,\"to_t\":null,\"examples\":[\"b|1\",\"b2\"],\"causes\":[\"pod.gone\"]}" },
		{ "concentration/3/by", "null" },
		{ "failing_messages", "3" },
		{ "unexplained_messages", "0" },
		{ "sources/0/covers_load", "true" },
		{ "sources/1/first", "null" },
		{ "sources/1/cut", "true" },
		{ "sources/1/longest_gap_ns", "3000000000" },
	};
	struct json_object *root = json_tokener_parse(text->p);

	if (ok(root != NULL, "json-c reads it"))
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			is_str(at(root, rows[i].path), rows[i].want, rows[i].path);
	json_object_put(root);
}

static void
test_screen(void)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 20);
	struct report report = { .run.id = SLICE("demo-1"), .verdict = &sample_verdict };
	struct cause_verdict repaired = { .id = SLICE("persist.id_overflow"), .result = CAUSE_CONFIRMED, .repaired = 300 };
	struct causes c = sample_causes;

	gate_text(&report, &c, &text);
	ok(strstr(text.p, "\nwhy: pod.gone (confirmed, 2); unexplained: 0 of 3 failing messages\n") != NULL, "one line of causes");
	buf_clear(&text);
	c.n = 0;
	c.unexplained = 3;
	gate_text(&report, &c, &text);
	ok(strstr(text.p, "\nwhy: unexplained: 3 of 3 failing messages\n") != NULL, "no cause");
	buf_clear(&text);
	c.failing = 0;
	gate_text(&report, &c, &text);
	ok(strstr(text.p, "why:") == NULL && strstr(text.p, "repaired") == NULL, "nothing failed");
	buf_clear(&text);
	c.v = &repaired;
	c.n = 1;
	c.repaired = 300;
	c.unexplained = 0;
	report.repairs = (struct report_repairs){ .total = 301,
		.replay = 300,
		.not_known = 1,
		.median = { { true, INT64_C(12000000000) }, { true, INT64_C(180000000000) } } };
	gate_text(&report, &c, &text);
	ok(strstr(text.p,
	       "\nwhy: persist.id_overflow (confirmed, 0 and 300 repaired since); unexplained: 0 of 0 failing messages\n"
	       "repaired since: 301 messages (300 replayed from the dead letters, 1 not known how), missing for 12 s to 3 min 0 s (median)\n") !=
		NULL,
	    "what was repaired since");
	buf_clear(&text);
	report.repairs =
	    (struct report_repairs){ .total = 1, .backlog = 1, .median = { { true, INT64_C(12000000000) }, { false, 0 } } };
	gate_text(&report, &c, &text);
	ok(strstr(text.p, "\nrepaired since: 1 message (1 the backlog drained), missing for at least 12 s\n") != NULL,
	    "one of which nobody says by when");
}

int
main(void)
{
	struct store *s = sample_store();
	CLEANUP(report_done) struct report r = { 0 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(RENDER_BYTES_MAX);

	sample_report(s, 100, &r);
	r.causes = &sample_causes;
	render(&renderer_md, &r, &text);
	test_markdown(&text);
	render(&renderer_json, &r, &text);
	test_json(&text);
	test_nothing_failed(&r, &text);
	test_screen();
	store_close(s);
	return done();
}
