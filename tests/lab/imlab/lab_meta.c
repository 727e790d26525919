#include "config.h"

#include <stdlib.h>

#include "lab_change.h"
#include "lab_json.h"
#include "lab_store.h"
#include "lab_topic.h"

#define META_MAX ((size_t)4 << 20)
#define HISTORY_MAX 100

/* {"meta":{"id":...,"topic":...,"ts":..., - the caller goes on and closes both. */
static void
meta_begin(struct buf *out, const struct request *r)
{
	struct slice id = json_str(r->body, "id");

	buf_clear(out);
	buf_add_str(out, "{\"meta\":{");
	if (id.n > 0) {
		buf_add_str(out, "\"id\":");
		go_string(out, id);
		buf_add_char(out, ',');
	}
	buf_addf(out, "\"topic\":\"%s\",\"ts\":", slice_has_prefix(slice_of(r->shown.s), SLICE("new")) ? r->topic.s : r->shown.s);
	go_time(out, r->ts);
	buf_add_char(out, ',');
}

static void
meta_send(struct lab *lab, const struct request *r, struct buf *out)
{
	buf_add_str(out, "}}");
	if (buf_status(out, NULL) == IMP_OK)
		hub_send(lab, r->from, buf_slice(out));
	else
		hub_ctrl(lab, r, 500, "internal error", SLICE(""));
}

static void
nothing(struct lab *lab, const struct request *r, const char *what)
{
	struct buf params = BUF_INIT(64);

	buf_addf(&params, "{\"what\":\"%s\"}", what);
	hub_ctrl(lab, r, 204, "no content", buf_slice(&params));
	buf_done(&params);
}

static void
add_times(struct buf *out, int64_t created, int64_t updated)
{
	buf_add_str(out, "\"created\":");
	go_time(out, created);
	buf_add_str(out, ",\"updated\":");
	go_time(out, updated);
}

static void
add_marks(struct buf *out, const struct member *m)
{
	if (m->read > 0)
		buf_addf(out, ",\"read\":%u", m->read);
	if (m->recv > 0)
		buf_addf(out, ",\"recv\":%u", m->recv);
}

static void
add_public(struct buf *out, const char *public_json)
{
	if (public_json != NULL)
		buf_addf(out, ",\"public\":%s", public_json);
}

static const char *
public_of(struct lab *lab, const struct topic *t, uint64_t uid)
{
	const struct user *u =
	    t->kind == TOPIC_GROUP ? NULL : dir_user(&lab->dir, t->kind == TOPIC_P2P ? name_p2p_other(t->name.s, uid) : uid);

	return u != NULL ? u->public_json : t->public_json;
}

static void
get_desc(struct lab *lab, const struct topic *t, const struct request *r, const struct member *m)
{
	struct buf out = BUF_INIT(META_MAX);

	meta_begin(&out, r);
	buf_add_str(&out, "\"desc\":{");
	add_times(&out, t->created, t->updated);
	buf_add_str(&out, ",\"touched\":");
	go_time(&out, t->touched);
	if (t->kind == TOPIC_GROUP && t->attached.n > 0)
		buf_add_str(&out, ",\"online\":true");
	if (t->kind != TOPIC_P2P && (member_mode(m) & MODE_SHARE) != 0)
		buf_addf(&out, ",\"defacs\":{\"auth\":\"%s\",\"anon\":\"N\"}", t->kind == TOPIC_ME ? "JRWPAS" : "JRWPS");
	buf_add_char(&out, ',');
	add_acs(&out, m->want, m->given);
	if (t->seq > 0)
		buf_addf(&out, ",\"seq\":%u", t->seq);
	add_marks(&out, m);
	if (t->clear > 0)
		buf_addf(&out, ",\"clear\":%u", t->clear);
	if (t->kind == TOPIC_GROUP)
		buf_addf(&out, ",\"subcnt\":%u", t->subcnt);
	add_public(&out, public_of(lab, t, r->uid));
	buf_add_char(&out, '}');
	meta_send(lab, r, &out);
	buf_done(&out);
	if (t->kind == TOPIC_GROUP)
		log_line(&lab->log, 'I', "topic.go:2110", "replyGetDesc: grp topic %s subs %u", t->name.s, t->subcnt);
}

static void
add_member(struct buf *out, struct lab *lab, const struct topic *t, const struct member *m)
{
	buf_add_str(out, "{\"updated\":");
	go_time(out, m->updated);
	if (t->kind == TOPIC_GROUP && m->attached > 0)
		buf_add_str(out, ",\"online\":true");
	buf_add_char(out, ',');
	add_acs(out, m->want, m->given);
	add_marks(out, m);
	if (t->kind == TOPIC_GROUP) {
		const struct user *u = dir_user(&lab->dir, m->uid);

		add_public(out, u != NULL ? u->public_json : NULL);
	}
	buf_addf(out, ",\"user\":\"%s\"}", name_number("usr", m->uid).s);
}

static void
add_subscription(struct buf *out, struct lab *lab, const struct topic *t, const struct member *m)
{
	const struct topic *peer = NULL;

	if (t->kind == TOPIC_P2P)
		peer = dir_topic(&lab->dir, slice_of(topic_seen_by(t, m->uid).s));
	buf_add_str(out, "{\"updated\":");
	go_time(out, m->updated);
	if (t->kind == TOPIC_GROUP ? t->attached.n > 0 : peer != NULL && peer->attached.n > 0)
		buf_add_str(out, ",\"online\":true");
	buf_add_char(out, ',');
	add_acs(out, m->want, m->given);
	add_marks(out, m);
	add_public(out, public_of(lab, t, m->uid));
	buf_addf(out, ",\"topic\":\"%s\",\"touched\":", topic_seen_by(t, m->uid).s);
	go_time(out, t->touched);
	if (t->seq > 0)
		buf_addf(out, ",\"seq\":%u", t->seq);
	buf_add_char(out, '}');
}

static void
get_sub(struct lab *lab, const struct topic *t, const struct request *r)
{
	const struct user *u = t->kind == TOPIC_ME ? dir_user(&lab->dir, r->uid) : NULL;
	struct buf out = BUF_INIT(META_MAX);
	size_t n = 0;

	meta_begin(&out, r);
	buf_add_str(&out, "\"sub\":[");
	for (size_t i = 0; i < (u != NULL ? u->topics.n : t->members.n); i++) {
		const struct topic *of = u != NULL ? u->topics.v[i] : t;
		const struct member *m = u != NULL ? dir_member(&lab->dir, of, r->uid) : &t->members.v[i];

		if (m == NULL || m->gone || of->deleted || (u != NULL && of->kind == TOPIC_ME))
			continue;
		if (n++ > 0)
			buf_add_char(&out, ',');
		if (u != NULL)
			add_subscription(&out, lab, of, m);
		else
			add_member(&out, lab, t, m);
	}
	buf_add_char(&out, ']');
	if (n > 0)
		meta_send(lab, r, &out);
	else
		nothing(lab, r, "sub");
	buf_done(&out);
}

/* Is this number asked for? Of a range the upper end is left out, and `hi` may be missing. */
static bool
wanted(struct json_object *query, uint32_t seq)
{
	struct json_object *ranges = json_member(query, "ranges");
	size_t n = json_object_get_type(ranges) == json_type_array ? json_object_array_length(ranges) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *range = json_object_array_get_idx(ranges, i);
		int64_t low = json_int(range, "low", 0), hi = json_int(range, "hi", low + 1);

		if (seq >= low && seq < hi)
			return true;
	}
	return n == 0 && seq >= json_int(query, "since", 0) && seq < json_int(query, "before", INT64_MAX);
}

static void
data_end(struct lab *lab, const struct request *r, int64_t n)
{
	struct buf params = BUF_INIT(128);

	if (n == 0) {
		nothing(lab, r, "data");
		return;
	}
	buf_addf(&params, "{\"count\":%lld,\"what\":\"data\"}", (long long)n);
	hub_ctrl(lab, r, 208, "delivered", buf_slice(&params));
	buf_done(&params);
}

/* From the database, which answers later. */
static void
read_data(struct lab *lab, struct topic *t, const struct request *r, struct json_object *query, int64_t limit)
{
	struct history *h = calloc(1, sizeof(*h));

	if (h == NULL) {
		hub_ctrl(lab, r, 500, "internal error", SLICE(""));
		return;
	}
	*h = (struct history){ .lab = lab, .topic = t, .request = *r, .query = query, .limit = limit };
	h->request.body = json_object_get(r->body);
	store_history(lab->store, h);
}

void
history_done(struct history *h)
{
	struct name seen = topic_seen_by(h->topic, h->request.uid);
	struct buf out = BUF_INIT(META_MAX);

	if (h->failed[0] != '\0')
		log_line(&h->lab->log, 'W', "topic.go:386", "topic[%s] meta.Get.Data failed: %s", h->topic->name.s, h->failed);
	for (size_t i = 0; i < h->found.n; i++) {
		buf_clear(&out);
		add_data(&out, seen.s, &h->found.v[i]);
		hub_send(h->lab, h->request.from, buf_slice(&out));
		free(h->found.v[i].tail);
	}
	if (h->failed[0] != '\0')
		hub_ctrl(h->lab, &h->request, 500, "internal error", SLICE(""));
	else
		data_end(h->lab, &h->request, (int64_t)h->found.n);
	buf_done(&out);
	VEC_FREE(NULL, &h->found);
	json_object_put(h->request.body);
	free(h);
}

static void
get_data(struct lab *lab, struct topic *t, const struct request *r, const struct member *m, struct json_object *query)
{
	int64_t limit = json_int(query, "limit", HISTORY_MAX), n = 0;
	struct name seen = topic_seen_by(t, r->uid);
	struct buf out = BUF_INIT(META_MAX);

	if (t->kind == TOPIC_ME || (member_mode(m) & MODE_READ) == 0) {
		log_line(&lab->log, 'W', "topic.go:386", "topic[%s] meta.Get.Data failed: attempt to get messages by non-reader",
		    t->name.s);
		hub_ctrl(lab, r, 403, "permission denied", SLICE(""));
		return;
	}
	if (limit <= 0 || limit > HISTORY_MAX)
		limit = HISTORY_MAX;
	if (lab->store != NULL) {
		read_data(lab, t, r, query, limit);
		return;
	}
	for (size_t i = t->messages.n; i-- > 0 && n < limit;) {
		const struct message *message = &t->messages.v[i];

		if (message->deleted || !wanted(query, message->seq))
			continue;
		buf_clear(&out);
		add_data(&out, seen.s, message);
		hub_send(lab, r->from, buf_slice(&out));
		n++;
	}
	data_end(lab, r, n);
	buf_done(&out);
}

/* Deleted messages as ranges: "delseq":[{"low":1},{"low":3,"hi":6}]. */
static void
add_deleted(struct buf *out, const struct topic *t)
{
	const char *comma = "";

	buf_add_str(out, "\"delseq\":[");
	for (size_t i = 0; i < t->messages.n; i++) {
		size_t end = i;

		while (end < t->messages.n && t->messages.v[end].deleted)
			end++;
		if (end == i)
			continue;
		buf_addf(out, "%s{\"low\":%u", comma, t->messages.v[i].seq);
		if (end - i > 1)
			buf_addf(out, ",\"hi\":%u", t->messages.v[end - 1].seq + 1);
		buf_add_char(out, '}');
		comma = ",";
		i = end;
	}
	buf_add_char(out, ']');
}

static void
get_del(struct lab *lab, const struct topic *t, const struct request *r)
{
	struct buf out = BUF_INIT(META_MAX);

	if (t->clear == 0) {
		nothing(lab, r, "del");
		return;
	}
	meta_begin(&out, r);
	buf_addf(&out, "\"del\":{\"clear\":%u,", t->clear);
	add_deleted(&out, t);
	buf_add_char(&out, '}');
	meta_send(lab, r, &out);
	buf_done(&out);
}

static void
get_tags(struct lab *lab, const struct topic *t, const struct request *r)
{
	const struct user *u = t->kind == TOPIC_ME ? dir_user(&lab->dir, r->uid) : NULL;
	struct buf out = BUF_INIT(META_MAX);

	if (u == NULL) {
		nothing(lab, r, "tags");
		return;
	}
	meta_begin(&out, r);
	buf_addf(&out, "\"tags\":[\"basic:%s\"]", u->login);
	meta_send(lab, r, &out);
	buf_done(&out);
}

/* Does the list of words have this one? */
static bool
has_word(struct slice words, struct slice word)
{
	const char *p = words.p, *end = words.p + words.n;

	while (p < end) {
		const char *space = memchr(p, ' ', (size_t)(end - p));
		size_t n = (size_t)((space != NULL ? space : end) - p);

		if (slice_eq((struct slice){ p, n }, word))
			return true;
		p += n + 1;
	}
	return false;
}

void
topic_get(struct lab *lab, struct topic *t, const struct request *r, struct json_object *query)
{
	struct slice what = json_str(query, "what");
	const struct member *m = dir_member(&lab->dir, t, r->uid);

	if (m == NULL) {
		hub_ctrl(lab, r, 403, "permission denied", SLICE(""));
		return;
	}
	if (has_word(what, SLICE("desc")))
		get_desc(lab, t, r, m);
	if (has_word(what, SLICE("sub")))
		get_sub(lab, t, r);
	if (has_word(what, SLICE("data")))
		get_data(lab, t, r, m, json_member(query, "data"));
	if (has_word(what, SLICE("del")))
		get_del(lab, t, r);
	if (has_word(what, SLICE("tags")))
		get_tags(lab, t, r);
	if (has_word(what, SLICE("cred")))
		nothing(lab, r, "creds");
}

void
topic_get_offline(struct lab *lab, struct topic *t, const struct request *r)
{
	uint64_t uid = name_user(slice_of(r->shown.s));
	const struct user *u = uid != 0 ? dir_user(&lab->dir, uid) : NULL;
	struct buf out = BUF_INIT(META_MAX);

	if (t != NULL && dir_member(&lab->dir, t, r->uid) != NULL) {
		topic_get(lab, t, r, r->body);
	} else if (t == NULL && u == NULL) {
		hub_ctrl(lab, r, 404, uid != 0 ? "user not found" : "topic not found", SLICE(""));
	} else {
		meta_begin(&out, r);
		buf_add_str(&out, "\"desc\":{");
		add_times(&out, u != NULL ? u->created : t->created, u != NULL ? u->updated : t->updated);
		buf_addf(&out, ",\"acs\":{\"mode\":\"%s\"}", u != NULL ? "JRWPAS" : "JRWPS");
		add_public(&out, u != NULL ? u->public_json : t->public_json);
		buf_add_char(&out, '}');
		meta_send(lab, r, &out);
	}
	buf_done(&out);
}

/* {set} */

static void
set_desc(struct lab *lab, struct topic *t, const struct request *r, struct json_object *desc)
{
	struct json_object *public = json_member(desc, "public");
	struct user *u = t->kind == TOPIC_ME ? dir_user(&lab->dir, r->uid) : NULL;
	struct buf text = BUF_INIT(64 << 10);
	char **target = u != NULL ? &u->public_json : &t->public_json;

	if (t->kind == TOPIC_P2P || (t->kind == TOPIC_GROUP && t->owner != r->uid)) {
		hub_ctrl(lab, r, 403, "permission denied", SLICE(""));
		return;
	}
	if (public == NULL) {
		hub_ctrl(lab, r, 304, "not modified", SLICE(""));
		return;
	}
	go_value(&text, public);
	free(*target);
	*target = text.p;
	t->updated = r->ts;
	if (u != NULL)
		change_user(lab, u);
	change_topic(lab, t);
	hub_ctrl(lab, r, 200, "ok", SLICE(""));
	for (size_t i = 0; t->kind == TOPIC_GROUP && i < t->members.n; i++) {
		if (!t->members.v[i].gone && t->members.v[i].uid != r->uid)
			hub_pres_me(lab, t->members.v[i].uid, slice_of(t->name.s), "upd", SLICE(""), false);
	}
	for (size_t i = 0; u != NULL && i < u->topics.n; i++) {
		if (u->topics.v[i]->kind == TOPIC_P2P)
			hub_pres_me(lab, name_p2p_other(u->topics.v[i]->name.s, r->uid), slice_of(t->name.s), "upd", SLICE(""),
			    false);
	}
}

static void
set_own(struct lab *lab, struct topic *t, const struct request *r, struct member *m, struct slice mode_text)
{
	int mode = mode_parse(mode_text, m->want);
	uint8_t want = m->want;

	if (mode < 0) {
		hub_ctrl(lab, r, 400, "malformed", SLICE(""));
	} else if (mode == want) {
		hub_ctrl(lab, r, 304, "not modified", SLICE(""));
	} else {
		m->want = (uint8_t)mode;
		m->updated = r->ts;
		change_member(lab, t, m);
		answer_acs(lab, r, m, false);
		topic_tell_change(lab, t, r, m, want, m->given);
	}
}

static void
set_other(struct lab *lab, struct topic *t, const struct request *r, uint64_t uid, struct slice mode_text)
{
	const struct member *own = dir_member(&lab->dir, t, r->uid);
	struct member *m = dir_member(&lab->dir, t, uid);
	bool fresh = m == NULL;
	uint8_t before = fresh ? 0 : m->given, rights = own != NULL ? member_mode(own) : 0;
	int mode = mode_text.n > 0 ? mode_parse(mode_text, before) : t->access;

	if ((rights & (MODE_ADMIN | MODE_SHARE)) == 0 || (mode_text.n > 0 && (rights & MODE_ADMIN) == 0)) {
		log_line(&lab->log, 'W', "topic.go:423", "topic[%s] meta.Set.Sub failed: sharer cannot set explicit modeGiven",
		    t->name.s);
		hub_ctrl(lab, r, 403, "permission denied", SLICE(""));
		return;
	}
	if (dir_user(&lab->dir, uid) == NULL || mode < 0 || (fresh && t->size >= lab->options.max_members)) {
		bool unknown = dir_user(&lab->dir, uid) == NULL;

		hub_ctrl(lab, r,
		    unknown	 ? 404 :
			mode < 0 ? 400 :
				   422,
		    unknown	 ? "user not found" :
			mode < 0 ? "malformed" :
				   "policy violation",
		    SLICE(""));
		return;
	}
	if (!fresh && mode == before) {
		hub_ctrl(lab, r, 304, "not modified", SLICE(""));
		return;
	}
	if (fresh) {
		m = dir_add_member(&lab->dir, t, uid);
		if (m == NULL) {
			hub_ctrl(lab, r, 500, "internal error", SLICE(""));
			return;
		}
		m->want = MODE_GROUP;
	}
	m->given = (uint8_t)mode;
	m->updated = r->ts;
	change_member(lab, t, m);
	answer_acs(lab, r, m, true);
	topic_tell_change(lab, t, r, m, fresh ? 0 : m->want, before);
}

void
topic_set(struct lab *lab, struct topic *t, const struct request *r)
{
	struct json_object *sub = json_member(r->body, "sub"), *desc = json_member(r->body, "desc");
	uint64_t uid = name_user(json_str(sub, "user"));
	struct member *own = dir_member(&lab->dir, t, r->uid);

	if (own == NULL || (desc == NULL && sub == NULL)) {
		hub_ctrl(lab, r, own == NULL ? 403 : 400, own == NULL ? "permission denied" : "malformed", SLICE(""));
		return;
	}
	if (desc != NULL)
		set_desc(lab, t, r, desc);
	if (sub != NULL && (uid == 0 || uid == r->uid))
		set_own(lab, t, r, own, json_str(sub, "mode"));
	else if (sub != NULL)
		set_other(lab, t, r, uid, json_str(sub, "mode"));
}

/* {del} */

static void
del_messages(struct lab *lab, struct topic *t, const struct request *r)
{
	struct json_object *ranges = json_member(r->body, "delseq");
	size_t n = json_object_get_type(ranges) == json_type_array ? json_object_array_length(ranges) : 0;
	struct buf text = BUF_INIT(META_MAX);

	for (size_t i = 0; i < t->messages.n; i++) {
		for (size_t k = 0; k < n; k++) {
			struct json_object *range = json_object_array_get_idx(ranges, k);
			int64_t low = json_int(range, "low", 0), hi = json_int(range, "hi", low + 1);

			if (t->messages.v[i].seq >= low && t->messages.v[i].seq < hi)
				t->messages.v[i].deleted = true;
		}
	}
	t->clear++;
	buf_addf(&text, "{\"del\":%u}", t->clear);
	hub_ctrl(lab, r, 200, "ok", buf_slice(&text));
	buf_clear(&text);
	buf_addf(&text, "{\"pres\":{\"topic\":\"%s\",\"src\":\"%s\",\"what\":\"del\",\"clear\":%u,", t->name.s,
	    name_number("usr", r->uid).s, t->clear);
	add_deleted(&text, t);
	buf_add_str(&text, "}}");
	hub_spread(lab, t, &(struct spread){ .skip = r }, buf_slice(&text));
	buf_done(&text);
}

static void
del_member(struct lab *lab, struct topic *t, const struct request *r, const struct member *own)
{
	struct member *m = dir_member(&lab->dir, t, name_user(json_str(r->body, "user")));

	if (m == NULL || (member_mode(own) & MODE_ADMIN) == 0 || m->uid == t->owner) {
		hub_ctrl(lab, r, m == NULL ? 304 : 403, m == NULL ? "no action" : "permission denied", SLICE(""));
		return;
	}
	hub_ctrl(lab, r, 200, "ok", SLICE(""));
	hub_pres_me(lab, m->uid, slice_of(topic_seen_by(t, m->uid).s), "gone", SLICE(""), false);
	topic_remove(lab, t, m);
}

static void
del_topic(struct lab *lab, struct topic *t, const struct request *r)
{
	if (t->owner != r->uid) {
		topic_unsub(lab, t, r);
		return;
	}
	t->deleted = true;
	change_topic(lab, t);
	hub_ctrl(lab, r, 200, "ok", SLICE(""));
	for (size_t i = 0; i < t->members.n; i++) {
		if (t->members.v[i].gone)
			continue;
		hub_pres_me(lab, t->members.v[i].uid, slice_of(t->name.s), "gone", SLICE(""), false);
	}
	while (t->attached.n > 0)
		topic_remove(lab, t, &t->members.v[t->attached.v[0].member]);
}

void
topic_del(struct lab *lab, struct topic *t, const struct request *r)
{
	struct slice what = json_str(r->body, "what");
	const struct member *own = dir_member(&lab->dir, t, r->uid);

	if (own == NULL)
		hub_ctrl(lab, r, 403, "permission denied", SLICE(""));
	else if (slice_eq(what, SLICE("msg")) && t->kind != TOPIC_ME && lab->store == NULL)
		del_messages(lab, t, r);
	else if (slice_eq(what, SLICE("sub")) && t->kind == TOPIC_GROUP)
		del_member(lab, t, r, own);
	else if (slice_eq(what, SLICE("topic")) && t->kind == TOPIC_GROUP)
		del_topic(lab, t, r);
	else
		hub_ctrl(lab, r, 400, "malformed", SLICE(""));
}
