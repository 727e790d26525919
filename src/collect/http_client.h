/* collect/http_client.h - GET over HTTP and HTTPS: with a time limit, repetitions and a bound on size, and never anything but GET.
 *
 *	http_open() -> http_get() or http_get_all() ... http_close()
 *
 * How a request ended is data, not an error: struct http_answer says it in the words of the journal. Errors are those of memory and
 * of whoever takes the bytes. Redirections are not followed: where credentials go is for the configuration to say. Certificates are
 * checked, names too, unless the target says `insecure`. Proxies come from the environment, as curl reads it. Compressed answers are
 * unpacked, and the bound on size is of unpacked bytes.
 *
 * Repeated is what may go better the next time, and of which nothing was taken yet: no connection, a broken one, silence, 429 and
 * 5xx. Threading: a client belongs to one thread. libcurl's own header stays in http_client.c. */
#pragma once
#include <signal.h>

#include "base/err.h"
#include "collect/http_answer.h"
#include "collect/http_target.h"
#include "collect/retry.h"

struct http;

/* Nothing is connected yet. `target` is borrowed until http_close(). */
MUST_CHECK enum imp_rc http_open(const struct http_target *target, const struct ask_limits *limits,
    const volatile sig_atomic_t *stop, struct http **ret, struct imp_err *err);
void http_close(struct http *h); /* NULL is fine */

/* Take the target's token anew: it was changed. */
MUST_CHECK enum imp_rc http_set_token(struct http *h, struct imp_err *err);

struct http_request {
	const char *path;   /* appended to the target's URL, its parts escaped (http_add_escaped()); NULL: nothing */
	const char *accept; /* media types; NULL: any */
	bool stream;	    /* may last as long as bytes come, up to 30 time limits; else the limit is that of the whole answer */
	uint64_t bytes_max; /* of the answer; 0: what the limits say */
	/* Takes an answer of 2xx in parts. An error ends the request and comes back from http_get(). NULL: it is kept in `body`. */
	enum imp_rc (*take)(void *ctx, struct slice part, struct imp_err *err);
	void *ctx;
};

MUST_CHECK enum imp_rc http_get(struct http *h, const struct http_request *r, struct http_answer *ret, struct imp_err *err);

/* Several servers at one instant, each over a client of its own. Repetitions are made together. */
struct http_call {
	struct http *http;
	struct http_request request;
	struct http_answer answer;
};

MUST_CHECK enum imp_rc http_get_all(struct http_call *calls, size_t n, struct imp_err *err);
