#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <unistd.h>

#include "agent/agent_cmd.h"
#include "agent/host_health.h"
#include "base/cleanup.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/time.h"

#define LINE_BYTES_MAX ((size_t)65536)
#define EVERY_MS_MAX 60000
#define SAMPLES_MAX UINT64_C(1000000000)

struct options {
	const char *agent, *out;
	uint64_t pid, every_ms, samples;
};

static const struct options defaults = { .agent = "health", .every_ms = 2000 };

static const struct opt opts[] = {
	{ "agent", 'a', OPT_TEXT, offsetof(struct options, agent), "NAME",
	    "whose health it is, as the run's ledger calls it (default health)" },
	{ "pid", 'p', OPT_COUNT, offsetof(struct options, pid), "PID",
	    "watch this process too, until it ends (default: the machine alone)" },
	{ "every", 0, OPT_COUNT, offsetof(struct options, every_ms), "MS", "time between two samples (default 2000)" },
	{ "samples", 'n', OPT_COUNT, offsetof(struct options, samples), "N", "end after N samples (default: when told to)" },
	{ "output", 'o', OPT_TEXT, offsetof(struct options, out), "FILE", "append to FILE (default: standard output)" },
	{ .name = NULL },
};

static void
add_int(struct buf *out, const char *key, int64_t v)
{
	if (v != HOST_NONE)
		buf_addf(out, ",\"%s\":%" PRId64, key, v);
}

static void
add_percent(struct buf *out, const char *key, double v)
{
	if (isfinite(v))
		buf_addf(out, ",\"%s\":%.2f", key, v);
}

/* A line of the ledger. Without a process to watch, what is of a process is left out: it would be the sampler's own. */
static void
add_line(struct buf *out, const struct options *o, const struct host_sample *s)
{
	buf_addf(out, "{\"ev\":\"health\",\"t\":%" PRId64 ",\"agent\":\"", time_now());
	text_add_json(out, slice_of(o->agent));
	buf_add_char(out, '"');
	add_percent(out, "cpu_pct", s->cpu_pct);
	if (o->pid > 0) {
		add_percent(out, "proc_cpu_pct", s->proc_cpu_pct);
		add_int(out, "rss_bytes", s->rss_bytes);
		add_int(out, "fds", s->fds);
		add_int(out, "fd_limit", s->fd_limit);
	}
	add_int(out, "time_wait", s->time_wait);
	add_int(out, "ports_used", s->ports_used);
	add_int(out, "ports_total", s->ports_total);
	add_int(out, "nr_periods", s->nr_periods);
	add_int(out, "nr_throttled", s->nr_throttled);
	add_int(out, "throttled_us", s->throttled_us);
	add_int(out, "net_rx_bytes", s->net_rx_bytes);
	add_int(out, "net_tx_bytes", s->net_tx_bytes);
	buf_add_str(out, "}\n");
}

static enum imp_rc
write_line(int fd, const char *path, const struct buf *line, struct imp_err *err)
{
	size_t done = 0;
	enum imp_rc rc = buf_status(line, err);

	while (rc == IMP_OK && done < line->n) {
		ssize_t n = write(fd, line->p + done, line->n - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			rc = imp_err_errno(err, IMP_E_IO, n < 0 ? errno : ENOSPC, "could not write to '%s'", path);
	}
	return rc;
}

/* Until it is time for sample `n`; the times are absolute, so that none drifts. */
static void
wait_for(int64_t begin, uint64_t n, uint64_t every_ms, const volatile sig_atomic_t *stop)
{
	const int64_t at = begin + (int64_t)(n * every_ms) * (NS_PER_S / 1000);

	for (int64_t left; *stop == 0 && (left = at - time_monotonic()) > 0;)
		poll(NULL, 0, (int)(left / (NS_PER_S / 1000)) + 1);
}

static enum imp_rc
run(struct agent_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	const volatile sig_atomic_t *stop;
	const int64_t begin = time_monotonic();
	CLEANUP(buf_done) struct buf line = BUF_INIT(LINE_BYTES_MAX);
	CLEANUP(close_fdp) int fd = -1;
	struct host_health *h;
	struct host_sample s;
	struct imp_err why;
	enum imp_rc rc;

	if (o->every_ms < 10 || o->every_ms > EVERY_MS_MAX || o->pid > INT32_MAX || o->samples > SAMPLES_MAX)
		return imp_err_set(err, IMP_E_USAGE, "--every takes 10 to %d ms, --samples at most %" PRIu64, EVERY_MS_MAX,
		    SAMPLES_MAX);
	if (o->out != NULL && (fd = open(o->out, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) < 0)
		return imp_err_errno(err, IMP_E_CREATE, errno, "could not open '%s'", o->out);
	rc = host_health_open("", (int)o->pid, &h, err);
	if (rc != IMP_OK)
		return rc;
	stop = stop_on_signals();
	rc = host_health_sample(h, &s, &why); /* the base of rates */
	for (uint64_t n = 1; rc == IMP_OK && (o->samples == 0 || n <= o->samples); n++) {
		wait_for(begin, n, o->every_ms, stop);
		if (*stop != 0)
			break;
		rc = host_health_sample(h, &s, &why);
		if (rc != IMP_OK)
			break;
		buf_clear(&line);
		add_line(&line, o, &s);
		rc = write_line(fd >= 0 ? fd : STDOUT_FILENO, o->out != NULL ? o->out : "standard output", &line, &why);
	}
	host_health_close(h);
	if (rc == IMP_E_NOINPUT) /* the process that was watched has ended: so does this */
		return IMP_OK;
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}

const struct agent_cmd agent_cmd_health = {
	.name = "health",
	.help = "sample the health of this machine beside any load tool, as lines of a ledger",
	.opts = opts,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.run = run,
};
