/* lab_session.h - a client's connection as the protocol sees it: hello, login, then requests to topics.
 *
 * A session is made when its WebSocket opens and freed when that closes. Its number stays unique for the life of the node. */
#pragma once
#include "lab.h"
#include "lab_hub.h"

struct session {
	struct conn *conn;
	uint64_t number; /* upper half: how often the slot was used, lower half: slot + 1 */
	struct name sid; /* in logs */
	uint64_t uid;	 /* 0: not logged in */
	bool greeted;
	char version[16];	   /* that it said hello with */
	VEC(struct name) attached; /* names of topics */
};

extern const struct net_handlers session_handlers;

/* NULL when it is gone. */
struct session *session_find(const struct lab *lab, uint64_t number);
void session_attach(struct session *s, const char *topic, enum attach_change change);
void session_send(struct lab *lab, struct session *s, struct frame *f);
