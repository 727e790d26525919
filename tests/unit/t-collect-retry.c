/* How often a request is tried, and how long is waited between. */
#include "config.h"

#include "collect/retry.h"

#include <sys/time.h>

#include "base/time.h"
#include "tap.h"

static volatile sig_atomic_t stop;

static void
on_alarm(int sig)
{
	(void)sig;
	stop = 1;
}

static void
alarm_in_ms(int ms)
{
	struct itimerval t = { .it_value = { .tv_usec = ms * 1000 } };
	struct sigaction act = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

int
main(void)
{
	const struct ask_limits limits = { .timeout_ns = 2500000000, .tries = 3, .pause_ns = 30000000 };
	const struct ask_limits once = { .timeout_ns = 1, .tries = 1, .pause_ns = 1000000 };
	const struct ask_limits slow = { .timeout_ns = 1000000000, .tries = 9, .pause_ns = 20 * NS_PER_S };
	struct retry r = retry_begin(&limits, &stop);
	int64_t begin = time_monotonic(), first, second;

	is_int((intmax_t)r.tries, 1, "the first try");
	is_int(retry_timeout_ms(&r), 2500, "its time");
	ok(retry_again(&r), "the second");
	first = time_monotonic() - begin;
	ok(retry_again(&r), "the third");
	second = time_monotonic() - begin - first;
	is_int((intmax_t)r.tries, 3, "are three");
	ok(!retry_again(&r), "and no more");
	/* 30 ms and 60 ms, a third off or on; how much longer it takes is for the machine to say */
	ok(first >= 20000000 && second >= 40000000, "pauses double: %lld, %lld ns", (long long)first, (long long)second);

	r = retry_begin(&once, NULL);
	is_int(retry_timeout_ms(&r), 1, "a time of less than a millisecond is one");
	ok(!retry_again(&r), "one try alone");

	r = retry_begin(&limits, &stop);
	begin = time_monotonic();
	ok(retry_again_after(&r, 150000000), "a server that wants to be left alone");
	ok(time_monotonic() - begin >= 150000000, "is, for as long");

	r = retry_begin(&slow, &stop);
	alarm_in_ms(50);
	begin = time_monotonic();
	ok(!retry_again(&r), "stopped in a pause");
	ok(time_monotonic() - begin < 3 * NS_PER_S, "it does not wait for its end");
	r = retry_begin(&limits, &stop);
	ok(!retry_again(&r), "stopped before");
	return done();
}
