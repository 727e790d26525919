#include "config.h"

#include "report/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "sql_gen.h"

/* Reads rows into the model. An error sticks: what follows is skipped, and report_load() returns it. */
struct loader {
	struct report *r;
	struct store *s;
	int64_t run_no, list_max;
	enum imp_rc failed;
	struct imp_err *err;
};

static void
keep(struct loader *l, enum imp_rc rc)
{
	if (l->failed == IMP_OK)
		l->failed = rc;
}

#define PUSH(l, vec, ...) keep((l), VEC_PUSH(NULL, (vec), (__VA_ARGS__), (l)->err))

/* A statement with the parameters that it has bound; NULL after a failure. */
static sqlite3_stmt *
prepare(struct loader *l, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int i;

	if (l->failed != IMP_OK)
		return NULL;
	keep(l, store_keep_views(l->s, slice_of(sql), l->err));
	if (l->failed == IMP_OK)
		keep(l, store_stmt(l->s, sql, &st, l->err));
	if (l->failed != IMP_OK)
		return NULL;
	if ((i = sqlite3_bind_parameter_index(st, ":run")) > 0)
		sqlite3_bind_int64(st, i, l->run_no);
	if ((i = sqlite3_bind_parameter_index(st, ":limit")) > 0)
		sqlite3_bind_int64(st, i, l->list_max);
	return st;
}

static bool
next_row(struct loader *l, sqlite3_stmt *st)
{
	bool row = false;

	if (l->failed == IMP_OK)
		keep(l, store_step_row(l->s, st, &row, l->err));
	return l->failed == IMP_OK && row;
}

static struct slice
text(struct loader *l, sqlite3_stmt *st, int i)
{
	struct slice s = store_column_slice(st, i), copy;

	if (sqlite3_column_type(st, i) == SQLITE_NULL)
		return (struct slice){ NULL, 0 };
	copy = arena_slice(&l->r->arena, s, l->err);
	if (copy.p == NULL)
		keep(l, IMP_E_NOMEM);
	return copy;
}

static struct report_int
integer(sqlite3_stmt *st, int i)
{
	if (sqlite3_column_type(st, i) == SQLITE_NULL)
		return (struct report_int){ 0 };
	return (struct report_int){ true, sqlite3_column_int64(st, i) };
}

static bool
flag(sqlite3_stmt *st, int i)
{
	return sqlite3_column_int(st, i) != 0;
}

static struct report_value
value(struct loader *l, sqlite3_stmt *st, int i)
{
	switch (sqlite3_column_type(st, i)) {
	case SQLITE_INTEGER:
		return (struct report_value){ .type = REPORT_INT, .i = sqlite3_column_int64(st, i) };
	case SQLITE_FLOAT:
		return (struct report_value){ .type = REPORT_REAL, .d = sqlite3_column_double(st, i) };
	case SQLITE_NULL:
		return (struct report_value){ .type = REPORT_NULL };
	default:
		return (struct report_value){ .type = REPORT_TEXT, .s = text(l, st, i) };
	}
}

/* The one integer that a statement returns; 0 after a failure. */
static int64_t
single(struct loader *l, const char *sql)
{
	sqlite3_stmt *st = prepare(l, sql);
	int64_t v = 0;

	while (st != NULL && next_row(l, st))
		v = sqlite3_column_int64(st, 0);
	return v;
}

static void
load_scope(struct loader *l, const char *kind, struct report_scope *scope)
{
	static const char *const statements[] = { sql_report_figures, sql_report_matrix };

	for (size_t i = 0; i < 2; i++) {
		sqlite3_stmt *st = prepare(l, statements[i]);

		if (st == NULL)
			return;
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":scope"), slice_of(kind));
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":id"), scope->id);
		while (next_row(l, st)) {
			if (i == 0)
				PUSH(l, &scope->figures, (struct report_figure){ text(l, st, 0), value(l, st, 1) });
			else
				PUSH(l, &scope->matrix,
				    (struct report_cell){ text(l, st, 0), text(l, st, 1), text(l, st, 2),
					sqlite3_column_int64(st, 3) });
		}
	}
}

static void
load_run(struct loader *l)
{
	struct report_run *run = &l->r->run;
	sqlite3_stmt *st = prepare(l, sql_report_run);

	while (st != NULL && next_row(l, st)) {
		run->id = text(l, st, 0);
		run->server = text(l, st, 1);
		run->gates = text(l, st, 2);
		run->tenant = text(l, st, 3);
		run->build_expected = text(l, st, 4);
		run->has_plan = flag(st, 5);
		run->has_topics = flag(st, 6);
		run->has_conns = flag(st, 7);
		run->hashed = flag(st, 8);
		run->shared_host = flag(st, 9);
		run->planned_accounts = integer(st, 10);
	}
	if (l->failed == IMP_OK && run->id.p == NULL)
		keep(l, imp_err_set(l->err, IMP_E_NOINPUT, "the store has no such run"));
	st = prepare(l, sql_report_systems);
	while (st != NULL && next_row(l, st))
		PUSH(l, &run->systems, text(l, st, 0));
}

static void
load_scenarios(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = prepare(l, sql_report_scenarios);

	while (st != NULL && next_row(l, st)) {
		PUSH(l, &r->scenarios,
		    (struct report_scenario){ .scope.id = text(l, st, 0),
			.kind = text(l, st, 1),
			.warmup = flag(st, 2),
			.drain_ns = sqlite3_column_int64(st, 3),
			.first_pub = integer(st, 4),
			.last_pub = integer(st, 5),
			.window_end = integer(st, 6) });
	}
	for (size_t i = 0; i < r->scenarios.n; i++)
		load_scope(l, "scenario", &r->scenarios.v[i].scope);
}

static void
load_agents(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = prepare(l, sql_report_agents);

	while (st != NULL && next_row(l, st)) {
		PUSH(l, &r->agents,
		    (struct report_agent){ .scope.id = text(l, st, 0),
			.planned = flag(st, 1),
			.present = flag(st, 2),
			.cut_off = flag(st, 3),
			.records = sqlite3_column_int64(st, 4),
			.records_stated = integer(st, 5),
			.clock_worst_ns = integer(st, 6) });
	}
	for (size_t i = 0; i < r->agents.n; i++)
		load_scope(l, "agent", &r->agents.v[i].scope);
}

static void
load_marks(struct loader *l)
{
	sqlite3_stmt *st = prepare(l, sql_report_marks);

	while (st != NULL && next_row(l, st))
		PUSH(l, &l->r->marks, (struct report_mark){ text(l, st, 0), text(l, st, 1), sqlite3_column_int64(st, 2) });
}

static void
load_files(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = prepare(l, sql_report_files);

	while (st != NULL && next_row(l, st)) {
		PUSH(l, &r->files,
		    (struct report_file){ .path = text(l, st, 0),
			.kind = text(l, st, 1),
			.sha256 = text(l, st, 2),
			.manifest = text(l, st, 3),
			.compression = text(l, st, 4),
			.bytes = sqlite3_column_int64(st, 5),
			.lines = sqlite3_column_int64(st, 6),
			.records = sqlite3_column_int64(st, 7),
			.events = sqlite3_column_int64(st, 8),
			.rejected = sqlite3_column_int64(st, 9),
			.repaired = sqlite3_column_int64(st, 10),
			.resent = sqlite3_column_int64(st, 11),
			.cut = flag(st, 12) });
	}
	st = prepare(l, sql_report_counts);
	while (st != NULL && next_row(l, st))
		PUSH(l, &r->counts, (struct report_count){ text(l, st, 0), sqlite3_column_int64(st, 1) });
}

static void
load_sources(struct loader *l)
{
	sqlite3_stmt *st = prepare(l, sql_report_sources);

	while (st != NULL && next_row(l, st)) {
		PUSH(l, &l->r->sources,
		    (struct report_source){ .kind = text(l, st, 0),
			.name = text(l, st, 1),
			.pod = text(l, st, 2),
			.container = text(l, st, 3),
			.format = text(l, st, 4),
			.first = integer(st, 5),
			.last = integer(st, 6),
			.samples = sqlite3_column_int64(st, 7),
			.gaps = sqlite3_column_int64(st, 8),
			.longest_gap_ns = integer(st, 9),
			.cut = flag(st, 10),
			.sampled = flag(st, 11),
			.limited = flag(st, 12),
			.damaged = sqlite3_column_int64(st, 13),
			.resent = sqlite3_column_int64(st, 14),
			.zone = text(l, st, 15),
			.zone_offset_ns = integer(st, 16),
			.note = text(l, st, 17),
			.path = text(l, st, 18),
			.covers_load = flag(st, 19) });
	}
}

static void
load_log_lines(struct loader *l)
{
	sqlite3_stmt *st = prepare(l, sql_report_log_lines);

	while (st != NULL && next_row(l, st)) {
		if (l->r->log_lines.n == (size_t)l->list_max)
			continue;
		PUSH(l, &l->r->log_lines,
		    (struct report_log_line){ .signature = text(l, st, 0),
			.source = text(l, st, 1),
			.n = sqlite3_column_int64(st, 2),
			.covers_load = flag(st, 3),
			.first = integer(st, 4),
			.last = integer(st, 5),
			.path = text(l, st, 6),
			.line = sqlite3_column_int64(st, 7) });
	}
}

static void
load_damage(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = prepare(l, sql_report_damage);

	while (st != NULL && next_row(l, st))
		PUSH(l, &r->damage,
		    (struct report_damage){ text(l, st, 0), text(l, st, 1), text(l, st, 2), sqlite3_column_int64(st, 3) });
	r->damage_total = single(l, sql_report_damage_total);
	st = prepare(l, sql_report_findings);
	while (st != NULL && next_row(l, st))
		PUSH(l, &r->findings,
		    (struct report_finding){ text(l, st, 0), text(l, st, 1), text(l, st, 2), text(l, st, 3),
			sqlite3_column_int64(st, 4), sqlite3_column_int64(st, 5) });
}

static void
load_classes(struct loader *l)
{
	sqlite3_stmt *st = prepare(l, sql_report_classes);

	while (st != NULL && next_row(l, st))
		PUSH(l, &l->r->classes, (struct report_class){ text(l, st, 0), integer(st, 1), integer(st, 2) });
}

static void
load_losses(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = prepare(l, sql_report_losses);

	while (st != NULL && next_row(l, st)) {
		PUSH(l, &r->losses,
		    (struct report_loss){ .mid = text(l, st, 0),
			.topic = text(l, st, 1),
			.sender = text(l, st, 2),
			.klass = text(l, st, 3),
			.persisted = text(l, st, 4),
			.last_layer = text(l, st, 5),
			.place = text(l, st, 6),
			.seq = integer(st, 7),
			.first_pub = integer(st, 8),
			.ack_t = integer(st, 9),
			.path = text(l, st, 10),
			.line = sqlite3_column_int64(st, 11) });
	}
	r->losses_total = single(l, sql_report_losses_total);
	r->failing_messages = single(l, sql_report_failing);
}

/* The receivers that miss one message: `m` with its receiver filled in. */
static void
load_missing_receivers(struct loader *l, int64_t message_no, struct report_missing m)
{
	sqlite3_stmt *st = prepare(l, sql_report_missing_receivers);

	if (st == NULL)
		return;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":message"), message_no);
	while (l->r->missing.n < (size_t)l->list_max && next_row(l, st)) {
		m.receiver = text(l, st, 0);
		m.disconnected = integer(st, 1);
		PUSH(l, &l->r->missing, m);
	}
	sqlite3_reset(st);
}

static void
load_missing(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = prepare(l, sql_report_incomplete_messages);
	struct report_value total = report_figure(&r->total, "delivery.missing");

	r->missing_total = (struct report_int){ total.type == REPORT_INT, total.i };
	while (st != NULL && r->missing.n < (size_t)l->list_max && next_row(l, st)) {
		int64_t message_no = sqlite3_column_int64(st, 0);

		load_missing_receivers(l, message_no,
		    (struct report_missing){ .mid = text(l, st, 1),
			.topic = text(l, st, 2),
			.sender = text(l, st, 3),
			.klass = text(l, st, 4),
			.seq = integer(st, 5),
			.first_pub = integer(st, 6),
			.ack_t = integer(st, 7),
			.window_end = integer(st, 8),
			.path = text(l, st, 9),
			.line = sqlite3_column_int64(st, 10) });
	}
	if (st != NULL)
		sqlite3_reset(st);
}

static void
load_receivers(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = prepare(l, sql_report_deaf_receivers);

	while (st != NULL && next_row(l, st)) {
		PUSH(l, &r->receivers,
		    (struct report_receiver){ .name = text(l, st, 0),
			.missing = sqlite3_column_int64(st, 1),
			.connected = integer(st, 2),
			.topics = sqlite3_column_int64(st, 3),
			.first = integer(st, 4),
			.last = integer(st, 5) });
		r->receivers_total = sqlite3_column_int64(st, 6);
	}
}

enum imp_rc
report_load_run(struct report *r, struct store *s, int64_t run_no, struct imp_err *err)
{
	struct loader l = { .r = r, .s = s, .run_no = run_no, .err = err };

	*r = (struct report){ 0 };
	load_run(&l);
	return l.failed;
}

enum imp_rc
report_load(struct report *r, struct store *s, int64_t run_no, size_t list_max, struct imp_err *err)
{
	struct loader l = { .r = r, .s = s, .run_no = run_no, .list_max = (int64_t)list_max, .err = err };

	*r = (struct report){ 0 };
	load_run(&l);
	r->total.id = SLICE("");
	load_scope(&l, "total", &r->total);
	load_scenarios(&l);
	load_agents(&l);
	load_marks(&l);
	load_files(&l);
	load_sources(&l);
	load_log_lines(&l);
	load_damage(&l);
	load_classes(&l);
	load_losses(&l);
	load_missing(&l);
	load_receivers(&l);
	return l.failed;
}

static void
scope_done(struct report_scope *scope)
{
	VEC_FREE(NULL, &scope->figures);
	VEC_FREE(NULL, &scope->matrix);
}

void
report_done(struct report *r)
{
	for (size_t i = 0; i < r->scenarios.n; i++)
		scope_done(&r->scenarios.v[i].scope);
	for (size_t i = 0; i < r->agents.n; i++)
		scope_done(&r->agents.v[i].scope);
	scope_done(&r->total);
	VEC_FREE(NULL, &r->run.systems);
	VEC_FREE(NULL, &r->scenarios);
	VEC_FREE(NULL, &r->agents);
	VEC_FREE(NULL, &r->marks);
	VEC_FREE(NULL, &r->files);
	VEC_FREE(NULL, &r->counts);
	VEC_FREE(NULL, &r->sources);
	VEC_FREE(NULL, &r->log_lines);
	VEC_FREE(NULL, &r->findings);
	VEC_FREE(NULL, &r->damage);
	VEC_FREE(NULL, &r->classes);
	VEC_FREE(NULL, &r->losses);
	VEC_FREE(NULL, &r->missing);
	VEC_FREE(NULL, &r->receivers);
	arena_done(&r->arena);
	*r = (struct report){ 0 };
}

struct report_value
report_figure(const struct report_scope *scope, const char *name)
{
	struct slice want = slice_of(name);
	size_t i;

	LOWER_BOUND(i, 0, scope->figures.n, slice_cmp(scope->figures.v[i].name, want) < 0);
	if (i < scope->figures.n && slice_eq(scope->figures.v[i].name, want))
		return scope->figures.v[i].value;
	return (struct report_value){ .type = REPORT_NULL };
}

int64_t
report_figure_int(const struct report_scope *scope, const char *name)
{
	struct report_value v = report_figure(scope, name);

	return v.type == REPORT_INT ? v.i : 0;
}

int64_t
report_count(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->counts.n; i++)
		if (slice_eq(r->counts.v[i].name, slice_of(name)))
			return r->counts.v[i].value;
	return 0;
}
