/* Every damage rule of the ledger format (docs/ledger.md, section 1) on a file of its own: what is counted, and what is said where.
 * tests/cli/damage.sh does the same through the program. */
#include "config.h"

#include <zlib.h>

#include "base/buf.h"
#include "ingest/repeats.h"
#include "read-run.h"
#include "tap.h"

#define PUB "{\"ev\":\"pub\",\"t\":100,\"mid\":\"m1\",\"topic\":\"p\",\"from\":\"a1\"}"
#define CTRL "{\"ev\":\"ctrl\",\"t\":200,\"mid\":\"m1\",\"code\":202,\"seq\":1}"
#define FAIL "{\"ev\":\"fail\",\"t\":300,\"mid\":\"m1\",\"why\":\"timeout\"" /* open */
#define TORN "{\"ev\":\"ctrl\",\"t\":2"
#define BYTES(s) s, sizeof(s) - 1

#define BLANK_300 "                                                                                                              "

/* What is expected, as "records events rejected repaired resent, unknown events and keys; LINE what: reason; ...". */
static const struct {
	const char *name, *bytes;
	size_t n;
	const char *want;
} rows[] = {
	/* accepted without complaint */
	{ "whole lines", BYTES(PUB "\n" CTRL "\n"), "2 2 0 0 0, 0 0" },
	{ "an empty file", BYTES(""), "0 0 0 0 0, 0 0" },
	{ "a byte-order mark", BYTES("\xef\xbb\xbf" PUB "\n" CTRL "\n"), "2 2 0 0 0, 0 0" },
	{ "CRLF", BYTES(PUB "\r\n" CTRL "\r\n"), "2 2 0 0 0, 0 0" },
	{ "blank lines", BYTES("\n" PUB "\n\r\n  \n\t\n" CTRL "\n\n"), "2 2 0 0 0, 0 0" },
	{ "no final newline", BYTES(PUB "\n" CTRL), "2 2 0 0 0, 0 0" },
	{ "an equal repeat of a key", BYTES(FAIL ",\"t\":300}\n"), "1 1 0 0 0, 0 0" },
	/* repaired and counted */
	{ "glued records", BYTES(PUB CTRL "\n"), "2 2 0 1 0, 0 0; 1 repaired: records glued on one line" },
	{ "three glued are one repair", BYTES(PUB CTRL FAIL "}\n"), "3 3 0 1 0, 0 0; 1 repaired: records glued on one line" },
	{ "a whole record behind a torn start", BYTES(TORN PUB "\n"),
	    "2 1 1 1 0, 0 0; 1 rejected: torn record, another one behind it; 1 repaired: record behind a torn start" },
	{ "NULs before a record", BYTES(PUB "\n\0\0\0" CTRL "\n"), "2 2 0 1 0, 0 0; 2 repaired: NUL bytes beside a record" },
	{ "NULs after a record", BYTES(PUB "\0\0\n" CTRL "\n"), "2 2 0 1 0, 0 0; 1 repaired: NUL bytes beside a record" },
	{ "NULs before and after are one repair", BYTES("\0" PUB "\0\n"), "1 1 0 1 0, 0 0; 1 repaired: NUL bytes beside a record" },
	{ "a line of NULs", BYTES(PUB "\n\0\0\0\0\n"), "1 1 0 0 0, 0 0" },
	{ "invalid UTF-8", BYTES(FAIL ",\"detail\":\"a\xff\"}\n"),
	    "1 1 0 1 0, 0 0; 1 repaired: text is not UTF-8: U+FFFD stands for it" },
	{ "a lone surrogate", BYTES(FAIL ",\"detail\":\"\\ud83d\"}\n"),
	    "1 1 0 1 0, 0 0; 1 repaired: text is not UTF-8: U+FFFD stands for it" },
	{ "NaN", BYTES(FAIL ",\"bytes\":NaN}\n"), "1 1 0 1 0, 0 0; 1 repaired: NaN or Infinity: the field is not measured" },
	{ "Infinity", BYTES(FAIL ",\"bytes\":Infinity}\n"),
	    "1 1 0 1 0, 0 0; 1 repaired: NaN or Infinity: the field is not measured" },
	{ "-Infinity", BYTES(FAIL ",\"bytes\":-Infinity}\n"),
	    "1 1 0 1 0, 0 0; 1 repaired: NaN or Infinity: the field is not measured" },
	/* rejected and counted */
	{ "the torn last line of a file", BYTES(PUB "\n" TORN),
	    "2 1 1 0 0, 0 0; 2 rejected: torn record at the end of the file: the ledger was cut" },
	{ "a torn line elsewhere", BYTES(TORN "\n" PUB "\n"), "2 1 1 0 0, 0 0; 1 rejected: torn record" },
	{ "the rest of a torn line", BYTES("\":1,\"mid\":\"m1\"}\n" PUB "\n"), "2 1 1 0 0, 0 0; 1 rejected: not a JSON object" },
	{ "NULs inside a record", BYTES("{\"ev\":\"pub\",\0\0\"t\":1}\n" PUB "\n"),
	    "2 1 1 0 0, 0 0; 1 rejected: NUL bytes inside a record" },
	{ "no object", BYTES("garbage\n[1]\n7\n" PUB "\n"),
	    "4 1 3 0 0, 0 0; 1 rejected: not a JSON object; 2 rejected: not a JSON object; 3 rejected: not a JSON object" },
	{ "a required key missing", BYTES("{\"ev\":\"pub\",\"t\":100,\"mid\":\"m1\",\"from\":\"a1\"}\n"),
	    "1 0 1 0 0, 0 0; 1 rejected: a required key is missing" },
	{ "a required key of the wrong type", BYTES("{\"ev\":\"pub\",\"t\":100,\"mid\":7,\"topic\":\"p\",\"from\":\"a1\"}\n"),
	    "1 0 1 0 0, 0 0; 1 rejected: a required key has the wrong type" },
	{ "a time that is a double", BYTES("{\"ev\":\"pub\",\"t\":1.5,\"mid\":\"m1\",\"topic\":\"p\",\"from\":\"a1\"}\n"),
	    "1 0 1 0 0, 0 0; 1 rejected: the time is not an integer of nanoseconds" },
	{ "a used key with two values", BYTES(FAIL ",\"why\":\"socket\"}\n"),
	    "1 0 1 0 0, 0 0; 1 rejected: one key with two different values" },
	{ "a line longer than the limit", NULL, 0, "2 1 1 0 0, 0 0; 1 rejected: line longer than the limit" },
	/* kept out of the way and counted */
	{ "unknown keys", BYTES(FAIL ",\"x\":1,\"y\":[2]}\n"), "1 1 0 0 0, 0 2" },
	{ "an unknown key with two values", BYTES(FAIL ",\"x\":1,\"x\":2}\n"), "1 1 0 0 0, 0 2" },
	{ "an unknown event", BYTES("{\"ev\":\"novel\",\"x\":1}\n"), "1 1 0 0 0, 1 0" },
	/* equal lines of one agent are one */
	{ "a line twice", BYTES(PUB "\n" CTRL "\n" PUB "\r\n"), "3 3 0 0 1, 0 0" },
	{ "a glued line twice", BYTES(PUB CTRL "\n" PUB CTRL "\n"),
	    "4 4 0 2 2, 0 0; 1 repaired: records glued on one line; 2 repaired: records glued on one line" },
	{ "the same record, but not the same line", BYTES(PUB "\n" PUB " \n"), "2 2 0 0 0, 0 0" },
	{ "a torn line twice is torn twice", BYTES(TORN "\n" TORN "\n"),
	    "2 0 2 0 0, 0 0; 1 rejected: torn record; 2 rejected: torn record" },
};

static struct slice
overlong(void)
{
	static struct buf b = BUF_INIT(1 << 16);

	buf_clear(&b);
	buf_add_str(&b, FAIL ",\"detail\":\"");
	while (b.n <= READ_RUN_LINE_MAX)
		buf_add_str(&b, BLANK_300);
	buf_add_str(&b, "\"}\n" PUB "\n");
	return buf_slice(&b);
}

/* Read the one file of the directory. */
static const char *
counted(void)
{
	static struct buf out = BUF_INIT(1 << 16);
	const struct ledger *l = read_run(1);
	const struct file_counts *n = &l->files[0].n;

	buf_clear(&out);
	buf_addf(&out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ", %" PRIu64 " %" PRIu64, n->records, n->events,
	    n->rejected, n->repaired, n->resent, n->unknown_events, n->unknown_keys);
	for (size_t i = 0; i < l->damages.n; i++)
		buf_addf(&out, "; %" PRId64 " %s: %s", place_line(l->damages.v[i].place),
		    l->damages.v[i].repaired ? "repaired" : "rejected", l->damages.v[i].reason);
	return out.p;
}

static void
every_rule(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice bytes = rows[i].bytes != NULL ? (struct slice){ rows[i].bytes, rows[i].n } : overlong();
		const struct file_counts *n;
		uint64_t lines = bytes.n > 0 && bytes.p[bytes.n - 1] != '\n';

		for (size_t k = 0; k < bytes.n; k++)
			lines += bytes.p[k] == '\n';
		run_dir_clear();
		run_dir_bytes("agents/a/l.jsonl", bytes);
		is_str(counted(), rows[i].want, rows[i].name);
		n = &run.ledger.files[0].n;
		ok(n->records == n->events + n->rejected && n->lines == lines,
		    "%s: %" PRIu64 " lines, records are events and rejected", rows[i].name, lines);
	}
}

/* ------------------------------------------------------------------ compressed */

static void
add_gzip(struct buf *out, struct slice s)
{
	unsigned char packed[4096];
	z_stream z = { .avail_in = (uInt)s.n, .avail_out = sizeof(packed), .next_out = packed };

	z.next_in = (unsigned char *)(uintptr_t)s.p;
	if (deflateInit2(&z, 0, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK && deflate(&z, Z_FINISH) == Z_STREAM_END)
		buf_add(out, packed, z.total_out);
	deflateEnd(&z);
}

static void
compressed(void)
{
	struct buf b = BUF_INIT(1 << 16);

	add_gzip(&b, SLICE(PUB "\n" CTRL));
	add_gzip(&b, SLICE("\n" FAIL "}\n"));
	run_dir_clear();
	run_dir_bytes("agents/a/l.jsonl.gz", buf_slice(&b));
	is_str(counted(), "3 3 0 0 0, 0 0", "two gzip members, a line over both");
	for (int i = 0; i < 512; i++)
		buf_add_char(&b, '\0');
	run_dir_bytes("agents/a/l.jsonl.gz", buf_slice(&b));
	is_str(counted(), "3 3 0 0 0, 0 0", "zero padding behind them");
	ok(!run.ledger.files[0].cut, "is no cut");

	buf_clear(&b);
	add_gzip(&b, SLICE(PUB "\n" CTRL "\n"));
	buf_truncate(&b, b.n - 8 - 10); /* the trailer, and the end of the second line */
	run_dir_bytes("agents/a/l.jsonl.gz", buf_slice(&b));
	is_str(counted(), "2 1 1 0 0, 0 0; 2 rejected: torn record at the end of the file: the ledger was cut", "a cut member");
	ok(run.ledger.files[0].cut, "is a cut");
	buf_done(&b);
}

/* ------------------------------------------------------------------ several files */

static uint64_t
resent(const char *path)
{
	return run.ledger.files[read_run_file(path)].n.resent;
}

static void
files_of_agents(void)
{
	run_dir_clear();
	run_dir_put("agents/a/1.jsonl", "%s", PUB "\n" CTRL "\n");
	run_dir_put("agents/a/2.jsonl", "%s", PUB "\n" CTRL "\n");
	run_dir_put("agents/a/3.jsonl", "%s", CTRL "\r\n" FAIL "}\n");
	run_dir_put("agents/b/1.jsonl", "%s", PUB "\n" CTRL "\n");
	read_run(1);
	is_int((intmax_t)(resent("agents/a/1.jsonl") + resent("agents/a/2.jsonl")), 2, "a file twice in one agent counts once");
	is_int((intmax_t)(resent("agents/a/1.jsonl") + resent("agents/a/2.jsonl") + resent("agents/a/3.jsonl")), 3,
	    "a line of it in a third too");
	is_int((intmax_t)resent("agents/b/1.jsonl"), 0, "in another agent it is its own");
	is_int((intmax_t)run.ledger.attempts.n, 2, "two `pub` lines are left");
}

/* In other folders equal files count once, equal lines are what they are. */
static void
files_of_folders(void)
{
	static const char row[] = "{\"ev\":\"row\",\"table\":\"x\",\"mid\":\"m1\",\"topic\":\"p\",\"seq\":1}\n";
	static const char other[] = "{\"ev\":\"row\",\"table\":\"x\",\"mid\":\"m2\",\"topic\":\"p\",\"seq\":1}\n";
	struct reader_options opt = { .threads = 1, .line_max = READ_RUN_LINE_MAX };
	struct buf packed = BUF_INIT(1 << 16), both = BUF_INIT(1 << 16);

	run_dir_clear();
	buf_addf(&both, "%s%s", row, row);
	add_gzip(&packed, buf_slice(&both));
	run_dir_bytes("db/1.jsonl", buf_slice(&both));
	run_dir_bytes("db/2.jsonl.gz", buf_slice(&packed));
	run_dir_put("db/3.jsonl", "%s%s", row, other);
	run_dir_put("db/4.jsonl", "%s", row);
	run_dir_bytes("history/1.jsonl", buf_slice(&both));
	read_run(1);
	is_int((intmax_t)run.ledger.rows.n, 9, "rows of five files");
	ok(repeats_drop(&run.ledger, &opt, NULL) == IMP_OK && run.ledger.rows.n == 7, "of two equal ones in a folder one is left");
	ok(resent("db/1.jsonl") == 0 && resent("db/2.jsonl.gz") == 2, "the other was sent again, though it is compressed");
	ok(resent("db/3.jsonl") == 0 && resent("db/4.jsonl") == 0, "equal counts or equal lines make no equal files");
	is_int((intmax_t)resent("history/1.jsonl"), 0, "nor does another folder");
	buf_done(&packed);
	buf_done(&both);
}

/* More damage than is kept one by one. */
static void
much_damage(void)
{
	struct buf b = BUF_INIT(1 << 20);

	buf_add_str(&b, PUB "\n");
	for (unsigned i = 0; i < DAMAGE_PER_FILE_MAX + 5; i++)
		buf_add_str(&b, "x\n");
	buf_add_str(&b, CTRL "\n");
	run_dir_clear();
	run_dir_bytes("agents/a/l.jsonl", buf_slice(&b));
	read_run(1);
	is_int((intmax_t)run.ledger.files[0].n.rejected, DAMAGE_PER_FILE_MAX + 5, "all rejected lines are counted");
	is_int((intmax_t)run.ledger.damages.n, DAMAGE_PER_FILE_MAX, "the first of them are kept one by one");
	ok(run.ledger.damages.v[0].before == 100 && run.ledger.damages.v[DAMAGE_PER_FILE_MAX - 1].after == 200,
	    "between their neighbours");
	ok(run.ledger.files[0].rejected_rest && run.ledger.files[0].rejected_from == 100 && run.ledger.files[0].rejected_to == 200,
	    "and so is the rest, as one");
	buf_done(&b);
}

int
main(void)
{
	every_rule();
	compressed();
	files_of_agents();
	files_of_folders();
	much_damage();
	read_run_done();
	return done();
}
