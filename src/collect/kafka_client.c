#include "config.h"

#include "collect/kafka.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/time.h"

#define POLL_MS 100	       /* how soon *stop is seen */
#define DOWN_NS (2 * NS_PER_S) /* for brokers that refused to come back; librdkafka tells that once, and goes on trying */

/* ------------------------------------------------------------------ errors */

/* What librdkafka told by itself since the last look. */
static void
hear(struct kafka_client *c)
{
	rd_kafka_event_t *ev;

	while ((ev = rd_kafka_queue_poll(c->events, 0)) != NULL) {
		if (rd_kafka_event_type(ev) == RD_KAFKA_EVENT_ERROR) {
			rd_kafka_resp_err_t code = rd_kafka_event_error(ev);

			c->down |= code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
			c->refused |= code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL;
			if (code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) /* the reason was told before */
				snprintf(c->why, sizeof(c->why), "%s", rd_kafka_event_error_string(ev));
		}
		rd_kafka_event_destroy(ev); /* a line of its log says the same in more words */
	}
}

/* A broker answered: what was told before explains nothing any more. */
static void
forget_errors(struct kafka_client *c)
{
	hear(c);
	c->why[0] = '\0';
	c->down = c->refused = false;
}

static bool
is_about_connection(rd_kafka_resp_err_t code)
{
	return code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__TIMED_OUT ||
	    code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || code == RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE;
}

enum imp_rc
kafka_client_error(struct kafka_client *c, rd_kafka_resp_err_t code, const char *doing, struct imp_err *err)
{
	const struct kafka_settings *s = c->settings;

	hear(c);
	if (code == RD_KAFKA_RESP_ERR__TIMED_OUT && c->why[0] == '\0')
		imp_err_set(err, IMP_E_UNAVAILABLE, "kafka '%s' at %s: %s: no answer in time", s->source, s->bootstrap, doing);
	else
		imp_err_set(err, IMP_E_UNAVAILABLE, "kafka '%s' at %s: %s: %s", s->source, s->bootstrap, doing,
		    is_about_connection(code) && c->why[0] != '\0' ? c->why : rd_kafka_err2str(code));
	if (c->refused)
		imp_err_hint(err, "check security.protocol, sasl.* and ssl.* in `properties`");
	else if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
		imp_err_hint(err, "check the topic's name; nothing is made here that is not there");
	else if (kafka_status(code) == ASKED_DENIED)
		imp_err_hint(err, "docs/collect.md has the rights that the account needs");
	else if (is_about_connection(code))
		imp_err_hint(err, "check `bootstrap`, the listeners that the brokers advertise, and `timeout`");
	return IMP_E_UNAVAILABLE;
}

enum asked_status
kafka_status(rd_kafka_resp_err_t code)
{
	switch (code) {
	case RD_KAFKA_RESP_ERR_NO_ERROR:
		return ASKED_OK;
	case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
	case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
	case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
		return ASKED_DENIED;
	case RD_KAFKA_RESP_ERR__TIMED_OUT:
	case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
	case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
		return ASKED_TIMEOUT;
	case RD_KAFKA_RESP_ERR__TRANSPORT:
	case RD_KAFKA_RESP_ERR__RESOLVE:
	case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
		return ASKED_UNREACHABLE;
	default:
		return ASKED_FAILED;
	}
}

/* ------------------------------------------------------------------ life */

/* What the user's properties cannot change (kafka_settings.c), and defaults that they can. The group is for librdkafka, which crashes
 * when a broker is no longer the coordinator of a group whose offsets it is asked for, and the client has none of its own (its issue
 * 5040). Nobody joins it: that takes a subscription. A client that reads records has none, so that it cannot commit for it either. */
static enum imp_rc
make_conf(const struct kafka_settings *s, bool reads, rd_kafka_conf_t *conf, struct imp_err *err)
{
	const char *const defaults[][2] = {
		{ "client.id", "impaudit" },
		{ "log_level", "3" },
		{ "queued.max.messages.kbytes", "16384" },
		{ NULL, NULL },
	};
	const char *group = !reads && s->ngroups > 0 ? s->groups[0].name : NULL;
	const char *const fixed[][2] = {
		{ "bootstrap.servers", s->bootstrap },
		{ "isolation.level", reads ? "read_committed" : "read_uncommitted" },
		{ "enable.auto.commit", "false" },
		{ "allow.auto.create.topics", "false" },
		{ "enable.partition.eof", "true" },
		{ "log.queue", "true" },
		{ group != NULL ? "group.id" : NULL, group },
		{ NULL, NULL },
	};
	char why[256] = "";
	rd_kafka_conf_res_t result = RD_KAFKA_CONF_OK;

	for (size_t i = 0; result == RD_KAFKA_CONF_OK && defaults[i][0] != NULL; i++)
		result = rd_kafka_conf_set(conf, defaults[i][0], defaults[i][1], why, sizeof(why));
	for (size_t i = 0; result == RD_KAFKA_CONF_OK && i < s->nproperties; i++) {
		const struct kafka_property *p = &s->properties[i];

		result = rd_kafka_conf_set(conf, p->name, p->text != NULL ? p->text : p->secret.p, NULL, 0);
	}
	for (size_t i = 0; result == RD_KAFKA_CONF_OK && fixed[i][0] != NULL; i++)
		result = rd_kafka_conf_set(conf, fixed[i][0], fixed[i][1], why, sizeof(why));
	rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG);
	return result == RD_KAFKA_CONF_OK ? IMP_OK : imp_err_set(err, IMP_E_RULE, "kafka '%s': %s", s->source, why);
}

enum imp_rc
kafka_client_open(struct kafka_client *c, const struct kafka_settings *settings, bool reads, const volatile sig_atomic_t *stop,
    struct imp_err *err)
{
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	char why[256] = "";
	enum imp_rc rc = make_conf(settings, reads, conf, err);

	*c = (struct kafka_client){ .settings = settings, .stop = stop };
	if (rc == IMP_OK) {
		c->rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof(why));
		if (c->rk == NULL)
			rc = imp_err_set(err, IMP_E_RULE, "kafka '%s': %s", settings->source, why);
	}
	if (rc != IMP_OK) {
		rd_kafka_conf_destroy(conf);
		return rc;
	}
	c->events = rd_kafka_queue_get_main(c->rk);
	rd_kafka_set_log_queue(c->rk, NULL);
	return IMP_OK;
}

void
kafka_client_close(struct kafka_client *c)
{
	for (size_t i = 0; i < c->nhandles; i++)
		rd_kafka_topic_destroy(c->handles[i]);
	free(c->handles);
	if (c->events != NULL)
		rd_kafka_queue_destroy(c->events);
	if (c->rk != NULL && !c->stuck)
		rd_kafka_destroy_flags(c->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE); /* there is no group to leave */
	*c = (struct kafka_client){ .rk = NULL };
}

enum imp_rc
kafka_client_watch(struct kafka_client *c, const char *topic, rd_kafka_topic_t **ret, struct imp_err *err)
{
	rd_kafka_topic_conf_t *conf;
	rd_kafka_topic_t *t;
	enum imp_rc rc;

	for (size_t i = 0; i < c->nhandles; i++) {
		if (strcmp(rd_kafka_topic_name(c->handles[i]), topic) == 0) {
			*ret = c->handles[i];
			return IMP_OK;
		}
	}
	rc = mem_grow(NULL, (void **)&c->handles, &c->handles_cap, c->nhandles + 1, sizeof(*c->handles), err);
	if (rc != IMP_OK)
		return rc;
	conf = rd_kafka_topic_conf_new();
	(void)rd_kafka_topic_conf_set(conf, "auto.commit.enable", "false", NULL, 0);
	(void)rd_kafka_topic_conf_set(conf, "auto.offset.reset", "error", NULL, 0);
	t = rd_kafka_topic_new(c->rk, topic, conf);
	if (t == NULL) {
		rd_kafka_topic_conf_destroy(conf);
		return imp_err_set(err, IMP_E_RULE, "kafka '%s': '%s' is no name of a topic", c->settings->source, topic);
	}
	c->handles[c->nhandles++] = t;
	*ret = t;
	return IMP_OK;
}

/* ------------------------------------------------------------------ requests */

static bool
told_to_stop(const struct kafka_client *c)
{
	return c->stop != NULL && *c->stop;
}

rd_kafka_event_t *
kafka_client_wait(struct kafka_client *c, rd_kafka_queue_t *q, int64_t deadline)
{
	rd_kafka_event_t *ev = NULL;

	while (ev == NULL && !told_to_stop(c) && time_monotonic() < deadline) {
		ev = rd_kafka_queue_poll(q, POLL_MS);
		hear(c);
	}
	return ev;
}

/* Wait until some broker has answered, no longer than it takes to know that none will. */
static rd_kafka_resp_err_t
reach(struct kafka_client *c, int64_t timeout_ns)
{
	bool was_down = c->down;
	int64_t deadline = time_monotonic() + (was_down && timeout_ns > DOWN_NS ? DOWN_NS : timeout_ns);

	for (;;) {
		char *id = rd_kafka_clusterid(c->rk, POLL_MS);

		if (id != NULL) {
			rd_kafka_mem_free(c->rk, id);
			forget_errors(c);
			return RD_KAFKA_RESP_ERR_NO_ERROR;
		}
		hear(c);
		if ((c->down && !was_down) || c->refused)
			return RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
		if (told_to_stop(c) || time_monotonic() >= deadline)
			return RD_KAFKA_RESP_ERR__TIMED_OUT;
	}
}

enum imp_rc
kafka_client_metadata(struct kafka_client *c, const struct rd_kafka_metadata **ret, unsigned *ret_tries, struct imp_err *err)
{
	struct retry r = retry_begin(&c->settings->limits, c->stop);
	rd_kafka_resp_err_t failed;

	do {
		failed = reach(c, retry_timeout_ms(&r) * 1000000);
		if (failed == RD_KAFKA_RESP_ERR_NO_ERROR)
			failed = rd_kafka_metadata(c->rk, 0, NULL, ret, (int)retry_timeout_ms(&r));
	} while (failed != RD_KAFKA_RESP_ERR_NO_ERROR && !c->refused && retry_again(&r));
	*ret_tries = r.tries;
	return failed == RD_KAFKA_RESP_ERR_NO_ERROR ? IMP_OK : kafka_client_error(c, failed, "could not get metadata", err);
}

enum imp_rc
kafka_client_offsets(struct kafka_client *c, rd_kafka_topic_partition_list_t *list, unsigned *ret_tries, struct imp_err *err)
{
	struct retry r = retry_begin(&c->settings->limits, c->stop);
	rd_kafka_topic_partition_list_t *asked = rd_kafka_topic_partition_list_copy(list);
	rd_kafka_resp_err_t failed = RD_KAFKA_RESP_ERR_NO_ERROR;

	forget_errors(c);
	do {
		for (int i = 0; i < list->cnt; i++)
			list->elems[i].offset = asked->elems[i].offset;
		if (list->cnt > 0)
			failed = rd_kafka_offsets_for_times(c->rk, list, (int)retry_timeout_ms(&r));
	} while (failed != RD_KAFKA_RESP_ERR_NO_ERROR && retry_again(&r));
	rd_kafka_topic_partition_list_destroy(asked);
	*ret_tries = r.tries;
	return failed == RD_KAFKA_RESP_ERR_NO_ERROR ? IMP_OK : kafka_client_error(c, failed, "could not get offsets", err);
}
