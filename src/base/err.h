/* base/err.h - one error type for the whole program.
 *
 * Every function that can fail returns enum imp_rc and takes a `struct imp_err *err` last (may be NULL). `err` is untouched on
 * success and filled at the place that knows most; callers add context with imp_err_wrap() and never overwrite. Reporting never
 * allocates. Bad *data* is not an error: it becomes a damage record (ingest/source.h). */
#pragma once
#include <stdarg.h>
#include <stddef.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

enum imp_rc {
	IMP_OK = 0,
	IMP_E_USAGE,	   /* the command line is wrong */
	IMP_E_DATA,	   /* the input cannot be used at all */
	IMP_E_NOINPUT,	   /* the input does not exist */
	IMP_E_IO,	   /* reading or writing failed */
	IMP_E_CREATE,	   /* an output could not be created */
	IMP_E_LIMIT,	   /* a limit was reached; the message names the limit and what to do */
	IMP_E_NOMEM,	   /* out of memory */
	IMP_E_DB,	   /* the evidence store failed */
	IMP_E_BUSY,	   /* the evidence store is in use by another process */
	IMP_E_RULE,	   /* a rule or configuration file is broken */
	IMP_E_UNAVAILABLE, /* a server cannot be reached, does not answer or refuses */
	IMP_E_INTERNAL,	   /* a bug */
	_IMP_RC_MAX
};

struct imp_err {
	enum imp_rc code;
	char msg[512];	/* one line, lower case, no full stop: what, where, why */
	char hint[256]; /* one line: what to do; may be empty */
};

/* Fill `err` and return `code`. */
enum imp_rc imp_err_set(struct imp_err *err, enum imp_rc code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* As imp_err_set() with ": strerror(errnum)" appended; ENOMEM is IMP_E_NOMEM whatever `code` says. */
enum imp_rc imp_err_errno(struct imp_err *err, enum imp_rc code, int errnum, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Put "CONTEXT: " before the message. */
void imp_err_wrap(struct imp_err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Say what the user can do. (No code is returned here: with `err` NULL there is none to know.) */
void imp_err_hint(struct imp_err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The exit status (sysexits) that belongs to a code; 0 for IMP_OK. */
int imp_rc_exit_status(enum imp_rc code);
