#include "config.h"

#include "report/model_load.h"

void
loader_keep(struct loader *l, enum imp_rc rc)
{
	if (l->failed == IMP_OK)
		l->failed = rc;
}

sqlite3_stmt *
loader_prepare(struct loader *l, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int i;

	if (l->failed != IMP_OK)
		return NULL;
	loader_keep(l, store_keep_views(l->s, slice_of(sql), l->err));
	if (l->failed == IMP_OK)
		loader_keep(l, store_stmt(l->s, sql, &st, l->err));
	if (l->failed != IMP_OK)
		return NULL;
	if ((i = sqlite3_bind_parameter_index(st, ":run")) > 0)
		sqlite3_bind_int64(st, i, l->run_no);
	if ((i = sqlite3_bind_parameter_index(st, ":limit")) > 0)
		sqlite3_bind_int64(st, i, l->list_max);
	return st;
}

bool
loader_row(struct loader *l, sqlite3_stmt *st)
{
	bool row = false;

	if (l->failed == IMP_OK)
		loader_keep(l, store_step_row(l->s, st, &row, l->err));
	return l->failed == IMP_OK && row;
}

struct slice
loader_text(struct loader *l, sqlite3_stmt *st, int i)
{
	struct slice s = store_column_slice(st, i), copy;

	if (sqlite3_column_type(st, i) == SQLITE_NULL)
		return (struct slice){ NULL, 0 };
	copy = arena_slice(&l->r->arena, s, l->err);
	if (copy.p == NULL)
		loader_keep(l, IMP_E_NOMEM);
	return copy;
}

struct report_int
loader_integer(sqlite3_stmt *st, int i)
{
	if (sqlite3_column_type(st, i) == SQLITE_NULL)
		return (struct report_int){ 0 };
	return (struct report_int){ true, sqlite3_column_int64(st, i) };
}

bool
loader_flag(sqlite3_stmt *st, int i)
{
	return sqlite3_column_int(st, i) != 0;
}
