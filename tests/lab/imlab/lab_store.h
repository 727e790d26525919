/* lab_store.h - where messages and the directory are kept: memory, MariaDB as Tinode does it, or Kafka with MariaDB behind it.
 *
 *	memory          a message is stored at once
 *	MariaDB         UPDATE topics, INSERT messages, then it is stored; history comes from the table
 *	Kafka           it is stored when the broker has it; a consumer (tests/lab/pipe) brings it into im_NNN_messages and
 *	                im_NNN_group_messages_YYYYMM, from where history comes
 *
 * The directory is written behind: in the order of its changes, tried again until the database takes them. It is read back when a node
 * starts. Life cycle: store_open(), store_load() once, store_close() when the loop has ended.
 * Threading: called on the loop's thread; statements run on threads of libuv's pool, a connection each. */
#pragma once
#include <stdint.h>

#include "base/err.h"
#include "lab_hub.h"

enum store_kind {
	STORE_MEMORY,
	STORE_MARIADB,
	STORE_KAFKA,
};

/* A message on its way into the store. */
struct save {
	struct save *next; /* waits for the topic */
	struct lab *lab;
	struct topic *topic;
	struct request request; /* its body is a reference of ours */
	struct message message;
	int64_t began;		  /* monotonic */
	struct buf head, content; /* as JSON; `head` empty when there is none */
	char failed[512];	  /* why it is not stored; empty: it is */
};

/* What a read of history is about. */
struct history {
	struct lab *lab;
	struct topic *topic;
	struct request request; /* its body is a reference of ours */
	struct json_object *query;
	int64_t limit;
	VEC(struct message) found; /* newest first; their texts are ours */
	char failed[512];
};

struct store;

MUST_CHECK enum imp_rc store_open(struct lab *lab, struct imp_err *err);
MUST_CHECK enum imp_rc store_load(struct lab *lab, struct imp_err *err);
void store_close(struct lab *lab);

/* Begin; save_done() or history_done() (lab_save.c) follows from the loop. Not for memory. */
void store_save(struct store *store, struct save *save);
void store_history(struct store *store, struct history *history);
void save_done(struct save *save);
void history_done(struct history *history);

void store_user(struct store *store, const struct user *u);
void store_topic(struct store *store, const struct topic *t);
void store_member(struct store *store, const struct topic *t, const struct member *m);
