#include "config.h"

#include "cmd/cmd.h"
#include "cmd/table.h"
#include "sql_gen.h"

struct options {
	const char *format;
};

static const struct opt opts[] = {
	{ "format", 'f', OPT_TEXT, offsetof(struct options, format), "FORMAT", "table (default), csv or json" },
	{ .name = NULL },
};

static const struct options defaults = { .format = "table" };

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	enum table_format format;
	sqlite3_stmt *st;
	enum imp_rc rc = table_format_find(o->format, &format, err);

	if (rc == IMP_OK)
		rc = store_stmt(ctx->store, sql_cmd_runs, &st, err);
	return rc == IMP_OK ? table_print(ctx->store, st, format, err) : rc;
}

const struct cmd cmd_runs = {
	.name = "runs",
	.operands = "",
	.help = "list the runs of the store, the one ingested last at the end",
	.opts = opts,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.flags = CMD_READS,
	.run = run,
};
