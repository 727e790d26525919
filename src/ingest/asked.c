#include "config.h"

#include "ingest/asked.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/cmp.h"
#include "ingest/inputs.h"

#define PATH_BYTES_MAX ((size_t)64 << 10)

static int
request_cmp(const void *va, const void *vb)
{
	const struct collected *a = *(const struct collected *const *)va, *b = *(const struct collected *const *)vb;

	CMP(a->file, b->file);
	CMP(a->what, b->what);
	CMP(a->query, b->query);
	CMP(a->t, b->t);
	CMP(a->place, b->place);
	return 0;
}

/* The input of that name, compressed since or not. */
static enum imp_rc
find_file(const struct ledger *l, struct slice path, size_t *ret, struct imp_err *err)
{
	static const char *const endings[] = { "", ".gz", ".zst" };
	CLEANUP(buf_done) struct buf name = BUF_INIT(PATH_BYTES_MAX);

	*ret = SIZE_MAX;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && *ret == SIZE_MAX; i++) {
		buf_clear(&name);
		buf_add_slice(&name, path);
		buf_add_str(&name, endings[i]);
		if (name.failed == IMP_E_LIMIT)
			return IMP_OK; /* no file has such a name */
		if (buf_status(&name, err) != IMP_OK)
			return name.failed;
		*ret = inputs_find(l->inputs, buf_slice(&name));
	}
	return IMP_OK;
}

static enum imp_rc
settle_file(struct ledger *l, const struct collected *c, struct imp_err *err)
{
	struct slice status = ledger_text_slice(l, c->status);
	size_t file;
	enum imp_rc rc = find_file(l, ledger_text_slice(l, c->file), &file, err);

	if (rc != IMP_OK || file == SIZE_MAX || slice_eq(status, SLICE("ok")))
		return rc;
	if (slice_eq(status, SLICE("limited")))
		l->files[file].asked_limited = true;
	else
		l->files[file].asked_short = true;
	return IMP_OK;
}

enum imp_rc
asked_settle(struct ledger *l, struct imp_err *err)
{
	CLEANUP(freep) const struct collected **v = calloc(l->collected.n + 1, sizeof(*v));
	size_t n = 0;
	enum imp_rc rc = IMP_OK;

	if (v == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu requests", l->collected.n);
	for (size_t i = 0; i < l->collected.n; i++) {
		if (l->collected.v[i].file != NONE)
			v[n++] = &l->collected.v[i];
	}
	if (n > 1)
		qsort(v, n, sizeof(*v), request_cmp);
	for (size_t i = 0; i < n && rc == IMP_OK; i++) {
		bool last =
		    i + 1 == n || v[i]->file != v[i + 1]->file || v[i]->what != v[i + 1]->what || v[i]->query != v[i + 1]->query;

		if (last)
			rc = settle_file(l, v[i], err);
	}
	return rc;
}
