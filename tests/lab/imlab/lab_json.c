#include "config.h"

#include "lab_json.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/time.h"

#define MS INT64_C(1000000)
#define JSON_DEPTH_MAX 64

/* The code points that go out as \uNNNN though they are printable. */
static bool
escaped(int32_t c)
{
	return c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029;
}

void
go_string(struct buf *out, struct slice s)
{
	buf_add_char(out, '"');
	for (size_t i = 0, from = 0; i < s.n; from = i) {
		int32_t c = text_next_char(s, &i);

		if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", (char)c);
		else if (c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f')
			buf_addf(out, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : c == '\b' ? 'b' : 'f');
		else if (c < 0)
			buf_add_str(out, "\\ufffd");
		else if (escaped(c))
			buf_addf(out, "\\u%04x", (unsigned)c);
		else
			buf_add(out, s.p + from, i - from);
	}
	buf_add_char(out, '"');
}

/* Every number is a double there: the shortest digits, plain from 1e-6 up to 1e21, else with an exponent. */
static void
go_number(struct buf *out, double v)
{
	char text[40];
	double size = fabs(v);
	int precision = 0;

	do
		snprintf(text, sizeof(text), "%.*e", precision, v);
	while (strtod(text, NULL) != v && ++precision < 17);
	if (size == 0 || (size >= 1e-6 && size < 1e21)) {
		int exponent = size == 0 ? 0 : (int)strtol(strchr(text, 'e') + 1, NULL, 10);

		buf_addf(out, "%.*f", precision > exponent ? precision - exponent : 0, v);
	} else {
		char *e = strchr(text, 'e');

		/* e-09 is e-9 */
		buf_add(out, text, (size_t)(e - text) + 2);
		buf_add_str(out, e[2] == '0' && e[3] != '\0' ? e + 3 : e + 2);
	}
}

static int
key_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
go_object(struct buf *out, struct json_object *v)
{
	size_t n = (size_t)json_object_object_length(v), i = 0;
	const char **keys = calloc(n + 1, sizeof(*keys));

	if (keys == NULL) {
		out->failed = IMP_E_NOMEM;
		return;
	}
	json_object_object_foreach(v, key, unused)
	{
		(void)unused;
		keys[i++] = key;
	}
	qsort(keys, n, sizeof(*keys), key_cmp);
	buf_add_char(out, '{');
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_add_char(out, ',');
		go_string(out, slice_of(keys[i]));
		buf_add_char(out, ':');
		go_value(out, json_object_object_get(v, keys[i]));
	}
	buf_add_char(out, '}');
	free(keys);
}

void
go_value(struct buf *out, struct json_object *v)
{
	switch (json_object_get_type(v)) {
	case json_type_null:
		buf_add_str(out, "null");
		break;
	case json_type_boolean:
		buf_add_str(out, json_object_get_boolean(v) ? "true" : "false");
		break;
	case json_type_double:
	case json_type_int:
		go_number(out, json_object_get_double(v));
		break;
	case json_type_string:
		go_string(out, (struct slice){ json_object_get_string(v), (size_t)json_object_get_string_len(v) });
		break;
	case json_type_array:
		buf_add_char(out, '[');
		for (size_t i = 0; i < json_object_array_length(v); i++) {
			if (i > 0)
				buf_add_char(out, ',');
			go_value(out, json_object_array_get_idx(v, i));
		}
		buf_add_char(out, ']');
		break;
	case json_type_object:
		go_object(out, v);
		break;
	}
}

void
go_time(struct buf *out, int64_t ns)
{
	int64_t ms = (ns + MS / 2) / MS;
	int decimals = ms % 1000 == 0 ? 0 : ms % 100 == 0 ? 1 : ms % 10 == 0 ? 2 : 3;

	buf_add_char(out, '"');
	time_add_utc(out, ms * MS, decimals);
	buf_add_char(out, '"');
}

void
go_ctrl(struct buf *out, struct slice id, struct slice topic, struct slice params, int code, const char *text, int64_t ts)
{
	buf_add_str(out, "{\"ctrl\":{");
	if (id.n > 0) {
		buf_add_str(out, "\"id\":");
		go_string(out, id);
		buf_add_char(out, ',');
	}
	if (topic.n > 0) {
		buf_add_str(out, "\"topic\":");
		go_string(out, topic);
		buf_add_char(out, ',');
	}
	if (params.n > 0)
		buf_addf(out, "\"params\":%.*s,", SLICE_ARG(params));
	buf_addf(out, "\"code\":%d,\"text\":\"%s\",\"ts\":", code, text);
	go_time(out, ts);
	buf_add_str(out, "}}");
}

struct json_object *
json_parse(struct slice text)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX);
	struct json_object *v = NULL;

	if (tokener == NULL)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	if (text.n <= INT32_MAX)
		v = json_tokener_parse_ex(tokener, text.p, (int)text.n);
	if (json_tokener_get_error(tokener) != json_tokener_success) {
		json_object_put(v);
		v = NULL;
	}
	json_tokener_free(tokener);
	return v;
}

struct json_object *
json_member(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (json_object_get_type(o) == json_type_object)
		json_object_object_get_ex(o, key, &v);
	return v;
}

struct slice
json_str(struct json_object *o, const char *key)
{
	struct json_object *v = json_member(o, key);

	if (json_object_get_type(v) != json_type_string)
		return SLICE("");
	return (struct slice){ json_object_get_string(v), (size_t)json_object_get_string_len(v) };
}

int64_t
json_int(struct json_object *o, const char *key, int64_t otherwise)
{
	struct json_object *v = json_member(o, key);

	return json_object_get_type(v) == json_type_int ? json_object_get_int64(v) : otherwise;
}

bool
json_true(struct json_object *o, const char *key)
{
	struct json_object *v = json_member(o, key);

	return json_object_get_type(v) == json_type_boolean && json_object_get_boolean(v);
}
