/* rules/cause.h - a cause as its rule file has it: what speaks for and against it, which failing messages it fits, what it says.
 *
 * The weighing itself is rules/causes.h. Ownership: everything lives in the arena of the rule set. Threading: read only after
 * rules_load(), but for cause_set_item_off(). */
#pragma once
#include "base/arena.h"
#include "base/buf.h"
#include "rules/causes.h"
#include "base/doc.h"
#include "rules/evidence.h"
#include "rules/value.h"

struct rule;
struct ruleset;
struct cause; /* opaque to those who only hold it; below */

extern const char *const cause_keys[];	  /* of a rule of this kind, ended by NULL */
extern const char *const cause_results[]; /* what its tests may expect: names of enum cause_result, ended by NULL */

/* Read the keys of its own. */
MUST_CHECK enum imp_rc cause_parse(struct arena *arena, const struct doc_node *n, struct cause **ret, struct imp_err *err);

/* What needs the whole set: references to other rules; all SQL, prepared on `db` (a sealed, empty store); that texts name columns
 * which are there. */
MUST_CHECK enum imp_rc cause_check(const struct ruleset *rs, const struct rule *r, sqlite3 *db, struct imp_err *err);

/* Weigh one cause as if the set had no other: what its tests are judged by. The run is selected and sealed. */
MUST_CHECK enum imp_rc causes_evaluate_one(const struct ruleset *rs, const struct rule *r, struct store *s, int64_t run_no,
    struct causes **ret, struct imp_err *err);

/* Items with their weights, and the formula of confidence, as text for a terminal. */
void cause_explain(const struct rule *r, struct buf *out);

/* Mutation of tests: the items, `for` before `against`, and one of them taken away. */
size_t cause_nitems(const struct rule *r);
void cause_set_item_off(struct rule *r, size_t i, bool off);

/* Would it be probable if everything that can speak for it did? One that is not only adds to other causes. */
bool cause_can_be_probable(const struct rule *r);

/* ------------------------------------------------------------------ for cause*.c alone */

enum cause_clause_kind {
	CAUSE_RULE, /* a signature, metric, query or validity rule matched */
	CAUSE_CODE, /* messages that it fits were answered with one of these codes */
	CAUSE_SQL,  /* a query returned a row that counts */
};

/* Which matches count. */
enum cause_when {
	CAUSE_WHEN_TIMED,  /* those inside the failing seconds, and those that have no time; SQL only */
	CAUSE_WHEN_INSIDE, /* those inside the failing seconds alone */
	CAUSE_WHEN_ANY,
};

/* An item of `for` or `against`. */
struct cause_clause {
	struct doc_place at;
	enum cause_clause_kind kind;
	enum cause_when when;
	bool against, decisive;
	bool absence; /* what it shows is that something is not there */
	bool off;     /* cause_set_item_off() */
	int weight;
	struct slice name; /* empty: none */
	struct slice rule; /* id */
	const int64_t *codes;
	size_t ncodes;
	struct rule_sql sql;
	bool has_complete;
	struct rule_sql complete; /* 1: had there been any, the query would have found it */
	evidence_set needs;
	struct rule_text text; /* empty: the title of the rule */
};

struct cause {
	bool finding;	       /* explains nothing by its nature */
	bool without_messages; /* counts also when it owns no failing message: what it is about is no message */
	bool has_facts, has_explains;
	struct rule_sql facts, explains;
	struct rule_text says;
	struct doc_place says_at;
	struct cause_clause *clauses; /* `for` first */
	size_t nfor, nclauses;
	const struct doc_node *parents; /* `consequence_of`: a list of ids, or NULL */
};
