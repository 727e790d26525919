/* Any bytes as text on its way out, for each place where it may go: nothing in it moves a cursor, hides, or is markup, and a reader
 * gets back what was written. And any bytes as a time of a database row. */
#include "config.h"

#include <json-c/json.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/text.h"
#include "base/time.h"
#include "fuzz.h"
#include "ingest/rfc3339.h"

#define OUTPUT_MAX ((size_t)64 << 20)

static void
check_harmless(struct slice out, bool lines)
{
	for (size_t pos = 0; pos < out.n;) {
		int32_t c = text_next_char(out, &pos);

		must((lines && c == '\n') || (c >= 0 && !text_is_unsafe(c)));
	}
}

static void
add_utf8(struct buf *out, unsigned c)
{
	if (c < 0x80)
		buf_add_char(out, (char)c);
	else if (c < 0x800)
		buf_addf(out, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
	else if (c < 0x10000)
		buf_addf(out, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
	else
		buf_addf(out, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
}

/* \\, \xNN and \u{NNNN} read back. `out` is NUL-terminated. */
static void
unescape(struct slice s, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned c;
		int used = 0;

		if (s.p[i] != '\\') {
			buf_add_char(out, s.p[i]);
		} else if (s.p[i + 1] == '\\') {
			buf_add_char(out, s.p[++i]);
		} else if (sscanf(s.p + i, "\\x%2x%n", &c, &used) == 1 && used == 4) {
			buf_add_char(out, (char)c);
			i += 3;
		} else {
			must(sscanf(s.p + i, "\\u{%x}%n", &c, &used) == 1 && used > 0);
			add_utf8(out, c);
			i += (size_t)used - 1;
		}
	}
}

static void
check_terminal(struct slice text, struct buf *out, struct buf *back)
{
	text_add_terminal(out, text);
	check_harmless(buf_slice(out), false);
	unescape(buf_slice(out), back);
	must(slice_eq(buf_slice(back), text));
}

static void
check_code(struct slice text, struct buf *out, struct buf *back)
{
	struct slice inner;

	text_add_code(out, text);
	check_harmless(buf_slice(out), false);
	if (text.n == 0)
		return;
	must(out->n >= 2 && out->p[0] == '`' && out->p[out->n - 1] == '`');
	inner = (struct slice){ out->p + 1, out->n - 2 };
	for (size_t i = 0; i < inner.n; i++)
		must(strchr("`|<>&", inner.p[i]) == NULL);
	unescape(inner, back);
	must(slice_eq(buf_slice(back), text));
}

/* Every character that could begin markup stands behind a backslash of its own. */
static void
check_markdown(struct slice text, struct buf *out)
{
	text_add_markdown(out, text);
	check_harmless(buf_slice(out), false);
	must(strstr(buf_status(out, NULL) == IMP_OK && out->n > 0 ? out->p : "", "://") == NULL);
	for (size_t i = 0; i < out->n; i++) {
		if (out->p[i] == '\\' && i + 1 < out->n && strchr("\\`*[]|~#$!@_/", out->p[i + 1]) != NULL)
			i++;
		else
			must(strchr("`*[]|~#$!@<>", out->p[i]) == NULL);
	}
}

static void
check_json(struct slice text, struct buf *out, struct buf *back)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o;

	for (size_t pos = 0; pos < text.n;) {
		size_t start = pos;

		if (text_next_char(text, &pos) < 0)
			buf_add_str(back, "\xef\xbf\xbd");
		else
			buf_add(back, text.p + start, pos - start);
	}
	buf_add_char(out, '"');
	text_add_json(out, text);
	buf_add_char(out, '"');
	check_harmless(buf_slice(out), false);
	must(tok != NULL);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, out->p, (int)out->n + 1);
	must(json_tokener_get_error(tok) == json_tokener_success);
	must(slice_eq((struct slice){ json_object_get_string(o), (size_t)json_object_get_string_len(o) }, buf_slice(back)));
	json_object_put(o);
	json_tokener_free(tok);
}

/* One field: bare, or in quotes with every quote in it doubled; never a formula. */
static void
check_csv(struct slice text, struct buf *out)
{
	bool quoted;
	size_t n;

	text_add_csv(out, text);
	check_harmless(buf_slice(out), true);
	n = out->n;
	quoted = n > 0 && out->p[0] == '"';
	must(!quoted || (n >= 2 && out->p[n - 1] == '"'));
	for (size_t i = quoted; i < n - quoted; i++) {
		must(quoted || strchr("\",\n", out->p[i]) == NULL);
		if (out->p[i] == '"')
			must(++i < n - 1 && out->p[i] == '"');
	}
	must(n <= 1 || memchr("=+@", out->p[quoted], 3) == NULL || (out->p[quoted + 1] >= '0' && out->p[quoted + 1] <= '9'));
}

static void
check_time(struct slice text, struct buf *out)
{
	int64_t ns, again;

	if (!rfc3339_parse(text, &ns) || !time_fits(ns)) /* at the ends of what can be read UTC may lie beyond */
		return;
	time_add_utc(out, ns, 9);
	must(rfc3339_parse(buf_slice(out), &again) && again == ns);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = { (const char *)data, size };
	struct buf out = BUF_INIT(OUTPUT_MAX), back = BUF_INIT(OUTPUT_MAX);

	check_terminal(text, &out, &back);
	buf_clear(&out), buf_clear(&back);
	check_code(text, &out, &back);
	buf_clear(&out), buf_clear(&back);
	check_json(text, &out, &back);
	buf_clear(&out), buf_clear(&back);
	check_markdown(text, &out);
	buf_clear(&out);
	check_csv(text, &out);
	buf_clear(&out);
	check_time(text, &out);
	buf_done(&out);
	buf_done(&back);
	return 0;
}
