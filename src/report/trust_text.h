/* report/trust_text.h - whether a load generator can be trusted, for a terminal or the log of a CI job. */
#pragma once
#include "base/buf.h"
#include "base/slice.h"
#include "rules/rules.h"

/* Append the trust part of a verdict on `what`: the answer in words, then its rules: those that do not hold with what to do, those whose
 * answer is open with what to bring, those that hold. Pure; check buf_status() of `out`. */
void trust_text(struct slice what, const struct verdict *v, struct buf *out);
