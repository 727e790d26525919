/* base/text.h - text from outside, made harmless for where it goes.
 *
 * Whatever a ledger, a log or a file name says is data: it must not move a cursor, open a tag, end a table cell or turn a line
 * around. All functions append to `out` (check buf_status() there) and accept any bytes. What is not shown as it is becomes
 * \xNN (a byte that is not UTF-8, or an ASCII character) or \u{NNNN} (a code point): control characters, bidirectional and other
 * invisible formatting characters, line and paragraph separators, tags, noncharacters. A backslash is doubled. */
#pragma once
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* The code point at s.p[*pos] (1 to 4 bytes), *pos moved behind it; -1 for a byte that is not UTF-8, *pos moved by one. */
int32_t text_next_char(struct slice s, size_t *pos);

bool text_is_utf8(struct slice s);

/* Is this code point invisible, or does it change how its neighbours are shown? */
bool text_is_unsafe(int32_t c);

/* For a terminal or a line of a log. */
void text_add_terminal(struct buf *out, struct slice s);

/* As running text of Markdown: shown as it is, never as markup, HTML or a link. */
void text_add_markdown(struct buf *out, struct slice s);

/* As a code span of Markdown, good in a table cell too. */
void text_add_code(struct buf *out, struct slice s);

/* As the content of a JSON string, without the quotes; a byte that is not UTF-8 is U+FFFD. */
void text_add_json(struct buf *out, struct slice s);

/* As a CSV field (RFC 4180), quoted where it must be; control characters but the line feed, and what is invisible, as for a
 * terminal. A field that a spreadsheet would take for a formula gets an apostrophe in front. */
void text_add_csv(struct buf *out, struct slice s);

/* 1234567 as 1,234,567. */
void text_add_count(struct buf *out, int64_t v);

/* part/whole in per cent, with as many decimals as it takes for one unit of `part` to change the last one. whole > 0, part >= 0. */
void text_add_percent(struct buf *out, int64_t part, int64_t whole);

/* 3/n in per cent: with nothing seen in n, the 95 % upper bound (two significant digits). n > 0. */
void text_add_zero_bound(struct buf *out, int64_t n);

/* Nanoseconds as milliseconds with all six decimals, a JSON number. */
void text_add_ms(struct buf *out, int64_t ns);

/* The shortest decimal form that reads back as the same double, a JSON number; "null" when it is not finite. */
void text_add_double(struct buf *out, double d);
