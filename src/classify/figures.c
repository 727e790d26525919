#include "config.h"

#include "classify/figures.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "classify/latency.h"
#include "sql_gen.h"

/* Counts that are sums over messages. */
struct sums {
	uint64_t outcome[_OUTCOME_MAX], class[_CLASS_MAX], anomaly[_ANOMALY_MAX];
	uint64_t persisted[_PERSISTED_MAX]; /* of acked messages */
	uint64_t matrix[_OUTCOME_MAX][_OBSERVED_MAX][_PERSISTED_MAX];
	uint64_t messages, excluded;
	uint64_t expected, unique, late, unwitnessed, missing, duplicate, disconnected; /* of acked messages */
	uint64_t echo, unexpected, strangers, wrong_topic, early;			/* of all */
	uint64_t unacked_observed, unacked_deliveries, not_ready;
	uint64_t unacked_persisted, history_found, witness_conflicts;
	uint64_t no_answer, cut_off;
	bool upper_bound;
};

struct writer {
	struct run *r;
	struct store *s;
	int64_t run_no;
	const char *scope;
	struct slice id;
	struct imp_err *err;
	enum imp_rc rc; /* of the first line that failed; later ones are not tried */
};

/* ------------------------------------------------------------------ lines of the table */

static sqlite3_stmt *
figure_line(struct writer *w, const char *name, struct slice tail)
{
	sqlite3_stmt *st = NULL;
	char text[192];

	if (w->rc == IMP_OK)
		w->rc = store_stmt(w->s, sql_classify_insert_figure, &st, w->err);
	if (w->rc != IMP_OK)
		return NULL;
	snprintf(text, sizeof(text), "%s%.*s", name, (int)(tail.n < 100 ? tail.n : 100), tail.n > 0 ? tail.p : "");
	sqlite3_bind_int64(st, 1, w->run_no);
	sqlite3_bind_text(st, 2, w->scope, -1, SQLITE_STATIC);
	store_bind_slice(st, 3, w->id);
	sqlite3_bind_text(st, 4, text, -1, SQLITE_TRANSIENT);
	return st;
}

static void
figure_end(struct writer *w, sqlite3_stmt *st)
{
	if (st != NULL)
		w->rc = store_step_done(w->s, st, w->err);
}

static void
put_int(struct writer *w, const char *name, int64_t v)
{
	sqlite3_stmt *st = figure_line(w, name, SLICE(""));

	if (st != NULL)
		sqlite3_bind_int64(st, 5, v);
	figure_end(w, st);
}

static void
put_count(struct writer *w, const char *name, uint64_t v)
{
	put_int(w, name, (int64_t)v);
}

/* A count under a name that comes from the evidence ("by_code.502"). */
static void
put_named(struct writer *w, const char *prefix, struct slice tail, uint64_t v)
{
	sqlite3_stmt *st = figure_line(w, prefix, tail);

	if (st != NULL)
		sqlite3_bind_int64(st, 5, (int64_t)v);
	figure_end(w, st);
}

static void
put_null(struct writer *w, const char *name)
{
	figure_end(w, figure_line(w, name, SLICE("")));
}

static void
put_text(struct writer *w, const char *name, const char *text)
{
	sqlite3_stmt *st = figure_line(w, name, SLICE(""));

	if (st != NULL)
		sqlite3_bind_text(st, 5, text, -1, SQLITE_TRANSIENT);
	figure_end(w, st);
}

static void
put_count_or_null(struct writer *w, const char *name, uint64_t v, bool evaluated)
{
	if (evaluated)
		put_count(w, name, v);
	else
		put_null(w, name);
}

/* An exact quotient; null for 0/0 and where it is not evaluated. */
static void
put_rate(struct writer *w, const char *name, uint64_t part, uint64_t whole, bool evaluated)
{
	sqlite3_stmt *st = figure_line(w, name, SLICE(""));

	if (st != NULL && evaluated && whole > 0)
		sqlite3_bind_double(st, 5, (double)part / (double)whole);
	figure_end(w, st);
}

/* ------------------------------------------------------------------ sums */

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

static void
sum_group(const struct run *r, const struct group *g, struct sums *s)
{
	memset(s, 0, sizeof(*s));
	for (uint32_t i = 0; i < r->nmessages; i++) {
		const struct message *m = &r->messages[i];

		if (run_in_group(m, g))
			add_message(s, r, m);
		else if (m->excluded &&
		    (g->scope == SCOPE_TOTAL || (g->scope == SCOPE_SCENARIO ? m->scenario : m->agent) == g->index))
			s->excluded++;
	}
}

/* ------------------------------------------------------------------ by code, by reason */

struct tally {
	int64_t key;
	uint64_t n;
	uint32_t last; /* message that was counted last: it counts once */
};

struct tallies {
	VEC(struct tally) v;
};

static enum imp_rc
tally(struct tallies *t, int64_t key, uint32_t message, struct imp_err *err)
{
	struct tally fresh = { key, 1, message };

	for (size_t i = 0; i < t->v.n; i++) {
		struct tally *old = &t->v.v[i];

		if (old->key != key)
			continue;
		old->n += message == NONE || old->last != message;
		old->last = message;
		return IMP_OK;
	}
	return VEC_PUSH(NULL, &t->v, fresh, err);
}

struct by {
	struct tallies codes, fails, skips;
};

static enum imp_rc
tally_message(struct by *by, const struct run *r, uint32_t i, struct imp_err *err)
{
	const struct message *m = &r->messages[i];
	enum imp_rc rc = IMP_OK;

	for (uint32_t k = 0; k < m->nanswers && rc == IMP_OK; k++) {
		const struct answer *a = &r->ledger->answers.v[m->answer0 + k];

		if (a->kind == ANSWER_FAIL)
			rc = tally(&by->fails, a->why, i, err);
		else if (a->code != NO_TIME)
			rc = tally(&by->codes, a->code, i, err);
	}
	for (uint32_t k = 0; k < m->nattempts && rc == IMP_OK; k++) {
		const struct attempt *a = &r->ledger->attempts.v[m->attempt0 + k];

		if (a->kind == ATTEMPT_SKIP)
			rc = tally(&by->skips, a->why, NONE, err);
	}
	return rc;
}

static void
put_tallies(struct writer *w, struct by *by, const struct sums *s)
{
	const struct ledger *l = w->r->ledger;
	char code[24];

	for (size_t i = 0; i < by->codes.v.n; i++) {
		snprintf(code, sizeof(code), "%lld", (long long)by->codes.v.v[i].key);
		put_named(w, "by_code.", slice_of(code), by->codes.v.v[i].n);
	}
	for (size_t i = 0; i < by->fails.v.n; i++)
		put_named(w, "by_fail.", ledger_text_slice(l, (uint32_t)by->fails.v.v[i].key), by->fails.v.v[i].n);
	for (size_t i = 0; i < by->skips.v.n; i++)
		put_named(w, "by_skip.", ledger_text_slice(l, (uint32_t)by->skips.v.v[i].key), by->skips.v.v[i].n);
	if (s->no_answer > 0)
		put_count(w, "by_fail.no_answer", s->no_answer);
	if (s->cut_off > 0)
		put_count(w, "by_fail.cut_off", s->cut_off);
}

static void
put_by(struct writer *w, const struct group *g, const struct sums *s)
{
	struct by by = { .codes = { { NULL, 0, 0 } } };

	for (uint32_t i = 0; i < w->r->nmessages && w->rc == IMP_OK; i++) {
		if (run_in_group(&w->r->messages[i], g))
			w->rc = tally_message(&by, w->r, i, w->err);
	}
	put_tallies(w, &by, s);
	VEC_FREE(NULL, &by.codes.v);
	VEC_FREE(NULL, &by.fails.v);
	VEC_FREE(NULL, &by.skips.v);
}

/* ------------------------------------------------------------------ seq conflicts */

/* (topic, seq) pairs that carry two mids of the group. */
static uint64_t
count_seq_conflicts(const struct run *r, const struct group *g)
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

/* ------------------------------------------------------------------ the plan */

static int64_t
scenario_plan(const struct scenario *sc)
{
	if (sc->plan.warmup)
		return 0;
	if (sc->plan.planned == PLAN_UNKNOWN)
		return (int64_t)sc->messages;
	return sc->plan.planned - (int64_t)sc->excluded;
}

static int64_t
group_plan(const struct run *r, const struct group *g)
{
	int64_t sum = 0;

	if (g->scope == SCOPE_SCENARIO)
		return scenario_plan(&r->scenarios.v[g->index]);
	for (size_t i = 0; i < r->scenarios.n; i++)
		sum += scenario_plan(&r->scenarios.v[i]);
	return sum;
}

static void
put_plan(struct writer *w, const struct group *g, const struct sums *s)
{
	uint64_t attempted = s->messages - s->outcome[OUTCOME_UNSENT];
	int64_t planned = group_plan(w->r, g);

	if (g->scope == SCOPE_AGENT) {
		put_null(w, "planned");
		put_null(w, "never_tried");
	} else {
		put_int(w, "planned", planned);
		put_int(w, "never_tried", planned - (int64_t)s->messages);
	}
	put_count(w, "attempted", attempted);
	for (int o = 0; o < _OUTCOME_MAX; o++)
		put_count(w, outcome_name((enum outcome)o), s->outcome[o]);
	put_count(w, "excluded", s->excluded);
	put_rate(w, "rates.accept_rate", s->outcome[OUTCOME_ACKED], attempted, true);
	put_rate(w, "rates.reject_rate", s->outcome[OUTCOME_REJECTED] + s->outcome[OUTCOME_UNKNOWN], attempted, true);
}

static void
put_accounts(struct writer *w, const struct group *g)
{
	const struct run *r = w->r;
	int64_t load_start = r->mark[MARK_load_start], at = load_start;
	uint64_t listed = 0, ready = 0, disconnects = 0;

	if (g->scope == SCOPE_SCENARIO) /* a warm-up counts in nothing, so it has no first `pub` either */
		at = r->scenarios.v[g->index].plan.warmup ? NO_TIME : r->scenarios.v[g->index].first_pub;
	for (uint32_t a = 0; a < r->ledger->accounts.n; a++) {
		bool is_listed = r->ledger->accounts.v[a].listed;

		if (g->scope == SCOPE_AGENT && r->account_agent[a] != g->index)
			continue;
		listed += is_listed;
		ready += is_listed && at != NO_TIME && watch_ready(r, a, at);
		if (load_start != NO_TIME && r->last_window_end != NO_TIME)
			disconnects += watch_disconnects(r, a, load_start, r->last_window_end);
	}
	if (g->scope != SCOPE_AGENT && r->ledger->plan->planned_accounts != PLAN_UNKNOWN)
		put_int(w, "accounts.planned", r->ledger->plan->planned_accounts);
	else
		put_count_or_null(w, "accounts.planned", listed, r->ledger->has_accounts);
	put_count_or_null(w, "accounts.ready", ready, r->has_conns && r->ledger->has_accounts && at != NO_TIME);
	put_count_or_null(w, "accounts.disconnects_in_load", disconnects, r->has_conns);
}

/* ------------------------------------------------------------------ deliveries and storage */

static void
put_delivery(struct writer *w, const struct group *g, const struct sums *s)
{
	const struct run *r = w->r;
	uint64_t regressed = 0, two = 0;
	bool seen = s->expected > s->unwitnessed;

	for (size_t a = 0; a < r->ledger->accounts.n; a++) {
		regressed += (g->accounts[a] & GROUP_REGRESSED) != 0;
		two += (g->accounts[a] & GROUP_TWO_COPIES) != 0;
	}
	put_rate(w, "rates.arrival_rate", s->unique, s->expected, seen);
	put_rate(w, "rates.loss_rate", s->missing, s->expected, seen);
	put_rate(w, "rates.late_rate", s->late, s->expected, seen);
	put_rate(w, "rates.duplicate_rate", s->duplicate, s->expected, true);
	put_rate(w, "rates.out_of_order_rate", regressed, two, true);
	if (!r->ledger->has_topics) {
		put_null(w, "delivery");
		return;
	}
	put_count(w, "delivery.expected", s->expected);
	put_count(w, "delivery.unique", s->unique);
	put_count(w, "delivery.late", s->late);
	put_count(w, "delivery.unwitnessed", s->unwitnessed);
	put_count(w, "delivery.missing", s->missing);
	put_count(w, "delivery.duplicate", s->duplicate);
	put_count_or_null(w, "delivery.receiver_disconnected", s->disconnected, r->has_conns);
	put_count(w, "delivery.echo", s->echo);
	put_count(w, "delivery.unexpected_receiver", s->unexpected);
	put_count(w, "delivery.strangers", s->strangers);
	put_count_or_null(w, "delivery.not_ready", s->not_ready, r->has_conns);
	put_count(w, "delivery.unacked_messages_observed", s->unacked_observed);
	put_count(w, "delivery.unacked_deliveries", s->unacked_deliveries);
	put_count(w, "delivery.seq_regressions", g->regressions);
	put_count(w, "delivery.receivers_out_of_order", regressed);
	put_count(w, "delivery.missing_upper_bound", s->upper_bound);
}

static void
put_persistence(struct writer *w, const struct sums *s)
{
	uint64_t acked = s->outcome[OUTCOME_ACKED];
	char name[64];

	for (int p = 0; p < _PERSISTED_MAX; p++) {
		snprintf(name, sizeof(name), "persistence.%s", persisted_name((enum persisted)p));
		put_count(w, name, s->persisted[p]);
	}
	put_count(w, "persistence.unacked_persisted", s->unacked_persisted);
	put_count_or_null(w, "persistence.history_found", s->history_found, w->r->has_history);
	put_count_or_null(w, "persistence.witness_conflicts", s->witness_conflicts, w->r->has_history && w->r->has_db);
	put_rate(w, "rates.persistence_loss", s->persisted[PERSISTED_ABSENT] + s->persisted[PERSISTED_DEAD_LETTER], acked,
	    s->persisted[PERSISTED_UNCHECKED] < acked);
}

static void
put_classes(struct writer *w, const struct group *g, const struct sums *s)
{
	char name[64];

	for (int c = 0; c < _CLASS_MAX; c++) {
		snprintf(name, sizeof(name), "classes.%s", class_name((enum message_class)c));
		put_count(w, name, s->class[c]);
	}
	for (int a = 0; a < _ANOMALY_MAX; a++) {
		uint64_t n = s->anomaly[a];

		/* these two count copies */
		if (a == ANOMALY_wrong_topic)
			n = s->wrong_topic;
		else if (a == ANOMALY_clock_skew)
			n = s->early;
		snprintf(name, sizeof(name), "anomalies.%s", anomaly_name((enum anomaly)a));
		put_count(w, name, n);
	}
	put_count(w, "anomalies.seq_conflict", count_seq_conflicts(w->r, g));
}

static void
put_matrix_line(struct writer *w, int o, int b, int p, uint64_t n)
{
	sqlite3_stmt *st;

	if (w->rc == IMP_OK)
		w->rc = store_stmt(w->s, sql_classify_insert_matrix, &st, w->err);
	if (w->rc != IMP_OK)
		return;
	sqlite3_bind_int64(st, 1, w->run_no);
	sqlite3_bind_text(st, 2, w->scope, -1, SQLITE_STATIC);
	store_bind_slice(st, 3, w->id);
	sqlite3_bind_text(st, 4, outcome_name((enum outcome)o), -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 5, observed_name((enum observed)b), -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 6, persisted_name((enum persisted)p), -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 7, (int64_t)n);
	w->rc = store_step_done(w->s, st, w->err);
}

static void
put_matrix(struct writer *w, const struct sums *s)
{
	for (int o = 0; o < _OUTCOME_MAX; o++) {
		for (int b = 0; b < _OBSERVED_MAX; b++) {
			for (int p = 0; p < _PERSISTED_MAX; p++) {
				if (s->matrix[o][b][p] > 0)
					put_matrix_line(w, o, b, p, s->matrix[o][b][p]);
			}
		}
	}
}

/* ------------------------------------------------------------------ latencies */

static void
put_latency(struct writer *w, enum latency l, const struct latency_result *lr)
{
	static const char *const ranks[QUANTILES] = { "p50", "p95", "p99", "p999" };
	const struct quantile_result *q = &lr->of[l];
	bool valid = l != LATENCY_DELIVERY || lr->delivery_valid;
	char name[64];
	int n = snprintf(name, sizeof(name), "latency_ms.%s.", latency_name(l));
	char *tail = name + n;
	size_t room = sizeof(name) - (size_t)n;

	for (int k = 0; k < QUANTILES; k++) {
		snprintf(tail, room, "%s", ranks[k]);
		put_count_or_null(w, name, (uint64_t)q->rank[k], q->n > 0);
	}
	snprintf(tail, room, "max");
	put_count_or_null(w, name, (uint64_t)q->max, q->n > 0);
	snprintf(tail, room, "mean");
	put_count_or_null(w, name, (uint64_t)q->mean, q->n > 0);
	snprintf(tail, room, "n");
	put_count(w, name, q->n);
	snprintf(tail, room, "valid");
	put_count(w, name, valid);
	snprintf(tail, room, "why");
	if (!valid)
		put_text(w, name, lr->delivery_why);
	snprintf(tail, room, "ambiguous");
	if (l == LATENCY_ACK || l == LATENCY_ACK_FROM_PLAN)
		put_count(w, name, lr->ambiguous);
}

/* ------------------------------------------------------------------ a group */

static void
name_group(struct writer *w, const struct group *g)
{
	const struct run *r = w->r;

	w->scope = g->scope == SCOPE_TOTAL ? "total" : g->scope == SCOPE_SCENARIO ? "scenario" : "agent";
	w->id = g->scope == SCOPE_TOTAL ? SLICE("") :
	    g->scope == SCOPE_SCENARIO	? r->scenarios.v[g->index].plan.id :
					  r->ledger->agents.v[g->index].name;
}

static void
write_group(struct writer *w, const struct group *g, struct quantile *q, struct latency_result *total)
{
	struct sums s;
	struct latency_result lr;

	sum_group(w->r, g, &s);
	name_group(w, g);
	put_plan(w, g, &s);
	put_accounts(w, g);
	put_by(w, g, &s);
	put_classes(w, g, &s);
	put_matrix(w, &s);
	put_delivery(w, g, &s);
	put_persistence(w, &s);
	if (w->rc == IMP_OK && g->scope != SCOPE_TOTAL && g->same_as_total)
		lr = *total;
	else if (w->rc == IMP_OK)
		w->rc = latency_measure(w->r, g, w->s, w->run_no, q, &lr, w->err);
	if (w->rc != IMP_OK)
		return;
	if (g->scope == SCOPE_TOTAL)
		*total = lr;
	for (int l = 0; l < _LATENCY_MAX; l++)
		put_latency(w, (enum latency)l, &lr);
}

static void
quantile_donep(struct quantile **q)
{
	quantile_done(*q);
}

enum imp_rc
figures_write(struct run *r, struct store *s, int64_t run_no, struct imp_err *err)
{
	struct writer w = { .r = r, .s = s, .run_no = run_no, .err = err };
	CLEANUP(quantile_donep) struct quantile *q = NULL;
	struct latency_result total;

	w.rc = quantile_init(&q, err);
	for (size_t i = 0; i < r->groups.n && w.rc == IMP_OK; i++)
		write_group(&w, &r->groups.v[i], q, &total);
	return w.rc;
}
