#include "config.h"

#include "base/cleanup.h"
#include "cmd/judge.h"

struct options {
	struct judge_options judge;
};

static const struct opt opts[] = {
	JUDGE_OPT_RUN(struct options, judge),
	JUDGE_OPT_PROFILE(struct options, judge),
	JUDGE_OPT_RULES(struct options, judge),
	{ .name = NULL },
};

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	CLEANUP(judge_done) struct judgement j = { 0 };
	enum imp_rc rc = judge_briefly(ctx, &o->judge, &j, err);

	return rc == IMP_OK ? judge_print(ctx, &j, err) : rc;
}

const struct cmd cmd_gate = {
	.name = "gate",
	.operands = "",
	.help = "print the verdict on one screen; exit 0 PASS, 1 FAIL, 2 INVALID, 3 INCONCLUSIVE",
	.opts = opts,
	.options_size = sizeof(struct options),
	.flags = CMD_READS,
	.run = run,
};
