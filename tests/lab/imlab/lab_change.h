/* lab_change.h - a change of the directory, as it is made: told to the other nodes, and kept where the server keeps such things.
 *
 * To be called before the answer that tells of the change, so that no client can be ahead of a node. */
#pragma once
#include "lab.h"

/* The changes of this request are made: its answer leaves when the other nodes have them. */
void change_settle(struct lab *lab, struct conn *c);
/* A node has all changes up to this number, or was lost. */
void change_taken(struct lab *lab);

void change_user(struct lab *lab, const struct user *u);
void change_topic(struct lab *lab, const struct topic *t);
void change_member(struct lab *lab, const struct topic *t, const struct member *m);
