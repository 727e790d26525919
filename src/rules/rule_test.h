/* rules/rule_test.h - the tests that rules carry: is one well-formed, which way does it go, does it hold.
 *
 * Each is judged on a store of its own in memory, by what judges real runs. Threading: one thread. */
#pragma once
#include "rules/rule.h"
#include "rules/test_evidence.h"

/* Are these tests of a rule of this kind well-formed? */
MUST_CHECK enum imp_rc rule_check_tests(const struct doc_node *list, enum rule_kind kind, struct imp_err *err);

/* Which way a test goes. */
enum test_way {
	TEST_HIT,    /* it fails, fires, counts, confirms */
	TEST_MISS,   /* the opposite, with the evidence there */
	TEST_ABSENT, /* without the evidence */
	_TEST_WAY_MAX
};
unsigned rule_test_ways(const struct doc_node *test, enum rule_kind kind); /* bits of enum test_way */

/* What the rule says of a run that a test describes: a word as in `expect`, or "" for a count. */
MUST_CHECK enum imp_rc rule_test_result(struct test_reader *reader, const struct ruleset *rs, const struct rule *r,
    const struct doc_node *test, struct arena *arena, struct slice *ret, struct imp_err *err);

/* Run the tests of one rule. */
MUST_CHECK enum imp_rc rule_run_tests(struct test_reader *reader, const struct ruleset *rs, const struct rule *r,
    void (*each)(void *payload, const struct rules_test *t), void *payload, size_t *run, size_t *failed, struct imp_err *err);

/* Does one of them fail? */
MUST_CHECK enum imp_rc rule_any_test_fails(struct test_reader *reader, const struct ruleset *rs, const struct rule *r, bool *ret,
    struct imp_err *err);

/* Is the rule one of `ids`, or `nids` 0? */
bool rule_is_chosen(const struct rule *r, const struct slice *ids, size_t nids);
/* All of them are rules of the set, or IMP_E_NOINPUT. */
MUST_CHECK enum imp_rc ruleset_check_ids(const struct ruleset *rs, const struct slice *ids, size_t nids, struct imp_err *err);
