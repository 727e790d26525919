#include "config.h"

#include "report/model_load.h"
#include "sql_gen.h"

static struct report_span
span(sqlite3_stmt *st, int i)
{
	return (struct report_span){ loader_integer(st, i), loader_integer(st, i + 1) };
}

void
model_load_repairs_total(struct loader *l)
{
	struct report_repairs *x = &l->r->repairs;
	sqlite3_stmt *st = loader_prepare(l, sql_report_repairs_total);

	while (st != NULL && loader_row(l, st)) {
		x->total = sqlite3_column_int64(st, 0);
		x->replay = sqlite3_column_int64(st, 1);
		x->backlog = sqlite3_column_int64(st, 2);
		x->not_known = sqlite3_column_int64(st, 3);
		x->changed = sqlite3_column_int64(st, 4);
		x->shortest = span(st, 5);
		x->median = span(st, 7);
		x->longest = span(st, 9);
	}
}

void
model_load_repairs(struct loader *l)
{
	sqlite3_stmt *st;

	model_load_repairs_total(l);
	st = loader_prepare(l, sql_report_repairs);
	while (st != NULL && loader_row(l, st)) {
		LOADER_PUSH(l, &l->r->repairs.messages,
		    (struct report_repair){ .mid = loader_text(l, st, 0),
			.topic = loader_text(l, st, 1),
			.persisted = loader_text(l, st, 2),
			.how = loader_text(l, st, 3),
			.letter = loader_text(l, st, 4),
			.changed = loader_text(l, st, 5),
			.since = loader_integer(st, 6),
			.missed_check = sqlite3_column_int64(st, 7),
			.missed = loader_integer(st, 8),
			.missed_path = loader_text(l, st, 9),
			.missed_line = sqlite3_column_int64(st, 10),
			.check = sqlite3_column_int64(st, 11),
			.found = loader_integer(st, 12),
			.came = span(st, 13),
			.lasted = span(st, 15),
			.letter_path = loader_text(l, st, 17),
			.letter_line = sqlite3_column_int64(st, 18),
			.changed_path = loader_text(l, st, 19),
			.changed_line = sqlite3_column_int64(st, 20),
			.path = loader_text(l, st, 21),
			.line = sqlite3_column_int64(st, 22) });
	}
}
