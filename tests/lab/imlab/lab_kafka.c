#include "config.h"

#include "lab_kafka.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lab_json.h"

#define LINE_MAX_BYTES ((size_t)2 << 20)
#define CLOSE_WAIT_MS 5000
#define MS INT64_C(1000000)

struct kafka {
	struct lab *lab;
	rd_kafka_t *producer;
	int event; /* there are delivery reports */
	uv_poll_t poll;
	uint64_t last_ms, in_ms; /* of the last id */
};

/* Ids grow with time and differ between nodes: milliseconds, node, count. */
static uint64_t
snowflake(struct kafka *k, int64_t ts)
{
	uint64_t ms = (uint64_t)(ts / MS);

	if (ms > k->last_ms) {
		k->last_ms = ms;
		k->in_ms = 0;
	} else if (++k->in_ms == 4096) {
		k->last_ms++;
		k->in_ms = 0;
	}
	return k->last_ms << 22 | (uint64_t)k->lab->self << 12 | k->in_ms;
}

static void
on_report(rd_kafka_t *producer, const rd_kafka_message_t *m, void *opaque)
{
	struct save *save = m->_private;

	(void)producer;
	(void)opaque;
	if (m->err != RD_KAFKA_RESP_ERR_NO_ERROR)
		snprintf(save->failed, sizeof(save->failed), "kafka: %s", rd_kafka_err2str(m->err));
	save_done(save);
}

static void
on_event(uv_poll_t *poll, int status, int events)
{
	struct kafka *k = poll->data;
	uint64_t n;

	(void)status;
	(void)events;
	if (read(k->event, &n, sizeof(n)) == sizeof(n))
		rd_kafka_poll(k->producer, 0);
}

static enum imp_rc
set(rd_kafka_conf_t *conf, const char *key, const char *value, struct imp_err *err)
{
	char why[256];

	return rd_kafka_conf_set(conf, key, value, why, sizeof(why)) == RD_KAFKA_CONF_OK ? IMP_OK :
											   imp_err_set(err, IMP_E_USAGE, "%s", why);
}

enum imp_rc
kafka_open(struct lab *lab, struct kafka **ret, struct imp_err *err)
{
	static const uint64_t one = 1;
	struct kafka *k = calloc(1, sizeof(*k));
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	char why[256] = "out of memory";
	enum imp_rc rc = set(conf, "bootstrap.servers", lab->options.kafka, err);

	if (rc == IMP_OK)
		rc = set(conf, "acks", "all", err);
	if (rc == IMP_OK)
		rc = set(conf, "linger.ms", "0", err);
	if (rc == IMP_OK)
		rc = set(conf, "message.timeout.ms", "5000", err);
	rd_kafka_conf_set_dr_msg_cb(conf, on_report);
	if (rc == IMP_OK && k != NULL)
		k->producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof(why));
	if (rc != IMP_OK || k == NULL || k->producer == NULL) {
		rd_kafka_conf_destroy(conf);
		free(k);
		return rc != IMP_OK ? rc : imp_err_set(err, IMP_E_UNAVAILABLE, "Kafka: %s", why);
	}
	k->lab = lab;
	k->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	k->poll.data = k;
	uv_poll_init(&lab->loop, &k->poll, k->event);
	uv_poll_start(&k->poll, UV_READABLE, on_event);
	rd_kafka_queue_t *queue = rd_kafka_queue_get_main(k->producer);
	rd_kafka_queue_io_event_enable(queue, k->event, &one, sizeof(one));
	rd_kafka_queue_destroy(queue);
	*ret = k;
	return IMP_OK;
}

void
kafka_close(struct kafka *k)
{
	if (k == NULL)
		return;
	rd_kafka_flush(k->producer, CLOSE_WAIT_MS);
	rd_kafka_destroy(k->producer);
	close(k->event);
	free(k);
}

static void
add_line(struct buf *out, struct kafka *k, const struct save *save)
{
	struct slice mid = json_str(json_member(save->request.body, "head"), "x-im-client-mid");

	buf_add_str(out, "{\"mid\":");
	go_string(out, mid);
	buf_addf(out, ",\"topic\":\"%s\",\"seq\":%u,\"id\":\"%llu\",\"from\":\"%s\",\"ts\":%lld", save->topic->name.s,
	    save->message.seq, (unsigned long long)snowflake(k, save->message.ts), name_number("usr", save->message.from).s,
	    (long long)(save->message.ts / MS));
	if (save->head.n > 0)
		buf_addf(out, ",\"head\":%s", save->head.p);
	buf_addf(out, ",\"content\":%s}", save->content.p);
}

void
kafka_save(struct kafka *k, struct save *save)
{
	const char *topic = save->topic->kind == TOPIC_GROUP ? KAFKA_TOPIC_GROUP : KAFKA_TOPIC_P2P;
	const char *key = save->topic->name.s;
	struct buf line = BUF_INIT(LINE_MAX_BYTES);
	rd_kafka_resp_err_t e = RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;

	add_line(&line, k, save);
	if (buf_status(&line, NULL) == IMP_OK)
		e = rd_kafka_producev(k->producer, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_KEY(key, strlen(key)),
		    RD_KAFKA_V_VALUE(line.p, line.n), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_OPAQUE(save),
		    RD_KAFKA_V_END);
	buf_done(&line);
	if (e != RD_KAFKA_RESP_ERR_NO_ERROR) {
		snprintf(save->failed, sizeof(save->failed), "kafka: %s", rd_kafka_err2str(e));
		save_done(save);
	}
}
