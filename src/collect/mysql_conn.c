#include "config.h"

#include "collect/mysql.h"

#include <errmsg.h>
#include <errno.h>
#include <inttypes.h>
#include <mysqld_error.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "sql_gen.h"

#define STEP_MS 100 /* how late a signal may be noticed */
#define STACK_BYTES ((size_t)256 << 10)
#define ER_QUERY_TIMEOUT_MYSQL 3024 /* MySQL's own number for ER_STATEMENT_TIMEOUT */

/* The library's own calls would wait where no signal and no limit of ours reaches them. With its non-blocking ones all waiting is
 * done here. */

/* Wait for what the library asks for. 0: `deadline` has come, or *stop is set; else what happened, for its next step. */
static int
wait_for(const struct mysql_conn *c, int status, int64_t deadline)
{
	struct pollfd p = { .fd = mysql_get_socket(c->m) };

	p.events = (short)(((status & MYSQL_WAIT_READ) != 0 ? POLLIN : 0) | ((status & MYSQL_WAIT_WRITE) != 0 ? POLLOUT : 0) |
	    ((status & MYSQL_WAIT_EXCEPT) != 0 ? POLLPRI : 0));
	while (*c->stop == 0) {
		int64_t left_ms = (deadline - time_monotonic() + 999999) / 1000000;
		int n;

		if (left_ms <= 0)
			return 0;
		n = poll(&p, 1, left_ms < STEP_MS ? (int)left_ms : STEP_MS);
		if (n < 0 && errno != EINTR)
			return 0;
		if (n > 0)
			return ((p.revents & POLLIN) != 0 ? MYSQL_WAIT_READ : 0) |
			    ((p.revents & POLLOUT) != 0 ? MYSQL_WAIT_WRITE : 0) |
			    ((p.revents & POLLPRI) != 0 ? MYSQL_WAIT_EXCEPT : 0) |
			    ((p.revents & (POLLERR | POLLHUP)) != 0 ? status & (MYSQL_WAIT_READ | MYSQL_WAIT_WRITE) : 0);
	}
	return 0;
}

/* ------------------------------------------------------------------ failures */

static enum asked_status
status_of(unsigned number)
{
	switch (number) {
	case ER_DBACCESS_DENIED_ERROR:
	case ER_ACCESS_DENIED_ERROR:
	case ER_TABLEACCESS_DENIED_ERROR:
	case ER_COLUMNACCESS_DENIED_ERROR:
	case ER_SPECIFIC_ACCESS_DENIED_ERROR:
	case ER_ACCESS_DENIED_NO_PASSWORD_ERROR:
		return ASKED_DENIED;
	case ER_STATEMENT_TIMEOUT:
	case ER_QUERY_TIMEOUT_MYSQL:
		return ASKED_TIMEOUT;
	case ER_SERVER_SHUTDOWN:
	case ER_CON_COUNT_ERROR:
	case ER_CONNECTION_KILLED:
		return ASKED_UNREACHABLE;
	case CR_SSL_CONNECTION_ERROR:
		return ASKED_FAILED; /* as a rule a certificate: it will not be better in a moment */
	default:
		return number >= CR_MIN_ERROR && number <= CR_MAX_ERROR ? ASKED_UNREACHABLE : ASKED_FAILED;
	}
}

static enum imp_rc
fail(struct mysql_conn *c, enum asked_status status, struct imp_err *err, const char *why)
{
	c->status = status;
	return imp_err_set(err, IMP_E_UNAVAILABLE, "mysql '%s' at %s: %s", c->settings->source, c->settings->at.address, why);
}

/* The server or the library said what is wrong. */
static enum imp_rc
fail_said(struct mysql_conn *c, struct imp_err *err)
{
	char why[400];

	c->number = mysql_errno(c->m);
	if (c->number == CR_OUT_OF_MEMORY)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	snprintf(why, sizeof(why), "%s (%u)", mysql_error(c->m), c->number);
	fail(c, status_of(c->number), err, why);
	if (c->status == ASKED_UNREACHABLE) {
		c->lost = true;
		imp_err_hint(err,
		    "what came until then is kept; see that the server runs, and collect again: it is the next check");
	}
	return IMP_E_UNAVAILABLE;
}

/* Nobody said anything. */
static enum imp_rc
fail_silent(struct mysql_conn *c, int64_t ns, struct imp_err *err)
{
	char why[80];

	c->lost = true;
	c->number = 0;
	if (*c->stop != 0)
		return fail(c, ASKED_UNREACHABLE, err, "stopped while it was asked");
	snprintf(why, sizeof(why), "no answer within %" PRId64 " ms", ns / 1000000);
	fail(c, ASKED_TIMEOUT, err, why);
	imp_err_hint(err, "the server hangs or is overloaded; `timeout` and `query_timeout` of this instance are the limits");
	return IMP_E_UNAVAILABLE;
}

/* ------------------------------------------------------------------ connecting */

void
mysql_conn_close(struct mysql_conn *c)
{
	if (c->m == NULL)
		return;
	/* The library would politely read the rest of what is under way, however long it is. */
	if (c->lost && mysql_get_socket(c->m) >= 0)
		shutdown(mysql_get_socket(c->m), SHUT_RD);
	mysql_close(c->m);
	c->m = NULL;
}

static enum imp_rc
prepare(struct mysql_conn *c, struct imp_err *err)
{
	/* Methods that hand the password itself to whoever asks are none of these. */
	static const char plugins[] = "mysql_native_password,caching_sha2_password,sha256_password,client_ed25519";
	const struct endpoint *at = &c->settings->at;
	size_t stack = STACK_BYTES;
	unsigned off = 0;
	my_bool yes = 1;
	int bad = 0;

	c->m = mysql_init(NULL);
	if (c->m == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	c->lost = false;
	bad |= mysql_options(c->m, MYSQL_OPT_NONBLOCK, &stack);
	bad |= mysql_options(c->m, MYSQL_OPT_LOCAL_INFILE, &off); /* a server could ask for our files */
	bad |= mysql_options(c->m, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	bad |= mysql_options(c->m, MARIADB_OPT_RESTRICTED_AUTH, plugins);
	bad |= mysql_options4(c->m, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", PACKAGE_NAME);
	if (at->tls) {
		bad |= mysql_ssl_set(c->m, at->key, at->cert, at->ca, NULL, NULL);
		bad |= mysql_options(c->m, MYSQL_OPT_SSL_ENFORCE, &yes);
		bad |= mysql_options(c->m, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
	}
	return bad == 0 ? IMP_OK : imp_err_set(err, IMP_E_INTERNAL, "the MariaDB library refuses an option");
}

static enum imp_rc
connect_once(struct mysql_conn *c, int64_t limit_ns, struct imp_err *err)
{
	const struct mysql_settings *s = c->settings;
	int64_t deadline = time_monotonic() + limit_ns;
	unsigned port = s->at.port != NULL ? (unsigned)strtoul(s->at.port, NULL, 10) : 0;
	MYSQL *connected = NULL;
	int status;
	enum imp_rc rc = prepare(c, err);

	if (rc != IMP_OK)
		return rc;
	status = mysql_real_connect_start(&connected, c->m, s->at.host, s->user, s->password.p, s->database, port, s->at.socket, 0);
	while (status != 0) {
		int happened = wait_for(c, status, deadline);

		if (happened == 0)
			return fail_silent(c, limit_ns, err);
		status = mysql_real_connect_cont(&connected, c->m, happened);
	}
	return connected != NULL ? IMP_OK : fail_said(c, err);
}

/* What the server may spend on a statement. Old servers do not know it: then our own limits must do. */
static enum imp_rc
limit_statements(struct mysql_conn *c, struct imp_err *err)
{
	char seconds[32], milliseconds[32];
	int64_t ms = c->settings->query_ns / 1000000;
	struct imp_err why;
	enum imp_rc rc;

	snprintf(seconds, sizeof(seconds), "%" PRId64 ".%03d", ms / 1000, (int)(ms % 1000));
	snprintf(milliseconds, sizeof(milliseconds), "%" PRId64, ms);
	rc = mysql_run(c, c->mariadb ? sql_mysql_limit_mariadb : sql_mysql_limit_mysql,
	    (struct mysql_hole[]){ { "seconds", HOLE_SQL, slice_of(seconds) },
		{ "milliseconds", HOLE_SQL, slice_of(milliseconds) } },
	    2, NULL, 0, &why);
	if (rc == IMP_E_UNAVAILABLE && !c->lost)
		return IMP_OK;
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}

static enum imp_rc
set_session(struct mysql_conn *c, struct imp_err *err)
{
	enum imp_rc rc = mysql_run(c, sql_mysql_session, NULL, 0, NULL, 0, err);

	if (rc == IMP_OK)
		rc = mysql_run(c, sql_mysql_isolation, NULL, 0, NULL, 0, err);
	return rc == IMP_OK ? limit_statements(c, err) : rc;
}

enum imp_rc
mysql_conn_open(struct mysql_conn *c, struct imp_err *err)
{
	struct retry r = retry_begin(&c->settings->limits, c->stop);
	enum imp_rc rc;

	do {
		mysql_conn_close(c);
		rc = connect_once(c, retry_timeout_ms(&r) * 1000000, err);
		if (rc == IMP_OK) {
			c->mariadb = mariadb_connection(c->m) != 0;
			rc = set_session(c, err);
		}
	} while (rc == IMP_E_UNAVAILABLE && (c->status == ASKED_UNREACHABLE || c->status == ASKED_TIMEOUT) && retry_again(&r));
	if (rc == IMP_OK)
		return rc;
	if (c->status == ASKED_DENIED)
		imp_err_hint(err, "check `user`, `password` and `database` of this instance");
	else
		imp_err_hint(err, "asked %u times; check the address, `tls`, that the server runs, and `timeout`", r.tries);
	c->lost = true;
	mysql_conn_close(c);
	return rc;
}

/* ------------------------------------------------------------------ statements */

enum imp_rc
mysql_ask(struct mysql_conn *c, struct slice sql, int64_t idle_ns, struct mysql_result *ret, struct imp_err *err)
{
	int64_t deadline = time_monotonic() + idle_ns;
	int failed = 0, status;

	*ret = (struct mysql_result){ .conn = c, .idle_ns = idle_ns };
	if (c->m == NULL || c->lost)
		return fail(c, ASKED_UNREACHABLE, err, "the connection is gone");
	status = mysql_real_query_start(&failed, c->m, sql.p, sql.n);
	while (status != 0) {
		int happened = wait_for(c, status, deadline);

		if (happened == 0)
			return fail_silent(c, idle_ns, err);
		status = mysql_real_query_cont(&failed, c->m, happened);
	}
	if (failed != 0)
		return fail_said(c, err);
	ret->columns = mysql_field_count(c->m);
	if (ret->columns == 0)
		return IMP_OK;
	ret->res = mysql_use_result(c->m);
	return ret->res != NULL ? IMP_OK : fail_said(c, err);
}

enum imp_rc
mysql_next(struct mysql_result *r, bool *ret_row, struct imp_err *err)
{
	struct mysql_conn *c = r->conn;
	int status;

	*ret_row = false;
	if (r->res == NULL || r->ended)
		return IMP_OK;
	if (*c->stop != 0) /* rows may come without any waiting */
		return fail_silent(c, 0, err);
	status = mysql_fetch_row_start(&r->row, r->res);
	if (status != 0) {
		int64_t deadline = time_monotonic() + r->idle_ns;

		do {
			int happened = wait_for(c, status, deadline);

			if (happened == 0)
				return fail_silent(c, r->idle_ns, err);
			status = mysql_fetch_row_cont(&r->row, r->res, happened);
		} while (status != 0);
	}
	if (r->row == NULL) {
		r->ended = true;
		return mysql_errno(c->m) == 0 ? IMP_OK : fail_said(c, err);
	}
	r->lengths = mysql_fetch_lengths(r->res);
	for (unsigned i = 0; i < r->columns; i++)
		r->bytes += r->lengths[i];
	*ret_row = true;
	return IMP_OK;
}

struct slice
mysql_get(const struct mysql_result *r, unsigned column)
{
	return (struct slice){ r->row[column], r->row[column] != NULL ? r->lengths[column] : 0 };
}

void
mysql_result_done(struct mysql_result *r)
{
	if (r->res == NULL)
		return;
	if (!r->ended) {
		/* To be rid of the rest without reading it, the connection must go. */
		r->conn->lost = true;
		shutdown(mysql_get_socket(r->conn->m), SHUT_RD);
	}
	mysql_free_result(r->res);
	r->res = NULL;
}

enum imp_rc
mysql_run(struct mysql_conn *c, const char *template, const struct mysql_hole *holes, size_t nholes, struct buf *ret_values,
    size_t n, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf sql = BUF_INIT(1 << 20);
	CLEANUP(mysql_result_done) struct mysql_result r = { .conn = c };
	bool row = true;
	enum imp_rc rc = mysql_fill(&sql, template, holes, nholes, err);

	if (rc == IMP_OK)
		rc = mysql_ask(c, buf_slice(&sql), c->settings->limits.timeout_ns, &r, err);
	for (bool first = true; rc == IMP_OK && row; first = false) {
		rc = mysql_next(&r, &row, err);
		for (size_t i = 0; first && rc == IMP_OK && row && i < n && i < r.columns; i++)
			buf_add_slice(&ret_values[i], mysql_get(&r, (unsigned)i));
	}
	for (size_t i = 0; i < n && rc == IMP_OK; i++)
		rc = buf_status(&ret_values[i], err);
	return rc;
}
