#include "config.h"

#include "report/model_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "sql_gen.h"

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
		return (struct report_value){ .type = REPORT_TEXT, .s = loader_text(l, st, i) };
	}
}

/* The one integer that a statement returns; 0 after a failure. */
static int64_t
single(struct loader *l, const char *sql)
{
	sqlite3_stmt *st = loader_prepare(l, sql);
	int64_t v = 0;

	while (st != NULL && loader_row(l, st))
		v = sqlite3_column_int64(st, 0);
	return v;
}

static void
load_scope(struct loader *l, const char *kind, struct report_scope *scope)
{
	static const char *const statements[] = { sql_report_figures, sql_report_matrix };

	for (size_t i = 0; i < 2; i++) {
		sqlite3_stmt *st = loader_prepare(l, statements[i]);

		if (st == NULL)
			return;
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":scope"), slice_of(kind));
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":id"), scope->id);
		while (loader_row(l, st)) {
			if (i == 0)
				LOADER_PUSH(l, &scope->figures, (struct report_figure){ loader_text(l, st, 0), value(l, st, 1) });
			else
				LOADER_PUSH(l, &scope->matrix,
				    (struct report_cell){ loader_text(l, st, 0), loader_text(l, st, 1), loader_text(l, st, 2),
					sqlite3_column_int64(st, 3) });
		}
	}
}

static void
load_run(struct loader *l)
{
	struct report_run *run = &l->r->run;
	sqlite3_stmt *st = loader_prepare(l, sql_report_run);

	while (st != NULL && loader_row(l, st)) {
		run->id = loader_text(l, st, 0);
		run->server = loader_text(l, st, 1);
		run->gates = loader_text(l, st, 2);
		run->tenant = loader_text(l, st, 3);
		run->build_expected = loader_text(l, st, 4);
		run->has_plan = loader_flag(st, 5);
		run->has_topics = loader_flag(st, 6);
		run->has_conns = loader_flag(st, 7);
		run->hashed = loader_flag(st, 8);
		run->shared_host = loader_flag(st, 9);
		run->planned_accounts = loader_integer(st, 10);
	}
	if (l->failed == IMP_OK && run->id.p == NULL)
		loader_keep(l, imp_err_set(l->err, IMP_E_NOINPUT, "the store has no such run"));
	st = loader_prepare(l, sql_report_systems);
	while (st != NULL && loader_row(l, st))
		LOADER_PUSH(l, &run->systems, loader_text(l, st, 0));
}

static void
load_scenarios(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = loader_prepare(l, sql_report_scenarios);

	while (st != NULL && loader_row(l, st)) {
		LOADER_PUSH(l, &r->scenarios,
		    (struct report_scenario){ .scope.id = loader_text(l, st, 0),
			.kind = loader_text(l, st, 1),
			.warmup = loader_flag(st, 2),
			.drain_ns = sqlite3_column_int64(st, 3),
			.first_pub = loader_integer(st, 4),
			.last_pub = loader_integer(st, 5),
			.window_end = loader_integer(st, 6) });
	}
	for (size_t i = 0; i < r->scenarios.n; i++)
		load_scope(l, "scenario", &r->scenarios.v[i].scope);
}

static void
load_agents(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = loader_prepare(l, sql_report_agents);

	while (st != NULL && loader_row(l, st)) {
		LOADER_PUSH(l, &r->agents,
		    (struct report_agent){ .scope.id = loader_text(l, st, 0),
			.planned = loader_flag(st, 1),
			.present = loader_flag(st, 2),
			.cut_off = loader_flag(st, 3),
			.records = sqlite3_column_int64(st, 4),
			.records_stated = loader_integer(st, 5),
			.clock_worst_ns = loader_integer(st, 6) });
	}
	for (size_t i = 0; i < r->agents.n; i++)
		load_scope(l, "agent", &r->agents.v[i].scope);
}

static void
load_marks(struct loader *l)
{
	sqlite3_stmt *st = loader_prepare(l, sql_report_marks);

	while (st != NULL && loader_row(l, st))
		LOADER_PUSH(l, &l->r->marks,
		    (struct report_mark){ loader_text(l, st, 0), loader_text(l, st, 1), sqlite3_column_int64(st, 2) });
}

static void
load_files(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = loader_prepare(l, sql_report_files);

	while (st != NULL && loader_row(l, st)) {
		LOADER_PUSH(l, &r->files,
		    (struct report_file){ .path = loader_text(l, st, 0),
			.kind = loader_text(l, st, 1),
			.sha256 = loader_text(l, st, 2),
			.manifest = loader_text(l, st, 3),
			.compression = loader_text(l, st, 4),
			.bytes = sqlite3_column_int64(st, 5),
			.lines = sqlite3_column_int64(st, 6),
			.records = sqlite3_column_int64(st, 7),
			.events = sqlite3_column_int64(st, 8),
			.rejected = sqlite3_column_int64(st, 9),
			.repaired = sqlite3_column_int64(st, 10),
			.resent = sqlite3_column_int64(st, 11),
			.cut = loader_flag(st, 12) });
	}
	st = loader_prepare(l, sql_report_counts);
	while (st != NULL && loader_row(l, st))
		LOADER_PUSH(l, &r->counts, (struct report_count){ loader_text(l, st, 0), sqlite3_column_int64(st, 1) });
}

static void
load_sources(struct loader *l)
{
	sqlite3_stmt *st = loader_prepare(l, sql_report_sources);

	while (st != NULL && loader_row(l, st)) {
		LOADER_PUSH(l, &l->r->sources,
		    (struct report_source){ .kind = loader_text(l, st, 0),
			.name = loader_text(l, st, 1),
			.pod = loader_text(l, st, 2),
			.container = loader_text(l, st, 3),
			.format = loader_text(l, st, 4),
			.first = loader_integer(st, 5),
			.last = loader_integer(st, 6),
			.samples = sqlite3_column_int64(st, 7),
			.gaps = sqlite3_column_int64(st, 8),
			.longest_gap_ns = loader_integer(st, 9),
			.cut = loader_flag(st, 10),
			.sampled = loader_flag(st, 11),
			.limited = loader_flag(st, 12),
			.damaged = sqlite3_column_int64(st, 13),
			.resent = sqlite3_column_int64(st, 14),
			.zone = loader_text(l, st, 15),
			.zone_offset_ns = loader_integer(st, 16),
			.note = loader_text(l, st, 17),
			.path = loader_text(l, st, 18),
			.covers_load = loader_flag(st, 19) });
	}
}

static void
load_log_lines(struct loader *l)
{
	sqlite3_stmt *st = loader_prepare(l, sql_report_log_lines);

	while (st != NULL && loader_row(l, st)) {
		if (l->r->log_lines.n == (size_t)l->list_max)
			continue;
		LOADER_PUSH(l, &l->r->log_lines,
		    (struct report_log_line){ .signature = loader_text(l, st, 0),
			.source = loader_text(l, st, 1),
			.n = sqlite3_column_int64(st, 2),
			.covers_load = loader_flag(st, 3),
			.first = loader_integer(st, 4),
			.last = loader_integer(st, 5),
			.path = loader_text(l, st, 6),
			.line = sqlite3_column_int64(st, 7) });
	}
}

static void
load_damage(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = loader_prepare(l, sql_report_damage);

	while (st != NULL && loader_row(l, st))
		LOADER_PUSH(l, &r->damage,
		    (struct report_damage){ loader_text(l, st, 0), loader_text(l, st, 1), loader_text(l, st, 2),
			sqlite3_column_int64(st, 3) });
	r->damage_total = single(l, sql_report_damage_total);
	st = loader_prepare(l, sql_report_findings);
	while (st != NULL && loader_row(l, st))
		LOADER_PUSH(l, &r->findings,
		    (struct report_finding){ loader_text(l, st, 0), loader_text(l, st, 1), loader_text(l, st, 2),
			loader_text(l, st, 3), sqlite3_column_int64(st, 4), sqlite3_column_int64(st, 5) });
}

static void
load_classes(struct loader *l)
{
	sqlite3_stmt *st = loader_prepare(l, sql_report_classes);

	while (st != NULL && loader_row(l, st))
		LOADER_PUSH(l, &l->r->classes,
		    (struct report_class){ loader_text(l, st, 0), loader_integer(st, 1), loader_integer(st, 2) });
}

static void
load_losses(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = loader_prepare(l, sql_report_losses);

	while (st != NULL && loader_row(l, st)) {
		LOADER_PUSH(l, &r->losses,
		    (struct report_loss){ .mid = loader_text(l, st, 0),
			.topic = loader_text(l, st, 1),
			.sender = loader_text(l, st, 2),
			.klass = loader_text(l, st, 3),
			.persisted = loader_text(l, st, 4),
			.last_layer = loader_text(l, st, 5),
			.place = loader_text(l, st, 6),
			.seq = loader_integer(st, 7),
			.first_pub = loader_integer(st, 8),
			.ack_t = loader_integer(st, 9),
			.path = loader_text(l, st, 10),
			.line = sqlite3_column_int64(st, 11) });
	}
	r->losses_total = single(l, sql_report_losses_total);
	r->failing_messages = single(l, sql_report_failing);
}

/* The receivers that miss one message: `m` with its receiver filled in. */
static void
load_missing_receivers(struct loader *l, int64_t message_no, struct report_missing m)
{
	sqlite3_stmt *st = loader_prepare(l, sql_report_missing_receivers);

	if (st == NULL)
		return;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":message"), message_no);
	while (l->r->missing.n < (size_t)l->list_max && loader_row(l, st)) {
		m.receiver = loader_text(l, st, 0);
		m.disconnected = loader_integer(st, 1);
		LOADER_PUSH(l, &l->r->missing, m);
	}
	sqlite3_reset(st);
}

static void
load_missing(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = loader_prepare(l, sql_report_incomplete_messages);
	struct report_value total = report_figure(&r->total, "delivery.missing");

	r->missing_total = (struct report_int){ total.type == REPORT_INT, total.i };
	while (st != NULL && r->missing.n < (size_t)l->list_max && loader_row(l, st)) {
		int64_t message_no = sqlite3_column_int64(st, 0);

		load_missing_receivers(l, message_no,
		    (struct report_missing){ .mid = loader_text(l, st, 1),
			.topic = loader_text(l, st, 2),
			.sender = loader_text(l, st, 3),
			.klass = loader_text(l, st, 4),
			.seq = loader_integer(st, 5),
			.first_pub = loader_integer(st, 6),
			.ack_t = loader_integer(st, 7),
			.window_end = loader_integer(st, 8),
			.path = loader_text(l, st, 9),
			.line = sqlite3_column_int64(st, 10) });
	}
	if (st != NULL)
		sqlite3_reset(st);
}

static void
load_receivers(struct loader *l)
{
	struct report *r = l->r;
	sqlite3_stmt *st = loader_prepare(l, sql_report_deaf_receivers);

	while (st != NULL && loader_row(l, st)) {
		LOADER_PUSH(l, &r->receivers,
		    (struct report_receiver){ .name = loader_text(l, st, 0),
			.missing = sqlite3_column_int64(st, 1),
			.connected = loader_integer(st, 2),
			.topics = sqlite3_column_int64(st, 3),
			.first = loader_integer(st, 4),
			.last = loader_integer(st, 5) });
		r->receivers_total = sqlite3_column_int64(st, 6);
	}
}

enum imp_rc
report_load_run(struct report *r, struct store *s, int64_t run_no, struct imp_err *err)
{
	struct loader l = { .r = r, .s = s, .run_no = run_no, .err = err };

	*r = (struct report){ 0 };
	load_run(&l);
	model_load_repairs_total(&l);
	return l.failed;
}

enum imp_rc
report_load_repairs(struct report *r, struct store *s, int64_t run_no, size_t list_max, struct imp_err *err)
{
	struct loader l = { .r = r, .s = s, .run_no = run_no, .list_max = (int64_t)list_max, .err = err };

	*r = (struct report){ 0 };
	load_run(&l);
	model_load_repairs(&l);
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
	model_load_collected(&l);
	model_load_repairs(&l);
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
	VEC_FREE(NULL, &r->servers);
	VEC_FREE(NULL, &r->asked);
	VEC_FREE(NULL, &r->repairs.messages);
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
