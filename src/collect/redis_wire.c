#include "config.h"

#include "collect/redis.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"

#define POLL_MS_MAX 200 /* how soon *stop is seen */

/* Something went wrong with the socket: the reason is the system's. */
static enum imp_rc
wire_error(int errnum, const char *doing, struct imp_err *err)
{
	return imp_err_errno(err, IMP_E_UNAVAILABLE, errnum, "%s", doing);
}

bool
redis_wire_timed_out(int64_t deadline)
{
	return time_monotonic() >= deadline;
}

static enum imp_rc
wait_for(const struct redis_wire *w, short events, int64_t deadline, struct imp_err *err)
{
	struct pollfd p = { .fd = w->fd, .events = events };

	for (;;) {
		int64_t left_ms = (deadline - time_monotonic() + 999999) / 1000000;
		int n;

		if (w->stop != NULL && *w->stop)
			return imp_err_set(err, IMP_E_UNAVAILABLE, "interrupted");
		if (left_ms <= 0)
			return imp_err_set(err, IMP_E_UNAVAILABLE, "no answer in time");
		n = poll(&p, 1, left_ms < POLL_MS_MAX ? (int)left_ms : POLL_MS_MAX);
		if (n > 0)
			return IMP_OK;
		if (n < 0 && errno != EINTR)
			return wire_error(errno, "could not wait for the server", err);
	}
}

/* ------------------------------------------------------------------ sockets */

static enum imp_rc
connect_to(struct redis_wire *w, const struct sockaddr *to, socklen_t n, int64_t deadline, struct imp_err *err)
{
	int failed = 0, one = 1;
	socklen_t size = sizeof(failed);
	enum imp_rc rc = IMP_OK;

	w->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (w->fd < 0)
		return wire_error(errno, "could not make a socket", err);
	if (to->sa_family != AF_UNIX)
		(void)setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(w->fd, to, n) < 0 && errno != EINPROGRESS) {
		rc = wire_error(errno, "could not connect", err);
	} else {
		rc = wait_for(w, POLLOUT, deadline, err);
		if (rc == IMP_OK && getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &failed, &size) == 0 && failed != 0)
			rc = wire_error(failed, "could not connect", err);
	}
	if (rc != IMP_OK)
		redis_wire_close(w);
	return rc;
}

static enum imp_rc
connect_socket(struct redis_wire *w, const char *path, int64_t deadline, struct imp_err *err)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = strlen(path);

	if (n >= sizeof(to.sun_path))
		return imp_err_set(err, IMP_E_RULE, "the path of the socket is too long");
	memcpy(to.sun_path, path, n + 1);
	return connect_to(w, (const struct sockaddr *)&to, sizeof(to), deadline, err);
}

/* The addresses of a name one after the other: with `localhost` the server may listen at the second only. */
static enum imp_rc
connect_host(struct redis_wire *w, const char *host, const char *port, int64_t deadline, struct imp_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG }, *all = NULL;
	int failed = getaddrinfo(host, port, &hints, &all);
	enum imp_rc rc = IMP_E_UNAVAILABLE;

	if (failed != 0)
		return imp_err_set(err, IMP_E_UNAVAILABLE, "could not resolve the name: %s", gai_strerror(failed));
	for (const struct addrinfo *a = all; a != NULL && rc != IMP_OK && !redis_wire_timed_out(deadline); a = a->ai_next)
		rc = connect_to(w, a->ai_addr, a->ai_addrlen, deadline, err);
	freeaddrinfo(all);
	return rc;
}

/* ------------------------------------------------------------------ TLS */

/* The first reason of OpenSSL's queue, which is emptied. */
static enum imp_rc
tls_error(enum imp_rc code, const char *doing, struct imp_err *err)
{
	unsigned long e = ERR_get_error();
	const char *why = e != 0 ? ERR_reason_error_string(e) : NULL;

	ERR_clear_error();
	return imp_err_set(err, code, "%s: %s", doing, why != NULL ? why : "the server closed the connection");
}

static void
ssl_ctx_done(SSL_CTX **c)
{
	SSL_CTX_free(*c);
}

static enum imp_rc
load_files(SSL_CTX *c, const struct redis_settings *s, struct imp_err *err)
{
	int ok = s->at.ca != NULL ? SSL_CTX_load_verify_locations(c, s->at.ca, NULL) : SSL_CTX_set_default_verify_paths(c);

	if (ok != 1)
		return tls_error(IMP_E_RULE, "could not read the certificates of the authorities", err);
	if (s->at.cert != NULL && SSL_CTX_use_certificate_chain_file(c, s->at.cert) != 1)
		return tls_error(IMP_E_RULE, "could not read the client's certificate", err);
	if (s->at.cert != NULL && SSL_CTX_use_PrivateKey_file(c, s->at.key != NULL ? s->at.key : s->at.cert, SSL_FILETYPE_PEM) != 1)
		return tls_error(IMP_E_RULE, "could not read the client's key", err);
	return IMP_OK;
}

/* The certificate must have this name, or this address. */
static bool
expect_name(SSL *ssl, const char *name)
{
	struct in6_addr parsed;

	if (inet_pton(AF_INET, name, &parsed) == 1 || inet_pton(AF_INET6, name, &parsed) == 1)
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
	return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

/* OpenSSL could not go on: wait until it can. `result` is what its function returned. */
static enum imp_rc
tls_wait(struct redis_wire *w, int result, const char *doing, int64_t deadline, struct imp_err *err)
{
	long verified = SSL_get_verify_result(w->ssl);

	switch (SSL_get_error(w->ssl, result)) {
	case SSL_ERROR_WANT_READ:
		return wait_for(w, POLLIN, deadline, err);
	case SSL_ERROR_WANT_WRITE:
		return wait_for(w, POLLOUT, deadline, err);
	default:
		if (verified == X509_V_OK)
			return tls_error(IMP_E_UNAVAILABLE, doing, err);
		ERR_clear_error();
		imp_err_set(err, IMP_E_UNAVAILABLE, "the server's certificate is not accepted: %s",
		    X509_verify_cert_error_string(verified));
		imp_err_hint(err, "check `ca` and `server_name` of `tls`");
		return IMP_E_UNAVAILABLE;
	}
}

static enum imp_rc
begin_tls(struct redis_wire *w, const struct redis_settings *s, int64_t deadline, struct imp_err *err)
{
	CLEANUP(ssl_ctx_done) SSL_CTX *c = SSL_CTX_new(TLS_client_method());
	enum imp_rc rc;
	int n;

	if (c == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	rc = load_files(c, s, err);
	if (rc != IMP_OK)
		return rc;
	SSL_CTX_set_verify(c, SSL_VERIFY_PEER, NULL);
	(void)SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION);
	w->ssl = SSL_new(c);
	if (w->ssl == NULL || SSL_set_fd(w->ssl, w->fd) != 1 || !expect_name(w->ssl, s->server_name))
		return tls_error(IMP_E_NOMEM, "could not begin TLS", err);
	while (rc == IMP_OK && (n = SSL_connect(w->ssl)) != 1)
		rc = tls_wait(w, n, "could not agree on TLS", deadline, err);
	return rc;
}

/* ------------------------------------------------------------------ bytes */

enum imp_rc
redis_wire_open(struct redis_wire *w, const struct redis_settings *s, int64_t deadline, struct imp_err *err)
{
	enum imp_rc rc = s->at.socket != NULL ? connect_socket(w, s->at.socket, deadline, err) :
						connect_host(w, s->at.host, s->at.port, deadline, err);

	if (rc == IMP_OK && s->at.tls)
		rc = begin_tls(w, s, deadline, err);
	if (rc != IMP_OK)
		redis_wire_close(w);
	return rc;
}

/* The system's call again after a wait, or the reason why not. */
static enum imp_rc
plain_wait(struct redis_wire *w, short events, const char *doing, int64_t deadline, struct imp_err *err)
{
	if (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)
		return wait_for(w, events, deadline, err);
	return wire_error(errno, doing, err);
}

enum imp_rc
redis_wire_send(struct redis_wire *w, struct slice bytes, int64_t deadline, struct imp_err *err)
{
	static const char *const doing = "could not send";
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && bytes.n > 0) {
		int take = bytes.n < (1 << 20) ? (int)bytes.n : 1 << 20;
		ssize_t n = w->ssl != NULL ? SSL_write(w->ssl, bytes.p, take) : send(w->fd, bytes.p, bytes.n, MSG_NOSIGNAL);

		if (n > 0)
			bytes = (struct slice){ bytes.p + n, bytes.n - (size_t)n };
		else if (w->ssl != NULL)
			rc = tls_wait(w, (int)n, doing, deadline, err);
		else
			rc = plain_wait(w, POLLOUT, doing, deadline, err);
	}
	return rc;
}

enum imp_rc
redis_wire_receive(struct redis_wire *w, char *into, size_t max, int64_t deadline, size_t *ret_n, struct imp_err *err)
{
	static const char *const doing = "could not receive";
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK) {
		ssize_t n = w->ssl != NULL ? SSL_read(w->ssl, into, (int)max) : recv(w->fd, into, max, 0);

		if (n > 0) {
			*ret_n = (size_t)n;
			return IMP_OK;
		}
		if (w->ssl != NULL)
			rc = tls_wait(w, (int)n, doing, deadline, err);
		else if (n == 0)
			rc = imp_err_set(err, IMP_E_UNAVAILABLE, "the server closed the connection");
		else
			rc = plain_wait(w, POLLIN, doing, deadline, err);
	}
	return rc;
}

void
redis_wire_close(struct redis_wire *w)
{
	if (w->ssl != NULL) {
		ERR_clear_error();
		(void)SSL_shutdown(w->ssl);
		SSL_free(w->ssl);
	}
	ERR_clear_error();
	close_fdp(&w->fd);
	w->ssl = NULL;
	w->fd = -1;
}
