#include "config.h"

#include <string.h>

#include "base/redact.h"
#include "ingest/log_text.h"
#include "rules/test_filler.h"
#include "sql_gen.h"

#define TEXT_BYTES_MAX 300 /* of a line that is kept */

enum imp_rc
test_reader_init(struct test_reader *r, const struct signature_set *set, struct imp_err *err)
{
	enum imp_rc rc;

	*r = (struct test_reader){ .set = *set };
	rc = matcher_new(set, 0, &r->matcher, err);
	return rc == IMP_OK ? matcher_thread_new(r->matcher, &r->thread, err) : rc;
}

void
test_reader_done(struct test_reader *r)
{
	matcher_thread_free(r->thread);
	matcher_free(r->matcher);
	*r = (struct test_reader){ 0 };
}

/* The next event of `text`: a line, or a dump of the Go runtime with all its lines. */
static bool
next_event(struct log_clock *clock, struct slice *text, struct slice *ret, int64_t *line)
{
	struct slice event, next, rest;
	struct log_time t;
	bool traced = false;

	if (!test_next_line(text, &event))
		return false;
	++*line;
	if (log_dump_starts(event))
		for (rest = *text;
		     test_next_line(&rest, &next) && log_dump_goes_on(next, log_time_of_text(clock, next, &t), traced);
		     *text = rest) {
			traced |= log_dump_is_stack(next);
			event.n = (size_t)(next.p + next.n - event.p);
			++*line;
		}
	*ret = event;
	return true;
}

struct id_hits {
	const struct test_reader *reader;
	enum imp_rc (*hit)(void *payload, struct slice id, struct imp_err *err);
	void *payload;
};

static enum imp_rc
pass_id(void *payload, size_t which, struct slice subject, struct imp_err *err)
{
	struct id_hits *h = payload;

	(void)subject;
	return h->hit(h->payload, h->reader->set.v[which].id, err);
}

enum imp_rc
test_log_scan(struct test_reader *r, struct slice log, enum imp_rc (*hit)(void *payload, struct slice id, struct imp_err *err),
    void *payload, struct imp_err *err)
{
	struct id_hits hits = { r, hit, payload };
	struct log_clock clock = { 0 };
	struct slice event;
	int64_t line = 0;
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && next_event(&clock, &log, &event, &line))
		rc = matcher_scan(r->thread, event, pass_id, &hits, err);
	return rc;
}

/* An event of a log and where it stands. */
struct log_event {
	struct filler *f;
	int64_t source, line;
	bool dated;
	int64_t t;
	struct slice text;
};

static void
bind_event(const struct log_event *e, sqlite3_stmt *st, struct slice id, struct slice subject)
{
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":signature"), id);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":source"), e->source);
	store_bind_slice(st, sqlite3_bind_parameter_index(st, ":subject"), subject);
	if (e->dated)
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":t"), e->t);
}

/* A hit of a second that has one already is counted there, as the log reader does. */
static enum imp_rc
insert_hit(void *payload, size_t which, struct slice subject, struct imp_err *err)
{
	const struct log_event *e = payload;
	struct store *s = e->f->s;
	struct buf text = BUF_INIT(1 << 20);
	struct slice id = e->f->reader->set.v[which].id, kept;
	sqlite3_stmt *st;
	enum imp_rc rc = store_stmt(s, sql_rules_test_log_hit_again, &st, err);

	if (rc != IMP_OK)
		return rc;
	bind_event(e, st, id, subject);
	rc = store_step_done(s, st, err);
	if (rc != IMP_OK || sqlite3_changes(store_db(s)) > 0)
		return rc;
	redact_add(&text, e->text);
	rc = buf_status(&text, err);
	if (rc == IMP_OK)
		rc = store_stmt(s, sql_rules_test_log_hit, &st, err);
	if (rc == IMP_OK) {
		kept = (struct slice){ text.n > 0 ? text.p : "", text.n < TEXT_BYTES_MAX ? text.n : TEXT_BYTES_MAX };
		bind_event(e, st, id, subject);
		store_bind_slice(st, sqlite3_bind_parameter_index(st, ":text"), kept);
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":file"), e->source);
		sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":line"), e->line);
		rc = store_step_done(s, st, err);
	}
	buf_done(&text);
	return rc;
}

static enum imp_rc
count_second(const struct log_event *e, struct imp_err *err)
{
	sqlite3_stmt *st;
	enum imp_rc rc = store_stmt(e->f->s, sql_rules_test_log_second, &st, err);

	if (rc != IMP_OK)
		return rc;
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":source"), e->source);
	sqlite3_bind_int64(st, sqlite3_bind_parameter_index(st, ":t"), e->t);
	return store_step_done(e->f->s, st, err);
}

/* The name of a pod is that of its log file. */
static struct slice
pod_of(struct slice name)
{
	if (slice_has_suffix(name, SLICE(".log")))
		name.n -= sizeof(".log") - 1;
	return name;
}

static enum imp_rc
insert_log(struct filler *f, const struct doc_node *n, struct imp_err *err)
{
	struct log_event e = { .f = f, .source = f->sources++ };
	int64_t first = INT64_MAX, last = INT64_MIN, line = 0;
	struct slice rest = n->text;
	enum imp_rc rc = doc_is(n, DOC_SCALAR, err);

	if (rc == IMP_OK)
		rc = test_insert_file(f, e.source, "logs", n->key, "log", err);
	if (rc == IMP_OK)
		rc = test_insert_source(f, e.source, e.source, "log", pod_of(n->key), f->load_start, f->load_end, err);
	while (rc == IMP_OK) {
		struct log_time t = { 0 };

		e.line = line + 1;
		if (!next_event(&f->clock, &rest, &e.text, &line))
			break;
		e.dated = log_time_of_text(&f->clock, e.text, &t) && t.kind != LOG_UNDATED;
		e.t = t.ns;
		if (e.dated) {
			first = e.t < first ? e.t : first;
			last = e.t > last ? e.t : last;
			rc = count_second(&e, err);
		}
		if (rc == IMP_OK)
			rc = matcher_scan(f->reader->thread, e.text, insert_hit, &e, err);
	}
	if (rc == IMP_OK && last >= first)
		rc = test_insert_source(f, e.source, e.source, "log", pod_of(n->key), first, last, err);
	return rc;
}

int64_t
test_first_time(struct filler *f, const struct doc_node *logs)
{
	int64_t first = INT64_MAX;

	for (const struct doc_node *n = logs != NULL ? logs->first : NULL; n != NULL; n = n->next) {
		struct slice rest = n->text, line;
		struct log_time t;

		while (test_next_line(&rest, &line))
			if (log_time_of_text(&f->clock, line, &t) && t.kind != LOG_UNDATED && t.ns < first)
				first = t.ns;
	}
	return first != INT64_MAX ? first : 0;
}

enum imp_rc
test_insert_logs(struct filler *f, const struct doc_node *logs, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (const struct doc_node *n = logs->first; n != NULL && rc == IMP_OK; n = n->next)
		rc = insert_log(f, n, err);
	return rc;
}
