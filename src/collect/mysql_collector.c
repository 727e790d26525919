#include "config.h"

#include "collect/mysql.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "sql_gen.h"

enum imp_rc
mysql_note(const struct mysql_state *s, const struct collect_job *job, const struct asked *a, struct imp_err *err)
{
	struct asked full = *a;

	full.system = collector_mysql.name;
	full.source = s->settings->source;
	return journal_asked(job->journal, &full, err);
}

/* ------------------------------------------------------------------ who answers */

enum { ID_VERSION, ID_COMMENT, ID_HOST, ID_NUMBER, ID_READ_ONLY, _ID_MAX };

static enum imp_rc
journal_identity(struct mysql_state *s, const struct collect_job *job, struct buf *v, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf version = BUF_INIT(4096), address = BUF_INIT(4096), id = BUF_INIT(4096);
	const char *cipher = mysql_get_ssl_cipher(s->conn.m);
	struct imp_err none;

	buf_addf(&address, "%s", s->settings->at.address);
	if (cipher != NULL)
		buf_addf(&address, " (%s)", cipher);
	buf_addf(&version, "%s %s", v[ID_VERSION].p, v[ID_COMMENT].p);
	if (s->conn.mariadb || mysql_run(&s->conn, sql_mysql_server_uuid, NULL, 0, &id, 1, &none) != IMP_OK) {
		buf_clear(&id);
		buf_addf(&id, "%s/%s", v[ID_HOST].p, v[ID_NUMBER].p);
	}
	if (version.failed != IMP_OK || address.failed != IMP_OK || id.failed != IMP_OK)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	return journal_server(job->journal,
	    &(struct server_identity){ .system = collector_mysql.name,
		.source = s->settings->source,
		.address = address.p,
		.version = version.p,
		.id = id.p,
		.role = s->read_only ? "read-only" : "primary",
		.t = time_now() },
	    err);
}

static enum imp_rc
say_who_answers(struct mysql_state *s, const struct collect_job *job, struct imp_err *err)
{
	struct buf v[_ID_MAX];
	enum imp_rc rc;

	for (size_t i = 0; i < _ID_MAX; i++)
		v[i] = (struct buf)BUF_INIT(1024);
	rc = mysql_run(&s->conn, sql_mysql_identity, NULL, 0, v, _ID_MAX, err);
	if (rc == IMP_OK) {
		s->read_only = !slice_eq(buf_slice(&v[ID_READ_ONLY]), SLICE("0"));
		rc = journal_identity(s, job, v, err);
	}
	for (size_t i = 0; i < _ID_MAX; i++)
		buf_done(&v[i]);
	return rc;
}

static void
mysql_end_state(void *state)
{
	struct mysql_state *s = state;

	if (s != NULL)
		mysql_conn_close(&s->conn);
	free(s);
}

static enum imp_rc
mysql_begin_state(const void *settings, const struct collect_job *job, void **ret_state, struct imp_err *err)
{
	struct mysql_state *s = calloc(1, sizeof(*s));
	enum imp_rc rc;

	if (s == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	s->settings = settings;
	s->conn = (struct mysql_conn){ .settings = settings, .stop = job->stop };
	rc = mysql_conn_open(&s->conn, err);
	if (rc == IMP_OK)
		rc = say_who_answers(s, job, err);
	if (rc != IMP_OK) {
		mysql_end_state(s);
		return rc;
	}
	*ret_state = s;
	return IMP_OK;
}

enum imp_rc
mysql_make_ready(struct mysql_state *s, struct imp_err *err)
{
	enum imp_rc rc = mysql_run(&s->conn, sql_mysql_ping, NULL, 0, NULL, 0, err);

	return rc == IMP_E_UNAVAILABLE && s->conn.lost ? mysql_conn_open(&s->conn, err) : rc;
}

static enum imp_rc
mysql_snapshot(void *state, const struct collect_job *job, bool sample, struct imp_err *err)
{
	enum imp_rc rc = mysql_make_ready(state, err);

	return rc == IMP_OK ? mysql_take_status(state, job, sample, err) : rc;
}

/* ------------------------------------------------------------------ the collector */

static enum imp_rc
mysql_whole(void *state, const struct collect_job *job, struct imp_err *err)
{
	return mysql_visit(state, job, err);
}

/* With its status, so that what happened in between can be seen. */
static enum imp_rc
mysql_again(void *state, const struct collect_job *job, struct imp_err *err)
{
	enum imp_rc rc = mysql_visit(state, job, err);

	return rc == IMP_OK ? mysql_snapshot(state, job, false, err) : rc;
}

const struct collector collector_mysql = {
	.name = "mysql",
	.configure = mysql_configure,
	.forget = mysql_forget,
	.holds_dead_letters = mysql_holds_letters,
	.open = mysql_begin_state,
	.snapshot = mysql_snapshot,
	.whole = mysql_whole,
	.again = mysql_again,
	.close = mysql_end_state,
};
