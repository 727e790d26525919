/* Where failures concentrate, on hand-made runs that can be counted on paper. Account n is "un" on pod "p" n mod 3, topic n is "tn". */
#include "config.h"

#include <stdlib.h>

#include "base/buf.h"
#include "query.h"
#include "rules/cause.h"
#include "rules/rule.h"
#include "store/block.h"
#include "tap.h"

#define S INT64_C(1000000000)

static struct store *
make_store(int topics, int accounts)
{
	struct store *s = NULL;
	struct imp_err err = { 0 };
	char sql[4000];

	if (store_open(":memory:", STORE_WRITE, 0, &s, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	snprintf(sql, sizeof(sql),
	    "CREATE TEMP TABLE n AS WITH n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 999) SELECT n FROM n;"
	    "INSERT INTO main.run VALUES (1, 'r', '/r', 1, '', 1, NULL, 'tinode', 'release', 0, NULL, NULL, NULL, 2, 1, 1, 1);"
	    "INSERT INTO main.agent VALUES (1, 0, 'a', 1, 1, 0, 9, NULL, NULL), (1, 1, 'b', 1, 1, 0, 9, NULL, NULL);"
	    "INSERT INTO main.stretch VALUES (1, 0, -1, 9000000000000, 1), (1, 1, -1, 9000000000000, 1);"
	    "INSERT INTO main.file VALUES (1, 0, 'agents/a/a.jsonl', 'ledger', 0, 9, 'abcd', NULL, 'none', 9, 9, 9, 0, 0, 0, 0);"
	    "INSERT INTO main.scenario VALUES (1, 0, 'p', 'p2p', 9, 0, 0, 0, 0, 0), (1, 1, 'g', 'group', 9, 0, 0, 0, 0, 0);"
	    "INSERT INTO main.topic SELECT 1, n, 't' || n, 'group', 1, 0, NULL FROM n WHERE n < %d;"
	    "INSERT INTO main.account SELECT 1, n, 'u' || n, NULL, n %% 2, 1, 1, 0 FROM n WHERE n < %d;"
	    "INSERT INTO main.presence SELECT 1, n, -1, NULL, 'p' || (n %% 3), NULL, NULL, NULL, NULL, 0, 1 FROM n WHERE n < %d;",
	    topics, accounts, accounts);
	must_exec(s, sql);
	return s;
}

/* A message of topic and sender, tried at `t`. `missing` of `expected` deliveries failed; one that did not fail has outcome "ok". */
static void
add_deliveries(struct store *s, int no, int topic, int sender, int64_t t, const char *outcome, int code, int expected, int missing)
{
	bool is_ok = strcmp(outcome, "ok") == 0;
	char sql[1000];

	snprintf(sql, sizeof(sql),
	    "INSERT INTO main.message VALUES (1, %d, 'm%d', %d, %d, %d, coalesce((SELECT kind = 'group' FROM main.topic WHERE topic_no = %d), 1), 0,"
	    " NULL, %s%lld, %lld, 1, '%s', 'none', 'exact', 'x', nullif(%d, 0), NULL, NULL, NULL, %d, 0, 0, 0, %d, 0, 0, 0, 0, 0, '',"
	    " NULL, NULL);",
	    no, no, topic, sender, sender % 2, topic, strcmp(outcome, "unsent") == 0 ? "NULL + " : "", (long long)t,
	    (long long)(t + S), is_ok ? "acked" : outcome, code, expected, missing);
	must_exec(s, sql);
	snprintf(sql, sizeof(sql), "INSERT INTO main.failing VALUES (1, %d, %lld, %lld, NULL, 0);", no, (long long)t, (long long)t);
	if (!is_ok)
		must_exec(s, sql);
}

static void
add(struct store *s, int no, int topic, int sender, int64_t t, const char *outcome)
{
	add_deliveries(s, no, topic, sender, t, outcome, strcmp(outcome, "rejected") == 0 ? 403 : 0, 0, 0);
}

/* Who got it: everybody but the members of `lost`, a bit each. */
static void
add_block(struct store *s, int no, uint32_t members, unsigned lost)
{
	struct buf body = BUF_INIT(1 << 16);
	int64_t t[32];
	char sql[100];
	sqlite3_stmt *st = NULL;

	for (uint32_t i = 0; i < members; i++)
		t[i] = lost >> i & 1 ? BLOCK_ABSENT : no * S + i;
	block_encode(1, t, members, &body);
	snprintf(sql, sizeof(sql), "INSERT INTO main.delivery_block VALUES (1, %d, 0, ?)", no);
	if (sqlite3_prepare_v2(store_db(s), sql, -1, &st, NULL) != SQLITE_OK ||
	    sqlite3_bind_blob(st, 1, body.p, (int)body.n, SQLITE_STATIC) != SQLITE_OK || sqlite3_step(st) != SQLITE_DONE) {
		printf("Bail out! block of message %d\n", no);
		exit(1);
	}
	sqlite3_finalize(st);
	buf_done(&body);
}

static struct ruleset *rules;

/* Weigh; the store is closed. */
static struct causes *
weigh(struct store *s)
{
	struct causes *c = NULL;
	struct imp_err err = { 0 };

	if (store_select_run(s, 1, &err) != IMP_OK || store_seal(s, 100000000, &err) != IMP_OK ||
	    causes_evaluate(rules, s, 1, &c, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	store_close(s);
	return c;
}

/* The set of a dimension as one line, "" where none is named: "2 of 3 hold 38 of 40 share 0.400: t0 t1". */
static const char *
set_of(const struct causes *c, const char *of, const char *kind, const char *by)
{
	static char text[2000];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->nconcentration; i++) {
		const struct concentration *r = &c->concentration[i];

		if (!slice_eq(r->of, slice_of(of)) || !slice_eq(r->kind, slice_of(kind)) || !slice_eq(r->by, slice_of(by)))
			continue;
		used = (size_t)snprintf(text, sizeof(text),
		    "%s%s%llu of %llu hold %llu of %llu share %.3f:", r->spread ? "spread " : "", r->exclusive ? "exclusive " : "",
		    (unsigned long long)r->values, (unsigned long long)r->of_values, (unsigned long long)r->holds,
		    (unsigned long long)r->total, r->share_of_total);
		for (size_t k = 0; k < r->nexamples && used < sizeof(text); k++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %.*s", SLICE_ARG(r->examples[k]));
		if (r->from_t != CAUSE_NO_T)
			snprintf(text + used, sizeof(text) - used, " %lld-%lld s", (long long)(r->from_t / S),
			    (long long)(r->to_t / S));
	}
	return text;
}

/* 100 messages, one a second; the first `a` in topic 0, the next `b` in topic 1, the rest in topic 2. Of each so many are rejected,
 * every second one of them at either end, so that no span of time holds them. */
static struct causes *
three_topics(int a, int fail_a, int b, int fail_b, int fail_c)
{
	struct store *s = make_store(3, 7);

	for (int i = 0, fails[] = { fail_a, fail_b, fail_c }; i < 100; i++) {
		int topic = i < a ? 0 : i < a + b ? 1 : 2;

		add(s, i, topic, i % 7, i * 37 % 100 * S, fails[topic]-- > 0 ? "rejected" : "ok");
	}
	return weigh(s);
}

static void
test_thresholds(void)
{
	struct causes *c = three_topics(20, 19, 20, 19, 2);

	is_str(set_of(c, "rejected", "", "topic"), "2 of 3 hold 38 of 40 share 0.400: t0 t1",
	    "38 of 40 is 95 %, and more than twice 40 %");
	is_str(set_of(c, "rejected", "", "code"), "1 of 1 hold 40 of 40 share 0.400: 403", "the code that all have");
	is_str(set_of(c, "rejected", "", "sender"), "", "seven senders in turn hold nothing special");
	is_str(set_of(c, "rejected", "", "second"), "", "nor does any span of time");
	causes_free(c);
	c = three_topics(20, 19, 20, 18, 2);
	is_str(set_of(c, "rejected", "", "topic"), "", "37 of 39 is less than 95 %");
	causes_free(c);
	c = three_topics(48, 38, 2, 0, 2);
	is_str(set_of(c, "rejected", "", "topic"), "", "95 % is less than twice 48 %");
	causes_free(c);
	c = three_topics(50, 40, 0, 0, 0);
	is_str(set_of(c, "rejected", "", "topic"), "1 of 2 hold 40 of 40 share 0.500: t0", "100 % is twice 50 %");
	causes_free(c);
}

/* `n` of 100 senders have one rejected message each, the others one that went well. */
static struct causes *
many_senders(int n)
{
	struct store *s = make_store(1, 100);

	for (int i = 0; i < 100; i++)
		add(s, i, 0, i * 37 % 100, i * S, i * 37 % 100 < n ? "rejected" : "ok");
	return weigh(s);
}

static void
test_sizes(void)
{
	struct causes *c = many_senders(21);
	const char *text = set_of(c, "rejected", "", "sender");

	ok(strncmp(text, "20 of 100 hold 20 of 21 share 0.200:", 36) == 0, "20 values are named");
	causes_free(c);
	c = many_senders(22);
	is_str(set_of(c, "rejected", "", "sender"), "", "21 are not");
	causes_free(c);
	c = many_senders(20);
	ok(strncmp(set_of(c, "rejected", "", "sender"), "20 of 100 hold 20 of 20", 23) == 0,
	    "19 of 20 equals would do; all of them are named");
	causes_free(c);
	c = three_topics(10, 10, 10, 10, 1);
	is_str(set_of(c, "rejected", "", "topic"), "2 of 3 hold 20 of 21 share 0.200: t0 t1", "a straggler is not taken in");
	causes_free(c);
}

static void
test_time(void)
{
	struct store *s = make_store(1, 1);
	struct causes *c;

	for (int i = 0; i < 100; i++)
		add(s, i, 0, 0, i * S, i >= 40 && i < 44 ? "unknown" : "ok");
	c = weigh(s);
	is_str(set_of(c, "unknown", "", "second"), "4 of 100 hold 4 of 4 share 0.040: 40-43 s", "a span of four seconds");
	is_str(set_of(c, "unanswered", "", "second"), "", "those without an answer are all unknown ones: not told twice");
	is_str(set_of(c, "unknown", "", "place"), "", "where the time is named, the place in the order is not");
	causes_free(c);

	s = make_store(1, 1);
	for (int i = 0; i < 400; i++)
		add_deliveries(s, i, 0, 0, i * S, i == 5 || i == 350 || (i >= 100 && i < 140) ? "unknown" : "ok",
		    i == 350 ? 202 : 0, 0, 0);
	c = weigh(s);
	is_str(set_of(c, "unknown", "", "second"), "40 of 400 hold 40 of 42 share 0.100: 100-139 s", "the shortest span with 95 %");
	is_str(set_of(c, "unanswered", "", "second"), "", "where it is told of all unknown ones, it is not told again");
	causes_free(c);

	s = make_store(1, 1);
	for (int i = 0; i < 400; i++)
		add_deliveries(s, i, 0, 0, i * S, i % 10 == 5 || (i >= 100 && i < 140) ? "unknown" : "ok",
		    i < 100 || i >= 140 ? 202 : 0, 0, 0);
	c = weigh(s);
	is_str(set_of(c, "unknown", "", "second"), "", "where answers without a seq come all the time");
	is_str(set_of(c, "unanswered", "", "second"), "40 of 400 hold 40 of 40 share 0.100: 100-139 s",
	    "those without any answer are told apart");
	causes_free(c);

	s = make_store(2, 1);
	for (int i = 0; i < 100; i++)
		add(s, i, i / 50, 0, i * S, i % 50 >= 45 ? "unknown" : "ok");
	c = weigh(s);
	is_str(set_of(c, "unknown", "", "second"), "", "the ends of two topics are no span");
	is_str(set_of(c, "unknown", "", "place"), "1 of 10 hold 10 of 10 share 0.100: last tenth", "but the last tenth of each");
	causes_free(c);
}

static void
test_unsent(void)
{
	struct store *s = make_store(1, 30);
	struct causes *c;

	for (int i = 0; i < 300; i++)
		add(s, i, 0, i % 30, i * S, i % 3 == 1 && i % 2 == 0 ? "unsent" : "ok");
	c = weigh(s);
	is_str(set_of(c, "unsent", "", "sender_pod"), "1 of 3 hold 50 of 50 share 0.333: p1", "all of them on one pod");
	is_str(set_of(c, "unsent", "", "agent"), "1 of 2 hold 50 of 50 share 0.500: a", "and at one agent");
	causes_free(c);
}

/* Ten members of a group, 20 messages: u4 gets none, u7 misses the last one. u4 and u7 are on p1 with u1. */
static void
test_missing(void)
{
	struct store *s = make_store(1, 10);
	struct causes *c;

	must_exec(s,
	    "INSERT INTO main.member SELECT 1, 0, n, n FROM n WHERE n < 10; INSERT INTO main.expectation VALUES (1, 0, 1, x'ff03');");
	for (int i = 0; i < 20; i++) {
		add_deliveries(s, i, 0, i % 10, i * S, "acked", 202, 10, i < 19 ? 1 : 2);
		add_block(s, i, 10, i < 19 ? 1u << 4 : 1u << 4 | 1u << 7);
		add_deliveries(s, 20 + i, 0, i % 10, i * S, "unknown", 0, 10, 0);
	}
	c = weigh(s);
	is_str(set_of(c, "missing", "", "receiver"), "1 of 10 hold 20 of 21 share 0.100: u4", "one receiver of ten");
	is_str(set_of(c, "missing", "", "receiver_pod"), "1 of 3 hold 21 of 21 share 0.300: p1", "on one pod of three");
	is_str(set_of(c, "missing", "", "topic"), "", "the only topic says nothing");
	is_str(set_of(c, "missing", "", "receiver,topic"), "", "nor does a pair whose receiver is named");
	is_str(set_of(c, "missing", "", "agent"), "", "one delivery of 21 was the other agent's to see: 95.2 %, not twice 50 %");
	causes_free(c);
}

/* u0 moves from p0 to a fourth pod with the tenth of 20 messages, and gets none from then on. */
static void
test_moves(void)
{
	struct store *s = make_store(1, 10);
	struct causes *c;

	must_exec(s,
	    "INSERT INTO main.member SELECT 1, 0, n, n FROM n WHERE n < 10; INSERT INTO main.expectation VALUES (1, 0, 1, x'ff03');"
	    "INSERT INTO main.presence VALUES (1, 0, 10000000000, NULL, 'p9', NULL, NULL, NULL, NULL, 0, 1);");
	for (int i = 0; i < 20; i++) {
		add_deliveries(s, i, 0, i % 9 + 1, i * S, i < 10 ? "ok" : "acked", 202, 10, i >= 10);
		add_block(s, i, 10, i >= 10);
	}
	c = weigh(s);
	is_str(set_of(c, "missing", "", "receiver_pod"), "1 of 4 hold 10 of 10 share 0.050: p9",
	    "a receiver counts where it was at the time");
	causes_free(c);
}

/* Thirty pairs, ten messages each way: pair n is of u(2n) and u(2n+1), on pods 2n mod 3 and 2n+1 mod 3. Every third pair, p0 and p1,
 * loses everything; then every third but one. */
static void
test_pairs(void)
{
	struct store *s = make_store(30, 60);
	struct causes *c;

	must_exec(s,
	    "UPDATE main.topic SET kind = 'p2p'; INSERT INTO main.expectation SELECT 1, n, 0, x'03' FROM n WHERE n < 30;"
	    "INSERT INTO main.member SELECT 1, n / 2, n % 2, n FROM n WHERE n < 60;");
	for (int i = 0; i < 600; i++) {
		add_deliveries(s, i, i % 30, 2 * (i % 30) + i / 30 % 2, i * S, i % 3 == 0 ? "acked" : "ok", 202, 1, i % 3 == 0);
		add_block(s, i, 2, i % 3 == 0 ? 3 : 0);
	}
	c = weigh(s);
	is_str(set_of(c, "missing", "", "pods"), "1 of 3 hold 200 of 200 share 0.333: p0,p1", "one pair of pods, whichever way");
	is_str(set_of(c, "missing", "", "sender_pod"), "", "two of three pods on either side say less");
	causes_free(c);
}

/* Three pods; everything on two of them fails half of the time, nothing on the third. */
static void
test_exclusive(void)
{
	struct store *s = make_store(1, 30);
	struct causes *c;

	for (int i = 0; i < 300; i++)
		add(s, i, 0, i * 7 % 30, i * S, i * 7 % 3 > 0 && i % 2 ? "unknown" : "ok");
	c = weigh(s);
	is_str(set_of(c, "unknown", "", "sender_pod"), "exclusive 2 of 3 hold 100 of 100 share 0.667: p1 p2",
	    "two of three pods hold all, where the third should have had 33");
	causes_free(c);
	s = make_store(1, 30);
	for (int i = 0; i < 300; i++)
		add(s, i, 0, i * 7 % 30, i * S, i * 7 % 3 > 0 && i % 20 == 1 ? "unknown" : "ok");
	c = weigh(s);
	is_str(set_of(c, "unknown", "", "sender_pod"), "", "ten or fewer that are not elsewhere may be chance");
	causes_free(c);
}

static void
test_spread(void)
{
	struct store *s = make_store(2, 7);
	struct causes *c;

	must_exec(s, "UPDATE main.topic SET kind = 'p2p' WHERE topic_no = 1");
	for (int i = 0; i < 100; i++)
		add(s, i, i % 2, i % 7, i * 37 % 100 * S, i % 5 == 0 ? "unknown" : "ok");
	c = weigh(s);
	is_str(set_of(c, "unknown", "p2p", ""), "spread 0 of 0 hold 0 of 10 share 0.000:", "evenly among the p2p messages");
	is_str(set_of(c, "unknown", "group", ""), "spread 0 of 0 hold 0 of 10 share 0.000:", "and among those to groups");
	is_int((intmax_t)c->nconcentration, 2, "which is all that is said");
	causes_free(c);
	s = make_store(1, 1);
	add(s, 0, 0, 0, S, "ok");
	c = weigh(s);
	is_int((intmax_t)c->nconcentration, 0, "a healthy run says nothing");
	causes_free(c);
}

/* Half of the rejected ones of t0 belong to a cause. */
static void
test_causes(void)
{
	struct causes *c;
	struct imp_err err = { 0 };
	static const char text[] =
	    "engine: '>=1.0'\nrules:\n- kind: cause\n  id: c.half\n  title: {en: c}\n  for: [{weight: 3, code: [403]}]\n"
	    "  explains:\n    sql: |\n      SELECT message_no, 1 AS closeness FROM failing WHERE message_no < 10\n";

	ok(ruleset_add_file(rules, 0, "test.yaml", slice_of(text), &err) == IMP_OK, "a cause");
	c = three_topics(20, 20, 20, 0, 0);
	for (size_t i = 0; i < c->nconcentration; i++)
		if (slice_eq(c->concentration[i].by, SLICE("topic")))
			ok(c->concentration[i].ncauses == 1 && slice_eq(c->concentration[i].causes[0], SLICE("c.half")),
			    "a set says whose its failures are");
	causes_free(c);
}

int
main(void)
{
	rules = calloc(1, sizeof(*rules));
	test_thresholds();
	test_sizes();
	test_time();
	test_unsent();
	test_missing();
	test_moves();
	test_pairs();
	test_exclusive();
	test_spread();
	test_causes();
	rules_free(rules);
	return done();
}
