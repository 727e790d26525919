#include "config.h"

#include "collect/http_target.h"

#include <string.h>

void
http_target_done(struct http_target *t)
{
	secret_done(&t->key);
	secret_done(&t->token);
	secret_done(&t->password);
}

/* libcurl parses it once more; this is about what must not stand in it. */
static const char *
url_flaw(struct slice text)
{
	struct slice rest = text;

	if (slice_has_prefix(text, SLICE("http://")))
		rest = (struct slice){ text.p + 7, text.n - 7 };
	else if (slice_has_prefix(text, SLICE("https://")))
		rest = (struct slice){ text.p + 8, text.n - 8 };
	else
		return "a URL begins with http:// or https://";
	for (size_t i = 0; i < rest.n; i++)
		if ((unsigned char)rest.p[i] <= ' ' || (unsigned char)rest.p[i] >= 0x7f)
			return "a blank, a control character or a letter beyond ASCII in a URL";
	for (size_t i = 0; i < rest.n; i++) {
		if (rest.p[i] == '#')
			return "a URL with a fragment";
		if (rest.p[i] == '/' || rest.p[i] == '?')
			rest.n = i;
	}
	if (memchr(rest.p, '@', rest.n) != NULL)
		return "credentials do not stand in a URL: write `user` and `password`";
	return rest.n == 0 ? "a URL without a host" : NULL;
}

enum imp_rc
http_url_read(struct arena *arena, const struct doc_node *n, const char **ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);
	struct slice text = n->text;
	const char *flaw;

	if (rc != IMP_OK)
		return rc;
	flaw = url_flaw(text);
	if (flaw != NULL)
		return doc_error(&n->at, err, "%s", flaw);
	while (text.p[text.n - 1] == '/' && memchr(text.p, '?', text.n) == NULL)
		text.n--;
	text = arena_slice(arena, text, err);
	if (text.p == NULL)
		return IMP_E_NOMEM;
	*ret = text.p;
	return IMP_OK;
}

/* The parts must go together. */
static enum imp_rc
check_credentials(const struct doc_node *map, const struct http_target *t, struct imp_err *err)
{
	if ((t->cert_file != NULL) != (t->key.p != NULL))
		return doc_error(&map->at, err, "`cert` and `key` belong together");
	if ((t->user != NULL) != (t->password.p != NULL))
		return doc_error(&map->at, err, "`user` and `password` belong together");
	if (t->user != NULL && t->token.p != NULL)
		return doc_error(&map->at, err, "either `token` or `user` and `password`");
	return IMP_OK;
}

enum imp_rc
http_target_read(struct arena *arena, const struct doc_node *map, struct http_target *ret, struct imp_err *err)
{
	struct http_target t = { .url = NULL };
	const struct doc_node *url;
	enum imp_rc rc = doc_need(map, "url", &url, err);

	if (rc == IMP_OK)
		rc = http_url_read(arena, url, &t.url, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(map, "ca"), NULL, &t.ca_file, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(map, "cert"), NULL, &t.cert_file, err);
	if (rc == IMP_OK)
		rc = secret_read(doc_get(map, "key"), &t.key, err);
	if (rc == IMP_OK)
		rc = secret_read(doc_get(map, "token"), &t.token, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(map, "user"), NULL, &t.user, err);
	if (rc == IMP_OK)
		rc = secret_read(doc_get(map, "password"), &t.password, err);
	if (rc == IMP_OK)
		rc = setting_bool(doc_get(map, "insecure"), false, &t.insecure, err);
	if (rc == IMP_OK)
		rc = check_credentials(map, &t, err);
	if (rc == IMP_OK)
		*ret = t;
	else
		http_target_done(&t);
	return rc;
}
