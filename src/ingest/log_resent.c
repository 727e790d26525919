#include "config.h"

#include "ingest/log_resent.h"

#include <stdlib.h>

void
log_window_done(struct log_window *w)
{
	free(w->ring);
	free(w->chain);
	*w = (struct log_window){ .salt = w->salt };
}

static enum imp_rc
window_make(struct log_window *w, struct imp_err *err)
{
	w->ring = calloc(LOG_WINDOW, sizeof(*w->ring));
	w->chain = calloc(LOG_WINDOW, sizeof(*w->chain));
	w->max_t = w->gone_t = INT64_MIN;
	return w->ring != NULL && w->chain != NULL ? IMP_OK : imp_err_set(err, IMP_E_NOMEM, "out of memory: lines of a log");
}

/* Line `i`, counted from 1, is still there. */
static bool
in_window(const struct log_window *w, uint64_t i)
{
	return i > 0 && i + LOG_WINDOW > w->n;
}

static bool
window_has(const struct log_window *w, int64_t t, uint64_t key)
{
	for (uint64_t i = w->chain[key & (LOG_WINDOW - 1)]; in_window(w, i); i = w->ring[i & (LOG_WINDOW - 1)].before) {
		const struct log_seen *s = &w->ring[i & (LOG_WINDOW - 1)];

		if (s->key == key && s->t == t)
			return true;
	}
	return false;
}

static void
window_add(struct log_window *w, int64_t t, uint64_t key)
{
	uint64_t i = ++w->n, *chain = &w->chain[key & (LOG_WINDOW - 1)];
	struct log_seen *s = &w->ring[i & (LOG_WINDOW - 1)];

	if (i > LOG_WINDOW && s->t > w->gone_t)
		w->gone_t = s->t;
	*s = (struct log_seen){ t, key, *chain };
	*chain = i;
	if (t > w->max_t)
		w->max_t = t;
}

static int
key_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* In the second reading: was this line met before? */
static bool
deep_met(struct log_deep *deep, uint64_t key)
{
	const uint64_t *at = deep->keys.n > 0 ? bsearch(&key, deep->keys.v, deep->keys.n, sizeof(key), key_cmp) : NULL;
	bool was;

	if (at == NULL)
		return false;
	was = deep->met[at - deep->keys.v];
	deep->met[at - deep->keys.v] = true;
	return was;
}

enum imp_rc
log_resent(struct log_window *w, struct log_deep *deep, int64_t t, uint64_t key, bool *ret_resent, struct imp_err *err)
{
	enum imp_rc rc = w->ring == NULL ? window_make(w, err) : IMP_OK;
	bool resent = false;

	if (rc != IMP_OK)
		return rc;
	if (t <= w->max_t)
		resent = window_has(w, t, key);
	if (deep->met != NULL) {
		if (deep_met(deep, key))
			resent = true;
	} else if (!resent && t <= w->gone_t) {
		deep->full |= deep->keys.n == LOG_DEEP_MAX;
		if (!deep->full)
			rc = VEC_PUSH(NULL, &deep->keys, key, err);
	}
	if (!resent)
		window_add(w, t, key);
	*ret_resent = resent;
	return rc;
}

enum imp_rc
log_deep_again(struct log_deep *deep, struct imp_err *err)
{
	size_t kept = 0;

	deep->met = calloc(deep->keys.n + 1, sizeof(*deep->met));
	if (deep->met == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu lines of a log", deep->keys.n);
	qsort(deep->keys.v, deep->keys.n, sizeof(*deep->keys.v), key_cmp);
	for (size_t i = 0; i < deep->keys.n; i++) {
		if (kept == 0 || deep->keys.v[kept - 1] != deep->keys.v[i])
			deep->keys.v[kept++] = deep->keys.v[i];
	}
	deep->keys.n = kept;
	return IMP_OK;
}

void
log_deep_done(struct log_deep *deep)
{
	VEC_FREE(NULL, &deep->keys);
	free(deep->met);
	*deep = (struct log_deep){ .met = NULL };
}
