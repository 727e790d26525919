/* base/jsonw.h - JSON written into a buffer, well-formed by construction: commas, quotes and indentation are the writer's.
 *
 * A container is spread over lines, one member each, unless it was begun "flat": then it and all inside it stay on one line.
 * Calls in a wrong order (a value without its key, an end too many) are a bug: they trip an assertion. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

#define JSONW_DEPTH_MAX 32

struct jsonw {
	struct buf *out; /* borrowed; errors stick there */
	unsigned depth;
	unsigned flat_from; /* containers from this depth on are on one line; 0: none */
	bool after_key;
	struct {
		char close;
		bool used;
	} level[JSONW_DEPTH_MAX];
};

#define JSONW_INIT(buf) \
	{ \
		.out = (buf) \
	}

void jsonw_object(struct jsonw *w);
void jsonw_array(struct jsonw *w);
void jsonw_flat_object(struct jsonw *w);
void jsonw_flat_array(struct jsonw *w);
void jsonw_end(struct jsonw *w); /* of the innermost container; behind the outermost a line feed */

void jsonw_key(struct jsonw *w, const char *key);
void jsonw_key_slice(struct jsonw *w, struct slice key);

void jsonw_text(struct jsonw *w, struct slice s); /* p == NULL is null */
void jsonw_str(struct jsonw *w, const char *s);	  /* NULL is null */
void jsonw_int(struct jsonw *w, int64_t v);
void jsonw_double(struct jsonw *w, double d);
void jsonw_number(struct jsonw *w, struct slice number); /* written by someone else; empty is null */
void jsonw_ms(struct jsonw *w, int64_t ns);		 /* as milliseconds with six decimals */
void jsonw_bool(struct jsonw *w, bool v);
void jsonw_null(struct jsonw *w);
