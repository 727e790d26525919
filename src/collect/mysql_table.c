#include "config.h"

#include "collect/mysql.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/text.h"
#include "sql_gen.h"

#define STATEMENT_MAX ((size_t)64 << 10)

void
mysql_table_done(struct mysql_table *t)
{
	VEC_FREE(NULL, &t->columns);
	VEC_FREE(NULL, &t->keys);
	for (size_t i = 0; i < _FIELD_MAX; i++)
		buf_done(&t->field[i]);
	buf_done(&t->tenant);
	arena_done(&t->arena);
}

/* ------------------------------------------------------------------ what information_schema says */

static enum imp_rc
keep(struct mysql_table *t, const struct mysql_result *r, unsigned column, struct slice *ret, struct imp_err *err)
{
	struct slice s = mysql_get(r, column);

	*ret = s;
	if (s.p != NULL)
		*ret = arena_slice(&t->arena, s, err);
	return s.p == NULL || ret->p != NULL ? IMP_OK : IMP_E_NOMEM;
}

static enum imp_rc
take_table(struct mysql_table *t, const struct mysql_result *r, struct imp_err *err)
{
	enum imp_rc rc = keep(t, r, 0, &t->engine, err);

	return rc == IMP_OK ? keep(t, r, 1, &t->row_format, err) : rc;
}

static enum imp_rc
take_column(struct mysql_table *t, const struct mysql_result *r, struct imp_err *err)
{
	struct mysql_schema_column c;
	struct slice *const values[] = { &c.name, &c.type, &c.nullable, &c.extra, &c.collation };
	enum imp_rc rc = IMP_OK;

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]) && rc == IMP_OK; i++)
		rc = keep(t, r, i, values[i], err);
	return rc == IMP_OK ? VEC_PUSH(NULL, &t->columns, c, err) : rc;
}

static enum imp_rc
take_key(struct mysql_table *t, const struct mysql_result *r, struct imp_err *err)
{
	struct mysql_key_part k = { .unique = slice_eq(mysql_get(r, 3), SLICE("0")) };
	enum imp_rc rc = keep(t, r, 0, &k.key, err);

	if (rc == IMP_OK)
		rc = keep(t, r, 2, &k.column, err);
	return rc == IMP_OK ? VEC_PUSH(NULL, &t->keys, k, err) : rc;
}

/* Ask for what stands about the table in one of the views, and take each row. */
static enum imp_rc
read_facts(struct mysql_conn *c, struct mysql_table *t, const char *template,
    enum imp_rc (*take)(struct mysql_table *, const struct mysql_result *, struct imp_err *), struct imp_err *err)
{
	CLEANUP(buf_done) struct buf sql = BUF_INIT(STATEMENT_MAX);
	CLEANUP(mysql_result_done) struct mysql_result r = { .conn = c };
	bool row = true;
	enum imp_rc rc = mysql_fill(&sql, template, &(struct mysql_hole){ "table", HOLE_VALUE, slice_of(t->name) }, 1, err);

	if (rc == IMP_OK)
		rc = mysql_ask(c, buf_slice(&sql), c->settings->limits.timeout_ns, &r, err);
	while (rc == IMP_OK && (rc = mysql_next(&r, &row, err)) == IMP_OK && row)
		rc = take(t, &r, err);
	return rc;
}

/* A table that cannot be seen looks like one that is not there; the server tells them apart when it is asked for rows. */
static enum imp_rc
say_why_unseen(struct mysql_conn *c, const struct mysql_table *t, struct imp_err *err)
{
	enum imp_rc rc =
	    mysql_run(c, sql_mysql_probe, &(struct mysql_hole){ "table", HOLE_NAME, slice_of(t->name) }, 1, NULL, 0, err);

	if (rc != IMP_OK)
		return rc;
	c->status = ASKED_FAILED;
	return imp_err_set(err, IMP_E_UNAVAILABLE, "information_schema has no table '%s'", t->name);
}

/* ------------------------------------------------------------------ what the configuration makes of it */

const struct mysql_schema_column *
mysql_table_column(const struct mysql_table *t, const char *name)
{
	for (size_t i = 0; i < t->columns.n; i++)
		if (t->columns.v[i].name.n == strlen(name) && strncasecmp(t->columns.v[i].name.p, name, strlen(name)) == 0)
			return &t->columns.v[i];
	return NULL;
}

/* Column, member of JSON, or NULL where the table has it not. */
static enum imp_rc
make_field(struct mysql_conn *c, struct mysql_table *t, enum mysql_field f, struct imp_err *err)
{
	const struct mysql_column *column = &t->of->fields[f];
	struct buf *out = &t->field[f];

	*out = (struct buf)BUF_INIT(STATEMENT_MAX);
	if (column->name == NULL || (mysql_table_column(t, column->name) == NULL && !column->needed && !column->named)) {
		buf_add_str(out, "NULL");
		return buf_status(out, err);
	}
	if (mysql_table_column(t, column->name) == NULL) {
		c->status = ASKED_FAILED;
		imp_err_set(err, IMP_E_UNAVAILABLE, "the table '%s' has no column '%s', or it may not be seen", t->name,
		    column->name);
		imp_err_hint(err, "name the columns of this table in the configuration; GRANT SELECT shows them");
		return IMP_E_UNAVAILABLE;
	}
	if (column->path != NULL)
		buf_add_str(out, "JSON_UNQUOTE(JSON_EXTRACT(");
	mysql_add_name(out, slice_of(column->name));
	if (column->path != NULL) {
		buf_add_str(out, ", ");
		mysql_add_value(out, slice_of(column->path));
		buf_add_str(out, "))");
	}
	return buf_status(out, err);
}

static enum imp_rc
make_tenant(struct mysql_table *t, const char *tenant, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(STATEMENT_MAX);
	enum imp_rc rc;

	t->tenant = (struct buf)BUF_INIT(STATEMENT_MAX);
	if (t->of->tenant_column == NULL)
		return IMP_OK;
	rc = mysql_put_tenant(t->of->tenant, tenant, &value, err);
	if (rc != IMP_OK)
		return rc;
	buf_add_str(&t->tenant, " AND ");
	mysql_add_name(&t->tenant, slice_of(t->of->tenant_column));
	buf_add_str(&t->tenant, " = ");
	mysql_add_value(&t->tenant, buf_slice(&value));
	return buf_status(&t->tenant, err);
}

static enum imp_rc
open_table(struct mysql_conn *c, const char *tenant, struct mysql_table *t, struct imp_err *err)
{
	enum imp_rc rc = read_facts(c, t, sql_mysql_table, take_table, err);

	if (rc == IMP_OK)
		rc = read_facts(c, t, sql_mysql_columns, take_column, err);
	if (rc == IMP_OK)
		rc = read_facts(c, t, sql_mysql_keys, take_key, err);
	if (rc == IMP_OK && t->columns.n == 0)
		rc = say_why_unseen(c, t, err);
	for (unsigned f = 0; f < _FIELD_MAX && rc == IMP_OK; f++)
		rc = make_field(c, t, (enum mysql_field)f, err);
	return rc == IMP_OK ? make_tenant(t, tenant, err) : rc;
}

enum imp_rc
mysql_table_open(struct mysql_conn *c, const struct mysql_source *of, const char *name, const char *tenant, struct mysql_table *t,
    struct imp_err *err)
{
	struct imp_err why = { .code = IMP_OK };
	enum imp_rc rc;

	*t = (struct mysql_table){ .of = of };
	t->name = arena_slice(&t->arena, slice_of(name), err).p;
	if (t->name == NULL)
		return IMP_E_NOMEM;
	rc = open_table(c, tenant, t, &why);
	t->failed = why;
	t->failed.code = rc;
	t->status = rc == IMP_E_DATA ? ASKED_FAILED : c->status;
	if ((rc != IMP_E_UNAVAILABLE && rc != IMP_E_DATA) || c->lost) {
		if (rc != IMP_OK && err != NULL)
			*err = why;
		return rc;
	}
	return IMP_OK;
}

/* ------------------------------------------------------------------ keys */

bool
mysql_part_is(const struct mysql_key_part *part, const char *name)
{
	return name != NULL && part->column.p != NULL && part->column.n == strlen(name) &&
	    strncasecmp(part->column.p, name, part->column.n) == 0;
}

/* A key over an expression has a part without a column; which one it is, the plan must show. */
static bool
is_field(const struct mysql_table *t, const struct mysql_key_part *part, enum mysql_field f)
{
	const struct mysql_column *c = &t->of->fields[f];

	return c->path != NULL ? part->column.p == NULL : mysql_part_is(part, c->name);
}

bool
mysql_key_serves(const struct mysql_table *t, struct slice key, enum mysql_field field, enum mysql_field then)
{
	const enum mysql_field wanted[] = { field, then };
	size_t found = 0, want = then == _FIELD_MAX ? 1 : 2;

	for (size_t i = 0; i < t->keys.n && found < want; i++) {
		const struct mysql_key_part *part = &t->keys.v[i];

		if (!slice_eq(part->key, key))
			continue;
		if (is_field(t, part, wanted[found]))
			found++;
		else if (!mysql_part_is(part, t->of->tenant_column))
			return false;
	}
	return found == want;
}

bool
mysql_has_key(const struct mysql_table *t, enum mysql_field field, enum mysql_field then)
{
	for (size_t i = 0; i < t->keys.n; i++)
		if (mysql_key_serves(t, t->keys.v[i].key, field, then))
			return true;
	return false;
}

/* ------------------------------------------------------------------ lines */

const char *
mysql_engine_note(const struct mysql_table *t)
{
	static const char *const with[] = { "InnoDB", "ROCKSDB", "TokuDB", "ndbcluster" };

	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		if (t->engine.n == strlen(with[i]) && strncasecmp(t->engine.p, with[i], t->engine.n) == 0)
			return NULL;
	return "its engine has no transactions: the rows are of when they were read, and not of one moment";
}

static void
member(struct jsonw *w, const char *key, struct slice text)
{
	jsonw_key(w, key);
	jsonw_text(w, text);
}

void
mysql_table_lines(const struct mysql_table *t, int64_t now, struct buf *out)
{
	for (size_t i = 0; i < t->columns.n; i++) {
		const struct mysql_schema_column *c = &t->columns.v[i];
		CLEANUP(buf_done) struct buf extra = BUF_INIT(1024);
		struct jsonw w = JSONW_INIT(out);

		buf_add_slice(&extra, c->extra);
		if (c->collation.p != NULL)
			buf_addf(&extra, "%scollate %.*s", extra.n > 0 ? " " : "", SLICE_ARG(c->collation));
		jsonw_flat_object(&w);
		member(&w, "ev", SLICE("column"));
		jsonw_key(&w, "t");
		jsonw_int(&w, now);
		member(&w, "table", slice_of(t->name));
		member(&w, "column", c->name);
		member(&w, "type", c->type);
		member(&w, "nullable", c->nullable);
		if (extra.n > 0)
			member(&w, "extra", buf_slice(&extra));
		jsonw_end(&w);
	}
}
