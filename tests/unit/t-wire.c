/* Frames of the load agent: what a real server sent, taken apart; the one pass against json-c; what is sent, read by json-c. */
#include "config.h"

#include <json-c/json.h>
#include <stdlib.h>

#include "agent/wire.h"
#include "agent/wire_out.h"
#include "base/cleanup.h"
#include "tap.h"

#define COUNT(v) (unsigned)(sizeof(v) / sizeof((v)[0]))

static struct wire_reader reader;

static bool
is(struct slice s, const char *want)
{
	return want == NULL ? s.p == NULL : slice_eq(s, slice_of(want)) && s.p != NULL;
}

static bool
same_text(struct slice a, struct slice b)
{
	return (a.p == NULL) == (b.p == NULL) && slice_eq(a, b);
}

static bool
same(const struct wire_message *a, const struct wire_message *b)
{
	return a->kind == b->kind && same_text(a->id, b->id) && same_text(a->topic, b->topic) && a->code == b->code &&
	    same_text(a->text, b->text) && a->seq == b->seq && a->count == b->count && same_text(a->what, b->what) &&
	    same_text(a->user, b->user) && same_text(a->token, b->token) && same_text(a->tmpname, b->tmpname) &&
	    same_text(a->from, b->from) && same_text(a->mid, b->mid) && same_text(a->run_id, b->run_id) &&
	    same_text(a->src, b->src);
}

/* As a stock Tinode 0.25.3 sent them (ids and tokens are others). */
static void
test_real_frames(void)
{
	struct wire_message m;

	wire_read(&reader,
	    SLICE("{\"ctrl\":{\"id\":\"p6\",\"topic\":\"usrLo6chT1jK5E\",\"params\":{\"seq\":7},\"code\":202,\"text\":\"accepted\","
		  "\"ts\":\"2026-11-30T16:49:17.53Z\"}}"),
	    &m);
	ok(m.kind == WIRE_CTRL && is(m.id, "p6") && is(m.topic, "usrLo6chT1jK5E") && m.code == 202 && m.seq == 7 &&
		is(m.text, "accepted") && m.count == WIRE_NONE,
	    "an ack");
	wire_read(&reader, SLICE("{\"ctrl\":{\"id\":\"p6\",\"topic\":\"p2pX\",\"code\":202,\"text\":\"accepted\",\"ts\":\"x\"}}"),
	    &m);
	ok(m.code == 202 && m.seq == WIRE_NONE, "an ack without seq has none");
	wire_read(&reader,
	    SLICE(
		"{\"ctrl\":{\"id\":\"a2\",\"params\":{\"authlvl\":\"auth\",\"desc\":{\"created\":\"x\",\"public\":{\"fn\":\"a1\"}},"
		"\"expires\":\"y\",\"token\":\"0akY+/=\",\"user\":\"usr0akY6qbj1gA\"},\"code\":200,\"text\":\"ok\",\"ts\":\"z\"}}"),
	    &m);
	ok(m.code == 200 && is(m.user, "usr0akY6qbj1gA") && is(m.token, "0akY+/="), "a login");
	wire_read(&reader,
	    SLICE(
		"{\"ctrl\":{\"id\":\"s5\",\"topic\":\"grpXT\",\"params\":{\"acs\":{\"want\":\"J\"},\"tmpname\":\"new0\"},\"code\":200}}"),
	    &m);
	ok(is(m.topic, "grpXT") && is(m.tmpname, "new0"), "a new group");
	wire_read(&reader, SLICE("{\"ctrl\":{\"id\":\"g1\",\"params\":{\"count\":24,\"what\":\"data\"},\"code\":208}}"), &m);
	ok(m.code == 208 && m.count == 24 && is(m.what, "data"), "the end of a read-back");
	wire_read(&reader,
	    SLICE(
		"{\"data\":{\"topic\":\"grpXT-3\",\"from\":\"usrzY_G\",\"ts\":\"t\",\"seq\":187,\"head\":{\"mime\":\"application/json\","
		"\"x-im-client-mid\":\"lt-1-a0005-000001\",\"x-im-schema\":1},\"content\":{\"text\":\"x\",\"run_id\":\"lt-1\"}}}"),
	    &m);
	ok(m.kind == WIRE_DATA && is(m.topic, "grpXT-3") && is(m.from, "usrzY_G") && m.seq == 187 &&
		is(m.mid, "lt-1-a0005-000001") && is(m.run_id, "lt-1"),
	    "a delivery");
	wire_read(&reader, SLICE("{\"data\":{\"topic\":\"t\",\"seq\":1,\"content\":\"plain text\"}}"), &m);
	ok(m.kind == WIRE_DATA && is(m.mid, NULL) && is(m.run_id, NULL), "a message of somebody else");
	wire_read(&reader, SLICE("{\"pres\":{\"topic\":\"me\",\"src\":\"usr0\",\"what\":\"msg\",\"seq\":3}}"), &m);
	ok(m.kind == WIRE_PRES && is(m.src, "usr0") && is(m.what, "msg") && m.seq == 3, "a presence");
	wire_read(&reader, SLICE("{\"info\":{\"topic\":\"t\",\"from\":\"usr0\",\"what\":\"recv\",\"seq\":3}}"), &m);
	ok(m.kind == WIRE_INFO && is(m.from, "usr0"), "an info");
	wire_read(&reader, SLICE("{\"meta\":{\"id\":\"x\",\"topic\":\"t\",\"sub\":[]}}"), &m);
	ok(m.kind == WIRE_META && is(m.id, "x"), "a meta");
	wire_read(&reader, SLICE("{\"new\":{}}"), &m);
	ok(m.kind == WIRE_OTHER, "something new");
}

static void
test_odd_frames(void)
{
	static const struct {
		const char *text;
		enum wire_kind kind;
		const char *mid;
		const char *what;
	} cases[] = {
		{ "{\"data\":{\"seq\":1,\"head\":{\"x-im-client-mid\":\"a\\u0062\\/c\"}}}", WIRE_DATA, "ab/c",
		    "an escape in a mid" },
		{ "{\"data\":{\"seq\":1,\"head\":{\"x-im-client-mid\":\"\xe4\xb8\xad\"}}}", WIRE_DATA, "\xe4\xb8\xad",
		    "a mid in Chinese" },
		{ "{\"data\":{\"content\":{\"n\":[1.5,-2e3,{\"head\":{\"x-im-client-mid\":\"no\"}}]},\"head\":{\"x-im-client-mid\":\"m\"}}}",
		    WIRE_DATA, "m", "numbers of all kinds, and a mid that is none" },
		{ "{\"data\":{\"head\":{\"x-im-client-mid\":17}}}", WIRE_DATA, NULL, "a mid that is a number" },
		{ "{\"data\":{\"head\":{\"x-im-client-mid\":\"a\",\"x-im-client-mid\":\"b\"}}}", WIRE_DATA, "b", "a mid twice" },
		{ " { \"data\" : { \"head\" : { \"x-im-client-mid\" : \"m\" } } } ", WIRE_DATA, "m", "blanks" },
		{ "{\"data\":{}}", WIRE_DATA, NULL, "nothing in it" },
		{ "{\"data\":[]}", WIRE_OTHER, NULL, "no object" },
		{ "{\"data\":{\"seq\":1}", WIRE_BROKEN, NULL, "torn" },
		{ "{\"data\":{\"seq\":1}}}", WIRE_BROKEN, NULL, "one bracket too many" },
		{ "{\"data\":{\"seq\":01}}", WIRE_BROKEN, NULL, "a number that is none" },
		{ "[1]", WIRE_BROKEN, NULL, "a list" },
		{ "0", WIRE_BROKEN, NULL, "the answer to a probe" },
		{ "", WIRE_BROKEN, NULL, "nothing" },
	};

	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct wire_message m, any;

		wire_read(&reader, slice_of(cases[i].text), &m);
		ok(m.kind == cases[i].kind && is(m.mid, cases[i].mid), "%s", cases[i].what);
		if (wire_read_plain(slice_of(cases[i].text), &m)) {
			wire_read_any(&reader, slice_of(cases[i].text), &any);
			ok(same(&m, &any), "%s: json-c says the same", cases[i].what);
		}
	}
}

static void
test_lines(void)
{
	struct slice frame = SLICE("{\"a\":1}\r\n\n{\"b\":2}\n"), text;

	ok(wire_next(&frame, &text) && is(text, "{\"a\":1}"), "the first of two in one frame");
	ok(wire_next(&frame, &text) && is(text, "{\"b\":2}"), "the second");
	ok(!wire_next(&frame, &text), "no third");
}

/* Which frames the one pass takes: without it the agent is slow. */
static void
test_plain(void)
{
	struct wire_message m;

	ok(wire_read_plain(
	       SLICE("{\"ctrl\":{\"id\":\"p6\",\"topic\":\"t\",\"params\":{\"seq\":7},\"code\":202,\"text\":\"accepted\"}}"), &m),
	    "an ack is read in one pass");
	ok(wire_read_plain(
	       SLICE("{\"data\":{\"topic\":\"t\",\"from\":\"u\",\"ts\":\"t\",\"seq\":1,\"head\":{\"x-im-client-mid\":\"m\"},"
		     "\"content\":{\"text\":\"x\",\"run_id\":\"r\",\"sent_at_unix_nano\":1790000000000000000}}}"),
	       &m),
	    "so is a delivery of the agent's own, with its nineteen digits");
	ok(wire_read_plain(SLICE("{\"data\":{\"topic\":\"t\",\"seq\":1,\"head\":{\"x-im-client-mid\":\"m\"},\"content\":\"x\"}}"),
	       &m),
	    "and one with text alone");
}

/* A frame as a document; its verb is the only key. */
static json_object *
sent(struct buf *b, const char *verb)
{
	json_object *o = json_tokener_parse(b->p), *v = NULL;

	ok(o != NULL && json_object_object_length(o) == 1 && json_object_object_get_ex(o, verb, &v), "{%s} is a message", verb);
	json_object_get(v);
	json_object_put(o);
	buf_clear(b);
	return v;
}

static const char *
member(json_object *o, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(o, key, &v) ? json_object_get_string(v) : "-";
}

static void
test_sent(void)
{
	const struct wire_client stock = { DIALECT_TINODE, "impagent/1", "006" }, fork = { DIALECT_IM_SERVER, "impagent/1", "006" };
	const struct wire_publish p = { .id = "p1",
		.topic = SLICE("usr\"B"),
		.mid = SLICE("lt-1-s1-a0001-00001"),
		.run_id = "lt-1",
		.scenario = "s1",
		.sender_index = 1,
		.message_index = 1,
		.sent_at_ns = 1790000000000000001,
		.size = 100 };
	CLEANUP(buf_done) struct buf b = BUF_INIT(65536);
	json_object *o, *v;

	wire_hi(&stock, "h1", &b);
	o = sent(&b, "hi");
	ok(strcmp(member(o, "ver"), "0.25") == 0 && strcmp(member(o, "tenant"), "-") == 0, "stock Tinode knows no tenant");
	json_object_put(o);
	wire_hi(&fork, "h1", &b);
	o = sent(&b, "hi");
	ok(strcmp(member(o, "tenant"), "006") == 0, "the fork does");
	json_object_put(o);
	/* a0001:secret-a0001 in base64, as the recorded login has it */
	wire_login_basic("l1", SLICE("a0001"), SLICE("secret-a0001"), &b);
	o = sent(&b, "login");
	ok(strcmp(member(o, "secret"), "YTAwMDE6c2VjcmV0LWEwMDAx") == 0 && strcmp(member(o, "scheme"), "basic") == 0, "a login");
	json_object_put(o);
	wire_register(&fork, "a1", SLICE("lta0001"), SLICE("x"), SLICE("LT A0001"), &b);
	o = sent(&b, "acc");
	ok(strcmp(member(o, "registration_type"), "0") == 0 && strcmp(member(o, "tenant_code"), "006") == 0 &&
		strcmp(member(o, "username"), "lta0001") == 0 && strcmp(member(o, "login"), "true") == 0,
	    "a registration at the fork");
	json_object_put(o);
	wire_pub(&p, &b);
	o = sent(&b, "pub");
	ok(strcmp(member(o, "topic"), "usr\"B") == 0 && strcmp(member(o, "noecho"), "false") == 0, "a publish");
	json_object_object_get_ex(o, "head", &v);
	ok(strcmp(member(v, "x-im-client-mid"), "lt-1-s1-a0001-00001") == 0, "with its mid");
	json_object_object_get_ex(o, "content", &v);
	ok(strcmp(member(v, "sent_at_unix_nano"), "1790000000000000001") == 0 && strlen(member(v, "text")) >= 100 &&
		strcmp(member(v, "run_id"), "lt-1") == 0,
	    "and its content, as long as it should be");
	json_object_put(o);
	wire_get_data("g1", SLICE("usrB"), 10, 110, 100, &b);
	o = sent(&b, "get");
	ok(strcmp(member(o, "data"), "{ \"since\": 10, \"before\": 110, \"limit\": 100 }") == 0, "a page of history");
	json_object_put(o);
}

int
main(void)
{
	test_real_frames();
	test_odd_frames();
	test_lines();
	test_plain();
	test_sent();
	wire_reader_done(&reader);
	return done();
}
