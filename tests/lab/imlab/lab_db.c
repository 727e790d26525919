#include "config.h"

#include "lab_db.h"

#include <errmsg.h>
#include <stdio.h>

#include "base/time.h"

#define TIMEOUT_S 10

void
db_pool_init(struct db_pool *pool, const char *socket, const char *database)
{
	*pool = (struct db_pool){ .socket = socket, .database = database };
	uv_mutex_init(&pool->mutex);
	uv_cond_init(&pool->given);
}

void
db_pool_done(struct db_pool *pool)
{
	for (unsigned i = 0; i < pool->n; i++)
		mysql_close(pool->idle[i]);
	uv_mutex_destroy(&pool->mutex);
	uv_cond_destroy(&pool->given);
}

static void
say(MYSQL *db, const struct db_pool *pool, char error[DB_ERROR_BYTES])
{
	unsigned code = mysql_errno(db);

	if (code == CR_CONNECTION_ERROR && pool != NULL)
		snprintf(error, DB_ERROR_BYTES, "dial unix %s: connect: connection refused", pool->socket);
	else if (code >= CR_MIN_ERROR && code <= CR_MAX_ERROR)
		snprintf(error, DB_ERROR_BYTES, "invalid connection");
	else
		snprintf(error, DB_ERROR_BYTES, "Error %u (%s): %s", code, mysql_sqlstate(db), mysql_error(db));
}

static MYSQL *
db_connect(const struct db_pool *pool, char error[DB_ERROR_BYTES])
{
	MYSQL *db = mysql_init(NULL);
	unsigned timeout = TIMEOUT_S;

	if (db == NULL) {
		snprintf(error, DB_ERROR_BYTES, "out of memory");
		return NULL;
	}
	mysql_options(db, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
	mysql_options(db, MYSQL_OPT_READ_TIMEOUT, &timeout);
	mysql_options(db, MYSQL_OPT_WRITE_TIMEOUT, &timeout);
	mysql_options(db, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(db, MYSQL_INIT_COMMAND, "SET time_zone = '+00:00'");
	if (mysql_real_connect(db, NULL, "root", NULL, pool->database, 0, pool->socket, 0) == NULL) {
		say(db, pool, error);
		mysql_close(db);
		return NULL;
	}
	return db;
}

MYSQL *
db_take(struct db_pool *pool, char error[DB_ERROR_BYTES])
{
	MYSQL *db = NULL;

	uv_mutex_lock(&pool->mutex);
	while (pool->n == 0 && pool->out == DB_CONNECTIONS)
		uv_cond_wait(&pool->given, &pool->mutex);
	if (pool->n > 0)
		db = pool->idle[--pool->n];
	pool->out++;
	uv_mutex_unlock(&pool->mutex);
	if (db == NULL)
		db = db_connect(pool, error);
	if (db == NULL)
		db_give(pool, NULL, false);
	return db;
}

void
db_give(struct db_pool *pool, MYSQL *db, bool broken)
{
	if (db != NULL && broken) {
		mysql_close(db);
		db = NULL;
	}
	uv_mutex_lock(&pool->mutex);
	pool->out--;
	if (db != NULL)
		pool->idle[pool->n++] = db;
	uv_cond_signal(&pool->given);
	uv_mutex_unlock(&pool->mutex);
}

bool
db_run(MYSQL *db, struct slice sql, char error[DB_ERROR_BYTES])
{
	if (mysql_real_query(db, sql.p, sql.n) == 0)
		return true;
	say(db, NULL, error);
	return false;
}

MYSQL_RES *
db_query(MYSQL *db, struct slice sql, char error[DB_ERROR_BYTES])
{
	MYSQL_RES *result = db_run(db, sql, error) ? mysql_store_result(db) : NULL;

	if (result == NULL && mysql_errno(db) != 0)
		say(db, NULL, error);
	return result;
}

bool
db_broken(MYSQL *db)
{
	unsigned code = mysql_errno(db);

	return code >= CR_MIN_ERROR && code <= CR_MAX_ERROR;
}

void
sql_text(struct buf *out, struct slice s)
{
	buf_add_char(out, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\'' || s.p[i] == '\\')
			buf_add_char(out, '\\');
		if (s.p[i] == '\0')
			buf_add_str(out, "\\0");
		else
			buf_add_char(out, s.p[i]);
	}
	buf_add_char(out, '\'');
}

void
sql_json(struct buf *out, const char *json)
{
	if (json == NULL)
		buf_add_str(out, "NULL");
	else
		sql_text(out, slice_of(json));
}

void
sql_time(struct buf *out, int64_t ns)
{
	size_t from = out->n + 1;

	buf_add_char(out, '\'');
	time_add_utc(out, ns, 3);
	/* 2026-11-30T16:50:38.690Z becomes 2026-11-30 16:50:38.690 */
	if (buf_status(out, NULL) == IMP_OK) {
		out->p[from + 10] = ' ';
		out->p[out->n - 1] = '\'';
	}
}
