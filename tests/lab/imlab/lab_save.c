#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "lab_change.h"
#include "lab_json.h"
#include "lab_store.h"
#include "lab_topic.h"

#define TAIL_MAX ((size_t)1 << 20)
#define QUEUE_MAX 192 /* of a topic: those that wait for the one that is being stored */
#define RESERVE 100   /* numbers that a topic takes ahead where the store does not count */

void
add_tail(struct buf *out, struct json_object *head, struct json_object *content)
{
	if (json_object_get_type(head) == json_type_object && json_object_object_length(head) > 0) {
		buf_add_str(out, "\"head\":");
		go_value(out, head);
		buf_add_char(out, ',');
	}
	buf_add_str(out, "\"content\":");
	go_value(out, content);
}

static void
save_free(struct save *s)
{
	json_object_put(s->request.body);
	buf_done(&s->head);
	buf_done(&s->content);
	free(s->message.tail);
	free(s);
}

static struct save *
save_new(struct lab *lab, struct topic *t, const struct request *r)
{
	struct json_object *head = json_member(r->body, "head"), *content = json_member(r->body, "content");
	struct buf tail = BUF_INIT(TAIL_MAX);
	struct save *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	*s = (struct save){ .lab = lab, .topic = t, .request = *r, .head = BUF_INIT(TAIL_MAX), .content = BUF_INIT(TAIL_MAX) };
	s->request.body = json_object_get(r->body);
	s->began = time_monotonic();
	s->message = (struct message){ .from = r->uid, .ts = r->ts };
	add_tail(&tail, head, content);
	s->message.tail = tail.p;
	if (json_object_get_type(head) == json_type_object && json_object_object_length(head) > 0)
		go_value(&s->head, head);
	go_value(&s->content, content);
	if (buf_status(&tail, NULL) == IMP_OK && buf_status(&s->head, NULL) == IMP_OK && buf_status(&s->content, NULL) == IMP_OK)
		return s;
	save_free(s);
	return NULL;
}

/* Begin with the first of the topic's queue. */
static void
save_begin(struct topic *t)
{
	struct save *s = t->saving;

	s->message.seq = t->seq + 1;
	if (s->lab->options.kafka != NULL && s->message.seq > t->reserved) {
		t->reserved = t->seq + RESERVE;
		change_topic(s->lab, t);
	}
	store_save(s->lab->store, s);
}

static void
queue_full(struct lab *lab, const struct topic *t, const struct request *r)
{
	if (r->from.node == lab->self) {
		log_line(&lab->log, 'E', "session.go:720", "s.publish: sub.broadcast channel full, topic  %s", t->name.s);
		hub_ctrl(lab, r, 503, "service unavailable", SLICE(""));
	} else {
		/* the server tells nobody */
		log_line(&lab->log, 'E', "hub.go:231", "hub: topic's broadcast queue is full %s", t->name.s);
	}
}

void
topic_save(struct lab *lab, struct topic *t, const struct request *r)
{
	struct save *s, **end = &t->saving;

	lab->counters.queued += t->nsaving <= QUEUE_MAX;
	lab->counters.queue_full += t->nsaving > QUEUE_MAX;
	if (t->nsaving > QUEUE_MAX) {
		queue_full(lab, t, r);
		return;
	}
	s = save_new(lab, t, r);
	if (s == NULL) {
		hub_ctrl(lab, r, 500, "internal error", SLICE(""));
		return;
	}
	while (*end != NULL)
		end = &(*end)->next;
	*end = s;
	if (++t->nsaving > 1)
		return;
	if (lab->store != NULL) {
		save_begin(t);
		return;
	}
	s->message.seq = t->seq + 1;
	if (!lab->options.null_server && VEC_PUSH(NULL, &t->messages, s->message, NULL) != IMP_OK)
		snprintf(s->failed, sizeof(s->failed), "out of memory");
	save_done(s);
}

void
save_done(struct save *s)
{
	struct topic *t = s->topic;
	struct lab *lab = s->lab;
	bool kept = lab->store == NULL && !lab->options.null_server && s->failed[0] == '\0';

	t->saving = s->next;
	t->nsaving--;
	histogram_add(&lab->counters.save_time, time_monotonic() - s->began);
	lab->counters.stored += s->failed[0] == '\0';
	lab->counters.store_failed += s->failed[0] != '\0';
	if (s->failed[0] == '\0') {
		topic_published(lab, t, &s->request, &s->message);
	} else {
		log_line(&lab->log, 'W', "topic.go:1031", "topic[%s]: failed to save message: %s", t->name.s, s->failed);
		log_line(&lab->log, 'E', "topic.go:1128", "topic[%s]: failed to save messagge - %s", t->name.s, s->failed);
		hub_ctrl(lab, &s->request, 500, "internal error", SLICE(""));
	}
	if (kept)
		s->message.tail = NULL; /* the topic's now */
	save_free(s);
	if (t->saving != NULL)
		save_begin(t);
}
