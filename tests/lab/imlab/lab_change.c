#include "config.h"

#include "lab_change.h"

#include "lab_cluster.h"
#include "lab_store.h"

#define SETTLE_MS 500

void
change_taken(struct lab *lab)
{
	uint64_t taken = lab->changes;

	for (uint32_t i = 0; i < lab->nodes; i++) {
		if (i != lab->self && lab->links.peer[i].connected && lab->changes_taken[i] < taken)
			taken = lab->changes_taken[i];
	}
	net_release(&lab->net, taken);
}

/* A node that stands still does not stop all others. */
static void
on_settle(uv_timer_t *timer)
{
	struct lab *lab = timer->data;

	net_release(&lab->net, lab->changes_settled);
}

void
change_settle(struct lab *lab, struct conn *c)
{
	if (lab->changes == lab->changes_settled || lab->nodes == 1)
		return;
	lab->changes_settled = lab->changes;
	conn_hold(c, lab->changes);
	cluster_sync(lab, lab->changes);
	change_taken(lab);
	if (lab->net.released < lab->changes)
		uv_timer_start(&lab->settle, on_settle, SETTLE_MS, 0);
}

void
change_user(struct lab *lab, const struct user *u)
{
	lab->changes++;
	cluster_user(lab, u);
	if (lab->store != NULL)
		store_user(lab->store, u);
}

void
change_topic(struct lab *lab, const struct topic *t)
{
	if (t->kind == TOPIC_ME)
		return;
	lab->changes++;
	cluster_topic(lab, t);
	if (lab->store != NULL)
		store_topic(lab->store, t);
}

void
change_member(struct lab *lab, const struct topic *t, const struct member *m)
{
	if (t->kind == TOPIC_ME)
		return;
	lab->changes++;
	cluster_member(lab, t, m);
	if (lab->store != NULL)
		store_member(lab->store, t, m);
}
