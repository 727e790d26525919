#include "config.h"

#include "base/cleanup.h"
#include "cmd/judge.h"
#include "cmd/tool_files.h"
#include "report/trust_text.h"

struct options {
	struct judge_options judge;
	bool arrival_rate;
};

static const struct opt opts[] = {
	JUDGE_OPT_RUN(struct options, judge),
	{ "arrival-rate", 0, OPT_FLAG, offsetof(struct options, arrival_rate), NULL,
	    "of files: every executor has an arrival rate, so that absent dropped_iterations are 0" },
	JUDGE_OPT_RULES(struct options, judge),
	{ .name = NULL },
};

/* What `gate` says of an invalid run does not matter here: 3 is the answer that is open. */
static int
exit_status(enum trust_result r)
{
	static const int status[_TRUST_RESULT_MAX] = { [TRUST_TRUSTED] = 0, [TRUST_UNTRUSTED] = 1, [TRUST_NOT_EVALUATED] = 3 };

	return status[r];
}

/* The store of the run: the one that is kept, or one in memory with the files. */
static enum imp_rc
open_run(struct cmd_context *ctx, const struct options *o, struct imp_err *err)
{
	enum imp_rc rc;

	if (ctx->noperands > 0)
		return tool_files_open(ctx, o->arrival_rate, err);
	rc = cmd_open_store(ctx, cmd_store_path(ctx), STORE_READ, err);
	return rc == IMP_OK ? store_begin_read(ctx->store, err) : rc;
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	CLEANUP(judge_done) struct judgement j = { 0 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(CMD_OUTPUT_MAX);
	enum imp_rc rc = IMP_OK;

	if (ctx->noperands > 0 && o->judge.run != NULL)
		return imp_err_set(err, IMP_E_USAGE, "--run and files exclude each other");
	if (ctx->noperands == 0 && o->arrival_rate)
		return imp_err_set(err, IMP_E_USAGE, "--arrival-rate is for files");
	rc = open_run(ctx, o, err);
	if (rc == IMP_OK)
		rc = judge_verdict(ctx, &o->judge, &j, err);
	if (rc != IMP_OK)
		return rc;
	trust_text(j.report.run.id, j.verdict, &text);
	ctx->exit_status = exit_status(j.verdict->trust);
	return cmd_print(&text, err);
}

const struct cmd cmd_trust = {
	.name = "trust",
	.operands = "[FILE...]",
	.help = "can the load generator be trusted: of a run, or of FILEs of k6 and health samples; exit 0 yes, 1 no, 3 not known",
	.opts = opts,
	.options_size = sizeof(struct options),
	.max_operands = SIZE_MAX,
	.run = run,
};
