#include "config.h"

#include "collect/retry.h"

#include <sys/random.h>

#include "base/time.h"
#include "collect/collect_wait.h"

#define PAUSE_MAX_NS (5 * NS_PER_S)

struct retry
retry_begin(const struct ask_limits *limits, const volatile sig_atomic_t *stop)
{
	return (struct retry){ .limits = *limits, .stop = stop, .begin = time_monotonic(), .tries = 1 };
}

int64_t
retry_timeout_ms(const struct retry *r)
{
	int64_t ms = r->limits.timeout_ns / 1000000;

	return ms > 0 ? ms : 1;
}

static bool
stopped(const struct retry *r)
{
	return r->stop != NULL && *r->stop != 0;
}

/* The pause before the next try: doubled for each one behind us, within a third of that at random. */
static int64_t
next_pause(const struct retry *r)
{
	int64_t pause = r->limits.pause_ns < PAUSE_MAX_NS ? r->limits.pause_ns : PAUSE_MAX_NS, third;
	uint32_t random = 0;

	for (unsigned i = 1; i < r->tries && pause < PAUSE_MAX_NS; i++)
		pause *= 2;
	if (pause > PAUSE_MAX_NS)
		pause = PAUSE_MAX_NS;
	third = pause / 3;
	if (third <= 0 || getrandom(&random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
		return pause;
	return pause - third + (int64_t)(random % (uint64_t)(2 * third + 1));
}

bool
retry_again_after(struct retry *r, int64_t least_ns)
{
	int64_t pause;

	if (r->tries >= r->limits.tries || stopped(r))
		return false;
	pause = next_pause(r);
	wait_until(time_monotonic() + (pause > least_ns ? pause : least_ns), INT64_MAX, r->stop);
	if (stopped(r))
		return false;
	r->tries++;
	return true;
}

bool
retry_again(struct retry *r)
{
	return retry_again_after(r, 0);
}
