#include "config.h"

#include "ingest/snapshot.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/time.h"
#include "ingest/record.h"

void
snapshot_init(struct snapshot *s, int dirfd, const char *path)
{
	*s = (struct snapshot){ .dirfd = dirfd, .path = path, .note = BUF_INIT(SNAPSHOT_NOTE_MAX) };
}

void
snapshot_done(struct snapshot *s)
{
	VEC_FREE(NULL, &s->flaws);
	buf_done(&s->note);
}

enum imp_rc
snapshot_reject(struct snapshot *s, uint64_t line, const char *reason, struct imp_err *err)
{
	struct flaw flaw = { line, reason };

	return s->rejected++ < DAMAGE_PER_FILE_MAX ? VEC_PUSH(NULL, &s->flaws, flaw, err) : IMP_OK;
}

/* Words from outside may be any bytes, and are cut anywhere. */
static void
make_utf8(char *words)
{
	struct slice s = slice_of(words);

	for (size_t at = 0, next = 0; at < s.n; at = next) {
		if (text_next_char(s, &next) < 0)
			words[at] = '?';
	}
}

void
snapshot_note(struct snapshot *s, const char *fmt, ...)
{
	char words[SNAPSHOT_NOTE_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	make_utf8(words);
	if (n <= 0 || (s->note.n > 0 && strstr(s->note.p, words) != NULL) || s->note.n + strlen(words) + 2 > SNAPSHOT_NOTE_MAX)
		return;
	if (s->note.n > 0)
		buf_add_str(&s->note, "; ");
	buf_add_str(&s->note, words);
}

/* ------------------------------------------------------------------ the text */

#define READ_BYTES ((size_t)256 << 10)

static enum imp_rc
read_bytes(struct snapshot *s, struct source *src, struct snapshot_text *t, struct imp_err *err)
{
	size_t got = 1;
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && got > 0) {
		if (t->bytes.n > SNAPSHOT_BYTES_MAX)
			return imp_err_set(err, IMP_E_LIMIT, "'%s' is larger than %zu MiB", s->path, SNAPSHOT_BYTES_MAX >> 20);
		rc = VEC_RESERVE(t->budget, &t->bytes, READ_BYTES + RECORD_PADDING, err);
		if (rc == IMP_OK)
			rc = source_read(src, t->bytes.v + t->bytes.n, READ_BYTES, &got, err);
		if (rc == IMP_OK)
			t->bytes.n += got;
	}
	return rc;
}

static uint64_t
count_lines(struct slice text)
{
	uint64_t n = text.n > 0 && text.p[text.n - 1] != '\n';

	for (const char *p = text.p; (p = memchr(p, '\n', (size_t)(text.p + text.n - p))) != NULL; p++)
		n++;
	return n;
}

enum imp_rc
snapshot_text(struct snapshot *s, struct mem_budget *budget, struct snapshot_text *ret, struct imp_err *err)
{
	const struct source_limits limits = { .ratio_max = SOURCE_RATIO_MAX };
	CLEANUP(source_closep) struct source *src = NULL;
	struct imp_err why;
	enum imp_rc rc = source_open(s->dirfd, s->path, &limits, &src, &why);

	*ret = (struct snapshot_text){ .budget = budget };
	if (rc == IMP_OK) {
		s->compression = source_kind(src);
		rc = read_bytes(s, src, ret, &why);
	}
	if (rc == IMP_E_LIMIT)
		return snapshot_reject(s, 0, "too large to be read", err);
	if (rc != IMP_OK) {
		if (err != NULL)
			*err = why;
		return rc;
	}
	s->cut = source_cut(src);
	memset(ret->bytes.v + ret->bytes.n, 0, RECORD_PADDING);
	ret->text = (struct slice){ ret->bytes.v, ret->bytes.n };
	if (slice_has_prefix(ret->text, SLICE("\xef\xbb\xbf")))
		ret->text = (struct slice){ ret->text.p + 3, ret->text.n - 3 };
	s->lines = count_lines(ret->text);
	return IMP_OK;
}

void
snapshot_text_done(struct snapshot_text *t)
{
	VEC_FREE(t->budget, &t->bytes);
	t->text = (struct slice){ NULL, 0 };
}

/* ------------------------------------------------------------------ the name */

/* Unix seconds, perhaps with a fraction. */
static int64_t
seconds_of(struct slice s)
{
	int64_t whole = 0, ns = 0, unit = 1000000000;
	size_t i = 0;

	for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && whole <= TIME_MAX / 1000000000; i++)
		whole = whole * 10 + (s.p[i] - '0');
	if (i > 0 && i + 1 < s.n && s.p[i] == '.') {
		for (i++; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++) {
			unit /= 10;
			ns += (s.p[i] - '0') * unit;
		}
	}
	return i > 0 && i == s.n && whole < TIME_MAX / 1000000000 ? whole * 1000000000 + ns : NO_TIME;
}

static struct slice
without(struct slice s, struct slice suffix)
{
	return slice_has_suffix(s, suffix) && s.n > suffix.n ? (struct slice){ s.p, s.n - suffix.n } : s;
}

bool
snapshot_ends(struct slice path, struct slice ending)
{
	return slice_has_suffix(without(without(path, SLICE(".gz")), SLICE(".zst")), ending);
}

struct snapshot_name
snapshot_name(struct slice path, const int64_t *marks)
{
	static const struct slice endings[] = {
		SLICE(".gz"),
		SLICE(".zst"),
		SLICE(".prom"),
		SLICE(".json"),
		SLICE(".jsonl"),
		SLICE(".info"),
		SLICE(".txt"),
	};
	const char *slash = memrchr(path.p, '/', path.n), *at;
	struct snapshot_name name = { .source = path, .t = NO_TIME };
	struct slice when;
	enum plan_mark mark;

	if (slash != NULL)
		name.source = (struct slice){ slash + 1, (size_t)(path.p + path.n - slash - 1) };
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		name.source = without(name.source, endings[i]);
	at = memrchr(name.source.p, '@', name.source.n);
	if (at == NULL || at == name.source.p)
		return name;
	when = (struct slice){ at + 1, (size_t)(name.source.p + name.source.n - at - 1) };
	name.source.n = (size_t)(at - name.source.p);
	name.t = plan_mark_parse(when, &mark) ? marks[mark] : seconds_of(when);
	return name;
}
