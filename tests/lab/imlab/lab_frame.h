/* lab_frame.h - bytes on their way out, shared by all who get them: a WebSocket frame of a server, or an HTTP answer.
 *
 * A frame is made once and queued at any number of connections, each of which holds a reference; the last one frees it. One loop
 * thread makes, queues and frees them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct frame {
	unsigned refs;
	size_t n;
	unsigned char bytes[];
};

enum ws_opcode {
	WS_CONTINUATION = 0,
	WS_TEXT = 1,
	WS_BINARY = 2,
	WS_CLOSE = 8,
	WS_PING = 9,
	WS_PONG = 10,
};

#define WS_CLOSE_NORMAL 1000
#define WS_CLOSE_PROTOCOL 1002
#define WS_CLOSE_TOO_BIG 1009

/* A frame with one reference, the caller's; NULL when there is no memory. */
struct frame *frame_ws(enum ws_opcode opcode, struct slice payload);
struct frame *frame_raw(struct slice bytes);
struct frame *frame_ref(struct frame *f);
void frame_unref(struct frame *f); /* NULL is nothing */

/* What came from a client. */
struct ws_head {
	bool final;
	enum ws_opcode opcode;
	size_t head;	  /* bytes of the header */
	uint64_t payload; /* bytes behind it */
	unsigned char mask[4];
};

enum ws_parsed {
	WS_INCOMPLETE,
	WS_PARSED,
	WS_BROKEN, /* reserved bits, no mask, a long or broken control frame */
};

/* The header of a frame at the beginning of `p`. */
enum ws_parsed ws_parse_head(const unsigned char *p, size_t n, struct ws_head *ret);
void ws_unmask(unsigned char *p, size_t n, const unsigned char mask[4]);

/* The value of Sec-WebSocket-Accept (28 characters and a NUL). */
#define WS_ACCEPT_BYTES 29
void ws_accept(struct slice key, char ret[WS_ACCEPT_BYTES]);
