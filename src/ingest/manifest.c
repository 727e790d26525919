#include "config.h"

#include "ingest/manifest.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "ingest/source.h"

#define PATH_BYTES_MAX 4096

const char *
manifest_state_name(enum manifest_state s)
{
	static const char *const names[] = { NULL, "ok", "mismatch", "missing" };

	return names[s];
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool
parse_hash(struct slice line, unsigned char ret[32])
{
	if (line.n < 66)
		return false;
	for (int i = 0; i < 32; i++) {
		int high = hex_digit(line.p[2 * i]), low = hex_digit(line.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret[i] = (unsigned char)(high << 4 | low);
	}
	return line.p[64] == ' ' && (line.p[65] == ' ' || line.p[65] == '*');
}

/* A line that begins with a backslash has an escaped name: \\, \n, \r. */
static void
unescape(struct slice name, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c == '\\' && i + 1 < name.n) {
			c = name.p[++i];
			c = (char)(c == 'n' ? '\n' : c == 'r' ? '\r' : c);
		}
		buf_add_char(out, c);
	}
}

static enum imp_rc
note_missing(struct ledger *l, struct slice path, struct imp_err *err)
{
	uint32_t text;
	enum imp_rc rc = ledger_text(l, path, &text, err);

	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->not_there, ledger_text_slice(l, text), err) : rc;
}

/* One line: `HASH  PATH`, as sha256sum prints it. *ret_ok false: it is none. */
static enum imp_rc
check_line(struct ledger *l, struct slice line, struct buf *name, bool *ret_ok, struct imp_err *err)
{
	bool escaped = line.n > 0 && line.p[0] == '\\';
	unsigned char sha256[32];
	struct slice path;
	struct ledger_file *f;
	size_t file;
	enum imp_rc rc;

	if (escaped)
		line = (struct slice){ line.p + 1, line.n - 1 };
	*ret_ok = parse_hash(line, sha256) && line.n > 66 && line.n <= PATH_BYTES_MAX;
	if (!*ret_ok)
		return IMP_OK;
	path = (struct slice){ line.p + 66, line.n - 66 };
	if (escaped) {
		unescape(path, name);
		rc = buf_status(name, err);
		if (rc != IMP_OK)
			return rc;
		path = buf_slice(name);
	}
	if (slice_has_prefix(path, SLICE("./")))
		path = (struct slice){ path.p + 2, path.n - 2 };
	file = inputs_find(l->inputs, path);
	if (file == SIZE_MAX)
		return note_missing(l, path, err);
	f = &l->files[file];
	if (f->manifest != MANIFEST_MISMATCH)
		f->manifest = f->hashed && memcmp(f->sha256, sha256, 32) == 0 ? MANIFEST_OK : MANIFEST_MISMATCH;
	return IMP_OK;
}

static enum imp_rc
check_manifest(struct ledger *l, uint32_t file, const struct reader_options *opt, struct imp_err *err)
{
	struct source_limits limits = { .line_max = opt->line_max, .ratio_max = SOURCE_RATIO_MAX };
	CLEANUP(source_closep) struct source *src = NULL;
	CLEANUP(buf_done) struct buf name = BUF_INIT(PATH_BYTES_MAX);
	struct ledger_file *f = &l->files[file];
	struct source_line line;
	bool more = true, ok;
	enum imp_rc rc = source_open(l->inputs->dirfd, l->inputs->v.v[file].path, &limits, &src, err);

	while (rc == IMP_OK && (rc = source_next(src, &line, &more, err)) == IMP_OK && more) {
		struct damage d = {
			.place = place_make(file, line.number, 0),
			.reason = "not a line of sha256sum",
			.before = NO_TIME,
			.after = NO_TIME,
		};

		if (line.text.n == 0)
			continue;
		rc = check_line(l, line.text, &name, &ok, err);
		if (rc != IMP_OK || ok)
			continue;
		f->n.rejected++;
		if (f->n.rejected <= DAMAGE_PER_FILE_MAX)
			rc = VEC_PUSH(l->budget, &l->damages, d, err);
	}
	return rc;
}

static int
path_cmp(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

/* What is not there, in order of the paths, each once. */
static void
sort_missing(struct ledger *l)
{
	struct slice *v = l->not_there.v;
	size_t kept = 0;

	if (l->not_there.n > 1)
		qsort(v, l->not_there.n, sizeof(*v), path_cmp);
	for (size_t i = 0; i < l->not_there.n; i++) {
		if (kept == 0 || !slice_eq(v[kept - 1], v[i]))
			v[kept++] = v[i];
	}
	l->not_there.n = kept;
}

enum imp_rc
manifest_check(struct ledger *l, const struct reader_options *opt, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (uint32_t i = 0; i < l->inputs->v.n && rc == IMP_OK && opt->hash; i++) {
		if (l->inputs->v.v[i].kind == INPUT_MANIFEST)
			rc = check_manifest(l, i, opt, err);
	}
	sort_missing(l);
	return rc;
}
