#include "config.h"

#include <fcntl.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/collecting.h"
#include "cmd/ingest.h"
#include "cmd/judge.h"
#include "cmd/missing.h"
#include "report/repair_text.h"
#include "sql_gen.h"

struct options {
	struct judge_options judge; /* run and rules */
	struct ingest_options ingest;
	const char *config, *out;
	uint64_t limit;
	bool all, allow_scan;
};

#define FIELD(f) offsetof(struct options, f)

static const struct opt opts[] = {
	JUDGE_OPT_RUN(struct options, judge),
	COLLECTING_OPT_CONFIG(struct options, config),
	{ "out", 'o', OPT_TEXT, FIELD(out), "DIR", "results directory (default: the one that the run was read from)" },
	{ "all", 0, OPT_FLAG, FIELD(all), NULL, "look for messages that were refused or never sent, too" },
	{ "allow-scan", 0, OPT_FLAG, FIELD(allow_scan), NULL, "read tables without an index, too" },
	{ "limit", 0, OPT_COUNT, FIELD(limit), "N", "list at most N messages (default 20)" },
	JUDGE_OPT_RULES(struct options, judge),
	INGEST_OPTS(struct options, ingest),
	{ .name = NULL },
};

static const struct options defaults = { .ingest = INGEST_DEFAULTS, .limit = 20 };

/* What is looked for again, and where. */
struct recheck {
	struct arena arena;
	int64_t run_no;
	struct slice run_id;
	const char *dir;
	struct missing before, after;
	int64_t check; /* number of the look-up */
};

static void
recheck_done(struct recheck *r)
{
	missing_done(&r->before);
	missing_done(&r->after);
	arena_done(&r->arena);
}

/* The store that is named, else the one in the results directory that is. */
static enum imp_rc
open_store(struct cmd_context *ctx, const struct options *o, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	enum imp_rc rc;

	if (o->out == NULL || cmd_names_store(ctx))
		return cmd_open_store(ctx, cmd_store_path(ctx), STORE_CHANGE, err);
	buf_addf(&path, "%s/" CMD_STORE_DEFAULT, o->out);
	rc = buf_status(&path, err);
	if (rc != IMP_OK)
		return rc;
	return cmd_open_store(ctx, access(path.p, F_OK) == 0 ? path.p : cmd_store_path(ctx), STORE_CHANGE, err);
}

static enum imp_rc
find_directory(struct cmd_context *ctx, const struct options *o, struct recheck *r, struct imp_err *err)
{
	CLEANUP(close_fdp) int fd = -1;
	struct slice dir;
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(ctx->store, sql_cmd_explain_directory, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), r->run_no);
	rc = store_step_row(ctx->store, st, &row, err);
	if (rc != IMP_OK)
		return rc;
	r->run_id = arena_slice(&r->arena, store_column_slice(st, 0), err);
	dir = r->run_id.p != NULL ? arena_slice(&r->arena, store_column_slice(st, 1), err) : r->run_id;
	sqlite3_reset(st);
	if (dir.p == NULL)
		return IMP_E_NOMEM;
	r->dir = o->out != NULL ? o->out : dir.p;
	fd = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return IMP_OK;
	rc = imp_err_errno(err, errno == ENOENT || errno == ENOTDIR ? IMP_E_NOINPUT : IMP_E_IO, errno,
	    "could not open '%s', the results directory of run '%s'", r->dir, r->run_id.p);
	imp_err_hint(err, "--out DIR says where it is now");
	return rc;
}

static enum imp_rc
find_missing(struct cmd_context *ctx, const struct options *o, struct recheck *r, struct imp_err *err)
{
	enum imp_rc rc = store_find_run(ctx->store, o->judge.run, &r->run_no, err);

	if (rc == IMP_OK)
		rc = missing_load(&r->before, ctx->store, r->run_no, o->all, err);
	return rc == IMP_OK ? find_directory(ctx, o, r, err) : rc;
}

/* Ask the systems. *ret_broken has the first failure: what was got until then is evidence all the same. */
static enum imp_rc
ask(struct cmd_context *ctx, const struct options *o, struct recheck *r, struct imp_err *ret_broken, struct imp_err *err)
{
	CLEANUP(collect_config_done) struct collect_config *config = NULL;
	CLEANUP(collect_results_done) struct collect_results results = { NULL, 0 };
	struct collect_options c = { .out = r->dir, .phase = PHASE_FINAL, .allow_scan = o->allow_scan };
	enum imp_rc rc = collect_config_read(collecting_config_path(o->config), &config, err);

	if (rc != IMP_OK)
		return rc;
	collecting_begin(ctx, &c);
	rc = collect_again(config, &c, r->before.mids.v, r->before.topics.v, r->before.mids.n, &r->check, &results, err);
	collecting_end(&c);
	if (rc == IMP_OK)
		rc = collecting_print(&results, false, err);
	if (rc == IMP_OK)
		ret_broken->code = collect_results_failure(&results, ret_broken);
	return rc;
}

static enum imp_rc
read_again(struct cmd_context *ctx, const struct options *o, struct recheck *r, struct imp_err *err)
{
	CLEANUP(rules_freep) struct ruleset *rules = NULL;
	struct ingest_options ingest = o->ingest;
	struct signature_set signatures;
	struct reconcile_result result;
	enum imp_rc rc = judge_load_rules(&o->judge.rules, RULES_TO_JUDGE, &rules, err);

	ingest.replace |= o->out != NULL; /* that this is the run, the command line says */
	if (rc == IMP_OK) {
		rules_signatures(rules, &signatures);
		rc = ingest_directory(ctx, r->dir, &ingest, &signatures, &result, err);
	}
	if (rc == IMP_OK)
		rc = store_find_run(ctx->store, result.run_id, &r->run_no, err);
	if (rc == IMP_OK)
		rc = store_select_run(ctx->store, r->run_no, err);
	return rc == IMP_OK ? missing_load(&r->after, ctx->store, r->run_no, o->all, err) : rc;
}

/* "still missing: 2 (1 absent, 1 dead_letter)", and which. */
static void
add_missing(const struct recheck *r, uint64_t limit, struct buf *out)
{
	static const char *const states[] = { "absent", "dead_letter", "conflict", "unchecked" };
	const struct missing *m = &r->after;
	const char *separator = " (";

	buf_add_str(out, "still missing: ");
	text_add_count(out, (int64_t)m->mids.n);
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		size_t n = missing_count(m, slice_of(states[i]));

		if (n == 0)
			continue;
		buf_add_str(out, separator);
		text_add_count(out, (int64_t)n);
		buf_addf(out, " %s", states[i]);
		separator = ", ";
	}
	buf_add_str(out, m->mids.n > 0 ? ")\n" : "\n");
	for (size_t i = 0; i < m->mids.n && i < limit; i++) {
		buf_add_str(out, "  ");
		text_add_terminal(out, slice_of(m->mids.v[i]));
		buf_add_str(out, " in ");
		text_add_terminal(out, slice_of(m->topics.v[i]));
		buf_addf(out, ": %.*s\n", SLICE_ARG(m->persisted.v[i]));
	}
}

static enum imp_rc
print(struct cmd_context *ctx, const struct options *o, const struct recheck *r, bool whole, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(CMD_OUTPUT_MAX);
	CLEANUP(report_done) struct report report = { .failing_messages = 0 };
	enum imp_rc rc = report_load_repairs(&report, ctx->store, r->run_no, (size_t)o->limit, err);

	if (rc != IMP_OK)
		return rc;
	text_add_terminal(&text, r->run_id);
	buf_addf(&text, ": check %lld looked for ", (long long)r->check);
	text_add_count(&text, (int64_t)r->before.mids.n);
	buf_add_str(&text, r->before.mids.n == 1 ? " message" : " messages");
	buf_add_str(&text, whole ? "\n" : ", not everywhere: what it did not find counts as before\n");
	repair_text(&report.repairs, &text);
	add_missing(r, o->limit, &text);
	return cmd_print(&text, err);
}

static enum imp_rc
print_nothing(const struct recheck *r, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(CMD_OUTPUT_MAX);

	text_add_terminal(&text, r->run_id);
	buf_add_str(&text, ": nothing is missing, nobody was asked\n");
	return cmd_print(&text, err);
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	CLEANUP(recheck_done) struct recheck r = { .run_no = 0 };
	struct imp_err broken = { .code = IMP_OK };
	enum imp_rc rc = open_store(ctx, o, err);

	if (rc == IMP_OK)
		rc = find_missing(ctx, o, &r, err);
	if (rc == IMP_OK && r.before.mids.n == 0)
		return print_nothing(&r, err);
	if (rc == IMP_OK)
		rc = ask(ctx, o, &r, &broken, err);
	if (rc == IMP_OK)
		rc = read_again(ctx, o, &r, err);
	if (rc == IMP_OK)
		rc = print(ctx, o, &r, broken.code == IMP_OK, err);
	if (rc == IMP_OK && broken.code != IMP_OK) {
		*err = broken;
		rc = broken.code;
	}
	return rc;
}

const struct cmd cmd_recheck = {
	.name = "recheck",
	.operands = "",
	.help = "look again for what was missing from the database, and say what repaired it",
	.opts = opts,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.run = run,
};
