#include "config.h"

#include "base/cleanup.h"
#include "base/settings.h"
#include "base/text.h"
#include "cmd/collecting.h"

struct options {
	const char *config, *out, *phase, *every, *until;
	struct opt_texts only, skip;
	bool allow_scan, check;
};

#define FIELD(f) offsetof(struct options, f)

static const struct opt opts[] = {
	COLLECTING_OPT_CONFIG(struct options, config),
	{ "out", 'o', OPT_TEXT, FIELD(out), "DIR", "results directory of the run; made when it is missing" },
	{ "phase", 0, OPT_TEXT, FIELD(phase), "PHASE", "baseline, load, drain or final (default final; with --every load)" },
	{ "every", 0, OPT_TEXT, FIELD(every), "LENGTH", "sample at this interval: 500ms, 5s, 1m" },
	{ "until", 0, OPT_TEXT, FIELD(until), "MARK",
	    "end of the samples: a mark of timeline.json, or 'drained' (default: the next phase's)" },
	{ "only", 0, OPT_TEXTS, FIELD(only), "SYSTEM", "ask this one alone; may be given again" },
	{ "skip", 0, OPT_TEXTS, FIELD(skip), "SYSTEM", "do not ask this one; may be given again" },
	{ "allow-scan", 0, OPT_FLAG, FIELD(allow_scan), NULL, "read tables without an index, too" },
	{ "check", 0, OPT_FLAG, FIELD(check), NULL, "connect, say who answers, and collect nothing" },
	{ .name = NULL },
};

static enum imp_rc
make_options(const struct options *o, struct collect_options *ret, struct imp_err *err)
{
	struct collect_options c = {
		.out = o->out,
		.phase = o->every != NULL ? PHASE_LOAD : PHASE_FINAL,
		.phase_given = o->phase != NULL,
		.dry = o->check,
		.until = o->until,
		.only = o->only.v,
		.nonly = o->only.n,
		.skip = o->skip.v,
		.nskip = o->skip.n,
		.allow_scan = o->allow_scan,
	};
	enum imp_rc rc = IMP_OK;

	if (o->out == NULL && !o->check)
		return imp_err_set(err, IMP_E_USAGE, "'--out DIR' is missing");
	if (o->phase != NULL)
		rc = collect_phase_find(o->phase, &c.phase, err);
	if (rc == IMP_OK && o->every != NULL)
		rc = setting_length_text(o->every, "--every", &c.every_ns, err);
	if (rc == IMP_OK)
		*ret = c;
	return rc;
}

static enum imp_rc
say_next(const struct cmd_context *ctx, const char *dir, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(8192);
	enum imp_rc rc;

	text_add_terminal(&name, slice_of(dir));
	rc = buf_status(&name, err);
	if (rc == IMP_OK)
		cmd_note(ctx, "next: impaudit audit %s", name.p);
	return rc;
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	CLEANUP(collect_config_done) struct collect_config *config = NULL;
	CLEANUP(collect_results_done) struct collect_results results = { NULL, 0 };
	struct collect_options c;
	enum imp_rc rc = make_options(o, &c, err);

	if (rc == IMP_OK)
		rc = collect_config_read(collecting_config_path(o->config), &config, err);
	if (rc != IMP_OK)
		return rc;
	collecting_begin(ctx, &c);
	rc = collect_run(config, &c, &results, err);
	collecting_end(&c);
	if (rc == IMP_OK)
		rc = collecting_print(&results, o->check, err);
	if (rc == IMP_OK && c.phase == PHASE_FINAL && !o->check)
		rc = say_next(ctx, o->out, err);
	return rc == IMP_OK ? collect_results_failure(&results, err) : rc;
}

const struct cmd cmd_collect = {
	.name = "collect",
	.operands = "",
	.help = "take evidence from the live systems of a run into its results directory",
	.opts = opts,
	.options_size = sizeof(struct options),
	.run = run,
};
