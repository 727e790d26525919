#include "config.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int32_t
text_next_char(struct slice s, size_t *pos)
{
	static const int32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s.p + *pos;
	size_t left = s.n - *pos, more;
	int32_t c;

	*pos += 1;
	if (p[0] < 0x80)
		return p[0];
	more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : 1;
	if (p[0] < 0xc2 || p[0] > 0xf4 || left <= more)
		return -1;
	c = p[0] & (0x3f >> more);
	for (size_t i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return -1;
	*pos += more;
	return c;
}

bool
text_is_utf8(struct slice s)
{
	for (size_t pos = 0; pos < s.n;) {
		if (text_next_char(s, &pos) < 0)
			return false;
	}
	return true;
}

bool
text_is_unsafe(int32_t c)
{
	static const struct {
		int32_t first, last;
	} ranges[] = {
		{ 0x00, 0x1f },
		{ 0x7f, 0x9f },
		{ 0xad, 0xad },
		{ 0x61c, 0x61c },
		{ 0x180e, 0x180e },
		{ 0x200b, 0x200f },
		{ 0x2028, 0x202e },
		{ 0x2060, 0x206f },
		{ 0xfdd0, 0xfdef },
		{ 0xfeff, 0xfeff },
		{ 0xfff0, 0xfffb },
		{ 0xfffe, 0xffff },
		{ 0xe0000, 0xe0fff },
	};

	if (c >= 0x20 && c < 0x7f) /* nearly all text there is */
		return false;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static void
add_escaped(struct buf *out, int32_t c, unsigned char byte)
{
	if (c < 0x80)
		buf_addf(out, "\\x%02x", byte);
	else
		buf_addf(out, "\\u{%04" PRIx32 "}", (uint32_t)c);
}

/* Append all of `s`; an ASCII character c with ascii[c] != NULL becomes that text. */
static void
add_mapped(struct buf *out, struct slice s, const char *const ascii[128])
{
	size_t pos = 0;

	while (pos < s.n) {
		size_t start = pos;
		int32_t c = text_next_char(s, &pos);

		if (c < 0 || text_is_unsafe(c))
			add_escaped(out, c, (unsigned char)s.p[start]);
		else if (c < 0x80 && ascii[c] != NULL)
			buf_add_str(out, ascii[c]);
		else
			buf_add(out, s.p + start, pos - start);
	}
}

void
text_add_terminal(struct buf *out, struct slice s)
{
	static const char *const ascii[128] = { ['\\'] = "\\\\" };

	add_mapped(out, s, ascii);
}

void
text_add_code(struct buf *out, struct slice s)
{
	/* Nothing can be escaped inside a code span, so whatever could end it or its cell is spelled out. */
	static const char *const ascii[128] = {
		['\\'] = "\\\\",
		['`'] = "\\x60",
		['|'] = "\\x7c",
		['<'] = "\\x3c",
		['>'] = "\\x3e",
		['&'] = "\\x26",
	};

	if (s.n == 0)
		return;
	buf_add_char(out, '`');
	add_mapped(out, s, ascii);
	buf_add_char(out, '`');
}

static bool
is_word(struct slice s, size_t i)
{
	return i < s.n && (isalnum((unsigned char)s.p[i]) || (unsigned char)s.p[i] >= 0x80);
}

void
text_add_markdown(struct buf *out, struct slice s)
{
	static const char *const ascii[128] = {
		['\\'] = "\\\\",
		['`'] = "\\`",
		['*'] = "\\*",
		['['] = "\\[",
		[']'] = "\\]",
		['|'] = "\\|",
		['~'] = "\\~",
		['#'] = "\\#",
		['$'] = "\\$",
		['!'] = "\\!",
		['@'] = "\\@",
		['<'] = "&lt;",
		['>'] = "&gt;",
		['&'] = "&amp;",
	};
	size_t from = 0;

	/* An underscore inside a word is no markup, and snake_case stays readable; "://" would become a link. */
	for (size_t i = 0; i < s.n; i++) {
		bool mark = s.p[i] == '_' && !(i > 0 && is_word(s, i - 1) && is_word(s, i + 1));
		bool link = s.p[i] == '/' && i > 0 && s.p[i - 1] == ':' && i + 1 < s.n && s.p[i + 1] == '/';

		if (!mark && !link)
			continue;
		add_mapped(out, (struct slice){ s.p + from, i - from }, ascii);
		buf_addf(out, "\\%c", s.p[i]);
		from = i + 1;
	}
	add_mapped(out, (struct slice){ s.p + from, s.n - from }, ascii);
}

/* Is the byte one of ASCII that stands in JSON for itself? */
static bool
is_plain_json(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

void
text_add_json(struct buf *out, struct slice s)
{
	size_t pos = 0;

	while (pos < s.n) {
		size_t start = pos;
		int32_t c;

		while (pos < s.n && is_plain_json(s.p[pos]))
			pos++;
		if (pos > start) {
			buf_add(out, s.p + start, pos - start);
			continue;
		}
		c = text_next_char(s, &pos);
		if (c < 0)
			buf_add_str(out, "\xef\xbf\xbd");
		else if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", (char)c);
		else if (c > 0xffff && text_is_unsafe(c))
			buf_addf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)), (unsigned)(0xdc00 | (c & 0x3ff)));
		else if (text_is_unsafe(c))
			buf_addf(out, "\\u%04x", (unsigned)c);
		else
			buf_add(out, s.p + start, pos - start);
	}
}

void
text_add_csv(struct buf *out, struct slice s)
{
	static const char *const ascii[128] = { ['"'] = "\"\"" };
	bool formula = s.n > 1 && memchr("=+-@\t\r", s.p[0], 6) != NULL && !isdigit((unsigned char)s.p[1]);
	bool quote = formula;
	size_t from = 0;

	for (size_t i = 0; i < s.n && !quote; i++)
		quote = memchr("\",\n\r", s.p[i], 4) != NULL;
	if (quote)
		buf_add_char(out, '"');
	if (formula)
		buf_add_char(out, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '\n')
			continue;
		add_mapped(out, (struct slice){ s.p + from, i - from }, ascii);
		buf_add_char(out, '\n');
		from = i + 1;
	}
	add_mapped(out, (struct slice){ s.p + from, s.n - from }, ascii);
	if (quote)
		buf_add_char(out, '"');
}

void
text_add_count(struct buf *out, int64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v < 0 ? -(uint64_t)v : (uint64_t)v);

	if (v < 0)
		buf_add_char(out, '-');
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			buf_add_char(out, ',');
		buf_add_char(out, digits[i]);
	}
}

void
text_add_percent(struct buf *out, int64_t part, int64_t whole)
{
	typedef unsigned __int128 wide;
	uint64_t unit = 1, scaled;
	int decimals = 0;

	/* One unit of `part` is 100/whole per cent: at least 10^-decimals. */
	while ((wide)unit * 100 < (wide)whole) {
		unit *= 10;
		decimals++;
	}
	scaled = (uint64_t)(((wide)part * 200 * unit + (wide)whole) / ((wide)whole * 2));
	text_add_count(out, (int64_t)(scaled / unit));
	if (decimals > 0)
		buf_addf(out, ".%0*" PRIu64, decimals, scaled % unit);
	buf_add_str(out, " %");
}

void
text_add_zero_bound(struct buf *out, int64_t n)
{
	double percent = 300.0 / (double)n;
	int decimals = percent >= 10 ? 0 : 1 - (int)floor(log10(percent));

	if (percent >= 100)
		buf_add_str(out, "100 %");
	else
		buf_addf(out, "%.*f %%", decimals, percent);
}

void
text_add_ms(struct buf *out, int64_t ns)
{
	uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	buf_addf(out, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", v / 1000000, v % 1000000);
}

void
text_add_double(struct buf *out, double d)
{
	char digits[40];

	if (!isfinite(d)) {
		buf_add_str(out, "null");
		return;
	}
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, d);
		if (strtod(digits, NULL) == d)
			break;
	}
	buf_add_str(out, digits);
}
