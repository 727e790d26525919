/* agent/agent_cmd.h - commands of impagent: one const entry each, listed in agent_main.c.
 *
 * To add a command: src/agent/agent_cmd_NAME.c with its option table and one `const struct agent_cmd agent_cmd_NAME`, its declaration
 * below, its line in agent_main.c, its section in docs/impagent.1, its test in tests/cli. agent_main.c parses the options, runs the
 * command and turns its error into a message and an exit status. The commands and agent_main.c alone print. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/opt.h"

struct agent_context {
	const void *options; /* the command's own struct, parsed */
	bool quiet;
	int exit_status; /* the command sets it where 0 is not the answer */
};

struct agent_cmd {
	const char *name;
	const char *help;	/* one line */
	const struct opt *opts; /* NULL: none of its own */
	const void *defaults;	/* of the struct that opts write to */
	size_t options_size;
	enum imp_rc (*run)(struct agent_context *ctx, struct imp_err *err);
};

extern const struct agent_cmd agent_cmd_health;
