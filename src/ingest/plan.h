/* ingest/plan.h - run.json and timeline.json: what was planned and when its phases were. Pure data after plan_read(). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "ingest/inputs.h"

#define PLAN_BYTES_MAX ((size_t)16 << 20)
#define PLAN_SCENARIOS_MAX 1000
#define PLAN_UNKNOWN INT64_MIN
#define PLAN_COUNT_MAX INT64_C(1000000000000) /* messages of a scenario, accounts */
#define PLAN_RUN_ID_MAX 255		      /* bytes, as the name of a directory: people type it */

enum kind { KIND_UNKNOWN, KIND_P2P, KIND_GROUP, _KIND_MAX };

struct plan_scenario {
	struct slice id;
	enum kind kind;
	int64_t planned; /* messages; PLAN_UNKNOWN: not stated */
	int64_t drain_ns;
	bool warmup;
};

/* The marks of the format, in the order of time. */
#define PLAN_MARKS(X) \
	X(baseline_start) X(load_start) X(load_end) X(drain_end) X(reconcile_start) X(reconcile_end) X(close_start) X(close_end)
enum plan_mark {
#define X(m) MARK_##m,
	PLAN_MARKS(X)
#undef X
	    _PLAN_MARK_MAX
};
const char *plan_mark_name(enum plan_mark m);
bool plan_mark_parse(struct slice name, enum plan_mark *ret);

struct plan {
	bool present; /* there was a run.json */
	struct slice run_id, tenant, server, gates, log_zone, mid_prefix, build_expected;
	int64_t planned_accounts; /* PLAN_UNKNOWN: not stated */
	bool shared_host;
	bool systems_given;
	int64_t warmup_start, warmup_end; /* PLAN_UNKNOWN: none */
	VEC(struct plan_scenario) scenarios;
	VEC(struct slice) agents, systems;
	VEC(struct slice) pods;	      /* that are expected */
	VEC(struct slice) metrics;    /* that the build under test must expose */
	int64_t mark[_PLAN_MARK_MAX]; /* of timeline.json; PLAN_UNKNOWN: not there */
	struct arena arena;
};

/* Read both files as far as `in` has them. A file that is no JSON object of the format is IMP_E_DATA: without the plan every
 * denominator would be wrong. */
MUST_CHECK enum imp_rc plan_read(const struct inputs *in, struct plan *ret, struct imp_err *err);
void plan_done(struct plan *p);

int64_t plan_default_drain_ns(enum kind kind);
const char *kind_name(enum kind kind); /* "p2p", "group", NULL */
enum kind kind_parse(struct slice s);
