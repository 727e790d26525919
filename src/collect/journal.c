#include "config.h"

#include "collect/journal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/redact.h"
#include "base/time.h"

#define LINE_BYTES_MAX ((size_t)1 << 20)
#define TEXT_BYTES_MAX ((size_t)64 << 10) /* of one member */

struct journal {
	struct outdir *dir;
	const char *phase;
	struct outfile *file; /* NULL: no line yet */
	struct journal_counts counts;
	char server[256];
};

const char *
asked_status_name(enum asked_status s)
{
	static const char *const names[_ASKED_STATUS_MAX] = {
		[ASKED_OK] = "ok",
		[ASKED_LIMITED] = "limited",
		[ASKED_DENIED] = "denied",
		[ASKED_UNREACHABLE] = "unreachable",
		[ASKED_TIMEOUT] = "timeout",
		[ASKED_REFUSED] = "refused",
		[ASKED_FAILED] = "failed",
	};

	return names[s];
}

enum imp_rc
journal_open(struct outdir *dir, const char *phase, struct journal **ret, struct imp_err *err)
{
	struct journal *j = calloc(1, sizeof(*j));

	if (j == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	*j = (struct journal){ .dir = dir, .phase = phase };
	*ret = j;
	return IMP_OK;
}

struct journal_counts
journal_counts(const struct journal *j)
{
	return j->counts;
}

const char *
journal_last_server(const struct journal *j)
{
	return j->server;
}

/* A member with text from outside, without secrets; one that is too long is cut, and says so. */
static void
text_member(struct jsonw *w, const char *key, const char *text)
{
	CLEANUP(buf_done) struct buf clean = BUF_INIT(2 * TEXT_BYTES_MAX);
	struct slice s = slice_of(text);
	bool cut = s.n > TEXT_BYTES_MAX;

	if (text == NULL)
		return;
	if (cut)
		s.n = TEXT_BYTES_MAX;
	redact_add(&clean, s);
	if (cut)
		buf_add_str(&clean, "[cut]");
	if (!buf_part_ok(w->out, &clean))
		return;
	jsonw_key(w, key);
	jsonw_text(w, buf_slice(&clean));
}

static void
int_member(struct jsonw *w, const char *key, int64_t v)
{
	jsonw_key(w, key);
	jsonw_int(w, v);
}

/* Both kinds of line begin so. */
static void
begin_line(struct jsonw *w, const struct journal *j, const char *ev, int64_t t, const char *system, const char *source)
{
	jsonw_flat_object(w);
	text_member(w, "ev", ev);
	int_member(w, "t", t);
	text_member(w, "phase", j->phase);
	text_member(w, "system", system);
	text_member(w, "source", source);
}

static enum imp_rc
write_line(struct journal *j, const struct buf *line, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf stem = BUF_INIT(64);
	enum imp_rc rc = buf_status(line, err);

	if (rc != IMP_OK || j->dir == NULL)
		return rc;
	if (j->file == NULL) {
		buf_addf(&stem, "collect/%lld", (long long)time_second(time_now()));
		rc = buf_status(&stem, err);
		if (rc == IMP_OK)
			rc = outdir_create(j->dir, stem.p, ".jsonl", &j->file, err);
	}
	if (rc == IMP_OK)
		rc = outfile_add(j->file, buf_slice(line), err);
	return rc == IMP_OK ? outfile_flush(j->file, err) : rc;
}

enum imp_rc
journal_asked(struct journal *j, const struct asked *a, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(LINE_BYTES_MAX);
	struct jsonw w = JSONW_INIT(&line);

	begin_line(&w, j, "collected", a->from, a->system, a->source);
	text_member(&w, "what", a->what);
	text_member(&w, "query", a->query);
	text_member(&w, "file", a->file);
	text_member(&w, "status", asked_status_name(a->status));
	text_member(&w, "why", a->why);
	int_member(&w, "ns", a->ns);
	if (a->n >= 0)
		int_member(&w, "n", a->n);
	int_member(&w, "tries", a->tries > 0 ? a->tries : 1);
	jsonw_end(&w);
	j->counts.requests++;
	j->counts.denied += a->status == ASKED_DENIED;
	return write_line(j, &line, err);
}

static void
keep_server(struct journal *j, const struct server_identity *id)
{
	CLEANUP(buf_done) struct buf clean = BUF_INIT(TEXT_BYTES_MAX);
	const char *const parts[] = { id->address, id->version, id->role };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i] == NULL)
			continue;
		if (clean.n > 0)
			buf_add_str(&clean, ", ");
		redact_add(&clean, slice_of(parts[i]));
	}
	snprintf(j->server, sizeof(j->server), "%s", buf_slice(&clean).p);
}

enum imp_rc
journal_server(struct journal *j, const struct server_identity *id, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(LINE_BYTES_MAX);
	struct jsonw w = JSONW_INIT(&line);

	begin_line(&w, j, "server", id->t, id->system, id->source);
	text_member(&w, "address", id->address);
	text_member(&w, "version", id->version);
	text_member(&w, "id", id->id);
	text_member(&w, "role", id->role);
	jsonw_end(&w);
	keep_server(j, id);
	return write_line(j, &line, err);
}

enum imp_rc
journal_close(struct journal *j, struct imp_err *err)
{
	CLEANUP(freep) struct journal *owned = j;

	return j != NULL ? outfile_close(j->file, true, err) : IMP_OK;
}
