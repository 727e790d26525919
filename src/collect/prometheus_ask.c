/* collect/prometheus_ask.c - the queries of the configuration, put to a Prometheus server. */
#include "config.h"

#include <inttypes.h>
#include <json-c/json.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "collect/prometheus.h"

#define PATH_BYTES_MAX ((size_t)64 << 10)
#define UNKNOWN_START_NS (3600 * NS_PER_S) /* asked for when the run's start is not known */

struct asking {
	struct http *server;
	const struct prometheus_settings *s;
	const struct collect_job *job;
	struct http_losses losses;
	int64_t from, to; /* Unix ns */
	const char *note; /* why less than the run may be asked for; NULL */
	bool gone;	  /* the server does not answer any more */
};

static void
add_time(struct buf *out, int64_t ms)
{
	buf_addf(out, "%" PRId64 ".%03d", ms / 1000, (int)(ms % 1000));
}

static enum imp_rc
note(const struct asking *k, const char *what, const char *path, const char *file, const struct http_answer *a, struct imp_err *err)
{
	struct asked line = { .system = "prometheus", .source = k->s->source, .what = what, .query = path, .file = file, .n = -1 };

	return http_journal(k->job->journal, &line, a, err);
}

/* The server's own words about a request that it did not answer, or answered with less. */
static void
judge_answer(const struct asking *k, struct http_answer *a)
{
	struct prometheus_answer said;
	bool read = prometheus_answer_read(buf_slice(&a->body), &said);

	if (a->status == ASKED_OK && !read)
		http_answer_fail(a, ASKED_FAILED, "not an answer of Prometheus (%s)", a->type[0] != '\0' ? a->type : "no type");
	else if (a->status == ASKED_OK && !said.success)
		http_answer_fail(a, ASKED_FAILED, "%s", said.error);
	else if (a->status == ASKED_FAILED && read && said.error[0] != '\0')
		http_answer_fail(a, ASKED_FAILED, "HTTP %d: %s", a->code, said.error);
	else if (a->status == ASKED_OK && said.warnings[0] != '\0')
		http_answer_fail(a, ASKED_LIMITED, "the server warns: %s", said.warnings);
	else if (a->status == ASKED_OK && k->note != NULL)
		http_answer_fail(a, ASKED_LIMITED, "%s", k->note);
}

/* ------------------------------------------------------------------ who answers */

static const char *
text_of(struct json_object *o, const char *key)
{
	struct json_object *v = json_object_object_get(o, key);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

static enum imp_rc
note_server(const struct asking *k, struct slice body, struct imp_err *err)
{
	struct json_object *o = body.n > 0 ? json_tokener_parse(body.p) : NULL, *data = NULL;
	struct server_identity id = {
		.system = "prometheus",
		.source = k->s->source,
		.address = k->s->server.url,
		.t = time_now(),
	};
	enum imp_rc rc;

	if (json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, "data", &data)) {
		id.version = text_of(data, "version");
		id.id = text_of(data, "revision");
	}
	rc = journal_server(k->job->journal, &id, err);
	json_object_put(o);
	return rc;
}

enum imp_rc
prometheus_identify(struct http *server, const struct prometheus_settings *s, const struct collect_job *job, bool *ret_gone,
    struct imp_err *err)
{
	const struct http_request r = { .path = "/api/v1/status/buildinfo", .accept = "application/json", .bytes_max = 65536 };
	const struct asking k = { .server = server, .s = s, .job = job };
	CLEANUP(http_answer_done) struct http_answer a = { .code = 0 };
	enum imp_rc rc = http_get(server, &r, &a, err);

	if (rc == IMP_OK) {
		judge_answer(&k, &a);
		*ret_gone = a.status == ASKED_UNREACHABLE || a.status == ASKED_TIMEOUT;
		rc = note(&k, "version", r.path, NULL, &a, err);
	}
	if (rc == IMP_OK)
		rc = note_server(&k, a.status == ASKED_OK ? buf_slice(&a.body) : (struct slice){ NULL, 0 }, err);
	return rc;
}

/* ------------------------------------------------------------------ queries */

/* Ask, and keep the answer under the query's name. */
static enum imp_rc
ask(struct asking *k, const struct prometheus_query *q, const char *path, struct imp_err *err)
{
	const struct http_request r = { .path = path, .accept = "application/json" };
	CLEANUP(http_answer_done) struct http_answer a = { .code = 0 };
	CLEANUP(buf_done) struct buf stem = BUF_INIT(4096);
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	enum imp_rc rc = http_get(k->server, &r, &a, err);
	bool came;

	if (rc != IMP_OK)
		return rc;
	k->gone = a.status == ASKED_UNREACHABLE;
	came = a.status == ASKED_OK;
	judge_answer(k, &a);
	if (came && a.status != ASKED_FAILED) {
		job_stem(k->job, "metrics", q->name, true, &stem);
		rc = outdir_put(k->job->out, stem.p, ".json", buf_slice(&a.body), &name, err);
	} else {
		http_lost(&k->losses, &a, q->name);
	}
	return rc == IMP_OK ? note(k, q->name, path, name.p, &a, err) : rc;
}

static enum imp_rc
ask_part(struct asking *k, const struct prometheus_query *q, const struct prometheus_range *part, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_BYTES_MAX);
	enum imp_rc rc;

	buf_add_str(&path, part != NULL ? "/api/v1/query_range?query=" : "/api/v1/query?query=");
	http_add_escaped(&path, slice_of(q->text));
	buf_add_str(&path, part != NULL ? "&start=" : "&time=");
	add_time(&path, part != NULL ? part->from_ms : k->to / 1000000);
	if (part != NULL) {
		buf_add_str(&path, "&end=");
		add_time(&path, part->to_ms);
		buf_add_str(&path, "&step=");
		add_time(&path, part->step_ms);
	}
	rc = buf_status(&path, err);
	return rc == IMP_OK ? ask(k, q, path.p, err) : rc;
}

/* A query that is not put to the server. */
static enum imp_rc
leave_out(struct asking *k, const struct prometheus_query *q, enum asked_status status, const char *why, struct imp_err *err)
{
	struct http_answer a = { .from = time_now() };

	http_answer_fail(&a, status, "%s", why);
	http_lost(&k->losses, &a, q->name);
	return note(k, q->name, q->text, NULL, &a, err);
}

static enum imp_rc
ask_query(struct asking *k, const struct prometheus_query *q, struct imp_err *err)
{
	struct prometheus_range all, part;
	uint64_t parts;
	enum imp_rc rc = IMP_OK;

	if (k->gone)
		return leave_out(k, q, ASKED_UNREACHABLE, "not asked: the server did not answer before", err);
	if (q->step_ms == 0)
		return ask_part(k, q, NULL, err);
	all = prometheus_range_of(k->from, k->to, q->step_ms);
	parts = prometheus_range_parts(&all);
	if (parts > PROMETHEUS_PARTS_MAX)
		return leave_out(k, q, ASKED_REFUSED, "more than 1000 requests of 11000 points: choose a larger step", err);
	for (uint64_t i = 0; i < parts && rc == IMP_OK && !k->gone; i++) {
		part = prometheus_range_part(&all, i);
		rc = ask_part(k, q, &part, err);
	}
	return rc;
}

enum imp_rc
prometheus_ask(struct http *server, const struct prometheus_settings *s, const struct collect_job *job, struct imp_err *err)
{
	struct asking k = { .server = server, .s = s, .job = job, .from = run_since(job->run, s->margin_ns), .to = time_now() };
	enum imp_rc rc;

	if (k.from == INT64_MIN) {
		k.from = k.to - UNKNOWN_START_NS;
		k.note = "when the load began is not known: the last hour";
	}
	if (job->run->drain_end != INT64_MIN && job->run->drain_end + s->margin_ns < k.to)
		k.to = job->run->drain_end + s->margin_ns;
	rc = prometheus_identify(server, s, job, &k.gone, err);
	for (size_t i = 0; i < s->nqueries && rc == IMP_OK; i++)
		rc = ask_query(&k, &s->queries[i], err);
	return rc == IMP_OK ? http_losses_end(&k.losses, err) : rc;
}
