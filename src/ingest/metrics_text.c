#include "config.h"

#include "ingest/metrics_text.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct slice
skip_blanks(struct slice s)
{
	while (s.n > 0 && is_blank(s.p[0]))
		s = (struct slice){ s.p + 1, s.n - 1 };
	return s;
}

/* Cut the word at the beginning of *s off. */
static struct slice
take_word(struct slice *s)
{
	struct slice word = { skip_blanks(*s).p, 0 };

	*s = skip_blanks(*s);
	while (word.n < s->n && !is_blank(word.p[word.n]))
		word.n++;
	*s = skip_blanks((struct slice){ word.p + word.n, s->n - word.n });
	return word;
}

/* ------------------------------------------------------------------ numbers */

static bool
equals_any_case(struct slice s, const char *lower)
{
	size_t n = strlen(lower);

	if (s.n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((s.p[i] | 0x20) != lower[i])
			return false;
	}
	return true;
}

static bool
not_finite(struct slice s, double *ret)
{
	double sign = 1;

	if (equals_any_case(s, "nan")) {
		*ret = (double)NAN;
		return true;
	}
	if (s.n > 0 && (s.p[0] == '+' || s.p[0] == '-')) {
		sign = s.p[0] == '-' ? -1 : 1;
		s = (struct slice){ s.p + 1, s.n - 1 };
	}
	*ret = sign * (double)INFINITY;
	return equals_any_case(s, "inf") || equals_any_case(s, "infinity");
}

/* Digits with at most one point and one exponent. *ret_digits counts those before the exponent. */
static bool
is_decimal(struct slice s, unsigned *ret_digits)
{
	unsigned digits = 0, points = 0;
	size_t i = s.n > 0 && (s.p[0] == '+' || s.p[0] == '-');

	for (; i < s.n && ((s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '.'); i++) {
		points += s.p[i] == '.';
		digits += s.p[i] != '.';
	}
	*ret_digits = digits;
	if (digits == 0 || points > 1)
		return false;
	if (i == s.n)
		return true;
	if ((s.p[i++] | 0x20) != 'e')
		return false;
	i += i < s.n && (s.p[i] == '+' || s.p[i] == '-');
	if (i == s.n)
		return false;
	for (; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	}
	return true;
}

bool
metrics_number(struct slice s, double *ret)
{
	char copy[512], *end;
	int64_t whole = 0;
	unsigned digits;
	size_t i = 0;

	for (; i < s.n && i < 15 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		whole = whole * 10 + (s.p[i] - '0');
	if (i > 0 && i == s.n) { /* nearly every counter */
		*ret = (double)whole;
		return true;
	}
	if (!is_decimal(s, &digits))
		return not_finite(s, ret);
	if (s.n >= sizeof(copy))
		return false;
	memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	*ret = strtod(copy, &end);
	return isfinite(*ret);
}

/* ------------------------------------------------------------------ lines */

/* Behind the closing quote of the string that begins at s.p[0] == '"'; 0: there is none. */
static size_t
string_end(struct slice s)
{
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] == '"')
			return i + 1;
		i += s.p[i] == '\\';
	}
	return 0;
}

/* Behind the closing brace of the labels at s.p[0] == '{'; 0: there is none. */
static size_t
labels_end(struct slice s)
{
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] == '}')
			return i + 1;
		if (s.p[i] == '"') {
			size_t n = string_end((struct slice){ s.p + i, s.n - i });

			if (n == 0)
				return 0;
			i += n - 1;
		}
	}
	return 0;
}

static void
read_comment(struct slice text, struct metrics_line *ret)
{
	struct slice rest = { text.p + 1, text.n - 1 };
	struct slice word = take_word(&rest);

	ret->kind = METRICS_NOTHING;
	if (slice_eq(word, SLICE("EOF")) && rest.n == 0) {
		ret->kind = METRICS_EOF;
	} else if (slice_eq(word, SLICE("TYPE")) || slice_eq(word, SLICE("UNIT"))) {
		ret->kind = word.p[0] == 'T' ? METRICS_TYPE : METRICS_UNIT;
		ret->name = take_word(&rest);
		if (ret->name.n > 2 && ret->name.p[0] == '"' && ret->name.p[ret->name.n - 1] == '"')
			ret->name = (struct slice){ ret->name.p + 1, ret->name.n - 2 };
		ret->type = take_word(&rest);
	}
}

/* The number of bytes of `name{labels}` at the beginning of a sample. */
static size_t
series_length(struct slice text)
{
	size_t n = 0, labels;
	struct slice rest;

	while (n < text.n && text.p[n] != '{' && !is_blank(text.p[n]))
		n++;
	rest = skip_blanks((struct slice){ text.p + n, text.n - n });
	if (rest.n == 0 || rest.p[0] != '{')
		return n;
	labels = labels_end(rest);
	return labels > 0 ? (size_t)(rest.p - text.p) + labels : 0;
}

/* What stands behind the value: a time, an exemplar, both, nothing. */
static const char *
read_rest(struct slice rest, struct metrics_line *ret)
{
	double ignored;

	if (rest.n > 0 && rest.p[0] != '#') {
		ret->time = take_word(&rest);
		if (!metrics_number(ret->time, &ignored) || !isfinite(ignored))
			return "the time of a sample is no number";
	}
	ret->exemplar = rest.n > 1 && rest.p[0] == '#' && skip_blanks((struct slice){ rest.p + 1, rest.n - 1 }).n > 0 &&
	    skip_blanks((struct slice){ rest.p + 1, rest.n - 1 }).p[0] == '{';
	return rest.n == 0 || ret->exemplar ? NULL : "something stands behind a sample";
}

const char *
metrics_line_read(struct slice text, struct metrics_line *ret)
{
	struct slice rest, value;
	size_t n;

	*ret = (struct metrics_line){ .kind = METRICS_NOTHING };
	text = skip_blanks(text);
	if (text.n == 0)
		return NULL;
	if (text.p[0] == '#') {
		read_comment(text, ret);
		return NULL;
	}
	ret->kind = METRICS_SAMPLE;
	n = series_length(text);
	if (n == 0)
		return "labels without an end";
	ret->series = (struct slice){ text.p, n };
	rest = (struct slice){ text.p + n, text.n - n };
	value = take_word(&rest);
	if (value.n == 0)
		return "a sample without a value";
	if (!metrics_number(value, &ret->value))
		return "the value of a sample is no number";
	return read_rest(rest, ret);
}

/* ------------------------------------------------------------------ series */

static bool
is_name(struct slice s, bool colons)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '_' && !(c == ':' && colons) &&
		    !(c >= '0' && c <= '9' && i > 0))
			return false;
	}
	return s.n > 0;
}

static int
label_cmp(const void *a, const void *b)
{
	return slice_cmp(((const struct metrics_label *)a)->name, ((const struct metrics_label *)b)->name);
}

static void
write_quoted(struct buf *out, struct slice s)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\n')
			buf_add_str(out, "\\n");
		else if (s.p[i] == '"' || s.p[i] == '\\')
			buf_addf(out, "\\%c", s.p[i]);
		else
			buf_add_char(out, s.p[i]);
	}
	buf_add_char(out, '"');
}

static void
write_label(struct buf *out, const struct metrics_label *l)
{
	double bound;

	if (is_name(l->name, false))
		buf_add_slice(out, l->name);
	else
		write_quoted(out, l->name);
	buf_add_char(out, '=');
	if ((slice_eq(l->name, SLICE("le")) || slice_eq(l->name, SLICE("quantile"))) && metrics_number(l->value, &bound) &&
	    !isnan(bound)) {
		buf_add_char(out, '"');
		if (isinf(bound))
			buf_add_str(out, bound > 0 ? "+Inf" : "-Inf");
		else
			text_add_double(out, bound);
		buf_add_char(out, '"');
		return;
	}
	write_quoted(out, l->value);
}

bool
metrics_labels_write(struct metrics_label *v, size_t n, struct buf *out)
{
	const char *before = "{";

	if (n > 1)
		qsort(v, n, sizeof(*v), label_cmp);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && slice_eq(v[i - 1].name, v[i].name))
			return false;
		if (v[i].value.n == 0)
			continue; /* an empty label is none */
		buf_add_str(out, before);
		write_label(out, &v[i]);
		before = ",";
	}
	if (*before == ',')
		buf_add_char(out, '}');
	return true;
}

/* A quoted string to the scratch, without its escapes; a backslash before anything else is kept. */
static struct slice
unquote(struct slice quoted, struct buf *scratch)
{
	size_t start = scratch->n;

	for (size_t i = 1; i + 1 < quoted.n; i++) {
		char c = quoted.p[i];

		if (c == '\\' && i + 2 < quoted.n && strchr("\\\"n", quoted.p[i + 1]) != NULL && quoted.p[i + 1] != '\0') {
			c = quoted.p[++i];
			c = (char)(c == 'n' ? '\n' : c);
		}
		buf_add_char(scratch, c);
	}
	return (struct slice){ NULL, scratch->n - start }; /* the scratch may move: see settle() */
}

struct labels {
	struct metrics_label v[METRICS_LABELS_MAX];
	size_t n;
	struct slice name;
	size_t quoted_name; /* where a quoted name begins in the scratch, SIZE_MAX */
};

/* One label at *rest, cut off: a name in quotes or `name="value"`. All names and values go to the scratch, one behind the other. */
static const char *
read_label(struct slice *rest, struct labels *l, struct buf *scratch)
{
	struct metrics_label *label = &l->v[l->n];
	size_t n = 0, at = scratch->n;
	bool quoted = rest->n > 0 && rest->p[0] == '"';

	if (quoted) {
		n = string_end(*rest);
		label->name = unquote((struct slice){ rest->p, n }, scratch);
	} else {
		while (n < rest->n && rest->p[n] != '=' && !is_blank(rest->p[n]))
			n++;
		if (!is_name((struct slice){ rest->p, n }, false))
			return "a label without a proper name";
		buf_add(scratch, rest->p, n);
		label->name.n = n;
	}
	*rest = skip_blanks((struct slice){ rest->p + n, rest->n - n });
	if (quoted && (rest->n == 0 || rest->p[0] != '=')) { /* {"name", ...} */
		if (l->name.n > 0 || l->quoted_name != SIZE_MAX)
			return "a sample with two names";
		l->quoted_name = at;
		l->name.n = label->name.n;
		return NULL;
	}
	if (label->name.n == 0 || rest->n == 0 || rest->p[0] != '=')
		return "a label without a proper name";
	*rest = skip_blanks((struct slice){ rest->p + 1, rest->n - 1 });
	n = rest->n > 0 && rest->p[0] == '"' ? string_end(*rest) : 0;
	if (n == 0)
		return "the value of a label is not in quotes";
	label->value = unquote((struct slice){ rest->p, n }, scratch);
	*rest = skip_blanks((struct slice){ rest->p + n, rest->n - n });
	l->n++;
	return NULL;
}

/* `inside` stands between the braces. One comma at the end is legal. */
static const char *
read_labels(struct slice inside, struct labels *l, struct buf *scratch)
{
	const char *reason;

	for (inside = skip_blanks(inside); inside.n > 0; inside = skip_blanks((struct slice){ inside.p + 1, inside.n - 1 })) {
		if (l->n == METRICS_LABELS_MAX)
			return "more than 256 labels";
		reason = read_label(&inside, l, scratch);
		if (reason != NULL)
			return reason;
		if (inside.n == 0)
			return NULL;
		if (inside.p[0] != ',')
			return "labels without a comma between them";
	}
	return NULL;
}

/* Now that the scratch moves no more: where names and values lie. They stand there in the order of reading. */
static void
settle(struct labels *l, const struct buf *scratch)
{
	size_t at = 0;

	for (size_t i = 0; i <= l->n; i++) {
		if (l->quoted_name == at) {
			l->name.p = scratch->p + at;
			at += l->name.n;
			l->quoted_name = SIZE_MAX;
		}
		if (i == l->n)
			break;
		l->v[i].name.p = scratch->p + at;
		l->v[i].value.p = scratch->p + at + l->v[i].name.n;
		at += l->v[i].name.n + l->v[i].value.n;
	}
}

const char *
metrics_series_write(struct slice series, struct buf *out, struct buf *scratch)
{
	struct labels l = { .n = 0, .quoted_name = SIZE_MAX };
	const char *brace = memchr(series.p, '{', series.n), *reason = NULL;
	struct slice name = { series.p, brace != NULL ? (size_t)(brace - series.p) : series.n };

	if (!text_is_utf8(series) || memchr(series.p, '\0', series.n) != NULL)
		return "a sample that is not UTF-8";
	while (name.n > 0 && is_blank(name.p[name.n - 1]))
		name.n--;
	l.name = name;
	buf_clear(scratch);
	buf_add_char(scratch, ' '); /* so that it is somewhere */
	buf_truncate(scratch, 0);
	if (brace != NULL)
		reason = read_labels((struct slice){ brace + 1, (size_t)(series.p + series.n - brace - 2) }, &l, scratch);
	if (reason != NULL || scratch->failed != IMP_OK)
		return reason;
	settle(&l, scratch);
	for (size_t i = 0; i < l.n && l.name.n == 0; i++) {
		if (slice_eq(l.v[i].name, SLICE("__name__"))) {
			l.name = l.v[i].value;
			l.v[i] = l.v[--l.n];
		}
	}
	if (l.name.n == 0 || (l.name.p == series.p && !is_name(l.name, true)))
		return "a sample without a proper name";
	buf_add_slice(out, l.name);
	buf_add_char(out, '\xff');
	return metrics_labels_write(l.v, l.n, out) ? NULL : "two labels of one name";
}
