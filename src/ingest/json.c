#include "config.h"

#include "ingest/json.h"

#include <stdlib.h>

#include "ingest/record_text.h"

struct json_reader {
	struct arena *arena;
	struct record_text text;
	struct record_scratch scratch;
	struct imp_err why; /* of the arena, when it has nothing more to give */
};

static const char *read_node(struct json_reader *r, const char *p, unsigned depth, struct json *ret);

static const char *
no_memory(struct json_reader *r)
{
	r->text.nomem = true;
	return NULL;
}

/* A string that was just read lies in the text or in the scratch: take a copy. */
static bool
keep(struct json_reader *r, struct slice *s)
{
	*s = arena_slice(r->arena, *s, &r->why);
	r->scratch.n = 0;
	return s->p != NULL;
}

static const char *
read_scalar(struct json_reader *r, const char *p, struct json *ret)
{
	struct record_value v;
	const char *q = record_read_value(&r->text, p, &v);

	if (q == NULL)
		return NULL;
	if (r->text.fixed_text || r->text.not_measured)
		return record_stop(&r->text, p);
	switch (v.type) {
	case REC_STRING:
		*ret = (struct json){ .type = JSON_TEXT, .key = ret->key, .text = v.s };
		return keep(r, &ret->text) ? q : no_memory(r);
	case REC_INT:
		*ret = (struct json){ .type = JSON_INT, .key = ret->key, .i = v.i };
		return q;
	case REC_REAL:
		*ret = (struct json){ .type = JSON_REAL, .key = ret->key, .d = v.d };
		return q;
	case REC_BOOL:
		*ret = (struct json){ .type = JSON_BOOL, .key = ret->key, .truth = v.i != 0 };
		return q;
	default:
		return q;
	}
}

/* `p` is at the opening bracket. */
static const char *
read_items(struct json_reader *r, const char *p, unsigned depth, struct json *ret)
{
	const char close = *p == '{' ? '}' : ']';
	struct json **tail = &ret->items.first;

	ret->type = *p == '{' ? JSON_OBJECT : JSON_ARRAY;
	p = record_skip_space(&r->text, p + 1);
	if (record_byte(&r->text, p) == close)
		return p + 1;
	for (;;) {
		struct json *item = arena_alloc(r->arena, sizeof(*item), &r->why);

		if (item == NULL)
			return no_memory(r);
		if (close == '}') {
			p = record_read_name(&r->text, p, &item->key);
			if (p != NULL && !keep(r, &item->key))
				return no_memory(r);
		}
		p = p != NULL ? read_node(r, p, depth, item) : NULL;
		if (p == NULL)
			return NULL;
		*tail = item;
		tail = &item->next;
		ret->items.n++;
		p = record_skip_space(&r->text, p);
		if (record_byte(&r->text, p) != ',')
			return record_byte(&r->text, p) == close ? p + 1 : record_stop(&r->text, p);
		p = record_skip_space(&r->text, p + 1);
	}
}

static const char *
read_node(struct json_reader *r, const char *p, unsigned depth, struct json *ret)
{
	char c = record_byte(&r->text, p);

	if (c != '{' && c != '[')
		return read_scalar(r, p, ret);
	return depth < JSON_DEPTH_MAX ? read_items(r, p, depth + 1, ret) : record_stop(&r->text, p);
}

enum imp_rc
json_read(struct arena *arena, struct slice text, struct json *ret, struct imp_err *err)
{
	struct json_reader r = { .arena = arena, .text = { .end = text.p + text.n } };
	struct json root = { .type = JSON_NULL };
	const char *p;

	r.text.scratch = &r.scratch;
	p = record_skip_space(&r.text, text.p);
	if (p < r.text.end && *p != '{' && *p != '[')
		p = record_stop(&r.text, p);
	else
		p = read_node(&r, p, 0, &root);
	if (p != NULL) {
		p = record_skip_space(&r.text, p);
		if (p < r.text.end)
			p = record_stop(&r.text, p);
	}
	if (p != NULL && r.text.fixed_text)
		p = record_stop(&r.text, text.p); /* in a key */
	free(r.scratch.p);
	if (p != NULL) {
		*ret = root;
		return IMP_OK;
	}
	if (r.text.nomem && r.why.code == IMP_E_LIMIT && err != NULL)
		*err = r.why;
	if (r.text.nomem)
		return r.why.code == IMP_E_LIMIT ? IMP_E_LIMIT : imp_err_set(err, IMP_E_NOMEM, "out of memory");
	return imp_err_set(err, IMP_E_DATA, "%s at byte %zu", r.text.stop == r.text.end ? "it ends too early" : "not JSON",
	    (size_t)(r.text.stop - text.p));
}

const struct json *
json_get(const struct json *object, const char *key)
{
	const struct json *found = NULL;

	if (object->type != JSON_OBJECT)
		return NULL;
	for (const struct json *member = object->items.first; member != NULL; member = member->next) {
		if (slice_eq(member->key, slice_of(key)))
			found = member;
	}
	return found != NULL && found->type != JSON_NULL ? found : NULL;
}
