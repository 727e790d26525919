/* collect/mysql.h - the parts of the MySQL collector among themselves: settings, connection, statements, what a table is, what is taken.
 *
 * Works with MySQL from 5.7 and MariaDB from 10.2. Statements stand in sql/mysql/ as templates; what is put into them is quoted as
 * a name, escaped as a value, or was made here. Threading: one thread for each connection. */
#pragma once
#include <mysql.h>

#include "base/mem.h"
#include "collect/collector.h"
#include "collect/endpoint.h"
#include "base/settings.h"

#define MYSQL_NAME_MAX 64 /* characters of an identifier */

/* ------------------------------------------------------------------ settings */

enum mysql_field {
	FIELD_MID,
	FIELD_TOPIC,
	FIELD_SEQ, /* of messages, from here ... */
	FIELD_ID,
	FIELD_TIME,  /* created, or when it died */
	FIELD_ERROR, /* of dead letters, from here */
	FIELD_CODE,
	FIELD_KAFKA_TOPIC,
	FIELD_STATE,
	_FIELD_MAX
};

struct mysql_column {
	const char *name; /* NULL: a table of this kind has it not */
	const char *path; /* of a member of its JSON, such as $."x-im-client-mid"; NULL: the column itself */
	bool needed;	  /* without it the table cannot be read; else one that was not named may be missing */
	bool named;	  /* the configuration did, and it is no default */
};

enum mysql_by { BY_INDEX, BY_MID, BY_TOPIC };

struct mysql_expected {
	const char *column, *type; /* type as the server prints it, in lower case; NULL: any */
};

/* A table of messages or of dead letters. */
struct mysql_source {
	bool letters;
	const char *table;		 /* NULL: `pattern` */
	const char *pattern;		 /* with {tenant}, which the run says, in it ... */
	struct pcre2_real_code_8 *allow; /* ... and what the whole name has to match; owned */
	const char *kind;		 /* of its messages, "p2p" or "group"; NULL: all */
	enum mysql_by by;
	struct mysql_column fields[_FIELD_MAX];
	const char *tenant_column, *tenant; /* only rows with this value; NULL: all. The value may have {tenant} in it */
	const char *zone;		    /* of a DATETIME: "Z" or "+08:00" */
	const char *const *replayed;	    /* values of FIELD_STATE that say so, ended by NULL */
	const struct mysql_expected *expected;
	size_t nexpected;
};

struct mysql_settings {
	const char *source;
	struct ask_limits limits;
	struct endpoint at;
	const char *user, *database;
	struct secret password;
	int64_t query_ns;  /* what the server may spend on one statement */
	int64_t margin_ns; /* rows created longer than this before the run are not its */
	uint64_t scan_max; /* rows of a table that is small enough to be read as a whole */
	uint64_t page;	   /* most rows of one step down a topic */
	uint64_t mid_max;  /* characters that the mid's column must take */
	bool replica;	   /* what a read-only server does not have is missing: its lag was waited for */
	struct mysql_source *sources;
	size_t nsources;
};

enum imp_rc mysql_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *err);
void mysql_forget(void *settings);
bool mysql_holds_letters(const void *settings);

/* The name of the table of `of` for a tenant (NULL: not known) and, where its pattern has {month}, for a month "202612" (NULL: not
 * known). IMP_E_DATA when it cannot be made or is not allowed. */
MUST_CHECK enum imp_rc mysql_table_name(const struct mysql_source *of, const char *tenant, const char *month, struct buf *out,
    struct imp_err *err);
bool mysql_has_month(const struct mysql_source *of);
/* May a table have this name, by the pattern and the expression? */
bool mysql_name_allowed(const struct mysql_source *of, struct slice name);
/* `text` with {tenant} and {tenant:3} (with zeros in front) put in. IMP_E_DATA when there is one and the tenant is not known. */
MUST_CHECK enum imp_rc mysql_put_tenant(const char *text, const char *tenant, struct buf *out, struct imp_err *err);

/* ------------------------------------------------------------------ text of statements; pure */

void mysql_add_name(struct buf *out, struct slice name);   /* `a``b` */
void mysql_add_value(struct buf *out, struct slice value); /* 'it\'s'; X'...' when it is not UTF-8. For sql_mode '' */
/* What LIKE takes for "begins with `prefix`", as a value. */
void mysql_add_prefix_pattern(struct buf *out, struct slice prefix);

enum mysql_hole_kind { HOLE_NAME, HOLE_VALUE, HOLE_SQL };

struct mysql_hole {
	const char *name;
	enum mysql_hole_kind kind;
	struct slice text;
};

/* Append the statement of an embedded template: without its comment, in one line, holes {name} filled. An unknown hole is
 * IMP_E_INTERNAL. */
MUST_CHECK enum imp_rc mysql_fill(struct buf *out, const char *template, const struct mysql_hole *holes, size_t n,
    struct imp_err *err);

/* ------------------------------------------------------------------ connection */

struct mysql_conn {
	MYSQL *m; /* NULL: not connected */
	const struct mysql_settings *settings;
	const volatile sig_atomic_t *stop;
	bool mariadb;
	bool lost; /* nothing more comes */
	/* of the last failure */
	enum asked_status status;
	unsigned number;
};

/* Connect, within the limits, and make the session: no surprises in quoting, UTC, repeatable reads, a limit of time. */
MUST_CHECK enum imp_rc mysql_conn_open(struct mysql_conn *c, struct imp_err *err);
void mysql_conn_close(struct mysql_conn *c); /* cuts what is under way */

struct mysql_result {
	struct mysql_conn *conn;
	MYSQL_RES *res; /* NULL: none */
	bool ended;	/* the server said so, or nothing more can come */
	MYSQL_ROW row;
	const unsigned long *lengths;
	unsigned columns;
	int64_t idle_ns;
	uint64_t bytes;
};

/* Send a statement. `idle_ns` is how long the server may be silent. On failure conn->status says of which kind it was; the code is
 * IMP_E_UNAVAILABLE. The caller ends *ret with mysql_result_done(). */
MUST_CHECK enum imp_rc mysql_ask(struct mysql_conn *c, struct slice sql, int64_t idle_ns, struct mysql_result *ret,
    struct imp_err *err);
/* The next row; *ret_row is false when the server said that there is no more. */
MUST_CHECK enum imp_rc mysql_next(struct mysql_result *r, bool *ret_row, struct imp_err *err);
struct slice mysql_get(const struct mysql_result *r, unsigned column); /* until the next row; p NULL: SQL's NULL */
void mysql_result_done(struct mysql_result *r);

/* A statement without rows, or whose first row alone matters: ret_values[i] (n of them, may be NULL) becomes its i-th value. */
MUST_CHECK enum imp_rc mysql_run(struct mysql_conn *c, const char *template, const struct mysql_hole *holes, size_t nholes,
    struct buf *ret_values, size_t n, struct imp_err *err);

/* ------------------------------------------------------------------ what a table is */

struct mysql_schema_column {
	struct slice name, type, nullable, extra, collation; /* collation.p NULL: it has none */
};

struct mysql_key_part {
	struct slice key, column; /* column.p NULL: an expression */
	uint64_t place;		  /* in the key, from 1 */
	bool unique;
};

struct mysql_table {
	const struct mysql_source *of;
	struct arena arena; /* of all text here */
	const char *name;   /* NULL: it could not be made */
	struct slice engine, row_format;
	VEC(struct mysql_schema_column) columns;
	VEC(struct mysql_key_part) keys; /* by key and place */
	struct buf field[_FIELD_MAX];	 /* SQL of each field; NULL where the table has it not */
	struct buf tenant;		 /* " AND column = value", or nothing */
	struct imp_err failed;		 /* why it cannot be read; code IMP_OK: it can */
	enum asked_status status;	 /* of that */
};

/* Read what the server says of table `name`. That it is not there, may not be seen or lacks a column is told in t->failed. */
MUST_CHECK enum imp_rc mysql_table_open(struct mysql_conn *c, const struct mysql_source *of, const char *name, const char *tenant,
    struct mysql_table *t, struct imp_err *err);
void mysql_table_done(struct mysql_table *t);
const struct mysql_schema_column *mysql_table_column(const struct mysql_table *t, const char *name); /* NULL: none */
bool mysql_part_is(const struct mysql_key_part *part, const char *column);			     /* NULL: never */
/* Do rows with a value of this field (of the tenant) stand together in the key? With `then`, in the order of that field? */
bool mysql_key_serves(const struct mysql_table *t, struct slice key, enum mysql_field field, enum mysql_field then);
/* Is there such a key? */
bool mysql_has_key(const struct mysql_table *t, enum mysql_field field, enum mysql_field then);
/* Not NULL: what is to be said of a table whose engine knows no snapshots. */
const char *mysql_engine_note(const struct mysql_table *t);
/* Append its `column` lines as of `now`. */
void mysql_table_lines(const struct mysql_table *t, int64_t now, struct buf *out);

/* ------------------------------------------------------------------ plans */

struct mysql_plan {
	bool by_index; /* or there is nothing to read */
	uint64_t rows; /* estimated */
};

/* What the server would do; `field` is what the rows are found by. */
MUST_CHECK enum imp_rc mysql_explain(struct mysql_conn *c, struct slice sql, const struct mysql_table *t, enum mysql_field field,
    struct mysql_plan *ret, struct imp_err *err);
/* IMP_E_UNAVAILABLE with what to do, for a plan that is too dear. */
enum imp_rc mysql_refuse(const struct mysql_table *t, enum mysql_field field, const struct mysql_plan *plan, struct imp_err *err);

/* ------------------------------------------------------------------ the collector */

struct mysql_state {
	const struct mysql_settings *settings;
	struct mysql_conn conn;
	bool read_only;
};

/* Between two calls the server may have closed the connection, or was restarted. Nothing is under way: it is made anew. */
MUST_CHECK enum imp_rc mysql_make_ready(struct mysql_state *s, struct imp_err *err);
/* A line of the journal about this server. */
MUST_CHECK enum imp_rc mysql_note(const struct mysql_state *s, const struct collect_job *job, const struct asked *a,
    struct imp_err *err);

/* One look-up in one table, inside of the snapshot. */
struct mysql_look {
	struct mysql_state *s;
	const struct collect_job *job;
	struct mysql_table *table;
	struct outfile *out;
	int64_t t;		 /* of the snapshot */
	const char *const *mids; /* of a recheck, in byte order, job->nmids of them; NULL: all of the run */
	struct slice zone;	 /* of the times in its column ... */
	int zone_s;		 /* ... east of UTC */
	enum mysql_by by;	 /* BY_MID or BY_TOPIC, once it is chosen */
	int64_t idle_ns;	 /* how long the server may be silent */
	uint64_t count;		 /* lines written */
	uint64_t bytes;		 /* received */
	uint64_t unusable;	 /* rows of the run that cannot be told: they have no topic, or a seq that is no number */
	struct slice topic;	 /* that is walked down */
	char below[24];		 /* the lowest seq of it so far */
	uint64_t page;		 /* rows of one step */
	bool behind;		 /* its last row was from before the run */
	struct buf line, sql;
	struct buf shown;      /* the statement, without long lists */
	struct buf head, tail; /* of the lines */
};

void mysql_look_init(struct mysql_look *l, struct mysql_state *s, const struct collect_job *job, struct mysql_table *table);
void mysql_look_done(struct mysql_look *l);

/* Is it the mid of a message that is looked for, to the byte? What a collation finds may be more. */
bool mysql_is_wanted(const struct mysql_look *l, struct slice mid);
/* Is it a DATETIME of a real day, without zone: "2026-12-01 08:00:00.250"? */
bool mysql_is_datetime(struct slice text);
/* A DATETIME, or a number of s, ms, us or ns, as Unix ns; INT64_MIN: it is neither. */
int64_t mysql_time(struct slice text, int zone_s);

typedef enum imp_rc mysql_take(struct mysql_look *l, const struct mysql_result *row, struct imp_err *err);

/* Make l->sql and l->shown: the statement for mids[from] ... mids[from+n-1], or for the prefix of the run. */
MUST_CHECK enum imp_rc mysql_by_mid(struct mysql_look *l, size_t from, size_t n, struct imp_err *err);
/* The next l->page rows of l->topic below a seq. */
MUST_CHECK enum imp_rc mysql_by_topic(struct mysql_look *l, const char *below, struct imp_err *err);
/* Choose how the rows are found. A way that is too dear is refused: IMP_E_UNAVAILABLE, with conn.status. */
MUST_CHECK enum imp_rc mysql_choose(struct mysql_look *l, struct imp_err *err);
/* Run the statement in l->sql and call `take` for each row; *ret_n is how many there were. */
MUST_CHECK enum imp_rc mysql_each(struct mysql_look *l, mysql_take *take, uint64_t *ret_n, struct imp_err *err);
/* The same for all statements that it takes to find rows by mid. */
MUST_CHECK enum imp_rc mysql_each_mid(struct mysql_look *l, mysql_take *take, struct imp_err *err);

/* What is not on a replica may still come: IMP_E_UNAVAILABLE. */
MUST_CHECK enum imp_rc mysql_check_replica(const struct mysql_look *l, struct imp_err *err);
/* Find, end in any case, and put it into the journal. Which of them failed first is the error. */
typedef enum imp_rc mysql_find(struct mysql_look *l, struct imp_err *err);
typedef enum imp_rc mysql_end(struct mysql_look *l, bool complete, struct imp_err *err);
MUST_CHECK enum imp_rc mysql_look_up(struct mysql_look *l, const char *of, mysql_find *find, mysql_end *end, struct imp_err *err);

/* All of the table's rows of the run, or of job->mids, and the closing `rows` line, which is written in any case. What keeps it from
 * being complete is the error; it is in the journal then. */
MUST_CHECK enum imp_rc mysql_rows(struct mysql_look *l, struct imp_err *err);
/* The same for dead letters, whose closing line is the driver's. */
MUST_CHECK enum imp_rc mysql_letters(struct mysql_look *l, struct imp_err *err);

/* Schema, rows and letters of all tables in one snapshot, each into its file. */
MUST_CHECK enum imp_rc mysql_visit(struct mysql_state *s, const struct collect_job *job, struct imp_err *err);
MUST_CHECK enum imp_rc mysql_take_status(struct mysql_state *s, const struct collect_job *job, bool sample, struct imp_err *err);

/* ------------------------------------------------------------------ SHOW ENGINE INNODB STATUS; pure */

struct mysql_innodb {
	int64_t history_length; /* -1: not said */
	char deadlock_at[20];	/* "2026-12-01 02:03:04", in the server's zone; empty: there was none */
	struct slice deadlock;	/* its text, borrowed; n 0: none */
};

void mysql_innodb_parse(struct slice text, struct mysql_innodb *ret);
/* The text of a deadlock without what was stored: values of statements and of records are left out. */
void mysql_innodb_add_deadlock(struct buf *out, struct slice text);
