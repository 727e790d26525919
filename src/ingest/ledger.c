#include "config.h"

#include "ingest/ledger.h"

#include <stdlib.h>
#include <string.h>

/* Topics of fewer members are walked; larger ones get a table from account to member. */
#define TOPIC_WALK_MAX 8u

void
ledger_init(struct ledger *l, struct mem_budget *budget)
{
	*l = (struct ledger){ .budget = budget, .copies = { .budget = budget } };
	intern_init(&l->mids, budget);
	intern_init(&l->accounts_by, budget);
	intern_init(&l->topics_by, budget);
	intern_init(&l->texts, budget);
}

static void
topic_done(struct ledger *l, struct topic *t)
{
	mem_release(l->budget, (t->nmembers + t->by_account_n) * sizeof(uint32_t));
	free(t->members);
	free(t->by_account);
	t->members = t->by_account = NULL;
	t->nmembers = t->by_account_n = 0;
}

void
ledger_done(struct ledger *l)
{
	copies_done(&l->copies);
	for (size_t i = 0; i < l->topics.n; i++)
		topic_done(l, &l->topics.v[i]);
	for (size_t i = 0; i < l->agents.n; i++)
		VEC_FREE(l->budget, &l->agents.v[i].stretches);
	VEC_FREE(l->budget, &l->accounts);
	VEC_FREE(l->budget, &l->topics);
	VEC_FREE(l->budget, &l->agents);
	VEC_FREE(l->budget, &l->attempts);
	VEC_FREE(l->budget, &l->answers);
	VEC_FREE(l->budget, &l->conns);
	VEC_FREE(l->budget, &l->notes);
	VEC_FREE(l->budget, &l->health);
	VEC_FREE(l->budget, &l->hists);
	VEC_FREE(l->budget, &l->histqs);
	VEC_FREE(l->budget, &l->rows);
	VEC_FREE(l->budget, &l->deads);
	VEC_FREE(l->budget, &l->queries);
	VEC_FREE(l->budget, &l->columns);
	VEC_FREE(l->budget, &l->statuses);
	VEC_FREE(l->budget, &l->innodbs);
	VEC_FREE(l->budget, &l->lags);
	VEC_FREE(l->budget, &l->collected);
	VEC_FREE(l->budget, &l->servers);
	VEC_FREE(l->budget, &l->damages);
	VEC_FREE(l->budget, &l->unknown_evs);
	VEC_FREE(l->budget, &l->not_there);
	free(l->files);
	intern_done(&l->mids);
	intern_done(&l->accounts_by);
	intern_done(&l->topics_by);
	intern_done(&l->texts);
}

static int
agent_cmp(const void *a, const void *b)
{
	return slice_cmp(((const struct ledger_agent *)a)->name, ((const struct ledger_agent *)b)->name);
}

static enum imp_rc
agent_add(struct ledger *l, struct slice name, bool planned, struct imp_err *err)
{
	struct ledger_agent agent = { .name = name, .planned = planned, .first_t = NO_TIME, .last_t = NO_TIME };

	for (size_t i = 0; i < l->agents.n; i++) {
		if (slice_eq(l->agents.v[i].name, name)) {
			l->agents.v[i].planned |= planned;
			return IMP_OK;
		}
	}
	if (l->agents.n == LEDGER_AGENTS_MAX)
		return imp_err_set(err, IMP_E_LIMIT, "more than %u agents", LEDGER_AGENTS_MAX);
	return VEC_PUSH(l->budget, &l->agents, agent, err);
}

enum imp_rc
ledger_prepare(struct ledger *l, const struct inputs *in, const struct plan *plan, struct imp_err *err)
{
	l->inputs = in;
	l->plan = plan;
	l->files = calloc(in->v.n + 1, sizeof(*l->files));
	if (l->files == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu files", in->v.n);
	for (size_t i = 0; i < in->v.n; i++) {
		l->files[i].agent = NONE;
		l->files[i].first_t = l->files[i].max_t = l->files[i].last_t = NO_TIME;
		l->files[i].rejected_from = l->files[i].rejected_to = NO_TIME;
	}
	return IMP_OK;
}

enum imp_rc
ledger_settle_agents(struct ledger *l, struct imp_err *err)
{
	const struct input_file *files = l->inputs->v.v;
	uint32_t last = NONE;
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < l->plan->agents.n && rc == IMP_OK; i++)
		rc = agent_add(l, l->plan->agents.v[i], true, err);
	for (size_t i = 0; i < l->inputs->v.n && rc == IMP_OK; i++) {
		if (files[i].kind == INPUT_LEDGER && (i == 0 || !slice_eq(files[i].agent, files[i - 1].agent)))
			rc = agent_add(l, files[i].agent, false, err);
	}
	for (size_t i = 0; i < l->accounts.n && rc == IMP_OK; i++) {
		if (l->accounts.v[i].agent != NONE && l->accounts.v[i].agent != last)
			rc = agent_add(l, ledger_text_slice(l, l->accounts.v[i].agent), false, err);
		last = l->accounts.v[i].agent;
	}
	if (rc != IMP_OK)
		return rc;
	if (l->agents.n > 0)
		qsort(l->agents.v, l->agents.n, sizeof(*l->agents.v), agent_cmp);
	for (size_t i = 0; i < l->inputs->v.n; i++)
		l->files[i].agent = files[i].kind == INPUT_LEDGER ? ledger_agent_find(l, files[i].agent) : NONE;
	for (size_t i = 0; i < l->accounts.n; i++) {
		if (l->accounts.v[i].agent != NONE)
			l->accounts.v[i].agent = ledger_agent_find(l, ledger_text_slice(l, l->accounts.v[i].agent));
	}
	return IMP_OK;
}

uint32_t
ledger_agent_find(const struct ledger *l, struct slice name)
{
	for (size_t i = 0; i < l->agents.n; i++) {
		if (slice_eq(l->agents.v[i].name, name))
			return (uint32_t)i;
	}
	return NONE;
}

enum imp_rc
ledger_account(struct ledger *l, struct slice name, uint32_t *ret, struct imp_err *err)
{
	struct account fresh = { .user = NONE, .agent = NONE, .seen_by = NONE };
	enum imp_rc rc = intern_add(&l->accounts_by, name, ret, err);

	while (rc == IMP_OK && l->accounts.n < l->accounts_by.names.n)
		rc = VEC_PUSH(l->budget, &l->accounts, fresh, err);
	return rc;
}

enum imp_rc
ledger_topic(struct ledger *l, struct slice name, uint32_t *ret, struct imp_err *err)
{
	struct topic fresh = { .kind = KIND_UNKNOWN, .offline_members = NO_TIME };
	enum imp_rc rc = intern_add(&l->topics_by, name, ret, err);

	while (rc == IMP_OK && l->topics.n < l->topics_by.names.n)
		rc = VEC_PUSH(l->budget, &l->topics, fresh, err);
	return rc;
}

enum imp_rc
ledger_mid(struct ledger *l, struct slice name, uint32_t *ret, struct imp_err *err)
{
	return intern_add(&l->mids, name, ret, err);
}

enum imp_rc
ledger_text(struct ledger *l, struct slice text, uint32_t *ret, struct imp_err *err)
{
	return intern_add(&l->texts, text, ret, err);
}

struct slice
ledger_text_slice(const struct ledger *l, uint32_t text)
{
	return text == NONE ? (struct slice){ NULL, 0 } : l->texts.names.v[text];
}

uint32_t
topic_member(const struct topic *t, uint32_t account)
{
	if (t->by_account != NULL)
		return account < t->by_account_n ? t->by_account[account] : NONE;
	for (uint32_t i = 0; i < t->nmembers; i++) {
		if (t->members[i] == account)
			return i;
	}
	return NONE;
}

/* Is this list of members the one that the topic has, in any order? */
static bool
same_members(const struct topic *t, const uint32_t *members, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (topic_member(t, members[i]) == NONE)
			return false;
	}
	return n == t->nmembers;
}

static enum imp_rc
topic_fill(struct ledger *l, struct topic *t, const uint32_t *members, uint32_t n, struct imp_err *err)
{
	uint32_t table = n > TOPIC_WALK_MAX ? (uint32_t)l->accounts.n : 0;
	enum imp_rc rc = mem_charge(l->budget, ((size_t)n + table) * sizeof(uint32_t), err);

	if (rc != IMP_OK)
		return rc;
	t->members = calloc(n + 1, sizeof(uint32_t));
	t->by_account = table > 0 ? malloc(table * sizeof(uint32_t)) : NULL;
	t->nmembers = n;
	t->by_account_n = table;
	if (t->members == NULL || (table > 0 && t->by_account == NULL)) {
		topic_done(l, t);
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: topic of %u members", n);
	}
	if (n > 0)
		memcpy(t->members, members, n * sizeof(uint32_t));
	if (table > 0)
		memset(t->by_account, 0xff, table * sizeof(uint32_t));
	for (uint32_t i = 0; i < n && table > 0; i++)
		t->by_account[members[i]] = i;
	return IMP_OK;
}

enum imp_rc
ledger_topic_list(struct ledger *l, uint32_t topic, enum kind kind, const uint32_t *members, uint32_t n, int64_t offline,
    struct imp_err *err)
{
	struct topic *t = &l->topics.v[topic];

	l->has_topics = true;
	if (t->torn)
		return IMP_OK;
	if (t->listed) {
		if (!same_members(t, members, n) || t->kind != kind) {
			topic_done(l, t);
			t->torn = true;
			t->listed = false;
		}
		return IMP_OK;
	}
	t->listed = true;
	t->kind = kind;
	t->offline_members = offline;
	return topic_fill(l, t, members, n, err);
}
