#include "config.h"

#include "lab_store.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "lab_db.h"
#include "lab_json.h"
#include "lab_kafka.h"
#include "lab_store_sql.h"

#define SQL_MAX ((size_t)2 << 20)
#define RETRY_MS 1000

/* The writing behind: statements in order, a batch at a time. */
struct behind {
	uv_work_t work;
	uv_timer_t retry;
	bool busy;
	VEC(struct buf) waiting, running;
	size_t done; /* of `running` */
};

struct store {
	struct lab *lab;
	enum store_kind kind;
	struct db_pool pool;
	struct behind behind;
	struct kafka *kafka; /* NULL: not used */
};

/* Messages, as Tinode stores them */

struct save_work {
	uv_work_t work;
	struct store *store;
	struct save *save;
};

static void
save_work(uv_work_t *work)
{
	struct save_work *w = (struct save_work *)work;
	struct save *save = w->save;
	MYSQL *db = db_take(&w->store->pool, save->failed);
	struct buf sql = BUF_INIT(SQL_MAX);
	bool good;

	if (db == NULL)
		return;
	sql_touch_topic(&sql, save);
	good = db_run(db, buf_slice(&sql), save->failed);
	buf_clear(&sql);
	sql_insert_message(&sql, save);
	good = good && db_run(db, buf_slice(&sql), save->failed);
	db_give(&w->store->pool, db, !good && db_broken(db));
	buf_done(&sql);
}

static void
save_worked(uv_work_t *work, int status)
{
	struct save_work *w = (struct save_work *)work;
	struct save *save = w->save;

	if (status < 0)
		snprintf(save->failed, sizeof(save->failed), "%s", uv_strerror(status));
	free(w);
	save_done(save);
}

void
store_save(struct store *store, struct save *save)
{
	struct save_work *w;

	if (store->kind == STORE_KAFKA) {
		kafka_save(store->kafka, save);
		return;
	}
	w = calloc(1, sizeof(*w));
	if (w == NULL) {
		snprintf(save->failed, sizeof(save->failed), "out of memory");
		save_done(save);
		return;
	}
	w->store = store;
	w->save = save;
	uv_queue_work(&store->lab->loop, &w->work, save_work, save_worked);
}

/* History */

struct history_work {
	uv_work_t work;
	struct store *store;
	struct history *history;
};

static void
history_work(uv_work_t *work)
{
	struct history_work *w = (struct history_work *)work;
	struct history *h = w->history;
	MYSQL *db = db_take(&w->store->pool, h->failed);
	struct buf sql = BUF_INIT(SQL_MAX);
	MYSQL_RES *result;

	if (db == NULL)
		return;
	if (w->store->kind == STORE_KAFKA)
		sql_select_persisted(&sql, h);
	else
		sql_select_messages(&sql, h);
	result = db_query(db, buf_slice(&sql), h->failed);
	if (result != NULL && w->store->kind == STORE_KAFKA)
		rows_of_persisted(h, result);
	else if (result != NULL)
		rows_of_messages(h, result);
	db_give(&w->store->pool, db, result == NULL && db_broken(db));
	if (result != NULL)
		mysql_free_result(result);
	buf_done(&sql);
}

static void
history_worked(uv_work_t *work, int status)
{
	struct history_work *w = (struct history_work *)work;
	struct history *h = w->history;

	if (status < 0)
		snprintf(h->failed, sizeof(h->failed), "%s", uv_strerror(status));
	free(w);
	history_done(h);
}

void
store_history(struct store *store, struct history *h)
{
	struct history_work *w = calloc(1, sizeof(*w));

	if (w == NULL) {
		snprintf(h->failed, sizeof(h->failed), "out of memory");
		history_done(h);
		return;
	}
	w->store = store;
	w->history = h;
	uv_queue_work(&store->lab->loop, &w->work, history_work, history_worked);
}

/* The directory, behind */

static void
behind_work(uv_work_t *work)
{
	struct behind *b = (struct behind *)work;
	struct store *store = work->data;
	char error[DB_ERROR_BYTES];
	MYSQL *db = db_take(&store->pool, error);
	bool good = db != NULL;

	while (good && b->done < b->running.n) {
		good = db_run(db, buf_slice(&b->running.v[b->done]), error);
		/* what the database refuses for what it is would stop all that follows */
		if (good || !db_broken(db))
			b->done++;
	}
	if (db != NULL)
		db_give(&store->pool, db, !good && db_broken(db));
}

static void behind_go_on(struct store *store);

static void
on_retry(uv_timer_t *timer)
{
	behind_go_on(timer->data);
}

static void
behind_worked(uv_work_t *work, int status)
{
	struct behind *b = (struct behind *)work;
	struct store *store = work->data;
	size_t rest = b->running.n - b->done;

	b->busy = false;
	if (status < 0)
		return;
	for (size_t i = 0; i < b->done; i++)
		buf_done(&b->running.v[i]);
	memmove(b->running.v, b->running.v + b->done, rest * sizeof(b->running.v[0]));
	b->running.n = rest;
	b->done = 0;
	if (rest > 0)
		uv_timer_start(&b->retry, on_retry, RETRY_MS, 0);
	else
		behind_go_on(store);
}

static void
behind_go_on(struct store *store)
{
	struct behind *b = &store->behind;

	if (b->busy)
		return;
	for (size_t i = 0; i < b->waiting.n; i++) {
		if (VEC_PUSH(NULL, &b->running, b->waiting.v[i], NULL) != IMP_OK)
			buf_done(&b->waiting.v[i]);
	}
	b->waiting.n = 0;
	if (b->running.n == 0)
		return;
	b->busy = true;
	b->work.data = store;
	uv_queue_work(&store->lab->loop, &b->work, behind_work, behind_worked);
}

static void
write_behind(struct store *store, struct buf sql)
{
	if (buf_status(&sql, NULL) != IMP_OK || VEC_PUSH(NULL, &store->behind.waiting, sql, NULL) != IMP_OK) {
		buf_done(&sql);
		return;
	}
	if (!uv_is_active((uv_handle_t *)&store->behind.retry))
		behind_go_on(store);
}

void
store_user(struct store *store, const struct user *u)
{
	struct buf sql = BUF_INIT(SQL_MAX), auth = BUF_INIT(SQL_MAX);

	sql_upsert_user(&sql, u);
	write_behind(store, sql);
	sql_upsert_auth(&auth, u);
	write_behind(store, auth);
}

void
store_topic(struct store *store, const struct topic *t)
{
	struct buf sql = BUF_INIT(SQL_MAX);

	sql_upsert_topic(&sql, t);
	write_behind(store, sql);
}

void
store_member(struct store *store, const struct topic *t, const struct member *m)
{
	struct buf sql = BUF_INIT(SQL_MAX);

	sql_upsert_member(&sql, t, m);
	write_behind(store, sql);
}

/* Life */

enum imp_rc
store_open(struct lab *lab, struct imp_err *err)
{
	const struct lab_options *o = &lab->options;
	struct store *store;

	if (o->mysql == NULL)
		return o->kafka == NULL ? IMP_OK : imp_err_set(err, IMP_E_USAGE, "--kafka needs --mysql: history is read there");
	store = calloc(1, sizeof(*store));
	if (store == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	store->lab = lab;
	store->kind = o->kafka != NULL ? STORE_KAFKA : STORE_MARIADB;
	db_pool_init(&store->pool, o->mysql, o->database);
	uv_timer_init(&lab->loop, &store->behind.retry);
	store->behind.retry.data = store;
	lab->store = store;
	return store->kind == STORE_KAFKA ? kafka_open(lab, &store->kafka, err) : IMP_OK;
}

enum imp_rc
store_load(struct lab *lab, struct imp_err *err)
{
	static void (*const load[])(struct lab * lab, MYSQL_RES * result) = { load_users, load_topics, load_members };
	struct store *store = lab->store;
	char error[DB_ERROR_BYTES] = "";
	struct buf sql = BUF_INIT(SQL_MAX);
	enum imp_rc rc = IMP_OK;
	MYSQL *db;

	if (store == NULL)
		return IMP_OK;
	db = db_take(&store->pool, error);
	for (size_t i = 0; db != NULL && rc == IMP_OK && i < sizeof(load) / sizeof(load[0]); i++) {
		MYSQL_RES *result;

		buf_clear(&sql);
		sql_select_directory(&sql, i);
		result = db_query(db, buf_slice(&sql), error);
		if (result == NULL) {
			rc = imp_err_set(err, IMP_E_UNAVAILABLE, "MariaDB: %s", error);
		} else {
			load[i](lab, result);
			mysql_free_result(result);
		}
	}
	if (db == NULL)
		rc = imp_err_set(err, IMP_E_UNAVAILABLE, "MariaDB: %s", error);
	else
		db_give(&store->pool, db, false);
	buf_done(&sql);
	return rc;
}

void
store_close(struct lab *lab)
{
	struct store *store = lab->store;

	if (store == NULL)
		return;
	kafka_close(store->kafka);
	for (size_t i = 0; i < store->behind.waiting.n; i++)
		buf_done(&store->behind.waiting.v[i]);
	for (size_t i = 0; i < store->behind.running.n; i++)
		buf_done(&store->behind.running.v[i]);
	VEC_FREE(NULL, &store->behind.waiting);
	VEC_FREE(NULL, &store->behind.running);
	db_pool_done(&store->pool);
	free(TAKE(lab->store));
	mysql_library_end();
}
