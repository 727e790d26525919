/* lab_change.h - a change of the directory, as it is made: told to the other nodes, and kept where the server keeps such things.
 *
 * To be called before the answer that tells of the change, so that no client can be ahead of a node. */
#pragma once
#include "lab.h"

void change_user(struct lab *lab, const struct user *u);
void change_topic(struct lab *lab, const struct topic *t);
void change_member(struct lab *lab, const struct topic *t, const struct member *m);
