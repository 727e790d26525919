/* ingest/inputs.h - the files of a results directory and what each is, by the layout table of the ledger format.
 *
 * Life cycle: 1. inputs_open()  2. read `v`  3. inputs_close(). Nothing outside the directory is ever looked at: symbolic links are
 * followed only when they stay inside. Threading: read-only after inputs_open(). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"

#define INPUTS_MAX 100000  /* files of one directory */
#define INPUTS_DEPTH_MAX 8 /* folders below the directory */

enum input_kind {
	INPUT_PLAN, /* run.json */
	INPUT_TIMELINE,
	INPUT_ACCOUNTS,
	INPUT_TOPICS,
	INPUT_LEDGER, /* agents/<agent>/ */
	INPUT_HISTORY,
	INPUT_DB,
	INPUT_KAFKA,
	INPUT_REDIS,
	INPUT_METRICS,
	INPUT_KUBE,
	INPUT_LOG,
	INPUT_COLLECT, /* the journal of a collector */
	INPUT_LOADGEN,
	INPUT_MANIFEST,
	INPUT_UNREAD, /* fits no row of the table */
	_INPUT_KIND_MAX
};

struct input_file {
	const char *path; /* below the directory */
	enum input_kind kind;
	struct slice agent; /* name of the folder below agents/, else empty */
	uint64_t bytes;
	int64_t mtime_ns;
	uint64_t inode;
};

/* When a file was changed, modulo 2^64: file systems keep times beyond what nanoseconds can say. */
static inline int64_t
input_mtime_ns(const struct stat *st)
{
	return (int64_t)((uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec);
}

struct inputs {
	int dirfd;
	char *dir; /* absolute, resolved */
	struct arena arena;
	VEC(struct input_file) v; /* in byte order of the path; file_no is the place here */
	char digest[65];	  /* SHA-256 over path, size, mtime and inode of all, and inputs_digest_with() */
};

MUST_CHECK enum imp_rc inputs_open(const char *dir, struct inputs *ret, struct imp_err *err);
/* What else the result depends on, into the digest. */
MUST_CHECK enum imp_rc inputs_digest_with(struct inputs *in, struct slice what, struct imp_err *err);
void inputs_close(struct inputs *in); /* takes a zeroed one with dirfd -1 */

/* The place of a path in `v`, or SIZE_MAX. */
size_t inputs_find(const struct inputs *in, struct slice path);

const char *input_kind_name(enum input_kind kind);
/* Does a file of this kind hold lines of JSON records? */
bool input_kind_has_records(enum input_kind kind);
