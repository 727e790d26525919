#include "config.h"

#include "lab_metrics.h"

#include "base/time.h"
#include "lab.h"

static const double bounds[METRIC_BUCKETS] = { 0.005, 0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 5 };

void
histogram_add(struct histogram *h, int64_t ns)
{
	double s = (double)ns / (double)NS_PER_S;
	unsigned i = 0;

	while (i < METRIC_BUCKETS && s > bounds[i])
		i++;
	h->bucket[i]++;
	h->n++;
	h->sum += s;
}

static void
add_histogram(struct buf *out, const char *name, const char *labels, const struct histogram *h)
{
	uint64_t below = 0;

	buf_addf(out, "# TYPE %s histogram\n", name);
	for (unsigned i = 0; i < METRIC_BUCKETS; i++) {
		below += h->bucket[i];
		buf_addf(out, "%s_bucket{%sle=\"%g\"} %llu\n", name, labels, bounds[i], (unsigned long long)below);
	}
	buf_addf(out, "%s_bucket{%sle=\"+Inf\"} %llu\n%s_sum{%s} %.6f\n%s_count{%s} %llu\n", name, labels, (unsigned long long)h->n,
	    name, labels, h->sum, name, labels, (unsigned long long)h->n);
}

static void
add_value(struct buf *out, const char *type, const char *name, const char *labels, uint64_t value)
{
	if (type != NULL)
		buf_addf(out, "# TYPE %s %s\n", name, type);
	buf_addf(out, "%s%s %llu\n", name, labels, (unsigned long long)value);
}

void
metrics_add(struct buf *out, const struct lab *lab)
{
	const struct counters *n = &lab->counters;
	uint32_t live = 0;

	for (uint32_t i = 0; i < lab->nodes; i++)
		live += lab->links.peer[i].connected;
	add_value(out, "gauge", "im_up", "", 1);
	add_value(out, "gauge", "im_build_info", "{revision=\"imlab\",version=\"" PACKAGE_VERSION "\"}", 1);
	buf_addf(out, "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds %.3f\n",
	    (double)lab->started / (double)NS_PER_S);
	add_value(out, "gauge", "ws_connections_active", "", lab->net.open);
	add_value(out, "counter", "im_messages_published_total", "", n->published);
	add_value(out, "counter", "im_messages_delivered_total", "", n->delivered);
	add_value(out, "counter", "im_internal_queue_enqueue_total", "{queue=\"topic_client\",result=\"ok\"}", n->queued);
	add_value(out, NULL, "im_internal_queue_enqueue_total", "{queue=\"topic_client\",result=\"full\"}", n->queue_full);
	add_value(out, "counter", "im_cluster_route_total", "{result=\"ok\"}", n->routed);
	add_value(out, NULL, "im_cluster_route_total", "{result=\"peer_rejected\"}", n->route_failed);
	add_value(out, "counter", "im_cluster_p2m_enqueue_total", "{result=\"ok\"}", n->routed);
	add_value(out, NULL, "im_cluster_p2m_enqueue_total", "{result=\"timeout\"}", n->route_failed);
	add_value(out, "counter", "im_message_persist_total", "{result=\"ok\"}", n->stored);
	add_value(out, NULL, "im_message_persist_total", "{result=\"error\"}", n->store_failed);
	add_histogram(out, "im_message_publish_stage_duration_seconds", "stage=\"save\",", &n->save_time);
	add_value(out, "gauge", "tinode_up", "", 1);
	add_value(out, "gauge", "tinode_sessions_live_count", "", lab->net.open);
	add_value(out, "counter", "tinode_sessions_total", "", lab->net.opened);
	add_value(out, "gauge", "tinode_cluster_size", "", lab->nodes - 1);
	add_value(out, "gauge", "tinode_cluster_nodes_live", "", live);
	add_value(out, "counter", "tinode_incoming_messages_websock_total", "", n->incoming);
	add_value(out, "counter", "tinode_outgoing_messages_websock_total", "", n->outgoing);
	buf_add_str(out, "# TYPE tinode_ctrl_codes_total_2xx counter\n");
	for (unsigned i = 2; i <= 5; i++)
		buf_addf(out, "tinode_ctrl_codes_total_%uxx %llu\n", i, (unsigned long long)n->ctrl[i]);
}
