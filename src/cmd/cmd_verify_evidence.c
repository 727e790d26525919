#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/judge.h"
#include "cmd/quote.h"
#include "cmd/references.h"
#include "ingest/source.h"
#include "sql_gen.h"

struct options {
	struct judge_options judge;
	uint64_t limit;
};

static const struct opt opts[] = {
	JUDGE_OPT_RUN(struct options, judge),
	{ "limit", 0, OPT_COUNT, offsetof(struct options, limit), "N",
	    "of a report that lists at most N losses of a kind (default 200)" },
	JUDGE_OPT_PROFILE(struct options, judge),
	JUDGE_OPT_RULES(struct options, judge),
	{ .name = NULL },
};

static const struct options defaults = { .limit = REPORT_LIST_MAX_DEFAULT };

enum state { STATE_OK, STATE_CHANGED, STATE_GONE, STATE_UNREADABLE, STATE_NOT_HASHED, _STATE_MAX };

static const char *const state_words[_STATE_MAX] = {
	[STATE_OK] = "ok",
	[STATE_CHANGED] = "CHANGED",
	[STATE_GONE] = "MISSING",
	[STATE_UNREADABLE] = "UNREADABLE",
	[STATE_NOT_HASHED] = "not hashed",
};

struct check {
	const struct report *report;
	int dirfd;
	struct buf *out;
	uint64_t files[_STATE_MAX], references;
};

/* The references to one file, and what was found of them. */
struct file_check {
	const struct reference *refs;
	size_t n;
	size_t next;	/* the first one whose line was not reached */
	int64_t line;	/* of the first reference that does not hold; 0: none */
	struct buf why; /* one phrase, when the file does not hold */
};

static const struct report_file *
find_file(const struct report *r, struct slice path)
{
	for (size_t i = 0; i < r->files.n; i++)
		if (slice_eq(r->files.v[i].path, path))
			return &r->files.v[i];
	return NULL;
}

static enum imp_rc
check_line(struct file_check *f, const struct source_line *line, struct imp_err *err)
{
	while (f->next < f->n && f->refs[f->next].line <= (int64_t)line->number) {
		const struct reference *ref = &f->refs[f->next++];
		bool says = true;
		enum imp_rc rc = ref->text.n == 0 ? IMP_OK : quote_holds(line->text, ref->text, &says, err);

		if (rc != IMP_OK)
			return rc;
		if (!says && f->line == 0)
			f->line = ref->line;
	}
	return IMP_OK;
}

static enum imp_rc
read_lines(struct source *source, struct file_check *f, struct imp_err *err)
{
	struct source_line line;
	bool more = true;
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && (rc = source_next(source, &line, &more, err)) == IMP_OK && more)
		rc = check_line(f, &line, err);
	return rc == IMP_OK ? source_finish(source, err) : rc;
}

static enum state
compare(struct file_check *f, const struct report_file *was, const struct source *source)
{
	char hex[65];

	if (was == NULL || was->sha256.n == 0)
		return STATE_NOT_HASHED;
	source_hex(source_sha256(source), hex);
	while (f->next < f->n && f->refs[f->next].line == 0)
		f->next++; /* of an empty file */
	if (!slice_eq(slice_of(hex), was->sha256))
		buf_addf(&f->why, "its SHA-256 is %s and was %.*s", hex, SLICE_ARG(was->sha256));
	else if (f->line > 0)
		buf_addf(&f->why, "line %" PRId64 " does not say what the report quotes", f->line);
	else if (f->next < f->n)
		buf_addf(&f->why, "it has no line %" PRId64, f->refs[f->next].line);
	else
		return STATE_OK;
	return STATE_CHANGED;
}

/* What becomes of a file that cannot be read, which is no error. */
static enum state
state_of(enum imp_rc rc)
{
	return rc == IMP_E_NOINPUT ? STATE_GONE : rc == IMP_E_IO ? STATE_UNREADABLE : STATE_CHANGED;
}

static enum imp_rc
open_and_check(struct check *c, struct file_check *f, enum state *ret, struct imp_err *err)
{
	const struct report_file *was = find_file(c->report, f->refs[0].file);
	const struct source_limits limits = { .line_max = SOURCE_LINE_MAX_DEFAULT,
		.ratio_max = SOURCE_RATIO_MAX,
		.hash = was != NULL && was->sha256.n > 0,
		.hash_thread = true };
	CLEANUP(buf_done) struct buf path = BUF_INIT(1 << 16);
	CLEANUP(source_closep) struct source *source = NULL;
	struct imp_err why = { 0 };
	enum imp_rc rc;

	buf_add_slice(&path, f->refs[0].file);
	rc = buf_status(&path, err);
	if (rc != IMP_OK)
		return rc;
	rc = source_open(c->dirfd, path.p, &limits, &source, &why);
	if (rc == IMP_OK)
		rc = read_lines(source, f, &why);
	if (rc == IMP_E_NOMEM) {
		*err = why;
		return rc;
	}
	if (rc != IMP_OK)
		buf_add_str(&f->why, why.msg);
	*ret = rc != IMP_OK ? state_of(rc) : compare(f, was, source);
	return IMP_OK;
}

/* "ok          logs/im-0.log: 12 references" */
static void
add_line(struct check *c, const struct file_check *f, enum state state)
{
	buf_addf(c->out, "%-10s  ", state_words[state]);
	text_add_terminal(c->out, f->refs[0].file);
	buf_add_str(c->out, ": ");
	text_add_count(c->out, (int64_t)f->n);
	buf_add_str(c->out, f->n == 1 ? " reference" : " references");
	if (f->why.n > 0) {
		buf_add_str(c->out, ": ");
		text_add_terminal(c->out, buf_slice(&f->why));
	}
	buf_add_char(c->out, '\n');
}

static enum imp_rc
check_file(struct check *c, const struct reference *refs, size_t n, struct imp_err *err)
{
	struct file_check f = { .refs = refs, .n = n, .why = BUF_INIT(4096) };
	enum state state = STATE_GONE;
	enum imp_rc rc = c->dirfd >= 0 ? open_and_check(c, &f, &state, err) : IMP_OK;

	if (rc == IMP_OK)
		rc = buf_status(&f.why, err);
	if (rc == IMP_OK)
		add_line(c, &f, state);
	buf_done(&f.why);
	c->files[state]++;
	c->references += n;
	return rc;
}

static enum imp_rc
check_all(struct check *c, const struct references *refs, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0, n; i < refs->v.n && rc == IMP_OK; i += n) {
		for (n = 1; i + n < refs->v.n && slice_eq(refs->v.v[i].file, refs->v.v[i + n].file);)
			n++;
		rc = check_file(c, &refs->v.v[i], n, err);
	}
	return rc;
}

/* The last line, and the exit status. */
static int
conclude(struct check *c)
{
	uint64_t bad = c->files[STATE_CHANGED] + c->files[STATE_GONE] + c->files[STATE_UNREADABLE];
	uint64_t all = bad + c->files[STATE_OK] + c->files[STATE_NOT_HASHED];

	text_add_count(c->out, (int64_t)c->references);
	buf_add_str(c->out, " references to ");
	text_add_count(c->out, (int64_t)all);
	buf_addf(c->out,
	    " files: %" PRIu64 " ok, %" PRIu64 " changed, %" PRIu64 " missing, %" PRIu64 " unreadable, %" PRIu64 " not hashed\n",
	    c->files[STATE_OK], c->files[STATE_CHANGED], c->files[STATE_GONE], c->files[STATE_UNREADABLE],
	    c->files[STATE_NOT_HASHED]);
	buf_add_str(c->out,
	    bad > 0			? "The evidence does not hold.\n" :
		c->files[STATE_OK] == 0 ? "Nothing could be compared: the files were not hashed.\n" :
					  "The evidence holds.\n");
	return bad > 0 ? 1 : c->files[STATE_OK] == 0 ? 3 : 0;
}

/* The directory that the run was read from; *ret_fd < 0 when it is not there. */
static enum imp_rc
open_directory(struct cmd_context *ctx, int64_t run_no, int *ret_fd, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf dir = BUF_INIT(1 << 16);
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(ctx->store, sql_cmd_explain_directory, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, run_no);
	while ((rc = store_step_row(ctx->store, st, &row, err)) == IMP_OK && row)
		buf_add_slice(&dir, store_column_slice(st, 1));
	if (rc == IMP_OK)
		rc = buf_status(&dir, err);
	if (rc != IMP_OK || dir.n == 0)
		return rc;
	*ret_fd = open(dir.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret_fd < 0 && errno != ENOENT && errno != ENOTDIR)
		return imp_err_errno(err, IMP_E_IO, errno, "could not open '%s'", dir.p);
	return IMP_OK;
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	CLEANUP(judge_done) struct judgement j = { 0 };
	CLEANUP(buf_done) struct buf out = BUF_INIT(CMD_OUTPUT_MAX);
	CLEANUP(references_done) struct references refs = { 0 };
	CLEANUP(close_fdp) int dirfd = -1;
	struct check c = { .report = &j.report, .out = &out };
	int64_t run_no;
	enum imp_rc rc = store_find_run(ctx->store, o->judge.run, &run_no, err);

	if (rc == IMP_OK)
		rc = open_directory(ctx, run_no, &dirfd, err);
	if (rc == IMP_OK)
		rc = judge_run(ctx, &o->judge, o->limit, &j, err);
	if (rc == IMP_OK)
		rc = references_collect(&j.report, &refs, err);
	c.dirfd = dirfd;
	if (rc == IMP_OK)
		rc = check_all(&c, &refs, err);
	if (rc != IMP_OK)
		return rc;
	ctx->exit_status = conclude(&c);
	return cmd_print(&out, err);
}

const struct cmd cmd_verify_evidence = {
	.name = "verify-evidence",
	.operands = "",
	.help = "reopen every place that the report refers to; exit 0 it holds, 1 it does not, 3 nothing to compare",
	.opts = opts,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.flags = CMD_READS,
	.run = run,
};
