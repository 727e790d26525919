#include "config.h"

#include "collect/mysql.h"

#include <inttypes.h>
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

/* Between two calls the server may have closed the connection, or was restarted. Nothing is under way: it can be made anew. */
static enum imp_rc
make_ready(struct mysql_state *s, struct imp_err *err)
{
	enum imp_rc rc = mysql_run(&s->conn, sql_mysql_ping, NULL, 0, NULL, 0, err);

	return rc == IMP_E_UNAVAILABLE && s->conn.lost ? mysql_conn_open(&s->conn, err) : rc;
}

static enum imp_rc
mysql_snapshot(void *state, const struct collect_job *job, bool sample, struct imp_err *err)
{
	enum imp_rc rc = make_ready(state, err);

	return rc == IMP_OK ? mysql_take_status(state, job, sample, err) : rc;
}

/* ------------------------------------------------------------------ rows and letters, in one snapshot */

struct visit {
	struct mysql_state *s;
	const struct collect_job *job;
	int64_t t;		    /* when the snapshot was taken; what was committed until then is in it */
	const char *const *mids;    /* of a recheck, in byte order */
	struct mysql_table *tables; /* for each source */
	unsigned failures;	    /* that left evidence incomplete ... */
	enum imp_rc rc;		    /* ... and the first of them */
	struct imp_err why;
};

/* Keep the first failure; what there is no use in going on after is returned. */
static enum imp_rc
go_on(struct visit *v, enum imp_rc rc, const struct imp_err *why, struct imp_err *err)
{
	if (rc == IMP_OK)
		return IMP_OK;
	if (rc != IMP_E_UNAVAILABLE && rc != IMP_E_DATA && rc != IMP_E_LIMIT) {
		if (err != NULL)
			*err = *why;
		return rc;
	}
	if (v->failures++ == 0) {
		v->rc = rc;
		v->why = *why;
	}
	return IMP_OK;
}

static enum imp_rc
begin_snapshot(struct visit *v, struct imp_err *err)
{
	struct mysql_conn *c = &v->s->conn;
	enum imp_rc rc;

	v->t = time_now();
	rc = mysql_run(c, sql_mysql_begin, NULL, 0, NULL, 0, err);
	if (rc == IMP_E_UNAVAILABLE && !c->lost)
		rc = mysql_run(c, sql_mysql_begin_plain, NULL, 0, NULL, 0, err);
	return rc;
}

static enum imp_rc
create(const struct visit *v, const char *name, struct outfile **ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf stem = BUF_INIT(256);
	enum imp_rc rc;

	buf_addf(&stem, "db/check-%" PRId64 "/%s", v->job->check, name);
	rc = buf_status(&stem, err);
	return rc == IMP_OK ? outdir_create(v->job->out, stem.p, ".jsonl", ret, err) : rc;
}

/* A table that cannot be named all the same has a line that says that its rows are not here. */
static enum imp_rc
open_table(struct visit *v, const struct mysql_source *of, struct mysql_table *t, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	const char *tenant = v->job->run->tenant;
	struct imp_err why;
	enum imp_rc rc = mysql_table_name(of, tenant, &name, &why);

	if (rc == IMP_OK)
		return mysql_table_open(&v->s->conn, of, name.p, tenant, t, err);
	*t = (struct mysql_table){ .of = of, .name = of->pattern, .failed = why, .status = ASKED_REFUSED };
	t->failed.code = rc;
	if (rc == IMP_E_DATA)
		return IMP_OK;
	if (err != NULL)
		*err = why;
	return rc;
}

static enum imp_rc
take_schema(struct visit *v, const struct mysql_source *of, struct mysql_table *t, struct outfile *out, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf lines = BUF_INIT((size_t)16 << 20), what = BUF_INIT(1024);
	struct asked a = { .file = outfile_name(out), .from = time_now(), .tries = 1 };
	int64_t begin = time_monotonic();
	enum imp_rc rc = open_table(v, of, t, err);

	if (rc != IMP_OK)
		return rc;
	mysql_table_lines(t, a.from, &lines);
	rc = buf_status(&lines, err);
	if (rc == IMP_OK)
		rc = outfile_add(out, buf_slice(&lines), err);
	if (rc != IMP_OK)
		return rc;
	buf_addf(&what, "schema of %s", t->name);
	a.what = what.p != NULL ? what.p : "schema";
	a.ns = time_monotonic() - begin;
	a.n = (int64_t)t->columns.n;
	if (t->columns.n == 0) {
		a.file = NULL;
		a.status = t->status;
		a.why = t->failed.msg;
	}
	return mysql_note(v->s, v->job, &a, err);
}

static enum imp_rc
take_schemas(struct visit *v, struct outfile *out, struct imp_err *err)
{
	const struct mysql_settings *s = v->s->settings;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < s->nsources && rc == IMP_OK; i++) {
		struct imp_err why = { .code = IMP_OK };

		rc = take_schema(v, &s->sources[i], &v->tables[i], out, &why);
		rc = go_on(v, rc, &why, err);
	}
	return rc;
}

/* One kind of table into one file. */
static enum imp_rc
take_tables(struct visit *v, bool letters, struct outfile *out, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < v->s->settings->nsources && rc == IMP_OK; i++) {
		CLEANUP(mysql_look_done) struct mysql_look l;
		struct imp_err why;

		mysql_look_init(&l, v->s, v->job, &v->tables[i]);
		if (v->s->settings->sources[i].letters != letters)
			continue;
		l.out = out;
		l.t = v->t;
		l.mids = v->mids;
		rc = go_on(v, letters ? mysql_letters(&l, &why) : mysql_rows(&l, &why), &why, err);
	}
	return rc;
}

static enum imp_rc
take_file(struct visit *v, const char *name, enum imp_rc (*take)(struct visit *, struct outfile *, struct imp_err *),
    struct imp_err *err)
{
	struct outfile *out = NULL;
	enum imp_rc rc = create(v, name, &out, err), closed;

	if (rc != IMP_OK)
		return rc;
	rc = take(v, out, err);
	closed = outfile_close(out, rc == IMP_OK, rc == IMP_OK ? err : NULL);
	return rc != IMP_OK ? rc : closed;
}

static enum imp_rc
take_rows(struct visit *v, struct outfile *out, struct imp_err *err)
{
	return take_tables(v, false, out, err);
}

static enum imp_rc
take_letters(struct visit *v, struct outfile *out, struct imp_err *err)
{
	unsigned before = v->failures;
	enum imp_rc rc = take_tables(v, true, out, err);

	dead_tally_source(v->job->deads, rc == IMP_OK && v->failures == before);
	return rc;
}

static enum imp_rc
take_all(struct visit *v, struct imp_err *err)
{
	enum imp_rc rc = begin_snapshot(v, err);

	if (rc == IMP_OK)
		rc = take_file(v, "schema", take_schemas, err);
	if (rc == IMP_OK)
		rc = take_file(v, "rows", take_rows, err);
	if (rc == IMP_OK && mysql_holds_letters(v->s->settings))
		rc = take_file(v, "dead", take_letters, err);
	if (rc == IMP_OK && !v->s->conn.lost)
		rc = mysql_run(&v->s->conn, sql_mysql_end, NULL, 0, NULL, 0, err);
	if (rc == IMP_OK && v->failures > 0) {
		if (err != NULL)
			*err = v->why;
		return v->rc;
	}
	return rc;
}

static int
mid_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum imp_rc
look_up(struct mysql_state *s, const struct collect_job *job, struct imp_err *err)
{
	CLEANUP(freep) const char **mids = job->mids != NULL ? calloc(job->nmids + 1, sizeof(*mids)) : NULL;
	struct visit v = { .s = s, .job = job, .mids = mids };
	size_t n = s->settings->nsources;
	enum imp_rc rc;

	if (n == 0)
		return IMP_OK;
	v.tables = calloc(n, sizeof(*v.tables));
	if (v.tables == NULL || (job->mids != NULL && mids == NULL)) {
		free(v.tables);
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	}
	if (mids != NULL) {
		memcpy(mids, job->mids, job->nmids * sizeof(*mids));
		qsort(mids, job->nmids, sizeof(*mids), mid_cmp);
	}
	rc = make_ready(s, err);
	if (rc == IMP_OK)
		rc = take_all(&v, err);
	for (size_t i = 0; i < n; i++)
		mysql_table_done(&v.tables[i]);
	free(v.tables);
	return rc;
}

static enum imp_rc
mysql_whole(void *state, const struct collect_job *job, struct imp_err *err)
{
	return look_up(state, job, err);
}

/* With its status, so that what happened in between can be seen. */
static enum imp_rc
mysql_again(void *state, const struct collect_job *job, struct imp_err *err)
{
	enum imp_rc rc = look_up(state, job, err);

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
