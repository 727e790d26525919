/* classify/judge.c - one class for each message (truth model, section 4). */
#include "config.h"

#include <stdlib.h>

#include "base/cmp.h"
#include "classify/run.h"

static bool
is_stored(enum persisted p)
{
	return p == PERSISTED_EXACT || p == PERSISTED_DUPLICATE || p == PERSISTED_MISMATCH;
}

static enum message_class
judge_acked(const struct run *r, const struct message *m)
{
	const struct seen *s = &m->seen;

	switch (m->persisted) {
	case PERSISTED_ABSENT:
		return CLASS_durable_lost;
	case PERSISTED_DEAD_LETTER:
		return CLASS_dead_lettered;
	case PERSISTED_EXACT:
		break;
	default:
		return CLASS_unverified;
	}
	if (!run_topic(r, m)->listed || s->expected == 0)
		return CLASS_unverified;
	if (s->missing > 0)
		return CLASS_lost_realtime_persisted;
	if (s->late > 0)
		return CLASS_late_persisted;
	return s->unwitnessed > 0 ? CLASS_unverified : CLASS_ok;
}

static enum message_class
judge_unknown(const struct message *m)
{
	bool seen = m->seen.copies > 0;

	if (m->persisted == PERSISTED_EXACT)
		return seen ? CLASS_unknown_observed_persisted : CLASS_unknown_persisted;
	if (seen)
		return CLASS_unknown_observed;
	return m->persisted == PERSISTED_ABSENT ? CLASS_unknown_absent : CLASS_unknown_unverified;
}

static enum message_class
judge(const struct run *r, const struct message *m)
{
	const uint32_t broken = 1u << ANOMALY_multi_seq | 1u << ANOMALY_mid_collision;

	if (m->outcome == OUTCOME_REJECTED || m->outcome == OUTCOME_UNSENT) {
		if (m->seen.copies > 0 || is_stored(m->persisted) || m->in_history || m->persisted == PERSISTED_DEAD_LETTER)
			return CLASS_contradiction;
		return m->outcome == OUTCOME_REJECTED ? CLASS_rejected : CLASS_unsent;
	}
	if (m->persisted == PERSISTED_MISMATCH || m->persisted == PERSISTED_DUPLICATE || (m->anomalies & broken))
		return CLASS_integrity;
	return m->outcome == OUTCOME_ACKED ? judge_acked(r, m) : judge_unknown(m);
}

static int
seq_use_cmp(const void *va, const void *vb)
{
	const struct seq_use *a = va, *b = vb;

	CMP(a->topic, b->topic);
	CMP(a->seq, b->seq);
	CMP(a->message, b->message);
	return 0;
}

/* The seqs of acks join those of deliveries; each (topic, seq, message) stays once. */
static enum imp_rc
gather_seq_uses(struct run *r, struct imp_err *err)
{
	size_t kept = 0;
	enum imp_rc rc = IMP_OK;

	for (uint32_t i = 0; i < r->nmessages; i++) {
		const struct message *m = &r->messages[i];

		for (uint32_t k = 0; k < m->nanswers && m->ack_seq != NO_TIME && rc == IMP_OK; k++) {
			const struct answer *a = &r->ledger->answers.v[m->answer0 + k];
			struct seq_use use = { a->seq, m->topic, i };

			if (a->kind == ANSWER_CTRL && a->code >= 200 && a->code <= 299 && a->seq >= 1)
				rc = VEC_PUSH(r->ledger->budget, &r->seq_uses, use, err);
		}
	}
	if (rc != IMP_OK || r->seq_uses.n == 0)
		return rc;
	qsort(r->seq_uses.v, r->seq_uses.n, sizeof(*r->seq_uses.v), seq_use_cmp);
	for (size_t i = 0; i < r->seq_uses.n; i++) {
		if (kept == 0 || seq_use_cmp(&r->seq_uses.v[kept - 1], &r->seq_uses.v[i]) != 0)
			r->seq_uses.v[kept++] = r->seq_uses.v[i];
	}
	r->seq_uses.n = kept;
	return IMP_OK;
}

enum imp_rc
judge_classes(struct run *r, struct imp_err *err)
{
	for (uint32_t i = 0; i < r->nmessages; i++)
		r->messages[i].class = judge(r, &r->messages[i]);
	return gather_seq_uses(r, err);
}
