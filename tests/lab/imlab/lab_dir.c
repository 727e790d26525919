#include "config.h"

#include "lab_dir.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

static const char letters[] = "JRWPASDO";

void
dir_init(struct directory *d)
{
	*d = (struct directory){ 0 };
	intern_init(&d->user_ids, NULL);
	intern_init(&d->logins, NULL);
	intern_init(&d->topic_names, NULL);
	intern_init(&d->member_ids, NULL);
}

static void
topic_free(struct topic *t)
{
	for (size_t i = 0; i < t->messages.n; i++)
		free(t->messages.v[i].tail);
	free(t->public_json);
	VEC_FREE(NULL, &t->members);
	VEC_FREE(NULL, &t->attached);
	VEC_FREE(NULL, &t->messages);
	free(t);
}

void
dir_done(struct directory *d)
{
	for (size_t i = 0; i < d->users.n; i++) {
		free(d->users.v[i]->public_json);
		VEC_FREE(NULL, &d->users.v[i]->topics);
		free(d->users.v[i]);
	}
	for (size_t i = 0; i < d->topics.n; i++)
		topic_free(d->topics.v[i]);
	VEC_FREE(NULL, &d->users);
	VEC_FREE(NULL, &d->login_user);
	VEC_FREE(NULL, &d->topics);
	VEC_FREE(NULL, &d->member_position);
	intern_done(&d->user_ids);
	intern_done(&d->logins);
	intern_done(&d->topic_names);
	intern_done(&d->member_ids);
}

static struct slice
uid_bytes(const uint64_t *uid)
{
	return (struct slice){ (const char *)uid, sizeof(*uid) };
}

struct user *
dir_user(const struct directory *d, uint64_t uid)
{
	uint32_t no = intern_find(&d->user_ids, uid_bytes(&uid));

	return no == INTERN_NONE ? NULL : d->users.v[no];
}

struct user *
dir_login(const struct directory *d, struct slice login)
{
	uint32_t no = intern_find(&d->logins, login);

	return no == INTERN_NONE ? NULL : d->users.v[d->login_user.v[no]];
}

struct topic *
dir_topic(const struct directory *d, struct slice name)
{
	uint32_t no = intern_find(&d->topic_names, name);

	return no == INTERN_NONE ? NULL : d->topics.v[no];
}

struct user *
dir_add_user(struct directory *d, uint64_t uid, struct slice login)
{
	struct user *u = calloc(1, sizeof(*u));
	uint32_t no, login_no;

	if (u == NULL || VEC_RESERVE(NULL, &d->users, 1, NULL) != IMP_OK || VEC_RESERVE(NULL, &d->login_user, 1, NULL) != IMP_OK ||
	    intern_add(&d->user_ids, uid_bytes(&uid), &no, NULL) != IMP_OK ||
	    intern_add(&d->logins, login, &login_no, NULL) != IMP_OK) {
		free(u);
		return NULL;
	}
	u->uid = uid;
	snprintf(u->login, sizeof(u->login), "%.*s", SLICE_ARG(login));
	d->users.v[d->users.n++] = u;
	d->login_user.v[d->login_user.n++] = no;
	return u;
}

struct topic *
dir_add_topic(struct directory *d, struct slice name)
{
	struct topic *t = calloc(1, sizeof(*t));
	uint32_t no;

	if (t == NULL || VEC_RESERVE(NULL, &d->topics, 1, NULL) != IMP_OK ||
	    intern_add(&d->topic_names, name, &no, NULL) != IMP_OK) {
		free(t);
		return NULL;
	}
	t->name = name_of(name);
	t->number = no;
	t->by_name = d->p2p_by_name;
	t->kind = slice_has_prefix(name, SLICE("usr")) ? TOPIC_ME : slice_has_prefix(name, SLICE("p2p")) ? TOPIC_P2P : TOPIC_GROUP;
	d->topics.v[d->topics.n++] = t;
	return t;
}

/* What a member is found by. */
struct member_key {
	uint64_t uid, topic;
};

static struct slice
member_key(struct member_key *key, const struct topic *t, uint64_t uid)
{
	*key = (struct member_key){ uid, t->number };
	return (struct slice){ (const char *)key, sizeof(*key) };
}

static struct member *
member_any(const struct directory *d, const struct topic *t, uint64_t uid)
{
	struct member_key key;
	uint32_t no = intern_find(&d->member_ids, member_key(&key, t, uid));

	return no == INTERN_NONE ? NULL : &t->members.v[d->member_position.v[no]];
}

struct member *
dir_member(const struct directory *d, const struct topic *t, uint64_t uid)
{
	struct member *m = member_any(d, t, uid);

	return m != NULL && !m->gone ? m : NULL;
}

void
dir_remove_member(struct topic *t, struct member *m)
{
	if (!m->gone)
		t->size--;
	m->gone = true;
	m->want = m->given = 0;
}

struct member *
dir_add_member(struct directory *d, struct topic *t, uint64_t uid)
{
	struct member *m = member_any(d, t, uid);
	struct user *u = dir_user(d, uid);
	struct member_key key;
	uint32_t no;

	if (m == NULL) {
		if (VEC_RESERVE(NULL, &t->members, 1, NULL) != IMP_OK ||
		    VEC_RESERVE(NULL, &d->member_position, 1, NULL) != IMP_OK ||
		    (u != NULL && VEC_PUSH(NULL, &u->topics, t, NULL) != IMP_OK) ||
		    intern_add(&d->member_ids, member_key(&key, t, uid), &no, NULL) != IMP_OK)
			return NULL;
		d->member_position.v[d->member_position.n++] = (uint32_t)t->members.n;
		m = &t->members.v[t->members.n++];
		*m = (struct member){ .uid = uid, .gone = true };
	}
	t->size += m->gone;
	m->gone = false;
	return m;
}

static void
password_hash(const struct user *u, struct slice password, unsigned char ret[HASH_BYTES])
{
	unsigned char text[SALT_BYTES + 256];
	size_t n = password.n < 256 ? password.n : 256;

	memcpy(text, u->salt, SALT_BYTES);
	memcpy(text + SALT_BYTES, password.p, n);
	SHA256(text, SALT_BYTES + n, ret);
}

void
user_set_password(struct user *u, struct slice password)
{
	if (getrandom(u->salt, sizeof(u->salt), 0) != sizeof(u->salt))
		memset(u->salt, 0, sizeof(u->salt));
	password_hash(u, password, u->hash);
}

bool
user_password_is(const struct user *u, struct slice password)
{
	unsigned char hash[HASH_BYTES];

	password_hash(u, password, hash);
	return CRYPTO_memcmp(hash, u->hash, sizeof(hash)) == 0;
}

static void
add_letters(struct buf *out, uint8_t mode)
{
	for (unsigned i = 0; letters[i] != '\0'; i++) {
		if (mode >> i & 1)
			buf_add_char(out, letters[i]);
	}
}

void
mode_add(struct buf *out, uint8_t mode)
{
	if (mode == 0)
		buf_add_char(out, 'N');
	add_letters(out, mode);
}

int
mode_parse(struct slice text, uint8_t before)
{
	uint8_t mode = 0;
	char sign = '=';

	if (slice_eq(text, SLICE("N")))
		return 0;
	if (text.n > 0 && (text.p[0] == '+' || text.p[0] == '-'))
		mode = before;
	for (size_t i = 0; i < text.n; i++) {
		const char *at = text.p[i] != '\0' ? strchr(letters, text.p[i]) : NULL;

		if (text.p[i] == '+' || text.p[i] == '-')
			sign = text.p[i];
		else if (at == NULL)
			return -1;
		else if (sign == '-')
			mode &= (uint8_t) ~(1U << (at - letters));
		else
			mode |= (uint8_t)(1U << (at - letters));
	}
	return mode;
}

void
mode_add_change(struct buf *out, uint8_t before, uint8_t after)
{
	if (before == 0 || after == 0) {
		mode_add(out, after);
		return;
	}
	if ((after & ~before) != 0) {
		buf_add_char(out, '+');
		add_letters(out, after & (uint8_t)~before);
	}
	if ((before & ~after) != 0) {
		buf_add_char(out, '-');
		add_letters(out, before & (uint8_t)~after);
	}
}
