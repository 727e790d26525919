#include "config.h"

#include "base/cleanup.h"
#include "base/io.h"
#include "base/time.h"
#include "cmd/judge.h"

struct options {
	struct judge_options judge;
	const char *format, *output, *zone;
	uint64_t limit;
};

static const struct opt opts[] = {
	JUDGE_OPT_RUN(struct options, judge),
	{ "format", 'f', OPT_TEXT, offsetof(struct options, format), "FORMAT", "md (default) or json" },
	{ "output", 'o', OPT_TEXT, offsetof(struct options, output), "FILE", "write to FILE, whole or not at all" },
	{ "tz", 0, OPT_TEXT, offsetof(struct options, zone), "ZONE", "show times in a second zone too: +08:00, Asia/Shanghai" },
	{ "limit", 0, OPT_COUNT, offsetof(struct options, limit), "N", "list at most N losses of a kind (default 200)" },
	JUDGE_OPT_PROFILE(struct options, judge),
	JUDGE_OPT_RULES(struct options, judge),
	{ .name = NULL },
};

static const struct options defaults = { .format = "md", .limit = REPORT_LIST_MAX_DEFAULT };

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	CLEANUP(judge_done) struct judgement j = { 0 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(RENDER_BYTES_MAX), now = BUF_INIT(64);
	const struct renderer *renderer;
	struct render_options render = { 0 };
	struct time_zone zone;
	enum imp_rc rc = renderer_find(o->format, &renderer, err);

	if (rc == IMP_OK && o->zone != NULL) {
		rc = time_zone_open(o->zone, &zone, err);
		render.zone = &zone;
	}
	if (rc == IMP_OK)
		rc = judge_run(ctx, &o->judge, o->limit, &j, err);
	if (rc == IMP_OK)
		rc = renderer->render(&j.report, &render, &text, err);
	time_add_utc(&now, time_now(), 0);
	if (rc == IMP_OK)
		rc = buf_status(&now, err);
	if (rc == IMP_OK)
		rc = o->output != NULL ? io_write(o->output, buf_slice(&text), err) : cmd_print(&text, err);
	if (rc != IMP_OK)
		return rc;
	cmd_note(ctx, "report made %s", now.p);
	return IMP_OK;
}

const struct cmd cmd_report = {
	.name = "report",
	.operands = "",
	.help = "write the report of a run",
	.opts = opts,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.flags = CMD_READS,
	.run = run,
};
