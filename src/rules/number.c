#include "config.h"

#include "rules/number.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

#define NS_PER_MS 1000000

static const char *const op_names[_OP_MAX] = {
	[OP_EQ] = "=",
	[OP_NE] = "!=",
	[OP_LT] = "<",
	[OP_LE] = "<=",
	[OP_GT] = ">",
	[OP_GE] = ">=",
};

static const struct unit_name {
	const char *name;
	enum unit unit;
	int64_t num, den; /* one of it in base units */
} units[] = {
	{ "", UNIT_NONE, 1, 1 },
	{ "%", UNIT_SHARE, 1, 100 },
	{ "ns", UNIT_TIME, 1, 1 },
	{ "us", UNIT_TIME, 1000, 1 },
	{ "ms", UNIT_TIME, NS_PER_MS, 1 },
	{ "s", UNIT_TIME, 1000000000, 1 },
	{ "min", UNIT_TIME, 60000000000, 1 },
};

/* Lowest terms of num/den, den > 0. */
static bool
reduce(__int128 num, __int128 den, struct number *ret)
{
	__int128 a = num < 0 ? -num : num, b = den;

	while (b != 0) {
		__int128 rest = a % b;

		a = b;
		b = rest;
	}
	num /= a;
	den /= a;
	if (num > INT64_MAX || num < -INT64_MAX || den > INT64_MAX)
		return false;
	*ret = (struct number){ (int64_t)num, (int64_t)den };
	return true;
}

bool
number_fraction(int64_t num, int64_t den, struct number *ret)
{
	if (den == 0 || num == INT64_MIN || den == INT64_MIN)
		return false;
	return den > 0 ? reduce(num, den, ret) : reduce(-num, -den, ret);
}

bool
number_parse(struct slice s, struct number *ret)
{
	bool negative = s.n > 0 && s.p[0] == '-', fraction = false;
	int64_t num = 0, den = 1;
	size_t digits = 0;

	for (size_t i = negative; i < s.n; i++) {
		if (s.p[i] == '.' && !fraction && digits > 0 && i + 1 < s.n) {
			fraction = true;
			continue;
		}
		if (s.p[i] < '0' || s.p[i] > '9' || __builtin_mul_overflow(num, 10, &num) ||
		    __builtin_add_overflow(num, s.p[i] - '0', &num) || (fraction && __builtin_mul_overflow(den, 10, &den)))
			return false;
		digits++;
	}
	return digits > 0 && number_fraction(negative ? -num : num, den, ret);
}

bool
number_of_double(double d, struct number *ret)
{
	char text[64];
	int decimals, n;

	if (!isfinite(d) || fabs(d) >= 1e18)
		return false;
	decimals = d == 0 ? 0 : 14 - (int)floor(log10(fabs(d)));
	decimals = decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
	n = snprintf(text, sizeof(text), "%.*f", decimals, d);
	return number_parse((struct slice){ text, (size_t)n }, ret);
}

bool
number_add(struct number a, struct number b, struct number *ret)
{
	__int128 left = (__int128)a.num * b.den, right = (__int128)b.num * a.den;

	return reduce(left + right, (__int128)a.den * b.den, ret);
}

bool
number_divide(struct number a, struct number b, struct number *ret)
{
	__int128 num = (__int128)a.num * b.den, den = (__int128)a.den * b.num;

	if (den == 0)
		return false;
	return den > 0 ? reduce(num, den, ret) : reduce(-num, -den, ret);
}

int
number_cmp(struct number a, struct number b)
{
	__int128 left = (__int128)a.num * b.den, right = (__int128)b.num * a.den;

	return (left > right) - (left < right);
}

bool
interval_is_point(const struct interval *v)
{
	return v->has_lo && v->has_hi && number_cmp(v->lo, v->hi) == 0;
}

static bool
parse_op(struct slice s, enum threshold_op *ret)
{
	for (unsigned op = 0; op < _OP_MAX; op++)
		if (slice_eq(s, slice_of(op_names[op]))) {
			*ret = op;
			return true;
		}
	return false;
}

/* The part of *s up to where `in_set` changes, taken off it. */
static struct slice
take_while(struct slice *s, bool in_set, const char *set)
{
	struct slice part = { s->p, 0 };

	while (part.n < s->n && s->p[part.n] != '\0' && (strchr(set, s->p[part.n]) != NULL) == in_set)
		part.n++;
	s->p += part.n;
	s->n -= part.n;
	return part;
}

bool
threshold_parse(struct slice text, struct threshold *ret, const char **ret_why)
{
	struct slice rest = text, op = take_while(&rest, true, "<>=!"), digits, unit;
	struct threshold t = { .text = text };
	struct number x;

	take_while(&rest, true, " ");
	digits = take_while(&rest, true, "-.0123456789");
	take_while(&rest, true, " ");
	unit = rest;
	*ret_why = "it does not begin with one of = != < <= > >=";
	if (!parse_op(op, &t.op))
		return false;
	*ret_why = "a decimal number must follow the operator";
	if (!number_parse(digits, &x))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		struct number of = { units[i].den, units[i].num };

		if (!slice_eq(unit, slice_of(units[i].name)))
			continue;
		*ret_why = "the number is too large";
		t.unit = units[i].unit;
		if (!number_divide(x, of, &t.x))
			return false;
		*ret = t;
		return true;
	}
	*ret_why = "the unit is none of % ns us ms s min";
	return false;
}

static enum rule_result
three_valued(bool surely, bool surely_not)
{
	return surely ? RULE_PASS : surely_not ? RULE_FAIL : RULE_NOT_EVALUATED;
}

static enum rule_result
opposite(enum rule_result r)
{
	return r == RULE_PASS ? RULE_FAIL : r == RULE_FAIL ? RULE_PASS : r;
}

enum rule_result
threshold_test(const struct threshold *t, const struct interval *v)
{
	bool above = v->has_lo && number_cmp(v->lo, t->x) > 0, at_least = v->has_lo && number_cmp(v->lo, t->x) >= 0;
	bool below = v->has_hi && number_cmp(v->hi, t->x) < 0, at_most = v->has_hi && number_cmp(v->hi, t->x) <= 0;

	switch (t->op) {
	case OP_EQ:
		return three_valued(at_least && at_most, above || below);
	case OP_NE:
		return opposite(three_valued(at_least && at_most, above || below));
	case OP_LE:
		return three_valued(at_most, above);
	case OP_GT:
		return opposite(three_valued(at_most, above));
	case OP_GE:
		return three_valued(at_least, below);
	case OP_LT:
		return opposite(three_valued(at_least, below));
	default:
		return RULE_NOT_EVALUATED;
	}
}

/* In multiples of `unit`, with two decimals, or with six when two would hide it or put it on the other side of the threshold. */
static void
add_decimals(struct buf *out, struct number v, int64_t unit, const char *suffix, const struct threshold *t)
{
	struct interval exact = { true, true, v, v }, rounded = { .has_lo = true, .has_hi = true };
	char text[64];
	int n = 0;

	for (int decimals = number_cmp(v, number_int(unit)) < 0 ? 6 : 2; decimals <= 6; decimals += 4) {
		n = snprintf(text, sizeof(text), "%.*f", decimals, (double)v.num / (double)v.den / (double)unit);
		if (!number_parse((struct slice){ text, (size_t)n }, &rounded.lo) ||
		    !number_divide(rounded.lo, (struct number){ 1, unit }, &rounded.lo))
			break;
		rounded.hi = rounded.lo;
		if (threshold_test(t, &exact) == threshold_test(t, &rounded))
			break;
	}
	buf_add(out, text, (size_t)n);
	buf_add_str(out, suffix);
}

void
number_add_text(struct buf *out, struct number v, const struct threshold *t)
{
	if (t->unit == UNIT_TIME)
		add_decimals(out, v, NS_PER_MS, " ms", t);
	else if (t->unit == UNIT_SHARE && v.num >= 0)
		text_add_percent(out, v.num, v.den);
	else if (v.den == 1)
		text_add_count(out, v.num);
	else
		add_decimals(out, v, 1, "", t);
}

void
number_add_json(struct buf *out, struct number v, enum unit unit)
{
	if (unit == UNIT_TIME && v.den == 1)
		text_add_ms(out, v.num);
	else if (v.den == 1)
		buf_addf(out, "%lld", (long long)v.num);
	else
		text_add_double(out, (double)v.num / (double)v.den);
}
