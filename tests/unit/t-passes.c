/* However a run is read - at once, again for the sake of ties, in parts of its members, by several threads - the store says the same.
 *
 * The run has what makes that hard: a clock of milliseconds, so that many arrivals are equal; further copies in the same millisecond;
 * lines written twice, in one file and over two; copies with seqs of their own, on other topics, at strangers, late and after
 * reconcile_start; foreign mids; topics of 2, 40 and 300 members over four agents of two files each. */
#include "config.h"

#include <stdlib.h>

#include "base/buf.h"
#include "classify/reconcile.h"
#include "query.h"
#include "run-dir.h"
#include "tap.h"

#define MS INT64_C(1000000)
#define T0 (INT64_C(1790000000) * 1000 * MS)
#define AGENTS 4u
#define FILES (AGENTS * 2)
#define PEOPLE 300u
#define MESSAGES 220u
#define MIB ((size_t)1 << 20)

static struct buf files[FILES];
static uint64_t state = 2463534242u;

static unsigned
below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % n);
}

static bool
one_in(unsigned n)
{
	return below(n) == 0;
}

/* ------------------------------------------------------------------ the run */

/* Who is in which topic: 0 is everybody, 1 every seventh, the others are pairs. */
static unsigned
members_of(unsigned topic)
{
	return topic == 0 ? PEOPLE : topic == 1 ? PEOPLE / 7 : 2;
}

static unsigned
member(unsigned topic, unsigned i)
{
	return topic == 0 ? i : topic == 1 ? i * 7 : topic * 2 + i;
}

/* A line into some file of the agent that watches the account; now and then twice. */
__attribute__((format(printf, 2, 3))) static void
write_line(unsigned account, const char *fmt, ...)
{
	char line[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (int times = one_in(40) ? 2 : 1; times > 0; times--) {
		struct buf *f = &files[account % AGENTS * 2 + below(2)];

		buf_add_str(f, line);
		buf_add_char(f, '\n');
	}
}

static void
deliver(unsigned mid, unsigned topic, unsigned seq, unsigned to, int64_t t)
{
	unsigned on = one_in(150) ? !topic : topic;

	if (one_in(60))
		seq += below(3);
	write_line(to, "{\"ev\":\"data\",\"t\":%" PRId64 ",\"mid\":\"m%u\",\"topic\":\"t%u\",\"seq\":%u,\"to\":\"u%u\"}", t, mid,
	    on, seq, to);
}

static void
send_message(unsigned mid)
{
	unsigned topic = mid % 5 == 0 ? 0 : mid % 5 < 3 ? 1 : 2 + mid % 9;
	unsigned from = member(topic, below(members_of(topic))), seq = mid + 1;
	int64_t t = T0 + mid * 40 * MS;

	write_line(from, "{\"ev\":\"pub\",\"t\":%" PRId64 ",\"mid\":\"m%u\",\"topic\":\"t%u\",\"from\":\"u%u\"}", t, mid, topic,
	    from);
	if (!one_in(8))
		write_line(from, "{\"ev\":\"ctrl\",\"t\":%" PRId64 ",\"mid\":\"m%u\",\"code\":202,\"seq\":%u}", t + 3 * MS, mid,
		    seq);
	for (unsigned i = 0; i < members_of(topic); i++) {
		unsigned to = member(topic, i);
		int64_t at = t + (int64_t)below(120) * MS;

		if (one_in(30))
			continue;
		if (one_in(50))
			at += (one_in(2) ? 40 : 400) * 1000 * MS; /* late, or an answer to the read-back */
		deliver(mid, topic, seq, to, at);
		if (one_in(25))
			deliver(mid, topic, seq, to, at + (int64_t)below(2) * MS);
		if (one_in(200))
			deliver(mid, topic, seq, below(PEOPLE + 9), at);
		if (one_in(300))
			deliver(100000 + mid, topic, seq, to, at);
	}
}

static void
make_run(void)
{
	struct buf topics = BUF_INIT(1 << 20);
	char path[40];

	run_dir_clear();
	for (unsigned f = 0; f < FILES; f++) {
		files[f] = (struct buf)BUF_INIT(16 << 20);
		buf_addf(&files[f], "{\"ev\":\"start\",\"t\":%" PRId64 ",\"agent\":\"a%u\"}\n", T0 - 1000 * MS, f / 2);
	}
	for (unsigned i = 0; i < PEOPLE; i++)
		write_line(i, "{\"ev\":\"conn\",\"t\":%" PRId64 ",\"who\":\"u%u\",\"state\":\"%s\"}", T0 - 900 * MS, i,
		    i % 50 ? "ready" : "refused");
	for (unsigned mid = 0; mid < MESSAGES; mid++)
		send_message(mid);
	for (unsigned f = 0; f < FILES; f++) {
		buf_addf(&files[f], "{\"ev\":\"end\",\"t\":%" PRId64 ",\"agent\":\"a%u\"}\n", T0 + 600 * 1000 * MS, f / 2);
		snprintf(path, sizeof(path), "agents/a%u/%u.jsonl", f / 2, f % 2);
		run_dir_bytes(path, buf_slice(&files[f]));
		buf_done(&files[f]);
	}
	for (unsigned t = 0; t < 11; t++) {
		buf_addf(&topics, "{\"topic\":\"t%u\",\"kind\":\"%s\",\"members\":[", t, t < 2 ? "group" : "p2p");
		for (unsigned i = 0; i < members_of(t); i++)
			buf_addf(&topics, "%s\"u%u\"", i > 0 ? "," : "", member(t, i));
		buf_add_str(&topics, "]}\n");
	}
	run_dir_bytes("topics.jsonl", buf_slice(&topics));
	buf_done(&topics);
	run_dir_put("timeline.json", "{\"reconcile_start\":%" PRId64 "}", T0 + 300 * 1000 * MS);
}

/* ------------------------------------------------------------------ what the store says of it */

/* Blocks and the first copies beside them may be cut in another way: these are read through the virtual tables. */
static const char tables_sql[] =
    "SELECT group_concat(name, ' ') FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND "
    "name NOT IN ('delivery_block', 'extra_copy')";
static const char copies_sql[] =
    "SELECT message_no, account_no, t, kind, seq, topic_no FROM main.extra_copy WHERE kind <> 'first' ORDER BY 1, 2, 3, 4, 5, 6";
#define DUMPS_MAX 64

struct dump {
	struct buf text[DUMPS_MAX];
	char name[DUMPS_MAX][40];
	unsigned n;
};

static void
dump_query(struct store *s, struct dump *d, const char *name, const char *sql)
{
	sqlite3_stmt *st = NULL;
	struct buf *out = &d->text[d->n];
	int rc = sqlite3_prepare_v2(store_db(s), sql, -1, &st, NULL);

	*out = (struct buf)BUF_INIT(64 << 20);
	snprintf(d->name[d->n++], sizeof(d->name[0]), "%s", name);
	while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			buf_add_slice(out, store_column_slice(st, i));
			buf_add_char(out, '|');
		}
		buf_add_char(out, '\n');
		rc = SQLITE_OK;
	}
	sqlite3_finalize(st);
	if (rc != SQLITE_DONE || out->failed != IMP_OK) {
		printf("Bail out! %s: %s\n", sql, sqlite3_errmsg(store_db(s)));
		exit(1);
	}
}

static void
dump_store(struct store *s, struct dump *d)
{
	char names[4096], sql[200], *rest = names;
	const char *name;

	d->n = 0;
	snprintf(names, sizeof(names), "%s", query_text(s, tables_sql));
	while ((name = strsep(&rest, " ")) != NULL) {
		snprintf(sql, sizeof(sql), "SELECT * FROM main.\"%s\"", name);
		dump_query(s, d, name, sql);
	}
	dump_query(s, d, "extra_copy", copies_sql);
	if (store_select_run(s, 1, NULL) != IMP_OK)
		run_dir_bail("select run");
	dump_query(s, d, "delivery", "SELECT * FROM delivery ORDER BY mid, receiver, t");
	dump_query(s, d, "missing", "SELECT * FROM missing ORDER BY mid, receiver");
	dump_query(s, d, "duplicate", "SELECT * FROM duplicate ORDER BY mid, receiver, t");
}

static void
dump_done(struct dump *d)
{
	for (unsigned i = 0; i < d->n; i++)
		buf_done(&d->text[i]);
	d->n = 0;
}

static struct dump want, got;
static struct reconcile_result result;
static struct imp_err err;

static enum imp_rc
ingest(unsigned threads, uint64_t lines_at_once, size_t memory, struct dump *ret)
{
	const struct reconcile_options opt = {
		.memory_max = memory,
		.threads = threads,
		.line_max = 1 << 20,
		.hash = true,
		.lines_at_once = lines_at_once,
	};
	struct store *s = NULL;
	enum imp_rc rc = store_open(":memory:", STORE_WRITE, 0, &s, &err);

	if (rc == IMP_OK)
		rc = reconcile_directory(s, run_dir, &opt, &result, &err);
	dump_done(ret);
	if (rc == IMP_OK)
		dump_store(s, ret);
	else if (s != NULL)
		is_str(query_text(s, "SELECT count(*) FROM main.run"), "0", "what fails leaves nothing in the store");
	store_close(s);
	return rc;
}

/* All tables are those of the first reading. */
static void
same(enum imp_rc rc, const char *what)
{
	bool equal = rc == IMP_OK && got.n == want.n;

	for (unsigned i = 0; equal && i < got.n; i++) {
		equal = slice_eq(buf_slice(&got.text[i]), buf_slice(&want.text[i]));
		if (!equal)
			printf("# table %s differs\n", want.name[i]);
	}
	if (!ok(equal, "%s: the same store", what) && rc != IMP_OK)
		printf("# %s\n", err.msg);
}

static size_t
rows_of(const char *table)
{
	size_t n = 0;

	for (unsigned i = 0; i < want.n; i++) {
		for (size_t k = 0; strcmp(want.name[i], table) == 0 && k < want.text[i].n; k++)
			n += want.text[i].p[k] == '\n';
	}
	return n;
}

static void
at_once(void)
{
	ok(ingest(1, 0, RECONCILE_MEMORY_DEFAULT, &want) == IMP_OK && result.passes == 1, "read at once");
	ok(want.n > 30 && rows_of("message") == MESSAGES && rows_of("delivery") > 10000 && rows_of("missing") > 100 &&
		rows_of("duplicate") > 100 && rows_of("history") > 50 && rows_of("extra_copy") > 100,
	    "a run with everything in it");
	same(ingest(2, 0, RECONCILE_MEMORY_DEFAULT, &got), "two threads");
	same(ingest(3, 0, RECONCILE_MEMORY_DEFAULT, &got), "three threads");
}

static void
for_the_sake_of_ties(void)
{
	same(ingest(1, 1, RECONCILE_MEMORY_DEFAULT, &got), "without lines at first");
	is_int(result.passes, 2, "ties ask for them: two passes");
	same(ingest(3, 1, RECONCILE_MEMORY_DEFAULT, &got), "the same with three threads");
}

/* Ever less memory, until it is too little. */
static void
in_parts(uint64_t lines_at_once, const char *what)
{
	unsigned most = 0, i = 0;
	enum imp_rc rc = IMP_OK;

	for (size_t memory = 23 * MIB + MIB / 2; rc == IMP_OK && most < 20; memory -= 64 << 10) {
		char name[100];

		rc = ingest(i++ % 3 + 1, lines_at_once, memory, &got);
		snprintf(name, sizeof(name), "%s, %zu KiB: %u passes", what, memory >> 10, result.passes);
		if (rc == IMP_OK)
			same(rc, name);
		most = result.passes > most ? result.passes : most;
	}
	ok(most > 2, "%s: up to %u passes", what, most);
}

static void
too_little(void)
{
	is_int(ingest(1, 0, 22 * MIB + (16 << 10), &got), IMP_E_LIMIT, "too little memory is a limit");
	ok(strstr(err.msg, "MiB are needed") != NULL && err.hint[0] != '\0', "that names the need: %s", err.msg);
}

int
main(void)
{
	make_run();
	at_once();
	for_the_sake_of_ties();
	in_parts(0, "in parts");
	in_parts(1, "in parts, without lines at first");
	too_little();
	dump_done(&want);
	dump_done(&got);
	return done();
}
