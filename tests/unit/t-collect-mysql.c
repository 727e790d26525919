/* MySQL without a server: the configuration, text of statements, names of tables, times, and what SHOW ENGINE INNODB STATUS says. */
#include "config.h"

#include "collect/mysql.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "tap.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define INSTANCE "address: db-1:3307\nuser: audit\ndatabase: im\n"

static struct arena arena;
static struct imp_err err;
static const struct ask_limits limits = { .timeout_ns = NS_PER_S, .tries = 1, .bytes_max = 1 << 20 };

static enum imp_rc
configure(const char *text, struct mysql_settings **ret)
{
	struct doc_node *root;
	void *settings = NULL;
	enum imp_rc rc;

	if (doc_parse(&arena, "c.yaml", slice_of(text), &root, &err) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	rc = collector_mysql.configure(&arena, root, "main", &limits, &settings, &err);
	*ret = settings;
	return rc;
}

static struct mysql_settings *
configured(const char *text)
{
	struct mysql_settings *s;

	if (configure(text, &s) != IMP_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return s;
}

/* ------------------------------------------------------------------ configuration */

static void
test_defaults(void)
{
	struct mysql_settings *s = configured(INSTANCE "tables: [{table: messages}]\ndead_letters: [{table: letters}]\n");
	const struct mysql_source *m = &s->sources[0], *d = &s->sources[1];

	is_str(s->at.host, "db-1", "host");
	is_str(s->at.port, "3307", "port");
	ok(!s->at.tls && !s->replica && s->password.p == NULL, "no TLS, no replica, no password");
	is_int(s->query_ns, 60 * NS_PER_S, "a minute for a statement");
	is_int(s->margin_ns, 600 * NS_PER_S, "ten minutes before the run");
	is_int((intmax_t)s->scan_max, 100000, "small tables");
	is_int((intmax_t)s->nsources, 2, "two tables");
	ok(!m->letters && d->letters && mysql_holds_letters(s), "the second has letters");
	is_str(m->fields[FIELD_MID].name, "head", "Tinode's column of the mid");
	is_str(m->fields[FIELD_MID].path, "$.\"x-im-client-mid\"", "and its path");
	is_str(m->fields[FIELD_SEQ].name, "seqid", "seq");
	is_str(d->fields[FIELD_MID].name, "client_msg_id", "mid of a letter");
	ok(m->fields[FIELD_ERROR].name == NULL && d->fields[FIELD_SEQ].name == NULL, "each has its own fields");
	is_str(d->replayed[0], "replayed", "the state of a letter");
	ok(m->by == BY_INDEX && m->kind == NULL && m->tenant_column == NULL, "the index decides, all kinds, all tenants");
	mysql_forget(s);
}

static void
test_refused(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "user: a\ndatabase: b\n", "either `address` or `socket`" },
		{ "address: a\ndatabase: b\n", "'user'" },
		{ "address: a\nuser: b\n", "'database'" },
		{ "address: a:0\nuser: b\ndatabase: c\n", "HOST:PORT" },
		{ "address: a:65536\nuser: b\ndatabase: c\n", "HOST:PORT" },
		{ "address: u:geheim@a:1\nuser: b\ndatabase: c\n", "HOST:PORT" },
		{ INSTANCE "password: geheim\n", "a secret" },
		{ INSTANCE "tls: {cert: x}\n", "`cert` and `key`" },
		{ INSTANCE "tabels: []\n", "tables" },
		{ INSTANCE "tables: {table: a}\n", "a list" },
		{ INSTANCE "tables: [{mid: a}]\n", "either `table` or `pattern`" },
		{ INSTANCE "tables: [{pattern: 'im_{tenant}'}]\n", "`pattern` and `allow`" },
		{ INSTANCE "tables: [{pattern: a, allow: '('}]\n", "not a regular expression" },
		{ INSTANCE "tables: [{table: a, kind: room}]\n", "kind" },
		{ INSTANCE "tables: [{table: a, by: scan}]\n", "way to find rows" },
		{ INSTANCE "tables: [{table: a, zone: Asia/Shanghai}]\n", "a zone is" },
		{ INSTANCE "tables: [{table: a, mid: {column: head, path: x}}]\n", "begins with '$'" },
		{ INSTANCE "tables: [{table: a, mid: {path: '$.x'}}]\n", "'column'" },
		{ INSTANCE "tables: [{table: a, tenant: {column: t}}]\n", "'value'" },
		{ INSTANCE "tables: [{table: a, expect: [{type: int}]}]\n", "'column'" },
		{ INSTANCE "dead_letters: [{table: a, seq: b}]\n", "seq" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct mysql_settings *s;

		ok(configure(rows[i].text, &s) == IMP_E_RULE && s == NULL, "refused: %zu", i);
		ok(strstr(err.msg, rows[i].why) != NULL && strstr(err.msg, "geheim") == NULL, "%s", err.msg);
	}
}

static void
test_names(void)
{
	static const struct {
		const char *pattern, *allow, *tenant, *name /* NULL: refused */, *month;
	} rows[] = {
		{ "im_{tenant}_messages", "im_[0-9]{3}_messages", "008", "im_008_messages", NULL },
		{ "im_{tenant:3}_messages", "im_[0-9]{3}_messages", "8", "im_008_messages", NULL },
		{ "im_{tenant:3}_messages", "im_[0-9]+_messages", "12345", "im_12345_messages", NULL },
		{ "im_{tenant}_messages", "im_[0-9]{3}_messages", "8", NULL, NULL },
		{ "im_{tenant}_messages", "im_[0-9]{3}_messages", NULL, NULL, NULL },
		{ "im_{tenant}_messages", "im_[0-9]{3}_messages", "", NULL, NULL },
		{ "im_{tenant}", "im_[0-9]+", "8` WHERE 1", NULL, NULL },
		{ "im_{tenant}", "im_[0-9]+", "8\n", NULL, NULL },
		{ "im_{tenant}", "[0-9]+", "8", NULL, NULL },
		{ "im_{tenant}", ".*", "0123456789012345678901234567890123456789012345678901234567890123456789", NULL, NULL },
		{ "im_{tenan}", ".*", "8", "im_{tenan}", NULL },
		{ "a{tenant}b{tenant:2}", "a.b..", "7", "a7b07", NULL },
		{ "im_{tenant:3}_group_{month}", "im_[0-9]{3}_group_[0-9]{6}", "8", "im_008_group_202612", "202612" },
		{ "im_{tenant:3}_group_{month}", "im_[0-9]{3}_group_[0-9]{6}", "8", NULL, NULL },
		{ "im_{tenant:3}_group", "im_[0-9]{3}_group", "8", "im_008_group", "202612" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1000), name = BUF_INIT(1000);
		struct mysql_settings *s;
		enum imp_rc rc;

		buf_addf(&text, INSTANCE "tables: [{pattern: '%s', allow: '%s'}]\n", rows[i].pattern, rows[i].allow);
		s = configured(text.p);
		rc = mysql_table_name(&s->sources[0], rows[i].tenant, rows[i].month, &name, &err);
		is_int(rc, rows[i].name != NULL ? IMP_OK : IMP_E_DATA, rows[i].pattern);
		if (rc == IMP_OK)
			is_str(name.p, rows[i].name, "its name");
		mysql_forget(s);
	}
}

/* ------------------------------------------------------------------ statements */

static void
test_quotes(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

	mysql_add_name(&out, SLICE("a`b'c"));
	buf_add_char(&out, ' ');
	mysql_add_value(&out, (struct slice){ "a'b\"c\\d\0e\nf\rg\032h\xc3\xbc", 17 });
	buf_add_char(&out, ' ');
	mysql_add_value(&out, SLICE("\xff'"));
	buf_add_char(&out, ' ');
	mysql_add_prefix_pattern(&out, SLICE("lt_50%-\\'"));
	is_str(out.p, "`a``b'c` 'a\\'b\\\"c\\\\d\\0e\\nf\\rg\\Zh\xc3\xbc' X'FF27' 'lt\\\\_50\\\\%-\\\\\\\\\\'%'",
	    "names, values, patterns");
}

static void
test_templates(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096), small = BUF_INIT(6);
	const struct mysql_hole holes[] = {
		{ "table", HOLE_NAME, SLICE("a{x}`") },
		{ "x", HOLE_VALUE, SLICE("{table}; '") },
		{ "c", HOLE_SQL, SLICE("1") },
	};

	ok(mysql_fill(&out, "-- about {none}\n-- more\nSELECT\n\t{x}  FROM {table}\n WHERE {c};\n", holes, 3, &err) == IMP_OK,
	    "filled");
	is_str(out.p, "SELECT '{table}; \\'' FROM `a{x}``` WHERE 1", "what is filled in is not read again");
	ok(mysql_fill(&out, "SELECT {d}", holes, 3, &err) == IMP_E_INTERNAL, "a hole that nothing fills");
	ok(mysql_fill(&small, "SELECT {c}", holes, 3, &err) == IMP_E_LIMIT, "a buffer that is too small");
}

static void
test_times(void)
{
	static const struct {
		const char *text;
		int zone_s;
		int64_t ns;
	} rows[] = {
		{ "1970-01-01 00:00:00", 0, 0 },
		{ "2026-12-01 00:00:00", 0, INT64_C(1796083200000000000) },
		{ "2026-12-01 08:00:00.5", 8 * 3600, INT64_C(1796083200500000000) },
		{ "2026-12-01 00:00:00.000001", 0, INT64_C(1796083200000001000) },
		{ "1969-12-31 23:59:59.25", 0, -INT64_C(750000000) },
		{ "0000-00-00 00:00:00", 0, INT64_MIN },
		{ "2026-00-01 00:00:00", 0, INT64_MIN },
		{ "2026-12-01 00:00:00.", 0, INT64_MIN },
		{ "2026-12-01T00:00:00", 0, INT64_MIN },
		{ "9999-12-31 23:59:59", 0, INT64_MIN },
		{ "1796083200", 3600, INT64_C(1796083200000000000) },
		{ "1796083200123", 0, INT64_C(1796083200123000000) },
		{ "1796083200123456", 0, INT64_C(1796083200123456000) },
		{ "1796083200123456789", 0, INT64_C(1796083200123456789) },
		{ "99999999999", 0, INT64_MIN },
		{ "9223372036854775807", 0, INT64_MIN },
		{ "99999999999999999999", 0, INT64_MIN },
		{ "-5", 0, INT64_MIN },
		{ "", 0, INT64_MIN },
	};

	for (size_t i = 0; i < LENGTH(rows); i++)
		is_int(mysql_time(slice_of(rows[i].text), rows[i].zone_s), rows[i].ns, rows[i].text);
}

/* ------------------------------------------------------------------ InnoDB */

static const char innodb_text[] =
    "\n=====================================\n2026-12-01 03:00:00 0x7f INNODB MONITOR OUTPUT\n=====================================\n"
    "Per second averages calculated from the last 8 seconds\n-----------------\nBACKGROUND THREAD\n-----------------\n"
    "History list length 99\n"
    "------------------------\nLATEST DETECTED DEADLOCK\n------------------------\n2026-12-01 02:03:04 0x7f02683626c0\n"
    "*** (1) TRANSACTION:\nTRANSACTION 497, ACTIVE 1 sec starting index read\nupdate t set a='x' where b=\"it's\" and c = 5\n"
    "*** WAITING FOR THIS LOCK TO BE GRANTED:\nRecord lock, heap no 4\n 0: len 4; hex 80000001; asc     ;;\n"
    "*** (2) TRANSACTION:\nupdate t set a='cut off\nand more\n*** WE ROLL BACK TRANSACTION (1)\n"
    "------------\nTRANSACTIONS\n------------\nTrx id counter 500\nHistory list length 12\nHistory list length 13\n"
    "--------\nFILE I/O\n--------\nHistory list length 14\n----------------------------\nEND OF INNODB MONITOR OUTPUT\n";

static void
test_innodb(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	struct mysql_innodb i;

	mysql_innodb_parse(slice_of(innodb_text), &i);
	is_int(i.history_length, 12, "the first length in its section");
	is_str(i.deadlock_at, "2026-12-01 02:03:04", "when");
	mysql_innodb_add_deadlock(&out, i.deadlock);
	is_str(out.p,
	    "*** (1) TRANSACTION:\nTRANSACTION 497, ACTIVE 1 sec starting index read\nupdate t set a=? where b=? and c = 5\n"
	    "*** WAITING FOR THIS LOCK TO BE GRANTED:\nRecord lock, heap no 4\n*** (2) TRANSACTION:\nupdate t set a=?\n\n"
	    "*** WE ROLL BACK TRANSACTION (1)\n",
	    "its text, without what is stored");
	mysql_innodb_parse(SLICE("------------\nTRANSACTIONS\n------------\nHistory list length x\n"), &i);
	ok(i.history_length == -1 && i.deadlock.n == 0 && i.deadlock_at[0] == '\0', "nothing is said");
	mysql_innodb_parse(SLICE(""), &i);
	ok(i.history_length == -1 && i.deadlock.n == 0, "nothing at all");
}

int
main(void)
{
	test_defaults();
	test_refused();
	test_names();
	test_quotes();
	test_templates();
	test_times();
	test_innodb();
	arena_done(&arena);
	return done();
}
