#include "config.h"

#include "classify/observe.h"

#include <stdlib.h>

#include "base/cmp.h"
#include "classify/damage.h"
#include "classify/order.h"
#include "classify/out.h"
#include "classify/settle.h"
#include "sql_gen.h"
#include "store/block.h"

#define BLOCK_BYTES_MAX ((size_t)256 << 20)

struct observe {
	struct run *r;
	struct seen *pass; /* by message: what this pass saw */
	struct settled settled;
	struct order *order;
	struct damage_map damage;
	bool *watching, *damaged; /* by agent, for the message at hand */
	VEC(int64_t) t;		  /* by member of the pass: first copies of the message at hand */
	VEC(int64_t) ack_seqs;	  /* of the message at hand, sorted */
	struct buf block;
};

/* ------------------------------------------------------------------ life */

enum imp_rc
observe_init(struct run *r, struct observe **ret, struct imp_err *err)
{
	size_t agents = r->ledger->agents.n;
	struct observe *o = calloc(1, sizeof(*o));
	enum imp_rc rc = IMP_OK;

	if (o == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	o->r = r;
	o->block = (struct buf)BUF_INIT(BLOCK_BYTES_MAX);
	o->pass = arena_alloc(&r->arena, ((size_t)r->nmessages + 1) * sizeof(*o->pass), err);
	o->watching = arena_alloc(&r->arena, agents + 1, err);
	o->damaged = arena_alloc(&r->arena, agents + 1, err);
	o->settled.resent = arena_alloc(&r->arena, (r->ledger->inputs->v.n + 1) * sizeof(uint64_t), err);
	r->crossed = arena_alloc(&r->arena, r->scenarios.n * agents * agents + 1, err);
	if (o->pass == NULL || o->watching == NULL || o->damaged == NULL || o->settled.resent == NULL || r->crossed == NULL)
		rc = err->code;
	if (rc == IMP_OK)
		rc = damage_init(&o->damage, r, err);
	if (rc == IMP_OK)
		rc = order_init(r, &o->order, err);
	if (rc == IMP_OK)
		*ret = o;
	else
		observe_done(o);
	return rc;
}

void
observe_done(struct observe *o)
{
	if (o == NULL)
		return;
	damage_done(&o->damage);
	VEC_FREE(NULL, &o->t);
	VEC_FREE(NULL, &o->ack_seqs);
	VEC_FREE(o->r->ledger->budget, &o->settled.readback);
	VEC_FREE(NULL, &o->settled.demoted);
	order_done(o->order);
	buf_done(&o->block);
	free(o);
}

/* ------------------------------------------------------------------ one message */

static struct delivery_row *
row_of(const struct run *r, uint32_t mid)
{
	struct copies *c = &r->ledger->copies;

	return mid < c->nrows && c->rows[mid].topic != NONE ? &c->rows[mid] : NULL;
}

static int
int64_cmp(const void *va, const void *vb)
{
	CMP(*(const int64_t *)va, *(const int64_t *)vb);
	return 0;
}

/* The seqs of the message's acks into o->ack_seqs. */
static enum imp_rc
list_ack_seqs(struct observe *o, const struct message *m, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	o->ack_seqs.n = 0;
	for (uint32_t i = 0; m->ack_seq != NO_TIME && i < m->nanswers && rc == IMP_OK; i++) {
		const struct answer *a = &o->r->ledger->answers.v[m->answer0 + i];

		if (a->kind == ANSWER_CTRL && a->code >= 200 && a->code <= 299)
			rc = VEC_PUSH(NULL, &o->ack_seqs, a->seq, err);
	}
	if (o->ack_seqs.n > 1)
		qsort(o->ack_seqs.v, o->ack_seqs.n, sizeof(*o->ack_seqs.v), int64_cmp);
	return rc;
}

static bool
is_ack_seq(const struct observe *o, int64_t seq)
{
	return o->ack_seqs.n > 0 && bsearch(&seq, o->ack_seqs.v, o->ack_seqs.n, sizeof(seq), int64_cmp) != NULL;
}

/* `n` copies on the message's topic carry this seq. */
static void
note_seq(const struct observe *o, const struct message *m, struct seen *s, int64_t seq, uint32_t n)
{
	if (n == 0)
		return;
	if (s->data_seq == NO_TIME && !s->data_seqs_differ)
		s->data_seq = seq;
	else if (s->data_seq != seq)
		s->data_seqs_differ = true;
	if (m->ack_seq != NO_TIME && !is_ack_seq(o, seq))
		s->not_acked_seq += n;
}

/* Copies that are no first copies at members: further ones, strangers, other topics. */
static void
count_odd(const struct observe *o, const struct message *m, const struct topic *topic, const struct delivery_row *row,
    struct seen *s)
{
	const struct run *r = o->r;

	for (uint32_t i = 0; i < row->nodd; i++) {
		const struct copy *c = &row->odd[i];

		s->copies++;
		if (c->kind == COPY_WRONG_TOPIC)
			s->wrong_topic++;
		else
			note_seq(o, m, s, c->seq, 1);
		if (!topic->listed || c->kind == COPY_FIRST)
			continue;
		if (c->kind == COPY_FURTHER && run_expects(r, m, topic->kind, c->account))
			s->further++;
		else if (topic->kind == KIND_P2P &&
		    (c->kind == COPY_FURTHER || (c->kind == COPY_STRANGER && c->account == m->sender)))
			s->echo++; /* also of a sender who is no member */
		else {
			s->unexpected++;
			s->strangers +=
			    c->kind == COPY_STRANGER || (c->kind == COPY_WRONG_TOPIC && topic_member(topic, c->account) == NONE);
		}
	}
}

/* First copies by member of the pass into o->t: cells, and odd copies that are first. Returns the number of members. */
static enum imp_rc
gather_times(struct observe *o, const struct topic *topic, const struct delivery_row *row, uint32_t *ret_first, uint32_t *ret_n,
    struct imp_err *err)
{
	const struct copies *copies = &o->r->ledger->copies;
	uint32_t first, n = copies_range(copies, topic->nmembers, &first);
	enum imp_rc rc;

	o->t.n = 0;
	rc = VEC_RESERVE(NULL, &o->t, n, err);
	if (rc != IMP_OK)
		return rc;
	if (row != NULL && row->width > 0)
		copies_cells(copies, row, o->t.v);
	else {
		for (uint32_t i = 0; i < n; i++)
			o->t.v[i] = NO_TIME;
	}
	for (uint32_t i = 0; row != NULL && i < row->nodd; i++) {
		if (row->odd[i].kind == COPY_FIRST)
			o->t.v[row->odd[i].member - first] = row->odd[i].t;
	}
	*ret_first = first;
	*ret_n = n;
	return IMP_OK;
}

/* Which agents were watching all the time from the message's first `pub` to the window's end, and whose ledgers are damaged there. */
static void
look_at_agents(struct observe *o, const struct message *m, int64_t from, int64_t to)
{
	const struct run *r = o->r;

	for (uint32_t a = 0; a < r->ledger->agents.n; a++) {
		o->watching[a] = watch_covers(r, a, from, to);
		o->damaged[a] = m->outcome == OUTCOME_ACKED && damage_within(&o->damage, a, from, to);
	}
}

static void
count_absent(const struct observe *o, uint32_t account, int64_t from, int64_t to, struct seen *s)
{
	const struct run *r = o->r;
	uint32_t agent = r->account_agent[account];

	if (agent == NONE || !o->watching[agent]) {
		s->unwitnessed++;
		return;
	}
	s->missing++;
	if (r->has_conns && watch_disconnected(r, account, from, to))
		s->disconnected++;
}

/* A delivery was stamped by one agent's clock and its message by another's. */
static void
note_crossing(bool *crossed, uint32_t a, uint32_t b)
{
	if (a != NONE)
		crossed[a] = true;
	if (b != NONE)
		crossed[b] = true;
}

static void
count_first_copies(struct observe *o, struct message *m, const struct topic *topic, uint32_t first, uint32_t n, struct seen *s)
{
	struct run *r = o->r;
	const struct scenario *sc = &r->scenarios.v[m->scenario];
	size_t agents = r->ledger->agents.n;
	int64_t from = m->first_pub != NO_TIME ? m->first_pub : m->first_t;
	int64_t to = sc->window_end != NO_TIME ? sc->window_end : from;
	bool *crossed = m->agent != NONE && !m->excluded ? &r->crossed[(m->scenario * agents + m->agent) * agents] : NULL;

	look_at_agents(o, m, from, to);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t account = topic->members[first + i], agent = r->account_agent[account];
		int64_t t = o->t.v[i];

		if (!run_expects(r, m, topic->kind, account)) {
			if (t != NO_TIME && topic->kind == KIND_P2P)
				s->echo++;
			else if (t != NO_TIME)
				s->unexpected++;
			continue;
		}
		s->expected++;
		if (agent != NONE && o->damaged[agent])
			m->missing_upper_bound = true;
		if (t == NO_TIME) {
			count_absent(o, account, from, to, s);
			continue;
		}
		if (sc->window_end != NO_TIME && t > sc->window_end)
			s->late++;
		else
			s->unique++;
		s->early += m->first_pub != NO_TIME && t < m->first_pub;
		if (crossed != NULL && r->account_clock[account] != m->clock && m->outcome == OUTCOME_ACKED)
			note_crossing(crossed, m->clock, r->account_clock[account]);
	}
}

static enum imp_rc
observe_message(struct observe *o, struct message *m, struct seen *s, struct imp_err *err)
{
	struct run *r = o->r;
	const struct topic *topic = run_topic(r, m);
	struct delivery_row *row = row_of(r, m->mid);
	uint32_t first, n;
	enum imp_rc rc = IMP_OK;

	*s = (struct seen){ .data_seq = NO_TIME };
	if (row != NULL) {
		rc = settle_row(r, m, row, &o->settled, err);
		if (rc == IMP_OK)
			rc = list_ack_seqs(o, m, err);
		if (rc != IMP_OK)
			return rc;
		s->copies = row->ncells;
		note_seq(o, m, s, row->seq, row->ncells);
		count_odd(o, m, topic, row, s);
	}
	if (!topic->listed)
		return IMP_OK;
	rc = gather_times(o, topic, row, &first, &n, err);
	if (rc == IMP_OK)
		count_first_copies(o, m, topic, first, n, s);
	return rc;
}

/* Note every seq that deliveries gave to the message; repeats are harmless. */
static enum imp_rc
note_seq_uses(struct run *r, uint32_t message, const struct delivery_row *row, struct imp_err *err)
{
	const struct message *m = &r->messages[message];
	struct seq_use use = { row->seq, m->topic, message };
	enum imp_rc rc = row->ncells > 0 ? VEC_PUSH(r->ledger->budget, &r->seq_uses, use, err) : IMP_OK;

	for (uint32_t i = 0; i < row->nodd && rc == IMP_OK; i++) {
		use.seq = row->odd[i].seq;
		if (row->odd[i].kind == COPY_WRONG_TOPIC || (use.seq == row->seq && row->ncells > 0))
			continue;
		if (i == 0 || use.seq != row->odd[i - 1].seq || row->odd[i - 1].kind == COPY_WRONG_TOPIC)
			rc = VEC_PUSH(r->ledger->budget, &r->seq_uses, use, err);
	}
	return rc;
}

/* ------------------------------------------------------------------ a pass */

static enum imp_rc
settle_foreign(struct observe *o, struct imp_err *err)
{
	struct run *r = o->r;
	enum imp_rc rc = IMP_OK;

	for (uint32_t mid = 0; mid < r->ledger->copies.nrows && rc == IMP_OK; mid++) {
		if (r->message_of_mid[mid] == NONE && row_of(r, mid) != NULL)
			rc = settle_row(r, NULL, row_of(r, mid), &o->settled, err);
	}
	return rc;
}

enum imp_rc
observe_pass(struct observe *o, bool *ret_needs_lines, struct imp_err *err)
{
	struct run *r = o->r;
	bool order_needs_lines = false;
	enum imp_rc rc;

	o->settled.needs_lines = false;
	o->settled.readback.n = 0;
	memset(o->settled.resent, 0, r->ledger->inputs->v.n * sizeof(uint64_t));
	rc = settle_foreign(o, err);
	for (uint32_t i = 0; i < r->nmessages && rc == IMP_OK; i++)
		rc = observe_message(o, &r->messages[i], &o->pass[i], err);
	if (rc == IMP_OK && !o->settled.needs_lines)
		rc = order_pass(o->order, &order_needs_lines, err);
	*ret_needs_lines = o->settled.needs_lines || order_needs_lines;
	return rc;
}

static void
add_seen(struct seen *to, const struct seen *s, bool first_pass)
{
	if (first_pass) {
		*to = *s;
		return;
	}
	to->expected += s->expected;
	to->unique += s->unique;
	to->late += s->late;
	to->unwitnessed += s->unwitnessed;
	to->missing += s->missing;
	to->disconnected += s->disconnected;
	to->further += s->further;
	to->echo += s->echo;
	to->unexpected += s->unexpected;
	to->strangers += s->strangers;
	to->wrong_topic += s->wrong_topic;
	to->early += s->early;
	to->copies += s->copies;
	to->not_acked_seq += s->not_acked_seq;
	to->data_seqs_differ |=
	    s->data_seqs_differ || (to->data_seq != NO_TIME && s->data_seq != NO_TIME && to->data_seq != s->data_seq);
	if (to->data_seq == NO_TIME)
		to->data_seq = s->data_seq;
}

/* ------------------------------------------------------------------ deliveries into the store */

static void
write_extra(const struct observe *o, struct out *out, uint32_t message, const struct copy *c, uint32_t no)
{
	static const char *const kinds[] = {
		[COPY_FIRST] = "first",
		[COPY_FURTHER] = "duplicate",
		[COPY_STRANGER] = "stranger",
		[COPY_WRONG_TOPIC] = "wrong_topic",
	};

	out_begin(out, sql_classify_insert_extra_copy);
	out_int(out, message);
	out_int(out, o->r->account_no[c->account]);
	out_int(out, c->t);
	out_int(out, no);
	out_str(out, kinds[c->kind]);
	out_int(out, c->seq);
	out_int(out, o->r->topic_no[c->topic]);
	out_end(out);
}

static void
write_block(struct observe *o, struct out *out, uint32_t message, uint32_t first, uint32_t n, int64_t seq)
{
	buf_clear(&o->block);
	block_encode(seq, o->t.v, n, &o->block);
	if (out->rc == IMP_OK)
		out->rc = buf_status(&o->block, out->err);
	out_begin(out, sql_classify_insert_delivery_block);
	out_int(out, message);
	out_int(out, first);
	out_blob(out, o->block.p, o->block.n);
	out_end(out);
}

/* First copies with the row's seq go into one block, the rest into lines of their own. */
static enum imp_rc
write_row(struct observe *o, struct out *out, uint32_t message, struct delivery_row *row)
{
	const struct message *m = &o->r->messages[message];
	uint32_t first, n, in_block = row->ncells;
	enum imp_rc rc = gather_times(o, run_topic(o->r, m), row, &first, &n, out->err);

	if (rc != IMP_OK)
		return rc;
	for (uint32_t i = 0; i < row->nodd; i++) {
		const struct copy *c = &row->odd[i];

		if (c->kind == COPY_FIRST && c->seq == row->seq) {
			in_block++;
			continue;
		}
		if (c->kind == COPY_FIRST)
			o->t.v[c->member - first] = NO_TIME;
		write_extra(o, out, message, c, i);
	}
	if (in_block > 0)
		write_block(o, out, message, first, n, row->seq);
	return out->rc;
}

enum imp_rc
observe_commit(struct observe *o, struct store *s, int64_t run_no, struct imp_err *err)
{
	struct run *r = o->r;
	struct out out = { .s = s, .run_no = run_no, .err = err };
	bool first_pass = r->ledger->copies.from == 0;
	enum imp_rc rc = IMP_OK;

	for (uint32_t i = 0; i < r->nmessages && rc == IMP_OK; i++) {
		struct delivery_row *row = row_of(r, r->messages[i].mid);

		add_seen(&r->messages[i].seen, &o->pass[i], first_pass);
		if (row != NULL)
			rc = write_row(o, &out, i, row);
		if (row != NULL && rc == IMP_OK)
			rc = note_seq_uses(r, i, row, err);
	}
	for (uint32_t mid = 0; mid < r->ledger->copies.nrows; mid++) {
		if (r->message_of_mid[mid] == NONE && row_of(r, mid) != NULL)
			r->foreign[FOREIGN_DATA] += row_of(r, mid)->ncells + row_of(r, mid)->nodd;
	}
	for (size_t i = 0; i < o->settled.readback.n && rc == IMP_OK; i++)
		rc = VEC_PUSH(r->ledger->budget, &r->readback, o->settled.readback.v[i], err);
	for (size_t i = 0; i < r->ledger->inputs->v.n; i++)
		r->ledger->files[i].n.resent += o->settled.resent[i];
	order_commit(o->order);
	return rc;
}

void
observe_finish(struct observe *o)
{
	for (uint32_t i = 0; i < o->r->nmessages; i++) {
		struct message *m = &o->r->messages[i];
		const struct seen *s = &m->seen;
		uint32_t got = s->unique + s->late;

		if (s->expected == 0 || (got == 0 && s->missing == 0))
			m->observed = OBSERVED_NA;
		else if (got == s->expected)
			m->observed = OBSERVED_FULL;
		else
			m->observed = got > 0 ? OBSERVED_PARTIAL : OBSERVED_NONE;
		if (s->wrong_topic > 0)
			m->anomalies |= 1u << ANOMALY_wrong_topic;
		if (s->early > 0)
			m->anomalies |= 1u << ANOMALY_clock_skew;
		if (s->not_acked_seq > 0)
			m->anomalies |= 1u << ANOMALY_ack_data_mismatch;
	}
}
