/* ingest/source.h - one input file as lines: opened without leaving the results directory, decompressed by content, hashed on the way.
 *
 * Life cycle: 1. source_open()  2. source_next() until *ret_more is false  3. source_finish()  4. source_close() (always).
 * Bytes are read with pread in blocks (no mmap: a file that shrinks would be SIGBUS). gzip (several members, zero padding behind
 * them) and zstd (several frames) are recognised by their first bytes, never by name. A stream that ends too early gives all lines
 * that could be had and `cut`. SHA-256 is over the bytes as they lie on disk.
 * A source keeps two blocks of 256 KiB, larger ones once a line was longer than that.
 * Threading: one thread per source. Errors: IMP_E_NOINPUT, IMP_E_DATA (no regular file, or outside the directory), IMP_E_IO,
 * IMP_E_LIMIT (a bomb), IMP_E_NOMEM. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/slice.h"

#define SOURCE_LINE_MAX_DEFAULT ((size_t)16 << 20)
#define SOURCE_LINE_MAX ((size_t)1 << 30)      /* more is not to be asked for: blocks are twice a line, zlib counts in 32 bits */
#define SOURCE_RATIO_MAX 1000		       /* decompressed : compressed; more is a bomb ... */
#define SOURCE_BOMB_FLOOR ((uint64_t)64 << 20) /* ... once this many bytes came out */

enum source_compression { SOURCE_PLAIN, SOURCE_GZIP, SOURCE_ZSTD };

struct source_limits {	    /* 0 stands for the default */
	size_t line_max;    /* bytes; a longer line is given as `too_long` */
	uint64_t ratio_max; /* decompressed bytes per byte on disk */
	bool hash;	    /* SHA-256 of the file ... */
	bool hash_thread;   /* ... by a thread of its own when the file is large: for a caller that reads one file at a time */
};

struct source_line {
	struct slice text; /* without line feed and one carriage return before it; 16 readable bytes follow */
	uint64_t number;   /* from 1 */
	bool too_long;	   /* over line_max: text is its first bytes */
	bool complete;	   /* a line feed ended it */
};

struct source; /* opaque; ingest/source.c */

/* Open `path` (relative, '/' between parts) below the directory `dirfd`; no part may be a symbolic link that leaves it (openat2
 * RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS; only regular files). `path` is borrowed until close. */
MUST_CHECK enum imp_rc source_open(int dirfd, const char *path, const struct source_limits *limits, struct source **ret,
    struct imp_err *err);

/* The next line, *ret_more false at the end. A leading byte-order mark is skipped. The line borrows until the next call.
 * IMP_E_LIMIT for a bomb, IMP_E_IO for a read error. A damaged compressed stream is an end with source_cut(). */
MUST_CHECK enum imp_rc source_next(struct source *s, struct source_line *ret, bool *ret_more, struct imp_err *err);

/* The next `n` bytes, fewer only at the end, for a caller that wants no lines: not together with source_next(), nor with `hash`. */
MUST_CHECK enum imp_rc source_read(struct source *s, void *dst, size_t n, size_t *ret_n, struct imp_err *err);

/* Read what is left (padding, unread rest) so that the hash covers the whole file; fails with IMP_E_IO when the file is no longer
 * the one that was opened (size, mtime): "changed while it was read". */
MUST_CHECK enum imp_rc source_finish(struct source *s, struct imp_err *err);
void source_close(struct source *s); /* takes NULL */

static inline void
source_closep(struct source **s) /* for CLEANUP() */
{
	source_close(*s);
}

enum source_compression source_kind(const struct source *s);
bool source_cut(const struct source *s);       /* compressed stream incomplete or damaged */
uint64_t source_bytes(const struct source *s); /* on disk, read so far */
const struct stat *source_stat(const struct source *s);
const unsigned char *source_sha256(const struct source *s); /* 32 bytes, after source_finish(); NULL when not hashed */

/* SHA-256 of a whole file below dirfd, and its lower-case hex form (65 bytes). */
MUST_CHECK enum imp_rc source_hash_file(int dirfd, const char *path, unsigned char ret[32], struct imp_err *err);
void source_hex(const unsigned char sha256[32], char ret[65]);
