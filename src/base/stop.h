/* base/stop.h - end well when told to: for commands that write as they go. */
#pragma once
#include <signal.h>

/* From now on SIGINT, SIGTERM and SIGHUP set what is returned, and a second of them ends the program at once; SIGPIPE is an error
 * of the write that met it. To be called once. */
const volatile sig_atomic_t *stop_on_signals(void);
