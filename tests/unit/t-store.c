#include "config.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "query.h"
#include "sql_gen.h"
#include "store/store.h"
#include "tap.h"

static char dir[] = "/tmp/impaudit-XXXXXX";
static char path[100]; /* of the store that a test makes */

static const char run_sql[] =
    "INSERT INTO run VALUES (%d, '%s', '/d', %d, 'x', 1, NULL, 'im-server', 'release', 0, NULL, NULL, NULL, NULL, 1, 1, 1)";

static void
start(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
}

static struct store *
open_store(enum store_mode mode)
{
	struct store *s = NULL;
	struct imp_err err = { 0 };

	if (store_open(path, mode, 20, &s, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return s;
}

static void
add_run(struct store *s, int no, const char *id, int ingest_no)
{
	char sql[300];

	snprintf(sql, sizeof(sql), run_sql, no, id, ingest_no);
	must_exec(s, sql);
}

/* The store cannot be opened: the code, a word of the message, and *ret as it was. */
static void
refused(enum store_mode mode, enum imp_rc want, const char *word, const char *what)
{
	struct store *s = (struct store *)dir;
	struct imp_err err = { 0 };
	enum imp_rc rc = store_open(path, mode, 20, &s, &err);

	if (!ok(rc == want && s == (struct store *)dir && strstr(err.msg, word) != NULL, "%s", what))
		printf("# %d: %s\n", (int)rc, err.msg);
}

static void
write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	if (f != NULL) {
		fputs(text, f);
		fclose(f);
	}
}

static void
test_open(void)
{
	struct store *s;
	struct stat before, after;

	start("none.db");
	refused(STORE_READ, IMP_E_NOINPUT, "none.db", "no such store");
	ok(access(path, F_OK) != 0, "and none is made");
	start("no/such/directory.db");
	refused(STORE_WRITE, IMP_E_CREATE, "No such file", "no such directory");
	path[0] = '\0';
	refused(STORE_WRITE, IMP_E_USAGE, "no name", "an empty name");
	start("text.db");
	write_file("This is a text that is much longer than the sixteen bytes at which SQLite looks first.\n");
	refused(STORE_READ, IMP_E_DATA, "not an impaudit store", "a text");
	refused(STORE_WRITE, IMP_E_DATA, "not an impaudit store", "a text, to write");
	start("empty.db");
	write_file("");
	refused(STORE_READ, IMP_E_DATA, "not an impaudit store", "an empty file");
	s = open_store(STORE_WRITE);
	is_int(store_schema_version(), 3, "version of the schema");
	is_str(query_text(s, "PRAGMA user_version"), "3", "version of a new store");
	is_str(query_text(s, "PRAGMA foreign_keys"), "1", "foreign keys are on");
	is_str(query_text(s, "PRAGMA integrity_check"), "ok", "a new store is sound");
	store_close(s);
	stat(path, &before);
	store_close(open_store(STORE_WRITE));
	store_close(open_store(STORE_READ));
	stat(path, &after);
	ok(before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec,
	    "opening again writes nothing");
	store_close(NULL);
}

static void
test_foreign(void)
{
	struct store *s;

	start("newer.db");
	s = open_store(STORE_WRITE);
	must_exec(s, "PRAGMA user_version = 7");
	store_close(s);
	refused(STORE_READ, IMP_E_DATA, "has version 7, this program knows 3", "a store of a newer version");
	refused(STORE_WRITE, IMP_E_DATA, "has version 7, this program knows 3", "a store of a newer version, to write");
	start("foreign.db");
	s = open_store(STORE_WRITE);
	must_exec(s, "PRAGMA application_id = 1");
	store_close(s);
	refused(STORE_READ, IMP_E_DATA, "not an impaudit store", "a database of another program");
	refused(STORE_WRITE, IMP_E_DATA, "not an impaudit store", "a database of another program, to write");
	start("older.db");
	s = open_store(STORE_WRITE);
	must_exec(s, "PRAGMA user_version = 0");
	store_close(s);
	refused(STORE_READ, IMP_E_DATA, "has version 0, this program reads 3", "a store of an older version");
}

/* A store as version 1 left it, with a run, is brought up to date by whoever may write. */
static void
test_migration(void)
{
	sqlite3 *db = NULL;
	struct store *s;
	char sql[300];

	start("one.db");
	snprintf(sql, sizeof(sql), run_sql, 1, "r1", 1);
	ok(sqlite3_open(path, &db) == SQLITE_OK && sqlite3_exec(db, sql_schema_001_evidence_store, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_exec(db, "INSERT INTO schema_column VALUES (1, 0, 'messages', 'id', 'int', 0, '', 0, 1)", NULL, NULL,
		    NULL) == SQLITE_OK,
	    "a store of version 1");
	sqlite3_close(db);
	refused(STORE_READ, IMP_E_DATA, "has version 1, this program reads 3", "it cannot be read as it is");
	s = open_store(STORE_WRITE);
	is_str(query_text(s, "PRAGMA user_version"), "3", "it is migrated");
	is_str(query_text(s, "SELECT run_id, (SELECT count(*) FROM failing), (SELECT count(*) FROM collected) FROM run"), "r1 0 0",
	    "and keeps its run");
	is_str(query_text(s, "SELECT type, t IS NULL FROM schema_column"), "int 1",
	    "a column of which nobody says when it was looked at");
	store_close(s);
}

static void
test_read_only(void)
{
	struct store *s;

	start("read.db");
	s = open_store(STORE_WRITE);
	add_run(s, 1, "one", 1);
	store_close(s);
	s = open_store(STORE_READ);
	ok(store_begin(s, NULL) == IMP_E_IO, "a reader cannot begin to write");
	ok(strncmp(query_text(s, "DELETE FROM run"), "error", 5) == 0, "nor write without");
	ok(store_select_run(s, 1, NULL) == IMP_OK, "it can select a run");
	ok(strncmp(query_text(s, "DELETE FROM main.run"), "error", 5) == 0, "and still not write");
	is_str(query_text(s, "SELECT run_id FROM run"), "one", "but read");
	store_close(s);
}

static void
test_two_writers(void)
{
	struct store *first, *second;
	struct imp_err err = { 0 };

	start("two.db");
	first = open_store(STORE_WRITE);
	second = open_store(STORE_WRITE);
	ok(store_begin(first, NULL) == IMP_OK, "the first writer begins");
	ok(store_begin(second, &err) == IMP_E_BUSY && strstr(err.msg, "two.db") != NULL && err.hint[0] != '\0',
	    "the second is told: %s", err.msg);
	add_run(first, 1, "one", 1);
	is_str(query_text(second, "SELECT count(*) FROM run"), "0", "a reader goes on beside the writer");
	ok(store_commit(first, NULL) == IMP_OK && store_begin(second, NULL) == IMP_OK, "after the first the second");
	store_rollback(second);
	store_rollback(second);
	store_close(second);
	ok(store_begin(first, NULL) == IMP_OK, "begin once more");
	add_run(first, 2, "two", 2);
	store_close(first);
	first = open_store(STORE_READ);
	is_str(query_text(first, "SELECT run_id FROM run"), "one", "what was not committed is not there");
	store_close(first);
}

static void
test_read_transaction(void)
{
	struct store *reader, *writer;

	start("snapshot.db");
	writer = open_store(STORE_WRITE);
	reader = open_store(STORE_READ);
	ok(store_begin_read(reader, NULL) == IMP_OK, "begin to read");
	is_str(query_text(reader, "SELECT count(*) FROM run"), "0", "no run");
	ok(store_begin(writer, NULL) == IMP_OK, "a writer begins");
	add_run(writer, 1, "one", 1);
	ok(store_commit(writer, NULL) == IMP_E_BUSY, "it cannot commit yet");
	is_str(query_text(reader, "SELECT count(*) FROM run"), "0", "still no run");
	ok(store_commit(reader, NULL) == IMP_OK && store_commit(writer, NULL) == IMP_OK, "but when the reader has finished");
	is_str(query_text(reader, "SELECT count(*) FROM run"), "1", "one run");
	store_close(reader);
	store_close(writer);
}

static void
test_killed_writer(void)
{
	char journal[120];
	struct store *s;
	int status = 0;
	pid_t pid;

	start("killed.db");
	s = open_store(STORE_WRITE);
	add_run(s, 1, "one", 1);
	must_exec(s, "INSERT INTO ingest_count VALUES (1, 'x', 1)");
	store_close(s);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		s = open_store(STORE_WRITE);
		if (store_begin(s, NULL) == IMP_OK) {
			/* far more than the cache holds, so that the file itself is written */
			must_exec(s,
			    "UPDATE ingest_count SET value = 2;"
			    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
			    "	INSERT INTO delivery_block SELECT 1, i, 0, zeroblob(9000) FROM n");
			raise(SIGKILL);
		}
		_exit(1);
	}
	waitpid(pid, &status, 0);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	ok(WIFSIGNALED(status) && access(journal, F_OK) == 0, "a killed writer leaves its journal");
	s = open_store(STORE_READ);
	is_str(query_text(s, "SELECT value, (SELECT count(*) FROM delivery_block) FROM ingest_count"), "1 0",
	    "a reader rolls back");
	is_str(query_text(s, "PRAGMA integrity_check"), "ok", "the store is sound");
	store_close(s);
	ok(access(journal, F_OK) != 0, "the journal is gone");
}

/* Several processes make one new store at once. */
static void
test_race(void)
{
	pid_t pid[4];
	int status, good = 0;

	start("race.db");
	fflush(stdout);
	for (int i = 0; i < 4; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			struct store *s;

			_exit(store_open(path, STORE_WRITE, 10000, &s, NULL) == IMP_OK ? 0 : 1);
		}
	}
	for (int i = 0; i < 4; i++)
		good += waitpid(pid[i], &status, 0) == pid[i] && status == 0;
	is_int(good, 4, "four processes make one store");
}

static void
test_full(void)
{
	struct imp_err err = { 0 };
	struct store *s;

	start("full.db");
	s = open_store(STORE_WRITE);
	must_exec(s, "PRAGMA max_page_count = 100");
	ok(store_begin(s, NULL) == IMP_OK, "begin");
	add_run(s, 1, "one", 1);
	ok(store_exec(s, "INSERT INTO delivery_block VALUES (1, 0, 0, zeroblob(1000000))", &err) == IMP_E_IO &&
		strstr(err.msg, path) != NULL && strstr(err.msg, "full") != NULL,
	    "a full disk: %s", err.msg);
	store_rollback(s);
	is_str(query_text(s, "SELECT count(*) FROM run"), "0", "rolled back");
	store_close(s);
}

static void
test_statements(void)
{
	sqlite3_stmt *st = NULL, *again = NULL;
	struct imp_err err = { 0 };
	struct store *s;
	bool row = true;

	start("statements.db");
	s = open_store(STORE_WRITE);
	ok(store_stmt(s, sql_store_select_run, &st, &err) == IMP_E_DB && st == NULL &&
		strstr(err.msg, "sql/store/select-run.sql: no such table") != NULL,
	    "an error names the statement: %s", err.msg);
	ok(store_stmt(s, sql_store_find_run, &st, NULL) == IMP_OK, "prepare");
	store_bind_slice(st, 1, SLICE("one"));
	add_run(s, 1, "one", 1);
	add_run(s, 2, "two", 2);
	ok(store_step_row(s, st, &row, NULL) == IMP_OK && row && sqlite3_column_int(st, 0) == 1, "step");
	ok(store_stmt(s, sql_store_find_run, &again, NULL) == IMP_OK && again == st, "the same text is the same statement");
	ok(store_step_row(s, st, &row, NULL) == IMP_OK && row && sqlite3_column_int(st, 0) == 2, "reset and unbound");
	ok(store_step_row(s, st, &row, NULL) == IMP_OK && !row, "at the end");
	ok(store_step_done(s, st, NULL) == IMP_OK && !sqlite3_stmt_busy(st), "a line that nobody wants");
	store_close(s);
}

static void
test_slices(void)
{
	struct slice got[4];
	sqlite3_stmt *st;
	struct store *s;

	start("slices.db");
	s = open_store(STORE_WRITE);
	if (sqlite3_prepare_v2(store_db(s), "SELECT ?1, ?2, ?3, 12", -1, &st, NULL) != SQLITE_OK)
		return;
	store_bind_slice(st, 1, (struct slice){ "abcdef", 3 });
	store_bind_slice(st, 2, (struct slice){ "", 0 });
	store_bind_slice(st, 3, (struct slice){ NULL, 0 });
	ok(sqlite3_step(st) == SQLITE_ROW && sqlite3_column_type(st, 1) == SQLITE_TEXT && sqlite3_column_type(st, 2) == SQLITE_NULL,
	    "bound");
	for (int i = 0; i < 4; i++)
		got[i] = store_column_slice(st, i);
	ok(slice_eq(got[0], SLICE("abc")), "a text");
	ok(got[1].p != NULL && got[1].n == 0, "an empty text");
	ok(got[2].p == NULL && got[2].n == 0, "NULL");
	ok(slice_eq(got[3], SLICE("12")), "a number as text");
	sqlite3_finalize(st);
	store_close(s);
}

static void
test_runs(void)
{
	struct imp_err err = { 0 };
	int64_t run_no = -5;
	struct store *s;

	start("runs.db");
	s = open_store(STORE_WRITE);
	ok(store_find_run(s, NULL, &run_no, &err) == IMP_E_NOINPUT && run_no == -5, "an empty store: %s", err.msg);
	add_run(s, 1, "one", 9);
	add_run(s, 2, "two", 3);
	must_exec(s, "INSERT INTO ingest_count VALUES (1, 'lines', 10), (2, 'lines', 20)");
	ok(store_find_run(s, NULL, &run_no, NULL) == IMP_OK && run_no == 1, "the run ingested last");
	ok(store_find_run(s, "two", &run_no, NULL) == IMP_OK && run_no == 2, "a run by its id");
	ok(store_find_run(s, "three", &run_no, &err) == IMP_E_NOINPUT && run_no == 2 && strstr(err.msg, "'three'") != NULL,
	    "an unknown id: %s", err.msg);
	is_str(query_text(s, "SELECT count(*) FROM ingest_count"), "2", "before the choice a name is the table");
	ok(store_select_run(s, 2, NULL) == IMP_OK, "select a run");
	is_str(query_text(s, "SELECT run_id, (SELECT value FROM ingest_count) FROM run"), "two 20", "and see it alone");
	ok(store_select_run(s, 1, NULL) == IMP_OK, "select the other");
	is_str(query_text(s, "SELECT run_id, (SELECT value FROM ingest_count) FROM run"), "one 10", "and see that");
	must_exec(s, "DELETE FROM main.run WHERE run_no = 1");
	is_str(query_text(s, "SELECT count(*) FROM main.ingest_count"), "1", "what a run had goes with it");
	store_close(s);
}

static void
test_seal(void)
{
	static const char *const allowed[] = {
		"SELECT count(*), max(run_no), group_concat(upper(run_id)) FROM main.run",
		"SELECT count(*) OVER (ORDER BY value), row_number() OVER () FROM json_each('[1,2]')",
		"SELECT round(1.5), printf('%d', 3), json_extract('{\"a\":1}', '$.a'), '{}' -> '$', substr('abc', 2), sqrt(4), iif(1, 2, 3), trim(' a ')",
		"SELECT date('2026-01-02'), strftime('%s', 0), CURRENT_DATE, coalesce(NULL, 1), 'a' LIKE 'A', 'a' GLOB 'a*', unicode('a')",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT total(i) FROM n",
		"SELECT count(*) FROM message, delivery, missing, duplicate, figure",
		"SELECT count(*) FROM sqlite_schema",
	};
	static const char *const denied[] = {
		"INSERT INTO main.run SELECT * FROM main.run",
		"DELETE FROM main.run",
		"UPDATE main.run SET run_id = 'x'",
		"DROP TABLE main.run",
		"CREATE TABLE x (a)",
		"CREATE TEMP TABLE x (a)",
		"PRAGMA user_version",
		"PRAGMA user_version = 3",
		"ATTACH ':memory:' AS x",
		"BEGIN",
		"SAVEPOINT x",
		"ANALYZE",
		"VACUUM",
		"REINDEX",
		"SELECT load_extension('x')",
		"SELECT random()",
		"SELECT zeroblob(9)",
		"SELECT * FROM pragma_table_info('run')",
		"SELECT fts3_tokenizer('simple')",
	};
	static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
	struct store *s;
	int i;

	start("seal.db");
	s = open_store(STORE_WRITE);
	add_run(s, 1, "one", 1);
	ok(store_select_run(s, 1, NULL) == IMP_OK && store_seal(s, 100000, NULL) == IMP_OK, "seal");
	for (i = 0; i < (int)(sizeof(allowed) / sizeof(*allowed)); i++) {
		if (!ok(strncmp(query_text(s, allowed[i]), "error", 5) != 0, "allowed: %s", allowed[i]))
			printf("# %s\n", query_text(s, allowed[i]));
	}
	for (i = 0; i < (int)(sizeof(denied) / sizeof(*denied)); i++)
		ok(strncmp(query_text(s, denied[i]), "error", 5) == 0, "denied: %s", denied[i]);
	for (i = 0; i < 2; i++)
		is_str(query_text(s, endless), "error 6: statement stopped after 100000 steps", "a statement without end");
	is_str(query_text(s, "SELECT run_id FROM main.run"), "one", "the next one has its own steps");
	store_close(s);
}

/* Remove the directory and the files in it. */
static void
clean(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL)
		unlinkat(dirfd(d), e->d_name, 0);
	if (d != NULL)
		closedir(d);
	rmdir(dir);
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	test_open();
	test_foreign();
	test_migration();
	test_read_only();
	test_two_writers();
	test_read_transaction();
	test_killed_writer();
	test_race();
	test_full();
	test_statements();
	test_slices();
	test_runs();
	test_seal();
	clean();
	return done();
}
