/* collect/kube_api.h - the parts of the Kubernetes collector among themselves: settings, state, lists, logs. */
#pragma once
#include "collect/collector.h"
#include "collect/http_client.h"
#include "collect/kube_config.h"
#include "collect/kube_list.h"

struct kube_settings {
	const char *source;
	struct ask_limits limits;
	struct kube_access access;
	const char *namespace;
	const char *selector; /* of pods; NULL: all of the namespace */
	bool logs;
	int64_t log_margin_ns; /* asked for before the load */
	uint64_t log_bytes;    /* of one container's log */
};

enum imp_rc kube_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *err);
void kube_forget(void *settings);

struct kube_client {
	const struct kube_settings *s;
	struct kube_access access; /* the settings', with a token of its own where that changes */
	struct http *api;
	struct kube_container_names pods; /* of the last list of pods */
	bool asked_pods;		  /* once was enough, whatever became of it */
};

/* One request, or the pages of one list. `verb` and `object` name the right that it takes: "list", "statefulsets.apps". */
struct kube_question {
	const char *verb, *object;
	const char *what; /* for the journal */
	const char *path; /* the same */
};

/* Ask; what the server says of a failure goes into the answer's `why`, of a missing right which it is. */
MUST_CHECK enum imp_rc kube_get(const struct kube_client *k, const struct kube_question *q, const struct http_request *r,
    struct http_answer *ret, struct imp_err *err);

MUST_CHECK enum imp_rc kube_note(const struct kube_client *k, const struct collect_job *job, const struct kube_question *q,
    const char *file, int64_t n, const struct http_answer *a, struct imp_err *err);

enum kube_resource { KUBE_PODS, KUBE_STATEFULSETS, KUBE_DEPLOYMENTS, KUBE_EVENTS, KUBE_POD_METRICS, _KUBE_RESOURCE_MAX };

/* A list of the namespace into a file of its own. */
MUST_CHECK enum imp_rc kube_take_list(struct kube_client *k, const struct collect_job *job, enum kube_resource which, bool sample,
    struct http_losses *losses, struct imp_err *err);

/* May it be listed? One object is asked for and not kept; a right that is missing is in the journal. */
MUST_CHECK enum imp_rc kube_try_list(struct kube_client *k, const struct collect_job *job, enum kube_resource which,
    struct http_losses *losses, struct imp_err *err);

/* The logs of all containers of the last list of pods, each into a file of its own. */
MUST_CHECK enum imp_rc kube_take_logs(struct kube_client *k, const struct collect_job *job, struct http_losses *losses,
    struct imp_err *err);
