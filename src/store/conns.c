#include "config.h"

#include "store/conns.h"

#include <stdlib.h>

#include "base/intern.h"
#include "sql_gen.h"
#include "store/internal.h"
#include "store/names.h"

#define NO_POD UINT32_MAX

struct conn_line { /* `ready`, `closed` or `refused` */
	int64_t account, t;
	int64_t leave_t; /* of the next line of the account that ends a connection; INT64_MAX */
	bool ready;
};

struct ready_line {
	int64_t account, t;
	uint32_t pod; /* NO_POD */
};

struct run_conns {
	uint64_t state;		      /* of the store (run_names_refresh()) that all of this stems from */
	bool known;		      /* the run has connections */
	VEC(struct conn_line) lines;  /* by account, then in their order */
	VEC(struct ready_line) ready; /* by account, then by time */
	struct intern pods;
};

void
run_conns_free(struct run_conns *c)
{
	if (c == NULL)
		return;
	VEC_FREE(NULL, &c->lines);
	VEC_FREE(NULL, &c->ready);
	intern_done(&c->pods);
	free(c);
}

static int
take_known(struct run_conns *c, sqlite3_stmt *st)
{
	c->known = sqlite3_column_int(st, 0) != 0;
	return SQLITE_OK;
}

static int
take_line(struct run_conns *c, sqlite3_stmt *st)
{
	struct conn_line line = { sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1), INT64_MAX,
		sqlite3_column_int(st, 2) != 0 };

	return VEC_PUSH(NULL, &c->lines, line, NULL) == IMP_OK ? SQLITE_OK : SQLITE_NOMEM;
}

static int
take_ready(struct run_conns *c, sqlite3_stmt *st)
{
	struct ready_line line = { sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1), NO_POD };

	if (sqlite3_column_type(st, 2) != SQLITE_NULL && intern_add(&c->pods, store_column_slice(st, 2), &line.pod, NULL) != IMP_OK)
		return SQLITE_NOMEM;
	return VEC_PUSH(NULL, &c->ready, line, NULL) == IMP_OK ? SQLITE_OK : SQLITE_NOMEM;
}

static int
load(struct store *s, struct run_conns *c, const char *sql, int (*take)(struct run_conns *c, sqlite3_stmt *st))
{
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(st, 1, s->run_no);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW && (rc = take(c, st)) == SQLITE_OK)
		;
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static void
find_leaves(struct run_conns *c)
{
	for (size_t i = c->lines.n; i-- > 1;) {
		struct conn_line *before = &c->lines.v[i - 1], *line = &c->lines.v[i];

		if (before->account == line->account)
			before->leave_t = line->ready ? line->leave_t : line->t;
	}
}

/* The connections of the run as it was at the last refresh of its names. */
static int
refresh(struct store *s, struct run_conns **ret)
{
	struct run_conns *c = s->conns;
	uint64_t state = run_names_state(s);
	int rc;

	*ret = c;
	if (c != NULL && c->state == state)
		return SQLITE_OK;
	run_conns_free(c);
	c = *ret = s->conns = calloc(1, sizeof(*c));
	if (c == NULL)
		return SQLITE_NOMEM;
	intern_init(&c->pods, NULL);
	rc = load(s, c, sql_store_conns_known, take_known);
	if (rc == SQLITE_OK)
		rc = load(s, c, sql_store_conns, take_line);
	if (rc == SQLITE_OK)
		rc = load(s, c, sql_store_conns_ready, take_ready);
	find_leaves(c);
	c->state = rc == SQLITE_OK ? state : 0;
	return rc;
}

/* How many elements of `v`, which are in order of account and time, come at or before (account, t). */
#define COUNT_UNTIL(v, n, account_, t_, ret) \
	do { \
		size_t lo_ = 0, hi_ = (n); \
		while (lo_ < hi_) { \
			size_t mid_ = lo_ + (hi_ - lo_) / 2; \
			if ((v)[mid_].account < (account_) || ((v)[mid_].account == (account_) && (v)[mid_].t <= (t_))) \
				lo_ = mid_ + 1; \
			else \
				hi_ = mid_; \
		} \
		(ret) = lo_; \
	} while (0)

int
run_disconnected(struct store *s, int64_t account, int64_t from, int64_t to, int *ret)
{
	struct run_conns *c;
	const struct conn_line *last;
	size_t n;
	int rc = refresh(s, &c);

	if (rc != SQLITE_OK)
		return rc;
	*ret = -1;
	if (!c->known)
		return SQLITE_OK;
	COUNT_UNTIL(c->lines.v, c->lines.n, account, from, n);
	last = n > 0 && c->lines.v[n - 1].account == account ? &c->lines.v[n - 1] : NULL;
	*ret = last == NULL || !last->ready || last->leave_t <= to;
	return SQLITE_OK;
}

int
run_pod(struct store *s, int64_t account, int64_t t, struct slice *ret)
{
	struct run_conns *c;
	size_t n;
	int rc = refresh(s, &c);

	if (rc != SQLITE_OK)
		return rc;
	*ret = (struct slice){ NULL, 0 };
	COUNT_UNTIL(c->ready.v, c->ready.n, account, t, n);
	if (n > 0 && c->ready.v[n - 1].account == account && c->ready.v[n - 1].pod != NO_POD)
		*ret = c->pods.names.v[c->ready.v[n - 1].pod];
	return SQLITE_OK;
}
