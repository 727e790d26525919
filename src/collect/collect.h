/* collect/collect.h - take evidence from the live systems of a run, read-only, into its results directory.
 *
 *	collect_config_read() -> collect_run() or collect_again() -> collect_config_close()
 *
 * The configuration (docs/collect.md) has one section for each system. Every system is asked even when another fails; what failed stands
 * in the results, and in the journal. Threading: one thread; `stop` may be set by a signal handler. Errors: IMP_E_RULE for the
 * configuration, IMP_E_USAGE for options that it does not fit, IMP_E_DATA for a broken run.json or timeline.json, IMP_E_CREATE and
 * IMP_E_IO for files. */
#pragma once
#include <signal.h>

#include "base/err.h"
#include "collect/collector.h"

struct collect_config;

MUST_CHECK enum imp_rc collect_config_read(const char *path, struct collect_config **ret, struct imp_err *err);
void collect_config_close(struct collect_config *c); /* NULL is fine */
void collect_config_done(struct collect_config **c);

/* The settings of the n-th instance of a collector, NULL behind the last. */
const void *collect_config_settings(const struct collect_config *c, const struct collector *of, size_t n);

/* The number of the phase in enum collect_phase. IMP_E_USAGE. */
MUST_CHECK enum imp_rc collect_phase_find(const char *name, enum collect_phase *ret, struct imp_err *err);

struct collect_options {
	const char *out; /* results directory; NULL only with `dry` */
	enum collect_phase phase;
	bool phase_given;		       /* by name; else the files are named by time */
	bool dry;			       /* connect and say who answers; write nothing */
	int64_t every_ns;		       /* 0: one snapshot */
	const char *until;		       /* mark that ends the sampling, or "drained"; NULL: the mark of the next phase */
	const char *const *only, *const *skip; /* names of collectors */
	size_t nonly, nskip;
	bool allow_scan;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *ctx, const char *line); /* one line, no line feed; may be NULL */
	void *progress_ctx;
};

/* How it went with one system: one for each that was asked. */
struct collect_result {
	const char *system, *source; /* live as long as the configuration */
	char server[256];	     /* who answered; empty: nobody */
	struct imp_err failed;	     /* the first failure that leaves evidence incomplete; its code is IMP_OK when there was none */
	uint64_t requests, denied, files, bytes;
	uint64_t samples, samples_failed; /* of an interval */
	int64_t ns;			  /* spent with it */
};

struct collect_results {
	struct collect_result *v; /* owned; collect_results_done() */
	size_t n;
};

void collect_results_done(struct collect_results *r);
/* IMP_OK when all are well, else the first failure. */
enum imp_rc collect_results_failure(const struct collect_results *r, struct imp_err *err);

/* IMP_OK: it ran to its end, and *ret says how it went with each system. */
MUST_CHECK enum imp_rc collect_run(const struct collect_config *c, const struct collect_options *o, struct collect_results *ret,
    struct imp_err *err);

/* Look up `mids` (with their topics) again, as the next check, and take a sample of those systems. *ret_check is its number. Of the
 * options, phase and interval do not matter. */
MUST_CHECK enum imp_rc collect_again(const struct collect_config *c, const struct collect_options *o, const char *const *mids,
    const char *const *topics, size_t n, int64_t *ret_check, struct collect_results *ret, struct imp_err *err);
