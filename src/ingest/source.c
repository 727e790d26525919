#include "config.h"

#include "ingest/source.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/record.h"
#include "ingest/source_decoder.h"
#include "ingest/source_input.h"

#define BLOCK_BYTES ((size_t)256 << 10)
#define PADDING RECORD_PADDING

struct block {
	char *p;
	size_t cap; /* without the padding */
};

/* Lines lie in the blocks they were read to. When the last line of one block is incomplete its bytes go to the start of the other
 * block and reading goes on behind them, so that a helper thread may still hash the first. */
struct source {
	struct input in;
	struct decoder *decoder; /* NULL: plain */
	enum source_compression kind;
	size_t line_max;
	struct block blocks[2];
	unsigned current;
	size_t pos, fill; /* the unread bytes of the current block */
	bool started, end;
	uint64_t lines;
};

enum imp_rc
source_open(int dirfd, const char *path, const struct source_limits *limits, struct source **ret, struct imp_err *err)
{
	uint64_t ratio_max = limits->ratio_max > 0 ? limits->ratio_max : SOURCE_RATIO_MAX;
	struct source *s = calloc(1, sizeof(*s));
	unsigned char head[4];
	size_t n = 0;
	enum imp_rc rc;

	if (s == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "could not open '%s': out of memory", path);
	s->line_max = limits->line_max > 0 ? limits->line_max : SOURCE_LINE_MAX_DEFAULT;
	rc = input_open(&s->in, dirfd, path, limits->hash, limits->hash_thread, err);
	if (rc != IMP_OK) {
		free(s);
		return rc;
	}
	rc = input_peek(&s->in, head, sizeof(head), &n, err);
	if (rc == IMP_OK)
		s->kind = decoder_sniff(head, n);
	if (rc == IMP_OK && s->kind != SOURCE_PLAIN)
		rc = decoder_new(s->kind, &s->in, ratio_max, &s->decoder, err);
	if (rc != IMP_OK) {
		source_close(s);
		return rc;
	}
	*ret = s;
	return IMP_OK;
}

void
source_close(struct source *s)
{
	if (s == NULL)
		return;
	decoder_free(s->decoder);
	input_close(&s->in); /* its helper thread may be reading the blocks */
	free(s->blocks[0].p);
	free(s->blocks[1].p);
	free(s);
}

/* Make the other block hold at least `need` bytes; its content is lost. No helper thread reads it any more, see input_read(). */
static enum imp_rc
block_room(struct source *s, struct block *b, size_t need, struct imp_err *err)
{
	if (need <= b->cap)
		return IMP_OK;
	free(b->p);
	b->cap = 0;
	b->p = malloc(need + PADDING);
	if (b->p == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "could not read '%s': out of memory", s->in.path);
	b->cap = need;
	return IMP_OK;
}

/* Read more behind the `kept` bytes before `fill`, and change blocks. */
static enum imp_rc
next_block(struct source *s, size_t kept, struct imp_err *err)
{
	const struct block *from = &s->blocks[s->current];
	struct block *to = &s->blocks[!s->current];
	size_t more = kept < BLOCK_BYTES ? BLOCK_BYTES : kept; /* or a long line would be moved again and again */
	size_t got = 0;
	enum imp_rc rc = block_room(s, to, kept + more, err);

	if (rc != IMP_OK)
		return rc;
	if (kept > 0)
		memcpy(to->p, from->p + s->fill - kept, kept);
	rc = source_read(s, to->p + kept, more, &got, err);
	if (rc != IMP_OK)
		return rc;
	memset(to->p + kept + got, 0, PADDING);
	s->current = !s->current;
	s->pos = 0;
	s->fill = kept + got;
	s->end = got == 0;
	return IMP_OK;
}

static enum imp_rc
start(struct source *s, struct imp_err *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	enum imp_rc rc = next_block(s, 0, err);

	if (rc != IMP_OK)
		return rc;
	s->started = true;
	if (s->fill >= sizeof(mark) - 1 && memcmp(s->blocks[s->current].p, mark, sizeof(mark) - 1) == 0)
		s->pos = sizeof(mark) - 1;
	return IMP_OK;
}

/* The current block is full of one line that is too long already: keep its first bytes there and find its end. */
static enum imp_rc
skip_line(struct source *s, bool *ret_complete, struct imp_err *err)
{
	const unsigned keep = s->current;
	enum imp_rc rc;

	*ret_complete = false;
	do {
		const char *feed, *p;

		s->current = keep; /* so that the other block is read to */
		rc = next_block(s, 0, err);
		if (rc != IMP_OK)
			return rc;
		p = s->blocks[s->current].p;
		feed = memchr(p, '\n', s->fill);
		if (feed != NULL) {
			s->pos = (size_t)(feed - p) + 1;
			*ret_complete = true;
		} else {
			s->pos = s->fill;
		}
	} while (!*ret_complete && !s->end);
	return IMP_OK;
}

enum imp_rc
source_next(struct source *s, struct source_line *ret, bool *ret_more, struct imp_err *err)
{
	enum imp_rc rc = s->started ? IMP_OK : start(s, err);
	const char *text, *feed = NULL;
	size_t seen = 0, n;
	bool complete;

	for (;;) {
		if (rc != IMP_OK)
			return rc;
		text = s->blocks[s->current].p + s->pos;
		n = s->fill - s->pos;
		feed = memchr(text + seen, '\n', n - seen);
		if (feed != NULL || s->end || n > s->line_max + 1)
			break;
		seen = n;
		rc = next_block(s, n, err);
	}
	if (feed == NULL && n == 0) {
		*ret_more = false;
		return IMP_OK;
	}
	complete = feed != NULL;
	if (complete) {
		n = (size_t)(feed - text);
		s->pos += n + 1;
	} else if (s->end) {
		s->pos = s->fill;
	} else {
		rc = skip_line(s, &complete, err);
		if (rc != IMP_OK)
			return rc;
	}
	n -= n > 0 && text[n - 1] == '\r';
	*ret = (struct source_line){
		.text = { text, n < s->line_max ? n : s->line_max },
		.number = ++s->lines,
		.too_long = n > s->line_max,
		.complete = complete,
	};
	*ret_more = true;
	return IMP_OK;
}

enum imp_rc
source_read(struct source *s, void *dst, size_t n, size_t *ret_n, struct imp_err *err)
{
	if (s->decoder != NULL)
		return decoder_read(s->decoder, dst, n, ret_n, err);
	return input_read(&s->in, dst, n, ret_n, err);
}

enum imp_rc
source_finish(struct source *s, struct imp_err *err)
{
	struct block *b = &s->blocks[!s->current];
	size_t n = 0;
	enum imp_rc rc = block_room(s, b, BLOCK_BYTES, err);

	do {
		if (rc == IMP_OK)
			rc = input_read(&s->in, b->p, BLOCK_BYTES, &n, err);
	} while (rc == IMP_OK && n > 0);
	return rc == IMP_OK ? input_finish(&s->in, err) : rc;
}

enum source_compression
source_kind(const struct source *s)
{
	return s->kind;
}

bool
source_cut(const struct source *s)
{
	return s->decoder != NULL && decoder_cut(s->decoder);
}

uint64_t
source_bytes(const struct source *s)
{
	return s->in.offset;
}

const struct stat *
source_stat(const struct source *s)
{
	return &s->in.st;
}

const unsigned char *
source_sha256(const struct source *s)
{
	return s->in.hashed ? s->in.sha256 : NULL;
}

enum imp_rc
source_hash_file(int dirfd, const char *path, unsigned char ret[32], struct imp_err *err)
{
	struct source_limits limits = { .hash = true };
	struct source *s;
	enum imp_rc rc = source_open(dirfd, path, &limits, &s, err);

	if (rc != IMP_OK)
		return rc;
	rc = source_finish(s, err);
	if (rc == IMP_OK)
		memcpy(ret, source_sha256(s), DIGEST_BYTES);
	source_close(s);
	return rc;
}

void
source_hex(const unsigned char sha256[32], char ret[65])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		ret[2 * i] = digits[sha256[i] >> 4];
		ret[2 * i + 1] = digits[sha256[i] & 15];
	}
	ret[2 * DIGEST_BYTES] = '\0';
}
