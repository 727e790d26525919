#include "config.h"

#include "report/trust_text.h"

#include "base/text.h"
#include "report/rule_words.h"

static const struct {
	const char *word, *sentence;
} answers[_TRUST_RESULT_MAX] = {
	[TRUST_TRUSTED] = { "trusted",
	    "The load was made as planned, and what made it had room: latencies and rates can be taken for the server's." },
	[TRUST_UNTRUSTED] = { "UNTRUSTED", "Do not take latencies, rates or a capacity from this run for the server's." },
	[TRUST_NOT_EVALUATED] = { "not evaluated",
	    "Nothing that was looked at speaks against the load generator, but what follows was not looked at." },
};

static void
add_title(struct buf *out, const struct rule_verdict *rule)
{
	buf_add_str(out, "  ");
	text_add_terminal(out, rule->title.en);
	buf_add_str(out, " (");
	text_add_terminal(out, rule->id);
	buf_add_char(out, ')');
}

/* What was measured or missed, and the requirement. */
static void
add_rule(struct buf *out, const struct rule_verdict *rule)
{
	add_title(out, rule);
	buf_add_str(out, ": ");
	if (rule->result == RULE_FAIL) {
		text_add_terminal(out, rule->why);
		if (rule->fix.en.n > 0) {
			buf_add_str(out, "\n    what to do: ");
			text_add_terminal(out, rule->fix.en);
		}
	} else if (rule->result == RULE_NOT_EVALUATED) {
		rule_add_open(rule, text_add_terminal, out);
	} else {
		rule_add_measured(rule, text_add_terminal, out);
		buf_add_str(out, ", required ");
		text_add_terminal(out, rule->threshold);
	}
	buf_add_char(out, '\n');
}

/* The rules with one result. Of those that decide nothing, only what is worth a warning. */
static void
add_group(struct buf *out, const struct verdict *v, enum rule_result result, bool warnings, const char *head)
{
	bool any = false;

	for (size_t i = 0; i < v->ntrust_rules; i++) {
		const struct rule_verdict *rule = &v->trust_rules[i];

		if (rule->result != result || (rule->warning && result != RULE_PASS) != warnings)
			continue;
		buf_add_str(out, any ? "" : head);
		add_rule(out, rule);
		any = true;
	}
}

static bool
is_left_out(const struct rule_verdict *rule, struct slice why)
{
	return rule->result == RULE_NOT_APPLICABLE && slice_eq(rule->why, why);
}

static void
add_others(struct buf *out, const struct verdict *v)
{
	for (size_t i = 0; i < v->ntrust_rules; i++) {
		struct slice why = v->trust_rules[i].why;
		bool first = v->trust_rules[i].result == RULE_NOT_APPLICABLE;

		for (size_t k = 0; k < i; k++)
			first &= !is_left_out(&v->trust_rules[k], why);
		if (!first)
			continue;
		buf_add_str(out, "not applicable: ");
		for (size_t k = i; k < v->ntrust_rules; k++) {
			if (!is_left_out(&v->trust_rules[k], why))
				continue;
			buf_add_str(out, k > i ? ", " : "");
			text_add_terminal(out, v->trust_rules[k].id);
		}
		buf_add_str(out, " (");
		text_add_terminal(out, why);
		buf_add_str(out, ")\n");
	}
}

void
trust_text(struct slice what, const struct verdict *v, struct buf *out)
{
	text_add_terminal(out, what);
	buf_addf(out, ": load generator %s\n%s\n", answers[v->trust].word, answers[v->trust].sentence);
	add_group(out, v, RULE_FAIL, false, "does not hold:\n");
	add_group(out, v, RULE_NOT_EVALUATED, false, "not known:\n");
	add_group(out, v, RULE_WAIVED, false, "waived:\n");
	add_group(out, v, RULE_PASS, false, "holds:\n");
	add_group(out, v, RULE_FAIL, true, "warnings:\n");
	add_group(out, v, RULE_NOT_EVALUATED, true, "would be good to know:\n");
	add_others(out, v);
}
