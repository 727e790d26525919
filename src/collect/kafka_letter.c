#include "config.h"

#include "collect/kafka.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/redact.h"
#include "base/time.h"

#define ERROR_BYTES_MAX 4096 /* of a letter's error */

static int
mid_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum imp_rc
kafka_letter_writer_init(struct kafka_letter_writer *w, const struct collect_job *job, struct outfile *out, struct imp_err *err)
{
	struct buf empty = BUF_INIT(KAFKA_FIELD_BYTES_MAX);

	*w = (struct kafka_letter_writer){ .job = job,
		.out = out,
		.mid = empty,
		.text = empty,
		.topic = empty,
		.error = empty,
		.line = empty };
	if (job->mids == NULL)
		return IMP_OK;
	w->mids = calloc(job->nmids + 1, sizeof(*w->mids));
	if (w->mids == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	for (size_t i = 0; i < job->nmids; i++)
		w->mids[i] = job->mids[i];
	qsort(w->mids, job->nmids, sizeof(*w->mids), mid_cmp);
	return IMP_OK;
}

void
kafka_letter_writer_done(struct kafka_letter_writer *w)
{
	buf_done(&w->mid);
	buf_done(&w->text);
	buf_done(&w->topic);
	buf_done(&w->error);
	buf_done(&w->line);
	free(w->mids);
}

static bool
header_of(const void *ctx, const char *name, struct slice *ret)
{
	rd_kafka_headers_t *headers;
	const void *value;
	size_t n;

	if (rd_kafka_message_headers(ctx, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR ||
	    rd_kafka_header_get_last(headers, name, &value, &n) != RD_KAFKA_RESP_ERR_NO_ERROR || value == NULL)
		return false;
	*ret = (struct slice){ value, n };
	return true;
}

/* Is it a letter that this look-up is about? */
static bool
is_wanted(const struct kafka_letter_writer *w)
{
	const char *prefix = w->job->run->mid_prefix, *mid = w->mid.p;

	if (w->mids != NULL)
		return strlen(mid) == w->mid.n && bsearch(&mid, w->mids, w->job->nmids, sizeof(*w->mids), mid_cmp) != NULL;
	return prefix == NULL || slice_has_prefix(buf_slice(&w->mid), slice_of(prefix));
}

static int64_t
whole_number(const struct buf *text)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text->p, &end, 10);
	return text->n > 0 && errno == 0 && (size_t)(end - text->p) == text->n ? v : DEAD_NO_CODE;
}

static enum imp_rc
write_letter(struct kafka_letter_writer *w, const struct kafka_letters *l, struct kafka_record *record, int64_t t,
    struct imp_err *err)
{
	struct dead_letter d = { .t = t, .mid = buf_slice(&w->mid), .code = DEAD_NO_CODE, .kafka_topic = slice_of(l->topic) };
	enum imp_rc rc;

	buf_clear(&w->error);
	if (kafka_field_get(&l->error, record, &w->text)) {
		buf_truncate(&w->text, ERROR_BYTES_MAX);
		redact_add(&w->error, buf_slice(&w->text));
	}
	d.error = w->error.n > 0 ? buf_slice(&w->error) : SLICE("not said");
	if (kafka_field_get(&l->code, record, &w->text))
		d.code = whole_number(&w->text);
	d.replayed = kafka_field_get(&l->state, record, &w->text) && slice_eq(buf_slice(&w->text), slice_of(l->replayed));
	if (kafka_field_get(&l->message_topic, record, &w->topic))
		d.topic = buf_slice(&w->topic);
	buf_clear(&w->line);
	rc = dead_tally_line(w->job->deads, &d, &w->line, err);
	return rc == IMP_OK ? outfile_add(w->out, buf_slice(&w->line), err) : rc;
}

enum imp_rc
kafka_letter_take(struct kafka_letter_writer *w, const struct kafka_letters *l, const rd_kafka_message_t *m,
    struct kafka_letter_counts *counts, struct imp_err *err)
{
	CLEANUP(kafka_record_done)
	struct kafka_record record = {
		.key = { m->key, m->key_len },
		.value = { m->payload, m->len },
		.header = header_of,
		.ctx = m,
	};
	rd_kafka_timestamp_type_t type;
	int64_t ms = rd_kafka_message_timestamp(m, &type);
	int64_t t = type != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE && ms >= 0 && ms <= TIME_MAX / 1000000 ? ms * 1000000 : time_now();

	counts->records++;
	counts->bytes += m->len + m->key_len;
	if (kafka_field_get(&l->mid, &record, &w->mid) && w->mid.n > 0) {
		if (!is_wanted(w)) {
			counts->others++;
			return IMP_OK;
		}
		counts->found++;
		return write_letter(w, l, &record, t, err);
	}
	if (m->payload == NULL)
		counts->tombstones++;
	else if (t >= run_since(w->job->run, l->margin_ns))
		counts->unread++; /* it may be of the run */
	else
		counts->others++;
	return IMP_OK;
}
