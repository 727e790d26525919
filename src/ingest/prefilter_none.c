/* The prefilter of a build without Hyperscan: PCRE2 tries every expression on every text, with what it knows of how each begins. */
#include "config.h"

#include "ingest/prefilter.h"

#include <stdlib.h>
#include <string.h>

struct prefilter {
	size_t n;
};

struct prefilter_thread {
	size_t n;
};

enum imp_rc
prefilter_new(const struct slice *re, size_t n, struct prefilter **ret, struct imp_err *err)
{
	struct prefilter *p = malloc(sizeof(*p));

	(void)re;
	if (p == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: looking for signatures");
	p->n = n;
	*ret = p;
	return IMP_OK;
}

void
prefilter_free(struct prefilter *p)
{
	free(p);
}

enum imp_rc
prefilter_thread_new(const struct prefilter *p, struct prefilter_thread **ret, struct imp_err *err)
{
	struct prefilter_thread *t = malloc(sizeof(*t));

	if (t == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: looking for signatures");
	t->n = p->n;
	*ret = t;
	return IMP_OK;
}

void
prefilter_thread_free(struct prefilter_thread *t)
{
	free(t);
}

bool
prefilter_scan(struct prefilter_thread *t, struct slice text, uint64_t *maybe)
{
	(void)text;
	memset(maybe, 0, PREFILTER_WORDS(t->n) * sizeof(*maybe));
	for (size_t i = 0; i < t->n; i++)
		maybe[i / 64] |= UINT64_C(1) << (i % 64);
	return t->n > 0;
}
