/* Text from outside, and numbers for people. */
#include "config.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "tap.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

typedef void (*escape)(struct buf *, struct slice);

static void
check_escape(escape f, const char *name, struct slice in, const char *want)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);

	f(&out, in);
	is_str(out.n > 0 ? out.p : "", want, name);
}

static void
test_escapes(void)
{
	static const struct {
		struct slice in;
		const char *terminal, *markdown, *code, *json;
	} rows[] = {
		{ SLICE("plain a0001"), "plain a0001", "plain a0001", "`plain a0001`", "plain a0001" },
		{ SLICE("群聊 é"), "群聊 é", "群聊 é", "`群聊 é`", "群聊 é" },
		{ SLICE("\x1b[2J"), "\\x1b[2J", "\\x1b\\[2J", "`\\x1b[2J`", "\\u001b[2J" },
		{ SLICE("a\nb\r\0c"), "a\\x0ab\\x0d\\x00c", "a\\x0ab\\x0d\\x00c", "`a\\x0ab\\x0d\\x00c`",
		    "a\\u000ab\\u000d\\u0000c" },
		{ SLICE("\xe2\x80\xae"
			"gnp"),
		    "\\u{202e}gnp", "\\u{202e}gnp", "`\\u{202e}gnp`", "\\u202egnp" },
		{ SLICE("\xf3\xa0\x81\x81"), "\\u{e0041}", "\\u{e0041}", "`\\u{e0041}`", "\\udb40\\udc41" },
		{ SLICE("\xc2\x9b"
			"31m"),
		    "\\u{009b}31m", "\\u{009b}31m", "`\\u{009b}31m`", "\\u009b31m" },
		{ SLICE("\xff\xc0\xaf"), "\\xff\\xc0\\xaf", "\\xff\\xc0\\xaf", "`\\xff\\xc0\\xaf`",
		    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ SLICE("\xed\xa0\x80"), "\\xed\\xa0\\x80", "\\xed\\xa0\\x80", "`\\xed\\xa0\\x80`",
		    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ SLICE("\xe7\xbe"), "\\xe7\\xbe", "\\xe7\\xbe", "`\\xe7\\xbe`", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ SLICE("a|b`c<i>&"), "a|b`c<i>&", "a\\|b\\`c&lt;i&gt;&amp;", "`a\\x7cb\\x60c\\x3ci\\x3e\\x26`", "a|b`c<i>&" },
		{ SLICE("im_008_x _y_ *z*"), "im_008_x _y_ *z*", "im_008_x \\_y\\_ \\*z\\*", "`im_008_x _y_ *z*`",
		    "im_008_x _y_ *z*" },
		{ SLICE("http://x [a](b)"), "http://x [a](b)", "http:\\//x \\[a\\](b)", "`http://x [a](b)`", "http://x [a](b)" },
		{ SLICE("c:\\\"d\""), "c:\\\\\"d\"", "c:\\\\\"d\"", "`c:\\\\\"d\"`", "c:\\\\\\\"d\\\"" },
		{ SLICE(""), "", "", "", "" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		check_escape(text_add_terminal, "terminal", rows[i].in, rows[i].terminal);
		check_escape(text_add_markdown, "markdown", rows[i].in, rows[i].markdown);
		check_escape(text_add_code, "code", rows[i].in, rows[i].code);
		check_escape(text_add_json, "json", rows[i].in, rows[i].json);
	}
	check_escape(text_add_csv, "csv plain", SLICE("a b"), "a b");
	check_escape(text_add_csv, "csv quotes", SLICE("a,\"b\"\nc"), "\"a,\"\"b\"\"\nc\"");
	check_escape(text_add_csv, "csv formula", SLICE("=cmd()"), "\"'=cmd()\"");
	check_escape(text_add_csv, "csv negative number", SLICE("-12"), "-12");
	check_escape(text_add_csv, "csv escape", SLICE("\x1b]0;x\a"), "\\x1b]0;x\\x07");
}

/* Whatever the bytes are, nothing that moves a cursor and no broken UTF-8 comes out. */
static void
test_all_bytes(void)
{
	static const escape escapes[] = { text_add_terminal, text_add_markdown, text_add_code, text_add_json };
	bool clean = true;

	for (unsigned a = 0; a < 65536; a++) {
		const char in[3] = { (char)(a >> 8), (char)a, 'x' };

		for (size_t e = 0; e < LENGTH(escapes); e++) {
			CLEANUP(buf_done) struct buf out = BUF_INIT(64);
			struct slice s;
			size_t pos = 0;

			escapes[e](&out, (struct slice){ in, sizeof(in) });
			s = buf_slice(&out);
			while (pos < s.n) {
				int32_t c = text_next_char(s, &pos);

				clean &= c >= 0 && !text_is_unsafe(c);
			}
		}
	}
	ok(clean, "every pair of bytes comes out as safe UTF-8");
}

static void
test_numbers(void)
{
	static const struct {
		int64_t v;
		const char *want;
	} counts[] = { { 0, "0" }, { 999, "999" }, { 1000, "1,000" }, { -1234567, "-1,234,567" }, { 123456, "123,456" },
		{ INT64_MIN, "-9,223,372,036,854,775,808" } };
	static const struct {
		int64_t part, whole;
		const char *want;
	} shares[] = {
		{ 3187, 3617, "88.11 %" },   /* one message is 0.0276 %: two decimals */
		{ 1801, 10621, "16.957 %" }, /* one is 0.0094 %: three */
		{ 1, 3, "33 %" },
		{ 100, 100, "100 %" },
		{ 0, 7, "0 %" },
		{ 99, 100, "99 %" },
		{ 100, 101, "99.0 %" },
		{ 3999999, 4000000, "99.99998 %" }, /* 99.999975, one is 0.000025 */
		{ 1, 4000000000, "0.00000003 %" },  /* 0.000000025, one is the same */
		{ 4000000000, 4000000000, "100.00000000 %" },
	};
	static const struct {
		int64_t n;
		const char *want;
	} bounds[] = { { 3187, "0.094 %" }, { 30, "10 %" }, { 2, "100 %" }, { 1000000, "0.00030 %" }, { 31, "9.7 %" } };

	for (size_t i = 0; i < LENGTH(counts); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64);

		text_add_count(&out, counts[i].v);
		is_str(out.p, counts[i].want, "count");
	}
	for (size_t i = 0; i < LENGTH(shares); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64);

		text_add_percent(&out, shares[i].part, shares[i].whole);
		is_str(out.p, shares[i].want, "share");
	}
	for (size_t i = 0; i < LENGTH(bounds); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64);

		text_add_zero_bound(&out, bounds[i].n);
		is_str(out.p, bounds[i].want, "bound of zero");
	}
}

/* One unit more must always show, and nothing but all is 100 %. */
static void
test_percent_resolution(void)
{
	static const int64_t wholes[] = { 1, 9, 10, 99, 100, 101, 999, 1000, 1001, 3617, 10621 };
	bool differ = true, bounded = true;

	for (size_t w = 0; w < LENGTH(wholes); w++) {
		CLEANUP(buf_done) struct buf last = BUF_INIT(64), all = BUF_INIT(64);

		text_add_percent(&all, wholes[w], wholes[w]);
		for (int64_t part = 0; part <= wholes[w]; part++) {
			CLEANUP(buf_done) struct buf now = BUF_INIT(64);

			text_add_percent(&now, part, wholes[w]);
			differ &= last.n == 0 || strcmp(last.p, now.p) != 0;
			bounded &= part == wholes[w] || strcmp(now.p, all.p) != 0;
			buf_clear(&last);
			buf_add_slice(&last, buf_slice(&now));
		}
	}
	ok(differ, "one message changes the last digit");
	ok(bounded, "less than all is never shown as all");
}

static void
test_doubles(void)
{
	static const struct {
		double d;
		const char *want;
	} rows[] = { { 0, "0" }, { 1, "1" }, { 0.1, "0.1" }, { 1.0 / 3, "0.3333333333333333" }, { 2.0 / 3, "0.6666666666666666" },
		{ 11867.0 / 20000, "0.59335" }, { 1e-7, "1e-07" }, { NAN, "null" }, { INFINITY, "null" }, { -0.5, "-0.5" } };
	static const struct {
		int64_t ns;
		const char *want;
	} ms[] = { { 3113900, "3.113900" }, { 0, "0.000000" }, { -1, "-0.000001" }, { 18715000000, "18715.000000" } };
	bool exact = true;

	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64);

		text_add_double(&out, rows[i].d);
		is_str(out.p, rows[i].want, "double");
	}
	for (int n = 1; n < 3000; n++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64);

		text_add_double(&out, (double)(n * 7 % 1000) / n);
		exact &= strtod(out.p, NULL) == (double)(n * 7 % 1000) / n;
	}
	ok(exact, "quotients read back as the same double");
	for (size_t i = 0; i < LENGTH(ms); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(64);

		text_add_ms(&out, ms[i].ns);
		is_str(out.p, ms[i].want, "milliseconds");
	}
}

int
main(void)
{
	test_escapes();
	test_all_bytes();
	test_numbers();
	test_percent_resolution();
	test_doubles();
	return done();
}
