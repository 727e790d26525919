#include "config.h"

#include "ingest/log_unit.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "ingest/json.h"
#include "ingest/log_loki.h"

#define PROGRESS_BYTES ((uint64_t)4 << 20)
#define TAIL_DEFAULT 10 /* lines of a container that kubectl gives when it is asked by label */

static void
streams_clear(struct log_worker *w)
{
	for (size_t i = 0; i < w->streams.n; i++)
		log_stream_free(w->streams.v[i]);
	w->streams.n = 0;
	w->last = NULL;
}

void
log_worker_done(struct log_worker *w)
{
	streams_clear(w);
	VEC_FREE(NULL, &w->streams);
	VEC_FREE(NULL, &w->scan.damages);
	log_deep_done(&w->scan.deep);
	log_line_reader_done(&w->lines);
}

static bool
stream_is(const struct log_stream *s, struct slice pod, struct slice container)
{
	return slice_eq(s->source.pod, pod) && slice_eq(s->source.container, container);
}

/* The stream of a line, made when it is new. */
static enum imp_rc
stream_of(struct log_worker *w, const struct log_part *part, const struct log_line *line, struct log_stream **ret,
    struct imp_err *err)
{
	struct slice pod = line->pod, container = line->container;
	struct log_stream *s;
	enum imp_rc rc;

	if (pod.p == NULL) {
		if (w->last != NULL && (line->raw || !part->layout.named)) { /* of whom the line before was */
			*ret = w->last;
			return IMP_OK;
		}
		pod = part->name.pod;
		container = part->name.container;
	}
	if (w->last != NULL && stream_is(w->last, pod, container)) {
		*ret = w->last;
		return IMP_OK;
	}
	for (size_t i = 0; i < w->streams.n; i++) {
		if (stream_is(w->streams.v[i], pod, container)) {
			*ret = w->last = w->streams.v[i];
			return IMP_OK;
		}
	}
	if (w->streams.n >= LOG_STREAMS_MAX && w->last != NULL) {
		log_stream_note(w->last, "lines of further pods are among its own");
		*ret = w->last;
		return IMP_OK;
	}
	rc = log_stream_new(pod, container, log_layout_name(&part->layout), part->file, &s, err);
	if (rc != IMP_OK)
		return rc;
	rc = VEC_PUSH(NULL, &w->streams, s, err);
	if (rc != IMP_OK) {
		log_stream_free(s);
		return rc;
	}
	*ret = w->last = s;
	return IMP_OK;
}

static enum imp_rc
damaged(struct log_worker *w, const struct log_part *part, uint64_t place, const char *reason, struct imp_err *err)
{
	const struct log_line nobody = { .raw = true };
	struct log_stream *s;
	enum imp_rc rc = stream_of(w, part, &nobody, &s, err);

	if (rc != IMP_OK)
		return rc;
	s->source.damaged++;
	return log_damaged(&w->scan, place, reason, err);
}

static bool
is_ascii(struct slice s)
{
	uint64_t high = 0, v;
	size_t i = 0;

	for (; i + sizeof(v) <= s.n; i += sizeof(v)) {
		memcpy(&v, s.p + i, sizeof(v));
		high |= v;
	}
	for (; i < s.n; i++)
		high |= (uint64_t)(unsigned char)s.p[i];
	return (high & UINT64_C(0x8080808080808080)) == 0;
}

/* Without the NULs at both ends. */
static struct slice
without_nuls(struct slice s)
{
	while (s.n > 0 && s.p[0] == '\0')
		s = (struct slice){ s.p + 1, s.n - 1 };
	while (s.n > 0 && s.p[s.n - 1] == '\0')
		s.n--;
	return s;
}

static enum imp_rc
take_line(struct log_worker *w, const struct log_part *part, const struct log_line *line, uint64_t place, struct imp_err *err)
{
	struct log_stream *s;
	enum imp_rc rc = line->damage != NULL ? damaged(w, part, place, line->damage, err) : IMP_OK;

	if (rc != IMP_OK || line->nothing)
		return rc;
	rc = stream_of(w, part, line, &s, err);
	if (rc != IMP_OK)
		return rc;
	if (line->odd != NULL)
		log_stream_note(s, line->odd);
	s->lines_of_file++;
	return log_stream_line(s, &w->scan, line, part->layout.format == LOG_BARE, place, err);
}

static enum imp_rc
read_line(struct log_worker *w, const struct log_part *part, const struct source_line *line, struct imp_err *err)
{
	uint64_t place = place_make(part->file, line->number, 0);
	struct slice text = line->text;
	struct log_line l;
	enum imp_rc rc = IMP_OK;

	if (line->too_long)
		rc = damaged(w, part, place, "longer than a line may be", err);
	if (text.n > 0 && (text.p[0] == '\0' || text.p[text.n - 1] == '\0')) {
		text = without_nuls(text);
		if (rc == IMP_OK)
			rc = damaged(w, part, place, "NUL bytes", err);
		if (text.n == 0)
			return rc;
	}
	if (!is_ascii(text) && !text_is_utf8(text))
		w->scan.l->files[part->file].n.repaired++;
	if (rc == IMP_OK)
		rc = log_line_read(&w->lines, &part->layout, text, &l, err);
	if (rc != IMP_OK || (text.n == 0 && l.raw))
		return rc; /* a blank line between others is nothing */
	return take_line(w, part, &l, place, err);
}

/* ------------------------------------------------------------------ files */

static enum imp_rc
read_lines(struct log_worker *w, const struct log_part *part, struct source *src, struct imp_err *err)
{
	struct file_counts *n = &w->scan.l->files[part->file].n;
	struct source_line line;
	uint64_t told_bytes = 0, told_lines = 0;
	bool more = true;
	enum imp_rc rc;

	while ((rc = source_next(src, &line, &more, err)) == IMP_OK && more) {
		n->lines++;
		rc = read_line(w, part, &line, err);
		if (rc != IMP_OK)
			break;
		if (w->progress != NULL && source_bytes(src) - told_bytes >= PROGRESS_BYTES) {
			w->progress(w->payload, source_bytes(src) - told_bytes, n->lines - told_lines);
			told_bytes = source_bytes(src);
			told_lines = n->lines;
		}
	}
	if (rc == IMP_OK && w->progress != NULL)
		w->progress(w->payload, source_bytes(src) - told_bytes, n->lines - told_lines);
	return rc;
}

/* The lines of the file as one text, up to the cap; *ret_whole when it was not reached. */
static enum imp_rc
read_document(struct source *src, struct file_counts *n, struct buf *ret, bool *ret_whole, struct imp_err *err)
{
	struct source_line line;
	bool more = true;
	enum imp_rc rc;

	*ret_whole = true;
	while ((rc = source_next(src, &line, &more, err)) == IMP_OK && more) {
		n->lines++;
		*ret_whole &= !line.too_long && ret->n + line.text.n + JSON_PADDING < LOG_LOKI_BYTES_MAX;
		if (!*ret_whole)
			continue;
		buf_add_slice(ret, line.text);
		buf_add_char(ret, '\n');
	}
	return rc;
}

static enum imp_rc
read_loki(struct log_worker *w, const struct log_part *part, struct source *src, struct imp_err *err)
{
	static const char padding[JSON_PADDING];
	CLEANUP(buf_done) struct buf text = BUF_INIT(LOG_LOKI_BYTES_MAX);
	uint64_t place = place_make(part->file, 1, 0);
	struct log_loki loki;
	struct imp_err why;
	bool whole;
	enum imp_rc rc = read_document(src, &w->scan.l->files[part->file].n, &text, &whole, err);

	if (rc == IMP_OK && !whole)
		return damaged(w, part, place, "a Loki answer that is too long", err);
	buf_add(&text, padding, sizeof(padding));
	if (rc == IMP_OK)
		rc = buf_status(&text, err);
	if (rc != IMP_OK)
		return rc;
	rc = log_loki_read((struct slice){ text.p, text.n - sizeof(padding) }, &loki, &why);
	if (rc == IMP_E_DATA)
		return damaged(w, part, place, "no Loki answer", err);
	if (rc != IMP_OK) {
		*err = why;
		return rc;
	}
	for (size_t i = 0; i < loki.v.n && rc == IMP_OK; i++) {
		rc = take_line(w, part, &loki.v.v[i].line, place, err);
		if (rc == IMP_OK)
			w->last->source.limited |= loki.limited;
	}
	for (uint64_t i = 0; i < loki.damaged && rc == IMP_OK; i++)
		rc = damaged(w, part, place, "no entry of a Loki answer", err);
	log_loki_done(&loki);
	return rc;
}

/* What the end of a file says of the streams that it has lines of. */
static void
end_file(struct log_worker *w, const struct log_part *part, bool cut)
{
	const struct ledger_file *f = &w->scan.l->files[part->file];

	for (size_t i = 0; i < w->streams.n; i++) {
		struct log_stream *s = w->streams.v[i];

		if (s->lines_of_file > 0 && cut) {
			s->source.cut = true;
			log_stream_note(s, "compressed data ends too early");
		}
		if (part->layout.format == LOG_KUBECTL && s->lines_of_file == TAIL_DEFAULT) {
			s->source.cut = s->source.limited = true;
			log_stream_note(s, "exactly 10 lines, as kubectl gives by default when it is asked by label");
		}
		if (s->lines_of_file > 0 && f->asked_short) {
			s->source.cut = true;
			log_stream_note(s, "the request for it did not come to its end");
		}
		s->source.limited |= s->lines_of_file > 0 && f->asked_limited;
		s->lines_of_file = 0;
	}
}

static enum imp_rc
read_file(struct log_worker *w, const struct log_part *part, struct imp_err *err)
{
	struct ledger *l = w->scan.l;
	struct ledger_file *f = &l->files[part->file];
	bool loki = part->layout.format == LOG_LOKI;
	struct source_limits limits = { .line_max = loki ? LOG_LOKI_BYTES_MAX : w->opt->line_max,
		.ratio_max = SOURCE_RATIO_MAX,
		.hash = w->opt->hash,
		.hash_thread = w->hash_thread };
	CLEANUP(source_closep) struct source *src = NULL;
	enum imp_rc rc = source_open(l->inputs->dirfd, l->inputs->v.v[part->file].path, &limits, &src, err);
	bool bomb;

	if (rc != IMP_OK)
		return rc;
	rc = loki ? read_loki(w, part, src, err) : read_lines(w, part, src, err);
	bomb = rc == IMP_E_LIMIT && source_kind(src) != SOURCE_PLAIN;
	if (bomb)
		rc = damaged(w, part, place_make(part->file, f->n.lines + 1, 0), "decompresses to far more than it is", err);
	f->cut = bomb || source_cut(src);
	if (rc == IMP_OK)
		end_file(w, part, f->cut);
	f->compression = (uint8_t)source_kind(src);
	if (rc == IMP_OK)
		rc = source_finish(src, err);
	f->hashed = rc == IMP_OK && w->opt->hash;
	if (f->hashed)
		memcpy(f->sha256, source_sha256(src), sizeof(f->sha256));
	return rc;
}

/* ------------------------------------------------------------------ a unit */

/* Between two parts of a log: is there one missing, or another container? */
static void
note_parts(struct log_worker *w, const struct log_unit *u)
{
	for (size_t k = 0; k < w->streams.n && !u->parts[0].layout.named; k++) {
		struct log_stream *s = w->streams.v[k];

		for (size_t i = 0; i < u->n; i++) {
			const struct log_name *a = &u->parts[i].name, *b = i + 1 < u->n ? &u->parts[i + 1].name : NULL;
			uint64_t next = b != NULL && b->number != LOG_NUMBER_NONE ? b->number : 0;

			if (a->previous)
				log_stream_note(s, "begins with the log of the container before");
			if (a->number != LOG_NUMBER_NONE && a->number < 1000000 && b != NULL && a->instance == b->instance &&
			    a->number > next + 1)
				s->source.gaps += a->number - next - 1;
			if (b != NULL && b->instance != a->instance)
				log_stream_note(s, "several instances of the container, one behind the other");
		}
		if (s->source.gaps > 0) {
			s->source.cut = true;
			log_stream_note(s, "a rotated part is missing");
		}
	}
}

static enum imp_rc
read_parts(struct log_worker *w, const struct log_unit *u, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	streams_clear(w);
	w->scan.damages.n = 0;
	for (size_t i = 0; i < u->n && rc == IMP_OK; i++) {
		w->scan.l->files[u->parts[i].file].n = (struct file_counts){ .lines = 0 };
		if (u->parts[i].layout.named)
			w->last = NULL;
		rc = read_file(w, &u->parts[i], err);
	}
	return rc;
}

enum imp_rc
log_unit_read(struct log_worker *w, const struct log_unit *u, struct logs *ret, struct imp_err *err)
{
	const size_t hits_room = w->scan.hits_room, seconds_room = w->scan.seconds_room;
	enum imp_rc rc = read_parts(w, u, err);

	if (rc == IMP_OK && w->scan.deep.keys.n > 0) {
		rc = log_deep_again(&w->scan.deep, err);
		w->scan.hits_room = hits_room;
		w->scan.seconds_room = seconds_room;
		if (rc == IMP_OK)
			rc = read_parts(w, u, err);
	}
	if (rc == IMP_OK && w->streams.n == 0) { /* an empty log is one, too */
		const struct log_line nobody = { .raw = true };
		struct log_stream *s;

		rc = stream_of(w, &u->parts[0], &nobody, &s, err);
	}
	if (rc == IMP_OK)
		note_parts(w, u);
	for (size_t i = 0; i < w->streams.n && rc == IMP_OK; i++) {
		struct log_source source;

		if (w->scan.deep.full)
			log_stream_note(w->streams.v[i], "too many old lines to know all that were sent again");
		rc = log_stream_end(w->streams.v[i], &w->scan, w->stated_ns, &source, err);
		if (rc == IMP_OK)
			rc = VEC_PUSH(NULL, &ret->v, source, err);
		else
			break;
		if (rc != IMP_OK)
			log_source_done(&source);
	}
	streams_clear(w);
	log_deep_done(&w->scan.deep);
	return rc;
}
