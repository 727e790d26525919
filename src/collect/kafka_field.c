#include "config.h"

#include "collect/kafka_field.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <json-c/json.h>
#include <json-c/json_pointer.h>
#include <pcre2.h>

#include "base/cleanup.h"
#include "base/settings.h"

#define JSON_DEPTH_MAX 32
#define MATCH_STEPS_MAX 100000 /* an expression that runs wild finds nothing */

/* ------------------------------------------------------------------ configuration */

static enum imp_rc
read_part(struct arena *arena, const struct doc_node *n, struct kafka_field *f, struct imp_err *err)
{
	const struct doc_node *header = doc_get(n, "header"), *json = doc_get(n, "json"), *key = doc_get(n, "key");
	const struct doc_node *value = doc_get(n, "value");
	bool yes = true;
	enum imp_rc rc = IMP_OK;

	if ((header != NULL) + (json != NULL) + (key != NULL) + (value != NULL) != 1)
		return doc_error(&n->at, err, "one of `header`, `json`, `key` and `value` is needed");
	f->part = header != NULL ? KAFKA_PART_HEADER : key != NULL ? KAFKA_PART_KEY : KAFKA_PART_VALUE;
	if (header != NULL)
		return setting_text(arena, header, NULL, &f->header, err);
	if (json == NULL) {
		rc = setting_bool(key != NULL ? key : value, true, &yes, err);
		return rc == IMP_OK && !yes ? doc_error(&n->at, err, "only `true` makes sense here") : rc;
	}
	for (const struct doc_node *p = json->kind == DOC_LIST ? json->first : json; rc == IMP_OK && p != NULL; p = p->next) {
		if (f->npointers == KAFKA_POINTERS_MAX)
			return doc_error(&p->at, err, "more than %d pointers", KAFKA_POINTERS_MAX);
		rc = setting_text(arena, p, NULL, &f->pointers[f->npointers++], err);
		if (rc == IMP_OK && p->text.p[0] != '/')
			return doc_error(&p->at, err, "a JSON pointer begins with '/': /payload/client_mid");
		if (json->kind != DOC_LIST)
			break;
	}
	return rc == IMP_OK && f->npointers == 0 ? doc_error(&json->at, err, "the list of pointers is empty") : rc;
}

static enum imp_rc
read_match(struct arena *arena, const struct doc_node *n, struct kafka_field *f, struct imp_err *err)
{
	const char *pattern = NULL;
	PCRE2_UCHAR8 why[128];
	PCRE2_SIZE where;
	int code;
	enum imp_rc rc = setting_text(arena, n, NULL, &pattern, err);

	if (rc != IMP_OK || pattern == NULL)
		return rc;
	f->match = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_BACKSLASH_C, &code, &where, NULL);
	if (f->match != NULL)
		return IMP_OK;
	pcre2_get_error_message(code, why, sizeof(why));
	return doc_error(&n->at, err, "the expression cannot be read, at its character %zu: %s", (size_t)where + 1,
	    (const char *)why);
}

enum imp_rc
kafka_field_read(struct arena *arena, const struct doc_node *n, const char *also, struct kafka_field *ret, struct imp_err *err)
{
	const char *const keys[] = { "header", "json", "key", "value", "match", also, NULL };
	struct kafka_field f = { .part = KAFKA_PART_NONE };
	enum imp_rc rc;

	if (n == NULL) {
		*ret = f;
		return IMP_OK;
	}
	rc = doc_is(n, DOC_MAP, err);
	if (rc == IMP_OK)
		rc = doc_check_keys(n, keys, err);
	if (rc == IMP_OK)
		rc = read_part(arena, n, &f, err);
	if (rc == IMP_OK)
		rc = read_match(arena, doc_get(n, "match"), &f, err);
	if (rc == IMP_OK)
		*ret = f;
	return rc;
}

void
kafka_field_done(struct kafka_field *f)
{
	pcre2_code_free(f->match);
	*f = (struct kafka_field){ .part = KAFKA_PART_NONE };
}

/* ------------------------------------------------------------------ records */

void
kafka_record_done(struct kafka_record *r)
{
	json_object_put(r->json);
	r->json = NULL;
	r->parsed = false;
}

/* NULL: it is no JSON. */
static struct json_object *
parse(struct slice text)
{
	struct json_tokener *t = text.p != NULL && text.n < INT32_MAX ? json_tokener_new_ex(JSON_DEPTH_MAX) : NULL;
	struct json_object *o = NULL;

	if (t == NULL)
		return NULL;
	o = json_tokener_parse_ex(t, text.p, (int)text.n);
	if (json_tokener_get_error(t) == json_tokener_continue) /* a number or word ends only with the text */
		o = json_tokener_parse_ex(t, "", 1);
	if (json_tokener_get_error(t) != json_tokener_success) {
		json_object_put(o);
		o = NULL;
	}
	json_tokener_free(t);
	return o;
}

static void
set(struct buf *out, struct slice s)
{
	buf_clear(out);
	buf_add_slice(out, s);
}

/* A string's content; of anything else its JSON. */
static struct slice
json_text(struct json_object *o)
{
	if (json_object_get_type(o) == json_type_string)
		return (struct slice){ json_object_get_string(o), (size_t)json_object_get_string_len(o) };
	return slice_of(json_object_get_string(o));
}

/* The text at the first pointer of the record's JSON, and of the JSON that this text is, and so on. */
static bool
get_json(const struct kafka_field *f, struct kafka_record *r, struct buf *out)
{
	struct json_object *inner = NULL, *o;
	bool found;

	if (!r->parsed) {
		r->json = parse(r->value);
		r->parsed = true;
	}
	o = r->json;
	found = o != NULL;
	for (unsigned i = 0; found && i < f->npointers; i++) {
		struct json_object *member = NULL;

		if (i > 0) {
			json_object_put(inner);
			inner = parse(buf_slice(out));
			o = inner;
		}
		found = o != NULL && json_pointer_get(o, f->pointers[i], &member) == 0 && member != NULL;
		if (found)
			set(out, json_text(member));
	}
	json_object_put(inner);
	return found;
}

static bool
get_part(const struct kafka_field *f, struct kafka_record *r, struct buf *out)
{
	struct slice s = { NULL, 0 };

	switch (f->part) {
	case KAFKA_PART_VALUE:
		if (f->npointers > 0)
			return get_json(f, r, out);
		s = r->value;
		break;
	case KAFKA_PART_KEY:
		s = r->key;
		break;
	case KAFKA_PART_HEADER:
		if (!r->header(r->ctx, f->header, &s))
			return false;
		break;
	case KAFKA_PART_NONE:
		break;
	}
	if (s.p != NULL)
		set(out, s);
	return s.p != NULL;
}

/* Leave of `text` what the expression catches. */
static bool
cut_to_match(const pcre2_code *code, struct buf *text)
{
	pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
	pcre2_match_context *limits = pcre2_match_context_create(NULL);
	bool found = false;

	if (data != NULL && limits != NULL) {
		const PCRE2_SIZE *at = pcre2_get_ovector_pointer(data);
		int groups;

		pcre2_set_match_limit(limits, MATCH_STEPS_MAX);
		groups = pcre2_match(code, (PCRE2_SPTR)(text->p != NULL ? text->p : ""), text->n, 0, 0, data, limits);
		at += groups > 1 && at[2] != PCRE2_UNSET ? 2 : 0;
		found = groups > 0 && at[1] >= at[0];
		if (found) {
			size_t n = at[1] - at[0];

			memmove(text->p, text->p + at[0], n);
			buf_truncate(text, n);
		}
	}
	pcre2_match_context_free(limits);
	pcre2_match_data_free(data);
	return found;
}

bool
kafka_field_get(const struct kafka_field *f, struct kafka_record *r, struct buf *out)
{
	buf_clear(out);
	if (!get_part(f, r, out) || out->failed != IMP_OK)
		return false;
	return f->match == NULL || cut_to_match(f->match, out);
}
