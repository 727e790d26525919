#include "config.h"

#include "lab_hub.h"

#include <stdlib.h>

#include "lab_cluster.h"
#include "lab_json.h"
#include "lab_session.h"

#define TEXT_MAX ((size_t)1 << 20)

void
hub_request(struct lab *lab, const struct request *r)
{
	uint32_t node = ring_node(&lab->ring, slice_of(r->topic.s));

	if (node == lab->self)
		topic_request(lab, r);
	else
		cluster_request(lab, node, r);
}

void
hub_send(struct lab *lab, struct origin to, struct slice text)
{
	struct session *s = to.node == lab->self ? session_find(lab, to.session) : NULL;
	struct frame *f = s != NULL ? frame_ws(WS_TEXT, text) : NULL;

	if (to.node != lab->self)
		cluster_text(lab, to, text);
	if (s != NULL)
		session_send(lab, s, f);
	frame_unref(f);
}

void
hub_ctrl(struct lab *lab, const struct request *r, int code, const char *text, struct slice params)
{
	bool made = code == 200 && slice_has_prefix(slice_of(r->shown.s), SLICE("new"));
	struct buf out = BUF_INIT(TEXT_MAX);

	go_ctrl(&out, json_str(r->body, "id"), slice_of(made ? r->topic.s : r->shown.s), params, code, text, r->ts);
	lab->counters.ctrl[code / 100]++;
	hub_send(lab, r->from, buf_slice(&out));
	buf_done(&out);
}

void
hub_attach(struct lab *lab, const struct request *r, enum attach_change change)
{
	struct session *s = r->from.node == lab->self ? session_find(lab, r->from.session) : NULL;

	if (r->from.node != lab->self)
		cluster_attach(lab, r->from, r->topic.s, change);
	if (s != NULL)
		session_attach(s, r->topic.s, change);
}

static bool
spread_to(const struct topic *t, const struct attached *a, const struct spread *how)
{
	const struct member *m = &t->members.v[a->member];

	if (how->skip != NULL && a->session == how->skip->from.session && a->node == how->skip->from.node)
		return false;
	return (how->only == 0 || m->uid == how->only) && m->uid != how->except && (member_mode(m) & how->mode) == how->mode;
}

void
hub_spread(struct lab *lab, const struct topic *t, const struct spread *how, struct slice text)
{
	struct frame *f = frame_ws(WS_TEXT, text);
	uint64_t *away = lab->nodes > 1 ? malloc((t->attached.n + 1) * sizeof(*away)) : NULL;

	for (uint32_t node = 0; node < lab->nodes && f != NULL; node++) {
		size_t n = 0;

		for (size_t i = 0; i < t->attached.n; i++) {
			const struct attached *a = &t->attached.v[i];
			struct session *s = a->node == node && node == lab->self ? session_find(lab, a->session) : NULL;

			if (a->node != node || !spread_to(t, a, how))
				continue;
			lab->counters.delivered++;
			if (s != NULL)
				session_send(lab, s, f);
			else if (away != NULL && node != lab->self)
				away[n++] = a->session;
		}
		if (n > 0)
			cluster_spread(lab, node, away, n, text);
	}
	free(away);
	frame_unref(f);
}

void
hub_pres_me(struct lab *lab, uint64_t uid, struct slice src, const char *what, struct slice extra, bool ask)
{
	uint32_t node = ring_node(&lab->ring, slice_of(name_number("usr", uid).s));

	if (lab->options.null_server)
		return;
	if (node == lab->self)
		topic_pres_me(lab, uid, src, what, extra, ask);
	else
		cluster_pres_me(lab, node, uid, src, what, extra, ask);
}
