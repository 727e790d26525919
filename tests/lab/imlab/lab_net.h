/* lab_net.h - sockets of clients: HTTP/1.1, the step up to WebSocket, frames both ways.
 *
 * Written by hand on libuv, on purpose not with the library that the agent uses: each side checks the other, one buffer serves a
 * whole fan-out, what is queued for a socket goes out in one write, and faults can be put at any byte.
 *
 * Life cycle: net_listen() once; connections come and go by themselves and live until on_close returns; net_close() ends all.
 * Threading: everything on the loop's thread. Errors of a connection close it, quietly. */
#pragma once
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "lab_frame.h"
#include "lab_tls.h"

#define NET_HEAD_MAX ((size_t)16 << 10)
#define NET_BODY_MAX ((size_t)1 << 20)

struct net;
struct conn;

/* A request; all borrowed until the handler returns. Header names are compared without case. */
struct http_request {
	struct slice method, path, query, head, body;
};

struct net_handlers {
	/* May this request go up to a WebSocket? If not, the handler has answered it. */
	bool (*may_upgrade)(struct conn *c, const struct http_request *request);
	void (*on_open)(struct conn *c);
	void (*on_text)(struct conn *c, struct slice text); /* the bytes may be written to: they are the receive buffer */
	void (*on_close)(struct conn *c);		    /* of a connection that was opened */
	void (*on_request)(struct conn *c, const struct http_request *request);
};

struct net_config {
	const char *host;
	uint16_t port; /* 0: the system's choice, see net_port() */
	const char *upgrade_path;
	SSL_CTX *tls;	     /* NULL: plain; borrowed */
	size_t message_max;  /* bytes of a message from a client; more is 1009 */
	int64_t ping_ns;     /* between pings */
	int64_t deadline_ns; /* a connection whose last pong is older ends */
	int64_t unsent_max;  /* bytes queued for one connection; more ends it */
};

struct conn {
	uv_tcp_t tcp;
	struct net *net;
	struct conn *prev, *next;
	struct conn *next_dirty;
	SSL *ssl;   /* NULL: plain */
	void *user; /* the handler's */
	bool upgraded, dirty, writing, closing, close_sent, broken, in_message;
	unsigned char *in; /* what is not complete yet */
	size_t in_n, in_cap;
	struct buf message; /* of several frames */
	struct frame **out; /* a ring of out_cap, a power of two */
	uint32_t out_head, out_n, out_cap;
	size_t out_sent; /* bytes of the first that are gone */
	int64_t out_bytes;
	uint64_t hold;		      /* nothing leaves before net_release() of this */
	int64_t last_pong, next_ping; /* monotonic */
	char peer[INET6_ADDRSTRLEN + 8];
};

struct net {
	uv_loop_t *loop;
	const struct net_handlers *handlers;
	struct net_config config;
	void *user; /* the handlers' */
	uv_tcp_t listener;
	uv_prepare_t flush;
	uv_timer_t tick;
	struct conn *first; /* all */
	struct conn *dirty; /* those with something to write */
	uint64_t released;
	uint64_t open, opened;
	int64_t now; /* monotonic, of the last tick */
	unsigned char receive[64 << 10], plain[16 << 10];
};

MUST_CHECK enum imp_rc net_listen(struct net *net, uv_loop_t *loop, const struct net_handlers *handlers,
    const struct net_config *config, struct imp_err *err);
uint16_t net_port(const struct net *net);
void net_close(struct net *net); /* connections included; the loop must run on until they are gone */

/* Queue a frame (a reference is taken); it leaves before the loop sleeps again. No handler is called from here: a connection that
 * cannot take more ends when its turn to write has come. */
void conn_send(struct conn *c, struct frame *f);
void conn_send_text(struct conn *c, struct slice text);
/* Answer a request. */
void conn_answer(struct conn *c, unsigned status, const char *content_type, struct slice body);
/* A close frame with this code; the connection ends when it is out. */
void conn_close(struct conn *c, unsigned code);
/* What is queued, and what will be, stays until net_release() has come to `hold`. */
void conn_hold(struct conn *c, uint64_t hold);
void net_release(struct net *net, uint64_t hold);
/* End it now. */
void conn_drop(struct conn *c);

/* The value of a header or of a query parameter (not decoded); p == NULL when there is none. */
struct slice http_header(const struct http_request *r, const char *name);
struct slice http_query(const struct http_request *r, const char *name);
