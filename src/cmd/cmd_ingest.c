#include "config.h"

#include "base/cleanup.h"
#include "cmd/ingest.h"
#include "cmd/judge.h"

struct options {
	struct ingest_options ingest;
	struct judge_options judge; /* the rules alone: what to look for in logs */
};

static const struct opt opts[] = {
	INGEST_OPTS(struct options, ingest),
	JUDGE_OPT_RULES(struct options, judge),
	{ .name = NULL },
};

static const struct options defaults = { .ingest = INGEST_DEFAULTS };

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	CLEANUP(rules_freep) struct ruleset *rules = NULL;
	struct signature_set signatures;
	struct reconcile_result result;
	enum imp_rc rc = judge_load_rules(&o->judge.rules, RULES_TO_JUDGE, &rules, err);

	if (rc != IMP_OK)
		return rc;
	rules_signatures(rules, &signatures);
	for (size_t i = 0; i < ctx->noperands && rc == IMP_OK; i++)
		rc = ingest_directory(ctx, ctx->operands[i], &o->ingest, &signatures, &result, err);
	return rc;
}

const struct cmd cmd_ingest = {
	.name = "ingest",
	.operands = "DIR...",
	.help = "read results directories into the store",
	.opts = opts,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.flags = CMD_WRITES,
	.run = run,
};
