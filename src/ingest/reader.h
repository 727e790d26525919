/* ingest/reader.h - passes over the files of a run, by several threads.
 *
 * Accounts and topics are read before, by reader_members(). The first pass takes every record of the other files; later ones (memory
 * was short, or lines are needed to settle ties) take deliveries alone.
 * Threading: reader_pass() starts and joins its own threads; the ledger is theirs until it returns. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ingest/ledger.h"
#include "ingest/source.h"

#define READER_THREADS_MAX 64u

struct reader_options {
	unsigned threads; /* at least 1; more than READER_THREADS_MAX are as many */
	size_t line_max;  /* at most SOURCE_LINE_MAX */
	bool hash;
	/* What was read since the last call; from any thread, one call at a time; may be NULL. Passes for stretches are not told. */
	void (*progress)(void *payload, uint64_t bytes, uint64_t lines);
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
