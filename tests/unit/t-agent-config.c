/* The configuration of a load: the example as it is documented, defaults, and what is refused, with its place. */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "agent/agent_config.h"
#include "base/cleanup.h"
#include "tap.h"

#define SECOND INT64_C(1000000000)
#define AGENTS "agents: [{name: a, accounts: 10}, {name: b, accounts: 20}]\n"
#define ENTRIES "entries: [{url: 'ws://h:6060'}]\n"
#define SCENARIOS "scenarios: [{id: s1, kind: p2p}]\n"
#define START "format: 1\nrun_id: r-1\n"

static char path[] = "t-agent-config-XXXXXX";

static enum imp_rc
read_text(const char *text, struct agent_config **ret, struct imp_err *err)
{
	FILE *f = fopen(path, "w");

	*err = (struct imp_err){ .code = IMP_OK };
	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		exit(1);
	return agent_config_read(path, NULL, ret, err);
}

static void
test_example(void)
{
	CLEANUP(agent_config_done) struct agent_config *c = NULL;
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	struct agent_plan plan = { .settings = NULL };
	struct imp_err err = { .msg = "" };

	setenv("IM_API_KEY", "key", 1);
	setenv("IM_LOAD_PASSWORD", "pass", 1);
	buf_addf(&name, "%s/docs/impagent.example.yaml", getenv("top_srcdir") != NULL ? getenv("top_srcdir") : ".");
	if (!ok(agent_config_read(name.p, NULL, &c, &err) == IMP_OK, "the example is read %s", err.msg))
		return;
	ok(c->dialect == DIALECT_IM_SERVER && strcmp(c->tenant, "006") == 0 && strcmp(c->api_key.p, "key") == 0 &&
		c->password.n == 4,
	    "server, tenant and secrets");
	ok(strcmp(c->plan.mid_prefix, "lt-demo-1-") == 0, "mids are named after the run");
	ok(c->plan.nstreams == 2 && c->plan.streams[1].begin_ns == 60 * SECOND && c->plan.streams[1].last == 500 &&
		c->drain_ns[0] == 30 * SECOND && c->drain_ns[1] == 60 * SECOND,
	    "scenarios");
	ok(agent_plan_make(&c->plan, &plan, &err) == IMP_OK && plan.messages == 22000, "a plan of 20,000 and 2,000 messages");
	ok(strcmp(agent_config_entry(c, 0, 500)->pod, "im-server-0") == 0 &&
		strcmp(agent_config_entry(c, 0, 501)->pod, "im-server-1") == 0 &&
		strcmp(agent_config_entry(c, 1, 1)->pod, "im-server-2") == 0,
	    "each account has its pod");
	ok(strcmp(c->entries[0].host, "im-server-0.im") == 0 && c->entries[0].port == 6060 && !c->entries[0].tls &&
		strcmp(c->entries[0].path, "/v0/channels") == 0,
	    "an address");
	agent_plan_done(&plan);
}

static void
test_defaults(void)
{
	CLEANUP(agent_config_done) struct agent_config *c = NULL;
	struct imp_err err;

	if (!ok(read_text(START AGENTS "entries: [{url: 'wss://[::1]/x'}]\n" SCENARIOS, &c, &err) == IMP_OK, "the least %s",
		err.msg))
		return;
	ok(c->plan.streams[0].turns == 10 && c->plan.streams[0].interval_ns == SECOND &&
		c->plan.streams[0].jitter_ns == SECOND / 5 && c->plan.streams[0].last == 10,
	    "p2p: 10 messages a second apart, 200 ms of delay, all accounts of the first agent");
	ok(c->entries[0].tls && c->entries[0].port == 443 && strcmp(c->entries[0].host, "[::1]") == 0 &&
		strcmp(c->entries[0].path, "/x") == 0,
	    "wss has its port");
	ok(c->connects == 64 && c->reconnects == 16 && c->late_ns == SECOND && c->history_deadline_ns == 180 * SECOND, "limits");
	ok(c->systems == NULL && c->api_key.p == NULL, "what is not said is not there");
}

static void
test_refused(void)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "run_id: r\n" AGENTS ENTRIES SCENARIOS, "format" },
		{ "format: 2\nrun_id: r\n" AGENTS ENTRIES SCENARIOS, ":1:9:" },
		{ "format: 1\nrun_id: 'a b'\n" AGENTS ENTRIES SCENARIOS, ":2:9: a name is" },
		{ START AGENTS ENTRIES, "scenarios" },
		{ START ENTRIES SCENARIOS, "agents" },
		{ START "agents: [{name: a, accounts: 10}]\n" ENTRIES SCENARIOS, "must be even" },
		{ START "agents: [{name: a, accounts: 1}, {name: a, accounts: 1}]\n" ENTRIES SCENARIOS, "two agents" },
		{ START AGENTS "entries: [{url: 'http://h'}]\n" SCENARIOS, "an entry is ws://" },
		{ START AGENTS "entries: [{url: 'ws://user:pass@h:1/'}]\n" SCENARIOS, "without user" },
		{ START AGENTS "entries: [{url: 'ws://h', agent: c}]\n" SCENARIOS, "no agent 'c'" },
		{ START AGENTS ENTRIES "scenarios: [{id: s1, kind: mail}]\n", "kind" },
		{ START AGENTS ENTRIES "scenarios: [{id: s1, kind: p2p}, {id: s1, kind: p2p}]\n", "one id" },
		{ START AGENTS ENTRIES SCENARIOS "pasword: {env: X}\n", "password" },
		{ START AGENTS ENTRIES SCENARIOS "password: hunter2\n", "secret" },
		{ START AGENTS ENTRIES SCENARIOS "late: soon\n", "length of time" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct agent_config *c = NULL;
		struct imp_err err;

		ok(read_text(cases[i].text, &c, &err) == IMP_E_RULE && strstr(err.msg, path) != NULL &&
			(strstr(err.msg, cases[i].why) != NULL || strstr(err.hint, cases[i].why) != NULL),
		    "refused: %s", err.msg);
		ok(strstr(err.msg, "hunter2") == NULL, "without a secret in it");
		agent_config_close(c);
	}
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	test_example();
	test_defaults();
	test_refused();
	unlink(path);
	return done();
}
