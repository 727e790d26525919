#include "config.h"

#include "ingest/log_loki.h"

#include <stdlib.h>

#include "base/cmp.h"
#include "base/time.h"
#include "ingest/json.h"

void
log_loki_done(struct log_loki *l)
{
	VEC_FREE(NULL, &l->v);
	arena_done(&l->arena);
}

static struct slice
text_of(const struct json *object, const char *const *keys)
{
	for (; *keys != NULL; keys++) {
		const struct json *v = json_get(object, *keys);

		if (v != NULL && v->type == JSON_TEXT)
			return v->text;
	}
	return (struct slice){ NULL, 0 };
}

/* Nanoseconds in digits. */
static bool
entry_time(const struct json *v, struct log_time *ret)
{
	int64_t ns = 0;

	if (v->type != JSON_TEXT || v->text.n == 0 || v->text.n > 19)
		return false;
	for (size_t i = 0; i < v->text.n; i++) {
		if (v->text.p[i] < '0' || v->text.p[i] > '9' || ns > TIME_MAX / 10)
			return false;
		ns = ns * 10 + (v->text.p[i] - '0');
	}
	*ret = (struct log_time){ .kind = LOG_ABSOLUTE, .ns = ns, .fine = true };
	return time_fits(ns);
}

/* ["<ns>", "line"], perhaps with more behind. */
static bool
read_line(const struct json *v, struct log_line *l)
{
	const struct json *t = v->type == JSON_ARRAY ? v->items.first : NULL, *text = t != NULL ? t->next : NULL;
	struct log_clock clock = { .near = 0 };
	struct log_line cri;

	if (text == NULL || text->type != JSON_TEXT || !entry_time(t, &l->t))
		return false;
	l->text = text->text;
	while (l->text.n > 0 && (l->text.p[l->text.n - 1] == '\n' || l->text.p[l->text.n - 1] == '\r'))
		l->text.n--;
	if (log_cri_read(&clock, l->text, &cri)) { /* nobody unwrapped it before */
		l->t = cri.t;
		l->text = cri.text;
		l->pipe = cri.pipe;
		l->partial = cri.partial;
	}
	return true;
}

static enum imp_rc
read_stream(struct log_loki *l, const struct json *stream, struct imp_err *err)
{
	static const char *const pods[] = { "pod", "pod_name", "kubernetes_pod_name", NULL };
	static const char *const containers[] = { "container", "container_name", "kubernetes_container_name", NULL };
	static const char *const pipes[] = { "stream", NULL };
	const struct json *labels = json_get(stream, "stream"), *values = json_get(stream, "values");
	struct log_line line = { .pipe = LOG_EITHER };
	enum imp_rc rc = IMP_OK;

	if (values == NULL || values->type != JSON_ARRAY) {
		l->damaged++;
		return IMP_OK;
	}
	if (labels != NULL) {
		struct slice pipe = text_of(labels, pipes);

		line.pod = text_of(labels, pods);
		line.container = text_of(labels, containers);
		line.pipe = slice_eq(pipe, SLICE("stdout")) ? LOG_STDOUT :
		    slice_eq(pipe, SLICE("stderr"))	    ? LOG_STDERR :
							      LOG_EITHER;
	}
	for (const struct json *v = values->items.first; v != NULL && rc == IMP_OK; v = v->next) {
		struct log_loki_line one = { line, (int64_t)l->v.n };

		if (read_line(v, &one.line))
			rc = VEC_PUSH(NULL, &l->v, one, err);
		else
			l->damaged++;
	}
	return rc;
}

static int
line_cmp(const void *a, const void *b)
{
	const struct log_loki_line *x = a, *y = b;

	CMP(x->line.t.ns, y->line.t.ns);
	CMP(x->order, y->order);
	return 0;
}

/* Newest first: turned around, so that lines of one time come in the order in which they were written. */
static void
sort_lines(struct log_loki *l)
{
	bool backward = l->v.n > 0 && l->v.v[0].line.t.ns > l->v.v[l->v.n - 1].line.t.ns;

	for (size_t i = 0; backward && i < l->v.n; i++)
		l->v.v[i].order = -l->v.v[i].order;
	if (l->v.n > 1)
		qsort(l->v.v, l->v.n, sizeof(*l->v.v), line_cmp);
}

enum imp_rc
log_loki_read(struct slice document, struct log_loki *ret, struct imp_err *err)
{
	static const uint64_t limits[] = { 100, 1000, 5000 };
	struct log_loki l = { .damaged = 0 };
	struct json root;
	const struct json *data, *result = NULL;
	enum imp_rc rc = json_read(&l.arena, document, &root, err);

	if (rc == IMP_OK) {
		data = json_get(&root, "data");
		result = data != NULL ? json_get(data, "result") : json_get(&root, "result");
		if (result == NULL || result->type != JSON_ARRAY)
			rc = imp_err_set(err, IMP_E_DATA, "no Loki answer");
	}
	for (const struct json *s = result != NULL ? result->items.first : NULL; s != NULL && rc == IMP_OK; s = s->next)
		rc = read_stream(&l, s, err);
	if (rc != IMP_OK) {
		log_loki_done(&l);
		return rc;
	}
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		l.limited |= l.v.n == limits[i];
	sort_lines(&l);
	*ret = l;
	return IMP_OK;
}
