#include "config.h"

#include <string.h>

#include "sql_gen.h"
#include "store/internal.h"

/* The views of sql/view/, all over temp.current_run. */
static enum imp_rc
create_views(struct store *s, struct imp_err *err)
{
	static const char prefix[] = "sql/view/";
	enum imp_rc rc = store_exec(s, sql_store_current_run, err);

	for (const struct sql_file *f = sql_files; f->name != NULL && rc == IMP_OK; f++) {
		if (strncmp(f->name, prefix, sizeof(prefix) - 1) == 0)
			rc = store_exec(s, f->text, err);
	}
	return rc;
}

static enum imp_rc
point_views(struct store *s, int64_t run_no, struct imp_err *err)
{
	sqlite3_stmt *st;
	enum imp_rc rc;

	rc = store_stmt(s, sql_store_select_run, &st, err);
	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, run_no);
	return store_step_done(s, st, err);
}

enum imp_rc
store_select_run(struct store *s, int64_t run_no, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (s->mode == STORE_READ)
		rc = store_exec(s, sql_store_read_only_off, err);
	if (rc == IMP_OK && s->run_no == STORE_NO_RUN)
		rc = create_views(s, err);
	if (rc == IMP_OK)
		rc = store_unkeep_views(s, err);
	if (rc == IMP_OK)
		rc = point_views(s, run_no, err);
	if (rc == IMP_OK && s->mode == STORE_READ)
		rc = store_exec(s, sql_store_read_only_on, err);
	if (rc == IMP_OK)
		s->run_no = run_no;
	return rc;
}
