#include "config.h"

#include "lab_session.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "lab_account.h"
#include "lab_change.h"
#include "lab_http.h"
#include "lab_json.h"

#define LOGGED_MAX 512
#define VERSION_MIN 20

struct call {
	struct lab *lab;
	struct session *s;
	struct json_object *body;
	int64_t ts;
};

struct session *
session_find(const struct lab *lab, uint64_t number)
{
	uint32_t slot = (uint32_t)number - 1;
	struct session *s = slot < lab->sessions.n ? lab->sessions.v[slot] : NULL;

	return s != NULL && s->number == number ? s : NULL;
}

void
session_send(struct lab *lab, struct session *s, struct frame *f)
{
	lab->counters.outgoing++;
	conn_send(s->conn, f);
}

static bool
is_attached(const struct session *s, const char *topic)
{
	for (size_t i = 0; i < s->attached.n; i++) {
		if (strcmp(s->attached.v[i].s, topic) == 0)
			return true;
	}
	return false;
}

void
session_attach(struct session *s, const char *topic, enum attach_change change)
{
	if (change == ATTACH_ON && !is_attached(s, topic) && VEC_PUSH(NULL, &s->attached, name_of(slice_of(topic)), NULL) != IMP_OK)
		conn_close(s->conn, WS_CLOSE_NORMAL);
	for (size_t i = 0; change == ATTACH_OFF && i < s->attached.n; i++) {
		if (strcmp(s->attached.v[i].s, topic) == 0)
			s->attached.v[i--] = s->attached.v[--s->attached.n];
	}
}

/* Answers of the session itself */

static void
answer_params(struct call *c, struct slice topic, struct slice params, int code, const char *text)
{
	struct buf out = BUF_INIT(64 << 10);

	go_ctrl(&out, json_str(c->body, "id"), topic, params, code, text, c->ts);
	c->lab->counters.ctrl[code / 100]++;
	c->lab->counters.outgoing++;
	conn_send_text(c->s->conn, buf_slice(&out));
	buf_done(&out);
}

static void
answer(struct call *c, int code, const char *text)
{
	answer_params(c, SLICE(""), SLICE(""), code, text);
}

static void
answer_topic(struct call *c, int code, const char *text)
{
	answer_params(c, json_str(c->body, "topic"), SLICE(""), code, text);
}

static bool
version_supported(const char *version)
{
	const char *dot = strchr(version, '.');

	return dot != NULL && (strtoul(version, NULL, 10) > 0 || strtoul(dot + 1, NULL, 10) >= VERSION_MIN);
}

static void
on_hi(struct call *c)
{
	struct slice version = json_str(c->body, "ver");
	struct buf params = BUF_INIT(4096);
	char text[sizeof(c->s->version)];

	snprintf(text, sizeof(text), "%.*s", SLICE_ARG(version));
	if (c->s->greeted) {
		/* again: nothing new may be in it */
		if (version.n == 0 || strcmp(text, c->s->version) == 0)
			answer(c, 201, "created");
		else
			answer(c, 409, "command out of sequence");
		return;
	}
	if (!version_supported(text)) {
		answer(c, 505, "version not supported");
		return;
	}
	if (c->lab->dialect == DIALECT_IM_SERVER && !slice_eq(json_str(c->body, "tenant"), slice_of(c->lab->options.tenant_code))) {
		answer(c, 400, "malformed");
		return;
	}
	c->s->greeted = true;
	memcpy(c->s->version, text, sizeof(text));
	buf_addf(&params,
	    "{\"build\":\"mysql:undef\",\"maxFileUploadSize\":0,\"maxMessageSize\":%llu,\"maxSubscriberCount\":%llu,\"maxTagCount\":16,"
	    "\"maxTagLength\":96,\"minTagLength\":2,\"msgDelAge\":0,\"reqCred\":null,\"ver\":\"0.25\"}",
	    (unsigned long long)c->lab->options.max_message, (unsigned long long)c->lab->options.max_members);
	answer_params(c, SLICE(""), buf_slice(&params), 201, "created");
	buf_done(&params);
}

static void
on_account(struct call *c)
{
	struct account_answer a = { .params = BUF_INIT(8192) };

	account_make(c->lab, c->body, &a);
	if (a.refused != NULL)
		log_line(&c->lab->log, 'W', "user.go:45", "create user: auth secret is not compliant %s sid= %s", a.refused,
		    c->s->sid.s);
	if (a.login)
		c->s->uid = a.uid;
	answer_params(c, SLICE(""), buf_slice(&a.params), a.code, a.text);
	buf_done(&a.params);
}

static void
on_login(struct call *c)
{
	struct account_answer a = { .params = BUF_INIT(8192) };

	if (c->s->uid != 0) {
		answer(c, 409, "already authenticated");
		return;
	}
	account_login(c->lab, c->body, &a);
	if (a.login)
		c->s->uid = a.uid;
	answer_params(c, SLICE(""), buf_slice(&a.params), a.code, a.text);
	buf_done(&a.params);
}

/* The topic of a request by its name of the whole server; false when it was refused. */
static bool
expand(struct call *c, enum request_kind kind, struct request *r)
{
	struct slice shown = json_str(c->body, "topic");
	uint64_t uid;

	if (shown.n == 0 || shown.n >= NAME_BYTES) {
		log_line(&c->lab->log, 'W', "session.go:1334", "s.etn: empty topic name %s", c->s->sid.s);
		answer_topic(c, 400, "malformed");
		return false;
	}
	*r = (struct request){ .kind = kind,
		.from = { c->lab->self, c->s->number },
		.uid = c->s->uid,
		.shown = name_of(shown),
		.ts = c->ts };
	r->body = c->body;
	uid = name_user(shown);
	if (slice_eq(shown, SLICE("me"))) {
		r->topic = name_number("usr", c->s->uid);
	} else if (uid == c->s->uid) {
		log_line(&c->lab->log, 'W', "session.go:1356", "s.etn: invalid p2p self-subscription %s", c->s->sid.s);
		answer_topic(c, 403, "permission denied");
		return false;
	} else if (uid != 0) {
		r->topic = name_p2p(uid, c->s->uid);
	} else if (slice_has_prefix(shown, SLICE("grp")) ||
	    (slice_has_prefix(shown, SLICE("p2p")) && name_p2p_other(name_of(shown).s, c->s->uid) != 0)) {
		r->topic = name_of(shown);
	} else if (kind == REQUEST_SUB && slice_has_prefix(shown, SLICE("new"))) {
		/* The creator's node is the master. */
		do
			r->topic = name_number("grp", id_random());
		while (ring_node(&c->lab->ring, slice_of(r->topic.s)) != c->lab->self);
	} else if (kind == REQUEST_PUB || kind == REQUEST_LEAVE) {
		/* whatever it is, the session is not attached to it */
		r->topic = name_of(shown);
	} else {
		answer_topic(c, 404, "topic not found");
		return false;
	}
	r->attached = is_attached(c->s, r->topic.s);
	return true;
}

static void
on_sub(struct call *c)
{
	struct request r;

	if (!expand(c, REQUEST_SUB, &r))
		return;
	if (r.attached)
		answer_topic(c, 304, "already subscribed");
	else
		hub_request(c->lab, &r);
}

static void
on_leave(struct call *c)
{
	struct request r;

	if (!expand(c, REQUEST_LEAVE, &r))
		return;
	if (r.attached)
		hub_request(c->lab, &r);
	else if (json_true(c->body, "unsub"))
		answer_topic(c, 409, "must attach first");
	else
		answer_topic(c, 304, "not joined");
}

static void
on_pub(struct call *c)
{
	struct request r;

	if (!expand(c, REQUEST_PUB, &r))
		return;
	if (!r.attached) {
		log_line(&c->lab->log, 'W', "session.go:734", "s.publish[%s]: must attach first %s", r.topic.s, c->s->sid.s);
		answer_topic(c, 409, "must attach first");
	} else {
		hub_request(c->lab, &r);
	}
}

static void
on_get(struct call *c)
{
	struct slice what = json_str(c->body, "what");
	struct request r;

	if (!expand(c, REQUEST_GET, &r))
		return;
	if (what.n == 0) {
		log_line(&c->lab->log, 'W', "session.go:1124", "s.get: invalid Get message action %.*s", SLICE_ARG(what));
		answer_topic(c, 400, "malformed");
	} else if (!r.attached && memmem(what.p, what.n, "data", 4) != NULL) {
		log_line(&c->lab->log, 'W', "session.go:1143", "s.get: subscribe first to get=%.*s", SLICE_ARG(what));
		answer_topic(c, 403, "permission denied");
	} else {
		hub_request(c->lab, &r);
	}
}

static void
on_set(struct call *c)
{
	struct request r;

	if (expand(c, REQUEST_SET, &r))
		hub_request(c->lab, &r);
}

static void
on_del(struct call *c)
{
	struct request r;

	if (expand(c, REQUEST_DEL, &r))
		hub_request(c->lab, &r);
}

static void
on_note(struct call *c)
{
	struct request r;

	if (json_str(c->body, "topic").n > 0 && expand(c, REQUEST_NOTE, &r) && r.attached)
		hub_request(c->lab, &r);
}

static const struct {
	const char *key;
	void (*handle)(struct call *c);
	bool needs_greeting, needs_login;
} messages[] = {
	{ "pub", on_pub, true, true },
	{ "note", on_note, true, true },
	{ "sub", on_sub, true, true },
	{ "get", on_get, true, true },
	{ "leave", on_leave, true, true },
	{ "set", on_set, true, true },
	{ "del", on_del, true, true },
	{ "login", on_login, true, false },
	{ "acc", on_account, true, false },
	{ "hi", on_hi, false, false },
};

static void
dispatch(struct call *c, struct json_object *message)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		c->body = json_member(message, messages[i].key);
		if (c->body == NULL)
			continue;
		if (messages[i].needs_greeting && !c->s->greeted) {
			log_line(&c->lab->log, 'W', "session.go:544", "s.dispatch: {hi} is missing %s", c->s->sid.s);
			answer(c, 409, "command out of sequence");
		} else if (messages[i].needs_login && c->s->uid == 0) {
			log_line(&c->lab->log, 'W', "session.go:552", "s.dispatch: authentication required %s", c->s->sid.s);
			answer_topic(c, 401, "authentication required");
		} else {
			messages[i].handle(c);
		}
		return;
	}
	c->body = NULL;
	log_line(&c->lab->log, 'W', "session.go:597", "s.dispatch: unknown message %s", c->s->sid.s);
	answer(c, 400, "malformed");
}

static void
log_message(struct lab *lab, const struct session *s, struct slice text)
{
	struct name uid = s->uid != 0 ? name_number("usr", s->uid) : (struct name){ "" };
	bool cut = text.n > LOGGED_MAX;

	log_line(&lab->log, 'I', "session.go:453", "in: '%.*s%s' sid='%s' uid='%s'", cut ? LOGGED_MAX : (int)text.n, text.p,
	    cut ? "<...>" : "", s->sid.s, uid.s);
}

static void
on_text(struct conn *conn, struct slice text)
{
	struct session *s = conn->user;
	struct lab *lab = conn->net->user;
	struct call c = { lab, s, NULL, time_now() };
	struct json_object *message;

	lab->counters.incoming++;
	if (slice_eq(text, SLICE("1"))) {
		conn_send_text(conn, SLICE("0"));
		return;
	}
	log_message(lab, s, text);
	message = json_parse(text);
	if (message == NULL) {
		log_line(&lab->log, 'W', "session.go:457", "s.dispatch invalid character %s", s->sid.s);
		answer(&c, 400, "malformed");
		return;
	}
	dispatch(&c, message);
	change_settle(lab, conn);
	json_object_put(message);
}

/* Life */

static void
on_open(struct conn *conn)
{
	struct lab *lab = conn->net->user;
	struct session *s = calloc(1, sizeof(*s));
	uint32_t slot;

	if (s == NULL || VEC_RESERVE(NULL, &lab->free_sessions, lab->sessions.n + 1, NULL) != IMP_OK ||
	    VEC_RESERVE(NULL, &lab->sessions, 1, NULL) != IMP_OK) {
		free(s);
		conn_close(conn, WS_CLOSE_NORMAL);
		return;
	}
	slot = lab->free_sessions.n > 0 ? lab->free_sessions.v[--lab->free_sessions.n] : (uint32_t)lab->sessions.n++;
	lab->sessions.v[slot] = s;
	*s = (struct session){ .conn = conn, .number = lab->net.opened << 32 | (slot + 1), .sid = name_number("", id_random()) };
	conn->user = s;
	log_line(&lab->log, 'I', "hdl_websock.go:205", "ws: session started %s %s %llu", s->sid.s, conn->peer,
	    (unsigned long long)lab->net.open);
}

static void
on_close(struct conn *conn)
{
	struct lab *lab = conn->net->user;
	struct session *s = conn->user;
	uint32_t slot;

	if (s == NULL)
		return;
	conn->user = NULL;
	for (size_t i = 0; i < s->attached.n; i++) {
		struct request r = { .kind = REQUEST_DETACH,
			.from = { lab->self, s->number },
			.uid = s->uid,
			.topic = s->attached.v[i] };

		hub_request(lab, &r);
	}
	slot = (uint32_t)s->number - 1;
	lab->sessions.v[slot] = NULL;
	lab->free_sessions.v[lab->free_sessions.n++] = slot;
	VEC_FREE(NULL, &s->attached);
	free(s);
}

const struct net_handlers session_handlers = {
	.may_upgrade = lab_http_may_upgrade,
	.on_open = on_open,
	.on_text = on_text,
	.on_close = on_close,
	.on_request = lab_http_request,
};
