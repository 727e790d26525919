#include "config.h"

#include "agent/wire.h"

#include <json-c/json.h>
#include <limits.h>

#define DEPTH_MAX 32 /* of values that are passed over */

static const struct slice kind_names[] = {
	[WIRE_CTRL] = SLICE("ctrl"),
	[WIRE_DATA] = SLICE("data"),
	[WIRE_META] = SLICE("meta"),
	[WIRE_PRES] = SLICE("pres"),
	[WIRE_INFO] = SLICE("info"),
};

static struct wire_message
nothing(enum wire_kind kind)
{
	return (struct wire_message){ .kind = kind, .code = WIRE_NONE, .seq = WIRE_NONE, .count = WIRE_NONE };
}

bool
wire_next(struct slice *frame, struct slice *ret_text)
{
	while (frame->n > 0) {
		const char *end = memchr(frame->p, '\n', frame->n);
		const size_t n = end != NULL ? (size_t)(end - frame->p) : frame->n;
		const size_t skip = end != NULL ? n + 1 : n;

		*ret_text = (struct slice){ frame->p, n };
		*frame = (struct slice){ frame->p + skip, frame->n - skip };
		while (ret_text->n > 0 && ret_text->p[ret_text->n - 1] == '\r')
			ret_text->n--;
		if (ret_text->n > 0)
			return true;
	}
	return false;
}

/* ------------------------------------------------------------------ one pass */

/* A position in the text; every step says false where json-c has to read the message instead. */
struct scan {
	const char *p, *end;
};

static bool
take(struct scan *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static void
skip_space(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

/* A string of plain ASCII. */
static bool
plain_string(struct scan *s, struct slice *ret)
{
	const char *begin;

	if (!take(s, '"'))
		return false;
	for (begin = s->p; s->p < s->end && *s->p != '"'; s->p++) {
		if (*s->p == '\\' || (unsigned char)*s->p < 0x20 || (unsigned char)*s->p >= 0x7f)
			return false;
	}
	*ret = (struct slice){ begin, (size_t)(s->p - begin) };
	return take(s, '"');
}

/* An integer that is one for certain. */
static bool
plain_integer(struct scan *s, int64_t *ret)
{
	const bool minus = take(s, '-');
	const char *begin = s->p;
	int64_t v = 0;

	for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++)
		v = s->p - begin < 18 ? v * 10 + (*s->p - '0') : v;
	if (s->p == begin || s->p - begin > 18 || (*begin == '0' && s->p - begin > 1))
		return false;
	if (s->p < s->end && (*s->p == '.' || *s->p == 'e' || *s->p == 'E'))
		return false;
	*ret = minus ? -v : v;
	return true;
}

static bool
skip_digits(struct scan *s)
{
	const char *begin = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return s->p > begin;
}

/* A number as RFC 8259 has it. */
static bool
skip_number(struct scan *s)
{
	take(s, '-');
	if (!take(s, '0') && !skip_digits(s))
		return false;
	if (take(s, '.') && !skip_digits(s))
		return false;
	if (take(s, 'e') || take(s, 'E')) {
		if (!take(s, '+'))
			take(s, '-');
		return skip_digits(s);
	}
	return true;
}

static bool
skip_scalar(struct scan *s)
{
	static const struct slice words[] = { SLICE("true"), SLICE("false"), SLICE("null") };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (slice_has_prefix((struct slice){ s->p, (size_t)(s->end - s->p) }, words[i])) {
			s->p += words[i].n;
			return true;
		}
	}
	return skip_number(s);
}

static bool skip_value(struct scan *s, unsigned depth);

static bool
skip_container(struct scan *s, char close, unsigned depth)
{
	struct slice key;

	s->p++;
	skip_space(s);
	if (take(s, close))
		return true;
	do {
		skip_space(s);
		if (close == '}') {
			if (!plain_string(s, &key))
				return false;
			skip_space(s);
			if (!take(s, ':'))
				return false;
		}
		if (!skip_value(s, depth + 1))
			return false;
		skip_space(s);
	} while (take(s, ','));
	return take(s, close);
}

static bool
skip_value(struct scan *s, unsigned depth)
{
	struct slice text;

	skip_space(s);
	if (s->p == s->end || depth > DEPTH_MAX)
		return false;
	switch (*s->p) {
	case '{':
		return skip_container(s, '}', depth);
	case '[':
		return skip_container(s, ']', depth);
	case '"':
		return plain_string(s, &text);
	default:
		return skip_scalar(s);
	}
}

/* Where the values of the keys of one object go; other keys are passed over. */
struct field {
	struct slice key;
	struct slice *text;	    /* one of these three: a string, */
	int64_t *number;	    /* an integer, */
	const struct field *inside; /* an object with these keys */
};

#define END \
	{ \
		SLICE(""), NULL, NULL, NULL \
	}

static bool
read_object(struct scan *s, const struct field *fields)
{
	skip_space(s);
	if (!take(s, '{'))
		return false;
	skip_space(s);
	if (take(s, '}'))
		return true;
	do {
		const struct field *f = fields;
		struct slice key;
		bool fits;

		skip_space(s);
		if (!plain_string(s, &key))
			return false;
		skip_space(s);
		if (!take(s, ':'))
			return false;
		skip_space(s);
		while (f->key.n > 0 && !slice_eq(f->key, key))
			f++;
		if (f->text != NULL)
			fits = f->text->p == NULL && plain_string(s, f->text); /* a key that is there twice is left to json-c */
		else if (f->number != NULL)
			fits = *f->number == WIRE_NONE && plain_integer(s, f->number);
		else if (f->inside != NULL && s->p < s->end && *s->p == '{')
			fits = read_object(s, f->inside);
		else
			fits = skip_value(s, 0);
		if (!fits)
			return false;
		skip_space(s);
	} while (take(s, ','));
	return take(s, '}');
}

static bool
read_plain_ctrl(struct scan *s, struct wire_message *m)
{
	const struct field params[] = { { SLICE("seq"), NULL, &m->seq, NULL }, { SLICE("count"), NULL, &m->count, NULL },
		{ SLICE("what"), &m->what, NULL, NULL }, { SLICE("user"), &m->user, NULL, NULL },
		{ SLICE("token"), &m->token, NULL, NULL }, { SLICE("tmpname"), &m->tmpname, NULL, NULL }, END };
	const struct field fields[] = { { SLICE("id"), &m->id, NULL, NULL }, { SLICE("topic"), &m->topic, NULL, NULL },
		{ SLICE("code"), NULL, &m->code, NULL }, { SLICE("text"), &m->text, NULL, NULL },
		{ SLICE("params"), NULL, NULL, params }, END };

	return read_object(s, fields);
}

static bool
read_plain_data(struct scan *s, struct wire_message *m)
{
	const struct field head[] = { { SLICE("x-im-client-mid"), &m->mid, NULL, NULL }, END };
	const struct field content[] = { { SLICE("run_id"), &m->run_id, NULL, NULL }, END };
	const struct field fields[] = { { SLICE("topic"), &m->topic, NULL, NULL }, { SLICE("from"), &m->from, NULL, NULL },
		{ SLICE("seq"), NULL, &m->seq, NULL }, { SLICE("head"), NULL, NULL, head },
		{ SLICE("content"), NULL, NULL, content }, END };

	return read_object(s, fields);
}

bool
wire_read_plain(struct slice text, struct wire_message *ret)
{
	struct scan s = { text.p, text.p + text.n };
	struct wire_message m;
	struct slice key;
	bool good;

	skip_space(&s);
	if (!take(&s, '{') || !plain_string(&s, &key) || !take(&s, ':'))
		return false;
	if (slice_eq(key, kind_names[WIRE_CTRL])) {
		m = nothing(WIRE_CTRL);
		good = read_plain_ctrl(&s, &m);
	} else if (slice_eq(key, kind_names[WIRE_DATA])) {
		m = nothing(WIRE_DATA);
		good = read_plain_data(&s, &m);
	} else {
		return false;
	}
	skip_space(&s);
	if (!good || !take(&s, '}'))
		return false;
	skip_space(&s);
	if (s.p != s.end)
		return false;
	*ret = m;
	return true;
}

/* ------------------------------------------------------------------ json-c */

static struct slice
text_of(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return (struct slice){ NULL, 0 };
	return (struct slice){ json_object_get_string(v), (size_t)json_object_get_string_len(v) };
}

static int64_t
number_of(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_int) ? json_object_get_int64(v) :
												WIRE_NONE;
}

static struct json_object *
object_of(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_object) ? v : NULL;
}

static void
read_document(struct json_object *document, struct wire_message *m)
{
	struct json_object *o = NULL, *params;

	*m = nothing(WIRE_OTHER);
	for (unsigned k = WIRE_CTRL; k <= WIRE_INFO && o == NULL; k++) {
		o = object_of(document, kind_names[k].p);
		if (o != NULL)
			m->kind = (enum wire_kind)k;
	}
	if (o == NULL)
		return;
	m->topic = text_of(o, "topic");
	params = m->kind == WIRE_CTRL ? object_of(o, "params") : NULL;
	if (m->kind == WIRE_CTRL || m->kind == WIRE_META)
		m->id = text_of(o, "id");
	if (m->kind == WIRE_CTRL) {
		m->code = number_of(o, "code");
		m->text = text_of(o, "text");
		m->seq = number_of(params, "seq");
		m->count = number_of(params, "count");
		m->what = text_of(params, "what");
		m->user = text_of(params, "user");
		m->token = text_of(params, "token");
		m->tmpname = text_of(params, "tmpname");
		return;
	}
	m->seq = number_of(o, "seq");
	if (m->kind == WIRE_DATA || m->kind == WIRE_INFO)
		m->from = text_of(o, "from");
	if (m->kind != WIRE_DATA) {
		m->what = text_of(o, "what");
		m->src = text_of(o, "src");
	} else {
		m->mid = text_of(object_of(o, "head"), "x-im-client-mid");
		m->run_id = text_of(object_of(o, "content"), "run_id");
	}
}

void
wire_reader_done(struct wire_reader *r)
{
	json_object_put(r->document);
	if (r->tokener != NULL)
		json_tokener_free(r->tokener);
	*r = (struct wire_reader){ .tokener = NULL };
}

void
wire_read_any(struct wire_reader *r, struct slice text, struct wire_message *ret)
{
	json_object_put(r->document);
	r->document = NULL;
	*ret = nothing(WIRE_BROKEN);
	if (r->tokener == NULL)
		r->tokener = json_tokener_new();
	if (r->tokener == NULL || text.n > INT_MAX)
		return;
	json_tokener_reset(r->tokener);
	json_tokener_set_flags(r->tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	r->document = json_tokener_parse_ex(r->tokener, text.p, (int)text.n);
	if (r->document != NULL && json_object_is_type(r->document, json_type_object))
		read_document(r->document, ret);
}

void
wire_read(struct wire_reader *r, struct slice text, struct wire_message *ret)
{
	if (!wire_read_plain(text, ret))
		wire_read_any(r, text, ret);
}
