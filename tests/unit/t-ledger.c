/* From lines to the ledger: what every event leaves there, whose it is, and who is a member of what. */
#include "config.h"

#include "ingest/record.h"
#include "read-run.h"
#include "tap.h"

static struct slice
text(uint32_t number)
{
	return ledger_text_slice(&run.ledger, number);
}

static bool
mid_is(uint32_t mid, const char *name)
{
	return slice_eq(run.ledger.mids.names.v[mid], slice_of(name));
}

static bool
topic_is(uint32_t topic, const char *name)
{
	return slice_eq(run.ledger.topics_by.names.v[topic], slice_of(name));
}

static bool
account_is(uint32_t account, const char *name)
{
	return slice_eq(run.ledger.accounts_by.names.v[account], slice_of(name));
}

static bool
text_is(uint32_t number, const char *words)
{
	return words == NULL ? number == NONE : number != NONE && slice_eq(text(number), slice_of(words));
}

static const char agent_lines[] =
    "{\"ev\":\"start\",\"t\":1,\"agent\":\"a\"}\n"
    "{\"ev\":\"pub\",\"t\":2,\"mid\":\"m\",\"topic\":\"p\",\"from\":\"u\",\"plan\":1,\"try\":3,\"id\":\"i7\",\"sc\":\"s\",\"size\":90}\n"
    "{\"ev\":\"pub\",\"t\":3,\"mid\":\"m\",\"topic\":\"p\",\"from\":\"u\"}\n"
    "{\"ev\":\"skip\",\"t\":4,\"mid\":\"k\",\"topic\":\"p\",\"from\":\"u\",\"why\":\"overrun\",\"plan\":4,\"sc\":\"s\"}\n"
    "{\"ev\":\"ctrl\",\"t\":5,\"id\":7,\"code\":202,\"seq\":9,\"text\":\"accepted\"}\n"
    "{\"ev\":\"fail\",\"t\":6,\"mid\":\"m\",\"why\":\"write\",\"bytes\":0,\"detail\":\"EPIPE\"}\n"
    "{\"ev\":\"data\",\"t\":7,\"mid\":\"m\",\"topic\":\"p\",\"seq\":9,\"to\":\"v\"}\n"
    "{\"ev\":\"conn\",\"t\":8,\"who\":\"v\",\"state\":\"refused\",\"pod\":\"p-0\",\"code\":503,\"why\":\"busy\",\"peer\":\"x\"}\n"
    "{\"ev\":\"conn\",\"t\":9,\"who\":\"v\",\"state\":\"dreaming\"}\n"
    "{\"ev\":\"clock\",\"t\":10,\"agent\":\"b\",\"offset_ns\":-5,\"rtt_ns\":6,\"source\":\"ntp\"}\n"
    "{\"ev\":\"health\",\"t\":11,\"agent\":\"a\",\"cpu_pct\":12.5,\"fds\":7,\"rss_bytes\":null}\n"
    "{\"ev\":\"mark\",\"t\":12,\"name\":\"load_start\"}\n"
    "{\"ev\":\"calibration\",\"t\":13,\"agent\":\"a\",\"ceiling_per_s\":5000,\"sockets\":40,\"target\":\"x:1\"}\n"
    "{\"ev\":\"end\",\"t\":14,\"agent\":\"a\",\"events\":13,\"why\":\"done\"}\n";

static const char other_lines[] =
    "{\"ev\":\"hist\",\"t\":20,\"topic\":\"p\",\"seq\":9,\"mid\":\"m\",\"by\":\"v\"}\n"
    "{\"ev\":\"histq\",\"t\":21,\"topic\":\"p\",\"by\":\"v\",\"lo\":1,\"hi\":9,\"status\":\"complete\",\"found\":8}\n"
    "{\"ev\":\"row\",\"table\":\"messages\",\"mid\":\"m\",\"topic\":\"p\",\"seq\":9,\"id\":11,\"created\":\"1970-01-01T00:00:01.5Z\",\"check\":2}\n"
    "{\"ev\":\"row\",\"table\":\"messages\",\"mid\":\"m\",\"topic\":\"p\",\"seq\":9,\"created\":77}\n"
    "{\"ev\":\"row\",\"table\":\"messages\",\"mid\":\"m\",\"topic\":\"p\",\"seq\":9,\"created\":\"1970-01-01 00:00:01\"}\n"
    "{\"ev\":\"rows\",\"t\":22,\"table\":\"messages\",\"complete\":false,\"count\":3,\"query\":\"SELECT\",\"kind\":\"group\"}\n"
    "{\"ev\":\"dead\",\"t\":23,\"mid\":\"m\",\"error\":\"too long\",\"code\":1264,\"topic\":\"p\",\"kafka_topic\":\"k\",\"state\":\"replayed\"}\n"
    "{\"ev\":\"deads\",\"t\":24,\"complete\":true,\"count\":1,\"check\":2}\n"
    "{\"ev\":\"column\",\"table\":\"messages\",\"column\":\"seq\",\"type\":\"int\",\"nullable\":\"YES\",\"extra\":\"e\"}\n"
    "{\"ev\":\"status\",\"t\":25,\"name\":\"Com_insert\",\"value\":5,\"server\":\"db-0\"}\n"
    "{\"ev\":\"lag\",\"t\":26,\"group\":\"g\",\"topic\":\"k\",\"partition\":0,\"committed\":1,\"end\":2}\n";

static void
read_both(void)
{
	run_dir_clear();
	run_dir_put("agents/a/l.jsonl", "%s", agent_lines);
	run_dir_put("agents/b/l.jsonl", "%s", "");
	run_dir_put("db/r.jsonl", "%s", other_lines);
	read_run(1);
}

static void
sending(void)
{
	const struct ledger *l = &run.ledger;
	const struct attempt *a = l->attempts.v;
	const struct answer *s = l->answers.v;

	if (!ok(l->attempts.n == 3 && l->answers.n == 2, "attempts and answers"))
		return;
	ok(a[0].kind == ATTEMPT_PUB && a[0].t == 2 && mid_is(a[0].mid, "m") && topic_is(a[0].topic, "p") && account_is(a[0].from, "u") &&
		a[0].plan == 1 && a[0].try == 3 && a[0].size == 90 && text_is(a[0].id, "i7") && text_is(a[0].sc, "s") && text_is(a[0].why, NULL),
	    "a whole `pub`");
	ok(place_file(a[0].place) == read_run_file("agents/a/l.jsonl") && place_line(a[0].place) == 2, "its place");
	ok(a[1].plan == NO_TIME && a[1].try == NO_TIME && a[1].size == NO_TIME && a[1].id == NONE && a[1].sc == NONE, "a bare one");
	ok(a[2].kind == ATTEMPT_SKIP && a[2].t == 4 && mid_is(a[2].mid, "k") && text_is(a[2].why, "overrun") && a[2].plan == 4, "a `skip`");
	ok(s[0].kind == ANSWER_CTRL && s[0].mid == NONE && text_is(s[0].id, "7") && s[0].code == 202 && s[0].seq == 9 && s[0].bytes == NO_TIME &&
		text_is(s[0].text, "accepted"),
	    "a `ctrl` by id, a number being the text that it is written as");
	ok(s[1].kind == ANSWER_FAIL && mid_is(s[1].mid, "m") && s[1].id == NONE && text_is(s[1].why, "write") && s[1].bytes == 0 &&
		text_is(s[1].text, "EPIPE") && s[1].code == NO_TIME,
	    "a `fail`");
}

static void
agents_own(void)
{
	const struct ledger *l = &run.ledger;
	const struct note *n = l->notes.v;

	ok(l->conns.n == 1 && l->conns.v[0].state == CONN_REFUSED && account_is(l->conns.v[0].who, "v") && l->conns.v[0].code == 503 &&
		text_is(l->conns.v[0].pod, "p-0") && text_is(l->conns.v[0].why, "busy") && text_is(l->conns.v[0].peer, "x"),
	    "a `conn`; a state that nobody knows is none");
	if (!ok(l->notes.n == 5, "notes"))
		return;
	ok(n[0].kind == NOTE_START && n[0].t == 1 && n[0].agent == 0, "`start`");
	ok(n[1].kind == NOTE_CLOCK && n[1].agent == 1 && n[1].a == -5 && n[1].b == 6 && text_is(n[1].text, "ntp"), "`clock` of the agent it names");
	ok(n[2].kind == NOTE_MARK && n[2].agent == 0 && text_is(n[2].text, "load_start"), "`mark` of its folder");
	ok(n[3].kind == NOTE_CALIBRATION && n[3].a == 40 && n[3].real == 5000 && text_is(n[3].text, "x:1") && n[3].text2 == NONE, "`calibration`");
	ok(n[4].kind == NOTE_END && n[4].a == 13 && text_is(n[4].text, "done"), "`end`");
	ok(l->health.n == 2 && l->health.v[0].key == KEY_cpu_pct && l->health.v[0].value == 12.5 && l->health.v[1].key == KEY_fds &&
		l->health.v[1].value == 7,
	    "`health`: a sample for each number");
	ok(l->copies.nrows > 0 && l->copies.rows[0].nodd == 1 && l->copies.rows[0].odd[0].t == 7 && l->copies.rows[0].odd[0].seq == 9 &&
		account_is(l->copies.rows[0].odd[0].account, "v"),
	    "`data`, at no member of a topic that is not listed");
}

static void
witnesses(void)
{
	const struct ledger *l = &run.ledger;

	ok(l->hists.n == 1 && l->hists.v[0].seq == 9 && mid_is(l->hists.v[0].mid, "m") && topic_is(l->hists.v[0].topic, "p"), "`hist`");
	ok(l->histqs.n == 1 && l->histqs.v[0].lo == 1 && l->histqs.v[0].hi == 9 && l->histqs.v[0].found == 8 &&
		account_is(l->histqs.v[0].by, "v") && text_is(l->histqs.v[0].status, "complete"),
	    "`histq`");
	ok(l->rows.n == 3 && l->rows.v[0].seq == 9 && text_is(l->rows.v[0].table, "messages") && text_is(l->rows.v[0].id, "11") &&
		l->rows.v[0].created == 1500000000 && l->rows.v[0].check == 2,
	    "`row`, created by a text");
	ok(l->rows.n == 3 && l->rows.v[1].created == 77 && l->rows.v[1].id == NONE && l->rows.v[1].check == 1, "`row`, created by a number");
	ok(l->rows.n == 3 && l->rows.v[2].created == NO_TIME, "`row`, created by a text without zone");
	ok(l->queries.n == 2 && !l->queries.v[0].deads && !l->queries.v[0].complete && l->queries.v[0].count == 3 &&
		l->queries.v[0].kind == KIND_GROUP && text_is(l->queries.v[0].text, "SELECT") && l->queries.v[0].check == 1,
	    "`rows`");
	ok(l->queries.n == 2 && l->queries.v[1].deads && l->queries.v[1].complete && l->queries.v[1].count == 1 && l->queries.v[1].check == 2,
	    "`deads`");
	ok(l->deads.n == 1 && l->deads.v[0].code == 1264 && l->deads.v[0].replayed && text_is(l->deads.v[0].error, "too long") &&
		text_is(l->deads.v[0].topic, "p") && text_is(l->deads.v[0].kafka_topic, "k"),
	    "`dead`");
	ok(l->columns.n == 1 && l->columns.v[0].nullable == 1 && text_is(l->columns.v[0].name, "seq") && text_is(l->columns.v[0].extra, "e"),
	    "`column`");
	ok(l->statuses.n == 1 && text_is(l->statuses.v[0].value, "5") && text_is(l->statuses.v[0].server, "db-0"), "`status`, as written");
	is_int((intmax_t)l->files[read_run_file("db/r.jsonl")].n.events, 11, "`lag` is an event too");
}

/* ------------------------------------------------------------------ accounts and topics */

static void
members(void)
{
	const struct ledger *l = &run.ledger;
	const struct topic *t;
	struct slice list = SLICE("");

	run_dir_clear();
	run_dir_put("agents/a/l.jsonl", "{\"ev\":\"mark\",\"t\":1,\"name\":\"x\"}\n");
	run_dir_put("run.json", "{\"agents\":[\"z\",\"a\"]}");
	run_dir_put("accounts.jsonl", "{\"account\":\"u1\",\"agent\":\"m\",\"user\":\"usr1\"}\n{\"account\":\"u2\"}\n");
	run_dir_put("topics.jsonl",
	    "{\"topic\":\"p\",\"kind\":\"p2p\",\"members\":[\"u1\",\"u2\"],\"offline_members\":5}\n"
	    "{\"topic\":\"twice\",\"kind\":\"group\",\"members\":[\"u1\",\"u2\",\"u1\"]}\n"
	    "{\"topic\":\"p\",\"kind\":\"p2p\",\"members\":[\"u2\",\"u1\"]}\n"
	    "{\"topic\":\"torn\",\"kind\":\"group\",\"members\":[\"u1\",\"u2\"]}\n"
	    "{\"topic\":\"torn\",\"kind\":\"group\",\"members\":[\"u1\"]}\n"
	    "{\"topic\":\"torn\",\"kind\":\"group\",\"members\":[\"u1\",\"u2\"]}\n"
	    "{\"topic\":\"kinds\",\"kind\":\"group\",\"members\":[\"u1\"]}\n{\"topic\":\"kinds\",\"kind\":\"p2p\",\"members\":[\"u1\"]}\n"
	    "{\"topic\":\"odd\",\"kind\":\"p2p\",\"members\":[\"u1\",7]}\n{\"topic\":\"empty\",\"kind\":\"group\",\"members\":[]}\n"
	    "{\"topic\":\"large\",\"kind\":\"group\",\"members\":[\"v0\",\"v1\",\"v2\",\"v3\",\"v4\",\"v5\",\"v6\",\"v7\",\"v8\",\"u2\"]}\n");
	read_run(1);
	is_int((intmax_t)l->agents.n, 3, "agents of the plan, the folders and the accounts");
	for (size_t i = 0; i < l->agents.n; i++)
		ok(slice_eq(l->agents.v[i].name, slice_of((const char *const[]){ "a", "m", "z" }[i])) && l->agents.v[i].planned == (i != 1) &&
			l->agents.v[i].present == (i == 0),
		    "agent %zu, in order; planned, present", i);
	ok(l->accounts.v[0].agent == 1 && l->accounts.v[0].listed && text_is(l->accounts.v[0].user, "usr1"), "an account and its agent");
	ok(l->accounts.v[1].agent == NONE && l->accounts.v[1].listed, "one without agent");
	t = &l->topics.v[0];
	ok(t->listed && !t->torn && t->kind == KIND_P2P && t->nmembers == 2 && t->members[0] == 0 && t->members[1] == 1 && t->offline_members == 5,
	    "a topic, listed again with the same members in another order");
	ok(l->topics.v[1].nmembers == 2, "a member named twice is one");
	ok(l->topics.v[2].torn && !l->topics.v[2].listed && l->topics.v[2].nmembers == 0, "other members: listed no more");
	ok(l->topics.v[3].torn, "another kind likewise");
	ok(!l->topics.v[4].listed && l->files[read_run_file("topics.jsonl")].n.rejected == 1, "members that are no names are rejected");
	ok(l->topics.v[5].listed && l->topics.v[5].nmembers == 0, "a topic without members");
	t = &l->topics.v[6];
	ok(t->nmembers == 10 && topic_member(t, 1) == 9 && topic_member(t, 0) == NONE && topic_member(t, 2) == 0 && topic_member(t, 9999) == NONE,
	    "members of a large topic");
	ok(topic_member(&l->topics.v[0], 1) == 1 && topic_member(&l->topics.v[0], 2) == NONE, "of a small one");
	ok(ledger_agent_find(l, SLICE("z")) == 2 && ledger_agent_find(l, list) == NONE, "agents by name");
}

/* ------------------------------------------------------------------ stretches */

static void
stretches(void)
{
	const struct ledger_agent *a;

	run_dir_clear();
	run_dir_put("agents/a/1.jsonl",
	    "{\"ev\":\"mark\",\"t\":5,\"name\":\"x\"}\n{\"ev\":\"start\",\"t\":10,\"agent\":\"a\"}\n{\"ev\":\"mark\",\"t\":12,\"name\":\"x\"}\n");
	run_dir_put("agents/a/2.jsonl",
	    "{\"ev\":\"start\",\"t\":30,\"agent\":\"a\"}\n{\"ev\":\"mark\",\"t\":33,\"name\":\"x\"}\n{\"ev\":\"mark\",\"t\":20,\"name\":\"x\"}\n");
	read_run(2);
	a = &run.ledger.agents.v[0];
	ok(a->first_t == 5 && a->last_t == 33, "first and last line of an agent");
	if (!ok(a->stretches.n == 3, "stretches by `start`, and what lies before the first"))
		return;
	ok(a->stretches.v[0].no_start && a->stretches.v[0].start == 5 && a->stretches.v[0].last == 5, "before the first");
	ok(a->stretches.v[1].start == 10 && a->stretches.v[1].last == 20, "a line of another file belongs here by its time");
	ok(a->stretches.v[2].start == 30 && a->stretches.v[2].last == 33, "the last");
}

int
main(void)
{
	read_both();
	sending();
	agents_own();
	witnesses();
	members();
	stretches();
	read_run_done();
	return done();
}
