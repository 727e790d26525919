#include "config.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "classify/write_sources.h"

/* A sample that a ledger holds: of which stream, when, and where it stands. */
struct sample_at {
	struct slice stream;
	int64_t t;
	uint64_t place;
};

static int
sample_cmp(const void *a, const void *b)
{
	const struct sample_at *x = a, *y = b;
	int c = slice_cmp(x->stream, y->stream);

	if (c == 0)
		c = (x->t > y->t) - (x->t < y->t);
	return c != 0 ? c : (x->place > y->place) - (x->place < y->place);
}

/* One line of `source` for each stream of `v`; figures of one moment are one sample. */
static void
write_streams(struct sources *x, const char *kind, struct sample_at *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), sample_cmp);
	for (size_t i = 0, k; i < n; i = k) {
		struct source_row row = SOURCE_ROW_INIT;

		for (k = i; k < n && slice_eq(v[k].stream, v[i].stream); k++) {
			if (k == i || v[k].t != v[k - 1].t)
				source_row_sample(&row, v[k].t);
			sources_asked(x, v[k].place, &row);
		}
		row.kind = kind;
		row.name = v[i].stream;
		row.file = place_file(v[i].place);
		source_row_write(x->o, &row);
	}
}

void
write_coverage(struct sources *x)
{
	const struct ledger *l = x->r->ledger;
	size_t most = l->statuses.n > l->health.n ? l->statuses.n : l->health.n, n = 0;
	CLEANUP(freep) struct sample_at *v = calloc(most + 1, sizeof(*v));

	if (v == NULL && x->o->rc == IMP_OK)
		x->o->rc = imp_err_set(x->o->err, IMP_E_NOMEM, "out of memory: %zu samples", most);
	if (x->o->rc != IMP_OK)
		return;
	for (size_t i = 0; i < l->statuses.n; i++) {
		const struct status *s = &l->statuses.v[i];

		v[n++] = (struct sample_at){ s->server != NONE ? ledger_text_slice(l, s->server) : SLICE("mysql"), s->t, s->place };
	}
	write_streams(x, "mysql", v, n);
	n = 0;
	for (size_t i = 0; i < l->health.n; i++) {
		const struct health *h = &l->health.v[i];

		if (h->agent != NONE)
			v[n++] = (struct sample_at){ l->agents.v[h->agent].name, h->t, h->place };
	}
	write_streams(x, "health", v, n);
}
