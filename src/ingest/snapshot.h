/* ingest/snapshot.h - what files of evidence that are no ledgers have in common: a name that tells source and time, a text that is read
 * whole or line by line, and what was wrong in it.
 *
 * Life cycle: 1. snapshot_init()  2. snapshot_text() or the reader's own lines, snapshot_reject() and snapshot_note() on the way
 * 3. read the members  4. snapshot_done(). Damage is no error: it is a flaw of the snapshot. Threading: one thread for each. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ingest/ledger.h"
#include "ingest/source.h"

#define SNAPSHOT_BYTES_MAX ((size_t)256 << 20) /* of a document that is read whole */
#define SNAPSHOT_NOTE_MAX ((size_t)300)	       /* bytes */

struct flaw {
	uint64_t line;	    /* from 1; 0: the file as a whole */
	const char *reason; /* static text */
};

struct snapshot {
	int dirfd;
	const char *path;		 /* below dirfd, borrowed */
	uint64_t lines;			 /* of text */
	uint64_t samples;		 /* what could be used */
	uint64_t rejected;		 /* lines or records that could not */
	bool cut;			 /* the end is missing */
	bool asked_short, asked_limited; /* as in struct ledger_file; the caller says so */
	enum source_compression compression;
	VEC(struct flaw) flaws; /* by line; the first DAMAGE_PER_FILE_MAX of them */
	struct buf note;	/* what is odd about it, in words; may be empty */
};

void snapshot_init(struct snapshot *s, int dirfd, const char *path);
void snapshot_done(struct snapshot *s);

MUST_CHECK enum imp_rc snapshot_reject(struct snapshot *s, uint64_t line, const char *reason, struct imp_err *err);
/* Add to the note, once each, as far as there is room. Words from outside are to be made harmless by whoever shows them. */
void snapshot_note(struct snapshot *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The whole document, decompressed, without a byte-order mark; RECORD_PADDING zero bytes follow. */
struct snapshot_text {
	struct mem_budget *budget;
	VEC(char) bytes;
	struct slice text;
};
/* *ret is to be given to snapshot_text_done() in any case. A document that is too large, or for which the budget has no room, is
 * rejected: its text is then empty, p NULL. */
MUST_CHECK enum imp_rc snapshot_text(struct snapshot *s, struct mem_budget *budget, struct snapshot_text *ret, struct imp_err *err);
void snapshot_text_done(struct snapshot_text *t);

/* `metrics/im-server-0@load_start.prom.gz`: the source is im-server-0, the time that of the mark. What stands behind the last @ is a
 * mark or Unix seconds; a name with neither is undated, NO_TIME. `marks` is by enum plan_mark, NO_TIME for one that is not known. */
struct snapshot_name {
	struct slice source; /* borrows from the path */
	int64_t t;
};
struct snapshot_name snapshot_name(struct slice path, const int64_t *marks);

/* Is this what the name ends in, `.gz` or `.zst` aside? */
bool snapshot_ends(struct slice path, struct slice ending);
