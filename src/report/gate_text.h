/* report/gate_text.h - the verdict on one screen, for a terminal or the log of a CI job. */
#pragma once
#include "base/buf.h"
#include "base/slice.h"
#include "rules/causes.h"
#include "rules/rules.h"

/* Append the verdict on `run_id`: what decided, the causes that are named (NULL: not weighed), then every rule on one line. Pure; check
 * buf_status() of `out`. */
void gate_text(struct slice run_id, const struct verdict *v, const struct causes *causes, struct buf *out);
