/* rules/evidence.h - kinds of evidence that a rule can ask for by name (`needs:`, `requires:`): whether a run has them, what to say
 * when it has not, what to bring.
 *
 * To add one: a line in evidence.c and one in sql/rules/evidence.sql. Sets are bit masks over the table. */
#pragma once
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/doc.h"
#include "store/store.h"

typedef uint32_t evidence_set;

extern const char *const evidence_names[]; /* ended by NULL; the bit is the index */

/* The set of one name; empty for a name that is none. */
evidence_set evidence_find(const char *name);

/* Read a list of names. */
MUST_CHECK enum imp_rc evidence_parse(const struct doc_node *list, evidence_set *ret, struct imp_err *err);

/* What run `run_no` has. */
MUST_CHECK enum imp_rc evidence_load(struct store *s, int64_t run_no, evidence_set *ret, struct imp_err *err);

/* "no Kafka lag was sampled (bring kafka/ with `lag` lines)", all of the set, with "; " between. */
void evidence_add_missing(struct buf *out, evidence_set missing);
