/* collect/retry.h - how often, how long, and when to give up: one budget for a request and its repetitions.
 *
 *	struct retry r = retry_begin(limits, stop);
 *	do
 *		rc = ask(retry_left_ms(&r), ...);
 *	while (rc == IMP_E_UNAVAILABLE && retry_again(&r));
 *
 * The pause doubles from `pause_ns`, at most 5 s, with a third taken off or put on at random so that several collectors do not ask
 * in step. Times are of the monotonic clock. Threading: a retry belongs to one thread; `stop` may be set from any, and from a signal
 * handler. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct ask_limits {
	int64_t timeout_ns; /* of one try (default 10 s) */
	unsigned tries;	    /* default 3 */
	int64_t pause_ns;   /* before the second try (default 250 ms) */
	uint64_t bytes_max; /* of one answer (default 256M) */
};

struct retry {
	struct ask_limits limits;
	const volatile sig_atomic_t *stop; /* NULL, or set: give up */
	int64_t begin;
	unsigned tries; /* begun so far */
};

struct retry retry_begin(const struct ask_limits *limits, const volatile sig_atomic_t *stop);
/* Milliseconds for this try. */
int64_t retry_timeout_ms(const struct retry *r);
/* Wait for the pause and say whether there is another try. There is none when told to stop. */
bool retry_again(struct retry *r);
/* The same, with a pause of at least `least_ns`: the server said so. */
bool retry_again_after(struct retry *r, int64_t least_ns);
