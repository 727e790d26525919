/* ingest/event.h - what the ledger format demands of each event, and putting events down in the ledger.
 *
 * Threading: event_check() is pure; event_apply() needs the ledger's lock. */
#pragma once
#include "base/err.h"
#include "ingest/ledger.h"
#include "ingest/record.h"

struct event_spec; /* opaque; a row of the table in ingest/event.c */

enum event_shape { EVENT_DATA, EVENT_OTHER, EVENT_UNKNOWN };

struct event {
	const struct event_spec *spec; /* NULL: unknown `ev` */
	enum event_shape shape;
	const struct record *r;
	unsigned unknown_keys;
	uint64_t place;
	uint32_t agent; /* whose folder; NONE */
	int64_t t;	/* NO_TIME where the event has none */
};

/* Look at a record as an event of the format. NULL when it is one, else the reason (static text) to reject it. */
const char *event_check(const struct record *r, struct event *ret);

/* As event_check() for the lines of accounts.jsonl and topics.jsonl. */
const char *event_check_account(const struct record *r, struct event *ret);
const char *event_check_topic(const struct record *r, struct event *ret);

/* Put any event but `data` down. */
MUST_CHECK enum imp_rc event_apply(struct ledger *l, const struct event *e, struct imp_err *err);

/* Put down a line of accounts.jsonl or topics.jsonl; *ret_ok false: `members` is no list of names. */
MUST_CHECK enum imp_rc event_apply_account(struct ledger *l, const struct event *e, struct imp_err *err);
MUST_CHECK enum imp_rc event_apply_topic(struct ledger *l, const struct event *e, struct record_scanner *sc, bool *ret_ok,
    struct imp_err *err);
