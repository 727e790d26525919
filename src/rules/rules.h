/* rules/rules.h - rule files and the verdict they give: which gates a run passes, whether it is valid, whether its load generator can
 * be trusted. docs/rules.md is the same from the side of a rule's author.
 *
 * Life cycle: 1. rules_load()  2. any number of rules_evaluate(), verdict_free() each  3. rules_free(). A verdict borrows from its
 * rule set. Threading: one thread loads; a loaded set is read only. Errors: IMP_E_RULE with "file:line:column: what" for a broken
 * rule file; a rule that fails on a run's evidence is no error but a gate that is not evaluated. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "ingest/signature.h"
#include "store/store.h"

struct ruleset; /* opaque; rules/ruleset.c */

/* What the rules are loaded for. The built-in ones are what the tests have seen: only who checks rules looks at their SQL again, and
 * who judges does without the tests that they carry; together these take nearly all of the time. */
enum rules_purpose { RULES_TO_CHECK, RULES_TO_SHOW, RULES_TO_JUDGE };

struct rules_options {
	const char *const *dirs; /* `--rules`, in order; their *.yaml add to the built-in rules or replace them by id */
	size_t ndirs;
	const char *today;	    /* YYYY-MM-DD: a waiver that ended before it is an error */
	enum rules_purpose purpose; /* rules of `dirs` are always checked */
};

/* Load and check everything. On success the caller owns *ret. IMP_E_NOINPUT: no such directory. */
MUST_CHECK enum imp_rc rules_load(const struct rules_options *opt, struct ruleset **ret, struct imp_err *err);
void rules_free(struct ruleset *rs);   /* takes NULL */
void rules_freep(struct ruleset **rs); /* for CLEANUP() */

/* SHA-256 over names and bytes of all files of the set, in hex. Borrowed. */
const char *rules_digest(const struct ruleset *rs);

/* What the rules of kind signature look for in logs: for whoever reads them. The set borrows from `rs`. */
void rules_signatures(const struct ruleset *rs, struct signature_set *ret);

/* Which way a question went. The order of a three-valued `all` is FAIL before NOT_EVALUATED before PASS. */
enum rule_result {
	RULE_PASS, /* of a validity rule: it did not fire */
	RULE_FAIL, /* of a validity rule: it fired */
	RULE_NOT_EVALUATED,
	RULE_NOT_APPLICABLE, /* shown, never blocking */
	RULE_WAIVED,	     /* set aside by the profile until a date; `unwaived` says what it would be */
	_RULE_RESULT_MAX
};
const char *rule_result_name(enum rule_result r); /* "pass", "fail", "not_evaluated", ... */

/* Why a rule was not evaluated. */
enum rule_reason {
	RULE_REASON_NONE,
	RULE_REASON_MISSING_SOURCE,   /* evidence that nobody brought: `missing` names it */
	RULE_REASON_PARTIAL_COVERAGE, /* the evidence leaves the answer open */
	RULE_REASON_CLOCK,	      /* clocks not known well enough */
	RULE_REASON_RULE_ERROR,	      /* the rule itself failed */
	RULE_REASON_BUDGET,	      /* its SQL took more steps than allowed */
	RULE_REASON_DEPENDENCY,	      /* the run was ingested without it: its signature was not looked for */
	RULE_REASON_NOT_APPLICABLE,   /* it is for another server or kind of run */
	_RULE_REASON_MAX
};
const char *rule_reason_name(enum rule_reason r); /* "missing_source", ...; "" for none */

struct rule_text {
	struct slice en, zh; /* zh falls back to en where a rule has no Chinese */
};

/* One part of a gate: what was measured against what is required. */
struct condition_result {
	struct slice name;     /* "p95"; "value" where the rule has only one */
	struct rule_text text; /* what is measured, in words; may be empty */
	enum rule_result result;
	struct slice value;	    /* for people: "3.11 ms", "1,801 / 10,621 = 16.957 %", "0 to 12"; empty when not known */
	struct slice value_json;    /* a JSON number (milliseconds, a share of 1, or a count) or null */
	struct slice threshold;	    /* "<= 500 ms"; of a validity rule what makes it fire */
	struct slice threshold_was; /* as the rule has it, when the profile changed it; else empty */
	struct slice why;	    /* one sentence without full stop, when it did not pass */
	enum rule_reason reason;
};

#define RULE_EVIDENCE_MAX 3

struct rule_evidence {
	struct slice file;   /* below the results directory */
	struct slice sha256; /* empty when not hashed */
	int64_t line;	     /* 0: the whole file */
	struct slice query;  /* SQL that lists all of them */
};

struct rule_verdict {
	struct slice id;
	bool validity;			    /* a validity rule, not a gate */
	bool warning;			    /* its failure is shown, but decides nothing */
	struct rule_text title, about, fix; /* `about`: why the rule exists */
	enum rule_result result;
	enum rule_result unwaived; /* = result unless waived */
	enum rule_reason reason;
	const char *const *missing; /* names of missing evidence ("kafka_lag"), ended by NULL */
	bool proven;		    /* fails on what the database proves: an invalid run does not excuse it */

	/* The conditions, and all of them in one line each. value_json is that of the condition that decided. */
	const struct condition_result *conditions;
	size_t nconditions;
	struct slice value, value_json, threshold, why;
	bool changed; /* the profile changed a threshold */

	struct slice waived_until, waived_why;		  /* empty unless waived */
	struct rule_evidence evidence[RULE_EVIDENCE_MAX]; /* the first places that speak against it */
	size_t nevidence;
	uint64_t evidence_total; /* how many there are */
};

enum verdict_result { VERDICT_PASS, VERDICT_FAIL, VERDICT_INVALID, VERDICT_INCONCLUSIVE, _VERDICT_RESULT_MAX };
const char *verdict_result_name(enum verdict_result r); /* "PASS", ... */

enum trust_result { TRUST_TRUSTED, TRUST_UNTRUSTED, TRUST_NOT_EVALUATED, _TRUST_RESULT_MAX };
const char *trust_result_name(enum trust_result r); /* "trusted", ... */

struct verdict {
	enum verdict_result result;
	int exit_code;		     /* 0 PASS, 1 FAIL, 2 INVALID, 3 INCONCLUSIVE */
	const struct slice *reasons; /* ids of the rules that decided, in the profile's order; or of the finding that did */
	size_t nreasons;
	struct slice profile;
	const char *rules_digest;
	const struct rule_verdict *rules; /* gates of the profile, then its validity rules */
	size_t nrules;

	enum trust_result trust;
	const struct slice *trust_reasons; /* ids that decided, as above */
	size_t ntrust_reasons;
	const struct rule_verdict *trust_rules;
	size_t ntrust_rules;
};

/* Judge run `run_no` of `s`, which has it selected (store_select_run). `profile` NULL: the one that run.json asks for. Seal the store
 * before (store_seal): the SQL of rule files runs on this connection. On success the caller owns *ret. IMP_E_USAGE: no such
 * profile. */
MUST_CHECK enum imp_rc rules_evaluate(const struct ruleset *rs, struct store *s, int64_t run_no, const char *profile,
    struct verdict **ret, struct imp_err *err);
void verdict_free(struct verdict *v); /* takes NULL */

/* A test that a rule file carries, when it was run. */
struct rules_test {
	struct slice rule, name;
	bool passed;
	struct slice expected, got; /* "fail", "not_evaluated (missing_source)", "count 1", "confirmed, explains 3" */
	struct slice why;	    /* what the rule said; may be empty */
};

/* Run the tests of the rules named by `ids` (nids 0: of all), each on an evidence store of its own in memory; `each` may be NULL. */
MUST_CHECK enum imp_rc rules_run_tests(const struct ruleset *rs, const struct slice *ids, size_t nids,
    void (*each)(void *payload, const struct rules_test *t), void *payload, size_t *ret_run, size_t *ret_failed,
    struct imp_err *err);

/* One change to a rule that a test of its should notice. */
struct rules_mutation {
	struct slice rule;
	const char *kind;  /* of the rule */
	struct slice what; /* "condition p95 turned around", "expression 2 taken away" */
	bool noticed;
};

/* Turn every comparison around, take every expression of a signature and every item of a cause away, one at a time, and see whether a
 * test turns red. The set is as it was afterwards. *ret_missed: how many were not noticed. */
MUST_CHECK enum imp_rc rules_run_mutations(struct ruleset *rs, const struct slice *ids, size_t nids,
    void (*each)(void *payload, const struct rules_mutation *m), void *payload, size_t *ret_run, size_t *ret_missed,
    struct imp_err *err);

/* What is not as it should be in a rule that loads: a way that no test goes, a language that is missing, a line that two signatures
 * match. */
struct rules_remark {
	struct slice rule;
	const char *file;
	uint32_t line;
	bool warning; /* else the rule is not to be accepted */
	struct slice text;
};

MUST_CHECK enum imp_rc rules_lint(const struct ruleset *rs, void (*each)(void *payload, const struct rules_remark *r),
    void *payload, size_t *ret_errors, size_t *ret_warnings, struct imp_err *err);

/* One line about a rule. */
struct rules_entry {
	struct slice id;
	const char *kind, *status, *file;
	uint32_t line;
	int64_t rev;
	struct rule_text title;
	size_t ntests;
};

extern const char *const rule_kind_names[]; /* ended by NULL */
size_t rules_size(const struct ruleset *rs);
void rules_entry(const struct ruleset *rs, size_t i, struct rules_entry *ret);

/* Everything about a rule, for a terminal. IMP_E_NOINPUT: there is none with this id. */
MUST_CHECK enum imp_rc rules_explain(const struct ruleset *rs, struct slice id, struct buf *out, struct imp_err *err);
