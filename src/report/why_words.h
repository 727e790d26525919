/* report/why_words.h - what was found of causes, in words that every renderer uses, and how they are put together. Pure; check
 * buf_status() of `out`. */
#pragma once
#include "base/buf.h"
#include "rules/causes.h"

const char *cause_result_words(enum cause_result r); /* "confirmed", ..., "ruled out", "not looked at" */

/* Is it named: confirmed or probable, or possible and the owner of some message (or, of a finding, seen)? */
bool cause_is_shown(const struct cause_verdict *v);

/* Was everything looked at that speaks for it, without an answer: its sources are not complete? */
bool cause_is_open(const struct cause_verdict *v);

/* A count: "629"; "≥ 629" where more may have happened than was seen; "3 to 7". */
void cause_add_count(uint64_t lo, uint64_t hi, struct buf *out);
/* What an item says with its figure. `add` escapes. */
void cause_add_item(const struct cause_item *item, void (*add)(struct buf *out, struct slice s), struct buf *out);

/* "missing deliveries", "messages refused", ...; "receivers", "pairs of pods", ... in the number of the set. */
const char *concentration_of(const struct concentration *x);
const char *concentration_by(const struct concentration *x);

/* Causes, then findings. */
size_t causes_all(const struct causes *c);
const struct cause_verdict *causes_at(const struct causes *c, size_t i);

/* Do both have the same result for the same reason? And the first of all that share the fate of `v`. */
bool cause_shares_fate(const struct cause_verdict *a, const struct cause_verdict *b);
const struct cause_verdict *causes_fate_first(const struct causes *c, const struct cause_verdict *v);

/* The length of the family's name in the id ("persist.") when all of that family share the fate of `v` and there are several; else 0.
 * And is `v` the first of it? */
size_t causes_family(const struct causes *c, const struct cause_verdict *v);
bool causes_leads_family(const struct causes *c, const struct cause_verdict *v);
