/* lab_topic.h - the master of a topic: who is attached, publishing, notes; and what lab_meta.c needs of it. */
#pragma once
#include "lab_hub.h"

/* The topic as this member calls it: "me", "usr..." of the other, "grp...". */
struct name topic_seen_by(const struct topic *t, uint64_t uid);

void topic_get(struct lab *lab, struct topic *t, const struct request *r, struct json_object *query);
void topic_get_offline(struct lab *lab, struct topic *t, const struct request *r);
void topic_set(struct lab *lab, struct topic *t, const struct request *r);
void topic_del(struct lab *lab, struct topic *t, const struct request *r);

/* {"acs":{...}}, with the user when the request was about somebody else. */
void add_acs(struct buf *out, uint8_t want, uint8_t given);
void answer_acs(struct lab *lab, const struct request *r, const struct member *m, bool with_user);

/* A member's rights changed from nothing or `want`, `given`: tell those attached and, on its own topic, the member. */
void topic_tell_change(struct lab *lab, struct topic *t, const struct request *r, const struct member *m, uint8_t want,
    uint8_t given);

/* A node is lost: its sessions are detached. */
void topic_node_lost(struct lab *lab, struct topic *t, uint32_t node);

/* The user of the request, a member and not the owner, ends its subscription. */
void topic_unsub(struct lab *lab, struct topic *t, const struct request *r);

/* A member goes for good, and all of its sessions with it. */
void topic_remove(struct lab *lab, struct topic *t, struct member *m);

/* Store the message that a request publishes, then topic_published() (lab_save.c). */
void topic_save(struct lab *lab, struct topic *t, const struct request *r);
/* A message is stored: acknowledge and spread it. */
void topic_published(struct lab *lab, struct topic *t, const struct request *r, const struct message *m);
/* What {data} has of a message: ["head":{...},]"content":... */
void add_tail(struct buf *out, struct json_object *head, struct json_object *content);
/* One message as {data} for a member. */
void add_data(struct buf *out, const char *topic, const struct message *m);
