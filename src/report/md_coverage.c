#include "config.h"

#include "report/md.h"

#include <stdlib.h>

#include "base/text.h"
#include "report/rule_words.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static bool
add_open_rules(struct md *m, const struct rule_verdict *rules, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (rules[i].result != RULE_NOT_EVALUATED)
			continue;
		buf_add_str(m->out, "- ");
		md_code(m, rules[i].id);
		buf_add_str(m->out, ": ");
		rule_add_open(&rules[i], md_add_rule_text, m->out);
		buf_add_str(m->out, ".\n");
		any = true;
	}
	return any;
}

static bool
add_open_clocks(struct md *m)
{
	bool any = false;

	for (size_t i = 0; i < m->r->agents.n; i++) {
		if (m->r->agents.v[i].clock_worst_ns.known)
			continue;
		buf_add_str(m->out, any ? ", " : "- how the clocks differ of agents ");
		md_code(m, m->r->agents.v[i].scope.id);
		any = true;
	}
	buf_add_str(m->out, any ? ". Bring: `clock` lines.\n" : "");
	return any;
}

/* Figures that stay empty, and what would fill them. */
static bool
add_open_figures(struct md *m)
{
	static const struct {
		const char *figure, *text;
	} figures[] = {
		{ "delivery.expected", "who should have received what. Bring: `topics.jsonl`" },
		{ "accounts.ready", "which accounts were READY, and who was cut off. Bring: `conn` lines in the ledgers" },
		{ "persistence.history_found", "a second witness of storage. Bring: `history/*.jsonl`" },
		{ "persistence.witness_conflicts",
		    "whether two witnesses of storage agree. Bring: `db/*.jsonl` and `history/*.jsonl`" },
		{ "rates.persistence_loss",
		    "how much is lost from storage. Bring: complete look-ups in `db/*.jsonl` or `history/*.jsonl`" },
	};
	bool any = false;

	for (size_t i = 0; i < LENGTH(figures); i++) {
		if (report_figure(&m->r->total, figures[i].figure).type != REPORT_NULL)
			continue;
		buf_addf(m->out, "- %s.\n", figures[i].text);
		any = true;
	}
	return any | add_open_clocks(m);
}

static bool
has_source(const struct md *m, struct slice kind)
{
	for (size_t i = 0; i < m->r->sources.n; i++)
		if (slice_eq(m->r->sources.v[i].kind, kind))
			return true;
	return false;
}

/* Files that are kept as evidence, and that nothing was read from. */
static bool
add_unread_kinds(struct md *m)
{
	static const char *const kinds[] = { "log", "metrics", "kafka", "redis", "kube", "loadgen" };
	bool any = false;

	for (size_t k = 0; k < LENGTH(kinds); k++) {
		int64_t n = 0;

		if (has_source(m, slice_of(kinds[k])))
			continue;

		for (size_t i = 0; i < m->r->files.n; i++)
			n += slice_eq(m->r->files.v[i].kind, slice_of(kinds[k])) && m->r->files.v[i].records == 0;
		if (n == 0)
			continue;
		buf_add_str(m->out, any ? ", " : "- what these files say, hashed and not read: ");
		text_add_count(m->out, n);
		buf_addf(m->out, " of kind %s", kinds[k]);
		any = true;
	}
	buf_add_str(m->out, any ? ".\n" : "");
	return any;
}

static void
add_not_evaluated(struct md *m)
{
	const struct verdict *v = m->r->verdict;
	bool any;

	buf_add_str(m->out, "## What could not be evaluated, and what to bring next time\n\n");
	any = add_open_rules(m, v->rules, v->nrules);
	any |= add_open_rules(m, v->trust_rules, v->ntrust_rules);
	any |= add_open_figures(m);
	any |= add_unread_kinds(m);
	buf_add_str(m->out, any ? "\n" : "Nothing: every question had its evidence.\n\n");
}

static void
add_counts(struct md *m)
{
	static const struct {
		const char *name, *text;
	} counts[] = {
		{ "repaired", "Records repaired (glued, torn start, NUL around, text that is not UTF-8, NaN)" },
		{ "resent", "Lines equal to an earlier one of their agent, taken once" },
		{ "unknown_events", "Records of an unknown kind" },
		{ "unknown_keys", "Unknown keys" },
		{ "foreign.data", "Deliveries of messages of other runs" },
		{ "foreign.ctrl", "Answers to messages of other runs" },
		{ "foreign.fail", "Failures of messages of other runs" },
		{ "foreign.row", "Stored rows of other runs" },
		{ "foreign.hist", "History entries of other runs" },
		{ "foreign.dead", "Dead letters of other runs" },
	};

	buf_add_str(m->out, "- ");
	md_plural(m, report_count(m->r, "files"), "file", "files");
	buf_add_str(m->out, ", ");
	md_plural(m, report_count(m->r, "lines"), "line", "lines");
	buf_add_str(m->out, ": ");
	md_plural(m, report_count(m->r, "records"), "record", "records");
	buf_add_str(m->out, " = ");
	md_plural(m, report_count(m->r, "events"), "event", "events");
	buf_add_str(m->out, " + ");
	text_add_count(m->out, report_count(m->r, "rejected"));
	buf_add_str(m->out, " rejected.\n");
	for (size_t i = 0; i < LENGTH(counts); i++) {
		if (report_count(m->r, counts[i].name) == 0)
			continue;
		buf_addf(m->out, "- %s: ", counts[i].text);
		text_add_count(m->out, report_count(m->r, counts[i].name));
		buf_add_str(m->out, ".\n");
	}
}

static void
add_agents(struct md *m)
{
	for (size_t i = 0; i < m->r->agents.n; i++) {
		const struct report_agent *a = &m->r->agents.v[i];

		buf_add_str(m->out, "- Agent ");
		md_code(m, a->scope.id);
		if (!a->present) {
			buf_add_str(m->out, ": **absent**, planned but without a ledger.\n");
			continue;
		}
		buf_add_str(m->out, ": ");
		md_plural(m, a->records, "record", "records");
		/* The count in an `end` leaves out the `end` itself. */
		if (a->records_stated.known && a->records_stated.v >= a->records) {
			buf_add_str(m->out, ", **though its end counts ");
			text_add_count(m->out, a->records_stated.v);
			buf_add_str(m->out, " before it**");
		}
		buf_add_str(m->out, a->cut_off ? "; **cut off**, its ledger has no end" : "; its ledger is complete");
		if (!a->planned && m->r->run.has_plan)
			buf_add_str(m->out, "; not planned");
		if (a->clock_worst_ns.known) {
			buf_add_str(m->out, "; clock off by at most ");
			time_add_length(m->out, llabs(a->clock_worst_ns.v));
		}
		buf_add_str(m->out, ".\n");
	}
}

static void
add_marks(struct md *m)
{
	if (m->r->marks.n == 0)
		return;
	buf_add_str(m->out, "| mark | time | from |\n|---|---|---|\n");
	for (size_t i = 0; i < m->r->marks.n; i++) {
		const struct report_mark *mark = &m->r->marks.v[i];

		buf_add_str(m->out, "| ");
		md_code(m, mark->name);
		buf_add_str(m->out, " | ");
		md_time(m, mark->t);
		buf_add_str(m->out, " | ");
		text_add_markdown(m->out, mark->source);
		buf_add_str(m->out, " |\n");
	}
	buf_add_char(m->out, '\n');
}

static void
add_damaged_lines(struct md *m)
{
	if (m->r->damage_total == 0)
		return;
	md_plural(m, m->r->damage_total, "damaged place", "damaged places");
	if ((uint64_t)m->r->damage_total > m->r->damage.n) {
		buf_add_str(m->out, ", the first ");
		text_add_count(m->out, (int64_t)m->r->damage.n);
		buf_add_str(m->out, " here");
	}
	buf_add_str(m->out, m->r->damage.n > 0 ? ":\n\n" : ".\n\n");
	for (size_t i = 0; i < m->r->damage.n; i++) {
		const struct report_damage *d = &m->r->damage.v[i];

		buf_add_str(m->out, "- ");
		md_place(m, d->path, d->line);
		buf_add_char(m->out, ' ');
		text_add_markdown(m->out, d->what);
		buf_add_str(m->out, ": ");
		text_add_markdown(m->out, d->reason);
		buf_add_char(m->out, '\n');
	}
	if (m->r->damage.n > 0)
		buf_add_char(m->out, '\n');
}

static void
add_file_row(struct md *m, const struct report_file *f)
{
	buf_add_str(m->out, "| ");
	md_code(m, f->path);
	buf_add_str(m->out, " | ");
	if (slice_eq(f->manifest, SLICE("missing")))
		buf_add_str(m->out, "–");
	else if (slice_eq(f->kind, SLICE("unread")))
		buf_add_str(m->out, "**not read**");
	else
		text_add_markdown(m->out, f->kind);
	buf_add_str(m->out, " | ");
	md_int(m, (struct report_int){ f->lines > 0, f->lines });
	buf_add_str(m->out, " | ");
	text_add_count(m->out, f->bytes);
	buf_add_str(m->out, " | ");
	md_code(m, f->sha256);
	buf_add_str(m->out, " | ");
	if (f->cut)
		buf_add_str(m->out, "**cut** ");
	if (f->rejected > 0) {
		text_add_count(m->out, f->rejected);
		buf_add_str(m->out, " rejected ");
	}
	if (f->manifest.p != NULL) {
		bool holds = slice_eq(f->manifest, SLICE("ok"));

		buf_addf(m->out, "manifest: %s", holds ? "" : "**");
		text_add_markdown(m->out, f->manifest);
		buf_add_str(m->out, holds ? " " : "** ");
	}
	buf_add_str(m->out, "|\n");
}

static void
add_evidence(struct md *m)
{
	buf_add_str(m->out, "## Evidence\n\n| file | kind | lines | bytes | SHA-256 | |\n|---|---|--:|--:|---|---|\n");
	for (size_t i = 0; i < m->r->files.n; i++)
		add_file_row(m, &m->r->files.v[i]);
	if (!m->r->run.hashed)
		buf_add_str(m->out, "\nThe files were not hashed (`--no-hash`): nobody can tell later whether they changed.\n");
	buf_add_char(m->out, '\n');
}

void
md_coverage(struct md *m)
{
	add_not_evaluated(m);
	md_findings(m);
	buf_add_str(m->out, "## Damage and coverage\n\n");
	add_counts(m);
	add_agents(m);
	buf_add_char(m->out, '\n');
	add_damaged_lines(m);
	add_marks(m);
	md_collected(m);
	md_sources(m);
	add_evidence(m);
}
