/* tests/lab/pipe.c - the way of a message behind its ack, as small as it can be: producer, Kafka, consumer group, MariaDB.
 *
 *	pipe produce   JSON lines of standard input -> a topic, keyed by the conversation; ends when the broker has all of them
 *	pipe consume   a member of the group: the topic -> a table of messages, a transaction for each batch. A batch that fails is
 *	               undone and tried row by row; a row that still fails becomes a dead letter, in the table im_kafka_dead_letters and
 *	               in the dead-letter topic. Offsets are committed behind each batch.
 *	pipe replay    dead letters of the table -> the table of messages; what fits now is marked as replayed, in both places
 *
 * A line is {"mid":"m1","topic":"p2p-1","seq":1,"id":"7300000000000000001"}; tables: im.sql. A database that is gone is no dead
 * letter: the consumer ends with status 69 and commits nothing of that batch. Every other error ends with its status too; the last
 * line of standard output says what was done. */
#include "config.h"

#include <json-c/json.h>
#include <librdkafka/rdkafka.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <signal.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/opt.h"

#define BATCH_MAX 1000
#define PARTITIONS_MAX 64
#define WAIT_MS 30000 /* for the broker to take what was sent */
#define POLL_MS 100
#define FIELD_MAX 512 /* bytes of a mid, a topic, an error */

struct options {
	const char *brokers, *topic, *group, *dead_topic;
	const char *socket, *database, *table;
	uint64_t batch, tries, count;
	bool follow, help;
};

static const struct opt option_table[] = {
	{ "brokers", 0, OPT_TEXT, offsetof(struct options, brokers), "HOST:PORT", "Kafka" },
	{ "topic", 0, OPT_TEXT, offsetof(struct options, topic), "NAME", "of messages" },
	{ "group", 0, OPT_TEXT, offsetof(struct options, group), "NAME", "of consumers" },
	{ "dead-topic", 0, OPT_TEXT, offsetof(struct options, dead_topic), "NAME", "of dead letters (default: the table alone)" },
	{ "socket", 0, OPT_TEXT, offsetof(struct options, socket), "PATH", "of MariaDB, as root" },
	{ "database", 0, OPT_TEXT, offsetof(struct options, database), "NAME", "with the tables" },
	{ "table", 0, OPT_TEXT, offsetof(struct options, table), "NAME", "of messages (default im_008_messages)" },
	{ "batch", 0, OPT_COUNT, offsetof(struct options, batch), "N", "messages of a transaction (default 10)" },
	{ "tries", 0, OPT_COUNT, offsetof(struct options, tries), "N", "of a single row (default 3)" },
	{ "count", 0, OPT_COUNT, offsetof(struct options, count), "N", "end after that many messages" },
	{ "follow", 0, OPT_FLAG, offsetof(struct options, follow), NULL, "wait for more at the end of the topic, until SIGTERM" },
	{ "help", 0, OPT_FLAG, offsetof(struct options, help), NULL, "this text" },
	{ 0 },
};

static volatile sig_atomic_t stopped;

static void
stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/* ------------------------------------------------------------------ Kafka */

static void
kafka_close(rd_kafka_t **rk)
{
	if (*rk != NULL)
		rd_kafka_destroy(*rk);
}

/* A record that was not taken, in *opaque of the client. */
static void
delivered(rd_kafka_t *rk, const rd_kafka_message_t *m, void *opaque)
{
	(void)rk;
	if (m->err != RD_KAFKA_RESP_ERR_NO_ERROR)
		*(rd_kafka_resp_err_t *)opaque = m->err;
}

static enum imp_rc
kafka_open(rd_kafka_type_t type, const struct options *o, rd_kafka_resp_err_t *undelivered, rd_kafka_t **ret, struct imp_err *err)
{
	const char *const settings[][2] = { { "bootstrap.servers", o->brokers }, { "group.id", o->group },
		{ "enable.auto.commit", "false" }, { "auto.offset.reset", "earliest" }, { "enable.partition.eof", "true" } };
	size_t n = type == RD_KAFKA_CONSUMER ? sizeof(settings) / sizeof(settings[0]) : 1;
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	char why[256] = "";

	rd_kafka_conf_set_opaque(conf, undelivered);
	if (type == RD_KAFKA_PRODUCER)
		rd_kafka_conf_set_dr_msg_cb(conf, delivered);
	for (size_t i = 0; i < n; i++)
		if (settings[i][1] != NULL &&
		    rd_kafka_conf_set(conf, settings[i][0], settings[i][1], why, sizeof(why)) != RD_KAFKA_CONF_OK) {
			rd_kafka_conf_destroy(conf);
			return imp_err_set(err, IMP_E_USAGE, "%s", why);
		}
	*ret = rd_kafka_new(type, conf, why, sizeof(why));
	if (*ret == NULL) {
		rd_kafka_conf_destroy(conf);
		return imp_err_set(err, IMP_E_UNAVAILABLE, "%s", why);
	}
	return IMP_OK;
}

static enum imp_rc
kafka_failed(rd_kafka_resp_err_t e, const char *what, struct imp_err *err)
{
	return e == RD_KAFKA_RESP_ERR_NO_ERROR ? IMP_OK : imp_err_set(err, IMP_E_UNAVAILABLE, "%s: %s", what, rd_kafka_err2str(e));
}

/* Wait until the broker has all. */
static enum imp_rc
kafka_flush(rd_kafka_t *producer, const rd_kafka_resp_err_t *undelivered, struct imp_err *err)
{
	enum imp_rc rc = kafka_failed(rd_kafka_flush(producer, WAIT_MS), "flush", err);

	return rc == IMP_OK ? kafka_failed(*undelivered, "produce", err) : rc;
}

/* ------------------------------------------------------------------ messages */

struct message {
	const char *json; /* as it came */
	size_t n;
	char mid[FIELD_MAX], topic[FIELD_MAX];
	int64_t seq, id;
};

static bool
copy_text(struct json_object *from, const char *key, char *to)
{
	struct json_object *v = json_object_object_get(from, key);

	return v != NULL && snprintf(to, FIELD_MAX, "%s", json_object_get_string(v)) < FIELD_MAX;
}

static enum imp_rc
message_parse(const char *json, size_t n, struct message *ret, struct imp_err *err)
{
	struct json_tokener *t = json_tokener_new();
	struct json_object *o = n < INT32_MAX ? json_tokener_parse_ex(t, json, (int)n) : NULL;
	bool good = o != NULL && copy_text(o, "mid", ret->mid) && copy_text(o, "topic", ret->topic);

	ret->json = json;
	ret->n = n;
	if (good) {
		ret->seq = json_object_get_int64(json_object_object_get(o, "seq"));
		ret->id = json_object_get_int64(json_object_object_get(o, "id"));
	}
	json_object_put(o);
	json_tokener_free(t);
	return good ? IMP_OK : imp_err_set(err, IMP_E_DATA, "no message: %.*s", n < 200 ? (int)n : 200, json);
}

/* ------------------------------------------------------------------ MariaDB */

struct db {
	MYSQL *mysql;
	MYSQL_STMT *insert, *bury;
};

static void
db_close(struct db *db)
{
	if (db->insert != NULL)
		mysql_stmt_close(db->insert);
	if (db->bury != NULL)
		mysql_stmt_close(db->bury);
	if (db->mysql != NULL)
		mysql_close(db->mysql);
}

static enum imp_rc
db_failed(MYSQL *mysql, struct imp_err *err)
{
	return imp_err_set(err, IMP_E_UNAVAILABLE, "MariaDB: %u: %s", mysql_errno(mysql), mysql_error(mysql));
}

static enum imp_rc
db_do(struct db *db, const char *sql, struct imp_err *err)
{
	return mysql_query(db->mysql, sql) == 0 ? IMP_OK : db_failed(db->mysql, err);
}

static enum imp_rc
db_prepare(struct db *db, const char *sql, MYSQL_STMT **ret, struct imp_err *err)
{
	*ret = mysql_stmt_init(db->mysql);
	return *ret != NULL && mysql_stmt_prepare(*ret, sql, strlen(sql)) == 0 ? IMP_OK : db_failed(db->mysql, err);
}

static enum imp_rc
db_open(const struct options *o, struct db *ret, struct imp_err *err)
{
	char insert[FIELD_MAX];
	enum imp_rc rc = IMP_OK;

	ret->mysql = mysql_init(NULL);
	if (mysql_real_connect(ret->mysql, NULL, "root", NULL, o->database, 0, o->socket, 0) == NULL)
		rc = db_failed(ret->mysql, err);
	if (rc == IMP_OK)
		rc = db_do(ret, "SET NAMES utf8mb4", err);
	snprintf(insert, sizeof(insert),
	    "INSERT INTO `%s` (id, createdat, seqid, topic, client_msg_id, content) VALUES (?, UTC_TIMESTAMP(3), ?, ?, ?, ?)",
	    o->table);
	if (rc == IMP_OK)
		rc = db_prepare(ret, insert, &ret->insert, err);
	if (rc == IMP_OK)
		rc = db_prepare(ret,
		    "INSERT INTO im_kafka_dead_letters (created_at, kafka_topic, topic, client_msg_id, payload, error, error_code)"
		    " VALUES (UTC_TIMESTAMP(3), ?, ?, ?, ?, ?, ?)",
		    &ret->bury, err);
	return rc;
}

/* The client library never writes to what it was given. */
static MYSQL_BIND
bind_text(const char *p, size_t n)
{
	return (MYSQL_BIND){ .buffer_type = MYSQL_TYPE_STRING, .buffer = (void *)(uintptr_t)p, .buffer_length = n };
}

static MYSQL_BIND
bind_int(const int64_t *v)
{
	return (MYSQL_BIND){ .buffer_type = MYSQL_TYPE_LONGLONG, .buffer = (void *)(uintptr_t)v };
}

/* 0, or the error of the server or the library. */
static unsigned
stmt_do(MYSQL_STMT *stmt, MYSQL_BIND *values)
{
	return mysql_stmt_bind_param(stmt, values) == 0 && mysql_stmt_execute(stmt) == 0 ? 0 : mysql_stmt_errno(stmt);
}

static unsigned
insert_row(struct db *db, const struct message *m)
{
	MYSQL_BIND values[] = { bind_int(&m->id), bind_int(&m->seq), bind_text(m->topic, strlen(m->topic)),
		bind_text(m->mid, strlen(m->mid)), bind_text(m->json, m->n) };

	return stmt_do(db->insert, values);
}

/* Did the server say so? What the client library says (2000 and up) is about the connection. */
static bool
is_of_row(unsigned error)
{
	return error >= ER_ERROR_FIRST && error <= ER_ERROR_LAST && error != ER_SERVER_SHUTDOWN;
}

/* ------------------------------------------------------------------ dead letters */

/* As drivers of applications write it. */
static void
error_text(MYSQL_STMT *stmt, char *to, size_t n)
{
	snprintf(to, n, "Error %u (%s): %s", mysql_stmt_errno(stmt), mysql_stmt_sqlstate(stmt), mysql_stmt_error(stmt));
}

static enum imp_rc
dead_publish(rd_kafka_t *producer, const struct options *o, const struct message *m, const char *error, unsigned code,
    const char *state, struct imp_err *err)
{
	char code_text[16];
	rd_kafka_resp_err_t e;

	if (o->dead_topic == NULL)
		return IMP_OK;
	snprintf(code_text, sizeof(code_text), "%u", code);
	e = rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(o->dead_topic), RD_KAFKA_V_KEY(m->topic, strlen(m->topic)),
	    RD_KAFKA_V_VALUE((void *)(uintptr_t)m->json, m->n), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
	    RD_KAFKA_V_HEADER("state", state, -1), RD_KAFKA_V_HEADER("error", error, -1), RD_KAFKA_V_HEADER("code", code_text, -1),
	    RD_KAFKA_V_END);
	return kafka_failed(e, "dead letter", err);
}

/* The error of the last insert is why. */
static enum imp_rc
bury(struct db *db, rd_kafka_t *producer, const struct options *o, const struct message *m, struct imp_err *err)
{
	char error[FIELD_MAX];
	int64_t code = mysql_stmt_errno(db->insert);
	MYSQL_BIND values[] = { bind_text(o->topic, strlen(o->topic)), bind_text(m->topic, strlen(m->topic)),
		bind_text(m->mid, strlen(m->mid)), bind_text(m->json, m->n), bind_text(error, 0), bind_int(&code) };

	error_text(db->insert, error, sizeof(error));
	values[4].buffer_length = strlen(error);
	if (stmt_do(db->bury, values) != 0)
		return imp_err_set(err, IMP_E_UNAVAILABLE, "dead letter of %s: %s", m->mid, mysql_stmt_error(db->bury));
	return dead_publish(producer, o, m, error, (unsigned)code, "dead", err);
}

/* ------------------------------------------------------------------ produce */

static enum imp_rc
produce(const struct options *o, struct imp_err *err)
{
	rd_kafka_t *producer CLEANUP(kafka_close) = NULL;
	rd_kafka_resp_err_t undelivered = RD_KAFKA_RESP_ERR_NO_ERROR;
	char *line CLEANUP(freep) = NULL;
	size_t cap = 0, n = 0;
	ssize_t got;
	enum imp_rc rc = kafka_open(RD_KAFKA_PRODUCER, o, &undelivered, &producer, err);

	while (rc == IMP_OK && (got = getline(&line, &cap, stdin)) > 0) {
		struct message m;

		rc = message_parse(line, (size_t)got - (line[got - 1] == '\n'), &m, err);
		if (rc == IMP_OK)
			rc = kafka_failed(rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(o->topic),
					      RD_KAFKA_V_KEY(m.topic, strlen(m.topic)),
					      RD_KAFKA_V_VALUE((void *)(uintptr_t)m.json, m.n),
					      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY | RD_KAFKA_MSG_F_BLOCK), RD_KAFKA_V_END),
			    "produce", err);
		n += rc == IMP_OK;
	}
	if (rc == IMP_OK)
		rc = kafka_flush(producer, &undelivered, err);
	if (rc == IMP_OK)
		printf("produced %zu\n", n);
	return rc;
}

/* ------------------------------------------------------------------ consume */

struct consumer {
	const struct options *o;
	struct db db;
	rd_kafka_t *from, *dead;
	rd_kafka_resp_err_t undelivered;
	rd_kafka_message_t *batch[BATCH_MAX];
	size_t n;
	bool at_end[PARTITIONS_MAX]; /* of its partitions */
	uint64_t stored, buried, fallbacks;
};

static void
batch_clear(struct consumer *c)
{
	while (c->n > 0)
		rd_kafka_message_destroy(c->batch[--c->n]);
}

static void
consumer_done(struct consumer *c)
{
	batch_clear(c);
	db_close(&c->db);
	if (c->from != NULL)
		rd_kafka_consumer_close(c->from);
	kafka_close(&c->from);
	kafka_close(&c->dead);
}

/* Has every partition that is ours been read to its end? */
static bool
all_at_end(struct consumer *c)
{
	rd_kafka_topic_partition_list_t *mine = NULL;
	bool all = rd_kafka_assignment(c->from, &mine) == RD_KAFKA_RESP_ERR_NO_ERROR && mine->cnt > 0;

	for (int i = 0; all && i < mine->cnt; i++)
		all = mine->elems[i].partition < PARTITIONS_MAX && c->at_end[mine->elems[i].partition];
	if (mine != NULL)
		rd_kafka_topic_partition_list_destroy(mine);
	return all;
}

/* Fill the batch; it is short when nothing comes for a moment. */
static enum imp_rc
batch_fill(struct consumer *c, size_t max, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && c->n < max && !stopped) {
		rd_kafka_message_t *m = rd_kafka_consumer_poll(c->from, POLL_MS);

		if (m == NULL)
			break;
		if (m->partition >= 0 && m->partition < PARTITIONS_MAX)
			c->at_end[m->partition] = m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
		if (m->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
			c->batch[c->n++] = m;
			continue;
		}
		if (m->err != RD_KAFKA_RESP_ERR__PARTITION_EOF)
			rc = kafka_failed(m->err, "consume", err);
		rd_kafka_message_destroy(m);
	}
	return rc;
}

/* One row alone, after its batch failed. */
static enum imp_rc
store_single(struct consumer *c, const struct message *m, struct imp_err *err)
{
	unsigned error = 0;

	for (uint64_t i = 0; i < c->o->tries && (error = insert_row(&c->db, m)) != 0; i++)
		if (!is_of_row(error))
			return imp_err_set(err, IMP_E_UNAVAILABLE, "MariaDB: %u: %s", error, mysql_stmt_error(c->db.insert));
	c->stored += error == 0;
	c->buried += error != 0;
	return error == 0 ? IMP_OK : bury(&c->db, c->dead, c->o, m, err);
}

static enum imp_rc
batch_store(struct consumer *c, struct imp_err *err)
{
	struct message m;
	size_t done = 0;
	enum imp_rc rc = db_do(&c->db, "START TRANSACTION", err);

	for (; rc == IMP_OK && done < c->n; done++) {
		rc = message_parse(c->batch[done]->payload, c->batch[done]->len, &m, err);
		if (rc == IMP_OK && insert_row(&c->db, &m) != 0)
			break;
	}
	if (rc == IMP_OK)
		rc = db_do(&c->db, done == c->n ? "COMMIT" : "ROLLBACK", err);
	if (rc == IMP_OK && done == c->n) {
		c->stored += c->n;
		return IMP_OK;
	}
	c->fallbacks++;
	for (size_t i = 0; rc == IMP_OK && i < c->n; i++) {
		rc = message_parse(c->batch[i]->payload, c->batch[i]->len, &m, err);
		if (rc == IMP_OK)
			rc = store_single(c, &m, err);
	}
	return rc;
}

/* A batch: taken, stored, its letters sent, and only then committed. */
static enum imp_rc
consume_batch(struct consumer *c, bool *ret_end, struct imp_err *err)
{
	uint64_t handled = c->stored + c->buried;
	uint64_t left = c->o->count > 0 ? c->o->count - handled : BATCH_MAX;
	uint64_t max = c->o->batch < left ? c->o->batch : left;
	enum imp_rc rc = batch_fill(c, max < BATCH_MAX ? (size_t)max : BATCH_MAX, err);

	if (rc == IMP_OK && c->n > 0) {
		rc = batch_store(c, err);
		if (rc == IMP_OK)
			rc = kafka_flush(c->dead, &c->undelivered, err);
		if (rc == IMP_OK)
			rc = kafka_failed(rd_kafka_commit(c->from, NULL, 0), "commit", err);
	}
	*ret_end =
	    stopped || (c->o->count > 0 && c->stored + c->buried >= c->o->count) || (!c->o->follow && c->n == 0 && all_at_end(c));
	batch_clear(c);
	return rc;
}

static enum imp_rc
consume(const struct options *o, struct imp_err *err)
{
	struct consumer c CLEANUP(consumer_done) = { .o = o };
	rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
	bool end = false;
	enum imp_rc rc = db_open(o, &c.db, err);

	rd_kafka_topic_partition_list_add(topics, o->topic, RD_KAFKA_PARTITION_UA);
	if (rc == IMP_OK)
		rc = kafka_open(RD_KAFKA_PRODUCER, o, &c.undelivered, &c.dead, err);
	if (rc == IMP_OK)
		rc = kafka_open(RD_KAFKA_CONSUMER, o, NULL, &c.from, err);
	if (rc == IMP_OK) {
		rd_kafka_poll_set_consumer(c.from);
		rc = kafka_failed(rd_kafka_subscribe(c.from, topics), "subscribe", err);
	}
	rd_kafka_topic_partition_list_destroy(topics);
	while (rc == IMP_OK && !end)
		rc = consume_batch(&c, &end, err);
	printf("stored %ju, dead letters %ju, batches that failed %ju\n", (uintmax_t)c.stored, (uintmax_t)c.buried,
	    (uintmax_t)c.fallbacks);
	return rc;
}

/* ------------------------------------------------------------------ replay */

/* One letter: its row and its mark, both or none. *ret_replayed: it fits now. */
static enum imp_rc
replay_letter(struct db *db, rd_kafka_t *producer, const struct options *o, MYSQL_ROW row, const unsigned long *n,
    bool *ret_replayed, struct imp_err *err)
{
	struct message m;
	char sql[128];
	unsigned error;
	enum imp_rc rc = message_parse(row[1], n[1], &m, err);

	if (rc == IMP_OK)
		rc = db_do(db, "START TRANSACTION", err);
	if (rc != IMP_OK)
		return rc;
	error = insert_row(db, &m);
	if (error != 0 && !is_of_row(error))
		return db_failed(db->mysql, err);
	*ret_replayed = error == 0;
	snprintf(sql, sizeof(sql),
	    "UPDATE im_kafka_dead_letters SET status = 'replayed', replayed_at = UTC_TIMESTAMP(3) WHERE id = %s", row[0]);
	if (error == 0)
		rc = db_do(db, sql, err);
	if (rc == IMP_OK)
		rc = db_do(db, error == 0 ? "COMMIT" : "ROLLBACK", err);
	return rc == IMP_OK && error == 0 ? dead_publish(producer, o, &m, "", 0, "replayed", err) : rc;
}

static enum imp_rc
replay(const struct options *o, struct imp_err *err)
{
	struct db db CLEANUP(db_close) = { 0 };
	rd_kafka_t *producer CLEANUP(kafka_close) = NULL;
	rd_kafka_resp_err_t undelivered = RD_KAFKA_RESP_ERR_NO_ERROR;
	size_t replayed = 0, failed = 0;
	MYSQL_RES *letters = NULL;
	MYSQL_ROW row;
	enum imp_rc rc = db_open(o, &db, err);

	if (rc == IMP_OK)
		rc = kafka_open(RD_KAFKA_PRODUCER, o, &undelivered, &producer, err);
	if (rc == IMP_OK)
		rc = db_do(&db, "SELECT id, payload FROM im_kafka_dead_letters WHERE status = 'dead' ORDER BY id", err);
	if (rc == IMP_OK && (letters = mysql_store_result(db.mysql)) == NULL)
		rc = db_failed(db.mysql, err);
	while (rc == IMP_OK && (row = mysql_fetch_row(letters)) != NULL) {
		bool good = false;

		rc = replay_letter(&db, producer, o, row, mysql_fetch_lengths(letters), &good, err);
		replayed += good;
		failed += rc == IMP_OK && !good;
	}
	mysql_free_result(letters);
	if (rc == IMP_OK)
		rc = kafka_flush(producer, &undelivered, err);
	printf("replayed %zu, still dead %zu\n", replayed, failed);
	return rc;
}

/* ------------------------------------------------------------------ commands */

static const struct command {
	const char *name;
	enum imp_rc (*run)(const struct options *o, struct imp_err *err);
} commands[] = { { "produce", produce }, { "consume", consume }, { "replay", replay } };

static enum imp_rc
run(char **args, int n, struct imp_err *err)
{
	struct options o = { .batch = 10, .tries = 3, .table = "im_008_messages" };
	const struct opt_table table = { option_table, &o };
	struct buf help CLEANUP(buf_done) = BUF_INIT(4096);
	int operands = 0;
	enum imp_rc rc = opt_parse(&table, 1, args, n, &operands, err);

	if (rc == IMP_OK && o.help) {
		opt_help(option_table, &help);
		printf("usage: pipe produce|consume|replay OPTION...\n%s", help.p);
		return IMP_OK;
	}
	if (rc == IMP_OK && (operands != 1 || o.brokers == NULL || o.topic == NULL))
		return imp_err_set(err, IMP_E_USAGE, "usage: pipe produce|consume|replay --brokers HOST:PORT --topic NAME ...");
	for (size_t i = 0; rc == IMP_OK && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, args[0]) == 0)
			return commands[i].run(&o, err);
	return rc == IMP_OK ? imp_err_set(err, IMP_E_USAGE, "no command '%s'", args[0]) : rc;
}

int
main(int argc, char **argv)
{
	const struct sigaction act = { .sa_handler = stop };
	struct imp_err err = { 0 };
	enum imp_rc rc;

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	rc = run(argv + 1, argc - 1, &err);
	if (rc != IMP_OK)
		fprintf(stderr, "pipe: %s\n", err.msg);
	return imp_rc_exit_status(rc);
}
