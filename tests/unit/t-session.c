/* A session of the load agent, driven by answers as a real server gives them: the way to READY, what goes wrong on it, publishes and
 * their answers in any order, deliveries, read-back. */
#include "config.h"

#include <stdlib.h>

#include "agent/session.h"
#include "base/cleanup.h"
#include "tap.h"

static const struct wire_client client = { DIALECT_TINODE, "impagent/1", NULL };
static const struct session_topic topics[] = { { SLICE("usrB"), 7 }, { SLICE("grpX"), 9 } };
static const struct session_plan account_a = { .client = &client,
	.account = "a0001",
	.login = SLICE("a0001"),
	.password = SLICE("secret"),
	.topics = topics,
	.ntopics = 2 };

static struct wire_reader reader;
static struct buf out = BUF_INIT(65536);

/* What the session makes of a frame; what it sends stands in `out`. */
static struct session_event
got(struct session *s, const char *frame)
{
	struct wire_message m;
	struct session_event e;

	buf_clear(&out);
	wire_read(&reader, slice_of(frame), &m);
	session_take(s, &m, &out, &e);
	return e;
}

static bool
sent(const char *text)
{
	return out.p != NULL && strstr(out.p, text) != NULL;
}

static void
begin(struct session *s)
{
	session_init(s, &account_a);
	buf_clear(&out);
	session_begin(s, &out);
}

static struct session
ready(void)
{
	struct session s;

	begin(&s);
	got(&s, "{\"ctrl\":{\"id\":\"a0001-1\",\"code\":201,\"text\":\"created\"}}");
	got(&s, "{\"ctrl\":{\"id\":\"a0001-2\",\"code\":200,\"text\":\"ok\"}}");
	got(&s, "{\"ctrl\":{\"id\":\"a0001-3\",\"code\":200,\"text\":\"ok\"}}");
	got(&s, "{\"ctrl\":{\"id\":\"a0001-4\",\"code\":200,\"text\":\"ok\"}}");
	got(&s, "{\"ctrl\":{\"id\":\"a0001-5\",\"code\":304,\"text\":\"already subscribed\"}}");
	return s;
}

static void
test_steps(void)
{
	struct session s;

	begin(&s);
	ok(sent("{\"hi\":{\"id\":\"a0001-1\""), "it begins with hi");
	got(&s, "{\"ctrl\":{\"id\":\"a0001-1\",\"code\":201,\"text\":\"created\"}}");
	ok(sent("{\"login\":{\"id\":\"a0001-2\",\"scheme\":\"basic\""), "then it logs in");
	got(&s, "{\"pres\":{\"topic\":\"me\",\"src\":\"usrB\",\"what\":\"on\"}}");
	ok(s.state == SESSION_LOGIN && out.n == 0, "a presence between is no answer");
	got(&s, "{\"ctrl\":{\"id\":\"b0001-2\",\"code\":200,\"text\":\"ok\"}}");
	ok(s.state == SESSION_LOGIN, "nor is one of another's id");
	got(&s, "{\"ctrl\":{\"id\":\"a0001-2\",\"code\":200,\"text\":\"ok\"}}");
	ok(sent("{\"sub\":{\"id\":\"a0001-3\",\"topic\":\"me\"}"), "then it subscribes to me");
	got(&s, "{\"ctrl\":{\"id\":\"a0001-3\",\"code\":200,\"text\":\"ok\"}}");
	ok(sent("\"topic\":\"usrB\""), "then to its first topic");
	ok(got(&s, "{\"ctrl\":{\"id\":\"a0001-4\",\"code\":503,\"text\":\"locked\"}}").kind == SESSION_LATER && out.n == 0,
	    "a topic that is being loaded is asked for later");
	session_again(&s, &out);
	ok(sent("{\"sub\":{\"id\":\"a0001-5\",\"topic\":\"usrB\"}"), "with a new id");
	got(&s, "{\"ctrl\":{\"id\":\"a0001-5\",\"code\":200,\"text\":\"ok\"}}");
	ok(sent("\"topic\":\"grpX\"") && s.state == SESSION_TOPICS, "then to the second");
	ok(got(&s, "{\"ctrl\":{\"id\":\"a0001-6\",\"code\":304,\"text\":\"already subscribed\"}}").kind == SESSION_IS_READY,
	    "then it is READY");
	session_end(&s);
	session_begin(&s, &out);
	ok(sent("{\"hi\":{\"id\":\"a0001-7\""), "a new connection goes on with new ids");
	session_done(&s);
}

static void
test_refused(void)
{
	struct session s;
	struct session_event e;

	begin(&s);
	got(&s, "{\"ctrl\":{\"id\":\"a0001-1\",\"code\":201,\"text\":\"created\"}}");
	e = got(&s, "{\"ctrl\":{\"id\":\"a0001-2\",\"code\":401,\"text\":\"authentication failed\"}}");
	ok(e.kind == SESSION_WAS_REFUSED && e.code == 401 && slice_eq(e.text, SLICE("authentication failed")) &&
		s.state == SESSION_REFUSED,
	    "a wrong password is a refusal");
	session_done(&s);
	s = ready();
	ok(got(&s, "{\"ctrl\":{\"code\":205,\"text\":\"server shutdown\"}}").kind == SESSION_EVICTED, "a server that ends says so");
	session_done(&s);
}

static uint32_t
publish(struct session *s, uint64_t turn, int64_t until)
{
	const struct wire_publish p = { .mid = SLICE("lt-1"), .run_id = "1", .scenario = "s1" };
	uint32_t number;

	buf_clear(&out);
	if (session_publish(s, &topics[0], &p, &(struct session_waiting){ .turn = turn, .until = until }, &out, &number, NULL) !=
	    IMP_OK)
		exit(1);
	return number;
}

static void
test_publishes(void)
{
	struct session s = ready();
	struct session_waiting w;
	struct session_event e;

	ok(publish(&s, 0, 100) == 6 && sent("{\"pub\":{\"id\":\"a0001-6\",\"topic\":\"usrB\""), "a publish has the next id");
	publish(&s, 1, 110);
	publish(&s, 2, 120);
	e = got(&s, "{\"ctrl\":{\"id\":\"a0001-7\",\"params\":{\"seq\":12},\"code\":202,\"text\":\"accepted\"}}");
	ok(e.kind == SESSION_ANSWER && e.waiting.turn == 1 && e.code == 202 && e.seq == 12, "answers come in any order");
	ok(!session_timed_out(&s, 99, &w), "none is late before its time");
	ok(session_timed_out(&s, 100, &w) && w.turn == 0 && !session_timed_out(&s, 100, &w), "then the first is");
	e = got(&s, "{\"ctrl\":{\"id\":\"a0001-6\",\"params\":{\"seq\":11},\"code\":202,\"text\":\"accepted\"}}");
	ok(e.kind == SESSION_ANSWER && e.number == 6 && e.waiting.number == 0 && e.seq == 11, "its answer is one all the same");
	session_end(&s);
	ok(s.waiting.n == 1 && s.waiting.v[0].turn == 2, "what waits when the connection goes is known");
	session_forget(&s);
	ok(s.waiting.n == 0, "until it is written down");
	session_done(&s);
}

static void
test_deliveries(void)
{
	struct session s = ready();
	struct session_event e;
	uint32_t number;

	e = got(&s,
	    "{\"data\":{\"topic\":\"grpX\",\"from\":\"usrC\",\"seq\":5,\"head\":{\"x-im-client-mid\":\"lt-1-x\"},\"content\":{\"run_id\":\"1\"}}}");
	ok(e.kind == SESSION_DELIVERY && e.topic == 9 && e.seq == 5 && slice_eq(e.mid, SLICE("lt-1-x")) &&
		slice_eq(e.run_id, SLICE("1")),
	    "a delivery");
	e = got(&s, "{\"data\":{\"topic\":\"grpY\",\"seq\":5,\"head\":{\"x-im-client-mid\":\"lt-1-x\"}}}");
	ok(e.kind == SESSION_DELIVERY && e.topic == SESSION_NO_TOPIC, "one of a topic that is not the account's");
	ok(got(&s, "{\"data\":{\"topic\":\"grpX\",\"seq\":6,\"content\":\"hello\"}}").kind == SESSION_NOTHING,
	    "one without a mid is somebody else's");
	buf_clear(&out);
	session_get(&s, &topics[1], 10, 110, 100, &out, &number);
	ok(sent("{\"get\":{\"id\":\"a0001-6\",\"topic\":\"grpX\"") && number == 6, "a page of history");
	e = got(&s,
	    "{\"ctrl\":{\"id\":\"a0001-6\",\"topic\":\"grpX\",\"params\":{\"count\":24,\"what\":\"data\"},\"code\":208,\"text\":\"delivered\"}}");
	ok(e.kind == SESSION_PAGE && e.number == 6 && e.count == 24 && e.code == 208, "and its end");
	session_done(&s);
}

int
main(void)
{
	test_steps();
	test_refused();
	test_publishes();
	test_deliveries();
	wire_reader_done(&reader);
	buf_done(&out);
	return done();
}
