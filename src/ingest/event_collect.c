/* ingest/event_collect.c - the journal of a collector: what was asked of whom, and who answered. */
#include "config.h"

#include "ingest/event_apply.h"

enum imp_rc
apply_collected(struct ledger *l, const struct event *e, struct imp_err *err)
{
	const struct record *r = e->r;
	struct collected c = {
		.t = e->t,
		.place = e->place,
		.ns = value_int(r, KEY_ns, NO_TIME),
		.n = value_int(r, KEY_n, NO_TIME),
		.tries = value_int(r, KEY_tries, NO_TIME),
	};
	enum imp_rc rc = VALUE_TEXTS(l, r, err, { KEY_phase, &c.phase }, { KEY_system, &c.system }, { KEY_source, &c.source },
	    { KEY_what, &c.what }, { KEY_query, &c.query }, { KEY_file, &c.file }, { KEY_status, &c.status }, { KEY_why, &c.why });

	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->collected, c, err) : rc;
}

enum imp_rc
apply_server(struct ledger *l, const struct event *e, struct imp_err *err)
{
	struct server s = { .t = e->t, .place = e->place };
	enum imp_rc rc = VALUE_TEXTS(l, e->r, err, { KEY_phase, &s.phase }, { KEY_system, &s.system }, { KEY_source, &s.source },
	    { KEY_address, &s.address }, { KEY_version, &s.version }, { KEY_id, &s.id }, { KEY_role, &s.role });

	return rc == IMP_OK ? VEC_PUSH(l->budget, &l->servers, s, err) : rc;
}
