/* Which look-ups prove absence (docs/ledger.md, section 7), and what each is said to have found: by cases worked out by hand. Beside
 * them findings whose numbers come from the ledger as they are. */
#include "config.h"

#include "classify/reconcile.h"
#include "query.h"
#include "run-dir.h"
#include "tap.h"

/* A line of db/, times behind the last `pub` unless stated. */
#define ROW(table, mid, seq, check) \
	"{\"ev\":\"row\",\"table\":\"" table "\",\"mid\":\"" mid "\",\"topic\":\"g\",\"seq\":" #seq ",\"check\":" #check "}\n"
#define ROWS_AT(t, table, count, check, more) \
	"{\"ev\":\"rows\",\"t\":" #t ",\"table\":\"" table "\",\"complete\":true,\"count\":" #count ",\"check\":" #check more "}\n"
#define ROWS(table, count, check) ROWS_AT(1790000000000000009, table, count, check, "")
#define ROWS_OF(kind, table, check) ROWS_AT(1790000000000000009, table, 0, check, ",\"kind\":\"" kind "\"")
#define DEAD(t, mid, error, check) \
	"{\"ev\":\"dead\",\"t\":" #t ",\"mid\":\"" mid "\",\"error\":\"" error "\",\"check\":" #check "}\n"
#define DEADS(count, check) "{\"ev\":\"deads\",\"t\":9,\"complete\":true,\"count\":" #count ",\"check\":" #check "}\n"

/* Message `m` of a group was acked and has no row. `found` and `holds` of each look-up, as they stand; then what is said of it. */
static const struct {
	const char *name, *lines, *found, *holds, *persisted;
} rows[] = {
	{ "no look-up", "", "", "", "unchecked" },
	{ "one table, empty", ROWS("t", 0, 1), "0", "1", "absent" },
	{ "a row that the count leaves out", ROW("t", "n", 1, 1) ROWS("t", 0, 1), "1", "0", "unchecked" },
	{ "one row read twice is one", ROW("t", "n", 1, 1) ROW("t", "n", 1, 1) ROWS("t", 1, 1), "1", "1", "absent" },
	{ "the same row in two checks", ROW("t", "n", 1, 1) ROW("t", "n", 1, 2) ROWS("t", 1, 1) ROWS("t", 1, 2), "1, 1", "1, 1",
	    "absent" },
	{ "before the last pub", ROWS_AT(1789999999999999999, "t", 0, 1, ""), "0", "1", "unchecked" },
	{ "two tables", ROWS("t", 0, 1) ROWS("u", 0, 1), "0, 0", "1, 1", "absent" },
	{ "two tables, each in a check of its own", ROWS("t", 0, 1) ROWS("u", 0, 2), "0, 0", "1, 1", "unchecked" },
	{ "two tables, both in the second check", ROWS("t", 0, 1) ROWS("t", 0, 2) ROWS("u", 0, 2), "0, 0, 0", "1, 1, 1", "absent" },
	{ "two tables, one of them short", ROWS("t", 0, 1) ROWS("u", 1, 1), "0, 0", "1, 0", "unchecked" },
	{ "a table of the other kind asks nothing", ROWS_OF("p2p", "t", 1) ROWS_OF("group", "u", 1), "0, 0", "1, 1", "absent" },
	{ "nor does it answer", ROWS_OF("p2p", "t", 1), "0", "1", "unchecked" },
	{ "of two alike the last counts", ROWS_AT(1790000000000000008, "t", 0, 1, "") ROWS("t", 5, 1), "0, 0", "0, 0",
	    "unchecked" },
	{ "another kind of the table must hold too", ROWS_OF("group", "t", 1) ROWS("t", 5, 1), "0, 0", "1, 0", "unchecked" },
	{ "letters of one check", DEAD(5, "n", "x", 1) DEAD(6, "n", "x", 1) DEADS(2, 1), "2", "1", "unchecked" },
	{ "a letter read twice", DEAD(5, "n", "x", 1) DEAD(5, "n", "y", 1) DEAD(5, "n", "x", 1) DEADS(2, 1), "2", "1",
	    "unchecked" },
	{ "a letter in two checks", DEAD(5, "n", "x", 1) DEAD(5, "n", "x", 2) DEADS(1, 1) DEADS(1, 2), "1, 1", "1, 1",
	    "unchecked" },
};

static void
begin_run(void)
{
	run_dir_clear();
	run_dir_put("topics.jsonl", "{\"topic\":\"g\",\"kind\":\"group\",\"members\":[\"r\",\"s\"]}\n");
}

static struct store *
ingest(void)
{
	const struct reconcile_options opt = { .memory_max = RECONCILE_MEMORY_DEFAULT, .threads = 1, .line_max = 4096 };
	struct reconcile_result result;
	struct imp_err err = { 0 };
	struct store *s = NULL;

	if (store_open(":memory:", STORE_WRITE, 0, &s, &err) != IMP_OK ||
	    reconcile_directory(s, run_dir, &opt, &result, &err) != IMP_OK || store_select_run(s, 1, &err) != IMP_OK)
		run_dir_bail(err.msg);
	return s;
}

static void
look_ups(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct store *s;

		begin_run();
		run_dir_put("agents/a/l.jsonl",
		    "{\"ev\":\"pub\",\"t\":1790000000000000000,\"mid\":\"m\",\"topic\":\"g\",\"from\":\"s\"}\n"
		    "{\"ev\":\"ctrl\",\"t\":1790000000000000001,\"mid\":\"m\",\"code\":202,\"seq\":7}\n");
		run_dir_put("db/d.jsonl", "%s", rows[i].lines);
		s = ingest();
		is_str(query_text(s, "SELECT found FROM db_query ORDER BY query_no"), rows[i].found, rows[i].name);
		is_str(query_text(s, "SELECT holds FROM db_query ORDER BY query_no"), rows[i].holds, "... what holds");
		is_str(query_text(s, "SELECT persisted FROM message"), rows[i].persisted, "... the message");
		store_close(s);
	}
}

/* What an agent says of its lines may be anything. */
static void
lines_lost(void)
{
	static const struct {
		const char *events, *want;
	} ends[] = {
		{ "1", "" },
		{ "4", "3" },
		{ "-1", "2" },
		{ "9223372036854775807", "9223372036854775806" },
		{ "-9223372036854775807", "9223372036854775807" },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char lines[400];
		struct store *s;

		snprintf(lines, sizeof(lines),
		    "{\"ev\":\"pub\",\"t\":1,\"mid\":\"m\",\"topic\":\"g\",\"from\":\"s\"}\n"
		    "{\"ev\":\"end\",\"t\":2,\"agent\":\"a\",\"events\":%s}\n",
		    ends[i].events);
		begin_run();
		run_dir_put("agents/a/l.jsonl", "%s", lines);
		s = ingest();
		is_str(query_text(s, "SELECT count FROM finding WHERE id = 'ledger.lines_lost'"), ends[i].want, ends[i].events);
		store_close(s);
	}
}

int
main(void)
{
	look_ups();
	lines_lost();
	return done();
}
