/* ingest/kube_object.c - one object of the Kubernetes API. */
#include "config.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/redact.h"
#include "base/time.h"
#include "ingest/json.h"
#include "ingest/kube.h"
#include "ingest/rfc3339.h"

#define MESSAGE_BYTES_MAX ((size_t)64 << 10)
#define PROBES_BYTES_MAX ((size_t)4 << 10)

struct object_reading {
	struct kube *k;
	struct imp_err *err;
	enum imp_rc rc; /* the first failure sticks */
};

static const struct json *
get(const struct json *o, const char *key)
{
	return o != NULL ? json_get(o, key) : NULL;
}

static struct slice
text_of(const struct json *o, const char *key)
{
	const struct json *v = get(o, key);

	return v != NULL && v->type == JSON_TEXT ? v->text : (struct slice){ NULL, 0 };
}

/* A copy that stays; NULL stays NULL. */
static struct slice
keep(struct object_reading *rd, struct slice s)
{
	if (s.p == NULL || rd->rc != IMP_OK)
		return (struct slice){ NULL, 0 };
	s = arena_slice(&rd->k->arena, s, rd->err);
	if (s.p == NULL)
		rd->rc = rd->err->code;
	return s;
}

static struct slice
keep_text(struct object_reading *rd, const struct json *o, const char *key)
{
	return keep(rd, text_of(o, key));
}

static int64_t
int_of(const struct json *o, const char *key)
{
	const struct json *v = get(o, key);

	return v != NULL && v->type == JSON_INT ? v->i : NO_TIME;
}

static int64_t
time_of(const struct json *o, const char *key)
{
	int64_t t;

	return rfc3339_parse(text_of(o, key), &t) && time_fits(t) ? t : NO_TIME;
}

static int64_t
bool_of(const struct json *o, const char *key)
{
	const struct json *v = get(o, key);

	return v != NULL && v->type == JSON_BOOL ? v->truth : NO_TIME;
}

static const struct json *
first_of(const struct json *o, const char *key)
{
	const struct json *v = get(o, key);

	return v != NULL && v->type == JSON_ARRAY ? v->items.first : NULL;
}

/* ------------------------------------------------------------------ what a container asks for */

/* A quantity is a text, or a plain number. */
static bool
quantity_of(const struct json *o, const char *key, double *ret, int64_t *ret_whole)
{
	const struct json *v = get(o, key);

	if (v == NULL || v->type == JSON_TEXT)
		return v != NULL && kube_quantity(v->text, ret, ret_whole);
	*ret_whole = v->type == JSON_INT ? v->i : NO_TIME;
	*ret = v->type == JSON_INT ? (double)v->i : v->d;
	return v->type == JSON_INT || v->type == JSON_REAL;
}

static double
cores_of(const struct json *o)
{
	int64_t ignored;
	double d;

	return quantity_of(o, "cpu", &d, &ignored) ? d : (double)NAN;
}

static int64_t
bytes_of(const struct json *o)
{
	int64_t bytes;
	double ignored;

	return quantity_of(o, "memory", &ignored, &bytes) ? bytes : NO_TIME;
}

static struct kube_resources
resources_of(const struct json *container)
{
	const struct json *resources = get(container, "resources");
	const struct json *requests = get(resources, "requests"), *limits = get(resources, "limits");

	return (struct kube_resources){
		.cpu_request = cores_of(requests),
		.cpu_limit = cores_of(limits),
		.memory_request = bytes_of(requests),
		.memory_limit = bytes_of(limits),
	};
}

static void
add_probe(struct buf *out, const char *name, const struct json *probe)
{
	const struct json *http = get(probe, "httpGet"), *tcp = get(probe, "tcpSocket"), *grpc = get(probe, "grpc");

	if (probe == NULL)
		return;
	buf_addf(out, "%s%s=", out->n > 0 ? " " : "", name);
	if (http != NULL)
		buf_add_slice(out, text_of(http, "path").p != NULL ? text_of(http, "path") : SLICE("/"));
	else
		buf_add_str(out, tcp != NULL ? "tcp" : grpc != NULL ? "grpc" : "exec");
}

/* `liveness=/healthz readiness=/ready`, as far as they are there. */
static struct slice
probes_of(struct object_reading *rd, const struct json *container)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(PROBES_BYTES_MAX);
	struct slice kept = { NULL, 0 };

	add_probe(&out, "liveness", get(container, "livenessProbe"));
	add_probe(&out, "readiness", get(container, "readinessProbe"));
	add_probe(&out, "startup", get(container, "startupProbe"));
	if (out.failed == IMP_E_NOMEM && rd->rc == IMP_OK)
		rd->rc = buf_status(&out, rd->err);
	if (out.n > 0)
		kept = keep(rd, buf_slice(&out));
	return kept;
}

/* ------------------------------------------------------------------ pods */

/* The status of a container by its name, NULL. */
static const struct json *
status_of(const struct json *pod_status, struct slice name)
{
	for (const struct json *s = first_of(pod_status, "containerStatuses"); s != NULL; s = s->next) {
		if (slice_eq(text_of(s, "name"), name))
			return s;
	}
	return NULL;
}

/* How it ended last: before it was started again, or for good. */
static const struct json *
termination_of(const struct json *status)
{
	const struct json *now = get(get(status, "state"), "terminated");

	return now != NULL ? now : get(get(status, "lastState"), "terminated");
}

static void
take_container(struct object_reading *rd, const struct json *pod, const struct json *spec)
{
	const struct json *meta = get(pod, "metadata"), *pod_status = get(pod, "status");
	const struct json *status = status_of(pod_status, text_of(spec, "name")), *ended = termination_of(status);
	struct kube_container c = {
		.namespace = keep_text(rd, meta, "namespace"),
		.pod = keep_text(rd, meta, "name"),
		.uid = keep_text(rd, meta, "uid"),
		.node = keep_text(rd, get(pod, "spec"), "nodeName"),
		.container = keep_text(rd, spec, "name"),
		.phase = keep_text(rd, pod_status, "phase"),
		.image = keep_text(rd, spec, "image"),
		.image_id = keep_text(rd, status, "imageID"),
		.probes = probes_of(rd, spec),
		.resources = resources_of(spec),
		.ready = bool_of(status, "ready"),
		.restarts = int_of(status, "restartCount"),
		.started_t = time_of(get(get(status, "state"), "running"), "startedAt"),
		.last_reason = keep_text(rd, ended, "reason"),
		.last_exit = int_of(ended, "exitCode"),
		.last_finished_t = time_of(ended, "finishedAt"),
	};

	if (c.last_reason.p == NULL)
		c.last_reason = keep_text(rd, pod_status, "reason"); /* Evicted, ... */
	if (rd->rc == IMP_OK)
		rd->rc = VEC_PUSH(rd->k->arena.budget, &rd->k->containers, c, rd->err);
}

static const char *
take_pod(struct object_reading *rd, const struct json *o)
{
	const struct json *c = first_of(get(o, "spec"), "containers");

	if (text_of(get(o, "metadata"), "name").p == NULL)
		return "an object without a name";
	if (c == NULL)
		return "a pod without containers";
	for (; c != NULL && rd->rc == IMP_OK; c = c->next) {
		if (text_of(c, "name").p != NULL)
			take_container(rd, o, c);
	}
	return NULL;
}

/* ------------------------------------------------------------------ workloads, usage, events */

static const char *
take_workload(struct object_reading *rd, const struct json *o, struct slice kind)
{
	const struct json *meta = get(o, "metadata"), *status = get(o, "status");
	const struct json *c = first_of(get(get(get(o, "spec"), "template"), "spec"), "containers");

	if (text_of(meta, "name").p == NULL)
		return "an object without a name";
	for (; c != NULL && rd->rc == IMP_OK; c = c->next) {
		struct kube_workload w = {
			.kind = keep(rd, kind),
			.namespace = keep_text(rd, meta, "namespace"),
			.name = keep_text(rd, meta, "name"),
			.container = keep_text(rd, c, "name"),
			.image = keep_text(rd, c, "image"),
			.probes = probes_of(rd, c),
			.resources = resources_of(c),
			.replicas = int_of(get(o, "spec"), "replicas"),
			.ready_replicas = int_of(status, "readyReplicas"),
		};

		if (w.container.p != NULL && rd->rc == IMP_OK)
			rd->rc = VEC_PUSH(rd->k->arena.budget, &rd->k->workloads, w, rd->err);
	}
	return NULL;
}

static const char *
take_usage(struct object_reading *rd, const struct json *o, uint64_t line)
{
	const struct json *meta = get(o, "metadata");

	if (text_of(meta, "name").p == NULL)
		return "an object without a name";
	for (const struct json *c = first_of(o, "containers"); c != NULL && rd->rc == IMP_OK; c = c->next) {
		struct kube_usage u = {
			.t = time_of(o, "timestamp"),
			.pod = keep_text(rd, meta, "name"),
			.container = keep_text(rd, c, "name"),
			.cpu = cores_of(get(c, "usage")),
			.memory = bytes_of(get(c, "usage")),
			.line = line,
		};

		if (rd->rc == IMP_OK)
			rd->rc = VEC_PUSH(rd->k->arena.budget, &rd->k->usages, u, rd->err);
	}
	return NULL;
}

/* The first of these members that has a time. */
static int64_t
first_time(const struct json *o, const char *const *keys, size_t n)
{
	int64_t t = NO_TIME;

	for (size_t i = 0; i < n && t == NO_TIME; i++)
		t = time_of(o, keys[i]);
	return t;
}

static int64_t
event_time(const struct json *o)
{
	static const char *const keys[] = { "lastTimestamp", "deprecatedLastTimestamp", "eventTime", "firstTimestamp",
		"deprecatedFirstTimestamp" };
	int64_t t = time_of(get(o, "series"), "lastObservedTime");

	if (t == NO_TIME)
		t = first_time(o, keys, sizeof(keys) / sizeof(keys[0]));
	return t != NO_TIME ? t : time_of(get(o, "metadata"), "creationTimestamp");
}

static int64_t
event_count(const struct json *o)
{
	/* each is an int32 */
	const int64_t counts[] = { int_of(get(o, "series"), "count"), int_of(o, "count"), int_of(o, "deprecatedCount") };
	int64_t n = 1;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		n = counts[i] > n && counts[i] <= INT32_MAX ? counts[i] : n;
	return n;
}

static const char *
take_event(struct object_reading *rd, const struct json *o)
{
	const struct json *about = get(o, "involvedObject") != NULL ? get(o, "involvedObject") : get(o, "regarding");
	struct slice message = text_of(o, "message").p != NULL ? text_of(o, "message") : text_of(o, "note");
	CLEANUP(buf_done) struct buf safe = BUF_INIT(MESSAGE_BYTES_MAX);
	struct kube_event e = {
		.t = event_time(o),
		.n = event_count(o),
		.type = keep_text(rd, o, "type"),
		.reason = keep_text(rd, o, "reason"),
		.kind = keep_text(rd, about, "kind"),
		.namespace = keep_text(rd, about, "namespace"),
		.name = keep_text(rd, about, "name"),
		.uid = keep_text(rd, get(o, "metadata"), "uid"),
	};

	if (e.reason.p == NULL && rd->rc == IMP_OK)
		return "an event without a reason";
	if (message.p != NULL)
		redact_add(&safe, message);
	if (safe.failed == IMP_E_NOMEM && rd->rc == IMP_OK)
		rd->rc = buf_status(&safe, rd->err);
	if (safe.n > 0)
		e.message = keep(rd, buf_slice(&safe));
	if (rd->rc == IMP_OK)
		rd->rc = VEC_PUSH(rd->k->arena.budget, &rd->k->events, e, rd->err);
	return NULL;
}

static bool
is_workload(struct slice kind)
{
	return slice_eq(kind, SLICE("StatefulSet")) || slice_eq(kind, SLICE("Deployment")) || slice_eq(kind, SLICE("DaemonSet")) ||
	    slice_eq(kind, SLICE("ReplicaSet"));
}

enum imp_rc
kube_object(struct kube *k, const struct json *o, struct slice kind, uint64_t line, bool *ret_taken, const char **ret_reason,
    struct imp_err *err)
{
	struct imp_err why;
	struct object_reading rd = { .k = k, .err = &why, .rc = IMP_OK };

	*ret_taken = true;
	*ret_reason = NULL;
	if (text_of(o, "kind").p != NULL)
		kind = text_of(o, "kind");
	if (o->type != JSON_OBJECT)
		*ret_reason = "not an object of Kubernetes";
	else if (slice_eq(kind, SLICE("Pod")))
		*ret_reason = take_pod(&rd, o);
	else if (slice_eq(kind, SLICE("Event")))
		*ret_reason = take_event(&rd, o);
	else if (slice_eq(kind, SLICE("PodMetrics")))
		*ret_reason = take_usage(&rd, o, line);
	else if (is_workload(kind))
		*ret_reason = take_workload(&rd, o, kind);
	else if (kind.n == 0)
		*ret_reason = "an object without a kind";
	else
		*ret_taken = false;
	*ret_taken &= *ret_reason == NULL;
	if (rd.rc != IMP_OK && err != NULL)
		*err = why;
	return rd.rc;
}
