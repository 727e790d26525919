/* report/rule_words.h - what a judged rule measured, in words that every renderer uses. Pure; check buf_status() of `out`. */
#pragma once
#include "base/buf.h"
#include "rules/rules.h"

/* Append what was measured, or, where the answer is open, why: each reason once, without what to bring. `add` escapes. */
void rule_add_measured(const struct rule_verdict *rule, void (*add)(struct buf *out, struct slice s), struct buf *out);

/* Append why the answer of a rule is open, and what to bring so that it is not: each reason once. */
void rule_add_open(const struct rule_verdict *rule, void (*add)(struct buf *out, struct slice s), struct buf *out);

/* Is `rules[i]` the first of those that do not apply for the same reason? */
bool rule_begins_group(const struct rule_verdict *rules, size_t i);
/* Does `rule` not apply, and for the same reason as `first`? */
bool rule_is_in_group(const struct rule_verdict *rule, const struct rule_verdict *first);
