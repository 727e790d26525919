#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "sql_gen.h"
#include "store/internal.h"

#define SEAL_GRAIN 1000		  /* steps between two looks at the count */
#define SEAL_VALUE_MAX (64 << 20) /* bytes of one text or blob */
#define SEAL_SQL_MAX (1 << 20)	  /* bytes of one statement */

/* In byte order. None of them reaches outside the statement, but for the clock. */
static const char *const functions[] = { "->", "->>", "abs", "acos", "asin", "atan", "atan2", "avg", "ceil", "ceiling", "char",
	"coalesce", "cos", "count", "cume_dist", "current_date", "current_time", "current_timestamp", "date", "datetime", "degrees",
	"dense_rank", "exp", "first_value", "floor", "format", "glob", "group_concat", "hex", "ifnull", "iif", "instr", "json",
	"json_array", "json_array_length", "json_extract", "json_group_array", "json_group_object", "json_object", "json_quote",
	"json_type", "json_valid", "julianday", "lag", "last_value", "lead", "length", "like", "likelihood", "likely", "ln", "log",
	"log10", "log2", "lower", "ltrim", "max", "min", "mod", "nth_value", "ntile", "nullif", "percent_rank", "pi", "pow",
	"power", "printf", "quote", "radians", "rank", "replace", "round", "row_number", "rtrim", "sign", "sin", "sqrt", "strftime",
	"substr", "substring", "subtype", "sum", "tan", "time", "total", "trim", "trunc", "typeof", "unicode", "unixepoch",
	"unlikely", "upper" };

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, *(const char *const *)b);
}

static int
authorize(void *payload, int action, const char *a, const char *function, const char *db, const char *trigger)
{
	(void)payload, (void)a, (void)db, (void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		if (bsearch(function, functions, sizeof(functions) / sizeof(*functions), sizeof(*functions), compare_names) != NULL)
			return SQLITE_OK;
		return SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static int
count_ops(void *payload)
{
	struct store *s = payload;

	s->ops += SEAL_GRAIN;
	return s->ops > s->max_ops;
}

enum imp_rc
store_seal(struct store *s, uint64_t max_ops, struct imp_err *err)
{
	sqlite3_stmt *tables;
	enum imp_rc rc;
	int sqlite_rc;

	rc = store_stmt(s, sql_store_seal, &tables, err);
	if (rc != IMP_OK)
		return rc;
	sqlite_rc = sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (sqlite_rc == SQLITE_OK)
		sqlite_rc = sqlite3_set_authorizer(s->db, authorize, NULL);
	if (sqlite_rc != SQLITE_OK)
		return store_error(s, sqlite_rc, err);
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, SEAL_VALUE_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_SQL_LENGTH, SEAL_SQL_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	s->max_ops = max_ops;
	s->sealed = true;
	if (max_ops > 0)
		sqlite3_progress_handler(s->db, SEAL_GRAIN, count_ops, s);
	return IMP_OK;
}

enum imp_rc
store_lift_seal(struct store *s, struct imp_err *err)
{
	if (s->sealed)
		sqlite3_set_authorizer(s->db, NULL, NULL);
	s->ops = 0;
	return s->mode == STORE_READ ? store_exec(s, sql_store_read_only_off, err) : IMP_OK;
}

enum imp_rc
store_put_seal(struct store *s, enum imp_rc rc, struct imp_err *err)
{
	enum imp_rc put = s->mode == STORE_READ ? store_exec(s, sql_store_read_only_on, err) : IMP_OK;
	int sqlite_rc = s->sealed ? sqlite3_set_authorizer(s->db, authorize, NULL) : SQLITE_OK;

	if (sqlite_rc != SQLITE_OK)
		put = store_error(s, sqlite_rc, err);
	if (put != IMP_OK)
		return put;
	return rc == IMP_E_LIMIT ? IMP_OK : rc;
}
