#include "config.h"

#include "collect/http_answer.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/redact.h"
#include "base/text.h"

void
http_answer_done(struct http_answer *a)
{
	buf_done(&a->body);
}

/* Put words from outside into `why`: harmless, without secrets, as much as fits. */
static void
set_why(struct http_answer *a, struct slice words)
{
	CLEANUP(buf_done) struct buf bare = BUF_INIT(16384);
	CLEANUP(buf_done) struct buf shown = BUF_INIT(65536);
	size_t n;

	redact_add(&bare, words);
	text_add_terminal(&shown, buf_slice(&bare));
	n = shown.n < sizeof(a->why) - 1 ? shown.n : sizeof(a->why) - 1;
	if (n > 0)
		memcpy(a->why, shown.p, n);
	a->why[n] = '\0';
}

void
http_answer_fail(struct http_answer *a, enum asked_status status, const char *fmt, ...)
{
	char line[2 * sizeof(a->why)];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	a->status = status;
	set_why(a, (struct slice){ line, n < 0 ? 0 : (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1 });
}

enum imp_rc
http_journal(struct journal *j, const struct asked *about, const struct http_answer *a, struct imp_err *err)
{
	struct asked line = *about;

	line.status = a->status;
	line.why = a->status != ASKED_OK ? a->why : NULL;
	line.from = a->from;
	line.ns = a->ns;
	line.tries = a->tries;
	return journal_asked(j, &line, err);
}

void
http_lost(struct http_losses *l, const struct http_answer *a, const char *what)
{
	char tries[32] = "";

	if (l->rc != IMP_OK || a->status == ASKED_OK || a->status == ASKED_DENIED)
		return;
	if (a->tries > 1)
		snprintf(tries, sizeof(tries), " (%u tries)", a->tries);
	l->rc = imp_err_set(&l->err, IMP_E_UNAVAILABLE, "%s: %s%s", what, a->why, tries);
}

enum imp_rc
http_losses_end(const struct http_losses *l, struct imp_err *err)
{
	if (l->rc != IMP_OK && err != NULL)
		*err = l->err;
	return l->rc;
}

void
http_add_escaped(struct buf *out, struct slice s)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		    (c != '\0' && strchr("-._~", c) != NULL)) {
			buf_add_char(out, (char)c);
		} else {
			buf_add_char(out, '%');
			buf_add_char(out, hex[c >> 4]);
			buf_add_char(out, hex[c & 15]);
		}
	}
}
