/* cmd/cmd.h - commands: one const entry each, listed in cmd/commands.c.
 *
 * To add a command: src/cmd/cmd_NAME.c with its option table and one `const struct cmd cmd_NAME`, its declaration below, its line in
 * commands.c, its section in docs/impaudit.1, its test in tests/cli. cmd_run() parses the options, opens the store that the flags
 * ask for and runs the command; main() turns its error into a message and an exit status; --help is printed from the same entries.
 * This layer alone prints: results to standard output, everything else to standard error. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "store/store.h"

#define CMD_STORE_DEFAULT "impaudit.db"
#define CMD_WAIT_S_DEFAULT 60
#define CMD_OUTPUT_MAX ((size_t)256 << 20) /* bytes of one result */

/* Options that every command has. */
struct cmd_globals {
	const char *store; /* path; NULL: $IMPAUDIT_STORE, else the default */
	uint64_t wait_s;   /* how long a busy store is waited for */
	bool quiet, verbose, help, version;
};

struct cmd_context {
	struct cmd_globals globals;
	struct store *store; /* with one of the flags below; main() closes it */
	const void *options; /* the command's own struct, parsed */
	char **operands;
	size_t noperands;
	int exit_status; /* the command sets it where 0 is not the answer */
};

enum cmd_flags {
	CMD_READS = 1 << 0,   /* open the store for reading, one state of it; it must exist */
	CMD_WRITES = 1 << 1,  /* open the store for writing; made when need be */
	CMD_CHANGES = 1 << 2, /* open the store for writing; it must exist */
};

struct cmd {
	const char *name;
	const char *operands;	/* as --help names them: "DIR...", "" */
	const char *help;	/* one line */
	const struct opt *opts; /* NULL: none of its own */
	const void *defaults;	/* of the struct that opts write to */
	size_t options_size;
	size_t min_operands, max_operands;
	unsigned flags;
	enum imp_rc (*run)(struct cmd_context *ctx, struct imp_err *err);
};

extern const struct cmd cmd_audit, cmd_check_schema, cmd_collect, cmd_explain, cmd_forget, cmd_gate, cmd_ingest, cmd_recheck,
    cmd_report, cmd_rules, cmd_runs, cmd_sql, cmd_trust, cmd_verify_evidence;

/* All commands, NULL behind the last. */
extern const struct cmd *const commands[];

/* Options that stand before the command or among its own. */
extern const struct opt global_opts[];

const struct cmd *cmd_find(const char *name); /* NULL: there is none */

/* Parse the command's arguments, prepare what its flags ask for, run it. `ctx` has the globals that stood before the name. */
MUST_CHECK enum imp_rc cmd_run(const struct cmd *cmd, struct cmd_context *ctx, char **argv, int argc, struct imp_err *err);

/* --help of one command; NULL: of the program. */
void cmd_help(const struct cmd *cmd, struct buf *out);

/* Answer --help (of `cmd`; NULL: of the program) or --version when the globals ask for one; *ret_done says whether they did. */
MUST_CHECK enum imp_rc cmd_answer(const struct cmd *cmd, const struct cmd_globals *globals, bool *ret_done, struct imp_err *err);

/* Does an option or the environment name a store? */
bool cmd_names_store(const struct cmd_context *ctx);
/* The store that the options, the environment or the default name. */
const char *cmd_store_path(const struct cmd_context *ctx);
MUST_CHECK enum imp_rc cmd_open_store(struct cmd_context *ctx, const char *path, enum store_mode mode, struct imp_err *err);

/* Write to standard output; IMP_E_IO when it does not take it. */
MUST_CHECK enum imp_rc cmd_print(const struct buf *text, struct imp_err *err);

/* A line on standard error unless -q; printf-like, text from outside must be escaped already. */
void cmd_note(const struct cmd_context *ctx, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A line on standard error with -v. */
void cmd_verbose(const struct cmd_context *ctx, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* "impaudit: message" and "hint: ..." on standard error. */
void cmd_complain(const struct imp_err *err);
