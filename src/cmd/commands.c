#include "config.h"

#include "cmd/cmd.h"

#include <string.h>

#define FIELD(f) offsetof(struct cmd_globals, f)

const struct cmd *const commands[] = { &cmd_check_schema, &cmd_collect, &cmd_ingest, &cmd_report, &cmd_gate, &cmd_audit,
	&cmd_recheck, &cmd_explain, &cmd_verify_evidence, &cmd_trust, &cmd_runs, &cmd_forget, &cmd_rules, &cmd_sql, NULL };

const struct opt global_opts[] = {
	{ "store", 0, OPT_TEXT, FIELD(store), "FILE", "evidence store (default $IMPAUDIT_STORE, else " CMD_STORE_DEFAULT ")" },
	{ "wait", 0, OPT_COUNT, FIELD(wait_s), "SECONDS", "how long to wait for a store that is in use (default 60)" },
	{ "quiet", 'q', OPT_FLAG, FIELD(quiet), NULL, "say nothing but results and errors" },
	{ "verbose", 'v', OPT_FLAG, FIELD(verbose), NULL, "say more on standard error" },
	{ "help", 'h', OPT_FLAG, FIELD(help), NULL, "print this help" },
	{ "version", 'V', OPT_FLAG, FIELD(version), NULL, "print the version" },
	{ .name = NULL },
};

const struct cmd *
cmd_find(const char *name)
{
	for (const struct cmd *const *c = commands; *c != NULL; c++)
		if (strcmp((*c)->name, name) == 0)
			return *c;
	return NULL;
}

static void
help_command(const struct cmd *cmd, struct buf *out)
{
	buf_addf(out, "usage: impaudit %s%s%s%s\n\n%s\n", cmd->name, cmd->opts != NULL ? " [OPTION]..." : "",
	    cmd->operands[0] != '\0' ? " " : "", cmd->operands, cmd->help);
	if (cmd->opts != NULL) {
		buf_add_str(out, "\nOptions:\n");
		opt_help(cmd->opts, out);
	}
	buf_add_str(out, "\nOptions of every command:\n");
	opt_help(global_opts, out);
}

void
cmd_help(const struct cmd *cmd, struct buf *out)
{
	if (cmd != NULL) {
		help_command(cmd, out);
		return;
	}
	buf_add_str(out,
	    "usage: impaudit [OPTION]... COMMAND [ARGUMENT]...\n\n"
	    "Judge a load test of an instant-messaging server by the evidence it left.\n\nCommands:\n");
	for (const struct cmd *const *c = commands; *c != NULL; c++)
		buf_addf(out, "  %-22s  %s\n", (*c)->name, (*c)->help);
	buf_add_str(out, "\nOptions:\n");
	opt_help(global_opts, out);
	buf_add_str(out, "\n'impaudit COMMAND --help' says more about a command; impaudit(1) about all of them.\n");
}
