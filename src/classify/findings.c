#include "config.h"

#include "classify/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "sql_gen.h"

#define DETAIL_MAX 1024
#define NAMES_SHOWN 5 /* names in one sentence */

struct finding {
	const char *id;
	uint64_t count;
	uint32_t file; /* NONE: no single place */
	int64_t line;
};

struct findings {
	struct out *o;
	const struct run *r;
	struct buf text;
	int64_t n;
};

/* The sentence stands in f->text. */
static void
put(struct findings *f, struct finding it)
{
	if (f->text.failed == IMP_E_LIMIT)
		buf_clear(&f->text); /* names too long to be shown: the figures stand in the other columns */
	if (f->o->rc == IMP_OK)
		f->o->rc = buf_status(&f->text, f->o->err);
	out_begin(f->o, sql_classify_insert_finding);
	out_int(f->o, f->n++);
	out_str(f->o, it.id);
	out_text(f->o, buf_slice(&f->text));
	out_int(f->o, it.count <= INT64_MAX ? (int64_t)it.count : INT64_MAX);
	out_number(f->o, it.file);
	if (it.file == NONE || it.line == 0)
		out_null(f->o);
	else
		out_int(f->o, it.line);
	out_end(f->o);
	buf_clear(&f->text);
}

/* Names behind one another, the first few of them. */
static void
add_name(struct findings *f, size_t i, size_t n, struct slice name)
{
	if (i < NAMES_SHOWN)
		buf_addf(&f->text, "%s%.*s", i > 0 ? ", " : " ", (int)(name.n < 80 ? name.n : 80), name.p);
	else if (i == NAMES_SHOWN)
		buf_addf(&f->text, " and %zu more", n - NAMES_SHOWN);
}

/* ------------------------------------------------------------------ lines lost */

/* How far apart two numbers are, whatever they are. */
static uint64_t
distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static void
agents_records(struct findings *f)
{
	const struct run *r = f->r;

	for (uint32_t a = 0; a < r->ledger->agents.n; a++) {
		const struct run_agent *agent = &r->agents[a];
		size_t n = agent->stretches.n;
		struct slice name = r->ledger->agents.v[a].name;
		int64_t before_end = (int64_t)agent->records - 1;

		/* a ledger that was cut after its last `end` has no count to compare with */
		if (agent->records_stated == NO_TIME || n == 0 || !agent->stretches.v[n - 1].ended ||
		    agent->records_stated == before_end)
			continue;
		buf_addf(&f->text, "agent %.*s wrote %" PRId64 " lines before its `end`, %" PRId64 " are here",
		    (int)(name.n < 80 ? name.n : 80), name.p, agent->records_stated, before_end);
		put(f, (struct finding){ "ledger.lines_lost", distance(agent->records_stated, before_end), NONE, 0 });
	}
}

static void
orphans(struct findings *f)
{
	const struct run *r = f->r;
	struct slice prefix = r->ledger->plan->mid_prefix;
	uint64_t n = 0;
	struct slice example = { NULL, 0 };

	for (uint32_t mid = 0; mid < r->ledger->mids.names.n && prefix.n > 0; mid++) {
		struct slice name = r->ledger->mids.names.v[mid];

		if (r->message_of_mid[mid] != NONE || !slice_has_prefix(name, prefix))
			continue;
		if (n++ == 0 || slice_cmp(name, example) < 0)
			example = name;
	}
	if (n > 0) {
		buf_addf(&f->text,
		    "%" PRIu64 " mids of this run stand in answers, deliveries or rows, but in no `pub` or `skip`, such as", n);
		add_name(f, 0, 1, example);
		put(f, (struct finding){ "ledger.lines_lost", n, NONE, 0 });
	}
	if (r->lost_pubs > 0) {
		buf_addf(&f->text, "%" PRIu64 " messages have an answer, but only `skip` lines: their `pub` is lost", r->lost_pubs);
		put(f, (struct finding){ "ledger.lines_lost", r->lost_pubs, NONE, 0 });
	}
}

/* ------------------------------------------------------------------ files and names */

struct hashed_file {
	const unsigned char *sha256;
	uint32_t file;
};

static int
hashed_file_cmp(const void *va, const void *vb)
{
	const struct hashed_file *a = va, *b = vb;
	int c = memcmp(a->sha256, b->sha256, 32);

	return c != 0 ? c : (a->file > b->file) - (a->file < b->file);
}

/* Ledgers of different agents with the same content. */
static void
equal_files(struct findings *f)
{
	const struct ledger *l = f->r->ledger;
	CLEANUP(freep) struct hashed_file *v = calloc(l->inputs->v.n + 1, sizeof(*v));
	size_t n = 0;

	if (v == NULL && f->o->rc == IMP_OK)
		f->o->rc = imp_err_set(f->o->err, IMP_E_NOMEM, "out of memory");
	for (uint32_t i = 0; i < l->inputs->v.n && v != NULL; i++) {
		if (l->files[i].hashed && l->files[i].agent != NONE && l->files[i].n.events > 0)
			v[n++] = (struct hashed_file){ l->files[i].sha256, i };
	}
	if (n > 1)
		qsort(v, n, sizeof(*v), hashed_file_cmp);
	for (size_t i = 1; i < n; i++) {
		if (memcmp(v[i].sha256, v[i - 1].sha256, 32) != 0 || l->files[v[i].file].agent == l->files[v[i - 1].file].agent)
			continue;
		buf_addf(&f->text, "%s of another agent has the same content", l->inputs->v.v[v[i - 1].file].path);
		put(f, (struct finding){ "ledger.equal_files", 1, v[i].file, 0 });
	}
}

static void
vanished_files(struct findings *f, const struct slice *vanished, size_t n)
{
	if (n == 0)
		return;
	buf_addf(&f->text, "%zu files were part of this run when it was ingested before and are gone:", n);
	for (size_t i = 0; i < n; i++)
		add_name(f, i, n, vanished[i]);
	put(f, (struct finding){ "input.vanished", n, NONE, 0 });
}

static int
slice_order(const void *a, const void *b)
{
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

static void
unknown_events(struct findings *f)
{
	const struct ledger *l = f->r->ledger;
	size_t n = l->unknown_evs.n;
	struct slice *names = calloc(n + 1, sizeof(*names));
	uint64_t lines = 0;

	for (size_t i = 0; i < l->inputs->v.n; i++)
		lines += l->files[i].n.unknown_events;
	for (size_t i = 0; i < n && names != NULL; i++)
		names[i] = ledger_text_slice(l, l->unknown_evs.v[i]);
	if (names == NULL && f->o->rc == IMP_OK)
		f->o->rc = imp_err_set(f->o->err, IMP_E_NOMEM, "out of memory");
	if (names != NULL && n > 0) {
		qsort(names, n, sizeof(*names), slice_order);
		buf_addf(&f->text, "%" PRIu64 " lines have an `ev` that the format does not know:", lines);
		for (size_t i = 0; i < n; i++)
			add_name(f, i, n, names[i]);
		put(f, (struct finding){ "ledger.unknown_events", lines, NONE, 0 });
	}
	free(names);
}

static void
torn_topics(struct findings *f)
{
	const struct run *r = f->r;
	size_t n = 0, shown = 0;

	for (uint32_t i = 0; i < r->ledger->topics.n; i++)
		n += r->ledger->topics.v[i].torn;
	if (n == 0)
		return;
	buf_addf(&f->text, "%zu topics are listed twice with different members, so nobody is expected there:", n);
	for (uint32_t i = 0; i < r->ledger->topics.n; i++) {
		if (r->ledger->topics.v[r->topic_at[i]].torn)
			add_name(f, shown++, n, r->ledger->topics_by.names.v[r->topic_at[i]]);
	}
	put(f, (struct finding){ "plan.topic_listed_twice", n, NONE, 0 });
}

void
findings_write(struct out *o, const struct run *r, const struct slice *vanished, size_t nvanished)
{
	struct findings f = { .o = o, .r = r, .text = BUF_INIT(DETAIL_MAX) };

	agents_records(&f);
	orphans(&f);
	equal_files(&f);
	vanished_files(&f, vanished, nvanished);
	unknown_events(&f);
	torn_topics(&f);
	if (r->no_scenario > 0) {
		buf_addf(&f.text, "%" PRIu64 " messages fit no scenario: they count in the total alone", r->no_scenario);
		put(&f, (struct finding){ "message.no_scenario", r->no_scenario, NONE, 0 });
	}
	buf_done(&f.text);
}
