#include "config.h"

#include "classify/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/cmp.h"

static void
add_acked(struct sums *s, const struct run *r, const struct message *m)
{
	const struct topic *topic = run_topic(r, m);

	s->persisted[m->persisted]++;
	s->expected += m->seen.expected;
	s->unique += m->seen.unique;
	s->late += m->seen.late;
	s->unwitnessed += m->seen.unwitnessed;
	s->missing += m->seen.missing;
	s->duplicate += m->seen.further;
	s->disconnected += m->seen.disconnected;
	s->history_found += m->in_history;
	s->witness_conflicts += m->witness_conflict;
	s->upper_bound |= m->missing_upper_bound;
	if (topic->listed && topic->kind != KIND_P2P)
		s->not_ready += topic->nmembers - m->seen.expected;
}

static void
add_unacked(struct sums *s, const struct message *m)
{
	uint64_t copies = (uint64_t)m->seen.unique + m->seen.late + m->seen.further;

	s->unacked_observed += copies > 0;
	s->unacked_deliveries += copies;
	s->unacked_persisted += m->in_history || m->persisted == PERSISTED_EXACT || m->persisted == PERSISTED_DUPLICATE ||
	    m->persisted == PERSISTED_MISMATCH;
}

static void
add_message(struct sums *s, const struct run *r, const struct message *m)
{
	s->messages++;
	s->outcome[m->outcome]++;
	s->class[m->class]++;
	s->matrix[m->outcome][m->observed][m->persisted]++;
	for (int a = 0; a < _ANOMALY_MAX; a++)
		s->anomaly[a] += (m->anomalies >> a) & 1;
	s->echo += m->seen.echo;
	s->unexpected += m->seen.unexpected;
	s->strangers += m->seen.strangers;
	s->wrong_topic += m->seen.wrong_topic;
	s->early += m->seen.early;
	s->no_answer += m->no_answer > 0;
	s->cut_off += m->cut_off > 0;
	if (m->outcome == OUTCOME_ACKED)
		add_acked(s, r, m);
	else
		add_unacked(s, m);
}

void
sums_of(const struct run *r, const struct group *g, struct sums *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < r->nmessages; i++) {
		const struct message *m = &r->messages[i];

		if (run_in_group(m, g))
			add_message(ret, r, m);
		else if (m->excluded &&
		    (g->scope == SCOPE_TOTAL || (g->scope == SCOPE_SCENARIO ? m->scenario : m->agent) == g->index))
			ret->excluded++;
	}
}

uint64_t
sums_seq_conflicts(const struct run *r, const struct group *g)
{
	const struct seq_use *first = NULL; /* of the pair at hand, in the group */
	bool counted = false;
	uint64_t conflicts = 0;

	for (size_t i = 0; i < r->seq_uses.n; i++) {
		const struct seq_use *u = &r->seq_uses.v[i];

		if (!run_in_group(&r->messages[u->message], g))
			continue;
		if (first == NULL || first->topic != u->topic || first->seq != u->seq) {
			first = u;
			counted = false;
		} else if (!counted) {
			conflicts++;
			counted = true;
		}
	}
	return conflicts;
}

/* ------------------------------------------------------------------ by code, by reason */

static int
use_cmp(const void *va, const void *vb)
{
	const struct tally_use *a = va, *b = vb;

	CMP(a->key, b->key);
	CMP(a->message, b->message);
	return 0;
}

static enum imp_rc
gather_uses(struct tallies *t, const struct run *r, uint32_t i, struct imp_err *err)
{
	const struct message *m = &r->messages[i];
	enum imp_rc rc = IMP_OK;

	for (uint32_t k = 0; k < m->nanswers && rc == IMP_OK; k++) {
		const struct answer *a = &r->ledger->answers.v[m->answer0 + k];
		struct tally_use use = { a->kind == ANSWER_FAIL ? (int64_t)a->why : a->code, i };

		if (a->kind == ANSWER_FAIL)
			rc = VEC_PUSH(NULL, &t->fails, use, err);
		else if (a->code != NO_TIME)
			rc = VEC_PUSH(NULL, &t->codes, use, err);
	}
	for (uint32_t k = 0; k < m->nattempts && rc == IMP_OK; k++) {
		const struct attempt *a = &r->ledger->attempts.v[m->attempt0 + k];
		struct tally_use use = { a->why, i };

		if (a->kind == ATTEMPT_SKIP)
			rc = VEC_PUSH(NULL, &t->skips, use, err);
	}
	return rc;
}

enum imp_rc
tallies_of(const struct run *r, const struct group *g, struct tallies *ret, struct imp_err *err)
{
	struct tallies t = { .codes = { NULL, 0, 0 } };
	enum imp_rc rc = IMP_OK;

	for (uint32_t i = 0; i < r->nmessages && rc == IMP_OK; i++) {
		if (run_in_group(&r->messages[i], g))
			rc = gather_uses(&t, r, i, err);
	}
	if (rc != IMP_OK) {
		tallies_done(&t);
		return rc;
	}
	if (t.codes.n > 0)
		qsort(t.codes.v, t.codes.n, sizeof(*t.codes.v), use_cmp);
	if (t.fails.n > 0)
		qsort(t.fails.v, t.fails.n, sizeof(*t.fails.v), use_cmp);
	if (t.skips.n > 0)
		qsort(t.skips.v, t.skips.n, sizeof(*t.skips.v), use_cmp);
	*ret = t;
	return IMP_OK;
}

void
tallies_done(struct tallies *t)
{
	VEC_FREE(NULL, &t->codes);
	VEC_FREE(NULL, &t->fails);
	VEC_FREE(NULL, &t->skips);
}

bool
tally_next(const struct tally_use *v, size_t n, bool each_line, size_t *pos, int64_t *ret_key, uint64_t *ret_n)
{
	size_t i = *pos;

	if (i == n)
		return false;
	*ret_key = v[i].key;
	*ret_n = 0;
	for (; i < n && v[i].key == *ret_key; i++)
		*ret_n += each_line || i == *pos || v[i].message != v[i - 1].message;
	*pos = i;
	return true;
}
