#include "config.h"

#include "collect/mysql_contract.h"

#include <inttypes.h>
#include <mysqld_error.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "collect/mysql.h"
#include "sql_gen.h"

struct contract {
	struct mysql_conn conn;
	const struct contract_options *options;
	struct buf text; /* of a line */
};

/* "TABLE.COLUMN: what" */
static void PRINTF_LIKE(5, 6)
    say(struct contract *c, enum contract_state state, const struct mysql_table *t, const char *column, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	buf_clear(&c->text);
	buf_addf(&c->text, "%s%s%s: %s", t->name, column != NULL ? "." : "", column != NULL ? column : "", what);
	c->options->say(c->options->ctx, state, c->text.p != NULL ? c->text.p : what);
}

/* ------------------------------------------------------------------ columns */

static bool
is_type(struct slice type, const char *name)
{
	size_t n = strlen(name);

	/* the word itself: "int(11)" is no "integer" and "bigint" no "int" */
	return type.n >= n && strncasecmp(type.p, name, n) == 0 && (type.n == n || type.p[n] == '(' || type.p[n] == ' ');
}

static bool
is_integer(struct slice type)
{
	static const char *const names[] = { "bigint", "int", "mediumint", "smallint", "tinyint" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_type(type, names[i]))
			return true;
	return false;
}

static bool
has_word(struct slice s, const char *word)
{
	return s.p != NULL && memmem(s.p, s.n, word, strlen(word)) != NULL;
}

static void
check_id(struct contract *c, const struct mysql_table *t)
{
	const char *name = t->of->fields[FIELD_ID].name;
	const struct mysql_schema_column *id = mysql_table_column(t, name);
	enum contract_state broken = c->options->tinode ? CONTRACT_NOTED : CONTRACT_BROKEN;
	bool big, filled, counts;

	if (id == NULL) {
		say(c, broken, t, name, "is not there, must be bigint, not null, auto_increment");
		return;
	}
	big = is_type(id->type, "bigint");
	filled = slice_eq(id->nullable, SLICE("NO"));
	counts = has_word(id->extra, "auto_increment");
	say(c, big && filled && counts ? CONTRACT_HOLDS : broken, t, name, "is %.*s%s%s%s", SLICE_ARG(id->type),
	    filled ? ", not null" : ", nullable", counts ? ", auto_increment" : "",
	    big && filled && counts ? "" : "; must be bigint, not null, auto_increment");
}

static void
check_seq(struct contract *c, const struct mysql_table *t)
{
	const char *name = t->of->fields[FIELD_SEQ].name;
	const struct mysql_schema_column *seq = mysql_table_column(t, name);

	if (seq == NULL || t->of->fields[FIELD_SEQ].path != NULL)
		return;
	if (is_integer(seq->type))
		say(c, CONTRACT_HOLDS, t, name, "is %.*s", SLICE_ARG(seq->type));
	else
		say(c, CONTRACT_BROKEN, t, name, "is %.*s, must be an integer", SLICE_ARG(seq->type));
}

/* varchar(64) has room for 64; texts and JSON for more than anybody needs. */
static void
check_mid(struct contract *c, const struct mysql_table *t)
{
	const struct mysql_column *field = &t->of->fields[FIELD_MID];
	const struct mysql_schema_column *mid = mysql_table_column(t, field->name);
	uint64_t need = c->conn.settings->mid_max, room;
	const char *open;

	if (mid == NULL || field->path != NULL)
		return;
	open = memchr(mid->type.p, '(', mid->type.n);
	room = open != NULL ? strtoull(open + 1, NULL, 10) : UINT64_MAX;
	if (is_integer(mid->type))
		say(c, CONTRACT_BROKEN, t, field->name, "is %.*s, must be text", SLICE_ARG(mid->type));
	else if (room < need)
		say(c, CONTRACT_BROKEN, t, field->name, "is %.*s, must take %" PRIu64 " characters", SLICE_ARG(mid->type), need);
	else
		say(c, CONTRACT_HOLDS, t, field->name, "is %.*s", SLICE_ARG(mid->type));
}

static void
check_there(struct contract *c, const struct mysql_table *t)
{
	for (unsigned f = 0; f < _FIELD_MAX; f++) {
		const struct mysql_column *field = &t->of->fields[f];

		if (f != FIELD_ID && field->name != NULL && (field->needed || field->named) &&
		    mysql_table_column(t, field->name) == NULL)
			say(c, CONTRACT_BROKEN, t, field->name, "is not there");
	}
}

static void
check_expected(struct contract *c, const struct mysql_table *t)
{
	for (size_t i = 0; i < t->of->nexpected; i++) {
		const struct mysql_expected *e = &t->of->expected[i];
		const struct mysql_schema_column *column = mysql_table_column(t, e->column);

		if (column == NULL)
			say(c, CONTRACT_BROKEN, t, e->column, "is not there");
		else if (e->type != NULL && !is_type(column->type, e->type))
			say(c, CONTRACT_BROKEN, t, e->column, "is %.*s, must be %s", SLICE_ARG(column->type), e->type);
		else
			say(c, CONTRACT_HOLDS, t, e->column, "is %.*s", SLICE_ARG(column->type));
	}
}

/* ------------------------------------------------------------------ keys */

static void
check_found_by(struct contract *c, const struct mysql_table *t)
{
	const struct mysql_column *mid = &t->of->fields[FIELD_MID], *topic = &t->of->fields[FIELD_TOPIC],
				  *seq = &t->of->fields[FIELD_SEQ];
	bool by_mid = t->of->by != BY_TOPIC && mysql_has_key(t, FIELD_MID, _FIELD_MAX);
	bool by_topic = !t->of->letters && t->of->by != BY_MID && mysql_has_key(t, FIELD_TOPIC, FIELD_SEQ);

	if (by_mid)
		say(c, CONTRACT_HOLDS, t, NULL, "rows are found by an index on %s", mid->path != NULL ? mid->path : mid->name);
	else if (by_topic)
		say(c, CONTRACT_HOLDS, t, NULL, "rows are found by an index on (%s, %s)", topic->name, seq->name);
	else if (t->of->letters)
		say(c, CONTRACT_NOTED, t, NULL, "no index leads to %s: all letters have to be read", mid->name);
	else
		say(c, CONTRACT_BROKEN, t, NULL, "no index leads to %s%s%s", t->of->by == BY_TOPIC ? topic->name : mid->name,
		    t->of->by == BY_INDEX ? " or " : "", t->of->by == BY_INDEX ? topic->name : "");
}

/* A unique key over topic and seq, in either order, and nothing else but the tenant. */
static bool
is_place_key(const struct mysql_table *t, struct slice key)
{
	unsigned topic = 0, seq = 0, other = 0;

	for (size_t i = 0; i < t->keys.n; i++) {
		const struct mysql_key_part *p = &t->keys.v[i];

		if (!slice_eq(p->key, key))
			continue;
		if (p->unique && mysql_part_is(p, t->of->fields[FIELD_TOPIC].name))
			topic++;
		else if (p->unique && mysql_part_is(p, t->of->fields[FIELD_SEQ].name))
			seq++;
		else if (!mysql_part_is(p, t->of->tenant_column))
			other++;
	}
	return topic == 1 && seq == 1 && other == 0;
}

static void
check_place(struct contract *c, const struct mysql_table *t)
{
	const char *topic = t->of->fields[FIELD_TOPIC].name, *seq = t->of->fields[FIELD_SEQ].name;

	for (size_t i = 0; i < t->keys.n; i++) {
		if (is_place_key(t, t->keys.v[i].key)) {
			say(c, CONTRACT_HOLDS, t, NULL, "(%s, %s) is unique", topic, seq);
			return;
		}
	}
	say(c, CONTRACT_BROKEN, t, NULL, "(%s, %s) is not unique: two messages may have one place", topic, seq);
}

/* ------------------------------------------------------------------ tables */

static void
check_table(struct contract *c, const struct mysql_table *t)
{
	if (t->columns.n == 0) {
		say(c, t->status == ASKED_DENIED ? CONTRACT_UNSEEN : CONTRACT_BROKEN, t, NULL, "%s",
		    c->conn.number == ER_NO_SUCH_TABLE ? "is not there" : t->failed.msg);
		return;
	}
	check_there(c, t);
	check_mid(c, t);
	if (!t->of->letters) {
		check_id(c, t);
		check_seq(c, t);
		check_place(c, t);
	}
	check_found_by(c, t);
	check_expected(c, t);
}

static enum imp_rc
check_name(struct contract *c, const struct mysql_source *of, const char *name, struct imp_err *err)
{
	struct mysql_table t = { .of = NULL };
	/* the value of a tenant's column is of no account here */
	enum imp_rc rc = mysql_table_open(&c->conn, of, name, c->options->tenant != NULL ? c->options->tenant : "0", &t, err);

	if (rc == IMP_OK)
		check_table(c, &t);
	mysql_table_done(&t);
	return rc;
}

static enum imp_rc
list_names(struct contract *c, const struct mysql_source *of, struct buf *names, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf sql = BUF_INIT(4096);
	CLEANUP(mysql_result_done) struct mysql_result r = { .conn = &c->conn };
	bool row = true;
	enum imp_rc rc = mysql_fill(&sql, sql_mysql_tables, NULL, 0, err);

	if (rc == IMP_OK)
		rc = mysql_ask(&c->conn, buf_slice(&sql), c->conn.settings->limits.timeout_ns, &r, err);
	while (rc == IMP_OK && (rc = mysql_next(&r, &row, err)) == IMP_OK && row) {
		if (!mysql_name_allowed(of, mysql_get(&r, 0)))
			continue;
		buf_add_slice(names, mysql_get(&r, 0));
		buf_add_char(names, '\0');
	}
	return rc == IMP_OK ? buf_status(names, err) : rc;
}

/* Every table that the pattern may mean. */
static enum imp_rc
check_pattern(struct contract *c, const struct mysql_source *of, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf names = BUF_INIT((size_t)16 << 20);
	const struct mysql_table none = { .name = of->pattern };
	enum imp_rc rc = list_names(c, of, &names, err);

	if (rc == IMP_OK && names.n == 0)
		say(c, CONTRACT_UNSEEN, &none, NULL, "no table that this account may see is allowed by it");
	for (const char *p = names.p; rc == IMP_OK && p != NULL && p < names.p + names.n; p += strlen(p) + 1)
		rc = check_name(c, of, p, err);
	return rc;
}

static enum imp_rc
check_source(struct contract *c, const struct mysql_source *of, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	enum imp_rc rc;

	if (of->pattern != NULL && (c->options->tenant == NULL || mysql_has_month(of)))
		return check_pattern(c, of, err);
	rc = mysql_table_name(of, c->options->tenant, NULL, &name, err);
	return rc == IMP_OK ? check_name(c, of, name.p, err) : rc;
}

enum imp_rc
mysql_contract_check(const void *settings, const struct contract_options *o, struct imp_err *err)
{
	const struct mysql_settings *s = settings;
	struct contract c = { .conn = { .settings = s, .stop = o->stop }, .options = o, .text = BUF_INIT(8192) };
	enum imp_rc rc = mysql_conn_open(&c.conn, err);

	for (size_t i = 0; i < s->nsources && rc == IMP_OK; i++)
		rc = check_source(&c, &s->sources[i], err);
	mysql_conn_close(&c.conn);
	buf_done(&c.text);
	return rc;
}

const char *
mysql_instance_name(const void *settings)
{
	return ((const struct mysql_settings *)settings)->source;
}
