/* Every embedded statement can be prepared against the schema, so that a renamed column is found here. Statements that only read do
 * only read, and what the header of a view or virtual table says about its columns is what they are. */
#include "config.h"

#include "query.h"
#include "sql_gen.h"
#include "tap.h"

static bool
is_below(const char *name, const char *area)
{
	return strncmp(name, area, strlen(area)) == 0;
}

/* Prepare all statements of a text; *ret_read_only says whether all of them only read. */
static int
prepare_all(struct store *s, const char *sql, bool *ret_read_only)
{
	*ret_read_only = true;
	while (*sql != '\0') {
		sqlite3_stmt *st;
		int rc = sqlite3_prepare_v2(store_db(s), sql, -1, &st, &sql);

		if (rc != SQLITE_OK)
			return rc;
		if (st != NULL && !sqlite3_stmt_readonly(st))
			*ret_read_only = false;
		sqlite3_finalize(st);
	}
	return SQLITE_OK;
}

/* Area by area: what writes names tables, what reads names views. */
static bool
means_tables(const char *name)
{
	return !is_below(name, "sql/report/") && !is_below(name, "sql/rules/") && !is_below(name, "sql/cmd/") &&
	    strcmp(name, "sql/store/select-run.sql") != 0;
}

static void
test_prepare(struct store *s, bool tables)
{
	for (const struct sql_file *f = sql_files; f->name != NULL; f++) {
		bool read_only, pass;

		if (is_below(f->name, "sql/schema/") || is_below(f->name, "sql/mysql/") || means_tables(f->name) != tables)
			continue;
		pass = prepare_all(s, f->text, &read_only) == SQLITE_OK;
		if (!ok(pass, "%s can be prepared", f->name))
			printf("# %s\n", sqlite3_errmsg(store_db(s)));
		if (is_below(f->name, "sql/report/"))
			ok(read_only, "%s only reads", f->name);
	}
}

/* The column names that lines "--   NAME  meaning" of a header give, with a space behind each; "hidden: " ones with '?' before. */
static void
documented_columns(const char *text, struct buf *out)
{
	static const char mark[] = "--   ";

	for (const char *line = text; is_below(line, "--"); line = strchr(line, '\n') + 1) {
		const char *name = line + sizeof(mark) - 1;
		size_t n;

		if (!is_below(line, mark) || *name == ' ')
			continue;
		n = strcspn(name, " ");
		if (is_below(name + n + strspn(name + n, " "), "hidden: "))
			continue;
		buf_add(out, name, n);
		buf_add_char(out, ' ');
	}
}

static void
test_columns(struct store *s, const char *text)
{
	struct buf want = BUF_INIT(10000), got = BUF_INIT(10000);
	const char *end = strchr(text, ':');
	char sql[100], what[100];
	sqlite3_stmt *st = NULL;

	documented_columns(text, &want);
	snprintf(sql, sizeof(sql), "SELECT * FROM %.*s", (int)(end - text) - 3, text + 3);
	snprintf(what, sizeof(what), "columns of %s", sql + 14);
	if (!ok(sqlite3_prepare_v2(store_db(s), sql, -1, &st, NULL) == SQLITE_OK && sqlite3_stmt_readonly(st), "%s", sql))
		printf("# %s\n", sqlite3_errmsg(store_db(s)));
	for (int i = 0; i < sqlite3_column_count(st); i++)
		buf_addf(&got, "%s ", sqlite3_column_name(st, i));
	is_str(got.p, want.p, what);
	sqlite3_finalize(st);
	buf_done(&want);
	buf_done(&got);
}

static struct store *
empty_store(void)
{
	struct store *s = NULL;
	struct imp_err err = { 0 };

	if (store_open(":memory:", STORE_WRITE, 0, &s, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return s;
}

int
main(void)
{
	struct imp_err err = { 0 };
	struct store *s = empty_store();

	test_prepare(s, true);
	store_close(s); /* some PRAGMAs take effect when they are prepared */
	s = empty_store();
	ok(store_select_run(s, 1, &err) == IMP_OK, "select a run %s", err.msg);
	test_prepare(s, false);
	for (const struct sql_file *f = sql_files; f->name != NULL; f++) {
		if (is_below(f->name, "sql/view/"))
			test_columns(s, f->text);
	}
	test_columns(s, sql_store_delivery);
	test_columns(s, sql_store_missing);
	test_columns(s, sql_store_duplicate);
	store_close(s);
	return done();
}
