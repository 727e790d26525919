/* tests/lib/rule-tests.h - a test that a rule carries as a check. */
#pragma once
#include "rules/rules.h"
#include "tap.h"

/* Callback of rules_test(). */
static inline void
show_test(void *payload, const struct rules_test *t)
{
	(void)payload;
	ok(t->passed, "%.*s: %.*s", SLICE_ARG(t->rule), SLICE_ARG(t->name));
	if (!t->passed)
		printf("# got %.*s, want %.*s: %.*s\n", SLICE_ARG(t->got), SLICE_ARG(t->expected), SLICE_ARG(t->why));
}
