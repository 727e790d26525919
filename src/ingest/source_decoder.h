/* ingest/source_decoder.h - gzip and zstd as one stream of bytes.
 *
 * Internal to ingest/source*.c. A damaged or incomplete stream is no error: it ends there, after all that could be had, and
 * decoder_cut() tells. */
#pragma once
#include "base/err.h"
#include "ingest/source.h"
#include "ingest/source_input.h"

#define DECODER_WINDOW_LOG 27 /* a zstd frame that needs more than 128 MiB of history is refused */

enum source_compression decoder_sniff(const unsigned char *head, size_t n);

struct decoder; /* opaque */

/* `in` is borrowed until decoder_free(). The caller owns *ret. */
MUST_CHECK enum imp_rc decoder_new(enum source_compression kind, struct input *in, uint64_t ratio_max, struct decoder **ret,
    struct imp_err *err);
void decoder_free(struct decoder *d); /* takes NULL */

/* The next `n` bytes, fewer only at the end. IMP_E_LIMIT for a bomb. */
MUST_CHECK enum imp_rc decoder_read(struct decoder *d, void *dst, size_t n, size_t *ret_n, struct imp_err *err);
bool decoder_cut(const struct decoder *d);
