/* collect/redis.h - the parts of the Redis collector among themselves: settings, connection, what is taken.
 *
 * hiredis formats commands and parses replies; the bytes go over sockets of our own, because hiredis of 0.14 knows neither TLS nor a
 * time limit for a whole request. Commands that could cost the server more than they tell us (KEYS, SCAN) exist nowhere here.
 * Threading: one thread for each connection. */
#pragma once
#include <hiredis/hiredis.h>

#include "base/doc.h"
#include "base/err.h"
#include "base/settings.h"
#include "collect/collector.h"
#include "collect/endpoint.h"

#define REDIS_ARGS_MAX 8
#define REDIS_ELEMENTS_MAX 100000 /* of one array of a reply: what is asked for has some thousands at most */

struct redis_settings {
	const char *source;
	struct ask_limits limits;
	struct endpoint at;
	const char *user;	 /* NULL: the default user */
	struct secret password;	 /* of both; p NULL: no AUTH */
	const char *server_name; /* that the certificate must have; NULL without TLS over a socket file */
	uint64_t slowlog;	 /* entries to ask for */
};

enum imp_rc redis_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *err);
void redis_forget(void *settings);

/* ------------------------------------------------------------------ connection */

struct redis_link;

/* How one command went. */
struct redis_answer {
	redisReply *reply; /* owned; NULL with an error */
	enum asked_status status;
	int64_t from, ns;
	unsigned tries;
};

void redis_answer_done(struct redis_answer *a); /* for CLEANUP() too */

/* Nothing is sent yet. `settings` and `stop` are borrowed. */
MUST_CHECK enum imp_rc redis_link_new(const struct redis_settings *settings, const volatile sig_atomic_t *stop,
    struct redis_link **ret, struct imp_err *err);
void redis_link_free(struct redis_link *l); /* NULL is fine */

/* Send the words of `command` (ended by NULL) and wait for the reply; connects, authenticates and repeats as needed, within the
 * limits. An error reply is no error here: `ret` has it, with the status denied or failed. IMP_E_UNAVAILABLE: nobody answered, or
 * AUTH was refused; IMP_E_LIMIT: the reply is too large. `ret` is filled in either case. */
MUST_CHECK enum imp_rc redis_ask(struct redis_link *l, const char *const *command, struct redis_answer *ret, struct imp_err *err);

/* ------------------------------------------------------------------ the wire, below redis_ask() */

/* One connection, without an idea of Redis. All of them wait until `deadline` (monotonic ns) or until *stop. */
struct redis_wire {
	int fd;		    /* -1: closed */
	struct ssl_st *ssl; /* NULL: plain */
	const volatile sig_atomic_t *stop;
};

MUST_CHECK enum imp_rc redis_wire_open(struct redis_wire *w, const struct redis_settings *settings, int64_t deadline,
    struct imp_err *err);
MUST_CHECK enum imp_rc redis_wire_send(struct redis_wire *w, struct slice bytes, int64_t deadline, struct imp_err *err);
/* At least one byte, at most `max`. */
MUST_CHECK enum imp_rc redis_wire_receive(struct redis_wire *w, char *into, size_t max, int64_t deadline, size_t *ret_n,
    struct imp_err *err);
void redis_wire_close(struct redis_wire *w);
/* Was it the time that was up? The code alone does not tell. */
bool redis_wire_timed_out(int64_t deadline);

/* hiredis's reader, which refuses arrays of more than REDIS_ELEMENTS_MAX. It borrows `make` for its functions. NULL: out of memory. */
redisReader *redis_reader_new(redisReplyObjectFunctions *make);

/* ------------------------------------------------------------------ what replies say; pure */

/* The value of `name` in the text of INFO; p NULL when it is not there. */
struct slice redis_info_value(struct slice info, const char *name);
/* Replies as the documents of docs/ledger.md, section 8. IMP_E_DATA when they have another form. `out` has secrets taken out.
 * *ret_n is the number of entries. */
MUST_CHECK enum imp_rc redis_write_slowlog(struct buf *out, const redisReply *reply, uint64_t *ret_n, struct imp_err *err);
/* `histories`: for each event of `latest` the answer of LATENCY HISTORY, NULL where there is none. */
MUST_CHECK enum imp_rc redis_write_latency(struct buf *out, const redisReply *latest, redisReply *const *histories, uint64_t *ret_n,
    struct imp_err *err);
