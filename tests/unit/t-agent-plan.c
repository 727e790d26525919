/* The schedule of the load agent: the scenarios of the load plan with their figures worked out by hand, and what every plan holds. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "agent/agent_plan.h"
#include "base/cleanup.h"
#include "tap.h"

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define COUNT(v) (unsigned)(sizeof(v) / sizeof((v)[0]))

static const struct plan_agent two[] = { { "a", "a", 1000 }, { "b", "b", 1000 } };

static const struct plan_stream p2p[] = { { "s1", PLAN_P2P, PLAN_STEADY, 1, 1000, 10, 0, SECOND, 200 * MS } };
static const struct plan_stream group[] = { { "s2", PLAN_GROUP, PLAN_STEADY, 1, 500, 2, 0, 100 * MS, 0 } };
static const struct plan_stream mixed[] = {
	{ "s3", PLAN_P2P, PLAN_STEADY, 1, 300, 5, 0, 20 * SECOND, 200 * MS },
	{ "s4", PLAN_GROUP, PLAN_STEADY, 301, 550, 2, 0, 100 * MS, 0 },
};

#define SETTINGS(run, streams_) \
	{ \
		run, "lt-" run "-", two, streams_, COUNT(two), COUNT(streams_) \
	}

static struct agent_plan
made(const struct plan_settings *settings)
{
	struct agent_plan p = { .settings = NULL };
	struct imp_err err;

	if (!ok(agent_plan_make(settings, &p, &err) == IMP_OK, "a plan"))
		exit(1);
	return p;
}

/* Everything that an agent sends, by time; the caller frees it. */
static struct plan_message *
all_of(const struct agent_plan *p, uint32_t agent, uint64_t *ret_n)
{
	struct plan_message *v = calloc(p->messages + 1, sizeof(*v));
	struct plan_cursor c;

	if (v == NULL)
		exit(1);
	*ret_n = 0;
	for (plan_cursor_begin(&c, p, agent); plan_cursor_peek(&c, &v[*ret_n]); plan_cursor_next(&c))
		++*ret_n;
	return v;
}

static bool
by_time(const struct plan_message *v, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++) {
		if (v[i].at_ns < v[i - 1].at_ns)
			return false;
	}
	return true;
}

static void
test_p2p(void)
{
	const struct plan_settings settings = SETTINGS("one", p2p);
	struct agent_plan p = made(&settings);
	bool regular = true, in_jitter = true, different = false, own = true;
	int64_t delay[1001] = { 0 };
	unsigned sent[1001] = { 0 };
	uint64_t n;
	struct plan_message *v = all_of(&p, 0, &n);

	for (uint64_t i = 0; i < n; i++) {
		const struct plan_message *m = &v[i];
		int64_t late = m->at_ns - (int64_t)m->turn * SECOND;

		own &= m->agent == 0 && m->account >= 1 && m->account <= 1000;
		in_jitter &= late >= 0 && late < 200 * MS;
		regular &= m->turn == sent[m->account] && (m->turn == 0 || delay[m->account] == late);
		delay[m->account] = late;
		sent[m->account]++;
		different |= late != delay[v[0].account];
	}
	if (!ok(p.messages == 20000 && n == 10000, "1,000 pairs with 10 messages a side are 20,000, half of them an agent's"))
		exit(1);
	ok(own, "an agent has its own accounts alone");
	ok(regular, "each account sends each second, always at its own delay");
	ok(in_jitter && different, "the delays are several, all of 0 to 200 ms");
	ok(by_time(v, n), "in order of time");
	ok(agent_plan_stream_end(&p, 0) >= 9 * SECOND && agent_plan_stream_end(&p, 0) < 9200 * MS, "the last turn begins at 9 s");
	free(v);
	agent_plan_done(&p);
}

static void
test_group(void)
{
	const struct plan_settings settings = SETTINGS("one", group);
	struct agent_plan p = made(&settings);
	uint64_t na, nb;
	struct plan_message *a = all_of(&p, 0, &na), *b = all_of(&p, 1, &nb);
	bool in_turn = true;

	for (uint64_t i = 0; i < na && i < nb; i++) {
		in_turn &= a[i].at_ns == (int64_t)i * 200 * MS && b[i].at_ns == (int64_t)i * 200 * MS + 100 * MS;
		in_turn &= a[i].account == i % 500 + 1 && b[i].account == i % 500 + 1 && a[i].turn == i / 500;
	}
	ok(na == 1000 && nb == 1000, "1,000 senders with 2 rounds are 2,000 messages");
	ok(in_turn, "the agents take turns: one message each 100 ms over both");
	ok(agent_plan_stream_end(&p, 0) == 199900 * MS, "the last one is due at 199.9 s");
	free(a);
	free(b);
	agent_plan_done(&p);
}

static void
test_mixed(void)
{
	const struct plan_settings settings = SETTINGS("one", mixed);
	struct agent_plan p = made(&settings);
	uint64_t n, of[2] = { 0, 0 };
	struct plan_message *v = all_of(&p, 1, &n);
	bool turns = true;

	for (uint64_t i = 0; i < n; i++) {
		of[v[i].stream]++;
		turns &= v[i].stream == 1 || v[i].at_ns / (20 * SECOND) == (int64_t)v[i].turn;
	}
	ok(agent_plan_stream_messages(&settings, 0) == 3000 && agent_plan_stream_messages(&settings, 1) == 1000,
	    "300 pairs with 5 messages and 500 senders with 2");
	ok(of[0] == 1500 && of[1] == 500 && by_time(v, n), "both streams side by side, half of each an agent's");
	ok(turns, "p2p at 0, 20, 40, 60 and 80 s");
	free(v);
	agent_plan_done(&p);
}

static void
test_shapes(void)
{
	static const struct plan_stream shapes[] = {
		{ "b", PLAN_P2P, PLAN_BURST, 1, 10, 10, 3 * SECOND, SECOND, 0 },
		{ "r", PLAN_GROUP, PLAN_RAMP, 1, 500, 1, 0, 10 * MS, 0 },
	};
	const struct plan_settings settings = SETTINGS("one", shapes);
	struct agent_plan p = made(&settings);
	uint64_t n, bursts = 0, half = 0, ramps = 0;
	struct plan_message *v = all_of(&p, 0, &n);
	const int64_t end = agent_plan_stream_end(&p, 1);

	for (uint64_t i = 0; i < n; i++) {
		if (v[i].stream == 0)
			bursts += v[i].at_ns == 3 * SECOND;
		else
			half += v[i].at_ns <= end / 2;
		ramps += v[i].stream == 1;
	}
	ok(bursts == 100, "a burst is due at once");
	ok(end == 9990 * MS, "a ramp takes as long as the steady stream");
	ok(ramps == 500 && half >= 124 && half <= 126, "and has sent a quarter at half time");
	free(v);
	agent_plan_done(&p);
}

static void
test_identity(void)
{
	static const struct plan_stream other[] = { { "s1", PLAN_P2P, PLAN_STEADY, 1, 1000, 10, 0, SECOND, 201 * MS } };
	const struct plan_settings settings[] = { SETTINGS("one", p2p), SETTINGS("one", p2p), SETTINGS("two", p2p),
		SETTINGS("one", other) };
	unsigned char sha256[4][SHA256_BYTES];
	struct agent_plan p[4];
	uint64_t n, n2;
	struct plan_message *v, *v2;
	CLEANUP(buf_done) struct buf mid = BUF_INIT(256);
	bool same = true, all_ok = true;

	for (unsigned i = 0; i < 4; i++) {
		p[i] = made(&settings[i]);
		all_ok &= agent_plan_sha256(&p[i], sha256[i], NULL) == IMP_OK;
	}
	ok(all_ok && memcmp(sha256[0], sha256[1], SHA256_BYTES) == 0, "one plan, one hash");
	ok(memcmp(sha256[0], sha256[2], SHA256_BYTES) != 0, "another run has another");
	ok(memcmp(sha256[0], sha256[3], SHA256_BYTES) != 0, "so has another jitter");
	v = all_of(&p[0], 0, &n);
	v2 = all_of(&p[2], 0, &n2);
	for (uint64_t i = 0; i < n && i < n2; i++)
		same &= v[i].at_ns == v2[i].at_ns;
	ok(!same, "and its accounts other delays");
	agent_plan_mid(&settings[0], &(struct plan_message){ .agent = 1, .account = 17, .turn = 2 }, &mid);
	ok(strcmp(mid.p, "lt-one-s1-b0017-00003") == 0, "a mid names run, scenario, account and message");
	free(v);
	free(v2);
	for (unsigned i = 0; i < 4; i++)
		agent_plan_done(&p[i]);
}

static void
test_refused(void)
{
	static const struct {
		struct plan_stream stream;
		const char *why;
	} cases[] = {
		{ { "x", PLAN_P2P, PLAN_STEADY, 1, 1001, 1, 0, SECOND, 0 }, "agent 'a' has 1000 accounts" },
		{ { "x", PLAN_P2P, PLAN_STEADY, 0, 10, 1, 0, SECOND, 0 }, "accounts from 1" },
		{ { "x", PLAN_P2P, PLAN_STEADY, 1, 10, 0, 0, SECOND, 0 }, "each sender needs" },
		{ { "x", PLAN_P2P, PLAN_STEADY, 1, 10, 1, 0, 0, 0 }, "within 30 days" },
		{ { "x", PLAN_P2P, PLAN_STEADY, 1, 10, UINT64_C(3000000), 0, SECOND, 0 }, "within 30 days" },
		{ { "x", PLAN_P2P, PLAN_STEADY, 1, 10, 1, 0, SECOND, 2 * SECOND }, "jitter" },
		{ { "x", PLAN_GROUP, PLAN_STEADY, 1, 10, 1, 0, SECOND, 1 }, "jitter" },
	};

	for (unsigned i = 0; i < COUNT(cases); i++) {
		const struct plan_settings settings = { "one", "lt-", two, &cases[i].stream, COUNT(two), 1 };
		struct agent_plan p;
		struct imp_err err = { .msg = "" };

		ok(agent_plan_make(&settings, &p, &err) == IMP_E_RULE && strstr(err.msg, cases[i].why) != NULL, "refused: %s",
		    cases[i].why);
	}
}

int
main(void)
{
	test_p2p();
	test_group();
	test_mixed();
	test_shapes();
	test_identity();
	test_refused();
	return done();
}
