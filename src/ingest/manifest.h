/* ingest/manifest.h - manifest.sha256 (what `sha256sum` prints) against the files that are there. Threading: one thread. */
#pragma once
#include "base/err.h"
#include "ingest/ledger.h"
#include "ingest/reader.h"

enum manifest_state { MANIFEST_UNLISTED, MANIFEST_OK, MANIFEST_MISMATCH, MANIFEST_MISSING };

const char *manifest_state_name(enum manifest_state s); /* NULL for unlisted */

/* After all files were hashed: judge every file that a manifest lists; lines that are none of `sha256sum` are damage of the
 * manifest. Does nothing when files are not hashed. */
MUST_CHECK enum imp_rc manifest_check(struct ledger *l, const struct reader_options *opt, struct imp_err *err);
