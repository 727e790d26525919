#include "config.h"

#include "collect/run_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/time.h"

#define DOCUMENT_BYTES_MAX ((size_t)16 << 20) /* of run.json, timeline.json, a line of topics.jsonl */
#define DEPTH_MAX 16
#define TOPICS_MAX ((size_t)1 << 20)

static const char *const marks[] = { "baseline_start", "load_start", "load_end", "drain_end", "reconcile_start", "reconcile_end",
	"close_start", "close_end", NULL };

bool
run_mark_exists(const char *name)
{
	for (const char *const *m = marks; *m != NULL; m++)
		if (strcmp(*m, name) == 0)
			return true;
	return false;
}

const char *
run_phase_mark(enum collect_phase phase)
{
	return marks[phase];
}

/* ------------------------------------------------------------------ JSON */

static void
put_json(struct json_object **o)
{
	json_object_put(*o);
}

static void
free_tokener(struct json_tokener **t)
{
	if (*t != NULL)
		json_tokener_free(*t);
}

/* The object that `text` is, which has nothing else but blanks; NULL: it is none. */
static struct json_object *
parse_object(struct json_tokener *t, struct slice text)
{
	struct json_object *o;
	size_t end;

	json_tokener_reset(t);
	o = json_tokener_parse_ex(t, text.p, (int)text.n);
	end = json_tokener_get_parse_end(t);
	while (end < text.n && strchr(" \t\r\n", text.p[end]) != NULL && text.p[end] != '\0')
		end++;
	if (json_object_is_type(o, json_type_object) && end == text.n)
		return o;
	json_object_put(o);
	return NULL;
}

static enum imp_rc
new_tokener(struct json_tokener **ret, struct imp_err *err)
{
	*ret = json_tokener_new_ex(DEPTH_MAX);
	if (*ret == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	json_tokener_set_flags(*ret, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS | JSON_TOKENER_VALIDATE_UTF8);
	return IMP_OK;
}

/* The text under `key`, p NULL when it has none that can be used. */
static struct slice
text_of(struct json_object *o, const char *key)
{
	struct json_object *v = json_object_object_get(o, key);
	struct slice s = { NULL, 0 };

	if (json_object_is_type(v, json_type_string))
		s = (struct slice){ json_object_get_string(v), (size_t)json_object_get_string_len(v) };
	return s.n > 0 && memchr(s.p, '\0', s.n) == NULL ? s : (struct slice){ NULL, 0 };
}

static int64_t
time_of(struct json_object *o, const char *key)
{
	struct json_object *v = json_object_object_get(o, key);
	int64_t t = json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : INT64_MIN;

	return time_fits(t) ? t : INT64_MIN;
}

/* ------------------------------------------------------------------ files */

/* -1 in *ret: there is none. */
static enum imp_rc
open_file(int dirfd, const char *name, int *ret, struct imp_err *err)
{
	*ret = beneath_open(dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (*ret < 0 && errno != ENOENT)
		return imp_err_errno(err, IMP_E_DATA, errno, "could not open '%s'", name);
	return IMP_OK;
}

/* Read into `out`, up to the cap of it; *ret_n is 0 at the end. */
static enum imp_rc
read_piece(int fd, const char *name, struct buf *out, size_t *ret_n, struct imp_err *err)
{
	char piece[65536];
	ssize_t n;
	enum imp_rc rc;

	do {
		n = read(fd, piece, sizeof(piece));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not read '%s'", name);
	buf_add(out, piece, (size_t)n);
	rc = buf_status(out, err);
	if (rc != IMP_OK)
		imp_err_wrap(err, "'%s'", name);
	else
		*ret_n = (size_t)n;
	return rc;
}

/* A small document; NULL in *ret: there is none. */
static enum imp_rc
read_document(int dirfd, const char *name, struct json_object **ret, struct imp_err *err)
{
	CLEANUP(close_fdp) int fd = -1;
	CLEANUP(buf_done) struct buf text = BUF_INIT(DOCUMENT_BYTES_MAX);
	CLEANUP(free_tokener) struct json_tokener *t = NULL;
	struct slice s;
	size_t n = 1;
	enum imp_rc rc = open_file(dirfd, name, &fd, err);

	*ret = NULL;
	if (rc != IMP_OK || fd < 0)
		return rc;
	while (rc == IMP_OK && n > 0)
		rc = read_piece(fd, name, &text, &n, err);
	if (rc == IMP_OK)
		rc = new_tokener(&t, err);
	if (rc != IMP_OK)
		return rc;
	s = buf_slice(&text);
	if (slice_has_prefix(s, SLICE("\xef\xbb\xbf")))
		s = (struct slice){ s.p + 3, s.n - 3 };
	*ret = parse_object(t, s);
	return *ret != NULL ? IMP_OK : imp_err_set(err, IMP_E_DATA, "'%s' is no JSON object", name);
}

/* ------------------------------------------------------------------ topics */

struct topic {
	const char *name, *kind;
};

struct topic_list {
	struct arena *arena;
	VEC(struct topic) v;
	size_t damaged;
};

static void
topic_list_done(struct topic_list *l)
{
	VEC_FREE(NULL, &l->v);
}

/* One line: a topic, nothing (it is blank), or damage. */
static enum imp_rc
take_topic(struct topic_list *l, struct json_tokener *t, struct slice line, struct imp_err *err)
{
	CLEANUP(put_json) struct json_object *o = NULL;
	struct slice name = { NULL, 0 }, kind = { NULL, 0 };
	struct topic topic;

	while (line.n > 0 && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t'))
		line.n--;
	if (line.n == 0)
		return IMP_OK;
	o = parse_object(t, line);
	if (o != NULL) {
		name = text_of(o, "topic");
		kind = text_of(o, "kind");
	}
	if (name.p == NULL || kind.p == NULL) {
		l->damaged++;
		return IMP_OK;
	}
	if (l->v.n == TOPICS_MAX)
		return imp_err_set(err, IMP_E_LIMIT, "'topics.jsonl' has more than %zu topics", TOPICS_MAX);
	topic.name = arena_slice(l->arena, name, err).p;
	topic.kind = topic.name != NULL ? arena_slice(l->arena, kind, err).p : NULL;
	return topic.kind != NULL ? VEC_PUSH(NULL, &l->v, topic, err) : IMP_E_NOMEM;
}

static enum imp_rc
take_lines(struct topic_list *l, struct json_tokener *t, struct buf *text, bool at_end, struct imp_err *err)
{
	struct slice rest = buf_slice(text);
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n);
		struct slice line = { rest.p, end != NULL ? (size_t)(end - rest.p) : rest.n };
		size_t used = line.n + (end != NULL);

		if (end == NULL && !at_end)
			break;
		rc = take_topic(l, t, line, err);
		rest = (struct slice){ rest.p + used, rest.n - used };
	}
	if (rc == IMP_OK && rest.n < text->n) {
		memmove(text->p, rest.p, rest.n);
		buf_truncate(text, rest.n);
	}
	return rc;
}

static int
topic_cmp(const void *a, const void *b)
{
	return strcmp(((const struct topic *)a)->name, ((const struct topic *)b)->name);
}

/* Sorted, each once, into arrays of their own. */
static enum imp_rc
keep_topics(struct topic_list *l, struct run_facts *f, struct imp_err *err)
{
	const char **names = arena_alloc(l->arena, (l->v.n + 1) * sizeof(*names), err);
	const char **kinds = arena_alloc(l->arena, (l->v.n + 1) * sizeof(*kinds), err);
	size_t n = 0;

	if (names == NULL || kinds == NULL)
		return IMP_E_NOMEM;
	if (l->v.n > 0)
		qsort(l->v.v, l->v.n, sizeof(*l->v.v), topic_cmp);
	for (size_t i = 0; i < l->v.n; i++) {
		if (i > 0 && topic_cmp(&l->v.v[i - 1], &l->v.v[i]) == 0)
			continue;
		names[n] = l->v.v[i].name;
		kinds[n++] = l->v.v[i].kind;
	}
	f->topics = names;
	f->kinds = kinds;
	f->ntopics = n;
	f->topics_damaged = l->damaged;
	return IMP_OK;
}

static enum imp_rc
read_topics(int dirfd, struct arena *arena, struct run_facts *f, struct imp_err *err)
{
	CLEANUP(close_fdp) int fd = -1;
	CLEANUP(buf_done) struct buf text = BUF_INIT(DOCUMENT_BYTES_MAX);
	CLEANUP(free_tokener) struct json_tokener *t = NULL;
	CLEANUP(topic_list_done) struct topic_list l = { .arena = arena };
	size_t n = 1;
	bool first = true;
	enum imp_rc rc = open_file(dirfd, "topics.jsonl", &fd, err);

	if (rc != IMP_OK || fd < 0)
		return rc;
	rc = new_tokener(&t, err);
	while (rc == IMP_OK && n > 0) {
		rc = read_piece(fd, "topics.jsonl", &text, &n, err);
		if (rc == IMP_OK && first && slice_has_prefix(buf_slice(&text), SLICE("\xef\xbb\xbf")))
			memset(text.p, ' ', 3); /* a byte-order mark */
		first = false;
		if (rc == IMP_OK)
			rc = take_lines(&l, t, &text, n == 0, err);
	}
	return rc == IMP_OK ? keep_topics(&l, f, err) : rc;
}

/* ------------------------------------------------------------------ the run */

static enum imp_rc
keep_text(struct arena *arena, struct json_object *o, const char *key, const char **ret, struct imp_err *err)
{
	struct slice s = text_of(o, key);

	if (s.p == NULL)
		return IMP_OK;
	*ret = arena_slice(arena, s, err).p;
	return *ret != NULL ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
read_plan(int dirfd, struct arena *arena, struct run_facts *f, struct imp_err *err)
{
	CLEANUP(put_json) struct json_object *o = NULL;
	enum imp_rc rc = read_document(dirfd, "run.json", &o, err);

	if (rc != IMP_OK || o == NULL)
		return rc;
	rc = keep_text(arena, o, "run_id", &f->run_id, err);
	if (rc == IMP_OK)
		rc = keep_text(arena, o, "tenant", &f->tenant, err);
	return rc == IMP_OK ? keep_text(arena, o, "client_mid_prefix", &f->mid_prefix, err) : rc;
}

static enum imp_rc
read_timeline(int dirfd, struct run_facts *f, struct imp_err *err)
{
	CLEANUP(put_json) struct json_object *o = NULL;
	enum imp_rc rc = read_document(dirfd, "timeline.json", &o, err);

	if (rc != IMP_OK || o == NULL)
		return rc;
	f->baseline_start = time_of(o, "baseline_start");
	f->load_start = time_of(o, "load_start");
	f->load_end = time_of(o, "load_end");
	f->drain_end = time_of(o, "drain_end");
	return IMP_OK;
}

enum imp_rc
run_facts_read(int dirfd, struct arena *arena, struct run_facts *ret, struct imp_err *err)
{
	struct run_facts f = RUN_FACTS_NONE;
	enum imp_rc rc = read_plan(dirfd, arena, &f, err);

	if (rc == IMP_OK)
		rc = read_timeline(dirfd, &f, err);
	if (rc == IMP_OK)
		rc = read_topics(dirfd, arena, &f, err);
	if (rc == IMP_OK)
		*ret = f;
	return rc;
}

enum imp_rc
run_mark_time(int dirfd, const char *name, int64_t *ret, struct imp_err *err)
{
	CLEANUP(put_json) struct json_object *o = NULL;
	enum imp_rc rc = read_document(dirfd, "timeline.json", &o, err);

	if (rc == IMP_OK)
		*ret = o != NULL ? time_of(o, name) : INT64_MIN;
	return rc;
}
