/* Views that cost much and are asked for again and again: their rows are put into a temporary table behind them, once for each
 * selected run, when a statement first names one. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "sql_gen.h"
#include "store/internal.h"

static const struct kept_view {
	const char *name;
	const char *text;
	const char *columns; /* of the index on the table */
} views[] = {
	{ "expected_pod", sql_view_expected_pod, "" },
	{ "pod_outage", sql_view_pod_outage, "" },
	{ "missing_pod", sql_view_missing_pod, "topic, receiver" }, /* a walk over all deliveries */
	{ "deaf_receiver", sql_view_deaf_receiver, "topic, receiver" },
	{ "abnormal_close", sql_view_abnormal_close, "account" },
	{ "log_silence", sql_view_log_silence, "" },
	{ "ack_gap", sql_view_ack_gap, "" },
	{ "topic_growth", sql_view_topic_growth, "topic" },
	{ "denied_pair", sql_view_denied_pair, "" },
	{ "unread_history", sql_view_unread_history, "" },
	{ "stuck_key", sql_view_stuck_key, "topic" },
	{ "queue_full", sql_view_queue_full, "" },
	{ "pool_wait", sql_view_pool_wait, "" },
	{ "route_ratio", sql_view_route_ratio, "" },
	{ "fast_stage", sql_view_fast_stage, "" },
	{ "check_lag", sql_view_check_lag, "" },
	{ "lag_at_check", sql_view_lag_at_check, "" },
	{ "repaired", sql_view_repaired, "message_no" },
	{ "pod_load", sql_view_pod_load, "" },
	{ "pod_life", sql_view_pod_life, "" },
	{ "throttle_step", sql_view_throttle_step, "" },
};

#define NVIEWS (sizeof(views) / sizeof(*views))
_Static_assert(NVIEWS <= 8 * sizeof(((struct store *)NULL)->kept), "a bit for each");

static bool
in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does `sql` name it, as a whole word? */
static bool
names(struct slice sql, const char *view)
{
	size_t n = strlen(view);
	const char *p = sql.p, *end = sql.p + sql.n;

	while ((p = memmem(p, (size_t)(end - p), view, n)) != NULL) {
		if ((p == sql.p || !in_name(p[-1])) && (p + n == end || !in_name(p[n])))
			return true;
		p += n;
	}
	return false;
}

/* Run the statements that `sql` builds for a view. */
static enum imp_rc
run_built(struct store *s, const char *sql, const struct kept_view *v, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(s, sql, &st, err);

	if (rc != IMP_OK)
		return rc;
	store_bind_slice(st, 1, slice_of(v->name));
	if (sqlite3_bind_parameter_count(st) > 1)
		store_bind_slice(st, 2, slice_of(v->columns));
	rc = store_step_row(s, st, &row, err);
	if (rc == IMP_OK && row) {
		buf_add_slice(&text, store_column_slice(st, 0));
		buf_add_char(&text, '\0');
		rc = buf_status(&text, err);
	}
	sqlite3_reset(st);
	return rc == IMP_OK ? store_exec(s, text.p, err) : rc;
}

/* First those that it is made of. */
static enum imp_rc
keep(struct store *s, size_t i, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (s->kept >> i & 1)
		return IMP_OK;
	for (size_t k = 0; k < NVIEWS && rc == IMP_OK; k++)
		if (k != i && names(slice_of(views[i].text), views[k].name))
			rc = keep(s, k, err);
	if (rc == IMP_OK)
		rc = run_built(s, sql_store_keep_view, &views[i], err);
	if (rc == IMP_OK)
		s->kept |= (uint64_t)1 << i;
	return rc;
}

enum imp_rc
store_keep_views(struct store *s, struct slice sql, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;
	uint64_t wanted = 0;

	for (size_t i = 0; i < NVIEWS; i++)
		if (!(s->kept >> i & 1) && names(sql, views[i].name))
			wanted |= (uint64_t)1 << i;
	if (wanted == 0)
		return IMP_OK;
	rc = store_lift_seal(s, err);
	for (size_t i = 0; i < NVIEWS && rc == IMP_OK; i++)
		if (wanted >> i & 1)
			rc = keep(s, i, err);
	return store_put_seal(s, rc, err);
}

enum imp_rc
store_unkeep_views(struct store *s, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = NVIEWS; i-- > 0 && rc == IMP_OK;) {
		if (!(s->kept >> i & 1))
			continue;
		rc = run_built(s, sql_store_unkeep_view, &views[i], err);
		if (rc == IMP_OK)
			rc = store_exec(s, views[i].text, err);
	}
	if (rc == IMP_OK)
		s->kept = 0;
	return rc;
}
