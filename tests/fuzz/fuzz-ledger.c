/* A results directory of any bytes, from its lines to the figures. Whatever the evidence says, the figures add up, and the virtual
 * tables, which go another way, say the same. */
#include "config.h"

#include "fuzz.h"
#include "report/model.h"
#include "results.h"

#define CLASSES_PREFIX SLICE("classes.")

static void
check_scope(const struct report_scope *scope)
{
	int64_t messages = report_figure_int(scope, "attempted") + report_figure_int(scope, "unsent"), classes = 0, cells = 0;

	for (size_t i = 0; i < scope->figures.n; i++) {
		if (slice_has_prefix(scope->figures.v[i].name, CLASSES_PREFIX))
			classes += scope->figures.v[i].value.i;
	}
	for (size_t i = 0; i < scope->matrix.n; i++)
		cells += scope->matrix.v[i].count;
	must(classes == messages && cells == messages);
	must(report_figure_int(scope, "acked") + report_figure_int(scope, "rejected") + report_figure_int(scope, "unknown") ==
	    report_figure_int(scope, "attempted"));
	if (report_figure(scope, "planned").type == REPORT_INT)
		must(messages + report_figure_int(scope, "never_tried") == report_figure_int(scope, "planned"));
	must(report_figure_int(scope, "delivery.unique") + report_figure_int(scope, "delivery.late") +
		report_figure_int(scope, "delivery.missing") + report_figure_int(scope, "delivery.unwitnessed") ==
	    report_figure_int(scope, "delivery.expected"));
}

static void
check_lines(const struct report *r)
{
	int64_t records = 0;

	must(report_count(r, "records") == report_count(r, "events") + report_count(r, "rejected"));
	for (size_t i = 0; i < r->files.n; i++)
		records += r->files.v[i].records;
	must(records == report_count(r, "records"));
}

static int64_t
count_rows(struct store *s, const char *sql)
{
	sqlite3_stmt *st;
	int64_t n;

	must(sqlite3_prepare_v2(store_db(s), sql, -1, &st, NULL) == SQLITE_OK);
	must(sqlite3_step(st) == SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	must(sqlite3_finalize(st) == SQLITE_OK);
	return n;
}

static void
check_tables(struct store *s, const struct report *r)
{
	if (report_figure(&r->total, "delivery.missing").type != REPORT_INT)
		return;
	must(count_rows(s, "SELECT count(*) FROM missing") == report_figure_int(&r->total, "delivery.missing"));
	must(count_rows(s, "SELECT count(*) FROM duplicate WHERE outcome = 'acked'") ==
	    report_figure_int(&r->total, "delivery.duplicate"));
	must(count_rows(s,
		 "SELECT count(*) FROM delivery WHERE outcome = 'acked' AND kind = 'expected' AND copy = 1 AND late = 0") ==
	    report_figure_int(&r->total, "delivery.unique"));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store *s;
	struct report report = { 0 };
	int64_t run_no;

	must(s != NULL || store_open(":memory:", STORE_WRITE, 0, &s, NULL) == IMP_OK);
	if (!results_ingest(s, (struct slice){ (const char *)data, size }, &run_no))
		return 0;
	must(report_load(&report, s, run_no, REPORT_LIST_MAX_DEFAULT, NULL) == IMP_OK);
	check_lines(&report);
	check_scope(&report.total);
	for (size_t i = 0; i < report.scenarios.n; i++)
		check_scope(&report.scenarios.v[i].scope);
	for (size_t i = 0; i < report.agents.n; i++)
		check_scope(&report.agents.v[i].scope);
	check_tables(s, &report);
	report_done(&report);
	return 0;
}
