#include "config.h"

#include "agent/host_health.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/slice.h"
#include "base/time.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20) /* of one file of /proc: /proc/net/tcp has 150 bytes a socket */
#define PATH_BYTES_MAX 4096
#define PORTS 65536

struct cpu_times {
	uint64_t busy, all; /* ticks */
	bool known;
};

struct host_health {
	char root[256];
	char process[32];	     /* below /proc: "self", "123" */
	char cgroup[PATH_BYTES_MAX]; /* its cpu.stat; empty: there is none */
	uint64_t start_ticks;	     /* when the process began: another one may get its number */
	struct cpu_times machine;
	uint64_t process_ticks;
	int64_t at; /* monotonic ns of the last sample; 0: none yet */
	struct buf text;
	unsigned char ports[PORTS / 8];
};

/* ------------------------------------------------------------------ files */

/* The content of a file below root, NUL-terminated, in h->text. */
static bool read_text(struct host_health *h, const char *fmt, ...) PRINTF_LIKE(2, 3);

static bool
read_text(struct host_health *h, const char *fmt, ...)
{
	CLEANUP(close_fdp) int fd = -1;
	char path[PATH_BYTES_MAX + 512], chunk[32768];
	size_t n = strlen(h->root);
	ssize_t got;
	va_list ap;

	memcpy(path, h->root, n);
	va_start(ap, fmt);
	vsnprintf(path + n, sizeof(path) - n, fmt, ap);
	va_end(ap);
	buf_clear(&h->text);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while ((got = read(fd, chunk, sizeof(chunk))) > 0 || (got < 0 && errno == EINTR))
		buf_add(&h->text, chunk, got > 0 ? (size_t)got : 0);
	return got == 0 && h->text.n > 0 && buf_status(&h->text, NULL) == IMP_OK;
}

/* The number behind `label` where it begins a line or stands behind a blank. */
static int64_t
number_behind(const char *text, const char *label)
{
	const size_t n = strlen(label);

	for (const char *p = text; (p = strstr(p, label)) != NULL; p += n) {
		char *end;
		int64_t v;

		if (p > text && p[-1] != '\n' && p[-1] != ' ')
			continue;
		errno = 0;
		v = strtoll(p + n, &end, 10);
		if (end != p + n && errno == 0)
			return v;
	}
	return HOST_NONE;
}

/* ------------------------------------------------------------------ the machine */

static struct cpu_times
cpu_times(struct host_health *h)
{
	struct cpu_times t = { .known = false };
	uint64_t v[8] = { 0 };
	char *p;

	if (!read_text(h, "/proc/stat") || strncmp(h->text.p, "cpu ", 4) != 0)
		return t;
	p = h->text.p + 4;
	for (unsigned i = 0; i < 8; i++) { /* user nice system idle iowait irq softirq steal; guests are within user */
		v[i] = strtoull(p, &p, 10);
		t.all += v[i];
	}
	t.busy = t.all - v[3] - v[4];
	t.known = t.all > 0;
	return t;
}

static void
sample_network(struct host_health *h, struct host_sample *s)
{
	int64_t rx = 0, tx = 0;
	bool any = false;

	if (read_text(h, "/proc/net/sockstat"))
		s->time_wait = number_behind(h->text.p, "tw ");
	if (!read_text(h, "/proc/net/dev"))
		return;
	for (char *line = h->text.p, *next; line != NULL; line = next) {
		const char *colon;
		int64_t r = 0, t = 0;

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		colon = strchr(line, ':');
		if (colon == NULL || strstr(line, " lo:") != NULL || strncmp(line, "lo:", 3) == 0)
			continue;
		if (sscanf(colon + 1, "%" SCNd64 " %*s %*s %*s %*s %*s %*s %*s %" SCNd64, &r, &t) != 2)
			continue;
		any = true;
		rx += r;
		tx += t;
	}
	if (any) {
		s->net_rx_bytes = rx;
		s->net_tx_bytes = tx;
	}
}

/* Mark the local ports of one table of sockets. */
static bool
mark_ports(struct host_health *h, const char *table)
{
	if (!read_text(h, "/proc/net/%s", table))
		return false;
	for (const char *line = strchr(h->text.p, '\n'); line != NULL; line = strchr(line + 1, '\n')) {
		unsigned port;

		if (sscanf(line + 1, "%*d: %*[0-9A-Fa-f]:%4x", &port) == 1)
			h->ports[port / 8] |= (unsigned char)(1 << port % 8);
	}
	return true;
}

static void
sample_ports(struct host_health *h, struct host_sample *s)
{
	unsigned lo, hi;
	int64_t used = 0;
	bool v4, v6;

	if (!read_text(h, "/proc/sys/net/ipv4/ip_local_port_range") || sscanf(h->text.p, "%u %u", &lo, &hi) != 2 || lo > hi ||
	    hi >= PORTS)
		return;
	s->ports_total = hi - lo + 1;
	memset(h->ports, 0, sizeof(h->ports));
	v4 = mark_ports(h, "tcp");
	v6 = mark_ports(h, "tcp6");
	for (unsigned port = lo; port <= hi; port++)
		used += h->ports[port / 8] >> port % 8 & 1;
	if (v4 || v6)
		s->ports_used = used;
}

/* ------------------------------------------------------------------ the process */

/* Its ticks of CPU, and when it began. False: it is gone. */
static bool
process_times(struct host_health *h, uint64_t *ret_ticks, uint64_t *ret_start)
{
	unsigned long long user, system, start;
	const char *p;

	if (!read_text(h, "/proc/%s/stat", h->process))
		return false;
	p = strrchr(h->text.p, ')'); /* the name before it may hold anything */
	if (p == NULL ||
	    sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %llu", &user, &system,
		&start) != 3)
		return false;
	*ret_ticks = user + system;
	*ret_start = start;
	return true;
}

static void
sample_descriptors(struct host_health *h, struct host_sample *s)
{
	char path[512];
	const struct dirent *e;
	const char *p;
	int64_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc/%s/fd", h->root, h->process);
	d = opendir(path);
	if (d != NULL) {
		while ((e = readdir(d)) != NULL)
			n += e->d_name[0] != '.';
		closedir(d);
		s->fds = strcmp(h->process, "self") == 0 && n > 0 ? n - 1 : n; /* the directory itself is open, too */
	}
	if (!read_text(h, "/proc/%s/limits", h->process) || (p = strstr(h->text.p, "Max open files")) == NULL)
		return;
	s->fd_limit = number_behind(p, "files ");
}

static void
sample_process(struct host_health *h, struct host_sample *s)
{
	int64_t pages;

	if (read_text(h, "/proc/%s/statm", h->process) && sscanf(h->text.p, "%*d %" SCNd64, &pages) == 1)
		s->rss_bytes = pages * sysconf(_SC_PAGESIZE);
	sample_descriptors(h, s);
	if (h->cgroup[0] == '\0' || !read_text(h, "%s", h->cgroup))
		return;
	s->nr_periods = number_behind(h->text.p, "nr_periods ");
	s->nr_throttled = number_behind(h->text.p, "nr_throttled ");
	s->throttled_us = number_behind(h->text.p, "throttled_usec ");
	if (s->throttled_us == HOST_NONE) { /* version 1 counts ns */
		int64_t ns = number_behind(h->text.p, "throttled_time ");

		s->throttled_us = ns != HOST_NONE ? ns / 1000 : HOST_NONE;
	}
}

/* ------------------------------------------------------------------ */

/* Where the process's cgroup counts its throttled periods. Version 2 is the line "0::PATH"; a version 1 hierarchy is named. Inside a
 * container the path may be that of the host: then the root of what is mounted is its own. */
static void
find_cgroup(struct host_health *h)
{
	static const char *const forms[] = { "/sys/fs/cgroup%.*s/cpu.stat", "/sys/fs/cgroup/cpu%.*s/cpu.stat",
		"/sys/fs/cgroup/cpu,cpuacct%.*s/cpu.stat" };
	CLEANUP(buf_done) struct buf lines = BUF_INIT(65536);

	if (!read_text(h, "/proc/%s/cgroup", h->process))
		return;
	buf_add(&lines, h->text.p, h->text.n);
	if (buf_status(&lines, NULL) != IMP_OK)
		return;
	for (unsigned form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
		for (const char *line = lines.p, *next; line != NULL && *line != '\0'; line = next) {
			const char *end = strchr(line, '\n'), *name = strchr(line, ':'), *path;
			const size_t n = end != NULL ? (size_t)(end - line) : strlen(line);
			bool two;

			next = end != NULL ? end + 1 : NULL;
			path = name != NULL ? strchr(name + 1, ':') : NULL;
			if (path == NULL || path >= line + n)
				continue;
			two = path == name + 1;
			if (form == 0 ? !two : two || memmem(name, (size_t)(path - name), "cpu", 3) == NULL)
				continue;
			for (int whole = 1; whole >= 0; whole--) {
				int length = whole ? (int)(line + n - path - 1) : 0;

				snprintf(h->cgroup, sizeof(h->cgroup), forms[form], length, path + 1);
				if (read_text(h, "%s", h->cgroup) && number_behind(h->text.p, "nr_periods ") != HOST_NONE)
					return;
			}
		}
	}
	h->cgroup[0] = '\0';
}

enum imp_rc
host_health_open(const char *root, int pid, struct host_health **ret, struct imp_err *err)
{
	struct host_health *h = calloc(1, sizeof(*h));
	uint64_t ticks;

	if (h == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: health of the machine");
	h->text = (struct buf)BUF_INIT(TEXT_BYTES_MAX);
	snprintf(h->root, sizeof(h->root), "%s", root);
	if (pid > 0)
		snprintf(h->process, sizeof(h->process), "%d", pid);
	else
		snprintf(h->process, sizeof(h->process), "self");
	if (!process_times(h, &ticks, &h->start_ticks)) {
		host_health_close(h);
		return imp_err_set(err, IMP_E_NOINPUT, "there is no process %d", pid);
	}
	find_cgroup(h);
	*ret = h;
	return IMP_OK;
}

void
host_health_close(struct host_health *h)
{
	if (h != NULL)
		buf_done(&h->text);
	free(h);
}

enum imp_rc
host_health_sample(struct host_health *h, struct host_sample *ret, struct imp_err *err)
{
	struct host_sample s = { NAN, NAN, HOST_NONE, HOST_NONE, HOST_NONE, HOST_NONE, HOST_NONE, HOST_NONE, HOST_NONE, HOST_NONE,
		HOST_NONE, HOST_NONE, HOST_NONE };
	const int64_t now = time_monotonic();
	const struct cpu_times machine = cpu_times(h);
	uint64_t ticks, start;

	if (!process_times(h, &ticks, &start) || start != h->start_ticks)
		return imp_err_set(err, IMP_E_NOINPUT, "process %s has ended", h->process);
	if (machine.known && h->machine.known && machine.all > h->machine.all && machine.busy >= h->machine.busy)
		s.cpu_pct = 100.0 * (double)(machine.busy - h->machine.busy) / (double)(machine.all - h->machine.all);
	if (h->at != 0 && now > h->at && ticks >= h->process_ticks)
		s.proc_cpu_pct = 100.0 * (double)(ticks - h->process_ticks) / (double)sysconf(_SC_CLK_TCK) /
		    ((double)(now - h->at) / (double)NS_PER_S);
	sample_process(h, &s);
	sample_network(h, &s);
	sample_ports(h, &s);
	h->machine = machine;
	h->process_ticks = ticks;
	h->at = now;
	*ret = s;
	return IMP_OK;
}
