/* ingest/event_agent.c - what an agent wrote of its own doing. */
#include "config.h"

#include "ingest/event_apply.h"

#define K(k) RECORD_BIT(KEY_##k)

static const record_mask health_keys = K(cpu_pct) | K(proc_cpu_pct) | K(rss_bytes) | K(fds) | K(fd_limit) | K(time_wait) |
    K(ports_used) | K(ports_total) | K(nr_periods) | K(nr_throttled) | K(throttled_us) | K(net_rx_bytes) | K(net_tx_bytes) |
    K(queue_depth);

/* The agent that a measurement speaks of: the one it names, who may have been measured by another; else whose folder it lies in. */
static uint32_t
measured_agent(const struct ledger *l, const struct event *e)
{
	uint32_t named = ledger_agent_find(l, value_string(e->r, KEY_agent));

	return named != NONE ? named : e->agent;
}

/* The agent that a line belongs to: its folder, else the one it names. */
static uint32_t
event_agent(const struct ledger *l, const struct event *e)
{
	return e->agent != NONE ? e->agent : ledger_agent_find(l, value_string(e->r, KEY_agent));
}

static enum imp_rc
apply_attempt(struct ledger *l, const struct event *e, enum attempt_kind kind, struct imp_err *err)
{
	const struct record *r = e->r;
	struct attempt a = {
		.t = e->t,
		.place = e->place,
		.kind = kind,
		.plan = value_time(r, KEY_plan),
		.try = value_int(r, KEY_try, NO_TIME),
		.size = value_int(r, KEY_size, NO_TIME),
	};
	enum imp_rc rc = ledger_mid(l, value_string(r, KEY_mid), &a.mid, err);

	if (rc == IMP_OK)
		rc = ledger_topic(l, value_string(r, KEY_topic), &a.topic, err);
	if (rc == IMP_OK)
		rc = ledger_account(l, value_string(r, KEY_from), &a.from, err);
	if (rc == IMP_OK)
		rc = VALUE_TEXTS(l, r, err, { KEY_sc, &a.sc }, { KEY_id, &a.id }, { KEY_why, &a.why });
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->attempts, a, err) : rc;
}

enum imp_rc
apply_pub(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_attempt(l, e, ATTEMPT_PUB, err);
}

enum imp_rc
apply_skip(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_attempt(l, e, ATTEMPT_SKIP, err);
}

static enum imp_rc
apply_answer(struct ledger *l, const struct event *e, enum answer_kind kind, struct imp_err *err)
{
	const struct record *r = e->r;
	struct answer a = {
		.t = e->t,
		.place = e->place,
		.kind = kind,
		.mid = NONE,
		.attempt = NONE,
		.code = value_int(r, KEY_code, NO_TIME),
		.seq = value_int(r, KEY_seq, NO_TIME),
		.bytes = value_int(r, KEY_bytes, NO_TIME),
	};
	enum imp_rc rc = IMP_OK;

	if (value_has(r, KEY_mid) && r->v[KEY_mid].type == REC_STRING)
		rc = ledger_mid(l, r->v[KEY_mid].s, &a.mid, err);
	if (rc == IMP_OK)
		rc = VALUE_TEXTS(l, r, err, { KEY_id, &a.id }, { KEY_why, &a.why },
		    { kind == ANSWER_CTRL ? KEY_text : KEY_detail, &a.text });
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->answers, a, err) : rc;
}

enum imp_rc
apply_ctrl(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_answer(l, e, ANSWER_CTRL, err);
}

enum imp_rc
apply_fail(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_answer(l, e, ANSWER_FAIL, err);
}

enum imp_rc
apply_conn(struct ledger *l, const struct event *e, struct imp_err *err)
{
	static const struct {
		struct slice name;
		enum conn_state state;
	} states[] = {
		{ SLICE("open"), CONN_OPEN },
		{ SLICE("ready"), CONN_READY },
		{ SLICE("closed"), CONN_CLOSED },
		{ SLICE("refused"), CONN_REFUSED },
	};
	const struct record *r = e->r;
	struct conn c = { .t = e->t, .place = e->place, .code = value_int(r, KEY_code, NO_TIME) };
	enum imp_rc rc;
	size_t i = 0;

	while (i < 4 && !slice_eq(states[i].name, value_string(r, KEY_state)))
		i++;
	if (i == 4)
		return IMP_OK; /* a state that says nothing about being connected */
	c.state = states[i].state;
	rc = ledger_account(l, value_string(r, KEY_who), &c.who, err);
	if (rc == IMP_OK)
		rc = VALUE_TEXTS(l, r, err, { KEY_pod, &c.pod }, { KEY_why, &c.why }, { KEY_peer, &c.peer });
	if (rc != IMP_OK)
		return rc;
	if (e->agent < l->accounts.v[c.who].seen_by)
		l->accounts.v[c.who].seen_by = e->agent;
	return VEC_PUSH(l->budget, &l->conns, c, err);
}

static enum imp_rc
apply_note(struct ledger *l, const struct event *e, struct note n, struct imp_err *err)
{
	n.t = e->t;
	n.place = e->place;
	n.agent = n.kind == NOTE_CLOCK || n.kind == NOTE_CALIBRATION ? measured_agent(l, e) : event_agent(l, e);
	return VEC_PUSH(l->budget, &l->notes, n, err);
}

enum imp_rc
apply_start(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_note(l, e, (struct note){ .kind = NOTE_START, .text = NONE, .text2 = NONE }, err);
}

enum imp_rc
apply_end(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct note n = { .kind = NOTE_END, .text2 = NONE, .a = value_int(e->r, KEY_events, NO_TIME) };
	enum imp_rc rc = value_text(l, e->r, KEY_why, &n.text, err);

	return rc == IMP_OK ? apply_note(l, e, n, err) : rc;
}

enum imp_rc
apply_mark(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct note n = { .kind = NOTE_MARK, .text2 = NONE };
	enum imp_rc rc = value_text(l, e->r, KEY_name, &n.text, err);

	return rc == IMP_OK ? apply_note(l, e, n, err) : rc;
}

enum imp_rc
apply_clock(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct note n = {
		.kind = NOTE_CLOCK,
		.text2 = NONE,
		.a = value_time(e->r, KEY_offset_ns),
		.b = value_time(e->r, KEY_rtt_ns),
	};
	enum imp_rc rc = value_text(l, e->r, KEY_source, &n.text, err);

	return rc == IMP_OK ? apply_note(l, e, n, err) : rc;
}

static double
number(const struct record_value *v)
{
	return v->type == REC_INT ? (double)v->i : v->d;
}

enum imp_rc
apply_calibration(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct note n = {
		.kind = NOTE_CALIBRATION,
		.a = value_int(e->r, KEY_sockets, NO_TIME),
		.real = number(&e->r->v[KEY_ceiling_per_s]),
	};
	enum imp_rc rc = VALUE_TEXTS(l, e->r, err, { KEY_target, &n.text }, { KEY_version, &n.text2 });

	return rc == IMP_OK ? apply_note(l, e, n, err) : rc;
}

enum imp_rc
apply_health(struct ledger *l, const struct event *e, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (unsigned k = 0; k < _RECORD_KEY_MAX && rc == IMP_OK; k++) {
		const struct record_value *v = &e->r->v[k];

		if (!(health_keys & RECORD_BIT(k)) || !value_has(e->r, k) || (v->type != REC_INT && v->type != REC_REAL))
			continue;
		struct health h = {
			.t = e->t,
			.place = e->place,
			.value = number(v),
			.agent = measured_agent(l, e),
			.key = (uint16_t)k,
		};
		rc = VEC_PUSH(l->budget, &l->health, h, err);
	}
	return rc;
}
