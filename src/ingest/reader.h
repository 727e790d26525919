/* ingest/reader.h - passes over the files of a run, by several threads.
 *
 * The first pass takes every record; later ones (memory was short, or lines are needed to settle ties) take deliveries alone.
 * Threading: reader_pass() starts and joins its own threads; the ledger is theirs until it returns. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ingest/ledger.h"
#include "ingest/source.h"

struct reader_options {
	unsigned threads;
	size_t line_max;
	bool hash;
	void (*progress)(void *payload, uint64_t bytes, uint64_t lines); /* adds up; from any thread, under the lock */
	void *payload;
};

enum reader_pass {
	READER_FIRST,	   /* everything; afterwards the agents' stretches are known */
	READER_DELIVERIES, /* `data` of the members of this pass; files must be the same as in the first */
	READER_STRETCHES,  /* only the times of agents that have several `start` lines: part of the first */
};

/* Accounts and topics: small files, read before everything else. */
MUST_CHECK enum imp_rc reader_members(struct ledger *l, const struct reader_options *opt, struct imp_err *err);

MUST_CHECK enum imp_rc reader_pass(struct ledger *l, enum reader_pass pass, const struct reader_options *opt, struct imp_err *err);

/* SHA-256 of the files that no pass reads (logs, metrics, ...). */
MUST_CHECK enum imp_rc reader_hash_rest(struct ledger *l, const struct reader_options *opt, struct imp_err *err);
