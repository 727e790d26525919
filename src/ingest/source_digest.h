/* ingest/source_digest.h - SHA-256 of bytes as they are read, by a helper thread if wanted.
 *
 * Internal to ingest/source*.c. The thread holds one block at a time: the caller parses it meanwhile and reads the next one to
 * another place. All functions belong to the caller's thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/sha256.h"

#define DIGEST_BYTES SHA256_BYTES

struct digest; /* opaque */

/* Where no thread can be started the caller's own does the work. The caller owns *ret and frees it with digest_free(). */
MUST_CHECK enum imp_rc digest_new(bool threaded, struct digest **ret, struct imp_err *err);
void digest_free(struct digest *d); /* takes NULL */

/* Bytes that stay as they are until digest_reuse() is called for them, or until the next digest_add() or digest_final(). */
void digest_add(struct digest *d, const void *p, size_t n);

/* These bytes are about to be overwritten. */
void digest_reuse(struct digest *d, const void *p, size_t n);

/* To be called once, at the end. */
MUST_CHECK enum imp_rc digest_final(struct digest *d, unsigned char ret[DIGEST_BYTES], struct imp_err *err);
