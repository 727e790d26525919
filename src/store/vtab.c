/* The virtual tables `delivery`, `missing` and `duplicate`: one module, one walk behind each cursor. They are eponymous (there is
 * no CREATE) and show the selected run.
 *
 * A correlated subquery opens a cursor for every line of the outer query, so what was read for the last one must survive the
 * cursor: a cursor that closes leaves its walk with the table, and the next one takes it over. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "sql_gen.h"
#include "store/conns.h"
#include "store/internal.h"
#include "store/names.h"
#include "store/walk.h"

enum column {
	COLUMN_MID,
	COLUMN_TOPIC,
	COLUMN_SENDER,
	COLUMN_RECEIVER,
	COLUMN_SCENARIO,
	COLUMN_OUTCOME,
	COLUMN_T,
	COLUMN_SEQ,
	COLUMN_COPY,
	COLUMN_KIND,
	COLUMN_LATE,
	COLUMN_LATENCY_NS,
	COLUMN_FIRST_T,
	COLUMN_SENT_T,
	COLUMN_WINDOW_END,
	COLUMN_DISCONNECTED,
	COLUMN_AGENT,
	COLUMN_SENDER_POD,
	COLUMN_RECEIVER_POD,
	COLUMN_MESSAGE_NO,
	COLUMN_MEMBER_NO
};

#define COLUMNS_MAX 14

struct table_class {
	const char *name;
	const char *declaration; /* a text of sql/store/ */
	enum walk_kind kind;
	unsigned char columns[COLUMNS_MAX]; /* enum column, as declared */
};

static const struct table_class classes[] = {
	{ "delivery", sql_store_delivery, WALK_COPIES,
	    { COLUMN_MID, COLUMN_TOPIC, COLUMN_SENDER, COLUMN_RECEIVER, COLUMN_SCENARIO, COLUMN_OUTCOME, COLUMN_T, COLUMN_SEQ,
		COLUMN_COPY, COLUMN_KIND, COLUMN_LATE, COLUMN_LATENCY_NS, COLUMN_MESSAGE_NO, COLUMN_MEMBER_NO } },
	{ "missing", sql_store_missing, WALK_MISSING,
	    { COLUMN_MID, COLUMN_TOPIC, COLUMN_SENDER, COLUMN_RECEIVER, COLUMN_SCENARIO, COLUMN_SEQ, COLUMN_SENT_T,
		COLUMN_WINDOW_END, COLUMN_DISCONNECTED, COLUMN_AGENT, COLUMN_SENDER_POD, COLUMN_RECEIVER_POD, COLUMN_MESSAGE_NO,
		COLUMN_MEMBER_NO } },
	{ "duplicate", sql_store_duplicate, WALK_DUPLICATES,
	    { COLUMN_MID, COLUMN_TOPIC, COLUMN_SENDER, COLUMN_RECEIVER, COLUMN_SCENARIO, COLUMN_OUTCOME, COLUMN_T, COLUMN_SEQ,
		COLUMN_COPY, COLUMN_LATE, COLUMN_LATENCY_NS, COLUMN_FIRST_T, COLUMN_MESSAGE_NO, COLUMN_MEMBER_NO } },
};

struct table {
	sqlite3_vtab base;
	struct store *store;
	const struct table_class *class;
	struct walk *idle; /* left by the cursor that closed last; may be NULL */
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct walk *walk;
};

struct module_data {
	struct store *store;
	const struct table_class *class;
};

/* What the planner tells the filter. */
enum { PLAN_MESSAGE_NO = 1, PLAN_MID = 2, PLAN_MEMBER_NO = 4 };

static struct walk *
walk_of(sqlite3_vtab_cursor *c)
{
	return ((struct cursor *)c)->walk;
}

static int
table_connect(sqlite3 *db, void *data, int argc, const char *const *argv, sqlite3_vtab **ret, char **ret_error)
{
	const struct module_data *m = data;
	struct table *t;
	int rc = sqlite3_declare_vtab(db, m->class->declaration);

	(void)argc, (void)argv, (void)ret_error;
	if (rc == SQLITE_OK)
		rc = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	if (rc != SQLITE_OK)
		return rc;
	t = sqlite3_malloc(sizeof(*t));
	if (t == NULL)
		return SQLITE_NOMEM;
	*t = (struct table){ .store = m->store, .class = m->class };
	*ret = &t->base;
	return SQLITE_OK;
}

static int
table_disconnect(sqlite3_vtab *base)
{
	struct table *t = (struct table *)base;

	walk_free(t->idle);
	sqlite3_free(t);
	return SQLITE_OK;
}

/* The plan flag that a constraint stands for, or 0. */
static int
flag_of(const struct table *t, sqlite3_index_info *info, int i)
{
	const struct sqlite3_index_constraint *c = &info->aConstraint[i];

	if (!c->usable || c->op != SQLITE_INDEX_CONSTRAINT_EQ || c->iColumn < 0)
		return 0;
	switch (t->class->columns[c->iColumn]) {
	case COLUMN_MESSAGE_NO:
		return PLAN_MESSAGE_NO;
	case COLUMN_MEMBER_NO:
		return PLAN_MEMBER_NO;
	case COLUMN_MID:
		return strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0 ? PLAN_MID : 0;
	default:
		return 0;
	}
}

/* Walks go by message, then by member, upwards. */
static bool
is_ordered(const struct table *t, const sqlite3_index_info *info, int plan)
{
	bool one_message = (plan & (PLAN_MESSAGE_NO | PLAN_MID)) != 0;
	int want = one_message ? COLUMN_MEMBER_NO : COLUMN_MESSAGE_NO;

	for (int i = 0; i < info->nOrderBy; i++) {
		const struct sqlite3_index_orderby *o = &info->aOrderBy[i];
		int column = o->iColumn >= 0 ? t->class->columns[o->iColumn] : -1;

		if (one_message && (column == COLUMN_MESSAGE_NO || column == COLUMN_MID))
			continue;
		if (o->desc || column != want)
			return false;
		want = want == COLUMN_MESSAGE_NO ? COLUMN_MEMBER_NO : -1;
	}
	return info->nOrderBy > 0;
}

/* SQLite checks every constraint again: the plan only saves reading. */
static int
table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	static const int flags[] = { PLAN_MESSAGE_NO, PLAN_MID, PLAN_MEMBER_NO };
	const struct table *t = (struct table *)base;
	int plan = 0, nargs = 0;

	for (size_t f = 0; f < sizeof(flags) / sizeof(*flags); f++) {
		if (flags[f] == PLAN_MID && (plan & PLAN_MESSAGE_NO))
			continue;
		for (int i = 0; i < info->nConstraint && !(plan & flags[f]); i++) {
			if (flag_of(t, info, i) != flags[f])
				continue;
			info->aConstraintUsage[i].argvIndex = ++nargs;
			plan |= flags[f];
		}
	}
	info->idxNum = plan;
	info->orderByConsumed = is_ordered(t, info, plan);
	info->estimatedRows = 1000000;
	if (plan & (PLAN_MESSAGE_NO | PLAN_MID))
		info->estimatedRows = plan & PLAN_MEMBER_NO ? 1 : 100;
	info->estimatedCost = (double)info->estimatedRows + 10;
	return SQLITE_OK;
}

static int
cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct table *t = (struct table *)base;
	struct cursor *c = sqlite3_malloc(sizeof(*c));
	int rc = SQLITE_OK;

	if (c == NULL)
		return SQLITE_NOMEM;
	*c = (struct cursor){ .walk = t->idle };
	t->idle = NULL;
	if (c->walk == NULL)
		rc = walk_new(t->store, t->class->kind, &c->walk);
	if (rc != SQLITE_OK) {
		sqlite3_free(c);
		return rc;
	}
	*ret = &c->base;
	return SQLITE_OK;
}

static int
cursor_close(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;
	struct table *t = (struct table *)base->pVtab;

	walk_rest(c->walk);
	walk_free(t->idle);
	t->idle = c->walk;
	sqlite3_free(c);
	return SQLITE_OK;
}

static int
finish(sqlite3_vtab_cursor *c, int rc)
{
	if (rc == SQLITE_CORRUPT_VTAB && walk_of(c)->complaint != NULL) {
		sqlite3_free(c->pVtab->zErrMsg);
		c->pVtab->zErrMsg = sqlite3_mprintf("%s", walk_of(c)->complaint);
	}
	return rc;
}

static int
cursor_filter(sqlite3_vtab_cursor *c, int plan, const char *plan_text, int argc, sqlite3_value **argv)
{
	struct walk *w = walk_of(c);
	int64_t from = 0, to = INT64_MAX, member = WALK_ANY_MEMBER;
	int arg = 0, rc = SQLITE_OK;

	(void)plan_text;
	for (int i = 0; i < argc; i++) {
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
			w->eof = true;
			return SQLITE_OK;
		}
	}
	if (((struct table *)c->pVtab)->store->run_no == STORE_NO_RUN) {
		c->pVtab->zErrMsg = sqlite3_mprintf("no run is selected");
		return SQLITE_ERROR;
	}
	if (plan & PLAN_MESSAGE_NO)
		from = to = sqlite3_value_int64(argv[arg++]);
	if (plan & PLAN_MID) {
		const char *mid = (const char *)sqlite3_value_text(argv[arg]);

		if (mid == NULL)
			return SQLITE_NOMEM;
		rc = walk_find(w, (struct slice){ mid, (size_t)sqlite3_value_bytes(argv[arg]) }, &from);
		arg++;
		to = from;
	}
	if (plan & PLAN_MEMBER_NO)
		member = sqlite3_value_int64(argv[arg++]);
	if (rc == SQLITE_OK)
		rc = walk_seek(w, from, to, member >= 0 ? member : WALK_ANY_MEMBER);
	if (rc == SQLITE_OK)
		rc = walk_next(w);
	return finish(c, rc);
}

static int
cursor_next(sqlite3_vtab_cursor *c)
{
	return finish(c, walk_next(walk_of(c)));
}

static int
cursor_eof(sqlite3_vtab_cursor *c)
{
	return walk_of(c)->eof;
}

static int
cursor_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *ret)
{
	*ret = walk_rowid(walk_of(c));
	return SQLITE_OK;
}

static int
result_int(sqlite3_context *ctx, int64_t v)
{
	if (v != WALK_NULL)
		sqlite3_result_int64(ctx, v);
	return SQLITE_OK;
}

/* SQLite may keep a value longer than the walk stands still: texts are copied. */
static int
result_name(sqlite3_context *ctx, struct walk *w, enum names_of of, int64_t no)
{
	struct slice name;
	int rc = run_name(w->store, of, no, &name);

	if (rc == SQLITE_OK && name.p != NULL)
		sqlite3_result_text64(ctx, name.p, name.n, SQLITE_TRANSIENT, SQLITE_UTF8);
	return rc;
}

static int
result_receiver(sqlite3_context *ctx, struct walk *w, enum column column)
{
	int64_t no;
	int rc = walk_account(w, &no);

	if (rc == SQLITE_OK && column == COLUMN_AGENT)
		rc = run_watcher(w->store, no, &no);
	if (rc != SQLITE_OK)
		return rc;
	return result_name(ctx, w, column == COLUMN_AGENT ? NAMES_AGENT : NAMES_ACCOUNT, no);
}

/* Where the account was when the message was written. */
static int
result_pod(sqlite3_context *ctx, struct walk *w, enum column column)
{
	int64_t account = w->m.sender;
	struct slice pod;
	int rc = column == COLUMN_RECEIVER_POD ? walk_account(w, &account) : SQLITE_OK;

	if (rc != SQLITE_OK || w->m.first_pub == WALK_NULL)
		return rc;
	rc = run_pod(w->store, account, w->m.first_pub, &pod);
	if (rc == SQLITE_OK && pod.p != NULL)
		sqlite3_result_text64(ctx, pod.p, pod.n, SQLITE_TRANSIENT, SQLITE_UTF8);
	return rc;
}

static int
result_kind(sqlite3_context *ctx, struct walk *w)
{
	const char *kind;
	int rc = walk_copy_kind(w, &kind);

	if (rc == SQLITE_OK)
		sqlite3_result_text(ctx, kind, -1, SQLITE_STATIC);
	return rc;
}

static int
result_disconnected(sqlite3_context *ctx, struct walk *w)
{
	int64_t v;
	int rc = walk_disconnected(w, &v);

	return rc == SQLITE_OK ? result_int(ctx, v) : rc;
}

static int
result_column(sqlite3_context *ctx, struct walk *w, enum column column)
{
	const struct walk_message *m = &w->m;

	switch (column) {
	case COLUMN_MID:
		sqlite3_result_text64(ctx, m->mid.n > 0 ? (const char *)m->mid.v : "", m->mid.n, SQLITE_TRANSIENT, SQLITE_UTF8);
		return SQLITE_OK;
	case COLUMN_OUTCOME:
		sqlite3_result_text(ctx, m->outcome, -1, SQLITE_TRANSIENT);
		return SQLITE_OK;
	case COLUMN_TOPIC:
		return result_name(ctx, w, NAMES_TOPIC, walk_topic(w));
	case COLUMN_SENDER:
		return result_name(ctx, w, NAMES_ACCOUNT, m->sender);
	case COLUMN_SCENARIO:
		return result_name(ctx, w, NAMES_SCENARIO, m->scenario);
	case COLUMN_RECEIVER:
	case COLUMN_AGENT:
		return result_receiver(ctx, w, column);
	case COLUMN_T:
		return result_int(ctx, walk_t(w));
	case COLUMN_SEQ:
		return result_int(ctx, walk_seq(w));
	case COLUMN_COPY:
		return result_int(ctx, walk_copy(w));
	case COLUMN_KIND:
		return result_kind(ctx, w);
	case COLUMN_LATE:
		return result_int(ctx, m->window_end != WALK_NULL ? walk_t(w) > m->window_end : WALK_NULL);
	case COLUMN_LATENCY_NS:
		return result_int(ctx,
		    m->first_pub != WALK_NULL ? (int64_t)((uint64_t)walk_t(w) - (uint64_t)m->first_pub) : WALK_NULL);
	case COLUMN_FIRST_T:
		return result_int(ctx, walk_first_t(w));
	case COLUMN_SENT_T:
		return result_int(ctx, m->first_pub);
	case COLUMN_WINDOW_END:
		return result_int(ctx, m->window_end);
	case COLUMN_DISCONNECTED:
		return result_disconnected(ctx, w);
	case COLUMN_SENDER_POD:
	case COLUMN_RECEIVER_POD:
		return result_pod(ctx, w, column);
	case COLUMN_MESSAGE_NO:
		return result_int(ctx, m->no);
	case COLUMN_MEMBER_NO:
		return result_int(ctx, walk_member(w) != WALK_NO_MEMBER ? walk_member(w) : WALK_NULL);
	}
	return SQLITE_ERROR;
}

static int
cursor_column(sqlite3_vtab_cursor *c, sqlite3_context *ctx, int i)
{
	const struct table *t = (struct table *)c->pVtab;

	return finish(c, result_column(ctx, walk_of(c), t->class->columns[i]));
}

static const sqlite3_module module = {
	.xConnect = table_connect,
	.xBestIndex = table_best_index,
	.xDisconnect = table_disconnect,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_filter,
	.xNext = cursor_next,
	.xEof = cursor_eof,
	.xColumn = cursor_column,
	.xRowid = cursor_rowid,
};

enum imp_rc
store_add_tables(struct store *s, struct imp_err *err)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		struct module_data *data = sqlite3_malloc(sizeof(*data));
		int sqlite_rc;

		if (data == NULL)
			return store_error(s, SQLITE_NOMEM, err);
		*data = (struct module_data){ s, &classes[i] };
		sqlite_rc = sqlite3_create_module_v2(s->db, classes[i].name, &module, data, sqlite3_free);
		if (sqlite_rc != SQLITE_OK)
			return store_error(s, sqlite_rc, err);
	}
	return IMP_OK;
}
