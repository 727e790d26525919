/* Health samples of the load agent: from files as Linux writes them, with figures worked out by hand; what is missing; a real process. */
#include "config.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/host_health.h"
#include "run-dir.h"
#include "tap.h"

/* A file below the root, as if it were /. */
static void
put(const char *path, const char *text)
{
	run_dir_put(path + 1, "%s", text);
}

/* A file or folder below the root, with all that is in it. */
static void
take_away(const char *path)
{
	if (nftw(run_dir_path(path + 1), run_dir_remove, 16, FTW_DEPTH | FTW_PHYS) != 0)
		run_dir_bail(path);
}

static void
put_machine(const char *cpu)
{
	put("/proc/stat", cpu);
	put("/proc/net/sockstat", "sockets: used 300\nTCP: inuse 5 orphan 1 tw 12 alloc 7 mem 3\nUDP: inuse 2 mem 0\n");
	put("/proc/net/dev",
	    "Inter-|   Receive                                                |  Transmit\n"
	    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"
	    "    lo: 9999999   10    0    0    0     0          0         0 9999999   10    0    0    0     0       0          0\n"
	    "  eth0: 1000      10    0    0    0     0          0         0 200     10    0    0    0     0       0          0\n"
	    "  eth1:   23      10    0    0    0     0          0         0 4     10    0    0    0     0       0          0\n");
	put("/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
	/* ports 32768 (twice), 32769, 6060 (not of the range), 60999 */
	put("/proc/net/tcp",
	    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	    "   0: 0100007F:8000 0100007F:17AC 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0 20 4 30 10 -1\n"
	    "   1: 0100007F:8001 0100007F:17AC 06 00000000:00000000 00:00000000 00000000     0        0 1 1 0 20 4 30 10 -1\n"
	    "   2: 0100007F:17AC 0100007F:8000 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0 20 4 30 10 -1\n");
	put("/proc/net/tcp6",
	    "  sl  local_address rem_address st\n"
	    "   0: 00000000000000000000000001000000:8000 00000000000000000000000001000000:17AC 01 0:0\n"
	    "   1: 00000000000000000000000001000000:EE47 00000000000000000000000001000000:17AC 01 0:0\n");
}

static void
put_process(void)
{
	put("/proc/77/stat",
	    "77 (im) (agent) S 1 77 77 0 -1 4194560 100 0 0 0 300 200 0 0 20 0 3 0 5555 1000 50 184467 1 1 0 0 0\n");
	put("/proc/77/statm", "1000 250 10 1 0 100 0\n");
	put("/proc/77/limits",
	    "Limit                     Soft Limit           Hard Limit           Units     \n"
	    "Max cpu time              unlimited            unlimited            seconds   \n"
	    "Max open files            1024                 524288               files     \n");
	put("/proc/77/fd/0", "");
	put("/proc/77/fd/1", "");
	put("/proc/77/fd/25", "");
}

static struct host_sample
sample(struct host_health *h)
{
	struct host_sample s;
	struct imp_err err = { .msg = "" };

	if (!ok(host_health_sample(h, &s, &err) == IMP_OK, "a sample %s", err.msg))
		exit(1);
	return s;
}

static void
test_figures(void)
{
	struct host_health *h;
	struct host_sample s;

	put_machine("cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 1 1 1\n");
	put_process();
	put("/proc/77/cgroup", "0::/kube/pod1\n");
	put("/sys/fs/cgroup/kube/pod1/cpu.stat",
	    "usage_usec 5\nuser_usec 1\nsystem_usec 1\nnr_periods 100\nnr_throttled 7\nthrottled_usec 1234\n");
	if (host_health_open(run_dir, 77, &h, NULL) != IMP_OK)
		exit(1);
	s = sample(h);
	ok(isnan(s.cpu_pct) && isnan(s.proc_cpu_pct), "the first sample is the base of rates");
	ok(s.rss_bytes == 250 * sysconf(_SC_PAGESIZE) && s.fds == 3 && s.fd_limit == 1024, "memory and descriptors of the process");
	ok(s.time_wait == 12, "connections in TIME_WAIT");
	ok(s.ports_total == 60999 - 32768 + 1 && s.ports_used == 3, "ports of the range, each once");
	ok(s.net_rx_bytes == 1023 && s.net_tx_bytes == 204, "bytes of all interfaces but loopback");
	ok(s.nr_periods == 100 && s.nr_throttled == 7 && s.throttled_us == 1234, "throttling, version 2");
	/* 100 ticks more: 30 user, 5 nice, 10 system, 40 idle, 5 iowait, 2 irq, 3 softirq, 5 steal */
	put("/proc/stat", "cpu  130 5 110 840 5 2 3 5 0 0\ncpu0 1 1 1 1\n");
	s = sample(h);
	ok(fabs(s.cpu_pct - 55.0) < 1e-9, "CPU without idle and iowait");
	ok(s.proc_cpu_pct == 0, "a process that did nothing");
	put("/proc/stat", "cpu  10 5 110 840 5 2 3 5 0 0\n");
	ok(isnan(sample(h).cpu_pct), "counters that went back give no rate");
	put("/proc/77/stat", "77 (x) S 1 77 77 0 -1 4194560 100 0 0 0 300 200 0 0 20 0 3 0 9999 1000 50 184467 1 1 0 0 0\n");
	ok(host_health_sample(h, &s, NULL) == IMP_E_NOINPUT, "another process with that number is not it");
	host_health_close(h);
}

static void
test_cgroup_1(void)
{
	struct host_health *h;
	struct host_sample s;

	put_process();
	put("/proc/77/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/x\n");
	/* in a container the path is the host's: what is mounted is its own */
	put("/sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 10\nnr_throttled 2\nthrottled_time 5000000\n");
	if (host_health_open(run_dir, 77, &h, NULL) != IMP_OK)
		exit(1);
	s = sample(h);
	ok(s.nr_periods == 10 && s.nr_throttled == 2 && s.throttled_us == 5000, "throttling, version 1 in ns");
	host_health_close(h);
}

static void
test_missing(void)
{
	struct host_health *h;
	struct host_sample s;

	put_process();
	take_away("/proc/net");
	take_away("/proc/sys");
	take_away("/proc/stat");
	take_away("/proc/77/limits");
	take_away("/sys");
	if (host_health_open(run_dir, 77, &h, NULL) != IMP_OK)
		exit(1);
	s = sample(h);
	ok(s.time_wait == HOST_NONE && s.ports_used == HOST_NONE && s.ports_total == HOST_NONE && s.net_rx_bytes == HOST_NONE &&
		s.fd_limit == HOST_NONE && s.nr_periods == HOST_NONE && s.throttled_us == HOST_NONE && isnan(s.cpu_pct),
	    "what cannot be read is not measured");
	ok(s.fds == 3, "the rest is");
	host_health_close(h);
	ok(host_health_open(run_dir, 78, &h, NULL) == IMP_E_NOINPUT, "a process that is not there");
}

static void
test_real(void)
{
	struct host_health *h;
	struct host_sample s;
	struct imp_err err;
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	if (host_health_open("", 0, &h, &err) != IMP_OK)
		exit(1);
	s = sample(h);
	ok(s.rss_bytes > 100000 && s.fds >= 3 && s.fd_limit > s.fds && s.ports_total > 0 && s.ports_used >= 0,
	    "this process itself");
	host_health_close(h);
	if (host_health_open("", child, &h, &err) != IMP_OK)
		exit(1);
	sample(h);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ok(host_health_sample(h, &s, &err) == IMP_E_NOINPUT && strstr(err.msg, "has ended") != NULL, "a process that ends");
	host_health_close(h);
}

int
main(void)
{
	run_dir_clear();
	test_figures();
	test_cgroup_1();
	test_missing();
	test_real();
	return done();
}
