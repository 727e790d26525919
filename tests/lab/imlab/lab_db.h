/* lab_db.h - MariaDB for a program with one loop: connections that threads share, statements with values put in safely.
 *
 * Life cycle: db_pool_init(), db_pool_done() when no thread has a connection any more. Threading: db_take() and db_give() on any
 * thread; a connection belongs to the thread that took it. */
#pragma once
#include <mysql.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#define DB_CONNECTIONS 16
#define DB_ERROR_BYTES 512

struct db_pool {
	const char *socket, *database;
	uv_mutex_t mutex;
	uv_cond_t given;
	MYSQL *idle[DB_CONNECTIONS];
	unsigned n, out; /* idle, taken */
};

void db_pool_init(struct db_pool *pool, const char *socket, const char *database);
void db_pool_done(struct db_pool *pool);

/* A connection, when there is one free; NULL with a text in the words of the server's driver. */
MYSQL *db_take(struct db_pool *pool, char error[DB_ERROR_BYTES]);
/* Back; one that is broken is closed. */
void db_give(struct db_pool *pool, MYSQL *db, bool broken);

/* Run one statement without a result. */
bool db_run(MYSQL *db, struct slice sql, char error[DB_ERROR_BYTES]);
/* Run one with a result, which the caller frees; NULL on failure. */
MYSQL_RES *db_query(MYSQL *db, struct slice sql, char error[DB_ERROR_BYTES]);
bool db_broken(MYSQL *db); /* after a failure: is the connection gone? */

/* Values as literals. (No connection is asked: the character set is UTF-8 and backslashes escape.) */
void sql_text(struct buf *out, struct slice s);
void sql_json(struct buf *out, const char *json); /* NULL is NULL */
void sql_time(struct buf *out, int64_t ns);
