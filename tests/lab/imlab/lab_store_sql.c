#include "config.h"

#include "lab_store_sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/time.h"
#include "lab_db.h"
#include "lab_json.h"
#include "lab_topic.h"

#define MS INT64_C(1000000)
#define TAIL_MAX ((size_t)1 << 20)

static void
add_name(struct buf *out, const char *name)
{
	sql_text(out, slice_of(name));
}

void
sql_touch_topic(struct buf *out, const struct save *s)
{
	buf_addf(out, "UPDATE topics SET seqid = %u, touchedat = ", s->message.seq);
	sql_time(out, s->message.ts);
	buf_add_str(out, " WHERE name = ");
	add_name(out, s->topic->name.s);
}

void
sql_insert_message(struct buf *out, const struct save *s)
{
	buf_add_str(out, "INSERT INTO messages (createdat, updatedat, seqid, topic, `from`, head, content) VALUES (");
	sql_time(out, s->message.ts);
	buf_add_char(out, ',');
	sql_time(out, s->message.ts);
	buf_addf(out, ",%u,", s->message.seq);
	add_name(out, s->topic->name.s);
	buf_addf(out, ",%lld,", (long long)s->message.from);
	sql_json(out, s->head.n > 0 ? s->head.p : NULL);
	buf_add_char(out, ',');
	sql_json(out, s->content.p);
	buf_add_char(out, ')');
}

/* " AND (seqid >= ... )" as {get} asks for it; upper ends are left out. */
static void
add_wanted(struct buf *out, struct json_object *query)
{
	struct json_object *ranges = json_member(query, "ranges");
	size_t n = json_object_get_type(ranges) == json_type_array ? json_object_array_length(ranges) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *range = json_object_array_get_idx(ranges, i);
		int64_t low = json_int(range, "low", 0), hi = json_int(range, "hi", low + 1);

		buf_addf(out, "%s(seqid >= %lld AND seqid < %lld)", i == 0 ? " AND (" : " OR ", (long long)low, (long long)hi);
	}
	if (n > 0)
		buf_add_char(out, ')');
	else
		buf_addf(out, " AND seqid >= %lld AND seqid < %lld", (long long)json_int(query, "since", 0),
		    (long long)json_int(query, "before", INT32_MAX));
}

void
sql_select_messages(struct buf *out, const struct history *h)
{
	buf_add_str(out,
	    "SELECT seqid, `from`, ROUND(UNIX_TIMESTAMP(createdat) * 1000), head, content FROM messages WHERE topic = ");
	add_name(out, h->topic->name.s);
	buf_add_str(out, " AND delid = 0");
	add_wanted(out, h->query);
	buf_addf(out, " ORDER BY seqid DESC LIMIT %lld", (long long)h->limit);
}

void
sql_select_persisted(struct buf *out, const struct history *h)
{
	struct tm tm;
	time_t now = (time_t)(h->request.ts / NS_PER_S);

	gmtime_r(&now, &tm);
	if (h->topic->kind == TOPIC_GROUP)
		buf_addf(out, "SELECT content FROM im_%03llu_group_messages_%04d%02d WHERE topic = ",
		    (unsigned long long)h->lab->options.tenant, tm.tm_year + 1900, tm.tm_mon + 1);
	else
		buf_addf(out, "SELECT content FROM im_%03llu_messages WHERE topic = ", (unsigned long long)h->lab->options.tenant);
	add_name(out, h->topic->name.s);
	add_wanted(out, h->query);
	buf_addf(out, " ORDER BY seqid DESC LIMIT %lld", (long long)h->limit);
}

static void
add_found(struct history *h, struct message m, struct json_object *head, struct json_object *content)
{
	struct buf tail = BUF_INIT(TAIL_MAX);

	add_tail(&tail, head, content);
	m.tail = tail.p;
	if (buf_status(&tail, NULL) != IMP_OK || VEC_PUSH(NULL, &h->found, m, NULL) != IMP_OK)
		buf_done(&tail);
}

void
rows_of_messages(struct history *h, MYSQL_RES *result)
{
	MYSQL_ROW row;

	while ((row = mysql_fetch_row(result)) != NULL) {
		struct json_object *head = row[3] != NULL ? json_parse(slice_of(row[3])) : NULL;
		struct json_object *content = row[4] != NULL ? json_parse(slice_of(row[4])) : NULL;
		struct message m = { .seq = (uint32_t)strtoul(row[0], NULL, 10),
			.from = strtoull(row[1], NULL, 10),
			.ts = strtoll(row[2], NULL, 10) * MS };

		add_found(h, m, head, content);
		json_object_put(head);
		json_object_put(content);
	}
}

void
rows_of_persisted(struct history *h, MYSQL_RES *result)
{
	MYSQL_ROW row;

	while ((row = mysql_fetch_row(result)) != NULL) {
		struct json_object *line = row[0] != NULL ? json_parse(slice_of(row[0])) : NULL;
		struct message m = { .seq = (uint32_t)json_int(line, "seq", 0),
			.from = name_user(json_str(line, "from")),
			.ts = json_int(line, "ts", 0) * MS };

		add_found(h, m, json_member(line, "head"), json_member(line, "content"));
		json_object_put(line);
	}
}

/* The directory */

void
sql_upsert_user(struct buf *out, const struct user *u)
{
	buf_addf(out, "INSERT INTO users (id, createdat, updatedat, public) VALUES (%llu,", (unsigned long long)u->uid);
	sql_time(out, u->created);
	buf_add_char(out, ',');
	sql_time(out, u->updated);
	buf_add_char(out, ',');
	sql_json(out, u->public_json);
	buf_add_str(out, ") ON DUPLICATE KEY UPDATE updatedat = VALUES(updatedat), public = VALUES(public)");
}

void
sql_upsert_auth(struct buf *out, const struct user *u)
{
	buf_add_str(out, "INSERT INTO auth (uname, userid, scheme, secret) VALUES ('basic:");
	/* what a login may be made of needs no quoting */
	buf_addf(out, "%s',%llu,'basic','", u->login, (unsigned long long)u->uid);
	for (size_t i = 0; i < sizeof(u->salt); i++)
		buf_addf(out, "%02x", u->salt[i]);
	for (size_t i = 0; i < sizeof(u->hash); i++)
		buf_addf(out, "%02x", u->hash[i]);
	buf_add_str(out, "') ON DUPLICATE KEY UPDATE secret = VALUES(secret)");
}

void
sql_upsert_topic(struct buf *out, const struct topic *t)
{
	buf_add_str(out,
	    "INSERT INTO topics (createdat, updatedat, touchedat, state, name, owner, access, seqid, subcnt, public) VALUES (");
	sql_time(out, t->created);
	buf_add_char(out, ',');
	sql_time(out, t->updated);
	buf_add_char(out, ',');
	sql_time(out, t->touched);
	buf_addf(out, ",%d,", t->deleted);
	add_name(out, t->name.s);
	buf_addf(out, ",%llu,'", (unsigned long long)t->owner);
	mode_add(out, t->access);
	buf_addf(out, "',%u,%u,", t->reserved > t->seq ? t->reserved : t->seq, t->subcnt);
	sql_json(out, t->public_json);
	buf_add_str(out,
	    ") ON DUPLICATE KEY UPDATE updatedat = VALUES(updatedat), state = VALUES(state), subcnt = VALUES(subcnt),"
	    " public = VALUES(public), seqid = GREATEST(seqid, VALUES(seqid))");
}

void
sql_upsert_member(struct buf *out, const struct topic *t, const struct member *m)
{
	buf_add_str(out,
	    "INSERT INTO subscriptions (createdat, updatedat, deletedat, userid, topic, recvseqid, readseqid, modewant, modegiven)"
	    " VALUES (");
	sql_time(out, m->updated);
	buf_add_char(out, ',');
	sql_time(out, m->updated);
	buf_add_char(out, ',');
	if (m->gone)
		sql_time(out, m->updated);
	else
		buf_add_str(out, "NULL");
	buf_addf(out, ",%llu,", (unsigned long long)m->uid);
	add_name(out, t->name.s);
	buf_addf(out, ",%u,%u,'", m->recv, m->read);
	mode_add(out, m->want);
	buf_add_str(out, "','");
	mode_add(out, m->given);
	buf_add_str(out,
	    "') ON DUPLICATE KEY UPDATE updatedat = VALUES(updatedat), deletedat = VALUES(deletedat), recvseqid = VALUES(recvseqid),"
	    " readseqid = VALUES(readseqid), modewant = VALUES(modewant), modegiven = VALUES(modegiven)");
}

void
sql_select_directory(struct buf *out, size_t which)
{
	static const char *const select[] = {
		"SELECT users.id, SUBSTR(uname, 7), secret, ROUND(UNIX_TIMESTAMP(createdat) * 1000), ROUND(UNIX_TIMESTAMP(updatedat) * 1000),"
		" public FROM users JOIN auth ON auth.userid = users.id ORDER BY auth.id",
		"SELECT name, state, owner, access, GREATEST(seqid, COALESCE((SELECT MAX(seqid) FROM messages WHERE topic = name), 0)), subcnt,"
		" ROUND(UNIX_TIMESTAMP(createdat) * 1000), ROUND(UNIX_TIMESTAMP(updatedat) * 1000), ROUND(UNIX_TIMESTAMP(touchedat) * 1000),"
		" public FROM topics ORDER BY id",
		"SELECT topic, userid, deletedat IS NOT NULL, modewant, modegiven, recvseqid, readseqid, ROUND(UNIX_TIMESTAMP(updatedat) * 1000)"
		" FROM subscriptions ORDER BY id",
	};

	buf_add_str(out, select[which]);
}

static void
read_hex(const char *text, unsigned char *ret, size_t n)
{
	for (size_t i = 0; i < n && text[2 * i] != '\0' && text[2 * i + 1] != '\0'; i++) {
		char digits[3] = { text[2 * i], text[2 * i + 1], '\0' };

		ret[i] = (unsigned char)strtoul(digits, NULL, 16);
	}
}

static int64_t
read_ms(const char *text)
{
	return text != NULL ? strtoll(text, NULL, 10) * MS : 0;
}

void
load_users(struct lab *lab, MYSQL_RES *result)
{
	MYSQL_ROW row;

	while ((row = mysql_fetch_row(result)) != NULL) {
		struct user *u = dir_add_user(&lab->dir, strtoull(row[0], NULL, 10), slice_of(row[1]));

		if (u == NULL)
			continue;
		read_hex(row[2], u->salt, sizeof(u->salt));
		if (strlen(row[2]) > 2 * sizeof(u->salt))
			read_hex(row[2] + 2 * sizeof(u->salt), u->hash, sizeof(u->hash));
		u->created = read_ms(row[3]);
		u->updated = read_ms(row[4]);
		u->public_json = row[5] != NULL ? strdup(row[5]) : NULL;
	}
}

void
load_topics(struct lab *lab, MYSQL_RES *result)
{
	MYSQL_ROW row;

	while ((row = mysql_fetch_row(result)) != NULL) {
		struct topic *t = dir_add_topic(&lab->dir, slice_of(row[0]));

		if (t == NULL)
			continue;
		t->deleted = row[1][0] != '0';
		t->owner = strtoull(row[2], NULL, 10);
		t->access = (uint8_t)mode_parse(slice_of(row[3]), 0);
		t->seq = t->reserved = (uint32_t)strtoul(row[4], NULL, 10);
		t->subcnt = (uint32_t)strtoul(row[5], NULL, 10);
		t->created = read_ms(row[6]);
		t->updated = read_ms(row[7]);
		t->touched = read_ms(row[8]);
		t->public_json = row[9] != NULL ? strdup(row[9]) : NULL;
	}
}

void
load_members(struct lab *lab, MYSQL_RES *result)
{
	MYSQL_ROW row;

	while ((row = mysql_fetch_row(result)) != NULL) {
		struct topic *t = dir_topic(&lab->dir, slice_of(row[0]));
		struct member *m = t != NULL ? dir_add_member(&lab->dir, t, strtoull(row[1], NULL, 10)) : NULL;

		if (m == NULL)
			continue;
		if (row[2][0] != '0')
			dir_remove_member(t, m);
		m->want = (uint8_t)mode_parse(slice_of(row[3]), 0);
		m->given = (uint8_t)mode_parse(slice_of(row[4]), 0);
		m->recv = (uint32_t)strtoul(row[5], NULL, 10);
		m->read = (uint32_t)strtoul(row[6], NULL, 10);
		m->updated = read_ms(row[7]);
	}
}
