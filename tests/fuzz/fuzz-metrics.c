/* Any bytes as a snapshot of metrics, and as an answer of the HTTP API: what comes of it is in order, has names, and reads back as itself. */
#include "config.h"

#include <math.h>

#include "base/time.h"
#include "dir.h"
#include "ingest/metrics.h"
#include "ingest/metrics_text.h"

static uint64_t taken;

/* A series in its one form is its own one form. */
static void
check_series(const struct metrics_series *s)
{
	struct buf again = BUF_INIT(1 << 20), twice = BUF_INIT(1 << 20), scratch = BUF_INIT(1 << 20);

	must(memchr(s->name.p, '\xff', s->name.n) == NULL && s->type != NULL);
	if (s->name.n == 0)
		return; /* an expression has none */
	buf_add_slice(&again, s->name);
	buf_add_slice(&again, s->labels);
	if (metrics_series_write(buf_slice(&again), &twice, &scratch) == NULL) {
		must(slice_eq((struct slice){ twice.p, s->name.n }, s->name) && twice.n == s->name.n + 1 + s->labels.n);
		must(slice_eq((struct slice){ twice.p + s->name.n + 1, s->labels.n }, s->labels));
	}
	buf_done(&again);
	buf_done(&twice);
	buf_done(&scratch);
}

static enum imp_rc
take(void *payload, struct metrics *m, const struct metrics_sample *v, size_t n, struct imp_err *err)
{
	(void)payload, (void)err;
	taken += n;
	for (size_t i = 0; i < n; i++) {
		must(v[i].series < m->series.n && (v[i].t == NO_TIME || time_fits(v[i].t)));
		must(i == 0 || v[i - 1].series < v[i].series || (v[i - 1].series == v[i].series && v[i - 1].t <= v[i].t));
	}
	return IMP_OK;
}

static void
read_as(int dirfd, bool api)
{
	struct mem_budget budget = { .limit = (size_t)16 << 20 };
	struct metrics m;
	struct snapshot s;
	struct imp_err err;

	metrics_init(&m, &budget);
	m.take = take;
	m.batch = 7;
	m.from = INT64_C(1789000000000000000);
	m.to = INT64_C(1791000000000000000);
	taken = 0;
	snapshot_init(&s, dirfd, "bytes");
	if (api)
		must(metrics_read_api(&m, &s, 0, SLICE("s"), &err) == IMP_OK);
	else
		must(metrics_read_text(&m, &s, 0, SLICE("s"), INT64_C(1790000000000000000), &err) == IMP_OK);
	must(metrics_flush(&m, &err) == IMP_OK && taken <= s.samples && s.flaws.n <= s.rejected && m.sources.n > 0);
	for (size_t i = 0; i < m.series.n; i++)
		check_series(&m.series.v[i]);
	snapshot_done(&s);
	metrics_done(&m);
	must(budget.used == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int dirfd = fuzz_dirfd();

	run_dir_bytes("bytes", (struct slice){ (const char *)data, size });
	read_as(dirfd, false);
	read_as(dirfd, true);
	return 0;
}
