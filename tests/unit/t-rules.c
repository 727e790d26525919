/* The built-in rules: each carries tests that hold, and a rule whose comparison is turned around fails one of its own. */
#include "config.h"

#include "rules/rule.h"
#include "tap.h"

static void
show(void *payload, const struct rules_test *t)
{
	(void)payload;
	ok(t->got == t->expected, "%.*s: %.*s", SLICE_ARG(t->rule), SLICE_ARG(t->name));
	if (t->got != t->expected)
		printf("# got %s, want %s: %s\n", rule_result_name(t->got), rule_result_name(t->expected), t->why);
}

static enum threshold_op
turned(enum threshold_op op)
{
	static const enum threshold_op other[_OP_MAX] = {
		[OP_EQ] = OP_NE,
		[OP_NE] = OP_EQ,
		[OP_LT] = OP_GE,
		[OP_GE] = OP_LT,
		[OP_LE] = OP_GT,
		[OP_GT] = OP_LE,
	};

	return other[op];
}

static size_t
failing_tests(const struct ruleset *rs, const struct rule *r)
{
	struct imp_err err = { 0 };
	size_t run = 0, failed = 0;

	if (rule_run_tests(rs, r, NULL, NULL, &run, &failed, &err) != IMP_OK)
		printf("# %s\n", err.msg);
	return failed;
}

/* Every condition that measures something decides at least one test. */
static void
test_mutations(const struct ruleset *rs)
{
	for (size_t i = 0; i < rs->rules.n; i++) {
		struct rule *r = rs->rules.v[i];

		for (size_t k = 0; k < r->nconditions; k++) {
			struct condition *c = &r->conditions[k];

			if (c->value == NULL)
				continue;
			c->threshold.op = turned(c->threshold.op);
			ok(failing_tests(rs, r) > 0, "%s, %s turned around is noticed", r->id.p, c->name.p);
			c->threshold.op = turned(c->threshold.op);
		}
	}
}

static bool
expects(const struct rule *r, const char *result)
{
	for (const struct doc_node *t = r->tests != NULL ? r->tests->first : NULL; t != NULL; t = t->next)
		if (slice_eq(doc_get(t, "expect")->text, slice_of(result)))
			return true;
	return false;
}

/* What cannot be measured can only be missing; anything else has a test for each way. Counting lines that may be absent is never
 * open: these rules are named. */
static void
test_coverage(const struct ruleset *rs)
{
	static const char *const always_known[] = { "step.refused", "agent.cut_off", "trust.warmup", "trust.connections", NULL };

	for (size_t i = 0; i < rs->rules.n; i++) {
		const struct rule *r = rs->rules.v[i];
		bool measures = false, known = false;

		if (r->kind == RULE_KIND_PROFILE)
			continue;
		for (size_t k = 0; k < r->nconditions; k++)
			measures |= r->conditions[k].value != NULL;
		for (size_t k = 0; always_known[k] != NULL; k++)
			known |= slice_eq(r->id, slice_of(always_known[k]));
		ok(known || expects(r, "not_evaluated"), "%s has a test without evidence", r->id.p);
		if (measures)
			ok(expects(r, "fail") || slice_eq(r->id, SLICE("trust.connections")), "%s has a hit", r->id.p);
		ok(!slice_eq(r->title.en, r->title.zh), "%s has a title in both languages", r->id.p);
	}
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
	is_int((intmax_t)trust->ngates, 6, "gates of trust");
}

int
main(void)
{
	struct ruleset *rs = NULL;
	struct imp_err err = { 0 };
	size_t run, failed;

	if (!ok(rules_load(&(struct rules_options){ 0 }, &rs, &err) == IMP_OK, "the built-in rules load")) {
		printf("# %s\n", err.msg);
		return done();
	}
	is_int((intmax_t)strlen(rules_digest(rs)), 64, "they have a digest");
	if (!ok(rules_run_tests(rs, show, NULL, &run, &failed, &err) == IMP_OK, "their tests run"))
		printf("# %s\n", err.msg);
	test_profiles(rs);
	test_coverage(rs);
	test_mutations(rs);
	rules_free(rs);
	return done();
}
