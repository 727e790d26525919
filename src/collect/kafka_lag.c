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

/* How many of `v` are of the topic of the first. */
static int
partitions_of_topic(const rd_kafka_topic_partition_t *v, int n)
{
	int i = 1;

	while (i < n && strcmp(v[i].topic, v[0].topic) == 0)
		i++;
	return i;
}

static bool
has_leader(const struct rd_kafka_metadata_topic *t, int32_t partition)
{
	for (int i = 0; i < t->partition_cnt; i++) {
		int at = (partition + i) % t->partition_cnt; /* they are in order as a rule */

		if (t->partitions[at].id == partition)
			return t->partitions[at].leader >= 0;
	}
	return false;
}

static int
first_of_topic(const rd_kafka_topic_partition_list_t *list, const char *topic)
{
	int i = 0;

	while (i < list->cnt && strcmp(list->elems[i].topic, topic) != 0)
		i++;
	return i;
}

/* All partitions of a topic, once. */
static enum imp_rc
want_topic(struct look *l, const char *name, struct imp_err *err)
{
	const struct rd_kafka_metadata_topic *t = find_topic(l, name);

	if (t == NULL || t->err != RD_KAFKA_RESP_ERR_NO_ERROR || first_of_topic(l->ends, name) < l->ends->cnt)
		return IMP_OK;
	if (l->ends->cnt + t->partition_cnt > PARTITIONS_MAX)
		return imp_err_set(err, IMP_E_LIMIT, "kafka '%s': more than %d partitions: name the topics of the groups",
		    l->s->client.settings->source, PARTITIONS_MAX);
	for (int32_t p = 0; p < t->partition_cnt; p++) {
		if (!has_leader(t, p))
			continue; /* one of these would keep the offsets of all others from us */
		rd_kafka_topic_partition_list_add(l->ends, name, p)->offset = RD_KAFKA_OFFSET_END;
		rd_kafka_topic_partition_list_add(l->starts, name, p)->offset = RD_KAFKA_OFFSET_BEGINNING;
	}
	return IMP_OK;
}

/* Call it for each topic of each group that answered. */
static enum imp_rc
for_topics(struct look *l, enum imp_rc (*call)(struct look *l, const char *topic, struct imp_err *err), struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < l->s->client.settings->ngroups; i++) {
		const rd_kafka_topic_partition_list_t *list = l->groups[i].committed;

		for (int k = 0; rc == IMP_OK && list != NULL && k < list->cnt;
		     k += partitions_of_topic(&list->elems[k], list->cnt - k))
			rc = call(l, list->elems[k].topic, err);
	}
	return rc;
}

static enum imp_rc
watch_topic(struct look *l, const char *name, struct imp_err *err)
{
	rd_kafka_topic_t *t;

	return kafka_client_watch(&l->s->client, name, &t, err);
}

static enum imp_rc
ask_ends(struct look *l, struct imp_err *err)
{
	size_t known = l->s->client.nhandles;
	enum imp_rc rc = for_topics(l, watch_topic, err); /* those of groups without a list may be new */
	unsigned tries;

	if (rc == IMP_OK && l->s->client.nhandles > known)
		rc = get_metadata(l, err);
	l->ends = rd_kafka_topic_partition_list_new(64);
	l->starts = rd_kafka_topic_partition_list_new(64);
	if (rc == IMP_OK)
		rc = for_topics(l, want_topic, err);
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

/* Entries of one topic, by partition. */
struct entries {
	const rd_kafka_topic_partition_t *v;
	int n;
};

static struct entries
entries_of(const rd_kafka_topic_partition_list_t *list, const char *topic)
{
	int first = first_of_topic(list, topic);

	return (struct entries){ &list->elems[first],
		first < list->cnt ? partitions_of_topic(&list->elems[first], list->cnt - first) : 0 };
}

/* The offset of this partition if it is next, and known; -1 else. */
static int64_t
take_offset(struct entries *e, int32_t partition)
{
	const rd_kafka_topic_partition_t *p = e->v;

	if (e->n == 0 || p->partition != partition)
		return -1;
	e->v++;
	e->n--;
	return p->err == RD_KAFKA_RESP_ERR_NO_ERROR && p->offset >= 0 ? p->offset : -1;
}

/* Where nothing was ever committed, nothing waits if there are no records at all. */
static bool
is_drained(const struct kafka_lag *g)
{
	return g->end >= 0 && (g->committed >= 0 ? g->committed == g->end : g->start == g->end);
}

/* Every partition of the topic `t`. `committed` is what the group has for it. */
static void
add_topic(struct look *l, const struct kafka_group_look *g, const struct rd_kafka_metadata_topic *t, struct entries committed,
    struct buf *out)
{
	struct entries starts = entries_of(l->starts, t->topic), ends = entries_of(l->ends, t->topic);

	for (int32_t p = 0; p < t->partition_cnt; p++) {
		struct kafka_lag line = {
			.t = l->t,
			.group = g->of->name,
			.topic = t->topic,
			.partition = p,
			.committed = take_offset(&committed, p),
			.start = take_offset(&starts, p),
			.end = take_offset(&ends, p),
			.members = g->members,
		};

		l->behind |= !is_drained(&line);
		l->lines++;
		kafka_lag_line(&line, out);
	}
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
	const rd_kafka_topic_partition_t *v = g->committed->elems;
	int n = g->committed->cnt, of_topic;
	enum imp_rc rc = IMP_OK;

	for (; rc == IMP_OK && n > 0; v += of_topic, n -= of_topic) {
		const struct rd_kafka_metadata_topic *t = find_topic(l, v->topic);
		rd_kafka_resp_err_t failed = t != NULL ? t->err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;

		of_topic = partitions_of_topic(v, n);
		if (failed == RD_KAFKA_RESP_ERR_NO_ERROR)
			add_topic(l, g, t, (struct entries){ v, of_topic }, out);
		else
			rc = note_gone_topic(l, v->topic, failed, err);
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
	rd_kafka_resp_err_t failed = RD_KAFKA_RESP_ERR_NO_ERROR;

	if (l->s->client.settings->members)
		failed = kafka_groups_members(&l->s->client, l->groups);
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
