#include "config.h"

#include "ingest/log_settle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cmp.h"
#include "base/time.h"

#define NS_PER_MIN (60 * NS_PER_S)

/* How the times without a zone get one, in the order of the ledger format: stated, another line, lines with mids. */
static enum log_zone
settle_zone(struct log_stream *s, const struct log_scan *scan, const int64_t *stated_ns, int64_t *ret_offset_ns)
{
	int64_t anchored;
	bool anchor = log_zone_elected(&s->anchors, &anchored);

	if (s->track[LOG_LOCAL].first_t == NO_TIME)
		return s->track[LOG_ABSOLUTE].first_t != NO_TIME ? LOG_ZONE_OWN : LOG_ZONE_UNKNOWN;
	if (stated_ns != NULL) {
		char words[96];
		int64_t min = anchor ? anchored / NS_PER_MIN : 0, abs_min = min < 0 ? -min : min;

		if (anchor && anchored != *stated_ns) {
			snprintf(words, sizeof(words), "lines with mids of the run say %c%02" PRId64 ":%02" PRId64 ", not log_zone",
			    min < 0 ? '-' : '+', abs_min / 60, abs_min % 60);
			log_stream_note(s, words);
		}
		*ret_offset_ns = *stated_ns;
		return LOG_ZONE_STATED;
	}
	if (scan->l->plan->log_zone.n > 0)
		log_stream_note(s, "log_zone is no offset from UTC: not used");
	if (log_zone_elected(&s->beside, ret_offset_ns))
		return LOG_ZONE_OTHER_LINE;
	if (anchor) {
		*ret_offset_ns = anchored;
		return LOG_ZONE_ANCHORED;
	}
	return LOG_ZONE_UNKNOWN;
}

static int
second_cmp(const void *a, const void *b)
{
	const struct log_second *x = a, *y = b;

	CMP(x->second, y->second);
	return 0;
}

/* The seconds of both tracks as one, the local ones `offset_ns` earlier. */
static enum imp_rc
join_seconds(struct log_stream *s, bool with_local, int64_t offset_ns, struct imp_err *err)
{
	struct log_track *to = &s->track[LOG_ABSOLUTE], *local = &s->track[LOG_LOCAL];
	size_t kept = 0;

	for (size_t i = 0; with_local && i < local->seconds.n; i++) {
		struct log_second x = local->seconds.v[i];
		enum imp_rc rc;

		x.second -= offset_ns / NS_PER_S;
		x.first_t -= offset_ns;
		x.last_t -= offset_ns;
		rc = VEC_PUSH(NULL, &to->seconds, x, err);
		if (rc != IMP_OK)
			return rc;
	}
	if (to->seconds.n > 1)
		qsort(to->seconds.v, to->seconds.n, sizeof(*to->seconds.v), second_cmp);
	for (size_t i = 0; i < to->seconds.n; i++) {
		struct log_second *x = &to->seconds.v[i], *last = kept > 0 ? &to->seconds.v[kept - 1] : NULL;

		if (last == NULL || last->second != x->second) {
			to->seconds.v[kept++] = *x;
			continue;
		}
		last->lines += x->lines;
		last->first_t = x->first_t < last->first_t ? x->first_t : last->first_t;
		last->last_t = x->last_t > last->last_t ? x->last_t : last->last_t;
	}
	to->seconds.n = kept;
	return IMP_OK;
}

static void
join_range(struct log_stream *s, bool with_local, int64_t offset_ns)
{
	struct log_track *to = &s->track[LOG_ABSOLUTE];
	const struct log_track *local = &s->track[LOG_LOCAL];

	if (!with_local || local->first_t == NO_TIME)
		return;
	if (to->first_t == NO_TIME || local->first_t - offset_ns < to->first_t)
		to->first_t = local->first_t - offset_ns;
	if (local->last_t - offset_ns > to->last_t)
		to->last_t = local->last_t - offset_ns;
	if (local->gap_ns > to->gap_ns)
		to->gap_ns = local->gap_ns;
}

static int
hit_cmp(const void *a, const void *b)
{
	const struct log_hit *x = a, *y = b;

	CMP(x->place, y->place);
	CMP(x->signature, y->signature);
	CMP(x->second, y->second);
	return slice_cmp(x->subject, y->subject);
}

static enum imp_rc
give_hits(struct log_stream *s, struct log_source *r, struct imp_err *err)
{
	enum imp_rc rc = VEC_RESERVE(NULL, &r->hits, s->hits.v.n, err);

	for (size_t i = 0; i < s->hits.v.n && rc == IMP_OK; i++)
		r->hits.v[r->hits.n++] = s->hits.v.v[i].hit;
	if (r->hits.n > 1)
		qsort(r->hits.v, r->hits.n, sizeof(*r->hits.v), hit_cmp);
	return rc;
}

enum imp_rc
log_settle(struct log_stream *s, struct log_scan *scan, const int64_t *stated_ns, struct log_source *ret, struct imp_err *err)
{
	struct log_source *r = &s->source;
	int64_t offset_ns = 0;
	bool known;
	enum imp_rc rc;

	r->zone = settle_zone(s, scan, stated_ns, &offset_ns);
	known = r->zone != LOG_ZONE_UNKNOWN;
	r->zone_offset_ns = known && r->zone != LOG_ZONE_OWN ? offset_ns : NO_TIME;
	if (s->hits.no_subjects)
		log_stream_note(s, "more hits than are told apart by what they name");
	if (s->hits.full) {
		log_stream_note(s, "more hits than are kept");
		r->limited = true;
	}
	rc = log_hits_settle(&s->hits, &scan->hits_room, known, offset_ns, err);
	if (rc == IMP_OK)
		rc = join_seconds(s, known, offset_ns, err);
	if (rc == IMP_OK)
		rc = give_hits(s, r, err);
	if (rc != IMP_OK) {
		VEC_FREE(NULL, &r->hits);
		return rc;
	}
	join_range(s, known, offset_ns);
	r->first_t = s->track[LOG_ABSOLUTE].first_t;
	r->last_t = s->track[LOG_ABSOLUTE].last_t;
	r->longest_gap_ns = s->track[LOG_ABSOLUTE].gap_ns;
	rc = buf_status(&s->note, err);
	if (rc == IMP_OK && s->note.n > 0) {
		r->note = arena_slice(&r->arena, buf_slice(&s->note), err);
		rc = r->note.p != NULL ? IMP_OK : IMP_E_NOMEM;
	}
	if (rc != IMP_OK) {
		VEC_FREE(NULL, &r->hits);
		return rc;
	}
	r->seconds.v = s->track[LOG_ABSOLUTE].seconds.v;
	r->seconds.n = s->track[LOG_ABSOLUTE].seconds.n;
	r->seconds.cap = s->track[LOG_ABSOLUTE].seconds.cap;
	s->track[LOG_ABSOLUTE].seconds.v = NULL;
	s->track[LOG_ABSOLUTE].seconds.n = s->track[LOG_ABSOLUTE].seconds.cap = 0;
	*ret = *r;
	*r = (struct log_source){ .file = 0 };
	return IMP_OK;
}
