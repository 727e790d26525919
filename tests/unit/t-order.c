/* Deliveries out of order (docs/truth-model.md, section 2): regressions and receivers that saw one, by cases worked out by hand. */
#include "config.h"

#include <stdlib.h>

#include "base/buf.h"
#include "classify/reconcile.h"
#include "query.h"
#include "run-dir.h"
#include "tap.h"

#define T0 INT64_C(1790000000000000000)

/* Copies at receiver r of a group of r and s, as they stand in the ledger: MID:SEQ@NANOSECOND. Mids 1 to 9 were all sent by s, at -1.
 * `want` is "regressions, receivers that saw one, out_of_order_rate". */
static const struct {
	const char *name, *copies, *want;
} rows[] = {
	{ "nothing", "", "0 0 -" },
	{ "one copy", "1:1@10", "0 0 -" },
	{ "in order", "1:1@10 2:2@20 3:3@30", "0 0 0.0" },
	{ "with a gap", "1:1@10 5:5@20 9:9@30", "0 0 0.0" },
	{ "two changed places", "1:1@10 3:3@20 2:2@30", "1 1 1.0" },
	{ "the highest first", "3:3@10 1:1@20 2:2@30", "2 1 1.0" },
	{ "backwards", "4:4@10 3:3@20 2:2@30 1:1@40", "3 1 1.0" },
	{ "the lines in another order than the times", "3:3@30 1:1@10 2:2@20", "0 0 0.0" },
	{ "one nanosecond, by line", "1:1@10 2:2@10", "0 0 0.0" },
	{ "one nanosecond, the other way", "2:2@10 1:1@10", "1 1 1.0" },
	{ "one nanosecond, three", "2:2@10 3:3@10 1:1@10", "1 1 1.0" },
	{ "two messages of one seq", "1:4@10 2:4@20", "0 0 0.0" },
	{ "two of one seq behind a higher", "3:5@5 1:4@10 2:4@20", "2 1 1.0" },
	{ "a seq of its own", "1:7@10 2:2@20", "1 1 1.0" },
	{ "a further copy does not count", "1:1@10 2:2@20 1:1@30", "0 0 0.0" },
	{ "the first copy does, whichever line", "1:1@30 2:2@20 1:1@10", "0 0 0.0" },
	{ "late ones count", "2:2@10 1:1@90000000000", "1 1 1.0" },
	{ "an unknown message counts", "8:8@10 1:1@20", "1 1 1.0" },
	{ "negative seqs", "1:-1@10 2:-2@20", "1 1 1.0" },
	{ "the first of several copies has a seq of its own", "1:1@30 2:2@20 1:7@10", "1 1 1.0" },
	{ "two such, and one like the others", "1:1@50 1:7@10 2:2@60 2:6@20 3:3@30", "2 1 1.0" },
	{ "such a seq is that of another message", "1:1@50 1:4@10 2:4@20", "0 0 0.0" },
};

static void
make_run(const char *copies)
{
	struct buf r = BUF_INIT(1 << 16), s = BUF_INIT(1 << 16);
	int mid, n;
	int64_t seq, t;

	for (int m = 1; m <= 9; m++) {
		buf_addf(&s, "{\"ev\":\"pub\",\"t\":%" PRId64 ",\"mid\":\"%d\",\"topic\":\"g\",\"from\":\"s\"}\n", T0 - 1, m);
		if (m != 8)
			buf_addf(&s, "{\"ev\":\"ctrl\",\"t\":%" PRId64 ",\"mid\":\"%d\",\"code\":202,\"seq\":%d}\n", T0, m, m);
	}
	for (; sscanf(copies, "%d:%" SCNd64 "@%" SCNd64 "%n", &mid, &seq, &t, &n) == 3; copies += n)
		buf_addf(&r,
		    "{\"ev\":\"data\",\"t\":%" PRId64 ",\"mid\":\"%d\",\"topic\":\"g\",\"seq\":%" PRId64 ",\"to\":\"r\"}\n", T0 + t,
		    mid, seq);
	run_dir_clear();
	run_dir_bytes("agents/r/l.jsonl", buf_slice(&r));
	run_dir_bytes("agents/s/l.jsonl", buf_slice(&s));
	run_dir_put("topics.jsonl", "{\"topic\":\"g\",\"kind\":\"group\",\"members\":[\"r\",\"s\"]}\n");
	buf_done(&r);
	buf_done(&s);
}

/* The figures in total. */
static const char *
figures(uint64_t lines_at_once)
{
	static const char sql[] = "SELECT (SELECT value FROM figure WHERE scope = 'total' AND name = 'delivery.seq_regressions'), "
				  "(SELECT value FROM figure WHERE scope = 'total' AND name = 'delivery.receivers_out_of_order'), "
				  "(SELECT value FROM figure WHERE scope = 'total' AND name = 'rates.out_of_order_rate')";
	static char out[600];
	const struct reconcile_options opt = {
		.memory_max = RECONCILE_MEMORY_DEFAULT,
		.threads = 1,
		.line_max = 4096,
		.lines_at_once = lines_at_once,
	};
	struct reconcile_result result;
	struct imp_err err = { 0 };
	struct store *s = NULL;

	if (store_open(":memory:", STORE_WRITE, 0, &s, &err) == IMP_OK &&
	    reconcile_directory(s, run_dir, &opt, &result, &err) == IMP_OK)
		snprintf(out, sizeof(out), "%s", query_text(s, sql));
	else
		snprintf(out, sizeof(out), "%s", err.msg);
	store_close(s);
	return out;
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_run(rows[i].copies);
		is_str(figures(0), rows[i].want, rows[i].name);
		is_str(figures(1), rows[i].want, "also when lines are read only where they matter");
	}
	return done();
}
