/* One line after another: which records it holds, what was wrong around them, what is lost. */
#include "config.h"

#include "base/buf.h"
#include "ingest/line.h"
#include "tap.h"

#define A "{\"ev\":\"mark\",\"name\":\"a\"}"
#define B "{\"ev\":\"mark\",\"name\":\"b\"}"
#define GLUED "records glued on one line"
#define BEHIND "record behind a torn start"
#define BESIDE "NUL bytes beside a record"
#define INSIDE "NUL bytes inside a record"
#define TORN "torn record"
#define CUT "torn record at the end of the file: the ledger was cut"
#define TORN_BEFORE "torn record, another one behind it"
#define NO_OBJECT "not a JSON object"
#define BYTES(s) s, sizeof(s) - 1

/* What is expected: pieces with "; " between. A record is its `name` and "(REPAIR)", a rejected piece "-BYTES: REASON"; a repair at
 * the end of the line stands alone. */
static const struct {
	const char *name, *line;
	size_t n;
	const char *want;
} rows[] = {
	{ "a record", BYTES(A), "a" },
	{ "nothing", BYTES(""), "" },
	{ "blanks", BYTES(" \t \r"), "" },
	{ "blanks around", BYTES(" \t" A " \t\r"), "a" },
	{ "two glued", BYTES(A B), "a; b(" GLUED ")" },
	{ "three glued, blanks between", BYTES(A " " B "\t" A), "a; b(" GLUED "); a(" GLUED ")" },
	{ "torn", BYTES("{\"ev\":\"mark\",\"na"), "-16: " TORN },
	{ "torn inside a text", BYTES("{\"ev\":\"ma"), "-9: " TORN },
	{ "the end of a record", BYTES("ame\":\"a\"}"), "-9: " NO_OBJECT },
	{ "torn start and a whole record", BYTES("{\"ev\":\"ma" A), "-9: " TORN_BEFORE "; a(" BEHIND ")" },
	{ "torn start and two glued", BYTES("{\"ev\":\"ma" A B), "-9: " TORN_BEFORE "; a(" BEHIND "); b(" GLUED ")" },
	{ "a record and a torn one", BYTES(A "{\"ev\":\"ma"), "a; -9: " TORN },
	{ "two torn starts", BYTES("{\"ev\":\"ma{\"ev\":" A), "-9: " TORN_BEFORE "; -6: " TORN_BEFORE "; a(" BEHIND ")" },
	{ "text and a whole record", BYTES("junk" A), "-4: " TORN_BEFORE "; a(" BEHIND ")" },
	{ "NULs before", BYTES("\0\0" A), "a(" BESIDE ")" },
	{ "NULs after", BYTES(A "\0\0\0"), "a; " BESIDE },
	{ "NULs between", BYTES(A "\0" B), "a; b(" GLUED ")" },
	{ "NULs and blanks before", BYTES(" \0 " A), "a(" BESIDE ")" },
	{ "NULs alone", BYTES("\0\0\0\0"), "" },
	{ "NULs inside a text", BYTES("{\"ev\":\"m\0k\",\"name\":\"a\"}"), "-23: " INSIDE },
	{ "NULs between keys", BYTES("{\"ev\":\"mark\",\0\0\"name\":\"a\"}"), "-26: " INSIDE },
	{ "NULs behind a torn start", BYTES("{\"ev\":\"ma\0\0" A), "-11: " INSIDE "; a(" BEHIND ")" },
	{ "no object", BYTES("[1,2]"), "-5: " NO_OBJECT },
	{ "a number", BYTES("42"), "-2: " NO_OBJECT },
	{ "text", BYTES("garbage"), "-7: " NO_OBJECT },
	{ "an object of another language", BYTES("{'ev':'mark'}"), "-13: " NO_OBJECT },
	{ "a stray brace behind", BYTES(A "}"), "a; -1: " NO_OBJECT },
};

static struct record_scanner scanner;

/* The line lies in a block that is readable behind its end, as source_next() gives it. */
static const char *
pieces(struct slice bytes, bool complete)
{
	static struct buf block = BUF_INIT(4096), out = BUF_INIT(4096);
	static const char behind[RECORD_PADDING] = "}\"]{\"ev\":\"x\"}  ";
	struct record record;
	struct line line;
	enum line_rc rc;

	buf_clear(&block);
	buf_clear(&out);
	buf_add_slice(&block, bytes);
	buf_add(&block, behind, sizeof(behind));
	line_begin(&line, (struct slice){ block.p, bytes.n }, complete);
	do {
		rc = line_next(&line, &scanner, &record);
		if (out.n > 0 && (rc != LINE_END || line.repair != NULL))
			buf_add_str(&out, "; ");
		if (rc == LINE_RECORD)
			buf_addf(&out, "%.*s", SLICE_ARG(record.v[KEY_name].s));
		if (rc == LINE_RECORD && line.repair != NULL)
			buf_addf(&out, "(%s)", line.repair);
		if (rc == LINE_REJECTED)
			buf_addf(&out, "-%zu: %s", line.text.n, line.reason);
		if (rc == LINE_END && line.repair != NULL)
			buf_add_str(&out, line.repair);
	} while (rc == LINE_RECORD || rc == LINE_REJECTED);
	return out.n > 0 ? out.p : "";
}

int
main(void)
{
	record_scanner_init(&scanner);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_str(pieces((struct slice){ rows[i].line, rows[i].n }, true), rows[i].want, rows[i].name);
	/* without a line feed: the last line of its file */
	is_str(pieces(SLICE(A), false), "a", "whole at the end of the file");
	is_str(pieces(SLICE("{\"ev\":\"ma"), false), "-9: " CUT, "torn at the end of the file");
	is_str(pieces(SLICE("garbage"), false), "-7: " NO_OBJECT, "garbage at the end of the file");
	is_str(pieces(SLICE(A "{\"ev\":\"ma"), false), "a; -9: " CUT, "a record and a torn one at the end of the file");
	record_scanner_done(&scanner);
	return done();
}
