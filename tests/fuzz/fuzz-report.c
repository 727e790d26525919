/* A results directory of any bytes, up to the verdict and the reports: the built-in rules find an answer, the JSON report is JSON, and
 * nothing that moves a cursor or hides gets through. */
#include "config.h"

#include <json-c/json.h>

#include "base/text.h"
#include "fuzz.h"
#include "report/gate_text.h"
#include "report/render.h"
#include "results.h"
#include "rules/rules.h"

#define OUTPUT_MAX ((size_t)64 << 20)
#define SQL_OPS_MAX UINT64_C(100000000)

/* A line feed is our own; a report is UTF-8. */
static void
check_harmless(struct slice text)
{
	for (size_t pos = 0; pos < text.n;) {
		int32_t c = text_next_char(text, &pos);

		must(c == '\n' || (c >= 0 && !text_is_unsafe(c)));
	}
}

/* Reasons and codes are text from outside as the key of a member: all of them are there. */
static void
check_reasons(struct json_object *total, const struct report_scope *scope, const char *group)
{
	struct slice prefix = slice_of(group);
	struct json_object *o;
	int figures = 0;

	for (size_t i = 0; i < scope->figures.n; i++) {
		struct slice name = scope->figures.v[i].name;

		figures += slice_has_prefix(name, prefix) && name.n > prefix.n && name.p[prefix.n] == '.';
	}
	must(json_object_object_get_ex(total, group, &o) && json_object_object_length(o) == figures);
}

static void
check_json(struct slice text, const struct report *r)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o, *total;

	must(tok != NULL);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text.p, (int)text.n + 1);
	must(json_tokener_get_error(tok) == json_tokener_success && json_object_is_type(o, json_type_object));
	must(json_object_object_get_ex(o, "total", &total));
	check_reasons(total, &r->total, "by_code");
	check_reasons(total, &r->total, "by_fail");
	check_reasons(total, &r->total, "by_skip");
	json_object_put(o);
	json_tokener_free(tok);
}

static void
check_verdict(const struct verdict *v)
{
	for (size_t i = 0; i < v->nrules; i++)
		must(v->rules[i].reason != RULE_REASON_RULE_ERROR && v->rules[i].reason != RULE_REASON_BUDGET);
	for (size_t i = 0; i < v->ntrust_rules; i++)
		must(v->trust_rules[i].reason != RULE_REASON_RULE_ERROR && v->trust_rules[i].reason != RULE_REASON_BUDGET);
}

static void
render(const struct report *r)
{
	const struct render_options opt = { 0 };
	struct buf text = BUF_INIT(OUTPUT_MAX);

	must(renderer_md.render(r, &opt, &text, NULL) == IMP_OK);
	check_harmless(buf_slice(&text));
	buf_clear(&text);
	gate_text(r, r->causes, &text);
	must(buf_status(&text, NULL) == IMP_OK);
	check_harmless(buf_slice(&text));
	buf_clear(&text);
	must(renderer_json.render(r, &opt, &text, NULL) == IMP_OK);
	check_harmless(buf_slice(&text));
	check_json(buf_slice(&text), r);
	buf_done(&text);
}

static void
judge(struct store *s, int64_t run_no)
{
	static const struct rules_options builtin = { .today = "2026-12-01" };
	static struct ruleset *rules;
	struct report report = { 0 };
	struct verdict *verdict = NULL;
	struct causes *causes = NULL;
	enum imp_rc rc;

	must(rules != NULL || rules_load(&builtin, &rules, NULL) == IMP_OK);
	must(report_load(&report, s, run_no, REPORT_LIST_MAX_DEFAULT, NULL) == IMP_OK);
	must(store_seal(s, SQL_OPS_MAX, NULL) == IMP_OK);
	rc = rules_evaluate(rules, s, run_no, NULL, &verdict, NULL);
	if (rc == IMP_E_USAGE) /* run.json names a profile that there is not */
		rc = rules_evaluate(rules, s, run_no, "release", &verdict, NULL);
	must(rc == IMP_OK);
	check_verdict(verdict);
	must(causes_evaluate(rules, s, run_no, &causes, NULL) == IMP_OK);
	report.verdict = verdict;
	report.causes = causes;
	render(&report);
	report_done(&report);
	causes_free(causes);
	verdict_free(verdict);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct store *s;
	int64_t run_no;

	must(store_open(":memory:", STORE_WRITE, 0, &s, NULL) == IMP_OK);
	if (results_ingest(s, (struct slice){ (const char *)data, size }, &run_no))
		judge(s, run_no);
	store_close(s);
	return 0;
}
