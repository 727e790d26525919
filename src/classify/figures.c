#include "config.h"

#include "classify/figures.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "classify/latency.h"
#include "classify/out.h"
#include "classify/sums.h"
#include "sql_gen.h"

#define NAME_MAX_BYTES 192 /* of a figure */

struct writer {
	struct run *r;
	struct out out;
	const char *scope;
	struct slice id;
};

/* ------------------------------------------------------------------ lines of the table */

/* A line up to its value: the caller adds that. `tail` comes from evidence ("by_code." + "502"). */
static void
figure_begin(struct writer *w, const char *name, struct slice tail, char text[NAME_MAX_BYTES])
{
	snprintf(text, NAME_MAX_BYTES, "%s%.*s", name, (int)(tail.n < 100 ? tail.n : 100), tail.n > 0 ? tail.p : "");
	out_begin(&w->out, sql_classify_insert_figure);
	out_str(&w->out, w->scope);
	out_text(&w->out, w->id);
	out_str(&w->out, text);
}

static void
put_named(struct writer *w, const char *prefix, struct slice tail, uint64_t v)
{
	char text[NAME_MAX_BYTES];

	figure_begin(w, prefix, tail, text);
	out_int(&w->out, (int64_t)v);
	out_end(&w->out);
}

static void
put_int(struct writer *w, const char *name, int64_t v)
{
	put_named(w, name, SLICE(""), (uint64_t)v);
}

static void
put_count(struct writer *w, const char *name, uint64_t v)
{
	put_named(w, name, SLICE(""), v);
}

static void
put_null(struct writer *w, const char *name)
{
	char text[NAME_MAX_BYTES];

	figure_begin(w, name, SLICE(""), text);
	out_null(&w->out);
	out_end(&w->out);
}

static void
put_text(struct writer *w, const char *name, const char *value)
{
	char text[NAME_MAX_BYTES];

	figure_begin(w, name, SLICE(""), text);
	out_str(&w->out, value);
	out_end(&w->out);
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
	char text[NAME_MAX_BYTES];

	figure_begin(w, name, SLICE(""), text);
	if (evaluated && whole > 0)
		out_real(&w->out, (double)part / (double)whole);
	else
		out_null(&w->out);
	out_end(&w->out);
}

/* ------------------------------------------------------------------ by code, by reason */

static void
put_tallies(struct writer *w, const struct tallies *t)
{
	const struct ledger *l = w->r->ledger;
	char code[24];
	int64_t key;
	uint64_t n;

	for (size_t pos = 0; tally_next(t->codes.v, t->codes.n, false, &pos, &key, &n);) {
		snprintf(code, sizeof(code), "%lld", (long long)key);
		put_named(w, "by_code.", slice_of(code), n);
	}
	for (size_t pos = 0; tally_next(t->fails.v, t->fails.n, false, &pos, &key, &n);)
		put_named(w, "by_fail.", ledger_text_slice(l, (uint32_t)key), n);
	for (size_t pos = 0; tally_next(t->skips.v, t->skips.n, true, &pos, &key, &n);)
		put_named(w, "by_skip.", ledger_text_slice(l, (uint32_t)key), n);
}

static void
put_by(struct writer *w, const struct group *g, const struct sums *s)
{
	struct tallies t = { .codes = { NULL, 0, 0 } };

	if (w->out.rc == IMP_OK)
		w->out.rc = tallies_of(w->r, g, &t, w->out.err);
	put_tallies(w, &t);
	tallies_done(&t);
	if (s->no_answer > 0)
		put_count(w, "by_fail.no_answer", s->no_answer);
	if (s->cut_off > 0)
		put_count(w, "by_fail.cut_off", s->cut_off);
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
	bool has_span = load_start != NO_TIME && r->last_window_end != NO_TIME; /* nothing but warm-up has none */

	if (g->scope == SCOPE_SCENARIO) /* a warm-up counts in nothing, so it has no first `pub` either */
		at = r->scenarios.v[g->index].plan.warmup ? NO_TIME : r->scenarios.v[g->index].first_pub;
	for (uint32_t a = 0; a < r->ledger->accounts.n; a++) {
		bool is_listed = r->ledger->accounts.v[a].listed;

		if (g->scope == SCOPE_AGENT && r->account_agent[a] != g->index)
			continue;
		listed += is_listed;
		ready += is_listed && at != NO_TIME && watch_ready(r, a, at);
		if (has_span)
			disconnects += watch_disconnects(r, a, load_start, r->last_window_end);
	}
	if (g->scope != SCOPE_AGENT && r->ledger->plan->planned_accounts != PLAN_UNKNOWN)
		put_int(w, "accounts.planned", r->ledger->plan->planned_accounts);
	else
		put_count_or_null(w, "accounts.planned", listed, r->ledger->has_accounts);
	put_count_or_null(w, "accounts.ready", ready, r->has_conns && r->ledger->has_accounts && at != NO_TIME);
	put_count_or_null(w, "accounts.disconnects_in_load", disconnects, r->has_conns && has_span);
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
	put_count(w, "anomalies.seq_conflict", sums_seq_conflicts(w->r, g));
}

static void
put_matrix_line(struct writer *w, int o, int b, int p, uint64_t n)
{
	out_begin(&w->out, sql_classify_insert_matrix);
	out_str(&w->out, w->scope);
	out_text(&w->out, w->id);
	out_str(&w->out, outcome_name((enum outcome)o));
	out_str(&w->out, observed_name((enum observed)b));
	out_str(&w->out, persisted_name((enum persisted)p));
	out_int(&w->out, (int64_t)n);
	out_end(&w->out);
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
write_group(struct writer *w, const struct group *g, const struct latency_result *latencies)
{
	struct sums s;

	sums_of(w->r, g, &s);
	name_group(w, g);
	put_plan(w, g, &s);
	put_accounts(w, g);
	put_by(w, g, &s);
	put_classes(w, g, &s);
	put_matrix(w, &s);
	put_delivery(w, g, &s);
	put_persistence(w, &s);
	for (int l = 0; l < _LATENCY_MAX; l++)
		put_latency(w, (enum latency)l, latencies);
}

enum imp_rc
figures_write(struct run *r, struct store *s, int64_t run_no, struct imp_err *err)
{
	struct writer w = { .r = r, .out = { .s = s, .run_no = run_no, .err = err } };
	CLEANUP(freep) struct latency_result *latencies = calloc(r->groups.n, sizeof(*latencies));

	if (latencies == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: latencies");
	w.out.rc = latency_measure(r, r->groups.v, r->groups.n, s, run_no, latencies, err);
	for (size_t i = 0; i < r->groups.n && w.out.rc == IMP_OK; i++)
		write_group(&w, &r->groups.v[i], &latencies[i]);
	return w.out.rc;
}
