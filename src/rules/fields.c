#include "config.h"

#include "rules/fields.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "rules/number.h"

#define ID_BYTES_MAX 100
#define REGEX_BYTES_MAX 4000
#define REGEX_MESSAGE_MAX 120

static const char *const language_keys[] = { "en", "zh-CN", NULL };
static const char *const truth_names[] = { "false", "true", NULL };

enum imp_rc
field_scalar(const struct doc_node *n, struct slice *ret, struct imp_err *err)
{
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc == IMP_OK && n->text.n == 0)
		rc = doc_error(&n->at, err, "text is missing");
	if (rc == IMP_OK)
		*ret = n->text;
	return rc;
}

enum imp_rc
field_text(const struct doc_node *n, struct rule_text *ret, struct imp_err *err)
{
	struct rule_text text;
	const struct doc_node *en, *zh;
	enum imp_rc rc;

	if (n == NULL)
		return IMP_OK;
	rc = doc_check_keys(n, language_keys, err);
	if (rc == IMP_OK)
		rc = doc_need(n, "en", &en, err);
	if (rc == IMP_OK)
		rc = field_scalar(en, &text.en, err);
	text.zh = text.en;
	zh = rc == IMP_OK ? doc_get(n, "zh-CN") : NULL;
	if (zh != NULL)
		rc = field_scalar(zh, &text.zh, err);
	if (rc == IMP_OK)
		*ret = text;
	return rc;
}

enum imp_rc
field_truth(const struct doc_node *n, bool *ret, struct imp_err *err)
{
	unsigned i;
	enum imp_rc rc = n != NULL ? doc_choice(n, "word", truth_names, &i, err) : IMP_OK;

	if (n != NULL && rc == IMP_OK)
		*ret = i == 1;
	return rc;
}

enum imp_rc
field_bits(const struct doc_node *n, const char *what, const char *const *names, unsigned *ret, struct imp_err *err)
{
	enum imp_rc rc = n != NULL ? doc_is(n, DOC_LIST, err) : IMP_OK;
	unsigned bits = 0, i;

	if (n == NULL || rc != IMP_OK)
		return rc;
	for (const struct doc_node *c = n->first; c != NULL && rc == IMP_OK; c = c->next) {
		rc = doc_choice(c, what, names, &i, err);
		if (rc == IMP_OK)
			bits |= 1u << i;
	}
	if (rc == IMP_OK)
		*ret = bits;
	return rc;
}

enum imp_rc
field_bits_or_one(const struct doc_node *n, const char *what, const char *const *names, unsigned *ret, struct imp_err *err)
{
	unsigned i;
	enum imp_rc rc;

	if (n == NULL || n->kind != DOC_SCALAR)
		return field_bits(n, what, names, ret, err);
	rc = doc_choice(n, what, names, &i, err);
	if (rc == IMP_OK)
		*ret = 1u << i;
	return rc;
}

enum imp_rc
field_id(const struct doc_node *n, struct slice *ret, struct imp_err *err)
{
	struct slice id;
	enum imp_rc rc = field_scalar(n, &id, err);

	if (rc != IMP_OK)
		return rc;
	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'))
			return doc_error(&n->at, err, "an id is made of a-z 0-9 . _ -");
	}
	if (id.n > ID_BYTES_MAX)
		return doc_error(&n->at, err, "an id has at most %d letters", ID_BYTES_MAX);
	*ret = id;
	return IMP_OK;
}

enum imp_rc
field_int(const struct doc_node *n, const char *what, int64_t min, int64_t max, int64_t *ret, struct imp_err *err)
{
	struct number x;
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc != IMP_OK)
		return rc;
	if (!number_parse(n->text, &x) || x.den != 1 || x.num < min || x.num > max)
		return doc_error(&n->at, err, "%s is a whole number from %lld to %lld", what, (long long)min, (long long)max);
	*ret = x.num;
	return IMP_OK;
}

struct doc_place
field_place(const struct doc_node *n, size_t offset)
{
	struct doc_place at = n->at;

	if (!n->block) { /* what stands behind the quote; escapes and folded lines move it, but not by much */
		at.column += (uint32_t)offset + (n->plain ? 0 : 1);
		return at;
	}
	at.line++;
	at.column = 1;
	for (size_t i = 0; i < offset && i < n->text.n; i++)
		at.line += n->text.p[i] == '\n';
	return at;
}

enum imp_rc
field_regex(const struct doc_node *n, struct slice *ret, struct imp_err *err)
{
	PCRE2_UCHAR message[REGEX_MESSAGE_MAX];
	struct slice re;
	PCRE2_SIZE offset;
	pcre2_code *code;
	int number;
	enum imp_rc rc = field_scalar(n, &re, err);

	if (rc != IMP_OK)
		return rc;
	if (n->plain)
		return doc_error(&n->at, err, "a regular expression stands in quotes or in a block");
	while (n->block && re.n > 0 && re.p[re.n - 1] == '\n')
		re.n--;
	if (re.n > REGEX_BYTES_MAX)
		return doc_error(&n->at, err, "a regular expression has at most %d bytes", REGEX_BYTES_MAX);
	code = pcre2_compile((PCRE2_SPTR)re.p, re.n, PCRE2_NEVER_UTF | PCRE2_NEVER_UCP, &number, &offset, NULL);
	if (code == NULL && number == PCRE2_ERROR_HEAP_FAILED)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: compiling a regular expression");
	if (code == NULL) {
		struct doc_place at = field_place(n, offset);

		pcre2_get_error_message(number, message, sizeof(message));
		return doc_error(&at, err, "regular expression: %s", (const char *)message);
	}
	pcre2_code_free(code);
	*ret = re;
	return IMP_OK;
}
