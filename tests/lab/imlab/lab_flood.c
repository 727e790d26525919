#include "config.h"

#include "lab_flood.h"

#include <stdlib.h>

#include "base/time.h"
#include "lab_json.h"
#include "lab_session.h"

#define TICK_MS 1
#define LOOK_TICKS 50 /* between looks whether it is time to begin */
/* After a pause what was missed is not made up for beyond this. */
#define BEHIND_MAX (NS_PER_S / 10)

struct flood {
	uv_timer_t timer;
	struct lab *lab;
	int64_t began; /* monotonic; 0: not yet */
	uint64_t sent; /* since then */
	size_t turn;   /* slot of the next session */
	uint64_t number;
	struct buf text;
};

static const char *
flood_topic(const struct session *s)
{
	for (size_t i = 0; s != NULL && i < s->attached.n; i++) {
		if (s->attached.v[i].s[0] != 'u')
			return s->attached.v[i].s;
	}
	return NULL;
}

static uint64_t
sockets(const struct lab *lab)
{
	uint64_t n = 0;

	for (size_t i = 0; i < lab->sessions.n; i++)
		n += flood_topic(lab->sessions.v[i]) != NULL;
	return n;
}

static void
send_one(struct flood *flood, struct session *s, const char *topic, int64_t ts)
{
	struct topic *t = dir_topic(&flood->lab->dir, slice_of(topic));
	uint64_t other = t != NULL && t->kind == TOPIC_P2P ? name_p2p_other(topic, s->uid) : 0;
	struct frame *f;

	if (t == NULL)
		return;
	buf_clear(&flood->text);
	buf_addf(&flood->text,
	    "{\"data\":{\"topic\":\"%s\",\"from\":\"%s\",\"ts\":", other != 0 ? name_number("usr", other).s : topic,
	    name_number("usr", other != 0 ? other : t->owner).s);
	go_time(&flood->text, ts);
	flood->number++;
	buf_addf(&flood->text, ",\"seq\":%u,\"head\":{\"x-im-client-mid\":\"flood-%012llu\"},\"content\":\"load flood-%012llu\"}}",
	    ++t->seq, (unsigned long long)flood->number, (unsigned long long)flood->number);
	f = frame_ws(WS_TEXT, buf_slice(&flood->text));
	session_send(flood->lab, s, f);
	frame_unref(f);
	flood->lab->counters.delivered++;
}

static void
on_timer(uv_timer_t *timer)
{
	struct flood *flood = timer->data;
	struct lab *lab = flood->lab;
	int64_t now = time_monotonic(), ts = time_now();
	uint64_t due;

	if (flood->began == 0) {
		if (++flood->turn % LOOK_TICKS != 0 || sockets(lab) < lab->options.flood_sockets)
			return;
		flood->began = now;
	}
	due = (uint64_t)((double)(now - flood->began) * (double)lab->options.flood / (double)NS_PER_S);
	for (size_t idle = 0; flood->sent < due && idle < lab->sessions.n;) {
		struct session *s = lab->sessions.v[flood->turn++ % lab->sessions.n];
		const char *topic = flood_topic(s);

		idle = topic == NULL ? idle + 1 : 0;
		for (uint64_t i = 0; topic != NULL && i < lab->options.flood_frames; i++, flood->sent++)
			send_one(flood, s, topic, ts);
	}
	if (due - flood->sent > lab->options.flood * BEHIND_MAX / NS_PER_S && flood->sent < due) {
		flood->began = now;
		flood->sent = 0;
	}
}

enum imp_rc
flood_start(struct lab *lab, struct imp_err *err)
{
	struct flood *flood = calloc(1, sizeof(*flood));

	if (flood == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	*flood = (struct flood){ .lab = lab, .text = BUF_INIT(4096) };
	flood->timer.data = flood;
	uv_timer_init(&lab->loop, &flood->timer);
	uv_timer_start(&flood->timer, on_timer, TICK_MS, TICK_MS);
	lab->flood = flood;
	return IMP_OK;
}

static void
on_closed(uv_handle_t *timer)
{
	struct flood *flood = timer->data;

	buf_done(&flood->text);
	free(flood);
}

void
flood_stop(struct lab *lab)
{
	if (lab->flood != NULL)
		uv_close((uv_handle_t *)&lab->flood->timer, on_closed);
	lab->flood = NULL;
}
