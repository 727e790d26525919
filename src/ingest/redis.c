#include "config.h"

#include "ingest/redis.h"

#include "base/cleanup.h"
#include "base/redact.h"
#include "base/time.h"
#include "ingest/json_pull.h"

#define COMMAND_BYTES_MAX ((size_t)16 << 10)
#define NS_PER_MS INT64_C(1000000)
#define LATENCY_RING 160 /* spikes of an event that the server keeps: so many may be the last of more */

struct redis_reading {
	struct redis *r;
	struct snapshot *s;
	struct imp_err *err;
};

void
redis_done(struct redis *r)
{
	VEC_FREE(r->arena.budget, &r->figures);
	VEC_FREE(r->arena.budget, &r->slow);
	VEC_FREE(r->arena.budget, &r->spikes);
	arena_done(&r->arena);
}

/* ------------------------------------------------------------------ INFO */

static bool
is_figure_name(struct slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c <= ' ' || c == '"' || c == '<' || (unsigned char)c >= 0x7f)
			return false;
	}
	return s.n > 0;
}

static enum imp_rc
take_info_line(struct redis_reading *rd, struct slice line, uint64_t number)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct redis_figure f = { .line = number };
	struct slice name = { line.p, colon != NULL ? (size_t)(colon - line.p) : 0 };

	if (line.n == 0 || line.p[0] == '#')
		return IMP_OK;
	if (!is_figure_name(name))
		return snapshot_reject(rd->s, number, "not a line of INFO", rd->err);
	f.name = arena_slice(&rd->r->arena, name, rd->err);
	if (f.name.p != NULL)
		f.value = arena_slice(&rd->r->arena, (struct slice){ colon + 1, line.n - name.n - 1 }, rd->err);
	if (f.value.p == NULL)
		return rd->err->code;
	rd->s->samples++;
	return VEC_PUSH(rd->r->arena.budget, &rd->r->figures, f, rd->err);
}

static enum imp_rc
read_info(struct redis_reading *rd, struct slice text)
{
	uint64_t number = 0;
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && text.n > 0) {
		const char *feed = memchr(text.p, '\n', text.n);
		size_t n = feed != NULL ? (size_t)(feed - text.p) : text.n;

		rc = take_info_line(rd, (struct slice){ text.p, n - (n > 0 && text.p[n - 1] == '\r') }, ++number);
		n += feed != NULL;
		text = (struct slice){ text.p + n, text.n - n };
	}
	return rc;
}

/* ------------------------------------------------------------------ SLOWLOG */

static const struct json *
item(const struct json *entry, unsigned place)
{
	const struct json *v = entry->items.first;

	while (v != NULL && place-- > 0)
		v = v->next;
	return v;
}

static const struct json *
first_of(const struct json *o, const char *const *keys)
{
	const struct json *v = NULL;

	for (; *keys != NULL && v == NULL; keys++)
		v = json_get(o, *keys);
	return v;
}

static int64_t
whole(const struct json *v)
{
	return v != NULL && v->type == JSON_INT ? v->i : NO_TIME;
}

/* The arguments with blanks between, or the text itself, without secrets. */
static struct slice
command_of(struct redis_reading *rd, const struct json *v)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(COMMAND_BYTES_MAX), safe = BUF_INIT(4 * COMMAND_BYTES_MAX);

	if (v != NULL && v->type == JSON_TEXT) {
		buf_add(&text, v->text.p, v->text.n < COMMAND_BYTES_MAX ? v->text.n : COMMAND_BYTES_MAX);
	} else if (v != NULL && v->type == JSON_ARRAY) {
		for (const struct json *a = v->items.first; a != NULL; a = a->next) {
			if (a->type == JSON_TEXT && text.n + a->text.n + 16 < COMMAND_BYTES_MAX)
				buf_addf(&text, "%s%.*s", text.n > 0 ? " " : "", SLICE_ARG(a->text));
			if (a->type == JSON_TEXT && redact_hides_next(a->text) && a->next != NULL) {
				buf_add_str(&text, " [redacted]");
				break;
			}
		}
	}
	redact_add(&safe, buf_slice(&text));
	if (text.failed == IMP_E_NOMEM || safe.failed == IMP_E_NOMEM) {
		imp_err_set(rd->err, IMP_E_NOMEM, "out of memory: '%s'", rd->s->path);
		return (struct slice){ NULL, 0 };
	}
	return arena_slice(&rd->r->arena, safe.n > 0 ? buf_slice(&safe) : SLICE(""), rd->err);
}

static enum imp_rc
take_slow(struct redis_reading *rd, const struct json *o, uint64_t line)
{
	static const char *const ids[] = { "id", NULL }, *const times[] = { "timestamp", "time", "start_time", NULL },
				 *const durations[] = { "duration_us", "duration", "execution_time", NULL },
				 *const commands[] = { "command", "args", "arguments", NULL },
				 *const clients[] = { "client", "client_address", "client_addr", NULL };
	bool array = o->type == JSON_ARRAY;
	const struct json *client = array ? item(o, 4) : first_of(o, clients);
	int64_t t = whole(array ? item(o, 1) : first_of(o, times));
	struct redis_slow slow = {
		.t = NO_TIME,
		.id = whole(array ? item(o, 0) : first_of(o, ids)),
		.duration_us = whole(array ? item(o, 2) : first_of(o, durations)),
		.line = line,
	};

	if (o->type != JSON_ARRAY && o->type != JSON_OBJECT)
		return snapshot_reject(rd->s, line, "not an entry of SLOWLOG", rd->err);
	if (t >= 0 && t <= TIME_MAX / NS_PER_S)
		slow.t = t * NS_PER_S;
	if (slow.t == NO_TIME || slow.duration_us < 0)
		return snapshot_reject(rd->s, line, "not an entry of SLOWLOG", rd->err);
	slow.command = command_of(rd, array ? item(o, 3) : first_of(o, commands));
	if (slow.command.p != NULL && client != NULL && client->type == JSON_TEXT && client->text.n > 0)
		slow.client = arena_slice(&rd->r->arena, client->text, rd->err);
	if (slow.command.p == NULL || (slow.client.p == NULL && client != NULL && client->type == JSON_TEXT && client->text.n > 0))
		return rd->err->code;
	rd->s->samples++;
	return VEC_PUSH(rd->r->arena.budget, &rd->r->slow, slow, rd->err);
}

/* One entry of a list as a tree, handed to `take`. */
static enum imp_rc
read_entry(struct redis_reading *rd, struct json_pull *j,
    enum imp_rc (*take)(struct redis_reading *rd, const struct json *o, uint64_t line))
{
	CLEANUP(arena_done) struct arena arena = { .budget = rd->r->arena.budget };
	uint64_t line = (json_pull_peek(j), json_pull_line(j));
	struct json o;
	enum imp_rc rc;

	if (json_pull_tree(j, &arena, &o, &rc)) {
		return take(rd, &o, line);
	}
	if (rc != IMP_E_DATA)
		return imp_err_set(rd->err, rc, "out of memory: '%s'", rd->s->path);
	return j->bad ? IMP_OK : snapshot_reject(rd->s, line, "text that is not UTF-8", rd->err);
}

/* The rest of a document whose list was read. */
static enum imp_rc
read_end(struct redis_reading *rd, struct json_pull *j)
{
	if (json_pull_end(j))
		return IMP_OK;
	if (j->lexer.nomem)
		return imp_err_set(rd->err, IMP_E_NOMEM, "out of memory: '%s'", rd->s->path);
	rd->s->cut |= j->torn;
	return snapshot_reject(rd->s, json_pull_line(j), j->torn ? "it ends too early" : "not JSON", rd->err);
}

static enum imp_rc
read_slowlog(struct redis_reading *rd, struct json_pull *j)
{
	struct slice key;
	enum imp_rc rc = IMP_OK;

	json_pull_enter(j);
	while (rc == IMP_OK && json_pull_next(j, &key))
		rc = read_entry(rd, j, take_slow);
	return rc == IMP_OK ? read_end(rd, j) : rc;
}

/* ------------------------------------------------------------------ LATENCY */

static enum imp_rc
add_spike(struct redis_reading *rd, struct redis_spike spike, const struct json *t, const struct json *ms)
{
	int64_t s = whole(t);

	spike.duration_ns = whole(ms);
	if (s < 0 || s > TIME_MAX / NS_PER_S || spike.duration_ns < 0 || spike.duration_ns > TIME_MAX / NS_PER_MS)
		return snapshot_reject(rd->s, spike.line, "not a spike of LATENCY", rd->err);
	spike.t = s * NS_PER_S;
	spike.duration_ns *= NS_PER_MS;
	rd->s->samples++;
	return VEC_PUSH(rd->r->arena.budget, &rd->r->spikes, spike, rd->err);
}

/* {"event":"command","time":s,"latest_ms":n,"max_ms":n,"history":[[s,ms],...]}: its history where that was asked for, else the latest. */
static enum imp_rc
take_event(struct redis_reading *rd, const struct json *o, uint64_t line)
{
	const struct json *event = o->type == JSON_OBJECT ? json_get(o, "event") : NULL;
	const struct json *history = o->type == JSON_OBJECT ? json_get(o, "history") : NULL;
	struct redis_spike spike = { .line = line, .max_ns = NO_TIME };
	int64_t most = o->type == JSON_OBJECT ? whole(json_get(o, "max_ms")) : NO_TIME;
	size_t n = 0;
	enum imp_rc rc = IMP_OK;

	if (event == NULL || event->type != JSON_TEXT || event->text.n == 0)
		return snapshot_reject(rd->s, line, "not an event of LATENCY", rd->err);
	spike.event = arena_slice(&rd->r->arena, event->text, rd->err);
	if (spike.event.p == NULL)
		return rd->err->code;
	if (most >= 0 && most <= TIME_MAX / NS_PER_MS)
		spike.max_ns = most * NS_PER_MS;
	if (history == NULL || history->type != JSON_ARRAY)
		return add_spike(rd, spike, json_get(o, "time"), json_get(o, "latest_ms"));
	for (const struct json *h = history->items.first; h != NULL && rc == IMP_OK; h = h->next, n++) {
		if (h->type == JSON_ARRAY)
			rc = add_spike(rd, spike, item(h, 0), item(h, 1));
		else
			rc = snapshot_reject(rd->s, line, "not a spike of LATENCY", rd->err);
	}
	rd->r->limited |= n == LATENCY_RING;
	return rc;
}

/* {"latency":[...]} */
static enum imp_rc
read_latency(struct redis_reading *rd, struct json_pull *j)
{
	struct slice key;
	bool any = false;
	enum imp_rc rc = IMP_OK;

	json_pull_enter(j);
	while (rc == IMP_OK && json_pull_next(j, &key)) {
		if (!slice_eq(key, SLICE("latency")) || !json_pull_enter_if(j, '[')) {
			json_pull_skip(j);
			continue;
		}
		any = true;
		while (rc == IMP_OK && json_pull_next(j, &key))
			rc = read_entry(rd, j, take_event);
	}
	if (rc == IMP_OK && !any && !j->bad)
		rc = snapshot_reject(rd->s, json_pull_line(j), "neither SLOWLOG nor LATENCY", rd->err);
	return rc == IMP_OK ? read_end(rd, j) : rc;
}

enum imp_rc
redis_read(struct redis *r, struct snapshot *s, struct imp_err *err)
{
	CLEANUP(snapshot_text_done) struct snapshot_text text;
	struct imp_err why;
	struct redis_reading rd = { .r = r, .s = s, .err = &why };
	struct json_pull j;
	enum imp_rc rc = snapshot_text(s, r->arena.budget, &text, &why);

	if (rc == IMP_OK && text.text.p != NULL) {
		json_pull_init(&j, text.text);
		if (json_pull_peek(&j) == '[')
			rc = read_slowlog(&rd, &j);
		else if (json_pull_peek(&j) == '{')
			rc = read_latency(&rd, &j);
		else
			rc = read_info(&rd, text.text);
		json_pull_done(&j);
		if (s->samples == 0 && s->rejected == 0)
			snapshot_note(s, "empty");
	}
	if (rc == IMP_E_LIMIT)
		rc = snapshot_reject(s, 0, "too large to be read", &why);
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}
