#include "config.h"

#include "report/json.h"

#include <math.h>

#include "base/cleanup.h"

/* The stable part of the report is written from these tables, in this order; whatever else the store has of a group follows. */

enum form {
	PLAIN,	/* as the store has it */
	MS,	/* nanoseconds, shown as milliseconds */
	YES_NO, /* 0 or 1 */
};

/* Figures that are not shown as the store has them. */
static const struct {
	const char *name;
	enum form form;
} forms[] = {
	{ "missing_upper_bound", YES_NO },
	{ "valid", YES_NO },
	{ "p50", MS },
	{ "p95", MS },
	{ "p99", MS },
	{ "p999", MS },
	{ "max", MS },
	{ "mean", MS },
};

#define NAMES(...) \
	(const char *const[]) \
	{ \
		__VA_ARGS__, NULL \
	}

struct group {
	const char *name;	  /* key, and prefix of the figures */
	const char *const *names; /* NULL: only what the store has */
};

static const char *const outcome_names[] = { "planned", "attempted", "acked", "rejected", "unknown", "unsent", "never_tried",
	"excluded", NULL };

static const char *const latency_names[] = { "n", "p50", "p95", "p99", "p999", "max", "mean", "ambiguous", "valid", NULL };

/* Before the matrix. */
static const struct group first_groups[] = {
	{ "accounts", NAMES("planned", "ready", "disconnects_in_load") },
	{ "by_code", NULL },
	{ "by_fail", NULL },
	{ "by_skip", NULL },
	{ "classes",
	    NAMES("ok", "durable_lost", "dead_lettered", "unverified", "integrity", "contradiction", "lost_realtime_persisted",
		"late_persisted", "rejected", "unsent", "unknown_observed_persisted", "unknown_persisted", "unknown_observed",
		"unknown_absent", "unknown_unverified") },
	{ NULL, NULL },
};

static const struct group delivery_group = { "delivery",
	NAMES("expected", "unique", "late", "unwitnessed", "missing", "duplicate", "receiver_disconnected", "echo",
	    "unexpected_receiver", "strangers", "not_ready", "unacked_messages_observed", "unacked_deliveries", "seq_regressions",
	    "receivers_out_of_order", "missing_upper_bound") };

/* Behind it. */
static const struct group last_groups[] = {
	{ "persistence",
	    NAMES("exact", "mismatch", "duplicate", "dead_letter", "absent", "conflict", "unchecked", "unacked_persisted",
		"history_found", "witness_conflicts") },
	{ "rates",
	    NAMES("accept_rate", "reject_rate", "arrival_rate", "loss_rate", "late_rate", "duplicate_rate", "persistence_loss",
		"out_of_order_rate") },
	{ NULL, NULL },
};

static const struct group anomaly_group = { "anomalies",
	NAMES("multi_seq", "mid_collision", "ack_without_seq", "late_ack", "seq_conflict", "ack_data_mismatch", "wrong_topic",
	    "clock_skew") };

static const char *const latencies[] = { "ack", "ack_from_plan", "delivery", "queue", NULL };

static void
put_value(struct jsonw *w, struct report_value v, enum form form)
{
	if (v.type == REPORT_NULL)
		jsonw_null(w);
	else if (v.type == REPORT_TEXT)
		jsonw_text(w, v.s);
	else if (form == YES_NO)
		jsonw_bool(w, v.i != 0);
	else if (form == MS)
		jsonw_ms(w, v.type == REPORT_INT ? v.i : llround(v.d));
	else if (v.type == REPORT_INT)
		jsonw_int(w, v.i);
	else
		jsonw_double(w, v.d);
}

static enum form
form_of(struct slice name)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (slice_eq(slice_of(forms[i].name), name))
			return forms[i].form;
	return PLAIN;
}

static bool
has_name(const char *const *names, struct slice name)
{
	for (; names != NULL && *names != NULL; names++)
		if (slice_eq(slice_of(*names), name))
			return true;
	return false;
}

/* The figures PREFIX.NAME: those of the list, then the others. A reason that evidence gives may have a dot in it; at the top a dot
 * begins a group. */
static void
put_figures(struct jsonw *w, const struct report_scope *scope, const char *prefix, const char *const *names)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(128);
	size_t n;

	buf_addf(&path, "%s%s", prefix, prefix[0] != '\0' ? "." : "");
	n = path.n;
	for (const char *const *name = names; name != NULL && *name != NULL; name++) {
		buf_truncate(&path, n);
		buf_add_str(&path, *name);
		if (!buf_part_ok(w->out, &path))
			return;
		jsonw_key(w, *name);
		put_value(w, report_figure(scope, path.p), form_of(slice_of(*name)));
	}
	buf_truncate(&path, n);
	for (size_t i = 0; i < scope->figures.n && buf_part_ok(w->out, &path); i++) {
		struct slice name = scope->figures.v[i].name, rest;

		if (!slice_has_prefix(name, buf_slice(&path)))
			continue;
		rest = (struct slice){ name.p + n, name.n - n };
		if ((n == 0 && memchr(rest.p, '.', rest.n) != NULL) || has_name(names, rest))
			continue;
		jsonw_key_slice(w, rest);
		put_value(w, scope->figures.v[i].value, form_of(rest));
	}
}

static void
put_group(struct jsonw *w, const struct report_scope *scope, const struct group *g)
{
	jsonw_key(w, g->name);
	jsonw_flat_object(w);
	put_figures(w, scope, g->name, g->names);
	jsonw_end(w);
}

static void
put_matrix(struct jsonw *w, const struct report_scope *scope)
{
	jsonw_key(w, "matrix");
	jsonw_array(w);
	for (size_t i = 0; i < scope->matrix.n; i++) {
		const struct report_cell *c = &scope->matrix.v[i];

		jsonw_flat_object(w);
		jsonw_key(w, "outcome");
		jsonw_text(w, c->outcome);
		jsonw_key(w, "observed");
		jsonw_text(w, c->observed);
		jsonw_key(w, "persisted");
		jsonw_text(w, c->persisted);
		jsonw_key(w, "count");
		jsonw_int(w, c->count);
		jsonw_end(w);
	}
	jsonw_end(w);
}

static void
put_latencies(struct jsonw *w, const struct report_scope *scope)
{
	CLEANUP(buf_done) struct buf prefix = BUF_INIT(64);

	jsonw_key(w, "latency_ms");
	jsonw_object(w);
	for (size_t i = 0; latencies[i] != NULL; i++) {
		buf_clear(&prefix);
		buf_addf(&prefix, "latency_ms.%s", latencies[i]);
		if (!buf_part_ok(w->out, &prefix))
			break;
		jsonw_key(w, latencies[i]);
		jsonw_flat_object(w);
		put_figures(w, scope, prefix.p, latency_names);
		jsonw_end(w);
	}
	jsonw_end(w);
}

/* The members of `total`, of a scenario, of an agent. */
static void
put_scope(struct jsonw *w, const struct report *r, const struct report_scope *scope)
{
	put_figures(w, scope, "", outcome_names);
	for (const struct group *g = first_groups; g->name != NULL; g++)
		put_group(w, scope, g);
	put_matrix(w, scope);
	if (r->run.has_topics) {
		put_group(w, scope, &delivery_group);
	} else {
		jsonw_key(w, delivery_group.name);
		jsonw_null(w);
	}
	for (const struct group *g = last_groups; g->name != NULL; g++)
		put_group(w, scope, g);
	put_latencies(w, scope);
	put_group(w, scope, &anomaly_group);
}

void
json_scopes(struct jsonw *w, const struct report *r)
{
	jsonw_key(w, "agents");
	jsonw_array(w);
	for (size_t i = 0; i < r->agents.n; i++) {
		const struct report_agent *a = &r->agents.v[i];

		jsonw_object(w);
		jsonw_key(w, "id");
		jsonw_text(w, a->scope.id);
		put_scope(w, r, &a->scope);
		jsonw_end(w);
	}
	jsonw_end(w);
	jsonw_key(w, "scenarios");
	jsonw_array(w);
	for (size_t i = 0; i < r->scenarios.n; i++) {
		const struct report_scenario *s = &r->scenarios.v[i];

		jsonw_object(w);
		jsonw_key(w, "id");
		jsonw_text(w, s->scope.id);
		jsonw_key(w, "kind");
		jsonw_text(w, s->kind);
		put_scope(w, r, &s->scope);
		jsonw_end(w);
	}
	jsonw_end(w);
	jsonw_key(w, "total");
	jsonw_object(w);
	put_scope(w, r, &r->total);
	jsonw_end(w);
}
