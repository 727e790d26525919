/* Broken rule files: every refusal names file, line and column. Rules of a directory, and profiles of a user. */
#include "config.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rules/rule.h"
#include "tap.h"

#define HEAD "engine: '>=1.0'\nrules:\n"						      /* two lines */
#define GATE HEAD "- kind: gate\n  id: x\n  title: {en: x}\n"				      /* five */
#define SIGNATURE HEAD "- kind: signature\n  id: log.x\n  title: {en: x}\n  effect: info\n"   /* six */
#define METRIC HEAD "- kind: metric\n  id: metric.x\n  title: {en: x}\n"		      /* five */
#define PROFILE HEAD "- kind: profile\n  id: mine\n  title: {en: mine}\n  extends: release\n" /* six */

struct broken {
	const char *text, *message;
};

static void
check_message(const struct imp_err *err, enum imp_rc rc, const char *message)
{
	ok(rc == IMP_E_RULE, "refused: %s", message);
	is_str(err->msg, message, "and says where");
}

/* What is wrong in a file by itself. */
static void
check_files(const struct broken *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct ruleset rs = { 0 };
		struct imp_err err = { 0 };
		enum imp_rc rc = ruleset_add_file(&rs, 0, "f.yaml", slice_of(cases[i].text), &err);

		check_message(&err, rc, cases[i].message);
		VEC_FREE(NULL, &rs.rules);
		arena_done(&rs.arena);
	}
}

static void
test_files(void)
{
	static const struct broken cases[] = {
		{ "", "f.yaml:1:1: an empty file" },
		{ "- 1\n", "f.yaml:1:1: a map is expected here, not a list" },
		{ "engine: '>=1.0'\n", "f.yaml:1:1: key 'rules' is missing" },
		{ "engine: '>=2.0'\nrules: []\n", "f.yaml:1:9: this file is for another engine than 1.0" },
		{ "engine: 1\nrules: []\n", "f.yaml:1:9: an engine is asked for as '>=1.0'" },
		{ "engine: '>=1.0'\nruels: []\n", "f.yaml:2:1: unknown key 'ruels': did you mean 'rules'?" },
		{ "engine: '>=1.0'\nengine: '>=1.0'\n", "f.yaml:2:1: key 'engine' stands here twice, first in line 1" },
		{ "engine: &a '>=1.0'\nrules: []\n", "f.yaml:1:9: anchors are not read here" },
		{ "rules: *a\n", "f.yaml:1:8: aliases are not read here" },
		{ "engine: !!str '>=1.0'\n", "f.yaml:1:9: tags are not read here" },
		{ "engine: ! '>=1.0'\n", "f.yaml:1:9: tags are not read here" },
		{ "[1]: 2\n", "f.yaml:1:1: a key must be a single value" },
		{ "a: \"\\0\"\n", "f.yaml:1:4: a NUL character in a value" },
		{ "engine: '>=1.0'\n---\nrules: []\n", "f.yaml:2:1: a file is one document" },
		{ "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]\n", "f.yaml:1:17: nested deeper than 16" },
		{ HEAD "- kind: gaet\n", "f.yaml:3:9: unknown kind of rule 'gaet': did you mean 'gate'?" },
		{ HEAD "- id: x\n", "f.yaml:3:3: key 'kind' is missing" },
		{ HEAD "- kind: gate\n  id: X\n", "f.yaml:4:7: an id is made of a-z 0-9 . _ -" },
		{ GATE, "f.yaml:3:3: a condition without 'value' says in 'needs' what it is missing" },
		{ GATE "  valeu: acked\n", "f.yaml:6:3: unknown key 'valeu': did you mean 'value'?" },
		{ GATE "  value: acked\n", "f.yaml:3:3: key 'require' is missing" },
		{ GATE "  value: acked\n  require: 0\n",
		    "f.yaml:7:12: '0' is no threshold: it does not begin with one of = != < <= > >=" },
		{ GATE "  value: acked\n  require: '= 0 h'\n",
		    "f.yaml:7:12: '= 0 h' is no threshold: the unit is none of % ns us ms s min" },
		{ GATE "  value: {latency: ack, quantile: p95}\n  require: '= 0'\n",
		    "f.yaml:3:3: a latency needs a threshold in ns, us, ms, s or min" },
		{ GATE "  value: {latency: ack, quantile: p42}\n  require: '= 0 s'\n", "f.yaml:6:35: unknown quantile 'p42'" },
		{ GATE "  value: {latency: ack}\n  require: '= 0 s'\n", "f.yaml:6:10: key 'quantile' is missing" },
		{ GATE "  value: {figure: a, quantile: p95}\n  require: '= 0'\n", "f.yaml:6:22: 'quantile' goes with 'latency'" },
		{ GATE "  value: {figure: a, class: ok}\n  require: '= 0'\n",
		    "f.yaml:6:22: a value is either 'figure' or 'class'" },
		{ GATE "  value: {lower_bound_when: [a]}\n  require: '= 0'\n",
		    "f.yaml:6:10: this says no value: one of 'figure', 'latency', 'ratio', 'sql', ... is missing" },
		{ GATE "  value: {ratio: [a, b, c]}\n  require: '= 0'\n", "f.yaml:6:18: two values are expected, not 3" },
		{ GATE "  value: {sum: []}\n  require: '= 0'\n", "f.yaml:6:16: at least one value is expected, not 0" },
		{ GATE "  value: [a]\n  require: '= 0'\n",
		    "f.yaml:6:10: a number, the name of a figure or a map is expected here" },
		{ GATE "  needs: [metric]\n  require: '= 0'\n", "f.yaml:6:11: unknown evidence 'metric': did you mean 'metrics'?" },
		{ GATE "  value: a\n  require: '= 0'\n  proof: yes\n", "f.yaml:8:10: unknown word 'yes'" },
		{ GATE "  conditions: []\n", "f.yaml:6:15: an empty list" },
		{ GATE "  conditions: [{value: a, require: '= 0'}]\n", "f.yaml:6:16: key 'name' is missing" },
		{ GATE "  conditions:\n  - {name: n, value: a, require: '= 0'}\n  - {name: n, value: b, require: '= 0'}\n",
		    "f.yaml:8:12: condition 'n' stands here twice" },
		{ GATE "  value: a\n  conditions: []\n", "f.yaml:3:3: a rule measures one thing, or has 'conditions'" },
		{ GATE "  value: a\n  require: '= 0'\n  applies_when: {systems: [mysq]}\n",
		    "f.yaml:8:28: unknown system 'mysq': did you mean 'mysql'?" },
		{ GATE "  value: a\n  require: '= 0'\n  applies_when: {sql: SELECT 1}\n",
		    "f.yaml:8:17: 'sql' and 'otherwise' go together" },
		{ GATE "  value: a\n  require: '= 0'\n  tests: [{name: t}]\n", "f.yaml:8:11: key 'expect' is missing" },
		{ GATE "  value: a\n  require: '= 0'\n  tests: [{name: t, expect: pas}]\n",
		    "f.yaml:8:29: unknown result 'pas': did you mean 'pass'?" },
		{ HEAD "- kind: profile\n  id: p\n  title: {en: p}\n  waivers: [{gate: x, until: 2026-13-01, reason: y}]\n",
		    "f.yaml:6:13: '2026-13-01' is no date (YYYY-MM-DD)" },
		{ HEAD "- kind: profile\n  id: p\n  title: {en: p}\n  waivers: [{gate: x, until: 2026-12-01}]\n",
		    "f.yaml:6:13: key 'reason' is missing" },
		{ HEAD "- kind: profile\n  id: p\n  title: {en: p}\n  tests: []\n", "f.yaml:6:3: unknown key 'tests'" },
	};

	check_files(cases, sizeof(cases) / sizeof(*cases));
}

/* What is wrong in a signature, a metric, a query, or in what a test expects of them. */
static void
test_counted(void)
{
	static const struct broken cases[] = {
		{ SIGNATURE, "f.yaml:3:3: key 'match' is missing" },
		{ SIGNATURE "  match: []\n", "f.yaml:7:10: an empty list" },
		{ SIGNATURE "  match: [{re: a}]\n", "f.yaml:7:16: a regular expression stands in quotes or in a block" },
		{ SIGNATURE "  match: [{re: ''}]\n", "f.yaml:7:16: text is missing" },
		{ SIGNATURE "  match: [{re: 'a(b'}]\n", "f.yaml:7:20: regular expression: missing closing parenthesis" },
		{ SIGNATURE "  match:\n  - re: |\n      b+\n      [z-a]\n",
		    "f.yaml:10:1: regular expression: range out of order in character class" },
		{ SIGNATURE "  match: [{re: '(*UTF)a'}]\n",
		    "f.yaml:7:23: regular expression: using UTF is disabled by the application" },
		{ SIGNATURE "  match: [{re: 'a', on: head}]\n", "f.yaml:7:25: unknown part of a line 'head'" },
		{ SIGNATURE "  match: [{er: 'a'}]\n", "f.yaml:7:12: unknown key 'er'" },
		{ SIGNATURE "  match: [{re: 'a'}]\n  server: [tinod]\n",
		    "f.yaml:8:12: unknown server 'tinod': did you mean 'tinode'?" },
		{ SIGNATURE "  match: [{re: 'a'}]\n  tests: [{name: t, expect: fail}]\n", "f.yaml:8:29: unknown result 'fail'" },
		{ SIGNATURE "  match: [{re: 'a'}]\n  tests: [{name: t, expect: {count: [1]}}]\n",
		    "f.yaml:8:37: a count is expected as [least, most]" },
		{ SIGNATURE "  match: [{re: 'a'}]\n  tests: [{name: t, expect: {count: [1, x]}}]\n",
		    "f.yaml:8:41: a number or null is expected here" },
		{ SIGNATURE "  match: [{re: 'a'}]\n  tests: [{name: t, expect: {reason: clock}}]\n",
		    "f.yaml:8:29: either an outcome or a count is expected" },
		{ SIGNATURE "  match: [{re: 'a'}]\n  tests: [{name: t, logs: [a], expect: not_evaluated}]\n",
		    "f.yaml:8:27: a map is expected here, not a list" },
		{ METRIC "  compute: {fn: delta}\n", "f.yaml:3:3: key 'series' is missing" },
		{ METRIC "  series: 'a{b=c}'\n  compute: {fn: delta}\n",
		    "f.yaml:6:16: selector: a label's value stands in quotes" },
		{ METRIC "  series: 'a{b=\"c}'\n  compute: {fn: delta}\n", "f.yaml:6:19: selector: a label's value does not end" },
		{ METRIC "  series: 'a{b=~\"(\"}'\n  compute: {fn: delta}\n",
		    "f.yaml:6:20: selector: missing closing parenthesis" },
		{ METRIC "  series: 'a{b>\"c\"}'\n  compute: {fn: delta}\n",
		    "f.yaml:6:15: selector: one of = != =~ !~ is expected" },
		{ METRIC "  series: 'a[5m]'\n  compute: {fn: delta}\n", "f.yaml:6:13: selector: nothing is expected here" },
		{ METRIC "  series: '{}'\n  compute: {fn: delta}\n", "f.yaml:6:14: selector: a name is expected" },
		{ METRIC "  series: a\n  compute: {fn: dleta}\n", "f.yaml:7:17: unknown function 'dleta': did you mean 'delta'?" },
		{ METRIC "  series: a\n  compute: {fn: delta, over: [a]}\n", "f.yaml:7:30: 'over' names two marks" },
		{ METRIC "  series: a\n  compute: {fn: delta, per: b}\n", "f.yaml:7:24: 'per' goes with 'fn: ratio'" },
		{ METRIC "  series: a\n  compute: {fn: ratio}\n", "f.yaml:7:12: key 'per' is missing" },
		{ METRIC "  series: a\n  compute: {fn: quantile, q: 95}\n", "f.yaml:7:30: 'q' lies between 0 and 1" },
		{ METRIC "  series: a\n  compute: {fn: max, unit: min}\n", "f.yaml:7:28: unknown unit 'min'" },
		{ HEAD "- kind: query\n  id: q\n  title: {en: q}\n", "f.yaml:3:3: key 'sql' is missing" },
		{ GATE "  value: {metric: {series: a}}\n  require: '= 0'\n", "f.yaml:6:19: key 'fn' is missing" },
		{ GATE "  value: a\n  require: '= 0'\n  tests: [{name: t, expect: pass, explains: 1}]\n",
		    "f.yaml:8:35: only a cause explains messages" },
	};

	check_files(cases, sizeof(cases) / sizeof(*cases));
}

static void
test_limits(void)
{
	static char text[DOC_BYTES_MAX + 2];
	struct arena arena = { 0 };
	struct imp_err err = { 0 };
	struct doc_node *root;

	memset(text, ' ', sizeof(text));
	text[0] = '1';
	ok(doc_parse(&arena, "f", (struct slice){ text, DOC_BYTES_MAX }, &root, &err) == IMP_OK, "1 MiB is read");
	ok(doc_parse(&arena, "f", (struct slice){ text, DOC_BYTES_MAX + 1 }, &root, &err) == IMP_E_RULE, "a byte more is not");
	for (size_t i = 0; i < DOC_NODES_MAX; i++)
		memcpy(text + 2 * i, "-\n", 2);
	ok(doc_parse(&arena, "f", (struct slice){ text, 2 * (DOC_NODES_MAX - 1) }, &root, &err) == IMP_OK,
	    "as many values as allowed");
	ok(doc_parse(&arena, "f", (struct slice){ text, 2 * DOC_NODES_MAX }, &root, &err) == IMP_E_RULE, "one more is not read");
	for (size_t i = 0; i <= DOC_KEYS_MAX; i++)
		snprintf(text + 5 * i, 6, "%03zu:\n", i);
	ok(doc_parse(&arena, "f", (struct slice){ text, 5 * DOC_KEYS_MAX }, &root, &err) == IMP_OK, "as many keys as allowed");
	ok(doc_parse(&arena, "f", (struct slice){ text, 5 * DOC_KEYS_MAX + 5 }, &root, &err) == IMP_E_RULE, "one more is not read");
	ok(doc_parse(&arena, "f", SLICE("a: \xff\n"), &root, &err) == IMP_E_RULE, "text that is not UTF-8 is not read");
	arena_done(&arena);
}

static char dir[256];

static void
write_rules(const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/f.yaml", dir);
	f = fopen(path, "w");
	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		printf("# could not write %s\n", path);
}

static enum imp_rc
load(const char *today, struct ruleset **ret, struct imp_err *err)
{
	const char *dirs[] = { dir };

	return rules_load(&(struct rules_options){ .dirs = dirs, .ndirs = 1, .today = today }, ret, err);
}

/* What is wrong only beside the other rules, or in SQL. */
static void
test_set(void)
{
	static const struct broken cases[] = {
		{ GATE "  value: {sql: SELECT nought AS value FROM message}\n  require: '= 0'\n",
		    "6:16: SQL: no such column: nought" },
		{ GATE "  value:\n    sql: |\n      SELECT 1 AS value\n      FROM nowhere\n  require: '= 0'\n",
		    "7:10: SQL: no such table: nowhere" },
		{ GATE "  value:\n    sql: |\n      SELECT 1 AS value,\n      oops\n  require: '= 0'\n",
		    "9:1: SQL: no such column: oops" },
		{ GATE "  value: {sql: SELECT 1 AS valeu}\n  require: '= 0'\n", "6:16: SQL: column 'valeu' means nothing here" },
		{ GATE "  value: {sql: SELECT 1 AS value; SELECT 2 AS value}\n  require: '= 0'\n",
		    "6:16: SQL: more than one statement" },
		{ GATE "  value: {sql: 'SELECT :x AS value'}\n  require: '= 0'\n", "6:16: SQL: parameters are not allowed" },
		{ GATE "  value: {sql: DELETE FROM main.message}\n  require: '= 0'\n", "6:16: SQL: not authorized" },
		{ GATE "  value: {sql: 'ATTACH ''/tmp/x'' AS y'}\n  require: '= 0'\n", "6:16: SQL: not authorized" },
		{ GATE "  value: {sql: 'SELECT load_extension(''x'') AS value'}\n  require: '= 0'\n",
		    "6:16: SQL: not authorized to use function: load_extension" },
		{ GATE "  value: {sql: '-- nothing'}\n  require: '= 0'\n", "6:16: SQL: no statement" },
		{ GATE "  value: a\n  require: '= 0'\n  evidence: SELECT 'f' AS file\n",
		    "8:13: SQL: a column 'line' is missing or stands twice" },
		{ GATE "  value: {rule: accept}\n  require: '= 0'\n", "6:10: 'accept' is no validity rule" },
		{ GATE "  value: {signature: log.nowhere}\n  require: '= 0'\n", "6:10: 'log.nowhere' is no signature" },
		{ GATE "  value: {query: accept}\n  require: '= 0'\n", "6:10: 'accept' is no query" },
		{ SIGNATURE "  match: [{re: 'a'}]\n  also: [accept]\n", "3:3: 'also': 'accept' is no signature" },
		{ HEAD "- kind: query\n  id: q\n  title: {en: q}\n  sql: UPDATE main.run SET run_id = 'x'\n",
		    "6:8: SQL: not authorized" },
		{ HEAD "- kind: query\n  id: q\n  title: {en: q}\n  sql: PRAGMA writable_schema = 1\n",
		    "6:8: SQL: not authorized" },
		{ HEAD "- kind: query\n  id: q\n  title: {en: q}\n  sql: |\n    SELECT topic\n    FROM messages\n",
		    "6:8: SQL: no such table: messages" },
		{ HEAD "- kind: validity\n  id: accept\n  title: {en: x}\n  sql: SELECT 1\n",
		    "3:3: rule 'accept' replaces one of another kind" },
		{ GATE "  value: a\n  require: '= 0'\n- kind: gate\n  id: x\n  title: {en: x}\n  value: a\n  require: '= 0'\n",
		    "8:3: rule 'x' is also at " },
		{ PROFILE "  gates: [acept]\n", "7:11: there is no gate 'acept': did you mean 'accept'?" },
		{ PROFILE "  gates: [agent.missing]\n", "7:11: there is no gate 'agent.missing'" },
		{ PROFILE "  thresholds: {accept: '>= 99 %', orders: '= 1'}\n",
		    "7:43: there is no gate 'orders': did you mean 'order'?" },
		{ PROFILE "  thresholds: {step.refused: '<= 1'}\n", "7:30: gate 'step.refused' is not part of this profile" },
		{ PROFILE "  thresholds: {ack.latency: '<= 1 s'}\n", "7:29: gate 'ack.latency' has several conditions: name one" },
		{ PROFILE "  thresholds: {ack.latency: {p42: '<= 1 s'}}\n", "7:35: gate 'ack.latency' has no condition 'p42'" },
		{ PROFILE "  thresholds: {ack.latency: {p95: '<= 1'}}\n", "7:35: the unit is not that of '<= 500 ms'" },
		{ PROFILE "  waivers: [{gate: order, until: 2026-12-31, reason: known}]\n",
		    "7:13: the waiver of gate 'order' ended on 2026-12-31" },
		{ HEAD "- {kind: profile, id: p, title: {en: p}, extends: p}\n",
		    "3:51: profiles extend one another in a circle, or more than 8 deep" },
		{ HEAD "- {kind: profile, id: p, title: {en: p}, extends: relase}\n",
		    "3:51: there is no profile 'relase': did you mean 'release'?" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ruleset *rs = NULL;
		struct imp_err err = { 0 };
		char want[600], got[600];
		enum imp_rc rc;

		write_rules(cases[i].text);
		rc = load("2027-01-01", &rs, &err);
		ok(rc == IMP_E_RULE && rs == NULL, "refused: %s", cases[i].message);
		snprintf(want, sizeof(want), "%s/f.yaml:%s", dir, cases[i].message);
		snprintf(got, sizeof(got), "%.*s", (int)strlen(want), err.msg);
		is_str(got, want, "and says where");
		rules_free(rs);
	}
}

/* A profile of a user changes thresholds and waives; the rule itself stays. */
static void
test_profile(void)
{
	struct ruleset *plain = NULL, *rs = NULL;
	const struct profile_plan *plan;
	struct imp_err err = { 0 };

	write_rules(PROFILE "  thresholds: {ack.latency: {p99: '<= 3 s'}, accept: '>= 99.9 %'}\n"
			    "  waivers: [{gate: order, until: 2026-12-31, reason: known}]\n"
			    "- {kind: gate, id: duplicate, title: {en: mine}, value: delivery.duplicate, require: '<= 5'}\n");
	if (!ok(load("2026-12-31", &rs, &err) == IMP_OK, "on its last day a waiver holds")) {
		printf("# %s\n", err.msg);
		return;
	}
	plan = ruleset_plan(rs, SLICE("mine"));
	is_int((intmax_t)plan->ngates, 22, "the gates of release");
	for (size_t i = 0; i < plan->ngates; i++) {
		const struct profile_rule *g = &plan->gates[i];

		if (slice_eq(g->rule->id, SLICE("ack.latency"))) {
			is_str(g->thresholds[0].text.p, "<= 500 ms", "a threshold that is not named stays");
			is_str(g->thresholds[1].text.p, "<= 3 s", "a named one changes");
		} else if (slice_eq(g->rule->id, SLICE("accept"))) {
			is_str(g->thresholds[0].text.p, ">= 99.9 %", "that of a single condition too");
		} else if (slice_eq(g->rule->id, SLICE("duplicate"))) {
			is_str(g->rule->title.en.p, "mine", "a rule of the directory replaces the built-in one, in its place");
			is_int((intmax_t)i, 5, "its place");
		} else {
			ok(g->thresholds == NULL, "%s is as it was", g->rule->id.p);
		}
		ok((g->waiver != NULL) == slice_eq(g->rule->id, SLICE("order")), "%s waived", g->rule->id.p);
	}
	ok(ruleset_plan(rs, SLICE("release"))->gates[1].thresholds == NULL, "release is as it was");
	ok(rules_load(&(struct rules_options){ 0 }, &plain, &err) == IMP_OK && strcmp(rules_digest(rs), rules_digest(plain)) != 0,
	    "the digest covers the directory");
	rules_free(plain);
	rules_free(rs);
}

/* The examples of docs/rules.md load, and their tests hold. */
static void
test_documentation(void)
{
	const char *top = getenv("top_srcdir");
	struct ruleset *rs = NULL;
	struct imp_err err = { 0 };
	static char doc[1 << 16], yaml[1 << 16];
	char path[4096];
	size_t n = 0, used = 0, run, failed;
	FILE *f;

	snprintf(path, sizeof(path), "%s/docs/rules.md", top != NULL ? top : ".");
	f = fopen(path, "r");
	if (ok(f != NULL, "%s is there", path)) {
		n = fread(doc, 1, sizeof(doc) - 1, f);
		fclose(f);
	}
	doc[n] = '\0';
	for (char *p = doc; (p = strstr(p, "```yaml\n")) != NULL; p++) {
		char *from = p + strlen("```yaml\n"), *to = strstr(from, "```");

		if (used > 0) /* one file of all: the head stands once */
			from = strstr(from, "- kind");
		used += (size_t)snprintf(yaml + used, sizeof(yaml) - used, "%.*s", (int)(to - from), from);
	}
	write_rules(yaml);
	if (!ok(load("2027-03-31", &rs, &err) == IMP_OK && rules_run_tests(rs, NULL, 0, NULL, NULL, &run, &failed, &err) == IMP_OK,
		"its rules load"))
		printf("# %s\n", err.msg);
	else
		is_int((intmax_t)failed, 0, "their tests hold");
	ok(rs != NULL && ruleset_plan(rs, SLICE("nightly")) != NULL && ruleset_find(rs, SLICE("my.short_run")) != NULL,
	    "all of them");
	rules_free(rs);
}

/* The same rules, whether their tests are read or not, each in its place. */
static void
test_without_tests(void)
{
	struct ruleset *whole = NULL, *rest = NULL;
	size_t different = 0, tests = 0, left = 0;

	if (ok(rules_load(&(struct rules_options){ 0 }, &whole, NULL) == IMP_OK &&
		    rules_load(&(struct rules_options){ .purpose = RULES_TO_JUDGE }, &rest, NULL) == IMP_OK,
		"the built-in rules load with and without their tests"))
		is_int((intmax_t)rules_size(rest), (intmax_t)rules_size(whole), "as many");
	for (size_t i = 0; rest != NULL && i < rules_size(rest) && i < rules_size(whole); i++) {
		struct rules_entry a, b;

		rules_entry(whole, i, &a);
		rules_entry(rest, i, &b);
		different += !slice_eq(a.id, b.id) || a.line != b.line || strcmp(a.file, b.file) != 0 || a.rev != b.rev ||
		    !slice_eq(a.title.zh, b.title.zh) || whole->rules.v[i]->nconditions != rest->rules.v[i]->nconditions;
		tests += a.ntests;
		left += b.ntests;
	}
	is_int((intmax_t)different, 0, "the same ones");
	ok(tests > 100 && left == 0, "%zu tests, %zu left", tests, left);
	is_str(rest != NULL ? rules_digest(rest) : NULL, whole != NULL ? rules_digest(whole) : "",
	    "the digest is that of the files");
	rules_free(whole);
	rules_free(rest);
}

/* Whoever does not trust the built-in rules, as the tests do not, finds SQL in them that is broken; a user's own is always looked at. */
static void
test_trust(void)
{
	const char *dirs[] = { dir };
	struct ruleset *rs = calloc(1, sizeof(*rs)), *own = NULL;
	struct imp_err err = { 0 };

	if (!ok(rs != NULL &&
		    ruleset_add_file(rs, 0, "b.yaml", SLICE(GATE "  value: {sql: SELECT nought}\n  require: '= 0'\n"), &err) ==
			IMP_OK,
		"a file by itself says nothing of its SQL"))
		return;
	ok(ruleset_check(rs, 1, &err) == IMP_OK, "trusted");
	check_message(&err, ruleset_check(rs, 0, &err), "b.yaml:6:16: SQL: no such column: nought");
	rules_free(rs);
	write_rules(GATE "  value: {sql: SELECT nought}\n  require: '= 0'\n");
	is_int(rules_load(&(struct rules_options){ .dirs = dirs, .ndirs = 1, .purpose = RULES_TO_JUDGE }, &own, &err), IMP_E_RULE,
	    "a user's own");
	ok(own == NULL && strstr(err.msg, "f.yaml:6:16: SQL: no such column: nought") != NULL, "%s", err.msg);
}

static void
test_no_directory(void)
{
	const char *dirs[] = { "/nonexistent" };
	struct ruleset *rs = NULL;
	struct imp_err err = { 0 };

	ok(rules_load(&(struct rules_options){ .dirs = dirs, .ndirs = 1 }, &rs, &err) == IMP_E_NOINPUT && rs == NULL,
	    "a directory that is not there");
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[300];

	snprintf(dir, sizeof(dir), "%s/t-rules-XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL)
		return 1;
	test_files();
	test_counted();
	test_limits();
	test_set();
	test_profile();
	test_documentation();
	test_without_tests();
	test_trust();
	test_no_directory();
	snprintf(path, sizeof(path), "%s/f.yaml", dir);
	unlink(path);
	rmdir(dir);
	return done();
}
