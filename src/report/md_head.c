#include "config.h"

#include "report/md.h"

#include "base/text.h"
#include "report/rule_words.h"

/* The order in which results are shown: what blocks comes first. */
static const enum rule_result shown_order[] = { RULE_FAIL, RULE_NOT_EVALUATED, RULE_WAIVED, RULE_PASS, RULE_NOT_APPLICABLE };

static const char *const result_words[_RULE_RESULT_MAX] = {
	[RULE_PASS] = "pass",
	[RULE_FAIL] = "**fail**",
	[RULE_NOT_EVALUATED] = "not evaluated",
	[RULE_NOT_APPLICABLE] = "not applicable",
	[RULE_WAIVED] = "waived",
};

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

/* Receivers that were connected throughout and got nothing are the server's fault alone: they are named apart. */
static void
add_disconnected(struct md *m, int64_t missing, int64_t disconnected)
{
	if (disconnected == 0) {
		buf_add_str(m->out, ", with the receiver connected throughout");
		return;
	}
	if (disconnected == missing) {
		buf_add_str(m->out, ", with the receiver not connected throughout");
		return;
	}
	buf_add_str(m->out, ": ");
	text_add_count(m->out, missing - disconnected);
	buf_add_str(m->out, " with the receiver connected throughout, ");
	text_add_count(m->out, disconnected);
	buf_add_str(m->out, " without");
}

static void
add_deliveries(struct md *m)
{
	const struct report_scope *total = &m->r->total;
	struct report_value disconnected = report_figure(total, "delivery.receiver_disconnected");
	int64_t expected = report_figure_int(total, "delivery.expected");
	int64_t missing = report_figure_int(total, "delivery.missing");
	int64_t late = report_figure_int(total, "delivery.late");

	if (expected == 0)
		return;
	if (missing == 0) {
		buf_add_str(m->out, "None of ");
	} else {
		if (report_figure_int(total, "delivery.missing_upper_bound") != 0)
			buf_add_str(m->out, "At most ");
		text_add_count(m->out, missing);
		buf_add_str(m->out, " of ");
	}
	md_plural(m, expected, "delivery", "deliveries");
	buf_add_str(m->out, missing == 0 ? " is missing" : " never arrived");
	if (m->r->receivers_total > 0) {
		buf_add_str(m->out, " (");
		md_plural(m, m->r->receivers_total, "receiver", "receivers");
		buf_add_char(m->out, ')');
	}
	if (missing > 0 && disconnected.type == REPORT_INT)
		add_disconnected(m, missing, disconnected.i);
	if (late > 0) {
		buf_add_str(m->out, "; ");
		text_add_count(m->out, late);
		buf_add_str(m->out, " came too late");
	}
	buf_add_str(m->out, ". ");
}

/* "69 messages were refused, 533 were never written. " */
static void
add_refused(struct md *m)
{
	static const struct {
		const char *figure, *text;
	} kinds[] = {
		{ "rejected", "refused" },
		{ "unsent", "never written" },
		{ "never_tried", "never tried" },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int64_t n = report_figure_int(&m->r->total, kinds[i].figure);

		if (n <= 0)
			continue;
		if (any) {
			buf_add_str(m->out, ", ");
			text_add_count(m->out, n);
			buf_add_str(m->out, n == 1 ? " was" : " were");
		} else {
			md_plural(m, n, "message was", "messages were");
		}
		buf_addf(m->out, " %s", kinds[i].text);
		any = true;
	}
	buf_add_str(m->out, any ? ". " : "");
}

/* Messages without a usable answer, and what evidence says of them. */
static void
add_unknown(struct md *m)
{
	static const struct {
		const char *figure, *text;
	} kinds[] = {
		{ "classes.unknown_observed_persisted", "stored and received all the same" },
		{ "classes.unknown_persisted", "stored, but seen by nobody" },
		{ "classes.unknown_observed", "received, but not shown to be stored" },
		{ "classes.unknown_absent", "stored nowhere" },
		{ "classes.unknown_unverified", "cannot be told" },
	};
	const struct report_scope *total = &m->r->total;
	int64_t unknown = report_figure_int(total, "unknown");
	bool any = false;

	if (unknown == 0)
		return;
	md_plural(m, unknown, "message", "messages");
	buf_add_str(m->out, " got no usable answer");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int64_t n = report_figure_int(total, kinds[i].figure);

		if (n == 0)
			continue;
		buf_add_str(m->out, any ? ", " : ": ");
		if (n < unknown) {
			text_add_count(m->out, n);
			buf_add_char(m->out, ' ');
		} else if (n > 1) {
			buf_add_str(m->out, "all of them ");
		}
		buf_add_str(m->out, kinds[i].text);
		any = true;
	}
	buf_add_str(m->out, ". ");
}

/* What the answers without a seq would do to a rate that counts every 2xx. */
static void
add_empty_answers(struct md *m)
{
	const struct slice success = SLICE("by_code.2");
	const struct report_scope *total = &m->r->total;
	int64_t attempted = report_figure_int(total, "attempted"), acked = report_figure_int(total, "acked"), answered = 0;
	int64_t empty = report_figure_int(total, "anomalies.ack_without_seq");

	if (empty == 0)
		return;
	for (size_t i = 0; i < total->figures.n; i++)
		if (slice_has_prefix(total->figures.v[i].name, success) && total->figures.v[i].name.n == success.n + 2)
			answered += total->figures.v[i].value.i;
	buf_add_str(m->out, "**");
	md_plural(m, empty, "message was", "messages were");
	buf_add_str(m->out, " answered 2xx without a seq, which promises nothing");
	if (answered > acked && answered <= attempted) {
		buf_add_str(m->out, ": a client that counts every 2xx as success would report ");
		md_share(m, answered, attempted);
		buf_add_str(m->out, ", not ");
		md_share(m, acked, attempted);
	}
	buf_add_str(m->out, ".** ");
}

static void
add_summary(struct md *m)
{
	const struct report_scope *total = &m->r->total;
	int64_t attempted = report_figure_int(total, "attempted"), acked = report_figure_int(total, "acked");

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
	add_refused(m);
	add_unknown(m);
	add_empty_answers(m);
	buf_truncate(m->out, m->out->n - 1);
	buf_add_str(m->out, "\n\n");
}

#define REASONS_SHOWN 6 /* all of them stand in the tables */

static void
add_reasons(struct md *m, const struct verdict *v)
{
	if (v->nreasons == 0)
		return;
	buf_add_str(m->out, "Decided by ");
	for (size_t i = 0; i < v->nreasons && i < REASONS_SHOWN; i++) {
		buf_add_str(m->out, i > 0 ? ", " : "");
		md_code(m, v->reasons[i]);
	}
	if (v->nreasons > REASONS_SHOWN)
		buf_addf(m->out, " and %zu more", v->nreasons - REASONS_SHOWN);
	buf_add_str(m->out, " (profile ");
	md_code(m, v->profile);
	buf_add_str(m->out, ").\n\n");
}

/* What was measured; in words where a figure alone would say too little. */
static void
add_measured(struct md *m, const struct rule_verdict *rule)
{
	bool judged = rule->unwaived == RULE_PASS || rule->unwaived == RULE_FAIL;

	if (judged && rule->nconditions == 1 && rule->conditions[0].text.en.n > 0) {
		md_rule_text(m, rule->conditions[0].text.en);
		buf_add_str(m->out, ": ");
	}
	rule_add_measured(rule, md_add_rule_text, m->out);
}

/* One row for the group that rules[first] begins. */
static void
add_rule_row(struct md *m, const struct rule_verdict *rules, size_t n, size_t first)
{
	const struct rule_verdict *rule = &rules[first];
	size_t members = 0;

	buf_add_str(m->out, "| ");
	for (size_t i = first; i < n; i++) {
		if (!rule_is_in_group(&rules[i], rule))
			continue;
		buf_add_str(m->out, members++ > 0 ? ", " : "");
		md_code(m, rules[i].id);
	}
	buf_addf(m->out, " | %s%s | ", result_words[rule->result],
	    rule->warning && rule->result != RULE_NOT_APPLICABLE ? " (warning)" : "");
	if (members == 1)
		add_measured(m, rule);
	else
		rule_add_measured(rule, md_add_rule_text, m->out);
	buf_add_str(m->out, " | ");
	md_rule_text(m, rule->result == RULE_NOT_APPLICABLE ? SLICE(MD_NOT_EVALUATED) : rule->threshold);
	buf_add_str(m->out, " |\n");
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
			if (rules[i].validity == validity && rules[i].result == shown_order[o] && rule_begins_group(rules, i))
				add_rule_row(m, rules, n, i);
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
			md_rule_text(m, rule->conditions[c].threshold);
			buf_add_str(m->out, " instead of ");
			md_rule_text(m, rule->conditions[c].threshold_was);
			buf_add_str(m->out, ".\n");
			any = true;
		}
		if (rule->waived_until.n > 0) {
			buf_add_str(m->out, "- Waived until ");
			text_add_markdown(m->out, rule->waived_until);
			buf_add_str(m->out, ": ");
			md_code(m, rule->id);
			buf_addf(m->out, ", which is otherwise %s. ", result_words[rule->unwaived]);
			md_rule_text(m, rule->waived_why);
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
	if (rule->nevidence == 0)
		return;
	buf_add_str(m->out, " See ");
	for (size_t e = 0; e < rule->nevidence; e++) {
		buf_add_str(m->out, e > 0 ? ", " : "");
		md_place(m, rule->evidence[e].file, rule->evidence[e].line);
	}
	if (rule->evidence_total > rule->nevidence) {
		buf_add_str(m->out, " and ");
		text_add_count(m->out, (int64_t)(rule->evidence_total - rule->nevidence));
		buf_add_str(m->out, " more");
	}
	buf_add_char(m->out, '.');
}

/* What failed rules ask for, and the places that speak against it. The figures stand in the table above. */
void
md_failures(struct md *m)
{
	const struct verdict *v = m->r->verdict;
	bool any = false;

	for (size_t i = 0; i < v->nrules; i++) {
		const struct rule_verdict *rule = &v->rules[i];

		if (rule->result != RULE_FAIL)
			continue;
		buf_add_str(m->out, any ? "- " : "## Where to look\n\n- ");
		any = true;
		md_code(m, rule->id);
		buf_addf(m->out, " %s: ", rule->validity ? "fires when" : "requires");
		md_rule_text(m, rule->title.en);
		buf_add_char(m->out, '.');
		add_places(m, rule);
		if (rule->fix.en.n > 0) {
			buf_add_char(m->out, ' ');
			md_rule_text(m, rule->fix.en);
		}
		buf_add_char(m->out, '\n');
	}
	if (any)
		buf_add_char(m->out, '\n');
}

static bool
some_fired(const struct verdict *v)
{
	for (size_t i = 0; i < v->nrules; i++)
		if (v->rules[i].validity && v->rules[i].result == RULE_FAIL)
			return true;
	return false;
}

static void
add_validity(struct md *m)
{
	add_rule_table(m, m->r->verdict->rules, m->r->verdict->nrules, true, "the run is invalid when");
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
	if (some_fired(v))
		add_validity(m);
	add_rule_table(m, v->rules, v->nrules, false, "gate");
	add_changes(m, v->rules, v->nrules);
}

/* When and how far each requirement of the load generator was missed, and what to do. */
static void
add_trust_failures(struct md *m)
{
	const struct verdict *v = m->r->verdict;
	bool any = false;

	for (size_t i = 0; i < v->ntrust_rules; i++) {
		const struct rule_verdict *rule = &v->trust_rules[i];

		if (rule->result != RULE_FAIL || rule->warning)
			continue;
		buf_add_str(m->out, "- ");
		md_code(m, rule->id);
		buf_add_str(m->out, ": ");
		md_rule_text(m, rule->why);
		buf_add_char(m->out, '.');
		if (rule->fix.en.n > 0) {
			buf_add_char(m->out, ' ');
			md_rule_text(m, rule->fix.en);
		}
		buf_add_char(m->out, '\n');
		any = true;
	}
	buf_add_str(m->out, any ? "\n" : "");
}

void
md_validity(struct md *m)
{
	static const char *const words[_TRUST_RESULT_MAX] = {
		[TRUST_TRUSTED] = "The load generator can be trusted.",
		[TRUST_UNTRUSTED] = "**The load generator cannot be trusted.**",
		[TRUST_NOT_EVALUATED] = "Whether the load generator can be trusted is not known.",
	};
	const struct verdict *v = m->r->verdict;

	buf_add_str(m->out, "## What the run itself is worth\n\n");
	if (!some_fired(v))
		add_validity(m);
	if (v->ntrust_rules == 0)
		return;
	buf_addf(m->out, "%s\n\n", words[v->trust]);
	add_rule_table(m, v->trust_rules, v->ntrust_rules, v->trust_rules[0].validity, "rule");
	add_trust_failures(m);
	add_changes(m, v->trust_rules, v->ntrust_rules);
}
