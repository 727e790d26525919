#include "config.h"

#include "report/model_load.h"
#include "sql_gen.h"

static void
load_servers(struct loader *l)
{
	sqlite3_stmt *st = loader_prepare(l, sql_report_servers);

	while (st != NULL && loader_row(l, st)) {
		LOADER_PUSH(l, &l->r->servers,
		    (struct report_server){ .system = loader_text(l, st, 0),
			.source = loader_text(l, st, 1),
			.address = loader_text(l, st, 2),
			.version = loader_text(l, st, 3),
			.id = loader_text(l, st, 4),
			.role = loader_text(l, st, 5),
			.first = loader_integer(st, 6),
			.last = loader_integer(st, 7),
			.other = loader_flag(st, 8),
			.lags = loader_flag(st, 9),
			.requests = loader_integer(st, 10),
			.failed = loader_integer(st, 11),
			.path = loader_text(l, st, 12),
			.line = sqlite3_column_int64(st, 13) });
	}
}

static void
load_asked(struct loader *l)
{
	sqlite3_stmt *st = loader_prepare(l, sql_report_asked);

	while (st != NULL && loader_row(l, st)) {
		l->r->asked_total++;
		if (l->r->asked.n == (size_t)l->list_max)
			continue;
		LOADER_PUSH(l, &l->r->asked,
		    (struct report_asked){ .system = loader_text(l, st, 0),
			.source = loader_text(l, st, 1),
			.what = loader_text(l, st, 2),
			.status = loader_text(l, st, 3),
			.why = loader_text(l, st, 4),
			.times = sqlite3_column_int64(st, 5),
			.first = sqlite3_column_int64(st, 6),
			.last = sqlite3_column_int64(st, 7),
			.target = loader_text(l, st, 8),
			.path = loader_text(l, st, 9),
			.line = sqlite3_column_int64(st, 10) });
	}
}

void
model_load_collected(struct loader *l)
{
	load_servers(l);
	load_asked(l);
}
