/* cmd/collecting.h - what collect and recheck share: where the configuration is, signals and progress, a line about each system. */
#pragma once
#include "cmd/cmd.h"
#include "collect/collect.h"

#define COLLECTING_CONFIG_DEFAULT "impaudit.yaml"

/* The entry of an option table for a `const char *` member. */
#define COLLECTING_OPT_CONFIG(type, member) \
	{ \
		"config", 0, OPT_TEXT, offsetof(type, member), "FILE", \
		    "where the systems are (default $IMPAUDIT_CONFIG, else " COLLECTING_CONFIG_DEFAULT ")" \
	}

/* `path` (may be NULL), else $IMPAUDIT_CONFIG, else the default. */
const char *collecting_config_path(const char *path);

/* Signals end it well from now on; progress is shown where there is a terminal. Sets `stop` and `progress` of the options. */
void collecting_begin(const struct cmd_context *ctx, struct collect_options *o);
/* Take away what progress left on the terminal. */
void collecting_end(const struct collect_options *o);

/* A line about each system on standard output; `dry`: they were only asked who they are. */
MUST_CHECK enum imp_rc collecting_print(const struct collect_results *r, bool dry, struct imp_err *err);
