#include "config.h"

#include "lab_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

enum imp_rc
log_open(struct lab_log *log, const char *path, struct imp_err *err)
{
	*log = (struct lab_log){ .fd = STDERR_FILENO, .out = BUF_INIT(LAB_LOG_BUFFER) };
	if (path != NULL)
		log->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return log->fd >= 0 ? IMP_OK : imp_err_errno(err, IMP_E_CREATE, errno, "%s", path);
}

void
log_flush(struct lab_log *log)
{
	size_t done = 0;

	while (done < log->out.n) {
		ssize_t n = write(log->fd, log->out.p + done, log->out.n - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	buf_clear(&log->out);
}

void
log_close(struct lab_log *log)
{
	log_flush(log);
	if (log->fd != STDERR_FILENO)
		close(log->fd);
	buf_done(&log->out);
}

void
log_line(struct lab_log *log, char level, const char *place, const char *fmt, ...)
{
	struct timespec now;
	struct tm tm;
	char text[2048];
	va_list ap;

	if (log->quiet)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_addf(&log->out, "%c%04d/%02d/%02d %02d:%02d:%02d.%06ld %s: %s\n", level, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
	    tm.tm_hour, tm.tm_min, tm.tm_sec, now.tv_nsec / 1000, place, text);
	if (level == 'E' || log->out.n > LAB_LOG_BUFFER / 2)
		log_flush(log);
}
