/* ingest/asked.h - what the journal of a collector says of the files that it filled. Threading: one thread, after the first pass. */
#pragma once
#include "ingest/ledger.h"

/* Set asked_short and asked_limited of files. Of requests that are the same but for their time the last tells: a sample that failed in
 * the middle of an interval is a gap of its source, and no end. */
MUST_CHECK enum imp_rc asked_settle(struct ledger *l, struct imp_err *err);
