#include "config.h"

#include "lab_cluster.h"

#include <stdlib.h>

#include "lab_change.h"
#include "lab_json.h"
#include "lab_session.h"
#include "lab_topic.h"

#define MESSAGE_MAX ((size_t)8 << 20)

enum message_kind {
	SAY_REQUEST = 'R',
	SAY_ATTACH = 'A',
	SAY_SPREAD = 'S',
	SAY_PRES_ME = 'P',
	SAY_USER = 'U',
	SAY_TOPIC = 'T',
	SAY_MEMBER = 'M',
	SAY_SYNC = 'Y',	  /* tell me when you are here */
	SAY_SYNCED = 'Z', /* I am */
};

/* Writing and reading fields in the order of the sender; both ends are the same program on the same kind of machine. */

static void
put_u64(struct buf *out, uint64_t v)
{
	buf_add(out, &v, sizeof(v));
}

static void
put_text(struct buf *out, struct slice s)
{
	put_u64(out, s.n);
	buf_add_slice(out, s);
}

/* NULL comes back as NULL. */
static void
put_json(struct buf *out, const char *json)
{
	put_text(out, slice_of(json));
}

struct fields {
	struct slice rest;
	bool broken;
};

static uint64_t
get_u64(struct fields *f)
{
	uint64_t v = 0;

	if (f->rest.n < sizeof(v)) {
		f->broken = true;
		return 0;
	}
	memcpy(&v, f->rest.p, sizeof(v));
	f->rest.p += sizeof(v);
	f->rest.n -= sizeof(v);
	return v;
}

static struct slice
get_text(struct fields *f)
{
	uint64_t n = get_u64(f);
	struct slice s = { f->rest.p, (size_t)n };

	if (n > f->rest.n) {
		f->broken = true;
		return SLICE("");
	}
	f->rest.p += n;
	f->rest.n -= n;
	return s;
}

static void
get_json(struct fields *f, char **ret)
{
	struct slice s = get_text(f);

	free(*ret);
	*ret = s.n > 0 ? strndup(s.p, s.n) : NULL;
}

static void
to_all(struct lab *lab, const struct buf *message)
{
	for (uint32_t i = 0; i < lab->nodes && buf_status(message, NULL) == IMP_OK; i++) {
		if (i != lab->self)
			link_send(&lab->links, i, buf_slice(message));
	}
}

/* Requests */

static void
put_request(struct buf *out, const struct request *r)
{
	buf_add_char(out, SAY_REQUEST);
	put_u64(out, r->kind);
	put_u64(out, r->from.session);
	put_u64(out, r->uid);
	put_u64(out, r->attached);
	put_u64(out, (uint64_t)r->ts);
	put_text(out, slice_of(r->topic.s));
	put_text(out, slice_of(r->shown.s));
	put_json(out, r->body != NULL ? json_object_to_json_string_ext(r->body, JSON_C_TO_STRING_PLAIN) : NULL);
}

/* false when it is broken; `body` of a good one is the caller's to put. */
static bool
get_request(struct fields *f, uint32_t from, struct request *r)
{
	struct slice body;

	r->kind = (enum request_kind)get_u64(f);
	r->from.node = from;
	r->from.session = get_u64(f);
	r->uid = get_u64(f);
	r->attached = get_u64(f) != 0;
	r->ts = (int64_t)get_u64(f);
	r->topic = name_of(get_text(f));
	r->shown = name_of(get_text(f));
	body = get_text(f);
	r->body = body.n > 0 && !f->broken ? json_parse(body) : NULL;
	return !f->broken;
}

void
cluster_request(struct lab *lab, uint32_t node, const struct request *r)
{
	struct buf message = BUF_INIT(MESSAGE_MAX);

	put_request(&message, r);
	if (buf_status(&message, NULL) != IMP_OK)
		hub_ctrl(lab, r, 500, "internal error", SLICE(""));
	else if (r->kind == REQUEST_DETACH)
		link_send(&lab->links, node, buf_slice(&message));
	else
		link_request(&lab->links, node, buf_slice(&message));
	lab->counters.routed++;
	buf_done(&message);
}

static void
on_failed(struct links *links, uint32_t to, struct slice text, const char *why)
{
	static const struct {
		const char *place, *what;
	} logged[] = {
		[REQUEST_SUB] = { "topic_proxy.go:29", "join" },
		[REQUEST_LEAVE] = { "topic_proxy.go:166", "leave" },
		[REQUEST_PUB] = { "topic_proxy.go:53", "broadcast" },
		[REQUEST_GET] = { "topic_proxy.go:68", "meta" },
		[REQUEST_SET] = { "topic_proxy.go:68", "meta" },
		[REQUEST_DEL] = { "topic_proxy.go:68", "meta" },
		[REQUEST_NOTE] = { "topic_proxy.go:53", "broadcast" },
		[REQUEST_DETACH] = { "topic_proxy.go:166", "leave" },
	};
	struct lab *lab = links->user;
	struct fields f = { { text.p + 1, text.n - 1 }, false };
	struct request r;

	(void)to;
	lab->counters.routed--;
	lab->counters.route_failed++;
	if (!get_request(&f, links->self, &r))
		return;
	log_line(&lab->log, 'W', logged[r.kind].place, "%s[%s]: route %s request from proxy to master failed - %s",
	    r.kind == REQUEST_PUB || r.kind == REQUEST_NOTE ? "topic proxy" : "proxy topic", r.topic.s, logged[r.kind].what, why);
	if (r.kind != REQUEST_NOTE && r.kind != REQUEST_DETACH)
		hub_ctrl(lab, &r, 502, "cluster unreachable", SLICE(""));
	json_object_put(r.body);
}

/* To sessions */

void
cluster_text(struct lab *lab, struct origin to, struct slice text)
{
	cluster_spread(lab, to.node, &to.session, 1, text);
}

void
cluster_attach(struct lab *lab, struct origin to, const char *topic, enum attach_change change)
{
	struct buf message = BUF_INIT(MESSAGE_MAX);

	buf_add_char(&message, SAY_ATTACH);
	put_u64(&message, to.session);
	put_u64(&message, change);
	put_text(&message, slice_of(topic));
	link_send(&lab->links, to.node, buf_slice(&message));
	buf_done(&message);
}

static void
take_attach(struct lab *lab, struct fields *f)
{
	struct session *s = session_find(lab, get_u64(f));
	enum attach_change change = (enum attach_change)get_u64(f);
	struct name topic = name_of(get_text(f));

	if (s != NULL && !f->broken)
		session_attach(s, topic.s, change);
}

void
cluster_spread(struct lab *lab, uint32_t node, const uint64_t *sessions, size_t n, struct slice text)
{
	struct buf message = BUF_INIT(MESSAGE_MAX);

	buf_add_char(&message, SAY_SPREAD);
	put_text(&message, text);
	buf_add(&message, sessions, n * sizeof(*sessions));
	if (buf_status(&message, NULL) == IMP_OK)
		link_send(&lab->links, node, buf_slice(&message));
	buf_done(&message);
}

static void
take_spread(struct lab *lab, struct fields *f)
{
	struct frame *frame = frame_ws(WS_TEXT, get_text(f));

	while (frame != NULL && f->rest.n > 0 && !f->broken) {
		struct session *s = session_find(lab, get_u64(f));

		if (s != NULL)
			session_send(lab, s, frame);
	}
	frame_unref(frame);
}

void
cluster_pres_me(struct lab *lab, uint32_t node, uint64_t uid, struct slice src, const char *what, struct slice extra, bool ask)
{
	struct buf message = BUF_INIT(MESSAGE_MAX);

	buf_add_char(&message, SAY_PRES_ME);
	put_u64(&message, uid);
	put_u64(&message, ask);
	put_text(&message, src);
	put_text(&message, slice_of(what));
	put_text(&message, extra);
	link_send(&lab->links, node, buf_slice(&message));
	buf_done(&message);
}

static void
take_pres_me(struct lab *lab, struct fields *f)
{
	uint64_t uid = get_u64(f);
	bool ask = get_u64(f) != 0;
	struct slice src = get_text(f);
	struct name what = name_of(get_text(f));
	struct slice extra = get_text(f);

	if (!f->broken)
		topic_pres_me(lab, uid, src, what.s, extra, ask);
}

/* The directory */

static void
put_user(struct buf *out, const struct user *u)
{
	buf_add_char(out, SAY_USER);
	put_u64(out, u->uid);
	put_text(out, slice_of(u->login));
	put_text(out, (struct slice){ (const char *)u->salt, sizeof(u->salt) });
	put_text(out, (struct slice){ (const char *)u->hash, sizeof(u->hash) });
	put_u64(out, (uint64_t)u->created);
	put_u64(out, (uint64_t)u->updated);
	put_json(out, u->public_json);
}

static void
take_user(struct lab *lab, struct fields *f)
{
	uint64_t uid = get_u64(f);
	struct slice login = get_text(f), salt = get_text(f), hash = get_text(f);
	struct user *u = dir_user(&lab->dir, uid);

	if (u == NULL && !f->broken)
		u = dir_add_user(&lab->dir, uid, login);
	if (u == NULL || salt.n != sizeof(u->salt) || hash.n != sizeof(u->hash))
		return;
	memcpy(u->salt, salt.p, salt.n);
	memcpy(u->hash, hash.p, hash.n);
	u->created = (int64_t)get_u64(f);
	u->updated = (int64_t)get_u64(f);
	get_json(f, &u->public_json);
}

static void
put_topic(struct buf *out, const struct topic *t)
{
	buf_add_char(out, SAY_TOPIC);
	put_text(out, slice_of(t->name.s));
	put_u64(out, t->deleted);
	put_u64(out, t->owner);
	put_u64(out, t->access);
	put_u64(out, t->seq);
	put_u64(out, t->subcnt);
	put_u64(out, (uint64_t)t->created);
	put_u64(out, (uint64_t)t->updated);
	put_u64(out, (uint64_t)t->touched);
	put_json(out, t->public_json);
}

static void
take_topic(struct lab *lab, struct fields *f)
{
	struct slice name = get_text(f);
	struct topic *t = dir_topic(&lab->dir, name);
	bool deleted = get_u64(f) != 0;
	uint32_t seq;

	if (t == NULL && !f->broken)
		t = dir_add_topic(&lab->dir, name);
	if (t == NULL)
		return;
	t->deleted = deleted;
	t->owner = get_u64(f);
	t->access = (uint8_t)get_u64(f);
	seq = (uint32_t)get_u64(f);
	t->seq = seq > t->seq ? seq : t->seq;
	t->subcnt = (uint32_t)get_u64(f);
	t->created = (int64_t)get_u64(f);
	t->updated = (int64_t)get_u64(f);
	t->touched = (int64_t)get_u64(f);
	get_json(f, &t->public_json);
}

static void
put_member(struct buf *out, const struct topic *t, const struct member *m)
{
	buf_add_char(out, SAY_MEMBER);
	put_text(out, slice_of(t->name.s));
	put_u64(out, m->uid);
	put_u64(out, m->gone);
	put_u64(out, m->want);
	put_u64(out, m->given);
	put_u64(out, m->read);
	put_u64(out, m->recv);
	put_u64(out, (uint64_t)m->updated);
}

static void
take_member(struct lab *lab, struct fields *f)
{
	struct topic *t = dir_topic(&lab->dir, get_text(f));
	uint64_t uid = get_u64(f);
	struct member *m = t != NULL && !f->broken ? dir_add_member(&lab->dir, t, uid) : NULL;

	if (m == NULL)
		return;
	if (get_u64(f) != 0)
		dir_remove_member(t, m);
	m->want = (uint8_t)get_u64(f);
	m->given = (uint8_t)get_u64(f);
	m->read = (uint32_t)get_u64(f);
	m->recv = (uint32_t)get_u64(f);
	m->updated = (int64_t)get_u64(f);
}

void
cluster_user(struct lab *lab, const struct user *u)
{
	struct buf message = BUF_INIT(MESSAGE_MAX);

	put_user(&message, u);
	to_all(lab, &message);
	buf_done(&message);
}

void
cluster_topic(struct lab *lab, const struct topic *t)
{
	struct buf message = BUF_INIT(MESSAGE_MAX);

	put_topic(&message, t);
	to_all(lab, &message);
	buf_done(&message);
}

void
cluster_member(struct lab *lab, const struct topic *t, const struct member *m)
{
	struct buf message = BUF_INIT(MESSAGE_MAX);

	put_member(&message, t, m);
	to_all(lab, &message);
	buf_done(&message);
}

static void
put_sync(struct buf *out, enum message_kind kind, uint64_t number)
{
	buf_add_char(out, (char)kind);
	put_u64(out, number);
}

void
cluster_sync(struct lab *lab, uint64_t number)
{
	struct buf message = BUF_INIT(MESSAGE_MAX);

	put_sync(&message, SAY_SYNC, number);
	to_all(lab, &message);
	buf_done(&message);
}

static void
take_sync(struct lab *lab, uint32_t from, struct fields *f)
{
	struct buf message = BUF_INIT(MESSAGE_MAX);

	put_sync(&message, SAY_SYNCED, get_u64(f));
	link_send(&lab->links, from, buf_slice(&message));
	buf_done(&message);
}

static void
take_synced(struct lab *lab, uint32_t from, struct fields *f)
{
	lab->changes_taken[from] = get_u64(f);
	change_taken(lab);
}

/* Peers come and go */

static void
tell(struct lab *lab, uint32_t peer, struct buf *message)
{
	if (buf_status(message, NULL) == IMP_OK)
		link_send(&lab->links, peer, buf_slice(message));
	buf_clear(message);
}

static void
on_up(struct links *links, uint32_t peer)
{
	struct lab *lab = links->user;
	struct buf message = BUF_INIT(MESSAGE_MAX);

	log_line(&lab->log, 'I', "cluster.go:273", "cluster: connected to %s", links->peer[peer].name);
	/* what is awaited of it comes with all the rest */
	lab->changes_taken[peer] = lab->changes;
	change_taken(lab);
	for (size_t i = 0; i < lab->dir.users.n; i++) {
		put_user(&message, lab->dir.users.v[i]);
		tell(lab, peer, &message);
	}
	for (size_t i = 0; i < lab->dir.topics.n; i++) {
		const struct topic *t = lab->dir.topics.v[i];

		if (t->kind == TOPIC_ME)
			continue;
		put_topic(&message, t);
		tell(lab, peer, &message);
		for (size_t k = 0; k < t->members.n; k++) {
			put_member(&message, t, &t->members.v[k]);
			tell(lab, peer, &message);
		}
	}
	buf_done(&message);
}

/* The sessions here that were attached to topics of a lost node. */
static void
tell_gone(struct lab *lab, struct session *s, uint32_t peer)
{
	for (size_t i = 0; i < s->attached.n;) {
		struct name topic = s->attached.v[i];
		struct name shown = topic;
		struct buf text = BUF_INIT(1024);

		if (ring_node(&lab->ring, slice_of(topic.s)) != peer) {
			i++;
			continue;
		}
		if (topic.s[0] == 'u')
			shown = name_of(SLICE("me"));
		else if (topic.s[0] == 'p')
			shown = name_number("usr", name_p2p_other(topic.s, s->uid));
		buf_addf(&text, "{\"pres\":{\"topic\":\"%s\",\"what\":\"term\"}}", shown.s);
		hub_send(lab, (struct origin){ lab->self, s->number }, buf_slice(&text));
		buf_done(&text);
		session_attach(s, topic.s, ATTACH_OFF);
	}
}

static void
on_lost(struct links *links, uint32_t peer)
{
	(void)peer;
	change_taken(links->user);
}

static void
on_down(struct links *links, uint32_t peer)
{
	struct lab *lab = links->user;

	for (size_t i = 0; i < lab->dir.topics.n; i++)
		topic_node_lost(lab, lab->dir.topics.v[i], peer);
	for (size_t i = 0; i < lab->sessions.n; i++) {
		if (lab->sessions.v[i] != NULL)
			tell_gone(lab, lab->sessions.v[i], peer);
	}
	log_line(&lab->log, 'W', "cluster.go:315", "cluster: call failed %s connection is shut down", links->peer[peer].name);
}

static void
on_message(struct links *links, uint32_t from, struct slice message)
{
	struct lab *lab = links->user;
	struct fields f = { { message.p + 1, message.n - 1 }, message.n == 0 };
	struct request r;

	if (f.broken)
		return;
	switch ((enum message_kind)message.p[0]) {
	case SAY_REQUEST:
		if (get_request(&f, from, &r)) {
			topic_request(lab, &r);
			json_object_put(r.body);
		}
		break;
	case SAY_SPREAD:
		take_spread(lab, &f);
		break;
	case SAY_ATTACH:
		take_attach(lab, &f);
		break;
	case SAY_PRES_ME:
		take_pres_me(lab, &f);
		break;
	case SAY_USER:
		take_user(lab, &f);
		break;
	case SAY_TOPIC:
		take_topic(lab, &f);
		break;
	case SAY_MEMBER:
		take_member(lab, &f);
		break;
	case SAY_SYNC:
		take_sync(lab, from, &f);
		break;
	case SAY_SYNCED:
		take_synced(lab, from, &f);
		break;
	}
}

const struct link_handlers cluster_handlers = {
	.on_message = on_message,
	.on_failed = on_failed,
	.on_up = on_up,
	.on_lost = on_lost,
	.on_down = on_down,
};
