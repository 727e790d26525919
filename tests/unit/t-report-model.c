/* The report model, read from the sample store. */
#include "config.h"

#include "sample-report.h"
#include "tap.h"

static void
test_lookup(const struct report *r)
{
	is_int(report_figure(&r->total, "planned").i, 5, "first scope");
	is_int(report_figure_int(&r->total, "delivery.missing"), 2, "dotted name");
	is_int(report_figure(&r->total, "rates.accept_rate").type, REPORT_REAL, "a rate");
	is_int(report_figure(&r->total, "persistence.history_found").type, REPORT_NULL, "not evaluated");
	is_int(report_figure(&r->total, "no.such").type, REPORT_NULL, "no such figure");
	is_int(report_figure(&r->total, "latency_ms.delivery.why").type, REPORT_TEXT, "a reason");
	is_int(report_figure(&r->agents.v[1].scope, "planned").type, REPORT_NULL, "an agent without figures");
	for (size_t i = 1; i < r->total.figures.n; i++)
		if (slice_cmp(r->total.figures.v[i - 1].name, r->total.figures.v[i].name) >= 0)
			ok(false, "figures are sorted");
	is_int(report_count(r, "foreign.data"), 4, "a counter");
	is_int(report_count(r, "foreign"), 0, "no such counter");
}

static void
test_lists(const struct report *r)
{
	is_int((intmax_t)r->scenarios.n, 1, "scenarios");
	is_int((intmax_t)r->agents.n, 3, "agents");
	is_int((intmax_t)r->files.n, 3, "files");
	is_int((intmax_t)r->marks.n, 2, "marks");
	is_int((intmax_t)r->total.matrix.n, 4, "matrix");
	is_int((intmax_t)r->run.systems.n, 1, "systems");
	is_int((intmax_t)r->missing.n, 2, "missing deliveries");
	ok(slice_eq(r->missing.v[0].mid, SLICE("m2")) && slice_eq(r->missing.v[0].receiver, SLICE("b1")), "the first of them");
	ok(r->missing.v[0].disconnected.known && r->missing.v[0].disconnected.v == 0, "its receiver was connected");
	is_int((intmax_t)r->losses.n, 1, "lost messages");
	is_int(r->failing_messages, 3, "failing messages");
	ok(r->files.v[0].manifest.p == NULL && r->files.v[1].manifest.p != NULL, "absent text is absent");
	ok(!r->agents.v[0].clock_worst_ns.known && r->agents.v[1].clock_worst_ns.v == 2500000, "absent numbers are absent");
}

static void
test_repairs(const struct report *r)
{
	const struct report_repairs *x = &r->repairs;

	is_int(x->total, 1, "one message was repaired");
	is_int(x->replay, 1, "by a replay");
	is_int(x->backlog + x->not_known, 0, "and by nothing else");
	is_int(x->changed, 1, "while a column changed");
	is_int(x->median.least.v, INT64_C(48996000000), "missing at least until the look-up that missed it");
	is_int(x->median.most.v, INT64_C(98996000000), "at most until the one that found it");
	ok(x->messages.n == 1 && slice_eq(x->messages.v[0].mid, SLICE("m2")) && slice_eq(x->messages.v[0].how, SLICE("replay")),
	    "which");
	is_int(x->messages.v[0].line, 5, "its row");
	is_int(x->messages.v[0].missed_line, 4, "the look-up that missed it");
	is_int(x->messages.v[0].letter_line, 2, "its letter");
	is_int(x->messages.v[0].changed_line, 8, "the column");
}

static void
test_collected(const struct report *r)
{
	is_int((intmax_t)r->servers.n, 2, "two servers of one instance");
	ok(!r->servers.v[0].other && !r->servers.v[0].lags && r->servers.v[1].other && r->servers.v[1].lags,
	    "the second is another, a replica");
	is_int(r->servers.v[0].requests.v, 4, "requests of the instance");
	is_int(r->servers.v[0].failed.v, 3, "of these not all got");
	ok(!r->servers.v[1].requests.known, "they stand once");
	is_int(r->asked_total, 2, "kinds of requests that were not all got");
	is_int(r->asked.v[1].times, 2, "how often");
}

static void
test_limits(struct store *s)
{
	for (size_t limit = 0; limit < 3; limit++) {
		CLEANUP(report_done) struct report r = { 0 };

		sample_report(s, limit, &r);
		is_int((intmax_t)r.missing.n, (intmax_t)limit, "at most as many as asked for");
		is_int(r.missing_total.v, 2, "the total is exact");
		is_int(r.losses_total, 1, "so is that of lost messages");
		is_int((intmax_t)r.damage.n, limit > 0, "and of damage");
		is_int((intmax_t)r.asked.n, (intmax_t)limit, "of requests");
		is_int(r.asked_total, 2, "all of which are counted");
		is_int((intmax_t)r.repairs.messages.n, limit > 0, "of what was repaired");
		is_int(r.repairs.total, 1, "likewise");
	}
}

static void
test_no_run(struct store *s)
{
	CLEANUP(report_done) struct report r = { 0 };
	struct imp_err err = { 0 };

	is_int(report_load(&r, s, 8, 10, &err), IMP_E_NOINPUT, "no such run");
}

int
main(void)
{
	struct store *s = sample_store();

	{
		CLEANUP(report_done) struct report r = { 0 };

		sample_report(s, 100, &r);
		test_lookup(&r);
		test_lists(&r);
		test_repairs(&r);
		test_collected(&r);
	}
	test_limits(s);
	test_no_run(s);
	store_close(s);
	return done();
}
