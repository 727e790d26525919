/* Any bytes as what a foreign load tool wrote, and as what Redis said: figures have names and lie within their extremes. */
#include "config.h"

#include <math.h>

#include "base/time.h"
#include "dir.h"
#include "ingest/loadgen.h"
#include "ingest/redis.h"

static void
check(const struct loadgen *g)
{
	for (size_t i = 0; i < g->metrics.n; i++)
		must(g->metrics.v[i].name.p != NULL && g->metrics.v[i].stat.p != NULL && !isinf(g->metrics.v[i].value));
	for (size_t i = 0; i < g->moments.n; i++) {
		must(g->moments.v[i].name.p != NULL && (g->moments.v[i].t == NO_TIME || time_fits(g->moments.v[i].t)));
		must(i == 0 || g->moments.v[i - 1].point <= g->moments.v[i].point);
	}
	must((g->first_t == NO_TIME) == (g->last_t == NO_TIME));
}

static void
read_loadgen(int dirfd)
{
	struct mem_budget budget = { .limit = (size_t)32 << 20 };
	struct loadgen g = { .arena = { .budget = &budget } };
	struct snapshot s;
	struct imp_err err;

	snapshot_init(&s, dirfd, "bytes");
	must(loadgen_read(&g, &s, &err) == IMP_OK && s.flaws.n <= s.rejected);
	check(&g);
	snapshot_done(&s);
	loadgen_done(&g);
	must(budget.used == 0);
}

static void
read_redis(int dirfd)
{
	struct mem_budget budget = { .limit = (size_t)16 << 20 };
	struct redis r = { .arena = { .budget = &budget } };
	struct snapshot s;
	struct imp_err err;

	snapshot_init(&s, dirfd, "bytes");
	must(redis_read(&r, &s, &err) == IMP_OK && s.samples == r.figures.n + r.slow.n);
	for (size_t i = 0; i < r.slow.n; i++)
		must(time_fits(r.slow.v[i].t) && r.slow.v[i].duration_us >= 0 && r.slow.v[i].command.p != NULL);
	snapshot_done(&s);
	redis_done(&r);
	must(budget.used == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int dirfd = fuzz_dirfd();

	run_dir_bytes("bytes", (struct slice){ (const char *)data, size });
	read_loadgen(dirfd);
	read_redis(dirfd);
	return 0;
}
