/* rules/number.h - exact numbers, what is known of one, and thresholds.
 *
 * A share of messages is a fraction of two counts and is compared as one: 1 missing of 100,000 is exactly 0.001 %, whatever a double
 * makes of it. What is not known exactly is an interval; comparing it has three answers. Times are nanoseconds. Pure functions. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "rules/rules.h"

struct number {
	int64_t num, den; /* in lowest terms, den > 0 */
};

static inline struct number
number_int(int64_t i)
{
	return (struct number){ i, 1 };
}

/* All of these are false when the result does not fit (or there is none: division by 0, a double that is not finite). */
MUST_CHECK bool number_fraction(int64_t num, int64_t den, struct number *ret);
MUST_CHECK bool number_parse(struct slice decimal, struct number *ret); /* "-12.50", no exponent */
MUST_CHECK bool number_of_double(double d, struct number *ret);		/* to 15 significant digits, what its decimal text had */
MUST_CHECK bool number_add(struct number a, struct number b, struct number *ret);
MUST_CHECK bool number_divide(struct number a, struct number b, struct number *ret);

int number_cmp(struct number a, struct number b); /* <0, 0, >0 */

/* What is known of a number. Both bounds belong to it; neither: nothing is known. */
struct interval {
	bool has_lo, has_hi;
	struct number lo, hi;
};

bool interval_is_point(const struct interval *v);

enum threshold_op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, _OP_MAX };

enum unit {
	UNIT_NONE,  /* a count or a plain number */
	UNIT_SHARE, /* written in %; 1 is all */
	UNIT_TIME,  /* ns */
};

struct threshold {
	enum threshold_op op;
	struct number x;
	enum unit unit;
	struct slice text; /* as written */
};

/* Parse "<= 0.001 %": operator, decimal, optional unit (% ns us ms s min). False with a reason in *ret_why. */
MUST_CHECK bool threshold_parse(struct slice text, struct threshold *ret, const char **ret_why);

/* Is `v` on the right side? RULE_PASS and RULE_FAIL only when every number of the interval agrees. */
enum rule_result threshold_test(const struct threshold *t, const struct interval *v);

/* `v` for people: "430", "3.11 ms", "16.957 %"; never rounded onto the other side of `t`. */
void number_add_text(struct buf *out, struct number v, const struct threshold *t);

/* `v` as a JSON number: a time in milliseconds, a share of 1. */
void number_add_json(struct buf *out, struct number v, enum unit unit);
