#include "config.h"

#include <string.h>

#include "cmd/cmd.h"
#include "cmd/table.h"

struct options {
	const char *run, *format;
};

static const struct opt opts[] = {
	{ "run", 0, OPT_TEXT, offsetof(struct options, run), "ID", "the run that the views show (default: the one ingested last)" },
	{ "format", 'f', OPT_TEXT, offsetof(struct options, format), "FORMAT", "table (default), csv or json" },
	{ .name = NULL },
};

static const struct options defaults = { .format = "table" };

/* One statement and nothing behind it. */
static enum imp_rc
prepare(struct store *s, const char *sql, sqlite3_stmt **ret, struct imp_err *err)
{
	const char *rest = NULL;
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(store_db(s), sql, -1, &st, &rest) != SQLITE_OK) {
		imp_err_set(err, IMP_E_USAGE, "%s", sqlite3_errmsg(store_db(s)));
		imp_err_hint(err, "one SELECT on the evidence store; nothing that writes, attaches or loads");
		return IMP_E_USAGE;
	}
	if (st == NULL || rest[strspn(rest, " \t\r\n;")] != '\0') {
		sqlite3_finalize(st);
		return imp_err_set(err, IMP_E_USAGE, "'sql' wants exactly one statement");
	}
	/* VACUUM asks no authorizer. */
	if (!sqlite3_stmt_readonly(st)) {
		sqlite3_finalize(st);
		return imp_err_set(err, IMP_E_USAGE, "'sql' only reads");
	}
	*ret = st;
	return IMP_OK;
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	enum table_format format;
	sqlite3_stmt *st = NULL;
	int64_t run_no;
	enum imp_rc rc = table_format_find(o->format, &format, err);

	if (rc == IMP_OK)
		rc = store_find_run(ctx->store, o->run, &run_no, err);
	if (rc == IMP_OK)
		rc = store_select_run(ctx->store, run_no, err);
	if (rc == IMP_OK)
		rc = store_seal(ctx->store, 0, err);
	if (rc == IMP_OK)
		rc = prepare(ctx->store, ctx->operands[0], &st, err);
	if (rc == IMP_OK)
		rc = table_print(ctx->store, st, format, err);
	sqlite3_finalize(st);
	return rc;
}

const struct cmd cmd_sql = {
	.name = "sql",
	.operands = "'SELECT ...'",
	.help = "run one read-only statement on the store and its views",
	.opts = opts,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.min_operands = 1,
	.max_operands = 1,
	.flags = CMD_READS,
	.run = run,
};
