#include "config.h"

#include "report/gate_text.h"

#include "base/text.h"
#include "report/repair_words.h"
#include "report/rule_words.h"
#include "report/why_words.h"

static const char *const result_words[_RULE_RESULT_MAX] = {
	[RULE_PASS] = "pass",
	[RULE_FAIL] = "FAIL",
	[RULE_NOT_EVALUATED] = "not evaluated",
	[RULE_NOT_APPLICABLE] = "not applicable",
	[RULE_WAIVED] = "waived",
};

static const char *const trust_words[_TRUST_RESULT_MAX] = {
	[TRUST_TRUSTED] = "trusted",
	[TRUST_UNTRUSTED] = "UNTRUSTED",
	[TRUST_NOT_EVALUATED] = "not evaluated",
};

static void
add_ids(const struct slice *ids, size_t n, const char *before, struct buf *out)
{
	if (n == 0)
		return;
	buf_add_str(out, before);
	for (size_t i = 0; i < n; i++) {
		buf_add_str(out, i > 0 ? ", " : "");
		text_add_terminal(out, ids[i]);
	}
	buf_add_char(out, '\n');
}

static bool
is_invalid(const struct rule_verdict *rule)
{
	return rule->validity && rule->result == RULE_FAIL;
}

/* The ids of a group, filled up to `width`. */
static void
add_group(const struct rule_verdict *rules, size_t n, size_t first, size_t width, struct buf *out)
{
	size_t used = 0;

	for (size_t i = first; i < n; i++) {
		if (!rule_is_in_group(&rules[i], &rules[first]))
			continue;
		used += rules[i].id.n + (i > first ? 2 : 0);
		buf_add_str(out, i > first ? ", " : "");
		text_add_terminal(out, rules[i].id);
	}
	buf_addf(out, "%*s  ", used < width ? (int)(width - used) : 0, "");
}

/* "  FAIL            loss.realtime    1,801 / 10,621 = 16.957 %   (required <= 0.001 %)"; one line for a group */
static void
add_rule(const struct rule_verdict *rules, size_t n, size_t first, size_t width, struct buf *out)
{
	const struct rule_verdict *rule = &rules[first];

	buf_addf(out, "  %-14s  ", is_invalid(rule) ? "INVALID" : result_words[rule->result]);
	add_group(rules, n, first, width, out);
	rule_add_measured(rule, text_add_terminal, out);
	if (rule->result == RULE_WAIVED) {
		buf_add_str(out, "; until ");
		text_add_terminal(out, rule->waived_until);
		buf_add_str(out, ": ");
		text_add_terminal(out, rule->waived_why);
	}
	if (rule->threshold.n > 0 && rule->result != RULE_NOT_APPLICABLE) {
		buf_add_str(out, rule->validity ? "  (invalid when " : "  (required ");
		text_add_terminal(out, rule->threshold);
		buf_add_char(out, ')');
	}
	buf_add_str(out, rule->warning && rule->result != RULE_NOT_APPLICABLE ? "  warning\n" : "\n");
}

static void
add_rules(const struct rule_verdict *rules, size_t n, struct buf *out)
{
	static const enum rule_result order[] = { RULE_FAIL, RULE_NOT_EVALUATED, RULE_WAIVED, RULE_PASS, RULE_NOT_APPLICABLE };
	size_t width = 0;

	for (size_t i = 0; i < n; i++)
		width = rules[i].id.n > width ? rules[i].id.n : width;
	/* an invalid run makes the failures of its gates mean nothing */
	for (size_t i = 0; i < n; i++)
		if (is_invalid(&rules[i]))
			add_rule(rules, n, i, width, out);
	for (size_t o = 0; o < sizeof(order) / sizeof(order[0]); o++)
		for (size_t i = 0; i < n; i++)
			if (rules[i].result == order[o] && !is_invalid(&rules[i]) && rule_begins_group(rules, i))
				add_rule(rules, n, i, width, out);
}

#define CAUSES_SHOWN 4 /* the report has all of them */

/* "why: pod.gone (confirmed, 1,365), ack.false_accept (confirmed, 134); unexplained: 0 of 1,532" */
static void
add_causes(const struct causes *c, struct buf *out)
{
	size_t named = 0;

	if (c == NULL || c->failing + c->repaired == 0)
		return;
	for (size_t i = 0; i < c->n; i++) {
		const struct cause_verdict *v = &c->v[i];

		if (v->result > CAUSE_PROBABLE || v->under.n > 0 || named++ >= CAUSES_SHOWN)
			continue;
		buf_add_str(out, named == 1 ? "why: " : ", ");
		text_add_terminal(out, v->id);
		buf_addf(out, " (%s, ", cause_result_words(v->result));
		text_add_count(out, (int64_t)v->explains);
		if (v->repaired > 0) {
			buf_add_str(out, " and ");
			text_add_count(out, (int64_t)v->repaired);
			buf_add_str(out, " repaired since");
		}
		buf_add_char(out, ')');
	}
	if (named > CAUSES_SHOWN)
		buf_addf(out, " and %zu more", named - CAUSES_SHOWN);
	buf_add_str(out, named > 0 ? "; unexplained: " : "why: unexplained: ");
	text_add_count(out, (int64_t)c->unexplained);
	buf_add_str(out, " of ");
	text_add_count(out, (int64_t)c->failing);
	buf_add_str(out, " failing messages\n");
}

/* "repaired since: 300 messages (300 replayed from the dead letters), missing for 12 s to 3 min (median)" */
static void
add_repairs(const struct report_repairs *x, struct buf *out)
{
	if (x->total == 0)
		return;
	buf_add_str(out, "repaired since: ");
	text_add_count(out, x->total);
	buf_add_str(out, x->total == 1 ? " message (" : " messages (");
	repair_add_ways(x, out);
	buf_add_str(out, "), missing for ");
	repair_add_span(x->median, out);
	buf_add_str(out, x->total == 1 ? "\n" : " (median)\n");
}

void
gate_text(const struct report *r, const struct causes *causes, struct buf *out)
{
	const struct verdict *v = r->verdict;

	text_add_terminal(out, r->run.id);
	buf_addf(out, ": %s  (profile ", verdict_result_name(v->result));
	text_add_terminal(out, v->profile);
	buf_add_str(out, ")\n");
	add_ids(v->reasons, v->nreasons, "decided by: ", out);
	add_causes(causes, out);
	add_repairs(&r->repairs, out);
	add_rules(v->rules, v->nrules, out);
	if (v->ntrust_rules == 0)
		return;
	buf_addf(out, "load generator: %s\n", trust_words[v->trust]);
	add_rules(v->trust_rules, v->ntrust_rules, out);
}
