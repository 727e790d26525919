/* collect/kube_config.h - how to reach the API server of a cluster: a kubeconfig as kubectl reads it, or the service account of the
 * pod that we run in.
 *
 * Plugins (`exec`, `auth-provider`) are programs, and are not run: the message says what to do. A file that holds a token, a key or
 * a password must not be readable by others. A token in a file is read anew by kube_access_renew(): it is replaced there every hour.
 * Ownership: text lives in the arena; secrets end with kube_access_done(). Threading: the environment is read. Errors:
 * IMP_E_RULE, IMP_E_NOINPUT for a file that is not there. */
#pragma once
#include "collect/http_target.h"

#define KUBE_SERVICE_ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

struct kube_access {
	struct http_target api;
	const char *namespace;	/* of the context, or the pod's; never NULL */
	const char *token_file; /* NULL: the token does not change */
	bool token_is_mounted;	/* by the kubelet, with the mode that it chose */
};

/* `paths`: files with colons between, the first that has something wins, as kubectl does with $KUBECONFIG. `context`: NULL for the
 * current one. Without `with_user` its user is not looked at: the caller has a token. */
MUST_CHECK enum imp_rc kube_config_read(struct arena *arena, const char *paths, const char *context, bool with_user,
    struct kube_access *ret, struct imp_err *err);

/* The service account that is mounted in `dir`, at the address that the environment has. */
MUST_CHECK enum imp_rc kube_in_cluster(struct arena *arena, const char *dir, struct kube_access *ret, struct imp_err *err);

MUST_CHECK enum imp_rc kube_access_renew(struct kube_access *a, struct imp_err *err);
void kube_access_done(struct kube_access *a); /* for CLEANUP() too */
