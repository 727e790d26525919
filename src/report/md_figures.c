#include "config.h"

#include "report/md.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/text.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct report_scope *
total(const struct md *m)
{
	return &m->r->total;
}

static int64_t
count_of(const struct md *m, const char *figure)
{
	return report_figure_int(total(m), figure);
}

/* The end of a table's head: a column for each scope behind `words` columns of text, and before those that `more` names. */
static void
add_scope_heads(struct md *m, size_t words, const char *const *more, size_t nmore)
{
	for (size_t i = 0; i < md_scopes(m); i++) {
		buf_add_char(m->out, ' ');
		md_scope_label(m, i);
		buf_add_str(m->out, " |");
	}
	for (size_t i = 0; i < nmore; i++)
		buf_addf(m->out, " %s |", more[i]);
	buf_add_str(m->out, "\n|");
	for (size_t i = 0; i < words; i++)
		buf_add_str(m->out, "---|");
	for (size_t i = 0; i < md_scopes(m); i++)
		buf_add_str(m->out, "--:|");
	for (size_t i = 0; i < nmore; i++)
		buf_add_str(m->out, "---|");
	buf_add_char(m->out, '\n');
}

/* A row for each figure below `prefix` that is not 0, named by what follows; `after` ends it. */
static void
add_figure_rows(struct md *m, const char *label, struct slice prefix, void (*after)(struct md *m, struct slice name))
{
	for (size_t f = 0; f < total(m)->figures.n; f++) {
		const struct report_figure *figure = &total(m)->figures.v[f];
		struct slice name;

		if (!slice_has_prefix(figure->name, prefix) || figure->value.i == 0)
			continue;
		name = (struct slice){ figure->name.p + prefix.n, figure->name.n - prefix.n };
		buf_addf(m->out, "| %s", label);
		md_code(m, name);
		buf_add_str(m->out, " |");
		for (size_t i = 0; i < md_scopes(m); i++) {
			const struct report_scope *scope = md_scope(m, i);
			struct report_value v = report_figure(scope, figure->name.p);

			/* Counters by code or reason leave their zeros out. */
			if (v.type == REPORT_NULL && report_figure(scope, "attempted").type != REPORT_NULL)
				v.type = REPORT_INT;
			buf_add_char(m->out, ' ');
			md_value(m, v);
			buf_add_str(m->out, " |");
		}
		if (after != NULL)
			after(m, name);
		buf_add_char(m->out, '\n');
	}
}

/* What the server answered, and what came in place of an answer. */
static void
add_answers(struct md *m)
{
	buf_add_str(m->out, "| messages |");
	add_scope_heads(m, 1, NULL, 0);
	add_figure_rows(m, "answered ", SLICE("by_code."), NULL);
	add_figure_rows(m, "no answer: ", SLICE("by_fail."), NULL);
	add_figure_rows(m, "not written: ", SLICE("by_skip."), NULL);
	buf_add_char(m->out, '\n');
}

static void
add_windows(struct md *m)
{
	for (size_t i = 0; i < m->r->scenarios.n; i++) {
		const struct report_scenario *s = &m->r->scenarios.v[i];

		buf_add_str(m->out, "- ");
		md_scope_label(m, i + 1);
		if (!s->first_pub.known) {
			buf_add_str(m->out, ": nothing was published.\n");
			continue;
		}
		buf_add_str(m->out, ": published from ");
		md_time(m, s->first_pub.v);
		buf_add_str(m->out, " to ");
		md_time_or_dash(m, s->last_pub);
		buf_add_str(m->out, ", drain window of ");
		time_add_length(m->out, s->drain_ns);
		buf_add_str(m->out, " to ");
		md_time_or_dash(m, s->window_end);
		buf_add_str(m->out, ".\n");
	}
}

static void
add_plan(struct md *m)
{
	static const struct md_column columns[] = {
		{ .head = "planned", .figure = "planned" },
		{ .head = "attempted", .figure = "attempted" },
		{ .head = "acked", .figure = "acked" },
		{ .head = "rejected", .figure = "rejected" },
		{ .head = "unknown", .figure = "unknown" },
		{ .head = "unsent", .figure = "unsent" },
		{ .head = "never tried", .figure = "never_tried", .rare = true },
		{ .head = "warm-up", .figure = "excluded", .rare = true },
		{ .head = "accepted", .kind = MD_SHARE, .figure = "acked", .of = "attempted" },
	};

	buf_add_str(m->out, "## What was planned and what happened\n\n");
	md_scope_table(m, columns, LENGTH(columns));
	buf_add_str(m->out, "- Accounts: ");
	md_value(m, report_figure(total(m), "accounts.planned"));
	buf_add_str(m->out, " planned, ");
	md_value(m, report_figure(total(m), "accounts.ready"));
	buf_add_str(m->out, " READY at the start of the load, ");
	md_value(m, report_figure(total(m), "accounts.disconnects_in_load"));
	buf_add_str(m->out, " disconnects under load.\n");
	if (count_of(m, "anomalies.late_ack") > 0) {
		buf_add_str(m->out, "- ");
		md_plural(m, count_of(m, "anomalies.late_ack"), "message was", "messages were");
		buf_add_str(m->out, " acked after the sender had given up: counted as accepted, and as failing.\n");
	}
	add_windows(m);
	buf_add_char(m->out, '\n');
	add_answers(m);
}

static void
add_class_times(struct md *m, struct slice name)
{
	struct report_int first = { 0 }, last = { 0 };

	for (size_t i = 0; i < m->r->classes.n; i++) {
		if (!slice_eq(m->r->classes.v[i].name, name))
			continue;
		first = m->r->classes.v[i].first;
		last = m->r->classes.v[i].last;
	}
	buf_add_char(m->out, ' ');
	md_time_or_dash(m, first);
	buf_add_str(m->out, " | ");
	md_time_or_dash(m, last);
	buf_add_str(m->out, " |");
}

/* Class by scope: a row for each class that some message has, and when. */
static void
add_classes(struct md *m)
{
	static const char *const times[] = { "first tried", "last tried" };

	buf_add_str(m->out, "## What happened to every message\n\n| class |");
	add_scope_heads(m, 1, times, LENGTH(times));
	add_figure_rows(m, "", SLICE("classes."), add_class_times);
	buf_add_char(m->out, '\n');
}

static int64_t
cell_count(const struct report_scope *scope, const struct report_cell *like)
{
	for (size_t i = 0; i < scope->matrix.n; i++) {
		const struct report_cell *c = &scope->matrix.v[i];

		if (slice_eq(c->outcome, like->outcome) && slice_eq(c->observed, like->observed) &&
		    slice_eq(c->persisted, like->persisted))
			return c->count;
	}
	return 0;
}

/* Outcome x observed x persisted: every combination of the total, counted in each scope. */
static void
add_matrix(struct md *m)
{
	buf_add_str(m->out, "| outcome | observed | persisted |");
	add_scope_heads(m, 3, NULL, 0);
	for (size_t c = 0; c < total(m)->matrix.n; c++) {
		const struct report_cell *cell = &total(m)->matrix.v[c];
		const struct slice words[] = { cell->outcome, cell->observed, cell->persisted };

		buf_add_char(m->out, '|');
		for (size_t i = 0; i < LENGTH(words); i++) {
			buf_add_char(m->out, ' ');
			text_add_markdown(m->out, words[i]);
			buf_add_str(m->out, " |");
		}
		for (size_t i = 0; i < md_scopes(m); i++) {
			buf_add_char(m->out, ' ');
			text_add_count(m->out, cell_count(md_scope(m, i), cell));
			buf_add_str(m->out, " |");
		}
		buf_add_char(m->out, '\n');
	}
	buf_add_char(m->out, '\n');
}

static void
add_delivery_notes(struct md *m)
{
	static const struct {
		const char *figure, *text;
	} notes[] = {
		{ "delivery.receiver_disconnected",
		    "of the missing deliveries went to receivers that were not connected throughout" },
		{ "delivery.not_ready",
		    "deliveries of acked group messages were never to be expected, since their member was not READY" },
		{ "delivery.unwitnessed", "deliveries could not be witnessed: nobody was watching their receiver" },
		{ "delivery.unexpected_receiver", "copies at receivers that were not expected" },
		{ "delivery.strangers", "of those at accounts that are no members at all" },
		{ "delivery.echo", "echoes at the sender" },
		{ "delivery.seq_regressions", "times a receiver saw a lower seq after a higher one" },
		{ "delivery.receivers_out_of_order", "receivers saw one" },
		{ "anomalies.ack_data_mismatch", "messages were delivered with another seq than their ack's" },
		{ "anomalies.wrong_topic", "copies arrived on another topic than their message's" },
		{ "anomalies.clock_skew", "first copies were seen before their message was published: the clocks disagree" },
	};
	size_t start = m->out->n;

	for (size_t i = 0; i < LENGTH(notes); i++) {
		int64_t n = count_of(m, notes[i].figure);

		if (n == 0)
			continue;
		buf_add_str(m->out, "- ");
		text_add_count(m->out, n);
		buf_addf(m->out, " %s.\n", notes[i].text);
	}
	if (count_of(m, "delivery.missing_upper_bound") != 0)
		buf_add_str(m->out, "- *Missing* is an upper bound: lines of a receiver's ledger are damaged inside the window.\n");
	buf_add_str(m->out, m->out->n > start ? "\n" : "");
}

static void
add_delivery(struct md *m)
{
	static const struct md_column columns[] = {
		{ .head = "expected", .figure = "delivery.expected" },
		{ .head = "in time", .figure = "delivery.unique" },
		{ .head = "late", .figure = "delivery.late", .rare = true },
		{ .head = "not witnessed", .figure = "delivery.unwitnessed", .rare = true },
		{ .head = "missing", .figure = "delivery.missing" },
		{ .head = "duplicate", .figure = "delivery.duplicate", .rare = true },
		{ .head = "arrived",
		    .kind = MD_SHARE,
		    .figure = "delivery.unique",
		    .of = "delivery.expected",
		    .unseen = "delivery.unwitnessed" },
		{ .head = "lost",
		    .kind = MD_BAD_SHARE,
		    .figure = "delivery.missing",
		    .of = "delivery.expected",
		    .unseen = "delivery.unwitnessed" },
	};

	buf_add_str(m->out, "## Real-time loss: deliveries of acked messages\n\n");
	if (!m->r->run.has_topics) {
		buf_add_str(m->out, "Not evaluated: without `topics.jsonl` nobody knows who should have received what.\n\n");
		return;
	}
	md_scope_table(m, columns, LENGTH(columns));
	add_delivery_notes(m);
}

static void
add_storage(struct md *m)
{
	static const struct md_column columns[] = {
		{ .head = "acked", .figure = "acked" },
		{ .head = "exact", .figure = "persistence.exact" },
		{ .head = "absent", .figure = "persistence.absent" },
		{ .head = "dead letter", .figure = "persistence.dead_letter", .rare = true },
		{ .head = "other topic or seq", .figure = "persistence.mismatch", .rare = true },
		{ .head = "duplicate", .figure = "persistence.duplicate", .rare = true },
		{ .head = "conflict", .figure = "persistence.conflict", .rare = true },
		{ .head = "unchecked", .figure = "persistence.unchecked", .rare = true },
		{ .head = "lost",
		    .kind = MD_BAD_SHARE,
		    .figure = "persistence.absent",
		    .besides = "persistence.dead_letter",
		    .of = "acked",
		    .unseen = "persistence.unchecked" },
		{ .head = "found in history", .figure = "persistence.history_found" },
		{ .head = "witnesses disagree", .figure = "persistence.witness_conflicts", .rare = true },
	};

	buf_add_str(m->out, "## Durable loss: what is stored of acked messages\n\n");
	md_scope_table(m, columns, LENGTH(columns));
	if (count_of(m, "persistence.unacked_persisted") > 0) {
		buf_add_str(m->out, "- ");
		md_plural(m, count_of(m, "persistence.unacked_persisted"), "message", "messages");
		buf_add_str(m->out, " without an ack stored all the same.\n\n");
	}
}

static int64_t
matrix_sum(const struct md *m, struct slice outcome, struct slice persisted)
{
	const struct report_scope *scope = total(m);
	int64_t sum = 0;

	for (size_t i = 0; i < scope->matrix.n; i++)
		if (slice_eq(scope->matrix.v[i].outcome, outcome) && slice_eq(scope->matrix.v[i].persisted, persisted))
			sum += scope->matrix.v[i].count;
	return sum;
}

static void
add_unknowns(struct md *m)
{
	static const struct {
		const char *figure, *text;
	} kinds[] = {
		{ "classes.unknown_observed_persisted",
		    "stored and seen by a receiver: the server took them, its answer got lost" },
		{ "classes.unknown_persisted", "stored, seen by nobody" },
		{ "classes.unknown_observed", "seen by a receiver, not shown to be stored" },
		{ "classes.unknown_absent", "nowhere: a complete look-up does not have them" },
		{ "classes.unknown_unverified", "cannot be told: no complete look-up covers them" },
	};
	int64_t unknown = count_of(m, "unknown");
	int64_t wrong = matrix_sum(m, SLICE("unknown"), SLICE("mismatch")) + matrix_sum(m, SLICE("unknown"), SLICE("duplicate"));

	buf_add_str(m->out, "## Unknown outcomes, resolved by evidence\n\n");
	if (unknown == 0) {
		buf_add_str(m->out, "Every attempt got an answer.\n\n");
		return;
	}
	md_plural(m, unknown, "message", "messages");
	buf_add_str(m->out, " ended without a usable answer: neither accepted nor refused.\n\n");
	for (size_t i = 0; i < LENGTH(kinds); i++) {
		if (count_of(m, kinds[i].figure) == 0)
			continue;
		buf_add_str(m->out, "- ");
		text_add_count(m->out, count_of(m, kinds[i].figure));
		buf_addf(m->out, " %s.\n", kinds[i].text);
	}
	if (wrong > 0) {
		buf_add_str(m->out, "- ");
		text_add_count(m->out, wrong);
		buf_add_str(m->out, " stored with another topic or seq, or more than once.\n");
	}
	if (count_of(m, "anomalies.ack_without_seq") > 0) {
		buf_add_str(m->out, "- ");
		md_plural(m, count_of(m, "anomalies.ack_without_seq"), "message", "messages");
		buf_add_str(m->out, " with a 2xx that carries no seq: the server said yes and promised nothing.\n");
	}
	if (count_of(m, "delivery.unacked_deliveries") > 0) {
		buf_add_str(m->out, "- Receivers got ");
		md_plural(m, count_of(m, "delivery.unacked_deliveries"), "copy", "copies");
		buf_add_str(m->out, " of ");
		md_plural(m, count_of(m, "delivery.unacked_messages_observed"), "message", "messages");
		buf_add_str(m->out, " that nobody acked; they are in no rate.\n");
	}
	buf_add_char(m->out, '\n');
}

static struct report_value
latency_figure(struct md *m, size_t scope, const char *name, const char *what)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(128);

	buf_addf(&key, "latency_ms.%s.%s", name, what);
	return buf_part_ok(m->out, &key) ? report_figure(md_scope(m, scope), key.p) : (struct report_value){ .type = REPORT_NULL };
}

/* What keeps a latency from being valid is said once, below the table. */
static void
add_latency_reasons(struct md *m, const char *name, const char *label)
{
	for (size_t i = 0; i < md_scopes(m); i++) {
		struct report_value why = latency_figure(m, i, name, "why");
		bool said = why.type != REPORT_TEXT;

		for (size_t k = 0; k < i && !said; k++) {
			struct report_value earlier = latency_figure(m, k, name, "why");

			said = earlier.type == REPORT_TEXT && slice_eq(earlier.s, why.s);
		}
		if (said)
			continue;
		buf_addf(m->out, "- *%s* is not valid (", label);
		md_scope_label(m, i);
		buf_add_str(m->out, "): ");
		text_add_markdown(m->out, why.s);
		buf_add_str(m->out, ".\n");
	}
}

static void
add_latency_row(struct md *m, size_t scope, const char *name, const char *label)
{
	static const char *const columns[] = { "p50", "p95", "p99", "p999", "max", "mean" };
	struct report_value n = latency_figure(m, scope, name, "n"), valid = latency_figure(m, scope, name, "valid");

	if (n.type != REPORT_INT || n.i == 0)
		return;
	buf_addf(m->out, "| %s | ", label);
	md_scope_label(m, scope);
	buf_add_str(m->out, " | ");
	md_value(m, n);
	for (size_t i = 0; i < LENGTH(columns); i++) {
		buf_add_str(m->out, " | ");
		md_latency(m, latency_figure(m, scope, name, columns[i]));
	}
	buf_add_str(m->out, valid.type == REPORT_INT && valid.i != 0 ? " | yes |\n" : " | **no** |\n");
}

static void
add_latency(struct md *m)
{
	static const struct {
		const char *name, *label;
	} kinds[] = {
		{ "ack", "ack" },
		{ "ack_from_plan", "ack, from the planned time" },
		{ "delivery", "delivery" },
		{ "queue", "the generator's own delay" },
	};
	int64_t ambiguous = count_of(m, "latency_ms.ack.ambiguous");
	size_t start;

	buf_add_str(m->out,
	    "## Latency (ms)\n\n"
	    "| | | n | p50 | p95 | p99 | p99.9 | max | mean | valid |\n|---|---|--:|--:|--:|--:|--:|--:|--:|---|\n");
	for (size_t k = 0; k < LENGTH(kinds); k++)
		for (size_t i = 0; i < md_scopes(m); i++)
			add_latency_row(m, i, kinds[k].name, kinds[k].label);
	buf_add_char(m->out, '\n');
	start = m->out->n;
	for (size_t k = 0; k < LENGTH(kinds); k++)
		add_latency_reasons(m, kinds[k].name, kinds[k].label);
	if (ambiguous > 0) {
		buf_add_str(m->out, "- ");
		md_plural(m, ambiguous, "ack", "acks");
		buf_add_str(m->out,
		    " after a retry could belong to an earlier attempt: they are taken for answers to the last one.\n");
	}
	buf_add_str(m->out, m->out->n > start ? "\n" : "");
}

void
md_figures(struct md *m)
{
	add_plan(m);
	add_classes(m);
	add_matrix(m);
	add_delivery(m);
	add_storage(m);
	md_repairs(m);
	add_unknowns(m);
	add_latency(m);
}
