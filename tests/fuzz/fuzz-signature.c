/* The first line is an expression, the rest an event: looking for it beside others finds what PCRE2 finds alone. */
#include "config.h"

#include "ingest/signature.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "fuzz.h"

/* So that no input takes long: what counts is what is said, not how fast. */
#define RE_MAX 200
#define EVENT_MAX 2000

struct hits {
	unsigned n;
	struct slice subject[3];
	bool hit[3];
};

static enum imp_rc
note_hit(void *payload, size_t which, struct slice subject, struct imp_err *err)
{
	struct hits *h = payload;

	(void)err;
	must(which < 3 && !h->hit[which]);
	h->hit[which] = true;
	h->subject[which] = subject;
	h->n++;
	return IMP_OK;
}

static void
check_alone(struct slice re, struct slice event, const struct hits *h, bool exceeded)
{
	int code, rc;
	size_t at;
	pcre2_code *c = pcre2_compile((PCRE2_SPTR)re.p, re.n, PCRE2_NEVER_UTF | PCRE2_NEVER_UCP, &code, &at, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	pcre2_match_data *data;

	must(c != NULL && context != NULL);
	data = pcre2_match_data_create_from_pattern(c, NULL);
	must(data != NULL);
	pcre2_set_match_limit(context, 200000);
	rc = pcre2_match(c, (PCRE2_SPTR)event.p, event.n, 0, 0, data, context);
	if (!exceeded && (rc >= 0 || rc == PCRE2_ERROR_NOMATCH))
		must((rc >= 0) == h->hit[1]);
	if (h->hit[1] && h->subject[1].p != NULL)
		must(h->subject[1].p >= event.p && h->subject[1].p + h->subject[1].n <= event.p + event.n);
	pcre2_match_data_free(data);
	pcre2_match_context_free(context);
	pcre2_code_free(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = { (const char *)data, size }, re, event;
	const char *end = size > 0 ? memchr(text.p, '\n', text.n) : NULL;
	struct hits h = { 0 };
	struct matcher_thread *t;
	struct matcher *m;

	if (end == NULL)
		return 0;
	re = (struct slice){ text.p, (size_t)(end - text.p) };
	event = (struct slice){ end + 1, text.n - re.n - 1 };
	if (re.n > RE_MAX || event.n > EVENT_MAX)
		return 0;
	{
		struct signature v[] = { { SLICE("log.a"), SLICE("topic") }, { SLICE("log.b"), re },
			{ SLICE("log.c"), SLICE("^x+$") } };
		struct signature_set set = { .v = v, .n = 3 };

		if (matcher_new(&set, MATCHER_PREFILTER_BYTES, &m, NULL) != IMP_OK)
			return 0;
	}
	must(matcher_thread_new(m, &t, NULL) == IMP_OK);
	must(matcher_scan(t, event, note_hit, &h, NULL) == IMP_OK);
	must(h.hit[0] == (event.n >= 5 && memmem(event.p, event.n, "topic", 5) != NULL));
	check_alone(re, event, &h, matcher_exceeded(t) > 0);
	matcher_thread_free(t);
	matcher_free(m);
	return 0;
}
