/* collect/outdir_manifest.h - manifest.sha256 of a results directory, to which several collectors add their files.
 *
 * Internal to collect/outdir*.c. Threading: one thread a list; processes wait for each other with a lock on the directory. */
#pragma once
#include "base/err.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/slice.h"

struct manifest_line {
	char *path; /* below the directory; owned */
	unsigned char sum[SHA256_BYTES];
};

struct manifest_lines {
	VEC(struct manifest_line) v;
};

MUST_CHECK enum imp_rc manifest_lines_add(struct manifest_lines *l, struct slice path, const unsigned char sum[SHA256_BYTES],
    struct imp_err *err);
void manifest_lines_done(struct manifest_lines *l); /* empty, and usable again */

/* Add the lines to the manifest in `dirfd`, and sort them. What it says of other files stays as it is. */
MUST_CHECK enum imp_rc manifest_merge(int dirfd, struct manifest_lines *l, struct imp_err *err);
