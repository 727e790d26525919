/* base/doc.h - a rule file as a tree: the YAML subset that rules are written in, every node with its place.
 *
 * Refused are duplicate keys, anchors, aliases, tags, keys that are no scalars, more than one document, NUL characters, text that is
 * not UTF-8, and whatever exceeds the limits below. Scalars stay text: what "0.001 %" means is for the reader of the key to say.
 * Ownership: the tree lives in the arena it was given. Threading: pure. Errors: IMP_E_RULE, "file:line:column: what". */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"

#define DOC_BYTES_MAX ((size_t)1 << 20)
#define DOC_DEPTH_MAX 16
#define DOC_NODES_MAX 50000
#define DOC_KEYS_MAX 500 /* of one map */

enum doc_kind { DOC_SCALAR, DOC_LIST, DOC_MAP };

struct doc_place {
	const char *file;      /* borrowed for as long as the tree is used */
	uint32_t line, column; /* from 1 */
};

struct doc_node {
	enum doc_kind kind;
	bool plain; /* a scalar without quotes */
	bool block; /* a literal scalar: its text begins on the next line */
	struct doc_place at;
	struct slice key; /* under which it stands in a map */
	struct doc_place key_at;
	struct slice text;	       /* of a scalar */
	struct doc_node *first, *next; /* children; next sibling */
	size_t n;		       /* number of children */
};

/* Read `text`. `file` names it in messages. */
MUST_CHECK enum imp_rc doc_parse(struct arena *arena, const char *file, struct slice text, struct doc_node **ret,
    struct imp_err *err);

/* IMP_E_RULE with the place in front. */
enum imp_rc doc_error(const struct doc_place *at, struct imp_err *err, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* A map must have only keys of `known` (ended by NULL). A wrong one is reported with its nearest neighbour. */
MUST_CHECK enum imp_rc doc_check_keys(const struct doc_node *map, const char *const *known, struct imp_err *err);

/* The value under `key` of a map (of anything else: NULL). */
const struct doc_node *doc_get(const struct doc_node *map, const char *key);

/* The same, and it must be there. */
MUST_CHECK enum imp_rc doc_need(const struct doc_node *map, const char *key, const struct doc_node **ret, struct imp_err *err);

/* The node must be of this kind. */
MUST_CHECK enum imp_rc doc_is(const struct doc_node *n, enum doc_kind kind, struct imp_err *err);

/* The number of the name in `names` (ended by NULL) that a scalar is. `what` is the noun for the message. */
MUST_CHECK enum imp_rc doc_choice(const struct doc_node *n, const char *what, const char *const *names, unsigned *ret,
    struct imp_err *err);

/* The name in `names` that is nearest to `s`, or NULL when none is near. */
const char *doc_nearest(struct slice s, const char *const *names);
