#include "config.h"

#include "collect/redis.h"

#include "base/cleanup.h"

#define SLOWLOG_DEFAULT 1000 /* more than the server keeps by default (128): exactly so many would look like a limit of ours */
#define SLOWLOG_MAX 10000

static const char *const instance_keys[] = { "address", "socket", "tls", "server_name", "user", "password", "slowlog",
	COLLECTOR_KEYS, NULL };

/* The name that the server's certificate must have: through a tunnel it is not that of the address. */
static enum imp_rc
read_server_name(struct arena *arena, const struct doc_node *map, struct redis_settings *s, struct imp_err *err)
{
	const struct doc_node *n = doc_get(map, "server_name");
	enum imp_rc rc = setting_text(arena, n, s->at.host, &s->server_name, err);

	if (rc == IMP_OK && n != NULL && !s->at.tls)
		return doc_error(&n->key_at, err, "`server_name` is for `tls`");
	if (rc == IMP_OK && s->at.tls && s->server_name == NULL)
		return doc_error(&map->at, err, "TLS over a socket file needs `server_name`");
	return rc;
}

static enum imp_rc
read_account(struct arena *arena, const struct doc_node *map, struct redis_settings *s, struct imp_err *err)
{
	const struct doc_node *user = doc_get(map, "user");
	enum imp_rc rc = setting_text(arena, user, NULL, &s->user, err);

	if (rc == IMP_OK)
		rc = secret_read(doc_get(map, "password"), &s->password, err);
	if (rc == IMP_OK && user != NULL && s->password.p == NULL)
		return doc_error(&user->at, err, "a `user` needs its `password`");
	return rc;
}

enum imp_rc
redis_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *err)
{
	struct redis_settings *s = arena_alloc(arena, sizeof(*s), err);
	enum imp_rc rc;

	if (s == NULL)
		return IMP_E_NOMEM;
	s->source = source;
	s->limits = *limits;
	rc = doc_check_keys(map, instance_keys, err);
	if (rc == IMP_OK)
		rc = endpoint_read(arena, map, "6379", &s->at, err);
	if (rc == IMP_OK)
		rc = read_server_name(arena, map, s, err);
	if (rc == IMP_OK)
		rc = setting_count(doc_get(map, "slowlog"), SLOWLOG_DEFAULT, 1, SLOWLOG_MAX, &s->slowlog, err);
	if (rc == IMP_OK)
		rc = read_account(arena, map, s, err);
	if (rc != IMP_OK) {
		redis_forget(s);
		return rc;
	}
	*ret_settings = s;
	return IMP_OK;
}

void
redis_forget(void *settings)
{
	struct redis_settings *s = settings;

	if (s != NULL)
		secret_done(&s->password);
}
