/* ingest/event_members.c - the lines of accounts.jsonl and topics.jsonl. */
#include "config.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "ingest/event_apply.h"

#define TOPIC_MEMBERS_MAX (1u << 24)

enum imp_rc
event_apply_account(struct ledger *l, const struct event *e, struct imp_err *err)
{
	uint32_t account;
	enum imp_rc rc = ledger_account(l, value_string(e->r, KEY_account), &account, err);

	if (rc != IMP_OK)
		return rc;
	l->has_accounts = true;
	l->accounts.v[account].listed = true;
	rc = value_text(l, e->r, KEY_agent, &l->accounts.v[account].agent, err); /* its number when all agents are known */
	return rc == IMP_OK ? value_text(l, e->r, KEY_user, &l->accounts.v[account].user, err) : rc;
}

static int
uint64_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* An account that is listed several times is one member, at its first place. */
static enum imp_rc
drop_repeats(uint32_t *v, size_t *n, struct imp_err *err)
{
	CLEANUP(freep) uint64_t *sorted = malloc((*n + 1) * sizeof(*sorted)); /* by account, then by place */
	size_t kept = 0;

	if (sorted == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: topic of %zu members", *n);
	for (size_t i = 0; i < *n; i++)
		sorted[i] = (uint64_t)v[i] << 32 | i;
	qsort(sorted, *n, sizeof(*sorted), uint64_cmp);
	for (size_t i = 1; i < *n; i++) {
		if (sorted[i] >> 32 == sorted[i - 1] >> 32)
			v[(uint32_t)sorted[i]] = NONE;
	}
	for (size_t i = 0; i < *n; i++) {
		if (v[i] != NONE)
			v[kept++] = v[i];
	}
	*n = kept;
	return IMP_OK;
}

enum imp_rc
event_apply_topic(struct ledger *l, const struct event *e, struct record_scanner *sc, bool *ret_ok, struct imp_err *err)
{
	VEC(uint32_t) members = { NULL, 0, 0 };
	struct slice array = e->r->v[KEY_members].s, name;
	enum kind kind = kind_parse(value_string(e->r, KEY_kind));
	uint32_t topic, account;
	size_t pos = 0;
	enum imp_rc rc = ledger_topic(l, value_string(e->r, KEY_topic), &topic, err); /* first: the walk below uses the scanner */

	*ret_ok = true;
	while (rc == IMP_OK && record_next_string(sc, array, &pos, &name, ret_ok)) {
		rc = ledger_account(l, name, &account, err);
		if (rc == IMP_OK && members.n == TOPIC_MEMBERS_MAX)
			rc = imp_err_set(err, IMP_E_LIMIT, "a topic of more than %u members", TOPIC_MEMBERS_MAX);
		if (rc == IMP_OK)
			rc = VEC_PUSH(l->budget, &members, account, err);
	}
	if (rc == IMP_OK && *ret_ok)
		rc = drop_repeats(members.v, &members.n, err);
	if (rc == IMP_OK && *ret_ok)
		rc = ledger_topic_list(l, topic, kind, members.v, (uint32_t)members.n,
		    value_int(e->r, KEY_offline_members, NO_TIME), err);
	VEC_FREE(l->budget, &members);
	return rc;
}
