#include "config.h"

#include "agent/agent_plan.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/cmp.h"

#define CANONICAL_BYTES_MAX ((size_t)1 << 20)

/* Who sends in a turn of a stream, in order. */
struct plan_sender {
	int64_t delay_ns;
	uint32_t agent, account;
};

struct plan_order {
	struct plan_sender *senders;
	uint64_t n;
};

static const char *const kind_names[_PLAN_KIND_MAX] = { [PLAN_P2P] = "p2p", [PLAN_GROUP] = "group" };
static const char *const shape_names[_PLAN_SHAPE_MAX] = { [PLAN_STEADY] = "steady", [PLAN_BURST] = "burst", [PLAN_RAMP] = "ramp" };

void
agent_plan_account(const struct plan_settings *settings, uint32_t agent, uint32_t account, struct buf *out)
{
	buf_addf(out, "%s%04u", settings->agents[agent].prefix, account);
}

void
agent_plan_mid(const struct plan_settings *settings, const struct plan_message *m, struct buf *out)
{
	buf_addf(out, "%s%s-", settings->mid_prefix, settings->streams[m->stream].id);
	agent_plan_account(settings, m->agent, m->account, out);
	buf_addf(out, "-%05llu", (unsigned long long)m->turn + 1);
}

uint64_t
agent_plan_stream_messages(const struct plan_settings *settings, uint32_t stream)
{
	const struct plan_stream *s = &settings->streams[stream];

	return (uint64_t)(s->last - s->first + 1) * settings->nagents * s->turns;
}

/* ------------------------------------------------------------------ checks */

static enum imp_rc
check_stream(const struct plan_settings *settings, const struct plan_stream *s, struct imp_err *err)
{
	const uint64_t senders = (uint64_t)(s->last - s->first + 1) * settings->nagents;
	const uint64_t steps = s->kind == PLAN_GROUP ? senders * s->turns : s->turns;

	if (s->first == 0 || s->last < s->first)
		return imp_err_set(err, IMP_E_RULE, "stream '%s': its senders must be accounts from 1 on", s->id);
	for (unsigned i = 0; i < settings->nagents; i++) {
		if (s->last > settings->agents[i].accounts)
			return imp_err_set(err, IMP_E_RULE, "stream '%s': agent '%s' has %u accounts, not %u", s->id,
			    settings->agents[i].name, settings->agents[i].accounts, s->last);
	}
	if (s->turns == 0 || senders > AGENT_PLAN_MESSAGES_MAX / s->turns)
		return imp_err_set(err, IMP_E_RULE, "stream '%s': each sender needs from 1 to %llu messages", s->id,
		    (unsigned long long)(AGENT_PLAN_MESSAGES_MAX / senders));
	if (s->begin_ns < 0 || s->interval_ns < 1 || s->interval_ns > AGENT_PLAN_SPAN_MAX || s->begin_ns > AGENT_PLAN_SPAN_MAX ||
	    steps > (uint64_t)(AGENT_PLAN_SPAN_MAX / s->interval_ns))
		return imp_err_set(err, IMP_E_RULE, "stream '%s': the last message must be due within 30 days", s->id);
	if (s->jitter_ns < 0 || s->jitter_ns > s->interval_ns || (s->kind == PLAN_GROUP && s->jitter_ns > 0))
		return imp_err_set(err, IMP_E_RULE, "stream '%s': jitter must be less than the interval, and none in a group",
		    s->id);
	return IMP_OK;
}

static enum imp_rc
check(const struct plan_settings *settings, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (settings->nagents == 0 || settings->nagents > AGENT_PLAN_AGENTS_MAX || settings->nstreams == 0 ||
	    settings->nstreams > AGENT_PLAN_STREAMS_MAX)
		return imp_err_set(err, IMP_E_RULE, "a plan has 1 to %d agents and 1 to %d streams", AGENT_PLAN_AGENTS_MAX,
		    AGENT_PLAN_STREAMS_MAX);
	for (unsigned i = 0; i < settings->nagents; i++) {
		if (settings->agents[i].accounts > AGENT_PLAN_ACCOUNTS_MAX)
			return imp_err_set(err, IMP_E_RULE, "agent '%s': at most %d accounts", settings->agents[i].name,
			    AGENT_PLAN_ACCOUNTS_MAX);
	}
	for (unsigned i = 0; i < settings->nstreams && rc == IMP_OK; i++)
		rc = check_stream(settings, &settings->streams[i], err);
	return rc;
}

/* ------------------------------------------------------------------ order */

/* An account's own delay: the same in every turn and on every machine. */
static int64_t
delay_of(const struct plan_settings *settings, const struct plan_stream *s, uint32_t agent, uint32_t account)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1024);

	if (s->jitter_ns == 0)
		return 0;
	buf_addf(&text, "%s\n", settings->run_id);
	agent_plan_account(settings, agent, account, &text);
	return (int64_t)(XXH64(text.p, text.n, 0) % (uint64_t)s->jitter_ns);
}

static int
sender_cmp(const void *a, const void *b)
{
	const struct plan_sender *x = a, *y = b;

	CMP(x->delay_ns, y->delay_ns);
	CMP(x->account, y->account);
	CMP(x->agent, y->agent);
	return 0;
}

static enum imp_rc
make_order(const struct plan_settings *settings, const struct plan_stream *s, struct plan_order *ret, struct imp_err *err)
{
	const uint64_t n = (uint64_t)(s->last - s->first + 1) * settings->nagents;

	ret->senders = calloc(n, sizeof(*ret->senders));
	if (ret->senders == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %llu senders", (unsigned long long)n);
	for (uint32_t account = s->first; account <= s->last; account++) {
		for (uint32_t agent = 0; agent < settings->nagents; agent++)
			ret->senders[ret->n++] = (struct plan_sender){ delay_of(settings, s, agent, account), agent, account };
	}
	if (s->kind == PLAN_P2P)
		qsort(ret->senders, ret->n, sizeof(*ret->senders), sender_cmp);
	return IMP_OK;
}

enum imp_rc
agent_plan_make(const struct plan_settings *settings, struct agent_plan *ret, struct imp_err *err)
{
	struct agent_plan p = { .settings = settings };
	enum imp_rc rc = check(settings, err);

	if (rc != IMP_OK)
		return rc;
	p.order = calloc(settings->nstreams, sizeof(*p.order));
	if (p.order == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %u streams", settings->nstreams);
	for (unsigned i = 0; i < settings->nstreams && rc == IMP_OK; i++) {
		rc = make_order(settings, &settings->streams[i], &p.order[i], err);
		p.messages += agent_plan_stream_messages(settings, i);
	}
	if (rc != IMP_OK) {
		agent_plan_done(&p);
		return rc;
	}
	*ret = p;
	return IMP_OK;
}

void
agent_plan_done(struct agent_plan *p)
{
	for (unsigned i = 0; p->order != NULL && i < p->settings->nstreams; i++)
		free(p->order[i].senders);
	free(p->order);
	*p = (struct agent_plan){ .settings = NULL };
}

/* ------------------------------------------------------------------ times */

/* The k-th message of a steady stream. */
static int64_t
steady_at(const struct plan_stream *s, const struct plan_order *o, uint64_t k)
{
	const uint64_t steps = s->kind == PLAN_GROUP ? k : k / o->n;

	return (int64_t)steps * s->interval_ns + o->senders[k % o->n].delay_ns;
}

static int64_t
stream_at(const struct plan_stream *s, const struct plan_order *o, uint64_t k)
{
	const uint64_t n = o->n * s->turns;

	switch (s->shape) {
	case PLAN_BURST:
		return s->begin_ns;
	case PLAN_RAMP: /* k of n are sent when (t / T)² = k / n: the rate is 2 n t / T² */
		return s->begin_ns + (int64_t)floor((double)steady_at(s, o, n - 1) * sqrt((double)k / (double)(n > 1 ? n - 1 : 1)));
	default:
		return s->begin_ns + steady_at(s, o, k);
	}
}

int64_t
agent_plan_stream_end(const struct agent_plan *p, uint32_t stream)
{
	return stream_at(&p->settings->streams[stream], &p->order[stream], agent_plan_stream_messages(p->settings, stream) - 1);
}

/* ------------------------------------------------------------------ hash */

enum imp_rc
agent_plan_sha256(const struct agent_plan *p, unsigned char ret[SHA256_BYTES], struct imp_err *err)
{
	const struct plan_settings *set = p->settings;
	CLEANUP(buf_done) struct buf text = BUF_INIT(CANONICAL_BYTES_MAX);
	CLEANUP(sha256_done) struct sha256 h = { 0 };
	enum imp_rc rc;

	buf_addf(&text, "plan 1\nrun %s\nmid %s\n", set->run_id, set->mid_prefix);
	for (unsigned i = 0; i < set->nagents; i++)
		buf_addf(&text, "agent %s %s %u\n", set->agents[i].name, set->agents[i].prefix, set->agents[i].accounts);
	for (unsigned i = 0; i < set->nstreams; i++) {
		const struct plan_stream *s = &set->streams[i];

		buf_addf(&text, "stream %s %s %s accounts %u-%u turns %llu begin %lld interval %lld jitter %lld\n", s->id,
		    kind_names[s->kind], shape_names[s->shape], s->first, s->last, (unsigned long long)s->turns,
		    (long long)s->begin_ns, (long long)s->interval_ns, (long long)s->jitter_ns);
	}
	rc = buf_status(&text, err);
	if (rc == IMP_OK)
		rc = sha256_begin(&h, err);
	if (rc != IMP_OK)
		return rc;
	sha256_add(&h, text.p, text.n);
	return sha256_end(&h, ret, err);
}

/* ------------------------------------------------------------------ cursors */

/* The next own message of a stream, into its head. */
static void
advance(struct plan_cursor *c, uint32_t stream)
{
	const struct plan_stream *s = &c->plan->settings->streams[stream];
	const struct plan_order *o = &c->plan->order[stream];
	const uint64_t n = o->n * s->turns;
	uint64_t k = c->next[stream];

	while (k < n && o->senders[k % o->n].agent != c->agent)
		k++;
	c->has[stream] = k < n;
	if (c->has[stream]) {
		const struct plan_sender *by = &o->senders[k % o->n];

		c->head[stream] = (struct plan_message){ stream, by->agent, by->account, k / o->n, stream_at(s, o, k) };
	}
	c->next[stream] = k < n ? k + 1 : n;
}

void
plan_cursor_begin(struct plan_cursor *c, const struct agent_plan *plan, uint32_t agent)
{
	*c = (struct plan_cursor){ .plan = plan, .agent = agent };
	for (uint32_t i = 0; i < plan->settings->nstreams; i++)
		advance(c, i);
}

/* The stream whose head is due first; the number of streams when there is none. */
static uint32_t
first_stream(const struct plan_cursor *c)
{
	const uint32_t n = c->plan->settings->nstreams;
	uint32_t first = n;

	for (uint32_t i = 0; i < n; i++) {
		if (c->has[i] && (first == n || c->head[i].at_ns < c->head[first].at_ns))
			first = i;
	}
	return first;
}

bool
plan_cursor_peek(const struct plan_cursor *c, struct plan_message *ret)
{
	const uint32_t i = first_stream(c);

	if (i == c->plan->settings->nstreams)
		return false;
	*ret = c->head[i];
	return true;
}

void
plan_cursor_next(struct plan_cursor *c)
{
	const uint32_t i = first_stream(c);

	if (i < c->plan->settings->nstreams)
		advance(c, i);
}
