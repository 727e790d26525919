/* collect/kube_take.c - Kubernetes: pods and what they use at marks and intervals; workloads, events and logs at the end. */
#include "config.h"

#include <json-c/json.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "collect/kube_api.h"

static void
kube_close(void *state)
{
	struct kube_client *k = state;

	if (k == NULL)
		return;
	http_close(k->api);
	if (k->access.token_file != NULL)
		secret_done(&k->access.api.token);
	kube_container_names_done(&k->pods);
	free(k);
}

static enum imp_rc
note_server(const struct kube_client *k, const struct collect_job *job, struct slice body, struct imp_err *err)
{
	struct json_object *o = body.n > 0 ? json_tokener_parse(body.p) : NULL, *version = NULL;
	struct server_identity id = {
		.system = "kubernetes",
		.source = k->s->source,
		.address = k->s->access.api.url,
		.role = k->s->access.api.insecure ? "API server, certificate not checked" : "API server",
		.t = time_now(),
	};
	enum imp_rc rc;

	if (json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, "gitVersion", &version) &&
	    json_object_is_type(version, json_type_string))
		id.version = json_object_get_string(version);
	rc = journal_server(job->journal, &id, err);
	json_object_put(o);
	return rc;
}

/* Who is there? Without an answer nothing else needs to be asked. */
static enum imp_rc
ask_version(const struct kube_client *k, const struct collect_job *job, struct imp_err *err)
{
	const struct kube_question q = { .verb = "get", .object = "/version", .what = "version", .path = "/version" };
	const struct http_request r = { .path = "/version", .accept = "application/json", .bytes_max = 65536 };
	CLEANUP(http_answer_done) struct http_answer a = { .code = 0 };
	struct http_losses losses = { .rc = IMP_OK };
	enum imp_rc rc = kube_get(k, &q, &r, &a, err);

	if (rc == IMP_OK)
		rc = kube_note(k, job, &q, NULL, -1, &a, err);
	if (rc == IMP_OK)
		rc = note_server(k, job, a.status == ASKED_OK ? buf_slice(&a.body) : (struct slice){ NULL, 0 }, err);
	if (rc != IMP_OK || a.code != 0)
		return rc;
	http_lost(&losses, &a, k->s->access.api.url);
	return http_losses_end(&losses, err);
}

static enum imp_rc
open_client(struct kube_client *k, const struct collect_job *job, struct imp_err *err)
{
	enum imp_rc rc;

	k->access = k->s->access;
	if (k->access.token_file != NULL)
		k->access.api.token = (struct secret){ NULL, 0 };
	rc = kube_access_renew(&k->access, err);
	if (rc == IMP_OK)
		rc = http_open(&k->access.api, &k->s->limits, job->stop, &k->api, err);
	return rc == IMP_OK ? ask_version(k, job, err) : rc;
}

static enum imp_rc
try_all(struct kube_client *k, const struct collect_job *job, struct imp_err *err)
{
	struct http_losses losses = { .rc = IMP_OK };
	enum imp_rc rc = IMP_OK;

	for (int r = 0; r < _KUBE_RESOURCE_MAX && rc == IMP_OK; r++)
		rc = kube_try_list(k, job, (enum kube_resource)r, &losses, err);
	return rc == IMP_OK ? http_losses_end(&losses, err) : rc;
}

static enum imp_rc
kube_open(const void *settings, const struct collect_job *job, void **ret_state, struct imp_err *err)
{
	struct kube_client *k = calloc(1, sizeof(*k));
	enum imp_rc rc;

	if (k == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	k->s = settings;
	rc = open_client(k, job, err);
	if (rc == IMP_OK && job->out == NULL) /* rights are all that is to be seen */
		rc = try_all(k, job, err);
	if (rc == IMP_OK)
		*ret_state = k;
	else
		kube_close(k);
	return rc;
}

/* A token in a file may have been replaced since the last look. */
static enum imp_rc
renew(struct kube_client *k, struct imp_err *err)
{
	enum imp_rc rc = kube_access_renew(&k->access, err);

	return rc == IMP_OK ? http_set_token(k->api, err) : rc;
}

static enum imp_rc
kube_snapshot(void *state, const struct collect_job *job, bool sample, struct imp_err *err)
{
	struct kube_client *k = state;
	struct http_losses losses = { .rc = IMP_OK };
	enum imp_rc rc = renew(k, err);

	if (rc == IMP_OK && !sample)
		rc = kube_take_list(k, job, KUBE_PODS, false, &losses, err);
	if (rc == IMP_OK)
		rc = kube_take_list(k, job, KUBE_POD_METRICS, sample, &losses, err);
	return rc == IMP_OK ? http_losses_end(&losses, err) : rc;
}

/* Events only here: each of them stands in every list of the next hour, and would count again. */
static enum imp_rc
kube_whole(void *state, const struct collect_job *job, struct imp_err *err)
{
	static const enum kube_resource lists[] = { KUBE_STATEFULSETS, KUBE_DEPLOYMENTS, KUBE_EVENTS };
	struct kube_client *k = state;
	struct http_losses losses = { .rc = IMP_OK };
	enum imp_rc rc = renew(k, err);

	if (rc == IMP_OK && !k->asked_pods)
		rc = kube_take_list(k, job, KUBE_PODS, false, &losses, err);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && rc == IMP_OK; i++)
		rc = kube_take_list(k, job, lists[i], false, &losses, err);
	if (rc == IMP_OK && k->s->logs)
		rc = kube_take_logs(k, job, &losses, err);
	return rc == IMP_OK ? http_losses_end(&losses, err) : rc;
}

const struct collector collector_kubernetes = {
	.name = "kubernetes",
	.configure = kube_configure,
	.forget = kube_forget,
	.open = kube_open,
	.snapshot = kube_snapshot,
	.whole = kube_whole,
	.close = kube_close,
};
