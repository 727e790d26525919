/* rules/cause_text.h - sentences with figures filled in: "{n} connections of {pod} closed at {t:time}".
 *
 * {name} is a count with separators, a number, or text; {name:plain} a number without separators; {name:time} Unix nanoseconds as
 * UTC clock time; {name:s} and {name:ms} nanoseconds in seconds or milliseconds; {name:percent} a share of 1. A brace
 * without a name behind it is a brace. Pure but for the arena. Errors: IMP_E_LIMIT for a sentence that is too long, IMP_E_NOMEM. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include "rules/rules.h"

struct text_value {
	struct slice name;
	enum { TEXT_UNKNOWN, TEXT_INT, TEXT_REAL, TEXT_SLICE } type;
	bool at_least; /* of a count: there may be more of them */
	int64_t i;
	double d;
	struct slice s;
};

#define TEXT_VALUES_MAX 40

/* Of values with one name the first counts. */
struct text_values {
	struct text_value v[TEXT_VALUES_MAX];
	size_t n;
	bool of_nothing; /* of something that was not found: what is not known is left open */
};

void text_values_add_int(struct text_values *v, const char *name, int64_t i);

/* Fill in both languages. A value that is not known, or that no value has the name of, is written as such. */
MUST_CHECK enum imp_rc cause_text(struct arena *arena, const struct rule_text *template, const struct text_values *v,
    struct rule_text *ret, struct imp_err *err);

/* The next {name:format} of `s` at or after *pos, which moves behind it; false when there is none. *ret_start: where it begins. */
bool cause_text_next(struct slice s, size_t *pos, size_t *ret_start, struct slice *ret_name, struct slice *ret_format);

/* Is this a format that cause_text() knows? Empty is one. */
bool cause_text_is_format(struct slice format);
