/* Any bytes through the redaction: twice is once, what is not a secret is the same bytes in the same order, no character is split,
 * and a secret that is planted behind its name does not come out. */
#include "config.h"

#include "base/buf.h"
#include "base/redact.h"
#include "base/text.h"
#include "fuzz.h"

#define OUTPUT_MAX ((size_t)64 << 20)
#define PLANTED "Q3vK9xS3cr3tZ"

static const struct slice mark = { "[redacted]", 10 };

static bool
has(struct slice s, struct slice what)
{
	return s.n >= what.n && memmem(s.p, s.n, what.p, what.n) != NULL;
}

/* Without its marks `out` is what is left of `text` when parts of it are taken away. */
static void
check_kept(struct slice text, struct slice out)
{
	size_t at = 0;

	for (size_t i = 0; i < out.n; i++) {
		if (slice_has_prefix((struct slice){ out.p + i, out.n - i }, mark)) {
			i += mark.n - 1;
			continue;
		}
		while (at < text.n && text.p[at] != out.p[i])
			at++;
		must(at++ < text.n);
	}
}

static void
check_planted(struct slice text, const char *name, const char *after)
{
	struct buf in = BUF_INIT(OUTPUT_MAX), out = BUF_INIT(OUTPUT_MAX);

	buf_add_slice(&in, text);
	buf_addf(&in, "\n%s" PLANTED "%s", name, after);
	buf_add_slice(&in, text);
	redact_add(&out, buf_slice(&in));
	must(has(text, SLICE(PLANTED)) || !has(buf_slice(&out), SLICE(PLANTED)));
	buf_done(&in);
	buf_done(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = { (const char *)data, size };
	struct buf out = BUF_INIT(OUTPUT_MAX), again = BUF_INIT(OUTPUT_MAX);

	redact_add(&out, text);
	redact_add(&again, buf_slice(&out));
	must(slice_eq(buf_slice(&out), buf_slice(&again)));
	must(!text_is_utf8(text) || text_is_utf8(buf_slice(&out)));
	if (!has(text, mark))
		check_kept(text, buf_slice(&out));
	check_planted(text, "{\"secret\":\"", "\"}");
	check_planted(text, "X-Tinode-APIKey: ", " ");
	check_planted(text, "Authorization: Basic ", "\n");
	check_planted(text, "mysql://im:", "@db/im ");
	buf_done(&out);
	buf_done(&again);
	return 0;
}
