#include "config.h"

#include "classify/latency.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "sql_gen.h"
#include "store/block.h"

#define CLOCK_VALID_NS INT64_C(5000000)
#define WHY_BYTES_MAX 256 /* as the result has; longer lists are cut */

const char *
latency_name(enum latency l)
{
	static const char *const names[_LATENCY_MAX] = { "ack", "ack_from_plan", "delivery", "queue" };

	return names[l];
}

/* ------------------------------------------------------------------ of messages */

/* The latency of one message, NO_TIME where it has none. */
static int64_t
message_latency(const struct run *r, const struct message *m, enum latency l)
{
	if (l == LATENCY_ACK)
		return m->ack_ns;
	if (l == LATENCY_ACK_FROM_PLAN)
		return m->ack_from_plan_ns;
	for (uint32_t i = 0; i < m->nattempts; i++) {
		const struct attempt *a = &r->ledger->attempts.v[m->attempt0 + i];

		if (a->kind == ATTEMPT_PUB)
			return a->plan != NO_TIME ? a->t - a->plan : NO_TIME;
	}
	return NO_TIME;
}

static void
measure_messages(const struct run *r, const struct group *g, enum latency l, struct quantile *q, struct quantile_result *ret)
{
	quantile_clear(q);
	while (quantile_again(q)) {
		for (uint32_t i = 0; i < r->nmessages; i++) {
			int64_t v = run_in_group(&r->messages[i], g) ? message_latency(r, &r->messages[i], l) : NO_TIME;

			if (v != NO_TIME)
				quantile_add(q, v);
		}
	}
	quantile_get(q, ret);
}

/* ------------------------------------------------------------------ of deliveries */

struct deliveries {
	struct run *r;
	struct store *s;
	int64_t run_no;
	const struct group *g[LATENCY_TOGETHER];
	struct quantile *q[LATENCY_TOGETHER];
	bool looking[LATENCY_TOGETHER]; /* this one needs the look at hand */
	size_t n;
	struct quantile *hit[LATENCY_TOGETHER]; /* of the groups that the message at hand counts in */
	size_t nhits;
	VEC(int64_t) t;
};

/* The message that deliveries belong to when they count in some group that is looking, else NULL. */
static const struct message *
counted_message(struct deliveries *d, int64_t no)
{
	const struct message *m = no >= 0 && no < (int64_t)d->r->nmessages ? &d->r->messages[no] : NULL;

	d->nhits = 0;
	for (size_t k = 0; k < d->n && m != NULL && m->outcome == OUTCOME_ACKED; k++) {
		if (d->looking[k] && run_in_group(m, d->g[k]))
			d->hit[d->nhits++] = d->q[k];
	}
	return d->nhits > 0 ? m : NULL;
}

static void
add_value(const struct deliveries *d, int64_t ns)
{
	for (size_t k = 0; k < d->nhits; k++)
		quantile_add(d->hit[k], ns);
}

static enum imp_rc
add_block(struct deliveries *d, const struct message *m, int64_t first, struct slice body, struct imp_err *err)
{
	const struct topic *topic = run_topic(d->r, m);
	struct block b;
	enum imp_rc rc = block_open(body, &b, err);

	if (rc == IMP_OK && (first < 0 || first > topic->nmembers || b.members > topic->nmembers - first))
		rc = imp_err_set(err, IMP_E_DB, "deliveries of message '%.*s' do not fit its topic", SLICE_ARG(run_mid(d->r, m)));
	d->t.n = 0;
	if (rc == IMP_OK)
		rc = VEC_RESERVE(NULL, &d->t, b.members, err);
	if (rc != IMP_OK)
		return rc;
	block_decode(&b, 0, b.members, d->t.v);
	for (uint32_t i = 0; i < b.members; i++) {
		if (d->t.v[i] != BLOCK_ABSENT && run_expects(d->r, m, topic->kind, topic->members[first + i]))
			add_value(d, d->t.v[i] - m->first_pub);
	}
	return IMP_OK;
}

/* One look at all deliveries. */
static enum imp_rc
look_at_deliveries(struct deliveries *d, struct imp_err *err)
{
	sqlite3_stmt *st;
	bool more;
	enum imp_rc rc = store_stmt(d->s, sql_classify_delivery_blocks, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, d->run_no);
	while ((rc = store_step_row(d->s, st, &more, err)) == IMP_OK && more) {
		const struct message *m = counted_message(d, sqlite3_column_int64(st, 0));
		struct slice body;

		if (m == NULL)
			continue;
		body.p = sqlite3_column_blob(st, 2);
		body.n = (size_t)sqlite3_column_bytes(st, 2);
		rc = add_block(d, m, sqlite3_column_int64(st, 1), body, err);
		if (rc != IMP_OK)
			return rc;
	}
	if (rc == IMP_OK)
		rc = store_stmt(d->s, sql_classify_odd_first_copies, &st, err);
	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, d->run_no);
	while ((rc = store_step_row(d->s, st, &more, err)) == IMP_OK && more) {
		const struct message *m = counted_message(d, sqlite3_column_int64(st, 0));
		uint64_t account = (uint64_t)sqlite3_column_int64(st, 1); /* a lasting number */

		if (m != NULL && account < d->r->ledger->accounts.n && run_topic(d->r, m)->listed &&
		    run_expects(d->r, m, run_topic(d->r, m)->kind, d->r->account_at[account]))
			add_value(d, sqlite3_column_int64(st, 2) - m->first_pub);
	}
	return rc;
}

static enum imp_rc
measure_deliveries(struct deliveries *d, struct latency_result *const *ret, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;
	bool any = true;

	for (size_t k = 0; k < d->n; k++) {
		quantile_clear(d->q[k]);
		d->looking[k] = true;
	}
	while (rc == IMP_OK && any) {
		any = false;
		for (size_t k = 0; k < d->n; k++) {
			d->looking[k] = d->looking[k] && quantile_again(d->q[k]);
			any |= d->looking[k];
		}
		if (any)
			rc = look_at_deliveries(d, err);
	}
	VEC_FREE(NULL, &d->t);
	for (size_t k = 0; k < d->n && rc == IMP_OK; k++)
		quantile_get(d->q[k], &ret[k]->of[LATENCY_DELIVERY]);
	return rc;
}

/* ------------------------------------------------------------------ validity */

static bool
clock_good(const struct run *r, uint32_t agent)
{
	int64_t worst = r->agents[agent].clock_worst_ns;

	return worst != NO_TIME && llabs(worst) <= CLOCK_VALID_NS;
}

/* Do deliveries of the group lie between this agent's clock and another's? */
static bool
clock_used(const struct run *r, const struct group *g, uint32_t clock)
{
	size_t n = r->ledger->agents.n;

	for (size_t s = 0; s < r->scenarios.n; s++) {
		if (r->scenarios.v[s].plan.warmup || (g->scope == SCOPE_SCENARIO && s != g->index))
			continue;
		for (uint32_t agent = 0; agent < n; agent++) {
			if ((g->scope != SCOPE_AGENT || agent == g->index) && r->crossed[(s * n + agent) * n + clock])
				return true;
		}
	}
	return false;
}

/* Deliveries between two clocks are valid only when both are known well enough. The reason names all that are not. */
static enum imp_rc
judge_clocks(const struct run *r, const struct group *g, struct latency_result *ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(WHY_BYTES_MAX);
	unsigned unmeasured = 0;

	for (uint32_t clock = 0; clock < r->ledger->agents.n; clock++) {
		if (r->agents[clock].clock_worst_ns != NO_TIME || !clock_used(r, g, clock))
			continue;
		buf_addf(&why, "%s%.*s", unmeasured++ == 0 ? "no clock measurement of agent " : ", ",
		    SLICE_ARG(r->ledger->agents.v[clock].name));
	}
	for (uint32_t clock = 0; clock < r->ledger->agents.n; clock++) {
		int64_t worst = r->agents[clock].clock_worst_ns;

		if (worst == NO_TIME || clock_good(r, clock) || !clock_used(r, g, clock))
			continue;
		buf_addf(&why, "%sthe clock of agent %.*s was off by %.3f ms, more than 5 ms", why.n > 0 ? "; " : "",
		    SLICE_ARG(r->ledger->agents.v[clock].name), (double)worst / 1e6);
	}
	ret->delivery_valid = why.n == 0 && why.failed == IMP_OK;
	snprintf(ret->delivery_why, sizeof(ret->delivery_why), "%.*s", SLICE_ARG(buf_slice(&why)));
	return why.failed == IMP_E_NOMEM ? buf_status(&why, err) : IMP_OK;
}

/* ------------------------------------------------------------------ all of it */

static enum imp_rc
measure_group(struct run *r, const struct group *g, struct quantile *q, struct latency_result *ret, struct imp_err *err)
{
	memset(ret, 0, sizeof(*ret));
	measure_messages(r, g, LATENCY_ACK, q, &ret->of[LATENCY_ACK]);
	measure_messages(r, g, LATENCY_ACK_FROM_PLAN, q, &ret->of[LATENCY_ACK_FROM_PLAN]);
	measure_messages(r, g, LATENCY_QUEUE, q, &ret->of[LATENCY_QUEUE]);
	for (uint32_t i = 0; i < r->nmessages; i++)
		ret->ambiguous += run_in_group(&r->messages[i], g) && r->messages[i].ack_ambiguous;
	return judge_clocks(r, g, ret, err);
}

/* Total first; groups that are the same as it take its figures. */
enum imp_rc
latency_measure(struct run *r, const struct group *g, size_t n, struct store *s, int64_t run_no, struct latency_result *ret,
    struct imp_err *err)
{
	struct deliveries d = { .r = r, .s = s, .run_no = run_no };
	struct latency_result *together[LATENCY_TOGETHER];
	enum imp_rc rc = IMP_OK;

	for (size_t k = 0; k < LATENCY_TOGETHER && rc == IMP_OK; k++)
		rc = quantile_init(&d.q[k], err);
	for (size_t i = 0; i < n && rc == IMP_OK; i++) {
		if (i == 0 || !g[i].same_as_total) {
			rc = measure_group(r, &g[i], d.q[0], &ret[i], err);
			d.g[d.n] = &g[i];
			together[d.n++] = &ret[i];
		}
		if (rc == IMP_OK && d.n > 0 && (d.n == LATENCY_TOGETHER || i + 1 == n)) {
			rc = measure_deliveries(&d, together, err);
			d.n = 0;
		}
	}
	for (size_t i = 1; i < n && rc == IMP_OK; i++) {
		if (g[i].same_as_total)
			ret[i] = ret[0];
	}
	for (size_t k = 0; k < LATENCY_TOGETHER; k++)
		quantile_done(d.q[k]);
	return rc;
}
