#include "config.h"

#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

static enum imp_rc
err_vset(struct imp_err *err, enum imp_rc code, const char *fmt, va_list ap)
{
	if (err != NULL) {
		err->code = code;
		err->hint[0] = '\0';
		vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	}
	return code;
}

enum imp_rc
imp_err_set(struct imp_err *err, enum imp_rc code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(err, code, fmt, ap);
	va_end(ap);
	return code;
}

enum imp_rc
imp_err_errno(struct imp_err *err, enum imp_rc code, int errnum, const char *fmt, ...)
{
	char reason[128] = "";
	va_list ap;

	if (errnum == ENOMEM)
		code = IMP_E_NOMEM;
	va_start(ap, fmt);
	err_vset(err, code, fmt, ap);
	va_end(ap);
	if (err != NULL) {
		size_t n = strlen(err->msg);

		snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", strerror_r(errnum, reason, sizeof(reason)));
	}
	return code;
}

void
imp_err_wrap(struct imp_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;
	int n;

	if (err == NULL)
		return;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->msg) - 2) {
		size_t room = sizeof(err->msg) - (size_t)n - 2;

		memcpy(err->msg + n, ": ", 2);
		memcpy(err->msg + n + 2, old, room); /* what does not fit is cut off */
		err->msg[sizeof(err->msg) - 1] = '\0';
	}
}

void
imp_err_hint(struct imp_err *err, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}

int
imp_rc_exit_status(enum imp_rc code)
{
	static const int status[_IMP_RC_MAX] = {
		[IMP_OK] = EX_OK,
		[IMP_E_USAGE] = EX_USAGE,
		[IMP_E_DATA] = EX_DATAERR,
		[IMP_E_NOINPUT] = EX_NOINPUT,
		[IMP_E_IO] = EX_IOERR,
		[IMP_E_CREATE] = EX_CANTCREAT,
		[IMP_E_LIMIT] = EX_DATAERR,
		[IMP_E_NOMEM] = EX_OSERR,
		[IMP_E_DB] = EX_IOERR,
		[IMP_E_BUSY] = EX_TEMPFAIL,
		[IMP_E_RULE] = EX_DATAERR,
		[IMP_E_UNAVAILABLE] = EX_UNAVAILABLE,
		[IMP_E_INTERNAL] = EX_SOFTWARE,
	};

	return code < _IMP_RC_MAX ? status[code] : EX_SOFTWARE;
}
