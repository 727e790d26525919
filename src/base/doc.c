#include "config.h"

#include "base/doc.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

struct reader {
	struct arena *arena;
	const char *file;
	yaml_parser_t yaml;
	struct open_node {
		struct doc_node *node, *last;
		bool has_key;
		struct slice key;
		struct doc_place key_at;
	} open[DOC_DEPTH_MAX];
	size_t depth, nodes;
	struct doc_node *root;
	struct imp_err *err;
};

static const char *const kind_names[] = { [DOC_SCALAR] = "a single value", [DOC_LIST] = "a list", [DOC_MAP] = "a map" };

static struct doc_place
place_of(const struct reader *r, const yaml_mark_t *mark)
{
	return (struct doc_place){ r->file, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1 };
}

enum imp_rc
doc_error(const struct doc_place *at, struct imp_err *err, const char *fmt, ...)
{
	char msg[sizeof(err->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return imp_err_set(err, IMP_E_RULE, "%s:%u:%u: %s", at->file, (unsigned)at->line, (unsigned)at->column, msg);
}

static enum imp_rc
take_key(struct reader *r, struct open_node *map, const struct doc_node *n)
{
	if (n->kind != DOC_SCALAR)
		return doc_error(&n->at, r->err, "a key must be a single value");
	if (map->node->n >= DOC_KEYS_MAX)
		return doc_error(&n->at, r->err, "a map has more than %d keys", DOC_KEYS_MAX);
	for (const struct doc_node *c = map->node->first; c != NULL; c = c->next)
		if (slice_eq(c->key, n->text))
			return doc_error(&n->at, r->err, "key '%.*s' stands here twice, first in line %u", SLICE_ARG(n->text),
			    (unsigned)c->key_at.line);
	map->key = n->text;
	map->key_at = n->at;
	map->has_key = true;
	return IMP_OK;
}

/* Hang a node into the innermost open list or map, or take it as the key of the next one. */
static enum imp_rc
hang(struct reader *r, struct doc_node *n)
{
	struct open_node *top = r->depth > 0 ? &r->open[r->depth - 1] : NULL;

	if (top == NULL) {
		r->root = n;
		return IMP_OK;
	}
	if (top->node->kind == DOC_MAP) {
		if (!top->has_key)
			return take_key(r, top, n);
		n->key = top->key;
		n->key_at = top->key_at;
		top->has_key = false;
	}
	if (top->last != NULL)
		top->last->next = n;
	else
		top->node->first = n;
	top->last = n;
	top->node->n++;
	return IMP_OK;
}

static enum imp_rc
add_node(struct reader *r, const yaml_event_t *ev, enum doc_kind kind)
{
	struct doc_place at = place_of(r, &ev->start_mark);
	struct doc_node *n;

	if (++r->nodes > DOC_NODES_MAX)
		return doc_error(&at, r->err, "more than %d values in one file", DOC_NODES_MAX);
	n = arena_alloc(r->arena, sizeof(*n), r->err);
	if (n == NULL)
		return IMP_E_NOMEM;
	n->kind = kind;
	n->at = at;
	if (kind == DOC_SCALAR) {
		struct slice text = { (const char *)ev->data.scalar.value, ev->data.scalar.length };

		if (memchr(text.p, '\0', text.n) != NULL)
			return doc_error(&at, r->err, "a NUL character in a value");
		n->text = arena_slice(r->arena, text, r->err);
		if (n->text.p == NULL)
			return IMP_E_NOMEM;
		n->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		n->block = ev->data.scalar.style == YAML_LITERAL_SCALAR_STYLE;
		return hang(r, n);
	}
	if (r->depth == DOC_DEPTH_MAX)
		return doc_error(&at, r->err, "nested deeper than %d", DOC_DEPTH_MAX);
	if (hang(r, n) != IMP_OK)
		return IMP_E_RULE;
	r->open[r->depth++] = (struct open_node){ .node = n };
	return IMP_OK;
}

static enum imp_rc
refuse(const struct reader *r, const yaml_event_t *ev, const void *anchor, const void *tag)
{
	struct doc_place at = place_of(r, &ev->start_mark);

	if (anchor != NULL)
		return doc_error(&at, r->err, "anchors are not read here");
	if (tag != NULL)
		return doc_error(&at, r->err, "tags are not read here");
	return IMP_OK;
}

static enum imp_rc
take_event(struct reader *r, const yaml_event_t *ev)
{
	struct doc_place at = place_of(r, &ev->start_mark);
	enum imp_rc rc = IMP_OK;

	switch (ev->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (r->root != NULL)
			return doc_error(&at, r->err, "a file is one document");
		if (ev->data.document_start.tag_directives.start != ev->data.document_start.tag_directives.end)
			return doc_error(&at, r->err, "tags are not read here");
		return IMP_OK;
	case YAML_ALIAS_EVENT:
		return doc_error(&at, r->err, "aliases are not read here");
	case YAML_SCALAR_EVENT:
		rc = refuse(r, ev, ev->data.scalar.anchor, ev->data.scalar.tag);
		return rc == IMP_OK ? add_node(r, ev, DOC_SCALAR) : rc;
	case YAML_SEQUENCE_START_EVENT:
		rc = refuse(r, ev, ev->data.sequence_start.anchor, ev->data.sequence_start.tag);
		return rc == IMP_OK ? add_node(r, ev, DOC_LIST) : rc;
	case YAML_MAPPING_START_EVENT:
		rc = refuse(r, ev, ev->data.mapping_start.anchor, ev->data.mapping_start.tag);
		return rc == IMP_OK ? add_node(r, ev, DOC_MAP) : rc;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->depth--;
		return IMP_OK;
	default:
		return IMP_OK;
	}
}

static enum imp_rc
syntax_error(const struct reader *r)
{
	const yaml_parser_t *y = &r->yaml;
	struct doc_place at = place_of(r, &y->problem_mark);

	if (y->error == YAML_MEMORY_ERROR)
		return imp_err_set(r->err, IMP_E_NOMEM, "out of memory: reading '%s'", r->file);
	if (y->error == YAML_READER_ERROR) /* it knows the byte, not the line */
		return imp_err_set(r->err, IMP_E_RULE, "%s: byte %zu: %s", r->file, y->problem_offset, y->problem);
	return doc_error(&at, r->err, "%s%s%s", y->problem != NULL ? y->problem : "not YAML", y->context != NULL ? " " : "",
	    y->context != NULL ? y->context : "");
}

static enum imp_rc
read_events(struct reader *r)
{
	for (bool more = true; more;) {
		yaml_event_t ev;
		enum imp_rc rc;

		if (!yaml_parser_parse(&r->yaml, &ev))
			return syntax_error(r);
		more = ev.type != YAML_STREAM_END_EVENT && ev.type != YAML_NO_EVENT;
		rc = take_event(r, &ev);
		yaml_event_delete(&ev);
		if (rc != IMP_OK)
			return rc;
	}
	return IMP_OK;
}

enum imp_rc
doc_parse(struct arena *arena, const char *file, struct slice text, struct doc_node **ret, struct imp_err *err)
{
	struct reader r = { .arena = arena, .file = file, .err = err };
	enum imp_rc rc;

	if (text.n > DOC_BYTES_MAX)
		return imp_err_set(err, IMP_E_RULE, "%s: larger than %zu bytes", file, DOC_BYTES_MAX);
	if (!yaml_parser_initialize(&r.yaml))
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: reading '%s'", file);
	yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text.p, text.n);
	rc = read_events(&r);
	yaml_parser_delete(&r.yaml);
	if (rc == IMP_OK && r.root == NULL)
		rc = imp_err_set(err, IMP_E_RULE, "%s:1:1: an empty file", file);
	if (rc == IMP_OK)
		*ret = r.root;
	return rc;
}

/* Edit distance, at most `limit`. Keys are short; longer ones are not near anything. */
static size_t
distance(struct slice a, struct slice b, size_t limit)
{
	size_t row[33];

	if (a.n >= sizeof(row) / sizeof(*row) || b.n >= sizeof(row) / sizeof(*row))
		return limit;
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t change = diagonal + (a.p[i - 1] != b.p[j - 1]);
			size_t gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = change < gap ? change : gap;
		}
	}
	return row[b.n] < limit ? row[b.n] : limit;
}

const char *
doc_nearest(struct slice s, const char *const *names)
{
	const char *nearest = NULL;
	size_t best = s.n / 2 + 1; /* farther than half its letters is another word */

	for (; *names != NULL; names++) {
		size_t d = distance(s, slice_of(*names), best);

		if (d < best) {
			best = d;
			nearest = *names;
		}
	}
	return nearest;
}

static enum imp_rc
unknown_name(const struct doc_place *at, const char *what, struct slice s, const char *const *names, struct imp_err *err)
{
	const char *nearest = doc_nearest(s, names);

	if (nearest == NULL)
		return doc_error(at, err, "unknown %s '%.*s'", what, SLICE_ARG(s));
	return doc_error(at, err, "unknown %s '%.*s': did you mean '%s'?", what, SLICE_ARG(s), nearest);
}

static bool
find_name(struct slice s, const char *const *names, unsigned *ret)
{
	for (unsigned i = 0; names[i] != NULL; i++)
		if (slice_eq(s, slice_of(names[i]))) {
			*ret = i;
			return true;
		}
	return false;
}

enum imp_rc
doc_is(const struct doc_node *n, enum doc_kind kind, struct imp_err *err)
{
	if (n->kind == kind)
		return IMP_OK;
	return doc_error(&n->at, err, "%s is expected here, not %s", kind_names[kind], kind_names[n->kind]);
}

enum imp_rc
doc_check_keys(const struct doc_node *map, const char *const *known, struct imp_err *err)
{
	enum imp_rc rc = doc_is(map, DOC_MAP, err);
	unsigned i;

	if (rc != IMP_OK)
		return rc;
	for (const struct doc_node *c = map->first; c != NULL; c = c->next)
		if (!find_name(c->key, known, &i))
			return unknown_name(&c->key_at, "key", c->key, known, err);
	return IMP_OK;
}

const struct doc_node *
doc_get(const struct doc_node *map, const char *key)
{
	if (map->kind != DOC_MAP)
		return NULL;
	for (const struct doc_node *c = map->first; c != NULL; c = c->next)
		if (slice_eq(c->key, slice_of(key)))
			return c;
	return NULL;
}

enum imp_rc
doc_need(const struct doc_node *map, const char *key, const struct doc_node **ret, struct imp_err *err)
{
	const struct doc_node *n;
	enum imp_rc rc = doc_is(map, DOC_MAP, err);

	if (rc != IMP_OK)
		return rc;
	n = doc_get(map, key);
	if (n == NULL)
		return doc_error(&map->at, err, "key '%s' is missing", key);
	*ret = n;
	return IMP_OK;
}

enum imp_rc
doc_choice(const struct doc_node *n, const char *what, const char *const *names, unsigned *ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc != IMP_OK || find_name(n->text, names, ret))
		return rc;
	return unknown_name(&n->at, what, n->text, names, err);
}
