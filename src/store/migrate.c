/* Migrations are the files of sql/schema/ in order of their names. Each ends by writing its number into PRAGMA user_version and runs
 * in a transaction of its own. */
#include "config.h"

#include <string.h>

#include "sql_gen.h"
#include "store/internal.h"

#define APPLICATION_ID 0x494d5041 /* "IMPA"; set by the first migration */

struct identity {
	int64_t application_id;
	int version;
	bool empty;
};

/* The n-th migration, counted from 1, or NULL. */
static const char *
migration(int n)
{
	static const char prefix[] = "sql/schema/";

	for (const struct sql_file *f = sql_files; f->name != NULL; f++) {
		if (strncmp(f->name, prefix, sizeof(prefix) - 1) == 0 && --n == 0)
			return f->text;
	}
	return NULL;
}

int
store_schema_version(void)
{
	int n = 0;

	while (migration(n + 1) != NULL)
		n++;
	return n;
}

static enum imp_rc
read_identity(struct store *s, struct identity *ret, struct imp_err *err)
{
	sqlite3_stmt *st;
	enum imp_rc rc;
	bool row;

	rc = store_stmt(s, sql_store_identity, &st, err);
	if (rc == IMP_OK)
		rc = store_step_row(s, st, &row, err);
	if (rc != IMP_OK)
		return rc;
	*ret = (struct identity){ sqlite3_column_int64(st, 0), sqlite3_column_int(st, 1), sqlite3_column_int64(st, 2) == 0 };
	sqlite3_reset(st);
	return IMP_OK;
}

/* Is this a store that we may read, and write up to our version? */
static enum imp_rc
check_identity(struct store *s, const struct identity *is, struct imp_err *err)
{
	bool fresh = is->empty && is->version == 0 && is->application_id == 0;

	if (is->application_id != APPLICATION_ID && !(fresh && s->mode == STORE_WRITE))
		return imp_err_set(err, IMP_E_DATA, "'%s' is not an impaudit store", s->path);
	if (is->version > store_schema_version()) {
		imp_err_set(err, IMP_E_DATA, "store '%s' has version %d, this program knows %d", s->path, is->version,
		    store_schema_version());
		imp_err_hint(err, "a newer impaudit wrote it: use that one, or name another store with --store");
		return IMP_E_DATA;
	}
	if (is->version < store_schema_version() && s->mode == STORE_READ) {
		imp_err_set(err, IMP_E_DATA, "store '%s' has version %d, this program reads %d", s->path, is->version,
		    store_schema_version());
		imp_err_hint(err, "'impaudit ingest' brings it up to date");
		return IMP_E_DATA;
	}
	return IMP_OK;
}

/* One step up, unless another process took it meanwhile. *ret_version is where the store is then. */
static enum imp_rc
migrate_once(struct store *s, int *ret_version, struct imp_err *err)
{
	struct identity is;
	enum imp_rc rc;
	int want;

	rc = store_begin(s, err);
	if (rc != IMP_OK)
		return rc;
	rc = read_identity(s, &is, err);
	if (rc == IMP_OK)
		rc = check_identity(s, &is, err);
	if (rc == IMP_OK && is.version < store_schema_version()) {
		want = is.version + 1;
		rc = store_exec(s, migration(want), err);
		if (rc == IMP_OK)
			rc = read_identity(s, &is, err);
		if (rc == IMP_OK && (is.version != want || is.application_id != APPLICATION_ID))
			rc = imp_err_set(err, IMP_E_INTERNAL, "migration %d calls itself %d", want, is.version);
	}
	if (rc == IMP_OK)
		rc = store_commit(s, err);
	if (rc != IMP_OK) {
		store_rollback(s);
		return rc;
	}
	*ret_version = is.version;
	return IMP_OK;
}

enum imp_rc
store_migrate(struct store *s, struct imp_err *err)
{
	struct identity is;
	enum imp_rc rc;

	rc = read_identity(s, &is, err);
	if (rc == IMP_OK)
		rc = check_identity(s, &is, err);
	while (rc == IMP_OK && is.version < store_schema_version())
		rc = migrate_once(s, &is.version, err);
	return rc;
}
