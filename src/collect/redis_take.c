#include "config.h"

#include "collect/redis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"

#define LATENCY_EVENTS_MAX 256 /* the server has some twenty kinds */

struct redis_state {
	const struct redis_settings *settings;
	struct redis_link *link;
};

/* ------------------------------------------------------------------ asking, with a line in the journal */

/* What is asked: its words, how the journal calls it, and the ACL rule that allows it. */
struct request {
	const char *what, *right;
	const char *command[REDIS_ARGS_MAX];
};

static enum imp_rc
note(const struct redis_state *s, const struct collect_job *job, const struct request *q, const struct redis_answer *a,
    const char *file, int64_t n, const char *why, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf query = BUF_INIT(1024);

	for (size_t i = 0; q->command[i] != NULL; i++)
		buf_addf(&query, "%s%s", i > 0 ? " " : "", q->command[i]);
	return journal_asked(job->journal,
	    &(struct asked){ .system = "redis",
		.source = s->settings->source,
		.what = q->what,
		.query = query.p,
		.file = file,
		.status = a->status,
		.why = why,
		.from = a->from,
		.ns = a->ns,
		.n = n,
		.tries = a->tries },
	    err);
}

/* Ask. What did not work is journalled here; what did is the caller's to journal, as it knows the file. *ret_got: there is a reply to
 * work with. A command that is forbidden or not there is no error; another refusal is. */
static enum imp_rc
ask(struct redis_state *s, const struct collect_job *job, const struct request *q, struct redis_answer *a, bool *ret_got,
    struct imp_err *err)
{
	CLEANUP(buf_done) struct buf lacks = BUF_INIT(1024);
	struct imp_err why = { .code = IMP_OK };
	enum imp_rc rc = redis_ask(s->link, q->command, a, &why), noted;
	const char *reason = why.msg;

	*ret_got = rc == IMP_OK && a->status == ASKED_OK;
	if (*ret_got)
		return IMP_OK;
	if (rc == IMP_OK) {
		reason = a->reply->str;
		if (a->status == ASKED_DENIED) {
			buf_addf(&lacks, "%s: %s", q->right, a->reply->str);
			reason = lacks.p;
		} else {
			rc = imp_err_set(&why, IMP_E_UNAVAILABLE, "redis '%s': %s is refused: %s", s->settings->source, q->what,
			    a->reply->str);
		}
	}
	noted = note(s, job, q, a, NULL, -1, reason, err);
	if (noted != IMP_OK)
		return noted;
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}

/* Put the document of an answer into a new file, and the answer into the journal. `why` not NULL: it was cut at a limit. */
static enum imp_rc
keep(struct redis_state *s, const struct collect_job *job, const struct request *q, struct redis_answer *a, const char *stem,
    const char *suffix, struct slice text, int64_t n, const char *why, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	enum imp_rc rc = outdir_put(job->out, stem, suffix, text, &name, err);

	if (why != NULL)
		a->status = ASKED_LIMITED;
	return rc == IMP_OK ? note(s, job, q, a, name.p, n, why, err) : rc;
}

/* The answer has no form that can be kept: `why` says so. */
static enum imp_rc
refuse(struct redis_state *s, const struct collect_job *job, const struct request *q, struct redis_answer *a,
    const struct imp_err *why, struct imp_err *err)
{
	enum imp_rc rc;

	a->status = ASKED_FAILED;
	rc = note(s, job, q, a, NULL, -1, why->msg, err);
	if (rc == IMP_OK && err != NULL)
		*err = *why;
	return rc == IMP_OK ? why->code : rc;
}

/* "redis/INSTANCE-KIND@..." */
static enum imp_rc
stem_of(const struct redis_state *s, const struct collect_job *job, const char *kind, bool sample, struct buf *ret,
    struct imp_err *err)
{
	CLEANUP(buf_done) struct buf source = BUF_INIT(1024);

	buf_addf(&source, "%s%s", s->settings->source, kind);
	job_stem(job, "redis", source.p != NULL ? source.p : "", sample, ret);
	if (source.failed != IMP_OK)
		return buf_status(&source, err);
	return buf_status(ret, err);
}

/* ------------------------------------------------------------------ INFO */

static const struct request info_all = { "INFO", "+info", { "INFO", "everything" } };
static const struct request info_default = { "INFO", "+info", { "INFO" } };

static struct slice
reply_text(const redisReply *r)
{
	return (struct slice){ r->str, (size_t)r->len };
}

/* Everything; variants that do not know that word answer nothing or an error, and are asked for what they give by default. */
static enum imp_rc
ask_info(struct redis_state *s, const struct collect_job *job, struct redis_answer *a, const struct request **ret_q, bool *ret_got,
    struct imp_err *err)
{
	struct imp_err why;
	enum imp_rc rc = ask(s, job, &info_all, a, ret_got, &why);

	*ret_q = &info_all;
	if (*ret_got && a->reply->type == REDIS_REPLY_STRING && a->reply->len > 0)
		return IMP_OK;
	if (a->reply == NULL || (a->reply->type == REDIS_REPLY_ERROR && strncmp(a->reply->str, "NOPERM", 6) == 0)) {
		if (rc != IMP_OK && err != NULL)
			*err = why;
		return rc; /* the other would come to the same */
	}
	redis_answer_done(a);
	*ret_q = &info_default;
	rc = ask(s, job, &info_default, a, ret_got, err);
	if (rc == IMP_OK && *ret_got && a->reply->type != REDIS_REPLY_STRING)
		return imp_err_set(err, IMP_E_UNAVAILABLE, "redis '%s': the answer to INFO is no text", s->settings->source);
	return rc;
}

static enum imp_rc
take_info(struct redis_state *s, const struct collect_job *job, bool sample, struct imp_err *err)
{
	CLEANUP(redis_answer_done) struct redis_answer a = { .reply = NULL };
	CLEANUP(buf_done) struct buf stem = BUF_INIT(4096);
	const struct request *q;
	bool got;
	enum imp_rc rc = stem_of(s, job, "", sample, &stem, err);

	if (rc == IMP_OK)
		rc = ask_info(s, job, &a, &q, &got, err);
	if (rc != IMP_OK || !got)
		return rc;
	return keep(s, job, q, &a, stem.p, ".info", reply_text(a.reply), -1, NULL, err);
}

/* ------------------------------------------------------------------ SLOWLOG, LATENCY */

static enum imp_rc
take_slowlog(struct redis_state *s, const struct collect_job *job, struct imp_err *err)
{
	CLEANUP(redis_answer_done) struct redis_answer a = { .reply = NULL };
	CLEANUP(buf_done) struct buf stem = BUF_INIT(4096), text = BUF_INIT(s->settings->limits.bytes_max);
	char count[24];
	struct imp_err why;
	struct request q = { "SLOWLOG", "+slowlog|get", { "SLOWLOG", "GET", count } };
	uint64_t n = 0;
	bool got;
	enum imp_rc rc = stem_of(s, job, "-slowlog", false, &stem, err);

	snprintf(count, sizeof(count), "%" PRIu64, s->settings->slowlog);
	if (rc == IMP_OK)
		rc = ask(s, job, &q, &a, &got, err);
	if (rc != IMP_OK || !got)
		return rc;
	if (redis_write_slowlog(&text, a.reply, &n, &why) != IMP_OK)
		return refuse(s, job, &q, &a, &why, err);
	return keep(s, job, &q, &a, stem.p, ".json", buf_slice(&text), (int64_t)n,
	    n >= s->settings->slowlog ? "as many entries as were asked for (slowlog)" : NULL, err);
}

struct histories {
	struct redis_answer v[LATENCY_EVENTS_MAX];
	redisReply *reply[LATENCY_EVENTS_MAX];
};

static void
histories_free(struct histories **h)
{
	for (size_t i = 0; *h != NULL && i < LATENCY_EVENTS_MAX; i++)
		redis_answer_done(&(*h)->v[i]);
	free(*h);
}

/* The history of each event that LATENCY LATEST named. Where it is not to be had, the event stands alone. */
static enum imp_rc
ask_histories(struct redis_state *s, const struct collect_job *job, const redisReply *latest, struct histories *h,
    struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; rc == IMP_OK && i < latest->elements; i++) {
		const redisReply *event = latest->element[i];
		struct request q = { "history of a latency event", "+latency|history", { "LATENCY", "HISTORY" } };
		bool got;

		if (event->type != REDIS_REPLY_ARRAY || event->elements == 0 || event->element[0]->type != REDIS_REPLY_STRING)
			continue; /* redis_write_latency() says so */
		q.command[2] = event->element[0]->str;
		rc = ask(s, job, &q, &h->v[i], &got, err);
		if (rc != IMP_OK || !got)
			break;
		h->reply[i] = h->v[i].reply;
		rc = note(s, job, &q, &h->v[i], NULL, (int64_t)h->reply[i]->elements, NULL, err);
	}
	return rc;
}

static enum imp_rc
take_latency(struct redis_state *s, const struct collect_job *job, struct imp_err *err)
{
	static const struct request q = { "LATENCY", "+latency|latest", { "LATENCY", "LATEST" } };
	CLEANUP(redis_answer_done) struct redis_answer a = { .reply = NULL };
	CLEANUP(buf_done) struct buf stem = BUF_INIT(4096), text = BUF_INIT(s->settings->limits.bytes_max);
	CLEANUP(histories_free) struct histories *h = calloc(1, sizeof(*h));
	struct imp_err why;
	uint64_t n = 0;
	bool got;
	enum imp_rc rc =
	    h != NULL ? stem_of(s, job, "-latency", false, &stem, err) : imp_err_set(err, IMP_E_NOMEM, "out of memory");

	if (rc == IMP_OK)
		rc = ask(s, job, &q, &a, &got, err);
	if (rc != IMP_OK || !got)
		return rc;
	if (a.reply->type == REDIS_REPLY_ARRAY && a.reply->elements > LATENCY_EVENTS_MAX)
		return imp_err_set(err, IMP_E_LIMIT, "redis '%s': more than %d latency events", s->settings->source,
		    LATENCY_EVENTS_MAX);
	if (a.reply->type == REDIS_REPLY_ARRAY)
		rc = ask_histories(s, job, a.reply, h, err);
	if (rc != IMP_OK)
		return rc;
	if (redis_write_latency(&text, a.reply, h->reply, &n, &why) != IMP_OK)
		return refuse(s, job, &q, &a, &why, err);
	return keep(s, job, &q, &a, stem.p, ".json", buf_slice(&text), (int64_t)n, NULL, err);
}

/* ------------------------------------------------------------------ who answers */

static const char *
role_name(struct slice word)
{
	if (slice_eq(word, SLICE("master")))
		return "primary";
	if (slice_eq(word, SLICE("slave")))
		return "replica";
	return slice_eq(word, SLICE("sentinel")) ? "sentinel" : NULL;
}

/* ROLE, which a plain account may ask; INFO has it too. */
static enum imp_rc
ask_role(struct redis_state *s, const struct collect_job *job, const char **ret, struct imp_err *err)
{
	static const struct request q = { "role in replication", "+role", { "ROLE" } };
	CLEANUP(redis_answer_done) struct redis_answer a = { .reply = NULL };
	bool got;
	enum imp_rc rc = ask(s, job, &q, &a, &got, err);

	if (rc != IMP_OK || !got)
		return rc;
	if (a.reply->type == REDIS_REPLY_ARRAY && a.reply->elements > 0 && a.reply->element[0]->type == REDIS_REPLY_STRING)
		*ret = role_name(reply_text(a.reply->element[0]));
	return note(s, job, &q, &a, NULL, -1, NULL, err);
}

/* Valkey and others keep redis_version for old clients and give their own beside it. */
static void
add_version(struct buf *out, struct slice info)
{
	struct slice server = redis_info_value(info, "server_name"), version;
	CLEANUP(buf_done) struct buf key = BUF_INIT(64);

	if (server.n == 0 || server.n > 32 || slice_eq(server, SLICE("redis"))) {
		buf_add_slice(out, redis_info_value(info, "redis_version"));
		return;
	}
	buf_addf(&key, "%.*s_version", SLICE_ARG(server));
	version = key.p != NULL ? redis_info_value(info, key.p) : (struct slice){ NULL, 0 };
	buf_addf(out, "%.*s %.*s", SLICE_ARG(server),
	    SLICE_ARG(version.p != NULL ? version : redis_info_value(info, "redis_version")));
}

static enum imp_rc
say_who_answers(struct redis_state *s, const struct collect_job *job, struct imp_err *err)
{
	CLEANUP(redis_answer_done) struct redis_answer a = { .reply = NULL };
	CLEANUP(buf_done) struct buf version = BUF_INIT(256), id = BUF_INIT(256);
	struct server_identity who = { .system = "redis", .source = s->settings->source, .address = s->settings->at.address };
	const struct request *q;
	bool got;
	enum imp_rc rc = ask_info(s, job, &a, &q, &got, err);

	if (rc == IMP_OK && got) {
		add_version(&version, reply_text(a.reply));
		buf_add_slice(&id, redis_info_value(reply_text(a.reply), "run_id"));
		who.version = version.n > 0 ? version.p : NULL;
		who.id = id.n > 0 ? id.p : NULL;
		who.role = role_name(redis_info_value(reply_text(a.reply), "role"));
		rc = note(s, job, q, &a, NULL, -1, NULL, err);
	}
	if (rc == IMP_OK)
		rc = ask_role(s, job, &who.role, err);
	who.t = time_now();
	return rc == IMP_OK ? journal_server(job->journal, &who, err) : rc;
}

/* ------------------------------------------------------------------ the collector */

static void
redis_close(void *state)
{
	struct redis_state *s = state;

	if (s != NULL)
		redis_link_free(s->link);
	free(s);
}

static enum imp_rc
redis_open(const void *settings, const struct collect_job *job, void **ret_state, struct imp_err *err)
{
	struct redis_state *s = calloc(1, sizeof(*s));
	enum imp_rc rc;

	if (s == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	s->settings = settings;
	rc = redis_link_new(s->settings, job->stop, &s->link, err);
	if (rc == IMP_OK)
		rc = say_who_answers(s, job, err);
	if (rc != IMP_OK) {
		redis_close(s);
		return rc;
	}
	*ret_state = s;
	return IMP_OK;
}

/* All are tried; the first failure is the one that is told. */
static enum imp_rc
redis_snapshot(void *state, const struct collect_job *job, bool sample, struct imp_err *err)
{
	struct imp_err first, next;
	enum imp_rc rc = take_info(state, job, sample, &first), other;

	if (!sample) {
		enum imp_rc (*const take[])(struct redis_state *, const struct collect_job *, struct imp_err *) = { take_slowlog,
			take_latency };

		for (size_t i = 0; i < sizeof(take) / sizeof(take[0]); i++) {
			other = take[i](state, job, &next);
			if (rc == IMP_OK && other != IMP_OK) {
				rc = other;
				first = next;
			}
		}
	}
	if (rc != IMP_OK && err != NULL)
		*err = first;
	return rc;
}

const struct collector collector_redis = {
	.name = "redis",
	.configure = redis_configure,
	.forget = redis_forget,
	.open = redis_open,
	.snapshot = redis_snapshot,
	.close = redis_close,
};
