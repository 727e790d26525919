#include "config.h"

#include "lab_topic.h"

#include <stdlib.h>

#include "lab_change.h"
#include "lab_json.h"

#define TEXT_MAX ((size_t)1 << 20)

struct name
topic_seen_by(const struct topic *t, uint64_t uid)
{
	switch (t->kind) {
	case TOPIC_ME:
		return name_of(SLICE("me"));
	case TOPIC_P2P:
		return t->by_name ? t->name : name_number("usr", name_p2p_other(t->name.s, uid));
	case TOPIC_GROUP:
		break;
	}
	return t->name;
}

void
add_acs(struct buf *out, uint8_t want, uint8_t given)
{
	buf_add_str(out, "\"acs\":{\"want\":\"");
	mode_add(out, want);
	buf_add_str(out, "\",\"given\":\"");
	mode_add(out, given);
	buf_add_str(out, "\",\"mode\":\"");
	mode_add(out, want & given);
	buf_add_str(out, "\"}");
}

void
answer_acs(struct lab *lab, const struct request *r, const struct member *m, bool with_user)
{
	struct buf params = BUF_INIT(1024);

	buf_add_char(&params, '{');
	add_acs(&params, m->want, m->given);
	if (slice_has_prefix(slice_of(r->shown.s), SLICE("new")))
		buf_addf(&params, ",\"tmpname\":\"%s\"", r->shown.s);
	if (with_user)
		buf_addf(&params, ",\"user\":\"%s\"", name_number("usr", m->uid).s);
	buf_add_char(&params, '}');
	hub_ctrl(lab, r, 200, "ok", buf_slice(&params));
	buf_done(&params);
}

/* Presence */

void
topic_pres_me(struct lab *lab, uint64_t uid, struct slice src, const char *what, struct slice extra, bool ask)
{
	const struct topic *me = dir_topic(&lab->dir, slice_of(name_number("usr", uid).s));
	struct buf text = BUF_INIT(4096);

	if (me == NULL || me->attached.n == 0)
		return;
	buf_addf(&text, "{\"pres\":{\"topic\":\"me\",\"src\":\"%.*s\",\"what\":\"%s\"%.*s}}", SLICE_ARG(src), what,
	    SLICE_ARG(extra));
	hub_spread(lab, me, &(struct spread){ 0 }, buf_slice(&text));
	buf_done(&text);
	if (ask && name_user(src) != 0)
		hub_pres_me(lab, name_user(src), slice_of(name_number("usr", uid).s), "on", SLICE(""), false);
}

/* To those attached to a group that a member came or went. */
static void
tell_online(struct lab *lab, const struct topic *t, uint64_t uid, const char *what)
{
	struct buf text = BUF_INIT(1024);

	if (t->kind == TOPIC_GROUP && !lab->options.null_server) {
		buf_addf(&text, "{\"pres\":{\"topic\":\"%s\",\"src\":\"%s\",\"what\":\"%s\"}}", t->name.s,
		    name_number("usr", uid).s, what);
		hub_spread(lab, t, &(struct spread){ .except = uid, .mode = MODE_PRES }, buf_slice(&text));
	}
	buf_done(&text);
}

static void
add_dacs(struct buf *out, const struct member *m, uint8_t want, uint8_t given)
{
	const char *comma = "";

	buf_add_str(out, "\"dacs\":{");
	if (m->want != want) {
		buf_add_str(out, "\"want\":\"");
		mode_add_change(out, want, m->want);
		buf_add_char(out, '"');
		comma = ",";
	}
	if (m->given != given) {
		buf_addf(out, "%s\"given\":\"", comma);
		mode_add_change(out, given, m->given);
		buf_add_char(out, '"');
	}
	buf_add_char(out, '}');
}

void
topic_tell_change(struct lab *lab, struct topic *t, const struct request *r, const struct member *m, uint8_t want, uint8_t given)
{
	struct name actor = name_number("usr", r->uid), target = name_number("usr", m->uid);
	struct buf dacs = BUF_INIT(1024), text = BUF_INIT(1024);
	bool fresh = want == 0 && given == 0;

	if (lab->options.null_server)
		return;
	add_dacs(&dacs, m, want, given);
	if (t->kind == TOPIC_GROUP && !m->gone && m->attached > 0 && m->uid != r->uid) {
		buf_addf(&text, "{\"pres\":{\"topic\":\"%s\",\"what\":\"acs\",%s}}", t->name.s, dacs.p);
		hub_spread(lab, t, &(struct spread){ .only = m->uid }, buf_slice(&text));
	} else if (m->uid != r->uid) {
		struct buf extra = BUF_INIT(1024);

		buf_addf(&extra, ",\"act\":\"%s\",%s", actor.s, dacs.p);
		hub_pres_me(lab, m->uid, slice_of(topic_seen_by(t, m->uid).s), "acs", buf_slice(&extra), false);
		buf_done(&extra);
	}
	if (t->kind == TOPIC_GROUP && m->attached > 0) {
		buf_clear(&text);
		buf_addf(&text, "{\"pres\":{\"topic\":\"%s\",\"src\":\"%s\",\"what\":\"acs\",", t->name.s, target.s);
		if (m->uid != r->uid)
			buf_addf(&text, "\"act\":\"%s\",", actor.s);
		buf_addf(&text, "%s}}", dacs.p);
		hub_spread(lab, t, &(struct spread){ .skip = r, .except = m->uid, .mode = MODE_SHARE }, buf_slice(&text));
	}
	if (t->kind == TOPIC_GROUP && (want & given & MODE_PRES) != 0 && (member_mode(m) & MODE_PRES) == 0)
		hub_pres_me(lab, m->uid, slice_of(t->name.s), "off", SLICE(""), false);
	if (t->kind == TOPIC_GROUP && fresh && t->attached.n > 0)
		hub_pres_me(lab, m->uid, slice_of(t->name.s), "on", SLICE(""), false);
	buf_done(&dacs);
	buf_done(&text);
}

/* Attaching */

static bool
attach(struct lab *lab, struct topic *t, const struct request *r)
{
	struct member *m = dir_member(&lab->dir, t, r->uid);
	struct attached a = { r->from.node, (uint32_t)(m - t->members.v), r->from.session };

	if (VEC_PUSH(NULL, &t->attached, a, NULL) != IMP_OK)
		return false;
	m->attached++;
	hub_attach(lab, r, ATTACH_ON);
	return true;
}

/* Is it the user's first session here? Then others hear of it. */
static void
tell_attached(struct lab *lab, struct topic *t, const struct member *m)
{
	const struct user *u = dir_user(&lab->dir, m->uid);

	if (m->attached > 1 || u == NULL)
		return;
	if (t->kind == TOPIC_GROUP) {
		tell_online(lab, t, m->uid, "on");
		for (size_t i = 0; t->attached.n == 1 && i < t->members.n; i++) {
			if (!t->members.v[i].gone)
				hub_pres_me(lab, t->members.v[i].uid, slice_of(t->name.s), "on", SLICE(""), false);
		}
	}
	for (size_t i = 0; t->kind == TOPIC_ME && i < u->topics.n; i++) {
		const struct topic *other = u->topics.v[i];

		if (other->deleted || dir_member(&lab->dir, other, m->uid) == NULL)
			continue;
		if (other->kind == TOPIC_P2P)
			hub_pres_me(lab, name_p2p_other(other->name.s, m->uid), slice_of(t->name.s), "on", SLICE(""), true);
		else if (other->kind == TOPIC_GROUP && other->attached.n > 0)
			hub_pres_me(lab, m->uid, slice_of(other->name.s), "on", SLICE(""), false);
	}
}

static void
detach(struct lab *lab, struct topic *t, struct origin from)
{
	struct member *m;
	const struct user *u;
	size_t i;

	for (i = 0; i < t->attached.n && (t->attached.v[i].session != from.session || t->attached.v[i].node != from.node); i++)
		;
	if (i == t->attached.n)
		return;
	m = &t->members.v[t->attached.v[i].member];
	memmove(&t->attached.v[i], &t->attached.v[i + 1], (t->attached.n - i - 1) * sizeof(t->attached.v[0]));
	t->attached.n--;
	if (--m->attached > 0)
		return;
	tell_online(lab, t, m->uid, "off");
	u = dir_user(&lab->dir, m->uid);
	for (i = 0; t->kind == TOPIC_ME && u != NULL && i < u->topics.n; i++) {
		if (u->topics.v[i]->kind == TOPIC_P2P && !u->topics.v[i]->deleted)
			hub_pres_me(lab, name_p2p_other(u->topics.v[i]->name.s, m->uid), slice_of(t->name.s), "off", SLICE(""),
			    false);
	}
}

void
topic_node_lost(struct lab *lab, struct topic *t, uint32_t node)
{
	for (size_t i = t->attached.n; i-- > 0;) {
		if (i < t->attached.n && t->attached.v[i].node == node)
			detach(lab, t, (struct origin){ node, t->attached.v[i].session });
	}
}

void
topic_remove(struct lab *lab, struct topic *t, struct member *m)
{
	struct request r = { .topic = t->name, .shown = topic_seen_by(t, m->uid), .uid = m->uid };
	uint64_t uid = m->uid;

	dir_remove_member(t, m);
	change_member(lab, t, m);
	for (size_t i = 0; i < t->attached.n;) {
		if (t->members.v[t->attached.v[i].member].uid != uid) {
			i++;
			continue;
		}
		r.from = (struct origin){ t->attached.v[i].node, t->attached.v[i].session };
		hub_attach(lab, &r, ATTACH_OFF);
		detach(lab, t, r.from);
	}
}

/* {sub} */

static struct topic *
make_topic(struct lab *lab, const struct request *r)
{
	struct topic *t = dir_add_topic(&lab->dir, slice_of(r->topic.s));

	if (t != NULL) {
		t->created = t->updated = t->touched = r->ts;
		t->access = MODE_GROUP;
		t->owner = t->kind == TOPIC_GROUP ? r->uid : 0;
		t->subcnt = 2;
		lab->counters.topics_made++;
		change_topic(lab, t);
	}
	return t;
}

static struct member *
make_member(struct lab *lab, struct topic *t, uint64_t uid, uint8_t want, uint8_t given, int64_t ts)
{
	struct member *m = dir_add_member(&lab->dir, t, uid);

	if (m != NULL) {
		m->want = want;
		m->given = given;
		m->updated = ts;
		change_member(lab, t, m);
	}
	return m;
}

static struct topic *
make_me(struct lab *lab, const struct request *r)
{
	struct topic *t = make_topic(lab, r);
	const struct user *u = dir_user(&lab->dir, r->uid);

	if (t != NULL && u != NULL) {
		t->created = t->updated = t->touched = u->created;
		make_member(lab, t, r->uid, MODE_JOIN | MODE_PRES | MODE_SHARE, MODE_JOIN | MODE_PRES | MODE_SHARE, r->ts);
	}
	return t;
}

static struct topic *
make_p2p(struct lab *lab, const struct request *r)
{
	struct topic *t = make_topic(lab, r);

	if (t != NULL && make_member(lab, t, r->uid, MODE_P2P, MODE_ACCOUNT, r->ts) != NULL)
		make_member(lab, t, name_p2p_other(r->topic.s, r->uid), MODE_P2P, MODE_P2P, r->ts);
	return t;
}

static struct topic *
make_group(struct lab *lab, const struct request *r)
{
	struct topic *t = make_topic(lab, r);
	struct json_object *public = json_member(json_member(json_member(r->body, "set"), "desc"), "public");
	struct buf text = BUF_INIT(64 << 10);

	if (t == NULL)
		return NULL;
	make_member(lab, t, r->uid, MODE_ALL, MODE_ALL, r->ts);
	if (public != NULL) {
		go_value(&text, public);
		t->public_json = text.p;
		change_topic(lab, t);
	}
	return t;
}

/* The topic to attach to, made where that is how it begins; NULL when the request was refused. */
static struct topic *
sub_topic(struct lab *lab, const struct request *r, bool *ret_made)
{
	struct topic *t = dir_topic(&lab->dir, slice_of(r->topic.s));
	bool group = slice_has_prefix(slice_of(r->topic.s), SLICE("grp"));

	*ret_made = false;
	if (t != NULL && !t->deleted)
		return t;
	if (slice_has_prefix(slice_of(r->topic.s), SLICE("usr")))
		return make_me(lab, r);
	if (!group && dir_user(&lab->dir, name_p2p_other(r->topic.s, r->uid)) == NULL) {
		log_line(&lab->log, 'E', "init_topic.go:68", "init_topic: failed to load or create topic: %s user not found",
		    r->topic.s);
		hub_ctrl(lab, r, 404, "user not found", SLICE(""));
		return NULL;
	}
	if (!group && lab->dialect == DIALECT_IM_SERVER) {
		hub_ctrl(lab, r, 404, "topic not found", SLICE(""));
		return NULL;
	}
	if (group && !slice_has_prefix(slice_of(r->shown.s), SLICE("new"))) {
		hub_ctrl(lab, r, 404, "topic not found", SLICE(""));
		return NULL;
	}
	*ret_made = true;
	t = group ? make_group(lab, r) : make_p2p(lab, r);
	if (t == NULL)
		hub_ctrl(lab, r, 500, "internal error", SLICE(""));
	return t;
}

static void
topic_sub(struct lab *lab, const struct request *r)
{
	struct json_object *query = json_member(r->body, "get");
	bool made, joined = false;
	struct topic *t = sub_topic(lab, r, &made);
	struct member *m;

	if (t == NULL)
		return;
	m = dir_member(&lab->dir, t, r->uid);
	if (m == NULL && t->size >= lab->options.max_members) {
		hub_ctrl(lab, r, 422, "policy violation", SLICE(""));
		return;
	}
	if (m == NULL) {
		m = make_member(lab, t, r->uid, t->access, t->access, r->ts);
		t->subcnt++;
		change_topic(lab, t);
		joined = true;
	}
	if (m == NULL || (member_mode(m) & MODE_JOIN) == 0 || !attach(lab, t, r)) {
		hub_ctrl(lab, r, m == NULL ? 500 : 403, m == NULL ? "internal error" : "permission denied", SLICE(""));
		return;
	}
	if (made || joined)
		answer_acs(lab, r, m, false);
	else
		hub_ctrl(lab, r, 200, "ok", SLICE(""));
	if (made && t->kind == TOPIC_P2P) {
		const struct member *other = dir_member(&lab->dir, t, name_p2p_other(t->name.s, r->uid));

		topic_tell_change(lab, t, r, other, 0, 0);
		hub_pres_me(lab, other->uid, slice_of(name_number("usr", r->uid).s), "on", SLICE(""), true);
	}
	if (joined)
		topic_tell_change(lab, t, r, m, 0, 0);
	tell_attached(lab, t, m);
	if (query != NULL)
		topic_get(lab, t, r, query);
}

/* {leave} */

void
topic_unsub(struct lab *lab, struct topic *t, const struct request *r)
{
	struct member *m = dir_member(&lab->dir, t, r->uid);
	struct buf text = BUF_INIT(1024);

	hub_ctrl(lab, r, 200, "ok", SLICE(""));
	if (t->kind == TOPIC_GROUP) {
		t->subcnt--;
		buf_addf(&text,
		    "{\"pres\":{\"topic\":\"%s\",\"src\":\"%s\",\"what\":\"acs\",\"dacs\":{\"want\":\"N\",\"given\":\"N\"}}}",
		    t->name.s, name_number("usr", r->uid).s);
		hub_spread(lab, t, &(struct spread){ .except = r->uid, .mode = MODE_SHARE }, buf_slice(&text));
		buf_done(&text);
	}
	topic_remove(lab, t, m);
}

static void
topic_leave(struct lab *lab, struct topic *t, const struct request *r)
{
	const struct member *m = dir_member(&lab->dir, t, r->uid);

	if (!json_true(r->body, "unsub")) {
		hub_attach(lab, r, ATTACH_OFF);
		detach(lab, t, r->from);
		hub_ctrl(lab, r, 200, "ok", SLICE(""));
	} else if (m == NULL || t->kind == TOPIC_ME || m->uid == t->owner) {
		log_line(&lab->log, 'E', "topic.go:749", "failed to unsub replyLeaveUnsub: owner cannot unsubscribe %s", t->name.s);
		hub_ctrl(lab, r, 403, "permission denied", SLICE(""));
	} else {
		topic_unsub(lab, t, r);
	}
}

/* {pub} */

static void
topic_pub(struct lab *lab, struct topic *t, const struct request *r)
{
	const struct member *m = dir_member(&lab->dir, t, r->uid);

	if (m == NULL || (member_mode(m) & MODE_WRITE) == 0) {
		log_line(&lab->log, 'E', "topic.go:1128", "topic[%s]: failed to save messagge - denied", t->name.s);
		hub_ctrl(lab, r, 403, "permission denied", SLICE(""));
		return;
	}
	topic_save(lab, t, r);
}

void
add_data(struct buf *out, const char *topic, const struct message *m)
{
	buf_addf(out, "{\"data\":{\"topic\":\"%s\",\"from\":\"%s\",\"ts\":", topic, name_number("usr", m->from).s);
	go_time(out, m->ts);
	buf_addf(out, ",\"seq\":%u,%s}}", m->seq, m->tail);
}

static void
spread_data(struct lab *lab, struct topic *t, const struct request *r, const struct message *m)
{
	struct spread how = { .skip = json_true(r->body, "noecho") ? r : NULL, .mode = MODE_READ };
	struct buf text = BUF_INIT(TEXT_MAX);

	for (size_t side = 0; side < (t->kind == TOPIC_P2P ? 2 : 1) && side < t->members.n; side++) {
		if (t->kind == TOPIC_P2P)
			how.only = t->members.v[side].uid;
		buf_clear(&text);
		add_data(&text, topic_seen_by(t, t->members.v[side].uid).s, m);
		hub_spread(lab, t, &how, buf_slice(&text));
	}
	buf_done(&text);
}

void
topic_published(struct lab *lab, struct topic *t, const struct request *r, const struct message *m)
{
	struct member *sender = dir_member(&lab->dir, t, r->uid);
	struct buf text = BUF_INIT(1024);

	t->seq = m->seq;
	t->touched = m->ts;
	if (sender != NULL)
		sender->read = sender->recv = m->seq;
	lab->counters.published++;
	if (json_str(r->body, "id").n > 0) {
		buf_addf(&text, "{\"seq\":%u}", m->seq);
		hub_ctrl(lab, r, 202, "accepted", buf_slice(&text));
	}
	spread_data(lab, t, r, m);
	buf_clear(&text);
	buf_addf(&text, ",\"seq\":%u,\"act\":\"%s\"", m->seq, name_number("usr", r->uid).s);
	for (size_t i = 0; i < t->members.n; i++) {
		const struct member *to = &t->members.v[i];

		if (!to->gone && to->attached == 0 && (member_mode(to) & MODE_PRES) != 0)
			hub_pres_me(lab, to->uid, slice_of(topic_seen_by(t, to->uid).s), "msg", buf_slice(&text), false);
	}
	buf_done(&text);
}

/* {note} */

static void
topic_note(struct lab *lab, struct topic *t, const struct request *r)
{
	struct slice what = json_str(r->body, "what");
	uint32_t seq = (uint32_t)json_int(r->body, "seq", 0);
	struct member *m = dir_member(&lab->dir, t, r->uid);
	bool read = slice_eq(what, SLICE("read")), typing = slice_eq(what, SLICE("kp"));
	struct buf text = BUF_INIT(1024);

	if (m == NULL || (member_mode(m) & (typing ? MODE_WRITE : MODE_READ)) == 0 ||
	    (!read && !typing && !slice_eq(what, SLICE("recv"))))
		return;
	if (!typing && (seq > t->seq || seq <= (read ? m->read : m->recv)))
		return;
	if (!typing) {
		*(read ? &m->read : &m->recv) = seq;
		m->updated = r->ts;
	}
	for (size_t side = 0; side < (t->kind == TOPIC_P2P ? 2 : 1) && side < t->members.n; side++) {
		struct spread how = { .skip = r, .only = t->kind == TOPIC_P2P ? t->members.v[side].uid : 0, .mode = MODE_READ };

		buf_clear(&text);
		buf_addf(&text, "{\"info\":{\"topic\":\"%s\",\"from\":\"%s\",\"what\":\"%.*s\"",
		    topic_seen_by(t, t->members.v[side].uid).s, name_number("usr", r->uid).s, SLICE_ARG(what));
		if (!typing)
			buf_addf(&text, ",\"seq\":%u", seq);
		buf_add_str(&text, "}}");
		hub_spread(lab, t, &how, buf_slice(&text));
	}
	buf_done(&text);
}

void
topic_request(struct lab *lab, const struct request *r)
{
	struct topic *t;

	if (r->kind == REQUEST_SUB) {
		topic_sub(lab, r);
		return;
	}
	t = dir_topic(&lab->dir, slice_of(r->topic.s));
	if (t != NULL && t->deleted)
		t = NULL;
	if (r->kind == REQUEST_GET && (t == NULL || !r->attached)) {
		topic_get_offline(lab, t, r);
		return;
	}
	if (t == NULL) {
		if (r->kind != REQUEST_DETACH && r->kind != REQUEST_NOTE)
			hub_ctrl(lab, r, 404, "topic not found", SLICE(""));
		return;
	}
	switch (r->kind) {
	case REQUEST_LEAVE:
		topic_leave(lab, t, r);
		break;
	case REQUEST_PUB:
		topic_pub(lab, t, r);
		break;
	case REQUEST_GET:
		topic_get(lab, t, r, r->body);
		break;
	case REQUEST_SET:
		topic_set(lab, t, r);
		break;
	case REQUEST_DEL:
		topic_del(lab, t, r);
		break;
	case REQUEST_NOTE:
		topic_note(lab, t, r);
		break;
	case REQUEST_SUB:
		break;
	case REQUEST_DETACH:
		detach(lab, t, r->from);
		break;
	}
}
