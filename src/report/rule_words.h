/* report/rule_words.h - what a judged rule measured, in words that every renderer uses. Pure; check buf_status() of `out`. */
#pragma once
#include "base/buf.h"
#include "rules/rules.h"

/* Append what was measured ("0" where all that is counted is 0) or, where the answer is open, why: each reason once, without what
 * to bring. `add` escapes. */
void rule_add_measured(const struct rule_verdict *rule, void (*add)(struct buf *out, struct slice s), struct buf *out);

/* Append why the answer of a rule is open, and what to bring so that it is not: each reason once. */
void rule_add_open(const struct rule_verdict *rule, void (*add)(struct buf *out, struct slice s), struct buf *out);

/* Rules that say the same share one row: those that do not apply for the same reason, and those that pass because all they count
 * is 0. `first` is in its own group. */
bool rule_is_in_group(const struct rule_verdict *rule, const struct rule_verdict *first);
/* Is `rules[i]` the first of its group? */
bool rule_begins_group(const struct rule_verdict *rules, size_t i);
