/* cmd/table.h - the rows of a statement as text: aligned columns, CSV or JSON. */
#pragma once
#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

enum table_format { TABLE_ALIGNED, TABLE_CSV, TABLE_JSON };

/* "table", "csv" or "json". IMP_E_USAGE for anything else. */
MUST_CHECK enum imp_rc table_format_find(const char *name, enum table_format *ret, struct imp_err *err);

/* Step `st` to its end and print all its rows to standard output. CSV and JSON are printed as they come, aligned columns at the end
 * (IMP_E_LIMIT when they do not fit). */
MUST_CHECK enum imp_rc table_print(struct store *s, sqlite3_stmt *st, enum table_format format, struct imp_err *err);
