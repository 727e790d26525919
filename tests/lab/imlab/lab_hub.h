/* lab_hub.h - the way of a request from a session to the master of its topic, and of what the master says back to sessions.
 *
 * A session knows its own topics by name; the master of a topic (the ring says which node) knows which sessions of which nodes are
 * attached. On one node both are calls of functions. */
#pragma once
#include <json-c/json.h>

#include "lab.h"

enum request_kind {
	REQUEST_SUB,
	REQUEST_LEAVE,
	REQUEST_PUB,
	REQUEST_GET,
	REQUEST_SET,
	REQUEST_DEL,
	REQUEST_NOTE,
	REQUEST_DETACH, /* the session ended */
};

struct origin {
	uint32_t node;
	uint64_t session;
};

struct request {
	enum request_kind kind;
	struct origin from;
	uint64_t uid;
	bool attached;	   /* the session is attached to the topic */
	struct name topic; /* "usr..." of a user's own, "p2p...", "grp..." */
	struct name shown; /* as the client calls it: "me", "usr...", "grp...", "new..." */
	int64_t ts;
	struct json_object *body; /* borrowed */
};

/* What the answer makes of the session's attachment. */
enum attach_change {
	ATTACH_NONE,
	ATTACH_ON,
	ATTACH_OFF,
};

/* To the topic's master. */
void hub_request(struct lab *lab, const struct request *r);

/* The master's answers. `params` is a JSON object or empty. */
void hub_ctrl(struct lab *lab, const struct request *r, int code, const char *text, struct slice params);
void hub_attach(struct lab *lab, const struct request *r, enum attach_change change);
void hub_send(struct lab *lab, struct origin to, struct slice text);

/* To those attached to a topic. */
struct spread {
	const struct request *skip; /* not to the session it came from; NULL: nobody */
	uint64_t only, except;	    /* users; 0: all, nobody */
	uint8_t mode;		    /* rights that they must have */
};
void hub_spread(struct lab *lab, const struct topic *t, const struct spread *how, struct slice text);

/* Presence on a user's own topic: {"pres":{"topic":"me","src":SRC,"what":WHAT EXTRA}}. With `ask` the user's side tells a user `src`
 * in return that it is there. */
void hub_pres_me(struct lab *lab, uint64_t uid, struct slice src, const char *what, struct slice extra, bool ask);

/* hub_request() on the master (lab_topic.c), what hub_pres_me() does on the master of the user's topic. */
void topic_request(struct lab *lab, const struct request *r);
void topic_pres_me(struct lab *lab, uint64_t uid, struct slice src, const char *what, struct slice extra, bool ask);
