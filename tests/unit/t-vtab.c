/* The virtual tables over two small hand-made runs and one with a topic of 10,000 members whose deliveries lie in several blocks. */
#include "config.h"

#include "base/buf.h"
#include "query.h"
#include "store/block.h"
#include "tap.h"

static const char run_1[] =
    "INSERT INTO run VALUES (1, 'r1', '/d', 1, 'x', 1, NULL, 'im-server', 'release', 0, NULL, NULL, NULL, NULL, 1, 1, 1);"
    "INSERT INTO agent VALUES (1, 0, 'A', 1, 1, 0, 9, 9, 0), (1, 1, 'B', 1, 1, 1, 9, NULL, 0);"
    "INSERT INTO stretch VALUES (1, 0, 0, 10000, 1), (1, 1, 0, 1500, 0), (1, 1, 1600, 10000, 1);"
    "INSERT INTO account VALUES (1, 0, 'a0', NULL, 0, 1, 1, 0), (1, 1, 'a1', NULL, 0, 1, 1, 0), (1, 2, 'a2', NULL, 1, 1, 0, 0),"
    "	(1, 3, 'a3', NULL, 1, 1, 1, 0), (1, 4, 'out', NULL, NULL, 0, 0, 0);"
    "INSERT INTO topic VALUES (1, 0, 'g', 'group', 1, 4, NULL), (1, 1, 'p', 'p2p', 1, 2, NULL);"
    "INSERT INTO member VALUES (1, 0, 0, 0), (1, 0, 1, 1), (1, 0, 2, 2), (1, 0, 3, 3), (1, 1, 0, 0), (1, 1, 1, 1);"
    "INSERT INTO scenario VALUES (1, 0, 's1', 'group', 9, 2000, 0, 1000, 1400, 3400), (1, 1, 's2', 'p2p', 9, 2000, 0, 2000, 2700, 4700);"
    "INSERT INTO expectation VALUES (1, 0, 0, x'0b'), (1, 1, 1, x'03');" /* a2 is not ready */
    "INSERT INTO file VALUES (1, 0, 'agents/a/x.jsonl', 'ledger', 0, 1, NULL, NULL, 'none', 1, 1, 1, 0, 0, 0, 0);"
    "INSERT INTO conn VALUES (1, 1, 0, 400, 'open', NULL, NULL, NULL, NULL, 0, 1), (1, 1, 1, 500, 'ready', NULL, NULL, NULL, NULL, 0, 2),"
    "	(1, 1, 2, 2500, 'closed', NULL, NULL, NULL, NULL, 0, 3), (1, 1, 3, 2600, 'ready', NULL, NULL, NULL, NULL, 0, 4);"
    "INSERT INTO presence VALUES (1, 0, 1000, NULL, 'p0', NULL, NULL, NULL, NULL, 0, 1), (1, 1, 500, 2500, 'p1', 'closed', NULL, NULL, NULL, 0, 3),"
    "	(1, 1, 2600, NULL, 'p2', NULL, NULL, NULL, NULL, 0, 4), (1, 2, 1001, NULL, 'p3', NULL, NULL, NULL, NULL, 0, 1);"
    "INSERT INTO message SELECT 1, column1, 'm' || column1, column2, column3, 0, column4, column5, NULL, column6, column7, 1, column8,"
    "	'partial', 'exact', 'ok', 202, column9, NULL, NULL, 3, 1, 0, 0, column10, 0, 0, 3, 0, 0, '', NULL, NULL FROM (VALUES"
    "	(0, 0, 0, 0, 0, 1000, 3000, 'acked', 7, 1), (1, 1, 0, 1, 0, 2000, 4000, 'acked', 9, 1),"
    "	(2, 0, 1, 0, 0, 1400, 3400, 'acked', 8, 1), (3, 0, 0, 0, 1, 100, 2100, 'acked', 6, 3),"
    "	(4, 0, 0, 0, 0, 5000, 7000, 'unknown', NULL, 2), (5, 0, 0, NULL, 0, NULL, NULL, 'unsent', NULL, 0),"
    "	(6, 1, 0, 1, 0, 2700, 4700, 'acked', 10, 1));"
    "INSERT INTO extra_copy VALUES"
    "	(1, 0, 0, 1300, 0, 'duplicate', 7, 0), (1, 0, 0, 1250, 0, 'duplicate', 7, 0), (1, 0, 4, 1400, 0, 'stranger', 7, 0),"
    "	(1, 0, 1, 1150, 0, 'wrong_topic', 3, 1), (1, 0, 2, 1900, 0, 'duplicate', 7, 0), (1, 0, 2, 1900, 1, 'duplicate', 7, 0),"
    "	(1, 2, 0, 1500, 0, 'first', 88, 0), (1, 2, 0, 1600, 0, 'duplicate', 8, 0),"
    "	(1, 3, 0, 200, 0, 'duplicate', 6, 0);";

#define NO BLOCK_ABSENT

static void
add_block(struct store *s, int run, int message, int first, int64_t seq, const int64_t *t, uint32_t n)
{
	struct buf body = BUF_INIT(1 << 20);
	char sql[100];
	sqlite3_stmt *st;

	block_encode(seq, t, n, &body);
	snprintf(sql, sizeof(sql), "INSERT INTO main.delivery_block VALUES (%d, %d, %d, ?)", run, message, first);
	if (sqlite3_prepare_v2(store_db(s), sql, -1, &st, NULL) == SQLITE_OK) {
		sqlite3_bind_blob(st, 1, body.p, (int)body.n, SQLITE_STATIC);
		ok(sqlite3_step(st) == SQLITE_DONE, "block of message %d", message);
	}
	sqlite3_finalize(st);
	buf_done(&body);
}

static struct store *
make_store(const char *path)
{
	struct store *s = NULL;
	struct imp_err err = { 0 };

	if (store_open(path, STORE_WRITE, 1000, &s, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	must_exec(s, run_1);
	add_block(s, 1, 0, 0, 7, (const int64_t[]){ 1100, NO, 1200, 3500 }, 4);
	add_block(s, 1, 1, 0, 9, (const int64_t[]){ 2100, NO }, 2);
	add_block(s, 1, 3, 0, 6, (const int64_t[]){ 150, NO, NO, NO }, 4);
	add_block(s, 1, 4, 0, 12, (const int64_t[]){ NO, 7000, 7001, NO }, 4);
	add_block(s, 1, 5, 0, 13, (const int64_t[]){ NO, NO, NO, 6000 }, 4);
	return s;
}

static void
test_delivery(struct store *s)
{
	is_str(query_text(s, "SELECT * FROM delivery WHERE mid = 'm0'"),
	    "m0 g a0 out s1 acked 1400 7 1 stranger 0 400, "
	    "m0 g a0 a0 s1 acked 1100 7 1 expected 0 100, m0 g a0 a0 s1 acked 1250 7 2 expected 0 250, m0 g a0 a0 s1 acked 1300 7 3 expected 0 300, "
	    "m0 p a0 a1 s1 acked 1150 3 1 wrong_topic 0 150, "
	    "m0 g a0 a2 s1 acked 1200 7 1 not_ready 0 200, m0 g a0 a2 s1 acked 1900 7 2 not_ready 0 900, m0 g a0 a2 s1 acked 1900 7 3 not_ready 0 900, "
	    "m0 g a0 a3 s1 acked 3500 7 1 expected 1 2500",
	    "every kind of copy of one message");
	is_str(query_text(s, "SELECT * FROM delivery WHERE mid = 'm1'"), "m1 p a0 a0 s2 acked 2100 9 1 echo 0 100", "an echo");
	is_str(query_text(s, "SELECT receiver, t, seq, copy FROM delivery WHERE message_no = 2"), "a0 1500 88 1, a0 1600 8 2",
	    "a first copy that is in no block");
	is_str(query_text(s, "SELECT receiver, t, late, outcome FROM delivery WHERE mid = 'm4'"),
	    "a1 7000 0 unknown, a2 7001 1 unknown", "the end of the window belongs to it");
	is_str(query_text(s, "SELECT * FROM delivery WHERE mid = 'm5'"), "m5 g a0 a3 - unsent 6000 13 1 not_ready - -",
	    "a message without window, scenario and `pub`");
	is_str(query_text(s, "SELECT message_no, count(*) FROM delivery GROUP BY message_no"), "0 9, 1 1, 2 2, 4 2, 5 1",
	    "all of the run, warm-up left out");
	is_str(query_text(s, "SELECT count(*) FROM delivery WHERE mid = 'm0' OR mid = 'm1' OR receiver = 'a3' AND mid = 'm0'"),
	    "10", "OR counts no copy twice");
	is_str(query_text(s, "SELECT count(*) FROM delivery WHERE mid = 'M0' COLLATE NOCASE"), "9", "another collation");
	is_str(query_text(s, "SELECT t FROM delivery WHERE mid = 'm0' AND member_no = 2"), "1200, 1900, 1900", "one member");
	is_str(query_text(s, "SELECT t FROM delivery WHERE mid = 'm0' AND member_no IS NULL"), "1400", "no member");
	is_str(query_text(s, "SELECT t FROM delivery WHERE mid = 'm9' OR mid = NULL OR message_no = -1 OR member_no = -1"), "",
	    "nothing");
	is_str(query_text(s, "SELECT message_no, member_no FROM delivery ORDER BY message_no DESC, member_no DESC LIMIT 2"),
	    "5 3, 4 2", "another order");
	is_str(query_text(s,
		   "SELECT count(*), count(DISTINCT d.rowid) FROM delivery AS d JOIN delivery AS e USING (message_no, member_no)"),
	    "28 14", "joined with itself"); /* 3*3 + 1 + 3*3 + 1, 1, 2*2, 1 + 1, 1; the stranger has no member_no */
}

static void
test_missing(struct store *s)
{
	is_str(query_text(s, "SELECT * FROM missing"),
	    "m0 g a0 a1 s1 7 1000 3000 1 A p0 p1, m1 p a0 a1 s2 9 2000 4000 1 A p0 p1, m2 g a1 a1 s1 8 1400 3400 1 A p1 p1, "
	    "m6 p a0 a1 s2 10 2700 4700 0 A p0 p2",
	    "acked messages, witnessed receivers");
	is_str(query_text(s, "SELECT receiver FROM missing WHERE mid = 'm2' AND message_no = 2 AND member_no = 1"), "a1",
	    "one of them");
	is_str(query_text(s, "SELECT count(*) FROM missing WHERE mid = 'm2' AND member_no = 3"), "0",
	    "one whose agent was not watching");
	must_exec(s, "UPDATE main.stretch SET to_t = 1600 WHERE to_t = 1500");
	is_str(query_text(s, "SELECT count(*) FROM missing WHERE mid = 'm2'"), "1", "two stretches are not one");
	must_exec(s, "UPDATE main.stretch SET to_t = 3400 WHERE to_t = 1600");
	is_str(query_text(s, "SELECT receiver FROM missing WHERE mid = 'm2'"), "a1, a3", "a stretch up to the end of the window");
	must_exec(s, "UPDATE main.stretch SET from_t = 1401, to_t = 1500 WHERE to_t = 3400");
	is_str(query_text(s, "SELECT receiver FROM missing WHERE mid = 'm2'"), "a1", "a stretch that begins too late");
	must_exec(s, "UPDATE main.stretch SET from_t = 0 WHERE from_t = 1401");
}

static void
test_disconnected(struct store *s)
{
	static const struct {
		int from, to, want;
	} rows[] = {
		{ 499, 600, 1 },
		{ 500, 600, 0 },
		{ 500, 2499, 0 },
		{ 500, 2500, 1 },
		{ 2500, 2550, 1 },
		{ 2599, 2700, 1 },
		{ 2600, 9000, 0 },
	};
	char sql[200], want[2], name[100];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(sql, sizeof(sql), "UPDATE main.message SET first_pub = %d, window_end = %d WHERE mid = 'm6'", rows[i].from,
		    rows[i].to);
		must_exec(s, sql);
		snprintf(want, sizeof(want), "%d", rows[i].want);
		snprintf(name, sizeof(name), "disconnected between %d and %d", rows[i].from, rows[i].to);
		is_str(query_text(s, "SELECT disconnected FROM missing WHERE mid = 'm6'"), want, name);
	}
	must_exec(s, "UPDATE main.run SET has_conns = 0");
	is_str(query_text(s, "SELECT disconnected FROM missing WHERE mid = 'm6'"), "-", "not evaluated without any conn line");
	must_exec(s, "UPDATE main.run SET has_conns = 1");
}

static void
test_duplicate(struct store *s)
{
	is_str(query_text(s, "SELECT * FROM duplicate"),
	    "m0 g a0 a0 s1 acked 1250 7 2 0 250 1100, m0 g a0 a0 s1 acked 1300 7 3 0 300 1100, m2 g a1 a0 s1 acked 1600 8 2 0 200 1500",
	    "further copies at expected receivers");
	is_str(query_text(s, "SELECT t FROM duplicate WHERE mid = 'm0' ORDER BY member_no"), "1250, 1300", "of one message");
}

static void
test_plans(struct store *s)
{
	static const struct {
		const char *sql;
		bool sorts;
	} rows[] = {
		{ "SELECT mid FROM delivery ORDER BY message_no, member_no", false },
		{ "SELECT mid FROM missing ORDER BY message_no, member_no", false },
		{ "SELECT mid, count(*) FROM duplicate GROUP BY message_no", false },
		{ "SELECT mid FROM delivery WHERE mid = 'm0' ORDER BY member_no", false },
		{ "SELECT mid FROM delivery WHERE mid = 'm0' ORDER BY t", true },
		{ "SELECT mid FROM delivery ORDER BY member_no", true },
		{ "SELECT mid FROM delivery ORDER BY message_no DESC", true },
	};
	char sql[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", rows[i].sql);
		ok((strstr(query_text(s, sql), "TEMP B-TREE") != NULL) == rows[i].sorts, "%s: %s",
		    rows[i].sorts ? "sorts" : "does not sort", rows[i].sql);
	}
}

#define BIG 10000

/* Arrivals of the big topic; blocks cover [0, 100), [5000, 9500) and [9600, 10000). */
static int64_t
big_arrival(int member)
{
	bool covered = member < 100 || (member >= 5000 && member < 9500) || member >= 9600;

	return covered && member % 3 == 0 ? 1000 + member : BLOCK_ABSENT;
}

static void
add_big_blocks(struct store *s)
{
	static const struct {
		int first, n;
	} blocks[] = { { 0, 100 }, { 5000, 4500 }, { 9600, 400 } };
	static int64_t t[BIG];

	for (int i = 0; i < BIG; i++)
		t[i] = big_arrival(i);
	for (int i = 2; i >= 0; i--) /* the order of writing does not matter */
		add_block(s, 2, 0, blocks[i].first, 70 + i, t + blocks[i].first, (uint32_t)blocks[i].n);
}

static void
test_blocks(struct store *s)
{
	static const int members[] = { 0, 99, 100, 150, 4998, 5001, 9096, 9097, 9498, 9501, 9600, 9999, 10000 };
	char sql[200], want[50];
	int bad = 0;

	must_exec(s,
	    "INSERT INTO run SELECT 2, 'r2', '/e', 2, 'x', 1, NULL, 'im-server', 'release', 0, NULL, NULL, NULL, NULL, 1, 0, 1;"
	    "INSERT INTO agent VALUES (2, 0, 'A', 1, 1, 0, 9, 9, 0);"
	    "INSERT INTO stretch VALUES (2, 0, 0, 99999, 1);"
	    "INSERT INTO topic VALUES (2, 0, 'big', 'group', 1, 10000, NULL);"
	    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)"
	    "	INSERT INTO account SELECT 2, i, printf('b%05d', i), NULL, 0, 1, 1, 0 FROM n;"
	    "INSERT INTO member SELECT 2, 0, account_no, account_no FROM account WHERE run_no = 2;"
	    "INSERT INTO expectation SELECT 2, 0, -1, CAST(replace(hex(zeroblob(1250)), '00', char(127)) AS BLOB);"
	    "INSERT INTO message SELECT 2, 0, 'm0', 0, 7, 0, NULL, 0, NULL, 1000, 60000, 1, 'acked', 'partial', 'exact', 'ok', 202, 70, NULL,"
	    "	NULL, 5000, 0, 0, 0, 5000, 0, 0, 0, 0, 0, '', NULL, NULL;"
	    "INSERT INTO extra_copy VALUES (2, 0, 4500, 1, 0, 'first', 5, 0), (2, 0, 9996, 50000, 0, 'duplicate', 72, 0);");
	add_big_blocks(s);
	ok(store_select_run(s, 2, NULL) == IMP_OK, "select the other run");
	/* 34 + 1500 + 134 in blocks, a first one and a further one beside them */
	is_str(query_text(s, "SELECT count(*), count(DISTINCT t), min(seq), max(seq) FROM delivery"), "1670 1670 5 72",
	    "blocks with gaps between");
	/* expected are 7 of 8 members, 8750; of them 30 + 1312 + 117 in blocks and the one beside them got it */
	is_str(query_text(s, "SELECT count(*), max(member_no), sum(member_no = 4500) FROM missing"), "7290 9998 0",
	    "missing where no block is");
	for (size_t i = 0; i < 2 * sizeof(members) / sizeof(*members); i++) {
		int member = members[i / 2]; /* each twice: the second time from the cache */
		int64_t t = big_arrival(member);

		snprintf(sql, sizeof(sql), "SELECT t FROM delivery WHERE message_no = 0 AND member_no = %d AND copy = 1", member);
		snprintf(want, sizeof(want), "%lld", (long long)t);
		bad += strcmp(query_text(s, sql), t == BLOCK_ABSENT ? "" : want) != 0;
	}
	ok(bad == 0, "single members: %d wrong", bad);
	is_str(query_text(s, "SELECT receiver, first_t FROM duplicate"), "b09996 10996", "the first copy lies in the last block");
	is_str(
	    query_text(s,
		"SELECT count(*) FROM member AS m WHERE NOT EXISTS (SELECT 1 FROM delivery AS d WHERE d.message_no = 0 AND d.member_no = m.member_no)"),
	    "8331", "an anti-join");
	ok(store_select_run(s, 1, NULL) == IMP_OK, "select the first run again");
	is_str(query_text(s, "SELECT count(*) FROM delivery"), "15", "and see it");
}

/* What another process changes is seen, although much is kept from query to query. */
static void
test_other_writer(struct store *s, const char *path)
{
	struct store *other = NULL;
	struct imp_err err = { 0 };

	is_str(query_text(s, "SELECT t, receiver FROM delivery WHERE mid = 'm1'"), "2100 a0", "before the change");
	ok(store_open(path, STORE_WRITE, 1000, &other, &err) == IMP_OK, "another connection %s", err.msg);
	must_exec(other,
	    "DELETE FROM delivery_block WHERE run_no = 1 AND message_no = 1; UPDATE account SET name = 'new' WHERE run_no = 1 AND account_no = 0");
	add_block(other, 1, 1, 0, 9, (const int64_t[]){ 2222, NO }, 2);
	store_close(other);
	is_str(query_text(s, "SELECT t, receiver FROM delivery WHERE mid = 'm1'"), "2222 new", "after it");
}

static void
test_damage(struct store *s)
{
	must_exec(s, "UPDATE main.delivery_block SET body = x'0103' WHERE run_no = 1 AND message_no = 5");
	ok(strstr(query_text(s, "SELECT count(*) FROM delivery"), "damaged delivery block") != NULL, "a damaged block");
	is_str(query_text(s, "SELECT count(*) FROM delivery WHERE mid = 'm1'"), "1", "the others can be read");
	must_exec(s,
	    "UPDATE main.delivery_block SET body = (SELECT body FROM main.delivery_block WHERE run_no = 1 AND message_no = 0), message_no = 0,"
	    " first_member = 3 WHERE run_no = 1 AND message_no = 5");
	ok(strstr(query_text(s, "SELECT count(*) FROM delivery"), "overlap") != NULL, "blocks that overlap");
	must_exec(s, "UPDATE main.extra_copy SET kind = 'what' WHERE message_no = 2");
	ok(strstr(query_text(s, "SELECT count(*) FROM delivery WHERE mid = 'm2'"), "damaged extra copy") != NULL,
	    "an unknown kind of copy");
}

int
main(void)
{
	char dir[] = "/tmp/impaudit-XXXXXX", path[100];
	struct store *s;

	if (mkdtemp(dir) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/store.db", dir);
	s = make_store(path);
	ok(strstr(query_text(s, "SELECT count(*) FROM delivery"), "no run is selected") != NULL, "no run is selected");
	ok(store_select_run(s, 1, NULL) == IMP_OK, "select a run");
	test_delivery(s);
	test_missing(s);
	test_disconnected(s);
	test_duplicate(s);
	test_plans(s);
	store_close(s);
	remove(path);
	s = make_store(path);
	test_blocks(s);
	test_other_writer(s, path);
	test_damage(s);
	store_close(s);
	remove(path);
	remove(dir);
	return done();
}
