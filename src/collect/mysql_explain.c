#include "config.h"

#include "collect/mysql.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "sql_gen.h"

#define STATEMENT_MAX ((size_t)4 << 20)

/* The tabular form has other columns from server to server: they are found by name. */
static struct slice
value_of(const struct mysql_result *r, const char *name)
{
	const MYSQL_FIELD *fields = mysql_fetch_fields(r->res);

	for (unsigned i = 0; i < r->columns; i++)
		if (strcasecmp(fields[i].name, name) == 0)
			return mysql_get(r, i);
	return (struct slice){ NULL, 0 };
}

/* Does one of the keys "a,b,c" lead to what is looked for? */
static bool
some_key_serves(const struct mysql_table *t, struct slice keys, enum mysql_field field)
{
	const enum mysql_field then = field == FIELD_TOPIC ? FIELD_SEQ : _FIELD_MAX;

	while (keys.n > 0) {
		const char *comma = memchr(keys.p, ',', keys.n);
		size_t n = comma != NULL ? (size_t)(comma - keys.p) : keys.n;

		if (mysql_key_serves(t, (struct slice){ keys.p, n }, field, then))
			return true;
		n += comma != NULL;
		keys = (struct slice){ keys.p + n, keys.n - n };
	}
	return false;
}

/* A whole table is read in spite of a key that would do when most of it is wanted: then it is the server's choice, and a good one. */
static void
judge(const struct mysql_result *r, const struct mysql_table *t, enum mysql_field field, struct mysql_plan *plan)
{
	struct slice type = value_of(r, "type"), key = value_of(r, "key"), rows = value_of(r, "rows");
	bool whole = slice_eq(type, SLICE("ALL")) || slice_eq(type, SLICE("index"));

	if (value_of(r, "table").p == NULL)
		return; /* it knows already that there is nothing */
	plan->by_index = some_key_serves(t, whole ? value_of(r, "possible_keys") : key, field);
	plan->rows = rows.p != NULL ? strtoull(rows.p, NULL, 10) : 0;
}

enum imp_rc
mysql_explain(struct mysql_conn *c, struct slice sql, const struct mysql_table *t, enum mysql_field field, struct mysql_plan *ret,
    struct imp_err *err)
{
	CLEANUP(buf_done) struct buf explain = BUF_INIT(STATEMENT_MAX);
	CLEANUP(mysql_result_done) struct mysql_result r = { .conn = c };
	struct mysql_plan plan = { .by_index = true };
	bool row = true;
	enum imp_rc rc = mysql_fill(&explain, sql_mysql_explain, &(struct mysql_hole){ "statement", HOLE_SQL, sql }, 1, err);

	if (rc == IMP_OK)
		rc = mysql_ask(c, buf_slice(&explain), c->settings->limits.timeout_ns, &r, err);
	while (rc == IMP_OK && (rc = mysql_next(&r, &row, err)) == IMP_OK && row)
		judge(&r, t, field, &plan);
	if (rc == IMP_OK)
		*ret = plan;
	return rc;
}

enum imp_rc
mysql_refuse(const struct mysql_table *t, enum mysql_field field, const struct mysql_plan *plan, struct imp_err *err)
{
	const struct mysql_column *c = &t->of->fields[field];

	imp_err_set(err, IMP_E_UNAVAILABLE,
	    "about %" PRIu64 " rows of the table '%s' would have to be read: no index leads to %s%s%s", plan->rows, t->name,
	    c->name, c->path != NULL ? " " : "", c->path != NULL ? c->path : "");
	if (c->path != NULL)
		imp_err_hint(err,
		    "a generated column of %s with an index, named as `mid`, would do, or `by: topic`; --allow-scan reads all the same",
		    c->path);
	else
		imp_err_hint(err, "an index (%s%s) would do; --allow-scan reads it all the same", c->name,
		    field == FIELD_TOPIC ? ", seq" : "");
	return IMP_E_UNAVAILABLE;
}
