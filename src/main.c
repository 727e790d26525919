#include "config.h"

#include "cmd/cmd.h"

static enum imp_rc
find_command(char **argv, int argc, int used, const struct cmd **ret, struct imp_err *err)
{
	if (used == argc)
		imp_err_set(err, IMP_E_USAGE, "no command given");
	else if ((*ret = cmd_find(argv[used])) != NULL)
		return IMP_OK;
	else
		imp_err_set(err, IMP_E_USAGE, "no command '%.64s'", argv[used]);
	imp_err_hint(err, "'impaudit --help' lists them");
	return IMP_E_USAGE;
}

static enum imp_rc
run(struct cmd_context *ctx, char **argv, int argc, struct imp_err *err)
{
	const struct opt_table globals = { global_opts, &ctx->globals };
	const struct cmd *cmd;
	bool answered = false;
	int used;
	enum imp_rc rc = opt_parse_leading(&globals, argv, argc, &used, err);

	if (rc == IMP_OK && used == argc)
		rc = cmd_answer(NULL, &ctx->globals, &answered, err);
	if (rc != IMP_OK || answered)
		return rc;
	rc = find_command(argv, argc, used, &cmd, err);
	return rc == IMP_OK ? cmd_run(cmd, ctx, argv + used + 1, argc - used - 1, err) : rc;
}

int
main(int argc, char **argv)
{
	struct cmd_context ctx = { .globals.wait_s = CMD_WAIT_S_DEFAULT };
	struct imp_err err = { 0 };
	enum imp_rc rc = run(&ctx, argv + 1, argc > 0 ? argc - 1 : 0, &err);

	if (rc == IMP_OK)
		return ctx.exit_status;
	cmd_complain(&err);
	return imp_rc_exit_status(rc);
}
