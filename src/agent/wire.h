/* agent/wire.h - what the server sends, taken apart. Both dialects send the same messages: {ctrl}, {data}, {meta}, {pres}, {info}, each an
 * object of its own; one frame may hold several, a line each.
 *
 * {ctrl} and {data} without an escape in what is wanted of them are read in one pass that copies nothing; everything else json-c reads.
 * Both give the same (a test and a fuzz target hold one against the other). A message of this run is known by its mid alone here; whose
 * it is the session decides. Pure but for the reader's memory. Threading: a reader belongs to one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum wire_kind { WIRE_CTRL, WIRE_DATA, WIRE_META, WIRE_PRES, WIRE_INFO, WIRE_OTHER, WIRE_BROKEN, _WIRE_KIND_MAX };

#define WIRE_NONE INT64_MIN /* a number that is not there */

/* Slices are empty (p NULL) where a key is not there. They borrow from the frame, or from the reader until its next call. */
struct wire_message {
	enum wire_kind kind;
	struct slice id, topic;
	int64_t code;	      /* ctrl */
	struct slice text;    /* ctrl */
	int64_t seq;	      /* ctrl: params.seq; data, pres, info: seq */
	int64_t count;	      /* ctrl: params.count */
	struct slice what;    /* ctrl: params.what; pres, info: what */
	struct slice user;    /* ctrl: params.user */
	struct slice token;   /* ctrl: params.token */
	struct slice tmpname; /* ctrl: params.tmpname */
	struct slice from;    /* data, info */
	struct slice mid;     /* data: head."x-im-client-mid" */
	struct slice run_id;  /* data: content.run_id */
	struct slice src;     /* pres */
};

struct wire_reader {
	struct json_tokener *tokener;
	struct json_object *document; /* that the last message borrows from */
};

void wire_reader_done(struct wire_reader *r); /* takes a zeroed one */

/* Cut the next message off *frame: false when there is none. */
bool wire_next(struct slice *frame, struct slice *ret_text);

/* WIRE_BROKEN: no JSON object, or out of memory. */
void wire_read(struct wire_reader *r, struct slice text, struct wire_message *ret);

/* The parts of wire_read(), for their judges: the one pass (false: it leaves the message to json-c), and json-c. */
bool wire_read_plain(struct slice text, struct wire_message *ret);
void wire_read_any(struct wire_reader *r, struct slice text, struct wire_message *ret);
