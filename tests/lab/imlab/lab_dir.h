/* lab_dir.h - what the server knows for good: accounts, topics, who is a member with which rights.
 *
 * Every node holds all of it. A topic carries beside that what only its master has: attached sessions and messages in hand.
 * Life cycle: dir_init(), dir_done(). Pointers to users and topics stay valid until then; members are numbered for good.
 * Threading: the loop's thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "lab_ids.h"

/* Rights, in the order of their letters "JRWPASDO"; none is "N". */
enum mode {
	MODE_JOIN = 1,
	MODE_READ = 2,
	MODE_WRITE = 4,
	MODE_PRES = 8,
	MODE_ADMIN = 16,
	MODE_SHARE = 32,
	MODE_DELETE = 64,
	MODE_OWNER = 128,
};

#define MODE_P2P (MODE_JOIN | MODE_READ | MODE_WRITE | MODE_PRES | MODE_ADMIN)
#define MODE_GROUP (MODE_JOIN | MODE_READ | MODE_WRITE | MODE_PRES | MODE_SHARE)
#define MODE_ACCOUNT (MODE_P2P | MODE_SHARE)
#define MODE_ALL 255

#define LOGIN_BYTES 33
#define SALT_BYTES 8
#define HASH_BYTES 32

struct topic;

struct user {
	uint64_t uid;
	char login[LOGIN_BYTES];
	unsigned char salt[SALT_BYTES], hash[HASH_BYTES]; /* SHA-256 of salt and password: this is a lab */
	int64_t created, updated;
	char *public_json; /* owned; NULL when there is none */
	VEC(struct topic *) topics;
};

struct member {
	uint64_t uid;
	uint8_t want, given;
	bool gone;
	uint32_t read, recv; /* seq */
	uint32_t attached;   /* sessions, at the master */
	int64_t updated;
};

struct attached {
	uint32_t node;
	uint32_t member;
	uint64_t session;
};

struct message {
	uint32_t seq;
	bool deleted;
	uint64_t from;
	int64_t ts;
	char *tail; /* owned: ["head":{...},]"content":... */
};

enum topic_kind {
	TOPIC_ME,
	TOPIC_P2P,
	TOPIC_GROUP,
};

struct save;

struct topic {
	struct name name;
	uint32_t number;
	enum topic_kind kind;
	bool deleted;
	bool by_name; /* a p2p topic goes by its name, not by the other user's */
	int64_t created, updated, touched;
	uint64_t owner;
	uint8_t access; /* for those who just come */
	uint32_t seq, subcnt, clear;
	uint32_t size;	   /* members that are not gone */
	uint32_t reserved; /* numbers up to here are taken in the store; only where it does not count */
	char *public_json; /* owned */
	VEC(struct member) members;
	/* the master's */
	VEC(struct attached) attached;
	VEC(struct message) messages; /* by seq, when no database holds them */
	struct save *saving;	      /* what is being stored; then those that wait for it, in order */
	size_t nsaving;
};

struct directory {
	bool p2p_by_name; /* how p2p topics of this server go */
	struct intern user_ids, logins, topic_names;
	struct intern member_ids;      /* of a topic's number and a user's id */
	VEC(uint32_t) member_position; /* in the topic, by number of member_ids */
	VEC(struct user *) users;      /* by number of user_ids */
	VEC(uint32_t) login_user;      /* by number of logins: number of the user */
	VEC(struct topic *) topics;
};

void dir_init(struct directory *d);
void dir_done(struct directory *d);

/* NULL when there is no such. */
struct user *dir_user(const struct directory *d, uint64_t uid);
struct user *dir_login(const struct directory *d, struct slice login);
struct topic *dir_topic(const struct directory *d, struct slice name);

/* Make one; NULL when there is no memory. The caller fills in the rest. */
struct user *dir_add_user(struct directory *d, uint64_t uid, struct slice login);
struct topic *dir_add_topic(struct directory *d, struct slice name);
/* The member made, or found and brought back. */
struct member *dir_add_member(struct directory *d, struct topic *t, uint64_t uid);
/* NULL when there is none, or no longer. */
struct member *dir_member(const struct directory *d, const struct topic *t, uint64_t uid);
void dir_remove_member(struct topic *t, struct member *m);

void user_set_password(struct user *u, struct slice password);
bool user_password_is(const struct user *u, struct slice password);

static inline uint8_t
member_mode(const struct member *m)
{
	return m->want & m->given;
}

void mode_add(struct buf *out, uint8_t mode);
/* "JRWPS", "N", or changes as "-W+S" to `before`; -1 when it is none of these. */
int mode_parse(struct slice text, uint8_t before);
/* What changed: "-W", "+S", or all of it when there was nothing before. */
void mode_add_change(struct buf *out, uint8_t before, uint8_t after);
