/* report/repair_words.h - words for what repaired a message that was missing from the database, for Markdown, terminal and `recheck`.
 * Errors stick in `out`. */
#pragma once
#include "base/buf.h"
#include "report/model.h"

/* "replayed from the dead letters", "the backlog drained", "not known" */
const char *repair_words(struct slice how);

/* "300 replayed from the dead letters, 12 not known" */
void repair_add_ways(const struct report_repairs *x, struct buf *out);

/* "12 s to 3 min", "at least 12 s" */
void repair_add_span(struct report_span s, struct buf *out);
