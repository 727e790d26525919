/* rules/count.h - what a signature, a metric or a query comes to on a run: how often, where first, and whether it would have been
 * seen at all.
 *
 * What causes are weighed with, and what `{signature: ID}`, `{metric: ID}`, `{query: ID}` in a value are. Ownership: results live in
 * the arena of the evaluation. Threading: one thread. Errors: a failing store; a rule that cannot be evaluated is a result. */
#pragma once
#include "rules/causes.h"
#include "rules/rule.h"

/* Unix seconds, ascending. */
struct seconds {
	const int64_t *v;
	size_t n;
};
bool seconds_have(const struct seconds *s, int64_t second);
bool seconds_between(const struct seconds *s, int64_t from, int64_t to); /* one of them, of two moments in ns */

/* Which of the matches are asked for. */
struct count_scope {
	const struct seconds *seconds; /* NULL: none are known */
	bool only_inside;	       /* matches outside of them, or without a time, do not count */
};

struct rule_count {
	struct value v;	      /* how many, or the value of a metric; v.reason, v.why where a bound is missing */
	bool evaluated;	      /* anything is known; else v.reason, v.why and `missing` say why not */
	bool covered;	      /* its sources cover the load (of a metric: the marks): absence means something */
	uint64_t inside;      /* matches at a time inside the seconds; of a metric: steps of at most a minute that touch them */
	evidence_set missing; /* evidence that nobody brought */
	struct cause_place places[CAUSE_PLACES_MAX]; /* the first ones that count */
	size_t nplaces;
	uint64_t places_total; /* how many there are */
};

/* Can a rule of this kind be counted? A gate and a validity rule can too: one that fails, one that fires is one match. */
static inline bool
rule_can_count(enum rule_kind k)
{
	return rule_is_counted(k) || k == RULE_KIND_VALIDITY || k == RULE_KIND_GATE;
}

/* Evaluate such a rule. `scope` NULL: all of the run. */
MUST_CHECK enum imp_rc rule_count(struct evaluation *ev, const struct rule *r, const struct count_scope *scope,
    struct rule_count *ret, struct imp_err *err);

/* There is at least one: the lower bound is >= 1. */
bool rule_count_matched(const struct rule_count *c);
