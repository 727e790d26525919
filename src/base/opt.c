#include "config.h"

#include "base/opt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Column at which the explanations of opt_help() begin. */
#define HELP_COLUMN 26

struct cursor {
	const struct opt_table *tables;
	size_t ntables;
	char **args;
	int n, at;
};

struct match {
	const struct opt *opt;
	void *values;
};

static bool
find_option(const struct cursor *c, struct slice name, char letter, struct match *ret)
{
	for (size_t i = 0; i < c->ntables; i++) {
		for (const struct opt *o = c->tables[i].opts; o != NULL && o->name != NULL; o++) {
			if (letter != 0 ? o->letter == letter : slice_eq(slice_of(o->name), name)) {
				*ret = (struct match){ o, c->tables[i].values };
				return true;
			}
		}
	}
	return false;
}

/* Decimal digits, then for bytes one unit. */
static enum imp_rc
parse_number(const struct opt *o, const char *text, uint64_t *ret, struct imp_err *err)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || errno != 0)
		return imp_err_set(err, IMP_E_USAGE, "'--%s' wants a number, not '%.64s'", o->name, text);
	if (o->kind == OPT_BYTES && *end != '\0' && (unit = strchr(units, *end)) != NULL) {
		unsigned shift = 10 * (unsigned)(unit - units + 1);

		if (v > UINT64_MAX >> shift)
			return imp_err_set(err, IMP_E_USAGE, "'--%s %.64s' is too large", o->name, text);
		v <<= shift;
		end++;
	}
	if (*end != '\0')
		return imp_err_set(err, IMP_E_USAGE, "'--%s' wants a number%s, not '%.64s'", o->name,
		    o->kind == OPT_BYTES ? " with K, M or G" : "", text);
	*ret = v;
	return IMP_OK;
}

static enum imp_rc
add_text(const struct opt *o, struct opt_texts *texts, const char *text, struct imp_err *err)
{
	if (texts->n == OPT_TEXTS_MAX)
		return imp_err_set(err, IMP_E_USAGE, "'--%s' is given more than %d times", o->name, OPT_TEXTS_MAX);
	texts->v[texts->n++] = text;
	return IMP_OK;
}

static enum imp_rc
set_value(const struct match *m, const char *text, struct imp_err *err)
{
	char *field = (char *)m->values + m->opt->offset;
	const bool on = true;
	uint64_t number = 0;
	enum imp_rc rc;

	switch (m->opt->kind) {
	case OPT_FLAG:
		memcpy(field, &on, sizeof(on));
		return IMP_OK;
	case OPT_TEXT:
		memcpy(field, &text, sizeof(text));
		return IMP_OK;
	case OPT_TEXTS:
		return add_text(m->opt, (struct opt_texts *)(void *)field, text, err);
	case OPT_COUNT:
	case OPT_BYTES:
		rc = parse_number(m->opt, text, &number, err);
		if (rc == IMP_OK)
			memcpy(field, &number, sizeof(number));
		return rc;
	}
	return IMP_E_INTERNAL;
}

/* Give a value option its value: `inside` the same argument, else the next one. */
static enum imp_rc
take_value(struct cursor *c, const struct match *m, const char *inside, struct imp_err *err)
{
	if (inside == NULL) {
		if (c->at >= c->n)
			return imp_err_set(err, IMP_E_USAGE, "'--%s' wants a value: %s", m->opt->name, m->opt->arg);
		inside = c->args[c->at++];
	}
	return set_value(m, inside, err);
}

static enum imp_rc
parse_long(struct cursor *c, const char *text, struct imp_err *err)
{
	const char *equals = strchr(text, '=');
	struct slice name = { text, equals != NULL ? (size_t)(equals - text) : strlen(text) };
	struct match m;

	if (!find_option(c, name, 0, &m))
		return imp_err_set(err, IMP_E_USAGE, "unknown option '--%.*s'", (int)(name.n < 64 ? name.n : 64), name.p);
	if (m.opt->kind != OPT_FLAG)
		return take_value(c, &m, equals != NULL ? equals + 1 : NULL, err);
	if (equals != NULL)
		return imp_err_set(err, IMP_E_USAGE, "'--%s' takes no value", m.opt->name);
	return set_value(&m, NULL, err);
}

static enum imp_rc
parse_letters(struct cursor *c, const char *text, struct imp_err *err)
{
	struct match m;

	for (; *text != '\0'; text++) {
		enum imp_rc rc;

		if (!find_option(c, (struct slice){ 0 }, *text, &m))
			return imp_err_set(err, IMP_E_USAGE, "unknown option '-%c'", *text > ' ' && *text < 0x7f ? *text : '?');
		if (m.opt->kind != OPT_FLAG)
			return take_value(c, &m, text[1] != '\0' ? text + 1 : NULL, err);
		rc = set_value(&m, NULL, err);
		if (rc != IMP_OK)
			return rc;
	}
	return IMP_OK;
}

/* A lone "-" is an operand. */
static bool
is_option(const char *arg)
{
	return arg[0] == '-' && arg[1] != '\0';
}

static enum imp_rc
parse_option(struct cursor *c, struct imp_err *err)
{
	const char *arg = c->args[c->at++];

	return arg[1] == '-' ? parse_long(c, arg + 2, err) : parse_letters(c, arg + 1, err);
}

enum imp_rc
opt_parse(const struct opt_table *tables, size_t ntables, char **args, int n, int *ret_operands, struct imp_err *err)
{
	struct cursor c = { tables, ntables, args, n, 0 };
	bool options_ended = false;
	int operands = 0;

	while (c.at < n) {
		char *arg = args[c.at];

		if (options_ended || !is_option(arg)) {
			args[operands++] = arg;
			c.at++;
		} else if (strcmp(arg, "--") == 0) {
			options_ended = true;
			c.at++;
		} else {
			enum imp_rc rc = parse_option(&c, err);

			if (rc != IMP_OK)
				return rc;
		}
	}
	*ret_operands = operands;
	return IMP_OK;
}

enum imp_rc
opt_parse_leading(const struct opt_table *table, char **args, int n, int *ret_used, struct imp_err *err)
{
	struct cursor c = { table, 1, args, n, 0 };

	while (c.at < n && is_option(args[c.at])) {
		enum imp_rc rc;

		if (strcmp(args[c.at], "--") == 0) {
			c.at++;
			break;
		}
		rc = parse_option(&c, err);
		if (rc != IMP_OK)
			return rc;
	}
	*ret_used = c.at;
	return IMP_OK;
}

void
opt_help(const struct opt *opts, struct buf *out)
{
	for (const struct opt *o = opts; o != NULL && o->name != NULL; o++) {
		size_t start = out->n, width;

		if (o->letter != 0)
			buf_addf(out, "  -%c, --%s", o->letter, o->name);
		else
			buf_addf(out, "      --%s", o->name);
		if (o->arg != NULL)
			buf_addf(out, " %s", o->arg);
		width = out->n - start;
		buf_addf(out, "%*s%s\n", width < HELP_COLUMN ? (int)(HELP_COLUMN - width) : 2, "", o->help);
	}
}
