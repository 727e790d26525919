/* Causes weighed on hand-made runs: every branch of the formula of confidence, whose the failing messages are, what is said. The run
 * has ten messages, one a second from 100 s on, each answered with 500 after half a second. */
#include "config.h"

#include <stdlib.h>

#include "base/buf.h"
#include "query.h"
#include "rules/cause.h"
#include "rules/rule.h"
#include "tap.h"

static const char run[] =
    "INSERT INTO main.run VALUES (1, 'r', '/r', 1, '', 1, NULL, 'tinode', 'release', 0, NULL, NULL, NULL, 2, 1, 0, 1);"
    "INSERT INTO main.agent VALUES (1, 0, 'a', 1, 1, 0, 9, NULL, NULL);"
    "INSERT INTO main.file VALUES (1, 0, 'agents/a/a.jsonl', 'ledger', 0, 9, 'abcd', NULL, 'none', 9, 9, 9, 0, 0, 0, 0);"
    "INSERT INTO main.account VALUES (1, 0, 'a1', NULL, 0, 1, 1, 0);"
    "INSERT INTO main.topic VALUES (1, 0, 'g', 'group', 1, 1, NULL);"
    "INSERT INTO main.message SELECT 1, value, 'm' || value, 0, 0, 0, NULL, 0, NULL, (100 + value) * 1000000000, NULL, 1, 'rejected',"
    "	'none', 'unchecked', 'rejected', 500, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', NULL, NULL"
    "	FROM generate_series_10;"
    "INSERT INTO main.failing SELECT 1, value, (100 + value) * 1000000000, (100 + value) * 1000000000 + 500000000, 'pod-0', 0"
    "	FROM generate_series_10;"
    "INSERT INTO main.answer SELECT 1, value, 0, 'ctrl', (100 + value) * 1000000000 + 500000000, 0, 500, NULL, NULL, NULL, NULL, 0, value + 2"
    "	FROM generate_series_10;";
static const char series[] =
    "CREATE TEMP TABLE generate_series_10 AS WITH n(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < 9)"
    " SELECT value FROM n;";

#define HEAD "engine: '>=1.0'\nrules:\n"
#define CAUSE(id) "- kind: cause\n  id: " id "\n  title: {en: " id "}\n"
#define EXPLAINS(sql) "  explains:\n    sql: |\n      " sql "\n"
#define ALL EXPLAINS("SELECT message_no, 2 AS closeness FROM failing")
#define NONE_ EXPLAINS("SELECT message_no, 2 AS closeness FROM failing WHERE 0")
#define ITEM(weight, sql, more) "  - {weight: " #weight ", text: {en: it}, sql: 'SELECT " sql "'" more "}\n"
#define INSIDE "103200000000 AS t"
#define OUTSIDE "99900000000 AS t"

/* Results borrow from their rules: these stay to the end. */
static struct ruleset *sets[200];
static size_t nsets;

static struct ruleset *
load(const char *text)
{
	struct ruleset *rs = sets[nsets++] = calloc(1, sizeof(*rs));
	struct imp_err err = { 0 };

	if (ruleset_add_file(rs, 0, "test.yaml", slice_of(text), &err) != IMP_OK) {
		printf("Bail out! %s\n%s\n", err.msg, text);
		exit(1);
	}
	return rs;
}

/* Weigh the causes of a rule file on the run, changed by `sql`. */
static struct causes *
weigh_changed(const char *rules, const char *sql)
{
	struct ruleset *rs = load(rules);
	struct store *s = NULL;
	struct causes *c = NULL;
	struct imp_err err = { 0 };
	bool good = store_open(":memory:", STORE_WRITE, 0, &s, &err) == IMP_OK;

	if (good) {
		must_exec(s, series);
		must_exec(s, run);
		must_exec(s, sql);
	}
	good = good && store_select_run(s, 1, &err) == IMP_OK && store_seal(s, 10000000, &err) == IMP_OK;
	if (!good || causes_evaluate(rs, s, 1, &c, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	store_close(s);
	return c;
}

static struct causes *
weigh(const char *rules)
{
	return weigh_changed(rules, "");
}

static const struct cause_verdict *
find(const struct causes *c, const char *id)
{
	static const struct cause_verdict nothing = { .result = _CAUSE_RESULT_MAX };

	for (size_t i = 0; i < c->n; i++)
		if (slice_eq(c->v[i].id, slice_of(id)))
			return &c->v[i];
	for (size_t i = 0; i < c->nfindings; i++)
		if (slice_eq(c->findings[i].id, slice_of(id)))
			return &c->findings[i];
	return &nothing;
}

static bool
adds_up(const struct causes *c)
{
	uint64_t sum = c->unexplained;

	for (size_t i = 0; i < c->n; i++)
		sum += c->v[i].explains;
	return sum == c->failing;
}

static void
is_result(const char *rules, enum cause_result want, const char *what)
{
	struct causes *c = weigh(rules);
	const struct cause_verdict *v = find(c, "c");

	if (!ok(v->result == want && adds_up(c), "%s", what))
		printf("# %s for %d against %d explains %d: %.*s\n",
		    v->result < _CAUSE_RESULT_MAX ? cause_result_name(v->result) : "(none)", v->for_weight, v->against_weight,
		    (int)v->explains, SLICE_ARG(v->why.en));
	causes_free(c);
}

static void
test_weights(void)
{
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, INSIDE, "") ALL, CAUSE_CONFIRMED, "3 inside: confirmed");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(2, INSIDE, "") ITEM(1, "1 AS x", "") ALL, CAUSE_CONFIRMED,
	    "2 inside and 1 without a time: confirmed");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(2, INSIDE, "") ALL, CAUSE_PROBABLE, "2: probable");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(1, INSIDE, "") ALL, CAUSE_POSSIBLE, "1: possible");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, INSIDE, "") "  against:\n" ITEM(1, "1 AS x", "") ALL, CAUSE_PROBABLE,
	    "3 for, 1 against: probable");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(4, INSIDE, "") "  against:\n" ITEM(2, "1 AS x", "") ALL, CAUSE_POSSIBLE,
	    "4 for, 2 against: not more than twice as much, possible");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(5, INSIDE, "") "  against:\n" ITEM(2, "1 AS x", "") ALL, CAUSE_PROBABLE,
	    "5 for, 2 against: probable");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(5, INSIDE, "") "  against:\n" ITEM(2, OUTSIDE, "") ALL, CAUSE_CONFIRMED,
	    "what speaks against it at another time does not count");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(9, INSIDE, "") "  against:\n" ITEM(1, "1 AS x", ", decisive: true") ALL,
	    CAUSE_REFUTED, "a decisive item outweighs everything");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, INSIDE, "") "  against:\n" ITEM(1, "1 AS x WHERE 0", ", decisive: true") ALL,
	    CAUSE_CONFIRMED, "a decisive item that did not match is nothing");
}

static void
test_time(void)
{
	struct causes *c;

	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "1 AS x", "") ALL, CAUSE_PROBABLE, "3 without time or identity: probable");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "message_no FROM failing WHERE message_no = 4", "") ALL, CAUSE_CONFIRMED,
	    "3 that names a message of its own: confirmed");
	c = weigh(HEAD CAUSE("c") "  for:\n" ITEM(3, "4 AS message_no", "") ALL);
	ok(find(c, "c")->items[0].identity && !find(c, "c")->items[0].aligned, "which is an identity, not a time");
	causes_free(c);
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "99 AS message_no", "") ALL, CAUSE_PROBABLE,
	    "3 that names a message that did not fail: probable");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, OUTSIDE, "") ALL, CAUSE_REFUTED, "only at another time: nothing was found");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, OUTSIDE, ", when: any") ALL, CAUSE_PROBABLE,
	    "at another time, where any will do: it counts, but does not confirm");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "110900000000 AS t", "") ALL, CAUSE_CONFIRMED,
	    "the second after the last answer still counts");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "111000000000 AS t", "") ALL, CAUSE_REFUTED, "the one behind it does not");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "NULL AS t", "") ALL, CAUSE_PROBABLE,
	    "a time that is not known counts as none");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "NULL AS t", ", when: failing_seconds") ALL, CAUSE_REFUTED,
	    "unless it must lie inside");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "103200000000 AS t, 0 AS n", "") ALL, CAUSE_REFUTED,
	    "none at that time is none");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "103200000000 AS t, 0 AS n UNION ALL SELECT NULL, 1", "") ALL, CAUSE_PROBABLE,
	    "and does not tie others to it");
	is_result(HEAD CAUSE("c") "  for:\n  - {weight: 3, code: [500]}\n" ALL, CAUSE_CONFIRMED, "the messages' own code confirms");
	is_result(HEAD CAUSE("c") "  for:\n  - {weight: 3, code: [502, 503]}\n" ALL, CAUSE_REFUTED, "another code does not");
}

static void
test_coverage(void)
{
	struct causes *c;

	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "1 AS x WHERE 0", "") ALL, CAUSE_REFUTED,
	    "nothing, and all was seen: refuted");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "1 AS x WHERE 0", "") ITEM(1, "1 AS x WHERE 0", ", needs: [rows]") ALL,
	    CAUSE_NOT_EVALUATED, "nothing, but one source is missing: not evaluated");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "1 AS x WHERE 0", ", complete: SELECT 0") ALL, CAUSE_NOT_EVALUATED,
	    "nothing, but not all was there to be seen: not evaluated");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, "1 AS x WHERE 0", ", complete: SELECT 1") ALL, CAUSE_REFUTED,
	    "nothing, and the query would have seen it: refuted");
	c = weigh_changed(HEAD CAUSE("c") "  for:\n" ITEM(3, "1 AS x WHERE 0", ", needs: [rows]") ALL,
	    "INSERT INTO main.db_row VALUES (1, 0, NULL, 'messages', 'g', 1, NULL, NULL, 1, 0, 1)");
	ok(find(c, "c")->result == CAUSE_NOT_EVALUATED,
	    "nothing among some rows: whether these are all must be said by 'complete'");
	causes_free(c);
	is_result(HEAD CAUSE("c") "  requires: [rows]\n  for:\n" ITEM(5, INSIDE, "") ALL, CAUSE_PROBABLE,
	    "required evidence is missing: at most probable");
	is_result(HEAD CAUSE("c") "  requires: [rows]\n  for:\n" ITEM(3, "1 AS x WHERE 0", "") ALL, CAUSE_NOT_EVALUATED,
	    "required evidence is missing and nothing was found: not evaluated");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(5, INSIDE, ", absence: true") ALL, CAUSE_POSSIBLE, "absence alone: possible");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(2, INSIDE, ", absence: true") ITEM(1, INSIDE, "") ALL, CAUSE_CONFIRMED,
	    "absence and something else: confirmed");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(5, "message_no FROM failing", "") NONE_, CAUSE_POSSIBLE,
	    "it fits no failing message: at most possible");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(3, INSIDE, "")
		      EXPLAINS("SELECT abs(-9223372036854775807 - 1) AS message_no, 1 AS closeness"),
	    CAUSE_NOT_EVALUATED, "what it fits cannot be worked out: not evaluated");
	is_result(HEAD CAUSE("c") "  for:\n" ITEM(2, INSIDE, "") ITEM(3, "abs(-9223372036854775807 - 1) AS t", "") ALL,
	    CAUSE_PROBABLE, "an item that cannot be worked out is no match");
	is_result(HEAD CAUSE("c") "  finding: true\n  for:\n" ITEM(3, "1 AS x", ""), CAUSE_CONFIRMED,
	    "a finding needs neither messages nor seconds");
	is_result(HEAD CAUSE("c") "  without_messages: true\n  for:\n" ITEM(3, "1 AS x", "") NONE_, CAUSE_CONFIRMED,
	    "what is about no message needs neither, too");
	is_result(HEAD CAUSE("c") "  without_messages: true\n  for:\n" ITEM(3, OUTSIDE, "") ALL, CAUSE_REFUTED,
	    "but where it fits some, time counts");
	is_result(HEAD CAUSE("c") "  applies_when: {server: im-server}\n  for:\n" ITEM(3, INSIDE, "") ALL, _CAUSE_RESULT_MAX,
	    "one for another server is left out");
}

static void
test_rules(void)
{
#define QUERY(sql) "- kind: query\n  id: q.x\n  title: {en: an odd thing}\n  sql: |\n    SELECT " sql "\n"
#define BY_RULE(more) HEAD CAUSE("c") "  for:\n  - {weight: 3, rule: q.x" more "}\n" ALL
	struct causes *c;

	is_result(BY_RULE("") QUERY(INSIDE), CAUSE_CONFIRMED, "a rule that matched inside: confirmed");
	is_result(BY_RULE("") QUERY(OUTSIDE), CAUSE_PROBABLE, "a rule that matched at another time: probable");
	is_result(BY_RULE(", when: failing_seconds") QUERY(OUTSIDE " UNION ALL SELECT " INSIDE), CAUSE_CONFIRMED,
	    "where it must be inside, one of two is");
	is_result(BY_RULE(", when: failing_seconds") QUERY(OUTSIDE), CAUSE_REFUTED, "where it must be inside, none is");
	c = weigh(BY_RULE("") QUERY(INSIDE " UNION ALL SELECT " OUTSIDE));
	is_int((intmax_t)find(c, "c")->items[0].lo, 2, "both are counted");
	is_str(find(c, "c")->items[0].text.en.p, "2 × an odd thing", "and named by the rule's title");
	causes_free(c);
}

/* ------------------------------------------------------------------ owners */

#define FITS(from, to, closeness) \
	EXPLAINS("SELECT message_no, " #closeness " AS closeness FROM failing WHERE message_no BETWEEN " #from " AND " #to)

static void
test_owners(void)
{
	struct causes *c = weigh(HEAD CAUSE("wide") "  for:\n" ITEM(5, INSIDE, "") FITS(0, 8, 2) CAUSE(
	    "near") "  for:\n" ITEM(3, INSIDE, "") FITS(2, 4, 3) CAUSE("weak") "  for:\n" ITEM(1, INSIDE, "") FITS(0, 9, 4));

	is_int((intmax_t)find(c, "near")->explains, 3, "the closest evidence owns");
	is_int((intmax_t)find(c, "wide")->explains, 6, "the other one owns the rest");
	is_int((intmax_t)find(c, "wide")->also, 3, "and fits the others besides");
	is_int((intmax_t)find(c, "weak")->explains, 1, "a possible cause owns what no better one fits");
	is_int((intmax_t)c->unexplained, 0, "nothing is left");
	ok(c->n == 3 && slice_eq(c->v[0].id, SLICE("wide")) && slice_eq(c->v[1].id, SLICE("near")) &&
		slice_eq(c->v[2].id, SLICE("weak")),
	    "ranked by what they explain within their result");
	is_int(find(c, "near")->from_t / 1000000000, 102, "from the first message of its own");
	is_int(find(c, "near")->to_t / 100000000, 1045, "to the last answer of them");
	causes_free(c);

	c = weigh(
	    HEAD CAUSE("a") "  for:\n" ITEM(3, INSIDE, "") FITS(0, 4, 2) CAUSE("b") "  for:\n" ITEM(4, INSIDE, "") FITS(3, 6, 2));
	is_int((intmax_t)find(c, "b")->explains, 4, "at equal closeness the heavier one owns");
	is_int((intmax_t)find(c, "a")->explains, 3, "and leaves the rest");
	is_int((intmax_t)c->unexplained, 3, "what nobody fits is not explained");
	ok(adds_up(c), "owned and unexplained are all that failed");
	causes_free(c);

	c = weigh(
	    HEAD CAUSE("a") "  for:\n" ITEM(3, INSIDE, "") FITS(0, 4, 2) CAUSE("b") "  for:\n" ITEM(3, INSIDE, "") FITS(0, 4, 2));
	is_int((intmax_t)find(c, "a")->explains, 5, "of equals the first one owns");
	ok(find(c, "b")->result == CAUSE_POSSIBLE && find(c, "b")->explains == 0, "one that owns nothing is at most possible");
	is_str(find(c, "b")->why.en.p, "every message that it fits has a cause with closer evidence", "and the reason is said");
	causes_free(c);

	c = weigh(HEAD CAUSE("out") "  for:\n" ITEM(3, INSIDE, "") "  against:\n" ITEM(1, "1 AS x", ", decisive: true")
		ALL CAUSE("in") "  for:\n" ITEM(2, INSIDE, "") FITS(2, 3, 0));
	is_int((intmax_t)find(c, "out")->explains, 0, "a refuted cause owns nothing");
	is_int((intmax_t)find(c, "in")->explains, 2, "others own what they fit");
	causes_free(c);
}

static void
test_consequences(void)
{
#define PARENT(item) CAUSE("parent") "  for:\n" item FITS(0, 5, 1)
#define CHILD CAUSE("child") "  for:\n" ITEM(3, INSIDE, "") "  consequence_of: [parent]\n"
	struct causes *c = weigh(HEAD CHILD FITS(0, 7, 3) PARENT(ITEM(3, INSIDE, "")));

	is_int((intmax_t)find(c, "parent")->explains, 6, "a consequence leaves its messages to the cause");
	is_int((intmax_t)find(c, "child")->explains, 2, "but for those that the cause does not fit");
	is_str(find(c, "child")->under.p, "parent", "and stands under it");
	causes_free(c);

	c = weigh(HEAD CHILD FITS(0, 7, 4) PARENT(ITEM(3, INSIDE, "")));
	is_int((intmax_t)find(c, "child")->explains, 8, "evidence of the message's own stays where it is");
	ok(find(c, "child")->under.n == 0, "and is nobody's consequence");
	ok(find(c, "parent")->result == CAUSE_POSSIBLE, "the cause, owning nothing, is only possible");
	causes_free(c);

	c = weigh(HEAD CHILD FITS(0, 7, 3) PARENT(ITEM(1, INSIDE, "")));
	is_int((intmax_t)find(c, "child")->explains, 8, "nothing is left to a cause that is only possible");
	causes_free(c);

	c = weigh(HEAD CAUSE("child") "  for:\n" ITEM(1, INSIDE, "") "  consequence_of: [parent]\n" FITS(0, 7, 3)
		PARENT(ITEM(1, INSIDE, "")));
	is_int((intmax_t)find(c, "child")->explains, 8, "also where both are only possible");
	causes_free(c);

	c = weigh(HEAD CHILD FITS(2, 9, 3) PARENT(ITEM(3, INSIDE, "")));
	is_int((intmax_t)find(c, "child")->explains, 4, "a consequence that keeps half");
	ok(find(c, "child")->under.n == 0, "does not stand under the cause");
	causes_free(c);

	c = weigh(HEAD CHILD FITS(0, 5, 3) PARENT(ITEM(3, INSIDE, "")));
	ok(find(c, "child")->result == CAUSE_POSSIBLE && find(c, "child")->explains == 0 &&
		slice_eq(find(c, "child")->under, SLICE("parent")),
	    "a consequence that keeps nothing is possible, under its cause");
	causes_free(c);
}

/* ------------------------------------------------------------------ words */

static void
test_words(void)
{
	struct causes *c = weigh(HEAD CAUSE(
	    "c") "  facts: |\n    SELECT 'pod-1' AS pod, 103690000000 AS t, 4200000000 AS span, 1234567 AS lines, NULL AS lost\n"
		 "  says: {en: '{pod} {t:time} {span:s} {lines} {lines:plain} {lost} {explains} of {failing} {}{x', zh-CN: '{pod} 丢失 {lost}'}\n"
		 "  for:\n"
		 "  - {weight: 3, text: {en: '{n} at {t:time} on {pod}'}, needs: [], complete: SELECT 0,\n"
		 "     sql: 'SELECT 103200000000 AS t, 700 AS n, ''pod-2'' AS pod, ''agents/a/a.jsonl'' AS file, 7 AS line'}\n"
		 "  - {weight: 1, code: [500]}\n"
		 "  - {weight: 1, text: {en: '{n} lines of {pod}'}, complete: SELECT 0, sql: 'SELECT 1 AS pod WHERE 0'}\n" ALL);
	const struct cause_verdict *v = find(c, "c");

	is_str(v->says.en.p, "pod-1 00:01:43.69 4.20 s 1,234,567 1234567 unknown 10 of 10 {}{x", "what it says");
	is_str(v->says.zh.p, "pod-1 丢失 未知", "in Chinese too");
	is_str(v->items[0].text.en.p, "≥ 700 at 00:01:43.20 on pod-2", "a count that may be higher is marked");
	ok(v->lower_bound && v->items[0].hi == UINT64_MAX, "and makes the cause a lower bound");
	ok(v->items[0].aligned && !v->items[0].identity && v->items[1].identity,
	    "a time is no identity, the messages' own code is");
	is_str(v->items[1].text.en.p, "10 of these messages were answered with 500", "codes have words of their own");
	ok(v->items[0].nplaces == 1 && v->items[0].places[0].line == 7 && slice_eq(v->items[0].places[0].sha256, SLICE("abcd")),
	    "a place has its line and its file's hash");
	ok(v->items[1].nplaces == 3 && v->items[1].places_total == 10 && v->items[1].places[2].line == 4,
	    "three answers are shown, all are counted");
	is_str(v->items[2].text.en.p, "0 lines of …", "what was not found leaves its columns open");
	causes_free(c);
}

static void
is_broken(const char *rules, const char *want)
{
	struct ruleset *rs = calloc(1, sizeof(*rs));
	struct imp_err err = { 0 };
	enum imp_rc rc = ruleset_add_file(rs, 0, "test.yaml", slice_of(rules), &err);
	struct store *s = NULL;

	if (rc == IMP_OK)
		rc = store_open(":memory:", STORE_WRITE, 0, &s, &err);
	if (rc == IMP_OK)
		rc = store_select_run(s, 0, &err);
	if (rc == IMP_OK)
		rc = store_seal(s, 0, &err);
	for (size_t i = 0; i < rs->rules.n && rc == IMP_OK; i++)
		rc = cause_check(rs, rs->rules.v[i], store_db(s), &err);
	store_close(s);
	rules_free(rs);
	if (!ok(rc == IMP_E_RULE && strstr(err.msg, want) != NULL, "refused: %s", want))
		printf("# got %d %s\n", (int)rc, err.msg);
}

static void
test_broken(void)
{
	is_broken(HEAD CAUSE("c") ALL, "'for'");
	is_broken(HEAD CAUSE("c") "  for: []\n" ALL, "at least one item");
	is_broken(HEAD CAUSE("c") "  for:\n" ITEM(3, INSIDE, ""), "any other cause says which");
	is_broken(HEAD CAUSE("c") "  finding: true\n  for:\n" ITEM(3, INSIDE, "") ALL, "a finding explains no messages");
	is_broken(HEAD CAUSE("c") "  for:\n" ITEM(11, INSIDE, "") ALL, "weight");
	is_broken(HEAD CAUSE("c") "  for:\n" ITEM(3, INSIDE, ", decisive: true") ALL, "decisive");
	is_broken(HEAD CAUSE("c") "  for:\n  - {weight: 3}\n" ALL, "'rule', 'code', 'sql'");
	is_broken(HEAD CAUSE("c") "  for:\n  - {weight: 3, sql: SELECT 1}\n" ALL, "'text'");
	is_broken(HEAD CAUSE("c") "  for:\n  - {weight: 3, rule: log.nothing}\n" ALL,
	    "no signature, metric, query or validity rule");
	is_broken(HEAD CAUSE("c") "  for:\n  - {weight: 3, text: {en: '{pod}'}, sql: SELECT 1}\n" ALL, "names 'pod'");
	is_broken(HEAD CAUSE("c") "  for:\n  - {weight: 3, text: {en: '{n:hours}'}, sql: SELECT 1}\n" ALL, "no format");
	is_broken(HEAD CAUSE("c") "  for:\n" ITEM(3, INSIDE, "") EXPLAINS("SELECT message_no FROM failing"), "closeness");
	is_broken(HEAD CAUSE("c") "  for:\n" ITEM(3, INSIDE, "") "  consequence_of: [c.none]\n" ALL, "'c.none' is no cause");
	is_broken(HEAD CAUSE("c") "  for:\n" ITEM(3, "nothing", "") ALL, "nothing");
}

static void
test_no_failures(void)
{
	struct causes *c = weigh_changed(HEAD CAUSE("c") "  for:\n" ITEM(3, INSIDE, "") ALL, "DELETE FROM main.failing");

	ok(c->failing == 0 && c->unexplained == 0 && find(c, "c")->result == CAUSE_REFUTED, "a healthy run names nothing");
	causes_free(c);
}

int
main(void)
{
	test_weights();
	test_time();
	test_coverage();
	test_rules();
	test_owners();
	test_consequences();
	test_words();
	test_broken();
	test_no_failures();
	while (nsets > 0)
		rules_free(sets[--nsets]);
	return done();
}
