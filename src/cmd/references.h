/* cmd/references.h - every place that a report refers to, in the order of files and lines, each once.
 *
 * Life cycle: 1. references_collect()  2. references_done(), also after a failure. Text is borrowed from the report. */
#pragma once
#include "base/mem.h"
#include "report/model.h"

struct reference {
	struct slice file;
	int64_t line;	   /* 0: the whole file */
	struct slice text; /* what stands there, cut and without secrets; empty: not known */
};

struct references {
	VEC(struct reference) v;
};

/* Evidence of gates, causes and findings, losses, damage, and all files whose hash the report states. */
MUST_CHECK enum imp_rc references_collect(const struct report *r, struct references *ret, struct imp_err *err);
void references_done(struct references *refs);
