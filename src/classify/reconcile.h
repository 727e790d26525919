/* classify/reconcile.h - one results directory into the store: evidence, classes and figures, in one transaction.
 *
 * Ingest is a pure function of the directory and of the signatures: a run whose inputs are unchanged (path, size, mtime, inode) and
 * whose logs were read for the same signatures is left alone, any other is read whole and replaces what the store had. So a killed
 * ingest leaves nothing behind, and the next one does it all. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ingest/signature.h"
#include "store/store.h"

struct reconcile_progress {
	uint64_t bytes_done, bytes_total; /* of ledgers, over the passes so far, and of logs */
	uint64_t lines;
};

struct reconcile_options {
	size_t memory_max;			/* bytes for the large tables and what stands beside them */
	unsigned threads;			/* readers, at least 1 */
	size_t line_max;			/* bytes of one line */
	bool hash;				/* SHA-256 of every file */
	bool replace;				/* a run id that came from another directory is replaced */
	const struct signature_set *signatures; /* to look for in logs; borrowed; NULL: none */
	/* Ledgers up to so many bytes are read with lines from the start (ingest/copies.h): memory for the pass that ties would cost.
	 * 0: the default. */
	uint64_t lines_at_once;
	/* Called now and then, from any thread but by one at a time; may be NULL. */
	void (*progress)(void *payload, const struct reconcile_progress *p);
	void *payload;
};
#define RECONCILE_MEMORY_DEFAULT ((size_t)512 << 20)
#define RECONCILE_MEMORY_MIN ((size_t)32 << 20)
#define RECONCILE_LINES_DEFAULT ((uint64_t)64 << 20)

struct reconcile_result {
	char run_id[256];
	bool unchanged; /* nothing was parsed */
	uint64_t files, files_parsed;
	uint64_t lines, records, rejected, repaired;
	unsigned passes; /* over the ledgers: 1, more when memory was short or ties had to be settled */
};

/* Read `dir` into `s` (opened STORE_WRITE). IMP_E_NOINPUT: no such directory; IMP_E_DATA: no ledger line at all, or the run id is taken
 * by another directory. On failure the store is as it was. */
MUST_CHECK enum imp_rc reconcile_directory(struct store *s, const char *dir, const struct reconcile_options *opt,
    struct reconcile_result *ret, struct imp_err *err);
