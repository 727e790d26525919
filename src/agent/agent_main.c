#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent_cmd.h"
#include "base/cleanup.h"
#include "base/text.h"

#define HELP_BYTES_MAX ((size_t)1 << 20)

struct globals {
	bool quiet, help, version;
};

static const struct agent_cmd *const commands[] = { &agent_cmd_health, NULL };

static const struct opt global_opts[] = {
	{ "quiet", 'q', OPT_FLAG, offsetof(struct globals, quiet), NULL, "say nothing but results and errors" },
	{ "help", 'h', OPT_FLAG, offsetof(struct globals, help), NULL, "print this help" },
	{ "version", 'V', OPT_FLAG, offsetof(struct globals, version), NULL, "print the version" },
	{ .name = NULL },
};

static enum imp_rc
print(const struct buf *text, struct imp_err *err)
{
	enum imp_rc rc = buf_status(text, err);

	if (rc != IMP_OK)
		return rc;
	if (fwrite(text->p, 1, text->n, stdout) != text->n || fflush(stdout) != 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not write to standard output");
	return IMP_OK;
}

/* --help of one command; NULL: of the program. */
static void
help(const struct agent_cmd *cmd, struct buf *out)
{
	if (cmd != NULL) {
		buf_addf(out, "usage: impagent %s [OPTION]...\n\n%s\n", cmd->name, cmd->help);
		if (cmd->opts != NULL) {
			buf_add_str(out, "\nOptions:\n");
			opt_help(cmd->opts, out);
		}
		buf_add_str(out, "\nOptions of every command:\n");
		opt_help(global_opts, out);
		return;
	}
	buf_add_str(out, "usage: impagent [OPTION]... COMMAND [OPTION]...\n\nThe load agent of impaudit.\n\nCommands:\n");
	for (const struct agent_cmd *const *c = commands; *c != NULL; c++)
		buf_addf(out, "  %-12s  %s\n", (*c)->name, (*c)->help);
	buf_add_str(out, "\nOptions:\n");
	opt_help(global_opts, out);
	buf_add_str(out, "\n'impagent COMMAND --help' says more about a command; impagent(1) about all of them.\n");
}

static enum imp_rc
answer(const struct agent_cmd *cmd, const struct globals *g, bool *ret_done, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(HELP_BYTES_MAX);

	*ret_done = g->help || g->version;
	if (g->version)
		buf_addf(&text, "impagent %s\n", PACKAGE_VERSION);
	else if (g->help)
		help(cmd, &text);
	return *ret_done ? print(&text, err) : IMP_OK;
}

static enum imp_rc
find_command(const char *name, const struct agent_cmd **ret, struct imp_err *err)
{
	for (const struct agent_cmd *const *c = commands; *c != NULL; c++) {
		if (name != NULL && strcmp((*c)->name, name) == 0) {
			*ret = *c;
			return IMP_OK;
		}
	}
	if (name == NULL)
		imp_err_set(err, IMP_E_USAGE, "no command given");
	else
		imp_err_set(err, IMP_E_USAGE, "no command '%.64s'", name);
	imp_err_hint(err, "'impagent --help' lists them");
	return IMP_E_USAGE;
}

static enum imp_rc
run_command(const struct agent_cmd *cmd, struct globals *g, char **argv, int argc, int *ret_status, struct imp_err *err)
{
	CLEANUP(freep) void *options = calloc(1, cmd->options_size > 0 ? cmd->options_size : 1);
	const struct opt_table tables[] = { { cmd->opts, options }, { global_opts, g } };
	struct agent_context ctx = { .options = options };
	bool answered;
	int operands;
	enum imp_rc rc;

	if (options == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	if (cmd->defaults != NULL)
		memcpy(options, cmd->defaults, cmd->options_size);
	rc = opt_parse(tables, 2, argv, argc, &operands, err);
	if (rc == IMP_OK && operands > 0 && !g->help && !g->version)
		rc = imp_err_set(err, IMP_E_USAGE, "'%s' takes no operand", cmd->name);
	if (rc != IMP_OK) {
		imp_err_hint(err, "'impagent %s --help' shows how it is used", cmd->name);
		return rc;
	}
	rc = answer(cmd, g, &answered, err);
	if (rc != IMP_OK || answered)
		return rc;
	ctx.quiet = g->quiet;
	rc = cmd->run(&ctx, err);
	*ret_status = ctx.exit_status;
	return rc;
}

static enum imp_rc
run(char **argv, int argc, int *ret_status, struct imp_err *err)
{
	struct globals g = { .quiet = false };
	const struct opt_table table = { global_opts, &g };
	const struct agent_cmd *cmd;
	bool answered = false;
	int used;
	enum imp_rc rc = opt_parse_leading(&table, argv, argc, &used, err);

	if (rc == IMP_OK && used == argc)
		rc = answer(NULL, &g, &answered, err);
	if (rc != IMP_OK || answered)
		return rc;
	rc = find_command(used < argc ? argv[used] : NULL, &cmd, err);
	return rc == IMP_OK ? run_command(cmd, &g, argv + used + 1, argc - used - 1, ret_status, err) : rc;
}

/* Messages may quote what others wrote. */
static void
complain(const char *before, const char *message)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(8192);

	text_add_terminal(&line, slice_of(message));
	fprintf(stderr, "%s%s\n", before, buf_status(&line, NULL) == IMP_OK ? line.p : "out of memory");
}

int
main(int argc, char **argv)
{
	struct imp_err err = { 0 };
	int status = 0;
	enum imp_rc rc = run(argv + 1, argc > 0 ? argc - 1 : 0, &status, &err);

	if (rc == IMP_OK)
		return status;
	complain("impagent: ", err.msg);
	if (err.hint[0] != '\0')
		complain("hint: ", err.hint);
	return imp_rc_exit_status(rc);
}
