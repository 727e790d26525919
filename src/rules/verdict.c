#include "config.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "rules/rule.h"

#define PROFILE_NAME_MAX 100 /* of a name that is not known, in a message */

/* A verdict with the arena that holds all of it. */
struct held_verdict {
	struct verdict v; /* first: verdict_free() gets its address */
	struct arena arena;
};

static const char *const result_names[_RULE_RESULT_MAX] = {
	[RULE_PASS] = "pass",
	[RULE_FAIL] = "fail",
	[RULE_NOT_EVALUATED] = "not_evaluated",
	[RULE_NOT_APPLICABLE] = "not_applicable",
	[RULE_WAIVED] = "waived",
};

static const char *const reason_names[_RULE_REASON_MAX] = {
	[RULE_REASON_NONE] = "",
	[RULE_REASON_MISSING_SOURCE] = "missing_source",
	[RULE_REASON_PARTIAL_COVERAGE] = "partial_coverage",
	[RULE_REASON_CLOCK] = "clock",
	[RULE_REASON_RULE_ERROR] = "rule_error",
	[RULE_REASON_BUDGET] = "budget",
	[RULE_REASON_DEPENDENCY] = "dependency",
	[RULE_REASON_NOT_APPLICABLE] = "not_applicable",
};

static const char *const verdict_names[_VERDICT_RESULT_MAX] = {
	[VERDICT_PASS] = "PASS",
	[VERDICT_FAIL] = "FAIL",
	[VERDICT_INVALID] = "INVALID",
	[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
};

static const char *const trust_names[_TRUST_RESULT_MAX] = {
	[TRUST_TRUSTED] = "trusted",
	[TRUST_UNTRUSTED] = "untrusted",
	[TRUST_NOT_EVALUATED] = "not_evaluated",
};

const char *
rule_result_name(enum rule_result r)
{
	return result_names[r];
}

const char *
rule_reason_name(enum rule_reason r)
{
	return reason_names[r];
}

const char *
verdict_result_name(enum verdict_result r)
{
	return verdict_names[r];
}

const char *
trust_result_name(enum trust_result r)
{
	return trust_names[r];
}

/* Which rules speak for what. Warnings never do. */
enum voice { VOICE_EVALUATED, VOICE_FAILED, VOICE_PROVEN, VOICE_FIRED, VOICE_OPEN };

static bool
speaks(const struct rule_verdict *r, enum voice voice)
{
	if (r->warning || (voice == VOICE_FIRED) != r->validity)
		return false;
	switch (voice) {
	case VOICE_EVALUATED:
		return r->result == RULE_PASS || r->result == RULE_FAIL;
	case VOICE_FAILED:
	case VOICE_FIRED:
		return r->result == RULE_FAIL;
	case VOICE_PROVEN:
		return r->result == RULE_FAIL && r->proven;
	case VOICE_OPEN:
		return r->result == RULE_NOT_EVALUATED;
	}
	return false;
}

static bool
any(const struct rule_verdict *r, size_t n, enum voice voice)
{
	for (size_t i = 0; i < n; i++)
		if (speaks(&r[i], voice))
			return true;
	return false;
}

/* The ids of those that speak; room for `extra` more stays behind them. */
static enum imp_rc
collect(struct arena *a, const struct rule_verdict *r, size_t n, enum voice voice, size_t extra, struct slice **ret, size_t *ret_n,
    struct imp_err *err)
{
	struct slice *ids = arena_alloc(a, (n + extra + 1) * sizeof(*ids), err);
	size_t found = 0;

	if (ids == NULL)
		return IMP_E_NOMEM;
	for (size_t i = 0; i < n; i++)
		if (speaks(&r[i], voice))
			ids[found++] = r[i].id;
	*ret = ids;
	*ret_n = found;
	return IMP_OK;
}

/* Section 9 of the truth model. An invalid run says nothing about the server, but a broken load generator does not excuse lost data. */
static enum imp_rc
decide(struct arena *a, bool lines_lost, struct verdict *v, struct imp_err *err)
{
	bool fired = any(v->rules, v->nrules, VOICE_FIRED), proven = any(v->rules, v->nrules, VOICE_PROVEN);
	enum voice voice = VOICE_OPEN;
	struct slice *reasons;
	enum imp_rc rc;

	if (fired && !proven) {
		v->result = VERDICT_INVALID;
		voice = VOICE_FIRED;
	} else if (any(v->rules, v->nrules, VOICE_FAILED)) {
		v->result = VERDICT_FAIL;
		voice = fired ? VOICE_PROVEN : VOICE_FAILED;
	} else if (lines_lost || any(v->rules, v->nrules, VOICE_OPEN) || !any(v->rules, v->nrules, VOICE_EVALUATED)) {
		v->result = VERDICT_INCONCLUSIVE;
	} else {
		v->result = VERDICT_PASS;
	}
	rc = collect(a, v->rules, v->nrules, voice, 1, &reasons, &v->nreasons, err);
	if (rc == IMP_OK && v->result == VERDICT_INCONCLUSIVE && lines_lost)
		reasons[v->nreasons++] = SLICE("ledger.lines_lost");
	v->reasons = reasons;
	v->exit_code = (int)v->result;
	return rc;
}

static enum imp_rc
decide_trust(struct arena *a, struct verdict *v, struct imp_err *err)
{
	bool failed = any(v->trust_rules, v->ntrust_rules, VOICE_FAILED), open = any(v->trust_rules, v->ntrust_rules, VOICE_OPEN);
	bool evaluated = any(v->trust_rules, v->ntrust_rules, VOICE_EVALUATED);
	struct slice *reasons;
	enum imp_rc rc;

	v->trust = failed ? TRUST_UNTRUSTED : open || !evaluated ? TRUST_NOT_EVALUATED : TRUST_TRUSTED;
	rc = collect(a, v->trust_rules, v->ntrust_rules, failed ? VOICE_FAILED : VOICE_OPEN, 0, &reasons, &v->ntrust_reasons, err);
	v->trust_reasons = reasons;
	return rc;
}

static enum imp_rc
judge_plan(struct evaluation *ev, const struct profile_plan *plan, const struct rule_verdict **ret, size_t *ret_n,
    struct imp_err *err)
{
	size_t n = plan->ngates + plan->nvalidity;
	struct rule_verdict *v = arena_alloc(ev->from.arena, (n + 1) * sizeof(*v), err);
	enum imp_rc rc = v != NULL ? IMP_OK : IMP_E_NOMEM;

	for (size_t i = 0; i < n && rc == IMP_OK; i++)
		rc = evaluation_judge(ev, i < plan->ngates ? &plan->gates[i] : &plan->validity[i - plan->ngates], &v[i], err);
	if (rc == IMP_OK) {
		*ret = v;
		*ret_n = n;
	}
	return rc;
}

static enum imp_rc
find_plan(const struct ruleset *rs, struct slice name, const struct profile_plan **ret, struct imp_err *err)
{
	*ret = ruleset_plan(rs, name);
	if (*ret != NULL)
		return IMP_OK;
	if (name.n > PROFILE_NAME_MAX)
		name.n = PROFILE_NAME_MAX;
	imp_err_set(err, IMP_E_USAGE, "there is no gate profile '%.*s'", SLICE_ARG(name));
	imp_err_hint(err, "built in are release, capacity-step and trust; others come from --rules DIR");
	return IMP_E_USAGE;
}

static enum imp_rc
evaluate(struct held_verdict *h, const struct ruleset *rs, struct store *s, int64_t run_no, const char *profile,
    struct imp_err *err)
{
	struct verdict *v = &h->v;
	const struct profile_plan *plan, *trust;
	struct evaluation ev;
	enum imp_rc rc = evaluation_begin(&ev, rs, s, run_no, &h->arena, err);

	if (rc == IMP_OK)
		rc = find_plan(rs, profile != NULL ? slice_of(profile) : ev.gates, &plan, err);
	if (rc == IMP_OK)
		rc = find_plan(rs, SLICE("trust"), &trust, err);
	if (rc != IMP_OK)
		return rc;
	v->profile = plan->profile->id;
	v->rules_digest = rs->digest;
	rc = judge_plan(&ev, plan, &v->rules, &v->nrules, err);
	if (rc == IMP_OK)
		rc = judge_plan(&ev, trust, &v->trust_rules, &v->ntrust_rules, err);
	if (rc == IMP_OK)
		rc = decide(&h->arena, ev.lines_lost, v, err);
	return rc == IMP_OK ? decide_trust(&h->arena, v, err) : rc;
}

enum imp_rc
rules_evaluate(const struct ruleset *rs, struct store *s, int64_t run_no, const char *profile, struct verdict **ret,
    struct imp_err *err)
{
	struct held_verdict *h = calloc(1, sizeof(*h));
	enum imp_rc rc;

	if (h == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: the verdict");
	rc = evaluate(h, rs, s, run_no, profile, err);
	if (rc == IMP_OK)
		*ret = &h->v;
	else
		verdict_free(&h->v);
	return rc;
}

void
verdict_free(struct verdict *v)
{
	struct held_verdict *h = (struct held_verdict *)v;

	if (h == NULL)
		return;
	arena_done(&h->arena);
	free(h);
}
