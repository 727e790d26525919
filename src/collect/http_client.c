#include "config.h"

#include "collect/http_client.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"

#define ERROR_BODY_MAX 4096 /* that is kept */
#define ERROR_WORDS 200	    /* of it that are shown */
#define STREAM_TIMEOUTS 30
#define CONNECT_MS_MAX 5000
#define WAIT_MS 200 /* between looks at `stop` */

struct http {
	const struct http_target *target;
	struct ask_limits limits;
	const volatile sig_atomic_t *stop;
	CURL *easy;
	CURLM *multi;
	struct curl_slist *connect_to;
	char *url; /* of the requests: with the name that the certificate must have */
	char trouble[CURL_ERROR_SIZE];
};

/* One call while it runs. */
struct exchange {
	struct http_call *call;
	struct curl_slist *headers;
	uint64_t bytes_max;
	int64_t begin;	/* monotonic */
	bool done;	/* no other try */
	bool running;	/* in this try */
	bool over;	/* the answer is larger than bytes_max */
	bool refused;	/* whoever takes the bytes failed */
	int64_t pause;	/* the server asked for it, ns */
	enum imp_rc rc; /* of whoever takes the bytes */
	struct imp_err *err;
};

/* ------------------------------------------------------------------ a client */

static enum imp_rc
no_memory(struct imp_err *err)
{
	return imp_err_set(err, IMP_E_NOMEM, "out of memory");
}

/* The certificate is for another name than the address: the request is for that name, the connection goes to the address. */
static enum imp_rc
set_server_name(struct http *h, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(4096);
	CURLU *u = curl_url();
	char *host = NULL, *port = NULL, *url = NULL;
	bool good = u != NULL && curl_url_set(u, CURLUPART_URL, h->target->url, 0) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
	    curl_url_set(u, CURLUPART_HOST, h->target->server_name, 0) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_URL, &url, 0) == CURLUE_OK;

	if (good) {
		buf_addf(&line, "::%s:%s", host, port);
		h->connect_to = line.failed == IMP_OK ? curl_slist_append(NULL, line.p) : NULL;
		h->url = strdup(url);
	}
	curl_free(host);
	curl_free(port);
	curl_free(url);
	curl_url_cleanup(u);
	if (!good)
		return imp_err_set(err, IMP_E_RULE, "'%s' is no URL, or '%s' no name of a server", h->target->url,
		    h->target->server_name);
	return h->url != NULL && h->connect_to != NULL ? IMP_OK : no_memory(err);
}

static CURLcode
set_blob(CURL *easy, CURLoption option, struct slice text)
{
	struct curl_blob blob = { (void *)text.p, text.n, CURL_BLOB_COPY };

	return curl_easy_setopt(easy, option, &blob);
}

/* With authorities of its own the system's do not count. */
static CURLcode
set_trust(CURL *easy, const struct http_target *t)
{
	CURLcode bad = CURLE_OK;

	if (t->ca_file != NULL || t->ca.n > 0) {
		bad |= curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
		bad |= curl_easy_setopt(easy, CURLOPT_CAINFO, t->ca_file);
	}
	if (t->ca_file == NULL && t->ca.n > 0)
		bad |= set_blob(easy, CURLOPT_CAINFO_BLOB, t->ca);
	bad |= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, t->insecure ? 0L : 1L);
	bad |= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, t->insecure ? 0L : 2L);
	return bad;
}

static CURLcode
set_identity(CURL *easy, const struct http_target *t)
{
	CURLcode bad = CURLE_OK;

	if (t->cert_file != NULL)
		bad |= curl_easy_setopt(easy, CURLOPT_SSLCERT, t->cert_file);
	else if (t->cert.n > 0)
		bad |= set_blob(easy, CURLOPT_SSLCERT_BLOB, t->cert);
	if (t->key.p != NULL)
		bad |= set_blob(easy, CURLOPT_SSLKEY_BLOB, (struct slice){ t->key.p, t->key.n });
	if (t->user != NULL) {
		bad |= curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		bad |= curl_easy_setopt(easy, CURLOPT_USERNAME, t->user);
		bad |= curl_easy_setopt(easy, CURLOPT_PASSWORD, t->password.p);
	}
	return bad;
}

/* CURLOPT_NOSIGNAL stays off: then curl keeps SIGPIPE away from us while it writes, and its resolver uses no signals. */
static CURLcode
set_ways(struct http *h)
{
	CURL *easy = h->easy;
	int64_t connect_ms = h->limits.timeout_ns / 1000000;
	CURLcode bad = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");

	bad |= curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
	bad |= curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	bad |= curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
	bad |= curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, h->trouble);
	bad |= curl_easy_setopt(easy, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	bad |= curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
	    (long)(connect_ms < CONNECT_MS_MAX ? connect_ms + 1 : CONNECT_MS_MAX));
	if (h->connect_to != NULL)
		bad |= curl_easy_setopt(easy, CURLOPT_CONNECT_TO, h->connect_to);
	return bad;
}

enum imp_rc
http_set_token(struct http *h, struct imp_err *err)
{
	const struct secret *token = &h->target->token;

	if (token->p == NULL)
		return IMP_OK;
	for (size_t i = 0; i < token->n; i++)
		if ((unsigned char)token->p[i] <= ' ' || (unsigned char)token->p[i] >= 0x7f)
			return imp_err_set(err, IMP_E_RULE, "the token for '%s' has characters that no token has", h->target->url);
	if (curl_easy_setopt(h->easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER) != CURLE_OK ||
	    curl_easy_setopt(h->easy, CURLOPT_XOAUTH2_BEARER, token->p) != CURLE_OK)
		return no_memory(err);
	return IMP_OK;
}

static enum imp_rc
set_up(struct http *h, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	h->easy = curl_easy_init();
	h->multi = curl_multi_init();
	if (h->easy == NULL || h->multi == NULL)
		return no_memory(err);
	if (h->target->server_name != NULL)
		rc = set_server_name(h, err);
	else if ((h->url = strdup(h->target->url)) == NULL)
		rc = no_memory(err);
	if (rc != IMP_OK)
		return rc;
	if (set_ways(h) != CURLE_OK || set_trust(h->easy, h->target) != CURLE_OK || set_identity(h->easy, h->target) != CURLE_OK)
		return imp_err_set(err, IMP_E_INTERNAL, "libcurl %s does not know what is asked of it", LIBCURL_VERSION);
	return http_set_token(h, err);
}

enum imp_rc
http_open(const struct http_target *target, const struct ask_limits *limits, const volatile sig_atomic_t *stop, struct http **ret,
    struct imp_err *err)
{
	struct http *h = calloc(1, sizeof(*h));
	enum imp_rc rc;

	if (h == NULL)
		return no_memory(err);
	h->target = target;
	h->limits = *limits;
	h->stop = stop;
	rc = set_up(h, err);
	if (rc == IMP_OK)
		*ret = h;
	else
		http_close(h);
	return rc;
}

void
http_close(struct http *h)
{
	if (h == NULL)
		return;
	curl_easy_cleanup(h->easy);
	curl_multi_cleanup(h->multi);
	curl_slist_free_all(h->connect_to);
	free(h->url);
	free(h);
}

/* ------------------------------------------------------------------ one try */

static bool
is_success(long code)
{
	return code >= 200 && code <= 299;
}

static bool
told_to_stop(const struct http *h)
{
	return h->stop != NULL && *h->stop != 0;
}

/* Hand on what arrived of a good answer, up to the bound. */
static size_t
take_good(struct exchange *x, const char *p, size_t n)
{
	struct http_answer *a = &x->call->answer;
	const struct http_request *r = &x->call->request;
	size_t fits = x->bytes_max - a->bytes < n ? (size_t)(x->bytes_max - a->bytes) : n;

	x->over = fits < n;
	a->bytes += fits;
	if (r->take != NULL)
		x->rc = r->take(r->ctx, (struct slice){ p, fits }, x->err);
	else
		buf_add(&a->body, p, fits);
	if (x->rc == IMP_OK)
		x->rc = r->take == NULL ? buf_status(&a->body, x->err) : IMP_OK;
	return x->rc == IMP_OK && !x->over ? n : CURL_WRITEFUNC_ERROR;
}

static size_t
take_body(char *p, size_t size, size_t n, void *ctx)
{
	struct exchange *x = ctx;
	struct buf *body = &x->call->answer.body;
	long code = 0;

	n *= size;
	curl_easy_getinfo(x->call->http->easy, CURLINFO_RESPONSE_CODE, &code);
	if (is_success(code))
		return take_good(x, p, n);
	if (body->n + n <= ERROR_BODY_MAX)
		buf_add(body, p, n);
	else if (body->n < ERROR_BODY_MAX)
		buf_add(body, p, ERROR_BODY_MAX - body->n);
	else
		return CURL_WRITEFUNC_ERROR; /* enough of it */
	return n;
}

static CURLcode
set_times(struct exchange *x)
{
	CURL *easy = x->call->http->easy;
	int64_t ms = x->call->http->limits.timeout_ns / 1000000;
	CURLcode bad;

	if (ms < 1)
		ms = 1;
	bad = curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(x->call->request.stream ? ms * STREAM_TIMEOUTS : ms));
	bad |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, x->call->request.stream ? 1L : 0L);
	bad |= curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, x->call->request.stream ? (long)((ms + 999) / 1000) : 0L);
	return bad;
}

static enum imp_rc
prepare(struct exchange *x, struct imp_err *err)
{
	const struct http_request *r = &x->call->request;
	struct http *h = x->call->http;
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)1 << 20);
	CURLcode bad;

	if (r->accept != NULL && x->headers == NULL) {
		buf_addf(&text, "Accept: %s", r->accept);
		x->headers = text.failed == IMP_OK ? curl_slist_append(NULL, text.p) : NULL;
		if (x->headers == NULL)
			return no_memory(err);
	}
	buf_clear(&text);
	buf_addf(&text, "%s%s", h->url, r->path != NULL ? r->path : "");
	if (buf_status(&text, err) != IMP_OK)
		return err != NULL ? err->code : IMP_E_LIMIT;
	bad = curl_easy_setopt(h->easy, CURLOPT_URL, text.p);
	bad |= curl_easy_setopt(h->easy, CURLOPT_HTTPHEADER, x->headers);
	bad |= curl_easy_setopt(h->easy, CURLOPT_WRITEFUNCTION, take_body);
	bad |= curl_easy_setopt(h->easy, CURLOPT_WRITEDATA, x);
	bad |= curl_easy_setopt(h->easy, CURLOPT_PRIVATE, x);
	bad |= set_times(x);
	buf_clear(&x->call->answer.body);
	x->call->answer.bytes = 0; /* there is no other try when somebody has taken some */
	h->trouble[0] = '\0';
	x->over = false;
	x->pause = 0;
	x->running = true;
	return bad == CURLE_OK ? IMP_OK : no_memory(err);
}

/* ------------------------------------------------------------------ how a try ended */

/* `broken`: the same server may do better in a moment. */
static enum asked_status
status_of_trouble(CURLcode result, bool *ret_broken)
{
	switch (result) {
	case CURLE_OPERATION_TIMEDOUT:
		*ret_broken = true;
		return ASKED_TIMEOUT;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
	case CURLE_SSL_CONNECT_ERROR:
		*ret_broken = true;
		return ASKED_UNREACHABLE;
	case CURLE_PEER_FAILED_VERIFICATION:
		*ret_broken = false; /* a certificate does not mend itself */
		return ASKED_UNREACHABLE;
	default:
		*ret_broken = false;
		return ASKED_FAILED;
	}
}

static void
end_with_code(struct exchange *x)
{
	struct http_answer *a = &x->call->answer;
	CURL *easy = x->call->http->easy;
	curl_off_t after = 0;
	size_t shown = a->body.n < ERROR_WORDS ? a->body.n : ERROR_WORDS;

	while (shown > 0 && memchr(" \t\r\n", a->body.p[shown - 1], 4) != NULL)
		shown--;
	http_answer_fail(a, a->code == 401 || a->code == 403 ? ASKED_DENIED : ASKED_FAILED, "HTTP %d%s%.*s", a->code,
	    shown > 0 ? ": " : "", (int)shown, shown > 0 ? a->body.p : "");
	x->done = !(a->code == 429 || a->code == 500 || (a->code >= 502 && a->code <= 504));
	if (x->done || curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &after) != CURLE_OK || after <= 0)
		return;
	if (after > x->call->http->limits.timeout_ns / NS_PER_S) {
		http_answer_fail(a, ASKED_FAILED, "HTTP %d: the server asks for a pause of %lld s", a->code, (long long)after);
		x->done = true;
	} else {
		x->pause = after * NS_PER_S;
	}
}

static void
end_with_trouble(struct exchange *x, CURLcode result)
{
	struct http_answer *a = &x->call->answer;
	const struct http *h = x->call->http;
	bool broken;
	enum asked_status status = status_of_trouble(result, &broken);

	http_answer_fail(a, status, "%s", h->trouble[0] != '\0' ? h->trouble : curl_easy_strerror(result));
	x->done = !broken || (x->call->request.take != NULL && a->bytes > 0);
}

static void
end_try(struct exchange *x, CURLcode result)
{
	struct http_answer *a = &x->call->answer;
	CURL *easy = x->call->http->easy;
	const char *type = NULL;
	long code = 0;

	x->running = false;
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
	curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
	snprintf(a->type, sizeof(a->type), "%s", type != NULL ? type : "");
	a->code = (int)code;
	a->ns = time_monotonic() - x->begin;
	if (x->over || x->rc != IMP_OK) {
		http_answer_fail(a, ASKED_LIMITED, "larger than %llu bytes", (unsigned long long)x->bytes_max);
		x->done = true;
	} else if (code != 0 && !is_success(code)) {
		end_with_code(x);
	} else if (result != CURLE_OK) {
		end_with_trouble(x, result);
	} else {
		a->status = ASKED_OK;
		a->why[0] = '\0';
		x->done = true;
	}
}

/* ------------------------------------------------------------------ all of them */

static void
read_results(CURLM *multi)
{
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(multi, &left)) != NULL) {
		char *x = NULL;

		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &x);
		if (msg->msg == CURLMSG_DONE && x != NULL)
			end_try((struct exchange *)(void *)x, msg->data.result);
	}
}

/* Let every handle of `multi` come to its end, or to ours. */
static enum imp_rc
run(CURLM *multi, const struct http *h, struct imp_err *err)
{
	CURLMcode code;
	int running = 1;

	for (;;) {
		code = curl_multi_perform(multi, &running);
		read_results(multi);
		if (code == CURLM_OK && running > 0 && !told_to_stop(h))
			code = curl_multi_poll(multi, NULL, 0, WAIT_MS, NULL);
		if (code != CURLM_OK)
			return imp_err_set(err, IMP_E_INTERNAL, "libcurl: %s", curl_multi_strerror(code));
		if (running == 0 || told_to_stop(h))
			return IMP_OK;
	}
}

/* One try of all calls that are not done, over the connections of the first. */
static enum imp_rc
try_all(struct exchange *x, size_t n, struct imp_err *err)
{
	CURLM *multi = x[0].call->http->multi;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < n && rc == IMP_OK; i++) {
		if (x[i].done)
			continue;
		rc = prepare(&x[i], err);
		if (rc == IMP_OK && curl_multi_add_handle(multi, x[i].call->http->easy) != CURLM_OK)
			rc = no_memory(err);
		x[i].call->answer.tries++;
	}
	if (rc == IMP_OK)
		rc = run(multi, x[0].call->http, err);
	for (size_t i = 0; i < n; i++) {
		curl_multi_remove_handle(multi, x[i].call->http->easy);
		if (!x[i].running)
			continue;
		x[i].running = false;
		x[i].done = true;
		x[i].call->answer.ns = time_monotonic() - x[i].begin;
		http_answer_fail(&x[i].call->answer, ASKED_UNREACHABLE, "told to stop before the answer was there");
	}
	return rc;
}

static bool
all_done(const struct exchange *x, size_t n, int64_t *ret_pause)
{
	bool done = true;

	*ret_pause = 0;
	for (size_t i = 0; i < n; i++) {
		done &= x[i].done;
		if (!x[i].done && x[i].pause > *ret_pause)
			*ret_pause = x[i].pause;
	}
	return done;
}

static void
begin(struct exchange *x, struct http_call *call, struct imp_err *err)
{
	uint64_t max = call->request.bytes_max != 0 ? call->request.bytes_max : call->http->limits.bytes_max;

	*x = (struct exchange){ .call = call, .bytes_max = max, .begin = time_monotonic(), .err = err };
	call->answer = (struct http_answer){ .status = ASKED_UNREACHABLE, .from = time_now(), .body = BUF_INIT(0) };
	call->answer.body.max = (max < SIZE_MAX / 2 ? (size_t)max : SIZE_MAX / 2) + ERROR_BODY_MAX;
}

enum imp_rc
http_get_all(struct http_call *calls, size_t n, struct imp_err *err)
{
	CLEANUP(freep) struct exchange *x = n > 0 ? calloc(n, sizeof(*x)) : NULL;
	struct retry retry;
	int64_t pause;
	enum imp_rc rc;

	if (n == 0)
		return IMP_OK;
	if (x == NULL)
		return no_memory(err);
	for (size_t i = 0; i < n; i++)
		begin(&x[i], &calls[i], err);
	retry = retry_begin(&calls[0].http->limits, calls[0].http->stop);
	do
		rc = try_all(x, n, err);
	while (rc == IMP_OK && !all_done(x, n, &pause) && retry_again_after(&retry, pause));
	for (size_t i = 0; i < n; i++) {
		curl_slist_free_all(x[i].headers);
		if (rc == IMP_OK)
			rc = x[i].rc;
	}
	return rc;
}

enum imp_rc
http_get(struct http *h, const struct http_request *r, struct http_answer *ret, struct imp_err *err)
{
	struct http_call call = { .http = h, .request = *r };
	enum imp_rc rc = http_get_all(&call, 1, err);

	*ret = call.answer;
	return rc;
}
