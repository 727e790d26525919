#include "config.h"

#include "collect/endpoint.h"

#include "base/settings.h"

static const char *const tls_keys[] = { "ca", "cert", "key", NULL };

/* "host:port", "[::1]:port", or a host alone. */
static void
split_address(struct slice address, struct slice *host, struct slice *port)
{
	const char *colon = memrchr(address.p, ':', address.n);
	bool bracket = address.n > 0 && address.p[0] == '[';
	bool has_port = colon != NULL && (bracket ? colon[-1] == ']' : memchr(address.p, ':', address.n) == colon);

	*host = address;
	if (has_port) {
		*port = (struct slice){ colon + 1, (size_t)(address.p + address.n - colon) - 1 };
		host->n = (size_t)(colon - address.p);
	}
	if (bracket && host->n >= 2 && host->p[host->n - 1] == ']')
		*host = (struct slice){ host->p + 1, host->n - 2 };
}

static bool
is_port(struct slice s)
{
	unsigned v = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || v > 65535)
			return false;
		v = v * 10 + (unsigned)(s.p[i] - '0');
	}
	return v > 0 && v <= 65535;
}

static enum imp_rc
read_address(struct arena *arena, const struct doc_node *n, const char *default_port, struct endpoint *ret, struct imp_err *err)
{
	struct slice host, port = slice_of(default_port);
	enum imp_rc rc = setting_text(arena, n, NULL, &ret->address, err);

	if (rc != IMP_OK)
		return rc;
	split_address(slice_of(ret->address), &host, &port);
	if (host.n == 0 || !is_port(port) || strchr(ret->address, '@') != NULL)
		return doc_error(&n->at, err, "an address is HOST:PORT, without user and password");
	ret->host = arena_slice(arena, host, err).p;
	ret->port = ret->host != NULL ? arena_slice(arena, port, err).p : NULL;
	return ret->port != NULL ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
read_tls(struct arena *arena, const struct doc_node *n, struct endpoint *ret, struct imp_err *err)
{
	enum imp_rc rc;

	if (n == NULL || n->kind == DOC_SCALAR)
		return setting_bool(n, false, &ret->tls, err);
	ret->tls = true;
	rc = doc_is(n, DOC_MAP, err);
	if (rc == IMP_OK)
		rc = doc_check_keys(n, tls_keys, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(n, "ca"), NULL, &ret->ca, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(n, "cert"), NULL, &ret->cert, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(n, "key"), NULL, &ret->key, err);
	if (rc == IMP_OK && (ret->cert != NULL) != (ret->key != NULL))
		return doc_error(&n->at, err, "`cert` and `key` belong together");
	return rc;
}

enum imp_rc
endpoint_read(struct arena *arena, const struct doc_node *map, const char *default_port, struct endpoint *ret, struct imp_err *err)
{
	const struct doc_node *address = doc_get(map, "address"), *socket = doc_get(map, "socket");
	struct endpoint e = { .address = NULL };
	enum imp_rc rc;

	if ((address != NULL) == (socket != NULL))
		return doc_error(&map->at, err, "either `address` or `socket` is needed");
	if (address != NULL)
		rc = read_address(arena, address, default_port, &e, err);
	else
		rc = setting_text(arena, socket, NULL, &e.socket, err);
	if (rc == IMP_OK)
		rc = read_tls(arena, doc_get(map, "tls"), &e, err);
	if (rc != IMP_OK)
		return rc;
	if (e.address == NULL)
		e.address = e.socket;
	*ret = e;
	return IMP_OK;
}
