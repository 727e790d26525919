#include "config.h"

#include "ingest/source_decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define RAW_BYTES ((size_t)128 << 10)

/* What one step of a decompressor came to. */
enum step {
	STEP_MORE,
	STEP_MEMBER_END, /* a gzip member or zstd frame is complete, its checksum right */
	STEP_DAMAGED,
	STEP_NOMEM,
	STEP_WINDOW, /* it needs more history than we allow */
};

struct decoder {
	enum source_compression kind;
	struct input *in; /* borrowed */
	uint64_t ratio_max;
	union {
		z_stream gzip;
		struct {
			ZSTD_DCtx *ctx;
			size_t hint; /* bytes up to the end of the block that is being read */
		} zstd;
	};
	size_t raw_pos, raw_n;
	uint64_t made; /* bytes that came out */
	bool between;  /* behind a complete member */
	bool done, cut;
	unsigned char raw[RAW_BYTES];
};

enum source_compression
decoder_sniff(const unsigned char *head, size_t n)
{
	static const unsigned char gzip[] = { 0x1f, 0x8b };
	static const unsigned char zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	static const unsigned char skippable[] = { 0x2a, 0x4d, 0x18 }; /* behind 0x50 ... 0x5f */

	if (n >= sizeof(gzip) && memcmp(head, gzip, sizeof(gzip)) == 0)
		return SOURCE_GZIP;
	if (n >= sizeof(zstd) && memcmp(head, zstd, sizeof(zstd)) == 0)
		return SOURCE_ZSTD;
	if (n > sizeof(skippable) && head[0] >> 4 == 5 && memcmp(head + 1, skippable, sizeof(skippable)) == 0)
		return SOURCE_ZSTD;
	return SOURCE_PLAIN;
}

static bool
start_library(struct decoder *d)
{
	if (d->kind == SOURCE_GZIP)
		return inflateInit2(&d->gzip, 16 + MAX_WBITS) == Z_OK;
	d->zstd.ctx = ZSTD_createDCtx();
	if (d->zstd.ctx == NULL)
		return false;
	ZSTD_DCtx_setParameter(d->zstd.ctx, ZSTD_d_windowLogMax, DECODER_WINDOW_LOG);
	d->zstd.hint = ZSTD_initDStream(d->zstd.ctx);
	return true;
}

enum imp_rc
decoder_new(enum source_compression kind, struct input *in, uint64_t ratio_max, struct decoder **ret, struct imp_err *err)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (d != NULL) {
		d->kind = kind;
		d->in = in;
		d->ratio_max = ratio_max;
	}
	if (d == NULL || !start_library(d)) {
		free(d);
		return imp_err_set(err, IMP_E_NOMEM, "could not read '%s': out of memory", in->path);
	}
	*ret = d;
	return IMP_OK;
}

void
decoder_free(struct decoder *d)
{
	if (d == NULL)
		return;
	if (d->kind == SOURCE_GZIP)
		inflateEnd(&d->gzip);
	else
		ZSTD_freeDCtx(d->zstd.ctx);
	free(d);
}

static enum step
step_gzip(struct decoder *d, unsigned char *dst, size_t n, size_t *ret_n)
{
	z_stream *z = &d->gzip;
	int rc;

	z->next_in = d->raw + d->raw_pos;
	z->avail_in = (uInt)(d->raw_n - d->raw_pos);
	z->next_out = dst;
	z->avail_out = (uInt)n;
	rc = inflate(z, Z_NO_FLUSH);
	d->raw_pos = d->raw_n - z->avail_in;
	*ret_n = n - z->avail_out;
	switch (rc) {
	case Z_OK:
	case Z_BUF_ERROR:
		return STEP_MORE;
	case Z_STREAM_END:
		inflateReset(z);
		return STEP_MEMBER_END;
	case Z_MEM_ERROR:
		return STEP_NOMEM;
	default:
		return STEP_DAMAGED;
	}
}

/* The library is fed block by block: with an error it does not tell what it had made in that call. */
static enum step
step_zstd(struct decoder *d, unsigned char *dst, size_t n, size_t *ret_n)
{
	size_t left = d->raw_n - d->raw_pos;
	ZSTD_inBuffer in = { .src = d->raw + d->raw_pos, .size = left < d->zstd.hint ? left : d->zstd.hint };
	ZSTD_outBuffer out = { .dst = dst, .size = n };
	size_t rc = ZSTD_decompressStream(d->zstd.ctx, &out, &in);

	d->raw_pos += in.pos;
	*ret_n = out.pos;
	if (!ZSTD_isError(rc)) {
		d->zstd.hint = rc > 0 ? rc : ZSTD_initDStream(d->zstd.ctx);
		return rc > 0 ? STEP_MORE : STEP_MEMBER_END;
	}
	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_memory_allocation:
		return STEP_NOMEM;
	case ZSTD_error_frameParameter_windowTooLarge:
		return STEP_WINDOW;
	default:
		return STEP_DAMAGED;
	}
}

/* Have bytes to decode, if there are any. */
static enum imp_rc
fill_raw(struct decoder *d, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (d->raw_pos == d->raw_n) {
		d->raw_pos = 0;
		d->raw_n = 0;
		rc = input_read(d->in, d->raw, sizeof(d->raw), &d->raw_n, err);
	}
	return rc;
}

/* Zeros may follow a member, as tapes leave them. */
static void
skip_padding(struct decoder *d)
{
	while (d->raw_pos < d->raw_n && d->raw[d->raw_pos] == 0)
		d->raw_pos++;
	d->between = d->raw_pos == d->raw_n;
}

static enum imp_rc
check_ratio(const struct decoder *d, struct imp_err *err)
{
	uint64_t used = d->in->offset - (d->raw_n - d->raw_pos);

	if (d->made <= SOURCE_BOMB_FLOOR || d->made / d->ratio_max < used)
		return IMP_OK;
	imp_err_set(err, IMP_E_LIMIT,
	    "could not read '%s': it unpacks to more than %" PRIu64 " times its size (%" PRIu64 " bytes out of %" PRIu64 " so far)",
	    d->in->path, d->ratio_max, d->made, used);
	imp_err_hint(err, "if it is no decompression bomb unpack it and put the plain file in its place");
	return IMP_E_LIMIT;
}

static enum imp_rc
step_failed(const struct decoder *d, enum step step, struct imp_err *err)
{
	if (step == STEP_NOMEM)
		return imp_err_set(err, IMP_E_NOMEM, "could not read '%s': out of memory", d->in->path);
	imp_err_set(err, IMP_E_LIMIT, "could not read '%s': unpacking it needs more than %u MiB of history", d->in->path,
	    1u << (DECODER_WINDOW_LOG - 20));
	imp_err_hint(err, "pack it again without --long or --ultra");
	return IMP_E_LIMIT;
}

enum imp_rc
decoder_read(struct decoder *d, void *dst, size_t n, size_t *ret_n, struct imp_err *err)
{
	size_t got = 0;

	while (got < n && !d->done) {
		size_t before, made = 0;
		enum step step;
		enum imp_rc rc = fill_raw(d, err);

		if (rc != IMP_OK)
			return rc;
		if (d->between) {
			skip_padding(d);
			d->done = d->raw_n == 0;
			continue;
		}
		before = d->raw_pos;
		step = (d->kind == SOURCE_GZIP ? step_gzip : step_zstd)(d, (unsigned char *)dst + got, n - got, &made);
		if (step == STEP_NOMEM || step == STEP_WINDOW)
			return step_failed(d, step, err);
		got += made;
		d->made += made;
		d->between = step == STEP_MEMBER_END;
		d->cut = step == STEP_DAMAGED || (step == STEP_MORE && made == 0 && d->raw_n == before);
		d->done = d->cut;
		rc = check_ratio(d, err);
		if (rc != IMP_OK)
			return rc;
	}
	*ret_n = got;
	return IMP_OK;
}

bool
decoder_cut(const struct decoder *d)
{
	return d->cut;
}
