/* lab_link.h - connections between the nodes of a cluster: whole messages, in order, to each peer over a connection of its own.
 *
 * Each node dials each other and sends over what it dialled; it hears over what the others dialled. A lost connection is dialled
 * again every 200 ms; what was under way is lost. Requests to a peer are counted until it says that they were taken: more than
 * LINK_REQUESTS under way wait for LINK_WAIT_MS and then fail, as between nodes of the server.
 * Life cycle: link_open(), link_close(). Threading: the loop's thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "lab_ids.h"

#define LINK_REQUESTS 64
#define LINK_WAIT_MS 20

struct links;

struct link_handlers {
	/* A message from a peer. */
	void (*on_message)(struct links *links, uint32_t from, struct slice message);
	/* A request found no room, or no peer: `why` in the server's words. */
	void (*on_failed)(struct links *links, uint32_t to, struct slice request, const char *why);
	void (*on_up)(struct links *links, uint32_t peer);   /* it can be sent to */
	void (*on_lost)(struct links *links, uint32_t peer); /* it cannot be sent to any more */
	void (*on_down)(struct links *links, uint32_t peer); /* it sends no more: it ended, or was cut off */
};

struct waiting {
	struct buf bytes;
	int64_t until; /* monotonic */
};

struct peer {
	struct links *links;
	uint32_t number;
	char name[64], host[64];
	uint16_t port;
	uv_tcp_t *dialled; /* NULL: none; the handle frees itself */
	bool connected;
	struct buf out;	       /* not handed over yet */
	uint32_t under_way;    /* requests */
	uint32_t taken_unsaid; /* requests of the peer that were taken and not told yet */
	VEC(struct waiting) waiting;
	size_t waiting_first;
	unsigned heard; /* connections that it dialled */
	char unheard[8];
};

struct links {
	uv_loop_t *loop;
	const struct link_handlers *handlers;
	void *user;
	uint32_t self, n;
	struct peer peer[RING_NODES_MAX];
	uv_tcp_t listener;
	uv_timer_t retry, waits;
	uv_prepare_t flush;
	bool closing;
};

/* "one=127.0.0.1:12001,two=..." with `self` among them; with NULL there are no links and one node. */
MUST_CHECK enum imp_rc link_open(struct links *links, uv_loop_t *loop, const struct link_handlers *handlers, const char *nodes,
    const char *self, struct imp_err *err);
void link_close(struct links *links);

/* Message without a count: is lost when the peer is not there. */
void link_send(struct links *links, uint32_t to, struct slice message);
void link_request(struct links *links, uint32_t to, struct slice request);
