/* Kafka: the configuration, values out of records, lines of lag. */
#include "config.h"

#include "collect/kafka.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "tap.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct arena arena;
static struct imp_err err;
static const struct ask_limits limits = { .timeout_ns = 1000000000, .tries = 1, .bytes_max = 1 << 20 };

static const struct doc_node *
parse(const char *text)
{
	struct doc_node *root;

	if (doc_parse(&arena, "c.yaml", slice_of(text), &root, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return root;
}

static enum imp_rc
configure(const char *text, struct kafka_settings **ret)
{
	void *settings = NULL;
	enum imp_rc rc = collector_kafka.configure(&arena, parse(text), "main", &limits, &settings, &err);

	*ret = settings;
	return rc;
}

/* ------------------------------------------------------------------ configuration */

static void
test_refused(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "groups: []", "c.yaml:1:1: key 'bootstrap' is missing" },
		{ "bootstrap: b\nproperties: {group.id: g}", "c.yaml:2:14: 'group.id' is set by the program" },
		{ "bootstrap: b\nproperties: {enable.auto.commit: true}",
		    "c.yaml:2:14: 'enable.auto.commit' is set by the program" },
		{ "bootstrap: b\nproperties: {allow.auto.create.topics: true}",
		    "c.yaml:2:14: 'allow.auto.create.topics' is set by the program" },
		{ "bootstrap: b\nproperties: {plugin.library.paths: /tmp/x.so}",
		    "c.yaml:2:14: 'plugin.library.paths' is set by the program" },
		{ "bootstrap: b\nproperties: {sasl.password: geheim}",
		    "c.yaml:2:29: 'sasl.password' is a secret: give it as {env: NAME} or {file: PATH}" },
		{ "bootstrap: b\nproperties: {security.protocoll: SSL}",
		    "c.yaml:2:14: librdkafka has no property 'security.protocoll'" },
		{ "bootstrap: b\nproperties: {security.protocol: {env: T_SECRET}}",
		    "c.yaml:2:14: librdkafka does not take this value for 'security.protocol'" },
		{ "bootstrap: b\ngroups: [{topics: [a]}]", "c.yaml:2:10: key 'group' is missing" },
		{ "bootstrap: b\ngroups: [{group: a}, {group: a}]", "c.yaml:2:9: group 'a' stands there twice" },
		{ "bootstrap: b\ngroups: [{group: a, topics: [t, u, t]}]",
		    "c.yaml:2:9: topic 't' of group 'a' stands there twice" },
		{ "bootstrap: b\ndead_letters: [{topic: d}]", "c.yaml:2:16: key 'mid' is missing" },
		{ "bootstrap: b\ndead_letters: [{topic: d, mid: {match: x}}]",
		    "c.yaml:2:32: one of `header`, `json`, `key` and `value` is needed" },
		{ "bootstrap: b\ndead_letters: [{topic: d, mid: {json: mid}}]",
		    "c.yaml:2:39: a JSON pointer begins with '/': /payload/client_mid" },
		{ "bootstrap: b\ndead_letters: [{topic: d, mid: {key: true, match: 'a('}}]",
		    "c.yaml:2:51: the expression cannot be read, at its character 3: missing closing parenthesis" },
	};

	setenv("T_SECRET", "geheim", 1);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct kafka_settings *s;

		ok(configure(rows[i].text, &s) == IMP_E_RULE, "refused, %zu", i);
		is_str(err.msg, rows[i].want, "is said");
		ok(s == NULL && strstr(err.msg, "geheim") == NULL, "and nothing else");
	}
}

static void
test_settings(void)
{
	struct kafka_settings *s;

	is_int(
	    configure("bootstrap: k1:9092,k2:9092\n"
		      "properties:\n  security.protocol: SASL_SSL\n  sasl.password: {env: T_SECRET}\n"
		      "groups:\n  - {group: g1, topics: [a, b]}\n  - group: g2\n"
		      "dead_letters:\n  - topic: d\n    from: start\n    mid: {header: m}\n    state: {header: s, replayed: done}\n"
		      "  - {topic: e, mid: {key: true}}\n",
		&s),
	    IMP_OK, "a whole one");
	is_str(s->bootstrap, "k1:9092,k2:9092", "bootstrap");
	is_int((intmax_t)s->nproperties, 2, "properties");
	is_str(s->properties[0].text, "SASL_SSL", "a plain one");
	ok(s->properties[1].text == NULL && strcmp(s->properties[1].secret.p, "geheim") == 0, "a secret one");
	is_int((intmax_t)s->ngroups, 2, "groups");
	is_str(s->groups[0].topics[1], "b", "with topics");
	is_int((intmax_t)s->groups[1].ntopics, 0, "or without");
	is_int((intmax_t)s->nletters, 2, "dead letters");
	ok(s->letters[0].from_start && !s->letters[1].from_start, "from the start, or from the run");
	is_str(s->letters[0].replayed, "done", "what replayed ones say");
	is_int(s->letters[1].margin_ns, 600000000000, "10 minutes of margin");
	collector_kafka.forget(s);
	ok(s->properties[1].secret.p == NULL, "secrets are forgotten");
	collector_kafka.forget(NULL);
}

/* ------------------------------------------------------------------ fields */

static bool
header_of(const void *ctx, const char *name, struct slice *ret)
{
	(void)ctx;
	*ret = SLICE("Error 1264 (22003): Out of range value for column 'id' at row 1");
	return strcmp(name, "error") == 0;
}

static void
test_fields(void)
{
	static const char value[] = "{\"payload\":{\"client_mid\":\"lt-1\",\"seq\":7300000000000000001,\"a/b\":[null,true]},"
				    "\"inner\":\"{\\\"head\\\":{\\\"mid\\\":\\\"lt-2\\\"}}\"}";
	static const struct {
		const char *field, *want; /* NULL: not found */
	} rows[] = {
		{ "{json: /payload/client_mid}", "lt-1" },
		{ "{json: /payload/seq}", "7300000000000000001" },
		{ "{json: /payload/a~1b/1}", "true" },
		{ "{json: /payload/a~1b/0}", NULL },
		{ "{json: /payload/none}", NULL },
		{ "{json: [/inner, /head/mid]}", "lt-2" },
		{ "{json: [/payload/client_mid, /head/mid]}", NULL },
		{ "{json: /payload/client_mid, match: '^lt-(\\d+)$'}", "1" },
		{ "{json: /payload/client_mid, match: '^xx'}", NULL },
		{ "{header: error, match: 'Error (\\d+)'}", "1264" },
		{ "{header: error, match: 'Error \\d+'}", "Error 1264" },
		{ "{header: error, match: '(a+)?Out'}", "Out" },
		{ "{header: none}", NULL },
		{ "{key: true}", "k-1" },
		{ "{value: true, match: '\"client_mid\":\"([^\"]+)\"'}", "lt-1" },
		/* runs wild, and is stopped */
		{ "{value: true, match: '^(([^x]+)*)*x'}", NULL },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLEANUP(kafka_record_done)
		struct kafka_record r = { .key = SLICE("k-1"), .value = slice_of(value), .header = header_of };
		CLEANUP(buf_done) struct buf out = BUF_INIT(KAFKA_FIELD_BYTES_MAX);
		CLEANUP(kafka_field_done) struct kafka_field f = { .part = KAFKA_PART_NONE };
		bool found;

		is_int(kafka_field_read(&arena, parse(rows[i].field), NULL, &f, &err), IMP_OK, rows[i].field);
		found = kafka_field_get(&f, &r, &out);
		is_str(found ? out.p : NULL, rows[i].want, "its value");
	}
}

static void
test_records_of_nothing(void)
{
	static const char *const values[] = { "", "x", "7", "[", "{\"a\":", "{\"a\":\"b\"} x",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[" };
	CLEANUP(buf_done) struct buf out = BUF_INIT(KAFKA_FIELD_BYTES_MAX);
	CLEANUP(kafka_field_done) struct kafka_field f = { .part = KAFKA_PART_NONE };
	struct kafka_record none = { .header = header_of };

	ok(!kafka_field_get(&f, &none, &out), "a field that is not configured");
	is_int(kafka_field_read(&arena, parse("{json: /a/b}"), NULL, &f, &err), IMP_OK, "a field");
	ok(!kafka_field_get(&f, &none, &out), "of a record without value");
	kafka_record_done(&none);
	for (size_t i = 0; i < LENGTH(values); i++) {
		CLEANUP(kafka_record_done) struct kafka_record r = { .value = slice_of(values[i]), .header = header_of };

		ok(!kafka_field_get(&f, &r, &out), "of '%s'", values[i]);
	}
}

/* ------------------------------------------------------------------ lag */

static void
test_lag_lines(void)
{
	static const struct {
		struct kafka_lag in;
		const char *want;
	} rows[] = {
		{ { 1790000000000000001, 10, 0, 12, 3, "g", "im.message.persist", 0 },
		    "{\"ev\": \"lag\", \"t\": 1790000000000000001, \"group\": \"g\", \"topic\": \"im.message.persist\", \"partition\": 0, "
		    "\"committed\": 10, \"start\": 0, \"end\": 12, \"lag\": 2, \"members\": 3}\n" },
		/* no commit yet, no members known: the lag is not known either */
		{ { 1, -1, 5, 12, -1, "g", "t", 7 },
		    "{\"ev\": \"lag\", \"t\": 1, \"group\": \"g\", \"topic\": \"t\", \"partition\": 7, \"committed\": -1, \"start\": 5, "
		    "\"end\": 12}\n" },
		/* records between are gone: the figures show it */
		{ { 1, 3, 5, 12, 0, "g", "t", 0 },
		    "{\"ev\": \"lag\", \"t\": 1, \"group\": \"g\", \"topic\": \"t\", \"partition\": 0, \"committed\": 3, \"start\": 5, "
		    "\"end\": 12, \"lag\": 9, \"members\": 0}\n" },
		/* without an end: no leader */
		{ { 1, 3, -1, -1, 0, "a\"b", "t", 0 },
		    "{\"ev\": \"lag\", \"t\": 1, \"group\": \"a\\\"b\", \"topic\": \"t\", \"partition\": 0, \"committed\": 3, "
		    "\"members\": 0}\n" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

		kafka_lag_line(&rows[i].in, &out);
		is_str(out.p, rows[i].want, "a line of lag");
	}
}

static void
test_statuses(void)
{
	is_int(kafka_status(RD_KAFKA_RESP_ERR_NO_ERROR), ASKED_OK, "no error");
	is_int(kafka_status(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED), ASKED_DENIED, "a right is missing");
	is_int(kafka_status(RD_KAFKA_RESP_ERR__TIMED_OUT), ASKED_TIMEOUT, "no answer");
	is_int(kafka_status(RD_KAFKA_RESP_ERR__TRANSPORT), ASKED_UNREACHABLE, "no connection");
	is_int(kafka_status(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART), ASKED_FAILED, "another answer");
}

int
main(void)
{
	test_refused();
	test_settings();
	test_fields();
	test_records_of_nothing();
	test_lag_lines();
	test_statuses();
	arena_done(&arena);
	return done();
}
