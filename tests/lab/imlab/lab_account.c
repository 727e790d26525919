#include "config.h"

#include "lab_account.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "lab_change.h"
#include "lab_json.h"

#define SECRET_MAX 512
#define LOGIN_MIN 4
#define LOGIN_MAX 32
#define PASSWORD_MIN 6
#define TOKEN_LIFE_S 1209600

static void
say(struct account_answer *a, int code, const char *text)
{
	a->code = code;
	a->text = text;
}

static bool
login_valid(struct slice login)
{
	if (login.n < LOGIN_MIN || login.n > LOGIN_MAX)
		return false;
	for (size_t i = 0; i < login.n; i++) {
		unsigned char c = (unsigned char)login.p[i];
		bool inner = i > 0 && i + 1 < login.n;

		if (!isalnum(c) && c < 0x80 && !(inner && (c == '_' || c == '.' || c == '-')))
			return false;
	}
	return true;
}

struct credentials {
	unsigned char text[SECRET_MAX];
	struct slice login, password;
};

/* "login:password"; both empty, and p NULL, when it is not that. The login is made lower case. */
static void
credentials_read(struct json_object *body, struct credentials *c)
{
	ptrdiff_t n = base64_decode(json_str(body, "secret"), c->text, sizeof(c->text));
	const char *colon = n > 0 ? memchr(c->text, ':', (size_t)n) : NULL;

	c->login = c->password = (struct slice){ NULL, 0 };
	if (colon == NULL)
		return;
	c->login = (struct slice){ (char *)c->text, (size_t)(colon - (char *)c->text) };
	c->password = (struct slice){ colon + 1, (size_t)n - c->login.n - 1 };
	for (size_t i = 0; i < c->login.n; i++)
		c->text[i] = (unsigned char)tolower(c->text[i]);
}

static void
add_token(struct lab *lab, uint64_t uid, struct buf *out)
{
	int64_t expires = time_now() + TOKEN_LIFE_S * NS_PER_S;
	unsigned char token[TOKEN_BYTES];
	char text[4 * ((TOKEN_BYTES + 2) / 3) + 1];

	token_make(lab->token_secret, uid, (uint32_t)(expires / NS_PER_S), token);
	base64_encode(token, sizeof(token), false, text);
	buf_add_str(out, "\"expires\":");
	go_time(out, expires);
	buf_addf(out, ",\"token\":\"%s\",\"user\":\"%s\"}", text, name_number("usr", uid).s);
}

static void
add_desc(const struct user *u, struct buf *out)
{
	buf_add_str(out, "\"desc\":{\"created\":");
	go_time(out, u->created);
	buf_add_str(out, ",\"updated\":");
	go_time(out, u->updated);
	buf_add_str(out, ",\"defacs\":{\"auth\":\"JRWPAS\",\"anon\":\"N\"}");
	if (u->public_json != NULL)
		buf_addf(out, ",\"public\":%s", u->public_json);
	buf_add_char(out, '}');
}

static void
account_created(struct lab *lab, const struct user *u, bool login, struct account_answer *a)
{
	a->uid = u->uid;
	a->login = login;
	buf_add_char(&a->params, '{');
	buf_add_str(&a->params, "\"authlvl\":\"auth\",");
	add_desc(u, &a->params);
	buf_add_char(&a->params, ',');
	if (login)
		add_token(lab, u->uid, &a->params);
	else
		buf_addf(&a->params, "\"user\":\"%s\"}", name_number("usr", u->uid).s);
	say(a, login ? 200 : 201, login ? "ok" : "created");
}

void
account_make(struct lab *lab, struct json_object *acc, struct account_answer *a)
{
	struct json_object *public = json_member(json_member(acc, "desc"), "public");
	struct credentials c;
	struct user *u;

	if (!slice_has_prefix(json_str(acc, "user"), SLICE("new"))) {
		say(a, 400, "malformed");
		return;
	}
	if (!slice_eq(json_str(acc, "scheme"), SLICE("basic"))) {
		say(a, 401, "unknown authentication scheme");
		return;
	}
	credentials_read(acc, &c);
	if (lab->dialect == DIALECT_IM_SERVER &&
	    (json_int(acc, "registration_type", -1) != 0 ||
		!slice_eq(json_str(acc, "tenant_code"), slice_of(lab->options.tenant_code)) ||
		!slice_eq(json_str(acc, "username"), c.login))) {
		say(a, 400, "malformed");
		return;
	}
	if (!login_valid(c.login)) {
		a->refused = "policy";
		buf_add_str(&a->params, "{\"what\":\"auth\"}");
		say(a, 422, "policy violation");
		return;
	}
	if (dir_login(&lab->dir, c.login) != NULL) {
		a->refused = "duplicate value";
		buf_add_str(&a->params, "{\"what\":\"auth\"}");
		say(a, 409, "duplicate credential");
		return;
	}
	if (c.password.n < PASSWORD_MIN) {
		a->refused = "policy";
		say(a, 422, "policy violation");
		return;
	}
	u = dir_add_user(&lab->dir, id_random(), c.login);
	if (u == NULL) {
		say(a, 500, "internal error");
		return;
	}
	u->created = u->updated = time_now();
	user_set_password(u, c.password);
	if (public != NULL) {
		struct buf text = BUF_INIT(64 << 10);

		go_value(&text, public);
		u->public_json = text.p;
	}
	change_user(lab, u);
	account_created(lab, u, json_true(acc, "login"), a);
}

void
account_login(struct lab *lab, struct json_object *login, struct account_answer *a)
{
	struct slice scheme = json_str(login, "scheme");
	struct credentials c;
	const struct user *u;

	if (slice_eq(scheme, SLICE("basic"))) {
		credentials_read(login, &c);
		if (c.login.p == NULL) {
			say(a, 400, "malformed");
			return;
		}
		u = dir_login(&lab->dir, c.login);
		if (u == NULL && lab->options.null_server && c.login.n > 0 && c.login.n <= LOGIN_MAX)
			u = dir_add_user(&lab->dir, id_random(), c.login);
		if (u != NULL && !lab->options.null_server && !user_password_is(u, c.password))
			u = NULL;
	} else if (slice_eq(scheme, SLICE("token"))) {
		unsigned char token[SECRET_MAX];
		ptrdiff_t n = base64_decode(json_str(login, "secret"), token, sizeof(token));

		u = n <= 0 ? NULL :
			     dir_user(&lab->dir,
				 token_user(lab->token_secret, (struct slice){ (char *)token, (size_t)n }, time_now() / NS_PER_S));
	} else {
		say(a, 401, "unknown authentication scheme");
		return;
	}
	if (u == NULL) {
		say(a, 401, "authentication failed");
		return;
	}
	a->uid = u->uid;
	a->login = true;
	buf_add_str(&a->params, "{\"authlvl\":\"auth\",");
	add_token(lab, u->uid, &a->params);
	say(a, 200, "ok");
}
