#include "config.h"

#include "collect/kafka.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"

#define GRACE_NS (NS_PER_S / 2) /* for librdkafka to tell that its time is up */

/* ------------------------------------------------------------------ committed offsets */

static void
request_offsets(struct kafka_client *c, struct kafka_group_look *g, rd_kafka_queue_t *q, int timeout_ms)
{
	rd_kafka_ListConsumerGroupOffsets_t *one = rd_kafka_ListConsumerGroupOffsets_new(g->of->name, g->asked);
	rd_kafka_AdminOptions_t *o = rd_kafka_AdminOptions_new(c->rk, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS);

	(void)rd_kafka_AdminOptions_set_request_timeout(o, timeout_ms, NULL, 0);
	rd_kafka_AdminOptions_set_opaque(o, g);
	rd_kafka_ListConsumerGroupOffsets(c->rk, &one, 1, o, q);
	rd_kafka_AdminOptions_destroy(o);
	rd_kafka_ListConsumerGroupOffsets_destroy(one);
}

static void
take_offsets(struct kafka_group_look *g, const rd_kafka_event_t *ev)
{
	const rd_kafka_ListConsumerGroupOffsets_result_t *result =
	    rd_kafka_event_ListConsumerGroupOffsets_result((rd_kafka_event_t *)ev);
	const rd_kafka_group_result_t **v = NULL;
	const rd_kafka_error_t *e;
	size_t n = 0;

	g->failed = rd_kafka_event_error((rd_kafka_event_t *)ev);
	if (g->failed != RD_KAFKA_RESP_ERR_NO_ERROR || result == NULL)
		return;
	v = rd_kafka_ListConsumerGroupOffsets_result_groups(result, &n);
	e = n > 0 ? rd_kafka_group_result_error(v[0]) : NULL;
	g->failed = n == 0 ? RD_KAFKA_RESP_ERR_UNKNOWN : e != NULL ? rd_kafka_error_code(e) : RD_KAFKA_RESP_ERR_NO_ERROR;
	if (g->failed != RD_KAFKA_RESP_ERR_NO_ERROR)
		return;
	g->committed = rd_kafka_topic_partition_list_copy(rd_kafka_group_result_partitions(v[0]));
	rd_kafka_topic_partition_list_sort(g->committed, NULL, NULL);
}

static bool
is_to_ask(const struct kafka_group_look *g)
{
	return g->committed == NULL && kafka_status(g->failed) != ASKED_DENIED && (g->asked == NULL || g->asked->cnt > 0);
}

unsigned
kafka_groups_committed(struct kafka_client *c, struct kafka_group_look *groups)
{
	struct retry r = retry_begin(&c->settings->limits, c->stop);
	bool left;

	do {
		rd_kafka_queue_t *q = rd_kafka_queue_new(c->rk);
		int64_t deadline = time_monotonic() + retry_timeout_ms(&r) * 1000000 + GRACE_NS;
		rd_kafka_event_t *ev = NULL;
		size_t pending = 0;

		for (size_t i = 0; i < c->settings->ngroups; i++) {
			if (is_to_ask(&groups[i])) {
				groups[i].failed = RD_KAFKA_RESP_ERR__TIMED_OUT;
				request_offsets(c, &groups[i], q, (int)retry_timeout_ms(&r));
				pending++;
			}
		}
		for (; pending > 0 && (ev = kafka_client_wait(c, q, deadline)) != NULL; pending--) {
			take_offsets(rd_kafka_event_opaque(ev), ev);
			rd_kafka_event_destroy(ev);
		}
		rd_kafka_queue_destroy(q);
		left = false;
		for (size_t i = 0; i < c->settings->ngroups; i++)
			left |= is_to_ask(&groups[i]);
	} while (left && retry_again(&r));
	return r.tries;
}

/* ------------------------------------------------------------------ members */

static rd_kafka_resp_err_t
take_members(struct kafka_group_look *groups, size_t n, const rd_kafka_ConsumerGroupDescription_t *d)
{
	rd_kafka_consumer_group_state_t state = rd_kafka_ConsumerGroupDescription_state(d);
	const rd_kafka_error_t *failed = rd_kafka_ConsumerGroupDescription_error(d);

	if (failed != NULL)
		return rd_kafka_error_code(failed);
	/* A group that the coordinator calls dead may be one of the new protocol, which this request does not know. */
	if (state == RD_KAFKA_CONSUMER_GROUP_STATE_DEAD || state == RD_KAFKA_CONSUMER_GROUP_STATE_UNKNOWN)
		return RD_KAFKA_RESP_ERR_NO_ERROR;
	for (size_t i = 0; i < n; i++)
		if (strcmp(groups[i].of->name, rd_kafka_ConsumerGroupDescription_group_id(d)) == 0)
			groups[i].members = (int64_t)rd_kafka_ConsumerGroupDescription_member_count(d);
	return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* The first failure. */
static rd_kafka_resp_err_t
take_descriptions(struct kafka_group_look *groups, size_t n, rd_kafka_event_t *ev)
{
	const rd_kafka_DescribeConsumerGroups_result_t *result = rd_kafka_event_DescribeConsumerGroups_result(ev);
	rd_kafka_resp_err_t failed = rd_kafka_event_error(ev);
	const rd_kafka_ConsumerGroupDescription_t **v = NULL;
	size_t described = 0;

	if (failed == RD_KAFKA_RESP_ERR_NO_ERROR && result != NULL)
		v = rd_kafka_DescribeConsumerGroups_result_groups(result, &described);
	for (size_t i = 0; v != NULL && i < described; i++) {
		rd_kafka_resp_err_t one = take_members(groups, n, v[i]);

		if (failed == RD_KAFKA_RESP_ERR_NO_ERROR)
			failed = one;
	}
	return failed;
}

rd_kafka_resp_err_t
kafka_groups_members(struct kafka_client *c, struct kafka_group_look *groups)
{
	size_t n = c->settings->ngroups, known = 0;
	CLEANUP(freep) const char **names = calloc(n + 1, sizeof(*names));
	rd_kafka_resp_err_t failed = RD_KAFKA_RESP_ERR__TIMED_OUT;
	rd_kafka_AdminOptions_t *o;
	rd_kafka_queue_t *q;
	rd_kafka_event_t *ev;

	for (size_t i = 0; names != NULL && i < n; i++)
		if (groups[i].committed != NULL)
			names[known++] = groups[i].of->name;
	if (known == 0)
		return names != NULL ? RD_KAFKA_RESP_ERR_NO_ERROR : RD_KAFKA_RESP_ERR__FAIL;
	o = rd_kafka_AdminOptions_new(c->rk, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS);
	(void)rd_kafka_AdminOptions_set_request_timeout(o, (int)(c->settings->limits.timeout_ns / 1000000), NULL, 0);
	q = rd_kafka_queue_new(c->rk);
	rd_kafka_DescribeConsumerGroups(c->rk, names, known, o, q);
	rd_kafka_AdminOptions_destroy(o);
	ev = kafka_client_wait(c, q, time_monotonic() + c->settings->limits.timeout_ns + GRACE_NS);
	if (ev != NULL) {
		failed = take_descriptions(groups, n, ev);
		rd_kafka_event_destroy(ev);
	}
	rd_kafka_queue_destroy(q);
	c->stuck |= failed == RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE;
	return failed;
}
