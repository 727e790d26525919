#include "config.h"

#include "report/rule_words.h"

#include <string.h>

/* Rules put what to bring in brackets behind the reason. */
static struct slice
without_advice(struct slice why)
{
	static const struct slice advice = { " (bring ", 8 };
	const char *at = why.n > 0 ? memmem(why.p, why.n, advice.p, advice.n) : NULL;

	return at != NULL ? (struct slice){ why.p, (size_t)(at - why.p) } : why;
}

static bool
is_repeated(const struct rule_verdict *rule, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (rule->conditions[k].result == RULE_NOT_EVALUATED && slice_eq(rule->conditions[k].why, rule->conditions[i].why))
			return true;
	return false;
}

static struct slice
as_it_is(struct slice why)
{
	return why;
}

static void
add_reasons(const struct rule_verdict *rule, struct slice (*part)(struct slice), void (*add)(struct buf *, struct slice),
    struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < rule->nconditions; i++) {
		if (rule->conditions[i].result != RULE_NOT_EVALUATED || rule->conditions[i].why.n == 0 || is_repeated(rule, i))
			continue;
		buf_add_str(out, any ? "; " : "");
		add(out, part(rule->conditions[i].why));
		any = true;
	}
	if (!any)
		add(out, part(rule->why));
}

static bool
is_zero(struct slice value)
{
	return slice_eq(value, SLICE("0"));
}

/* Did it count, and find nothing? */
static bool
counts_nothing(const struct rule_verdict *rule)
{
	if (rule->nconditions == 0)
		return is_zero(rule->value);
	for (size_t i = 0; i < rule->nconditions; i++)
		if (!is_zero(rule->conditions[i].value))
			return false;
	return true;
}

void
rule_add_measured(const struct rule_verdict *rule, void (*add)(struct buf *out, struct slice s), struct buf *out)
{
	if (rule->unwaived == RULE_NOT_EVALUATED)
		add_reasons(rule, without_advice, add, out);
	else if (counts_nothing(rule))
		add(out, SLICE("0"));
	else
		add(out, rule->value.n > 0 ? rule->value : without_advice(rule->why));
}

void
rule_add_open(const struct rule_verdict *rule, void (*add)(struct buf *out, struct slice s), struct buf *out)
{
	add_reasons(rule, as_it_is, add, out);
}

bool
rule_is_in_group(const struct rule_verdict *rule, const struct rule_verdict *first)
{
	if (rule == first)
		return true;
	if (rule->result != first->result || rule->validity != first->validity)
		return false;
	switch (rule->result) {
	case RULE_NOT_APPLICABLE: /* so it does not matter what a failure would have meant */
		return slice_eq(rule->why, first->why);
	case RULE_PASS:
		return rule->warning == first->warning && counts_nothing(rule) && counts_nothing(first) &&
		    slice_eq(rule->threshold, first->threshold);
	default:
		return false;
	}
}

bool
rule_begins_group(const struct rule_verdict *rules, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (rule_is_in_group(&rules[i], &rules[k]))
			return false;
	return true;
}
