#include "config.h"

#include "collect/dead_tally.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/cmp.h"
#include "base/jsonw.h"
#include "base/mem.h"

#define LINES_MAX ((size_t)16 << 20)

struct dead_tally {
	int64_t check;
	uint64_t sources;
	bool incomplete;
	/* Of the lines, not of what was put into them: bytes that are not UTF-8 are all the same in a line. */
	VEC(XXH128_hash_t) hashes;
};

enum imp_rc
dead_tally_new(int64_t check, struct dead_tally **ret, struct imp_err *err)
{
	struct dead_tally *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	t->check = check;
	*ret = t;
	return IMP_OK;
}

void
dead_tally_free(struct dead_tally *t)
{
	if (t == NULL)
		return;
	VEC_FREE(NULL, &t->hashes);
	free(t);
}

static void
member(struct jsonw *w, const char *key, struct slice text)
{
	if (text.p == NULL)
		return;
	jsonw_key(w, key);
	jsonw_text(w, text);
}

static void
add_line(const struct dead_tally *t, const struct dead_letter *d, struct buf *out)
{
	struct jsonw w = JSONW_INIT(out);

	jsonw_flat_object(&w);
	member(&w, "ev", SLICE("dead"));
	jsonw_key(&w, "t");
	jsonw_int(&w, d->t);
	member(&w, "mid", d->mid);
	member(&w, "error", d->error.p != NULL ? d->error : SLICE(""));
	if (d->code != DEAD_NO_CODE) {
		jsonw_key(&w, "code");
		jsonw_int(&w, d->code);
	}
	member(&w, "topic", d->topic);
	member(&w, "kafka_topic", d->kafka_topic);
	member(&w, "state", d->replayed ? SLICE("replayed") : SLICE("dead"));
	jsonw_key(&w, "check");
	jsonw_int(&w, t->check);
	jsonw_end(&w);
}

enum imp_rc
dead_tally_line(struct dead_tally *t, const struct dead_letter *d, struct buf *out, struct imp_err *err)
{
	size_t from = out->n;
	XXH128_hash_t hash;
	enum imp_rc rc;

	add_line(t, d, out);
	rc = buf_status(out, err);
	if (rc != IMP_OK)
		return rc;
	if (t->hashes.n == LINES_MAX) {
		imp_err_set(err, IMP_E_LIMIT, "more than %zu dead letters", LINES_MAX);
		imp_err_hint(err, "narrow the configuration down to the letters of this run");
		return IMP_E_LIMIT;
	}
	hash = XXH3_128bits(out->p + from, out->n - from);
	return VEC_PUSH(NULL, &t->hashes, hash, err);
}

void
dead_tally_source(struct dead_tally *t, bool complete)
{
	t->sources++;
	t->incomplete |= !complete;
}

uint64_t
dead_tally_sources(const struct dead_tally *t)
{
	return t->sources;
}

static int
hash_cmp(const void *va, const void *vb)
{
	const XXH128_hash_t *a = va, *b = vb;

	CMP(a->high64, b->high64);
	CMP(a->low64, b->low64);
	return 0;
}

static int64_t
count_distinct(struct dead_tally *t)
{
	int64_t n = 0;

	if (t->hashes.n > 0)
		qsort(t->hashes.v, t->hashes.n, sizeof(*t->hashes.v), hash_cmp);
	for (size_t i = 0; i < t->hashes.n; i++)
		n += i == 0 || hash_cmp(&t->hashes.v[i - 1], &t->hashes.v[i]) != 0;
	return n;
}

void
dead_tally_end(struct dead_tally *t, int64_t now, struct buf *out)
{
	struct jsonw w = JSONW_INIT(out);

	if (t->sources == 0)
		return;
	jsonw_flat_object(&w);
	member(&w, "ev", SLICE("deads"));
	jsonw_key(&w, "t");
	jsonw_int(&w, now);
	jsonw_key(&w, "complete");
	jsonw_bool(&w, !t->incomplete);
	jsonw_key(&w, "count");
	jsonw_int(&w, count_distinct(t));
	jsonw_key(&w, "check");
	jsonw_int(&w, t->check);
	jsonw_end(&w);
}
