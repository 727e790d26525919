/* collect/kube_logs.c - the logs of containers, and of those before them that ended, from the API server into logs/. */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "collect/kube_api.h"

#define TAIL_MAX ((size_t)1 << 20) /* of a line that is not whole yet */
#define NAME_BYTES_MAX 1024
#define PATH_BYTES_MAX 4096

/* A log on its way into its file. A line goes there when it is whole: what a limit or a broken connection cut off is none. */
struct log_sink {
	const struct collect_job *job;
	const char *stem, *suffix;
	struct outfile *file; /* made with the first bytes */
	struct buf tail;
	int64_t lines;
};

/* ------------------------------------------------------------------ names */

/* `POD/CONTAINER.log`. Where that is there from another collection, `.log.YYYYMMDD-HHMMSS`, which is part of the same log: lines that
 * both have count once. */
static void
name_log(const struct collect_job *job, const struct kube_container_name *c, bool previous, struct buf *stem,
    const char **ret_suffix)
{
	time_t now = (time_t)time_second(time_now());
	struct tm tm;
	char when[32];

	buf_addf(stem, "logs/%s/%s%s.log", c->pod, c->name, previous ? ".previous" : "");
	*ret_suffix = ".log";
	if (faccessat(outdir_fd(job->out), stem->p, F_OK, 0) != 0) {
		buf_truncate(stem, stem->n - strlen(".log"));
		return;
	}
	if (gmtime_r(&now, &tm) != NULL && strftime(when, sizeof(when), ".%Y%m%d-%H%M%S", &tm) > 0)
		buf_add_str(stem, when);
	*ret_suffix = "";
}

/* ------------------------------------------------------------------ bytes */

static int64_t
count_feeds(struct slice s)
{
	int64_t n = 0;

	for (const char *p = s.p; (p = memchr(p, '\n', (size_t)(s.p + s.n - p))) != NULL; p++)
		n++;
	return n;
}

static enum imp_rc
add(struct log_sink *k, struct slice s, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (s.n == 0)
		return IMP_OK;
	if (k->file == NULL)
		rc = outdir_create(k->job->out, k->stem, k->suffix, &k->file, err);
	if (rc != IMP_OK)
		return rc;
	k->lines += count_feeds(s);
	return outfile_add(k->file, s, err);
}

static enum imp_rc
add_tail(struct log_sink *k, struct imp_err *err)
{
	enum imp_rc rc = add(k, buf_slice(&k->tail), err);

	buf_clear(&k->tail);
	return rc;
}

static enum imp_rc
take(void *ctx, struct slice part, struct imp_err *err)
{
	struct log_sink *k = ctx;
	const char *feed = memrchr(part.p, '\n', part.n);
	size_t whole = feed != NULL ? (size_t)(feed + 1 - part.p) : 0;
	enum imp_rc rc = IMP_OK;

	if (whole > 0 || k->tail.n + part.n > TAIL_MAX)
		rc = add_tail(k, err);
	if (rc == IMP_OK)
		rc = add(k, (struct slice){ part.p, whole }, err);
	buf_add(&k->tail, part.p + whole, part.n - whole);
	return rc == IMP_OK ? buf_status(&k->tail, err) : rc;
}

/* ------------------------------------------------------------------ one log */

static void
add_path(const struct kube_client *k, const struct collect_job *job, const struct kube_container_name *c, bool previous,
    struct buf *out)
{
	int64_t since = run_since(job->run, k->s->log_margin_ns);
	CLEANUP(buf_done) struct buf time = BUF_INIT(64);

	buf_addf(out, "/api/v1/namespaces/%s/pods/%s/log?container=%s&timestamps=true&limitBytes=%" PRIu64, k->s->namespace, c->pod,
	    c->name, k->s->log_bytes);
	if (since != INT64_MIN) {
		time_add_utc(&time, since, 0);
		buf_add_str(out, "&sinceTime=");
		http_add_escaped(out, buf_slice(&time));
	}
	if (previous)
		buf_add_str(out, "&previous=true");
}

/* How much of the log is there. That a container has none yet, or not any more, is no loss: there is nothing to be had. */
static void
judge(const struct kube_client *k, struct http_answer *a, const char *what, struct http_losses *losses)
{
	bool cut = a->status == ASKED_LIMITED || (a->status == ASKED_OK && a->bytes >= k->s->log_bytes);

	if (cut)
		http_answer_fail(a, ASKED_LIMITED, "cut at %" PRIu64 " bytes (log_bytes): what came later is missing",
		    k->s->log_bytes);
	else if (a->code != 400 && a->code != 404)
		http_lost(losses, a, what);
}

/* End the file; what there is of a torn last line belongs to it only when the log ended so. */
static enum imp_rc
close_sink(struct log_sink *k, bool whole, struct buf *ret_name, struct imp_err *err)
{
	enum imp_rc rc = whole ? add_tail(k, err) : IMP_OK, closed;

	if (k->file != NULL)
		buf_add_str(ret_name, outfile_name(k->file));
	closed = outfile_close(k->file, true, rc == IMP_OK ? err : NULL);
	buf_done(&k->tail);
	return rc != IMP_OK ? rc : closed;
}

/* *ret_denied: this one, and so all of them. */
static enum imp_rc
take_log(const struct kube_client *k, const struct collect_job *job, const struct kube_container_name *c, bool previous,
    struct http_losses *losses, bool *ret_denied, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf stem = BUF_INIT(NAME_BYTES_MAX);
	CLEANUP(buf_done) struct buf what = BUF_INIT(NAME_BYTES_MAX);
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_BYTES_MAX);
	CLEANUP(buf_done) struct buf name = BUF_INIT(NAME_BYTES_MAX);
	CLEANUP(http_answer_done) struct http_answer a = { .code = 0 };
	struct log_sink sink = { .job = job, .tail = BUF_INIT(2 * TAIL_MAX) };
	struct http_request r = { .stream = true, .bytes_max = k->s->log_bytes, .take = take, .ctx = &sink };
	struct kube_question q = { .verb = "get", .object = "pods/log" };
	enum imp_rc rc, closed;

	name_log(job, c, previous, &stem, &sink.suffix);
	sink.stem = stem.p;
	buf_addf(&what, "log of %s/%s%s", c->pod, c->name, previous ? " before its restart" : "");
	add_path(k, job, c, previous, &path);
	r.path = q.path = path.p;
	rc = kube_get(k, &q, &r, &a, err);
	if (rc == IMP_OK)
		judge(k, &a, what.p, losses);
	closed = close_sink(&sink, rc == IMP_OK && a.status == ASKED_OK, &name, rc == IMP_OK ? err : NULL);
	if (rc != IMP_OK || closed != IMP_OK)
		return rc != IMP_OK ? rc : closed;
	*ret_denied = a.status == ASKED_DENIED;
	if (*ret_denied) {
		buf_clear(&what);
		buf_addf(&what, "logs of %zu containers", k->pods.n);
	}
	q.what = what.p;
	return kube_note(k, job, &q, name.p, name.p != NULL ? sink.lines : -1, &a, err);
}

enum imp_rc
kube_take_logs(struct kube_client *k, const struct collect_job *job, struct http_losses *losses, struct imp_err *err)
{
	bool denied = false;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < k->pods.n && rc == IMP_OK && !denied; i++) {
		if (k->pods.v[i].restarted)
			rc = take_log(k, job, &k->pods.v[i], true, losses, &denied, err);
		if (rc == IMP_OK && !denied)
			rc = take_log(k, job, &k->pods.v[i], false, losses, &denied, err);
	}
	return rc;
}
