#include "config.h"

#include "cmd/judge.h"

#include "base/cleanup.h"
#include "base/time.h"
#include "report/gate_text.h"

/* Steps of one SQL statement of a rule: some seconds. */
#define RULE_SQL_OPS_MAX UINT64_C(4000000000)

enum imp_rc
judge_load_rules(const struct opt_texts *dirs, enum rules_purpose purpose, struct ruleset **ret, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf today = BUF_INIT(64);
	struct rules_options options = { .dirs = dirs->v, .ndirs = dirs->n, .purpose = purpose };
	enum imp_rc rc;

	time_add_utc(&today, time_now(), 0);
	rc = buf_status(&today, err);
	if (rc != IMP_OK)
		return rc;
	buf_truncate(&today, sizeof("YYYY-MM-DD") - 1);
	options.today = today.p;
	return rules_load(&options, ret, err);
}

static enum imp_rc
select_run(struct cmd_context *ctx, const struct judge_options *opt, struct judgement *ret, struct imp_err *err)
{
	enum imp_rc rc;

	*ret = (struct judgement){ 0 };
	rc = judge_load_rules(&opt->rules, RULES_TO_JUDGE, &ret->rules, err);
	if (rc == IMP_OK)
		rc = store_find_run(ctx->store, opt->run, &ret->run_no, err);
	return rc == IMP_OK ? store_select_run(ctx->store, ret->run_no, err) : rc;
}

static enum imp_rc
evaluate_rules(struct cmd_context *ctx, const struct judge_options *opt, struct judgement *j, struct imp_err *err)
{
	enum imp_rc rc = store_seal(ctx->store, RULE_SQL_OPS_MAX, err);

	if (rc == IMP_OK)
		rc = rules_evaluate(j->rules, ctx->store, j->run_no, opt->profile, &j->verdict, err);
	j->report.verdict = j->verdict;
	return rc;
}

enum imp_rc
judge_verdict(struct cmd_context *ctx, const struct judge_options *opt, struct judgement *ret, struct imp_err *err)
{
	enum imp_rc rc = select_run(ctx, opt, ret, err);

	if (rc == IMP_OK)
		rc = report_load_run(&ret->report, ctx->store, ret->run_no, err);
	return rc == IMP_OK ? evaluate_rules(ctx, opt, ret, err) : rc;
}

enum imp_rc
judge_briefly(struct cmd_context *ctx, const struct judge_options *opt, struct judgement *ret, struct imp_err *err)
{
	enum imp_rc rc = judge_verdict(ctx, opt, ret, err);

	return rc == IMP_OK ? causes_weigh(ret->rules, ctx->store, ret->run_no, &ret->causes, err) : rc;
}

enum imp_rc
judge_run(struct cmd_context *ctx, const struct judge_options *opt, size_t list_max, struct judgement *ret, struct imp_err *err)
{
	enum imp_rc rc = select_run(ctx, opt, ret, err);

	if (rc == IMP_OK)
		rc = report_load(&ret->report, ctx->store, ret->run_no, list_max, err);
	if (rc == IMP_OK)
		rc = evaluate_rules(ctx, opt, ret, err);
	if (rc == IMP_OK)
		rc = causes_evaluate(ret->rules, ctx->store, ret->run_no, &ret->causes, err);
	ret->report.causes = ret->causes;
	return rc;
}

void
judge_done(struct judgement *j)
{
	report_done(&j->report);
	causes_free(j->causes);
	verdict_free(j->verdict);
	rules_free(j->rules);
	*j = (struct judgement){ 0 };
}

enum imp_rc
judge_print(struct cmd_context *ctx, const struct judgement *j, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(CMD_OUTPUT_MAX);

	gate_text(&j->report, j->causes, &text);
	ctx->exit_status = j->verdict->exit_code;
	return cmd_print(&text, err);
}
