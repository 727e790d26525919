/* report/gate_text.h - the verdict on one screen, for a terminal or the log of a CI job. */
#pragma once
#include "base/buf.h"
#include "report/model.h"

/* Append the verdict on a run, of whose report the head is enough: what decided, the causes that are named (NULL: not weighed), what was
 * repaired since, then every rule on one line. Pure; check buf_status() of `out`. */
void gate_text(const struct report *r, const struct causes *causes, struct buf *out);
