#include "config.h"

#include "ingest/kube.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "ingest/json_pull.h"

void
kube_done(struct kube *k)
{
	VEC_FREE(k->arena.budget, &k->containers);
	VEC_FREE(k->arena.budget, &k->workloads);
	VEC_FREE(k->arena.budget, &k->events);
	VEC_FREE(k->arena.budget, &k->usages);
	arena_done(&k->arena);
}

/* ------------------------------------------------------------------ quantities */

struct quantity {
	int64_t digits; /* without the point */
	int scale;	/* of them stand behind it */
	int ten;	/* times ten to this power ... */
	int two;	/* ... or two */
	bool minus;
};

static struct slice
read_digits(struct slice s, struct quantity *q, bool *ret_ok)
{
	bool point = false, any = false;
	size_t i = 0;

	*ret_ok = true;
	for (; i < s.n && ((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] == '.' && !point)); i++) {
		if (s.p[i] == '.') {
			point = true;
			continue;
		}
		any = true;
		if (q->digits > INT64_MAX / 10 - 1) {
			*ret_ok = false;
			return s;
		}
		q->digits = q->digits * 10 + (s.p[i] - '0');
		q->scale += point;
	}
	*ret_ok = any;
	return (struct slice){ s.p + i, s.n - i };
}

/* `e3`, `E-3` with nothing behind. */
static bool
read_exponent(struct slice s, int *ret)
{
	bool minus = s.n > 1 && s.p[1] == '-';
	size_t i = 1 + (s.n > 1 && (s.p[1] == '-' || s.p[1] == '+'));
	int n = 0;

	if (s.n == 0 || (s.p[0] | 0x20) != 'e' || i >= s.n || s.n - i > 2)
		return false;
	for (; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = n * 10 + (s.p[i] - '0');
	}
	*ret = minus ? -n : n;
	return true;
}

static bool
read_suffix(struct slice s, struct quantity *q)
{
	static const struct {
		struct slice name;
		int ten, two;
	} suffixes[] = {
		{ SLICE(""), 0, 0 },
		{ SLICE("m"), -3, 0 },
		{ SLICE("Ki"), 0, 10 },
		{ SLICE("Mi"), 0, 20 },
		{ SLICE("Gi"), 0, 30 },
		{ SLICE("Ti"), 0, 40 },
		{ SLICE("Pi"), 0, 50 },
		{ SLICE("Ei"), 0, 60 },
		{ SLICE("n"), -9, 0 },
		{ SLICE("u"), -6, 0 },
		{ SLICE("k"), 3, 0 },
		{ SLICE("M"), 6, 0 },
		{ SLICE("G"), 9, 0 },
		{ SLICE("T"), 12, 0 },
		{ SLICE("P"), 15, 0 },
		{ SLICE("E"), 18, 0 },
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (slice_eq(s, suffixes[i].name)) {
			q->ten = suffixes[i].ten;
			q->two = suffixes[i].two;
			return true;
		}
	}
	return read_exponent(s, &q->ten);
}

/* The whole number, rounded away from 0; false when it does not fit. */
static bool
whole_of(const struct quantity *q, int64_t *ret)
{
	__int128 v = q->digits, rest;
	int ten = q->ten - q->scale;

	for (int i = 0; i < q->two && v <= INT64_MAX; i++)
		v *= 2;
	for (; ten > 0 && v != 0 && v <= INT64_MAX; ten--)
		v *= 10;
	for (rest = 0; ten < 0 && v != 0; ten++) {
		rest |= v % 10;
		v /= 10;
	}
	if (rest != 0 || (ten < 0 && q->digits != 0))
		v++;
	if (v > INT64_MAX)
		return false;
	*ret = q->minus ? -(int64_t)v : (int64_t)v;
	return true;
}

bool
kube_quantity(struct slice s, double *ret, int64_t *ret_whole)
{
	struct quantity q = { .minus = s.n > 0 && s.p[0] == '-' };
	double d;
	bool ok;

	if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
		s = (struct slice){ s.p + 1, s.n - 1 };
	s = read_digits(s, &q, &ok);
	if (!ok || !read_suffix(s, &q) || !whole_of(&q, ret_whole))
		return false;
	d = ldexp((double)q.digits, q.two);
	/* both are exact up to 10^22: one rounding */
	d = q.ten >= q.scale ? d * pow(10, q.ten - q.scale) : d / pow(10, q.scale - q.ten);
	*ret = q.minus ? -d : d;
	return true;
}

/* ------------------------------------------------------------------ JSON */

struct document {
	struct kube *k;
	struct snapshot *s;
	struct json_pull j;
	struct imp_err *err;
};

static enum imp_rc
reject(struct document *d, const char *reason)
{
	return snapshot_reject(d->s, json_pull_line(&d->j), reason, d->err);
}

/* The value that comes is one object. */
static enum imp_rc
take_object(struct document *d, struct slice kind)
{
	CLEANUP(arena_done) struct arena arena = { .budget = d->k->arena.budget };
	uint64_t line = (json_pull_peek(&d->j), json_pull_line(&d->j));
	const char *reason = NULL;
	struct json o;
	enum imp_rc rc;
	bool taken;

	if (!json_pull_tree(&d->j, &arena, &o, &rc)) {
		if (rc == IMP_E_LIMIT)
			return snapshot_reject(d->s, line, "too large to be read", d->err);
		if (rc == IMP_E_NOMEM)
			return imp_err_set(d->err, rc, "out of memory: '%s'", d->s->path);
		return d->j.bad ? IMP_OK : snapshot_reject(d->s, line, "text that is not UTF-8", d->err);
	}
	rc = kube_object(d->k, &o, kind, line, &taken, &reason, d->err);
	if (rc == IMP_E_LIMIT)
		return snapshot_reject(d->s, line, "too large to be read", d->err);
	d->s->samples += rc == IMP_OK && taken;
	return rc == IMP_OK && reason != NULL ? snapshot_reject(d->s, line, reason, d->err) : rc;
}

static enum imp_rc
take_items(struct document *d, struct slice kind)
{
	struct slice key;
	enum imp_rc rc = IMP_OK;

	json_pull_enter(&d->j);
	while (rc == IMP_OK && json_pull_next(&d->j, &key))
		rc = take_object(d, kind);
	return rc;
}

/* An object: a list of others where it has `items`. A list's own kind (PodList) may stand before them. */
static enum imp_rc
take_document(struct document *d)
{
	const char *start = d->j.p;
	char kind[64] = "";
	struct record_value v;
	bool list = false;
	struct slice key;
	enum imp_rc rc = IMP_OK;

	json_pull_enter(&d->j);
	while (rc == IMP_OK && json_pull_next(&d->j, &key)) {
		if (slice_eq(key, SLICE("items")) && json_pull_peek(&d->j) == '[') {
			list = true;
			rc = take_items(d, slice_of(kind));
		} else if (slice_eq(key, SLICE("kind")) && json_pull_value(&d->j, &v)) {
			if (v.type == REC_STRING && v.s.n > 4 && v.s.n < sizeof(kind) && slice_has_suffix(v.s, SLICE("List")))
				snprintf(kind, sizeof(kind), "%.*s", (int)v.s.n - 4, v.s.p);
		} else {
			json_pull_skip(&d->j);
		}
	}
	if (rc != IMP_OK || list || d->j.bad)
		return rc;
	d->j.p = start;
	return take_object(d, (struct slice){ NULL, 0 });
}

static enum imp_rc
take_documents(struct document *d)
{
	enum imp_rc rc = IMP_OK;
	char c;

	while (rc == IMP_OK && (c = json_pull_peek(&d->j)) != '\0') {
		if (c == '{')
			rc = take_document(d);
		else if (c == '[')
			rc = take_items(d, (struct slice){ NULL, 0 });
		else
			break;
		if (d->j.bad)
			break;
	}
	if (rc == IMP_OK && d->j.lexer.nomem)
		return imp_err_set(d->err, IMP_E_NOMEM, "out of memory: '%s'", d->s->path);
	if (rc != IMP_OK || json_pull_end(&d->j))
		return rc;
	d->s->cut |= d->j.torn;
	return reject(d, d->j.torn ? "it ends too early" : "not JSON");
}

enum imp_rc
kube_read_json(struct kube *k, struct snapshot *s, struct imp_err *err)
{
	CLEANUP(snapshot_text_done) struct snapshot_text text;
	struct imp_err why;
	struct document d = { .k = k, .s = s, .err = &why };
	enum imp_rc rc = snapshot_text(s, k->arena.budget, &text, &why);

	if (rc == IMP_OK && text.text.p != NULL) {
		json_pull_init(&d.j, text.text);
		if (text.text.n == 0)
			snapshot_note(s, "empty");
		rc = take_documents(&d);
		json_pull_done(&d.j);
	}
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}
