/* ingest/metrics_file.c - a text snapshot, line by line. */
#include "config.h"

#include <math.h>

#include "base/cleanup.h"
#include "ingest/metrics.h"
#include "ingest/metrics_text.h"

/* Series as they are written are remembered up to here: snapshots of one target repeat them, byte by byte. */
#define RAW_MAX ((size_t)1 << 17)
#define LINE_BYTES_MAX ((size_t)1 << 20)

struct reading {
	struct metrics *m;
	struct snapshot *s;
	uint32_t file, source;
	int64_t t;
	uint64_t line;
	bool open_metrics, ended;   /* `# EOF` */
	bool seconds, milliseconds; /* some times were */
	bool crlf, exemplars, no_room;
	bool histogram_open; /* of the family at hand: buckets were there, the last of all was not */
	struct imp_err *err;
};

/* *ret_open: a type that only OpenMetrics has. */
static const char *
type_name(struct slice type, bool *ret_open)
{
	static const struct {
		const char *name;
		bool open;
	} types[] = {
		{ "counter", false },
		{ "gauge", false },
		{ "histogram", false },
		{ "summary", false },
		{ "untyped", false },
		{ "unknown", true },
		{ "info", true },
		{ "stateset", true },
		{ "gaugehistogram", true },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (slice_eq(type, slice_of(types[i].name))) {
			*ret_open = types[i].open;
			return types[i].name;
		}
	}
	return NULL;
}

/* A line for which there is no memory is left out, and the source says so. */
static enum imp_rc
leave_out(struct reading *rd)
{
	rd->no_room = true;
	rd->m->sources.v[rd->source].limited = true;
	return IMP_OK;
}

static void
end_family(struct reading *rd)
{
	if (rd->histogram_open)
		snapshot_note(rd->s, "a histogram has no +Inf bucket");
	rd->histogram_open = false;
}

static enum imp_rc
declare_type(struct reading *rd, const struct metrics_line *l)
{
	bool open = false;
	const char *type = type_name(l->type, &open);
	uint32_t family;
	enum imp_rc rc;

	end_family(rd);
	if (type == NULL)
		return snapshot_reject(rd->s, rd->line, "a type that does not exist", rd->err);
	rd->open_metrics |= open;
	rc = VEC_RESERVE(rd->m->budget, &rd->m->types, 1, rd->err);
	if (rc == IMP_OK)
		rc = intern_add(&rd->m->families, l->name, &family, rd->err);
	if (rc == IMP_OK && family == rd->m->types.n)
		rd->m->types.v[rd->m->types.n++] = type;
	return rc == IMP_E_LIMIT ? leave_out(rd) : rc;
}

/* The series of a line, by its bytes when they were seen before. *ret_reason: why it is none. */
static enum imp_rc
find_series(struct reading *rd, struct slice raw, uint32_t *ret, const char **ret_reason)
{
	struct metrics *m = rd->m;
	uint32_t known = intern_find(&m->raw, raw);
	enum imp_rc rc;

	*ret_reason = NULL;
	if (known != INTERN_NONE) {
		*ret = m->raw_series.v[known];
		return IMP_OK;
	}
	buf_clear(&m->key);
	*ret_reason = metrics_series_write(raw, &m->key, &m->scratch);
	if (*ret_reason != NULL)
		return IMP_OK;
	rc = buf_status(&m->scratch, rd->err);
	if (rc == IMP_OK)
		rc = metrics_find(m, rd->source, ret, rd->err);
	if (rc != IMP_OK || m->raw.names.n >= RAW_MAX)
		return rc;
	rc = VEC_RESERVE(m->budget, &m->raw_series, 1, rd->err);
	if (rc == IMP_OK)
		rc = intern_add(&m->raw, raw, &known, rd->err);
	if (rc == IMP_OK)
		m->raw_series.v[m->raw_series.n++] = *ret;
	return rc == IMP_E_LIMIT ? IMP_OK : rc; /* without it is only slower */
}

static int64_t
sample_time(struct reading *rd, const struct metrics_line *l)
{
	bool seconds = rd->open_metrics || memchr(l->time.p, '.', l->time.n) != NULL;
	int64_t t = metrics_time(rd->m, l->time, &seconds);

	rd->seconds |= seconds;
	rd->milliseconds |= !seconds;
	return t;
}

static void
note_bucket(struct reading *rd, const struct metrics_series *series)
{
	if (!slice_has_suffix(series->name, SLICE("_bucket")))
		return;
	if (memmem(series->labels.p, series->labels.n, "le=\"+Inf\"", 9) != NULL)
		rd->histogram_open = false;
	else if (memmem(series->labels.p, series->labels.n, "le=\"", 4) != NULL)
		rd->histogram_open = true;
}

static enum imp_rc
read_sample(struct reading *rd, const struct metrics_line *l)
{
	struct metrics_sample x = { .t = rd->t, .value = l->value, .file = rd->file, .line = (uint32_t)rd->line };
	struct metrics_series *series;
	const char *reason;
	enum imp_rc rc = find_series(rd, l->series, &x.series, &reason);

	if (rc != IMP_OK)
		return rc == IMP_E_LIMIT ? leave_out(rd) : rc;
	if (reason != NULL)
		return snapshot_reject(rd->s, rd->line, reason, rd->err);
	if (l->time.n > 0)
		x.t = sample_time(rd, l);
	series = &rd->m->series.v[x.series];
	if (l->time.n == 0 && series->seen == rd->file)
		return snapshot_reject(rd->s, rd->line, "a series that is there twice", rd->err);
	series->seen = rd->file;
	rd->exemplars |= l->exemplar;
	note_bucket(rd, series);
	rd->s->samples++;
	rc = metrics_add(rd->m, x, rd->err);
	return rc == IMP_E_LIMIT ? leave_out(rd) : rc;
}

/* *ret_stop: nothing more of this file is worth a look. */
static enum imp_rc
read_line(struct reading *rd, const struct source_line *line, bool *ret_stop)
{
	struct metrics_line l;
	const char *reason;

	rd->line = line->number;
	if (line->too_long)
		return snapshot_reject(rd->s, rd->line, "longer than the limit", rd->err);
	if (rd->s->samples == 0 && line->text.n > 0 && line->text.p[0] == '<') {
		*ret_stop = true;
		snapshot_note(rd->s, "a page of HTML, not metrics");
		return snapshot_reject(rd->s, rd->line, "a page of HTML, not metrics", rd->err);
	}
	rd->crlf |= line->text.p[line->text.n] == '\r'; /* that the source took for a part of the line's end */
	reason = metrics_line_read(line->text, &l);
	if (reason == NULL && rd->ended && line->text.n > 0)
		reason = "something stands behind # EOF";
	if (reason != NULL)
		return snapshot_reject(rd->s, rd->line, reason, rd->err);
	if (l.kind == METRICS_TYPE)
		return declare_type(rd, &l);
	rd->open_metrics |= l.kind == METRICS_UNIT || l.kind == METRICS_EOF;
	rd->ended |= l.kind == METRICS_EOF;
	return l.kind == METRICS_SAMPLE ? read_sample(rd, &l) : IMP_OK;
}

static void
note_file(struct reading *rd)
{
	end_family(rd);
	if (rd->s->samples == 0 && rd->s->rejected == 0)
		snapshot_note(rd->s, "empty");
	if (rd->s->cut)
		snapshot_note(rd->s, rd->open_metrics ? "it ends without # EOF" : "the last line has no end");
	if (rd->crlf)
		snapshot_note(rd->s, "lines end in CRLF");
	if (rd->exemplars && !rd->open_metrics)
		snapshot_note(rd->s, "exemplars in the text format: passed over");
	if (rd->open_metrics ? rd->milliseconds : rd->seconds)
		snapshot_note(rd->s, "times in %s, not what the format says", rd->open_metrics ? "milliseconds" : "seconds");
	if (rd->no_room)
		snapshot_note(rd->s, "more series than --memory has room for");
}

static enum imp_rc
read_lines(struct reading *rd, struct source *src)
{
	struct source_line line = { .complete = true };
	bool more = true, stop = false;
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && !stop && (rc = source_next(src, &line, &more, rd->err)) == IMP_OK && more)
		rc = read_line(rd, &line, &stop);
	if (rc == IMP_E_LIMIT) /* a bomb */
		rc = snapshot_reject(rd->s, rd->line + 1, "too large to be read", rd->err);
	rd->s->lines = rd->line;
	rd->s->cut = !stop && (source_cut(src) || (rd->open_metrics ? !rd->ended : !line.complete));
	return rc;
}

enum imp_rc
metrics_read_text(struct metrics *m, struct snapshot *s, uint32_t file, struct slice source, int64_t t, struct imp_err *err)
{
	const struct source_limits limits = { .line_max = LINE_BYTES_MAX, .ratio_max = SOURCE_RATIO_MAX };
	struct imp_err why;
	struct reading rd = { .m = m, .s = s, .file = file, .t = t, .err = &why };
	CLEANUP(source_closep) struct source *src = NULL;
	enum imp_rc rc = metrics_source(m, source, (struct slice){ NULL, 0 }, "prometheus", file, &rd.source, &why);

	if (rc == IMP_OK)
		rc = source_open(s->dirfd, s->path, &limits, &src, &why);
	if (rc == IMP_OK) {
		s->compression = source_kind(src);
		rc = read_lines(&rd, src);
	}
	if (rc != IMP_OK) {
		if (err != NULL)
			*err = why;
		return rc;
	}
	note_file(&rd);
	if (rd.open_metrics)
		m->sources.v[rd.source].format = "openmetrics";
	metrics_settle(m, rd.source, s);
	return IMP_OK;
}
