#include "config.h"

#include "collect/kafka.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"

enum imp_rc
kafka_note(const struct kafka_state *s, const struct collect_job *job, const struct asked *a, struct imp_err *err)
{
	struct asked whole = *a;

	whole.system = "kafka";
	whole.source = s->client.settings->source;
	return journal_asked(job->journal, &whole, err);
}

/* The topics that the configuration names, so that the first metadata speaks of them and of no others. */
static enum imp_rc
watch_topics(struct kafka_client *c, struct imp_err *err)
{
	const struct kafka_settings *s = c->settings;
	enum imp_rc rc = IMP_OK;
	rd_kafka_topic_t *t;

	for (size_t i = 0; i < s->ngroups; i++)
		for (size_t k = 0; rc == IMP_OK && k < s->groups[i].ntopics; k++)
			rc = kafka_client_watch(c, s->groups[i].topics[k], &t, err);
	return rc;
}

static enum imp_rc
say_who_answers(const struct kafka_state *s, const struct collect_job *job, int brokers, struct imp_err *err)
{
	char *id = rd_kafka_clusterid(s->client.rk, 0);
	int32_t controller = rd_kafka_controllerid(s->client.rk, 0);
	CLEANUP(buf_done) struct buf role = BUF_INIT(128);
	enum imp_rc rc;

	buf_addf(&role, "%d %s", brokers, brokers == 1 ? "broker" : "brokers");
	if (controller >= 0)
		buf_addf(&role, ", controller %d", (int)controller);
	rc = journal_server(job->journal,
	    &(struct server_identity){ .system = "kafka",
		.source = s->client.settings->source,
		.address = s->client.settings->bootstrap,
		.id = id,
		.role = role.p,
		.t = time_now() },
	    err);
	if (id != NULL)
		rd_kafka_mem_free(s->client.rk, id);
	return rc;
}

/* Connect: the first metadata, journalled in either case. */
static enum imp_rc
reach_cluster(struct kafka_state *s, const struct collect_job *job, struct imp_err *err)
{
	struct asked a = { .what = "brokers and topics", .query = "Metadata", .from = time_now(), .n = -1 };
	const struct rd_kafka_metadata *meta = NULL;
	int64_t begin = time_monotonic();
	struct imp_err why = { .code = IMP_OK };
	enum imp_rc rc = kafka_client_metadata(&s->client, &meta, &a.tries, &why), noted;

	a.ns = time_monotonic() - begin;
	if (rc != IMP_OK) {
		a.status = s->client.refused ? ASKED_DENIED : ASKED_UNREACHABLE;
		a.why = why.msg;
	}
	noted = kafka_note(s, job, &a, err);
	if (noted == IMP_OK && rc == IMP_OK)
		noted = say_who_answers(s, job, meta->broker_cnt, err);
	if (meta != NULL)
		rd_kafka_metadata_destroy(meta);
	if (noted == IMP_OK && rc != IMP_OK && err != NULL)
		*err = why;
	return noted != IMP_OK ? noted : rc;
}

static void
kafka_close(void *state)
{
	struct kafka_state *s = state;

	if (s == NULL)
		return;
	/* Every sample was flushed: there is nothing left to fail but the sync. */
	if (outfile_close(s->lag, s->lag != NULL && outfile_bytes(s->lag) > 0, NULL) != IMP_OK)
		s->drained = false;
	kafka_client_close(&s->client);
	free(s);
}

static enum imp_rc
kafka_open(const void *settings, const struct collect_job *job, void **ret_state, struct imp_err *err)
{
	struct kafka_state *s = calloc(1, sizeof(*s));
	enum imp_rc rc = IMP_OK;

	if (s == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	rc = kafka_client_open(&s->client, settings, false, job->stop, err);
	if (rc == IMP_OK)
		rc = watch_topics(&s->client, err);
	if (rc == IMP_OK)
		rc = reach_cluster(s, job, err);
	if (rc == IMP_OK) {
		*ret_state = s;
		return IMP_OK;
	}
	kafka_close(s);
	return rc;
}

static bool
kafka_holds_dead_letters(const void *settings)
{
	return ((const struct kafka_settings *)settings)->nletters > 0;
}

static bool
kafka_drained(const void *state)
{
	return ((const struct kafka_state *)state)->drained;
}

const struct collector collector_kafka = {
	.name = "kafka",
	.configure = kafka_configure,
	.forget = kafka_forget,
	.holds_dead_letters = kafka_holds_dead_letters,
	.open = kafka_open,
	.snapshot = kafka_lag_sample,
	.whole = kafka_dead_letters,
	.again = kafka_dead_letters,
	.drained = kafka_drained,
	.close = kafka_close,
};
