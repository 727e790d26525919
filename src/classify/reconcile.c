#include "config.h"

#include "classify/reconcile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "classify/figures.h"
#include "classify/findings.h"
#include "classify/observe.h"
#include "classify/run.h"
#include "classify/write.h"
#include "ingest/inputs.h"
#include "ingest/asked.h"
#include "ingest/log.h"
#include "ingest/manifest.h"
#include "ingest/plan.h"
#include "ingest/reader.h"
#include "ingest/repeats.h"
#include "sql_gen.h"

/* A `data` line is hardly ever shorter: how many a ledger may hold at most. */
#define DELIVERY_LINE_BYTES 128
/* What the program needs beside the tables that the budget counts: libraries, buffers, SQLite's cache. */
#define MEMORY_BESIDE ((size_t)22 << 20)

struct reconcile {
	const struct reconcile_options *opt;
	struct reconcile_result *ret;
	struct store *s;
	struct imp_err *err;
	struct inputs inputs;
	struct plan plan;
	struct mem_budget budget;
	struct ledger ledger;
	struct logs logs;
	struct run run;
	struct observe *observe;
	struct reader_options reader;
	struct reconcile_progress progress;
	struct arena arena;
	VEC(struct slice) vanished;
	int64_t run_no, ingest_no;
};

/* ------------------------------------------------------------------ the run that is there already */

static enum imp_rc
next_numbers(struct reconcile *x)
{
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(x->s, sql_classify_next_numbers, &st, x->err);

	if (rc == IMP_OK)
		rc = store_step_row(x->s, st, &row, x->err);
	if (rc != IMP_OK)
		return rc;
	x->run_no = sqlite3_column_int64(st, 0);
	x->ingest_no = sqlite3_column_int64(st, 1);
	sqlite3_reset(st);
	return IMP_OK;
}

/* Which files of the old run are no longer there? */
static enum imp_rc
find_vanished(struct reconcile *x, int64_t old)
{
	sqlite3_stmt *st;
	bool row;
	enum imp_rc rc = store_stmt(x->s, sql_classify_old_files, &st, x->err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, old);
	while ((rc = store_step_row(x->s, st, &row, x->err)) == IMP_OK && row) {
		struct slice path = store_column_slice(st, 0);

		if (inputs_find(&x->inputs, path) != SIZE_MAX)
			continue;
		path = arena_slice(&x->arena, path, x->err);
		rc = path.p != NULL ? VEC_PUSH(NULL, &x->vanished, path, x->err) : x->err->code;
		if (rc != IMP_OK)
			return rc;
	}
	return rc;
}

static enum imp_rc
refuse_other_directory(struct reconcile *x, struct slice id, struct slice dir)
{
	imp_err_set(x->err, IMP_E_DATA, "run '%.*s' is in the store already, read from '%.*s'", SLICE_ARG(id), SLICE_ARG(dir));
	imp_err_hint(x->err, "give --replace to take this directory instead, or another --store");
	return IMP_E_DATA;
}

/* *ret_unchanged: the store has this run, read from these very files. Else an old one is taken out. */
static enum imp_rc
meet_old_run(struct reconcile *x, struct slice id, bool *ret_unchanged)
{
	sqlite3_stmt *st;
	bool row, same_dir;
	int64_t old;
	enum imp_rc rc = store_stmt(x->s, sql_classify_old_run, &st, x->err);

	*ret_unchanged = false;
	if (rc != IMP_OK)
		return rc;
	store_bind_slice(st, 1, id);
	rc = store_step_row(x->s, st, &row, x->err);
	if (rc != IMP_OK || !row)
		return rc;
	old = sqlite3_column_int64(st, 0);
	same_dir = slice_eq(store_column_slice(st, 1), slice_of(x->inputs.dir));
	if (!same_dir && !x->opt->replace)
		return refuse_other_directory(x, id, store_column_slice(st, 1));
	*ret_unchanged = same_dir && slice_eq(store_column_slice(st, 2), slice_of(x->inputs.digest)) &&
	    sqlite3_column_int(st, 3) == x->opt->hash;
	sqlite3_reset(st);
	if (*ret_unchanged)
		return IMP_OK;
	if (same_dir)
		rc = find_vanished(x, old);
	if (rc == IMP_OK)
		rc = store_stmt(x->s, sql_classify_delete_run, &st, x->err);
	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, 1, old);
	return store_step_done(x->s, st, x->err);
}

/* ------------------------------------------------------------------ reading */

static void
tell(void *payload, uint64_t bytes, uint64_t lines)
{
	struct reconcile *x = payload;

	x->progress.bytes_done += bytes;
	x->progress.lines += lines;
	x->opt->progress(x->opt->payload, &x->progress);
}

static enum imp_rc
read_pass(struct reconcile *x, enum reader_pass pass)
{
	x->ret->passes++;
	for (size_t i = 0; i < x->inputs.v.n; i++) {
		if (input_kind_has_records(x->inputs.v.v[i].kind))
			x->progress.bytes_total += x->inputs.v.v[i].bytes;
	}
	return reader_pass(&x->ledger, pass, &x->reader, x->err);
}

static enum imp_rc
read_ledger(struct reconcile *x)
{
	uint64_t bytes = 0, at_once = x->opt->lines_at_once > 0 ? x->opt->lines_at_once : RECONCILE_LINES_DEFAULT;
	uint32_t parts;
	enum imp_rc rc = ledger_prepare(&x->ledger, &x->inputs, &x->plan, x->err);

	if (rc == IMP_OK)
		rc = reader_members(&x->ledger, &x->reader, x->err);
	if (rc == IMP_OK)
		rc = ledger_settle_agents(&x->ledger, x->err);
	for (size_t i = 0; i < x->inputs.v.n; i++)
		bytes += x->inputs.v.v[i].kind == INPUT_LEDGER ? x->inputs.v.v[i].bytes : 0;
	parts = copies_first_parts(&x->ledger.copies, bytes / DELIVERY_LINE_BYTES, bytes <= at_once);
	copies_begin(&x->ledger.copies, 0, parts, bytes <= at_once);
	if (rc == IMP_OK)
		rc = read_pass(x, READER_FIRST);
	if (rc == IMP_OK)
		rc = repeats_drop(&x->ledger, &x->reader, x->err);
	if (rc == IMP_OK)
		rc = asked_settle(&x->ledger, x->err);
	for (size_t i = 0; i < x->inputs.v.n; i++)
		x->progress.bytes_total += x->inputs.v.v[i].kind == INPUT_LOG ? x->inputs.v.v[i].bytes : 0;
	if (rc == IMP_OK)
		rc = logs_read(&x->ledger, x->opt->signatures, &x->reader, &x->logs, x->err);
	if (rc == IMP_OK)
		rc = reader_hash_rest(&x->ledger, &x->reader, x->err);
	if (rc == IMP_OK)
		rc = manifest_check(&x->ledger, &x->reader, x->err);
	if (rc == IMP_OK && x->ledger.attempts.n == 0) {
		rc = imp_err_set(x->err, IMP_E_DATA, "'%s' holds no ledger: not one `pub` or `skip` line below agents/",
		    x->inputs.dir);
		imp_err_hint(x->err, "the layout is agents/<agent>/*.jsonl, see docs/ledger.md");
	}
	return rc;
}

/* Deliveries, part of the members by part, as memory allows. */
static enum imp_rc
observe_all(struct reconcile *x)
{
	struct copies *c = &x->ledger.copies;
	enum imp_rc rc = observe_init(&x->run, &x->observe, x->err);

	while (rc == IMP_OK) {
		uint32_t from = c->from, to = c->to;
		bool lines = c->keep_lines, again;

		rc = observe_pass(x->observe, &again, x->err);
		if (rc == IMP_OK && !again)
			rc = observe_commit(x->observe, x->s, x->run_no, x->err);
		if (rc != IMP_OK || (!again && to == COPIES_WHOLE))
			break;
		if (again)
			lines = true;
		else {
			from = to;
			to += copies_next_parts(c);
		}
		copies_begin(c, from, to, lines);
		rc = read_pass(x, READER_DELIVERIES);
	}
	if (rc == IMP_OK)
		observe_finish(x->observe);
	copies_done(c);
	return rc;
}

/* ------------------------------------------------------------------ writing */

#define BY_PLACE(type) \
	static int type##_by_place(const void *a, const void *b) \
	{ \
		uint64_t x = ((const struct type *)a)->place, y = ((const struct type *)b)->place; \
		return (x > y) - (x < y); \
	}
BY_PLACE(damage)
BY_PLACE(health)
BY_PLACE(note)
BY_PLACE(hist)
BY_PLACE(histq)
BY_PLACE(row)
BY_PLACE(dead)
BY_PLACE(query)
BY_PLACE(column)
BY_PLACE(status)
BY_PLACE(innodb)
BY_PLACE(lag)
BY_PLACE(collected)
BY_PLACE(server)

/* Readers work side by side: bring what they found into the order of the files. */
static void
sort_by_place(struct ledger *l)
{
#define SORT(vec, type) \
	if ((vec).n > 1) \
	qsort((vec).v, (vec).n, sizeof(*(vec).v), type##_by_place)
	SORT(l->health, health);
	SORT(l->notes, note);
	SORT(l->hists, hist);
	SORT(l->histqs, histq);
	SORT(l->rows, row);
	SORT(l->deads, dead);
	SORT(l->queries, query);
	SORT(l->columns, column);
	SORT(l->statuses, status);
	SORT(l->innodbs, innodb);
	SORT(l->lags, lag);
	SORT(l->collected, collected);
	SORT(l->servers, server);
#undef SORT
}

/* Ledgers and other evidence both have some. */
static void
sort_damages(struct ledger *l)
{
	if (l->damages.n > 1)
		qsort(l->damages.v, l->damages.n, sizeof(*l->damages.v), damage_by_place);
}

static void
count_records(struct reconcile *x)
{
	for (size_t i = 0; i < x->inputs.v.n; i++) {
		const struct ledger_file *f = &x->ledger.files[i];

		if (f->agent != NONE)
			x->run.agents[f->agent].records += f->n.records - f->n.resent;
	}
}

static void
write_count(struct out *o, const char *name, uint64_t v)
{
	out_begin(o, sql_classify_insert_ingest_count);
	out_str(o, name);
	out_int(o, (int64_t)v);
	out_end(o);
}

static void
write_counts(struct reconcile *x, struct out *o)
{
	static const char *const foreign[] = {
		[FOREIGN_DATA] = "foreign.data",
		[FOREIGN_CTRL] = "foreign.ctrl",
		[FOREIGN_FAIL] = "foreign.fail",
		[FOREIGN_ROW] = "foreign.row",
		[FOREIGN_HIST] = "foreign.hist",
		[FOREIGN_DEAD] = "foreign.dead",
	};
	struct file_counts sum = { 0 };
	uint64_t files = 0;

	for (size_t i = 0; i < x->inputs.v.n; i++) {
		const struct file_counts *n = &x->ledger.files[i].n;

		files += x->inputs.v.v[i].kind != INPUT_UNREAD;
		if (!input_kind_has_records(x->inputs.v.v[i].kind))
			continue; /* its lines are no records */
		sum.lines += n->lines;
		sum.records += n->records;
		sum.events += n->events;
		sum.rejected += n->rejected;
		sum.repaired += n->repaired;
		sum.resent += n->resent;
		sum.unknown_events += n->unknown_events;
		sum.unknown_keys += n->unknown_keys;
	}
	write_count(o, "files", files);
	write_count(o, "lines", sum.lines);
	write_count(o, "records", sum.records);
	write_count(o, "events", sum.events);
	write_count(o, "rejected", sum.rejected);
	write_count(o, "repaired", sum.repaired);
	write_count(o, "resent", sum.resent);
	write_count(o, "unknown_events", sum.unknown_events);
	write_count(o, "unknown_keys", sum.unknown_keys);
	for (int k = FOREIGN_DATA; k <= FOREIGN_DEAD; k++)
		write_count(o, foreign[k], x->run.foreign[k]);
	x->ret->files = files;
	x->ret->lines = sum.lines;
	x->ret->records = sum.records;
	x->ret->rejected = sum.rejected;
	x->ret->repaired = sum.repaired;
}

static enum imp_rc
write_all(struct reconcile *x)
{
	struct out o = { .s = x->s, .run_no = x->run_no, .err = x->err };

	count_records(x);
	sort_by_place(&x->ledger);
	write_logs(&o, &x->logs, x->opt->signatures);
	write_sources(&o, &x->run);
	sort_damages(&x->ledger);
	write_places(&o, &x->run);
	write_events(&o, &x->run);
	write_messages(&o, &x->run);
	write_presence(&o, &x->run);
	write_failing(&o, &x->run);
	write_witnesses(&o, &x->run);
	write_collected(&o, &x->run);
	write_counts(x, &o);
	findings_write(&o, &x->run, x->vanished.v, x->vanished.n);
	return o.rc == IMP_OK ? figures_write(&x->run, x->s, x->run_no, x->err) : o.rc;
}

/* ------------------------------------------------------------------ all of it */

static enum imp_rc
judge_run(struct reconcile *x)
{
	struct out o = { .s = x->s, .run_no = x->run_no, .err = x->err };
	enum imp_rc rc = run_init(&x->run, &x->ledger, x->err);

	if (rc != IMP_OK)
		return rc;
	write_run(&o, &x->run, x->ingest_no, x->opt->hash);
	rc = o.rc;
	if (rc == IMP_OK)
		rc = outcome_judge(&x->run, x->err);
	if (rc == IMP_OK)
		rc = observe_all(x);
	if (rc == IMP_OK)
		rc = persist_judge(&x->run, x->err);
	if (rc == IMP_OK)
		rc = judge_classes(&x->run, x->err);
	return rc == IMP_OK ? write_all(x) : rc;
}

/* Nothing to read; only commands without --run look at this run from now on. */
static enum imp_rc
touch_run(struct reconcile *x, struct slice id)
{
	sqlite3_stmt *st;
	enum imp_rc rc = store_stmt(x->s, sql_classify_touch_run, &st, x->err);

	if (rc != IMP_OK)
		return rc;
	store_bind_slice(st, 1, id);
	return store_step_done(x->s, st, x->err);
}

static enum imp_rc
reconcile_inputs(struct reconcile *x)
{
	struct slice id = run_id_of(&x->plan, &x->inputs);
	bool unchanged;
	enum imp_rc rc = store_begin(x->s, x->err);

	snprintf(x->ret->run_id, sizeof(x->ret->run_id), "%.*s", SLICE_ARG(id));
	if (rc == IMP_OK)
		rc = meet_old_run(x, id, &unchanged);
	if (rc == IMP_OK && unchanged) {
		x->ret->unchanged = true;
		x->ret->files = x->inputs.v.n;
		rc = touch_run(x, id);
	} else {
		if (rc == IMP_OK)
			rc = next_numbers(x);
		if (rc == IMP_OK)
			rc = read_ledger(x);
		if (rc == IMP_OK)
			rc = judge_run(x);
		x->ret->files_parsed = x->ret->files;
	}
	if (rc == IMP_OK)
		rc = store_commit(x->s, x->err);
	if (rc != IMP_OK)
		store_rollback(x->s);
	return rc;
}

enum imp_rc
reconcile_directory(struct store *s, const char *dir, const struct reconcile_options *opt, struct reconcile_result *ret,
    struct imp_err *err)
{
	struct imp_err local;
	struct reconcile_result result = { .unchanged = false };
	struct reconcile x = {
		.opt = opt,
		.ret = &result,
		.s = s,
		.err = err != NULL ? err : &local,
		.inputs = { .dirfd = -1 },
		.budget = { .beside = MEMORY_BESIDE,
		    .limit = opt->memory_max > MEMORY_BESIDE ? opt->memory_max - MEMORY_BESIDE : 0 },
		.reader = { .threads = opt->threads, .line_max = opt->line_max, .hash = opt->hash },
	};
	enum imp_rc rc;

	if (opt->progress != NULL) {
		x.reader.progress = tell;
		x.reader.payload = &x;
	}
	ledger_init(&x.ledger, &x.budget);
	rc = inputs_open(dir, &x.inputs, x.err);
	if (rc == IMP_OK && opt->signatures != NULL)
		rc = inputs_digest_with(&x.inputs, slice_of(opt->signatures->digest), x.err);
	if (rc == IMP_OK)
		rc = plan_read(&x.inputs, &x.plan, x.err);
	if (rc == IMP_OK) {
		rc = reconcile_inputs(&x);
		plan_done(&x.plan);
	}
	observe_done(x.observe);
	run_done(&x.run);
	logs_done(&x.logs);
	ledger_done(&x.ledger);
	inputs_close(&x.inputs);
	VEC_FREE(NULL, &x.vanished);
	arena_done(&x.arena);
	if (rc == IMP_OK)
		*ret = result;
	return rc;
}
