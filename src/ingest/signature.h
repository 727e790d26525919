/* ingest/signature.h - what to look for in logs, given by whoever reads them (rule files do), and the engine that looks.
 *
 * A matcher takes one event of a log (its text without what the runtime put before it; several lines for a dump) and tells which
 * signatures match. A literal prefilter over all of them decides first, where there is enough text for what making it takes; PCRE2
 * (JIT, with match and depth limits) confirms and gives the group `subject`. Ownership: signatures are borrowed by the matcher.
 * Threading: a matcher is read-only, each thread has its own matcher_thread. Errors: IMP_E_DATA for an expression that cannot be used, IMP_E_NOMEM; an event on which an expression exceeds its
 * limits is no match and counted. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"

#define SIGNATURES_MAX 1000
#define MATCHER_PREFILTER_BYTES (UINT64_C(8) << 20) /* of text from which on a prefilter pays: it takes as long as that */

struct signature {
	struct slice id; /* "log.cluster.load_exceeded"; several may have one id: any of them */
	struct slice re; /* PCRE2; a group named `subject` catches what the line is about */
};

struct signature_set {
	const struct signature *v;
	size_t n;
	char digest[65]; /* SHA-256 over ids and expressions, hex; part of what makes an ingest the same */
};

struct matcher;	       /* opaque; ingest/signature.c */
struct matcher_thread; /* opaque */

/* `bytes`: how much text there will be, about. It changes how long it takes, not what is found. */
MUST_CHECK enum imp_rc matcher_new(const struct signature_set *set, uint64_t bytes, struct matcher **ret, struct imp_err *err);
void matcher_free(struct matcher *m); /* takes NULL */
MUST_CHECK enum imp_rc matcher_thread_new(const struct matcher *m, struct matcher_thread **ret, struct imp_err *err);
void matcher_thread_free(struct matcher_thread *t); /* takes NULL */

/* Call `hit` once for each id that matches `event`, in the order of the set; subject.p is NULL where nothing was caught. `which` is
 * the place of the first signature with that id in the set. Stops at the first `hit` that fails. */
MUST_CHECK enum imp_rc matcher_scan(struct matcher_thread *t, struct slice event,
    enum imp_rc (*hit)(void *payload, size_t which, struct slice subject, struct imp_err *err), void *payload, struct imp_err *err);

/* Events given up on because an expression took too long. */
uint64_t matcher_exceeded(const struct matcher_thread *t);
