/* collect/kube_objects.c - requests to the API server of a cluster, and the lists that are taken from it. */
#include "config.h"

#include "base/cleanup.h"
#include "base/time.h"
#include "collect/kube_api.h"

#define PAGE_OBJECTS 500
#define PAGES_MAX 2000 /* a million objects */
#define PATH_BYTES_MAX ((size_t)128 << 10)

static const struct resource {
	const char *base;   /* before the namespace */
	const char *name;   /* behind it */
	const char *object; /* as a role names it, with its API group */
	const char *kind, *version;
	const char *file;
	bool selected; /* the selector of pods holds for it */
} resources[_KUBE_RESOURCE_MAX] = {
	[KUBE_PODS] = { "/api/v1", "pods", "pods", "Pod", "v1", "pods", true },
	[KUBE_STATEFULSETS] = { "/apis/apps/v1", "statefulsets", "statefulsets.apps", "StatefulSet", "apps/v1", "statefulsets",
	    false },
	[KUBE_DEPLOYMENTS] = { "/apis/apps/v1", "deployments", "deployments.apps", "Deployment", "apps/v1", "deployments", false },
	[KUBE_EVENTS] = { "/api/v1", "events", "events", "Event", "v1", "events", false },
	[KUBE_POD_METRICS] = { "/apis/metrics.k8s.io/v1beta1", "pods", "pods.metrics.k8s.io", "PodMetrics",
	    "metrics.k8s.io/v1beta1", "podmetrics", true },
};

/* ------------------------------------------------------------------ one request */

/* In place of the JSON of the refusal: its words, and which right is missing. */
static void
word_failure(const struct kube_client *k, const struct kube_question *q, struct http_answer *a)
{
	struct kube_status said = { .message = "" };
	bool read = a->code != 0 && kube_status_read(buf_slice(&a->body), &said);
	const char *place = k->s->namespace;

	if (a->status == ASKED_DENIED && a->code == 401)
		http_answer_fail(a, ASKED_DENIED, "%s %s in namespace %s: the credentials are not accepted (HTTP 401)", q->verb,
		    q->object, place);
	else if (a->status == ASKED_DENIED)
		http_answer_fail(a, ASKED_DENIED, "%s %s in namespace %s%s%s", q->verb, q->object, place, read ? ": " : "",
		    said.message);
	else if (a->status == ASKED_FAILED && read)
		http_answer_fail(a, ASKED_FAILED, "HTTP %d: %s", a->code, said.message);
}

enum imp_rc
kube_get(const struct kube_client *k, const struct kube_question *q, const struct http_request *r, struct http_answer *ret,
    struct imp_err *err)
{
	enum imp_rc rc = http_get(k->api, r, ret, err);

	if (ret->status != ASKED_OK)
		word_failure(k, q, ret);
	return rc;
}

enum imp_rc
kube_note(const struct kube_client *k, const struct collect_job *job, const struct kube_question *q, const char *file, int64_t n,
    const struct http_answer *a, struct imp_err *err)
{
	struct asked line = { .system = "kubernetes",
		.source = k->s->source,
		.what = q->what,
		.query = q->path,
		.file = file,
		.n = n };

	return http_journal(job->journal, &line, a, err);
}

/* ------------------------------------------------------------------ lists */

static void
add_path(const struct kube_client *k, const struct resource *r, int limit, struct buf *out)
{
	buf_addf(out, "%s/namespaces/%s/%s?limit=%d", r->base, k->s->namespace, r->name, limit);
	if (r->selected && k->s->selector != NULL) {
		buf_add_str(out, "&labelSelector=");
		http_add_escaped(out, slice_of(k->s->selector));
	}
}

/* One page, from the token in `list` on. A page that is no list is a failure of the server. */
static enum imp_rc
take_page(const struct kube_client *k, const struct kube_question *q, struct kube_list *list, struct http_answer *ret,
    struct imp_err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_BYTES_MAX);
	struct http_request r = { .accept = "application/json" };
	struct imp_err why;
	enum imp_rc rc;

	buf_add_str(&path, q->path);
	if (list->more.n > 0) {
		buf_add_str(&path, "&continue=");
		http_add_escaped(&path, buf_slice(&list->more));
	}
	rc = buf_status(&path, err);
	if (rc != IMP_OK)
		return rc;
	r.path = path.p;
	rc = kube_get(k, q, &r, ret, err);
	if (rc != IMP_OK || ret->status != ASKED_OK)
		return rc;
	rc = kube_list_add(list, buf_slice(&ret->body), &why);
	if (rc == IMP_E_DATA || rc == IMP_E_LIMIT) {
		http_answer_fail(ret, rc == IMP_E_DATA ? ASKED_FAILED : ASKED_LIMITED, "%s", why.msg);
		return IMP_OK;
	}
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}

/* All pages. A token that has expired between two of them means: once more from the beginning. *ret is the last answer, with the
 * time of all. */
static enum imp_rc
take_pages(const struct kube_client *k, const struct kube_question *q, struct kube_list *list, struct http_answer *ret,
    struct imp_err *err)
{
	int64_t from = time_now(), begin = time_monotonic();
	bool again = false;
	unsigned tries = 1;
	enum imp_rc rc;

	for (unsigned page = 1;; page++) {
		http_answer_done(ret);
		rc = take_page(k, q, list, ret, err);
		if (ret->tries > tries)
			tries = ret->tries;
		if (rc == IMP_OK && ret->code == 410 && !again && list->more.n > 0) {
			again = true;
			kube_list_clear(list);
			continue;
		}
		if (rc == IMP_OK && ret->status == ASKED_OK && list->more.n > 0 && page == PAGES_MAX)
			http_answer_fail(ret, ASKED_LIMITED, "more than %d pages", PAGES_MAX);
		if (rc != IMP_OK || ret->status != ASKED_OK || list->more.n == 0)
			break;
	}
	ret->from = from;
	ret->ns = time_monotonic() - begin;
	ret->tries = tries;
	return rc;
}

/* A list that is whole. */
static enum imp_rc
keep_list(const struct collect_job *job, const struct resource *r, bool sample, struct kube_list *list, struct buf *ret_name,
    struct imp_err *err)
{
	CLEANUP(buf_done) struct buf stem = BUF_INIT(4096);
	enum imp_rc rc = kube_list_end(list, err);

	if (rc != IMP_OK)
		return rc;
	job_stem(job, "kube", r->file, sample, &stem);
	return outdir_put(job->out, stem.p, ".json", buf_slice(&list->text), ret_name, err);
}

/* What there is of losses: a cluster without metrics has none to lose. */
static void
weigh_failure(enum kube_resource which, const struct collect_job *job, bool sample, struct http_answer *a,
    struct http_losses *losses)
{
	if (which == KUBE_POD_METRICS && a->code == 404)
		http_answer_fail(a, ASKED_FAILED, "metrics.k8s.io is not installed in this cluster");
	else if (!sample || job->stop == NULL || *job->stop == 0)
		http_lost(losses, a, resources[which].name);
}

enum imp_rc
kube_take_list(struct kube_client *k, const struct collect_job *job, enum kube_resource which, bool sample,
    struct http_losses *losses, struct imp_err *err)
{
	const struct resource *r = &resources[which];
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_BYTES_MAX);
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	CLEANUP(http_answer_done) struct http_answer a = { .code = 0 };
	CLEANUP(kube_list_done) struct kube_list list;
	struct kube_question q = { .verb = "list", .object = r->object, .what = r->file };
	enum imp_rc rc;

	kube_list_init(&list, r->kind, r->version, which == KUBE_PODS ? &k->pods : NULL);
	kube_list_clear(&list);
	add_path(k, r, PAGE_OBJECTS, &path);
	rc = buf_status(&path, err);
	if (rc != IMP_OK)
		return rc;
	q.path = path.p;
	rc = take_pages(k, &q, &list, &a, err);
	if (rc == IMP_OK && a.status == ASKED_OK)
		rc = keep_list(job, r, sample, &list, &name, err);
	if (rc != IMP_OK)
		return rc;
	k->asked_pods |= which == KUBE_PODS;
	if (a.status == ASKED_OK && list.odd_names > 0)
		http_answer_fail(&a, ASKED_LIMITED, "%zu containers have names that no container has: their logs are not asked for",
		    list.odd_names);
	else if (a.status != ASKED_OK)
		weigh_failure(which, job, sample, &a, losses);
	return kube_note(k, job, &q, name.p, name.p != NULL ? (int64_t)list.n : -1, &a, err);
}

enum imp_rc
kube_try_list(struct kube_client *k, const struct collect_job *job, enum kube_resource which, struct http_losses *losses,
    struct imp_err *err)
{
	const struct resource *r = &resources[which];
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_BYTES_MAX);
	CLEANUP(http_answer_done) struct http_answer a = { .code = 0 };
	struct kube_question q = { .verb = "list", .object = r->object, .what = r->file };
	struct http_request request = { .accept = "application/json" };
	enum imp_rc rc;

	add_path(k, r, 1, &path);
	rc = buf_status(&path, err);
	if (rc != IMP_OK)
		return rc;
	request.path = q.path = path.p;
	rc = kube_get(k, &q, &request, &a, err);
	if (rc != IMP_OK)
		return rc;
	weigh_failure(which, job, false, &a, losses);
	return kube_note(k, job, &q, NULL, -1, &a, err);
}
