#include "config.h"

#include "ingest/event.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "ingest/rfc3339.h"

#define TOPIC_MEMBERS_MAX (1u << 24)

/* ------------------------------------------------------------------ what the format demands */

#define K(k) RECORD_BIT(KEY_##k)

/* Keys by the type that their values must have; a key in none of them takes a string. */
static const record_mask int_keys = K(t) | K(plan) | K(try) | K(size) | K(code) | K(seq) | K(bytes) | K(sent) | K(offset_ns) |
    K(rtt_ns) | K(sockets) | K(events) | K(lo) | K(hi) | K(found) | K(check) | K(count) | K(index) | K(offline_members) |
    K(partition) | K(committed) | K(end) | K(start) | K(lag);
static const record_mask number_keys = K(cpu_pct) | K(proc_cpu_pct) | K(rss_bytes) | K(fds) | K(fd_limit) | K(time_wait) |
    K(ports_used) | K(ports_total) | K(nr_periods) | K(nr_throttled) | K(throttled_us) | K(net_rx_bytes) | K(net_tx_bytes) |
    K(queue_depth) | K(ceiling_per_s);
static const record_mask bool_keys = K(complete);
static const record_mask any_keys = K(id) | K(created) | K(value) | K(nullable); /* a string or a scalar */
static const record_mask raw_keys = K(members);

static const record_mask health_keys = K(cpu_pct) | K(proc_cpu_pct) | K(rss_bytes) | K(fds) | K(fd_limit) | K(time_wait) |
    K(ports_used) | K(ports_total) | K(nr_periods) | K(nr_throttled) | K(throttled_us) | K(net_rx_bytes) | K(net_tx_bytes) |
    K(queue_depth);

typedef enum imp_rc (*apply_fn)(struct ledger *l, const struct event *e, struct imp_err *err);

struct event_spec {
	const char *name;
	record_mask required, optional;
	apply_fn apply;
};

static bool
has(const struct record *r, enum record_key k)
{
	return (r->has & RECORD_BIT(k)) != 0;
}

static bool
type_fits(enum record_key k, enum record_type type)
{
	record_mask bit = RECORD_BIT(k);

	if (bit & int_keys)
		return type == REC_INT;
	if (bit & number_keys)
		return type == REC_INT || type == REC_REAL;
	if (bit & bool_keys)
		return type == REC_BOOL;
	if (bit & any_keys)
		return type == REC_STRING || type == REC_INT || type == REC_REAL || type == REC_BOOL;
	if (bit & raw_keys)
		return type == REC_RAW;
	return type == REC_STRING;
}

/* Check required and optional keys. An optional value of a wrong type is kept out of the way and counted, as an unknown key is. */
static const char *
keys_check(const struct record *r, record_mask required, record_mask optional, struct event *ret)
{
	record_mask used = required | optional, m;

	if ((r->has & required) != required)
		return "a required key is missing";
	if (r->clash & used)
		return "one key with two different values";
	for (m = r->has & used; m != 0; m &= m - 1) {
		uint64_t low = (uint64_t)m;
		enum record_key k =
		    low != 0 ? (enum record_key)__builtin_ctzll(low) : (enum record_key)(64 + __builtin_ctzll((uint64_t)(m >> 64)));
		enum record_type type = r->v[k].type;

		if (type_fits(k, type))
			continue;
		if (required & RECORD_BIT(k))
			return k == KEY_t ? "the time is not an integer of nanoseconds" : "a required key has the wrong type";
		if (type != REC_NULL && type != REC_NOT_MEASURED)
			ret->unknown_keys++;
	}
	ret->unknown_keys += r->unknown_keys + (unsigned)__builtin_popcountll((uint64_t)(r->has & ~used)) +
	    (unsigned)__builtin_popcountll((uint64_t)((r->has & ~used) >> 64));
	return NULL;
}

/* ------------------------------------------------------------------ values */

static int64_t
int_or(const struct record *r, enum record_key k, int64_t otherwise)
{
	return has(r, k) && r->v[k].type == REC_INT ? r->v[k].i : otherwise;
}

static struct slice
string(const struct record *r, enum record_key k)
{
	return has(r, k) && r->v[k].type == REC_STRING ? r->v[k].s : (struct slice){ NULL, 0 };
}

/* The number of a text, NONE where the key has none. Numbers are taken as written. */
static enum imp_rc
text(struct ledger *l, const struct record *r, enum record_key k, uint32_t *ret, struct imp_err *err)
{
	*ret = NONE;
	if (!has(r, k) || r->v[k].type == REC_NULL || r->v[k].type == REC_RAW || r->v[k].type == REC_NOT_MEASURED)
		return IMP_OK;
	return ledger_text(l, r->v[k].s, ret, err);
}

/* Several texts at once: pairs of key and place, ended by _RECORD_KEY_MAX. */
struct text_field {
	enum record_key key;
	uint32_t *ret;
};

static enum imp_rc
texts(struct ledger *l, const struct record *r, const struct text_field *f, size_t n, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < n && rc == IMP_OK; i++)
		rc = text(l, r, f[i].key, f[i].ret, err);
	return rc;
}
#define TEXTS(l, r, err, ...) \
	texts((l), (r), (const struct text_field[]){ __VA_ARGS__ }, \
	    sizeof((const struct text_field[]){ __VA_ARGS__ }) / sizeof(struct text_field), (err))

/* The agent that a measurement speaks of: the one it names, who may have been measured by another; else whose folder it lies in. */
static uint32_t
measured_agent(const struct ledger *l, const struct event *e)
{
	uint32_t named = ledger_agent_find(l, string(e->r, KEY_agent));

	return named != NONE ? named : e->agent;
}

/* The agent that a line belongs to: its folder, else the one it names. */
static uint32_t
event_agent(const struct ledger *l, const struct event *e)
{
	return e->agent != NONE ? e->agent : ledger_agent_find(l, string(e->r, KEY_agent));
}

/* ------------------------------------------------------------------ events of an agent */

static enum imp_rc
apply_attempt(struct ledger *l, const struct event *e, enum attempt_kind kind, struct imp_err *err)
{
	const struct record *r = e->r;
	struct attempt a = {
		.t = e->t,
		.place = e->place,
		.kind = kind,
		.plan = int_or(r, KEY_plan, NO_TIME),
		.try = int_or(r, KEY_try, NO_TIME),
		.size = int_or(r, KEY_size, NO_TIME),
	};
	enum imp_rc rc = ledger_mid(l, string(r, KEY_mid), &a.mid, err);

	if (rc == IMP_OK)
		rc = ledger_topic(l, string(r, KEY_topic), &a.topic, err);
	if (rc == IMP_OK)
		rc = ledger_account(l, string(r, KEY_from), &a.from, err);
	if (rc == IMP_OK)
		rc = TEXTS(l, r, err, { KEY_sc, &a.sc }, { KEY_id, &a.id }, { KEY_why, &a.why });
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->attempts, a, err) : rc;
}

static enum imp_rc
apply_pub(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_attempt(l, e, ATTEMPT_PUB, err);
}

static enum imp_rc
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
		.code = int_or(r, KEY_code, NO_TIME),
		.seq = int_or(r, KEY_seq, NO_TIME),
		.bytes = int_or(r, KEY_bytes, NO_TIME),
	};
	enum imp_rc rc = IMP_OK;

	if (has(r, KEY_mid) && r->v[KEY_mid].type == REC_STRING)
		rc = ledger_mid(l, r->v[KEY_mid].s, &a.mid, err);
	if (rc == IMP_OK)
		rc = TEXTS(l, r, err, { KEY_id, &a.id }, { KEY_why, &a.why },
		    { kind == ANSWER_CTRL ? KEY_text : KEY_detail, &a.text });
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->answers, a, err) : rc;
}

static enum imp_rc
apply_ctrl(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_answer(l, e, ANSWER_CTRL, err);
}

static enum imp_rc
apply_fail(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_answer(l, e, ANSWER_FAIL, err);
}

static enum imp_rc
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
	struct conn c = { .t = e->t, .place = e->place, .code = int_or(r, KEY_code, NO_TIME) };
	enum imp_rc rc;
	size_t i = 0;

	while (i < 4 && !slice_eq(states[i].name, string(r, KEY_state)))
		i++;
	if (i == 4)
		return IMP_OK; /* a state that says nothing about being connected */
	c.state = states[i].state;
	rc = ledger_account(l, string(r, KEY_who), &c.who, err);
	if (rc == IMP_OK)
		rc = TEXTS(l, r, err, { KEY_pod, &c.pod }, { KEY_why, &c.why }, { KEY_peer, &c.peer });
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

static enum imp_rc
apply_start(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_note(l, e, (struct note){ .kind = NOTE_START, .text = NONE, .text2 = NONE }, err);
}

static enum imp_rc
apply_end(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct note n = { .kind = NOTE_END, .text2 = NONE, .a = int_or(e->r, KEY_events, NO_TIME) };
	enum imp_rc rc = text(l, e->r, KEY_why, &n.text, err);

	return rc == IMP_OK ? apply_note(l, e, n, err) : rc;
}

static enum imp_rc
apply_mark(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct note n = { .kind = NOTE_MARK, .text2 = NONE };
	enum imp_rc rc = text(l, e->r, KEY_name, &n.text, err);

	return rc == IMP_OK ? apply_note(l, e, n, err) : rc;
}

static enum imp_rc
apply_clock(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct note n = {
		.kind = NOTE_CLOCK,
		.text2 = NONE,
		.a = int_or(e->r, KEY_offset_ns, NO_TIME),
		.b = int_or(e->r, KEY_rtt_ns, NO_TIME),
	};
	enum imp_rc rc = text(l, e->r, KEY_source, &n.text, err);

	return rc == IMP_OK ? apply_note(l, e, n, err) : rc;
}

static double
number(const struct record_value *v)
{
	return v->type == REC_INT ? (double)v->i : v->d;
}

static enum imp_rc
apply_calibration(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct note n = {
		.kind = NOTE_CALIBRATION,
		.a = int_or(e->r, KEY_sockets, NO_TIME),
		.real = number(&e->r->v[KEY_ceiling_per_s]),
	};
	enum imp_rc rc = TEXTS(l, e->r, err, { KEY_target, &n.text }, { KEY_version, &n.text2 });

	return rc == IMP_OK ? apply_note(l, e, n, err) : rc;
}

static enum imp_rc
apply_health(struct ledger *l, const struct event *e, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (unsigned k = 0; k < _RECORD_KEY_MAX && rc == IMP_OK; k++) {
		const struct record_value *v = &e->r->v[k];

		if (!(health_keys & RECORD_BIT(k)) || !has(e->r, k) || (v->type != REC_INT && v->type != REC_REAL))
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

/* ------------------------------------------------------------------ history and database */

static enum imp_rc
apply_hist(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct hist h = { .t = e->t, .place = e->place, .seq = e->r->v[KEY_seq].i, .times = 1 };
	enum imp_rc rc = ledger_mid(l, string(e->r, KEY_mid), &h.mid, err);

	if (rc == IMP_OK)
		rc = ledger_topic(l, string(e->r, KEY_topic), &h.topic, err);
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->hists, h, err) : rc;
}

static enum imp_rc
apply_histq(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record *r = e->r;
	struct histq q = {
		.t = e->t,
		.place = e->place,
		.lo = r->v[KEY_lo].i,
		.hi = r->v[KEY_hi].i,
		.found = int_or(r, KEY_found, NO_TIME),
	};
	enum imp_rc rc = ledger_topic(l, string(r, KEY_topic), &q.topic, err);

	if (rc == IMP_OK)
		rc = ledger_account(l, string(r, KEY_by), &q.by, err);
	if (rc == IMP_OK)
		rc = text(l, r, KEY_status, &q.status, err);
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->histqs, q, err) : rc;
}

/* RFC 3339 text or integer nanoseconds. */
static int64_t
created_time(const struct record *r)
{
	int64_t t;

	if (has(r, KEY_created) && r->v[KEY_created].type == REC_STRING && rfc3339_parse(r->v[KEY_created].s, &t))
		return t;
	return int_or(r, KEY_created, NO_TIME);
}

static enum imp_rc
apply_row(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record *r = e->r;
	struct row w = { .place = e->place, .seq = r->v[KEY_seq].i, .created = created_time(r), .check = int_or(r, KEY_check, 1) };
	enum imp_rc rc = ledger_mid(l, string(r, KEY_mid), &w.mid, err);

	if (rc == IMP_OK)
		rc = ledger_topic(l, string(r, KEY_topic), &w.topic, err);
	if (rc == IMP_OK)
		rc = TEXTS(l, r, err, { KEY_table, &w.table }, { KEY_id, &w.id });
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->rows, w, err) : rc;
}

static enum imp_rc
apply_query(struct ledger *l, const struct event *e, struct query q, struct imp_err *err)
{
	q.t = e->t;
	q.place = e->place;
	q.complete = e->r->v[KEY_complete].i != 0;
	q.count = e->r->v[KEY_count].i;
	q.check = int_or(e->r, KEY_check, 1);
	return VEC_PUSH(l->budget, &l->queries, q, err);
}

static enum imp_rc
apply_rows(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct query q = { .kind = kind_parse(string(e->r, KEY_kind)) };
	enum imp_rc rc = TEXTS(l, e->r, err, { KEY_table, &q.table }, { KEY_query, &q.text });

	return rc == IMP_OK ? apply_query(l, e, q, err) : rc;
}

static enum imp_rc
apply_deads(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_query(l, e, (struct query){ .deads = true, .table = NONE, .text = NONE }, err);
}

static enum imp_rc
apply_dead(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record *r = e->r;
	struct dead d = {
		.t = e->t,
		.place = e->place,
		.code = int_or(r, KEY_code, NO_TIME),
		.check = int_or(r, KEY_check, 1),
		.replayed = slice_eq(string(r, KEY_state), SLICE("replayed")),
	};
	enum imp_rc rc = ledger_mid(l, string(r, KEY_mid), &d.mid, err);

	if (rc == IMP_OK)
		rc = TEXTS(l, r, err, { KEY_error, &d.error }, { KEY_topic, &d.topic }, { KEY_kafka_topic, &d.kafka_topic });
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->deads, d, err) : rc;
}

static enum imp_rc
apply_column(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record_value *nullable = &e->r->v[KEY_nullable];
	struct column c = { .place = e->place, .nullable = NO_TIME };
	enum imp_rc rc =
	    TEXTS(l, e->r, err, { KEY_table, &c.table }, { KEY_column, &c.name }, { KEY_type, &c.type }, { KEY_extra, &c.extra });

	if (has(e->r, KEY_nullable) && (nullable->type == REC_BOOL || nullable->type == REC_INT))
		c.nullable = nullable->i != 0;
	else if (has(e->r, KEY_nullable) && nullable->type == REC_STRING)
		c.nullable = slice_eq(nullable->s, SLICE("YES")); /* as information_schema says it */
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->columns, c, err) : rc;
}

static enum imp_rc
apply_status(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct status s = { .t = e->t, .place = e->place };
	enum imp_rc rc = TEXTS(l, e->r, err, { KEY_name, &s.name }, { KEY_value, &s.value }, { KEY_server, &s.server });

	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->statuses, s, err) : rc;
}

/* ------------------------------------------------------------------ the table */

static const struct event_spec data_spec = { "data", K(ev) | K(t) | K(mid) | K(topic) | K(seq) | K(to), K(from) | K(sent), NULL };

static const struct event_spec specs[] = {
	{ "pub", K(t) | K(mid) | K(topic) | K(from), K(plan) | K(try) | K(id) | K(sc) | K(size), apply_pub },
	/* an answer whose code cannot be read is still an event: it answers nothing (truth model, section 10) */
	{ "ctrl", K(t), K(code) | K(mid) | K(id) | K(seq) | K(text), apply_ctrl },
	{ "fail", K(t) | K(mid) | K(why), K(id) | K(detail) | K(bytes), apply_fail },
	{ "skip", K(t) | K(mid) | K(topic) | K(from) | K(why), K(plan) | K(sc), apply_skip },
	{ "conn", K(t) | K(who) | K(state), K(pod) | K(code) | K(why) | K(peer), apply_conn },
	{ "clock", K(t) | K(agent) | K(offset_ns), K(rtt_ns) | K(source), apply_clock },
	{ "health", K(t) | K(agent),
	    K(cpu_pct) | K(proc_cpu_pct) | K(rss_bytes) | K(fds) | K(fd_limit) | K(time_wait) | K(ports_used) | K(ports_total) |
		K(nr_periods) | K(nr_throttled) | K(throttled_us) | K(net_rx_bytes) | K(net_tx_bytes) | K(queue_depth),
	    apply_health },
	{ "mark", K(t) | K(name), K(agent), apply_mark },
	{ "calibration", K(t) | K(agent) | K(ceiling_per_s) | K(sockets), K(target) | K(version), apply_calibration },
	{ "start", K(t) | K(agent), K(version) | K(plan_sha256) | K(events) | K(why), apply_start },
	{ "end", K(t) | K(agent), K(version) | K(plan_sha256) | K(events) | K(why), apply_end },
	{ "hist", K(t) | K(topic) | K(seq) | K(mid) | K(by), K(pod), apply_hist },
	{ "histq", K(t) | K(topic) | K(by) | K(lo) | K(hi) | K(status), K(found), apply_histq },
	{ "row", K(table) | K(mid) | K(topic) | K(seq), K(id) | K(created) | K(check), apply_row },
	{ "rows", K(t) | K(table) | K(complete) | K(count), K(query) | K(kind) | K(check), apply_rows },
	{ "dead", K(t) | K(mid) | K(error), K(code) | K(topic) | K(kafka_topic) | K(state) | K(check), apply_dead },
	{ "deads", K(t) | K(complete) | K(count), K(check), apply_deads },
	{ "column", K(table) | K(column) | K(type), K(nullable) | K(extra), apply_column },
	{ "status", K(t) | K(name) | K(value), K(server), apply_status },
	/* lag samples: known to the format; what they mean is read together with logs and metrics */
	{ "lag", K(t) | K(group) | K(topic) | K(partition) | K(committed) | K(end), K(start), NULL },
};

/* Is this a delivery as agents write them, nothing missing and nothing unusual? Nearly every line of a large run is one, and
 * keys_check() has nothing to say about it. */
static bool
is_plain_data(const struct record *r)
{
	return (r->has & data_spec.required) == data_spec.required && (r->has & ~(data_spec.required | data_spec.optional)) == 0 &&
	    r->clash == 0 && r->v[KEY_t].type == REC_INT && r->v[KEY_seq].type == REC_INT && r->v[KEY_mid].type == REC_STRING &&
	    r->v[KEY_topic].type == REC_STRING && r->v[KEY_to].type == REC_STRING;
}

const char *
event_check(const struct record *r, struct event *ret)
{
	const struct event_spec *spec = NULL;
	const char *reason;
	struct slice ev;

	*ret = (struct event){ .r = r, .shape = EVENT_UNKNOWN, .agent = NONE, .t = NO_TIME };
	if (!has(r, KEY_ev) || r->v[KEY_ev].type != REC_STRING)
		return "no `ev`";
	if (r->clash & K(ev))
		return "one key with two different values";
	ev = r->v[KEY_ev].s;
	if (slice_eq(ev, SLICE("data"))) {
		spec = &data_spec;
		ret->shape = EVENT_DATA;
		if (is_plain_data(r)) {
			ret->spec = spec;
			ret->t = r->v[KEY_t].i;
			ret->unknown_keys = r->unknown_keys;
			return NULL;
		}
	}
	for (size_t i = 0; spec == NULL && i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (slice_eq(ev, slice_of(specs[i].name))) {
			spec = &specs[i];
			ret->shape = EVENT_OTHER;
		}
	}
	ret->spec = spec;
	if (spec == NULL) {
		ret->t = int_or(r, KEY_t, NO_TIME);
		return NULL;
	}
	reason = keys_check(r, spec->required | K(ev), spec->optional, ret);
	if (reason != NULL)
		return reason;
	if (spec->apply == apply_ctrl && string(r, KEY_mid).p == NULL && !has(r, KEY_id))
		return "neither mid nor id";
	ret->t = int_or(r, KEY_t, NO_TIME);
	return NULL;
}

enum imp_rc
event_apply(struct ledger *l, const struct event *e, struct imp_err *err)
{
	if (e->spec == NULL || e->spec->apply == NULL)
		return IMP_OK;
	return e->spec->apply(l, e, err);
}

/* ------------------------------------------------------------------ accounts.jsonl, topics.jsonl */

const char *
event_check_account(const struct record *r, struct event *ret)
{
	*ret = (struct event){ .r = r, .shape = EVENT_OTHER, .agent = NONE, .t = NO_TIME };
	return keys_check(r, K(account), K(user) | K(agent) | K(index) | K(pair), ret);
}

const char *
event_check_topic(const struct record *r, struct event *ret)
{
	*ret = (struct event){ .r = r, .shape = EVENT_OTHER, .agent = NONE, .t = NO_TIME };
	return keys_check(r, K(topic) | K(kind) | K(members), K(offline_members), ret);
}

enum imp_rc
event_apply_account(struct ledger *l, const struct event *e, struct imp_err *err)
{
	uint32_t account;
	enum imp_rc rc = ledger_account(l, string(e->r, KEY_account), &account, err);

	if (rc != IMP_OK)
		return rc;
	l->has_accounts = true;
	l->accounts.v[account].listed = true;
	rc = text(l, e->r, KEY_agent, &l->accounts.v[account].agent, err); /* its number when all agents are known */
	return rc == IMP_OK ? text(l, e->r, KEY_user, &l->accounts.v[account].user, err) : rc;
}

static int
number_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Is any account in the list twice? */
static bool
has_repeats(const uint32_t *v, size_t n)
{
	CLEANUP(freep) uint32_t *sorted = malloc((n + 1) * sizeof(*v));
	bool twice = false;

	if (sorted == NULL)
		return true; /* the caller then looks one by one */
	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*v), number_cmp);
	for (size_t i = 1; i < n && !twice; i++)
		twice = sorted[i] == sorted[i - 1];
	return twice;
}

static size_t
drop_repeats(uint32_t *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < kept && v[k] != v[i])
			k++;
		if (k == kept)
			v[kept++] = v[i];
	}
	return kept;
}

enum imp_rc
event_apply_topic(struct ledger *l, const struct event *e, struct record_scanner *sc, bool *ret_ok, struct imp_err *err)
{
	VEC(uint32_t) members = { NULL, 0, 0 };
	struct slice array = e->r->v[KEY_members].s, name;
	enum kind kind = kind_parse(string(e->r, KEY_kind));
	uint32_t topic, account;
	size_t pos = 0;
	enum imp_rc rc = ledger_topic(l, string(e->r, KEY_topic), &topic, err); /* first: the walk below uses the scanner */

	*ret_ok = true;
	while (rc == IMP_OK && record_next_string(sc, array, &pos, &name, ret_ok)) {
		rc = ledger_account(l, name, &account, err);
		if (rc == IMP_OK && members.n == TOPIC_MEMBERS_MAX)
			rc = imp_err_set(err, IMP_E_LIMIT, "a topic of more than %u members", TOPIC_MEMBERS_MAX);
		if (rc == IMP_OK)
			rc = VEC_PUSH(l->budget, &members, account, err);
	}
	if (rc == IMP_OK && *ret_ok) {
		if (has_repeats(members.v, members.n))
			members.n = drop_repeats(members.v, members.n);
		rc = ledger_topic_list(l, topic, kind, members.v, (uint32_t)members.n, int_or(e->r, KEY_offline_members, NO_TIME),
		    err);
	}
	VEC_FREE(l->budget, &members);
	return rc;
}
