/* ingest/repeats.h - a file that is there twice in one folder counts once (truth model, section 10).
 *
 * In agents' folders every single line is looked at when it is read (ingest/reader.h); here the other folders are: history, db, kafka.
 * Files of equal counts are read once more and compared by a hash of their lines, whatever they are compressed with.
 * Threading: one thread. Errors: those of ingest/source.h. */
#pragma once
#include "base/err.h"
#include "ingest/ledger.h"
#include "ingest/reader.h"

/* After the first pass: take what a repeated file says out of the ledger again; its events are counted as re-sent. */
MUST_CHECK enum imp_rc repeats_drop(struct ledger *l, const struct reader_options *opt, struct imp_err *err);
