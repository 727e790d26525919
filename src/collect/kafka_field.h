/* collect/kafka_field.h - values out of a Kafka record: which part of it, which member of its JSON, which part of that text.
 *
 *	mid: {json: /payload/client_mid}
 *	code: {header: error, match: 'Error (\d+)'}
 *	mid: {json: [/message, /head/mid]}		JSON in a text of JSON
 *
 * Life cycle: kafka_field_read() -> kafka_field_get() for any number of records -> kafka_field_done(). Without librdkafka: pure, one
 * thread for each record. */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/doc.h"
#include "base/err.h"

#define KAFKA_FIELD_BYTES_MAX ((size_t)16 << 20) /* for the buffer: a longer value is not found */
#define KAFKA_POINTERS_MAX 4

enum kafka_part { KAFKA_PART_NONE, KAFKA_PART_VALUE, KAFKA_PART_KEY, KAFKA_PART_HEADER };

struct kafka_field {
	enum kafka_part part; /* NONE: the field is not configured, and found nowhere */
	const char *header;
	const char *pointers[KAFKA_POINTERS_MAX]; /* RFC 6901, each into the text that the one before it names */
	unsigned npointers;
	struct pcre2_real_code_8 *match; /* owned; its first group, or all of it, is the value. NULL: no match asked */
};

struct kafka_record {
	struct slice key, value; /* p NULL: none */
	/* Last header of that name; false: none. */
	bool (*header)(const void *ctx, const char *name, struct slice *ret);
	const void *ctx;
	/* The value as JSON, parsed when the first field asks. Zeroed before; ended by kafka_record_done(). */
	struct json_object *json;
	bool parsed;
};

void kafka_record_done(struct kafka_record *r);

/* Read the map of a field; with `n` NULL it is not configured. `also` (may be NULL) is one more key that it may have. Text lives in
 * `arena`. IMP_E_RULE. */
MUST_CHECK enum imp_rc kafka_field_read(struct arena *arena, const struct doc_node *n, const char *also, struct kafka_field *ret,
    struct imp_err *err);
void kafka_field_done(struct kafka_field *f);

/* Make `out` the value. False: the record has none (or memory is short: see buf_status()). */
bool kafka_field_get(const struct kafka_field *f, struct kafka_record *r, struct buf *out);
