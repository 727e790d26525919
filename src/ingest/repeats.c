#include "config.h"

#include "ingest/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/sha256.h"
#include "ingest/source.h"

struct candidate {
	uint64_t lines, events;
	enum input_kind kind;
	uint32_t file;
	unsigned char content[SHA256_BYTES]; /* of the lines; 0: not looked at */
};

/* 0: nothing tells them apart. */
static int
content_cmp(const struct candidate *a, const struct candidate *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->lines != b->lines)
		return a->lines < b->lines ? -1 : 1;
	if (a->events != b->events)
		return a->events < b->events ? -1 : 1;
	return memcmp(a->content, b->content, sizeof(a->content));
}

static int
candidate_cmp(const void *va, const void *vb)
{
	const struct candidate *a = va, *b = vb;
	int c = content_cmp(a, b);

	return c != 0 ? c : a->file < b->file ? -1 : 1;
}

static enum imp_rc
hash_lines(const struct ledger *l, const struct reader_options *opt, struct candidate *c, struct imp_err *err)
{
	struct source_limits limits = { .line_max = opt->line_max, .ratio_max = SOURCE_RATIO_MAX };
	CLEANUP(source_closep) struct source *src = NULL;
	CLEANUP(sha256_done) struct sha256 hash = { .context = NULL };
	struct source_line line;
	bool more = true;
	enum imp_rc rc = source_open(l->inputs->dirfd, l->inputs->v.v[c->file].path, &limits, &src, err);

	if (rc == IMP_OK)
		rc = sha256_begin(&hash, err);
	while (rc == IMP_OK && (rc = source_next(src, &line, &more, err)) == IMP_OK && more) {
		sha256_add(&hash, line.text.p, line.text.n);
		sha256_add(&hash, "\n", 1);
	}
	return rc == IMP_OK ? sha256_end(&hash, c->content, err) : rc;
}

/* Files that may be equal, side by side. */
static size_t
list_candidates(const struct ledger *l, struct candidate *v)
{
	size_t n = 0;

	for (uint32_t i = 0; i < l->inputs->v.n; i++) {
		enum input_kind kind = l->inputs->v.v[i].kind;
		const struct file_counts *f = &l->files[i].n;

		if ((kind == INPUT_HISTORY || kind == INPUT_DB || kind == INPUT_KAFKA) && f->events > 0)
			v[n++] = (struct candidate){ .lines = f->lines, .events = f->events, .kind = kind, .file = i };
	}
	qsort(v, n, sizeof(*v), candidate_cmp);
	return n;
}

static enum imp_rc
hash_candidates(const struct ledger *l, const struct reader_options *opt, struct candidate *v, size_t n, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t from = 0, to; from < n && rc == IMP_OK; from = to) {
		for (to = from + 1; to < n && content_cmp(&v[from], &v[to]) == 0;)
			to++;
		for (size_t i = from; i < to && to - from > 1 && rc == IMP_OK; i++)
			rc = hash_lines(l, opt, &v[i], err);
	}
	qsort(v, n, sizeof(*v), candidate_cmp);
	return rc;
}

/* Take all lines of the marked files out of one array of the ledger. */
#define DROP(again, vec) \
	do { \
		size_t kept_ = 0; \
		for (size_t i_ = 0; i_ < (vec)->n; i_++) { \
			if (!(again)[place_file((vec)->v[i_].place)]) \
				(vec)->v[kept_++] = (vec)->v[i_]; \
		} \
		(vec)->n = kept_; \
	} while (0)

static void
drop_lines(struct ledger *l, const bool *again)
{
	DROP(again, &l->attempts);
	DROP(again, &l->answers);
	DROP(again, &l->conns);
	DROP(again, &l->notes);
	DROP(again, &l->health);
	DROP(again, &l->hists);
	DROP(again, &l->histqs);
	DROP(again, &l->rows);
	DROP(again, &l->deads);
	DROP(again, &l->queries);
	DROP(again, &l->columns);
	DROP(again, &l->statuses);
}

enum imp_rc
repeats_drop(struct ledger *l, const struct reader_options *opt, struct imp_err *err)
{
	CLEANUP(freep) struct candidate *v = calloc(l->inputs->v.n + 1, sizeof(*v));
	CLEANUP(freep) bool *again = calloc(l->inputs->v.n + 1, sizeof(*again));
	bool any = false;
	enum imp_rc rc;
	size_t n;

	if (v == NULL || again == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu files", l->inputs->v.n);
	n = list_candidates(l, v);
	rc = hash_candidates(l, opt, v, n, err);
	for (size_t i = 1; i < n && rc == IMP_OK; i++) {
		if (content_cmp(&v[i - 1], &v[i]) != 0)
			continue;
		any = again[v[i].file] = true;
		l->files[v[i].file].n.resent = l->files[v[i].file].n.events;
	}
	if (any)
		drop_lines(l, again);
	return rc;
}
