/* base/time.h - UTC nanoseconds to text, a second zone, and the one place that reads a clock.
 *
 * Threading: time_zone_open() with a name sets the process's zone, so it is called once, before any thread is started; all else is
 * safe anywhere. Times are int64 UTC Unix nanoseconds. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Times lie within ±TIME_MAX (1833 to 2106): the difference of any two, and a time with a drain window added, fits in an int64. */
#define TIME_MAX INT64_C(4300000000000000000)

static inline bool
time_fits(int64_t ns)
{
	return ns >= -TIME_MAX && ns <= TIME_MAX;
}

#define NS_PER_S INT64_C(1000000000)

/* The Unix second that a time lies in. */
static inline int64_t
time_second(int64_t ns)
{
	return ns / NS_PER_S - (ns % NS_PER_S < 0);
}

struct time_zone {
	bool fixed;   /* `offset_s` holds; else the process's zone */
	int offset_s; /* east of UTC */
};

/* "+08:00", "-0330", "Z", or a name of the zone database such as "Asia/Shanghai". IMP_E_USAGE when it is neither. */
MUST_CHECK enum imp_rc time_zone_open(const char *name, struct time_zone *ret, struct imp_err *err);

/* "2026-11-30T16:50:38.690Z" with `decimals` (0..9, cut off, not rounded). */
void time_add_utc(struct buf *out, int64_t ns, int decimals);

/* The same instant in `zone`: "2026-12-01T00:50:38.690+08:00". */
void time_add_zoned(struct buf *out, int64_t ns, int decimals, const struct time_zone *zone);

/* A length: "250 ns", "3.114 ms", "30 s", "4 min 5 s". */
void time_add_length(struct buf *out, int64_t ns);

int64_t time_monotonic(void); /* ns since some start */
int64_t time_now(void);
