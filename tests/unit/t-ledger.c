/* From lines to the ledger: what every event leaves there, whose it is, and who is a member of what. */
#include "config.h"

#include "base/buf.h"
#include "ingest/record.h"
#include "read-run.h"
#include "tap.h"

/* Values behind one another, "-" for what is not there. `kinds` has a letter for each: n a number or time (int64_t); m, p, a and x the
 * name of a mid, topic, account and text (uint32_t). */
static const char *
said(const char *kinds, ...)
{
	static struct buf out = BUF_INIT(4096);
	const struct ledger *l = &run.ledger;
	va_list ap;

	buf_clear(&out);
	va_start(ap, kinds);
	for (const char *k = kinds; *k != '\0'; k++) {
		const struct intern *names = *k == 'm' ? &l->mids :
		    *k == 'p'			       ? &l->topics_by :
		    *k == 'a'			       ? &l->accounts_by :
							 &l->texts;
		int64_t n = *k == 'n' ? va_arg(ap, int64_t) : va_arg(ap, uint32_t);

		if (k > kinds)
			buf_add_char(&out, ' ');
		if (*k == 'n' ? n == NO_TIME : n == NONE)
			buf_add_char(&out, '-');
		else if (*k == 'n')
			buf_addf(&out, "%" PRId64, n);
		else
			buf_add_slice(&out, names->names.v[n]);
	}
	va_end(ap);
	return out.p;
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

static const char *
attempt(size_t i)
{
	const struct attempt *a = &run.ledger.attempts.v[i];

	return said("nnmpannnxxx", (int64_t)a->kind, a->t, a->mid, a->topic, a->from, a->plan, a->try, a->size, a->id, a->sc,
	    a->why);
}

static const char *
answer(size_t i)
{
	const struct answer *a = &run.ledger.answers.v[i];

	return said("nnmxnnnxx", (int64_t)a->kind, a->t, a->mid, a->id, a->code, a->seq, a->bytes, a->why, a->text);
}

static void
sending(void)
{
	const struct ledger *l = &run.ledger;

	if (!ok(l->attempts.n == 3 && l->answers.n == 2, "attempts and answers"))
		return;
	is_str(attempt(0), "0 2 m p u 1 3 90 i7 s -", "a whole `pub`");
	ok(place_file(l->attempts.v[0].place) == read_run_file("agents/a/l.jsonl") && place_line(l->attempts.v[0].place) == 2,
	    "its place");
	is_str(attempt(1), "0 3 m p u - - - - - -", "a bare one");
	is_str(attempt(2), "1 4 k p u 4 - - - s overrun", "a `skip`");
	is_str(answer(0), "0 5 - 7 202 9 - - accepted", "a `ctrl` by id, a number being the text that it is written as");
	is_str(answer(1), "1 6 m - - - 0 write EPIPE", "a `fail`");
}

static const char *
note(size_t i)
{
	const struct note *n = &run.ledger.notes.v[i];

	return said("nnnxxnnn", (int64_t)n->kind, n->t, (int64_t)n->agent, n->text, n->text2, n->a, n->b, (int64_t)n->real);
}

static void
agents_own(void)
{
	const struct ledger *l = &run.ledger;
	const struct conn *c = l->conns.v;
	const struct health *h = l->health.v;
	const struct copy *d = l->copies.rows[0].odd;

	if (!ok(l->conns.n == 1 && l->notes.n == 5 && l->health.n == 2 && l->copies.rows[0].nodd == 1,
		"what agents write of themselves"))
		return;
	is_str(said("nnaxnxx", (int64_t)c->state, c->t, c->who, c->pod, c->code, c->why, c->peer), "3 8 v p-0 503 busy x",
	    "a `conn`; a state that nobody knows is none");
	is_str(note(0), "0 1 0 - - 0 0 0", "`start`");
	is_str(note(1), "3 10 1 ntp - -5 6 0", "`clock`, of the agent that it names");
	is_str(note(2), "2 12 0 load_start - 0 0 0", "`mark`, of its folder");
	is_str(note(3), "4 13 0 x:1 - 40 0 5000", "`calibration`");
	is_str(note(4), "1 14 0 done - 13 0 0", "`end`");
	ok(h[0].key == KEY_cpu_pct && h[0].value == 12.5 && h[1].key == KEY_fds && h[1].value == 7,
	    "`health`: a sample for each number");
	is_str(said("npan", d->t, d->topic, d->account, d->seq), "7 p v 9", "`data`, on a topic that is not listed");
}

static const char *
row(size_t i)
{
	const struct row *r = &run.ledger.rows.v[i];

	return said("xmpnxnn", r->table, r->mid, r->topic, r->seq, r->id, r->created, r->check);
}

static const char *
query(size_t i)
{
	const struct query *q = &run.ledger.queries.v[i];

	return said("nnxnnnnx", (int64_t)q->deads, q->t, q->table, (int64_t)q->complete, q->count, q->check, (int64_t)q->kind,
	    q->text);
}

static void
witnesses(void)
{
	const struct ledger *l = &run.ledger;
	const struct hist *h = l->hists.v;
	const struct histq *q = l->histqs.v;
	const struct dead *d = l->deads.v;
	const struct column *c = l->columns.v;
	const struct status *s = l->statuses.v;

	if (!ok(l->hists.n == 1 && l->histqs.n == 1 && l->rows.n == 3 && l->queries.n == 2 && l->deads.n == 1 &&
		    l->columns.n == 1 && l->statuses.n == 1,
		"history and database"))
		return;
	is_str(said("nmpn", h->t, h->mid, h->topic, h->seq), "20 m p 9", "`hist`");
	is_str(said("npannxn", q->t, q->topic, q->by, q->lo, q->hi, q->status, q->found), "21 p v 1 9 complete 8", "`histq`");
	is_str(row(0), "messages m p 9 11 1500000000 2", "`row`, created by a text");
	is_str(row(1), "messages m p 9 - 77 1", "`row`, created by a number");
	is_str(row(2), "messages m p 9 - - 1", "`row`, created by a text without zone");
	is_str(query(0), "0 22 messages 0 3 1 2 SELECT", "`rows`");
	is_str(query(1), "1 24 - 1 1 2 0 -", "`deads`");
	is_str(said("nmxnxxn", d->t, d->mid, d->error, d->code, d->topic, d->kafka_topic, (int64_t)d->replayed),
	    "23 m too long 1264 p k 1", "`dead`");
	is_str(said("xxxnx", c->table, c->name, c->type, c->nullable, c->extra), "messages seq int 1 e", "`column`");
	is_str(said("nxxx", s->t, s->name, s->value, s->server), "25 Com_insert 5 db-0", "`status`, as written");
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
		ok(slice_eq(l->agents.v[i].name, slice_of((const char *const[]){ "a", "m", "z" }[i])) &&
			l->agents.v[i].planned == (i != 1) && l->agents.v[i].present == (i == 0),
		    "agent %zu, in order; planned, present", i);
	ok(l->accounts.v[0].agent == 1 && l->accounts.v[0].listed &&
		slice_eq(ledger_text_slice(l, l->accounts.v[0].user), SLICE("usr1")),
	    "an account and its agent");
	ok(l->accounts.v[1].agent == NONE && l->accounts.v[1].listed, "one without agent");
	t = &l->topics.v[0];
	ok(t->listed && !t->torn && t->kind == KIND_P2P && t->nmembers == 2 && t->members[0] == 0 && t->members[1] == 1 &&
		t->offline_members == 5,
	    "a topic, listed again with the same members in another order");
	ok(l->topics.v[1].nmembers == 2, "a member named twice is one");
	ok(l->topics.v[2].torn && !l->topics.v[2].listed && l->topics.v[2].nmembers == 0, "other members: listed no more");
	ok(l->topics.v[3].torn, "another kind likewise");
	ok(!l->topics.v[4].listed && l->files[read_run_file("topics.jsonl")].n.rejected == 1,
	    "members that are no names are rejected");
	ok(l->topics.v[5].listed && l->topics.v[5].nmembers == 0, "a topic without members");
	t = &l->topics.v[6];
	ok(t->nmembers == 10 && topic_member(t, 1) == 9 && topic_member(t, 0) == NONE && topic_member(t, 2) == 0 &&
		topic_member(t, 9999) == NONE,
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
