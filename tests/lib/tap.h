/* tests/lib/tap.h - the Test Anything Protocol, enough of it.
 *
 * A test program calls ok(), is_int() and is_str() any number of times and ends with `return done();`. Where the number of checks
 * is known, plan() first makes a missing one an error. */
#pragma once
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct {
	int planned, run, failed;
} tap;

static inline void
plan(int n)
{
	tap.planned = n;
	printf("1..%d\n", n);
}

__attribute__((format(printf, 2, 3))) static inline bool
ok(bool pass, const char *fmt, ...)
{
	va_list ap;

	tap.failed += !pass;
	printf("%sok %d - ", pass ? "" : "not ", ++tap.run);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	return pass;
}

static inline bool
is_int(intmax_t got, intmax_t want, const char *what)
{
	if (!ok(got == want, "%s", what))
		printf("# got %" PRIdMAX ", want %" PRIdMAX "\n", got, want);
	return got == want;
}

static inline bool
is_str(const char *got, const char *want, const char *what)
{
	bool pass = got == want || (got != NULL && want != NULL && strcmp(got, want) == 0);

	if (!ok(pass, "%s", what))
		printf("# got  %s\n# want %s\n", got != NULL ? got : "(null)", want != NULL ? want : "(null)");
	return pass;
}

static inline int
done(void)
{
	if (tap.planned == 0)
		plan(tap.run);
	return tap.failed > 0 || tap.run != tap.planned || tap.run == 0;
}
