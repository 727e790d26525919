#include "config.h"

#include "collect/kafka.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"

/* Dead-letter topics, from a start to the ends that were asked for before, so that reading ends though letters go on coming. A
 * partition ends by an event too: behind its last record there may be offsets that hold none (markers of transactions, records that
 * compaction took). */

#define POLL_MS 100

struct part {
	int64_t start, end;
	bool open;
};

/* One topic. */
struct reading {
	struct kafka_client *c;
	const struct kafka_letters *letters;
	struct kafka_letter_writer *writer;
	const struct collect_job *job;
	rd_kafka_topic_t *topic; /* borrowed from the client */
	rd_kafka_queue_t *q;
	struct part *parts;
	int32_t nparts, nopen;
	unsigned tries;
	rd_kafka_resp_err_t failed; /* librdkafka's reason, where there is one */
	struct kafka_letter_counts counts;
};

static enum imp_rc
reading_error(struct reading *r, rd_kafka_resp_err_t code, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf doing = BUF_INIT(1024);

	r->failed = code;
	buf_addf(&doing, "could not read topic %s", r->letters->topic);
	return kafka_client_error(r->c, code, doing.n > 0 ? doing.p : "could not read", err);
}

static void
close_part(struct reading *r, int32_t p)
{
	if (!r->parts[p].open)
		return;
	r->parts[p].open = false;
	r->nopen--;
	(void)rd_kafka_consume_stop(r->topic, p);
}

static void
reading_done(struct reading *r)
{
	for (int32_t p = 0; r->parts != NULL && p < r->nparts; p++)
		close_part(r, p);
	if (r->q != NULL)
		rd_kafka_queue_destroy(r->q);
	free(r->parts);
}

/* ------------------------------------------------------------------ what to read */

static enum imp_rc
find_partitions(struct reading *r, struct imp_err *err)
{
	const struct rd_kafka_metadata *meta = NULL;
	rd_kafka_resp_err_t failed = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
	enum imp_rc rc = kafka_client_watch(r->c, r->letters->topic, &r->topic, err);

	if (rc == IMP_OK)
		rc = kafka_client_metadata(r->c, &meta, &r->tries, err);
	if (rc != IMP_OK)
		return rc;
	for (int i = 0; i < meta->topic_cnt; i++) {
		if (strcmp(meta->topics[i].topic, r->letters->topic) == 0) {
			failed = meta->topics[i].err;
			r->nparts = meta->topics[i].partition_cnt;
		}
	}
	rd_kafka_metadata_destroy(meta);
	if (failed != RD_KAFKA_RESP_ERR_NO_ERROR)
		return reading_error(r, failed, err);
	r->parts = calloc((size_t)r->nparts + 1, sizeof(*r->parts));
	return r->parts != NULL ? IMP_OK : imp_err_set(err, IMP_E_NOMEM, "out of memory");
}

/* Offsets of all partitions: the ends first, then where to begin. */
static enum imp_rc
find_range(struct reading *r, struct imp_err *err)
{
	int64_t since = r->letters->from_start ? INT64_MIN : run_since(r->job->run, r->letters->margin_ns);
	rd_kafka_topic_partition_list_t *ends = rd_kafka_topic_partition_list_new(r->nparts);
	rd_kafka_topic_partition_list_t *starts = rd_kafka_topic_partition_list_new(r->nparts);
	enum imp_rc rc;

	for (int32_t p = 0; p < r->nparts; p++) {
		rd_kafka_topic_partition_list_add(ends, r->letters->topic, p)->offset = RD_KAFKA_OFFSET_END;
		rd_kafka_topic_partition_list_add(starts, r->letters->topic, p)->offset = since == INT64_MIN ?
		    RD_KAFKA_OFFSET_BEGINNING :
		    since > 0 ? since / 1000000 :
				0;
	}
	rc = kafka_client_offsets(r->c, ends, &r->tries, err);
	if (rc == IMP_OK)
		rc = kafka_client_offsets(r->c, starts, &r->tries, err);
	for (int32_t p = 0; rc == IMP_OK && p < r->nparts; p++) {
		rd_kafka_resp_err_t failed = ends->elems[p].err != 0 ? ends->elems[p].err : starts->elems[p].err;

		r->parts[p].end = ends->elems[p].offset;
		/* below 0: no record is that young */
		r->parts[p].start = starts->elems[p].offset >= 0 ? starts->elems[p].offset : r->parts[p].end;
		if (failed != RD_KAFKA_RESP_ERR_NO_ERROR)
			rc = reading_error(r, failed, err);
	}
	rd_kafka_topic_partition_list_destroy(ends);
	rd_kafka_topic_partition_list_destroy(starts);
	return rc;
}

static enum imp_rc
open_parts(struct reading *r, struct imp_err *err)
{
	r->q = rd_kafka_queue_new(r->c->rk);
	for (int32_t p = 0; p < r->nparts; p++) {
		if (r->parts[p].start >= r->parts[p].end)
			continue;
		if (rd_kafka_consume_start_queue(r->topic, p, r->parts[p].start, r->q) != 0)
			return reading_error(r, rd_kafka_last_error(), err);
		r->parts[p].open = true;
		r->nopen++;
	}
	return IMP_OK;
}

/* ------------------------------------------------------------------ reading */

static enum imp_rc
take_message(struct reading *r, const rd_kafka_message_t *m, struct imp_err *err)
{
	bool record = m->err == RD_KAFKA_RESP_ERR_NO_ERROR;
	struct part *part = m->partition >= 0 && m->partition < r->nparts ? &r->parts[m->partition] : NULL;
	enum imp_rc rc = IMP_OK;

	if (!record && m->err != RD_KAFKA_RESP_ERR__PARTITION_EOF)
		return reading_error(r, m->err, err);
	if (part == NULL || !part->open)
		return IMP_OK;
	if (record && m->offset < part->end)
		rc = kafka_letter_take(r->writer, r->letters, m, &r->counts, err);
	if (m->offset >= part->end - record)
		close_part(r, m->partition);
	return rc;
}

static enum imp_rc
check_limit(const struct reading *r, struct imp_err *err)
{
	if (r->nopen == 0 || (r->counts.records < r->letters->records_max && r->counts.bytes < r->c->settings->limits.bytes_max))
		return IMP_OK;
	imp_err_set(err, IMP_E_LIMIT,
	    "kafka '%s': topic %s has more than the %" PRIu64 " records, %" PRIu64 " bytes that were read", r->c->settings->source,
	    r->letters->topic, r->counts.records, r->counts.bytes);
	imp_err_hint(err, "raise `records_max` of this topic, or `answer_max`");
	return IMP_E_LIMIT;
}

/* All records. A broker that pauses has as long as all tries of a request together, each time. */
static enum imp_rc
read_records(struct reading *r, struct imp_err *err)
{
	const struct ask_limits *limits = &r->c->settings->limits;
	struct retry patience = retry_begin(limits, r->job->stop);
	int64_t last = time_monotonic();
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && r->nopen > 0) {
		rd_kafka_message_t *m = rd_kafka_consume_queue(r->q, POLL_MS);

		if (m != NULL) {
			rc = take_message(r, m, err);
			rd_kafka_message_destroy(m);
			if (rc == IMP_OK)
				rc = check_limit(r, err);
			patience = retry_begin(limits, r->job->stop);
			last = time_monotonic();
		} else if (r->job->stop != NULL && *r->job->stop) {
			rc = imp_err_set(err, IMP_E_UNAVAILABLE, "kafka '%s': interrupted", r->c->settings->source);
		} else if (time_monotonic() - last >= limits->timeout_ns) {
			r->tries = patience.tries;
			if (!retry_again(&patience))
				rc = reading_error(r, RD_KAFKA_RESP_ERR__TIMED_OUT, err);
			last = time_monotonic();
		}
	}
	return rc;
}

static enum imp_rc
read_topic(struct reading *r, struct imp_err *err)
{
	enum imp_rc rc = find_partitions(r, err);

	if (rc == IMP_OK)
		rc = find_range(r, err);
	if (rc == IMP_OK)
		rc = open_parts(r, err);
	if (rc == IMP_OK)
		rc = read_records(r, err);
	if (rc == IMP_OK && r->counts.unread > 0) {
		rc = imp_err_set(err, IMP_E_DATA, "kafka '%s': %" PRIu64 " of %" PRIu64 " records of topic %s have no mid",
		    r->c->settings->source, r->counts.unread, r->counts.records, r->letters->topic);
		imp_err_hint(err, "check `mid` of this topic: where in its records is the client's message id?");
	}
	return rc;
}

/* ------------------------------------------------------------------ all topics */

static void
add_counts(const struct kafka_letter_counts *n, struct buf *out)
{
	if (n->others > 0)
		buf_addf(out, "%sleft out, as of other messages: %" PRIu64, out->n > 0 ? "; " : "", n->others);
	if (n->tombstones > 0)
		buf_addf(out, "%sleft out, without a value: %" PRIu64, out->n > 0 ? "; " : "", n->tombstones);
}

static enum asked_status
status_of(const struct reading *r, enum imp_rc rc)
{
	if (rc == IMP_OK)
		return ASKED_OK;
	if (rc == IMP_E_LIMIT || rc == IMP_E_DATA)
		return ASKED_LIMITED;
	return r->failed != RD_KAFKA_RESP_ERR_NO_ERROR ? kafka_status(r->failed) : ASKED_UNREACHABLE;
}

/* One topic with its line in the journal and its word in the tally. */
static enum imp_rc
take_topic(struct kafka_state *s, struct kafka_client *c, struct kafka_letter_writer *writer, const struct kafka_letters *letters,
    uint64_t *found, struct imp_err *err)
{
	CLEANUP(reading_done) struct reading r = { .c = c, .letters = letters, .writer = writer, .job = writer->job, .tries = 1 };
	CLEANUP(buf_done) struct buf what = BUF_INIT(1024), why = BUF_INIT(4096);
	int64_t from = time_now(), begin = time_monotonic();
	struct imp_err failed;
	enum imp_rc rc = read_topic(&r, &failed), noted;
	enum asked_status status = status_of(&r, rc);

	dead_tally_source(writer->job->deads, rc == IMP_OK);
	buf_addf(&what, "dead letters of topic %s", letters->topic);
	if (status == ASKED_DENIED)
		buf_addf(&why, "READ and DESCRIBE on topic %s", letters->topic);
	else if (rc != IMP_OK)
		buf_add_str(&why, failed.msg);
	add_counts(&r.counts, &why);
	noted = kafka_note(s, writer->job,
	    &(struct asked){ .what = what.p,
		.query = "Fetch",
		.file = r.counts.found > 0 ? outfile_name(writer->out) : NULL,
		.status = status,
		.why = why.n > 0 ? why.p : NULL,
		.from = from,
		.ns = time_monotonic() - begin,
		.n = (int64_t)r.counts.found,
		.tries = r.tries },
	    err);
	*found += r.counts.found;
	if (noted == IMP_OK && rc != IMP_OK && err != NULL)
		*err = failed;
	return noted != IMP_OK ? noted : rc;
}

static enum imp_rc
take_topics(struct kafka_state *s, struct kafka_letter_writer *writer, uint64_t *found, struct imp_err *err)
{
	const struct kafka_settings *settings = s->client.settings;
	struct kafka_client c = { .rk = NULL };
	enum imp_rc rc = kafka_client_open(&c, settings, true, writer->job->stop, err);

	for (size_t i = 0; i < settings->nletters; i++) {
		struct imp_err why;
		enum imp_rc one = IMP_OK;

		if (c.rk == NULL)
			dead_tally_source(writer->job->deads, false);
		else
			one = take_topic(s, &c, writer, &settings->letters[i], found, &why);
		if (rc == IMP_OK && one != IMP_OK) {
			rc = one;
			if (err != NULL)
				*err = why;
		}
	}
	kafka_client_close(&c);
	return rc;
}

enum imp_rc
kafka_dead_letters(void *state, const struct collect_job *job, struct imp_err *err)
{
	CLEANUP(kafka_letter_writer_done) struct kafka_letter_writer writer = { .job = NULL };
	CLEANUP(buf_done) struct buf stem = BUF_INIT(64);
	struct kafka_state *s = state;
	struct outfile *out = NULL;
	struct imp_err why;
	uint64_t found = 0;
	enum imp_rc rc, closed;

	if (s->client.settings->nletters == 0)
		return IMP_OK;
	buf_addf(&stem, "db/check-%" PRId64 "/dead-kafka", job->check);
	rc = buf_status(&stem, err);
	if (rc == IMP_OK)
		rc = outdir_create(job->out, stem.p, ".jsonl", &out, err);
	if (rc == IMP_OK)
		rc = kafka_letter_writer_init(&writer, job, out, err);
	if (rc == IMP_OK)
		rc = take_topics(s, &writer, &found, err);
	closed = outfile_close(out, found > 0, &why);
	if (rc == IMP_OK && closed != IMP_OK) {
		rc = closed;
		if (err != NULL)
			*err = why;
	}
	return rc;
}
