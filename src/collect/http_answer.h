/* collect/http_answer.h - how a request over HTTP ended, in the words of the journal, and what of it is missing evidence.
 *
 * Text from outside comes into `why` harmless and without secrets. Threading: pure, but for the journal. */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "collect/journal.h"

struct http_answer {
	enum asked_status status;
	int code;	  /* of HTTP; 0: none came */
	char why[512];	  /* not ok: what is wrong, one line, without secrets */
	int64_t from, ns; /* when it was begun (Unix ns); how long it took, repetitions and pauses included */
	unsigned tries;
	uint64_t bytes;	 /* of a 2xx, unpacked */
	char type[96];	 /* its media type; may be empty */
	struct buf body; /* of a 2xx without `take` all, of others the first 4 KiB; owned, http_answer_done() */
};

void http_answer_done(struct http_answer *a); /* for CLEANUP() too */

/* Set the status of an answer that came, but says that something is wrong or less than it should. */
void http_answer_fail(struct http_answer *a, enum asked_status status, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Put the answer into the journal; `about` has what was asked, the file and the count, the rest comes from the answer. */
MUST_CHECK enum imp_rc http_journal(struct journal *j, const struct asked *about, const struct http_answer *a, struct imp_err *err);

/* The first thing that is missing after several requests, which go on after it. */
struct http_losses {
	enum imp_rc rc; /* IMP_OK: nothing */
	struct imp_err err;
};

/* `what` is not there: IMP_E_UNAVAILABLE. A right that is missing is no loss: the journal has it. */
void http_lost(struct http_losses *l, const struct http_answer *a, const char *what);
MUST_CHECK enum imp_rc http_losses_end(const struct http_losses *l, struct imp_err *err);

/* Append `s` as one part of a path or a query: all but letters, digits and -._~ become %XX. */
void http_add_escaped(struct buf *out, struct slice s);
