#include "config.h"

#include "lab_http.h"

#include "base/time.h"
#include "lab.h"
#include "lab_api.h"
#include "lab_json.h"

#define TEXT_TYPE "text/plain; charset=utf-8"

bool
lab_http_may_upgrade(struct conn *c, const struct http_request *request)
{
	struct lab *lab = c->net->user;
	struct slice key = http_header(request, "X-Tinode-APIKey");
	struct buf out = BUF_INIT(1024);

	if (key.n == 0)
		key = http_header(request, "X-MeetingIM-APIKey");
	if (key.n == 0)
		key = http_query(request, "apikey");
	if (api_key_valid(key))
		return true;
	log_line(&lab->log, 'E', "hdl_websock.go:172", "ws: Missing, invalid or expired API key");
	go_ctrl(&out, SLICE(""), SLICE(""), SLICE(""), 403, "valid API key required", time_now());
	buf_add_char(&out, '\n');
	conn_answer(c, 403, TEXT_TYPE, buf_slice(&out));
	buf_done(&out);
	return false;
}

static void
answer_vars(struct conn *c, const struct lab *lab)
{
	const struct counters *n = &lab->counters;
	struct buf out = BUF_INIT(16 << 10);

	buf_add_str(&out, "{\n\"ClusterLeader\": 0,\n");
	for (unsigned i = 2; i <= 5; i++)
		buf_addf(&out, "\"CtrlCodesTotal%uxx\": %llu,\n", i, (unsigned long long)n->ctrl[i]);
	buf_addf(&out,
	    "\"IncomingMessagesWebsockTotal\": %llu,\n\"LiveClusterNodes\": %u,\n\"LiveSessions\": %llu,\n\"LiveTopics\": %zu,\n",
	    (unsigned long long)n->incoming, lab->nodes - 1, (unsigned long long)lab->net.open, lab->dir.topics.n);
	buf_addf(&out,
	    "\"OutgoingMessagesWebsockTotal\": %llu,\n\"TotalClusterNodes\": %u,\n\"TotalSessions\": %llu,\n\"TotalTopics\": %llu,\n",
	    (unsigned long long)n->outgoing, lab->nodes - 1, (unsigned long long)lab->net.opened,
	    (unsigned long long)n->topics_made);
	buf_addf(&out, "\"Uptime\": %.9f,\n\"Version\": 2500\n}\n", (double)(time_now() - lab->started) / (double)NS_PER_S);
	conn_answer(c, 200, "application/json; charset=utf-8", buf_slice(&out));
	buf_done(&out);
}

static void
answer_metrics(struct conn *c, const struct lab *lab)
{
	struct buf out = BUF_INIT(64 << 10);

	metrics_add(&out, lab);
	conn_answer(c, 200, "text/plain; version=0.0.4", buf_slice(&out));
	buf_done(&out);
}

void
lab_http_request(struct conn *c, const struct http_request *request)
{
	const struct lab *lab = c->net->user;

	if (api_path(request->path) && lab->dialect == DIALECT_IM_SERVER)
		api_request(c, request);
	else if (!slice_eq(request->method, SLICE("GET")))
		conn_answer(c, 404, TEXT_TYPE, SLICE("404 page not found\n"));
	else if (slice_eq(request->path, SLICE("/debug/vars")))
		answer_vars(c, lab);
	else if (slice_eq(request->path, SLICE("/metrics")))
		answer_metrics(c, lab);
	else
		conn_answer(c, 404, TEXT_TYPE, SLICE("404 page not found\n"));
}
