/* ingest/json_pull.h - JSON read piece by piece, for documents that are too large or too damaged for a tree.
 *
 * Whoever reads asks for what it expects; what was read before the text turned out torn or wrong stays good.
 *
 *	json_pull_init(&j, text);
 *	if (json_pull_enter(&j) == '{')
 *		while (json_pull_next(&j, &key))
 *			if (slice_eq(key, SLICE("a"))) json_pull_value(&j, &v); else json_pull_skip(&j);
 *	if (!json_pull_end(&j)) ... j.torn, json_pull_line(&j)
 *
 * Every value must be read, entered or skipped before the next json_pull_next(). The first mistake sticks: all calls after it are
 * no-ops that say "nothing". Keys and strings are good until the next call of json_pull_next(). Threading: one thread. */
#pragma once
#include "base/arena.h"
#include "ingest/json.h"
#include "ingest/record_text.h"

struct json_pull {
	struct record_text lexer;
	struct record_scratch scratch;
	const char *p;
	const char *counted; /* lines up to here ... */
	uint64_t line;	     /* ... are so many, and one */
	char close[JSON_DEPTH_MAX];
	unsigned depth;
	bool first; /* nothing of the innermost container was read yet */
	bool bad;   /* not JSON, or torn, or no memory */
	bool torn;
};

/* Behind `text` JSON_PADDING bytes may be loaded; it is borrowed. */
void json_pull_init(struct json_pull *j, struct slice text);
void json_pull_done(struct json_pull *j);

/* The first byte of the value that comes: one of {["-tfn, a digit; 0 for none. */
char json_pull_peek(struct json_pull *j);
/* Go into the object or array that comes and say which: '{' or '['; 0 for anything else, which is left as it is. */
char json_pull_enter(struct json_pull *j);
/* Go into what comes when it is a `wanted` ('{' or '['); pass over anything else: false. */
bool json_pull_enter_if(struct json_pull *j, char wanted);
/* To the next member or item (key is then empty) of the innermost container. False behind its end, which is then left. */
bool json_pull_next(struct json_pull *j, struct slice *ret_key);
/* A string, number or word; false (and nothing read) for a container, or when it is not JSON. */
bool json_pull_value(struct json_pull *j, struct record_value *ret);
void json_pull_skip(struct json_pull *j);
/* An object or array as a tree that belongs to the arena, a scalar as a tree of one; false when it is not JSON. *ret_rc tells why: IMP_E_DATA,
 * IMP_E_LIMIT for the arena's budget, IMP_E_NOMEM. */
bool json_pull_tree(struct json_pull *j, struct arena *arena, struct json *ret, enum imp_rc *ret_rc);
/* Is the text at its end, all of it JSON? */
bool json_pull_end(struct json_pull *j);

/* Where it is, or where it stopped. */
uint64_t json_pull_line(struct json_pull *j);
