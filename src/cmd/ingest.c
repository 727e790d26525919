#include "config.h"

#include "cmd/ingest.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/time.h"
#include "ingest/reader.h"

#define PROGRESS_EVERY_NS 200000000

struct progress {
	int64_t start_ns;
	_Atomic int64_t next_ns; /* when the next line is due */
};

/* One line over the last, from whichever thread comes first when it is due. */
static void
show_progress(void *payload, const struct reconcile_progress *p)
{
	struct progress *state = payload;
	int64_t now = time_monotonic(), due = atomic_load(&state->next_ns);
	double passed = (double)(now - state->start_ns) / (double)NS_PER_S;
	double done = p->bytes_total > 0 ? (double)p->bytes_done / (double)p->bytes_total : 0;

	if (now < due || !atomic_compare_exchange_strong(&state->next_ns, &due, now + PROGRESS_EVERY_NS))
		return;
	fprintf(stderr, "\r%.1f of %.1f MB, %.0f lines/s, %.0f s left\033[K", (double)p->bytes_done / 1e6,
	    (double)p->bytes_total / 1e6, passed > 0 ? (double)p->lines / passed : 0, done > 0 ? passed / done - passed : 0);
}

static unsigned
thread_count(uint64_t asked)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (asked == 0)
		asked = cores > 0 ? (uint64_t)cores : 1;
	return asked < READER_THREADS_MAX ? (unsigned)asked : READER_THREADS_MAX;
}

static enum imp_rc
check_options(const struct ingest_options *opt, struct imp_err *err)
{
	if (opt->memory < RECONCILE_MEMORY_MIN)
		return imp_err_set(err, IMP_E_USAGE, "--memory is at least %zuM", RECONCILE_MEMORY_MIN >> 20);
	if (opt->line_max > SOURCE_LINE_MAX)
		return imp_err_set(err, IMP_E_USAGE, "--line-max is at most %zuM", SOURCE_LINE_MAX >> 20);
	return IMP_OK;
}

static void
add_result(const struct reconcile_result *r, struct buf *out)
{
	text_add_terminal(out, slice_of(r->run_id));
	if (r->unchanged) {
		buf_add_str(out, ": unchanged since the last ingest\n");
		return;
	}
	buf_add_str(out, ": ");
	text_add_count(out, (int64_t)r->files);
	buf_add_str(out, " files, ");
	text_add_count(out, (int64_t)r->lines);
	buf_add_str(out, " lines, ");
	text_add_count(out, (int64_t)r->records);
	buf_add_str(out, " records, ");
	text_add_count(out, (int64_t)r->rejected);
	buf_add_str(out, " rejected, ");
	text_add_count(out, (int64_t)r->repaired);
	buf_add_str(out, " repaired\n");
}

enum imp_rc
ingest_directory(struct cmd_context *ctx, const char *dir, const struct ingest_options *opt, const struct signature_set *signatures,
    struct reconcile_result *ret, struct imp_err *err)
{
	struct progress progress = { .start_ns = time_monotonic() };
	const struct reconcile_options options = {
		.memory_max = opt->memory,
		.threads = thread_count(opt->threads),
		.line_max = opt->line_max,
		.hash = !opt->no_hash,
		.replace = opt->replace,
		.signatures = signatures,
		.progress = isatty(STDERR_FILENO) && !ctx->globals.quiet ? show_progress : NULL,
		.payload = &progress,
	};
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	enum imp_rc rc = check_options(opt, err);

	if (rc != IMP_OK)
		return rc;
	atomic_init(&progress.next_ns, progress.start_ns + PROGRESS_EVERY_NS);
	/* What readers give back when memory is short must serve all of them. They allocate seldom, so one heap is no bottleneck. */
	mallopt(M_ARENA_MAX, 1);
	rc = reconcile_directory(ctx->store, dir, &options, ret, err);
	if (options.progress != NULL)
		fputs("\r\033[K", stderr);
	if (rc != IMP_OK)
		return rc;
	add_result(ret, &text);
	rc = buf_status(&text, err);
	if (rc != IMP_OK)
		return rc;
	cmd_note(ctx, "%.*s", (int)(text.n - 1), text.p);
	cmd_verbose(ctx, "files parsed: %" PRIu64 " of %" PRIu64, ret->files_parsed, ret->files);
	cmd_verbose(ctx, "passes over the ledgers: %u", ret->passes);
	return IMP_OK;
}
