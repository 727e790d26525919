#include "config.h"

#include "ingest/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "ingest/reader_worker.h"

static void *
worker_run(void *payload)
{
	struct reader *rd = payload;
	struct worker *w = calloc(1, sizeof(*w));
	enum imp_rc rc = IMP_OK;
	struct imp_err err = { .code = IMP_OK };

	if (w == NULL)
		rc = imp_err_set(&err, IMP_E_NOMEM, "out of memory");
	else
		worker_init(w, rd);
	while (rc == IMP_OK && !atomic_load_explicit(&rd->stop, memory_order_relaxed)) {
		size_t i;

		pthread_mutex_lock(&rd->lock);
		i = rd->queue_next < rd->queue_n ? rd->queue_next++ : rd->queue_n;
		pthread_mutex_unlock(&rd->lock);
		if (i == rd->queue_n)
			break;
		rc = worker_read(w, rd->queue[i]);
		if (rc != IMP_OK)
			err = w->err;
	}
	if (rc != IMP_OK) {
		pthread_mutex_lock(&rd->lock);
		if (rd->rc == IMP_OK) {
			rd->rc = rc;
			rd->err = err;
		}
		pthread_mutex_unlock(&rd->lock);
		atomic_store(&rd->stop, true);
	}
	if (w != NULL) {
		worker_done(w);
		free(w);
	}
	return NULL;
}

/* ------------------------------------------------------------------ passes */

struct sized_file {
	uint64_t bytes;
	uint32_t file;
};

static int
larger_first(const void *a, const void *b)
{
	const struct sized_file *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->file < y->file ? -1 : 1;
}

/* Does this pass read the file? */
static bool
pass_reads(const struct reader *rd, uint32_t file)
{
	const struct ledger *l = rd->l;
	enum input_kind kind = l->inputs->v.v[file].kind;
	uint32_t agent = l->files[file].agent;

	if (rd->pass == READER_STRETCHES)
		return agent != NONE && l->agents.v[agent].stretches.n > 1;
	return input_kind_has_records(kind) && kind != INPUT_ACCOUNTS && kind != INPUT_TOPICS;
}

static enum imp_rc
queue_make(struct reader *rd, struct imp_err *err)
{
	size_t n = rd->l->inputs->v.n;
	CLEANUP(freep) struct sized_file *files = calloc(n + 1, sizeof(*files));

	rd->queue = calloc(n + 1, sizeof(*rd->queue));
	if (files == NULL || rd->queue == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu files", n);
	for (uint32_t i = 0; i < n; i++) {
		if (pass_reads(rd, i))
			files[rd->queue_n++] = (struct sized_file){ rd->l->inputs->v.v[i].bytes, i };
	}
	qsort(files, rd->queue_n, sizeof(*files), larger_first);
	for (size_t i = 0; i < rd->queue_n; i++)
		rd->queue[i] = files[i].file;
	return IMP_OK;
}

/* Run the workers of a pass; this thread is one of them. */
static void
workers_run(struct reader *rd)
{
	unsigned n = rd->opt->threads < READER_THREADS_MAX ? rd->opt->threads : READER_THREADS_MAX, started = 0;
	pthread_t threads[READER_THREADS_MAX];

	while (started + 1 < n && started + 1 < rd->queue_n) {
		if (pthread_create(&threads[started], NULL, worker_run, rd) != 0)
			break; /* fewer threads do the same work */
		started++;
	}
	worker_run(rd);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}

static int
moved_cmp(const void *a, const void *b)
{
	uint64_t x = ((const struct moved_line *)a)->from, y = ((const struct moved_line *)b)->from;

	return (x > y) - (x < y);
}

/* Where a record counts that was read at `place`. */
static uint64_t
settled_place(const struct reader *rd, uint64_t place)
{
	for (;;) {
		const struct moved_line key = { .from = place & ~UINT64_C(0xff) };
		const struct moved_line *m = bsearch(&key, rd->moved.v, rd->moved.n, sizeof(key), moved_cmp);

		if (m == NULL)
			return place;
		place = m->to | (place & 0xff);
	}
}

#define SETTLE_PLACES(rd, vec) \
	for (size_t i_ = 0; i_ < (vec).n; i_++) \
	(vec).v[i_].place = settled_place((rd), (vec).v[i_].place)

/* After a pass: what it says does not depend on which file was read first. */
static void
settle_moved_lines(struct reader *rd)
{
	struct ledger *l = rd->l;

	for (size_t i = 0; i < l->inputs->v.n; i++)
		l->files[i].n.resent += rd->resent[i];
	if (rd->moved.n == 0)
		return;
	qsort(rd->moved.v, rd->moved.n, sizeof(*rd->moved.v), moved_cmp);
	SETTLE_PLACES(rd, l->attempts);
	SETTLE_PLACES(rd, l->answers);
	SETTLE_PLACES(rd, l->conns);
	SETTLE_PLACES(rd, l->notes);
	SETTLE_PLACES(rd, l->health);
	SETTLE_PLACES(rd, l->hists);
	SETTLE_PLACES(rd, l->histqs);
	SETTLE_PLACES(rd, l->rows);
	SETTLE_PLACES(rd, l->deads);
	SETTLE_PLACES(rd, l->queries);
	SETTLE_PLACES(rd, l->columns);
	SETTLE_PLACES(rd, l->statuses);
	SETTLE_PLACES(rd, l->innodbs);
	SETTLE_PLACES(rd, l->lags);
	SETTLE_PLACES(rd, l->collected);
	SETTLE_PLACES(rd, l->servers);
}

static enum imp_rc
one_pass(struct ledger *l, enum reader_pass pass, const struct reader_options *opt, struct imp_err *err)
{
	struct reader rd = { .l = l, .opt = opt, .pass = pass, .rc = IMP_OK };
	enum imp_rc rc = queue_make(&rd, err);

	pthread_mutex_init(&rd.lock, NULL);
	atomic_init(&rd.stop, false);
	rd.written = calloc(l->agents.n + 1, sizeof(*rd.written));
	rd.resent = calloc(l->inputs->v.n + 1, sizeof(*rd.resent));
	if (rc == IMP_OK && (rd.written == NULL || rd.resent == NULL))
		rc = imp_err_set(err, IMP_E_NOMEM, "out of memory");
	if (rc == IMP_OK) {
		for (size_t i = 0; i < l->agents.n; i++)
			rd.written[i].budget = l->budget;
		workers_run(&rd);
		rc = rd.rc;
		if (rc == IMP_OK)
			settle_moved_lines(&rd);
		else if (err != NULL)
			*err = rd.err;
	}
	for (size_t i = 0; rd.written != NULL && i < l->agents.n; i++)
		lineset_done(&rd.written[i]);
	VEC_FREE(l->budget, &rd.moved);
	free(rd.resent);
	free(rd.written);
	free(rd.queue);
	pthread_mutex_destroy(&rd.lock);
	return rc;
}

static int
stretch_cmp(const void *a, const void *b)
{
	int64_t x = ((const struct seen_stretch *)a)->start, y = ((const struct seen_stretch *)b)->start;

	return (x > y) - (x < y);
}

/* What an agent wrote before its first `start` is a stretch too. */
static enum imp_rc
stretch_before_start(struct ledger *l, struct ledger_agent *a, struct imp_err *err)
{
	struct seen_stretch before = { a->first_t, a->first_t, true };

	for (size_t i = 0; i < a->stretches.n; i++) {
		if (a->stretches.v[i].start <= a->first_t)
			return IMP_OK;
	}
	return a->first_t != NO_TIME ? VEC_PUSH(l->budget, &a->stretches, before, err) : IMP_OK;
}

/* From the `start` lines and the files: the stretches of every agent. *ret_several: some agent was started more than once. */
static enum imp_rc
stretches_make(struct ledger *l, bool *ret_several, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < l->inputs->v.n; i++) {
		struct ledger_file *f = &l->files[i];
		struct ledger_agent *a;

		if (f->agent == NONE || f->n.events == 0)
			continue;
		a = &l->agents.v[f->agent];
		a->present = true;
		if (f->first_t != NO_TIME && (a->first_t == NO_TIME || f->first_t < a->first_t))
			a->first_t = f->first_t;
		if (f->max_t != NO_TIME && f->max_t > a->last_t)
			a->last_t = f->max_t;
	}
	for (size_t i = 0; i < l->notes.n && rc == IMP_OK; i++) {
		const struct note *n = &l->notes.v[i];
		struct seen_stretch s = { n->t, n->t, false };

		if (n->kind == NOTE_START && n->agent != NONE)
			rc = VEC_PUSH(l->budget, &l->agents.v[n->agent].stretches, s, err);
	}
	*ret_several = false;
	for (size_t i = 0; i < l->agents.n && rc == IMP_OK; i++) {
		struct ledger_agent *a = &l->agents.v[i];

		rc = stretch_before_start(l, a, err);

		if (a->stretches.n > 1)
			qsort(a->stretches.v, a->stretches.n, sizeof(*a->stretches.v), stretch_cmp);
		if (a->stretches.n == 1 && a->last_t > a->stretches.v[0].last)
			a->stretches.v[0].last = a->last_t;
		*ret_several |= a->stretches.n > 1;
	}
	return rc;
}

enum imp_rc
reader_pass(struct ledger *l, enum reader_pass pass, const struct reader_options *opt, struct imp_err *err)
{
	enum imp_rc rc = one_pass(l, pass, opt, err);
	bool several;

	if (rc != IMP_OK || pass != READER_FIRST)
		return rc;
	rc = stretches_make(l, &several, err);
	return rc == IMP_OK && several ? one_pass(l, READER_STRETCHES, opt, err) : rc;
}

enum imp_rc
reader_members(struct ledger *l, const struct reader_options *opt, struct imp_err *err)
{
	struct reader rd = { .l = l, .opt = opt, .pass = READER_FIRST, .rc = IMP_OK };
	CLEANUP(freep) struct worker *w = calloc(1, sizeof(*w));
	enum imp_rc rc = IMP_OK;

	if (w == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	pthread_mutex_init(&rd.lock, NULL);
	atomic_init(&rd.stop, false);
	worker_init(w, &rd);
	/* accounts first: the tables of topics are as large as there are accounts */
	for (int kind = INPUT_ACCOUNTS; kind <= INPUT_TOPICS; kind++) {
		for (uint32_t i = 0; i < l->inputs->v.n && rc == IMP_OK; i++) {
			if ((int)l->inputs->v.v[i].kind == kind)
				rc = worker_read(w, i);
		}
	}
	if (rc != IMP_OK && err != NULL)
		*err = w->err;
	worker_done(w);
	pthread_mutex_destroy(&rd.lock);
	return rc;
}

/* What is no input need not be a file, or one that we may read. */
static bool
may_stay_unhashed(const struct ledger *l, const struct input_file *in, enum imp_rc rc)
{
	return in->kind == INPUT_UNREAD &&
	    (rc == IMP_E_DATA || rc == IMP_E_NOINPUT ||
		(rc == IMP_E_IO && faccessat(l->inputs->dirfd, in->path, R_OK, AT_EACCESS) != 0 && errno == EACCES));
}

enum imp_rc
reader_hash_rest(struct ledger *l, const struct reader_options *opt, struct imp_err *err)
{
	for (size_t i = 0; i < l->inputs->v.n && opt->hash; i++) {
		const struct input_file *in = &l->inputs->v.v[i];
		struct ledger_file *f = &l->files[i];
		struct imp_err why;
		enum imp_rc rc;

		if (f->hashed)
			continue;
		rc = source_hash_file(l->inputs->dirfd, in->path, f->sha256, &why);
		f->hashed = rc == IMP_OK;
		if (rc != IMP_OK && !may_stay_unhashed(l, in, rc)) {
			if (err != NULL)
				*err = why;
			return rc;
		}
	}
	return IMP_OK;
}
