/* ingest/metrics_text.h - one line of a metrics exposition: Prometheus text 0.0.4 and OpenMetrics 1.0 by one grammar that takes what both
 * servers take, and what either has in the wild (docs/ledger.md, section 9).
 *
 * Pure functions; what they return borrows from the line and from the scratch. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#define METRICS_LABELS_MAX 256u

/* A line that is no sample: blank, # HELP, or words that mean something. */
enum metrics_line_kind { METRICS_SAMPLE, METRICS_NOTHING, METRICS_TYPE, METRICS_UNIT, METRICS_EOF };

struct metrics_line {
	enum metrics_line_kind kind;
	struct slice name, type; /* METRICS_TYPE */
	struct slice series;	 /* METRICS_SAMPLE: name and labels as they stand there */
	double value;
	struct slice time; /* as it stands there; n is 0 for none */
	bool exemplar;
};

/* Look at a line; the reason (static text) why it is none, or NULL. Labels are only passed over. */
const char *metrics_line_read(struct slice text, struct metrics_line *ret);

/* `series` in its one form: labels sorted by name, without empty ones, escaped as in the text format; bounds of buckets and quantiles as
 * the shortest number. Appended to `out` as name, a byte 0xff, labels (with braces; nothing for none). The reason why it is none, or
 * NULL; look at buf_status() of both, `scratch` is cleared. */
const char *metrics_series_write(struct slice series, struct buf *out, struct buf *scratch);

/* One label with its value, for whoever has them apart. */
struct metrics_label {
	struct slice name, value;
};
/* Append the sorted labels of `v` to `out` as above; false when two have one name. Sorts `v`. */
bool metrics_labels_write(struct metrics_label *v, size_t n, struct buf *out);

/* A value as Go's ParseFloat has it, without hexadecimal and underscores; NaN and Inf in any case. */
bool metrics_number(struct slice s, double *ret);
