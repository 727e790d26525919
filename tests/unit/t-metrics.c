/* Metrics: lines of both text formats with all that is odd in the wild, series in their one form, snapshots of a target over time, and
 * answers of the HTTP API. What is expected follows from the format descriptions; see docs/ledger.md, section 9. */
#include "config.h"

#include <math.h>

#include "ingest/metrics.h"
#include "ingest/metrics_text.h"
#include "snapshot-file.h"
#include "tap.h"

#define S INT64_C(1000000000)
#define T0 (INT64_C(1790000000) * S)

static struct imp_err err;

/* ------------------------------------------------------------------ lines */

static void
lines(void)
{
	static const struct {
		const char *text, *reason; /* reason NULL: a sample */
		double value;
		const char *time;
	} rows[] = {
		{ "a 1", NULL, 1, "" },
		{ "a 1 ", NULL, 1, "" },
		{ "  a\t 1 \t1790000000000", NULL, 1, "1790000000000" },
		{ "a{b=\"c\"} +Inf -3982045", NULL, (double)INFINITY, "-3982045" },
		{ "a{b=\"}\\\" 9\"} -2.5e-3", NULL, -0.0025, "" },
		{ "a{b=\"c\"}-1", NULL, -1, "" },
		{ "a nan", NULL, (double)NAN, "" },
		{ "a -infinity 1790000000.553", NULL, -(double)INFINITY, "1790000000.553" },
		{ "a 9007199254740993", NULL, 9007199254740992.0, "" }, /* 2^53 + 1 is no double */
		{ "a 1 # {id=\"x\"} 2", NULL, 1, "" },
		{ "a 1 1790000000 # {id=\"x\"} 2 1790000000", NULL, 1, "1790000000" },
		{ "{\"a.b\",c=\"d\"} 7", NULL, 7, "" },
		{ "a", "a sample without a value", 0, NULL },
		{ "a{b=\"c\" 1", "labels without an end", 0, NULL },
		{ "a 0x1p3", "the value of a sample is no number", 0, NULL },
		{ "a 1_000", "the value of a sample is no number", 0, NULL },
		{ "a 1e999", "the value of a sample is no number", 0, NULL },
		{ "a .", "the value of a sample is no number", 0, NULL },
		{ "a 1e", "the value of a sample is no number", 0, NULL },
		{ "a 1 x", "the time of a sample is no number", 0, NULL },
		{ "a 1 2 3", "something stands behind a sample", 0, NULL },
		{ "a 1 # no exemplar", "something stands behind a sample", 0, NULL },
	};
	struct metrics_line l;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *reason = metrics_line_read(slice_of(rows[i].text), &l);
		bool same = isnan(rows[i].value) ? isnan(l.value) : l.value == rows[i].value;

		if (rows[i].reason != NULL)
			is_str(reason, rows[i].reason, rows[i].text);
		else
			ok(reason == NULL && l.kind == METRICS_SAMPLE && same && slice_eq(l.time, slice_of(rows[i].time)), "%s",
			    rows[i].text);
	}
	ok(metrics_line_read(SLICE(""), &l) == NULL && l.kind == METRICS_NOTHING, "a blank line");
	ok(metrics_line_read(SLICE("# HELP a b"), &l) == NULL && l.kind == METRICS_NOTHING, "# HELP");
	ok(metrics_line_read(SLICE("# EOF"), &l) == NULL && l.kind == METRICS_EOF, "# EOF");
	ok(metrics_line_read(SLICE("# EOF x"), &l) == NULL && l.kind == METRICS_NOTHING, "a comment that begins like # EOF");
	ok(metrics_line_read(SLICE("# UNIT a seconds"), &l) == NULL && l.kind == METRICS_UNIT, "# UNIT");
	ok(metrics_line_read(SLICE("#\tTYPE  a  counter"), &l) == NULL && l.kind == METRICS_TYPE && slice_eq(l.name, SLICE("a")) &&
		slice_eq(l.type, SLICE("counter")),
	    "# TYPE");
}

static void
series(void)
{
	static const struct {
		const char *text, *want; /* name|labels, or the reason after '!' */
	} rows[] = {
		{ "a", "a|" },
		{ "a:b_9{}", "a:b_9|" },
		{ "a{z=\"1\",b=\"2\"}", "a|{b=\"2\",z=\"1\"}" },
		{ "a { b = \"2\" , c=\"3\" , }", "a|{b=\"2\",c=\"3\"}" },
		{ "a{b=\"\",c=\"3\"}", "a|{c=\"3\"}" },
		{ "a{b=\"c\\qd\"}", "a|{b=\"c\\\\qd\"}" },
		{ "a{b=\"\\\\\\\"\\n\"}", "a|{b=\"\\\\\\\"\\n\"}" },
		{ "a_bucket{le=\"1.0\"}", "a_bucket|{le=\"1\"}" },
		{ "a_bucket{le=\"+inf\"}", "a_bucket|{le=\"+Inf\"}" },
		{ "a{quantile=\"0.50\"}", "a|{quantile=\"0.5\"}" },
		{ "{\"a.b\",c=\"d\"}", "a.b|{c=\"d\"}" },
		{ "{c=\"d\",\"a.b\"}", "a.b|{c=\"d\"}" },
		{ "{__name__=\"a\",c=\"d\"}", "a|{c=\"d\"}" },
		{ "a{\"x.y\"=\"d\"}", "a|{\"x.y\"=\"d\"}" },
		{ "a{b=\"\xc3\xa9\"}", "a|{b=\"\xc3\xa9\"}" },
		{ "9a", "!a sample without a proper name" },
		{ "{c=\"d\"}", "!a sample without a proper name" },
		{ "a{\"b\"}", "!a sample with two names" },
		{ "a{=\"foo\"}", "!a label without a proper name" },
		{ "a{b:c=\"foo\"}", "!a label without a proper name" },
		{ "a{b=foo}", "!the value of a label is not in quotes" },
		{ "a{b=\"c\" d=\"e\"}", "!labels without a comma between them" },
		{ "a{b=\"c\",b=\"d\"}", "!two labels of one name" },
		{ "a{b=\"\xff\"}", "!a sample that is not UTF-8" },
	};
	struct buf out = BUF_INIT(4096), scratch = BUF_INIT(4096);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char got[256] = "";
		const char *reason, *split;

		buf_clear(&out);
		reason = metrics_series_write(slice_of(rows[i].text), &out, &scratch);
		split = out.n > 0 ? memchr(out.p, '\xff', out.n) : NULL;
		if (reason != NULL)
			snprintf(got, sizeof(got), "!%s", reason);
		else if (split != NULL)
			snprintf(got, sizeof(got), "%.*s|%s", (int)(split - out.p), out.p, split + 1);
		is_str(got, rows[i].want, rows[i].text);
	}
	buf_done(&out);
	buf_done(&scratch);
}

/* ------------------------------------------------------------------ files */

/* What was handed on, in the order it came: "NAME LABELS @seconds=value", with ", " between. */
static struct buf taken = BUF_INIT(1 << 16);
static uint32_t next_no[8192];
static bool numbers_good;

static enum imp_rc
take(void *payload, struct metrics *m, const struct metrics_sample *v, size_t n, struct imp_err *e)
{
	(void)payload, (void)e;
	for (size_t i = 0; i < n; i++) {
		const struct metrics_series *s = &m->series.v[v[i].series];

		buf_addf(&taken, "%s%.*s%.*s", taken.n > 0 ? ", " : "", SLICE_ARG(s->name), SLICE_ARG(s->labels));
		if (v[i].t != NO_TIME)
			buf_addf(&taken, "@%g", (double)(v[i].t - T0) / 1e9);
		buf_addf(&taken, "=%g", v[i].value);
		next_no[v[i].series]++;
	}
	for (size_t i = 0; i < m->series.n; i++) /* those of a batch are not counted yet */
		numbers_good &= m->series.v[i].samples <= next_no[i];
	return IMP_OK;
}

static struct metrics m;
static struct snapshot s;

static void
begin(void)
{
	run_dir_clear();
	buf_clear(&taken);
	memset(next_no, 0, sizeof(next_no));
	numbers_good = true;
	metrics_init(&m, NULL);
	m.take = take;
	m.from = T0 - 86400 * S;
	m.to = T0 + 86400 * S;
}

static enum imp_rc
read_one(const char *text, const char *source, int64_t t)
{
	static uint32_t file;
	int dirfd = snapshot_file(&s, text);
	enum imp_rc rc;

	if (source != NULL)
		rc = metrics_read_text(&m, &s, file++, slice_of(source), t, &err);
	else
		rc = metrics_read_api(&m, &s, file++, SLICE("file"), &err);
	close(dirfd);
	return rc;
}

static void
end(const char *want, const char *what)
{
	ok(metrics_flush(&m, &err) == IMP_OK && numbers_good, "%s: handed on", what);
	is_str(taken.n > 0 ? taken.p : "", want, what);
}

static const char *
flaws(void)
{
	static char text[512];

	text[0] = '\0';
	for (size_t i = 0; i < s.flaws.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%ju: %s", i > 0 ? ", " : "",
		    (uintmax_t)s.flaws.v[i].line, s.flaws.v[i].reason);
	return text;
}

static void
snapshots(void)
{
	begin();
	ok(read_one(
	       "# TYPE a counter\na{y=\"1\",x=\"2\"} 5\nb NaN\n# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 2\n",
	       "pod-0", T0) == IMP_OK &&
		s.note.n == 0 && s.rejected == 0 && s.samples == 4 && !s.cut,
	    "the first snapshot");
	ok(read_one("a{x=\"2\",y=\"1\",} 9\nb 3\n# TYPE h histogram\nh_bucket{le=\"1.0\"} 1\n", "pod-0", T0 + 10 * S) == IMP_OK,
	    "the second");
	is_str(s.note.p, "a histogram has no +Inf bucket", "a histogram without its last bucket");
	is_int((intmax_t)m.series.n, 4, "they have the same series");
	is_str(m.series.v[0].type, "counter", "the declared type");
	is_str(m.series.v[1].type, "untyped", "no type");
	is_str(m.series.v[2].type, "histogram", "the type of a part");
	end("a{x=\"2\",y=\"1\"}@0=5, a{x=\"2\",y=\"1\"}@10=9, b@0=nan, b@10=3, h_bucket{le=\"1\"}@0=1, h_bucket{le=\"1\"}@10=1, "
	    "h_bucket{le=\"+Inf\"}@0=2",
	    "two snapshots");
	metrics_done(&m);
}

static void
damage(void)
{
	begin();
	ok(read_one("a 1\nb{c=\"d\" e=\"f\"} 2\na 1\nc 3", "p", T0) == IMP_OK, "a damaged snapshot");
	is_str(flaws(), "2: labels without a comma between them, 3: a series that is there twice", "what is wrong");
	ok(s.cut && s.samples == 2 && s.lines == 4, "the last line has no end, and counts");
	end("a@0=1, c@0=3", "the good lines");
	ok(read_one("<html>\na 1\n", "p", T0) == IMP_OK && s.samples == 0, "a page of HTML");
	is_str(flaws(), "1: a page of HTML, not metrics", "is one flaw");
	ok(read_one("", "p", T0) == IMP_OK && s.rejected == 0, "an empty body");
	is_str(s.note.p, "empty", "is noted");
	ok(read_one("a 1\r\nb 2\r\n", "p", T0) == IMP_OK && s.samples == 2 && s.rejected == 0, "CRLF is taken");
	is_str(s.note.p, "lines end in CRLF", "and noted");
	ok(read_one("\xef\xbb\xbf"
		    "a 1\n",
	       "p", T0) == IMP_OK &&
		s.samples == 1,
	    "a byte-order mark is accepted, as everywhere");
	metrics_done(&m);
}

static void
open_metrics(void)
{
	begin();
	ok(read_one("# TYPE r counter\n# UNIT r x\nr_total 3 1790000001.5 # {id=\"x\"} 1\nr_created 1\n# EOF", "p", T0) == IMP_OK &&
		!s.cut && s.rejected == 0 && s.note.n == 0,
	    "OpenMetrics, without a line feed at its end");
	is_str(m.sources.v[0].format, "openmetrics", "its name");
	is_str(m.series.v[0].type, "counter", "a type without the ending");
	end("r_total@1.5=3, r_created@0=1", "seconds");
	metrics_done(&m);
	begin();
	ok(read_one("# TYPE r info\nr_info 1\n", "p", T0) == IMP_OK && s.cut, "without # EOF it is cut");
	ok(read_one("r 1\n# EOF\nx 1\n", "p", T0 + S) == IMP_OK, "something behind # EOF");
	is_str(flaws(), "3: something stands behind # EOF", "is a flaw");
	metrics_done(&m);
}

static void
times(void)
{
	begin();
	ok(read_one("a 1 1790000002000\nb 1 1790000002\nc 1 -3982045\n", "p", T0) == IMP_OK, "times on lines");
	is_str(s.note.p, "times in seconds, not what the format says", "seconds where milliseconds are due");
	is_int(m.samples.v[2].t, -3982045 * INT64_C(1000000), "what fits neither way is as the format says");
	m.samples.n = 2;
	end("a@2=1, b@2=1", "the unit that fits");
	metrics_done(&m);
	begin();
	ok(read_one("# UNIT a s\na 1 1790000002000\n# EOF\n", "p", T0) == IMP_OK, "milliseconds in OpenMetrics");
	is_str(s.note.p, "times in milliseconds, not what the format says", "are noted");
	end("a@2=1", "and meant so");
	metrics_done(&m);
	begin();
	ok(read_one("a 1\n", "p", NO_TIME) == IMP_OK, "an undated snapshot");
	end("a=1", "has no time");
	metrics_done(&m);
}

static void
batches(void)
{
	begin();
	m.batch = 2;
	for (int i = 5; i > 0; i--) {
		char text[32];

		snprintf(text, sizeof(text), "a %d\nb 1\n", i);
		ok(read_one(text, "p", T0 + i * S) == IMP_OK, "snapshot %d", i);
	}
	ok(metrics_flush(&m, &err) == IMP_OK && numbers_good && next_no[0] == 5 && next_no[1] == 5, "nothing is lost in batches");
	ok(m.series.v[0].disordered && m.series.v[0].first_t == T0 + S && m.series.v[0].last_t == T0 + 5 * S,
	    "what came backwards is known as such");
	metrics_done(&m);
	begin();
	ok(read_one("a 1\n", "p", T0) == IMP_OK && read_one("a 1\n", "p", T0) == IMP_OK && read_one("a 2\n", "p", T0 + S) == IMP_OK,
	    "one snapshot under two names");
	end("a@0=1, a@1=2", "counts once");
	is_int((intmax_t)m.sources.v[0].resent, 1, "and is told");
	metrics_done(&m);
}

static void
budget(void)
{
	struct mem_budget small = { .limit = (size_t)300 << 10 };
	struct buf text = BUF_INIT(1 << 20);

	for (int i = 0; i < 5000; i++)
		buf_addf(&text, "a{b=\"%d\"} 1\n", i);
	begin();
	metrics_done(&m);
	metrics_init(&m, &small);
	m.take = take;
	memset(next_no, 0, sizeof(next_no));
	buf_clear(&taken);
	m.batch = 1 << 20;
	ok(read_one(text.p, "p", T0) == IMP_OK && m.sources.v[0].limited && m.series.n > 100 && m.series.n < 5000,
	    "more series than there is room for");
	is_str(s.note.p, "more series than --memory has room for", "are noted");
	m.samples.n = 0;
	metrics_done(&m);
	is_int((intmax_t)small.used, 0, "the budget is whole again");
	buf_done(&text);
}

/* Samples every 10 s from -10, against marks: load from 0 to 20 (drained), clients leave from 40 on. */
static void
increases(void)
{
	static const struct {
		const char *what;
		double values[8]; /* 99: no sample, 98: not measured */
		double from, to, increase, closing, first, last;
		unsigned resets;
		bool reached;
	} rows[] = {
		{ "on both sides", { 1, 2, 5, 9, 10, 10, 13, 99 }, 0, 20, 7, 3, 2, 9, 0, true },
		{ "over a reset", { 1, 7, 9, 4, 99, 99, 99, 99 }, 0, 20, 6, 0, 7, 4, 1, true },
		{ "a gap in the middle", { 1, 2, 99, 99, 8, 99, 99, 99 }, 0, 30, 6, 0, 2, 8, 0, true },
		{ "not measured in between", { 1, 2, 98, 5, 99, 99, 99, 99 }, 0, 20, 3, 0, 2, 5, 0, true },
		{ "begins late", { 99, 99, 3, 5, 99, 99, 99, 99 }, 10, 20, 2, 0, 3, 5, 0, true },
		{ "ends early", { 1, 2, 5, 99, 99, 99, 99, 99 }, 0, 10, 3, 0, 2, 5, 0, false },
		{ "before the load alone", { 1, 2, 99, 99, 99, 99, 99, 99 }, 0, 0, 0, 0, 2, 2, 0, false },
		{ "after it alone", { 99, 99, 99, 99, 4, 6, 9, 99 }, 30, 30, 0, 3, 4, 4, 0, true },
		{ "a negative reset", { 99, 5, 99, -3, 99, 99, 99, 99 }, 0, 20, 0, 0, 5, -3, 1, true },
		{ "grows while clients leave, over a reset", { 99, 1, 99, 1, 99, 4, 2, 3 }, 0, 20, 0, 3, 1, 1, 0, true },
	};
	const struct metrics_marks marks = { T0, T0 + 20 * S, T0 + 40 * S, T0 + 20 * S };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct metrics_increase x = { .any = false };

		for (int k = 0; k < 8; k++) {
			double v = rows[i].values[k];

			if (v != 99)
				metrics_increase_add(&x, &marks, T0 + (k - 1) * 10 * S, v == 98 ? (double)NAN : v, 7, (uint32_t)k);
		}
		metrics_increase_add(&x, &marks, NO_TIME, 1e9, 7, 9);
		ok(x.any && (double)(x.from_t - T0) / 1e9 == rows[i].from && (double)(x.to_t - T0) / 1e9 == rows[i].to &&
			(int)x.line == (int)rows[i].to / 10 + 1,
		    "%s: from %g to %g", rows[i].what, rows[i].from, rows[i].to);
		ok(x.increase == rows[i].increase && x.resets == rows[i].resets && x.reached == rows[i].reached, "%s: by %g (%g)",
		    rows[i].what, rows[i].increase, x.increase);
		ok(x.closing == rows[i].closing && x.first == rows[i].first && x.last == rows[i].last, "%s: closing %g (%g)",
		    rows[i].what, rows[i].closing, x.closing);
	}
}

/* ------------------------------------------------------------------ answers */

static void
answers(void)
{
	begin();
	ok(read_one(
	       "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{\"pod\":\"im-0\",\"__name__\":"
	       "\"a\"},\"values\":[[1790000000,\"1\"],[1790000005.5,\"NaN\"],\n[1790000010,\"+Inf\"]]},{\"metric\":{\"__name__\":\"b\","
	       "\"instance\":\"h:1\"},\"value\":[1790000001,\"2\"]},{\"metric\":{},\"values\":[[1790000002,\"3\"]]}]}}",
	       NULL, 0) == IMP_OK &&
		s.rejected == 0 && s.samples == 5 && s.note.n == 0,
	    "an answer");
	is_int((intmax_t)m.sources.n, 3, "its series are of three sources");
	ok(slice_eq(m.sources.v[0].pod, SLICE("im-0")) && slice_eq(m.sources.v[1].name, SLICE("h:1")) &&
		m.sources.v[1].pod.p == NULL && slice_eq(m.sources.v[2].name, SLICE("file")),
	    "pod, instance, file");
	is_int(m.samples.v[2].line, 2, "the line of a sample");
	end("a{pod=\"im-0\"}@0=1, a{pod=\"im-0\"}@5.5=nan, a{pod=\"im-0\"}@10=inf, b{instance=\"h:1\"}@1=2, @2=3", "an answer");
	metrics_done(&m);

	begin();
	ok(read_one("{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"exceeded maximum resolution\"}", NULL, 0) ==
		IMP_OK,
	    "an error");
	is_str(flaws(), "1: an error in place of an answer", "is a flaw");
	is_str(s.note.p, "error: exceeded maximum resolution", "with its words");
	metrics_done(&m);

	begin();
	ok(read_one(
	       "{\"data\":{\"result\":[{\"metric\":{\"__name__\":\"a\"},\"values\":[[1790000000,\"1\"],[1790000001,1],[1790000002,"
	       "\"x\"],7,[\"t\",\"1\"],[1790000003,\"4\"]],\"histograms\":[[1,{\"count\":\"1\"}]]}]},\"warnings\":[\"partial\"]}",
	       NULL, 0) == IMP_OK,
	    "an answer with flaws");
	is_str(flaws(), "1: the value of a sample is no number, 1: a sample that is no pair, 1: a sample without a time",
	    "its flaws");
	is_str(s.note.p, "native histograms are passed over; warning: partial", "its notes");
	ok(m.sources.v[0].limited, "a warning means that something is missing");
	end("a@0=1, a@1=1, a@3=4", "the good samples");
	metrics_done(&m);

	begin();
	ok(read_one("{\"data\":{\"result\":[{\"metric\":{\"__name__\":\"a\"},\"values\":[[1790000000,\"1\"],[17900", NULL, 0) ==
		    IMP_OK &&
		s.cut,
	    "a torn answer");
	is_str(flaws(), "1: it ends too early", "is a flaw");
	end("a@0=1", "what stands before is good");
	metrics_done(&m);

	begin();
	ok(read_one("<html>", NULL, 0) == IMP_OK && s.rejected == 1 && m.sources.n == 1,
	    "no answer at all is a source without samples");
	ok(read_one("{\"data\":{\"resultType\":\"scalar\",\"result\":[1790000000,\"1\"]}}", NULL, 0) == IMP_OK && s.rejected == 0,
	    "a scalar");
	is_str(s.note.p, "a scalar or a string is no series", "is noted");
	metrics_done(&m);
}

int
main(void)
{
	lines();
	series();
	snapshots();
	damage();
	open_metrics();
	times();
	batches();
	budget();
	increases();
	answers();
	snapshot_done(&s);
	buf_done(&taken);
	return done();
}
