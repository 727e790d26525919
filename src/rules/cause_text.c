#include "config.h"

#include "rules/cause_text.h"

#include "base/text.h"
#include "base/time.h"

#define TEXT_BYTES_MAX ((size_t)64 << 10)
#define VALUE_BYTES_MAX 300 /* of a text that is filled in */

enum language { ENGLISH, CHINESE };

static void
add_plain(struct buf *out, const struct text_value *v)
{
	if (v->type == TEXT_INT)
		buf_addf(out, "%lld", (long long)v->i);
	else
		buf_addf(out, "%.6g", v->d);
}

static void
add_time(struct buf *out, const struct text_value *v)
{
	struct buf whole = BUF_INIT(64);

	if (v->type == TEXT_INT && time_fits(v->i)) {
		time_add_utc(&whole, v->i, 2);
		if (buf_part_ok(out, &whole)) /* 2026-11-30T16:50:38.69Z */
			buf_add(out, whole.p + 11, 11);
	} else {
		add_plain(out, v);
	}
	buf_done(&whole);
}

/* Nanoseconds in a unit: enough decimals to tell small ones apart. */
static void
add_length(struct buf *out, const struct text_value *v, double unit_ns, const char *unit)
{
	double x = (v->type == TEXT_INT ? (double)v->i : v->d) / unit_ns;

	buf_addf(out, "%.*f %s", x < 1 && x > -1 ? 3 : x < 10 && x > -10 ? 2 : 1, x, unit);
}

static void
add_seconds(struct buf *out, const struct text_value *v)
{
	add_length(out, v, 1e9, "s");
}

static void
add_milliseconds(struct buf *out, const struct text_value *v)
{
	add_length(out, v, 1e6, "ms");
}

static void
add_share(struct buf *out, const struct text_value *v)
{
	buf_addf(out, "%.4g %%", 100 * (v->type == TEXT_INT ? (double)v->i : v->d));
}

static void
add_default(struct buf *out, const struct text_value *v)
{
	if (v->type == TEXT_REAL) {
		add_plain(out, v);
		return;
	}
	if (v->at_least && v->i > 0)
		buf_add_str(out, "≥ ");
	text_add_count(out, v->i);
}

static const struct format {
	const char *name;
	void (*add)(struct buf *out, const struct text_value *v); /* a number */
} formats[] = { { "", add_default }, { "count", add_default }, { "plain", add_plain }, { "time", add_time }, { "s", add_seconds },
	{ "ms", add_milliseconds }, { "percent", add_share } };

static const struct format *
find_format(struct slice name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (slice_eq(name, slice_of(formats[i].name)))
			return &formats[i];
	return NULL;
}

bool
cause_text_is_format(struct slice format)
{
	return find_format(format) != NULL;
}

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool
cause_text_next(struct slice s, size_t *pos, size_t *ret_start, struct slice *ret_name, struct slice *ret_format)
{
	for (size_t i = *pos; i < s.n; i++) {
		size_t name = i + 1, colon = name, end;

		if (s.p[i] != '{')
			continue;
		while (colon < s.n && is_name(s.p[colon]))
			colon++;
		end = colon;
		if (end < s.n && s.p[end] == ':')
			do
				end++;
			while (end < s.n && is_name(s.p[end]));
		if (colon == name || end == s.n || s.p[end] != '}')
			continue;
		*pos = end + 1;
		*ret_start = i;
		*ret_name = (struct slice){ s.p + name, colon - name };
		*ret_format = (struct slice){ s.p + colon + (end > colon), end - colon - (end > colon) };
		return true;
	}
	return false;
}

void
text_values_add_int(struct text_values *v, const char *name, int64_t i)
{
	if (v->n < TEXT_VALUES_MAX)
		v->v[v->n++] = (struct text_value){ .name = slice_of(name), .type = TEXT_INT, .i = i };
}

/* How much of a text is at most `max` bytes of whole characters. */
static size_t
length_within(struct slice s, size_t max)
{
	size_t n = 0;

	for (size_t pos = 0; pos < s.n; n = pos) {
		text_next_char(s, &pos);
		if (pos > max)
			break;
	}
	return n;
}

static void
add_value(struct buf *out, const struct text_values *values, struct slice name, struct slice format, enum language language)
{
	const struct text_value *v = NULL;

	for (size_t i = 0; i < values->n && v == NULL; i++)
		if (slice_eq(values->v[i].name, name))
			v = &values->v[i];
	if ((v == NULL || v->type == TEXT_UNKNOWN) && values->of_nothing)
		buf_add_str(out, "…");
	else if (v == NULL || v->type == TEXT_UNKNOWN)
		buf_add_str(out, language == ENGLISH ? "unknown" : "未知");
	else if (v->type == TEXT_SLICE)
		buf_add(out, v->s.p, length_within(v->s, VALUE_BYTES_MAX));
	else
		find_format(format)->add(out, v);
}

static enum imp_rc
fill(struct arena *arena, struct slice s, const struct text_values *v, enum language language, struct slice *ret,
    struct imp_err *err)
{
	struct buf out = BUF_INIT(TEXT_BYTES_MAX);
	struct slice name, format;
	size_t pos = 0, start, done = 0;
	enum imp_rc rc;

	while (cause_text_next(s, &pos, &start, &name, &format)) {
		buf_add(&out, s.p + done, start - done);
		add_value(&out, v, name, format, language);
		done = pos;
	}
	buf_add(&out, s.p + done, s.n - done);
	rc = buf_status(&out, err);
	if (rc == IMP_OK) {
		*ret = arena_slice(arena, buf_slice(&out), err);
		rc = ret->p != NULL ? IMP_OK : IMP_E_NOMEM;
	}
	buf_done(&out);
	return rc;
}

enum imp_rc
cause_text(struct arena *arena, const struct rule_text *template, const struct text_values *v, struct rule_text *ret,
    struct imp_err *err)
{
	struct rule_text text = { { "", 0 }, { "", 0 } };
	enum imp_rc rc = IMP_OK;

	if (template->en.n > 0)
		rc = fill(arena, template->en, v, ENGLISH, &text.en, err);
	if (rc == IMP_OK && template->zh.n > 0)
		rc = fill(arena, template->zh, v, CHINESE, &text.zh, err);
	if (rc == IMP_OK)
		*ret = text;
	return rc;
}
