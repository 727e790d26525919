#include "config.h"

#include "cmd/quote.h"

#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/redact.h"
#include "base/text.h"
#include "ingest/source.h"

/* The character of \uXXXX at p, as UTF-8; false when there is none. */
static bool
add_code_point(struct buf *out, const char *p, const char *end)
{
	uint32_t c = 0;

	if (end - p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		const char *digit = memchr("0123456789abcdef", p[i] | 0x20, 16);

		if (digit == NULL)
			return false;
		c = c << 4 | (uint32_t)(digit - "0123456789abcdef");
	}
	if (c >= 0x800) {
		buf_add_char(out, (char)(0xe0 | c >> 12));
		buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	} else if (c >= 0x80) {
		buf_add_char(out, (char)(0xc0 | c >> 6));
	}
	buf_add_char(out, (char)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
	return true;
}

/* A line as JSON strings in it read: a runtime that wraps what a pod said puts backslashes before quotes. */
static void
add_unescaped(struct buf *out, struct slice line)
{
	const char *end = line.p + line.n;

	for (const char *p = line.p; p < end; p++) {
		if (*p != '\\' || p + 1 == end) {
			buf_add_char(out, *p);
			continue;
		}
		p++;
		if (*p == 'u' && add_code_point(out, p + 1, end))
			p += 4;
		else
			buf_add_char(out, *p == 't' ? '\t' : *p == 'n' ? '\n' : *p);
	}
}

/* The text without secrets, and with a mark in the place of what is no UTF-8: as it is put into the store. */
static void
add_clean(struct buf *out, struct slice text)
{
	CLEANUP(buf_done) struct buf plain = BUF_INIT(2 * SOURCE_LINE_MAX);

	redact_add(&plain, text);
	if (!buf_part_ok(out, &plain))
		return;
	text = buf_slice(&plain);
	for (size_t pos = 0, at = 0; pos < text.n; at = pos) {
		if (text_next_char(text, &pos) <= 0)
			buf_add_str(out, "\xef\xbf\xbd");
		else
			buf_add(out, text.p + at, pos - at);
	}
}

static bool
contains(struct slice text, struct slice part)
{
	return memmem(text.p, text.n, part.p, part.n) != NULL;
}

/* Is it the first part of a line that the runtime has split (`TIME stdout P ...`), and does `text` begin with it? */
static bool
begins(struct slice clean, struct slice text)
{
	static const struct slice marks[] = { { " stdout P ", 10 }, { " stderr P ", 10 } };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const char *at = memmem(clean.p, clean.n, marks[i].p, marks[i].n);
		struct slice part = { at, at != NULL ? (size_t)(clean.p + clean.n - at) - marks[i].n : 0 };

		if (part.n > 0 && slice_has_prefix(text, (struct slice){ at + marks[i].n, part.n }))
			return true;
	}
	return false;
}

enum imp_rc
quote_holds(struct slice line, struct slice quote, bool *ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf unescaped = BUF_INIT(SOURCE_LINE_MAX), clean = BUF_INIT(4 * SOURCE_LINE_MAX);
	const char *end = memchr(quote.p, '\n', quote.n);
	bool holds;
	enum imp_rc rc;

	if (end != NULL)
		quote.n = (size_t)(end - quote.p);
	add_clean(&clean, line);
	holds = contains(buf_slice(&clean), quote) || begins(buf_slice(&clean), quote);
	if (!holds) {
		buf_clear(&clean);
		add_unescaped(&unescaped, line);
		if (buf_part_ok(&clean, &unescaped))
			add_clean(&clean, buf_slice(&unescaped));
		holds = contains(buf_slice(&clean), quote);
	}
	rc = buf_status(&clean, err);
	if (rc == IMP_OK)
		*ret = holds;
	return rc;
}
