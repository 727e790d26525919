/* collect/prometheus_take.c - Prometheus: metrics of single processes at marks and intervals, and a server's series at the end. */
#include "config.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "collect/prometheus.h"

/* Text first: OpenMetrics renames counters, and rules know them as their programs do. */
#define METRICS_TYPES "text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1"

struct prometheus {
	const struct prometheus_settings *s;
	struct http_call *targets; /* one for each of the settings */
	struct http *server;	   /* NULL: none */
};

static void
prometheus_close(void *state)
{
	struct prometheus *p = state;

	if (p == NULL)
		return;
	for (size_t i = 0; p->targets != NULL && i < p->s->ntargets; i++)
		http_close(p->targets[i].http);
	http_close(p->server);
	free(p->targets);
	free(p);
}

/* That a certificate was not looked at belongs to what is known of the server. */
static enum imp_rc
note_target(const struct prometheus *p, const struct collect_job *job, size_t i, struct imp_err *err)
{
	const struct prometheus_scrape *t = &p->s->targets[i];
	struct server_identity id = {
		.system = "prometheus",
		.source = t->source,
		.address = t->at.url,
		.role = t->at.insecure ? "target, certificate not checked" : "target",
		.t = time_now(),
	};

	return journal_server(job->journal, &id, err);
}

/* ------------------------------------------------------------------ snapshots of targets */

/* Lines that are neither blank nor comments. */
static int64_t
count_samples(struct slice text)
{
	int64_t n = 0;

	for (size_t i = 0; i < text.n;) {
		const char *feed = memchr(text.p + i, '\n', text.n - i);
		size_t end = feed != NULL ? (size_t)(feed - text.p) : text.n;

		n += end > i && text.p[i] != '#';
		i = end + 1;
	}
	return n;
}

/* Whoever stands in between (a login, a proxy) answers with a page. */
static bool
is_page(const struct http_answer *a)
{
	size_t i = 0;

	while (i < a->body.n && (a->body.p[i] == ' ' || a->body.p[i] == '\n' || a->body.p[i] == '\r' || a->body.p[i] == '\t'))
		i++;
	return strncmp(a->type, "text/html", 9) == 0 || (i < a->body.n && a->body.p[i] == '<');
}

static enum imp_rc
keep_snapshot(const struct prometheus *p, const struct collect_job *job, size_t i, bool sample, struct http_losses *losses,
    struct imp_err *err)
{
	const struct prometheus_scrape *t = &p->s->targets[i];
	struct http_answer *a = &p->targets[i].answer;
	struct asked line = { .system = "prometheus", .source = t->source, .what = "metrics", .query = t->at.url, .n = -1 };
	CLEANUP(buf_done) struct buf stem = BUF_INIT(4096);
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	enum imp_rc rc = IMP_OK;

	if (a->status == ASKED_OK && is_page(a))
		http_answer_fail(a, ASKED_FAILED, "a page of HTML, not metrics");
	if (a->status == ASKED_OK && job->out != NULL) {
		job_stem(job, "metrics", t->source, sample, &stem);
		line.n = count_samples(buf_slice(&a->body));
		rc = outdir_put(job->out, stem.p, ".prom", buf_slice(&a->body), &name, err);
		line.file = name.p;
	}
	if (!sample || job->stop == NULL || *job->stop == 0) /* a last sample that is broken off is none that is missing */
		http_lost(losses, a, t->source);
	return rc == IMP_OK ? http_journal(job->journal, &line, a, err) : rc;
}

static enum imp_rc
ask_targets(struct prometheus *p, const struct collect_job *job, bool sample, struct http_losses *losses, struct imp_err *err)
{
	enum imp_rc rc = http_get_all(p->targets, p->s->ntargets, err);

	for (size_t i = 0; i < p->s->ntargets; i++) {
		if (rc == IMP_OK)
			rc = keep_snapshot(p, job, i, sample, losses, err);
		http_answer_done(&p->targets[i].answer);
	}
	return rc;
}

static enum imp_rc
prometheus_snapshot(void *state, const struct collect_job *job, bool sample, struct imp_err *err)
{
	struct http_losses losses = { .rc = IMP_OK };
	enum imp_rc rc = ask_targets(state, job, sample, &losses, err);

	return rc == IMP_OK ? http_losses_end(&losses, err) : rc;
}

/* ------------------------------------------------------------------ the collector */

static enum imp_rc
open_all(struct prometheus *p, const struct collect_job *job, struct imp_err *err)
{
	const struct prometheus_settings *s = p->s;
	enum imp_rc rc = IMP_OK;

	if (s->ntargets > 0) {
		p->targets = calloc(s->ntargets, sizeof(*p->targets));
		if (p->targets == NULL)
			return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	}
	for (size_t i = 0; i < s->ntargets && rc == IMP_OK; i++) {
		p->targets[i].request.accept = METRICS_TYPES;
		rc = http_open(&s->targets[i].at, &s->limits, job->stop, &p->targets[i].http, err);
		if (rc == IMP_OK)
			rc = note_target(p, job, i, err);
	}
	if (rc == IMP_OK && s->server.url != NULL)
		rc = http_open(&s->server, &s->limits, job->stop, &p->server, err);
	return rc;
}

static enum imp_rc
check_all(struct prometheus *p, const struct collect_job *job, struct imp_err *err)
{
	struct http_losses losses = { .rc = IMP_OK };
	enum imp_rc rc = ask_targets(p, job, false, &losses, err);
	bool gone = false;

	if (rc == IMP_OK && p->server != NULL)
		rc = prometheus_identify(p->server, p->s, job, &gone, err);
	if (rc == IMP_OK && gone && losses.rc == IMP_OK)
		return imp_err_set(err, IMP_E_UNAVAILABLE, "'%s' does not answer", p->s->server.url);
	return rc == IMP_OK ? http_losses_end(&losses, err) : rc;
}

static enum imp_rc
prometheus_open(const void *settings, const struct collect_job *job, void **ret_state, struct imp_err *err)
{
	struct prometheus *p = calloc(1, sizeof(*p));
	enum imp_rc rc;

	if (p == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	p->s = settings;
	rc = open_all(p, job, err);
	if (rc == IMP_OK && job->out == NULL) /* that somebody answers is all that is to be seen */
		rc = check_all(p, job, err);
	if (rc == IMP_OK)
		*ret_state = p;
	else
		prometheus_close(p);
	return rc;
}

static enum imp_rc
prometheus_whole(void *state, const struct collect_job *job, struct imp_err *err)
{
	const struct prometheus *p = state;

	return p->server != NULL ? prometheus_ask(p->server, p->s, job, err) : IMP_OK;
}

const struct collector collector_prometheus = {
	.name = "prometheus",
	.configure = prometheus_configure,
	.forget = prometheus_forget,
	.open = prometheus_open,
	.snapshot = prometheus_snapshot,
	.whole = prometheus_whole,
	.close = prometheus_close,
};
