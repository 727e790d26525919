/* report/render.h - renderers over the report model. To add one: its file, its declaration here, its line in render.c. */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "base/time.h"
#include "report/model.h"

/* More than any report should be. */
#define RENDER_BYTES_MAX ((size_t)256 << 20)

struct render_options {
	const struct time_zone *zone; /* a second zone beside UTC; NULL: none */
};

struct renderer {
	const char *format; /* as --format names it; also the suffix of the file */
	/* Append the report to `out`: a pure function of its arguments. */
	enum imp_rc (*render)(const struct report *r, const struct render_options *opt, struct buf *out, struct imp_err *err);
};

extern const struct renderer renderer_md, renderer_json;

/* All renderers, NULL behind the last. */
extern const struct renderer *const renderers[];

/* The renderer of a format. IMP_E_USAGE names those that there are. */
MUST_CHECK enum imp_rc renderer_find(const char *format, const struct renderer **ret, struct imp_err *err);
