/* Any bytes as what Redis says of itself, INFO, SLOWLOG or LATENCY: names and commands are there, lines are counted, and memory is given back. */
#include "config.h"

#include "dir.h"
#include "ingest/redis.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_budget budget = { .limit = (size_t)16 << 20 };
	struct redis r = { .arena = { .budget = &budget } };
	struct snapshot s;
	struct imp_err err;
	int dirfd = fuzz_dirfd();

	run_dir_bytes("bytes", (struct slice){ (const char *)data, size });
	snapshot_init(&s, dirfd, "bytes");
	must(redis_read(&r, &s, &err) == IMP_OK && s.flaws.n <= s.rejected);
	for (size_t i = 0; i < r.figures.n; i++)
		must(r.figures.v[i].name.n > 0 && r.figures.v[i].value.p != NULL && r.figures.v[i].line > 0);
	for (size_t i = 0; i < r.slow.n; i++)
		must(r.slow.v[i].command.p != NULL && r.slow.v[i].line > 0);
	for (size_t i = 0; i < r.spikes.n; i++)
		must(r.spikes.v[i].event.n > 0 && r.spikes.v[i].duration_ns >= 0 && r.spikes.v[i].line > 0);
	snapshot_done(&s);
	redis_done(&r);
	must(budget.used == 0);
	return 0;
}
