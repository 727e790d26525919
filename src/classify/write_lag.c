#include "config.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "classify/write_sources.h"
#include "sql_gen.h"

/* What is behind, for a group that commits: NO_TIME where it cannot be known. Below 0 is the order of reading: the end was asked for
 * before the offset, and the group had caught up. */
static int64_t
lag_of(const struct lag *s)
{
	int64_t from = s->start != NO_TIME && s->start > s->committed ? s->start : s->committed; /* what lies before it is gone */

	if (s->committed < 0 || s->end < 0)
		return NO_TIME; /* no commit yet, whatever `lag` says */
	return s->end > from ? s->end - from : 0;
}

static bool
is_below(const struct lag *s)
{
	return s->committed >= 0 && s->end >= 0 && s->committed > s->end;
}

static void
write_sample(struct out *o, const struct ledger *l, const struct lag *s, int64_t no, bool remade)
{
	out_begin(o, sql_classify_insert_kafka_lag);
	out_int(o, no);
	out_int(o, s->t);
	out_text(o, ledger_text_slice(l, s->group));
	out_text(o, ledger_text_slice(l, s->topic));
	out_int(o, s->partition);
	out_opt(o, s->committed >= 0 ? s->committed : NO_TIME);
	out_opt(o, s->end >= 0 ? s->end : NO_TIME);
	out_opt(o, s->start);
	out_opt(o, remade ? NO_TIME : lag_of(s));
	out_opt(o, s->members);
	out_place(o, s->place);
	out_end(o);
}

struct lag_at {
	const struct lag *lag;
	struct slice group, topic;
	int64_t no;
};

static int
stream_cmp(const struct lag_at *x, const struct lag_at *y)
{
	int c = slice_cmp(x->group, y->group);

	if (c == 0)
		c = slice_cmp(x->topic, y->topic);
	return c != 0 ? c : (x->lag->partition > y->lag->partition) - (x->lag->partition < y->lag->partition);
}

static int
lag_at_cmp(const void *a, const void *b)
{
	const struct lag_at *x = a, *y = b;
	int c = stream_cmp(x, y);

	if (c == 0)
		c = (x->lag->t > y->lag->t) - (x->lag->t < y->lag->t);
	return c != 0 ? c : (x->no > y->no) - (x->no < y->no);
}

/* A commit behind the end that is still there in the next sample, unchanged, is one of a topic that was made anew. */
static bool
is_remade(const struct lag_at *v, size_t n, size_t i)
{
	const struct lag *s = v[i].lag;

	if (!is_below(s))
		return false;
	return (i > 0 && is_below(v[i - 1].lag) && v[i - 1].lag->committed == s->committed) ||
	    (i + 1 < n && is_below(v[i + 1].lag) && v[i + 1].lag->committed == s->committed);
}

/* All samples of one group, topic and partition, by time. */
static void
write_stream(struct sources *x, const struct lag_at *v, size_t n)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	struct source_row row = SOURCE_ROW_INIT;

	for (size_t i = 0; i < n; i++) {
		bool remade = is_remade(v, n, i);

		source_row_sample(&row, v[i].lag->t);
		sources_asked(x, v[i].lag->place, &row);
		write_sample(x->o, x->r->ledger, v[i].lag, v[i].no, remade);
		if (remade)
			row.note = SLICE("commits stay behind the end: the topic was made anew");
	}
	buf_addf(&name, "%.*s/%.*s/%lld", SLICE_ARG(v->group), SLICE_ARG(v->topic), (long long)v->lag->partition);
	if (x->o->rc == IMP_OK)
		x->o->rc = buf_status(&name, x->o->err);
	row.kind = "kafka";
	row.name = buf_slice(&name);
	row.file = place_file(v->lag->place);
	source_row_write(x->o, &row);
}

void
write_lag(struct sources *x)
{
	const struct ledger *l = x->r->ledger;
	CLEANUP(freep) struct lag_at *v = calloc(l->lags.n + 1, sizeof(*v));

	if (v == NULL && x->o->rc == IMP_OK)
		x->o->rc = imp_err_set(x->o->err, IMP_E_NOMEM, "out of memory: %zu lag samples", l->lags.n);
	if (x->o->rc != IMP_OK || l->lags.n == 0)
		return;
	for (size_t i = 0; i < l->lags.n; i++)
		v[i] = (struct lag_at){ &l->lags.v[i], ledger_text_slice(l, l->lags.v[i].group),
			ledger_text_slice(l, l->lags.v[i].topic), (int64_t)i };
	qsort(v, l->lags.n, sizeof(*v), lag_at_cmp);
	for (size_t i = 0, k; i < l->lags.n; i = k) {
		for (k = i + 1; k < l->lags.n && stream_cmp(&v[i], &v[k]) == 0; k++)
			;
		write_stream(x, &v[i], k - i);
	}
}
