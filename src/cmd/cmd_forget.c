#include "config.h"

#include "cmd/cmd.h"
#include "sql_gen.h"

static enum imp_rc
forget_run(struct store *s, const char *run_id, struct imp_err *err)
{
	sqlite3_stmt *st;
	int64_t run_no;
	enum imp_rc rc = store_find_run(s, run_id, &run_no, err);

	if (rc == IMP_OK)
		rc = store_stmt(s, sql_cmd_forget, &st, err);
	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, run_no);
	return store_step_done(s, st, err);
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	enum imp_rc rc = store_begin(ctx->store, err);

	for (size_t i = 0; i < ctx->noperands && rc == IMP_OK; i++)
		rc = forget_run(ctx->store, ctx->operands[i], err);
	if (rc == IMP_OK)
		rc = store_commit(ctx->store, err);
	if (rc != IMP_OK)
		store_rollback(ctx->store);
	return rc;
}

const struct cmd cmd_forget = {
	.name = "forget",
	.operands = "RUN...",
	.help = "remove runs from the store",
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.flags = CMD_CHANGES,
	.run = run,
};
