#include "config.h"

#include "ingest/log_stream.h"

#include <stdlib.h>

#include "base/search.h"
#include "base/time.h"
#include "ingest/log_settle.h"
#include "ingest/log_text.h"

#define TEXT_PADDING RECORD_PADDING
#define DUMP_WORDS_MAX 100  /* lines between `panic:` and the first stack */
#define MID_BYTES_MAX 512   /* of a mid in a line */
#define MID_TRIES_MAX 8	    /* places of a line where one may begin */
#define ERROR_WORDS_MAX 120 /* bytes of a collector's error in a note */

enum imp_rc
log_damaged(struct log_scan *scan, uint64_t place, const char *reason, struct imp_err *err)
{
	struct file_counts *n = &scan->l->files[place_file(place)].n;
	const struct damage d = { .place = place, .reason = reason, .before = NO_TIME, .after = NO_TIME };

	n->rejected++;
	n->records++;
	return n->rejected <= DAMAGE_PER_FILE_MAX ? VEC_PUSH(NULL, &scan->damages, d, err) : IMP_OK;
}

enum imp_rc
log_stream_new(struct slice pod, struct slice container, const char *format, uint32_t file, struct log_stream **ret,
    struct imp_err *err)
{
	struct log_stream *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: a log");
	s->note = (struct buf)BUF_INIT(LOG_NOTE_MAX);
	s->source.format = format;
	s->source.file = file;
	s->source.pod = arena_slice(&s->source.arena, pod, err);
	s->source.container = arena_slice(&s->source.arena, container, err);
	if (s->source.pod.p == NULL || s->source.container.p == NULL) {
		log_stream_free(s);
		return IMP_E_NOMEM;
	}
	for (unsigned k = 0; k < _LOG_PIPE_MAX; k++)
		s->pipe[k].window.salt = hash_bytes(pod) ^ hash_bytes(container) * (k + 2);
	for (int k = 0; k <= LOG_ABSOLUTE; k++)
		s->track[k].first_t = s->track[k].last_t = s->track[k].seen_t = s->track[k].gap_ns = NO_TIME;
	*ret = s;
	return IMP_OK;
}

void
log_stream_free(struct log_stream *s)
{
	if (s == NULL)
		return;
	for (int k = 0; k < _LOG_PIPE_MAX; k++) {
		free(s->pipe[k].parts.p);
		free(s->pipe[k].event.p);
		log_window_done(&s->pipe[k].window);
	}
	for (int k = 0; k <= LOG_ABSOLUTE; k++)
		VEC_FREE(NULL, &s->track[k].seconds);
	log_hits_done(&s->hits);
	buf_done(&s->note);
	arena_done(&s->source.arena);
	free(s);
}

void
log_stream_note(struct log_stream *s, const char *words)
{
	size_t n = strlen(words);

	if ((s->note.n > 0 && memmem(s->note.p, s->note.n, words, n) != NULL) || s->note.n + n + 2 >= LOG_NOTE_MAX)
		return;
	if (s->note.n > 0)
		buf_add_str(&s->note, "; ");
	buf_add_str(&s->note, words);
}

/* ------------------------------------------------------------------ an event, whole */

/* The second of `t` in a track, made when it is new. */
static enum imp_rc
count_second(struct log_stream *s, struct log_track *k, int64_t t, size_t *room, struct imp_err *err)
{
	int64_t second = time_second(t);
	struct log_second fresh = { second, 1, t, t };
	size_t n = k->seconds.n, i;
	enum imp_rc rc;

	if (n > 0 && k->seconds.v[n - 1].second <= second) /* as nearly always */
		i = k->seconds.v[n - 1].second == second ? n - 1 : n;
	else
		LOWER_BOUND(i, 0, n, k->seconds.v[i].second < second);
	if (i < n && k->seconds.v[i].second == second) {
		struct log_second *x = &k->seconds.v[i];

		x->lines++;
		x->first_t = t < x->first_t ? t : x->first_t;
		x->last_t = t > x->last_t ? t : x->last_t;
		return IMP_OK;
	}
	if (*room == 0) {
		log_stream_note(s, "more seconds than are told apart");
		return IMP_OK;
	}
	rc = VEC_PUSH(NULL, &k->seconds, fresh, err);
	if (rc != IMP_OK)
		return rc;
	memmove(k->seconds.v + i + 1, k->seconds.v + i, (n - i) * sizeof(fresh));
	k->seconds.v[i] = fresh;
	--*room;
	return IMP_OK;
}

static void
track_time(struct log_track *k, int64_t t)
{
	if (k->seen_t != NO_TIME && t - k->seen_t > k->gap_ns)
		k->gap_ns = t - k->seen_t;
	k->seen_t = t;
	if (k->first_t == NO_TIME || t < k->first_t)
		k->first_t = t;
	if (t > k->last_t)
		k->last_t = t;
}

/* The mid that begins at `p`, up to what ends a word or a string. */
static struct slice
mid_at(const char *p, const char *end)
{
	const char *q = p;

	while (q < end && q - p < MID_BYTES_MAX && (unsigned char)*q > ' ' && memchr("\"'\\,;)]}>", *q, 9) == NULL)
		q++;
	return (struct slice){ p, (size_t)(q - p) };
}

/* A line with a mid of the run beside that mid's `pub`. */
static void
vote_by_mid(struct log_stream *s, const struct log_scan *scan, struct slice text, int64_t t)
{
	static const struct slice key = SLICE("\"x-im-client-mid\":\"");
	struct slice prefix = scan->l->plan->mid_prefix, find = prefix.n > 0 ? prefix : key;
	const char *end = text.p + text.n, *at = text.p;

	if (s->anchors.votes >= LOG_ZONE_VOTES_ENOUGH || scan->l->mids.names.n == 0)
		return;
	for (int tries = 0; tries < MID_TRIES_MAX && (at = memmem(at, (size_t)(end - at), find.p, find.n)) != NULL; tries++) {
		const char *mid_p = prefix.n > 0 ? at : at + find.n;
		uint32_t mid = intern_find(&scan->l->mids, mid_at(mid_p, end));

		if (mid != INTERN_NONE && scan->first_pub[mid] != NO_TIME) {
			log_zone_vote(&s->anchors, t, scan->first_pub[mid]);
			return;
		}
		at += find.n;
	}
}

/* What the time of an event says of the stream. `own` times may want for a zone. */
static enum imp_rc
date_event(struct log_stream *s, struct log_scan *scan, const struct log_time *t, struct slice text, struct imp_err *err)
{
	track_time(&s->track[t->kind], t->ns);
	if (t->kind == LOG_LOCAL) {
		if (s->last.kind == LOG_ABSOLUTE)
			log_zone_vote(&s->beside, t->ns, s->last.ns);
		vote_by_mid(s, scan, text, t->ns);
	} else if (s->last.kind == LOG_LOCAL) {
		log_zone_vote(&s->beside, s->last.ns, t->ns);
	}
	s->last = *t;
	return count_second(s, &s->track[t->kind], t->ns, &scan->seconds_room, err);
}

struct look {
	struct log_stream *s;
	struct log_scan *scan;
	struct slice text;
	struct log_time t;
	uint64_t place;
};

static enum imp_rc
take_hit(void *payload, size_t which, struct slice subject, struct imp_err *err)
{
	struct look *k = payload;
	int64_t t = k->t.kind != LOG_UNDATED ? k->t.ns : NO_TIME;
	const struct log_hit hit = {
		.signature = (uint32_t)which,
		.subject = subject,
		.second = t != NO_TIME ? time_second(t) : NO_TIME,
		.n = 1,
		.first_t = t,
		.last_t = t,
		.place = k->place,
	};

	if (which >= k->scan->nsignatures) {
		k->s->source.sampled = true;
		return IMP_OK;
	}
	return log_hits_add(&k->s->hits, &k->s->source.arena, &k->scan->hits_room, &hit, k->t.kind, k->text, err);
}

static enum imp_rc
look_through(struct look *k, struct imp_err *err)
{
	uint64_t exceeded = matcher_exceeded(k->scan->match);
	enum imp_rc rc = matcher_scan(k->scan->match, k->text, take_hit, k, err);

	if (rc == IMP_OK && matcher_exceeded(k->scan->match) != exceeded) {
		log_stream_note(k->s, "a signature took too long for some lines");
		k->s->source.damaged++;
	}
	return rc;
}

static void
note_error(struct log_stream *s, struct slice text)
{
	char words[ERROR_WORDS_MAX + 1];
	size_t n = 0;

	while (n < text.n && n < ERROR_WORDS_MAX && text.p[n] >= ' ' && text.p[n] <= '~') {
		words[n] = text.p[n];
		n++;
	}
	words[n] = '\0';
	log_stream_note(s, words);
}

/* `of_runtime`: `t` is when the runtime got it. */
static enum imp_rc
take_event(struct log_stream *s, struct log_scan *scan, struct log_window *w, struct slice text, struct log_time t, uint64_t place,
    bool of_runtime, struct imp_err *err)
{
	struct file_counts *n = &scan->l->files[place_file(place)].n;
	struct look look = { s, scan, text, t, place };
	bool resent = false;
	enum imp_rc rc = IMP_OK;

	if (log_is_collector_error(text)) {
		note_error(s, text);
		return IMP_OK;
	}
	n->records++;
	n->events++;
	if (of_runtime && t.kind == LOG_ABSOLUTE && t.fine)
		rc = log_resent(w, &scan->deep, t.ns, hash_bytes(text) + (uint64_t)t.ns * UINT64_C(0x9e3779b97f4a7c15) + w->salt,
		    &resent, err);
	if (rc != IMP_OK)
		return rc;
	if (resent) {
		n->resent++;
		s->source.resent++;
		return IMP_OK;
	}
	s->source.events++;
	if (t.kind != LOG_UNDATED)
		rc = date_event(s, scan, &t, text, err);
	else
		look.t = s->last; /* said between lines that say when */
	return rc == IMP_OK && scan->match != NULL && text.n > 0 ? look_through(&look, err) : rc;
}

/* ------------------------------------------------------------------ lines to events */

/* Add to a text; `whole` bytes may be more than the cap of several lines. *ret_over when something was left out. */
static enum imp_rc
text_add(struct log_text *x, struct slice s, struct imp_err *err)
{
	size_t need;

	if (x->n > 0 && x->n + s.n > LOG_EVENT_MAX) {
		s.n = x->n < LOG_EVENT_MAX ? LOG_EVENT_MAX - x->n : 0;
		x->over = true;
	}
	need = x->n + s.n + TEXT_PADDING;
	if (need > x->cap) {
		size_t cap = need > 2 * x->cap ? need : 2 * x->cap;
		char *p = realloc(x->p, cap);

		if (p == NULL)
			return imp_err_set(err, IMP_E_NOMEM, "out of memory: an event of %zu bytes", need);
		x->p = p;
		x->cap = cap;
	}
	memcpy(x->p + x->n, s.p, s.n);
	x->n += s.n;
	memset(x->p + x->n, 0, TEXT_PADDING);
	return IMP_OK;
}

static enum imp_rc
text_begin(struct log_text *x, struct slice s, const struct log_time *t, uint64_t place, struct imp_err *err)
{
	x->n = 0;
	x->over = false;
	x->is = true;
	x->t = *t;
	x->place = place;
	return text_add(x, s, err);
}

static struct slice
text_slice(const struct log_text *x)
{
	return (struct slice){ x->p, x->n };
}

/* What is open in a pipe is whole. */
static enum imp_rc
close_event(struct log_stream *s, struct log_scan *scan, struct log_pipe_state *p, struct imp_err *err)
{
	if (!p->event.is)
		return IMP_OK;
	p->event.is = p->dump = p->traced = false;
	return take_event(s, scan, &p->window, text_slice(&p->event), p->event.t, p->event.place, p->of_runtime, err);
}

static enum imp_rc
go_on(struct log_pipe_state *p, struct slice text, struct imp_err *err)
{
	enum imp_rc rc = text_add(&p->event, SLICE("\n"), err);

	return rc == IMP_OK ? text_add(&p->event, text, err) : rc;
}

static bool
dump_goes_on(struct log_pipe_state *p, struct log_scan *scan, struct slice text, bool known_headed, bool headed)
{
	struct log_time t;

	if (!known_headed)
		headed = log_time_of_text(&scan->clock, text, &t);
	if (!log_dump_goes_on(text, headed, p->traced) || (!p->traced && ++p->words > DUMP_WORDS_MAX))
		return false;
	p->traced |= log_dump_is_stack(text);
	return true;
}

/* A line of JSON is a line of its own, with a time or without. */
static bool
is_object(struct slice text)
{
	return text.n > 2 && text.p[0] == '{' && text.p[1] == '"' && text.p[text.n - 1] == '}';
}

/* A line of the program, whole. */
static enum imp_rc
take_line(struct log_stream *s, struct log_scan *scan, struct log_pipe_state *p, struct slice text, struct log_time t, bool bare,
    uint64_t place, struct imp_err *err)
{
	bool of_runtime = t.kind != LOG_UNDATED, own = bare && !of_runtime, headed = false, dump;
	enum imp_rc rc = IMP_OK;

	if (own)
		headed = log_time_of_text(&scan->clock, text, &t);
	s->headed |= headed;
	dump = log_dump_starts(text);
	if (p->event.is) {
		if (p->dump && dump_goes_on(p, scan, text, own, headed))
			return go_on(p, text, err);
		if (!p->dump && own && s->headed && !headed && !dump && !is_object(text))
			return go_on(p, text, err);
		rc = close_event(s, scan, p, err);
	}
	if (rc != IMP_OK || (own && text.n == 0)) /* a blank line that belongs to no event */
		return rc;
	if (!own && !dump)
		return take_event(s, scan, &p->window, text, t, place, of_runtime, err);
	p->dump = dump;
	p->traced = false;
	p->words = 0;
	p->of_runtime = of_runtime;
	return text_begin(&p->event, text, &t, place, err);
}

/* The parts of a line are put together again. */
static enum imp_rc
take_part(struct log_stream *s, struct log_scan *scan, struct log_pipe_state *p, const struct log_line *line, bool bare,
    uint64_t place, struct imp_err *err)
{
	enum imp_rc rc;

	if (!p->parts.is)
		rc = text_begin(&p->parts, line->text, &line->t, place, err);
	else
		rc = text_add(&p->parts, line->text, err);
	if (rc != IMP_OK || line->partial)
		return rc;
	p->parts.is = false;
	if (p->parts.over) {
		rc = log_damaged(scan, p->parts.place, "the parts of a line are longer than an event may be", err);
		s->source.damaged++;
	}
	return rc == IMP_OK ? take_line(s, scan, p, text_slice(&p->parts), p->parts.t, bare, p->parts.place, err) : rc;
}

enum imp_rc
log_stream_line(struct log_stream *s, struct log_scan *scan, const struct log_line *line, bool bare, uint64_t place,
    struct imp_err *err)
{
	struct log_pipe_state *p = &s->pipe[line->pipe];

	if (!line->raw && (line->partial || p->parts.is))
		return take_part(s, scan, p, line, bare, place, err);
	return take_line(s, scan, p, line->text, line->t, bare || (line->t.kind == LOG_UNDATED && !line->raw), place, err);
}

enum imp_rc
log_stream_end(struct log_stream *s, struct log_scan *scan, const int64_t *stated_ns, struct log_source *ret, struct imp_err *err)
{
	const struct log_line nothing = { .text = SLICE(""), .partial = false };
	enum imp_rc rc = IMP_OK;

	for (int k = 0; k < _LOG_PIPE_MAX && rc == IMP_OK; k++) {
		struct log_pipe_state *p = &s->pipe[k];

		if (p->parts.is) {
			log_stream_note(s, "the last line has no end");
			rc = take_part(s, scan, p, &nothing, s->pipe[k].parts.t.kind == LOG_UNDATED, p->parts.place, err);
		}
		if (rc == IMP_OK)
			rc = close_event(s, scan, p, err);
	}
	return rc == IMP_OK ? log_settle(s, scan, stated_ns, ret, err) : rc;
}
