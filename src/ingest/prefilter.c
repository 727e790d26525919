#include "config.h"

#include "ingest/prefilter.h"

#include <hs.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"

struct prefilter {
	size_t n, words;
	uint64_t *always;	 /* expressions that are not in the database */
	hs_database_t *database; /* NULL: there is nothing in it */
};

struct prefilter_thread {
	const struct prefilter *p;
	hs_scratch_t *scratch;
};

static enum imp_rc
out_of_memory(struct imp_err *err)
{
	return imp_err_set(err, IMP_E_NOMEM, "out of memory: looking for signatures");
}

static void
set_bit(uint64_t *words, size_t i)
{
	words[i / 64] |= UINT64_C(1) << (i % 64);
}

struct expressions {
	const char **re; /* NUL-terminated */
	unsigned *flags, *ids;
	unsigned n;
};

static enum imp_rc
expressions_new(struct arena *a, const struct slice *re, size_t n, struct expressions *ret, struct imp_err *err)
{
	struct expressions x = { 0 };

	x.re = arena_alloc(a, n * sizeof(*x.re), err);
	x.flags = arena_alloc(a, n * sizeof(*x.flags), err);
	x.ids = arena_alloc(a, n * sizeof(*x.ids), err);
	if (x.re == NULL || x.flags == NULL || x.ids == NULL)
		return out_of_memory(err);
	for (size_t i = 0; i < n; i++) {
		struct slice copy;

		if (memchr(re[i].p, '\0', re[i].n) != NULL)
			continue;
		copy = arena_slice(a, re[i], err);
		if (copy.p == NULL)
			return out_of_memory(err);
		x.re[x.n] = copy.p;
		x.flags[x.n] = HS_FLAG_PREFILTER | HS_FLAG_SINGLEMATCH | HS_FLAG_ALLOWEMPTY;
		x.ids[x.n++] = (unsigned)i;
	}
	*ret = x;
	return IMP_OK;
}

static void
expressions_remove(struct expressions *x, unsigned i)
{
	x->n--;
	memmove(x->re + i, x->re + i + 1, (x->n - i) * sizeof(*x->re));
	memmove(x->ids + i, x->ids + i + 1, (x->n - i) * sizeof(*x->ids));
}

/* One expression after another that Hyperscan does not know is left out, until it takes the rest. */
static enum imp_rc
compile(struct prefilter *p, struct expressions *x, struct imp_err *err)
{
	while (x->n > 0) {
		hs_compile_error_t *why = NULL;
		hs_error_t rc = hs_compile_multi(x->re, x->flags, x->ids, x->n, HS_MODE_BLOCK, NULL, &p->database, &why);
		int refused = why != NULL ? why->expression : -1;

		hs_free_compile_error(why);
		if (rc == HS_SUCCESS)
			break;
		p->database = NULL;
		if (rc == HS_NOMEM)
			return out_of_memory(err);
		if (refused < 0 || (unsigned)refused >= x->n) /* all of them together are too much */
			x->n = 0;
		else
			expressions_remove(x, (unsigned)refused);
	}
	for (unsigned i = 0; i < x->n; i++)
		p->always[x->ids[i] / 64] &= ~(UINT64_C(1) << (x->ids[i] % 64));
	return IMP_OK;
}

static enum imp_rc
prefilter_compile(struct prefilter *p, const struct slice *re, struct imp_err *err)
{
	CLEANUP(arena_done) struct arena a = { 0 };
	struct expressions x = { 0 };
	enum imp_rc rc;

	if (hs_valid_platform() != HS_SUCCESS)
		return IMP_OK;
	rc = expressions_new(&a, re, p->n, &x, err);
	return rc == IMP_OK ? compile(p, &x, err) : rc;
}

enum imp_rc
prefilter_new(const struct slice *re, size_t n, struct prefilter **ret, struct imp_err *err)
{
	struct prefilter *p = calloc(1, sizeof(*p));
	enum imp_rc rc;

	if (p == NULL)
		return out_of_memory(err);
	p->n = n;
	p->words = PREFILTER_WORDS(n);
	p->always = calloc(p->words + 1, sizeof(*p->always));
	rc = p->always != NULL ? IMP_OK : out_of_memory(err);
	if (rc == IMP_OK) {
		for (size_t i = 0; i < n; i++)
			set_bit(p->always, i);
		rc = prefilter_compile(p, re, err);
	}
	if (rc != IMP_OK) {
		prefilter_free(p);
		return rc;
	}
	*ret = p;
	return IMP_OK;
}

void
prefilter_free(struct prefilter *p)
{
	if (p == NULL)
		return;
	hs_free_database(p->database);
	free(p->always);
	free(p);
}

enum imp_rc
prefilter_thread_new(const struct prefilter *p, struct prefilter_thread **ret, struct imp_err *err)
{
	struct prefilter_thread *t = calloc(1, sizeof(*t));

	if (t == NULL || (p->database != NULL && hs_alloc_scratch(p->database, &t->scratch) != HS_SUCCESS)) {
		free(t);
		return out_of_memory(err);
	}
	t->p = p;
	*ret = t;
	return IMP_OK;
}

void
prefilter_thread_free(struct prefilter_thread *t)
{
	if (t == NULL)
		return;
	hs_free_scratch(t->scratch);
	free(t);
}

static int
on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *maybe)
{
	(void)from, (void)to, (void)flags;
	set_bit(maybe, id);
	return 0;
}

static bool
scan(struct prefilter_thread *t, struct slice text, uint64_t *maybe)
{
	return t->p->database == NULL ||
	    (text.n <= UINT_MAX &&
		hs_scan(t->p->database, text.n > 0 ? text.p : "", (unsigned)text.n, 0, t->scratch, on_match, maybe) == HS_SUCCESS);
}

bool
prefilter_scan(struct prefilter_thread *t, struct slice text, uint64_t *maybe)
{
	uint64_t any = 0;

	memcpy(maybe, t->p->always, t->p->words * sizeof(*maybe));
	if (!scan(t, text, maybe)) /* it failed: everything can */
		for (size_t i = 0; i < t->p->n; i++)
			set_bit(maybe, i);
	for (size_t i = 0; i < t->p->words; i++)
		any |= maybe[i];
	return any != 0;
}
