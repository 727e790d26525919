/* rules/test_evidence.h - the evidence that a rule's test describes, put into a store: figures, rows of tables, and logs and metrics as
 * text, read by what reads those of real runs.
 *
 * Life cycle: 1. test_reader_init()  2. test_evidence_fill() for each test  3. test_reader_done(), also after a failure. Ownership: the
 * signatures are borrowed. Threading: one thread. Errors: IMP_E_RULE with the place in the rule file. */
#pragma once
#include "ingest/signature.h"
#include "base/doc.h"
#include "store/store.h"

struct test_reader {
	struct signature_set set;
	struct matcher *matcher;
	struct matcher_thread *thread;
};

MUST_CHECK enum imp_rc test_reader_init(struct test_reader *r, const struct signature_set *set, struct imp_err *err);
void test_reader_done(struct test_reader *r);

/* The keys of a test that describe its run: all are maps but `covers`. */
extern const char *const test_evidence_maps[]; /* ended by NULL */

/* Are they well-formed? */
MUST_CHECK enum imp_rc test_evidence_check(const struct doc_node *test, struct imp_err *err);

/* Make run 1 of the empty store `s`. */
MUST_CHECK enum imp_rc test_evidence_fill(struct test_reader *r, const struct doc_node *test, struct store *s, struct imp_err *err);

/* Which signatures match a log's text: call `hit` with the id of each, once for each event that it matches. */
MUST_CHECK enum imp_rc test_log_scan(struct test_reader *r, struct slice log,
    enum imp_rc (*hit)(void *payload, struct slice id, struct imp_err *err), void *payload, struct imp_err *err);
