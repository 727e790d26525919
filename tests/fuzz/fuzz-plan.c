/* Any bytes as run.json, and as timeline.json: refused, or a plan that everything can be reckoned from. */
#include "config.h"

#include "base/time.h"
#include "dir.h"
#include "ingest/plan.h"

#define DRAIN_MAX_NS INT64_C(100000000000000000)

static bool
is_count(int64_t n)
{
	return n == PLAN_UNKNOWN || (n >= 0 && n <= PLAN_COUNT_MAX);
}

static bool
is_time(int64_t t)
{
	return t == PLAN_UNKNOWN || time_fits(t);
}

static void
check_plan(const struct plan *p)
{
	must(is_count(p->planned_accounts) && is_time(p->warmup_start) && is_time(p->warmup_end));
	must(p->run_id.n <= PLAN_RUN_ID_MAX);
	for (int m = 0; m < _PLAN_MARK_MAX; m++)
		must(is_time(p->mark[m]));
	for (size_t i = 0; i < p->scenarios.n; i++) {
		const struct plan_scenario *sc = &p->scenarios.v[i];

		must(sc->id.p != NULL && is_count(sc->planned) && sc->drain_ns >= 0 && sc->drain_ns <= DRAIN_MAX_NS);
		for (size_t k = 0; k < i; k++)
			must(!slice_eq(p->scenarios.v[k].id, sc->id));
	}
	for (size_t i = 0; i < p->agents.n; i++)
		must(p->agents.v[i].p != NULL);
	for (size_t i = 0; i < p->systems.n; i++)
		must(p->systems.v[i].p != NULL);
}

static void
read_as(int dirfd, const char *name, enum input_kind kind)
{
	struct input_file file = { .path = name, .kind = kind };
	const struct inputs in = { .dirfd = dirfd, .v = { .v = &file, .n = 1 } };
	struct plan plan;
	struct imp_err err;
	enum imp_rc rc = plan_read(&in, &plan, &err);

	must(rc == IMP_OK || rc == IMP_E_DATA || rc == IMP_E_LIMIT);
	if (rc != IMP_OK)
		return;
	must(plan.present == (kind == INPUT_PLAN));
	check_plan(&plan);
	plan_done(&plan);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int dirfd = fuzz_dirfd();

	run_dir_bytes("bytes", (struct slice){ (const char *)data, size });
	read_as(dirfd, "bytes", INPUT_PLAN);
	read_as(dirfd, "bytes", INPUT_TIMELINE);
	return 0;
}
