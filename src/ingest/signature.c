#include "config.h"

#include "ingest/signature.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "ingest/prefilter.h"

#define WORDS PREFILTER_WORDS(SIGNATURES_MAX)

/* What one expression may cost on one event. The first stops what runs away after some tenths of a millisecond, and lets a lazy
 * expression walk through a dump of 64 KiB. */
#define MATCH_LIMIT 100000
#define DEPTH_LIMIT 1000     /* without JIT */
#define HEAP_LIMIT_KIB 1024  /* without JIT */
#define JIT_STACK_MIN 32768  /* bytes */
#define JIT_STACK_MAX 524288 /* bytes */

struct expression {
	pcre2_code *code;
	uint32_t subject; /* number of that group, 0: it has none */
	size_t which;	  /* the first one with its id */
};

struct matcher {
	size_t n;
	struct expression *v;
	struct prefilter *prefilter; /* NULL: every expression is tried */
};

struct matcher_thread {
	const struct matcher *m;
	struct prefilter_thread *prefilter; /* NULL likewise */
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	uint64_t exceeded;
	uint64_t maybe[WORDS]; /* expressions that can match this event: all where there is no prefilter */
	uint64_t seen[WORDS];  /* ids that did, by their first expression */
};

static enum imp_rc
out_of_memory(struct imp_err *err)
{
	return imp_err_set(err, IMP_E_NOMEM, "out of memory: signatures");
}

/* Bytes, not characters: a log may hold anything. */
static enum imp_rc
expression_compile(struct expression *x, const struct signature *sig, struct imp_err *err)
{
	PCRE2_UCHAR reason[128];
	size_t at;
	int code, subject;

	x->code = pcre2_compile((PCRE2_SPTR)sig->re.p, sig->re.n, PCRE2_NEVER_UTF | PCRE2_NEVER_UCP, &code, &at, NULL);
	if (x->code == NULL && code == PCRE2_ERROR_HEAP_FAILED)
		return out_of_memory(err);
	if (x->code == NULL) {
		pcre2_get_error_message(code, reason, sizeof(reason));
		return imp_err_set(err, IMP_E_DATA, "signature '%.*s': %s at byte %zu of the expression", SLICE_ARG(sig->id),
		    (const char *)reason, at);
	}
	(void)pcre2_jit_compile(x->code, PCRE2_JIT_COMPLETE); /* where there is none, it is slower */
	subject = pcre2_substring_number_from_name(x->code, (PCRE2_SPTR) "subject");
	x->subject = subject > 0 ? (uint32_t)subject : 0;
	return IMP_OK;
}

static enum imp_rc
matcher_compile(struct matcher *m, const struct signature_set *set, bool prefilter, struct imp_err *err)
{
	CLEANUP(freep) struct slice *re = calloc(set->n + 1, sizeof(*re));
	enum imp_rc rc = IMP_OK;

	m->v = calloc(set->n + 1, sizeof(*m->v));
	if (re == NULL || m->v == NULL)
		return out_of_memory(err);
	for (size_t i = 0; i < set->n && rc == IMP_OK; i++) {
		struct expression *x = &m->v[m->n++];

		re[i] = set->v[i].re;
		while (!slice_eq(set->v[x->which].id, set->v[i].id))
			x->which++;
		rc = expression_compile(x, &set->v[i], err);
	}
	return rc == IMP_OK && prefilter ? prefilter_new(re, m->n, &m->prefilter, err) : rc;
}

enum imp_rc
matcher_new(const struct signature_set *set, uint64_t bytes, struct matcher **ret, struct imp_err *err)
{
	struct matcher *m;
	enum imp_rc rc;

	if (set->n > SIGNATURES_MAX)
		return imp_err_set(err, IMP_E_LIMIT, "%zu expressions of signatures are more than %d", set->n, SIGNATURES_MAX);
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return out_of_memory(err);
	rc = matcher_compile(m, set, bytes >= MATCHER_PREFILTER_BYTES, err);
	if (rc != IMP_OK) {
		matcher_free(m);
		return rc;
	}
	*ret = m;
	return IMP_OK;
}

void
matcher_free(struct matcher *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->n; i++)
		pcre2_code_free(m->v[i].code);
	prefilter_free(m->prefilter);
	free(m->v);
	free(m);
}

/* ------------------------------------------------------------------ one thread's */

static uint32_t
most_groups(const struct matcher *m)
{
	uint32_t most = 0;

	for (size_t i = 0; i < m->n; i++)
		most = m->v[i].subject > most ? m->v[i].subject : most;
	return most;
}

enum imp_rc
matcher_thread_new(const struct matcher *m, struct matcher_thread **ret, struct imp_err *err)
{
	struct matcher_thread *t = calloc(1, sizeof(*t));
	enum imp_rc rc;

	if (t == NULL)
		return out_of_memory(err);
	t->m = m;
	t->data = pcre2_match_data_create(most_groups(m) + 1, NULL);
	t->context = pcre2_match_context_create(NULL);
	t->stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX, NULL);
	if (t->data == NULL || t->context == NULL || t->stack == NULL)
		rc = out_of_memory(err);
	else
		rc = m->prefilter != NULL ? prefilter_thread_new(m->prefilter, &t->prefilter, err) : IMP_OK;
	for (size_t i = 0; i < m->n; i++)
		t->maybe[i / 64] |= UINT64_C(1) << (i % 64);
	if (rc != IMP_OK) {
		matcher_thread_free(t);
		return rc;
	}
	pcre2_jit_stack_assign(t->context, NULL, t->stack);
	pcre2_set_match_limit(t->context, MATCH_LIMIT);
	pcre2_set_depth_limit(t->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(t->context, HEAP_LIMIT_KIB);
	*ret = t;
	return IMP_OK;
}

void
matcher_thread_free(struct matcher_thread *t)
{
	if (t == NULL)
		return;
	prefilter_thread_free(t->prefilter);
	pcre2_match_data_free(t->data);
	pcre2_match_context_free(t->context);
	pcre2_jit_stack_free(t->stack);
	free(t);
}

uint64_t
matcher_exceeded(const struct matcher_thread *t)
{
	return t->exceeded;
}

/* Does expression `x` match? *ret_subject is written when it does. */
static bool
match(struct matcher_thread *t, const struct expression *x, struct slice event, bool *exceeded, struct slice *ret_subject)
{
	int rc = pcre2_match(x->code, (PCRE2_SPTR)event.p, event.n, 0, 0, t->data, t->context);
	const size_t *at = pcre2_get_ovector_pointer(t->data) + 2 * (size_t)x->subject;

	if (rc < 0) {
		*exceeded = *exceeded || rc != PCRE2_ERROR_NOMATCH;
		return false;
	}
	*ret_subject = (struct slice){ NULL, 0 };
	if (x->subject > 0 && (rc == 0 || (uint32_t)rc > x->subject) && at[0] != PCRE2_UNSET)
		*ret_subject = (struct slice){ event.p + at[0], at[1] - at[0] };
	return true;
}

enum imp_rc
matcher_scan(struct matcher_thread *t, struct slice event,
    enum imp_rc (*hit)(void *payload, size_t which, struct slice subject, struct imp_err *err), void *payload, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;
	bool exceeded = false;

	if (event.p == NULL)
		event.p = "";
	if (t->prefilter != NULL && !prefilter_scan(t->prefilter, event, t->maybe))
		return IMP_OK;
	memset(t->seen, 0, sizeof(t->seen));
	for (size_t w = 0; w < PREFILTER_WORDS(t->m->n) && rc == IMP_OK; w++) {
		for (uint64_t bits = t->maybe[w]; bits != 0 && rc == IMP_OK; bits &= bits - 1) {
			const struct expression *x = &t->m->v[w * 64 + (size_t)__builtin_ctzll(bits)];
			uint64_t bit = UINT64_C(1) << (x->which % 64);
			struct slice subject;

			if ((t->seen[x->which / 64] & bit) != 0 || !match(t, x, event, &exceeded, &subject))
				continue;
			t->seen[x->which / 64] |= bit;
			rc = hit(payload, x->which, subject, err);
		}
	}
	t->exceeded += exceeded;
	return rc;
}
