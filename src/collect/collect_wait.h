/* collect/collect_wait.h - wait for the next round of an interval, or the next try, and be told to stop. Threading: any. */
#pragma once
#include <signal.h>
#include <stdint.h>

/* Until `due` (monotonic ns), or `end` (Unix ns; INT64_MAX: none) if that comes first, or *stop (NULL: nobody) is set by a handler of SIGINT,
 * SIGTERM or SIGHUP: one that comes just before the wait ends it too. */
void wait_until(int64_t due, int64_t end, const volatile sig_atomic_t *stop);
