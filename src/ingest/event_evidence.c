/* ingest/event_evidence.c - history read-back and database evidence. */
#include "config.h"

#include "ingest/event_apply.h"
#include "ingest/rfc3339.h"

enum imp_rc
apply_hist(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct hist h = { .t = e->t, .place = e->place, .seq = e->r->v[KEY_seq].i, .times = 1 };
	enum imp_rc rc = ledger_mid(l, value_string(e->r, KEY_mid), &h.mid, err);

	if (rc == IMP_OK)
		rc = ledger_topic(l, value_string(e->r, KEY_topic), &h.topic, err);
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->hists, h, err) : rc;
}

enum imp_rc
apply_histq(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record *r = e->r;
	struct histq q = {
		.t = e->t,
		.place = e->place,
		.lo = r->v[KEY_lo].i,
		.hi = r->v[KEY_hi].i,
		.found = value_int(r, KEY_found, NO_TIME),
	};
	enum imp_rc rc = ledger_topic(l, value_string(r, KEY_topic), &q.topic, err);

	if (rc == IMP_OK)
		rc = ledger_account(l, value_string(r, KEY_by), &q.by, err);
	if (rc == IMP_OK)
		rc = value_text(l, r, KEY_status, &q.status, err);
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->histqs, q, err) : rc;
}

/* RFC 3339 text or integer nanoseconds. */
static int64_t
created_time(const struct record *r)
{
	int64_t t;

	if (value_has(r, KEY_created) && r->v[KEY_created].type == REC_STRING && rfc3339_parse(r->v[KEY_created].s, &t))
		return t;
	return value_int(r, KEY_created, NO_TIME);
}

enum imp_rc
apply_row(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record *r = e->r;
	struct row w = { .place = e->place,
		.seq = r->v[KEY_seq].i,
		.created = created_time(r),
		.check = value_int(r, KEY_check, 1) };
	enum imp_rc rc = ledger_mid(l, value_string(r, KEY_mid), &w.mid, err);

	if (rc == IMP_OK)
		rc = ledger_topic(l, value_string(r, KEY_topic), &w.topic, err);
	if (rc == IMP_OK)
		rc = VALUE_TEXTS(l, r, err, { KEY_table, &w.table }, { KEY_id, &w.id });
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->rows, w, err) : rc;
}

static enum imp_rc
apply_query(struct ledger *l, const struct event *e, struct query q, struct imp_err *err)
{
	q.t = e->t;
	q.place = e->place;
	q.complete = e->r->v[KEY_complete].i != 0;
	q.count = e->r->v[KEY_count].i;
	q.check = value_int(e->r, KEY_check, 1);
	return VEC_PUSH(l->budget, &l->queries, q, err);
}

enum imp_rc
apply_rows(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct query q = { .kind = kind_parse(value_string(e->r, KEY_kind)) };
	enum imp_rc rc = VALUE_TEXTS(l, e->r, err, { KEY_table, &q.table }, { KEY_query, &q.text });

	return rc == IMP_OK ? apply_query(l, e, q, err) : rc;
}

enum imp_rc
apply_deads(struct ledger *l, const struct event *e, struct imp_err *err)
{
	return apply_query(l, e, (struct query){ .deads = true, .table = NONE, .text = NONE }, err);
}

enum imp_rc
apply_dead(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record *r = e->r;
	struct dead d = {
		.t = e->t,
		.place = e->place,
		.code = value_int(r, KEY_code, NO_TIME),
		.check = value_int(r, KEY_check, 1),
		.replayed = slice_eq(value_string(r, KEY_state), SLICE("replayed")),
	};
	enum imp_rc rc = ledger_mid(l, value_string(r, KEY_mid), &d.mid, err);

	if (rc == IMP_OK)
		rc = VALUE_TEXTS(l, r, err, { KEY_error, &d.error }, { KEY_topic, &d.topic }, { KEY_kafka_topic, &d.kafka_topic });
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->deads, d, err) : rc;
}

enum imp_rc
apply_column(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record_value *nullable = &e->r->v[KEY_nullable];
	struct column c = { .t = e->t, .place = e->place, .nullable = NO_TIME };
	enum imp_rc rc = VALUE_TEXTS(l, e->r, err, { KEY_table, &c.table }, { KEY_column, &c.name }, { KEY_type, &c.type },
	    { KEY_extra, &c.extra });

	if (value_has(e->r, KEY_nullable) && (nullable->type == REC_BOOL || nullable->type == REC_INT))
		c.nullable = nullable->i != 0;
	else if (value_has(e->r, KEY_nullable) && nullable->type == REC_STRING)
		c.nullable = slice_eq(nullable->s, SLICE("YES")); /* as information_schema says it */
	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->columns, c, err) : rc;
}

enum imp_rc
apply_status(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct status s = { .t = e->t, .place = e->place };
	enum imp_rc rc = VALUE_TEXTS(l, e->r, err, { KEY_name, &s.name }, { KEY_value, &s.value }, { KEY_server, &s.server });

	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->statuses, s, err) : rc;
}

enum imp_rc
apply_innodb(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record *r = e->r;
	struct innodb s = {
		.t = e->t,
		.place = e->place,
		.history_length = value_int(r, KEY_history_length, NO_TIME),
		.deadlock_t = value_time(r, KEY_deadlock_t),
	};
	enum imp_rc rc = VALUE_TEXTS(l, r, err, { KEY_server, &s.server }, { KEY_deadlock, &s.deadlock });

	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->innodbs, s, err) : rc;
}

enum imp_rc
apply_lag(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record *r = e->r;
	struct lag s = {
		.t = e->t,
		.place = e->place,
		.partition = r->v[KEY_partition].i,
		.committed = r->v[KEY_committed].i,
		.end = r->v[KEY_end].i,
		.start = value_int(r, KEY_start, NO_TIME),
		.lag = value_int(r, KEY_lag, NO_TIME),
		.members = value_int(r, KEY_members, NO_TIME),
	};
	enum imp_rc rc = VALUE_TEXTS(l, r, err, { KEY_group, &s.group }, { KEY_topic, &s.topic });

	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->lags, s, err) : rc;
}
