#include "config.h"

#include "classify/settle.h"

#include <stdlib.h>

#include "base/cmp.h"

static int
copy_cmp(const void *va, const void *vb)
{
	const struct copy *a = va, *b = vb;

	CMP(a->topic, b->topic);
	CMP(a->account, b->account);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

/* Do the copies come from two lines of one agent that are equal in every byte? */
static bool
same_line_again(const struct run *r, const struct copy *a, const struct copy *b)
{
	bool one_line = a->place >> 8 == b->place >> 8; /* glued */

	return a->t == b->t && a->check == b->check && !one_line &&
	    r->ledger->files[place_file(a->place)].agent == r->ledger->files[place_file(b->place)].agent;
}

/* Does the data line answer the read-back instead of being delivered late? Where nothing was published there is no window to be in. */
static bool
is_readback(const struct run *r, const struct message *m, int64_t t)
{
	int64_t end = r->scenarios.v[m->scenario].window_end, start = r->mark[MARK_reconcile_start];

	return start != NO_TIME && t >= start && (end == NO_TIME || t > end);
}

static enum imp_rc
take_readback(struct run *r, const struct message *m, struct delivery_row *row, struct settled *s, struct imp_err *err)
{
	const struct topic *topic = row->topic != NONE ? &r->ledger->topics.v[row->topic] : NULL;
	struct copies *copies = &r->ledger->copies;
	struct hist h = { .mid = m->mid, .times = 1 };
	uint32_t kept = 0;
	enum imp_rc rc = IMP_OK;

	for (uint32_t i = 0; i < row->nodd && rc == IMP_OK; i++) {
		const struct copy *c = &row->odd[i];

		if (!is_readback(r, m, c->t)) {
			row->odd[kept++] = *c;
			continue;
		}
		h.t = c->t;
		h.seq = c->seq;
		h.place = c->place;
		h.topic = c->topic;
		rc = VEC_PUSH(r->ledger->budget, &s->readback, h, err);
	}
	row->nodd = kept;
	for (uint32_t i = 0; i < row->width && topic != NULL && rc == IMP_OK; i++) {
		uint32_t check;

		h.t = copies_cell(copies, row, i, &h.place, &check);
		if (h.t == NO_TIME || !is_readback(r, m, h.t))
			continue;
		h.seq = row->seq;
		h.topic = row->topic;
		copies_clear_cell(copies, row, i);
		rc = VEC_PUSH(r->ledger->budget, &s->readback, h, err);
	}
	return rc;
}

static int
line_cmp(const void *va, const void *vb)
{
	const struct copy *a = va, *b = vb;

	CMP(a->check, b->check);
	CMP(a->place, b->place);
	return 0;
}

/* Copies of one account and one time: those of a line written again go. Returns the new end. */
static uint32_t
drop_equal(struct run *r, struct copy *v, uint32_t from, uint32_t to, struct settled *s)
{
	uint32_t kept = from;

	if (to - from > 1)
		qsort(v + from, to - from, sizeof(*v), line_cmp);
	for (uint32_t i = from; i < to; i++) {
		if (kept > from && same_line_again(r, &v[kept - 1], &v[i]))
			s->resent[place_file(v[i].place)]++;
		else
			v[kept++] = v[i];
	}
	if (kept - from > 1)
		qsort(v + from, kept - from, sizeof(*v), copy_cmp);
	return kept;
}

/* The odd copies [from, to) are of one topic and account, in the order of arrival. Drop those of lines written again. */
static uint32_t
drop_resent(struct run *r, struct delivery_row *row, const struct copy *cell, uint32_t from, uint32_t to, struct settled *s)
{
	struct copy *v = row->odd;
	uint32_t kept = from;

	for (uint32_t i = from; i < to; i++) {
		if (cell != NULL && cell->t == v[i].t && same_line_again(r, cell, &v[i]))
			s->resent[place_file(v[i].place)]++;
		else
			v[kept++] = v[i];
	}
	to = kept;
	kept = from;
	for (uint32_t i = from, next; i < to; i = next) {
		uint32_t end;

		for (next = i + 1; next < to && v[next].t == v[i].t;)
			next++;
		end = drop_equal(r, v, i, next, s);
		memmove(v + kept, v + i, (end - i) * sizeof(*v));
		kept += end - i;
	}
	return kept;
}

static bool
times_equal(const struct delivery_row *row, const struct copy *cell, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		if ((cell != NULL && cell->t == row->odd[i].t) || (i > from && row->odd[i - 1].t == row->odd[i].t))
			return true;
	}
	return false;
}

/* Which of the copies at one member is the first? A cell that is not gives way to the odd copy that is. */
static enum imp_rc
choose_first(struct run *r, struct delivery_row *row, struct copy *cell, uint32_t cell_at, uint32_t from, uint32_t to,
    struct settled *s, struct imp_err *err)
{
	bool cell_first =
	    cell != NULL && (cell->t < row->odd[from].t || (cell->t == row->odd[from].t && cell->place <= row->odd[from].place));

	for (uint32_t i = from; i < to; i++)
		row->odd[i].kind = i == from && !cell_first ? COPY_FIRST : COPY_FURTHER;
	if (cell == NULL || cell_first)
		return IMP_OK;
	cell->kind = COPY_FURTHER;
	copies_clear_cell(&r->ledger->copies, row, cell_at);
	return VEC_PUSH(NULL, &s->demoted, *cell, err);
}

/* One group of odd copies: same topic, same account. *ret_to: its end after lines written twice were dropped. */
static enum imp_rc
settle_group(struct run *r, uint32_t topic, struct delivery_row *row, uint32_t from, uint32_t to, struct settled *s,
    uint32_t *ret_to, struct imp_err *err)
{
	const struct copy lead = row->odd[from];
	struct copy cell = { .seq = row->seq, .topic = row->topic, .account = lead.account, .member = lead.member };
	uint32_t first, width, at = 0;
	bool has_cell = false;

	if (row->width > 0 && lead.member != NONE && lead.topic == row->topic) {
		width = copies_range(&r->ledger->copies, r->ledger->topics.v[row->topic].nmembers, &first);
		if (lead.member >= first && lead.member - first < width) {
			at = lead.member - first;
			cell.t = copies_cell(&r->ledger->copies, row, at, &cell.place, &cell.check);
			has_cell = cell.t != NO_TIME;
		}
	}
	if (r->ledger->copies.keep_lines)
		to = drop_resent(r, row, has_cell ? &cell : NULL, from, to, s);
	else if (times_equal(row, has_cell ? &cell : NULL, from, to))
		s->needs_lines = true;
	*ret_to = to;
	if (to == from)
		return IMP_OK;
	if (lead.topic == topic && lead.member != NONE)
		return choose_first(r, row, has_cell ? &cell : NULL, at, from, to, s, err);
	for (uint32_t i = from; i < to; i++)
		row->odd[i].kind = lead.topic != topic ? COPY_WRONG_TOPIC : COPY_STRANGER;
	return IMP_OK;
}

enum imp_rc
settle_row(struct run *r, const struct message *m, struct delivery_row *row, struct settled *s, struct imp_err *err)
{
	uint32_t topic = m != NULL ? m->topic : row->topic, n, kept = 0, end;
	enum imp_rc rc = IMP_OK;

	if (row->width > 0 && row->topic != topic)
		rc = copies_spill(&r->ledger->copies, &r->ledger->topics.v[row->topic], row, err);
	if (rc == IMP_OK && row->nodd > 1)
		qsort(row->odd, row->nodd, sizeof(*row->odd), copy_cmp);
	n = row->nodd;
	s->demoted.n = 0;
	for (uint32_t from = 0, to; from < n && rc == IMP_OK; from = to) {
		for (to = from + 1; to < n; to++) {
			if (row->odd[to].topic != row->odd[from].topic || row->odd[to].account != row->odd[from].account)
				break;
		}
		rc = settle_group(r, topic, row, from, to, s, &end, err);
		for (uint32_t i = from; i < end && rc == IMP_OK; i++)
			row->odd[kept++] = row->odd[i];
	}
	if (rc == IMP_OK)
		row->nodd = kept;
	for (size_t i = 0; i < s->demoted.n && rc == IMP_OK; i++)
		rc = copies_add_odd(&r->ledger->copies, row, &s->demoted.v[i], err);
	return rc == IMP_OK && m != NULL ? take_readback(r, m, row, s, err) : rc;
}
