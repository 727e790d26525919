#include "config.h"

#include "collect/mysql.h"

#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/text.h"
#include "base/time.h"
#include "sql_gen.h"

#define INNODB_TEXT_MAX ((size_t)4 << 20) /* the server cuts it at 1 MB */
#define DEADLOCK_MAX ((size_t)16 << 10)

static void
begin_line(struct jsonw *w, const char *ev, int64_t t, const char *server)
{
	jsonw_flat_object(w);
	jsonw_key(w, "ev");
	jsonw_str(w, ev);
	jsonw_key(w, "t");
	jsonw_int(w, t);
	jsonw_key(w, "server");
	jsonw_str(w, server);
}

/* ------------------------------------------------------------------ SHOW GLOBAL STATUS */

static enum imp_rc
write_figures(struct mysql_state *s, const char *sql, struct outfile *out, int64_t t, int64_t *n, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(1 << 20);
	CLEANUP(mysql_result_done) struct mysql_result r = { .conn = &s->conn };
	bool row = true;
	enum imp_rc rc = mysql_ask(&s->conn, slice_of(sql), s->settings->limits.timeout_ns, &r, err);

	while (rc == IMP_OK && (rc = mysql_next(&r, &row, err)) == IMP_OK && row && r.columns >= 2) {
		struct jsonw w = JSONW_INIT(&line);

		buf_clear(&line);
		begin_line(&w, "status", t, s->settings->source);
		jsonw_key(&w, "name");
		jsonw_text(&w, mysql_get(&r, 0));
		jsonw_key(&w, "value");
		jsonw_text(&w, mysql_get(&r, 1).p != NULL ? mysql_get(&r, 1) : SLICE(""));
		jsonw_end(&w);
		rc = buf_status(&line, err);
		if (rc == IMP_OK)
			rc = outfile_add(out, buf_slice(&line), err);
		++*n;
	}
	return rc;
}

/* ------------------------------------------------------------------ SHOW ENGINE INNODB STATUS */

/* When a deadlock was, in UTC; INT64_MIN: the server cannot say. */
static enum imp_rc
find_deadlock_time(struct mysql_state *s, const char *at, int64_t *ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf seconds = BUF_INIT(64);
	struct imp_err why;
	enum imp_rc rc;

	*ret = INT64_MIN;
	if (at[0] == '\0')
		return IMP_OK;
	rc = mysql_run(&s->conn, sql_mysql_server_time, &(struct mysql_hole){ "time", HOLE_VALUE, slice_of(at) }, 1, &seconds, 1,
	    &why);
	if (rc == IMP_OK)
		*ret = mysql_time(buf_slice(&seconds), 0);
	if (rc == IMP_OK || (rc == IMP_E_UNAVAILABLE && !s->conn.lost))
		return IMP_OK;
	if (err != NULL)
		*err = why;
	return rc;
}

static enum imp_rc
write_innodb(struct mysql_state *s, struct slice text, struct outfile *out, int64_t t, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(1 << 20), deadlock = BUF_INIT(1 << 20);
	struct jsonw w = JSONW_INIT(&line);
	struct mysql_innodb i;
	int64_t at;
	enum imp_rc rc;

	mysql_innodb_parse(text, &i);
	rc = find_deadlock_time(s, i.deadlock_at, &at, err);
	if (rc != IMP_OK)
		return rc;
	begin_line(&w, "innodb", t, s->settings->source);
	if (i.history_length >= 0) {
		jsonw_key(&w, "history_length");
		jsonw_int(&w, i.history_length);
	}
	if (at != INT64_MIN) {
		jsonw_key(&w, "deadlock_t");
		jsonw_int(&w, at);
	}
	if (i.deadlock.n > 0) {
		mysql_innodb_add_deadlock(&deadlock, i.deadlock);
		if (deadlock.n > DEADLOCK_MAX)
			buf_truncate(&deadlock, DEADLOCK_MAX);
		jsonw_key(&w, "deadlock");
		jsonw_text(&w, buf_slice(&deadlock));
	}
	jsonw_end(&w);
	rc = buf_status(&deadlock, err);
	if (rc == IMP_OK)
		rc = buf_status(&line, err);
	return rc == IMP_OK ? outfile_add(out, buf_slice(&line), err) : rc;
}

static enum imp_rc
ask_innodb(struct mysql_state *s, struct buf *ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf type = BUF_INIT(1024), name = BUF_INIT(1024);
	struct buf values[3] = { type, name, *ret };
	enum imp_rc rc = mysql_run(&s->conn, sql_mysql_innodb_status, NULL, 0, values, 3, err);

	type = values[0];
	name = values[1];
	*ret = values[2];
	return rc;
}

/* Needs a right that not every account has: then it is only said that it was not seen. */
static enum imp_rc
take_innodb(struct mysql_state *s, const struct collect_job *job, struct outfile *out, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(INNODB_TEXT_MAX);
	struct asked a = { .what = "InnoDB status",
		.query = "SHOW ENGINE INNODB STATUS",
		.file = outfile_name(out),
		.from = time_now(),
		.n = 1,
		.tries = 1 };
	struct imp_err why = { .code = IMP_OK };
	int64_t begin = time_monotonic();
	enum imp_rc rc = ask_innodb(s, &text, &why), noted;

	if (rc == IMP_OK)
		rc = write_innodb(s, buf_slice(&text), out, a.from, &why);
	if (rc != IMP_OK) {
		a.status = s->conn.status;
		if (a.status == ASKED_DENIED)
			imp_err_wrap(&why, "PROCESS");
		a.why = why.msg;
		a.file = NULL;
		a.n = -1;
	}
	a.ns = time_monotonic() - begin;
	noted = mysql_note(s, job, &a, err);
	if (noted != IMP_OK || rc == IMP_OK || (rc == IMP_E_UNAVAILABLE && !s->conn.lost))
		return noted;
	if (err != NULL)
		*err = why;
	return rc;
}

/* ------------------------------------------------------------------ a snapshot */

static enum imp_rc
take_figures(struct mysql_state *s, const struct collect_job *job, bool sample, struct outfile *out, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf sql = BUF_INIT(1 << 16);
	struct asked a = { .what = "status", .file = outfile_name(out), .from = time_now(), .tries = 1 };
	struct imp_err why = { .code = IMP_OK };
	int64_t begin = time_monotonic();
	enum imp_rc rc = mysql_fill(&sql, sample ? sql_mysql_status_sample : sql_mysql_status, NULL, 0, err), noted;

	if (rc != IMP_OK)
		return rc;
	rc = write_figures(s, sql.p, out, a.from, &a.n, &why);
	a.query = sample ? "SHOW GLOBAL STATUS WHERE Variable_name IN (...)" : sql.p;
	a.status = rc == IMP_OK ? ASKED_OK : s->conn.status;
	a.why = rc == IMP_OK ? NULL : why.msg;
	a.ns = time_monotonic() - begin;
	noted = mysql_note(s, job, &a, err);
	if (noted == IMP_OK && rc != IMP_OK && err != NULL)
		*err = why;
	return noted != IMP_OK ? noted : rc;
}

enum imp_rc
mysql_take_status(struct mysql_state *s, const struct collect_job *job, bool sample, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf stem = BUF_INIT(4096);
	struct outfile *out = NULL;
	enum imp_rc rc, closed;

	job_stem(job, "db", "status", sample, &stem);
	rc = buf_status(&stem, err);
	if (rc == IMP_OK)
		rc = outdir_create(job->out, stem.p, ".jsonl", &out, err);
	if (rc != IMP_OK)
		return rc;
	rc = take_figures(s, job, sample, out, err);
	if (rc == IMP_OK && !sample)
		rc = take_innodb(s, job, out, err);
	closed = outfile_close(out, rc == IMP_OK || rc == IMP_E_UNAVAILABLE, rc == IMP_OK ? err : NULL);
	return rc != IMP_OK ? rc : closed;
}
