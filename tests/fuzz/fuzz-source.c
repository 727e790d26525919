/* Sources over files of any bytes: reading them is no error but for the limits, a plain file gives back its lines, and the hash is
 * that of the file. The first byte chooses the limits. */
#include "config.h"

#include <openssl/evp.h>

#include "dir.h"
#include "ingest/source.h"

/* The n-th line of a plain file, by the plain definition. */
static struct slice
expect_line(struct slice *rest, bool *ret_complete)
{
	const char *feed = rest->n > 0 ? memchr(rest->p, '\n', rest->n) : NULL;
	struct slice line = { rest->p, feed != NULL ? (size_t)(feed - rest->p) : rest->n };
	size_t used = line.n + (feed != NULL);

	*ret_complete = feed != NULL;
	*rest = (struct slice){ rest->p + used, rest->n - used };
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

static void
read_all(struct source *s, struct slice bytes, size_t line_max)
{
	struct slice rest = bytes;
	struct source_line line;
	uint64_t number = 0;
	bool more = true;

	if (slice_has_prefix(rest, SLICE("\xef\xbb\xbf")))
		rest = (struct slice){ rest.p + 3, rest.n - 3 };
	for (;;) {
		enum imp_rc rc = source_next(s, &line, &more, NULL);

		must(rc == IMP_OK || (rc == IMP_E_LIMIT && source_kind(s) != SOURCE_PLAIN));
		if (rc != IMP_OK || !more)
			break;
		must(line.number == ++number && line.text.n <= line_max && (!line.too_long || line.text.n == line_max));
		if (source_kind(s) == SOURCE_PLAIN) {
			bool complete;
			struct slice want = expect_line(&rest, &complete);

			must(complete == line.complete && line.too_long == (want.n > line_max));
			must(slice_has_prefix(want, line.text) && (line.too_long || want.n == line.text.n));
		}
	}
	must(source_kind(s) != SOURCE_PLAIN || rest.n == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t line_max[] = { 1, 16, 300, 4096 };
	struct source_limits limits = { .hash = true };
	struct source *s;
	unsigned char want[32];
	int dirfd;

	if (size == 0)
		return 0;
	limits.line_max = line_max[data[0] % 4];
	data++;
	size--;
	dirfd = fuzz_dirfd();
	run_dir_bytes("input", (struct slice){ (const char *)data, size });
	must(source_open(dirfd, "input", &limits, &s, NULL) == IMP_OK);
	read_all(s, (struct slice){ (const char *)data, size }, limits.line_max);
	must(source_finish(s, NULL) == IMP_OK);
	must(EVP_Digest(data, size, want, NULL, EVP_sha256(), NULL) == 1 && memcmp(want, source_sha256(s), sizeof(want)) == 0);
	source_close(s);
	return 0;
}
