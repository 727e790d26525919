/* ingest/prefilter.h - which of many expressions can match a text at all, found in one pass over it.
 *
 * Hyperscan (on other machines than x86: Vectorscan) looks for all of them at once; what it says is a superset of what PCRE2 finds.
 * Built without it, or on a processor that it cannot use, every expression always can. Ownership: nothing is borrowed. Threading: a
 * prefilter is read-only, each thread has its own prefilter_thread. Errors: IMP_E_NOMEM. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

/* Words of a bit for each expression. */
#define PREFILTER_WORDS(n) (((n) + 63) / 64)

struct prefilter;	 /* opaque; ingest/prefilter.c */
struct prefilter_thread; /* opaque */

/* `re` are expressions that PCRE2 takes, without UTF. */
MUST_CHECK enum imp_rc prefilter_new(const struct slice *re, size_t n, struct prefilter **ret, struct imp_err *err);
void prefilter_free(struct prefilter *p); /* takes NULL */
MUST_CHECK enum imp_rc prefilter_thread_new(const struct prefilter *p, struct prefilter_thread **ret, struct imp_err *err);
void prefilter_thread_free(struct prefilter_thread *t); /* takes NULL */

/* Fill maybe[PREFILTER_WORDS(n)]: bit i is set when expression i can match. False when there is none. */
bool prefilter_scan(struct prefilter_thread *t, struct slice text, uint64_t *maybe);
