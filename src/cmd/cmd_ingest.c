#include "config.h"

#include "cmd/ingest.h"

struct options {
	struct ingest_options ingest;
};

static const struct opt opts[] = {
	INGEST_OPTS(struct options, ingest),
	{ .name = NULL },
};

static const struct options defaults = { .ingest = INGEST_DEFAULTS };

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	struct reconcile_result result;

	for (size_t i = 0; i < ctx->noperands; i++) {
		enum imp_rc rc = ingest_directory(ctx, ctx->operands[i], &o->ingest, &result, err);

		if (rc != IMP_OK)
			return rc;
	}
	return IMP_OK;
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
