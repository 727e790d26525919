#include "config.h"

#include "lab_link.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"

#define RETRY_MS 200
#define WAITS_MS 5
#define WAITING_MAX 4096
#define MESSAGE_MAX ((uint32_t)16 << 20)
#define OUT_MAX ((size_t)64 << 20)

/* What a message is preceded by: its length and this. */
enum link_kind {
	LINK_HELLO = 'h', /* the number of who dialled, 4 bytes */
	LINK_PLAIN = 'p',
	LINK_REQUEST = 'r',
	LINK_TAKEN = 't', /* how many requests were, 4 bytes */
};

struct heard {
	uv_tcp_t tcp;
	struct links *links;
	struct peer *peer; /* once it said hello */
	struct buf in;
	char receive[64 << 10];
};

static void
put(struct buf *out, enum link_kind kind, struct slice message)
{
	uint32_t n = (uint32_t)message.n;

	buf_add(out, &n, sizeof(n));
	buf_add_char(out, (char)kind);
	buf_add_slice(out, message);
}

static void
put_number(struct buf *out, enum link_kind kind, uint32_t v)
{
	put(out, kind, (struct slice){ (const char *)&v, sizeof(v) });
}

/* Dialling */

static void
on_dialled_closed(uv_handle_t *handle)
{
	free(handle);
}

static void
hang_up(struct peer *p)
{
	bool lost = p->connected;

	p->connected = false;
	p->under_way = 0;
	buf_clear(&p->out);
	if (lost && !p->links->closing)
		p->links->handlers->on_lost(p->links, p->number);
	if (p->dialled != NULL)
		uv_close((uv_handle_t *)TAKE(p->dialled), on_dialled_closed);
}

static void
on_dialled_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct peer *p = handle->data;

	(void)suggested;
	/* nothing is ever heard here but the end */
	*buf = uv_buf_init(p->unheard, sizeof(p->unheard));
}

static void
on_dialled_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct peer *p = stream->data;

	(void)buf;
	if (n < 0 && p->dialled == (uv_tcp_t *)stream)
		hang_up(p);
}

static void
on_connected(uv_connect_t *request, int status)
{
	uv_tcp_t *tcp = (uv_tcp_t *)request->handle;
	struct peer *p = tcp->data;

	free(request);
	if (p->dialled != tcp)
		return;
	if (status < 0) {
		hang_up(p);
		return;
	}
	uv_tcp_nodelay(tcp, 1);
	uv_read_start((uv_stream_t *)tcp, on_dialled_alloc, on_dialled_read);
	p->connected = true;
	put_number(&p->out, LINK_HELLO, p->links->self);
	p->links->handlers->on_up(p->links, p->number);
}

static void
dial(struct peer *p)
{
	struct sockaddr_in address;
	uv_connect_t *request = malloc(sizeof(*request));
	uv_tcp_t *tcp = malloc(sizeof(*tcp));

	if (request == NULL || tcp == NULL || uv_ip4_addr(p->host, p->port, &address) != 0) {
		free(request);
		free(tcp);
		return;
	}
	uv_tcp_init(p->links->loop, tcp);
	tcp->data = p;
	p->dialled = tcp;
	if (uv_tcp_connect(request, tcp, (const struct sockaddr *)&address, on_connected) != 0) {
		free(request);
		hang_up(p);
	}
}

static void
on_retry(uv_timer_t *timer)
{
	struct links *links = timer->data;

	for (uint32_t i = 0; i < links->n; i++) {
		if (i != links->self && links->peer[i].dialled == NULL)
			dial(&links->peer[i]);
	}
}

/* Sending */

struct sending {
	uv_write_t request;
	struct buf bytes;
};

static void
on_sent(uv_write_t *request, int status)
{
	struct sending *s = (struct sending *)request;
	struct peer *p = request->handle->data;

	if (status < 0 && p->dialled == (uv_tcp_t *)request->handle)
		hang_up(p);
	buf_done(&s->bytes);
	free(s);
}

static void
flush(struct peer *p)
{
	struct sending *s;
	uv_buf_t buf;

	if (p->taken_unsaid > 0 && p->connected) {
		put_number(&p->out, LINK_TAKEN, p->taken_unsaid);
		p->taken_unsaid = 0;
	}
	if (!p->connected || p->out.n == 0)
		return;
	s = calloc(1, sizeof(*s));
	if (s == NULL || buf_status(&p->out, NULL) != IMP_OK || p->dialled->write_queue_size > OUT_MAX) {
		free(s);
		hang_up(p);
		return;
	}
	s->bytes = p->out;
	p->out = (struct buf)BUF_INIT(OUT_MAX);
	buf = uv_buf_init(s->bytes.p, (unsigned)s->bytes.n);
	if (uv_write(&s->request, (uv_stream_t *)p->dialled, &buf, 1, on_sent) != 0) {
		buf_done(&s->bytes);
		free(s);
		hang_up(p);
	}
}

static void
on_flush(uv_prepare_t *handle)
{
	struct links *links = handle->data;

	for (uint32_t i = 0; i < links->n; i++)
		flush(&links->peer[i]);
}

void
link_send(struct links *links, uint32_t to, struct slice message)
{
	if (links->peer[to].connected)
		put(&links->peer[to].out, LINK_PLAIN, message);
}

static void
fail(struct peer *p, struct slice request, const char *why)
{
	p->links->handlers->on_failed(p->links, p->number, request, why);
}

void
link_request(struct links *links, uint32_t to, struct slice request)
{
	struct peer *p = &links->peer[to];
	struct waiting w = { .bytes = BUF_INIT(MESSAGE_MAX), .until = time_monotonic() + LINK_WAIT_MS * (NS_PER_S / 1000) };
	char why[128];

	if (!p->connected) {
		snprintf(why, sizeof(why), "cluster: node '%s' not connected", p->name);
		fail(p, request, why);
		return;
	}
	if (p->under_way < LINK_REQUESTS && p->waiting_first == p->waiting.n) {
		p->under_way++;
		put(&p->out, LINK_REQUEST, request);
		return;
	}
	buf_add_slice(&w.bytes, request);
	if (p->waiting.n - p->waiting_first >= WAITING_MAX || buf_status(&w.bytes, NULL) != IMP_OK ||
	    VEC_PUSH(NULL, &p->waiting, w, NULL) != IMP_OK) {
		buf_done(&w.bytes);
		fail(p, request, "cluster: load exceeded");
	}
}

/* Those that waited: sent where there is room now, failed where their time is over. */
static void
serve_waiting(struct peer *p)
{
	int64_t now = time_monotonic();

	while (p->waiting_first < p->waiting.n) {
		struct waiting *w = &p->waiting.v[p->waiting_first];
		bool room = p->connected && p->under_way < LINK_REQUESTS;

		if (!room && now < w->until)
			return;
		p->waiting_first++;
		if (room) {
			p->under_way++;
			put(&p->out, LINK_REQUEST, buf_slice(&w->bytes));
		} else {
			fail(p, buf_slice(&w->bytes), "cluster: load exceeded");
		}
		buf_done(&p->waiting.v[p->waiting_first - 1].bytes);
	}
	p->waiting.n = p->waiting_first = 0;
}

static void
on_waits(uv_timer_t *timer)
{
	struct links *links = timer->data;

	for (uint32_t i = 0; i < links->n; i++)
		serve_waiting(&links->peer[i]);
}

/* Hearing */

static void
on_heard_closed(uv_handle_t *handle)
{
	struct heard *h = (struct heard *)handle;

	buf_done(&h->in);
	free(h);
}

static void
heard_end(struct heard *h)
{
	if (uv_is_closing((uv_handle_t *)&h->tcp))
		return;
	uv_close((uv_handle_t *)&h->tcp, on_heard_closed);
	if (h->peer != NULL && --h->peer->heard == 0 && !h->links->closing)
		h->links->handlers->on_down(h->links, h->peer->number);
}

static void
take(struct heard *h, enum link_kind kind, struct slice message)
{
	uint32_t number = 0;

	if (message.n >= sizeof(number))
		memcpy(&number, message.p, sizeof(number));
	switch (kind) {
	case LINK_HELLO:
		if (h->peer == NULL && number < h->links->n && number != h->links->self) {
			h->peer = &h->links->peer[number];
			h->peer->heard++;
		}
		break;
	case LINK_TAKEN:
		if (h->peer != NULL) {
			h->peer->under_way -= number < h->peer->under_way ? number : h->peer->under_way;
			serve_waiting(h->peer);
		}
		break;
	case LINK_REQUEST:
	case LINK_PLAIN:
		if (h->peer == NULL)
			break;
		h->peer->taken_unsaid += kind == LINK_REQUEST;
		h->links->handlers->on_message(h->links, h->peer->number, message);
		break;
	}
}

static void
on_heard(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct heard *h = (struct heard *)stream;
	size_t at = 0;
	uint32_t length;

	if (n < 0) {
		heard_end(h);
		return;
	}
	buf_add(&h->in, buf->base, (size_t)n);
	while (h->in.n - at > sizeof(length)) {
		memcpy(&length, h->in.p + at, sizeof(length));
		if (length > MESSAGE_MAX) {
			heard_end(h);
			return;
		}
		if (h->in.n - at < sizeof(length) + 1 + length)
			break;
		take(h, (enum link_kind)h->in.p[at + sizeof(length)], (struct slice){ h->in.p + at + sizeof(length) + 1, length });
		at += sizeof(length) + 1 + length;
	}
	if (buf_status(&h->in, NULL) != IMP_OK) {
		heard_end(h);
		return;
	}
	memmove(h->in.p, h->in.p + at, h->in.n - at);
	buf_truncate(&h->in, h->in.n - at);
}

static void
on_heard_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct heard *h = (struct heard *)handle;

	(void)suggested;
	*buf = uv_buf_init(h->receive, sizeof(h->receive));
}

static void
on_incoming(uv_stream_t *listener, int status)
{
	struct links *links = listener->data;
	struct heard *h = status == 0 ? calloc(1, sizeof(*h)) : NULL;

	if (h == NULL)
		return;
	h->links = links;
	h->in = (struct buf)BUF_INIT(2 * (size_t)MESSAGE_MAX);
	uv_tcp_init(links->loop, &h->tcp);
	if (uv_accept(listener, (uv_stream_t *)&h->tcp) != 0 ||
	    uv_read_start((uv_stream_t *)&h->tcp, on_heard_alloc, on_heard) != 0)
		heard_end(h);
}

/* Life */

static enum imp_rc
parse_nodes(struct links *links, const char *nodes, const char *self, struct imp_err *err)
{
	bool found = false;

	while (*nodes != '\0') {
		struct peer *p = &links->peer[links->n];
		size_t n = strcspn(nodes, ",");
		char text[160];

		snprintf(text, sizeof(text), "%.*s", (int)n, nodes);
		if (links->n == RING_NODES_MAX || sscanf(text, "%63[^=]=%63[^:]:%hu", p->name, p->host, &p->port) != 3)
			return imp_err_set(err, IMP_E_USAGE, "not NAME=HOST:PORT, or more than %d of them: %s", RING_NODES_MAX,
			    text);
		p->links = links;
		p->number = links->n;
		p->out = (struct buf)BUF_INIT(OUT_MAX);
		if (strcmp(p->name, self) == 0) {
			links->self = links->n;
			found = true;
		}
		links->n++;
		nodes += n + (nodes[n] == ',');
	}
	return found ? IMP_OK : imp_err_set(err, IMP_E_USAGE, "%s is none of the nodes", self);
}

enum imp_rc
link_open(struct links *links, uv_loop_t *loop, const struct link_handlers *handlers, const char *nodes, const char *self,
    struct imp_err *err)
{
	struct sockaddr_in address;
	enum imp_rc rc;
	int failed;

	links->loop = loop;
	links->handlers = handlers;
	if (nodes == NULL) {
		links->n = 1;
		snprintf(links->peer[0].name, sizeof(links->peer[0].name), "%s", self);
		return IMP_OK;
	}
	rc = parse_nodes(links, nodes, self, err);
	if (rc != IMP_OK)
		return rc;
	links->listener.data = links->retry.data = links->waits.data = links->flush.data = links;
	uv_tcp_init(loop, &links->listener);
	failed = uv_ip4_addr(links->peer[links->self].host, links->peer[links->self].port, &address);
	if (failed == 0)
		failed = uv_tcp_bind(&links->listener, (const struct sockaddr *)&address, 0);
	if (failed == 0)
		failed = uv_listen((uv_stream_t *)&links->listener, 64, on_incoming);
	if (failed != 0)
		return imp_err_set(err, IMP_E_UNAVAILABLE, "cannot listen for the cluster: %s", uv_strerror(failed));
	uv_timer_init(loop, &links->retry);
	uv_timer_start(&links->retry, on_retry, 0, RETRY_MS);
	uv_timer_init(loop, &links->waits);
	uv_timer_start(&links->waits, on_waits, WAITS_MS, WAITS_MS);
	uv_prepare_init(loop, &links->flush);
	uv_prepare_start(&links->flush, on_flush);
	return IMP_OK;
}

static void
close_heard(uv_handle_t *handle, void *links)
{
	if (handle->type == UV_TCP && !uv_is_closing(handle) && handle != (uv_handle_t *)&((struct links *)links)->listener)
		uv_close(handle, on_heard_closed);
}

void
link_close(struct links *links)
{
	links->closing = true;
	for (uint32_t i = 0; i < links->n; i++) {
		struct peer *p = &links->peer[i];

		hang_up(p);
		while (p->waiting_first < p->waiting.n)
			buf_done(&p->waiting.v[p->waiting_first++].bytes);
		VEC_FREE(NULL, &p->waiting);
		buf_done(&p->out);
	}
	/* All other sockets of the loop are closing by now: what is left are connections that peers dialled. */
	uv_walk(links->loop, close_heard, links);
}
