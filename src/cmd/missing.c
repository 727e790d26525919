#include "config.h"

#include "cmd/missing.h"

#include <stdlib.h>

#include "sql_gen.h"

static enum imp_rc
take(struct missing *m, sqlite3_stmt *st, struct imp_err *err)
{
	struct slice mid = arena_slice(&m->arena, store_column_slice(st, 0), err);
	struct slice topic = mid.p != NULL ? arena_slice(&m->arena, store_column_slice(st, 1), err) : mid;
	struct slice persisted = topic.p != NULL ? arena_slice(&m->arena, store_column_slice(st, 2), err) : topic;
	enum imp_rc rc;

	if (persisted.p == NULL)
		return IMP_E_NOMEM;
	rc = VEC_PUSH(NULL, &m->mids, mid.p, err);
	if (rc == IMP_OK)
		rc = VEC_PUSH(NULL, &m->topics, topic.p, err);
	return rc == IMP_OK ? VEC_PUSH(NULL, &m->persisted, persisted, err) : rc;
}

enum imp_rc
missing_load(struct missing *m, struct store *s, int64_t run_no, bool all, struct imp_err *err)
{
	sqlite3_stmt *st;
	bool row = true;
	enum imp_rc rc = store_stmt(s, sql_cmd_recheck, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), run_no);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":all"), all);
	while (rc == IMP_OK && row) {
		rc = store_step_row(s, st, &row, err);
		if (rc == IMP_OK && row)
			rc = take(m, st, err);
	}
	sqlite3_reset(st);
	return rc;
}

void
missing_done(struct missing *m)
{
	VEC_FREE(NULL, &m->mids);
	VEC_FREE(NULL, &m->topics);
	VEC_FREE(NULL, &m->persisted);
	arena_done(&m->arena);
}

size_t
missing_count(const struct missing *m, struct slice persisted)
{
	size_t n = 0;

	for (size_t i = 0; i < m->persisted.n; i++)
		n += slice_eq(m->persisted.v[i], persisted);
	return n;
}
