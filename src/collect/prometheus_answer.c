/* collect/prometheus_answer.c - answers of the Prometheus HTTP API, without looking into their data, which may be large. */
#include "config.h"

#include <json-c/json.h>
#include <stdio.h>

#include "collect/prometheus.h"

#define WORDS_BYTES_MAX ((size_t)64 << 10) /* of one value that is read */

static void
skip_blanks(struct slice s, size_t *i)
{
	while (*i < s.n && (s.p[*i] == ' ' || s.p[*i] == '\t' || s.p[*i] == '\n' || s.p[*i] == '\r'))
		++*i;
}

/* Behind the string that begins at *i. */
static bool
skip_string(struct slice s, size_t *i)
{
	for (++*i; *i < s.n; ++*i) {
		if (s.p[*i] == '\\')
			++*i;
		else if (s.p[*i] == '"') {
			++*i;
			return true;
		}
	}
	return false;
}

/* Behind the value that begins at *i, by its brackets and quotes alone. */
static bool
skip_value(struct slice s, size_t *i)
{
	size_t depth = 0, start = *i;

	while (*i < s.n) {
		char c = s.p[*i];

		if (depth == 0 && memchr(",}] \t\r\n", c, 7) != NULL)
			return *i > start;
		if (c == '"') {
			if (!skip_string(s, i))
				return false;
			if (depth == 0)
				return true;
			continue;
		}
		++*i;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return true;
	}
	return false;
}

/* Add the text of `v` to `words`, of a list that of its elements. */
static void
add_words(struct buf *words, struct json_object *v)
{
	if (json_object_is_type(v, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(v); i++)
			add_words(words, json_object_array_get_idx(v, i));
	} else if (json_object_is_type(v, json_type_string)) {
		if (words->n > 0)
			buf_add_str(words, "; ");
		buf_add(words, json_object_get_string(v), (size_t)json_object_get_string_len(v));
	}
}

static struct json_object *
parse_value(struct slice text)
{
	struct json_tokener *tok = text.n <= WORDS_BYTES_MAX ? json_tokener_new() : NULL;
	struct json_object *v = tok != NULL ? json_tokener_parse_ex(tok, text.p, (int)text.n) : NULL;

	if (tok != NULL)
		json_tokener_free(tok);
	return v;
}

/* One member of the answer. */
static void
read_member(struct slice key, struct slice value, struct prometheus_answer *ret)
{
	struct buf words = BUF_INIT(8 * WORDS_BYTES_MAX);
	struct json_object *v;
	bool type = slice_eq(key, SLICE("errorType")), warnings = slice_eq(key, SLICE("warnings"));
	size_t n = strlen(ret->error);

	if (slice_eq(key, SLICE("status"))) {
		ret->success = slice_eq(value, SLICE("\"success\""));
	} else if (type || warnings || slice_eq(key, SLICE("error"))) {
		v = parse_value(value);
		add_words(&words, v);
		json_object_put(v);
		if (warnings)
			snprintf(ret->warnings, sizeof(ret->warnings), "%s", words.n > 0 ? words.p : "");
		else if (words.n > 0) /* the type comes first, as the server writes it */
			snprintf(ret->error + n, sizeof(ret->error) - n, "%s%s", n > 0 ? ": " : "", words.p);
	}
	buf_done(&words);
}

bool
prometheus_answer_read(struct slice body, struct prometheus_answer *ret)
{
	struct prometheus_answer a = { .success = false };
	bool known = false;
	size_t i = 0;

	skip_blanks(body, &i);
	if (i == body.n || body.p[i] != '{')
		return false;
	i++;
	for (;;) {
		struct slice key, value;
		size_t start;

		skip_blanks(body, &i);
		start = i;
		if (i == body.n || body.p[i] != '"' || !skip_string(body, &i))
			return false;
		key = (struct slice){ body.p + start + 1, i - start - 2 };
		skip_blanks(body, &i);
		if (i == body.n || body.p[i++] != ':')
			return false;
		skip_blanks(body, &i);
		start = i;
		if (!skip_value(body, &i))
			return false;
		value = (struct slice){ body.p + start, i - start };
		known |= slice_eq(key, SLICE("status"));
		read_member(key, value, &a);
		skip_blanks(body, &i);
		if (i == body.n || (body.p[i] != ',' && body.p[i] != '}'))
			return false;
		if (body.p[i++] == '}')
			break;
	}
	skip_blanks(body, &i);
	if (i < body.n || !known)
		return false;
	*ret = a;
	return true;
}
