#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/time.h"
#include "cmd/ingest.h"
#include "cmd/judge.h"

struct options {
	struct judge_options judge;
	struct ingest_options ingest;
	const char *zone;
	uint64_t limit;
};

static const struct opt opts[] = {
	{ "tz", 0, OPT_TEXT, offsetof(struct options, zone), "ZONE", "show times in a second zone too: +08:00, Asia/Shanghai" },
	{ "limit", 0, OPT_COUNT, offsetof(struct options, limit), "N", "list at most N losses of a kind (default 200)" },
	JUDGE_OPT_PROFILE(struct options, judge),
	JUDGE_OPT_RULES(struct options, judge),
	INGEST_OPTS(struct options, ingest),
	{ .name = NULL },
};

static const struct options defaults = { .ingest = INGEST_DEFAULTS, .limit = REPORT_LIST_MAX_DEFAULT };

/* Unless somebody says otherwise the store lies in the directory itself. */
static enum imp_rc
open_store(struct cmd_context *ctx, const char *dir, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	enum imp_rc rc;

	if (cmd_names_store(ctx))
		return cmd_open_store(ctx, cmd_store_path(ctx), STORE_WRITE, err);
	buf_addf(&path, "%s/" CMD_STORE_DEFAULT, dir);
	rc = buf_status(&path, err);
	return rc == IMP_OK ? cmd_open_store(ctx, path.p, STORE_WRITE, err) : rc;
}

/* report.FORMAT into the directory, in every format there is. */
static enum imp_rc
write_reports(int dirfd, const struct report *r, const struct render_options *render, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; renderers[i] != NULL && rc == IMP_OK; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(RENDER_BYTES_MAX), name = BUF_INIT(64);

		buf_addf(&name, "report.%s", renderers[i]->format);
		rc = buf_status(&name, err);
		if (rc == IMP_OK)
			rc = renderers[i]->render(r, render, &text, err);
		if (rc == IMP_OK)
			rc = io_replace(dirfd, name.p, buf_slice(&text), err);
	}
	return rc;
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	const char *dir = ctx->operands[0];
	CLEANUP(close_fdp) int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP(judge_done) struct judgement j = { 0 };
	CLEANUP(rules_freep) struct ruleset *rules = NULL;
	struct signature_set signatures;
	struct judge_options judge = o->judge;
	struct render_options render = { 0 };
	struct reconcile_result result;
	struct time_zone zone;
	enum imp_rc rc = IMP_OK;

	/* Before the store, which would be missing its directory. */
	if (dirfd < 0)
		return imp_err_errno(err, errno == ENOENT || errno == ENOTDIR ? IMP_E_NOINPUT : IMP_E_IO, errno,
		    "could not open results directory '%s'", dir);
	if (o->zone != NULL) {
		rc = time_zone_open(o->zone, &zone, err);
		render.zone = &zone;
	}
	if (rc == IMP_OK)
		rc = judge_load_rules(&judge.rules, RULES_TO_JUDGE, &rules, err);
	if (rc == IMP_OK)
		rc = open_store(ctx, dir, err);
	if (rc != IMP_OK)
		return rc;
	rules_signatures(rules, &signatures);
	rc = ingest_directory(ctx, dir, &o->ingest, &signatures, &result, err);
	if (rc == IMP_OK)
		rc = store_begin_read(ctx->store, err);
	if (rc != IMP_OK)
		return rc;
	judge.run = result.run_id;
	rc = judge_run(ctx, &judge, o->limit, &j, err);
	if (rc == IMP_OK)
		rc = write_reports(dirfd, &j.report, &render, err);
	return rc == IMP_OK ? judge_print(ctx, &j, err) : rc;
}

const struct cmd cmd_audit = {
	.name = "audit",
	.operands = "DIR",
	.help = "ingest DIR, write its report there in every format, and print the verdict as gate does",
	.opts = opts,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
