/* classify/persist.c - what is stored of each message (truth model, section 3). */
#include "config.h"

#include <stdlib.h>

#include "base/cmp.h"
#include "base/search.h"
#include "classify/coverage.h"
#include "classify/run.h"

struct judging {
	struct run *r;
	struct coverage coverage;
	uint32_t *row0, *dead0, *hist0; /* by ledger mid: first of its rows, letters, read-backs; one entry more than mids */
	struct stored_span *stored;	/* by ledger topic: lowest and highest stored seq */
	bool has_db, has_history;
};

struct stored_span {
	int64_t lo, hi;
	bool any;
};

/* ------------------------------------------------------------------ rows, letters, history */

static int
row_mid_cmp(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	CMP(a->mid, b->mid);
	CMP(a->table, b->table);
	CMP(a->topic, b->topic);
	CMP(a->seq, b->seq);
	CMP(a->id, b->id);
	CMP(a->check, b->check);
	CMP(a->place, b->place);
	return 0;
}

/* The last letter of a mid tells its state. One that was read again has the time that it had. */
static int
dead_mid_cmp(const void *va, const void *vb)
{
	const struct dead *a = va, *b = vb;

	CMP(a->mid, b->mid);
	CMP(a->t, b->t);
	CMP(a->check, b->check);
	CMP(a->place, b->place);
	return 0;
}

static int
hist_cmp(const void *va, const void *vb)
{
	const struct hist *a = va, *b = vb;

	CMP(a->mid, b->mid);
	CMP(a->topic, b->topic);
	CMP(a->seq, b->seq);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

static int
histq_cmp(const void *va, const void *vb)
{
	const struct histq *a = va, *b = vb;

	CMP(a->topic, b->topic);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

/* History lines and read-back deliveries, one for each (mid, topic, seq); the ledger's array is replaced. */
static enum imp_rc
merge_history(struct judging *j, struct imp_err *err)
{
	struct ledger *l = j->r->ledger;
	size_t kept = 0;
	enum imp_rc rc = VEC_RESERVE(l->budget, &l->hists, j->r->readback.n, err);

	if (rc != IMP_OK)
		return rc;
	if (j->r->readback.n > 0)
		memcpy(l->hists.v + l->hists.n, j->r->readback.v, j->r->readback.n * sizeof(*l->hists.v));
	l->hists.n += j->r->readback.n;
	if (l->hists.n > 0)
		qsort(l->hists.v, l->hists.n, sizeof(*l->hists.v), hist_cmp);
	for (size_t i = 0; i < l->hists.n; i++) {
		const struct hist *h = &l->hists.v[i];
		struct hist *last = kept > 0 ? &l->hists.v[kept - 1] : NULL;

		if (last != NULL && last->mid == h->mid && last->topic == h->topic && last->seq == h->seq)
			last->times += h->times;
		else
			l->hists.v[kept++] = *h;
	}
	l->hists.n = kept;
	return IMP_OK;
}

/* Did some query read the seq's place in the topic to its end, not before `t`? */
static bool
range_read(const struct run *r, uint32_t topic, int64_t seq, int64_t t)
{
	const struct histq *v = r->ledger->histqs.v;
	size_t i;

	LOWER_BOUND(i, 0, r->ledger->histqs.n, v[i].topic < topic);
	for (; i < r->ledger->histqs.n && v[i].topic == topic; i++) {
		if (v[i].lo <= seq && seq <= v[i].hi && (t == NO_TIME || v[i].t >= t) &&
		    slice_eq(ledger_text_slice(r->ledger, v[i].status), SLICE("complete")))
			return true;
	}
	return false;
}

/* ------------------------------------------------------------------ indexes */

#define INDEX_BY_MID(j, index, vec) \
	do { \
		size_t i_ = 0; \
		for (uint32_t mid_ = 0; mid_ <= (j)->r->ledger->mids.names.n; mid_++) { \
			while (i_ < (vec)->n && (vec)->v[i_].mid < mid_) \
				i_++; \
			(index)[mid_] = (uint32_t)i_; \
		} \
	} while (0)

static void
distinct_rows(struct run *r)
{
	struct row *v = r->ledger->rows.v;
	size_t kept = 0;

	if (r->ledger->rows.n > 0)
		qsort(v, r->ledger->rows.n, sizeof(*v), row_mid_cmp);
	for (size_t i = 0; i < r->ledger->rows.n; i++) {
		if (kept == 0 || !same_row(&v[kept - 1], &v[i]))
			v[kept++] = v[i];
	}
	r->ledger->rows.n = kept;
}

static void
count_foreign(struct run *r)
{
	const struct ledger *l = r->ledger;

	for (size_t i = 0; i < l->rows.n; i++)
		r->foreign[FOREIGN_ROW] += r->message_of_mid[l->rows.v[i].mid] == NONE;
	for (size_t i = 0; i < l->hists.n; i++)
		r->foreign[FOREIGN_HIST] += r->message_of_mid[l->hists.v[i].mid] == NONE;
	for (size_t i = 0; i < l->deads.n; i++)
		r->foreign[FOREIGN_DEAD] += r->message_of_mid[l->deads.v[i].mid] == NONE;
}

static void
find_stored_spans(struct judging *j)
{
	const struct ledger *l = j->r->ledger;

	for (size_t i = 0; i < l->rows.n; i++) {
		struct stored_span *s = &j->stored[l->rows.v[i].topic];
		int64_t seq = l->rows.v[i].seq;

		if (j->r->message_of_mid[l->rows.v[i].mid] == NONE)
			continue;
		s->lo = !s->any || seq < s->lo ? seq : s->lo;
		s->hi = !s->any || seq > s->hi ? seq : s->hi;
		s->any = true;
	}
}

static enum imp_rc
prepare(struct judging *j, struct imp_err *err)
{
	struct run *r = j->r;
	struct ledger *l = r->ledger;
	size_t mids = l->mids.names.n + 1;
	enum imp_rc rc;

	j->has_db = l->rows.n + l->deads.n + l->queries.n > 0;
	j->has_history = l->hists.n + l->histqs.n + r->readback.n > 0;
	j->row0 = arena_alloc(&r->arena, (mids + 1) * sizeof(uint32_t), err);
	j->dead0 = arena_alloc(&r->arena, (mids + 1) * sizeof(uint32_t), err);
	j->hist0 = arena_alloc(&r->arena, (mids + 1) * sizeof(uint32_t), err);
	j->stored = arena_alloc(&r->arena, (l->topics.n + 1) * sizeof(*j->stored), err);
	if (j->row0 == NULL || j->dead0 == NULL || j->hist0 == NULL || j->stored == NULL)
		return err->code;
	count_foreign(r);
	if (l->histqs.n > 0)
		qsort(l->histqs.v, l->histqs.n, sizeof(*l->histqs.v), histq_cmp);
	rc = coverage_init(&j->coverage, r, err);
	if (rc != IMP_OK)
		return rc;
	distinct_rows(r);
	if (l->deads.n > 0)
		qsort(l->deads.v, l->deads.n, sizeof(*l->deads.v), dead_mid_cmp);
	rc = merge_history(j, err);
	if (rc != IMP_OK)
		return rc;
	INDEX_BY_MID(j, j->row0, &l->rows);
	INDEX_BY_MID(j, j->dead0, &l->deads);
	INDEX_BY_MID(j, j->hist0, &l->hists);
	find_stored_spans(j);
	return IMP_OK;
}

/* ------------------------------------------------------------------ judgement */

struct witness { /* one place where a message was found: a row or a read-back */
	uint32_t topic;
	int64_t seq;
};

static enum persisted
judge_place(const struct message *m, struct witness w)
{
	return w.topic == m->topic && (m->known_seq == NO_TIME || m->known_seq == w.seq) ? PERSISTED_EXACT : PERSISTED_MISMATCH;
}

/* Rows are sorted by table: two of one table are a duplicate, else all must be right. */
static enum persisted
judge_rows(const struct message *m, const struct row *v, uint32_t n)
{
	enum persisted p = PERSISTED_EXACT;

	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 && v[i].table == v[i - 1].table)
			return PERSISTED_DUPLICATE;
		if (judge_place(m, (struct witness){ v[i].topic, v[i].seq }) == PERSISTED_MISMATCH)
			p = PERSISTED_MISMATCH;
	}
	return p;
}

static bool
has_row_at(const struct row *v, uint32_t n, const struct hist *h)
{
	for (uint32_t i = 0; i < n; i++) {
		if (v[i].topic == h->topic && v[i].seq == h->seq)
			return true;
	}
	return false;
}

/* Do rows and history contradict each other: another place, or a row inside a completely read range that history has not? */
static bool
rows_contradicted(const struct judging *j, const struct message *m, const struct row *rows, uint32_t nrows,
    const struct hist *hists, uint32_t nhists)
{
	int64_t last_pub = j->r->scenarios.v[m->scenario].last_pub;

	for (uint32_t i = 0; i < nhists; i++) {
		if (!has_row_at(rows, nrows, &hists[i]))
			return true;
	}
	for (uint32_t i = 0; i < nrows; i++) {
		bool found = false;

		for (uint32_t k = 0; k < nhists && !found; k++)
			found = hists[k].topic == rows[i].topic && hists[k].seq == rows[i].seq;
		if (!found && range_read(j->r, rows[i].topic, rows[i].seq, last_pub))
			return true;
	}
	return false;
}

static enum persisted
judge_history(const struct judging *j, const struct message *m, const struct hist *h, uint32_t n)
{
	if (n > 1)
		return PERSISTED_DUPLICATE;
	if (n == 1)
		return judge_place(m, (struct witness){ h->topic, h->seq });
	if (m->known_seq != NO_TIME && range_read(j->r, m->topic, m->known_seq, j->r->scenarios.v[m->scenario].last_pub))
		return PERSISTED_ABSENT;
	return PERSISTED_UNCHECKED;
}

/* Where an acked message that is not stored as it should be still is, and where in its topic it belongs. */
static void
place_loss(const struct judging *j, struct message *m, bool dead)
{
	const struct stored_span *s = &j->stored[m->topic];

	m->last_layer = m->in_history ? "history" : dead ? "dead_letter" : "nowhere";
	if (!s->any)
		m->place = "alone";
	else
		m->place = m->known_seq < s->lo ? "before_first" : m->known_seq > s->hi ? "after_last" : "between";
}

static void
judge_message(const struct judging *j, struct message *m)
{
	const struct ledger *l = j->r->ledger;
	uint32_t nrows = j->row0[m->mid + 1] - j->row0[m->mid], nhists = j->hist0[m->mid + 1] - j->hist0[m->mid];
	const struct row *rows = nrows > 0 ? &l->rows.v[j->row0[m->mid]] : NULL;
	const struct hist *hists = nhists > 0 ? &l->hists.v[j->hist0[m->mid]] : NULL;
	uint32_t ndead = j->dead0[m->mid + 1] - j->dead0[m->mid];
	bool dead = ndead > 0 && !l->deads.v[j->dead0[m->mid + 1] - 1].replayed;

	m->known_seq = m->ack_seq != NO_TIME ? m->ack_seq : m->seen.data_seqs_differ ? NO_TIME : m->seen.data_seq;
	m->in_history = nhists > 0;
	if (nrows > 0) {
		m->persisted = judge_rows(m, rows, nrows);
		m->witness_conflict = j->has_history && rows_contradicted(j, m, rows, nrows, hists, nhists);
	} else if (dead) {
		m->persisted = PERSISTED_DEAD_LETTER;
		m->witness_conflict = nhists > 0;
	} else if (coverage_has(&j->coverage, m->scenario, run_message_kind(j->r, m))) {
		m->persisted = nhists > 0 ? PERSISTED_CONFLICT : PERSISTED_ABSENT;
		m->witness_conflict = nhists > 0;
	} else {
		m->persisted = judge_history(j, m, hists, nhists);
	}
	if (m->outcome == OUTCOME_ACKED && m->persisted != PERSISTED_EXACT)
		place_loss(j, m, dead);
}

enum imp_rc
persist_judge(struct run *r, struct imp_err *err)
{
	struct judging j = { .r = r };
	enum imp_rc rc = prepare(&j, err);

	for (uint32_t i = 0; i < r->nmessages && rc == IMP_OK; i++)
		judge_message(&j, &r->messages[i]);
	r->has_db = j.has_db;
	r->has_history = j.has_history;
	return rc;
}
