#include "config.h"

#include "collect/redis.h"

#include "base/cleanup.h"

#define SLOWLOG_DEFAULT 1000 /* more than the server keeps by default (128): exactly so many would look like a limit of ours */
#define SLOWLOG_MAX 10000

static const char *const instance_keys[] = { "address", "socket", "user", "password", "tls", "slowlog", COLLECTOR_KEYS, NULL };
static const char *const tls_keys[] = { "ca", "cert", "key", "server_name", NULL };

/* "host:port", "[::1]:port", or a host alone. */
static enum imp_rc
read_address(struct arena *arena, const struct doc_node *n, struct redis_settings *s, struct imp_err *err)
{
	enum imp_rc rc = setting_text(arena, n, NULL, &s->address, err);
	struct slice host, port = SLICE("6379");
	const char *colon;

	if (rc != IMP_OK)
		return rc;
	host = slice_of(s->address);
	colon = memrchr(host.p, ':', host.n);
	if (host.p[0] == '[' || (colon != NULL && memchr(host.p, ':', host.n) == colon)) {
		if (colon != NULL && (host.p[0] != '[' || colon[-1] == ']')) {
			port = (struct slice){ colon + 1, (size_t)(host.p + host.n - colon) - 1 };
			host.n = (size_t)(colon - host.p);
		}
		if (host.p[0] == '[' && host.n >= 2 && host.p[host.n - 1] == ']')
			host = (struct slice){ host.p + 1, host.n - 2 };
	}
	if (host.n == 0 || port.n == 0 || memchr(s->address, '@', strlen(s->address)) != NULL)
		return doc_error(&n->at, err, "an address is HOST:PORT, without user and password");
	s->host = arena_slice(arena, host, err).p;
	s->port = s->host != NULL ? arena_slice(arena, port, err).p : NULL;
	return s->port != NULL ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
read_where(struct arena *arena, const struct doc_node *map, struct redis_settings *s, struct imp_err *err)
{
	const struct doc_node *address = doc_get(map, "address"), *socket = doc_get(map, "socket");
	enum imp_rc rc;

	if ((address != NULL) == (socket != NULL))
		return doc_error(&map->at, err, "either `address` or `socket` is needed");
	if (address != NULL)
		return read_address(arena, address, s, err);
	rc = setting_text(arena, socket, NULL, &s->socket, err);
	s->address = s->socket;
	return rc;
}

/* `tls: true`, or a map of files. */
static enum imp_rc
read_tls(struct arena *arena, const struct doc_node *n, struct redis_settings *s, struct imp_err *err)
{
	enum imp_rc rc;

	s->server_name = s->host;
	if (n == NULL || n->kind == DOC_SCALAR)
		return setting_bool(n, false, &s->tls, err);
	s->tls = true;
	rc = doc_is(n, DOC_MAP, err);
	if (rc == IMP_OK)
		rc = doc_check_keys(n, tls_keys, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(n, "ca"), NULL, &s->ca, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(n, "cert"), NULL, &s->cert, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(n, "key"), NULL, &s->key, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(n, "server_name"), s->host, &s->server_name, err);
	if (rc == IMP_OK && s->server_name == NULL)
		return doc_error(&n->at, err, "TLS over a socket file needs `server_name`");
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
		rc = read_where(arena, map, s, err);
	if (rc == IMP_OK)
		rc = read_tls(arena, doc_get(map, "tls"), s, err);
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
