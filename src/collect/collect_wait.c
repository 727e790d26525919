#include "config.h"

#include "collect/collect_wait.h"

#include <poll.h>
#include <pthread.h>
#include <stddef.h>

#include "base/time.h"

/* ns from now until whichever comes first */
static int64_t
time_left(int64_t due, int64_t end)
{
	int64_t left = due - time_monotonic();

	if (end != INT64_MAX) {
		int64_t until_end = end - time_now();

		left = until_end < left ? until_end : left;
	}
	return left;
}

void
wait_until(int64_t due, int64_t end, const volatile sig_atomic_t *stop)
{
	sigset_t ending, before;
	int64_t left;

	sigemptyset(&ending);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	/* held back but for the time in ppoll(), so that none comes between the look at *stop and the wait */
	pthread_sigmask(SIG_BLOCK, &ending, &before);
	while ((stop == NULL || *stop == 0) && (left = time_left(due, end)) > 0) {
		struct timespec ts = { left / NS_PER_S, left % NS_PER_S };

		(void)ppoll(NULL, 0, &ts, &before);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
