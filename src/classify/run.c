#include "config.h"

#include "classify/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* ------------------------------------------------------------------ names */

const char *
outcome_name(enum outcome o)
{
	static const char *const names[_OUTCOME_MAX] = { "acked", "rejected", "unknown", "unsent" };

	return names[o];
}

const char *
observed_name(enum observed o)
{
	static const char *const names[_OBSERVED_MAX] = { "full", "partial", "none", "na" };

	return names[o];
}

const char *
persisted_name(enum persisted p)
{
	static const char *const names[_PERSISTED_MAX] = {
		"exact",
		"duplicate",
		"mismatch",
		"dead_letter",
		"absent",
		"conflict",
		"unchecked",
	};

	return names[p];
}

const char *
class_name(enum message_class c)
{
	static const char *const names[_CLASS_MAX] = {
#define X(c) #c,
		CLASSES(X)
#undef X
	};

	return names[c];
}

const char *
anomaly_name(enum anomaly a)
{
	static const char *const names[_ANOMALY_MAX] = {
#define X(a) #a,
		ANOMALIES(X)
#undef X
	};

	return names[a];
}

/* ------------------------------------------------------------------ lasting numbers */

struct named {
	struct slice name;
	uint32_t number;
};

static int
named_cmp(const void *a, const void *b)
{
	return slice_cmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

void *
run_alloc(struct run *r, size_t n, size_t size, struct imp_err *err)
{
	return arena_alloc(&r->arena, (n + 1) * size, err);
}

/* Number the names of a table in byte order: *ret_no by table number, *ret_at back. */
static enum imp_rc
number_names(struct run *r, const struct intern *t, uint32_t **ret_no, uint32_t **ret_at, struct imp_err *err)
{
	size_t n = t->names.n;
	CLEANUP(freep) struct named *sorted = calloc(n + 1, sizeof(*sorted));

	*ret_no = run_alloc(r, n, sizeof(uint32_t), err);
	*ret_at = run_alloc(r, n, sizeof(uint32_t), err);
	if (sorted == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu names", n);
	if (*ret_no == NULL || *ret_at == NULL)
		return err->code;
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct named){ t->names.v[i], (uint32_t)i };
	qsort(sorted, n, sizeof(*sorted), named_cmp);
	for (size_t i = 0; i < n; i++) {
		(*ret_no)[sorted[i].number] = (uint32_t)i;
		(*ret_at)[i] = sorted[i].number;
	}
	return IMP_OK;
}

/* ------------------------------------------------------------------ groups */

/* Total, the scenarios of the plan, the agents. */
static enum imp_rc
make_groups(struct run *r, struct imp_err *err)
{
	CLEANUP(freep) uint64_t *of_agent = calloc(r->ledger->agents.n + 1, sizeof(*of_agent));
	struct group g = { .scope = SCOPE_TOTAL, .same_as_total = true };
	uint64_t total = 0;
	enum imp_rc rc;

	if (of_agent == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: agents");
	for (uint32_t i = 0; i < r->nmessages; i++) {
		total += !r->messages[i].excluded;
		if (!r->messages[i].excluded && r->messages[i].agent != NONE)
			of_agent[r->messages[i].agent]++;
	}
	rc = VEC_PUSH(NULL, &r->groups, g, err);
	for (uint32_t i = 0; i < r->scenarios.n && rc == IMP_OK; i++) {
		g = (struct group){ .scope = SCOPE_SCENARIO, .index = i, .same_as_total = r->scenarios.v[i].messages == total };
		if (!r->scenarios.v[i].fits_none)
			rc = VEC_PUSH(NULL, &r->groups, g, err);
	}
	for (uint32_t i = 0; i < r->ledger->agents.n && rc == IMP_OK; i++) {
		g = (struct group){ .scope = SCOPE_AGENT, .index = i, .same_as_total = of_agent[i] == total };
		rc = VEC_PUSH(NULL, &r->groups, g, err);
	}
	return rc;
}

/* ------------------------------------------------------------------ the run */

struct slice
run_id_of(const struct plan *plan, const struct inputs *in)
{
	const char *base = strrchr(in->dir, '/');

	if (plan->run_id.n > 0)
		return plan->run_id;
	return slice_of(base != NULL && base[1] != '\0' ? base + 1 : in->dir);
}

enum imp_rc
run_init(struct run *r, struct ledger *l, struct imp_err *err)
{
	enum imp_rc rc;

	*r = (struct run){ .ledger = l, .arena = { .budget = l->budget }, .id = run_id_of(l->plan, l->inputs) };
	rc = number_names(r, &l->accounts_by, &r->account_no, &r->account_at, err);
	if (rc == IMP_OK)
		rc = number_names(r, &l->topics_by, &r->topic_no, &r->topic_at, err);
	if (rc == IMP_OK)
		rc = watch_init(r, err);
	if (rc == IMP_OK)
		rc = messages_init(r, err);
	if (rc == IMP_OK)
		rc = scenarios_init(r, err);
	return rc == IMP_OK ? make_groups(r, err) : rc;
}

void
run_done(struct run *r)
{
	for (size_t i = 0; r->agents != NULL && i < r->ledger->agents.n; i++)
		VEC_FREE(NULL, &r->agents[i].stretches);
	VEC_FREE(NULL, &r->scenarios);
	VEC_FREE(NULL, &r->groups);
	VEC_FREE(r->ledger != NULL ? r->ledger->budget : NULL, &r->seq_uses);
	VEC_FREE(r->ledger != NULL ? r->ledger->budget : NULL, &r->readback);
	arena_done(&r->arena);
}
