/* Any bytes as what kubectl prints, as JSON and as a table: every name that is needed is there, and memory is given back. */
#include "config.h"

#include "base/time.h"
#include "dir.h"
#include "ingest/kube.h"

static void
check(const struct kube *k)
{
	for (size_t i = 0; i < k->containers.n; i++)
		must(k->containers.v[i].pod.p != NULL && k->containers.v[i].container.p != NULL);
	for (size_t i = 0; i < k->workloads.n; i++)
		must(k->workloads.v[i].name.p != NULL && k->workloads.v[i].container.p != NULL && k->workloads.v[i].kind.p != NULL);
	for (size_t i = 0; i < k->events.n; i++)
		must(k->events.v[i].reason.p != NULL && k->events.v[i].n >= 1);
	for (size_t i = 0; i < k->usages.n; i++)
		must(k->usages.v[i].pod.p != NULL && k->usages.v[i].line > 0);
}

static void
read_as(int dirfd, bool top)
{
	struct mem_budget budget = { .limit = (size_t)16 << 20 };
	struct kube k = { .arena = { .budget = &budget } };
	struct snapshot s;
	struct imp_err err;
	enum imp_rc rc;

	snapshot_init(&s, dirfd, "bytes");
	rc = top ? kube_read_top(&k, &s, &err) : kube_read_json(&k, &s, &err);
	must(rc == IMP_OK && s.flaws.n <= s.rejected);
	check(&k);
	snapshot_done(&s);
	kube_done(&k);
	must(budget.used == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int dirfd = fuzz_dirfd();
	int64_t whole;
	double value;

	run_dir_bytes("bytes", (struct slice){ (const char *)data, size });
	read_as(dirfd, false);
	read_as(dirfd, true);
	if (kube_quantity((struct slice){ (const char *)data, size }, &value, &whole))
		must(size > 0 && (value <= 0) == (whole <= 0));
	return 0;
}
