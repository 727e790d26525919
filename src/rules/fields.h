/* rules/fields.h - what the keys of rules hold, read from the tree of a rule file: texts, words, ids, numbers.
 *
 * All of them write *ret on success only. An absent value (n NULL) leaves it as it is where that is said. Ownership: results borrow
 * from the tree. Threading: pure. Errors: IMP_E_RULE with the place. */
#pragma once
#include "base/doc.h"
#include "rules/rules.h"

/* A scalar that is not empty. */
MUST_CHECK enum imp_rc field_scalar(const struct doc_node *n, struct slice *ret, struct imp_err *err);

/* {en: ..., zh-CN: ...}; absent stays as it is. */
MUST_CHECK enum imp_rc field_text(const struct doc_node *n, struct rule_text *ret, struct imp_err *err);

/* `true` or `false`; absent stays as it is. */
MUST_CHECK enum imp_rc field_truth(const struct doc_node *n, bool *ret, struct imp_err *err);

/* A list of names as a set of bits, in the order of `names` (ended by NULL); absent stays as it is. */
MUST_CHECK enum imp_rc field_bits(const struct doc_node *n, const char *what, const char *const *names, unsigned *ret,
    struct imp_err *err);

/* One name or a list of them, as field_bits(). */
MUST_CHECK enum imp_rc field_bits_or_one(const struct doc_node *n, const char *what, const char *const *names, unsigned *ret,
    struct imp_err *err);

/* An id: a-z 0-9 . _ - */
MUST_CHECK enum imp_rc field_id(const struct doc_node *n, struct slice *ret, struct imp_err *err);

/* A whole number from `min` to `max`; `what` names it in the message. */
MUST_CHECK enum imp_rc field_int(const struct doc_node *n, const char *what, int64_t min, int64_t max, int64_t *ret,
    struct imp_err *err);

/* A regular expression: in quotes or in a block, because a plain scalar would lose a `#` and more; it must compile. PCRE2, UTF off. */
MUST_CHECK enum imp_rc field_regex(const struct doc_node *n, struct slice *ret, struct imp_err *err);

/* Where byte `offset` of a scalar's text stands in its file, as near as the tree tells. */
struct doc_place field_place(const struct doc_node *n, size_t offset);
