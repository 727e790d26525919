#include "config.h"

#include "collect/kafka.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/time.h"

/* How far consumer groups are behind. The order of reading: what is committed first, then the ends, then the starts. A consumer that
 * works meanwhile so makes the lag look larger, never smaller; and a lag of 0 is one. */

#define PARTITIONS_MAX 100000

struct look {
	struct kafka_state *s;
	const struct collect_job *job;
	bool sample; /* of an interval */
	struct kafka_group_look *groups;
	const struct rd_kafka_metadata *meta;
	rd_kafka_topic_partition_list_t *ends, *starts; /* the same partitions */
	int64_t from, begin, t;
	unsigned tries;
	uint64_t lines;
	bool behind;	      /* something waits, or may */
	enum imp_rc rc;	      /* the first failure ... */
	struct imp_err first; /* ... in words */
};

static void
look_done(struct look *l)
{
	for (size_t i = 0; l->groups != NULL && i < l->s->client.settings->ngroups; i++) {
		if (l->groups[i].asked != NULL)
			rd_kafka_topic_partition_list_destroy(l->groups[i].asked);
		if (l->groups[i].committed != NULL)
			rd_kafka_topic_partition_list_destroy(l->groups[i].committed);
	}
	free(l->groups);
	if (l->meta != NULL)
		rd_kafka_metadata_destroy(l->meta);
	if (l->ends != NULL)
		rd_kafka_topic_partition_list_destroy(l->ends);
	if (l->starts != NULL)
		rd_kafka_topic_partition_list_destroy(l->starts);
}

/* Keep the first failure; the look goes on. */
static void
remember(struct look *l, enum imp_rc rc, const struct imp_err *why)
{
	l->behind = true;
	if (l->rc != IMP_OK)
		return;
	l->rc = rc;
	l->first = *why;
}

/* Journal what `what` came to. `lacks` names the right that is missing when the error is one of authorization. A missing right is no
 * failure of the look; of a sample, nothing is that a broker answered: the next one is due all the same. */
static enum imp_rc
note_failure(struct look *l, const char *what, rd_kafka_resp_err_t failed, const char *lacks, struct imp_err *err)
{
	enum asked_status status = kafka_status(failed);
	struct imp_err why = { .code = IMP_OK };

	l->behind = true;
	if (status != ASKED_DENIED) {
		kafka_client_error(&l->s->client, failed, what, &why);
		if (!l->sample || status != ASKED_FAILED)
			remember(l, IMP_E_UNAVAILABLE, &why);
	}
	return kafka_note(l->s, l->job,
	    &(struct asked){ .what = what,
		.status = status,
		.why = status == ASKED_DENIED ? lacks : why.msg,
		.from = l->from,
		.ns = time_monotonic() - l->begin,
		.n = -1,
		.tries = l->tries },
	    err);
}

/* ------------------------------------------------------------------ metadata */

static const struct rd_kafka_metadata_topic *
find_topic(const struct look *l, const char *name)
{
	for (int i = 0; i < l->meta->topic_cnt; i++)
		if (strcmp(l->meta->topics[i].topic, name) == 0)
			return &l->meta->topics[i];
	return NULL;
}

static enum imp_rc
get_metadata(struct look *l, struct imp_err *err)
{
	if (l->meta != NULL)
		rd_kafka_metadata_destroy(l->meta);
	l->meta = NULL;
	return kafka_client_metadata(&l->s->client, &l->meta, &l->tries, err);
}

/* A topic that a group should have but that cannot be looked at. */
static enum imp_rc
note_topic(struct look *l, const char *topic, rd_kafka_resp_err_t failed, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf what = BUF_INIT(1024), lacks = BUF_INIT(1024);

	buf_addf(&what, "lag of topic %s", topic);
	buf_addf(&lacks, "DESCRIBE on topic %s", topic);
	if (buf_status(&what, err) != IMP_OK || buf_status(&lacks, err) != IMP_OK)
		return IMP_E_NOMEM;
	return note_failure(l, what.p, failed, lacks.p, err);
}

/* The partitions of the topics that the configuration names for this group. */
static enum imp_rc
ask_for_topics(struct look *l, struct kafka_group_look *g, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (g->of->ntopics == 0)
		return IMP_OK;
	g->asked = rd_kafka_topic_partition_list_new(16);
	for (size_t i = 0; rc == IMP_OK && i < g->of->ntopics; i++) {
		const struct rd_kafka_metadata_topic *t = find_topic(l, g->of->topics[i]);
		rd_kafka_resp_err_t failed = t != NULL ? t->err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;

		if (failed != RD_KAFKA_RESP_ERR_NO_ERROR)
			rc = note_topic(l, g->of->topics[i], failed, err);
		else if (t->partition_cnt > 0)
			rd_kafka_topic_partition_list_add_range(g->asked, t->topic, 0, t->partition_cnt - 1);
	}
	return rc;
}

/* ------------------------------------------------------------------ partitions */

/* All partitions of a topic, once. */
static enum imp_rc
want_topic(struct look *l, const char *name, struct imp_err *err)
{
	const struct rd_kafka_metadata_topic *t = find_topic(l, name);

	if (t == NULL || t->err != RD_KAFKA_RESP_ERR_NO_ERROR || rd_kafka_topic_partition_list_find(l->ends, name, 0) != NULL)
		return IMP_OK;
	if (l->ends->cnt + t->partition_cnt > PARTITIONS_MAX)
		return imp_err_set(err, IMP_E_LIMIT, "kafka '%s': more than %d partitions: name the topics of the groups",
		    l->s->client.settings->source, PARTITIONS_MAX);
	for (int32_t p = 0; p < t->partition_cnt; p++) {
		rd_kafka_topic_partition_list_add(l->ends, name, p)->offset = RD_KAFKA_OFFSET_END;
		rd_kafka_topic_partition_list_add(l->starts, name, p)->offset = RD_KAFKA_OFFSET_BEGINNING;
	}
	return IMP_OK;
}

/* The topics that groups without a list have committed offsets for become known here. */
static enum imp_rc
watch_committed(struct look *l, struct imp_err *err)
{
	size_t before = l->s->client.nhandles;
	enum imp_rc rc = IMP_OK;
	rd_kafka_topic_t *t;

	for (size_t i = 0; i < l->s->client.settings->ngroups; i++)
		for (int k = 0; rc == IMP_OK && l->groups[i].committed != NULL && k < l->groups[i].committed->cnt; k++)
			rc = kafka_client_watch(&l->s->client, l->groups[i].committed->elems[k].topic, &t, err);
	return rc == IMP_OK && l->s->client.nhandles > before ? get_metadata(l, err) : rc;
}

static enum imp_rc
ask_ends(struct look *l, struct imp_err *err)
{
	enum imp_rc rc = watch_committed(l, err);
	unsigned tries;

	l->ends = rd_kafka_topic_partition_list_new(64);
	l->starts = rd_kafka_topic_partition_list_new(64);
	for (size_t i = 0; i < l->s->client.settings->ngroups; i++)
		for (int k = 0; rc == IMP_OK && l->groups[i].committed != NULL && k < l->groups[i].committed->cnt; k++)
			rc = want_topic(l, l->groups[i].committed->elems[k].topic, err);
	l->t = time_now();
	if (rc == IMP_OK)
		rc = kafka_client_offsets(&l->s->client, l->ends, &tries, err);
	if (rc == IMP_OK)
		rc = kafka_client_offsets(&l->s->client, l->starts, &tries, err);
	return rc;
}

/* ------------------------------------------------------------------ lines */

void
kafka_lag_line(const struct kafka_lag *g, struct buf *out)
{
	struct jsonw w = JSONW_INIT(out);
	const struct {
		const char *key;
		int64_t v;
		bool known;
	} numbers[] = {
		{ "partition", g->partition, true },
		{ "committed", g->committed, true },
		{ "start", g->start, g->start >= 0 },
		{ "end", g->end, g->end >= 0 },
		{ "lag", g->end - g->committed, g->end >= 0 && g->committed >= 0 },
		{ "members", g->members, g->members >= 0 },
	};

	jsonw_flat_object(&w);
	jsonw_key(&w, "ev");
	jsonw_str(&w, "lag");
	jsonw_key(&w, "t");
	jsonw_int(&w, g->t);
	jsonw_key(&w, "group");
	jsonw_str(&w, g->group);
	jsonw_key(&w, "topic");
	jsonw_str(&w, g->topic);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].known) {
			jsonw_key(&w, numbers[i].key);
			jsonw_int(&w, numbers[i].v);
		}
	}
	jsonw_end(&w);
}

static int64_t
known_offset(const rd_kafka_topic_partition_list_t *list, const char *topic, int32_t partition)
{
	const rd_kafka_topic_partition_t *p =
	    rd_kafka_topic_partition_list_find((rd_kafka_topic_partition_list_t *)list, topic, partition);

	return p != NULL && p->err == RD_KAFKA_RESP_ERR_NO_ERROR && p->offset >= 0 ? p->offset : -1;
}

/* Where nothing was ever committed, nothing waits if there are no records at all. */
static bool
is_drained(const struct kafka_lag *g)
{
	return g->end >= 0 && (g->committed >= 0 ? g->committed == g->end : g->start == g->end);
}

static void
add_partition(struct look *l, const struct kafka_group_look *g, const char *topic, int32_t partition, struct buf *out)
{
	struct kafka_lag line = {
		.t = l->t,
		.group = g->of->name,
		.topic = topic,
		.partition = partition,
		.committed = known_offset(g->committed, topic, partition),
		.start = known_offset(l->starts, topic, partition),
		.end = known_offset(l->ends, topic, partition),
		.members = g->members,
	};

	l->behind |= !is_drained(&line);
	l->lines++;
	kafka_lag_line(&line, out);
}

/* Old commits of a topic that was deleted since say nothing, and hold nobody up. */
static enum imp_rc
note_gone_topic(struct look *l, const char *topic, rd_kafka_resp_err_t failed, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf what = BUF_INIT(1024);

	if (failed != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
		return note_topic(l, topic, failed, err);
	buf_addf(&what, "lag of topic %s", topic);
	return kafka_note(l->s, l->job,
	    &(struct asked){ .what = what.p,
		.status = ASKED_LIMITED,
		.why = "a group has committed offsets of it, but it is not there any more",
		.from = l->from,
		.ns = time_monotonic() - l->begin,
		.n = -1,
		.tries = l->tries },
	    err);
}

/* Every partition of every topic that this group has committed for, or that it was asked for. */
static enum imp_rc
add_group(struct look *l, const struct kafka_group_look *g, struct buf *out, struct imp_err *err)
{
	const char *last = NULL; /* the list has each topic's partitions together */
	enum imp_rc rc = IMP_OK;

	for (int i = 0; rc == IMP_OK && i < g->committed->cnt; i++) {
		const char *topic = g->committed->elems[i].topic;
		const struct rd_kafka_metadata_topic *t = find_topic(l, topic);
		rd_kafka_resp_err_t failed = t != NULL ? t->err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;

		if (last != NULL && strcmp(last, topic) == 0)
			continue;
		last = topic;
		if (failed != RD_KAFKA_RESP_ERR_NO_ERROR)
			rc = note_gone_topic(l, topic, failed, err);
		for (int32_t p = 0; failed == RD_KAFKA_RESP_ERR_NO_ERROR && p < t->partition_cnt; p++)
			add_partition(l, g, topic, p, out);
	}
	return rc == IMP_OK ? buf_status(out, err) : rc;
}

static enum imp_rc
write_group(struct look *l, struct kafka_group_look *g, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf what = BUF_INIT(1024), text = BUF_INIT(l->s->client.settings->limits.bytes_max);
	CLEANUP(buf_done) struct buf lacks = BUF_INIT(1024);
	uint64_t before = l->lines;
	enum imp_rc rc;

	buf_addf(&what, "lag of group %s", g->of->name);
	buf_addf(&lacks, "DESCRIBE on group %s", g->of->name);
	if (buf_status(&what, err) != IMP_OK || buf_status(&lacks, err) != IMP_OK)
		return IMP_E_NOMEM;
	if (g->committed == NULL)
		return g->asked != NULL && g->asked->cnt == 0 ? IMP_OK : note_failure(l, what.p, g->failed, lacks.p, err);
	rd_kafka_topic_partition_list_sort(g->committed, NULL, NULL);
	rc = add_group(l, g, &text, err);
	if (rc == IMP_OK)
		rc = outfile_add(l->s->lag, buf_slice(&text), err);
	if (rc != IMP_OK)
		return rc;
	return kafka_note(l->s, l->job,
	    &(struct asked){ .what = what.p,
		.query = "OffsetFetch, ListOffsets, DescribeGroups",
		.file = outfile_name(l->s->lag),
		.status = l->lines > before ? ASKED_OK : ASKED_LIMITED,
		.why = l->lines > before ? NULL : "the group has committed no offsets, and no topics are named for it",
		.from = l->from,
		.ns = time_monotonic() - l->begin,
		.n = (int64_t)(l->lines - before),
		.tries = l->tries },
	    err);
}

static enum imp_rc
write_all(struct look *l, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf stem = BUF_INIT(1024);
	enum imp_rc rc = IMP_OK;

	if (l->s->lag == NULL) {
		job_stem(l->job, "kafka", "lag", l->sample, &stem);
		rc = buf_status(&stem, err);
		if (rc == IMP_OK)
			rc = outdir_create(l->job->out, stem.p, ".jsonl", &l->s->lag, err);
	}
	for (size_t i = 0; rc == IMP_OK && i < l->s->client.settings->ngroups; i++)
		rc = write_group(l, &l->groups[i], err);
	return rc == IMP_OK ? outfile_flush(l->s->lag, err) : rc;
}

/* ------------------------------------------------------------------ a sample */

static enum imp_rc
begin(struct look *l, struct imp_err *err)
{
	const struct kafka_settings *s = l->s->client.settings;
	enum imp_rc rc = get_metadata(l, err);

	l->groups = calloc(s->ngroups, sizeof(*l->groups));
	if (l->groups == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	for (size_t i = 0; i < s->ngroups; i++)
		l->groups[i] = (struct kafka_group_look){ .of = &s->groups[i], .members = -1 };
	for (size_t i = 0; rc == IMP_OK && i < s->ngroups; i++)
		rc = ask_for_topics(l, &l->groups[i], err);
	return rc;
}

/* Members stand beside the lag: where they are not to be had, their place stays empty. */
static enum imp_rc
add_members(struct look *l, struct imp_err *err)
{
	int64_t from = time_now(), begun = time_monotonic();
	rd_kafka_resp_err_t failed = kafka_groups_members(&l->s->client, l->groups);

	if (failed == RD_KAFKA_RESP_ERR_NO_ERROR)
		return IMP_OK;
	return kafka_note(l->s, l->job,
	    &(struct asked){ .what = "members of groups",
		.query = "DescribeGroups",
		.status = kafka_status(failed),
		.why = rd_kafka_err2str(failed),
		.from = from,
		.ns = time_monotonic() - begun,
		.n = -1 },
	    err);
}

enum imp_rc
kafka_lag_sample(void *state, const struct collect_job *job, bool sample, struct imp_err *err)
{
	CLEANUP(look_done)
	struct look l = { .s = state, .job = job, .sample = sample, .from = time_now(), .begin = time_monotonic() };
	struct imp_err why;
	enum imp_rc rc;

	l.s->drained = false;
	if (l.s->client.settings->ngroups == 0)
		return IMP_OK;
	rc = begin(&l, &why);
	if (rc == IMP_OK) {
		l.tries = kafka_groups_committed(&l.s->client, l.groups);
		rc = add_members(&l, &why);
	}
	if (rc == IMP_OK)
		rc = ask_ends(&l, &why);
	if (rc != IMP_OK) {
		enum imp_rc noted = kafka_note(l.s, job,
		    &(struct asked){ .what = "lag",
			.status = ASKED_UNREACHABLE,
			.why = why.msg,
			.from = l.from,
			.ns = time_monotonic() - l.begin,
			.n = -1,
			.tries = l.tries },
		    err);

		if (noted != IMP_OK)
			return noted;
	} else {
		rc = write_all(&l, &why);
	}
	l.s->drained = rc == IMP_OK && l.lines > 0 && !l.behind;
	if (rc == IMP_OK && l.rc != IMP_OK) {
		rc = l.rc;
		why = l.first;
	}
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}
