/* Kubernetes: quantities, objects in every wrapping kubectl gives them, both kinds of events, and the table of `kubectl top`. */
#include "config.h"

#include <math.h>

#include "ingest/kube.h"
#include "snapshot-file.h"
#include "tap.h"

#define S INT64_C(1000000000)
/* 2026-09-21T14:13:20Z */
#define T0 (INT64_C(1790000000) * S)

static struct imp_err err;
static struct kube k;
static struct snapshot s;

static void
quantities(void)
{
	static const struct {
		const char *text;
		double value; /* NAN: none */
		int64_t whole;
	} rows[] = {
		{ "0", 0, 0 },
		{ "250m", 0.25, 1 },
		{ "1500m", 1.5, 2 },
		{ "128Mi", 134217728, 134217728 },
		{ "1.5Gi", 1610612736, 1610612736 },
		{ "1e3", 1000, 1000 },
		{ "12E2", 1200, 1200 },
		{ "1E", 1e18, INT64_C(1000000000000000000) },
		{ "7Ei", 8070450532247928832.0, INT64_C(8070450532247928832) },
		{ "12345n", 0.000012345, 1 },
		{ "7u", 0.000007, 1 },
		{ "2k", 2000, 2000 },
		{ "129M", 129e6, 129000000 },
		{ "-1", -1, -1 },
		{ "+5", 5, 5 },
		{ ".5", 0.5, 1 },
		{ "1e-3", 0.001, 1 },
		{ "8Ei", (double)NAN, 0 }, /* 2^63 */
		{ "", (double)NAN, 0 },
		{ "m", (double)NAN, 0 },
		{ "1.2.3", (double)NAN, 0 },
		{ "1K", (double)NAN, 0 },
		{ "1 Mi", (double)NAN, 0 },
		{ "1e", (double)NAN, 0 },
		{ "<unknown>", (double)NAN, 0 },
		{ "99999999999999999999", (double)NAN, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double value = 0;
		int64_t whole = 0;
		bool good = kube_quantity(slice_of(rows[i].text), &value, &whole);

		ok(isnan(rows[i].value) ? !good : good && value == rows[i].value && whole == rows[i].whole,
		    "'%s' (%.17g, %" PRId64 ")", rows[i].text, value, whole);
	}
}

static enum imp_rc
read_one(const char *text, bool top)
{
	int dirfd = snapshot_file(&s, text);
	enum imp_rc rc;

	kube_done(&k);
	rc = top ? kube_read_top(&k, &s, &err) : kube_read_json(&k, &s, &err);
	close(dirfd);
	return rc;
}

#define POD \
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"im-0\",\"namespace\":\"n\",\"uid\":\"u\"},\"spec\":{\"nodeName\":" \
	"\"node\",\"containers\":[{\"name\":\"im\",\"image\":\"i:1\",\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":\"64Mi\"}," \
	"\"limits\":{\"cpu\":2,\"memory\":\"1Gi\"}},\"livenessProbe\":{\"httpGet\":{\"path\":\"/healthz\"}},\"readinessProbe\":{\"tcpSocket" \
	"\":{\"port\":1}}},{\"name\":\"side\"}]},\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"im\",\"ready\":false," \
	"\"restartCount\":2,\"imageID\":\"i@sha256:1\",\"state\":{\"running\":{\"startedAt\":\"2026-09-21T14:13:30Z\"}},\"lastState\":{" \
	"\"terminated\":{\"reason\":\"OOMKilled\",\"exitCode\":137,\"finishedAt\":\"2026-09-21T14:13:29Z\"}}}]}}"

static void
pods(void)
{
	const struct kube_container *c;

	ok(read_one(POD, false) == IMP_OK && s.samples == 1 && s.rejected == 0 && k.containers.n == 2, "a pod of two containers");
	c = &k.containers.v[0];
	ok(slice_eq(c->namespace, SLICE("n")) && slice_eq(c->pod, SLICE("im-0")) && slice_eq(c->uid, SLICE("u")) &&
		slice_eq(c->node, SLICE("node")) && slice_eq(c->container, SLICE("im")) && slice_eq(c->phase, SLICE("Running")),
	    "its names");
	ok(slice_eq(c->image, SLICE("i:1")) && slice_eq(c->image_id, SLICE("i@sha256:1")) &&
		slice_eq(c->probes, SLICE("liveness=/healthz readiness=tcp")),
	    "image and probes");
	ok(c->resources.cpu_request == 0.1 && c->resources.cpu_limit == 2 && c->resources.memory_request == 67108864 &&
		c->resources.memory_limit == 1073741824,
	    "resources, numbers too");
	ok(c->ready == 0 && c->restarts == 2 && c->started_t == T0 + 10 * S, "what it is doing");
	ok(slice_eq(c->last_reason, SLICE("OOMKilled")) && c->last_exit == 137 && c->last_finished_t == T0 + 9 * S,
	    "how it ended last");
	c = &k.containers.v[1];
	ok(c->ready == NO_TIME && c->restarts == NO_TIME && isnan(c->resources.cpu_limit) && c->resources.memory_limit == NO_TIME &&
		c->image.p == NULL && c->probes.p == NULL,
	    "what is not said is not known");
}

static void
wrappings(void)
{
	ok(read_one("{\"kind\":\"List\",\"items\":[" POD "," POD "]}", false) == IMP_OK && k.containers.n == 4, "a List");
	ok(read_one("[" POD "]", false) == IMP_OK && k.containers.n == 2, "an array");
	ok(read_one(POD "\n" POD "\n", false) == IMP_OK && k.containers.n == 4, "one behind the other");
	ok(read_one("{\"kind\":\"List\",\"items\":[" POD ",{\"kind\":\"Pod\",\"meta", false) == IMP_OK && k.containers.n == 2 &&
		s.cut && s.rejected == 1,
	    "a torn list keeps what is whole");
	ok(read_one("{\"kind\":\"List\",\"items\":[{\"kind\":\"Pod\"},7,{\"a\":1}," POD "]}", false) == IMP_OK &&
		k.containers.n == 2 && s.rejected == 3 && s.samples == 1,
	    "items that are none");
	ok(read_one("{\"kind\":\"Service\",\"metadata\":{\"name\":\"x\"}}", false) == IMP_OK && s.rejected == 0 && s.samples == 0,
	    "other kinds are passed over");
	ok(read_one("No resources found", false) == IMP_OK && s.rejected == 1, "no JSON");
	ok(read_one("", false) == IMP_OK && s.rejected == 0 && s.note.n > 0, "an empty file");
	ok(read_one(
	       "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"e\"},\"spec\":{\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":"
	       "\"Failed\",\"reason\":\"Evicted\"}}",
	       false) == IMP_OK &&
		slice_eq(k.containers.v[0].last_reason, SLICE("Evicted")),
	    "an evicted pod");
}

static void
others(void)
{
	ok(read_one(
	       "{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"im\",\"namespace\":\"n\"},\"spec\":{"
	       "\"replicas\":3,\"template\":{\"spec\":{\"containers\":[{\"name\":\"im\",\"image\":\"i\",\"resources\":{\"limits\":{"
	       "\"cpu\":\"500m\"}}}]}}},\"status\":{\"readyReplicas\":2}}",
	       false) == IMP_OK &&
		k.workloads.n == 1 && k.workloads.v[0].replicas == 3 && k.workloads.v[0].ready_replicas == 2 &&
		k.workloads.v[0].resources.cpu_limit == 0.5 && slice_eq(k.workloads.v[0].kind, SLICE("StatefulSet")),
	    "a StatefulSet");
	ok(read_one(
	       "{\"kind\":\"PodMetricsList\",\"items\":[{\"metadata\":{\"name\":\"im-0\"},\"timestamp\":\"2026-09-21T14:13:20Z\","
	       "\"window\":\"15s\",\"containers\":[{\"name\":\"im\",\"usage\":{\"cpu\":\"250000000n\",\"memory\":\"1024Ki\"}}]}]}",
	       false) == IMP_OK &&
		k.usages.n == 1 && k.usages.v[0].t == T0 && k.usages.v[0].cpu == 0.25 && k.usages.v[0].memory == 1048576 &&
		slice_eq(k.usages.v[0].container, SLICE("im")),
	    "PodMetrics, whose kind only the list has");
}

static void
events(void)
{
	const struct kube_event *e;

	ok(read_one(
	       "{\"kind\":\"List\",\"items\":[{\"kind\":\"Event\",\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"n\",\"name\":"
	       "\"im-0\"},\"reason\":\"BackOff\",\"type\":\"Warning\",\"message\":\"Back-off\",\"count\":5,\"firstTimestamp\":"
	       "\"2026-09-21T14:13:20Z\",\"lastTimestamp\":\"2026-09-21T14:13:25Z\"},{\"kind\":\"Event\",\"regarding\":{\"kind\":"
	       "\"Pod\",\"name\":\"im-1\"},\"reason\":\"Killing\",\"note\":\"password=hunter2\",\"firstTimestamp\":null,"
	       "\"lastTimestamp\":null,\"eventTime\":\"2026-09-21T14:13:21.500000Z\"},{\"kind\":\"Event\",\"regarding\":{},\"reason\":"
	       "\"x\",\"eventTime\":\"2026-09-21T14:13:21Z\",\"series\":{\"count\":7,\"lastObservedTime\":\"2026-09-21T14:13:30.25Z\"},"
	       "\"deprecatedCount\":2},{\"kind\":\"Event\",\"reason\":\"y\",\"metadata\":{\"creationTimestamp\":"
	       "\"2026-09-21T14:13:22Z\"}},{\"kind\":\"Event\"}]}",
	       false) == IMP_OK &&
		k.events.n == 4 && s.rejected == 1,
	    "events of both APIs");
	e = k.events.v;
	ok(e[0].t == T0 + 5 * S && e[0].n == 5 && slice_eq(e[0].name, SLICE("im-0")) && slice_eq(e[0].message, SLICE("Back-off")),
	    "a core event");
	ok(e[1].t == T0 + S + S / 2 && e[1].n == 1 && slice_eq(e[1].kind, SLICE("Pod")), "one with eventTime alone");
	ok(memmem(e[1].message.p, e[1].message.n, "hunter2", 7) == NULL, "its message without the secret");
	ok(e[2].t == T0 + 10 * S + S / 4 && e[2].n == 7, "a series");
	ok(e[3].t == T0 + 2 * S && e[3].kind.p == NULL, "one with nothing but its creation");

	ok(read_one(
	       "{\"kind\":\"Event\",\"reason\":\"x\",\"count\":9223372036854775807,\"lastTimestamp\":\"1700-01-01T00:00:00Z\"}",
	       false) == IMP_OK &&
		k.events.n == 1 && k.events.v[0].n == 1 && k.events.v[0].t == NO_TIME,
	    "a count and a time that cannot be");
}

static void
top(void)
{
	ok(read_one("W0722 10:00:00.000001 1 top.go:1] Metrics not available for pod n/im-9\nNAME   CPU(cores)   MEMORY(bytes)   \n"
		    "im-0   250m         133Mi           \nim-1   0m           0Mi\nim-2   0m           5Mi\n"
		    "im-3   <unknown>    <unknown>\n________ ________\n        250m         138Mi\n",
	       true) == IMP_OK &&
		s.rejected == 0 && k.usages.n == 2,
	    "kubectl top pod");
	ok(k.usages.v[0].cpu == 0.25 && k.usages.v[0].memory == 139460608 && k.usages.v[0].container.p == NULL &&
		k.usages.v[0].line == 3,
	    "a pod");
	ok(isnan(k.usages.v[1].cpu) && k.usages.v[1].memory == 5242880, "0m is not measured");
	ok(memmem(s.note.p, s.note.n, "Metrics not available", 21) != NULL, "what kubectl complains of");
	ok(read_one("NAMESPACE POD NAME CPU(cores) MEMORY(bytes)\nn im-0 side 1m 2Mi\n", true) == IMP_OK && k.usages.n == 1 &&
		slice_eq(k.usages.v[0].pod, SLICE("im-0")) && slice_eq(k.usages.v[0].container, SLICE("side")),
	    "with namespaces and containers");
	ok(read_one("im-0 1 2Mi\nim-1 side 1m 2Mi\n", true) == IMP_OK && k.usages.n == 2 && k.usages.v[0].cpu == 1 &&
		slice_eq(k.usages.v[1].container, SLICE("side")),
	    "without headings");
	ok(read_one("NAME CPU(cores) CPU(%) MEMORY(bytes) MEMORY(%)\nnode-1 1 25% 2Gi 50%\n", true) == IMP_OK && k.usages.n == 0 &&
		s.rejected == 0,
	    "nodes are passed over");
	ok(read_one("NAME CPU(cores) MEMORY(bytes)\nim-0 much 2Mi\nim-1\n", true) == IMP_OK && k.usages.n == 0 && s.rejected == 2,
	    "lines that are none");
	ok(read_one("error: Metrics API not available\n", true) == IMP_OK && s.rejected == 0 && s.note.n > 0,
	    "nothing but a complaint");
}

int
main(void)
{
	quantities();
	pods();
	wrappings();
	others();
	events();
	top();
	kube_done(&k);
	snapshot_done(&s);
	return done();
}
