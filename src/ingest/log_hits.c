#include "config.h"

#include "ingest/log_hits.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/intern.h"
#include "base/redact.h"
#include "base/text.h"
#include "base/time.h"

#define REDACT_BYTES LOG_EVENT_MAX /* of a text are looked at */
#define GRAIN_MAX INT64_C(3600)

void
log_hits_done(struct log_hits *h)
{
	VEC_FREE(NULL, &h->v);
	free(h->slot);
	*h = (struct log_hits){ .nslots = 0 };
}

static uint64_t
row_hash(const struct log_hit_row *r)
{
	const int64_t key[4] = { r->hit.signature, r->hit.second, (int64_t)r->kind, r->hit.subject.p != NULL };

	return hash_bytes((struct slice){ (const char *)key, sizeof(key) }) ^
	    (r->hit.subject.n > 0 ? hash_bytes(r->hit.subject) : 0);
}

static bool
row_same(const struct log_hit_row *a, const struct log_hit_row *b)
{
	return a->hit.signature == b->hit.signature && a->hit.second == b->hit.second && a->kind == b->kind &&
	    (a->hit.subject.p == NULL) == (b->hit.subject.p == NULL) && slice_eq(a->hit.subject, b->hit.subject);
}

/* The slot of a row like `r`, or the free one where it belongs. */
static uint32_t *
find_slot(const struct log_hits *h, const struct log_hit_row *r)
{
	size_t i = row_hash(r) & (h->nslots - 1);

	while (h->slot[i] != 0 && !row_same(&h->v.v[h->slot[i] - 1], r))
		i = (i + 1) & (h->nslots - 1);
	return &h->slot[i];
}

static void
row_join(struct log_hit_row *to, const struct log_hit_row *r)
{
	to->hit.n += r->hit.n;
	if (r->hit.first_t != NO_TIME && (to->hit.first_t == NO_TIME || r->hit.first_t < to->hit.first_t))
		to->hit.first_t = r->hit.first_t;
	if (r->hit.last_t > to->hit.last_t)
		to->hit.last_t = r->hit.last_t;
}

/* Look all rows up anew, with `nslots` slots: those that are one now are put together. */
static enum imp_rc
rehash(struct log_hits *h, size_t nslots, size_t *room, struct imp_err *err)
{
	uint32_t *slot = calloc(nslots, sizeof(*slot));
	size_t n = h->v.n, kept = 0;

	if (slot == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu hits", nslots);
	free(h->slot);
	h->slot = slot;
	h->nslots = nslots;
	for (size_t i = 0; i < n; i++) {
		uint32_t *at = find_slot(h, &h->v.v[i]);

		if (*at != 0) {
			row_join(&h->v.v[*at - 1], &h->v.v[i]);
			continue;
		}
		h->v.v[kept] = h->v.v[i];
		*at = (uint32_t)++kept;
	}
	*room += n - kept;
	h->v.n = kept;
	return IMP_OK;
}

static int64_t
round_down(int64_t second, int64_t grain)
{
	int64_t rest = second % grain;

	return second - (rest < 0 ? rest + grain : rest);
}

/* Tell less apart, so that there is room again. False when no less can be told. */
static bool
coarsen(struct log_hits *h)
{
	if (!h->no_subjects) {
		h->no_subjects = true;
		for (size_t i = 0; i < h->v.n; i++)
			h->v.v[i].hit.subject = (struct slice){ NULL, 0 };
		return true;
	}
	if (h->grain == GRAIN_MAX)
		return false;
	h->grain = h->grain == 0 ? 60 : GRAIN_MAX;
	for (size_t i = 0; i < h->v.n; i++) {
		if (h->v.v[i].kind != LOG_UNDATED)
			h->v.v[i].hit.second = round_down(h->v.v[i].hit.second, h->grain);
	}
	return true;
}

/* At most `max` bytes of `text` to `out`, no character cut through, and what is no UTF-8 replaced. Returns how many. */
static size_t
clean_text(struct slice text, size_t max, char *out)
{
	size_t n = 0;

	for (size_t pos = 0; pos < text.n;) {
		size_t at = pos;
		int32_t c = text_next_char(text, &pos);
		struct slice piece = { text.p + at, pos - at };

		if (c <= 0)
			piece = SLICE("\xef\xbf\xbd");
		if (n + piece.n > max)
			break;
		memcpy(out + n, piece.p, piece.n);
		n += piece.n;
	}
	return n;
}

static enum imp_rc
keep_texts(struct log_hit_row *r, struct arena *arena, struct slice plain, struct imp_err *err)
{
	char clean[LOG_TEXT_MAX];

	r->hit.text = arena_slice(arena, (struct slice){ clean, clean_text(plain, sizeof(clean), clean) }, err);
	if (r->hit.text.p == NULL)
		return err->code;
	if (r->hit.subject.p == NULL)
		return IMP_OK;
	r->hit.subject = arena_slice(arena, r->hit.subject, err);
	return r->hit.subject.p != NULL ? IMP_OK : err->code;
}

/* A row of its own for a hit on `text`; where its subject is a secret, one for all of them. */
static enum imp_rc
add_row(struct log_hits *h, struct arena *arena, size_t *room, struct log_hit_row *r, struct slice subject, struct slice text,
    struct imp_err *err)
{
	CLEANUP(buf_done) struct buf plain = BUF_INIT(16 * REDACT_BYTES);
	enum imp_rc rc;
	uint32_t *at;

	text.n = text.n < REDACT_BYTES ? text.n : REDACT_BYTES;
	redact_add(&plain, text);
	rc = buf_status(&plain, err);
	if (rc != IMP_OK)
		return rc;
	if (r->hit.subject.n > 0 && memmem(plain.p, plain.n, subject.p, subject.n) == NULL)
		r->hit.subject = SLICE("[redacted]");
	at = find_slot(h, r);
	if (*at != 0) {
		row_join(&h->v.v[*at - 1], r);
		return IMP_OK;
	}
	rc = keep_texts(r, arena, buf_slice(&plain), err);
	if (rc == IMP_OK)
		rc = VEC_PUSH(NULL, &h->v, *r, err);
	if (rc != IMP_OK)
		return rc;
	*at = (uint32_t)h->v.n;
	*room -= *room > 0;
	return IMP_OK;
}

enum imp_rc
log_hits_add(struct log_hits *h, struct arena *arena, size_t *room, const struct log_hit *hit, enum log_time_kind kind,
    struct slice text, struct imp_err *err)
{
	struct log_hit_row r = { *hit, kind };
	char subject[LOG_SUBJECT_MAX];
	enum imp_rc rc = IMP_OK;
	uint32_t *at;

	if (h->no_subjects)
		r.hit.subject = (struct slice){ NULL, 0 };
	if (r.hit.subject.p != NULL)
		r.hit.subject = (struct slice){ subject, clean_text(r.hit.subject, sizeof(subject), subject) };
	if (kind != LOG_UNDATED && h->grain > 0)
		r.hit.second = round_down(r.hit.second, h->grain);
	if (h->v.n * 2 >= h->nslots)
		rc = rehash(h, h->nslots > 0 ? h->nslots * 2 : 64, room, err);
	if (rc != IMP_OK)
		return rc;
	at = find_slot(h, &r);
	if (*at != 0) {
		row_join(&h->v.v[*at - 1], &r);
		return IMP_OK;
	}
	if (*room == 0 && coarsen(h)) {
		rc = rehash(h, h->nslots, room, err);
		return rc == IMP_OK ? log_hits_add(h, arena, room, hit, kind, text, err) : rc;
	}
	if (*room == 0 && h->v.n >= LOG_HITS_MIN) {
		h->full = true;
		return IMP_OK;
	}
	return add_row(h, arena, room, &r, hit->subject, text, err);
}

enum imp_rc
log_hits_settle(struct log_hits *h, size_t *room, bool known, int64_t offset_ns, struct imp_err *err)
{
	bool changed = false;

	for (size_t i = 0; i < h->v.n; i++) {
		struct log_hit_row *r = &h->v.v[i];

		if (r->kind != LOG_LOCAL)
			continue;
		changed = true;
		r->kind = known ? LOG_ABSOLUTE : LOG_UNDATED;
		r->hit.second = known ? r->hit.second - offset_ns / NS_PER_S : NO_TIME;
		r->hit.first_t = known ? r->hit.first_t - offset_ns : NO_TIME;
		r->hit.last_t = known ? r->hit.last_t - offset_ns : NO_TIME;
	}
	return changed ? rehash(h, h->nslots, room, err) : IMP_OK;
}
