/* What a run comes to: PASS, FAIL, INVALID, INCONCLUSIVE, by section 9 of the truth model, and what a verdict says of it. */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "rules/rules.h"
#include "tap.h"

static const char run[] =
    "INSERT INTO main.run VALUES (1, 'r', '/r', 1, '', 1, NULL, 'tinode', 'small', 0, NULL, NULL, NULL, 2, 1, 1, 1);"
    "INSERT INTO main.agent VALUES (1, 0, 'a', 1, 1, 0, 9, NULL, NULL);"
    "INSERT INTO main.file VALUES (1, 0, 'agents/a/a.jsonl', 'ledger', 0, 9, 'abcd', NULL, 'none', 9, 9, 9, 0, 0, 0, 0);";

/* A profile of few gates, so that a healthy run passes. */
static const char profile[] = "engine: '>=1.0'\n"
			      "rules:\n"
			      "- kind: profile\n"
			      "  id: small\n"
			      "  title: {en: small}\n"
			      "  gates: [accept, loss.durable, unknown, kafka.drain, trust.warmup]\n"
			      "  validity: [agent.cut_off]\n"
			      "- kind: profile\n"
			      "  id: lenient\n"
			      "  title: {en: lenient}\n"
			      "  extends: small\n"
			      "  thresholds: {accept: '>= 80 %'}\n"
			      "  waivers: [{gate: loss.durable, until: 2030-01-01, reason: a known fault}]\n"
			      "- kind: profile\n"
			      "  id: nothing\n"
			      "  title: {en: nothing}\n";

static char dir[256];

static struct ruleset *
load_rules(void)
{
	const char *dirs[] = { dir };
	struct ruleset *rs = NULL;
	struct imp_err err = { 0 };

	if (rules_load(&(struct rules_options){ .dirs = dirs, .ndirs = 1, .today = "2026-12-01" }, &rs, &err) != IMP_OK)
		printf("# %s\n", err.msg);
	return rs;
}

/* A healthy run of ten messages without kafka, then `change`. */
static struct verdict *
judge(const struct ruleset *rs, const char *name, const char *change)
{
	static const char figures[] =
	    "INSERT INTO main.run_system VALUES (1, 'mysql');"
	    "INSERT INTO main.figure VALUES (1, 'total', '', 'acked', 10), (1, 'total', '', 'attempted', 10), (1, 'total', '', 'unknown', 0),"
	    " (1, 'total', '', 'classes.durable_lost', 0), (1, 'total', '', 'classes.dead_lettered', 0),"
	    " (1, 'total', '', 'classes.unverified', 0), (1, 'total', '', 'delivery.unacked_deliveries', 0),"
	    " (1, 'total', '', 'delivery.missing_upper_bound', 0), (1, 'total', '', 'delivery.unwitnessed', 0);";
	struct store *s = NULL;
	struct verdict *v = NULL;
	struct imp_err err = { 0 };
	char *said = NULL;
	bool good = store_open(":memory:", STORE_WRITE, 0, &s, &err) == IMP_OK;

	good = good && sqlite3_exec(store_db(s), run, NULL, NULL, &said) == SQLITE_OK;
	good = good && sqlite3_exec(store_db(s), figures, NULL, NULL, &said) == SQLITE_OK;
	good = good && sqlite3_exec(store_db(s), change, NULL, NULL, &said) == SQLITE_OK;
	good = good && store_select_run(s, 1, &err) == IMP_OK && store_seal(s, 10000000, &err) == IMP_OK;
	good = good && rules_evaluate(rs, s, 1, name, &v, &err) == IMP_OK;
	if (!good)
		printf("# %s %s\n", err.msg, said != NULL ? said : "");
	sqlite3_free(said);
	store_close(s);
	return v;
}

static void
join(const struct slice *ids, size_t n, char *ret, size_t size)
{
	size_t used = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(ret + used, size - used, "%s%.*s", i > 0 ? " " : "", SLICE_ARG(ids[i]));
}

#define SET(name, value) "UPDATE main.figure SET value = " value " WHERE name = '" name "';"
#define CUT_OFF "UPDATE main.agent SET cut_off = 1;"
#define LINES_LOST "INSERT INTO main.finding VALUES (1, 0, 'ledger.lines_lost', 'lines are lost', 3, NULL, NULL);"

static void
test_verdicts(const struct ruleset *rs)
{
	static const struct {
		const char *what, *profile, *change, *result;
		int exit_code;
		const char *reasons;
	} cases[] = {
		{ "a healthy run passes", NULL, "", "PASS", 0, "" },
		{ "a failed gate", NULL, SET("acked", "9"), "FAIL", 1, "accept" },
		{ "two failed gates", NULL, SET("acked", "9") SET("unknown", "1"), "FAIL", 1, "accept unknown" },
		{ "a failed gate before an open one", NULL, SET("acked", "9") SET("classes.unverified", "1"), "FAIL", 1, "accept" },
		{ "an open gate", NULL, SET("classes.unverified", "1"), "INCONCLUSIVE", 3, "loss.durable" },
		{ "lost ledger lines", NULL, LINES_LOST, "INCONCLUSIVE", 3, "ledger.lines_lost" },
		{ "lost lines beside an open gate", NULL, LINES_LOST SET("classes.unverified", "1"), "INCONCLUSIVE", 3,
		    "loss.durable ledger.lines_lost" },
		{ "a failed gate beside lost lines", NULL, LINES_LOST SET("acked", "9"), "FAIL", 1, "accept" },
		{ "an applicable system without evidence", NULL, "DELETE FROM main.run_system;", "INCONCLUSIVE", 3, "kafka.drain" },
		{ "a validity rule", NULL, CUT_OFF, "INVALID", 2, "agent.cut_off" },
		{ "it outranks a failed gate", NULL, CUT_OFF SET("acked", "9"), "INVALID", 2, "agent.cut_off" },
		{ "it outranks dead letters", NULL, CUT_OFF SET("classes.dead_lettered", "1"), "INVALID", 2, "agent.cut_off" },
		{ "but no loss that the database proves", NULL, CUT_OFF SET("classes.durable_lost", "1") SET("acked", "9"), "FAIL",
		    1, "loss.durable" },
		{ "nor lost lines outrank it", NULL, CUT_OFF LINES_LOST, "INVALID", 2, "agent.cut_off" },
		{ "another threshold", "lenient", SET("acked", "9"), "PASS", 0, "" },
		{ "a waived gate", "lenient", SET("classes.durable_lost", "1"), "PASS", 0, "" },
		{ "a waived loss does not outrank an invalid run", "lenient", CUT_OFF SET("classes.durable_lost", "1"), "INVALID",
		    2, "agent.cut_off" },
		{ "no gate at all", "nothing", "", "INCONCLUSIVE", 3, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct verdict *v = judge(rs, cases[i].profile, cases[i].change);
		char reasons[256];

		if (!ok(v != NULL, "%s", cases[i].what))
			continue;
		join(v->reasons, v->nreasons, reasons, sizeof(reasons));
		is_str(verdict_result_name(v->result), cases[i].result, cases[i].result);
		is_int(v->exit_code, cases[i].exit_code, "exit code");
		is_str(reasons, cases[i].reasons, "reasons");
		verdict_free(v);
	}
}

static const struct rule_verdict *
find(const struct verdict *v, const char *id)
{
	for (size_t i = 0; i < v->nrules; i++)
		if (slice_eq(v->rules[i].id, slice_of(id)))
			return &v->rules[i];
	return NULL;
}

/* What stands in the report. */
static void
test_details(const struct ruleset *rs)
{
	struct verdict *v = judge(rs, "lenient",
	    SET("acked", "7") SET("attempted", "9") SET("classes.durable_lost",
		"1") "INSERT INTO main.topic VALUES (1, 0, 't', 'p2p', 1, 2, NULL); INSERT INTO main.account VALUES (1, 0, 'x', NULL, 0, 1, 1, 0);"
		     "INSERT INTO main.message SELECT 1, n, 'm' || n, 0, 0, 0, NULL, 0, NULL, 1, 2, 1, 'rejected', 'none', 'absent', 'rejected', 403, NULL,"
		     " NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', NULL, NULL FROM (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3);"
		     "INSERT INTO main.attempt SELECT 1, message_no, 0, 'pub', 1, NULL, 0, 0, 1, NULL, NULL, NULL, 0, 10 + message_no FROM main.message;");
	const struct rule_verdict *r;

	if (!ok(v != NULL, "judged"))
		return;
	r = find(v, "accept");
	is_int(r->result, RULE_FAIL, "accept fails");
	is_str(r->value.p, "7 / 9 = 78 %", "its value");
	is_str(r->value_json.p, "0.7777777777777778", "as JSON");
	is_str(r->threshold.p, ">= 80 %", "its threshold");
	ok(r->changed, "which the profile changed");
	is_str(r->conditions[0].threshold_was.p, "= 100 %", "from this one");
	is_str(r->why.p, "accepted messages: 7 / 9 = 78 %, required >= 80 %", "why");
	is_int((intmax_t)r->nevidence, 3, "three places");
	is_int((intmax_t)r->evidence_total, 4, "of four");
	is_str(r->evidence[0].file.p, "agents/a/a.jsonl", "the file");
	is_str(r->evidence[0].sha256.p, "abcd", "its hash");
	is_int(r->evidence[2].line, 12, "the line");
	ok(slice_has_prefix(r->evidence[0].query, SLICE("SELECT a.file, a.line")), "the query");
	r = find(v, "loss.durable");
	is_int(r->result, RULE_WAIVED, "loss.durable is waived");
	is_int(r->unwaived, RULE_FAIL, "it would fail");
	is_str(r->waived_until.p, "2030-01-01", "until");
	is_str(r->waived_why.p, "a known fault", "because");
	is_str(r->value.p, "durable_lost 1, dead_lettered 0, unverified 0", "the values of three conditions");
	is_str(r->threshold.p, "= 0", "their common threshold");
	is_str(r->value_json.p, "1", "the one that decided");
	r = find(v, "kafka.drain");
	is_int(r->result, RULE_NOT_APPLICABLE, "kafka.drain does not apply");
	is_str(r->why.p, "run.json does not list kafka", "because");
	is_str(r->value_json.p, "null", "and has no value");
	is_str(v->profile.p, "lenient", "the profile");
	verdict_free(v);
	v = judge(rs, NULL, "DELETE FROM main.run_system; UPDATE main.run SET has_topics = 0;");
	r = find(v, "unknown");
	is_int(r->reason, RULE_REASON_MISSING_SOURCE, "unknown is open: a source is missing");
	is_str(r->missing[0], "topics", "which one");
	is_str(r->why.p, "who was to receive what is not known (bring topics.jsonl)", "in words");
	verdict_free(v);
}

static void
test_trust(const struct ruleset *rs)
{
	struct verdict *v = judge(rs, NULL, "");
	char reasons[256];

	join(v->trust_reasons, v->ntrust_reasons, reasons, sizeof(reasons));
	is_str(trust_result_name(v->trust), "not_evaluated", "without health samples trust is not evaluated");
	is_str(reasons, "trust.machine trust.schedule", "because of these; a missing calibration is a warning");
	verdict_free(v);
	v = judge(rs, NULL, "INSERT INTO main.figure VALUES (1, 'total', '', 'by_skip.overrun', 1);");
	join(v->trust_reasons, v->ntrust_reasons, reasons, sizeof(reasons));
	is_str(trust_result_name(v->trust), "untrusted", "a generator that was too late is not trusted");
	is_str(reasons, "trust.machine trust.schedule", "the schedule, and the machine that was saturated");
	verdict_free(v);
	v = judge(rs, "trust", "");
	is_str(verdict_result_name(v->result), "INCONCLUSIVE", "the profile of trust as a gate");
	is_str(rule_result_name(find(v, "trust.warmup")->result), "fail", "a warning fails without a word in the verdict");
	verdict_free(v);
}

/* Rules that fail on the evidence never pass and never stop the others. */
static void
test_failing_rules(void)
{
	static const char text[] =
	    "engine: '>=1.0'\n"
	    "rules:\n"
	    "- {kind: profile, id: bad, title: {en: bad}, gates: [endless, wordy, absent, accept]}\n"
	    "- kind: gate\n"
	    "  id: endless\n"
	    "  title: {en: endless}\n"
	    "  value: {sql: WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) AS value FROM n}\n"
	    "  require: '>= 0'\n"
	    "- {kind: gate, id: wordy, title: {en: wordy}, value: {sql: SELECT 'many' AS value}, require: '>= 0'}\n"
	    "- {kind: gate, id: absent, title: {en: absent}, value: {sql: SELECT 1 AS value WHERE 0}, require: '>= 0'}\n";
	char path[300];
	FILE *f;
	struct ruleset *rs;
	struct verdict *v;

	snprintf(path, sizeof(path), "%s/z.yaml", dir);
	f = fopen(path, "w");
	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		printf("# could not write %s\n", path);
	rs = load_rules();
	v = rs != NULL ? judge(rs, "bad", "") : NULL;
	if (ok(v != NULL, "judged")) {
		is_str(rule_reason_name(find(v, "endless")->reason), "budget", "endless SQL is stopped");
		is_str(rule_reason_name(find(v, "wordy")->reason), "rule_error", "words are no number");
		is_str(rule_reason_name(find(v, "absent")->reason), "missing_source", "no row is no number");
		is_str(rule_result_name(find(v, "accept")->result), "pass", "the gate behind them is judged");
		is_str(verdict_result_name(v->result), "INCONCLUSIVE", "the run is not passed");
	}
	verdict_free(v);
	rules_free(rs);
	unlink(path);
}

static void
test_no_profile(const struct ruleset *rs)
{
	struct store *s = NULL;
	struct verdict *v = NULL;
	struct imp_err err = { 0 };

	ok(store_open(":memory:", STORE_WRITE, 0, &s, &err) == IMP_OK &&
		sqlite3_exec(store_db(s), run, NULL, NULL, NULL) == SQLITE_OK && store_select_run(s, 1, &err) == IMP_OK,
	    "a store");
	ok(rules_evaluate(rs, s, 1, "relaese", &v, &err) == IMP_E_USAGE && v == NULL, "a profile that does not exist");
	is_str(err.msg, "there is no gate profile 'relaese'", "is named");
	ok(rules_evaluate(rs, s, 2, NULL, &v, &err) == IMP_E_NOINPUT && v == NULL, "a run that does not exist");
	store_close(s);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");
	struct ruleset *rs;
	char path[300];
	FILE *f;

	snprintf(dir, sizeof(dir), "%s/t-rules-XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/profile.yaml", dir);
	f = fopen(path, "w");
	if (f == NULL || fputs(profile, f) < 0 || fclose(f) != 0)
		return 1;
	rs = load_rules();
	if (ok(rs != NULL, "the rules load")) {
		test_verdicts(rs);
		test_details(rs);
		test_trust(rs);
		test_no_profile(rs);
		test_failing_rules();
	}
	rules_free(rs);
	unlink(path);
	rmdir(dir);
	return done();
}
