/* ingest/json.h - a small JSON document as a tree, for the files that say what was planned.
 *
 * Built with the lexer of the ledgers. json-c does not survive a shortage of memory: it reads the name of a key from where none
 * was put, or drops the key without a word, and a plan with a key less is another plan. Pure functions, any thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_INT, JSON_REAL, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_type type;
	struct slice key; /* of a member of an object */
	struct json *next;
	union {
		bool truth;
		int64_t i; /* fits, and was written without fraction or exponent */
		double d;
		struct slice text;
		struct {
			struct json *first;
			size_t n;
		} items;
	};
};

/* Read `text`, an object or array behind which JSON_PADDING bytes may be loaded; the tree belongs to the arena. IMP_E_DATA says
 * where it is not JSON as RFC 8259 and UTF-8 have it; IMP_E_LIMIT is that of the arena's budget. */
#define JSON_PADDING 16
#define JSON_DEPTH_MAX 64
MUST_CHECK enum imp_rc json_read(struct arena *arena, struct slice text, struct json *ret, struct imp_err *err);

/* The member `key` of an object, the last one where there are several; NULL when it is not there, or null. */
const struct json *json_get(const struct json *object, const char *key);
