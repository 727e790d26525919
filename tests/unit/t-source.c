/* Sources: how bytes become lines, what compression and its damage do to them, what may be opened, what is hashed.
 *
 * Everything happens in a directory of its own below $TMPDIR. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/beneath.h"
#include "base/buf.h"
#include "fault.h"
#include "ingest/source.h"
#include "ingest/source_decoder.h"
#include "ingest/source_input.h"
#include "tap.h"

#define BYTES_MAX ((size_t)256 << 20)

static int dirfd_ = -1;

static void
put_file(const char *name, struct slice bytes)
{
	int fd = openat(dirfd_, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	while (fd >= 0 && bytes.n > 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0)
			break;
		bytes.p += n;
		bytes.n -= (size_t)n;
	}
	if (fd < 0 || bytes.n > 0 || close(fd) != 0) {
		perror(name);
		abort();
	}
}

/* Append `s` as one gzip member or zstd frame. */
static void
add_packed(struct buf *out, struct slice s, enum source_compression kind)
{
	size_t room = kind == SOURCE_ZSTD ? ZSTD_compressBound(s.n) : compressBound(s.n) + 64, n;
	char *packed = malloc(room);

	if (kind == SOURCE_ZSTD) {
		ZSTD_CCtx *ctx = ZSTD_createCCtx();

		ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
		n = ZSTD_compress2(ctx, packed, room, s.p, s.n);
		ZSTD_freeCCtx(ctx);
	} else {
		z_stream z = { .avail_in = (uInt)s.n, .avail_out = (uInt)room };

		z.next_in = (unsigned char *)s.p;
		z.next_out = (unsigned char *)packed;
		deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
		deflate(&z, Z_FINISH);
		n = z.total_out;
		deflateEnd(&z);
	}
	buf_add(out, packed, n);
	free(packed);
}

static void
put_packed(const char *name, struct slice s, enum source_compression kind)
{
	struct buf packed = BUF_INIT(BYTES_MAX);

	if (kind == SOURCE_PLAIN)
		buf_add_slice(&packed, s);
	else
		add_packed(&packed, s, kind);
	put_file(name, buf_slice(&packed));
	buf_done(&packed);
}

/* One line: "1:text", then '~' when it was too long and '$' when a line feed ended it. */
static void
add_line(struct buf *out, const struct source_line *line)
{
	if (out->n > 0)
		buf_add_char(out, ' ');
	buf_addf(out, "%" PRIu64 ":", line->number);
	for (size_t i = 0; i < line->text.n; i++) {
		if (line->text.p[i] > ' ')
			buf_add_char(out, line->text.p[i]);
		else
			buf_addf(out, "<%02x>", (uint8_t)line->text.p[i]);
	}
	if (line->too_long)
		buf_add_char(out, '~');
	if (line->complete)
		buf_add_char(out, '$');
}

/* All lines, the 16 bytes behind each looked at. */
static enum imp_rc
read_lines(const char *name, const struct source_limits *limits, struct buf *out, bool *ret_cut, struct imp_err *err)
{
	struct source_line line;
	struct source *source;
	unsigned behind = 0;
	bool more = true;
	enum imp_rc rc = source_open(dirfd_, name, limits, &source, err);

	buf_clear(out);
	buf_add_str(out, "");
	if (rc != IMP_OK)
		return rc;
	while (rc == IMP_OK && more) {
		rc = source_next(source, &line, &more, err);
		if (rc != IMP_OK || !more)
			break;
		add_line(out, &line);
		for (size_t i = 0; i < 16; i++)
			behind += (uint8_t)line.text.p[line.text.n + i];
	}
	if (rc == IMP_OK)
		rc = source_next(source, &line, &more, err);
	if (rc == IMP_OK && more)
		buf_add_str(out, " and more behind the end");
	if (rc == IMP_OK)
		rc = source_finish(source, err);
	*ret_cut = source_cut(source);
	source_close(source);
	return behind != UINT_MAX ? rc : IMP_E_INTERNAL;
}

static void
check_lines(void)
{
	static const struct {
		struct slice text;
		size_t line_max;
		const char *want;
	} rows[] = {
#define ROW(text, line_max, want) { { "" text, sizeof(text) - 1 }, line_max, want }
		ROW("", 0, ""),
		ROW("\n", 0, "1:$"),
		ROW("a", 0, "1:a"),
		ROW("a\n", 0, "1:a$"),
		ROW("a\nb", 0, "1:a$ 2:b"),
		ROW("\n\na\n", 0, "1:$ 2:$ 3:a$"),
		ROW("a\r\nb\r", 0, "1:a$ 2:b"),
		ROW("\r\r\n\rx\n", 0, "1:<0d>$ 2:<0d>x$"),
		ROW("a\0b\n\0\0", 0, "1:a<00>b$ 2:<00><00>"),
		ROW("\xef\xbb\xbfz\n\xef\xbb\xbfy", 0, "1:z$ 2:<ef><bb><bf>y"),
		ROW("\xef\xbb\xbf", 0, ""),
		ROW("\xef\xbb", 0, "1:<ef><bb>"),
		ROW("\xef\xbb\xbf\n", 0, "1:$"),
		ROW("12345\n1234\n", 5, "1:12345$ 2:1234$"),
		ROW("123456\n1\n", 5, "1:12345~$ 2:1$"),
		ROW("12345\r\n123456\r\n1", 5, "1:12345$ 2:12345~$ 3:1"),
		ROW("12345", 5, "1:12345"),
		ROW("123456", 5, "1:12345~"),
		ROW("12345678901234567890\n\n", 5, "1:12345~$ 2:$"),
#undef ROW
	};
	struct buf got = BUF_INIT(BYTES_MAX);
	bool cut;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int kind = SOURCE_PLAIN; kind <= SOURCE_ZSTD; kind++) {
			struct source_limits limits = { .line_max = rows[i].line_max };

			put_packed("lines", rows[i].text, (enum source_compression)kind);
			is_int(read_lines("lines", &limits, &got, &cut, NULL), IMP_OK, "read");
			is_str(got.p, rows[i].want, "lines");
			ok(!cut, "not cut");
		}
	}
	buf_done(&got);
}

static uint64_t seed = 20261130;

static size_t
below(size_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(seed >> 33) % n;
}

/* Some MB of lines of all lengths, many of them around the size of a block and of `line_max`, and what must be read from them:
 * the sum over all lines of number, length and bytes, by the plain definition. */
static void
make_lines(struct buf *out, size_t line_max, uint64_t *ret_sum, uint64_t *ret_lines)
{
	static const size_t lengths[] = { 0, 1, 100, 1000, 65535, 262143, 262144, 262145, 524288, 700000, 1048576 };
	uint64_t sum = 0, number = 0;

	while (out->n < (size_t)6 << 20) {
		size_t n = below(3) > 0 ? below(300) : lengths[below(sizeof(lengths) / sizeof(lengths[0]))] + below(3);
		size_t kept = n < line_max ? n : line_max;

		number++;
		sum += number * 31 + kept * 17 + (n > line_max) * 5;
		for (size_t i = 0; i < n; i++) {
			char c = (char)('a' + below(26));

			buf_add_char(out, c);
			sum += i < kept ? (uint64_t)c * (i + 1) : 0;
		}
		buf_add_str(out, below(2) == 0 ? "\n" : "\r\n");
	}
	*ret_sum = sum;
	*ret_lines = number;
}

static void
check_blocks(size_t line_max)
{
	struct buf text = BUF_INIT(BYTES_MAX);
	uint64_t want, lines;
	unsigned char hashes[2][32];

	make_lines(&text, line_max, &want, &lines);
	for (int kind = SOURCE_PLAIN; kind <= SOURCE_ZSTD; kind++) {
		put_packed("big", buf_slice(&text), (enum source_compression)kind);
		for (int threaded = 0; threaded < 2; threaded++) {
			struct source_limits limits = { .line_max = line_max, .hash = true, .hash_thread = threaded };
			struct source_line line = { 0 };
			struct source *source;
			uint64_t sum = 0;
			bool more = true;

			if (!ok(source_open(dirfd_, "big", &limits, &source, NULL) == IMP_OK, "open"))
				continue;
			is_int(source_kind(source), kind, "kind");
			while (source_next(source, &line, &more, NULL) == IMP_OK && more) {
				sum += line.number * 31 + line.text.n * 17 + line.too_long * 5;
				for (size_t i = 0; i < line.text.n; i++)
					sum += (uint64_t)line.text.p[i] * (i + 1);
			}
			ok(sum == want && line.number == lines && !more, "all lines of all lengths");
			is_int(source_finish(source, NULL), IMP_OK, "finish");
			is_int((intmax_t)source_bytes(source), source_stat(source)->st_size, "all bytes were read");
			memcpy(hashes[threaded], source_sha256(source), 32);
			source_close(source);
		}
		ok(memcmp(hashes[0], hashes[1], 32) == 0, "a helper thread makes the same hash");
	}
	buf_done(&text);
}

/* Whatever is missing at the end of a compressed file: the lines that were whole stay. */
static void
check_cuts(enum source_compression kind)
{
	struct buf text = BUF_INIT(BYTES_MAX), packed = BUF_INIT(BYTES_MAX), all = BUF_INIT(BYTES_MAX), got = BUF_INIT(BYTES_MAX);
	struct source_limits limits = { 0 };
	bool cut;
	int wrong = 0, tried = 0, with_lines = 0;

	for (int i = 0; i < 40000; i++)
		buf_addf(&text, "%zu\n", below(1000000000));
	add_packed(&packed, buf_slice(&text), kind);
	put_file("cut", buf_slice(&packed));
	is_int(read_lines("cut", &limits, &all, &cut, NULL), IMP_OK, "the whole file");
	ok(!cut, "is not cut");
	for (size_t n = packed.n - 1; n >= 4; n -= n <= 40 || n > packed.n - 40 ? 1 : n > 5043 ? 5003 : n - 40) {
		put_file("cut", (struct slice){ packed.p, n });
		wrong += read_lines("cut", &limits, &got, &cut, NULL) != IMP_OK || !cut;
		if (got.n > 0 && got.p[got.n - 1] != '$') { /* its last line is torn */
			while (got.n > 0 && got.p[got.n - 1] != ' ')
				got.n--;
		}
		wrong += !slice_has_prefix(buf_slice(&all), buf_slice(&got));
		with_lines += got.n > 0;
		tried++;
	}
	is_int(wrong, 0, "a cut file gives its whole lines and says that it is cut");
	ok(tried > 90 && with_lines > 40, "and many cuts left some (%d of %d)", with_lines, tried);

	/* A wrong byte far inside: what was before it is read. */
	buf_clear(&got);
	buf_add_slice(&got, buf_slice(&packed));
	got.p[got.n * 3 / 4] ^= 0x55;
	put_file("cut", buf_slice(&got));
	is_int(read_lines("cut", &limits, &got, &cut, NULL), IMP_OK, "a damaged file");
	ok(cut && got.n > all.n / 4, "gives the lines before the damage");

	/* A wrong checksum: all lines are there. */
	packed.p[packed.n - (kind == SOURCE_GZIP ? 6 : 2)] ^= 1;
	put_file("cut", buf_slice(&packed));
	is_int(read_lines("cut", &limits, &got, &cut, NULL), IMP_OK, "a wrong checksum");
	ok(cut && (kind == SOURCE_ZSTD ? got.n > all.n * 3 / 4 : slice_eq(buf_slice(&got), buf_slice(&all))),
	    "says so after the lines");
	buf_done(&text);
	buf_done(&packed);
	buf_done(&all);
	buf_done(&got);
}

/* Members one after another, and what may follow them. */
static void
check_members(enum source_compression kind)
{
	static const struct {
		const char *name;
		struct slice between, behind;
		const char *want;
		bool cut;
	} rows[] = {
#define BYTES(s) { "" s, sizeof(s) - 1 }
		{ "two members", BYTES(""), BYTES(""), "1:a$ 2:bc$ 3:d", false },
		{ "zeros behind them", BYTES(""), BYTES("\0\0\0\0\0\0\0\0\0"), "1:a$ 2:bc$ 3:d", false },
		{ "zeros between them", BYTES("\0\0\0"), BYTES(""), "1:a$ 2:bc$ 3:d", false },
		{ "garbage behind them", BYTES(""), BYTES("{\"ev\":1}\n"), "1:a$ 2:bc$ 3:d", true },
		{ "garbage behind zeros", BYTES(""), BYTES("\0\0\0x"), "1:a$ 2:bc$ 3:d", true },
		{ "garbage between them", BYTES("x"), BYTES(""), "1:a$ 2:b", true },
		{ "the start of a third", BYTES(""), BYTES("\x1f"), "1:a$ 2:bc$ 3:d", true },
#undef BYTES
	};
	struct buf packed = BUF_INIT(BYTES_MAX), got = BUF_INIT(BYTES_MAX);
	struct source_limits limits = { 0 };
	bool cut;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_clear(&packed);
		add_packed(&packed, SLICE("a\nb"), kind);
		buf_add_slice(&packed, rows[i].between);
		add_packed(&packed, SLICE(""), kind);
		add_packed(&packed, SLICE("c\nd"), kind);
		buf_add_slice(&packed, rows[i].behind);
		put_file("members", buf_slice(&packed));
		is_int(read_lines("members", &limits, &got, &cut, NULL), IMP_OK, rows[i].name);
		is_str(got.p, rows[i].want, rows[i].name);
		is_int(cut, rows[i].cut, rows[i].name);
	}
	buf_done(&packed);
	buf_done(&got);
}

static void
check_sniffing(void)
{
	static const struct {
		struct slice head;
		enum source_compression want;
	} rows[] = {
#define ROW(head, want) { { "" head, sizeof(head) - 1 }, want }
		ROW("", SOURCE_PLAIN),
		ROW("\x1f", SOURCE_PLAIN),
		ROW("\x1f\x8b", SOURCE_GZIP),
		ROW("\x1f\x8c\x08\x00", SOURCE_PLAIN),
		ROW("\x28\xb5\x2f\xfd", SOURCE_ZSTD),
		ROW("\x28\xb5\x2f", SOURCE_PLAIN),
		ROW("\x50\x2a\x4d\x18", SOURCE_ZSTD),
		ROW("\x5f\x2a\x4d\x18", SOURCE_ZSTD),
		ROW("\x60\x2a\x4d\x18", SOURCE_PLAIN),
		ROW("{\"ev", SOURCE_PLAIN),
#undef ROW
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_int(decoder_sniff((const unsigned char *)rows[i].head.p, rows[i].head.n), rows[i].want,
		    "told by its first bytes");
}

static void
check_limits(void)
{
	/* A frame by hand: magic, no flags, a window of 2^27 or 2^28 bytes, one empty last block. */
	static const char window_27[] = "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00";
	static const char window_28[] = "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00";
	struct buf text = BUF_INIT(BYTES_MAX), got = BUF_INIT(BYTES_MAX);
	struct source_limits limits = { .line_max = 100 };
	struct imp_err err = { 0 };
	bool cut;

	while (text.n < SOURCE_BOMB_FLOOR + (4 << 20))
		buf_add(&text, "0000000000000000000000000000000000000000000000000000000000000000", 64);
	for (int kind = SOURCE_GZIP; kind <= SOURCE_ZSTD; kind++) {
		put_packed("bomb", buf_slice(&text), (enum source_compression)kind);
		is_int(read_lines("bomb", &limits, &got, &cut, &err), IMP_E_LIMIT, "a bomb");
		ok(strstr(err.msg, "'bomb'") != NULL && strstr(err.msg, "1000 times") != NULL && err.hint[0] != '\0',
		    "is named: %s", err.msg);
		put_packed("bomb", (struct slice){ text.p, SOURCE_BOMB_FLOOR }, (enum source_compression)kind);
		is_int(read_lines("bomb", &limits, &got, &cut, &err), IMP_OK, "no bomb below the floor");
		ok(!cut && got.n < 200, "but one line that is too long");
		limits.ratio_max = 1000000;
		put_packed("bomb", buf_slice(&text), (enum source_compression)kind);
		is_int(read_lines("bomb", &limits, &got, &cut, &err), IMP_OK, "a higher limit lets it pass");
		limits.ratio_max = 0;
	}
	put_file("window", (struct slice){ window_27, sizeof(window_27) - 1 });
	is_int(read_lines("window", &limits, &got, &cut, &err), IMP_OK, "128 MiB of history");
	put_file("window", (struct slice){ window_28, sizeof(window_28) - 1 });
	is_int(read_lines("window", &limits, &got, &cut, &err), IMP_E_LIMIT, "256 MiB of history");
	is_str(err.msg, "could not read 'window': unpacking it needs more than 128 MiB of history", "names the limit");
	buf_done(&text);
	buf_done(&got);
}

static void
check_opening(void)
{
	static const struct {
		const char *path;
		enum imp_rc want, want_by_parts;
	} rows[] = {
		{ "in/file", IMP_OK, IMP_OK },
		{ "in//./file", IMP_OK, IMP_OK },
		{ "link", IMP_OK, IMP_E_DATA },	 /* stays inside */
		{ "in/up", IMP_OK, IMP_E_DATA }, /* "../in/file" */
		{ "dirlink/file", IMP_OK, IMP_E_NOINPUT },
		{ "out", IMP_E_DATA, IMP_E_DATA },
		{ "outdir/passwd", IMP_E_DATA, IMP_E_NOINPUT },
		{ "loop", IMP_E_DATA, IMP_E_DATA },
		{ "magic", IMP_E_DATA, IMP_E_DATA },
		{ "../escape", IMP_E_DATA, IMP_E_DATA },
		{ "in/../../escape", IMP_E_DATA, IMP_E_DATA },
		{ "/etc/passwd", IMP_E_DATA, IMP_E_DATA },
		{ "dangling", IMP_E_NOINPUT, IMP_E_DATA },
		{ "missing", IMP_E_NOINPUT, IMP_E_NOINPUT },
		{ "in/file/below", IMP_E_NOINPUT, IMP_E_NOINPUT },
		{ "", IMP_E_NOINPUT, IMP_E_NOINPUT },
		{ "in", IMP_E_DATA, IMP_OK }, /* opened, and then refused as no regular file */
		{ "fifo", IMP_E_DATA, IMP_OK },
	};
	struct source_limits limits = { 0 };

	mkdirat(dirfd_, "in", 0755);
	put_file("in/file", SLICE("x\n"));
	mkfifoat(dirfd_, "fifo", 0644);
	if (symlinkat("in/file", dirfd_, "link") != 0 || symlinkat("../in/file", dirfd_, "in/up") != 0 ||
	    symlinkat("in", dirfd_, "dirlink") != 0 || symlinkat("/etc/passwd", dirfd_, "out") != 0 ||
	    symlinkat("/etc", dirfd_, "outdir") != 0 || symlinkat("loop", dirfd_, "loop") != 0 ||
	    symlinkat("/proc/self/exe", dirfd_, "magic") != 0 || symlinkat("nothing", dirfd_, "dangling") != 0)
		abort();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct imp_err err = { 0 };
		struct source *source = NULL;
		int fd = beneath_open_by_parts(dirfd_, rows[i].path, O_RDONLY | O_NONBLOCK);
		enum imp_rc by_parts = fd >= 0 ? IMP_OK : errno == ENOENT || errno == ENOTDIR ? IMP_E_NOINPUT : IMP_E_DATA;

		is_int(source_open(dirfd_, rows[i].path, &limits, &source, &err), rows[i].want, rows[i].path);
		ok((source != NULL) == (rows[i].want == IMP_OK) &&
			(rows[i].want == IMP_OK || strstr(err.msg, rows[i].path) != NULL),
		    "its error: %s", err.msg);
		is_int(by_parts, rows[i].want_by_parts, "opened part by part");
		source_close(source);
		if (fd >= 0)
			close(fd);
	}
}

static void
check_changes(void)
{
	static const char *const what[] = { "unchanged", "longer", "shorter", "as long, but written to" };
	struct source_limits limits = { .hash = true };

	for (int change = 0; change < 4; change++) {
		struct imp_err err = { 0 };
		struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 1 } };
		struct source_line line;
		struct source *source = NULL;
		bool more;
		int fd;

		put_file("changing", SLICE("a\nb\n"));
		if (!ok(source_open(dirfd_, "changing", &limits, &source, &err) == IMP_OK, "open"))
			continue;
		fd = openat(dirfd_, "changing", O_WRONLY);
		if (change == 1)
			ok(pwrite(fd, "c\n", 2, 4) == 2, "append");
		else if (change == 2)
			ok(ftruncate(fd, 2) == 0, "truncate");
		else if (change == 3)
			ok(futimens(fd, times) == 0, "write");
		close(fd);
		is_int(source_next(source, &line, &more, &err), IMP_OK, "a line can be read");
		is_int(source_finish(source, &err), change == 0 ? IMP_OK : IMP_E_IO, what[change]);
		if (change > 0)
			is_str(err.msg, "could not read 'changing': it changed while it was read", "and said");
		source_close(source);
	}
}

static void
check_hashes(void)
{
	/* From FIPS 180-2 and its test vectors: "abc", and no bytes at all. */
	static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	static const char nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	struct source_limits limits = { .hash = true };
	unsigned char hash[32] = { 0 };
	struct source *source = NULL;
	char hex[65];

	put_file("abc", SLICE("abc"));
	is_int(source_hash_file(dirfd_, "abc", hash, NULL), IMP_OK, "hash a file");
	source_hex(hash, hex);
	is_str(hex, abc, "its hash");
	put_file("nothing", SLICE(""));
	is_int(source_hash_file(dirfd_, "nothing", hash, NULL), IMP_OK, "hash an empty file");
	source_hex(hash, hex);
	is_str(hex, nothing, "its hash");
	memset(hash, 7, sizeof(hash));
	is_int(source_hash_file(dirfd_, "missing", hash, NULL), IMP_E_NOINPUT, "hash a missing file");
	is_int(hash[0], 7, "nothing was written");

	is_int(source_open(dirfd_, "abc", &limits, &source, NULL), IMP_OK, "open");
	ok(source_sha256(source) == NULL, "no hash before the end");
	is_int(source_finish(source, NULL), IMP_OK, "finish without reading a line");
	is_int(source_finish(source, NULL), IMP_OK, "and once more");
	source_hex(source_sha256(source), hex);
	is_str(hex, abc, "the hash is of all bytes");
	source_close(source);
	limits.hash = false;
	is_int(source_open(dirfd_, "abc", &limits, &source, NULL), IMP_OK, "open without hash");
	is_int(source_finish(source, NULL), IMP_OK, "finish");
	ok(source_sha256(source) == NULL, "no hash");
	source_close(source);
}

/* The hash of a compressed file that ends early is of the file all the same. */
static void
check_hash_of_damaged(void)
{
	struct buf packed = BUF_INIT(BYTES_MAX);
	struct source_limits limits = { .hash = true };
	struct source_line line;
	struct source *source = NULL;
	unsigned char want[32];
	bool more = true;

	add_packed(&packed, SLICE("a\n"), SOURCE_GZIP);
	for (int i = 0; i < 100000; i++)
		buf_addf(&packed, "garbage %d\n", i);
	put_file("damaged", buf_slice(&packed));
	EVP_Digest(packed.p, packed.n, want, NULL, EVP_sha256(), NULL);
	is_int(source_open(dirfd_, "damaged", &limits, &source, NULL), IMP_OK, "open");
	while (source_next(source, &line, &more, NULL) == IMP_OK && more) {
	}
	ok(source_cut(source) && line.number == 1, "it ends after its one line");
	is_int(source_finish(source, NULL), IMP_OK, "finish");
	ok(memcmp(source_sha256(source), want, 32) == 0, "the hash is of the whole file");
	source_close(source);
	buf_done(&packed);
}

static void
check_faults(void)
{
	struct source_limits limits = { .line_max = 1 << 20, .hash = true, .hash_thread = true };
	struct buf text = BUF_INIT(BYTES_MAX);
	struct input in;
	size_t n;
	char byte;

	while (text.n < (size_t)5 << 20) /* with lines for which a block must grow */
		buf_addf(&text, "%0*d\n", text.n % 3 == 0 ? 600000 : 9, 0);
	for (int kind = SOURCE_PLAIN; kind <= SOURCE_ZSTD; kind++) {
		enum imp_rc rc;
		int at = 0, wrong = 0;

		put_packed("fault", buf_slice(&text), (enum source_compression)kind);
		do {
			struct source_line line;
			struct source *source;
			bool more = true;

			fault_hits = 0;
			fault_at = ++at;
			rc = source_open(dirfd_, "fault", &limits, &source, NULL);
			if (rc == IMP_OK) {
				while (rc == IMP_OK && more)
					rc = source_next(source, &line, &more, NULL);
				if (rc == IMP_OK)
					rc = source_finish(source, NULL);
				source_close(source);
			}
			wrong += rc != (fault_hits > 0 ? IMP_E_NOMEM : IMP_OK);
		} while (fault_hits > 0 && at < 100);
		fault_at = 0;
		ok(wrong == 0 && at > 4 && at < 100, "each of %d allocations may fail", at - 1);
	}
	is_int(input_open(&in, dirfd_, "fault", false, false, NULL), IMP_OK, "open");
	close(in.fd);
	in.fd = -1;
	is_int(input_read(&in, &byte, 1, &n, NULL), IMP_E_IO, "a failed read");
	is_int(input_finish(&in, NULL), IMP_E_IO, "a failed fstat");
	input_close(&in);
	buf_done(&text);
}

/* Remove what the tests left: files first, then the directory. */
static void
clean_up(const char *dir)
{
	static const char *const names[] = { "lines", "big", "cut", "members", "bomb", "window", "in/file", "in/up", "link",
		"dirlink", "out", "outdir", "loop", "magic", "dangling", "fifo", "changing", "abc", "nothing", "damaged", "fault" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(dirfd_, names[i], 0);
	unlinkat(dirfd_, "in", AT_REMOVEDIR);
	close(dirfd_);
	is_int(rmdir(dir), 0, "nothing else is left");
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s/t-source.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL || (dirfd_ = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
		perror(dir);
		return 1;
	}
	check_lines();
	check_blocks(SOURCE_LINE_MAX_DEFAULT);
	check_blocks(600000);
	check_blocks(1000);
	check_cuts(SOURCE_GZIP);
	check_cuts(SOURCE_ZSTD);
	check_members(SOURCE_GZIP);
	check_members(SOURCE_ZSTD);
	check_sniffing();
	check_limits();
	check_opening();
	check_changes();
	check_hashes();
	check_hash_of_damaged();
	check_faults();
	clean_up(dir);
	return done();
}
