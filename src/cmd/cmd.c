#include "config.h"

#include "cmd/cmd.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

bool
cmd_names_store(const struct cmd_context *ctx)
{
	const char *elsewhere = getenv("IMPAUDIT_STORE");

	return ctx->globals.store != NULL || (elsewhere != NULL && elsewhere[0] != '\0');
}

const char *
cmd_store_path(const struct cmd_context *ctx)
{
	const char *path = ctx->globals.store;

	if (path == NULL)
		path = getenv("IMPAUDIT_STORE");
	return path != NULL && path[0] != '\0' ? path : CMD_STORE_DEFAULT;
}

enum imp_rc
cmd_open_store(struct cmd_context *ctx, const char *path, enum store_mode mode, struct imp_err *err)
{
	int ms = ctx->globals.wait_s < INT_MAX / 1000 ? (int)ctx->globals.wait_s * 1000 : INT_MAX;
	enum imp_rc rc = store_open(path, mode, ms, &ctx->store, err);

	if (rc == IMP_E_NOINPUT)
		imp_err_hint(err, "'impaudit ingest DIR' makes it; --store FILE or $IMPAUDIT_STORE names another one");
	return rc;
}

static enum imp_rc
parse_arguments(const struct cmd *cmd, struct cmd_context *ctx, void *options, char **argv, int argc, struct imp_err *err)
{
	const struct opt_table tables[] = { { cmd->opts, options }, { global_opts, &ctx->globals } };
	int n;
	enum imp_rc rc = opt_parse(tables, 2, argv, argc, &n, err);

	if (rc == IMP_OK) {
		ctx->operands = argv;
		ctx->noperands = (size_t)n;
	}
	if (rc == IMP_OK && !ctx->globals.help && !ctx->globals.version &&
	    (ctx->noperands < cmd->min_operands || ctx->noperands > cmd->max_operands)) {
		if (cmd->max_operands == 0)
			rc = imp_err_set(err, IMP_E_USAGE, "'%s' takes no operand", cmd->name);
		else
			rc = imp_err_set(err, IMP_E_USAGE, "'%s' wants %s", cmd->name, cmd->operands);
	}
	if (rc != IMP_OK)
		imp_err_hint(err, "'impaudit %s --help' shows how it is used", cmd->name);
	return rc;
}

enum imp_rc
cmd_answer(const struct cmd *cmd, const struct cmd_globals *globals, bool *ret_done, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(CMD_OUTPUT_MAX);

	*ret_done = globals->help || globals->version;
	if (globals->version)
		buf_addf(&text, "impaudit %s\n", PACKAGE_VERSION);
	else if (globals->help)
		cmd_help(cmd, &text);
	return *ret_done ? cmd_print(&text, err) : IMP_OK;
}

static enum store_mode
store_mode_of(const struct cmd *cmd)
{
	if (cmd->flags & CMD_WRITES)
		return STORE_WRITE;
	return cmd->flags & CMD_CHANGES ? STORE_CHANGE : STORE_READ;
}

enum imp_rc
cmd_run(const struct cmd *cmd, struct cmd_context *ctx, char **argv, int argc, struct imp_err *err)
{
	CLEANUP(freep) void *options = calloc(1, cmd->options_size > 0 ? cmd->options_size : 1);
	bool answered;
	enum imp_rc rc;

	if (options == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	if (cmd->defaults != NULL)
		memcpy(options, cmd->defaults, cmd->options_size);
	rc = parse_arguments(cmd, ctx, options, argv, argc, err);
	if (rc != IMP_OK)
		return rc;
	rc = cmd_answer(cmd, &ctx->globals, &answered, err);
	if (rc != IMP_OK || answered)
		return rc;
	ctx->options = options;
	if (cmd->flags != 0)
		rc = cmd_open_store(ctx, cmd_store_path(ctx), store_mode_of(cmd), err);
	if (rc == IMP_OK && (cmd->flags & CMD_READS) != 0)
		rc = store_begin_read(ctx->store, err);
	if (rc == IMP_OK)
		rc = cmd->run(ctx, err);
	store_close(ctx->store);
	ctx->store = NULL;
	return rc;
}

enum imp_rc
cmd_print(const struct buf *text, struct imp_err *err)
{
	enum imp_rc rc = buf_status(text, err);

	if (rc != IMP_OK)
		return rc;
	if (fwrite(text->p, 1, text->n, stdout) != text->n || fflush(stdout) != 0)
		return imp_err_errno(err, IMP_E_IO, errno, "could not write to standard output");
	return IMP_OK;
}

static void
say(const char *before, const char *fmt, va_list ap)
{
	fputs(before, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void
cmd_note(const struct cmd_context *ctx, const char *fmt, ...)
{
	va_list ap;

	if (ctx->globals.quiet)
		return;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void
cmd_verbose(const struct cmd_context *ctx, const char *fmt, ...)
{
	va_list ap;

	if (!ctx->globals.verbose)
		return;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

/* Messages may quote file names and rule text. Without memory to escape it, what is not plain ASCII is left out. */
static void
complain(const char *before, const char *text)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(8192);

	text_add_terminal(&line, slice_of(text));
	fputs(before, stderr);
	if (buf_status(&line, NULL) == IMP_OK) {
		fputs(line.p, stderr);
	} else {
		for (; *text != '\0'; text++)
			fputc(*text >= ' ' && *text <= '~' ? *text : '?', stderr);
	}
	fputc('\n', stderr);
}

void
cmd_complain(const struct imp_err *err)
{
	complain("impaudit: ", err->msg[0] != '\0' ? err->msg : "error");
	if (err->hint[0] != '\0')
		complain("hint: ", err->hint);
}
