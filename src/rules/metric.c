#include "config.h"

#include "rules/metric.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "rules/fields.h"

#define MATCH_STEPS_MAX 100000
#define LABELS_MAX 64 /* tests in one selector */
#define ANCHORED (PCRE2_ANCHORED | PCRE2_ENDANCHORED)

const char *const metric_fn_names[] = { "delta", "max", "min", "first", "last", "ratio", "quantile", NULL };

/* Reading a selector: what is left of its text. */
struct cursor {
	const struct doc_node *n;
	size_t i;
};

static enum imp_rc
wrong(const struct cursor *c, struct imp_err *err, const char *what)
{
	struct doc_place at = field_place(c->n, c->i);

	return doc_error(&at, err, "selector: %s", what);
}

static char
peek(const struct cursor *c)
{
	return c->i < c->n->text.n ? c->n->text.p[c->i] : '\0';
}

static void
skip_blanks(struct cursor *c)
{
	while (peek(c) == ' ' || peek(c) == '\n' || peek(c) == '\t')
		c->i++;
}

static bool
take_char(struct cursor *c, char wanted)
{
	skip_blanks(c);
	if (peek(c) != wanted)
		return false;
	c->i++;
	return true;
}

static bool
is_name_char(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (!first && c >= '0' && c <= '9');
}

static struct slice
take_name(struct cursor *c)
{
	size_t start;

	skip_blanks(c);
	start = c->i;
	while (is_name_char(peek(c), c->i == start))
		c->i++;
	return (struct slice){ c->n->text.p + start, c->i - start };
}

static enum imp_rc
take_op(struct cursor *c, enum label_op *ret, struct imp_err *err)
{
	if (take_char(c, '!')) {
		if (peek(c) != '=' && peek(c) != '~')
			return wrong(c, err, "one of = != =~ !~ is expected");
		*ret = c->n->text.p[c->i++] == '~' ? LABEL_NO_MATCH : LABEL_NE;
		return IMP_OK;
	}
	if (!take_char(c, '='))
		return wrong(c, err, "one of = != =~ !~ is expected");
	*ret = peek(c) == '~' ? LABEL_MATCH : LABEL_EQ;
	c->i += *ret == LABEL_MATCH;
	return IMP_OK;
}

/* "value" or 'value' with the escapes \\ \" \' \n; another escape stays, as regular expressions want it. */
static enum imp_rc
take_value(struct arena *a, struct cursor *c, struct slice *ret, struct imp_err *err)
{
	char quote, *out = arena_alloc(a, c->n->text.n + 1, err);
	size_t n = 0;

	if (out == NULL)
		return IMP_E_NOMEM;
	skip_blanks(c);
	quote = peek(c);
	if (quote != '"' && quote != '\'')
		return wrong(c, err, "a label's value stands in quotes");
	for (c->i++; peek(c) != quote; c->i++) {
		char next = c->i + 1 < c->n->text.n ? c->n->text.p[c->i + 1] : '\0';

		if (c->i >= c->n->text.n)
			return wrong(c, err, "a label's value does not end");
		if (peek(c) == '\\' && (next == '\\' || next == quote || next == 'n')) {
			out[n++] = next == 'n' ? '\n' : next;
			c->i++;
		} else {
			out[n++] = peek(c);
		}
	}
	c->i++;
	*ret = (struct slice){ out, n };
	return IMP_OK;
}

static enum imp_rc
compile(struct slice re, pcre2_code **ret, int *ret_number, PCRE2_SIZE *ret_offset)
{
	*ret = pcre2_compile((PCRE2_SPTR)re.p, re.n, ANCHORED, ret_number, ret_offset, NULL);
	return *ret != NULL ? IMP_OK : IMP_E_RULE;
}

static enum imp_rc
check_expression(const struct cursor *c, const struct label_test *t, struct imp_err *err)
{
	PCRE2_UCHAR message[120];
	PCRE2_SIZE offset;
	pcre2_code *code;
	int number;

	if (t->op != LABEL_MATCH && t->op != LABEL_NO_MATCH)
		return IMP_OK;
	if (compile(t->value, &code, &number, &offset) != IMP_OK) {
		if (number == PCRE2_ERROR_HEAP_FAILED)
			return imp_err_set(err, IMP_E_NOMEM, "out of memory: compiling a regular expression");
		pcre2_get_error_message(number, message, sizeof(message));
		return wrong(c, err, (const char *)message);
	}
	pcre2_code_free(code);
	return IMP_OK;
}

static enum imp_rc
take_label(struct arena *a, struct cursor *c, struct selector *s, struct imp_err *err)
{
	struct label_test t = { .label = take_name(c) };
	enum imp_rc rc;

	if (t.label.n == 0)
		return wrong(c, err, "a label is expected");
	if (s->ntests == LABELS_MAX)
		return wrong(c, err, "too many labels");
	rc = take_op(c, &t.op, err);
	if (rc == IMP_OK)
		rc = take_value(a, c, &t.value, err);
	if (rc == IMP_OK)
		rc = check_expression(c, &t, err);
	if (rc == IMP_OK)
		s->tests[s->ntests++] = t;
	return rc;
}

static enum imp_rc
take_labels(struct arena *a, struct cursor *c, struct selector *s, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	while (!take_char(c, '}')) {
		rc = take_label(a, c, s, err);
		if (rc != IMP_OK)
			return rc;
		if (take_char(c, ','))
			continue;
		if (!take_char(c, '}'))
			return wrong(c, err, "',' or '}' is expected");
		break;
	}
	return rc;
}

static enum imp_rc
parse_selector(struct arena *a, const struct doc_node *n, struct selector *ret, struct imp_err *err)
{
	struct cursor c = { n, 0 };
	struct selector s = { 0 };
	struct slice name;
	enum imp_rc rc = field_scalar(n, &s.text, err);

	if (rc != IMP_OK)
		return rc;
	s.tests = arena_alloc(a, (LABELS_MAX + 1) * sizeof(*s.tests), err);
	if (s.tests == NULL)
		return IMP_E_NOMEM;
	name = take_name(&c);
	if (name.n > 0)
		s.tests[s.ntests++] = (struct label_test){ SLICE("__name__"), LABEL_EQ, name };
	if (take_char(&c, '{'))
		rc = take_labels(a, &c, &s, err);
	skip_blanks(&c);
	if (rc == IMP_OK && c.i < n->text.n)
		rc = wrong(&c, err, "nothing is expected here");
	if (rc == IMP_OK && s.ntests == 0)
		rc = wrong(&c, err, "a name is expected");
	if (rc == IMP_OK)
		*ret = s;
	return rc;
}

/* One selector or a list of them. */
static enum imp_rc
parse_selectors(struct arena *a, const struct doc_node *n, struct selector **ret, size_t *ret_n, struct imp_err *err)
{
	const struct doc_node *item = n->kind == DOC_LIST ? n->first : n;
	struct selector *s = arena_alloc(a, (n->n + 1) * sizeof(*s), err);
	size_t count = 0;
	enum imp_rc rc = s != NULL ? IMP_OK : IMP_E_NOMEM;

	for (; item != NULL && rc == IMP_OK; item = n->kind == DOC_LIST ? item->next : NULL)
		rc = parse_selector(a, item, &s[count++], err);
	if (rc == IMP_OK && count == 0)
		rc = doc_error(&n->at, err, "an empty list");
	if (rc == IMP_OK) {
		*ret = s;
		*ret_n = count;
	}
	return rc;
}

/* A mark, or a list of marks of which the first counts that there is. */
static enum imp_rc
parse_mark(struct arena *a, const struct doc_node *n, struct mark_choice *ret, struct imp_err *err)
{
	const struct doc_node *item = n->kind == DOC_LIST ? n->first : n;
	struct mark_choice m = { arena_alloc(a, (n->n + 1) * sizeof(*m.names), err), 0 };
	enum imp_rc rc = m.names != NULL ? IMP_OK : IMP_E_NOMEM;

	for (; item != NULL && rc == IMP_OK; item = n->kind == DOC_LIST ? item->next : NULL)
		rc = field_scalar(item, &m.names[m.n++], err);
	if (rc == IMP_OK && m.n == 0)
		rc = doc_error(&n->at, err, "an empty list");
	if (rc == IMP_OK)
		*ret = m;
	return rc;
}

/* `over: [mark, mark]`; the load where it is left out. */
static enum imp_rc
parse_over(struct arena *a, const struct doc_node *over, struct metric_expr *e, struct imp_err *err)
{
	static struct slice load[] = { { "load_start", 10 }, { "load_end", 8 } };
	enum imp_rc rc;

	e->from = (struct mark_choice){ &load[0], 1 };
	e->to = (struct mark_choice){ &load[1], 1 };
	if (over == NULL)
		return IMP_OK;
	rc = doc_is(over, DOC_LIST, err);
	if (rc == IMP_OK && over->n != 2)
		rc = doc_error(&over->at, err, "'over' names two marks");
	if (rc == IMP_OK)
		rc = parse_mark(a, over->first, &e->from, err);
	return rc == IMP_OK ? parse_mark(a, over->first->next, &e->to, err) : rc;
}

/* `by: [pod]` says aloud what is always so: a process is never subtracted from another. */
static enum imp_rc
check_by(const struct doc_node *by, struct imp_err *err)
{
	static const char *const names[] = { "pod", NULL };
	unsigned bits = 0;

	return field_bits(by, "division", names, &bits, err);
}

/* Samples that are times, to be compared with thresholds that are. */
static enum imp_rc
parse_unit(const struct doc_node *n, struct metric_expr *e, struct imp_err *err)
{
	static const char *const names[] = { "ns", "us", "ms", "s", NULL };
	static const int64_t ns[] = { 1, 1000, 1000000, 1000000000 };
	unsigned i;
	enum imp_rc rc = n != NULL ? doc_choice(n, "unit", names, &i, err) : IMP_OK;

	if (n == NULL || rc != IMP_OK)
		return rc;
	if (e->fn == METRIC_RATIO)
		return doc_error(&n->at, err, "a ratio has no unit");
	e->unit_ns = ns[i];
	return IMP_OK;
}

static enum imp_rc
parse_quantile(const struct doc_node *compute, struct metric_expr *e, struct imp_err *err)
{
	const struct doc_node *q;
	enum imp_rc rc = doc_need(compute, "q", &q, err);

	if (rc == IMP_OK)
		rc = doc_is(q, DOC_SCALAR, err);
	if (rc == IMP_OK && (!number_parse(q->text, &e->q) || e->q.num <= 0 || e->q.num >= e->q.den))
		rc = doc_error(&q->at, err, "'q' lies between 0 and 1");
	return rc;
}

/* `per` goes with a ratio, `q` with a quantile, and neither with anything else. */
static enum imp_rc
parse_function(struct arena *a, const struct doc_node *compute, struct metric_expr *e, struct imp_err *err)
{
	const struct doc_node *fn, *per = doc_get(compute, "per"), *q = doc_get(compute, "q");
	unsigned i;
	enum imp_rc rc = doc_need(compute, "fn", &fn, err);

	if (rc == IMP_OK)
		rc = doc_choice(fn, "function", metric_fn_names, &i, err);
	if (rc != IMP_OK)
		return rc;
	e->fn = i;
	if (per != NULL && e->fn != METRIC_RATIO)
		return doc_error(&per->key_at, err, "'per' goes with 'fn: ratio'");
	if (q != NULL && e->fn != METRIC_QUANTILE)
		return doc_error(&q->key_at, err, "'q' goes with 'fn: quantile'");
	if (e->fn == METRIC_QUANTILE)
		return parse_quantile(compute, e, err);
	if (e->fn != METRIC_RATIO)
		return IMP_OK;
	rc = doc_need(compute, "per", &per, err);
	return rc == IMP_OK ? parse_selectors(a, per, &e->per, &e->nper, err) : rc;
}

enum imp_rc
metric_parse(struct arena *a, const struct doc_node *n, const struct doc_node *compute, struct metric_expr *ret,
    struct imp_err *err)
{
	static const char *const keys[] = { "fn", "over", "by", "per", "q", "unit", NULL };
	static const char *const inline_keys[] = { "series", "fn", "over", "by", "per", "q", "unit", NULL };
	struct metric_expr e = { .at = n->at };
	const struct doc_node *series;
	enum imp_rc rc = doc_check_keys(compute, compute == n ? inline_keys : keys, err);

	if (rc == IMP_OK)
		rc = doc_need(n, "series", &series, err);
	if (rc == IMP_OK)
		rc = parse_selectors(a, series, &e.series, &e.nseries, err);
	if (rc == IMP_OK)
		rc = parse_function(a, compute, &e, err);
	if (rc == IMP_OK)
		rc = parse_over(a, doc_get(compute, "over"), &e, err);
	if (rc == IMP_OK)
		rc = check_by(doc_get(compute, "by"), err);
	if (rc == IMP_OK)
		rc = parse_unit(doc_get(compute, "unit"), &e, err);
	if (rc == IMP_OK)
		*ret = e;
	return rc;
}

struct slice
metric_label(struct slice labels, struct slice label, char *out)
{
	size_t i = 1; /* behind the brace */

	while (i < labels.n && labels.p[i] != '}') {
		size_t start = i, n = 0;
		bool wanted;

		while (i < labels.n && labels.p[i] != '=')
			i++;
		wanted = slice_eq((struct slice){ labels.p + start, i - start }, label);
		for (i += 2; i < labels.n && labels.p[i] != '"'; i++) {
			if (labels.p[i] == '\\' && i + 1 < labels.n) {
				i++;
				out[n++] = labels.p[i] == 'n' ? '\n' : labels.p[i];
			} else {
				out[n++] = labels.p[i];
			}
		}
		if (wanted)
			return (struct slice){ out, n };
		for (i++; i < labels.n && (labels.p[i] == ',' || labels.p[i] == ' ');)
			i++;
	}
	return (struct slice){ "", 0 };
}

/* Does the expression match all of `s`? One that takes too long does not. */
static enum imp_rc
expression_matches(struct slice re, struct slice s, bool *ret, struct imp_err *err)
{
	PCRE2_SIZE offset;
	pcre2_code *code;
	int number, found;
	pcre2_match_data *data = NULL;
	pcre2_match_context *limits = NULL;
	enum imp_rc rc = compile(re, &code, &number, &offset);

	if (rc == IMP_OK) {
		data = pcre2_match_data_create(1, NULL);
		limits = pcre2_match_context_create(NULL);
	}
	if (data == NULL || limits == NULL) {
		rc = imp_err_set(err, IMP_E_NOMEM, "out of memory: matching a label");
	} else {
		pcre2_set_match_limit(limits, MATCH_STEPS_MAX);
		found = pcre2_match(code, (PCRE2_SPTR)s.p, s.n, 0, 0, data, limits);
		*ret = found >= 0;
	}
	pcre2_match_context_free(limits);
	pcre2_match_data_free(data);
	pcre2_code_free(code);
	return rc;
}

enum imp_rc
selector_fits(const struct selector *s, struct slice name, const struct slice *labels, bool *ret, struct imp_err *err)
{
	char *out = malloc(labels != NULL ? labels->n + 1 : 1);
	bool fits = true;
	enum imp_rc rc = out != NULL ? IMP_OK : imp_err_set(err, IMP_E_NOMEM, "out of memory: the labels of a series");

	for (size_t i = 0; i < s->ntests && fits && rc == IMP_OK; i++) {
		const struct label_test *t = &s->tests[i];
		bool is_name = slice_eq(t->label, SLICE("__name__"));
		struct slice value = name;

		if (!is_name && labels == NULL)
			continue;
		if (!is_name)
			value = metric_label(*labels, t->label, out);
		if (t->op == LABEL_EQ || t->op == LABEL_NE)
			fits = slice_eq(value, t->value);
		else
			rc = expression_matches(t->value, value, &fits, err);
		fits ^= t->op == LABEL_NE || t->op == LABEL_NO_MATCH;
	}
	free(out);
	if (rc == IMP_OK)
		*ret = fits;
	return rc;
}
