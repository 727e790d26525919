/* The built-in rules: each carries tests that hold, goes every way in one of them, and a test turns red when it is changed. */
#include "config.h"

#include "rule-tests.h"
#include "rules/rule.h"

static void
show_mutation(void *payload, const struct rules_mutation *m)
{
	(void)payload;
	ok(m->noticed, "%.*s: %.*s is noticed", SLICE_ARG(m->rule), SLICE_ARG(m->what));
}

static void
show_remark(void *payload, const struct rules_remark *r)
{
	(void)payload;
	printf("# %s:%u: %.*s: %.*s\n", r->file, (unsigned)r->line, SLICE_ARG(r->rule), SLICE_ARG(r->text));
}

/* spec: gates of `release`, `capacity-step` and `trust`, and the validity rules. */
static void
test_profiles(const struct ruleset *rs)
{
	static const char *const release[] = { "ready", "accept", "loss.durable", "integrity", "loss.realtime", "duplicate",
		"order", "unknown", "ack.latency", "delivery.latency", "disconnects", "queue.full", "kafka.drain",
		"kafka.persist.latency", "mysql", "redis", "pod.cpu", "pod.memory", "pod.stable", "network", "schema.contract",
		"connections.balance" };
	static const char *const validity[] = { "ready.short", "agent.missing", "agent.cut_off", "agent.late_start",
		"client.saturated", "deploy.wrong_build", "manifest.mismatch" };
	const struct profile_plan *plan = ruleset_plan(rs, SLICE("release")), *step = ruleset_plan(rs, SLICE("capacity-step"));
	const struct profile_plan *trust = ruleset_plan(rs, SLICE("trust"));

	is_int((intmax_t)plan->ngates, sizeof(release) / sizeof(*release), "gates of release");
	for (size_t i = 0; i < plan->ngates && i < sizeof(release) / sizeof(*release); i++)
		is_str(plan->gates[i].rule->id.p, release[i], release[i]);
	is_int((intmax_t)plan->nvalidity, sizeof(validity) / sizeof(*validity), "validity rules of release");
	for (size_t i = 0; i < plan->nvalidity && i < sizeof(validity) / sizeof(*validity); i++)
		is_str(plan->validity[i].rule->id.p, validity[i], validity[i]);
	is_int((intmax_t)step->ngates, (intmax_t)plan->ngates + 5, "capacity-step has all of release and five more");
	is_int((intmax_t)step->nvalidity, (intmax_t)plan->nvalidity, "and its validity rules");
	is_int((intmax_t)trust->ngates, 14, "gates of trust");
}

int
main(void)
{
	struct ruleset *rs = NULL;
	struct imp_err err = { 0 };
	size_t run, failed, warnings;

	if (!ok(rules_load(&(struct rules_options){ 0 }, &rs, &err) == IMP_OK, "the built-in rules load")) {
		printf("# %s\n", err.msg);
		return done();
	}
	is_int((intmax_t)strlen(rules_digest(rs)), 64, "they have a digest");
	if (!ok(rules_run_tests(rs, NULL, 0, show_test, NULL, &run, &failed, &err) == IMP_OK, "their tests run"))
		printf("# %s\n", err.msg);
	if (!ok(rules_run_mutations(rs, NULL, 0, show_mutation, NULL, &run, &failed, &err) == IMP_OK, "they can be mutated"))
		printf("# %s\n", err.msg);
	ok(rules_lint(rs, show_remark, NULL, &failed, &warnings, &err) == IMP_OK && failed == 0, "nothing is missing in them");
	is_int((intmax_t)warnings, 0, "no line is what two signatures look for");
	test_profiles(rs);
	rules_free(rs);
	return done();
}
