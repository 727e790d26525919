/* Signatures, metrics and queries: what tests/rules/counted.yaml expects of them; what lies inside given seconds, and where. */
#include "config.h"

#include <stdlib.h>

#include "rule-tests.h"
#include "rules/count.h"
#include "rules/test_evidence.h"

static void
load(const char *name, struct ruleset **ret)
{
	const char *top = getenv("top_srcdir");
	struct imp_err err = { 0 };
	char path[4096];
	const char *dirs[] = { path };

	snprintf(path, sizeof(path), "%s/tests/%s", top != NULL ? top : ".", name);
	if (!ok(rules_load(&(struct rules_options){ .dirs = dirs, .ndirs = 1 }, ret, &err) == IMP_OK, "%s loads", path))
		printf("# %s\n", err.msg);
}

/* A run with evidence as tests of rules describe it, and what one rule comes to on it. */
struct world {
	struct arena arena;
	struct test_reader reader;
	struct store *store;
	struct evaluation ev;
};

static void
world_open(struct world *w, const struct ruleset *rs, const char *evidence)
{
	struct signature_set set;
	struct doc_node *doc;
	struct imp_err err = { 0 };
	bool made;

	*w = (struct world){ 0 };
	rules_signatures(rs, &set);
	made = doc_parse(&w->arena, "evidence", slice_of(evidence), &doc, &err) == IMP_OK &&
	    test_reader_init(&w->reader, &set, &err) == IMP_OK &&
	    store_open(":memory:", STORE_WRITE, 0, &w->store, &err) == IMP_OK &&
	    test_evidence_fill(&w->reader, doc, w->store, &err) == IMP_OK && store_select_run(w->store, 1, &err) == IMP_OK &&
	    store_seal(w->store, 0, &err) == IMP_OK && evaluation_begin(&w->ev, rs, w->store, 1, &w->arena, &err) == IMP_OK;
	if (!ok(made, "evidence"))
		printf("# %s\n", err.msg);
}

static void
world_close(struct world *w)
{
	store_close(w->store);
	test_reader_done(&w->reader);
	arena_done(&w->arena);
}

static struct rule_count
count(struct world *w, const char *id, const struct count_scope *scope)
{
	struct rule_count c = { 0 };
	struct imp_err err = { 0 };

	if (!ok(rule_count(&w->ev, ruleset_find(w->ev.rules, slice_of(id)), scope, &c, &err) == IMP_OK, "%s is counted", id))
		printf("# %s\n", err.msg);
	return c;
}

static void
is_count(const struct rule_count *c, int64_t lo, int64_t hi, const char *name)
{
	ok(c->v.i.has_lo && c->v.i.lo.num == lo, "%s: at least %lld", name, (long long)lo);
	ok(hi < 0 ? !c->v.i.has_hi : c->v.i.has_hi && c->v.i.hi.num == hi, "%s: at most %lld", name, (long long)hi);
}

/* 2026-09-27 02:02:46 UTC, by hand: 20,723 days and 7,366 s. */
#define AT INT64_C(1790474566)

static void
test_lines_inside(const struct ruleset *rs)
{
	static const int64_t seconds[] = { AT, AT + 2 };
	const struct seconds s = { seconds, 2 };
	struct world w;
	struct rule_count c;

	world_open(&w, rs,
	    "logs:\n"
	    "  im-server-0.log: |\n"
	    "    2026/09/27 02:02:46 queue of a is full, token=abcdef\n"
	    "    2026/09/27 02:02:46 queue of a is full\n"
	    "    2026/09/27 02:02:47 queue of a is full\n"
	    "    2026/09/27 02:02:48 queue of b is full\n");
	c = count(&w, "log.test.busy", &(struct count_scope){ &s, false });
	is_count(&c, 4, 4, "all lines");
	is_int((intmax_t)c.inside, 3, "three of them inside");
	ok(c.evaluated && c.covered && rule_count_matched(&c), "evaluated, covered, matched");
	is_int((intmax_t)c.nplaces, 3, "places");
	is_int((intmax_t)c.places_total, 4, "of all lines");
	is_str(c.places[0].file.p, "logs/im-server-0.log", "file");
	is_int((intmax_t)c.places[0].line, 1, "line");
	is_int((intmax_t)c.places[1].line, 3, "the next second's line");
	ok(c.places[0].t == AT * 1000000000, "time");
	ok(strstr(c.places[0].text.p, "queue of a is full") != NULL && strstr(c.places[0].text.p, "abcdef") == NULL,
	    "text without secrets");
	c = count(&w, "log.test.busy", &(struct count_scope){ &s, true });
	is_count(&c, 3, 3, "lines inside alone");
	c = count(&w, "log.test.busy", &(struct count_scope){ &(struct seconds){ NULL, 0 }, true });
	is_count(&c, 0, 0, "no seconds, no lines");
	ok(!rule_count_matched(&c), "not matched");
	world_close(&w);
}

/* Lines whose time nobody knows may be inside or not. */
static void
test_lines_without_time(const struct ruleset *rs)
{
	static const int64_t seconds[] = { AT };
	const struct seconds s = { seconds, 1 };
	struct world w;
	struct rule_count c;

	world_open(&w, rs, "logs:\n  im-server-0.log: queue of a is full\n");
	c = count(&w, "log.test.busy", &(struct count_scope){ &s, false });
	is_count(&c, 1, 1, "a line without time counts");
	is_int((intmax_t)c.inside, 0, "it is not inside");
	c = count(&w, "log.test.busy", &(struct count_scope){ &s, true });
	is_count(&c, 0, -1, "it may be inside");
	ok(c.v.reason == RULE_REASON_CLOCK, "nobody knows its time");
	world_close(&w);
}

static void
test_lines_not_looked_for(const struct ruleset *rs)
{
	struct world w;
	struct rule_count c;

	world_open(&w, rs, "tables: {source: [{kind: log, name: a, cut: 0, sampled: 0, limited: 0}]}\n");
	c = count(&w, "log.test.busy", NULL);
	ok(c.evaluated, "looked for");
	world_close(&w);
	world_open(&w, rs, "logs: {a.log: x}\n");
	sqlite3_set_authorizer(store_db(w.store), NULL, NULL);
	sqlite3_exec(store_db(w.store), "DELETE FROM main.log_signature", NULL, NULL, NULL);
	c = count(&w, "log.test.busy", NULL);
	ok(!c.evaluated && c.v.reason == RULE_REASON_DEPENDENCY, "not looked for: the run must be ingested again");
	world_close(&w);
}

static void
test_steps_inside(const struct ruleset *rs)
{
	static const int64_t seconds[] = { 25 };
	const struct seconds s = { seconds, 1 };
	struct world w;
	struct rule_count c;

	world_open(&w, rs,
	    "metrics:\n"
	    "  a@0: 'queue_total{result=\"full\"} 10'\n"
	    "  a@20: 'queue_total{result=\"full\"} 11'\n"
	    "  a@40: 'queue_total{result=\"full\"} 14'\n"
	    "  a@120: 'queue_total{result=\"full\"} 14'\n"
	    "  b@0: 'queue_total{result=\"full\"} 0'\n"
	    "  b@120: 'queue_total{result=\"full\"} 100'\n");
	c = count(&w, "metric.test.full", &(struct count_scope){ &s, false });
	is_count(&c, 104, 104, "all steps");
	is_int((intmax_t)c.inside, 3, "the one from 20 to 40 s; two minutes tell nothing");
	is_int((intmax_t)c.places_total, 3, "three steps");
	is_str(c.places[1].text.p, "queue_total{result=\"full\"} 11 -> 14", "what they show");
	c = count(&w, "metric.test.full", &(struct count_scope){ &s, true });
	is_count(&c, 3, 103, "inside are three, and at most all of the long step");
	world_close(&w);
}

static void
test_rows_inside(const struct ruleset *rs)
{
	struct world w;
	struct rule_count c;

	world_open(&w, rs, "run: {has_conns: 1}\ntables:\n  topic: [{name: t}]\n  message: [{mid: m, topic_no: 0, code: 403}]\n");
	c = count(&w, "q.test.denied", NULL);
	is_count(&c, 1, 1, "a row");
	c = count(&w, "q.test.denied", &(struct count_scope){ &(struct seconds){ NULL, 0 }, true });
	is_count(&c, 0, 1, "a row without time may be inside");
	world_close(&w);
}

int
main(void)
{
	struct ruleset *rs = NULL;
	struct imp_err err = { 0 };
	size_t run = 0, failed = 0;

	load("rules", &rs);
	if (rs == NULL)
		return done();
	for (size_t i = 0; i < rules_size(rs); i++) {
		struct rules_entry e;

		rules_entry(rs, i, &e);
		if (strstr(e.file, "counted.yaml") != NULL)
			ok(rules_run_tests(rs, &e.id, 1, show_test, NULL, &run, &failed, &err) == IMP_OK && run == e.ntests &&
				run > 0,
			    "%.*s: its tests run %s", SLICE_ARG(e.id), err.msg);
	}
	test_lines_inside(rs);
	test_lines_without_time(rs);
	test_lines_not_looked_for(rs);
	test_steps_inside(rs);
	test_rows_inside(rs);
	rules_free(rs);
	return done();
}
