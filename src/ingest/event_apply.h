/* ingest/event_apply.h - internal to ingest/event*.c: values of a checked record, and one function for each event that goes into the
 * ledger. All need the ledger's lock. */
#pragma once
#include "base/time.h"
#include "ingest/event.h"

static inline bool
value_has(const struct record *r, enum record_key k)
{
	return (r->has & RECORD_BIT(k)) != 0;
}

/* An integer, or `otherwise` where there is none. */
static inline int64_t
value_int(const struct record *r, enum record_key k, int64_t otherwise)
{
	return value_has(r, k) && r->v[k].type == REC_INT ? r->v[k].i : otherwise;
}

/* A time in nanoseconds, NO_TIME where there is none that one can reckon with. */
static inline int64_t
value_time(const struct record *r, enum record_key k)
{
	int64_t t = value_int(r, k, NO_TIME);

	return time_fits(t) ? t : NO_TIME;
}

/* A string, or a slice without bytes (p is NULL). */
static inline struct slice
value_string(const struct record *r, enum record_key k)
{
	return value_has(r, k) && r->v[k].type == REC_STRING ? r->v[k].s : (struct slice){ NULL, 0 };
}

/* The number of a text, NONE where the key has none or takes another type. A key that takes numbers too has them as written. */
MUST_CHECK enum imp_rc value_text(struct ledger *l, const struct record *r, enum record_key k, uint32_t *ret, struct imp_err *err);

/* Several texts at once: VALUE_TEXTS(l, r, err, { KEY_pod, &pod }, { KEY_why, &why }). */
struct text_field {
	enum record_key key;
	uint32_t *ret;
};
MUST_CHECK enum imp_rc value_texts(struct ledger *l, const struct record *r, const struct text_field *f, size_t n,
    struct imp_err *err);
#define VALUE_TEXTS(l, r, err, ...) \
	value_texts((l), (r), (const struct text_field[]){ __VA_ARGS__ }, \
	    sizeof((const struct text_field[]){ __VA_ARGS__ }) / sizeof(struct text_field), (err))

typedef enum imp_rc apply_fn(struct ledger *l, const struct event *e, struct imp_err *err);

/* event_agent.c */
apply_fn apply_pub, apply_skip, apply_ctrl, apply_fail, apply_conn, apply_start, apply_end, apply_mark, apply_clock,
    apply_calibration, apply_health;
/* event_evidence.c */
apply_fn apply_hist, apply_histq, apply_row, apply_rows, apply_deads, apply_dead, apply_column, apply_status, apply_innodb,
    apply_lag;
/* event_collect.c */
apply_fn apply_collected, apply_server;
