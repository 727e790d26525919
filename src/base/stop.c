#include "config.h"

#include "base/stop.h"

#include <stddef.h>

static volatile sig_atomic_t told; /* a handler can set nothing else */

static void
handle(int sig)
{
	if (told != 0) {
		signal(sig, SIG_DFL);
		raise(sig); /* delivered when this handler returns */
	}
	told = 1;
}

const volatile sig_atomic_t *
stop_on_signals(void)
{
	static const int ending[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction act = { .sa_handler = handle }; /* no SA_RESTART: waiting is to end */
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;

	sigemptyset(&act.sa_mask);
	sigemptyset(&ignore.sa_mask);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		/* what a shell or nohup has switched off stays off */
		if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(ending[i], &act, NULL);
	}
	sigaction(SIGPIPE, &ignore, NULL);
	return &told;
}
