/* Foreign load tools: the three shapes of k6's summary say the same in one form, raw output is put together as k6 would, health samples
 * with and without a zone; whole and damaged. */
#include "config.h"

#include <math.h>

#include "ingest/loadgen.h"
#include "ingest/loadgen_trend.h"
#include "snapshot-file.h"
#include "tap.h"

#define S INT64_C(1000000000)
/* 2026-09-21T14:13:20Z */
#define T0 (INT64_C(1790000000) * S)

static struct imp_err err;
static struct loadgen g;
static struct snapshot s;

static enum imp_rc
read_one(const char *text)
{
	int dirfd = snapshot_file(&s, text);
	enum imp_rc rc;

	loadgen_done(&g);
	g = (struct loadgen){ .format = LOADGEN_UNKNOWN };
	rc = loadgen_read(&g, &s, &err);
	close(dirfd);
	return rc;
}

/* A figure, NAN when it is not there. */
static double
figure(const char *name, const char *stat)
{
	for (size_t i = 0; i < g.metrics.n; i++) {
		if (slice_eq(g.metrics.v[i].name, slice_of(name)) && slice_eq(g.metrics.v[i].stat, slice_of(stat)))
			return g.metrics.v[i].value;
	}
	return (double)NAN;
}

static void
is_figure(const char *name, const char *stat, double want)
{
	double got = figure(name, stat);

	if (!ok(isnan(want) ? isnan(got) : fabs(got - want) <= 1e-9 * fabs(want), "%s %s", name, stat))
		printf("# got %.17g, want %.17g\n", got, want);
}

static void
summaries(void)
{
	ok(read_one(
	       "{\"metrics\":{\n\"dropped_iterations\":{\"count\":41,\"rate\":0.68},\"vus\":{\"value\":60,\"min\":50,\"max\":61},\n"
	       "\"http_req_failed\":{\"value\":0.25,\"passes\":1,\"fails\":3},\"ws_connecting\":{\"avg\":3.1,\"min\":0.9,\"med\":2.2,"
	       "\"max\":88,\"p(90)\":6,\"p(95)\":9,\"thresholds\":{\"p(95)<5\":true,\"p(90)<7\":false}},"
	       "\"a{phase:steady}\":{\"count\":1,\"rate\":null}},\"root_group\":{\"groups\":{},\"checks\":{}}}") == IMP_OK &&
		g.format == LOADGEN_EXPORT && g.samples == 5 && s.rejected == 0,
	    "--summary-export");
	is_figure("dropped_iterations", "count", 41);
	is_figure("http_req_failed", "value", 0.25);
	is_figure("ws_connecting", "p(95)", 9);
	is_figure("ws_connecting", "threshold:p(95)<5", 1);
	is_figure("ws_connecting", "threshold:p(90)<7", 0);
	is_figure("a{phase:steady}", "count", 1);
	is_figure("a{phase:steady}", "rate", (double)NAN);
	is_int((intmax_t)g.metrics.v[0].line, 2, "the line of a metric");

	ok(read_one(
	       "{\"root_group\":{},\"options\":{\"summaryTrendStats\":[\"avg\"]},\"state\":{\"testRunDurationMs\":60500.5},\"metrics\":{"
	       "\"ws_connecting\":{\"type\":\"trend\",\"contains\":\"time\",\"values\":{\"p(95)\":9},\"thresholds\":{\"p(95)<5\":{"
	       "\"ok\":false},\"p(90)<7\":{\"ok\":true}}},\"http_req_failed\":{\"type\":\"rate\",\"values\":{\"rate\":0.25,\"passes\":1,"
	       "\"fails\":3}},\"iterations\":{\"type\":\"counter\",\"values\":{\"count\":7,\"rate\":0.5}}}}") == IMP_OK &&
		g.format == LOADGEN_SUMMARY && s.rejected == 0,
	    "handleSummary");
	is_figure("test_run_duration_ms", "value", 60500.5);
	is_figure("ws_connecting", "threshold:p(95)<5", 1);
	is_figure("ws_connecting", "threshold:p(90)<7", 0);
	is_figure("http_req_failed", "value", 0.25);
	is_figure("http_req_failed", "rate", (double)NAN);
	is_figure("iterations", "rate", 0.5);

	ok(read_one(
	       "{\"version\":\"1.0.0\",\"config\":{\"script\":\"x\",\"duration\":60.5},\"metadata\":{},\"results\":{\"checks\":{\"metrics\":"
	       "[],\"results\":[]},\"metrics\":[{\"name\":\"http_req_failed\",\"type\":\"rate\",\"values\":{\"matches\":1,\"total\":4,"
	       "\"rate\":0.25}},{\"type\":\"x\"},{\"name\":\"iterations\",\"type\":\"counter\",\"values\":{\"count\":7}}]}}") ==
		    IMP_OK &&
		g.format == LOADGEN_MACHINE && s.rejected == 1,
	    "the machine-readable summary");
	is_figure("test_run_duration_ms", "value", 60500);
	is_figure("http_req_failed", "value", 0.25);
	is_figure("http_req_failed", "passes", 1);
	is_figure("http_req_failed", "fails", 3);
	is_figure("iterations", "count", 7);
	is_figure("dropped_iterations", "count", (double)NAN);

	ok(read_one("{\"metrics\":{\"a\":{\"count\":1},\"b\":{\"cou") == IMP_OK && g.metrics.n == 1 && s.cut && s.rejected == 1,
	    "a torn summary");
	ok(read_one("{\"state\":[1,{}],\"metrics\":{\"a\":{\"count\":1}}}") == IMP_OK && g.metrics.n == 1 && s.rejected == 0,
	    "a member that is something else than it should be");
	ok(read_one("Running 30s test @ http://127.0.0.1\n") == IMP_OK && g.format == LOADGEN_UNKNOWN && s.rejected == 0 &&
		s.note.n > 0,
	    "output of another tool");
	ok(read_one("{\"rps\":3}") == IMP_OK && g.format == LOADGEN_UNKNOWN, "another document");
	ok(read_one("") == IMP_OK && g.format == LOADGEN_UNKNOWN, "an empty file");
}

/* A figure of a moment, NAN. */
static double
moment(uint32_t point, const char *name)
{
	for (size_t i = 0; i < g.moments.n; i++) {
		if (g.moments.v[i].point == point && slice_eq(g.moments.v[i].name, slice_of(name)))
			return g.moments.v[i].value;
	}
	return (double)NAN;
}

static void
health(void)
{
	ok(read_one(
	       "[{\"ts\":\"2026-09-21T14:13:20\",\"cpu_pct\":12.5,\"time_wait\":7,\"port_used\":3,\"port_total\":10,\"fd_use_ratio\":null},\n"
	       "{\"ts\":\"2026-09-21T14:13:22\",\"cpu_pct\":71,\"port_use_ratio\":0.5},{\"ts\":\"2026-09-21T14:13:29\",\"cpu_pct\":1}]") ==
		    IMP_OK &&
		g.format == LOADGEN_HEALTH && g.samples == 3 && s.rejected == 0 && g.first_t == NO_TIME,
	    "samples of a clock without a zone");
	ok(g.moments.v[0].t == NO_TIME && moment(0, "cpu_pct") == 12.5 && moment(0, "time_wait") == 7, "have no time, but figures");
	ok(moment(0, "ts") == 1790000000 && moment(1, "ts") == 1790000002, "and their own clock as seconds");
	ok(moment(0, "port_use_ratio") == 0.3 && moment(1, "port_use_ratio") == 0.5,
	    "the share of ports follows from their number");
	ok(isnan(moment(0, "fd_use_ratio")), "null is not measured");
	is_int(g.longest_gap_ns, 7 * S, "the longest silence");
	is_int((intmax_t)g.moments.v[g.moments.n - 1].line, 2, "the line of a sample");
	ok(read_one(
	       "[{\"ts\":\"2026-09-21T22:13:20+08:00\",\"cpu_pct\":1},{\"ts\":1790000004.5,\"cpu_pct\":2},{\"ts\":1790000005,\"cpu_pct\":"
	       "2}]") == IMP_OK &&
		g.first_t == T0 && g.last_t == T0 + 5 * S && g.moments.v[1].t == T0 + 4 * S + S / 2 && isnan(moment(0, "ts")),
	    "times with a zone, and Unix seconds");
	ok(read_one("[{\"ts\":\"noon\",\"cpu_pct\":1},7,{\"ts\":\"1700-01-01T00:00:00\"},{\"ts\":5,\"cpu_pct\":3}]") == IMP_OK &&
		g.samples == 1 && s.rejected == 3 && moment(0, "cpu_pct") == 3,
	    "samples that are none");
	ok(read_one("[{\"ts\":5,\"cpu_pct\":3},{\"ts\":6,\"cpu") == IMP_OK && g.samples == 1 && s.cut && s.rejected == 1 &&
		isnan(moment(1, "cpu_pct")),
	    "a torn array");
	ok(read_one("[]") == IMP_OK && g.format == LOADGEN_HEALTH && g.samples == 0 && s.rejected == 0, "no sample");
}

#define METRIC(name, kind, more) \
	"{\"type\":\"Metric\",\"data\":{\"name\":\"" name "\",\"type\":\"" kind \
	"\",\"contains\":\"default\",\"thresholds\":[" more "],\"submetrics\":null},\"metric\":\"" name "\"}\n"
#define POINT(name, time, value, tags) \
	"{\"metric\":\"" name "\",\"type\":\"Point\",\"data\":{\"time\":\"2026-09-21T14:13:" time "Z\",\"value\":" value \
	",\"tags\":{" tags "}}}\n"

static void
raw(void)
{
	ok(read_one(METRIC("iterations", "counter", "")
		   METRIC("q", "trend", "\"p(95)<3.7\",{\"threshold\":\"max < 5\",\"abortOnFail\":true}")
		       METRIC("http_req_failed", "rate", "\"rate<0.1\"") METRIC("vus", "gauge", "")
			   POINT("iterations", "20.100000000", "1", "\"scenario\":\"steady\"") POINT("iterations", "20.9", "1", "")
			       POINT("iterations", "22", "1", "") POINT("dropped_iterations", "22.5", "2", "")
				   POINT("q", "20", "0", "\"phase\":\"warmup\"") POINT("q", "21", "1", "") POINT("q", "21", "2", "")
				       POINT("q", "22", "3", "") POINT("q", "30", "4", "\"phase\":\"steady\"")
					   POINT("http_req_failed", "21", "0", "") POINT("http_req_failed", "21", "1", "")
					       POINT("vus", "21", "3", "") POINT("vus", "22", "2", "")) == IMP_OK &&
		g.format == LOADGEN_RAW && s.rejected == 0 && g.samples == 13 && !s.cut,
	    "raw output");
	ok(g.first_t == T0 && g.last_t == T0 + 10 * S, "its first and last time");
	is_figure("test_run_duration_ms", "value", 10000);
	is_figure("iterations", "count", 3);
	is_figure("iterations", "rate", 0.3);
	is_figure("iterations{scenario:steady}", "count", 1);
	is_figure("q", "count", 5);
	is_figure("q", "sum", 10);
	is_figure("q", "avg", 2);
	is_figure("q", "med", 2);
	is_figure("q", "p(95)", 3.8); /* between 3 and 4, at 0.95 * 4 */
	is_figure("q", "p(99)", 3.96);
	is_figure("q", "threshold:p(95)<3.7", 1);
	is_figure("q", "threshold:max<5", 0);
	is_figure("q{phase:steady}", "max", 4);
	is_figure("q{phase:warmup}", "max", 0);
	is_figure("http_req_failed", "value", 0.5);
	is_figure("http_req_failed", "threshold:rate<0.1", 1);
	is_figure("vus", "value", 2);
	is_figure("vus", "max", 3);
	ok(moment(0, "iterations") == 2 && moment(2, "iterations") == 1 && moment(2, "dropped_iterations") == 2 &&
		isnan(moment(1, "iterations")),
	    "iterations by second");
	ok(read_one(POINT("client_queue_ms", "21", "5", "") POINT("client_queue_ms", "21.5", "7", "")
		   POINT("client_queue_ms", "20", "1", "")) == IMP_OK &&
		moment(0, "client_queue_ms") == 1 && moment(1, "client_queue_ms") == 7,
	    "the longest wait of each second, also when time goes back");
	ok(read_one(METRIC("a", "counter", "") POINT("a", "20", "1", "") "{\"metric\":\"a\"}\nnoise\n" POINT("a", "20", "2",
	       "") "{\"metric\":\"a\",\"ty") == IMP_OK &&
		s.rejected == 3 && s.cut && figure("a", "count") == 3,
	    "damaged lines and a torn end");
	ok(read_one(METRIC("dropped_iterations", "counter", "\"count<1\"") POINT("a", "20", "1", "")) == IMP_OK &&
		isnan(figure("dropped_iterations", "count")) && isnan(figure("dropped_iterations", "threshold:count<1")),
	    "declared and never observed is not 0");
}

/* 1 to 200,000: more than are kept one by one. */
static void
many(void)
{
	struct mem_budget budget = { .limit = (size_t)8 << 20 };
	struct trend t = { .n = 0 };
	enum imp_rc rc = IMP_OK;

	for (int i = 200000; i > 0 && rc == IMP_OK; i--)
		rc = trend_add(&t, &budget, i, &err);
	trend_settle(&t);
	ok(rc == IMP_OK && t.n == 200000 && t.min == 1 && t.max == 200000 && t.sum == 20000100000.0, "many numbers");
	for (int pct = 1; pct <= 99; pct += 7) {
		double want = 1 + pct / 100.0 * 199999, got = trend_percentile(&t, pct);

		ok(fabs(got - want) <= want / 1000, "percentile %d (%g, %g)", pct, got, want);
	}
	trend_done(&t, &budget);
	is_int((intmax_t)budget.used, 0, "the budget is whole again");
}

int
main(void)
{
	summaries();
	health();
	raw();
	many();
	loadgen_done(&g);
	snapshot_done(&s);
	return done();
}
