/* agent/session.h - one account's connection as the protocol sees it: from the upgrade to READY, then what it sends and what comes back.
 *
 * A session reads messages and appends frames; it knows no socket, clock or file, so that recorded frames can drive it. The steps:
 * {hi}, {login}, {sub me}, {sub} of each of its topics, READY. Requests have ids ACCOUNT-NUMBER, unique within the agent; the answer
 * to each is found by its number.
 *
 * Life cycle: 1. session_init()  2. session_begin() when the socket is up  3. session_take() for each message, session_publish(),
 * session_get()  4. session_end() when the socket is gone; then 2. again, or  5. session_done(). Ownership: a session borrows what its
 * plan points to. Threading: one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "agent/wire.h"
#include "agent/wire_out.h"
#include "base/mem.h"

/* A topic as this account names it on the wire (p2p: the other user, at stock Tinode), and its number in the ledger. */
struct session_topic {
	struct slice wire;
	uint32_t number;
};

struct session_plan {
	const struct wire_client *client;
	const char *account;	      /* "a0001", as the ledger has it */
	struct slice login, password; /* token in place of both when it is not empty */
	struct slice token;
	const struct session_topic *topics;
	uint32_t ntopics;
};

enum session_state { SESSION_DOWN, SESSION_HI, SESSION_LOGIN, SESSION_ME, SESSION_TOPICS, SESSION_READY, SESSION_REFUSED };

/* A publish that has no answer yet. */
struct session_waiting {
	uint32_t number; /* of its id */
	uint32_t stream; /* which message it is ... */
	uint64_t turn;
	int64_t until; /* ... and when it counts as a timeout, monotonic ns */
};

struct session {
	const struct session_plan *plan;
	enum session_state state;
	uint32_t next;	  /* number of the next id */
	uint32_t awaited; /* number of the request that the step waits for */
	uint32_t topic;	  /* that is being subscribed */
	VEC(struct session_waiting) waiting;
};

enum session_event_kind {
	SESSION_NOTHING,
	SESSION_IS_READY,
	SESSION_WAS_REFUSED, /* code, text: the step was refused; the connection is of no use */
	SESSION_LATER,	     /* the server asks to try this step again: session_again() after a pause */
	SESSION_ANSWER, /* code, text, seq of a publish; `waiting` says which, its number 0 when the answer came after the timeout */
	SESSION_DELIVERY, /* mid, seq, topic */
	SESSION_PAGE,	  /* a read-back has ended: number, code, count */
	SESSION_EVICTED,  /* the server ends the session */
};

struct session_event {
	enum session_event_kind kind;
	uint32_t number; /* of the id that was answered */
	struct session_waiting waiting;
	int64_t code, seq, count;
	struct slice text, mid, from, run_id; /* borrow from the message */
	uint32_t topic;			      /* number in the ledger */
};

#define SESSION_NO_TOPIC UINT32_MAX

void session_init(struct session *s, const struct session_plan *plan);
void session_done(struct session *s);

void session_begin(struct session *s, struct buf *out);
void session_again(struct session *s, struct buf *out);
void session_take(struct session *s, const struct wire_message *m, struct buf *out, struct session_event *ret);
/* Without a connection: publishes that wait have no answer any more; they stay in `waiting` until session_forget(). */
void session_end(struct session *s);
void session_forget(struct session *s);

/* "a0001-17" */
void session_id(const struct session *s, uint32_t number, struct buf *out);

/* Append a publish; its answer is waited for. `p` without id and topic; *ret_number is its id's. */
MUST_CHECK enum imp_rc session_publish(struct session *s, const struct session_topic *topic, const struct wire_publish *p,
    const struct session_waiting *w, struct buf *out, uint32_t *ret_number, struct imp_err *err);
/* Take out the first that waits when its time was over at `now`. */
bool session_timed_out(struct session *s, int64_t now, struct session_waiting *ret);

/* Append a read-back of rows since <= seq < before; *ret_number is its id's. */
void session_get(struct session *s, const struct session_topic *topic, int64_t since, int64_t before, unsigned limit,
    struct buf *out, uint32_t *ret_number);
