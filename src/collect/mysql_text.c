#include "config.h"

#include "collect/mysql.h"

#include "base/text.h"

void
mysql_add_name(struct buf *out, struct slice name)
{
	buf_add_char(out, '`');
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '`')
			buf_add_char(out, '`');
		buf_add_char(out, name.p[i]);
	}
	buf_add_char(out, '`');
}

void
mysql_add_value(struct buf *out, struct slice value)
{
	if (!text_is_utf8(value)) {
		/* some servers take what follows half a character for its rest */
		buf_add_str(out, "X'");
		for (size_t i = 0; i < value.n; i++)
			buf_addf(out, "%02X", (unsigned char)value.p[i]);
		buf_add_char(out, '\'');
		return;
	}
	buf_add_char(out, '\'');
	for (size_t i = 0; i < value.n; i++) {
		char c = value.p[i];

		if (c == '\'' || c == '\\' || c == '"')
			buf_add_char(out, '\\');
		if (c == '\0' || c == '\n' || c == '\r' || c == '\032')
			buf_add_str(out, c == '\0' ? "\\0" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\Z");
		else
			buf_add_char(out, c);
	}
	buf_add_char(out, '\'');
}

void
mysql_add_prefix_pattern(struct buf *out, struct slice prefix)
{
	struct buf pattern = BUF_INIT(2 * prefix.n + 2);

	for (size_t i = 0; i < prefix.n; i++) {
		if (prefix.p[i] == '%' || prefix.p[i] == '_' || prefix.p[i] == '\\')
			buf_add_char(&pattern, '\\');
		buf_add_char(&pattern, prefix.p[i]);
	}
	buf_add_char(&pattern, '%');
	if (buf_part_ok(out, &pattern))
		mysql_add_value(out, buf_slice(&pattern));
	buf_done(&pattern);
}

/* ------------------------------------------------------------------ templates */

static void
fill_hole(struct buf *out, const struct mysql_hole *h)
{
	switch (h->kind) {
	case HOLE_NAME:
		mysql_add_name(out, h->text);
		break;
	case HOLE_VALUE:
		mysql_add_value(out, h->text);
		break;
	case HOLE_SQL:
		buf_add_slice(out, h->text);
		break;
	}
}

static const struct mysql_hole *
find_hole(struct slice name, const struct mysql_hole *holes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_eq(slice_of(holes[i].name), name))
			return &holes[i];
	return NULL;
}

/* Behind the lines of comment that a template begins with. */
static const char *
statement_of(const char *template)
{
	while (strncmp(template, "--", 2) == 0)
		template += strcspn(template, "\n") + 1;
	return template;
}

enum imp_rc
mysql_fill(struct buf *out, const char *template, const struct mysql_hole *holes, size_t n, struct imp_err *err)
{
	bool blank = false;

	for (const char *p = statement_of(template); *p != '\0' && *p != ';'; p++) {
		const struct mysql_hole *h;
		struct slice name;

		if (*p == ' ' || *p == '\t' || *p == '\n') {
			blank = true;
			continue;
		}
		if (blank)
			buf_add_char(out, ' ');
		blank = false;
		if (*p != '{') {
			buf_add_char(out, *p);
			continue;
		}
		name = (struct slice){ p + 1, strcspn(p + 1, "}") };
		h = find_hole(name, holes, n);
		if (h == NULL)
			return imp_err_set(err, IMP_E_INTERNAL, "nothing fills the hole '%.*s' of a statement", SLICE_ARG(name));
		fill_hole(out, h);
		p += name.n + 1;
	}
	return buf_status(out, err);
}
