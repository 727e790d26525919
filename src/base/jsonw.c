#include "config.h"

#include "base/jsonw.h"

#include <assert.h>
#include <inttypes.h>

#include "base/text.h"

static bool
is_flat(const struct jsonw *w)
{
	return w->flat_from > 0 && w->depth >= w->flat_from;
}

static void
new_line(struct jsonw *w)
{
	buf_add_char(w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		buf_add_char(w->out, ' ');
}

/* What stands before a key, or before a value of an array. */
static void
separate(struct jsonw *w)
{
	if (w->depth == 0)
		return;
	if (w->level[w->depth - 1].used)
		buf_add_str(w->out, is_flat(w) ? ", " : ",");
	w->level[w->depth - 1].used = true;
	if (!is_flat(w))
		new_line(w);
}

static void
before_value(struct jsonw *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	assert(w->depth == 0 || w->level[w->depth - 1].close == ']');
	separate(w);
}

static void
begin(struct jsonw *w, char open, char close, bool flat)
{
	before_value(w);
	assert(w->depth < JSONW_DEPTH_MAX);
	buf_add_char(w->out, open);
	w->level[w->depth].close = close;
	w->level[w->depth].used = false;
	w->depth++;
	if (flat && w->flat_from == 0)
		w->flat_from = w->depth;
}

void
jsonw_object(struct jsonw *w)
{
	begin(w, '{', '}', false);
}

void
jsonw_array(struct jsonw *w)
{
	begin(w, '[', ']', false);
}

void
jsonw_flat_object(struct jsonw *w)
{
	begin(w, '{', '}', true);
}

void
jsonw_flat_array(struct jsonw *w)
{
	begin(w, '[', ']', true);
}

void
jsonw_end(struct jsonw *w)
{
	bool flat = is_flat(w);

	assert(w->depth > 0 && !w->after_key);
	w->depth--;
	if (w->level[w->depth].used && !flat)
		new_line(w);
	buf_add_char(w->out, w->level[w->depth].close);
	if (w->flat_from > w->depth)
		w->flat_from = 0;
	if (w->depth == 0)
		buf_add_char(w->out, '\n');
}

void
jsonw_key_slice(struct jsonw *w, struct slice key)
{
	assert(w->depth > 0 && w->level[w->depth - 1].close == '}' && !w->after_key);
	separate(w);
	buf_add_char(w->out, '"');
	text_add_json(w->out, key);
	buf_add_str(w->out, "\": ");
	w->after_key = true;
}

void
jsonw_key(struct jsonw *w, const char *key)
{
	jsonw_key_slice(w, slice_of(key));
}

void
jsonw_text(struct jsonw *w, struct slice s)
{
	if (s.p == NULL) {
		jsonw_null(w);
		return;
	}
	before_value(w);
	buf_add_char(w->out, '"');
	text_add_json(w->out, s);
	buf_add_char(w->out, '"');
}

void
jsonw_str(struct jsonw *w, const char *s)
{
	jsonw_text(w, slice_of(s));
}

void
jsonw_int(struct jsonw *w, int64_t v)
{
	before_value(w);
	buf_addf(w->out, "%" PRId64, v);
}

void
jsonw_double(struct jsonw *w, double d)
{
	before_value(w);
	text_add_double(w->out, d);
}

void
jsonw_number(struct jsonw *w, struct slice number)
{
	before_value(w);
	if (number.n == 0)
		buf_add_str(w->out, "null");
	else
		buf_add_slice(w->out, number);
}

void
jsonw_ms(struct jsonw *w, int64_t ns)
{
	before_value(w);
	text_add_ms(w->out, ns);
}

void
jsonw_bool(struct jsonw *w, bool v)
{
	before_value(w);
	buf_add_str(w->out, v ? "true" : "false");
}

void
jsonw_null(struct jsonw *w)
{
	before_value(w);
	buf_add_str(w->out, "null");
}
