/* collect/collect.h - take evidence from the live systems of a run, read-only, into its results directory.
 *
 *	collect_config_read() -> collect_run() or collect_again() -> collect_config_close()
 *
 * The configuration (docs/collect.md) has one section for each system. Every system is asked even when another fails; the first
 * failure that leaves evidence incomplete is the error, and the journal has all of them. Threading: one thread; `stop` may be set by
 * a signal handler. Errors: IMP_E_RULE for the configuration, IMP_E_UNAVAILABLE for a server, IMP_E_CREATE and IMP_E_IO for files. */
#pragma once
#include <signal.h>

#include "base/err.h"
#include "collect/collector.h"

struct collect_config;

MUST_CHECK enum imp_rc collect_config_read(const char *path, struct collect_config **ret, struct imp_err *err);
void collect_config_close(struct collect_config *c);
void collect_config_done(struct collect_config **c);

/* The settings of the n-th instance of a collector, NULL behind the last. */
const void *collect_config_settings(const struct collect_config *c, const struct collector *of, size_t n);

struct collect_options {
	const char *out; /* results directory */
	enum collect_phase phase;
	bool phase_given;	  /* by name; else the files are named by time */
	int64_t every_ns;	  /* 0: one snapshot */
	const char *until;	  /* mark that ends the sampling; NULL: the next phase's */
	const char *const *only, *const *skip; /* names of collectors */
	size_t nonly, nskip;
	bool allow_scan;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *ctx, const char *line); /* one line, no line feed; may be NULL */
	void *progress_ctx;
};

/* How it went, for the command to print: one for each system asked. */
struct collect_result {
	const char *system, *source;
	enum imp_rc rc;
	char why[512]; /* of the first failure */
	uint64_t requests, denied, files, bytes;
};

struct collect_results {
	struct collect_result *v; /* owned; collect_results_done() */
	size_t n;
};

void collect_results_done(struct collect_results *r);

MUST_CHECK enum imp_rc collect_run(const struct collect_config *c, const struct collect_options *o, struct collect_results *ret,
    struct imp_err *err);

/* Look up `mids` (with their topics) again, as the next check. *ret_check is its number. */
MUST_CHECK enum imp_rc collect_again(const struct collect_config *c, const struct collect_options *o, const char *const *mids,
    const char *const *topics, size_t n, int64_t *ret_check, struct collect_results *ret, struct imp_err *err);
