#include "config.h"

#include "cmd/tool_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "classify/write_loadgen.h"
#include "sql_gen.h"

#define NAME_BYTES_MAX 250 /* of all files together, as the name of their run */

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The directory that `path` is in. */
static enum imp_rc
open_parent(const char *path, int *ret_fd, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf dir = BUF_INIT(PATH_MAX);
	enum imp_rc rc;

	buf_add(&dir, path, (size_t)(base_name(path) - path));
	buf_add_char(&dir, '.');
	rc = buf_status(&dir, err);
	if (rc != IMP_OK)
		return rc;
	*ret_fd = open(dir.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret_fd >= 0)
		return IMP_OK;
	return imp_err_errno(err, errno == ENOENT || errno == ENOTDIR ? IMP_E_NOINPUT : IMP_E_IO, errno, "could not open '%s'",
	    path);
}

static enum imp_rc
insert_run(struct cmd_context *ctx, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf id = BUF_INIT(1 << 20);
	sqlite3_stmt *st;
	enum imp_rc rc = store_stmt(ctx->store, sql_cmd_tool_run, &st, err);

	for (size_t i = 0; i < ctx->noperands && id.n < NAME_BYTES_MAX; i++)
		buf_addf(&id, "%s%s", i > 0 ? ", " : "", base_name(ctx->operands[i]));
	if (rc == IMP_OK)
		rc = buf_status(&id, err);
	if (rc != IMP_OK)
		return rc;
	if (id.n > NAME_BYTES_MAX)
		buf_truncate(&id, NAME_BYTES_MAX);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":id"), buf_slice(&id));
	return store_step_done(ctx->store, st, err);
}

static enum imp_rc
insert_file(struct store *s, uint32_t file, const char *path, struct imp_err *err)
{
	sqlite3_stmt *st;
	enum imp_rc rc = store_stmt(s, sql_cmd_tool_file, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":file"), file);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":path"), slice_of(path));
	return store_step_done(s, st, err);
}

static enum imp_rc
insert_executors(struct store *s, struct imp_err *err)
{
	sqlite3_stmt *st;
	enum imp_rc rc = store_stmt(s, sql_cmd_tool_executors, &st, err);

	return rc == IMP_OK ? store_step_done(s, st, err) : rc;
}

static enum imp_rc
add_file(struct out *o, struct loadgen_numbers *numbers, uint32_t file, const char *path)
{
	CLEANUP(close_fdp) int dirfd = -1;
	struct loadgen tool = { .format = LOADGEN_UNKNOWN };
	struct snapshot s;
	enum imp_rc rc = open_parent(path, &dirfd, o->err);

	if (rc != IMP_OK)
		return rc;
	snapshot_init(&s, dirfd, base_name(path));
	rc = loadgen_read(&tool, &s, o->err);
	if (rc == IMP_OK && tool.format == LOADGEN_UNKNOWN) {
		rc =
		    imp_err_set(o->err, IMP_E_DATA, "'%s' is no summary or raw output of k6, and no array of health samples", path);
		imp_err_hint(o->err, "docs/trust.md says what is read");
	}
	if (rc == IMP_OK)
		rc = insert_file(o->s, file, path, o->err);
	if (rc == IMP_OK) {
		write_loadgen_file(o, numbers, slice_of(path), file, &tool, &s);
		rc = o->rc;
	}
	snapshot_done(&s);
	loadgen_done(&tool);
	return rc;
}

enum imp_rc
tool_files_open(struct cmd_context *ctx, bool arrival_rate, struct imp_err *err)
{
	struct out o = { .run_no = 1, .err = err };
	struct loadgen_numbers numbers = { 0 };
	enum imp_rc rc = cmd_open_store(ctx, ":memory:", STORE_WRITE, err);

	o.s = ctx->store;
	if (rc == IMP_OK)
		rc = store_begin(ctx->store, err);
	if (rc == IMP_OK)
		rc = insert_run(ctx, err);
	for (size_t i = 0; i < ctx->noperands && rc == IMP_OK; i++)
		rc = add_file(&o, &numbers, (uint32_t)i, ctx->operands[i]);
	if (rc == IMP_OK && arrival_rate)
		rc = insert_executors(ctx->store, err);
	return rc == IMP_OK ? store_commit(ctx->store, err) : rc;
}
