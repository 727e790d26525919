#include "config.h"

#include "collect/mysql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "sql_gen.h"

#define MONTHS_MAX 24 /* of one run */

/* A table of a source: one, or one of several months. */
struct target {
	const struct mysql_source *of;
	char month[8]; /* "202612"; empty: its name has none, or nobody knows it */
	struct mysql_table table;
};

struct visit {
	struct mysql_state *s;
	const struct collect_job *job;
	int64_t t;		 /* when the snapshot was taken; what was committed until then is in it */
	const char *const *mids; /* of a recheck, in byte order */
	VEC(struct target) targets;
	unsigned failures; /* that left evidence incomplete ... */
	enum imp_rc rc;	   /* ... and the first of them */
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
open_table(const struct visit *v, struct target *target, struct imp_err *err)
{
	const struct mysql_source *of = target->of;
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	const char *tenant = v->job->run->tenant;
	struct imp_err why;
	enum imp_rc rc = mysql_table_name(of, tenant, target->month[0] != '\0' ? target->month : NULL, &name, &why);

	if (rc == IMP_OK)
		return mysql_table_open(&v->s->conn, of, name.p, tenant, &target->table, err);
	why.code = rc;
	target->table = (struct mysql_table){ .of = of, .name = of->pattern, .failed = why, .status = ASKED_REFUSED };
	if (rc == IMP_E_DATA)
		return IMP_OK;
	if (err != NULL)
		*err = why;
	return rc;
}

static enum imp_rc
take_schema(const struct visit *v, struct target *target, struct outfile *out, struct imp_err *err)
{
	const struct mysql_table *t = &target->table;
	CLEANUP(buf_done) struct buf lines = BUF_INIT((size_t)16 << 20), what = BUF_INIT(1024);
	struct asked a = { .file = outfile_name(out), .from = time_now(), .tries = 1 };
	int64_t begin = time_monotonic();
	enum imp_rc rc = open_table(v, target, err);

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
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < v->targets.n && rc == IMP_OK; i++) {
		struct imp_err why = { .code = IMP_OK };

		rc = take_schema(v, &v->targets.v[i], out, &why);
		rc = go_on(v, rc, &why, err);
	}
	return rc;
}

/* One kind of table into one file. */
static enum imp_rc
take_tables(struct visit *v, bool letters, struct outfile *out, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < v->targets.n && rc == IMP_OK; i++) {
		CLEANUP(mysql_look_done) struct mysql_look l;
		struct imp_err why;

		mysql_look_init(&l, v->s, v->job, &v->targets.v[i].table);
		if (v->targets.v[i].of->letters != letters)
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

/* ------------------------------------------------------------------ which tables */

/* The month of a time as a number that can be counted on: years * 12 + months. */
static int
month_of(int64_t t, const char *zone_name)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);
	struct time_zone zone = { .fixed = true };
	int year = 0, month = 1;

	if (time_zone_open(zone_name, &zone, NULL) == IMP_OK)
		time_add_zoned(&text, t, 0, &zone);
	if (text.p != NULL)
		sscanf(text.p, "%d-%d", &year, &month);
	return year * 12 + month - 1;
}

/* A table for each month from the load to its end. */
static enum imp_rc
add_months(struct visit *v, const struct mysql_source *of, struct imp_err *err)
{
	const struct run_facts *run = v->job->run;
	int64_t end = run->drain_end != INT64_MIN ? run->drain_end : run->load_end != INT64_MIN ? run->load_end : time_now();
	int first = month_of(run->load_start, of->zone), last = month_of(end, of->zone);
	enum imp_rc rc = IMP_OK;

	if (last < first || last - first > MONTHS_MAX)
		return imp_err_set(err, IMP_E_DATA, "the run lasts %d months, by its timeline", last - first);
	for (int m = first; m <= last && rc == IMP_OK; m++) {
		struct target t = { .of = of };

		snprintf(t.month, sizeof(t.month), "%04d%02d", m / 12 % 10000, m % 12 + 1);
		rc = VEC_PUSH(NULL, &v->targets, t, err);
	}
	return rc;
}

static enum imp_rc
list_targets(struct visit *v, struct imp_err *err)
{
	const struct mysql_settings *s = v->s->settings;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < s->nsources && rc == IMP_OK; i++) {
		const struct mysql_source *of = &s->sources[i];

		if (mysql_has_month(of) && v->job->run->load_start != INT64_MIN) {
			rc = add_months(v, of, err);
		} else {
			struct target t = { .of = of };

			rc = VEC_PUSH(NULL, &v->targets, t, err);
		}
	}
	return rc;
}

/* ------------------------------------------------------------------ which mids */

static int
mid_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum imp_rc
sort_mids(const struct collect_job *job, const char ***ret, struct imp_err *err)
{
	const char **mids;

	if (job->mids == NULL)
		return IMP_OK;
	mids = calloc(job->nmids + 1, sizeof(*mids));
	if (mids == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	memcpy(mids, job->mids, job->nmids * sizeof(*mids));
	qsort(mids, job->nmids, sizeof(*mids), mid_cmp);
	*ret = mids;
	return IMP_OK;
}

enum imp_rc
mysql_visit(struct mysql_state *s, const struct collect_job *job, struct imp_err *err)
{
	CLEANUP(freep) const char **mids = NULL;
	struct visit v = { .s = s, .job = job };
	enum imp_rc rc;

	if (s->settings->nsources == 0)
		return IMP_OK;
	rc = sort_mids(job, &mids, err);
	v.mids = mids;
	if (rc == IMP_OK)
		rc = list_targets(&v, err);
	if (rc == IMP_OK)
		rc = mysql_make_ready(s, err);
	if (rc == IMP_OK)
		rc = take_all(&v, err);
	for (size_t i = 0; i < v.targets.n; i++)
		mysql_table_done(&v.targets.v[i].table);
	VEC_FREE(NULL, &v.targets);
	return rc;
}
