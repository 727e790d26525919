#include "config.h"

#include "lab_change.h"

#include "lab_cluster.h"
#include "lab_store.h"

void
change_user(struct lab *lab, const struct user *u)
{
	cluster_user(lab, u);
	if (lab->store != NULL)
		store_user(lab->store, u);
}

void
change_topic(struct lab *lab, const struct topic *t)
{
	if (t->kind == TOPIC_ME)
		return;
	cluster_topic(lab, t);
	if (lab->store != NULL)
		store_topic(lab->store, t);
}

void
change_member(struct lab *lab, const struct topic *t, const struct member *m)
{
	if (t->kind == TOPIC_ME)
		return;
	cluster_member(lab, t, m);
	if (lab->store != NULL)
		store_member(lab->store, t, m);
}
