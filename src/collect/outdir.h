/* collect/outdir.h - the results directory as a collector writes it: new files alone, none replaced, each in the manifest.
 *
 *	outdir_open() -> outdir_create() ... outfile_add() ... outfile_close() -> outdir_close()
 *
 * Names are paths below the directory; folders are made; nothing is followed out of it (openat2, RESOLVE_BENEATH). A file that is
 * there already is never written to: outdir_create() goes on to the next free name. Ownership: the outdir owns its descriptors.
 * Threading: one thread at a time. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

struct outdir;
struct outfile;

/* Open `path`, making the folders that are missing. IMP_E_CREATE. */
MUST_CHECK enum imp_rc outdir_open(const char *path, struct outdir **ret, struct imp_err *err);
void outdir_close(struct outdir *d); /* NULL is fine; for a pointer with CLEANUP() see outdir_done() */
void outdir_done(struct outdir **d);
int outdir_fd(const struct outdir *d); /* of the directory itself, borrowed */

/* A new file, open for writing. `stem` and `suffix` make its name: "kafka/lag@1790000000" and ".jsonl". Where it is taken, the next
 * free one: "rows-2.jsonl"; a name with a time keeps one that ingest can read: "lag@1790000000.001.jsonl", and in place of a mark
 * the second of now. */
MUST_CHECK enum imp_rc outdir_create(struct outdir *d, const char *stem, const char *suffix, struct outfile **ret,
    struct imp_err *err);
const char *outfile_name(const struct outfile *f); /* below the directory; until it is closed */
/* Buffered; goes to the file as 256 KiB are together. IMP_E_IO sticks: the message names the file and what to do. */
MUST_CHECK enum imp_rc outfile_add(struct outfile *f, struct slice s, struct imp_err *err);
/* What was added is in the file now. For samples, of which a collector that is killed leaves a truthful beginning. */
MUST_CHECK enum imp_rc outfile_flush(struct outfile *f, struct imp_err *err);
uint64_t outfile_bytes(const struct outfile *f);
/* End it well: flushed, synced, its hash remembered for the manifest. With an error, or `keep` false: an empty file is removed,
 * one with content stays as it is and out of the manifest. Frees `f` (NULL is fine). */
MUST_CHECK enum imp_rc outfile_close(struct outfile *f, bool keep, struct imp_err *err);

/* A whole small document at once. *ret_name (may be NULL) is a buffer for its name. */
MUST_CHECK enum imp_rc outdir_put(struct outdir *d, const char *stem, const char *suffix, struct slice text, struct buf *ret_name,
    struct imp_err *err);

struct outdir_counts {
	uint64_t files, bytes; /* that were closed well */
};

struct outdir_counts outdir_counts(const struct outdir *d);

/* Put the hashes of all files that were closed well into manifest.sha256 (made when missing; lines of others stay). Several
 * collectors of one directory wait for each other. */
MUST_CHECK enum imp_rc outdir_write_manifest(struct outdir *d, struct imp_err *err);
