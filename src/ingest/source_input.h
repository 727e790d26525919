/* ingest/source_input.h - the bytes of one file in their order: opened beneath a directory, read with pread, hashed on the way.
 *
 * Internal to ingest/source*.c. input_open() → input_read() until it gives 0 bytes → input_finish() → input_close(). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "ingest/source_digest.h"

struct input {
	const char *path; /* borrowed */
	int fd;
	struct stat st;			    /* when it was opened; no byte beyond that size is read */
	uint64_t offset;		    /* bytes read */
	struct digest *digest;		    /* NULL: not hashed */
	unsigned char sha256[DIGEST_BYTES]; /* after input_finish() */
	bool hashed;
};

/* On failure there is nothing to close. */
MUST_CHECK enum imp_rc input_open(struct input *in, int dirfd, const char *path, bool hash, bool hash_thread, struct imp_err *err);
void input_close(struct input *in);

/* The first bytes, without moving on; fewer than `n` in a shorter file. */
MUST_CHECK enum imp_rc input_peek(const struct input *in, void *dst, size_t n, size_t *ret_n, struct imp_err *err);

/* The next `n` bytes, fewer only at the end. They must stay as they are until the next but one call (a helper thread may be hashing
 * them), unless that next call overwrites them itself. */
MUST_CHECK enum imp_rc input_read(struct input *in, void *dst, size_t n, size_t *ret_n, struct imp_err *err);

/* Settle the hash (all bytes must have been read) and see that the file is still what was opened. */
MUST_CHECK enum imp_rc input_finish(struct input *in, struct imp_err *err);
