/* Exact numbers, intervals against thresholds, and how they are written. */
#include "config.h"

#include <math.h>

#include "rules/number.h"
#include "rules/value.h"
#include "tap.h"

static struct number
fraction(int64_t num, int64_t den)
{
	struct number n = { 0, 1 };

	if (!number_fraction(num, den, &n))
		printf("# %" PRId64 "/%" PRId64 " does not fit\n", num, den);
	return n;
}

static void
test_parse(void)
{
	static const struct {
		const char *text;
		bool good;
		int64_t num, den;
	} cases[] = {
		{ "0", true, 0, 1 },
		{ "0.001", true, 1, 1000 },
		{ "-12.50", true, -25, 2 },
		{ "9223372036854775807", true, INT64_MAX, 1 },
		{ "9223372036854775808", false, 0, 0 },
		{ "0.000000000000000001", true, 1, 1000000000000000000 },
		{ "0.0000000000000000001", false, 0, 0 },
		{ "", false, 0, 0 },
		{ "-", false, 0, 0 },
		{ ".5", false, 0, 0 },
		{ "5.", false, 0, 0 },
		{ "1.2.3", false, 0, 0 },
		{ "1e3", false, 0, 0 },
		{ " 1", false, 0, 0 },
		{ "--1", false, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct number n = { 77, 1 };
		bool good = number_parse(slice_of(cases[i].text), &n);

		ok(good == cases[i].good && (good ? n.num == cases[i].num && n.den == cases[i].den : n.num == 77), "number '%s'",
		    cases[i].text);
	}
}

static void
test_double(void)
{
	struct number n;

	ok(number_of_double(70.3, &n) && n.num == 703 && n.den == 10, "70.3 is 703/10");
	ok(number_of_double(0.1, &n) && n.num == 1 && n.den == 10, "0.1 is 1/10");
	ok(number_of_double(0, &n) && n.num == 0, "0");
	ok(number_of_double(-28.5, &n) && n.num == -57 && n.den == 2, "-28.5");
	ok(number_of_double(1e17, &n) && n.num == 100000000000000000, "1e17");
	ok(!number_of_double(1e18, &n) && !number_of_double(NAN, &n) && !number_of_double(-INFINITY, &n),
	    "too large, NaN, infinity");
}

static void
test_arithmetic(void)
{
	struct number n;

	ok(number_add(fraction(1, 3), fraction(1, 6), &n) && n.num == 1 && n.den == 2, "1/3 + 1/6 = 1/2");
	ok(number_divide(number_int(8), number_int(-12), &n) && n.num == -2 && n.den == 3, "8 / -12 = -2/3");
	ok(!number_divide(number_int(1), number_int(0), &n), "nothing is divided by 0");
	ok(!number_add(number_int(INT64_MAX), number_int(1), &n), "a sum that does not fit");
	ok(number_cmp(fraction(1, 3), fraction(33333333333333333, 100000000000000000)) > 0, "1/3 is more than its first digits");
	/* as doubles both are 9007199254740992 */
	ok(number_cmp(number_int(9007199254740993), number_int(9007199254740992)) > 0, "beyond the doubles");
}

static void
test_threshold_parse(void)
{
	static const struct {
		const char *text;
		bool good;
		enum threshold_op op;
		int64_t num, den;
		enum unit unit;
	} cases[] = {
		{ "= 0", true, OP_EQ, 0, 1, UNIT_NONE },
		{ "<= 0.001 %", true, OP_LE, 1, 100000, UNIT_SHARE },
		{ ">=100%", true, OP_GE, 1, 1, UNIT_SHARE },
		{ "<= 500 ms", true, OP_LE, 500000000, 1, UNIT_TIME },
		{ "> 1.5 s", true, OP_GT, 1500000000, 1, UNIT_TIME },
		{ "< 2 min", true, OP_LT, 120000000000, 1, UNIT_TIME },
		{ "< 7 us", true, OP_LT, 7000, 1, UNIT_TIME },
		{ "!= 3 ns", true, OP_NE, 3, 1, UNIT_TIME },
		{ "<= 1.3", true, OP_LE, 13, 10, UNIT_NONE },
		{ "> -1", true, OP_GT, -1, 1, UNIT_NONE },
		{ "== 0", false, 0, 0, 0, 0 },
		{ "0", false, 0, 0, 0, 0 },
		{ "<=", false, 0, 0, 0, 0 },
		{ "<= 5 hours", false, 0, 0, 0, 0 },
		{ "<= 5 ms!", false, 0, 0, 0, 0 },
		{ "<= 999999999999 min", false, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct threshold t = { 0 };
		const char *why;
		bool good = threshold_parse(slice_of(cases[i].text), &t, &why);

		ok(good == cases[i].good &&
			(!good ||
			    (t.op == cases[i].op && t.x.num == cases[i].num && t.x.den == cases[i].den && t.unit == cases[i].unit)),
		    "threshold '%s'", cases[i].text);
	}
}

#define OPEN INT64_MIN

/* lo and hi in units of 1/1000; OPEN: not known. */
static void
test_three_values(void)
{
	static const struct {
		const char *threshold;
		int64_t lo, hi;
		enum rule_result want;
	} cases[] = {
		{ "= 0", 0, 0, RULE_PASS },
		{ "= 0", 1, 1, RULE_FAIL },
		{ "= 0", 0, 5, RULE_NOT_EVALUATED },
		{ "= 0", 1, OPEN, RULE_FAIL },
		{ "= 0", 0, OPEN, RULE_NOT_EVALUATED },
		{ "= 0", OPEN, OPEN, RULE_NOT_EVALUATED },
		{ "= 0", OPEN, -1, RULE_FAIL },
		{ "!= 0", 0, 0, RULE_FAIL },
		{ "!= 0", 1, OPEN, RULE_PASS },
		{ "!= 0", 0, 1, RULE_NOT_EVALUATED },
		{ "<= 1", 0, 1000, RULE_PASS },
		{ "<= 1", 0, 1001, RULE_NOT_EVALUATED },
		{ "<= 1", 1001, OPEN, RULE_FAIL },
		{ "<= 1", OPEN, 1000, RULE_PASS },
		{ "< 1", 0, 999, RULE_PASS },
		{ "< 1", 1000, 1000, RULE_FAIL },
		{ "< 1", 0, 1000, RULE_NOT_EVALUATED },
		{ ">= 1", 1000, OPEN, RULE_PASS },
		{ ">= 1", 0, 999, RULE_FAIL },
		{ ">= 1", 0, OPEN, RULE_NOT_EVALUATED },
		{ "> 1", 1001, 1001, RULE_PASS },
		{ "> 1", OPEN, 1000, RULE_FAIL },
		{ "> 1", 1000, 1001, RULE_NOT_EVALUATED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct interval v = { .has_lo = cases[i].lo != OPEN, .has_hi = cases[i].hi != OPEN };
		struct threshold t;
		const char *why;

		if (v.has_lo)
			v.lo = fraction(cases[i].lo, 1000);
		if (v.has_hi)
			v.hi = fraction(cases[i].hi, 1000);
		ok(threshold_parse(slice_of(cases[i].threshold), &t, &why) && threshold_test(&t, &v) == cases[i].want,
		    "[%" PRId64 ", %" PRId64 "]/1000 %s: %s", cases[i].lo, cases[i].hi, cases[i].threshold,
		    rule_result_name(cases[i].want));
	}
}

static void
test_text(void)
{
	static const struct {
		const char *threshold;
		int64_t part, whole;
		bool ratio;
		const char *text, *json;
	} cases[] = {
		{ "= 0", 12345, 1, false, "12,345", "12345" },
		{ "<= 500 ms", 3114159, 1, false, "3.11 ms", "3.114159" },
		{ "<= 500 ms", 123456, 1, false, "0.123456 ms", "0.123456" },
		{ "<= 500 ms", 500000001, 1, false, "500.000001 ms", "500.000001" },
		{ "<= 500 ms", 499999999, 1, false, "500.00 ms", "499.999999" },
		{ "<= 1.3", 4, 3, false, "1.33", "1.3333333333333333" },
		{ "<= 1.3", 130001, 100000, false, "1.300010", "1.30001" },
		{ "<= 0.001 %", 1801, 10621, true, "1,801 / 10,621 = 16.957 %", "0.169569720365314" },
		{ "= 100 %", 3187, 3617, true, "3,187 / 3,617 = 88.11 %", "0.8811169477467514" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct number x = fraction(cases[i].part, cases[i].whole);
		struct value v = { .i = { true, true, x, x },
			.is_ratio = cases[i].ratio,
			.part = number_int(cases[i].part),
			.whole = number_int(cases[i].whole) };
		struct buf text = BUF_INIT(1024), json = BUF_INIT(1024);
		struct threshold t = { 0 };
		const char *why;

		ok(threshold_parse(slice_of(cases[i].threshold), &t, &why), "%s", cases[i].threshold);
		value_add_text(&text, &v, &t);
		value_add_json(&json, &v, t.unit);
		is_str(text.p, cases[i].text, cases[i].text);
		is_str(json.p, cases[i].json, cases[i].json);
		buf_done(&text);
		buf_done(&json);
	}
}

int
main(void)
{
	test_parse();
	test_double();
	test_arithmetic();
	test_threshold_parse();
	test_three_values();
	test_text();
	return done();
}
