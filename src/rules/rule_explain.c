#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "rules/cause.h"
#include "rules/rule.h"

#define WRAP_COLUMN 100

/* `text` below `label`, broken at spaces. */
static void
add_paragraph(struct buf *out, const char *label, struct slice text)
{
	struct buf safe = BUF_INIT(1 << 20);
	size_t start = 0, space = 0, column = 0;

	text_add_terminal(&safe, text);
	if (!buf_part_ok(out, &safe) || text.n == 0) {
		buf_done(&safe);
		return;
	}
	buf_addf(out, "%-10s", label);
	for (size_t i = 0; i < safe.n; i++) {
		column += (safe.p[i] & 0xc0) != 0x80;
		if (safe.p[i] == ' ')
			space = i;
		if (column > WRAP_COLUMN && space > start) {
			buf_add(out, safe.p + start, space - start);
			buf_addf(out, "\n%10s", "");
			start = space + 1;
			column = i - space;
		}
	}
	buf_add(out, safe.p + start, safe.n - start);
	buf_add_char(out, '\n');
	buf_done(&safe);
}

/* Both languages, the second where it differs. */
static void
add_text(struct buf *out, const char *label, const struct rule_text *t)
{
	add_paragraph(out, label, t->en);
	if (!slice_eq(t->en, t->zh))
		add_paragraph(out, "", t->zh);
}

/* Made harmless, and yet to be read as an expression: its backslashes stay single. */
static void
add_expression(struct buf *out, struct slice text)
{
	struct buf safe = BUF_INIT(1 << 20);

	text_add_terminal(&safe, text);
	for (size_t i = 0; buf_part_ok(out, &safe) && i < safe.n; i++) {
		buf_add_char(out, safe.p[i]);
		i += safe.p[i] == '\\' && safe.p[i + 1] == '\\';
	}
	buf_done(&safe);
}

/* Lines as they stand, moved in. */
static void
add_lines(struct buf *out, const char *label, struct slice text)
{
	while (text.n > 0) {
		const char *end = memchr(text.p, '\n', text.n);
		size_t n = end != NULL ? (size_t)(end - text.p) : text.n;

		buf_addf(out, "%-10s", label);
		add_expression(out, (struct slice){ text.p, n });
		buf_add_char(out, '\n');
		n += end != NULL;
		text = (struct slice){ text.p + n, text.n - n };
		label = "";
	}
}

static void
add_names(struct buf *out, const char *label, const char *const *names, unsigned bits)
{
	const char *separator = "";

	if (bits == 0)
		return;
	buf_addf(out, "%-10s", label);
	for (unsigned i = 0; names[i] != NULL; i++)
		if ((bits & 1u << i) != 0) {
			buf_addf(out, "%s%s", separator, names[i]);
			separator = ", ";
		}
	buf_add_char(out, '\n');
}

static void
explain_conditions(const struct rule *r, struct buf *out)
{
	const char *verb = r->kind == RULE_KIND_GATE ? "requires" : "fires at";

	for (size_t i = 0; i < r->nconditions; i++) {
		const struct condition *c = &r->conditions[i];
		bool named = r->nconditions > 1;

		buf_addf(out, "%-10s", verb);
		if (named)
			buf_addf(out, "%.*s ", SLICE_ARG(c->name));
		buf_addf(out, "%.*s\n", SLICE_ARG(c->threshold.text));
		add_text(out, "", &c->text);
		add_names(out, "  needs", evidence_names, c->needs);
		if (c->value != NULL && (c->value->kind == VALUE_SQL || c->value->kind == VALUE_ROWS))
			add_lines(out, "  SQL", c->value->sql.text);
	}
	if (r->has_evidence)
		add_lines(out, "places", r->evidence.text);
}

static void
explain_signature(const struct rule *r, struct buf *out)
{
	static const char *const effects[] = {
		[EFFECT_LOST_SILENT] = "something is lost and nobody is told",
		[EFFECT_TOLD_CLIENT] = "the client is told",
		[EFFECT_DELAYED] = "something comes late",
		[EFFECT_FALSE_ACK] = "the client is told that it was done, and it was not",
		[EFFECT_INFO] = "nothing by itself",
	};

	for (size_t i = 0; i < r->log.nres; i++)
		add_lines(out, i == 0 ? "looks for" : "or", r->log.res[i]);
	buf_addf(out, "%-10s%s: %s\n", "effect", signature_effect_names[r->log.effect], effects[r->log.effect]);
	for (size_t i = 0; i < r->log.nalso; i++)
		add_paragraph(out, i == 0 ? "also" : "", r->log.also[i]);
	add_paragraph(out, "counts",
	    SLICE("[n, n] where a log of every expected pod covers the load; else n is the least that it can be. "
		  "Without any log it is not evaluated."));
}

static void
add_mark(struct buf *out, const char *before, const struct mark_choice *m)
{
	for (size_t i = 0; i < m->n; i++)
		buf_addf(out, "%s%.*s", i == 0 ? before : ", else ", SLICE_ARG(m->names[i]));
}

static void
explain_metric(const struct rule *r, struct buf *out)
{
	const struct metric_expr *e = &r->metric;

	for (size_t i = 0; i < e->nseries; i++)
		add_lines(out, i == 0 ? "series" : "and", e->series[i].text);
	for (size_t i = 0; i < e->nper; i++)
		add_lines(out, i == 0 ? "per" : "and", e->per[i].text);
	buf_addf(out, "%-10s%s", "computes", metric_fn_names[e->fn]);
	if (e->fn == METRIC_QUANTILE) {
		buf_add_str(out, " ");
		number_add_json(out, e->q, UNIT_NONE);
	}
	add_mark(out, " from ", &e->from);
	add_mark(out, " to ", &e->to);
	buf_add_str(out, ", each process for itself\n");
}

static void
explain_profile(const struct rule *r, struct buf *out)
{
	add_paragraph(out, "extends", r->profile.extends);
	for (const struct doc_node *n = r->profile.gates != NULL ? r->profile.gates->first : NULL; n != NULL; n = n->next)
		add_paragraph(out, n == r->profile.gates->first ? "gates" : "", n->text);
	for (const struct doc_node *n = r->profile.validity != NULL ? r->profile.validity->first : NULL; n != NULL; n = n->next)
		add_paragraph(out, n == r->profile.validity->first ? "validity" : "", n->text);
}

static void
explain_kind(const struct rule *r, struct buf *out)
{
	switch (r->kind) {
	case RULE_KIND_GATE:
	case RULE_KIND_VALIDITY:
		explain_conditions(r, out);
		break;
	case RULE_KIND_SIGNATURE:
		explain_signature(r, out);
		break;
	case RULE_KIND_METRIC:
		explain_metric(r, out);
		break;
	case RULE_KIND_QUERY:
		add_lines(out, "SQL", r->query.text);
		break;
	case RULE_KIND_CAUSE:
		cause_explain(r, out);
		break;
	case RULE_KIND_PROFILE:
		explain_profile(r, out);
		break;
	case _RULE_KIND_MAX:
		break;
	}
}

static void
explain_tests(const struct rule *r, struct buf *out)
{
	const char *label = "tests";

	for (const struct doc_node *t = r->tests != NULL ? r->tests->first : NULL; t != NULL; t = t->next) {
		add_paragraph(out, label, doc_get(t, "name")->text);
		label = "";
	}
}

static void
explain_rule(const struct rule *r, struct buf *out)
{
	buf_addf(out, "%.*s  (%s, revision %" PRId64 ", %s)  %s:%" PRIu32 "\n", SLICE_ARG(r->id), rule_kind_names[r->kind], r->rev,
	    rule_status_names[r->status], r->at.file, r->at.line);
	add_text(out, "", &r->title);
	add_text(out, "why", &r->about);
	add_text(out, "fix", &r->fix);
	add_names(out, "server", rule_server_names, r->applies.servers);
	add_names(out, "needs", evidence_names, r->needs);
	if (r->applies.has_sql)
		add_lines(out, "applies", r->applies.sql.text);
	explain_kind(r, out);
	explain_tests(r, out);
}

enum imp_rc
rules_explain(const struct ruleset *rs, struct slice id, struct buf *out, struct imp_err *err)
{
	const struct rule *r = ruleset_find(rs, id), *cause = ruleset_find_cause(rs, id);

	if (r == NULL && cause == NULL)
		return imp_err_set(err, IMP_E_NOINPUT, "there is no rule '%.*s'", (int)(id.n < 100 ? id.n : 100), id.p);
	if (r != NULL)
		explain_rule(r, out);
	if (r != NULL && cause != NULL)
		buf_add_char(out, '\n');
	if (cause != NULL)
		explain_rule(cause, out);
	return buf_status(out, err);
}

size_t
rules_size(const struct ruleset *rs)
{
	return rs->rules.n;
}

void
rules_entry(const struct ruleset *rs, size_t i, struct rules_entry *ret)
{
	const struct rule *r = rs->rules.v[i];

	*ret = (struct rules_entry){ .id = r->id,
		.kind = rule_kind_names[r->kind],
		.status = rule_status_names[r->status],
		.file = r->at.file,
		.line = r->at.line,
		.rev = r->rev,
		.title = r->title,
		.ntests = r->tests != NULL ? r->tests->n : 0 };
}
