#include "config.h"

#include "report/md.h"

#include <inttypes.h>

#include "base/text.h"
#include "report/rule_words.h"

/* The order in which results are shown: what blocks comes first. */
static const enum rule_result shown_order[] = { RULE_FAIL, RULE_NOT_EVALUATED, RULE_WAIVED, RULE_PASS };

static const char *const result_words[_RULE_RESULT_MAX] = {
	[RULE_PASS] = "pass",
	[RULE_FAIL] = "**fail**",
	[RULE_NOT_EVALUATED] = "not evaluated",
	[RULE_NOT_APPLICABLE] = "not applicable",
	[RULE_WAIVED] = "waived",
};

/* Rules write comparisons in ASCII. */
static void
add_rule_text(struct buf *out, struct slice s)
{
	size_t from = 0;

	for (size_t i = 0; i + 1 < s.n; i++) {
		if (s.p[i + 1] != '=' || (s.p[i] != '<' && s.p[i] != '>'))
			continue;
		text_add_markdown(out, (struct slice){ s.p + from, i - from });
		buf_add_str(out, s.p[i] == '<' ? "≤" : "≥");
		from = i + 2;
		i++;
	}
	text_add_markdown(out, (struct slice){ s.p + from, s.n - from });
}

/* What a failure means depends on what the profile is for. */
static const char *
failure_words(struct slice profile)
{
	if (slice_eq(profile, SLICE("capacity-step")))
		return "**Do not take the next step.**";
	if (slice_eq(profile, SLICE("trust")))
		return "**Do not trust this load generator.**";
	return "**Do not release on this run.**";
}

static void
add_decision(struct md *m, const struct verdict *v)
{
	static const char *const decisions[_VERDICT_RESULT_MAX] = {
		[VERDICT_PASS] = "**Nothing in this run speaks against it.**",
		[VERDICT_INVALID] = "**This run says nothing about the server: repeat it.**",
		[VERDICT_INCONCLUSIVE] = "**No decision can rest on this run.** Nothing failed, but not everything was looked at.",
	};

	buf_add_str(m->out, v->result == VERDICT_FAIL ? failure_words(v->profile) : decisions[v->result]);
	buf_add_char(m->out, ' ');
}

/* "none of them lost from storage", or what is wrong with them. */
static void
add_stored(struct md *m, int64_t acked)
{
	static const struct {
		const char *figure, *text;
	} states[] = {
		{ "classes.durable_lost", "lost from storage" },
		{ "classes.dead_lettered", "in dead letters" },
		{ "persistence.mismatch", "stored with another topic or seq" },
		{ "persistence.duplicate", "stored more than once" },
		{ "persistence.conflict", "in history, but not in the database" },
		{ "persistence.unchecked", "never looked up in storage" },
	};
	const struct report_scope *total = &m->r->total;
	bool any = false;

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		int64_t n = report_figure_int(total, states[i].figure);

		if (n == 0)
			continue;
		buf_add_str(m->out, any ? ", " : ": ");
		if (n == acked)
			buf_add_str(m->out, "all");
		else
			text_add_count(m->out, n);
		buf_addf(m->out, " %s", states[i].text);
		any = true;
	}
	if (!any && acked > 0 && report_figure_int(total, "persistence.exact") == acked)
		buf_add_str(m->out, ", each stored exactly once");
	buf_add_str(m->out, ". ");
}

static void
add_deliveries(struct md *m)
{
	const struct report_scope *total = &m->r->total;
	int64_t expected = report_figure_int(total, "delivery.expected");
	int64_t missing = report_figure_int(total, "delivery.missing");
	int64_t late = report_figure_int(total, "delivery.late");
	int64_t disconnected = report_figure_int(total, "delivery.receiver_disconnected");

	if (expected == 0)
		return;
	if (missing == 0)
		buf_add_str(m->out, "None of ");
	else if (report_figure_int(total, "delivery.missing_upper_bound") != 0)
		buf_add_str(m->out, "At most ");
	if (missing > 0) {
		text_add_count(m->out, missing);
		buf_add_str(m->out, " of ");
	}
	md_plural(m, expected, "delivery", "deliveries");
	buf_add_str(m->out, missing == 0 ? " is missing" : " never arrived");
	if (disconnected > 0) {
		buf_add_str(m->out, ", ");
		text_add_count(m->out, disconnected);
		buf_add_str(m->out, " of these at receivers that were not connected all the time");
	}
	if (late > 0) {
		buf_add_str(m->out, "; ");
		text_add_count(m->out, late);
		buf_add_str(m->out, " came too late");
	}
	buf_add_str(m->out, ". ");
}

static void
add_summary(struct md *m)
{
	const struct report_scope *total = &m->r->total;
	int64_t attempted = report_figure_int(total, "attempted"), acked = report_figure_int(total, "acked");
	int64_t unknown = report_figure_int(total, "unknown"), empty = report_figure_int(total, "anomalies.ack_without_seq");

	md_plural(m, report_figure_int(total, "planned"), "message", "messages");
	buf_add_str(m->out, " planned, ");
	text_add_count(m->out, acked);
	buf_add_str(m->out, " accepted");
	if (attempted > 0) {
		buf_add_str(m->out, " (");
		md_share(m, acked, attempted);
		buf_add_str(m->out, " of ");
		text_add_count(m->out, attempted);
		buf_add_str(m->out, " attempted)");
	}
	add_stored(m, acked);
	add_deliveries(m);
	if (unknown > 0) {
		md_plural(m, unknown, "message has", "messages have");
		buf_add_str(m->out, " no known outcome. ");
	}
	if (empty > 0) {
		md_plural(m, empty, "message was", "messages were");
		buf_add_str(m->out, " answered 2xx without a seq: no acceptance. ");
	}
	buf_truncate(m->out, m->out->n - 1);
	buf_add_str(m->out, "\n\n");
}

static void
add_reasons(struct md *m, const struct verdict *v)
{
	if (v->nreasons == 0)
		return;
	buf_add_str(m->out, "Decided by ");
	for (size_t i = 0; i < v->nreasons; i++) {
		buf_add_str(m->out, i > 0 ? ", " : "");
		md_code(m, v->reasons[i]);
	}
	buf_add_str(m->out, " (profile ");
	md_code(m, v->profile);
	buf_add_str(m->out, ").\n\n");
}

static void
add_rule_row(struct md *m, const struct rule_verdict *rule)
{
	buf_add_str(m->out, "| ");
	md_code(m, rule->id);
	buf_addf(m->out, " | %s%s | ", result_words[rule->result], rule->warning ? " (warning)" : "");
	rule_add_measured(rule, add_rule_text, m->out);
	buf_add_str(m->out, " | ");
	add_rule_text(m->out, rule->threshold);
	buf_add_str(m->out, " |\n");
}

/* What does not apply: one row for each reason. */
static void
add_not_applicable(struct md *m, const struct rule_verdict *rules, size_t n, bool validity)
{
	for (size_t first = 0; first < n; first++) {
		if (rules[first].validity != validity || !rule_begins_group(rules, first))
			continue;
		for (size_t i = first; i < n; i++) {
			if (!rule_is_in_group(&rules[i], &rules[first]))
				continue;
			buf_add_str(m->out, i > first ? ", " : "| ");
			md_code(m, rules[i].id);
		}
		buf_add_str(m->out, " | not applicable | ");
		add_rule_text(m->out, rules[first].why);
		buf_add_str(m->out, " | – |\n");
	}
}

static void
add_rule_table(struct md *m, const struct rule_verdict *rules, size_t n, bool validity, const char *head)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= rules[i].validity == validity;
	if (!any)
		return;
	buf_addf(m->out, "| %s | result | measured | %s |\n|---|---|---|---|\n", head, validity ? "fires when" : "required");
	for (size_t o = 0; o < sizeof(shown_order) / sizeof(shown_order[0]); o++)
		for (size_t i = 0; i < n; i++)
			if (rules[i].validity == validity && rules[i].result == shown_order[o])
				add_rule_row(m, &rules[i]);
	add_not_applicable(m, rules, n, validity);
	buf_add_char(m->out, '\n');
}

/* A profile that differs from the built-in one says so. */
static void
add_changes(struct md *m, const struct rule_verdict *rules, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct rule_verdict *rule = &rules[i];

		for (size_t c = 0; c < rule->nconditions; c++) {
			if (rule->conditions[c].threshold_was.n == 0)
				continue;
			buf_add_str(m->out, "- Changed by the profile: ");
			md_code(m, rule->id);
			buf_add_str(m->out, " requires ");
			add_rule_text(m->out, rule->conditions[c].threshold);
			buf_add_str(m->out, " instead of ");
			add_rule_text(m->out, rule->conditions[c].threshold_was);
			buf_add_str(m->out, ".\n");
			any = true;
		}
		if (rule->waived_until.n > 0) {
			buf_add_str(m->out, "- Waived until ");
			text_add_markdown(m->out, rule->waived_until);
			buf_add_str(m->out, ": ");
			md_code(m, rule->id);
			buf_addf(m->out, ", which is otherwise %s. ", result_words[rule->unwaived]);
			add_rule_text(m->out, rule->waived_why);
			buf_add_char(m->out, '\n');
			any = true;
		}
	}
	if (any)
		buf_add_char(m->out, '\n');
}

static void
add_places(struct md *m, const struct rule_verdict *rule)
{
	for (size_t e = 0; e < rule->nevidence; e++) {
		buf_add_str(m->out, e > 0 ? ", " : " See ");
		text_add_markdown(m->out, rule->evidence[e].file);
		if (rule->evidence[e].line > 0)
			buf_addf(m->out, ":%" PRId64, rule->evidence[e].line);
	}
	if (rule->nevidence > 0 && rule->evidence_total > rule->nevidence) {
		buf_add_str(m->out, " and ");
		text_add_count(m->out, (int64_t)(rule->evidence_total - rule->nevidence));
		buf_add_str(m->out, " more");
	}
	if (rule->nevidence > 0)
		buf_add_char(m->out, '.');
}

static void
add_failures(struct md *m, const struct rule_verdict *rules, size_t n, const char *head)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct rule_verdict *rule = &rules[i];

		if (rule->result != RULE_FAIL)
			continue;
		if (!any)
			buf_addf(m->out, "## %s\n\n", head);
		any = true;
		buf_add_str(m->out, "- **");
		md_code(m, rule->id);
		buf_add_str(m->out, "** ");
		text_add_markdown(m->out, rule->title.en);
		buf_add_str(m->out, ": ");
		add_rule_text(m->out, rule->why.n > 0 ? rule->why : rule->value);
		buf_add_char(m->out, '.');
		add_places(m, rule);
		if (rule->fix.en.n > 0) {
			buf_add_char(m->out, ' ');
			text_add_markdown(m->out, rule->fix.en);
		}
		buf_add_char(m->out, '\n');
	}
	if (any)
		buf_add_char(m->out, '\n');
}

static void
add_trust(struct md *m, const struct verdict *v)
{
	static const char *const words[_TRUST_RESULT_MAX] = {
		[TRUST_TRUSTED] = "can be trusted",
		[TRUST_UNTRUSTED] = "**cannot be trusted**",
		[TRUST_NOT_EVALUATED] = "could not be judged",
	};

	if (v->ntrust_rules == 0)
		return;
	buf_addf(m->out, "## The load generator %s\n\n", words[v->trust]);
	add_rule_table(m, v->trust_rules, v->ntrust_rules, v->trust_rules[0].validity, "rule");
	add_changes(m, v->trust_rules, v->ntrust_rules);
}

void
md_head(struct md *m)
{
	const struct verdict *v = m->r->verdict;

	buf_add_str(m->out, "# ");
	text_add_markdown(m->out, m->r->run.id);
	buf_addf(m->out, ": %s\n\n", verdict_result_name(v->result));
	add_decision(m, v);
	add_summary(m);
	add_reasons(m, v);
	add_rule_table(m, v->rules, v->nrules, false, "gate");
	add_changes(m, v->rules, v->nrules);
	add_rule_table(m, v->rules, v->nrules, true, "the run is invalid when");
	add_failures(m, v->rules, v->nrules, "Why");
	add_trust(m, v);
}
