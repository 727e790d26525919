#include "config.h"

#include "rules/rule_test.h"

#include "base/cleanup.h"
#include "rules/cause.h"
#include "rules/count.h"
#include "rules/fields.h"

#define TEST_OPS_MAX 200000000 /* steps of one SQL statement: a rule that runs away is stopped here too */

static const char *const test_keys[] = { "name", "run", "figures", "tables", "logs", "metrics", "covers", "expect", "explains",
	NULL };
static const char *const judged_names[] = { "pass", "fail", "not_evaluated", "not_applicable", NULL }; /* enum rule_result */
static const char *const counted_names[] = { "not_evaluated", "not_applicable", NULL };
static const char *const weighed_names[] = { "confirmed", "probable", "possible", "refuted", "not_evaluated", "not_applicable",
	NULL };
static const char *const expect_keys[] = { "outcome", "reason", NULL };
static const char *const expect_count_keys[] = { "outcome", "reason", "count", NULL };
static const char *const reason_names[] = { "missing_source", "partial_coverage", "clock", "rule_error", "budget", "dependency",
	"not_applicable", NULL };

/* What a test says must come out; what came out. */
struct outcome {
	struct slice word;   /* empty: a count */
	struct slice reason; /* empty: any */
	struct interval count;
	bool asks_explains;
	int64_t explains;
	struct slice why;
};

static const char *const *
outcome_words(enum rule_kind kind)
{
	if (kind == RULE_KIND_CAUSE)
		return weighed_names;
	return rule_is_counted(kind) ? counted_names : judged_names;
}

/* One bound of `count: [lo, hi]`; null is none. */
static enum imp_rc
parse_bound(const struct doc_node *n, bool *ret_has, struct number *ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc != IMP_OK)
		return rc;
	*ret_has = !(n->plain && slice_eq(n->text, SLICE("null")));
	if (*ret_has && !number_parse(n->text, ret))
		return doc_error(&n->at, err, "a number or null is expected here");
	return IMP_OK;
}

static enum imp_rc
parse_count(const struct doc_node *n, struct interval *ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_LIST, err);

	if (rc == IMP_OK && n->n != 2)
		rc = doc_error(&n->at, err, "a count is expected as [least, most]");
	if (rc == IMP_OK)
		rc = parse_bound(n->first, &ret->has_lo, &ret->lo, err);
	return rc == IMP_OK ? parse_bound(n->first->next, &ret->has_hi, &ret->hi, err) : rc;
}

static enum imp_rc
parse_outcome_map(const struct doc_node *n, enum rule_kind kind, struct outcome *ret, struct imp_err *err)
{
	const struct doc_node *word = doc_get(n, "outcome"), *reason = doc_get(n, "reason"), *count = doc_get(n, "count");
	unsigned i;
	enum imp_rc rc = doc_check_keys(n, rule_is_counted(kind) ? expect_count_keys : expect_keys, err);

	if (rc == IMP_OK && (word != NULL) == (count != NULL))
		rc = doc_error(&n->at, err, "either an outcome or a count is expected");
	if (rc == IMP_OK && count != NULL)
		rc = parse_count(count, &ret->count, err);
	if (rc == IMP_OK && word != NULL) {
		rc = doc_choice(word, "result", outcome_words(kind), &i, err);
		ret->word = word->text;
	}
	if (rc == IMP_OK && reason != NULL) {
		rc = doc_choice(reason, "reason", reason_names, &i, err);
		ret->reason = reason->text;
	}
	return rc;
}

static enum imp_rc
parse_outcome(const struct doc_node *test, enum rule_kind kind, struct outcome *ret, struct imp_err *err)
{
	const struct doc_node *n, *explains = doc_get(test, "explains");
	struct outcome o = { .word = { "", 0 }, .reason = { "", 0 } };
	unsigned i;
	enum imp_rc rc = doc_need(test, "expect", &n, err);

	if (rc == IMP_OK && n->kind == DOC_MAP) {
		rc = parse_outcome_map(n, kind, &o, err);
	} else if (rc == IMP_OK) {
		rc = doc_choice(n, "result", outcome_words(kind), &i, err);
		o.word = n->text;
	}
	o.asks_explains = explains != NULL;
	if (rc == IMP_OK && explains != NULL && kind != RULE_KIND_CAUSE)
		rc = doc_error(&explains->key_at, err, "only a cause explains messages");
	if (rc == IMP_OK && explains != NULL)
		rc = field_int(explains, "'explains'", 0, INT64_MAX, &o.explains, err);
	if (rc == IMP_OK)
		*ret = o;
	return rc;
}

enum imp_rc
rule_check_tests(const struct doc_node *list, enum rule_kind kind, struct imp_err *err)
{
	const struct doc_node *name;
	struct outcome o;
	enum imp_rc rc = doc_is(list, DOC_LIST, err);

	for (const struct doc_node *t = list->first; t != NULL && rc == IMP_OK; t = t->next) {
		rc = doc_check_keys(t, test_keys, err);
		if (rc == IMP_OK)
			rc = doc_need(t, "name", &name, err);
		if (rc == IMP_OK)
			rc = doc_is(name, DOC_SCALAR, err);
		if (rc == IMP_OK)
			rc = parse_outcome(t, kind, &o, err);
		if (rc == IMP_OK)
			rc = test_evidence_check(t, err);
	}
	return rc;
}

unsigned
rule_test_ways(const struct doc_node *test, enum rule_kind kind)
{
	static const struct {
		const char *word;
		unsigned ways;
	} words[] = { { "pass", 1u << TEST_MISS }, { "fail", 1u << TEST_HIT }, { "not_evaluated", 1u << TEST_ABSENT },
		{ "confirmed", 1u << TEST_HIT }, { "probable", 1u << TEST_HIT }, { "possible", 1u << TEST_MISS },
		{ "refuted", 1u << TEST_MISS } };
	struct outcome o;
	unsigned ways = 0;

	if (parse_outcome(test, kind, &o, NULL) != IMP_OK)
		return 0;
	if (o.word.n == 0)
		return o.count.has_lo && o.count.lo.num > 0 ? 1u << TEST_HIT : 1u << TEST_MISS;
	if (slice_eq(o.reason, SLICE("partial_coverage"))) /* what there is leaves it open: some rules find no more than that */
		return 1u << TEST_HIT;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (slice_eq(o.word, slice_of(words[i].word)))
			ways = words[i].ways;
	return ways;
}

/* ------------------------------------------------------------------ what comes out */

static enum imp_rc
judge(const struct ruleset *rs, const struct rule *r, struct store *s, struct arena *arena, struct outcome *ret,
    struct imp_err *err)
{
	struct profile_rule use = { .rule = r };
	struct evaluation ev;
	struct rule_verdict v;
	enum imp_rc rc = evaluation_begin(&ev, rs, s, 1, arena, err);

	if (rc == IMP_OK)
		rc = evaluation_judge(&ev, &use, &v, err);
	if (rc != IMP_OK)
		return rc;
	*ret = (struct outcome){ .word = slice_of(rule_result_name(v.result)),
		.reason = slice_of(rule_reason_name(v.reason)),
		.why = v.why };
	return IMP_OK;
}

static enum imp_rc
count(const struct ruleset *rs, const struct rule *r, struct store *s, struct arena *arena, struct outcome *ret,
    struct imp_err *err)
{
	struct evaluation ev;
	struct rule_count c;
	enum imp_rc rc = evaluation_begin(&ev, rs, s, 1, arena, err);

	if (rc == IMP_OK)
		rc = rule_count(&ev, r, NULL, &c, err);
	if (rc != IMP_OK)
		return rc;
	*ret =
	    (struct outcome){ .word = { "", 0 }, .reason = slice_of(rule_reason_name(c.v.reason)), .count = c.v.i, .why = c.v.why };
	if (c.v.reason == RULE_REASON_NOT_APPLICABLE)
		ret->word = SLICE("not_applicable");
	else if (!c.evaluated)
		ret->word = SLICE("not_evaluated");
	return IMP_OK;
}

static enum imp_rc
weigh(const struct ruleset *rs, const struct rule *r, struct store *s, struct arena *arena, struct outcome *ret,
    struct imp_err *err)
{
	struct causes *causes = NULL;
	const struct cause_verdict *v;
	struct slice why;
	enum imp_rc rc = causes_evaluate_one(rs, r, s, 1, &causes, err);

	if (rc != IMP_OK)
		return rc;
	v = causes->n > 0 ? &causes->v[0] : causes->nfindings > 0 ? &causes->findings[0] : NULL;
	*ret = (struct outcome){ .word = SLICE("not_applicable"), .reason = { "", 0 }, .why = { "", 0 } };
	if (v != NULL) {
		why = arena_slice(arena, v->why.en, err);
		ret->word = slice_of(cause_result_name(v->result));
		ret->explains = (int64_t)v->explains;
		ret->why = why;
		rc = why.p != NULL ? IMP_OK : IMP_E_NOMEM;
	}
	causes_free(causes);
	return rc;
}

static enum imp_rc
evaluate(struct test_reader *reader, const struct ruleset *rs, const struct rule *r, const struct doc_node *test,
    struct arena *arena, struct outcome *ret, struct imp_err *err)
{
	struct store *s = NULL;
	enum imp_rc rc = store_open(":memory:", STORE_WRITE, 0, &s, err);

	if (rc == IMP_OK)
		rc = test_evidence_fill(reader, test, s, err);
	if (rc == IMP_OK)
		rc = store_select_run(s, 1, err);
	if (rc == IMP_OK)
		rc = store_seal(s, TEST_OPS_MAX, err);
	if (rc == IMP_OK && r->kind == RULE_KIND_CAUSE)
		rc = weigh(rs, r, s, arena, ret, err);
	else if (rc == IMP_OK && rule_is_counted(r->kind))
		rc = count(rs, r, s, arena, ret, err);
	else if (rc == IMP_OK)
		rc = judge(rs, r, s, arena, ret, err);
	store_close(s);
	return rc;
}

enum imp_rc
rule_test_result(struct test_reader *reader, const struct ruleset *rs, const struct rule *r, const struct doc_node *test,
    struct arena *arena, struct slice *ret, struct imp_err *err)
{
	struct outcome o;
	enum imp_rc rc = evaluate(reader, rs, r, test, arena, &o, err);

	if (rc == IMP_OK)
		*ret = o.word;
	return rc;
}

static bool
same_bound(bool has_a, struct number a, bool has_b, struct number b)
{
	return has_a == has_b && (!has_a || number_cmp(a, b) == 0);
}

static bool
outcome_fits(const struct outcome *expected, const struct outcome *got)
{
	if (!slice_eq(expected->word, got->word) || (expected->reason.n > 0 && !slice_eq(expected->reason, got->reason)))
		return false;
	if (expected->asks_explains && expected->explains != got->explains)
		return false;
	return expected->word.n > 0 ||
	    (same_bound(expected->count.has_lo, expected->count.lo, got->count.has_lo, got->count.lo) &&
		same_bound(expected->count.has_hi, expected->count.hi, got->count.has_hi, got->count.hi));
}

/* An outcome in words, as far as `expected` asks. */
static enum imp_rc
outcome_text(struct arena *a, const struct outcome *o, const struct outcome *expected, struct slice *ret, struct imp_err *err)
{
	const struct threshold plain = { .unit = UNIT_NONE };
	const struct value v = { .i = o->count };
	struct buf text = BUF_INIT(4096);
	enum imp_rc rc = IMP_OK;

	if (o->word.n > 0) {
		buf_add_slice(&text, o->word);
	} else {
		buf_add_str(&text, "count ");
		value_add_text(&text, &v, &plain);
	}
	if (expected->reason.n > 0 && o->reason.n > 0)
		buf_addf(&text, " (%.*s)", SLICE_ARG(o->reason));
	if (expected->asks_explains)
		buf_addf(&text, ", explains %lld", (long long)o->explains);
	evaluation_settle(a, &text, ret, &rc, err);
	return rc;
}

static enum imp_rc
run_test(struct test_reader *reader, const struct ruleset *rs, const struct rule *r, const struct doc_node *test,
    struct arena *arena, struct rules_test *ret, struct imp_err *err)
{
	struct rules_test t = { .rule = r->id, .name = doc_get(test, "name")->text };
	struct outcome expected, got;
	enum imp_rc rc = parse_outcome(test, r->kind, &expected, err);

	if (rc == IMP_OK)
		rc = evaluate(reader, rs, r, test, arena, &got, err);
	if (rc == IMP_OK)
		rc = outcome_text(arena, &expected, &expected, &t.expected, err);
	if (rc == IMP_OK)
		rc = outcome_text(arena, &got, &expected, &t.got, err);
	if (rc != IMP_OK)
		return rc;
	t.passed = outcome_fits(&expected, &got);
	t.why = got.why;
	*ret = t;
	return IMP_OK;
}

enum imp_rc
rule_run_tests(struct test_reader *reader, const struct ruleset *rs, const struct rule *r,
    void (*each)(void *payload, const struct rules_test *t), void *payload, size_t *run, size_t *failed, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *t = r->tests != NULL ? r->tests->first : NULL; t != NULL && rc == IMP_OK; t = t->next) {
		CLEANUP(arena_done) struct arena arena = { 0 };
		struct rules_test result;

		rc = run_test(reader, rs, r, t, &arena, &result, err);
		if (rc != IMP_OK)
			break;
		++*run;
		*failed += !result.passed;
		if (each != NULL)
			each(payload, &result);
	}
	if (rc != IMP_OK && rc != IMP_E_RULE)
		imp_err_wrap(err, "tests of rule '%.*s'", SLICE_ARG(r->id));
	return rc;
}

enum imp_rc
rule_any_test_fails(struct test_reader *reader, const struct ruleset *rs, const struct rule *r, bool *ret, struct imp_err *err)
{
	bool fails = false;
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *t = r->tests != NULL ? r->tests->first : NULL; t != NULL && rc == IMP_OK && !fails;
	     t = t->next) {
		CLEANUP(arena_done) struct arena arena = { 0 };
		struct rules_test result;

		rc = run_test(reader, rs, r, t, &arena, &result, err);
		fails = rc == IMP_OK && !result.passed;
	}
	if (rc == IMP_OK)
		*ret = fails;
	return rc;
}

bool
rule_is_chosen(const struct rule *r, const struct slice *ids, size_t nids)
{
	for (size_t i = 0; i < nids; i++)
		if (slice_eq(r->id, ids[i]))
			return true;
	return nids == 0;
}

enum imp_rc
ruleset_check_ids(const struct ruleset *rs, const struct slice *ids, size_t nids, struct imp_err *err)
{
	for (size_t i = 0; i < nids; i++)
		if (ruleset_find(rs, ids[i]) == NULL && ruleset_find_cause(rs, ids[i]) == NULL)
			return imp_err_set(err, IMP_E_NOINPUT, "there is no rule '%.*s'", SLICE_ARG(ids[i]));
	return IMP_OK;
}

enum imp_rc
rules_run_tests(const struct ruleset *rs, const struct slice *ids, size_t nids,
    void (*each)(void *payload, const struct rules_test *t), void *payload, size_t *ret_run, size_t *ret_failed,
    struct imp_err *err)
{
	CLEANUP(test_reader_done) struct test_reader reader = { 0 };
	size_t run = 0, failed = 0;
	enum imp_rc rc = ruleset_check_ids(rs, ids, nids, err);

	if (rc == IMP_OK)
		rc = test_reader_init(&reader, &rs->signatures, err);
	for (size_t i = 0; i < rs->rules.n && rc == IMP_OK; i++)
		if (rule_is_chosen(rs->rules.v[i], ids, nids))
			rc = rule_run_tests(&reader, rs, rs->rules.v[i], each, payload, &run, &failed, err);
	if (rc == IMP_OK) {
		*ret_run = run;
		*ret_failed = failed;
	}
	return rc;
}
