#include "config.h"

#include "ingest/event.h"

#include "ingest/event_apply.h"

/* ------------------------------------------------------------------ what the format demands */

#define K(k) RECORD_BIT(KEY_##k)

/* Keys by the type that their values must have; a key in none of them takes a string. */
static const record_mask int_keys = K(t) | K(plan) | K(try) | K(size) | K(code) | K(seq) | K(bytes) | K(sent) | K(offset_ns) |
    K(rtt_ns) | K(sockets) | K(events) | K(lo) | K(hi) | K(found) | K(check) | K(count) | K(index) | K(offline_members) |
    K(partition) | K(committed) | K(end) | K(start) | K(lag) | K(ns) | K(n) | K(tries) | K(history_length) | K(deadlock_t);
static const record_mask time_keys =
    K(t) | K(plan) | K(sent) | K(offset_ns) | K(rtt_ns) | K(ns) | K(deadlock_t); /* integers that are a time, or a length of it */
static const record_mask number_keys = K(cpu_pct) | K(proc_cpu_pct) | K(rss_bytes) | K(fds) | K(fd_limit) | K(time_wait) |
    K(ports_used) | K(ports_total) | K(nr_periods) | K(nr_throttled) | K(throttled_us) | K(net_rx_bytes) | K(net_tx_bytes) |
    K(queue_depth) | K(ceiling_per_s);
static const record_mask bool_keys = K(complete);
static const record_mask any_keys = K(id) | K(created) | K(value) | K(nullable); /* a string or a scalar */
static const record_mask raw_keys = K(members);

struct event_spec {
	const char *name;
	record_mask required, optional;
	apply_fn *apply;
};

static bool
value_fits(const struct record *r, enum record_key k)
{
	record_mask bit = RECORD_BIT(k);
	enum record_type type = r->v[k].type;

	if (bit & int_keys)
		return type == REC_INT && (!(bit & time_keys) || time_fits(r->v[k].i));
	if (bit & number_keys)
		return type == REC_INT || type == REC_REAL;
	if (bit & bool_keys)
		return type == REC_BOOL;
	if (bit & any_keys)
		return type == REC_STRING || type == REC_INT || type == REC_REAL || type == REC_BOOL;
	if (bit & raw_keys)
		return type == REC_RAW || type == REC_INT; /* those of a consumer group are counted */
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

		if (value_fits(r, k))
			continue;
		if (required & RECORD_BIT(k))
			return k != KEY_t   ? "a required key has the wrong type" :
			    type == REC_INT ? "the time is before 1834 or after 2105" :
					      "the time is not an integer of nanoseconds";
		if (type != REC_NULL && type != REC_NOT_MEASURED)
			ret->unknown_keys++;
	}
	ret->unknown_keys += r->unknown_keys + (unsigned)__builtin_popcountll((uint64_t)(r->has & ~used)) +
	    (unsigned)__builtin_popcountll((uint64_t)((r->has & ~used) >> 64));
	return NULL;
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
	{ "column", K(table) | K(column) | K(type), K(t) | K(nullable) | K(extra), apply_column },
	{ "status", K(t) | K(name) | K(value), K(server), apply_status },
	{ "innodb", K(t), K(server) | K(history_length) | K(deadlock_t) | K(deadlock), apply_innodb },
	{ "lag", K(t) | K(group) | K(topic) | K(partition) | K(committed) | K(end), K(start) | K(lag) | K(members), apply_lag },
	{ "collected", K(t) | K(system) | K(what) | K(status),
	    K(phase) | K(source) | K(query) | K(file) | K(why) | K(ns) | K(n) | K(tries), apply_collected },
	{ "server", K(t) | K(system), K(phase) | K(source) | K(address) | K(version) | K(id) | K(role), apply_server },
};

/* Is this a delivery as agents write them, nothing missing and nothing unusual? Nearly every line of a large run is one, and
 * keys_check() has nothing to say about it. */
static bool
is_plain_data(const struct record *r)
{
	return (r->has & data_spec.required) == data_spec.required && (r->has & ~(data_spec.required | data_spec.optional)) == 0 &&
	    r->clash == 0 && r->v[KEY_t].type == REC_INT && r->v[KEY_seq].type == REC_INT && r->v[KEY_mid].type == REC_STRING &&
	    r->v[KEY_topic].type == REC_STRING && r->v[KEY_to].type == REC_STRING &&
	    (!value_has(r, KEY_from) || r->v[KEY_from].type == REC_STRING) && time_fits(r->v[KEY_t].i) &&
	    (!value_has(r, KEY_sent) || value_fits(r, KEY_sent));
}

const char *
event_check(const struct record *r, struct event *ret)
{
	const struct event_spec *spec = NULL;
	const char *reason;
	struct slice ev;

	*ret = (struct event){ .r = r, .shape = EVENT_UNKNOWN, .agent = NONE, .t = NO_TIME };
	if (!value_has(r, KEY_ev) || r->v[KEY_ev].type != REC_STRING)
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
		ret->t = value_time(r, KEY_t);
		return NULL;
	}
	reason = keys_check(r, spec->required | K(ev), spec->optional, ret);
	if (reason != NULL)
		return reason;
	if (spec->apply == apply_ctrl && value_string(r, KEY_mid).p == NULL && !value_has(r, KEY_id))
		return "neither mid nor id";
	ret->t = value_time(r, KEY_t);
	return NULL;
}

enum imp_rc
event_apply(struct ledger *l, const struct event *e, struct imp_err *err)
{
	if (e->spec == NULL || e->spec->apply == NULL)
		return IMP_OK;
	return e->spec->apply(l, e, err);
}

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
	if (value_has(r, KEY_members) && r->v[KEY_members].type != REC_RAW)
		return "a required key has the wrong type";
	return keys_check(r, K(topic) | K(kind) | K(members), K(offline_members), ret);
}

/* ------------------------------------------------------------------ values */

enum imp_rc
value_text(struct ledger *l, const struct record *r, enum record_key k, uint32_t *ret, struct imp_err *err)
{
	*ret = NONE;
	if (!value_has(r, k) || !value_fits(r, k))
		return IMP_OK;
	return ledger_text(l, r->v[k].s, ret, err);
}

enum imp_rc
value_texts(struct ledger *l, const struct record *r, const struct text_field *f, size_t n, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < n && rc == IMP_OK; i++)
		rc = value_text(l, r, f[i].key, f[i].ret, err);
	return rc;
}
