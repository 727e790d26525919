/* lab_cluster.h - what nodes say to each other: requests for a topic's master, answers and messages for sessions, and every change of
 * the directory, so that each node holds all of it.
 *
 * A node that is reached (again) is told the whole directory. When one is lost, its sessions are detached from the topics here, and
 * sessions here are told ("term") that topics over there are gone. Nothing moves to another node: until it is back, requests for its
 * topics are answered 502. */
#pragma once
#include "lab_hub.h"
#include "lab_link.h"

extern const struct link_handlers cluster_handlers;

void cluster_request(struct lab *lab, uint32_t node, const struct request *r);
void cluster_text(struct lab *lab, struct origin to, struct slice text);
void cluster_attach(struct lab *lab, struct origin to, const char *topic, enum attach_change change);
void cluster_spread(struct lab *lab, uint32_t node, const uint64_t *sessions, size_t n, struct slice text);
void cluster_pres_me(struct lab *lab, uint32_t node, uint64_t uid, struct slice src, const char *what, struct slice extra,
    bool ask);

/* Ask all peers to say when they have what was sent to them up to now. */
void cluster_sync(struct lab *lab, uint64_t number);

/* Changes of the directory, to all peers. */
void cluster_user(struct lab *lab, const struct user *u);
void cluster_topic(struct lab *lab, const struct topic *t);
void cluster_member(struct lab *lab, const struct topic *t, const struct member *m);
