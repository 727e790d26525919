/* base/sha256.h - SHA-256 of bytes that come in pieces.
 *
 * The one door to the cryptography library, whose own start does not survive a shortage of memory: it must be made sure of before
 * anything else of it is called. Life cycle: 1. sha256_begin()  2. sha256_add()  3. sha256_end()  4. sha256_done(), also after a
 * failure. A failure in the midst is reported by sha256_end(). Threading: one thread at a time. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SHA256_BYTES 32

struct sha256 {
	void *context; /* the library's */
	bool failed;
};

MUST_CHECK enum imp_rc sha256_begin(struct sha256 *h, struct imp_err *err); /* IMP_E_NOMEM */
void sha256_add(struct sha256 *h, const void *p, size_t n);
MUST_CHECK enum imp_rc sha256_end(struct sha256 *h, unsigned char ret[SHA256_BYTES], struct imp_err *err); /* once */
void sha256_done(struct sha256 *h);
