#include "config.h"

#include "collect/mysql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/text.h"
#include "base/time.h"

#define FIRST_STEP 32 /* rows of a topic */
#define STEP_GROWS 4

enum { ROW_MID, ROW_TOPIC, ROW_SEQ, ROW_ID, ROW_TIME };

/* Fits it into an int64, as it stands there? */
static bool
is_integer(struct slice s)
{
	static const char max[] = "9223372036854775807";
	size_t sign = s.n > 0 && s.p[0] == '-';

	if (s.p == NULL || s.n == sign || s.n - sign > sizeof(max) - 1)
		return false;
	for (size_t i = sign; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	if (s.n - sign > 1 && s.p[sign] == '0')
		return false; /* ZEROFILL: no number of JSON */
	return s.n - sign < sizeof(max) - 1 || memcmp(s.p + sign, max, sizeof(max) - 1) <= 0;
}

static void
add_text(struct buf *out, const char *before, struct slice s)
{
	buf_add_str(out, before);
	text_add_json(out, s);
	buf_add_char(out, '"');
}

/* A DATETIME stays what it is, with the zone that it lacks; numbers become ns. What is no time is left out, such as 0000-00-00. */
static void
add_created(const struct mysql_look *l, struct buf *out, struct slice time)
{
	int64_t ns;

	if (mysql_is_datetime(time)) {
		buf_add_str(out, ",\"created\":\"");
		buf_add(out, time.p, 10);
		buf_add_char(out, 'T');
		buf_add(out, time.p + 11, time.n - 11);
		buf_add_slice(out, l->zone);
		buf_add_char(out, '"');
	} else if ((ns = mysql_time(time, 0)) != INT64_MIN) {
		buf_addf(out, ",\"created\":%" PRId64, ns);
	}
}

static enum imp_rc
write_row(struct mysql_look *l, const struct mysql_result *r, struct imp_err *err)
{
	struct slice id = mysql_get(r, ROW_ID), time = mysql_get(r, ROW_TIME);
	struct buf *out = &l->line;
	enum imp_rc rc;

	buf_clear(out);
	buf_add_slice(out, buf_slice(&l->head));
	add_text(out, ",\"mid\":\"", mysql_get(r, ROW_MID));
	add_text(out, ",\"topic\":\"", mysql_get(r, ROW_TOPIC));
	buf_add_str(out, ",\"seq\":");
	buf_add_slice(out, mysql_get(r, ROW_SEQ));
	if (id.p != NULL)
		add_text(out, ",\"id\":\"", id);
	if (time.p != NULL)
		add_created(l, out, time);
	buf_add_slice(out, buf_slice(&l->tail));
	rc = buf_status(out, err);
	if (rc == IMP_OK)
		rc = outfile_add(l->out, buf_slice(out), err);
	l->count += rc == IMP_OK;
	return rc;
}

static enum imp_rc
take_row(struct mysql_look *l, const struct mysql_result *r, struct imp_err *err)
{
	if (!mysql_is_wanted(l, mysql_get(r, ROW_MID)))
		return IMP_OK;
	if (mysql_get(r, ROW_TOPIC).p == NULL || !is_integer(mysql_get(r, ROW_SEQ))) {
		l->unusable++;
		return IMP_OK;
	}
	return write_row(l, r, err);
}

/* What all lines begin and end with. */
static enum imp_rc
make_frame(struct mysql_look *l, struct imp_err *err)
{
	enum imp_rc rc;

	add_text(&l->head, "{\"ev\":\"row\",\"table\":\"", slice_of(l->table->name));
	buf_addf(&l->tail, ",\"check\":%" PRId64 "}\n", l->job->check);
	rc = buf_status(&l->head, err);
	return rc == IMP_OK ? buf_status(&l->tail, err) : rc;
}

/* ------------------------------------------------------------------ down a topic */

/* A row of the step: it says where the next one begins, and whether there is need of one. The server may take other topics for
 * this one, such as GRP1 for grp1. */
static enum imp_rc
take_step(struct mysql_look *l, const struct mysql_result *r, struct imp_err *err)
{
	struct slice seq = mysql_get(r, ROW_SEQ), time = mysql_get(r, ROW_TIME), topic = mysql_get(r, ROW_TOPIC);
	int64_t since = run_since(l->job->run, l->s->settings->margin_ns), t;

	l->behind = false;
	if (seq.p == NULL || seq.n >= sizeof(l->below))
		return IMP_OK;
	memcpy(l->below, seq.p, seq.n + 1);
	t = time.p != NULL ? mysql_time(time, l->zone_s) : INT64_MIN;
	l->behind = since != INT64_MIN && t != INT64_MIN && t < since;
	return topic.p != NULL && slice_eq(topic, l->topic) ? take_row(l, r, err) : IMP_OK;
}

/* Most topics have few rows of the run above many older ones: steps begin short. */
static enum imp_rc
walk_topic(struct mysql_look *l, const char *topic, struct imp_err *err)
{
	const uint64_t longest = l->s->settings->page;
	uint64_t n = 0;
	enum imp_rc rc = IMP_OK;

	l->topic = slice_of(topic);
	l->behind = false;
	l->page = 0;
	snprintf(l->below, sizeof(l->below), "%" PRId64, INT64_MAX);
	while (rc == IMP_OK && n == l->page && !l->behind) {
		CLEANUP(buf_done) struct buf before = BUF_INIT(sizeof(l->below));

		l->page = l->page == 0 ? FIRST_STEP : l->page * STEP_GROWS;
		if (l->page > longest)
			l->page = longest;
		buf_add_str(&before, l->below);
		rc = mysql_by_topic(l, l->below, err);
		if (rc == IMP_OK)
			rc = mysql_each(l, take_step, &n, err);
		if (rc == IMP_OK && n > 0 && slice_eq(buf_slice(&before), slice_of(l->below))) {
			l->s->conn.status = ASKED_FAILED;
			rc = imp_err_set(err, IMP_E_UNAVAILABLE, "the seqs of topic '%s' in '%s' do not go down", topic,
			    l->table->name);
		}
	}
	return rc;
}

static int
text_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The topics of the run, or those of the mids. */
static enum imp_rc
walk_topics(struct mysql_look *l, struct imp_err *err)
{
	size_t n = l->mids != NULL ? l->job->nmids : l->job->run->ntopics;
	const char *const *from = l->mids != NULL ? l->job->mid_topics : l->job->run->topics;
	CLEANUP(freep) const char **topics = calloc(n + 1, sizeof(*topics));
	enum imp_rc rc = IMP_OK;

	if (topics == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	memcpy(topics, from, n * sizeof(*topics));
	qsort(topics, n, sizeof(*topics), text_cmp);
	for (size_t i = 0; i < n && rc == IMP_OK; i++)
		if (i == 0 || strcmp(topics[i - 1], topics[i]) != 0)
			rc = walk_topic(l, topics[i], err);
	return rc;
}

/* ------------------------------------------------------------------ a table */

/* What came may be all that there is to come, and yet not all of the run. */
static enum imp_rc
check_whole(const struct mysql_look *l, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (l->unusable > 0)
		rc = imp_err_set(err, IMP_E_UNAVAILABLE, "%" PRIu64 " rows of '%s' have no topic, or a seq that is no whole number",
		    l->unusable, l->table->name);
	else if (l->by == BY_TOPIC && l->mids == NULL && l->job->run->topics_damaged > 0)
		rc = imp_err_set(err, IMP_E_UNAVAILABLE, "%zu lines of topics.jsonl cannot be read: not all topics were walked",
		    l->job->run->topics_damaged);
	if (rc != IMP_OK)
		l->s->conn.status = ASKED_LIMITED;
	return rc == IMP_OK ? mysql_check_replica(l, err) : rc;
}

static enum imp_rc
find_rows(struct mysql_look *l, struct imp_err *err)
{
	enum imp_rc rc = make_frame(l, err);

	if (rc == IMP_OK)
		rc = mysql_choose(l, err);
	if (rc == IMP_OK)
		rc = l->by == BY_MID ? mysql_each_mid(l, take_row, err) : walk_topics(l, err);
	return rc == IMP_OK ? check_whole(l, err) : rc;
}

static enum imp_rc
write_end(struct mysql_look *l, bool complete, struct imp_err *err)
{
	struct jsonw w = JSONW_INIT(&l->line);
	enum imp_rc rc;

	buf_clear(&l->line);
	jsonw_flat_object(&w);
	jsonw_key(&w, "ev");
	jsonw_str(&w, "rows");
	jsonw_key(&w, "t");
	jsonw_int(&w, l->t);
	jsonw_key(&w, "table");
	jsonw_str(&w, l->table->name);
	jsonw_key(&w, "complete");
	jsonw_bool(&w, complete);
	jsonw_key(&w, "count");
	jsonw_int(&w, (int64_t)l->count);
	if (l->shown.n > 0) {
		jsonw_key(&w, "query");
		jsonw_text(&w, buf_slice(&l->shown));
	}
	if (l->table->of->kind != NULL) {
		jsonw_key(&w, "kind");
		jsonw_str(&w, l->table->of->kind);
	}
	jsonw_key(&w, "check");
	jsonw_int(&w, l->job->check);
	jsonw_end(&w);
	rc = buf_status(&l->line, err);
	return rc == IMP_OK ? outfile_add(l->out, buf_slice(&l->line), err) : rc;
}

enum imp_rc
mysql_rows(struct mysql_look *l, struct imp_err *err)
{
	return mysql_look_up(l, "rows of", find_rows, write_end, err);
}
