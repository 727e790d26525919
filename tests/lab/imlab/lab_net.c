#include "config.h"

#include "lab_net.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"

#define TICK_MS 250
#define BACKLOG 4096
#define WRITE_BUFS 64

static void
conn_free(uv_handle_t *handle)
{
	struct conn *c = (struct conn *)handle;

	for (uint32_t i = 0; i < c->out_n; i++)
		frame_unref(c->out[(c->out_head + i) & (c->out_cap - 1)]);
	free(c->out);
	free(c->in);
	SSL_free(c->ssl);
	buf_done(&c->message);
	free(c);
}

void
conn_drop(struct conn *c)
{
	struct net *net = c->net;
	struct conn **link;

	if (c->closing)
		return;
	c->closing = true;
	if (c->upgraded) {
		net->open--;
		net->handlers->on_close(c);
	}
	if (c->prev != NULL)
		c->prev->next = c->next;
	else
		net->first = c->next;
	if (c->next != NULL)
		c->next->prev = c->prev;
	for (link = &net->dirty; c->dirty && *link != NULL; link = &(*link)->next_dirty) {
		if (*link == c) {
			*link = c->next_dirty;
			break;
		}
	}
	uv_close((uv_handle_t *)&c->tcp, conn_free);
}

/* Writing */

static struct frame *
out_at(const struct conn *c, uint32_t i)
{
	return c->out[(c->out_head + i) & (c->out_cap - 1)];
}

static bool
out_room(struct conn *c)
{
	uint32_t cap = c->out_cap > 0 ? c->out_cap * 2 : 4;
	struct frame **out;

	if (c->out_n < c->out_cap)
		return true;
	out = malloc(cap * sizeof(*out));
	if (out == NULL)
		return false;
	for (uint32_t i = 0; i < c->out_n; i++)
		out[i] = out_at(c, i);
	free(c->out);
	c->out = out;
	c->out_cap = cap;
	c->out_head = 0;
	return true;
}

static unsigned
out_bufs(const struct conn *c, uv_buf_t bufs[WRITE_BUFS])
{
	unsigned n = 0;

	for (; n < c->out_n && n < WRITE_BUFS; n++) {
		struct frame *f = out_at(c, n);
		size_t skip = n == 0 ? c->out_sent : 0;

		bufs[n] = uv_buf_init((char *)f->bytes + skip, (unsigned)(f->n - skip));
	}
	return n;
}

/* `n` more bytes are gone. */
static void
out_take(struct conn *c, size_t n)
{
	c->out_bytes -= (int64_t)n;
	n += c->out_sent;
	while (c->out_n > 0 && n >= out_at(c, 0)->n) {
		n -= out_at(c, 0)->n;
		frame_unref(out_at(c, 0));
		c->out_head = (c->out_head + 1) & (c->out_cap - 1);
		c->out_n--;
	}
	c->out_sent = n;
}

struct pending_write {
	uv_write_t request;
	size_t n;
};

static void conn_flush(struct conn *c);

static void
on_written(uv_write_t *request, int status)
{
	struct conn *c = (struct conn *)request->handle;
	size_t n = ((struct pending_write *)request)->n;

	free(request);
	c->writing = false;
	if (c->closing)
		return;
	if (status < 0) {
		conn_drop(c);
		return;
	}
	out_take(c, n);
	conn_flush(c);
}

/* What the socket did not take at once is written when it can be: the frames stay queued until then. */
static void
write_later(struct conn *c, const uv_buf_t *bufs, unsigned n)
{
	struct pending_write *w = calloc(1, sizeof(*w));

	if (w == NULL) {
		conn_drop(c);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		w->n += bufs[i].len;
	if (uv_write(&w->request, (uv_stream_t *)&c->tcp, bufs, n, on_written) != 0) {
		free(w);
		conn_drop(c);
		return;
	}
	c->writing = true;
}

static void
conn_flush(struct conn *c)
{
	uv_buf_t bufs[WRITE_BUFS];

	if (c->broken)
		conn_drop(c);
	while (!c->closing && !c->writing && c->out_n > 0 && c->hold <= c->net->released) {
		unsigned n = out_bufs(c, bufs);
		int written = uv_try_write((uv_stream_t *)&c->tcp, bufs, n);

		if (written == UV_EAGAIN)
			write_later(c, bufs, n);
		else if (written < 0)
			conn_drop(c);
		else
			out_take(c, (size_t)written);
	}
	if (!c->closing && !c->writing && c->out_n == 0 && c->close_sent)
		conn_drop(c);
}

static void
on_prepare(uv_prepare_t *handle)
{
	struct net *net = handle->data;

	while (net->dirty != NULL) {
		struct conn *c = net->dirty;

		net->dirty = c->next_dirty;
		c->dirty = false;
		conn_flush(c);
	}
}

static void
mark_dirty(struct conn *c)
{
	if (c->dirty)
		return;
	c->dirty = true;
	c->next_dirty = c->net->dirty;
	c->net->dirty = c;
}

static void
queue(struct conn *c, struct frame *f)
{
	if (f == NULL)
		return;
	if (out_room(c) && c->out_bytes <= c->net->config.unsent_max) {
		c->out[(c->out_head + c->out_n++) & (c->out_cap - 1)] = frame_ref(f);
		c->out_bytes += (int64_t)f->n;
	} else {
		c->broken = true;
	}
	mark_dirty(c);
}

void
conn_hold(struct conn *c, uint64_t hold)
{
	c->hold = hold;
}

void
net_release(struct net *net, uint64_t hold)
{
	if (hold <= net->released)
		return;
	for (struct conn *c = net->first; c != NULL; c = c->next) {
		if (c->hold > net->released && c->hold <= hold)
			mark_dirty(c);
	}
	net->released = hold;
}

/* What TLS has to say, of itself or of what was written. */
static void
queue_sealed(struct conn *c)
{
	struct frame *sealed = tls_take(c->ssl);

	queue(c, sealed);
	frame_unref(sealed);
}

void
conn_send(struct conn *c, struct frame *f)
{
	if (c->closing || c->close_sent || c->broken || f == NULL)
		return;
	if (c->ssl == NULL) {
		queue(c, f);
		return;
	}
	c->broken = !tls_write(c->ssl, f->bytes, f->n);
	queue_sealed(c);
}

static void
send_own(struct conn *c, struct frame *f)
{
	conn_send(c, f);
	frame_unref(f);
}

void
conn_send_text(struct conn *c, struct slice text)
{
	send_own(c, frame_ws(WS_TEXT, text));
}

void
conn_close(struct conn *c, unsigned code)
{
	char bytes[2] = { (char)(code >> 8), (char)code };

	if (c->upgraded)
		send_own(c, frame_ws(WS_CLOSE, (struct slice){ bytes, sizeof(bytes) }));
	c->close_sent = true;
}

/* HTTP */

static struct slice
slice_trim(struct slice s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s.p++, s.n--;
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r'))
		s.n--;
	return s;
}

/* Take what stands before `c` off the front of *s, and `c` with it; all when there is none. */
static struct slice
slice_cut(struct slice *s, char c)
{
	const char *at = s->n > 0 ? memchr(s->p, c, s->n) : NULL;
	struct slice first = { s->p, at != NULL ? (size_t)(at - s->p) : s->n };
	size_t skip = first.n + (at != NULL);

	*s = (struct slice){ s->p + skip, s->n - skip };
	return first;
}

static bool
name_is(struct slice s, const char *name)
{
	return s.n == strlen(name) && strncasecmp(s.p, name, s.n) == 0;
}

struct slice
http_header(const struct http_request *r, const char *name)
{
	struct slice rest = r->head;

	while (rest.n > 0) {
		struct slice line = slice_cut(&rest, '\n'), key = slice_cut(&line, ':');

		if (name_is(key, name))
			return slice_trim(line);
	}
	return (struct slice){ NULL, 0 };
}

struct slice
http_query(const struct http_request *r, const char *name)
{
	struct slice rest = r->query;

	while (rest.n > 0) {
		struct slice value = slice_cut(&rest, '&'), key = slice_cut(&value, '=');

		if (name_is(key, name))
			return value;
	}
	return (struct slice){ NULL, 0 };
}

static const char *
status_text(unsigned status)
{
	switch (status) {
	case 200:
		return "OK";
	case 201:
		return "Created";
	case 400:
		return "Bad Request";
	case 401:
		return "Unauthorized";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 409:
		return "Conflict";
	default:
		return "Error";
	}
}

void
conn_answer(struct conn *c, unsigned status, const char *content_type, struct slice body)
{
	struct buf text = BUF_INIT(NET_BODY_MAX * 16);

	buf_addf(&text, "HTTP/1.1 %u %s\r\nContent-Length: %zu\r\nContent-Type: %s\r\n\r\n", status, status_text(status), body.n,
	    content_type);
	buf_add_slice(&text, body);
	if (buf_status(&text, NULL) == IMP_OK)
		send_own(c, frame_raw(buf_slice(&text)));
	else
		conn_drop(c);
	buf_done(&text);
}

static void
conn_upgrade(struct conn *c, const struct http_request *r)
{
	struct slice key = http_header(r, "Sec-WebSocket-Key");
	struct buf text = BUF_INIT(NET_HEAD_MAX);
	char accept[WS_ACCEPT_BYTES];

	if (key.n == 0 || !slice_eq(http_header(r, "Sec-WebSocket-Version"), SLICE("13"))) {
		conn_answer(c, 400, "text/plain; charset=utf-8", SLICE("Bad Request\n"));
		return;
	}
	if (!c->net->handlers->may_upgrade(c, r))
		return;
	ws_accept(key, accept);
	buf_addf(&text,
	    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
	    accept);
	send_own(c, frame_raw(buf_slice(&text)));
	buf_done(&text);
	c->upgraded = true;
	c->net->open++;
	c->net->opened++;
	c->last_pong = time_monotonic();
	c->next_ping = c->last_pong + c->net->config.ping_ns;
	c->net->handlers->on_open(c);
}

/* One request at the front of the bytes; how many it took, 0 when it is not complete. */
static size_t
take_request(struct conn *c, const unsigned char *p, size_t n)
{
	const char *text = (const char *)p, *end = memmem(p, n, "\r\n\r\n", 4);
	struct http_request r = { 0 };
	struct slice line, target, length;
	uint64_t body = 0;

	if (end == NULL) {
		if (n > NET_HEAD_MAX)
			conn_drop(c);
		return 0;
	}
	r.head = (struct slice){ text, (size_t)(end - text) + 2 };
	line = slice_cut(&r.head, '\n');
	r.method = slice_cut(&line, ' ');
	target = slice_cut(&line, ' ');
	r.path = slice_cut(&target, '?');
	r.query = target;
	length = http_header(&r, "Content-Length");
	for (size_t i = 0; i < length.n && body <= NET_BODY_MAX; i++)
		body = body * 10 + (uint64_t)(length.p[i] - '0');
	if (body > NET_BODY_MAX) {
		conn_drop(c);
		return 0;
	}
	r.body = (struct slice){ end + 4, (size_t)body };
	if ((size_t)(r.body.p - text) + r.body.n > n)
		return 0;
	if (slice_eq(r.path, slice_of(c->net->config.upgrade_path)) && http_header(&r, "Upgrade").n > 0)
		conn_upgrade(c, &r);
	else
		c->net->handlers->on_request(c, &r);
	if (name_is(http_header(&r, "Connection"), "close")) {
		c->close_sent = true;
		mark_dirty(c);
	}
	return (size_t)(r.body.p - text) + r.body.n;
}

/* WebSocket */

static void
take_control(struct conn *c, enum ws_opcode opcode, struct slice payload)
{
	if (opcode == WS_PONG) {
		c->last_pong = c->net->now = time_monotonic();
	} else if (opcode == WS_PING) {
		send_own(c, frame_ws(WS_PONG, payload));
	} else {
		send_own(c, frame_ws(WS_CLOSE, (struct slice){ payload.p, payload.n < 2 ? payload.n : 2 }));
		c->close_sent = true;
	}
}

static void
take_data(struct conn *c, const struct ws_head *head, struct slice payload)
{
	if (c->in_message != (head->opcode == WS_CONTINUATION)) {
		conn_close(c, WS_CLOSE_PROTOCOL);
		return;
	}
	if (head->final && !c->in_message) {
		c->net->handlers->on_text(c, payload);
		return;
	}
	c->message.max = c->net->config.message_max;
	buf_add_slice(&c->message, payload);
	c->in_message = !head->final;
	if (buf_status(&c->message, NULL) != IMP_OK) {
		conn_close(c, WS_CLOSE_TOO_BIG);
	} else if (head->final) {
		c->net->handlers->on_text(c, buf_slice(&c->message));
		buf_done(&c->message);
	}
}

/* One frame at the front of the bytes; how many it took, 0 when it is not complete. */
static size_t
take_frame(struct conn *c, unsigned char *p, size_t n)
{
	struct ws_head head;

	switch (ws_parse_head(p, n, &head)) {
	case WS_INCOMPLETE:
		return 0;
	case WS_BROKEN:
		conn_close(c, WS_CLOSE_PROTOCOL);
		return n;
	case WS_PARSED:
		break;
	}
	if (head.payload > c->net->config.message_max) {
		conn_close(c, WS_CLOSE_TOO_BIG);
		return n;
	}
	if (n - head.head < head.payload)
		return 0;
	ws_unmask(p + head.head, (size_t)head.payload, head.mask);
	if (head.opcode >= WS_CLOSE)
		take_control(c, head.opcode, (struct slice){ (char *)p + head.head, (size_t)head.payload });
	else
		take_data(c, &head, (struct slice){ (char *)p + head.head, (size_t)head.payload });
	return head.head + (size_t)head.payload;
}

/* Reading */

/* Take all that is complete; how many bytes that was. */
static size_t
take_all(struct conn *c, unsigned char *p, size_t n)
{
	size_t taken = 0, more = 1;

	while (more > 0 && taken < n && !c->closing && !c->close_sent) {
		more = c->upgraded ? take_frame(c, p + taken, n - taken) : take_request(c, p + taken, n - taken);
		taken += more;
	}
	return c->closing || c->close_sent ? n : taken;
}

static bool
keep_rest(struct conn *c, const unsigned char *p, size_t n)
{
	if (c->in_cap < c->in_n + n) {
		size_t cap = c->in_n + n + 512;
		unsigned char *in = realloc(c->in, cap);

		if (in == NULL)
			return false;
		c->in = in;
		c->in_cap = cap;
	}
	memcpy(c->in + c->in_n, p, n);
	c->in_n += n;
	return true;
}

/* Bytes of HTTP or WebSocket. */
static void
take_bytes(struct conn *c, unsigned char *p, size_t n)
{
	size_t taken;

	if (c->in_n == 0) {
		taken = take_all(c, p, n);
		if (!c->closing && taken < n && !keep_rest(c, p + taken, n - taken))
			conn_drop(c);
		return;
	}
	if (!keep_rest(c, p, n)) {
		conn_drop(c);
		return;
	}
	taken = take_all(c, c->in, c->in_n);
	if (c->closing)
		return;
	memmove(c->in, c->in + taken, c->in_n - taken);
	c->in_n -= taken;
	if (c->in_n == 0) {
		free(TAKE(c->in));
		c->in_cap = 0;
	}
}

static void
take_sealed(struct conn *c, const unsigned char *p, size_t n)
{
	unsigned char *plain = c->net->plain;
	int got;

	tls_put(c->ssl, p, n);
	while (!c->closing && (got = tls_get(c->ssl, plain, sizeof(c->net->plain))) != 0) {
		if (got < 0) {
			conn_drop(c);
			return;
		}
		take_bytes(c, plain, (size_t)got);
	}
	if (!c->closing)
		queue_sealed(c);
}

static void
on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct conn *c = (struct conn *)stream;

	if (n == 0 || c->closing)
		return;
	if (n < 0)
		conn_drop(c);
	else if (c->ssl != NULL)
		take_sealed(c, (const unsigned char *)buf->base, (size_t)n);
	else
		take_bytes(c, (unsigned char *)buf->base, (size_t)n);
}

static void
on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct net *net = ((struct conn *)handle)->net;

	(void)suggested;
	*buf = uv_buf_init((char *)net->receive, sizeof(net->receive));
}

static void
name_peer(struct conn *c)
{
	struct sockaddr_storage address;
	int size = sizeof(address);
	char host[INET6_ADDRSTRLEN] = "";

	if (uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&address, &size) != 0)
		return;
	if (address.ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address;

		uv_ip6_name(in6, host, sizeof(host));
		snprintf(c->peer, sizeof(c->peer), "[%s]:%u", host, ntohs(in6->sin6_port));
	} else {
		const struct sockaddr_in *in = (const struct sockaddr_in *)&address;

		uv_ip4_name(in, host, sizeof(host));
		snprintf(c->peer, sizeof(c->peer), "%s:%u", host, ntohs(in->sin_port));
	}
}

static void
on_connection(uv_stream_t *listener, int status)
{
	struct net *net = listener->data;
	struct conn *c;

	if (status < 0)
		return;
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return;
	uv_tcp_init(net->loop, &c->tcp);
	c->net = net;
	c->next = net->first;
	if (net->first != NULL)
		net->first->prev = c;
	net->first = c;
	if (net->config.tls != NULL)
		c->ssl = tls_accept(net->config.tls);
	if ((net->config.tls != NULL && c->ssl == NULL) || uv_accept(listener, (uv_stream_t *)&c->tcp) != 0 ||
	    uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) != 0) {
		conn_drop(c);
		return;
	}
	uv_tcp_nodelay(&c->tcp, 1);
	name_peer(c);
}

static void
on_tick(uv_timer_t *timer)
{
	struct net *net = timer->data;
	struct frame *ping = frame_ws(WS_PING, SLICE(""));
	struct conn *next;

	net->now = time_monotonic();
	for (struct conn *c = net->first; c != NULL; c = next) {
		next = c->next;
		if (!c->upgraded)
			continue;
		if (net->now - c->last_pong > net->config.deadline_ns) {
			conn_drop(c);
		} else if (net->now >= c->next_ping) {
			c->next_ping += net->config.ping_ns;
			conn_send(c, ping);
		}
	}
	frame_unref(ping);
}

enum imp_rc
net_listen(struct net *net, uv_loop_t *loop, const struct net_handlers *handlers, const struct net_config *config,
    struct imp_err *err)
{
	struct sockaddr_in address;
	int failed;

	net->loop = loop;
	net->handlers = handlers;
	net->config = *config;
	net->listener.data = net->flush.data = net->tick.data = net;
	uv_tcp_init(loop, &net->listener);
	uv_prepare_init(loop, &net->flush);
	uv_timer_init(loop, &net->tick);
	failed = uv_ip4_addr(config->host, config->port, &address);
	if (failed == 0)
		failed = uv_tcp_bind(&net->listener, (const struct sockaddr *)&address, 0);
	if (failed == 0)
		failed = uv_listen((uv_stream_t *)&net->listener, BACKLOG, on_connection);
	if (failed != 0)
		return imp_err_set(err, IMP_E_UNAVAILABLE, "cannot listen on %s:%u: %s", config->host, config->port,
		    uv_strerror(failed));
	uv_prepare_start(&net->flush, on_prepare);
	uv_timer_start(&net->tick, on_tick, TICK_MS, TICK_MS);
	return IMP_OK;
}

uint16_t
net_port(const struct net *net)
{
	struct sockaddr_in address = { 0 };
	int size = sizeof(address);

	uv_tcp_getsockname(&net->listener, (struct sockaddr *)&address, &size);
	return ntohs(address.sin_port);
}

void
net_close(struct net *net)
{
	while (net->first != NULL)
		conn_drop(net->first);
	uv_close((uv_handle_t *)&net->listener, NULL);
	uv_close((uv_handle_t *)&net->flush, NULL);
	uv_close((uv_handle_t *)&net->tick, NULL);
}
