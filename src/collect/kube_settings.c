#include "config.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "collect/kube_api.h"

#define LOG_MARGIN_NS (60 * NS_PER_S)
#define LOG_BYTES (UINT64_C(256) << 20)

static const char *const instance_keys[] = { "kubeconfig", "context", "in_cluster", "service_account", "token", "namespace",
	"selector", "logs", "log_margin", "log_bytes", COLLECTOR_KEYS, NULL };

/* $KUBECONFIG, ~/.kube/config; NULL: neither is there. */
static enum imp_rc
default_kubeconfig(struct arena *arena, const char **ret, struct imp_err *err)
{
	const char *paths = getenv("KUBECONFIG"), *home = getenv("HOME");
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	enum imp_rc rc;

	if (paths != NULL && paths[0] != '\0') {
		*ret = paths;
		return IMP_OK;
	}
	*ret = NULL;
	if (home == NULL || home[0] == '\0')
		return IMP_OK;
	buf_addf(&path, "%s/.kube/config", home);
	rc = buf_status(&path, err);
	if (rc != IMP_OK || access(path.p, F_OK) != 0)
		return rc;
	*ret = arena_slice(arena, buf_slice(&path), err).p;
	return *ret != NULL ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
read_access(struct arena *arena, const struct doc_node *map, struct kube_settings *s, struct imp_err *err)
{
	const char *paths = NULL, *context, *account;
	const struct doc_node *token = doc_get(map, "token");
	CLEANUP(secret_done) struct secret secret = { NULL, 0 };
	bool in_cluster;
	enum imp_rc rc = setting_text(arena, doc_get(map, "kubeconfig"), NULL, &paths, err);

	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(map, "context"), NULL, &context, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(map, "service_account"), KUBE_SERVICE_ACCOUNT, &account, err);
	if (rc == IMP_OK)
		rc = setting_bool(doc_get(map, "in_cluster"), false, &in_cluster, err);
	if (rc == IMP_OK && token != NULL) /* first of all: one in the clear must not go unseen behind another mistake */
		rc = secret_read(token, &secret, err);
	if (rc == IMP_OK && in_cluster && (paths != NULL || context != NULL || token != NULL))
		rc = doc_error(&map->at, err, "`in_cluster` stands for `kubeconfig`, `context` and `token`");
	if (rc == IMP_OK && paths == NULL && !in_cluster)
		rc = default_kubeconfig(arena, &paths, err);
	if (rc != IMP_OK)
		return rc;
	if (paths == NULL)
		return kube_in_cluster(arena, account, &s->access, err);
	rc = kube_config_read(arena, paths, context, token == NULL, &s->access, err);
	if (rc == IMP_OK && token != NULL)
		s->access.api.token = (struct secret){ TAKE(secret.p), secret.n };
	return rc;
}

static enum imp_rc
read_namespace(struct arena *arena, const struct doc_node *map, struct kube_settings *s, struct imp_err *err)
{
	const struct doc_node *n = doc_get(map, "namespace");
	enum imp_rc rc = setting_text(arena, n, s->access.namespace, &s->namespace, err);

	if (rc != IMP_OK || strspn(s->namespace, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(s->namespace))
		return rc;
	return doc_error(n != NULL ? &n->at : &map->at, err, "'%s' is no name of a namespace", s->namespace);
}

enum imp_rc
kube_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *err)
{
	struct kube_settings *s = arena_alloc(arena, sizeof(*s), err);
	enum imp_rc rc;

	if (s == NULL)
		return IMP_E_NOMEM;
	s->source = source;
	s->limits = *limits;
	rc = doc_check_keys(map, instance_keys, err);
	if (rc == IMP_OK)
		rc = read_access(arena, map, s, err);
	if (rc == IMP_OK)
		rc = read_namespace(arena, map, s, err);
	if (rc == IMP_OK)
		rc = setting_text(arena, doc_get(map, "selector"), NULL, &s->selector, err);
	if (rc == IMP_OK)
		rc = setting_bool(doc_get(map, "logs"), true, &s->logs, err);
	if (rc == IMP_OK)
		rc = setting_length(doc_get(map, "log_margin"), LOG_MARGIN_NS, &s->log_margin_ns, err);
	if (rc == IMP_OK)
		rc = setting_bytes(doc_get(map, "log_bytes"), LOG_BYTES, &s->log_bytes, err);
	if (rc == IMP_OK)
		*ret_settings = s;
	else
		kube_forget(s);
	return rc;
}

void
kube_forget(void *settings)
{
	struct kube_settings *s = settings;

	if (s != NULL)
		kube_access_done(&s->access);
}
