/* Redis: the configuration, INFO, SLOWLOG and LATENCY as documents, and what is hidden in them. */
#include "config.h"

#include "collect/redis.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "tap.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct arena arena;
static struct imp_err err;
static const struct ask_limits limits = { .timeout_ns = 1000000000, .tries = 1, .bytes_max = 1 << 20 };

static enum imp_rc
configure(const char *text, struct redis_settings **ret)
{
	struct doc_node *root;
	void *settings = NULL;
	enum imp_rc rc;

	if (doc_parse(&arena, "c.yaml", slice_of(text), &root, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	rc = collector_redis.configure(&arena, root, "main", &limits, &settings, &err);
	*ret = settings;
	return rc;
}

static void
test_addresses(void)
{
	static const struct {
		const char *text, *host, *port; /* host NULL: refused */
	} rows[] = {
		{ "address: redis-0:6380", "redis-0", "6380" },
		{ "address: redis-0", "redis-0", "6379" },
		{ "address: '[::1]:6380'", "::1", "6380" },
		{ "address: '[::1]'", "::1", "6379" },
		{ "address: '::1'", "::1", "6379" },
		{ "address: 'redis-0:'", NULL, NULL },
		{ "address: ':6379'", NULL, NULL },
		{ "address: 'user:geheim@redis-0:6379'", NULL, NULL },
		{ "address: a:1\nsocket: /run/redis.sock", NULL, NULL },
		{ "slowlog: 5", NULL, NULL },
		{ "address: a:1\nuser: u", NULL, NULL },
		{ "address: a:1\npassword: geheim", NULL, NULL },
		{ "address: a:1\nslowlog: 0", NULL, NULL },
		{ "socket: /run/redis.sock\ntls: {ca: x}", NULL, NULL },
		{ "address: a:1\nserver_name: b", NULL, NULL },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct redis_settings *s;
		enum imp_rc rc = configure(rows[i].text, &s);

		ok(rc == (rows[i].host != NULL ? IMP_OK : IMP_E_RULE), "address %zu", i);
		is_str(s != NULL ? s->at.host : NULL, rows[i].host, "its host");
		is_str(s != NULL ? s->at.port : NULL, rows[i].port, "its port");
		ok(rc == IMP_OK || strstr(err.msg, "geheim") == NULL, "no secret is told");
	}
}

static void
test_settings(void)
{
	struct redis_settings *s;

	setenv("T_SECRET", "geheim", 1);
	is_int(configure("address: r:1\nuser: audit\npassword: {env: T_SECRET}\ntls: {ca: ca.crt}\nserver_name: redis.example", &s),
	    IMP_OK, "an account over TLS");
	is_str(s->password.p, "geheim", "the password");
	ok(s->at.tls, "TLS");
	is_str(s->server_name, "redis.example", "the name that its certificate must have");
	is_int((intmax_t)s->slowlog, 1000, "entries of SLOWLOG");
	collector_redis.forget(s);
	ok(s->password.p == NULL, "the password is forgotten");
	is_int(configure("address: r:1\ntls: true", &s), IMP_OK, "TLS with nothing else");
	is_str(s->server_name, "r", "has the name of the address");
}

static void
test_info(void)
{
	static const char info[] = "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\n\r\nrole:master\r\nempty:\r\nlast:x";
	static const struct {
		const char *name, *want;
	} rows[] = {
		{ "redis_version", "7.2.4" },
		{ "server_name", "valkey" },
		{ "role", "master" },
		{ "empty", "" },
		{ "last", "x" },
		{ "redis", NULL },
		{ "version", NULL },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct slice got = redis_info_value(slice_of(info), rows[i].name);

		ok(rows[i].want != NULL ? got.p != NULL && slice_eq(got, slice_of(rows[i].want)) : got.p == NULL, "INFO: %s",
		    rows[i].name);
	}
}

/* ------------------------------------------------------------------ replies, read from what a server sends */

static redisReply *
reply(const char *wire)
{
	redisReader *reader = redisReaderCreate();
	void *r = NULL;

	redisReaderFeed(reader, wire, strlen(wire));
	if (redisReaderGetReply(reader, &r) != REDIS_OK || r == NULL) {
		printf("Bail out! %s\n", reader->errstr);
		exit(1);
	}
	redisReaderFree(reader);
	return r;
}

static void
test_slowlog(void)
{
	static const struct {
		const char *wire, *want; /* NULL: not a SLOWLOG */
	} rows[] = {
		{ "*0\r\n", "[]\n" },
		{ "*2\r\n*6\r\n:14\r\n:1790000000\r\n:15000\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n$15\r\n127.0.0.1:40000\r\n$0\r\n\r\n"
		  "*4\r\n:13\r\n:1789999999\r\n:12\r\n*1\r\n$4\r\nPING\r\n",
		    "[\n [14, 1790000000, 15000, [\"GET\", \"k\"], \"127.0.0.1:40000\", \"\"],\n"
		    " [13, 1789999999, 12, [\"PING\"]]\n]\n" },
		{ "*1\r\n*4\r\n:1\r\n:2\r\n:3\r\n*3\r\n$4\r\nauth\r\n$1\r\nu\r\n$6\r\ngeheim\r\n",
		    "[\n [1, 2, 3, [\"auth\", \"[redacted]\"]]\n]\n" },
		{ "*1\r\n*4\r\n:1\r\n:2\r\n:3\r\n*4\r\n$6\r\nCONFIG\r\n$3\r\nSET\r\n$11\r\nrequirepass\r\n$6\r\ngeheim\r\n",
		    "[\n [1, 2, 3, [\"CONFIG\", \"SET\", \"requirepass\", \"[redacted]\"]]\n]\n" },
		{ "*1\r\n*4\r\n:1\r\n:2\r\n:3\r\n*4\r\n$3\r\nACL\r\n$7\r\nSETUSER\r\n$1\r\nu\r\n$7\r\n>geheim\r\n",
		    "[\n [1, 2, 3, [\"ACL\", \"SETUSER\", \"[redacted]\"]]\n]\n" },
		{ "*1\r\n*4\r\n:1\r\n:2\r\n:3\r\n*2\r\n$3\r\nSET\r\n$25\r\n{\"password\":\"geheim-123\"}\r\n",
		    "[\n [1, 2, 3, [\"SET\", \"{\\\"password\\\":\\\"[redacted]\\\"}\"]]\n]\n" },
		{ "+OK\r\n", NULL },
		{ "*1\r\n:1\r\n", NULL },
		{ "*1\r\n*3\r\n:1\r\n:2\r\n:3\r\n", NULL },
		{ "*1\r\n*4\r\n:1\r\n:2\r\n:3\r\n$3\r\nGET\r\n", NULL },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);
		redisReply *r = reply(rows[i].wire);
		uint64_t n = 99;

		is_int(redis_write_slowlog(&out, r, &n, &err), rows[i].want != NULL ? IMP_OK : IMP_E_DATA, "SLOWLOG");
		is_str(rows[i].want != NULL ? out.p : NULL, rows[i].want, "as a document");
		freeReplyObject(r);
	}
}

static void
test_latency(void)
{
	redisReply *latest =
	    reply("*2\r\n*4\r\n$7\r\ncommand\r\n:1790000000\r\n:1001\r\n:1500\r\n*4\r\n$4\r\nfork\r\n:1790000100\r\n:3\r\n:7\r\n");
	redisReply *history = reply("*2\r\n*2\r\n:1789999990\r\n:1500\r\n*2\r\n:1790000000\r\n:1001\r\n");
	redisReply *other = reply("*1\r\n*3\r\n$7\r\ncommand\r\n:1\r\n:2\r\n"), *none = reply("*0\r\n");
	redisReply *histories[2] = { history, NULL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);
	uint64_t n = 0;

	is_int(redis_write_latency(&out, latest, histories, &n, &err), IMP_OK, "LATENCY");
	is_str(out.p,
	    "{\n \"latency\": [\n"
	    "  {\"event\": \"command\", \"time\": 1790000000, \"latest_ms\": 1001, \"max_ms\": 1500, "
	    "\"history\": [[1789999990, 1500], [1790000000, 1001]]},\n"
	    "  {\"event\": \"fork\", \"time\": 1790000100, \"latest_ms\": 3, \"max_ms\": 7}\n ]\n}\n",
	    "as a document");
	is_int((intmax_t)n, 2, "of two events");
	buf_clear(&out);
	is_int(redis_write_latency(&out, none, NULL, &n, &err), IMP_OK, "no event");
	is_str(out.p, "{\n \"latency\": []\n}\n", "is a document too");
	is_int(redis_write_latency(&out, other, histories, &n, &err), IMP_E_DATA, "another form is none");
	freeReplyObject(latest);
	freeReplyObject(history);
	freeReplyObject(other);
	freeReplyObject(none);
}

int
main(void)
{
	test_addresses();
	test_settings();
	test_info();
	test_slowlog();
	test_latency();
	arena_done(&arena);
	return done();
}
