#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/sources.h"
#include "sql_gen.h"

struct options {
	const char *run, *zone;
};

static const struct opt opts[] = {
	{ "run", 0, OPT_TEXT, offsetof(struct options, run), "ID", "the run (default: the one ingested last)" },
	{ "tz", 0, OPT_TEXT, offsetof(struct options, zone), "ZONE", "show times in a second zone too: +08:00, Asia/Shanghai" },
	{ .name = NULL },
};

/* One thing that happened: its line is complete but for where it stands. */
struct event {
	bool timed;
	int64_t t;
	size_t order;	   /* among equals */
	size_t start, end; /* of its words in explanation.words */
	struct slice path; /* p NULL: the line was not found again */
	int64_t line;
	enum source_state state;
};

struct explanation {
	struct store *store;
	const struct time_zone *zone; /* NULL: UTC alone */
	struct sources sources;
	struct buf words;
	VEC(struct event) events;
	int64_t first_pub;
	bool published;
};

static const struct {
	const char *klass, *why;
} class_words[] = {
	{ "ok", "accepted, stored exactly once, and every expected receiver got it in time" },
	{ "contradiction", "refused or never sent, and yet seen, stored or dead-lettered" },
	{ "rejected", "every attempt that was written was refused" },
	{ "unsent", "nothing was written to the socket" },
	{ "integrity", "stored with another topic or seq, more than once, or under two acks or two senders" },
	{ "durable_lost", "accepted, and a complete look-up does not have it" },
	{ "dead_lettered", "accepted, and in a dead letter instead of the database" },
	{ "unverified", "accepted, but the evidence leaves open whether it is stored or who should have got it" },
	{ "lost_realtime_persisted", "accepted and stored, but some receiver never got it" },
	{ "late_persisted", "accepted and stored, but some receiver got it after the window" },
	{ "unknown_observed_persisted", "no usable answer, but seen and stored: the server took it" },
	{ "unknown_persisted", "no usable answer, nobody saw it, but it is stored" },
	{ "unknown_observed", "no usable answer, seen by somebody, not shown to be stored" },
	{ "unknown_absent", "no usable answer, seen by nobody, and a complete look-up does not have it" },
	{ "unknown_unverified", "no usable answer, seen by nobody, and no complete look-up covers it" },
};

static void
add_text(struct buf *out, const char *before, sqlite3_stmt *st, int column)
{
	if (sqlite3_column_type(st, column) == SQLITE_NULL)
		return;
	buf_add_str(out, before);
	text_add_terminal(out, store_column_slice(st, column));
}

static void
add_int(struct buf *out, const char *before, sqlite3_stmt *st, int column)
{
	if (sqlite3_column_type(st, column) != SQLITE_NULL)
		buf_addf(out, "%s%" PRId64, before, (int64_t)sqlite3_column_int64(st, column));
}

static void
add_counted(struct buf *out, sqlite3_stmt *st, int column, const char *what)
{
	if (sqlite3_column_int64(st, column) == 0)
		return;
	buf_add_str(out, ", ");
	text_add_count(out, sqlite3_column_int64(st, column));
	buf_addf(out, " %s", what);
}

/* The columns of sql/cmd/explain-message.sql. */
enum {
	M_NO,
	M_MID,
	M_TOPIC,
	M_SENDER,
	M_AGENT,
	M_SCENARIO,
	M_OUTCOME,
	M_OBSERVED,
	M_PERSISTED,
	M_CLASS,
	M_CODE,
	M_SEQ,
	M_EXPECTED,
	M_UNIQUE,
	M_LATE,
	M_UNWITNESSED,
	M_MISSING,
	M_DUPLICATE,
	M_ANOMALIES,
	M_LAST_LAYER,
	M_PLACE,
	M_EXCLUDED,
	M_FIRST_PUB,
	M_WINDOW_END,
	M_WITNESS_CONFLICT
};

static void
add_class(struct buf *out, sqlite3_stmt *st)
{
	struct slice klass = store_column_slice(st, M_CLASS);

	add_text(out, "class ", st, M_CLASS);
	for (size_t i = 0; i < sizeof(class_words) / sizeof(class_words[0]); i++)
		if (slice_eq(slice_of(class_words[i].klass), klass))
			buf_addf(out, ": %s", class_words[i].why);
	add_text(out, "\n      outcome ", st, M_OUTCOME);
	add_int(out, ", code ", st, M_CODE);
	add_int(out, ", seq ", st, M_SEQ);
	add_text(out, "; observed ", st, M_OBSERVED);
	add_text(out, "; persisted ", st, M_PERSISTED);
	buf_add_char(out, '\n');
}

static void
add_message(struct buf *out, sqlite3_stmt *st)
{
	add_text(out, "", st, M_MID);
	add_text(out, "\n      topic ", st, M_TOPIC);
	add_text(out, ", sender ", st, M_SENDER);
	add_text(out, ", agent ", st, M_AGENT);
	add_text(out, ", scenario ", st, M_SCENARIO);
	buf_add_str(out, sqlite3_column_int(st, M_EXCLUDED) != 0 ? ", warm-up: in no figure\n      " : "\n      ");
	add_class(out, st);
	buf_add_str(out, "      ");
	text_add_count(out, sqlite3_column_int64(st, M_EXPECTED));
	buf_add_str(out, " expected");
	add_counted(out, st, M_UNIQUE, "in time");
	add_counted(out, st, M_LATE, "late");
	add_counted(out, st, M_UNWITNESSED, "not witnessed");
	add_counted(out, st, M_MISSING, "missing");
	add_counted(out, st, M_DUPLICATE, "further copies");
	if (store_column_slice(st, M_ANOMALIES).n > 0)
		add_text(out, "\n      anomalies: ", st, M_ANOMALIES);
	if (sqlite3_column_int(st, M_WITNESS_CONFLICT) != 0)
		buf_add_str(out, "\n      history and database disagree about it");
	add_text(out, "\n      last seen in: ", st, M_LAST_LAYER);
	add_text(out, "; place among the stored seqs of its topic: ", st, M_PLACE);
	buf_add_str(out, "\n\n");
}

/* Begin an event whose words follow. */
static enum imp_rc
begin_event(struct explanation *x, bool timed, int64_t t, struct event *ret, struct imp_err *err)
{
	*ret = (struct event){ .timed = timed, .t = t, .order = x->events.n, .start = x->words.n };
	return VEC_RESERVE(NULL, &x->events, 1, err);
}

static enum imp_rc
end_event(struct explanation *x, struct event *e, struct imp_err *err)
{
	e->end = x->words.n;
	x->events.v[x->events.n++] = *e;
	return buf_status(&x->words, err);
}

static void
set_place(struct explanation *x, struct event *e, int64_t file_no, int64_t line)
{
	const struct source_file *f = sources_file(&x->sources, file_no);

	if (f == NULL)
		return;
	e->path = f->path;
	e->state = f->state;
	e->line = line;
}

/* The columns of sql/cmd/explain-events.sql. */
enum { E_T, E_WHAT, E_WHO, E_TOPIC, E_CODE, E_SEQ, E_WHY, E_TEXT, E_N, E_FILE, E_LINE };

static void
add_event_words(struct buf *out, sqlite3_stmt *st)
{
	static const struct {
		const char *what, *word, *who, *topic, *text, *n;
	} kinds[] = {
		{ "pub", "published", " by ", " on ", ", id ", ", try " },
		{ "skip", "not written", " by ", " on ", ", id ", ", try " },
		{ "ctrl", "answer", "", "", ": ", "" },
		{ "fail", "no answer", "", "", ": ", "" },
		{ "hist", "in history", "", " of ", "", ", times " },
		{ "row", "stored", " in ", ", topic ", ", id ", ", check " },
		{ "dead", "dead letter", " of ", ", topic ", ": ", ", check " },
		{ "look-up", "database looked up", " in ", "", ": ", ", check " },
		{ "read-back", "history read back", " by ", " of ", ", ", ", found " },
	};
	struct slice what = store_column_slice(st, E_WHAT);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!slice_eq(slice_of(kinds[i].what), what))
			continue;
		buf_add_str(out, kinds[i].word);
		add_int(out, " ", st, E_CODE);
		add_text(out, kinds[i].who, st, E_WHO);
		add_text(out, kinds[i].topic, st, E_TOPIC);
		add_int(out, ", seq ", st, E_SEQ);
		add_text(out, ", ", st, E_WHY);
		add_int(out, kinds[i].n, st, E_N);
		add_text(out, kinds[i].text, st, E_TEXT);
	}
}

static enum imp_rc
collect_events(struct explanation *x, int64_t run_no, int64_t message_no, struct imp_err *err)
{
	sqlite3_stmt *st;
	struct event e;
	bool row;
	enum imp_rc rc = store_stmt(x->store, sql_cmd_explain_events, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), run_no);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":message"), message_no);
	while ((rc = store_step_row(x->store, st, &row, err)) == IMP_OK && row) {
		rc = begin_event(x, sqlite3_column_type(st, E_T) != SQLITE_NULL, sqlite3_column_int64(st, E_T), &e, err);
		if (rc != IMP_OK)
			return rc;
		add_event_words(&x->words, st);
		set_place(x, &e, sqlite3_column_int64(st, E_FILE), sqlite3_column_int64(st, E_LINE));
		rc = end_event(x, &e, err);
		if (rc != IMP_OK)
			return rc;
	}
	return rc;
}

static enum imp_rc
collect_deliveries(struct explanation *x, int64_t message_no, struct imp_err *err)
{
	sqlite3_stmt *st;
	struct event e;
	bool row;
	enum imp_rc rc = store_stmt(x->store, sql_cmd_explain_deliveries, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, message_no);
	while ((rc = store_step_row(x->store, st, &row, err)) == IMP_OK && row) {
		const struct source_hit *hit;
		int64_t t = sqlite3_column_int64(st, 0), copy = sqlite3_column_int64(st, 4);

		rc = begin_event(x, true, t, &e, err);
		if (rc != IMP_OK)
			return rc;
		buf_addf(&x->words, "%s", copy > 1 ? "further copy" : "received");
		add_text(&x->words, " by ", st, 1);
		add_text(&x->words, " on ", st, 2);
		add_int(&x->words, ", seq ", st, 3);
		if (!slice_eq(store_column_slice(st, 5), SLICE("expected")))
			add_text(&x->words, ", ", st, 5);
		if (sqlite3_column_int(st, 6) != 0)
			buf_add_str(&x->words, ", late");
		hit = sources_take(&x->sources, store_column_slice(st, 1), t, sqlite3_column_int64(st, 3));
		if (hit != NULL)
			set_place(x, &e, x->sources.files.v[hit->file].file_no, (int64_t)hit->line);
		rc = end_event(x, &e, err);
		if (rc != IMP_OK)
			return rc;
	}
	return rc;
}

static enum imp_rc
collect_missing(struct explanation *x, int64_t message_no, struct imp_err *err)
{
	sqlite3_stmt *st;
	struct event e;
	bool row;
	enum imp_rc rc = store_stmt(x->store, sql_cmd_explain_missing, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, message_no);
	while ((rc = store_step_row(x->store, st, &row, err)) == IMP_OK && row) {
		rc = begin_event(x, false, 0, &e, err);
		if (rc != IMP_OK)
			return rc;
		add_text(&x->words, "never received by ", st, 0);
		if (sqlite3_column_type(st, 1) != SQLITE_NULL)
			buf_add_str(&x->words,
			    sqlite3_column_int(st, 1) != 0 ? ", which was cut off" : ", which was connected all the time");
		add_text(&x->words, ", watched by agent ", st, 2);
		rc = end_event(x, &e, err);
		if (rc != IMP_OK)
			return rc;
	}
	return rc;
}

static int
compare_events(const void *pa, const void *pb)
{
	const struct event *a = pa, *b = pb;

	if (a->timed != b->timed)
		return a->timed ? -1 : 1;
	if (a->timed && a->t != b->t)
		return a->t < b->t ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static void
add_time(struct buf *out, const struct explanation *x, int64_t t)
{
	time_add_utc(out, t, 9);
	if (x->zone != NULL) {
		buf_add_str(out, "  ");
		time_add_zoned(out, t, 9, x->zone);
	}
	if (x->published) {
		CLEANUP(buf_done) struct buf ms = BUF_INIT(64);

		text_add_ms(&ms, (int64_t)((uint64_t)t - (uint64_t)x->first_pub)); /* modulo 2^64: a store may say anything */
		if (buf_part_ok(out, &ms))
			buf_addf(out, "  %14s ms", ms.p);
	}
}

static const char *const source_words[] = {
	[SOURCE_SAME] = "source as it was",
	[SOURCE_CHANGED] = "source changed",
	[SOURCE_GONE] = "source gone",
	[SOURCE_UNREADABLE] = "source unreadable",
};

static void
add_events(struct buf *out, struct explanation *x)
{
	if (x->events.n > 0)
		qsort(x->events.v, x->events.n, sizeof(x->events.v[0]), compare_events);
	for (size_t i = 0; i < x->events.n; i++) {
		const struct event *e = &x->events.v[i];

		if (e->timed)
			add_time(out, x, e->t);
		else
			buf_add_char(out, '-');
		buf_add_str(out, "  ");
		buf_add(out, x->words.p + e->start, e->end - e->start);
		if (e->path.p != NULL) {
			buf_add_str(out, "  [");
			text_add_terminal(out, e->path);
			buf_addf(out, ":%" PRId64, e->line);
			if (e->state != SOURCE_SAME)
				buf_addf(out, " (%s)", source_words[e->state]);
			buf_add_char(out, ']');
		}
		buf_add_char(out, '\n');
	}
}

/* What became of the files that the lines of deliveries would be in. */
static void
add_lost_sources(struct buf *out, const struct explanation *x)
{
	for (size_t i = 0; i < x->sources.files.n; i++) {
		const struct source_file *f = &x->sources.files.v[i];

		if (!f->ledger || f->state == SOURCE_SAME)
			continue;
		buf_addf(out, "%s: ", source_words[f->state]);
		text_add_terminal(out, f->path);
		buf_add_char(out, '\n');
	}
}

static enum imp_rc
explain(struct explanation *x, int64_t run_no, const char *mid, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CMD_OUTPUT_MAX);
	int64_t message_no;
	sqlite3_stmt *st;
	bool found = false;
	enum imp_rc rc = store_stmt(x->store, sql_cmd_explain_message, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":run"), run_no);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":mid"), slice_of(mid));
	rc = store_step_row(x->store, st, &found, err);
	if (rc == IMP_OK && !found)
		rc = imp_err_set(err, IMP_E_NOINPUT, "the run has no message '%.200s'", mid);
	if (rc != IMP_OK)
		return rc;
	message_no = sqlite3_column_int64(st, M_NO);
	x->published = sqlite3_column_type(st, M_FIRST_PUB) != SQLITE_NULL;
	x->first_pub = sqlite3_column_int64(st, M_FIRST_PUB);
	add_message(&out, st);
	sqlite3_reset(st);
	rc = sources_open(&x->sources, x->store, run_no, err);
	if (rc == IMP_OK)
		rc = sources_scan(&x->sources, slice_of(mid), err);
	if (rc == IMP_OK)
		rc = collect_events(x, run_no, message_no, err);
	if (rc == IMP_OK)
		rc = collect_deliveries(x, message_no, err);
	if (rc == IMP_OK)
		rc = collect_missing(x, message_no, err);
	if (rc != IMP_OK)
		return rc;
	add_events(&out, x);
	add_lost_sources(&out, x);
	return cmd_print(&out, err);
}

static enum imp_rc
run(struct cmd_context *ctx, struct imp_err *err)
{
	const struct options *o = ctx->options;
	struct explanation x = { .store = ctx->store, .words = BUF_INIT(CMD_OUTPUT_MAX) };
	struct time_zone zone;
	int64_t run_no;
	enum imp_rc rc = IMP_OK;

	if (o->zone != NULL) {
		rc = time_zone_open(o->zone, &zone, err);
		x.zone = &zone;
	}
	if (rc == IMP_OK)
		rc = store_find_run(ctx->store, o->run, &run_no, err);
	if (rc == IMP_OK)
		rc = store_select_run(ctx->store, run_no, err);
	if (rc == IMP_OK)
		rc = explain(&x, run_no, ctx->operands[0], err);
	sources_close(&x.sources);
	VEC_FREE(NULL, &x.events);
	buf_done(&x.words);
	return rc;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.operands = "MID",
	.help = "everything known about one message, in the order of time, with file and line",
	.opts = opts,
	.options_size = sizeof(struct options),
	.min_operands = 1,
	.max_operands = 1,
	.flags = CMD_READS,
	.run = run,
};
