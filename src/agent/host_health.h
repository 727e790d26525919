/* agent/host_health.h - how the machine and one process of it are: what the `health` lines of a ledger say.
 *
 * Rates are over the time between two samples, so the first one is the base and has none of them. What cannot be read is not measured,
 * never 0. Sources: proc(5), the cgroup's cpu.stat (v1 and v2). Life cycle: 1. host_health_open()  2. host_health_sample() at each
 * interval  3. host_health_close(). Threading: one thread. */
#pragma once
#include <stdint.h>

#include "base/err.h"

#define HOST_NONE INT64_MIN /* not measured */

struct host_sample {
	double cpu_pct;	     /* of the whole machine, 0 to 100; NaN: not measured */
	double proc_cpu_pct; /* of one core; NaN likewise */
	int64_t rss_bytes;
	int64_t fds, fd_limit; /* open descriptors, and how many may be */
	int64_t time_wait;     /* TCP connections of the machine in TIME_WAIT */
	int64_t ports_used;    /* distinct local ports in use within the range that connect(2) takes from */
	int64_t ports_total;   /* of that range */
	int64_t nr_periods, nr_throttled, throttled_us; /* of the process's cgroup, since it was made */
	int64_t net_rx_bytes, net_tx_bytes;		/* of all interfaces but loopback, since boot */
};

struct host_health;

/* Watch process `pid`; 0 is the caller. `root` stands before /proc and /sys, "" but in tests. IMP_E_NOINPUT: there is no such process. */
MUST_CHECK enum imp_rc host_health_open(const char *root, int pid, struct host_health **ret, struct imp_err *err);
void host_health_close(struct host_health *h); /* NULL is fine */

/* IMP_E_NOINPUT: the process has ended. */
MUST_CHECK enum imp_rc host_health_sample(struct host_health *h, struct host_sample *ret, struct imp_err *err);
