#include "config.h"

#include "ingest/json_pull.h"

#include <stdlib.h>

void
json_pull_init(struct json_pull *j, struct slice text)
{
	*j = (struct json_pull){ .lexer = { .end = text.p + text.n }, .p = text.p, .counted = text.p, .line = 1 };
	j->lexer.scratch = &j->scratch;
}

void
json_pull_done(struct json_pull *j)
{
	free(j->scratch.p);
}

static void
go_bad(struct json_pull *j)
{
	j->bad = true;
	j->torn = j->lexer.stop == j->lexer.end && !j->lexer.nomem;
	if (j->lexer.stop != NULL)
		j->p = j->lexer.stop;
}

static bool
moved(struct json_pull *j, const char *p)
{
	if (p == NULL)
		go_bad(j);
	else
		j->p = p;
	return p != NULL;
}

static void
stop_here(struct json_pull *j)
{
	record_stop(&j->lexer, j->p);
	go_bad(j);
}

/* The end of a string with escapes, so that the lexer makes no room for the whole rest of the text. */
static const char *
string_end(const struct json_pull *j, const char *p)
{
	for (p++; p < j->lexer.end && *p != '"'; p++)
		p += *p == '\\';
	return p < j->lexer.end ? p + 1 : j->lexer.end;
}

static const char *
read_string(struct json_pull *j, const char *p, struct slice *ret)
{
	const char *plain = record_plain_end(&j->lexer, p + 1), *end = j->lexer.end;

	if (plain < end && *plain == '"') {
		*ret = (struct slice){ p + 1, (size_t)(plain - p - 1) };
		return plain + 1;
	}
	/* a key and a value may be borrowed at once: the key is looked at before its value is read */
	j->scratch.n = 0;
	j->lexer.end = string_end(j, p);
	plain = record_read_odd_string(&j->lexer, p + 1, plain < j->lexer.end ? plain : j->lexer.end, ret);
	if (plain == NULL && j->lexer.stop == j->lexer.end && j->lexer.end < end)
		j->lexer.stop = j->lexer.end - 1; /* in the middle of the text, not at its end */
	j->lexer.end = end;
	return plain;
}

char
json_pull_peek(struct json_pull *j)
{
	if (j->bad)
		return '\0';
	j->p = record_skip_space(&j->lexer, j->p);
	return record_byte(&j->lexer, j->p);
}

char
json_pull_enter(struct json_pull *j)
{
	char c = json_pull_peek(j);

	if (c != '{' && c != '[')
		return '\0';
	if (j->depth == JSON_DEPTH_MAX) {
		stop_here(j);
		return '\0';
	}
	j->close[j->depth++] = c == '{' ? '}' : ']';
	j->first = true;
	j->p++;
	return c;
}

bool
json_pull_enter_if(struct json_pull *j, char wanted)
{
	if (json_pull_peek(j) == wanted)
		return json_pull_enter(j) == wanted;
	json_pull_skip(j);
	return false;
}

/* Up to the colon behind a key, and the value. */
static bool
read_key(struct json_pull *j, struct slice *ret)
{
	if (json_pull_peek(j) != '"') {
		stop_here(j);
		return false;
	}
	if (!moved(j, read_string(j, j->p, ret)))
		return false;
	if (json_pull_peek(j) != ':') {
		stop_here(j);
		return false;
	}
	j->p++;
	return true;
}

bool
json_pull_next(struct json_pull *j, struct slice *ret_key)
{
	char close, c = json_pull_peek(j);
	bool first = j->first;

	if (j->bad || j->depth == 0)
		return false;
	close = j->close[j->depth - 1];
	j->first = false;
	*ret_key = (struct slice){ NULL, 0 };
	if (c == close) {
		j->depth--;
		j->p++;
		return false;
	}
	if (!first) {
		if (c != ',') {
			stop_here(j);
			return false;
		}
		j->p++;
	}
	return close == ']' || read_key(j, ret_key);
}

bool
json_pull_value(struct json_pull *j, struct record_value *ret)
{
	char c = json_pull_peek(j);

	if (j->bad || c == '{' || c == '[')
		return false;
	if (c == '"') {
		ret->type = REC_STRING;
		return moved(j, read_string(j, j->p, &ret->s));
	}
	return moved(j, record_read_value(&j->lexer, j->p, ret));
}

void
json_pull_skip(struct json_pull *j)
{
	unsigned depth = j->depth;
	struct record_value v;
	struct slice key;

	do {
		if (json_pull_enter(j) == '\0')
			json_pull_value(j, &v);
		while (!j->bad && j->depth > depth && !json_pull_next(j, &key))
			;
	} while (!j->bad && j->depth > depth);
}

static bool
scalar_tree(struct json_pull *j, struct arena *arena, struct json *ret, enum imp_rc *ret_rc)
{
	struct record_value v;
	struct imp_err err = { .code = IMP_OK };

	*ret_rc = IMP_E_DATA;
	if (!json_pull_value(j, &v)) {
		*ret_rc = j->lexer.nomem ? IMP_E_NOMEM : IMP_E_DATA;
		return false;
	}
	*ret = (struct json){ .type = JSON_NULL };
	if (v.type == REC_INT)
		*ret = (struct json){ .type = JSON_INT, .i = v.i };
	else if (v.type == REC_REAL)
		*ret = (struct json){ .type = JSON_REAL, .d = v.d };
	else if (v.type == REC_BOOL)
		*ret = (struct json){ .type = JSON_BOOL, .truth = v.i != 0 };
	else if (v.type == REC_STRING)
		*ret = (struct json){ .type = JSON_TEXT, .text = arena_slice(arena, v.s, &err) };
	*ret_rc = err.code;
	return err.code == IMP_OK;
}

bool
json_pull_tree(struct json_pull *j, struct arena *arena, struct json *ret, enum imp_rc *ret_rc)
{
	char c = json_pull_peek(j);
	const char *start = j->p;
	struct imp_err err;

	if (c != '{' && c != '[')
		return scalar_tree(j, arena, ret, ret_rc);
	json_pull_skip(j);
	*ret_rc = j->lexer.nomem ? IMP_E_NOMEM : IMP_E_DATA;
	if (!j->bad)
		*ret_rc = json_read(arena, (struct slice){ start, (size_t)(j->p - start) }, ret, &err);
	return *ret_rc == IMP_OK;
}

bool
json_pull_end(struct json_pull *j)
{
	if (!j->bad && (json_pull_peek(j) != '\0' || j->p < j->lexer.end || j->depth > 0))
		stop_here(j);
	return !j->bad;
}

uint64_t
json_pull_line(struct json_pull *j)
{
	const char *feed;

	while (j->counted < j->p && (feed = memchr(j->counted, '\n', (size_t)(j->p - j->counted))) != NULL) {
		j->line++;
		j->counted = feed + 1;
	}
	if (j->counted < j->p)
		j->counted = j->p;
	return j->line;
}
