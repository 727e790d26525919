#include "config.h"

#include "collect/kube_config.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cleanup.h"

#define FILES_MAX 16

/* The files of $KUBECONFIG that are there. */
struct configs {
	struct arena *arena;
	struct config {
		const struct doc_node *root;
		const char *path;
		mode_t mode; /* 0: not from a file */
	} v[FILES_MAX];
	size_t n;
};

/* A named thing and the file that it stands in. */
struct found {
	const struct doc_node *node; /* NULL: nowhere */
	const struct config *in;
};

void
kube_access_done(struct kube_access *a)
{
	http_target_done(&a->api);
}

/* ------------------------------------------------------------------ files */

static enum imp_rc
read_text(const char *path, struct buf *out, mode_t *ret_mode, struct imp_err *err)
{
	CLEANUP(fclosep) FILE *f = fopen(path, "re");
	struct stat st;
	char piece[4096];
	size_t n;

	if (f == NULL || fstat(fileno(f), &st) != 0)
		return imp_err_errno(err, errno == ENOENT ? IMP_E_NOINPUT : IMP_E_RULE, errno, "could not open '%s'", path);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		buf_add(out, piece, n);
	explicit_bzero(piece, sizeof(piece));
	if (ferror(f))
		return imp_err_errno(err, IMP_E_RULE, errno, "could not read '%s'", path);
	*ret_mode = st.st_mode & 07777;
	return buf_status(out, err);
}

static enum imp_rc
add_config(struct configs *c, const char *path, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(DOC_BYTES_MAX);
	struct config *into = &c->v[c->n];
	struct doc_node *root = NULL;
	enum imp_rc rc = read_text(path, &text, &into->mode, err);

	if (rc == IMP_OK)
		rc = doc_parse(c->arena, path, buf_slice(&text), &root, err);
	if (rc == IMP_OK)
		rc = doc_is(root, DOC_MAP, err);
	if (text.n > 0)
		explicit_bzero(text.p, text.n);
	if (rc != IMP_OK)
		return rc;
	into->root = root;
	into->path = path;
	c->n++;
	return IMP_OK;
}

/* Files of the list that are not there are passed over, as kubectl does; one of them must be there. */
static enum imp_rc
read_configs(struct configs *c, const char *paths, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (const char *p = paths; rc == IMP_OK && *p != '\0';) {
		size_t n = strcspn(p, ":");
		struct slice path = arena_slice(c->arena, (struct slice){ p, n }, err);

		p += n + (p[n] == ':');
		if (path.p == NULL)
			return IMP_E_NOMEM;
		if (n == 0)
			continue;
		if (c->n == FILES_MAX)
			return imp_err_set(err, IMP_E_RULE, "more than %d kubeconfig files", FILES_MAX);
		rc = add_config(c, path.p, err);
		if (rc == IMP_E_NOINPUT && (*p != '\0' || c->n > 0))
			rc = IMP_OK;
	}
	if (rc == IMP_OK && c->n == 0)
		rc = imp_err_set(err, IMP_E_NOINPUT, "no kubeconfig in '%s'", paths);
	return rc;
}

/* ------------------------------------------------------------------ names */

/* The text under `key`; p NULL when there is none, or an empty one. */
static struct slice
text_at(const struct doc_node *map, const char *key)
{
	const struct doc_node *n = map != NULL ? doc_get(map, key) : NULL;

	return n != NULL && n->kind == DOC_SCALAR && n->text.n > 0 ? n->text : (struct slice){ NULL, 0 };
}

/* `list: [{name: NAME, what: {...}}]`, in whichever file has it first. */
static enum imp_rc
find(const struct configs *c, const char *list, const char *what, struct slice name, struct found *ret, struct imp_err *err)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct doc_node *all = doc_get(c->v[i].root, list);

		for (const struct doc_node *n = all != NULL ? all->first : NULL; n != NULL; n = n->next) {
			const struct doc_node *body = doc_get(n, what);

			if (!slice_eq(text_at(n, "name"), name) || name.n == 0)
				continue;
			if (body == NULL || body->kind != DOC_MAP)
				return doc_error(&n->at, err, "%s '%.*s' is empty", what, SLICE_ARG(name));
			*ret = (struct found){ body, &c->v[i] };
			return IMP_OK;
		}
	}
	return imp_err_set(err, IMP_E_RULE, "%s: there is no %s '%.*s'", c->v[0].path, what, SLICE_ARG(name));
}

static struct slice
current_context(const struct configs *c)
{
	struct slice name = { NULL, 0 };

	for (size_t i = 0; i < c->n && name.p == NULL; i++)
		name = text_at(c->v[i].root, "current-context");
	return name;
}

/* ------------------------------------------------------------------ values */

static enum imp_rc
keep(struct arena *arena, struct slice text, const char **ret, struct imp_err *err)
{
	if (text.p == NULL)
		return IMP_OK;
	*ret = arena_slice(arena, text, err).p;
	return *ret != NULL ? IMP_OK : IMP_E_NOMEM;
}

/* A path in a kubeconfig is relative to the folder of that file. */
static enum imp_rc
keep_path(struct arena *arena, const struct found *in, struct slice path, struct slice *ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf whole = BUF_INIT(8192);
	const char *slash = strrchr(in->in->path, '/');

	if (path.p[0] != '/' && slash != NULL)
		buf_add(&whole, in->in->path, (size_t)(slash + 1 - in->in->path));
	buf_add_slice(&whole, path);
	if (buf_status(&whole, err) != IMP_OK)
		return IMP_E_LIMIT;
	*ret = arena_slice(arena, buf_slice(&whole), err);
	return ret->p != NULL ? IMP_OK : IMP_E_NOMEM;
}

/* Base64 as kubectl writes it; blanks between are passed over. */
static enum imp_rc
decode(struct arena *arena, const struct doc_node *n, struct slice *ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf tight = BUF_INIT(DOC_BYTES_MAX);
	struct slice room;
	size_t padding = 0;
	int got;

	for (size_t i = 0; i < n->text.n; i++)
		if (memchr(" \t\r\n", n->text.p[i], 4) == NULL)
			buf_add_char(&tight, n->text.p[i]);
	room = arena_slice(arena, buf_slice(&tight), err);
	if (room.p == NULL)
		return IMP_E_NOMEM;
	while (padding < tight.n && tight.p[tight.n - 1 - padding] == '=')
		padding++;
	got = EVP_DecodeBlock((unsigned char *)(void *)room.p, (const unsigned char *)tight.p, (int)tight.n);
	if (tight.n > 0)
		explicit_bzero(tight.p, tight.n);
	if (got <= 0 || padding > 2)
		return doc_error(&n->at, err, "not Base64");
	*ret = (struct slice){ room.p, (size_t)got - padding };
	return IMP_OK;
}

static enum imp_rc
copy_secret(struct slice text, struct secret *ret, struct imp_err *err)
{
	char *p = malloc(text.n + 1);

	if (p == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	memcpy(p, text.p, text.n);
	p[text.n] = '\0';
	*ret = (struct secret){ p, text.n };
	return IMP_OK;
}

/* A secret that stands in the kubeconfig itself: then the file is one. */
static enum imp_rc
take_secret(const struct found *in, const struct doc_node *at, struct slice text, struct secret *ret, struct imp_err *err)
{
	enum imp_rc rc;

	if ((in->in->mode & 077) != 0) {
		rc = doc_error(&at->at, err, "others may read or write this file, which holds a secret (mode %04o)",
		    (unsigned)in->in->mode);
		imp_err_hint(err, "chmod 600 '%.200s'", in->in->path);
		return rc;
	}
	if (text.n > SECRET_BYTES_MAX || memchr(text.p, '\0', text.n) != NULL)
		return doc_error(&at->at, err, "not a secret: too long, or with a NUL character");
	return copy_secret(text, ret, err);
}

/* A file of the user's that holds one. */
static enum imp_rc
read_secret_file(struct arena *arena, const struct found *in, const struct doc_node *path, struct secret *ret, struct imp_err *err)
{
	struct doc_node file = *path, map = { .kind = DOC_MAP, .at = path->at, .first = &file, .n = 1 };
	enum imp_rc rc = keep_path(arena, in, path->text, &file.text, err);

	file.key = SLICE("file");
	file.next = NULL;
	return rc == IMP_OK ? secret_read(&map, ret, err) : rc;
}

/* ------------------------------------------------------------------ cluster and user */

static enum imp_rc
refuse_key(const struct found *f, const char *key, const char *hint, struct imp_err *err)
{
	const struct doc_node *n = doc_get(f->node, key);
	enum imp_rc rc;

	if (n == NULL || (n->kind == DOC_SCALAR && n->text.n == 0))
		return IMP_OK;
	rc = doc_error(&n->key_at, err, "`%s` is not followed here", key);
	imp_err_hint(err, "%s", hint);
	return rc;
}

static enum imp_rc
read_cluster(struct arena *arena, const struct found *f, struct kube_access *a, struct imp_err *err)
{
	const struct doc_node *server, *data = doc_get(f->node, "certificate-authority-data");
	struct slice ca = text_at(f->node, "certificate-authority");
	enum imp_rc rc = refuse_key(f, "proxy-url", "curl's variables do the same: HTTPS_PROXY, NO_PROXY", err);

	if (rc == IMP_OK)
		rc = doc_need(f->node, "server", &server, err);
	if (rc == IMP_OK)
		rc = http_url_read(arena, server, &a->api.url, err);
	if (rc == IMP_OK)
		rc = setting_bool(doc_get(f->node, "insecure-skip-tls-verify"), false, &a->api.insecure, err);
	if (rc == IMP_OK)
		rc = keep(arena, text_at(f->node, "tls-server-name"), &a->api.server_name, err);
	if (rc == IMP_OK && data != NULL && data->kind == DOC_SCALAR && data->text.n > 0)
		rc = decode(arena, data, &a->api.ca, err);
	else if (rc == IMP_OK && ca.p != NULL) {
		rc = keep_path(arena, f, ca, &ca, err);
		a->api.ca_file = ca.p;
	}
	return rc;
}

static enum imp_rc
read_certificate(struct arena *arena, const struct found *f, struct kube_access *a, struct imp_err *err)
{
	const struct doc_node *cert = doc_get(f->node, "client-certificate-data"), *key = doc_get(f->node, "client-key-data");
	struct slice cert_path = text_at(f->node, "client-certificate"), pem = { NULL, 0 };
	enum imp_rc rc = IMP_OK;

	if (cert != NULL && cert->text.n > 0) {
		rc = decode(arena, cert, &a->api.cert, err);
	} else if (cert_path.p != NULL) {
		rc = keep_path(arena, f, cert_path, &cert_path, err);
		a->api.cert_file = cert_path.p;
	}
	if (rc != IMP_OK)
		return rc;
	if (key != NULL && key->text.n > 0) {
		rc = decode(arena, key, &pem, err);
		if (rc == IMP_OK)
			rc = take_secret(f, key, pem, &a->api.key, err);
		if (pem.n > 0)
			explicit_bzero((void *)pem.p, pem.n);
	} else if (text_at(f->node, "client-key").p != NULL) {
		rc = read_secret_file(arena, f, doc_get(f->node, "client-key"), &a->api.key, err);
	}
	if (rc == IMP_OK && (a->api.cert.n > 0 || a->api.cert_file != NULL) != (a->api.key.p != NULL))
		rc = doc_error(&f->node->at, err, "a client's certificate and its key belong together");
	return rc;
}

static enum imp_rc
read_account(struct arena *arena, const struct found *f, struct kube_access *a, struct imp_err *err)
{
	struct slice token = text_at(f->node, "token"), file = text_at(f->node, "tokenFile"), user = text_at(f->node, "username");
	enum imp_rc rc = IMP_OK;

	if (file.p != NULL) {
		rc = keep_path(arena, f, file, &file, err);
		a->token_file = file.p;
		return rc == IMP_OK ? kube_access_renew(a, err) : rc;
	}
	if (token.p != NULL)
		return take_secret(f, doc_get(f->node, "token"), token, &a->api.token, err);
	if (user.p == NULL)
		return IMP_OK;
	rc = keep(arena, user, &a->api.user, err);
	if (rc == IMP_OK && text_at(f->node, "password").p == NULL)
		rc = doc_error(&f->node->at, err, "`username` and `password` belong together");
	return rc == IMP_OK ? take_secret(f, doc_get(f->node, "password"), text_at(f->node, "password"), &a->api.password, err) :
			      rc;
}

static enum imp_rc
read_user(struct arena *arena, const struct found *f, struct kube_access *a, struct imp_err *err)
{
	static const char plugin[] =
	    "give a token with `token:` in our configuration, such as one of `kubectl create token ACCOUNT`";
	static const char other[] = "name an account that has the rights itself";
	enum imp_rc rc = refuse_key(f, "exec", plugin, err);

	if (rc == IMP_OK)
		rc = refuse_key(f, "auth-provider", plugin, err);
	if (rc == IMP_OK)
		rc = refuse_key(f, "as", other, err);
	if (rc == IMP_OK)
		rc = read_certificate(arena, f, a, err);
	return rc == IMP_OK ? read_account(arena, f, a, err) : rc;
}

static enum imp_rc
read_context(const struct configs *c, const char *context, bool with_user, struct kube_access *ret, struct imp_err *err)
{
	struct slice name = context != NULL ? slice_of(context) : current_context(c);
	struct kube_access a = { .namespace = "default" };
	struct found at, cluster, user;
	enum imp_rc rc;

	if (name.p == NULL)
		return imp_err_set(err, IMP_E_RULE, "%s: no `current-context`, and no `context` was named", c->v[0].path);
	rc = find(c, "contexts", "context", name, &at, err);
	if (rc == IMP_OK)
		rc = keep(c->arena, text_at(at.node, "namespace"), &a.namespace, err);
	if (rc == IMP_OK)
		rc = find(c, "clusters", "cluster", text_at(at.node, "cluster"), &cluster, err);
	if (rc == IMP_OK)
		rc = read_cluster(c->arena, &cluster, &a, err);
	if (rc == IMP_OK && with_user && text_at(at.node, "user").p != NULL) {
		rc = find(c, "users", "user", text_at(at.node, "user"), &user, err);
		if (rc == IMP_OK)
			rc = read_user(c->arena, &user, &a, err);
	}
	if (rc == IMP_OK)
		*ret = a;
	else
		kube_access_done(&a);
	return rc;
}

enum imp_rc
kube_config_read(struct arena *arena, const char *paths, const char *context, bool with_user, struct kube_access *ret,
    struct imp_err *err)
{
	struct configs c = { .arena = arena };
	enum imp_rc rc = read_configs(&c, paths, err);

	return rc == IMP_OK ? read_context(&c, context, with_user, ret, err) : rc;
}

/* ------------------------------------------------------------------ in a pod */

static enum imp_rc
mounted(struct arena *arena, const char *dir, const char *name, struct slice *ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);

	buf_addf(&path, "%s/%s", dir, name);
	if (buf_status(&path, err) != IMP_OK)
		return IMP_E_LIMIT;
	*ret = arena_slice(arena, buf_slice(&path), err);
	return ret->p != NULL ? IMP_OK : IMP_E_NOMEM;
}

/* A short text without the blanks at its end. */
static enum imp_rc
read_short(const char *path, struct buf *out, mode_t *ret_mode, struct imp_err *err)
{
	enum imp_rc rc = read_text(path, out, ret_mode, err);

	while (rc == IMP_OK && out->n > 0 && memchr(" \t\r\n", out->p[out->n - 1], 4) != NULL)
		buf_truncate(out, out->n - 1);
	if (rc == IMP_OK && out->n == 0)
		rc = imp_err_set(err, IMP_E_RULE, "'%s' is empty", path);
	return rc;
}

static enum imp_rc
read_namespace(struct arena *arena, const char *dir, const char **ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	struct slice path;
	mode_t mode;
	enum imp_rc rc = mounted(arena, dir, "namespace", &path, err);

	if (rc == IMP_OK)
		rc = read_short(path.p, &text, &mode, err);
	if (rc == IMP_E_NOINPUT)
		return IMP_OK;
	return rc == IMP_OK ? keep(arena, buf_slice(&text), ret, err) : rc;
}

enum imp_rc
kube_in_cluster(struct arena *arena, const char *dir, struct kube_access *ret, struct imp_err *err)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
	CLEANUP(buf_done) struct buf url = BUF_INIT(1024);
	struct kube_access a = { .namespace = "default", .token_is_mounted = true };
	struct slice ca = { NULL, 0 }, token = { NULL, 0 };
	enum imp_rc rc;

	if (host == NULL || host[0] == '\0') {
		rc = imp_err_set(err, IMP_E_RULE, "not in a cluster: the environment has no KUBERNETES_SERVICE_HOST");
		imp_err_hint(err, "name a `kubeconfig`");
		return rc;
	}
	buf_addf(&url, strchr(host, ':') != NULL ? "https://[%s]:%s" : "https://%s:%s", host, port != NULL ? port : "443");
	rc = buf_status(&url, err);
	if (rc == IMP_OK)
		rc = keep(arena, buf_slice(&url), &a.api.url, err);
	if (rc == IMP_OK)
		rc = mounted(arena, dir, "ca.crt", &ca, err);
	if (rc == IMP_OK)
		rc = mounted(arena, dir, "token", &token, err);
	if (rc == IMP_OK)
		rc = read_namespace(arena, dir, &a.namespace, err);
	a.api.ca_file = ca.p;
	a.token_file = token.p;
	if (rc == IMP_OK)
		rc = kube_access_renew(&a, err);
	if (rc == IMP_OK)
		*ret = a;
	return rc;
}

/* The mode of a mounted token is the kubelet's choice; one that a kubeconfig names is the user's. */
enum imp_rc
kube_access_renew(struct kube_access *a, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SECRET_BYTES_MAX);
	struct secret token = { NULL, 0 };
	mode_t mode;
	enum imp_rc rc;

	if (a->token_file == NULL)
		return IMP_OK;
	rc = read_short(a->token_file, &text, &mode, err);
	if (rc == IMP_OK && !a->token_is_mounted && (mode & 077) != 0) {
		rc = imp_err_set(err, IMP_E_RULE, "others may read or write '%s' (mode %04o)", a->token_file, (unsigned)mode);
		imp_err_hint(err, "chmod 600 '%.200s'", a->token_file);
	}
	if (rc == IMP_OK)
		rc = copy_secret(buf_slice(&text), &token, err);
	if (text.n > 0)
		explicit_bzero(text.p, text.n);
	if (rc != IMP_OK)
		return rc;
	secret_done(&a->api.token);
	a->api.token = token;
	return IMP_OK;
}
