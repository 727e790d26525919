#include "config.h"

#include "lab_api.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "lab.h"
#include "lab_change.h"
#include "lab_hub.h"
#include "lab_json.h"

#define TEXT_MAX ((size_t)1 << 20)
#define PREFIX "/v1/im/"
#define INVITED_MAX 100
#define WITH_GROUP_MAX 99
#define PAGE_MAX 200
#define REQUEST_ID_PREFIX "fr_"

struct api_answer {
	uint64_t request; /* hash of method, path and body */
	unsigned status;
	char *body;
};

/* What was answered to a write, so that its repetition gets the same. */
struct api_memory {
	struct intern keys;		/* user and Idempotency-Key */
	VEC(struct api_answer) answers; /* by number of keys */
};

struct api_call {
	struct lab *lab;
	struct user *user;
	const struct http_request *request;
	struct slice path;	  /* behind the prefix */
	struct json_object *body; /* NULL: none */
	unsigned status;
	struct buf out;
};

bool
api_path(struct slice path)
{
	return slice_has_prefix(path, SLICE(PREFIX));
}

void
api_done(struct api_memory *memory)
{
	if (memory == NULL)
		return;
	for (size_t i = 0; i < memory->answers.n; i++)
		free(memory->answers.v[i].body);
	VEC_FREE(NULL, &memory->answers);
	intern_done(&memory->keys);
	free(memory);
}

static void
refuse(struct api_call *c, unsigned status, const char *code)
{
	c->status = status;
	buf_clear(&c->out);
	buf_addf(&c->out, "{\"error\":{\"code\":\"%s\"}}", code);
}

/* The user of an id in the body; NULL, and refused, when there is none. */
static struct user *
body_user(struct api_call *c, struct slice id)
{
	struct user *u = dir_user(&c->lab->dir, name_user(id));

	if (u == NULL)
		refuse(c, 404, "user_not_found");
	return u;
}

/* A message that the system puts into a topic in the name of a user. */
static void
say(struct api_call *c, const struct topic *t, const char *type)
{
	struct buf text = BUF_INIT(1024);
	struct request r = { .kind = REQUEST_PUB,
		.from = { c->lab->self, 0 },
		.uid = c->user->uid,
		.attached = true,
		.topic = t->name,
		.shown = t->name,
		.ts = time_now() };

	buf_addf(&text,
	    "{\"head\":{\"mime\":\"application/json\",\"x-im-schema\":1,\"x-im-type\":\"%s\"},\"content\":{\"event\":\"%s\"}}",
	    type, type);
	r.body = json_parse(buf_slice(&text));
	hub_request(c->lab, &r);
	json_object_put(r.body);
	buf_done(&text);
}

static struct topic *
make_topic(struct api_call *c, struct name name, uint64_t owner)
{
	struct topic *t = dir_add_topic(&c->lab->dir, slice_of(name.s));

	if (t == NULL) {
		refuse(c, 500, "internal");
		return NULL;
	}
	t->created = t->updated = t->touched = time_now();
	t->access = MODE_GROUP;
	t->owner = owner;
	t->subcnt = 2;
	c->lab->counters.topics_made++;
	change_topic(c->lab, t);
	return t;
}

static void
join(struct api_call *c, struct topic *t, uint64_t uid, uint8_t mode)
{
	struct member *m = dir_add_member(&c->lab->dir, t, uid);

	if (m == NULL)
		return;
	m->want = m->given = mode;
	m->updated = time_now();
	change_member(c->lab, t, m);
}

/* Friends */

static struct topic *
pair_topic(struct api_call *c, const struct user *peer)
{
	return dir_topic(&c->lab->dir, slice_of(name_p2p(c->user->uid, peer->uid).s));
}

static void
answer_friend(struct api_call *c, const struct topic *t)
{
	buf_addf(&c->out, "{\"status\":\"friend\",\"topic\":\"%s\"}", t->name.s);
}

/* An id of a request names both, so that each node can accept it. */
static void
friend_request(struct api_call *c)
{
	struct user *peer = body_user(c, json_str(c->body, "target_user_id"));

	if (peer == NULL)
		return;
	if (peer == c->user)
		refuse(c, 400, "self");
	else if (pair_topic(c, peer) != NULL)
		answer_friend(c, pair_topic(c, peer));
	else
		buf_addf(&c->out, "{\"request_id\":\"" REQUEST_ID_PREFIX "%s_%s\",\"status\":\"pending\"}",
		    name_number("usr", c->user->uid).s, name_number("usr", peer->uid).s);
}

static void
friend_accept(struct api_call *c, struct slice id)
{
	const size_t user_bytes = 14;
	uint64_t from = 0, to = 0;
	struct user *peer;
	struct topic *t;

	if (id.n == 3 + 2 * user_bytes + 1 && slice_has_prefix(id, SLICE(REQUEST_ID_PREFIX))) {
		from = name_user((struct slice){ id.p + 3, user_bytes });
		to = name_user((struct slice){ id.p + 3 + user_bytes + 1, user_bytes });
	}
	peer = dir_user(&c->lab->dir, from);
	if (peer == NULL || to != c->user->uid) {
		refuse(c, 404, "request_not_found");
		return;
	}
	t = pair_topic(c, peer);
	if (t == NULL) {
		t = make_topic(c, name_p2p(from, to), 0);
		if (t == NULL)
			return;
		join(c, t, from, MODE_P2P);
		join(c, t, to, MODE_P2P);
		say(c, t, "friend_added");
	}
	answer_friend(c, t);
}

static void
open_p2p(struct api_call *c)
{
	struct user *peer = body_user(c, json_str(c->body, "peer_user_id"));
	struct topic *t = peer != NULL ? pair_topic(c, peer) : NULL;

	if (t != NULL)
		buf_addf(&c->out, "{\"topic\":\"%s\",\"relation\":\"friend\"}", t->name.s);
	else if (peer != NULL)
		refuse(c, 403, "not_friends");
}

/* Pages: ?cursor=N&limit=N; the answer's next_cursor is "" at the end. */
struct page {
	size_t from, limit, n;
};

static struct page
page_begin(struct api_call *c)
{
	struct slice cursor = http_query(c->request, "cursor"), limit = http_query(c->request, "limit");
	struct page page = { 0, PAGE_MAX, 0 };
	char text[24];

	snprintf(text, sizeof(text), "%.*s", SLICE_ARG(cursor));
	page.from = strtoul(text, NULL, 10);
	snprintf(text, sizeof(text), "%.*s", SLICE_ARG(limit));
	if (limit.n > 0)
		page.limit = strtoul(text, NULL, 10);
	if (page.limit == 0 || page.limit > PAGE_MAX)
		page.limit = PAGE_MAX;
	buf_add_str(&c->out, "{\"items\":[");
	return page;
}

static void
page_end(struct api_call *c, size_t next, size_t all)
{
	if (next < all)
		buf_addf(&c->out, "],\"next_cursor\":\"%zu\"}", next);
	else
		buf_add_str(&c->out, "],\"next_cursor\":\"\"}");
}

static void
list_friends(struct api_call *c)
{
	struct page page = page_begin(c);
	const struct user *u = c->user;
	size_t i;

	for (i = page.from; i < u->topics.n && page.n < page.limit; i++) {
		const struct topic *t = u->topics.v[i];

		if (t->kind == TOPIC_P2P)
			buf_addf(&c->out, "%s{\"user_id\":\"%s\",\"topic\":\"%s\",\"relation\":\"friend\"}",
			    page.n++ > 0 ? "," : "", name_number("usr", name_p2p_other(t->name.s, u->uid)).s, t->name.s);
	}
	page_end(c, i, u->topics.n);
}

/* Groups */

/* The users of an array of ids join; those that are there already are told apart. */
static void
add_users(struct api_call *c, struct topic *t, struct json_object *ids)
{
	size_t n = json_object_get_type(ids) == json_type_array ? json_object_array_length(ids) : 0, joined = 0, there = 0,
	       unknown = 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *id = json_object_array_get_idx(ids, i);
		struct user *u = dir_user(&c->lab->dir, name_user(slice_of(json_object_get_string(id))));

		if (u == NULL) {
			unknown++;
		} else if (dir_member(&c->lab->dir, t, u->uid) != NULL) {
			there++;
		} else {
			join(c, t, u->uid, MODE_GROUP);
			joined++;
		}
	}
	t->subcnt += (uint32_t)joined;
	change_topic(c->lab, t);
	buf_addf(&c->out, "{\"topic\":\"%s\",\"joined\":%zu,\"already\":%zu,\"unknown\":%zu}", t->name.s, joined, there, unknown);
	if (joined > 0)
		say(c, t, "member_joined");
}

static size_t
array_size(struct json_object *ids)
{
	return json_object_get_type(ids) == json_type_array ? json_object_array_length(ids) : 0;
}

static void
make_group(struct api_call *c)
{
	struct json_object *ids = json_member(c->body, "member_ids");
	struct slice name = json_str(c->body, "name");
	struct buf public = BUF_INIT(4096);
	struct topic *t;

	if (array_size(ids) > WITH_GROUP_MAX) {
		refuse(c, 400, "too_many_members");
		return;
	}
	t = make_topic(c, name_number("grp", id_random()), c->user->uid);
	if (t == NULL)
		return;
	buf_add_str(&public, "{\"fn\":");
	go_string(&public, name);
	buf_add_char(&public, '}');
	t->public_json = public.p;
	join(c, t, c->user->uid, MODE_ALL);
	add_users(c, t, ids);
}

static struct topic *
own_group(struct api_call *c, struct slice name)
{
	struct topic *t = dir_topic(&c->lab->dir, name);

	if (t == NULL || t->kind != TOPIC_GROUP || t->deleted)
		refuse(c, 404, "group_not_found");
	else if (dir_member(&c->lab->dir, t, c->user->uid) == NULL)
		refuse(c, 403, "not_a_member");
	else
		return t;
	return NULL;
}

static void
invite(struct api_call *c, struct slice name)
{
	struct json_object *ids = json_member(c->body, "user_ids");
	struct topic *t = own_group(c, name);

	if (t == NULL)
		return;
	if (array_size(ids) == 0 || array_size(ids) > INVITED_MAX)
		refuse(c, 400, "batch_size");
	else if (t->size + array_size(ids) > c->lab->options.max_members)
		refuse(c, 409, "group_full");
	else
		add_users(c, t, ids);
}

static void
list_members(struct api_call *c, struct slice name)
{
	struct topic *t = own_group(c, name);
	struct page page;
	size_t i;

	if (t == NULL)
		return;
	page = page_begin(c);
	for (i = page.from; i < t->members.n && page.n < page.limit; i++) {
		const struct member *m = &t->members.v[i];

		if (!m->gone)
			buf_addf(&c->out, "%s{\"user_id\":\"%s\",\"role\":\"%s\"}", page.n++ > 0 ? "," : "",
			    name_number("usr", m->uid).s, m->uid == t->owner ? "owner" : "member");
	}
	page_end(c, i, t->members.n);
}

static void
settings(struct api_call *c)
{
	buf_add_str(&c->out, "{\"group_invite_verification\":false}");
}

/* Requests */

static const struct {
	const char *method, *before, *behind; /* with the variable part of the path between, if any */
	void (*whole)(struct api_call *c);
	void (*with)(struct api_call *c, struct slice part);
} routes[] = {
	{ "POST", "friend-requests", NULL, friend_request, NULL },
	{ "POST", "friend-requests/", "/accept", NULL, friend_accept },
	{ "GET", "friends", NULL, list_friends, NULL },
	{ "POST", "conversations/p2p", NULL, open_p2p, NULL },
	{ "POST", "groups", NULL, make_group, NULL },
	{ "POST", "groups/", "/invitations", NULL, invite },
	{ "GET", "groups/", "/members", NULL, list_members },
	{ "GET", "settings", NULL, settings, NULL },
};

static void
route(struct api_call *c)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		struct slice before = slice_of(routes[i].before), behind = slice_of(routes[i].behind);

		if (!slice_eq(c->request->method, slice_of(routes[i].method)))
			continue;
		if (routes[i].whole != NULL && slice_eq(c->path, before)) {
			routes[i].whole(c);
			return;
		}
		if (routes[i].with != NULL && slice_has_prefix(c->path, before) && slice_has_suffix(c->path, behind) &&
		    c->path.n > before.n + behind.n) {
			routes[i].with(c, (struct slice){ c->path.p + before.n, c->path.n - before.n - behind.n });
			return;
		}
	}
	refuse(c, 404, "no_such_path");
}

/* The user whose token it is; NULL, and refused, when the headers are not right. */
static struct user *
authorize(struct api_call *c)
{
	struct slice token = http_header(c->request, "Authorization");
	unsigned char bytes[128];
	ptrdiff_t n;
	struct user *u;

	if (!api_key_valid(http_header(c->request, "X-MeetingIM-APIKey"))) {
		refuse(c, 403, "api_key");
		return NULL;
	}
	if (!slice_eq(http_header(c->request, "X-IM-Schema"), SLICE("1")) || http_header(c->request, "X-Request-ID").n == 0) {
		refuse(c, 400, "headers");
		return NULL;
	}
	if (!slice_has_prefix(token, SLICE("Bearer "))) {
		refuse(c, 401, "token");
		return NULL;
	}
	n = base64_decode((struct slice){ token.p + 7, token.n - 7 }, bytes, sizeof(bytes));
	u = n > 0 ? dir_user(&c->lab->dir,
			token_user(c->lab->token_secret, (struct slice){ (char *)bytes, (size_t)n }, time_now() / NS_PER_S)) :
		    NULL;
	if (u == NULL)
		refuse(c, 401, "token");
	return u;
}

static struct api_memory *
memory_of(struct lab *lab)
{
	if (lab->api == NULL) {
		lab->api = calloc(1, sizeof(*lab->api));
		if (lab->api != NULL)
			intern_init(&lab->api->keys, NULL);
	}
	return lab->api;
}

/* A write: the same again gets the same answer, another one with the same key is a conflict. */
static void
write_once(struct api_call *c)
{
	struct slice key = http_header(c->request, "Idempotency-Key");
	struct api_memory *memory = memory_of(c->lab);
	struct buf text = BUF_INIT(TEXT_MAX);
	uint64_t request;
	uint32_t no;

	buf_add_slice(&text, c->path);
	buf_add_slice(&text, c->request->body);
	request = hash_bytes(buf_slice(&text));
	buf_clear(&text);
	buf_addf(&text, "%llu %.*s", (unsigned long long)c->user->uid, SLICE_ARG(key));
	no = memory != NULL ? intern_find(&memory->keys, buf_slice(&text)) : INTERN_NONE;
	if (key.n == 0) {
		refuse(c, 400, "idempotency_key");
	} else if (no != INTERN_NONE && memory->answers.v[no].request != request) {
		refuse(c, 409, "idempotency_key_reused");
	} else if (no != INTERN_NONE) {
		c->status = memory->answers.v[no].status;
		buf_add_str(&c->out, memory->answers.v[no].body);
	} else {
		route(c);
		if (memory != NULL && VEC_RESERVE(NULL, &memory->answers, 1, NULL) == IMP_OK &&
		    intern_add(&memory->keys, buf_slice(&text), &no, NULL) == IMP_OK) {
			memory->answers.v[memory->answers.n].request = request;
			memory->answers.v[memory->answers.n].status = c->status;
			memory->answers.v[memory->answers.n++].body = strndup(c->out.p, c->out.n);
		}
	}
	buf_done(&text);
}

void
api_request(struct conn *conn, const struct http_request *request)
{
	struct api_call c = {
		.lab = conn->net->user,
		.request = request,
		.path = { request->path.p + strlen(PREFIX), request->path.n - strlen(PREFIX) },
		.status = 200,
		.out = BUF_INIT(TEXT_MAX),
	};

	c.user = authorize(&c);
	c.body = request->body.n > 0 ? json_parse(request->body) : NULL;
	if (c.user != NULL && request->body.n > 0 && c.body == NULL)
		refuse(&c, 400, "json");
	else if (c.user != NULL && slice_eq(request->method, SLICE("GET")))
		route(&c);
	else if (c.user != NULL)
		write_once(&c);
	conn_answer(conn, c.status, "application/json; charset=utf-8", buf_slice(&c.out));
	change_settle(c.lab, conn);
	json_object_put(c.body);
	buf_done(&c.out);
}
