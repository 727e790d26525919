#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "rules/cause.h"
#include "rules/rule_test.h"

struct mutator {
	struct ruleset *rs;
	struct rule *rule;
	struct test_reader *reader;
	void (*each)(void *payload, const struct rules_mutation *m);
	void *payload;
	size_t run, missed;
};

/* Does a test of the rule, as it is now, turn red? */
static enum imp_rc
try_mutation(struct mutator *m, struct test_reader *reader, const char *before, struct slice name, const char *after,
    struct imp_err *err)
{
	struct buf text = BUF_INIT(8192);
	struct rules_mutation mutation = { .rule = m->rule->id, .kind = rule_kind_names[m->rule->kind] };
	enum imp_rc rc = rule_any_test_fails(reader, m->rs, m->rule, &mutation.noticed, err);

	buf_addf(&text, "%s%.*s%s", before, SLICE_ARG(name), after);
	if (rc == IMP_OK)
		rc = buf_status(&text, err);
	if (rc == IMP_OK) {
		mutation.what = buf_slice(&text);
		m->run++;
		m->missed += !mutation.noticed;
		if (m->each != NULL)
			m->each(m->payload, &mutation);
	}
	buf_done(&text);
	return rc;
}

static enum imp_rc
turn_conditions(struct mutator *m, struct imp_err *err)
{
	static const enum threshold_op turned[_OP_MAX] = {
		[OP_EQ] = OP_NE,
		[OP_NE] = OP_EQ,
		[OP_LT] = OP_GE,
		[OP_GE] = OP_LT,
		[OP_LE] = OP_GT,
		[OP_GT] = OP_LE,
	};
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < m->rule->nconditions && rc == IMP_OK; i++) {
		struct condition *c = &m->rule->conditions[i];

		if (c->value == NULL)
			continue;
		c->threshold.op = turned[c->threshold.op];
		rc = try_mutation(m, m->reader, "condition ", c->name, " turned around", err);
		c->threshold.op = turned[c->threshold.op];
	}
	return rc;
}

/* The hits of a test are found by the other expressions of the rule alone. */
static enum imp_rc
take_expressions(struct mutator *m, struct imp_err *err)
{
	const struct log_pattern *log = &m->rule->log;
	struct signature *left = calloc(log->nres + 1, sizeof(*left));
	enum imp_rc rc = left != NULL ? IMP_OK : imp_err_set(err, IMP_E_NOMEM, "out of memory: signatures");

	for (size_t i = 0; i < log->nres && rc == IMP_OK; i++) {
		CLEANUP(test_reader_done) struct test_reader reader = { 0 };
		struct signature_set set = { .v = left };

		for (size_t k = 0; k < log->nres; k++)
			if (k != i)
				left[set.n++] = (struct signature){ m->rule->id, log->res[k] };
		if (set.n == 0) /* one that matches nothing keeps the id looked for */
			left[set.n++] = (struct signature){ m->rule->id, SLICE("(*FAIL)") };
		rc = test_reader_init(&reader, &set, err);
		if (rc == IMP_OK)
			rc = try_mutation(m, &reader, "expression '", log->res[i], "' taken away", err);
	}
	free(left);
	return rc;
}

static enum imp_rc
take_items(struct mutator *m, struct imp_err *err)
{
	size_t n = cause_nitems(m->rule);
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < n && rc == IMP_OK; i++) {
		char name[24];

		snprintf(name, sizeof(name), "%zu", i + 1);
		cause_set_item_off(m->rule, i, true);
		rc = try_mutation(m, m->reader, "item ", slice_of(name), " taken away", err);
		cause_set_item_off(m->rule, i, false);
	}
	return rc;
}

enum imp_rc
rules_run_mutations(struct ruleset *rs, const struct slice *ids, size_t nids,
    void (*each)(void *payload, const struct rules_mutation *m), void *payload, size_t *ret_run, size_t *ret_missed,
    struct imp_err *err)
{
	CLEANUP(test_reader_done) struct test_reader reader = { 0 };
	struct mutator m = { .rs = rs, .reader = &reader, .each = each, .payload = payload };
	enum imp_rc rc = ruleset_check_ids(rs, ids, nids, err);

	if (rc == IMP_OK)
		rc = test_reader_init(&reader, &rs->signatures, err);
	for (size_t i = 0; i < rs->rules.n && rc == IMP_OK; i++) {
		m.rule = rs->rules.v[i];
		if (!rule_is_chosen(m.rule, ids, nids))
			continue;
		if (m.rule->kind == RULE_KIND_SIGNATURE)
			rc = take_expressions(&m, err);
		else if (m.rule->kind == RULE_KIND_CAUSE)
			rc = take_items(&m, err);
		else
			rc = turn_conditions(&m, err);
	}
	if (rc == IMP_OK) {
		*ret_run = m.run;
		*ret_missed = m.missed;
	}
	return rc;
}
