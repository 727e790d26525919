#include "config.h"

#include "cmd/collecting.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/time.h"
#include "base/stop.h"

const char *
collecting_config_path(const char *path)
{
	if (path == NULL)
		path = getenv("IMPAUDIT_CONFIG");
	return path != NULL && path[0] != '\0' ? path : COLLECTING_CONFIG_DEFAULT;
}

/* Names of systems and sources are words of the program's own and of the configuration, which has checked them. */
static void
show(void *ctx, const char *line)
{
	(void)ctx;
	fprintf(stderr, "\r%s\033[K", line);
}

void
collecting_begin(const struct cmd_context *ctx, struct collect_options *o)
{
	o->stop = stop_on_signals();
	o->progress = isatty(STDERR_FILENO) && !ctx->globals.quiet ? show : NULL;
}

void
collecting_end(const struct collect_options *o)
{
	if (o->progress != NULL)
		fputs("\r\033[K", stderr);
}

static void
add_count(struct buf *out, uint64_t n, const char *one, const char *many)
{
	buf_add_str(out, ", ");
	text_add_count(out, (int64_t)n);
	buf_addf(out, " %s", n == 1 ? one : many);
}

static void
add_account(const struct collect_result *r, struct buf *out)
{
	add_count(out, r->requests, "request", "requests");
	if (r->denied > 0)
		buf_addf(out, " (%llu denied)", (unsigned long long)r->denied);
	if (r->samples > 0)
		add_count(out, r->samples, "sample", "samples");
	if (r->samples_failed > 0)
		buf_addf(out, " (%llu failed)", (unsigned long long)r->samples_failed);
	add_count(out, r->files, "file", "files");
	add_count(out, r->bytes, "byte", "bytes");
}

static void
add_result(const struct collect_result *r, bool dry, struct buf *out)
{
	bool well = r->failed.code == IMP_OK;

	buf_addf(out, "%s %s: %s", r->system, r->source, !well ? "INCOMPLETE" : dry ? "answers" : "ok");
	if (!dry)
		add_account(r, out);
	buf_addf(out, ", %.1f s", (double)r->ns / 1e9);
	if (r->server[0] != '\0') {
		buf_add_str(out, "; ");
		text_add_terminal(out, slice_of(r->server));
	}
	if (!well) {
		buf_add_str(out, "; ");
		text_add_terminal(out, slice_of(r->failed.msg));
	}
	buf_add_char(out, '\n');
}

enum imp_rc
collecting_print(const struct collect_results *r, bool dry, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(CMD_OUTPUT_MAX);

	for (size_t i = 0; i < r->n; i++)
		add_result(&r->v[i], dry, &text);
	return cmd_print(&text, err);
}
