#include "config.h"

#include "collect/mysql.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "sql_gen.h"

#define STATEMENT_MAX ((size_t)4 << 20)
#define SHOWN_MAX ((size_t)64 << 10)
#define LINE_MAX_BYTES ((size_t)64 << 20)
#define MIDS_OF_A_STATEMENT 500

void
mysql_look_init(struct mysql_look *l, struct mysql_state *s, const struct collect_job *job, struct mysql_table *table)
{
	const struct mysql_source *of = table->of;
	const char *column = of->fields[FIELD_TIME].name;
	const struct mysql_schema_column *c = column != NULL ? mysql_table_column(table, column) : NULL;
	struct time_zone zone = { .fixed = true };

	*l = (struct mysql_look){ .s = s,
		.job = job,
		.table = table,
		.by = of->by,
		.page = s->settings->page,
		.zone = SLICE("Z"),
		.line = BUF_INIT(LINE_MAX_BYTES),
		.sql = BUF_INIT(STATEMENT_MAX),
		.shown = BUF_INIT(SHOWN_MAX),
		.head = BUF_INIT(SHOWN_MAX),
		.tail = BUF_INIT(64) };
	/* a TIMESTAMP comes in the zone of the session, which is UTC */
	if (c != NULL && !slice_has_prefix(c->type, SLICE("timestamp")) && time_zone_open(of->zone, &zone, NULL) == IMP_OK) {
		l->zone = slice_of(of->zone);
		l->zone_s = zone.offset_s;
	}
}

void
mysql_look_done(struct mysql_look *l)
{
	buf_done(&l->line);
	buf_done(&l->sql);
	buf_done(&l->shown);
	buf_done(&l->head);
	buf_done(&l->tail);
}

/* ------------------------------------------------------------------ values */

static int
find_mid(const void *key, const void *element)
{
	return slice_cmp(*(const struct slice *)key, slice_of(*(const char *const *)element));
}

bool
mysql_is_wanted(const struct mysql_look *l, struct slice mid)
{
	const char *prefix = l->job->run->mid_prefix;

	if (mid.p == NULL)
		return false;
	if (l->mids != NULL)
		return bsearch(&mid, l->mids, l->job->nmids, sizeof(*l->mids), find_mid) != NULL;
	return prefix == NULL || slice_has_prefix(mid, slice_of(prefix));
}

/* The unit of a number is the one that makes a time of our days of it. */
static int64_t
number_as_time(struct slice text)
{
	static const struct {
		int64_t below, ns;
	} units[] = { { INT64_C(100000000000), NS_PER_S }, { INT64_C(100000000000000), 1000000 },
		{ INT64_C(100000000000000000), 1000 } };
	int64_t v = 0;

	if (text.n == 0 || text.n > 19)
		return INT64_MIN;
	for (size_t i = 0; i < text.n; i++) {
		if (!isdigit((unsigned char)text.p[i]) || v > (INT64_MAX - 9) / 10)
			return INT64_MIN;
		v = v * 10 + (text.p[i] - '0');
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (v < units[i].below)
			return v <= TIME_MAX / units[i].ns ? v * units[i].ns : INT64_MIN;
	return v <= TIME_MAX ? v : INT64_MIN;
}

static int
two_digits(const char *p)
{
	return (p[0] - '0') * 10 + p[1] - '0';
}

/* Digits behind the point as ns. */
static int64_t
fraction(struct slice digits)
{
	int64_t ns = 0;

	for (size_t i = 0; i < 9; i++)
		ns = ns * 10 + (i < digits.n ? digits.p[i] - '0' : 0);
	return ns;
}

bool
mysql_is_datetime(struct slice text)
{
	static const char form[] = "1000-00-00 00:00:00.000000";

	if (text.n < 19 || text.n == 20 || text.n > sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (form[i] == '0' || form[i] == '1' ? text.p[i] < form[i] || text.p[i] > '9' : text.p[i] != form[i])
			return false;
	return memcmp(text.p + 5, "00", 2) != 0 && memcmp(text.p + 8, "00", 2) != 0;
}

int64_t
mysql_time(struct slice text, int zone_s)
{
	struct tm tm = { .tm_year = 0 };
	int64_t s;

	if (!mysql_is_datetime(text))
		return number_as_time(text);
	tm.tm_year = two_digits(text.p) * 100 + two_digits(text.p + 2) - 1900;
	tm.tm_mon = two_digits(text.p + 5) - 1;
	tm.tm_mday = two_digits(text.p + 8);
	tm.tm_hour = two_digits(text.p + 11);
	tm.tm_min = two_digits(text.p + 14);
	tm.tm_sec = two_digits(text.p + 17);
	s = timegm(&tm) - zone_s;
	if (s < -(TIME_MAX / NS_PER_S) || s >= TIME_MAX / NS_PER_S)
		return INT64_MIN;
	return s * NS_PER_S + (text.n > 20 ? fraction((struct slice){ text.p + 20, text.n - 20 }) : 0);
}

/* ------------------------------------------------------------------ statements */

/* What the mids must fit: the beginning of the run's, or a list. `people`: how many are in the list is enough. */
static enum imp_rc
add_condition(const struct mysql_look *l, size_t from, size_t n, bool people, struct buf *out, struct imp_err *err)
{
	const char *prefix = l->job->run->mid_prefix;

	if (l->mids == NULL) {
		buf_add_str(out, "LIKE ");
		mysql_add_prefix_pattern(out, slice_of(prefix != NULL ? prefix : ""));
		return buf_status(out, err);
	}
	buf_add_str(out, "IN (");
	if (people)
		buf_addf(out, "%zu mid%s", l->job->nmids, l->job->nmids == 1 ? "" : "s");
	for (size_t i = from; i < from + n && !people; i++) {
		if (i > from)
			buf_add_char(out, ',');
		mysql_add_value(out, slice_of(l->mids[i]));
	}
	buf_add_char(out, ')');
	return buf_status(out, err);
}

static enum imp_rc
fill_statement(const struct mysql_look *l, const char *template, const struct mysql_hole *own, size_t nown, struct buf *out,
    struct imp_err *err)
{
	struct mysql_hole holes[16] = {
		{ "table", HOLE_NAME, slice_of(l->table->name) },
		{ "tenant", HOLE_SQL, buf_slice(&l->table->tenant) },
	};
	static const char *const names[_FIELD_MAX] = { [FIELD_MID] = "mid",
		[FIELD_TOPIC] = "topic",
		[FIELD_SEQ] = "seq",
		[FIELD_ID] = "id",
		[FIELD_TIME] = "time",
		[FIELD_ERROR] = "error",
		[FIELD_CODE] = "code",
		[FIELD_KAFKA_TOPIC] = "kafka_topic",
		[FIELD_STATE] = "state" };
	size_t n = 2;

	for (size_t f = 0; f < _FIELD_MAX; f++)
		holes[n++] = (struct mysql_hole){ names[f], HOLE_SQL, buf_slice(&l->table->field[f]) };
	for (size_t i = 0; i < nown; i++)
		holes[n++] = own[i];
	buf_clear(out);
	return mysql_fill(out, template, holes, n, err);
}

enum imp_rc
mysql_by_mid(struct mysql_look *l, size_t from, size_t n, struct imp_err *err)
{
	const char *template = l->table->of->letters ? sql_mysql_letters : sql_mysql_rows_by_mid;
	CLEANUP(buf_done) struct buf condition = BUF_INIT(STATEMENT_MAX), people = BUF_INIT(SHOWN_MAX);
	enum imp_rc rc = add_condition(l, from, n, false, &condition, err);

	if (rc == IMP_OK)
		rc = add_condition(l, from, n, true, &people, err);
	if (rc == IMP_OK)
		rc = fill_statement(l, template, &(struct mysql_hole){ "condition", HOLE_SQL, buf_slice(&condition) }, 1, &l->sql,
		    err);
	if (rc == IMP_OK)
		rc = fill_statement(l, template, &(struct mysql_hole){ "condition", HOLE_SQL, buf_slice(&people) }, 1, &l->shown,
		    err);
	return rc;
}

enum imp_rc
mysql_by_topic(struct mysql_look *l, const char *below, struct imp_err *err)
{
	char page[24];
	const struct mysql_hole holes[] = {
		{ "name", HOLE_VALUE, l->topic },
		{ "below", HOLE_SQL, slice_of(below) },
		{ "page", HOLE_SQL, { page, (size_t)snprintf(page, sizeof(page), "%" PRIu64, l->page) } },
	};
	const struct mysql_hole shown[] = { { "name", HOLE_SQL, SLICE("?") }, { "below", HOLE_SQL, SLICE("?") },
		{ "page", HOLE_SQL, SLICE("?") } };
	enum imp_rc rc = fill_statement(l, sql_mysql_rows_by_topic, holes, 3, &l->sql, err);

	return rc == IMP_OK ? fill_statement(l, sql_mysql_rows_by_topic, shown, 3, &l->shown, err) : rc;
}

/* ------------------------------------------------------------------ which way */

static size_t
first_mids(const struct mysql_look *l)
{
	return l->job->nmids < MIDS_OF_A_STATEMENT ? l->job->nmids : MIDS_OF_A_STATEMENT;
}

/* Is the statement in l->sql cheap enough? If so, it is the way. */
static enum imp_rc
try_way(struct mysql_look *l, enum mysql_by by, struct mysql_plan *plan, bool *ret_chosen, struct imp_err *err)
{
	const struct mysql_settings *s = l->s->settings;
	enum imp_rc rc =
	    mysql_explain(&l->s->conn, buf_slice(&l->sql), l->table, by == BY_MID ? FIELD_MID : FIELD_TOPIC, plan, err);

	if (rc != IMP_OK)
		return rc;
	*ret_chosen = plan->by_index || plan->rows <= s->scan_max;
	if (*ret_chosen) {
		l->by = by;
		/* what is looked for in all rows may come after a long silence */
		l->idle_ns = plan->by_index ? s->limits.timeout_ns : s->query_ns + s->limits.timeout_ns;
	}
	return IMP_OK;
}

/* By which ways rows could be found at all: the configuration allows them, and what is to be looked for is known. */
struct ways {
	bool mid, topic;
	const char *a_topic;
};

static struct ways
ways_of(const struct mysql_look *l)
{
	const struct mysql_source *of = l->table->of;
	const struct run_facts *run = l->job->run;
	const char *const *topics = l->mids != NULL ? l->job->mid_topics : run->topics;
	size_t n = l->mids != NULL ? l->job->nmids : run->ntopics;
	bool mids_known = l->mids != NULL || run->mid_prefix != NULL || of->letters;

	return (struct ways){
		.mid = of->by != BY_TOPIC && mids_known,
		.topic = of->by != BY_MID && !of->letters && n > 0,
		.a_topic = n > 0 ? topics[0] : NULL,
	};
}

/* No way is cheap. Go all the same, when that is allowed. */
static enum imp_rc
scan_or_refuse(struct mysql_look *l, const struct ways *ways, const struct mysql_plan *plan, struct imp_err *err)
{
	const struct mysql_settings *s = l->s->settings;

	if (!ways->mid && !ways->topic) {
		l->s->conn.status = ASKED_FAILED;
		return imp_err_set(err, IMP_E_UNAVAILABLE,
		    "nothing tells the rows of the run in '%s': run.json has no client_mid_prefix, and there are no topics to walk",
		    l->table->name);
	}
	l->by = ways->mid ? BY_MID : BY_TOPIC;
	l->idle_ns = s->query_ns + s->limits.timeout_ns;
	if (l->job->allow_scan)
		return l->by == BY_MID ? mysql_by_mid(l, 0, first_mids(l), err) : IMP_OK;
	l->s->conn.status = ASKED_REFUSED;
	return mysql_refuse(l->table, l->by == BY_MID ? FIELD_MID : FIELD_TOPIC, plan, err);
}

enum imp_rc
mysql_choose(struct mysql_look *l, struct imp_err *err)
{
	const struct ways ways = ways_of(l);
	struct mysql_plan by_mid = { .rows = 0 }, by_topic = { .rows = 0 };
	bool chosen = false;
	enum imp_rc rc = IMP_OK;

	if (ways.mid) {
		rc = mysql_by_mid(l, 0, first_mids(l), err);
		if (rc == IMP_OK)
			rc = try_way(l, BY_MID, &by_mid, &chosen, err);
	}
	if (rc == IMP_OK && !chosen && ways.topic) {
		l->topic = slice_of(ways.a_topic);
		rc = mysql_by_topic(l, "9223372036854775807", err);
		if (rc == IMP_OK)
			rc = try_way(l, BY_TOPIC, &by_topic, &chosen, err);
	}
	return rc == IMP_OK && !chosen ? scan_or_refuse(l, &ways, ways.mid ? &by_mid : &by_topic, err) : rc;
}

/* ------------------------------------------------------------------ rows */

enum imp_rc
mysql_each(struct mysql_look *l, mysql_take *take, uint64_t *ret_n, struct imp_err *err)
{
	uint64_t max = l->s->settings->limits.bytes_max, n = 0;
	CLEANUP(mysql_result_done) struct mysql_result r = { .conn = &l->s->conn };
	bool row = true;
	enum imp_rc rc = mysql_ask(&l->s->conn, buf_slice(&l->sql), l->idle_ns, &r, err);

	while (rc == IMP_OK && (rc = mysql_next(&r, &row, err)) == IMP_OK && row) {
		n++;
		if (l->bytes + r.bytes > max) {
			l->s->conn.status = ASKED_LIMITED;
			imp_err_set(err, IMP_E_LIMIT, "the rows of '%s' have more than %" PRIu64 " bytes (answer_max)",
			    l->table->name, max);
			rc = IMP_E_LIMIT;
			break;
		}
		rc = take(l, &r, err);
	}
	l->bytes += r.bytes;
	*ret_n = n;
	return rc;
}

enum imp_rc
mysql_each_mid(struct mysql_look *l, mysql_take *take, struct imp_err *err)
{
	uint64_t n;
	enum imp_rc rc = IMP_OK;

	if (l->mids == NULL)
		return mysql_each(l, take, &n, err); /* l->sql is of mysql_choose() */
	for (size_t i = 0; i < l->job->nmids && rc == IMP_OK; i += MIDS_OF_A_STATEMENT) {
		size_t left = l->job->nmids - i;

		rc = mysql_by_mid(l, i, left < MIDS_OF_A_STATEMENT ? left : MIDS_OF_A_STATEMENT, err);
		if (rc == IMP_OK)
			rc = mysql_each(l, take, &n, err);
	}
	return rc;
}

/* ------------------------------------------------------------------ a whole look-up */

enum imp_rc
mysql_check_replica(const struct mysql_look *l, struct imp_err *err)
{
	if (!l->s->read_only || l->s->settings->replica)
		return IMP_OK;
	l->s->conn.status = ASKED_LIMITED;
	imp_err_set(err, IMP_E_UNAVAILABLE, "the server is read-only: what a replica does not have yet is not missing");
	imp_err_hint(err, "ask the primary, or wait for the replica and say `replica: true` in the configuration");
	return IMP_E_UNAVAILABLE;
}

static enum imp_rc
note_look(const struct mysql_look *l, const char *of, const struct asked *times, const struct imp_err *why, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf what = BUF_INIT(1024);
	struct asked a = *times;

	buf_addf(&what, "%s %s", of, l->table->name);
	a.what = what.p != NULL ? what.p : of;
	a.query = l->shown.p;
	a.file = l->count > 0 ? outfile_name(l->out) : NULL;
	a.status = why->code == IMP_OK ? ASKED_OK : l->s->conn.status;
	a.why = why->code == IMP_OK ? mysql_engine_note(l->table) : why->msg;
	a.n = (int64_t)l->count;
	a.tries = 1;
	return mysql_note(l->s, l->job, &a, err);
}

enum imp_rc
mysql_look_up(struct mysql_look *l, const char *of, mysql_find *find, mysql_end *end, struct imp_err *err)
{
	struct asked times = { .from = time_now() };
	struct imp_err why = l->table->failed;
	int64_t begin = time_monotonic();
	enum imp_rc rc = why.code, written = IMP_OK;

	if (rc == IMP_OK)
		rc = find(l, &why);
	else
		l->s->conn.status = l->table->status;
	why.code = rc;
	times.ns = time_monotonic() - begin;
	if (end != NULL)
		written = end(l, rc == IMP_OK, err);
	if (written == IMP_OK)
		written = note_look(l, of, &times, &why, err);
	if (written == IMP_OK && rc != IMP_OK && err != NULL)
		*err = why;
	return written != IMP_OK ? written : rc;
}
