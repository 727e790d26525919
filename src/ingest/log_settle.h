/* ingest/log_settle.h - the end of a stream: its times get a zone or lose their claim, and its result is put together.
 * Internal to ingest/log*.c. */
#pragma once
#include "ingest/log_stream.h"

/* Move seconds, hits, names and note of the stream to *ret. */
MUST_CHECK enum imp_rc log_settle(struct log_stream *s, struct log_scan *scan, const int64_t *stated_ns, struct log_source *ret,
    struct imp_err *err);
