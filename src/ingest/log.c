#include "config.h"

#include "ingest/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/cmp.h"
#include "base/time.h"
#include "ingest/log_unit.h"

#define SNIFF_LINES 200
#define SNIFF_LINE_MAX ((size_t)64 << 10)
#define PATH_BYTES_MAX 65536
#define ROOM_MIN ((size_t)100) /* rows of a unit, however many units there are */

/* Loggers that say they leave out some of what they were told. The reader's own, looked for with the others in one pass. */
static const struct signature own_signatures[] = {
	{ SLICE("sampled"),
	    SLICE(
		"(?:[Ss]uppressed|[Oo]mitted|[Dd]ropped) \\d+ (?:similar |identical |repeated |more |log )+(?:messages?|lines?|entries)") },
	{ SLICE("sampled"), SLICE("message repeated \\d+ times") },
	{ SLICE("sampled"), SLICE("logs? (?:messages? |lines? )?(?:were |was |are |is |being )?rate[- ]limited") },
	{ SLICE("sampled"), SLICE("messages suppressed by rate limit") },
};

struct log_reader {
	struct ledger *l;
	const struct reader_options *opt;
	struct log_part *parts;
	struct log_unit *units;
	size_t nparts, nunits, next;
	struct signature *signatures; /* of the set, then our own */
	size_t nset;
	struct matcher *matcher;
	int64_t *first_pub; /* by mid */
	int64_t near_s;	    /* when the run was */
	int64_t stated_ns;  /* run.json's log_zone ... */
	bool stated;	    /* ... is an offset */
	struct logs logs;
	pthread_mutex_t lock; /* of `next`, `logs`, the ledger's damages, rc and progress */
	atomic_bool stop;
	enum imp_rc rc;
	struct imp_err err;
};

void
log_source_done(struct log_source *s)
{
	VEC_FREE(NULL, &s->seconds);
	VEC_FREE(NULL, &s->hits);
	arena_done(&s->arena);
}

void
logs_done(struct logs *logs)
{
	for (size_t i = 0; i < logs->v.n; i++)
		log_source_done(&logs->v.v[i]);
	VEC_FREE(NULL, &logs->v);
}

/* ------------------------------------------------------------------ what there is to read */

/* The layout of a file, by its first lines. */
static enum imp_rc
sniff(struct log_reader *r, struct log_part *p, struct imp_err *err)
{
	struct log_line_reader lines = { .clock = { .near = r->near_s } };
	struct source_limits limits = { .line_max = SNIFF_LINE_MAX };
	struct log_votes votes = { .lines = 0 };
	CLEANUP(source_closep) struct source *src = NULL;
	struct source_line line;
	bool more = true;
	enum imp_rc rc = source_open(r->l->inputs->dirfd, r->l->inputs->v.v[p->file].path, &limits, &src, err);

	for (unsigned i = 0; i < SNIFF_LINES && rc == IMP_OK; i++) {
		rc = source_next(src, &line, &more, err);
		if (rc != IMP_OK || !more)
			break;
		rc = log_sniff(&lines, line.text, &votes, err);
	}
	if (rc == IMP_E_LIMIT && source_kind(src) != SOURCE_PLAIN)
		rc = IMP_OK; /* a bomb: reading says so */
	p->layout = log_sniffed(&votes);
	log_line_reader_done(&lines);
	return rc;
}

/* All named ones first, then by log, then in the order of its parts. */
static int
part_cmp(const void *a, const void *b)
{
	const struct log_part *x = a, *y = b;
	int c;

	CMP(y->layout.named, x->layout.named);
	if (!x->layout.named && (c = slice_cmp(x->name.base, y->name.base)) != 0)
		return c;
	c = x->layout.named ? slice_cmp(x->name.base, y->name.base) : 0;
	if (c == 0)
		c = log_name_cmp(&x->name, &y->name);
	CMP(c, 0);
	CMP(x->file, y->file);
	return 0;
}

/* X and X.gz: the node compressed it, and had not yet removed it. */
static enum imp_rc
find_compressed(const struct inputs *in, size_t file, bool *ret_there, struct imp_err *err)
{
	static const char *const suffixes[] = { ".gz", ".zst" };
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_BYTES_MAX);
	enum imp_rc rc = IMP_OK;

	*ret_there = false;
	for (size_t k = 0; k < 2 && rc == IMP_OK; k++) {
		buf_clear(&path);
		buf_addf(&path, "%s%s", in->v.v[file].path, suffixes[k]);
		rc = buf_status(&path, err);
		*ret_there |= rc == IMP_OK && inputs_find(in, buf_slice(&path)) != SIZE_MAX;
	}
	return rc;
}

static enum imp_rc
find_parts(struct log_reader *r, struct imp_err *err)
{
	const struct inputs *in = r->l->inputs;
	enum imp_rc rc = IMP_OK;

	r->parts = calloc(in->v.n + 1, sizeof(*r->parts));
	if (r->parts == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu files", in->v.n);
	for (uint32_t i = 0; i < in->v.n && rc == IMP_OK; i++) {
		struct log_part *p = &r->parts[r->nparts];
		bool compressed;

		if (in->v.v[i].kind != INPUT_LOG)
			continue;
		rc = find_compressed(in, i, &compressed, err);
		if (rc != IMP_OK || compressed)
			continue;
		p->file = i;
		log_name_read(slice_of(in->v.v[i].path), &p->name);
		rc = sniff(r, p, err);
		r->nparts++;
	}
	if (r->nparts > 1)
		qsort(r->parts, r->nparts, sizeof(*r->parts), part_cmp);
	return rc;
}

static int
larger_first(const void *a, const void *b)
{
	const struct log_unit *x = a, *y = b;

	CMP(y->bytes, x->bytes);
	CMP(x->parts, y->parts);
	return 0;
}

static enum imp_rc
make_units(struct log_reader *r, struct imp_err *err)
{
	r->units = calloc(r->nparts + 1, sizeof(*r->units));
	if (r->units == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu logs", r->nparts);
	for (size_t i = 0; i < r->nparts; i++) {
		const struct log_part *p = &r->parts[i], *before = i > 0 ? p - 1 : NULL;
		bool same = before != NULL &&
		    (p->layout.named ? before->layout.named : !before->layout.named && log_name_same(&p->name, &before->name));

		if (!same)
			r->units[r->nunits++] = (struct log_unit){ .parts = p };
		r->units[r->nunits - 1].n++;
		r->units[r->nunits - 1].bytes += r->l->inputs->v.v[p->file].bytes;
	}
	if (r->nunits > 1)
		qsort(r->units, r->nunits, sizeof(*r->units), larger_first);
	return IMP_OK;
}

/* ------------------------------------------------------------------ what lines are held against */

/* When each message was written first, so that lines with its mid can be held against it. */
static enum imp_rc
find_first_pubs(struct log_reader *r, struct imp_err *err)
{
	const struct ledger *l = r->l;
	const size_t n = l->mids.names.n;

	r->first_pub = malloc((n + 1) * sizeof(*r->first_pub));
	if (r->first_pub == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu messages", n);
	for (size_t i = 0; i < n; i++)
		r->first_pub[i] = NO_TIME;
	for (size_t i = 0; i < l->attempts.n; i++) {
		const struct attempt *a = &l->attempts.v[i];

		if (a->kind == ATTEMPT_PUB && (r->first_pub[a->mid] == NO_TIME || a->t < r->first_pub[a->mid]))
			r->first_pub[a->mid] = a->t;
	}
	return IMP_OK;
}

/* When the run was: what times that leave out year or day are nearest to. */
static void
find_near(struct log_reader *r)
{
	const struct ledger *l = r->l;
	int64_t near = l->plan->mark[MARK_load_start];

	for (size_t i = 0; i < l->attempts.n; i++) {
		if (near == PLAN_UNKNOWN || l->attempts.v[i].t < near)
			near = l->attempts.v[i].t;
	}
	r->near_s = near != PLAN_UNKNOWN ? near / NS_PER_S : 0;
}

static void
find_stated_zone(struct log_reader *r)
{
	struct slice s = r->l->plan->log_zone;
	char name[8];
	struct time_zone zone;

	if (s.n == 0 || s.n >= sizeof(name) ||
	    (s.p[0] != '+' && s.p[0] != '-' && !slice_eq(s, SLICE("Z")) && !slice_eq(s, SLICE("UTC"))))
		return; /* names of zones would set that of the whole process */
	memcpy(name, s.p, s.n);
	name[s.n] = '\0';
	r->stated = time_zone_open(name, &zone, NULL) == IMP_OK && zone.fixed;
	r->stated_ns = r->stated ? zone.offset_s * NS_PER_S : 0;
	r->near_s += r->stated_ns / NS_PER_S;
}

/* How much there is to look through, about: text like this shrinks to a tenth. */
static uint64_t
text_bytes(const struct log_reader *r)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < r->nparts; i++) {
		const struct input_file *f = &r->l->inputs->v.v[r->parts[i].file];
		struct slice path = slice_of(f->path);

		bytes += slice_has_suffix(path, SLICE(".gz")) || slice_has_suffix(path, SLICE(".zst")) ? f->bytes * 10 : f->bytes;
	}
	return bytes;
}

static enum imp_rc
make_matcher(struct log_reader *r, const struct signature_set *set, struct imp_err *err)
{
	const size_t nown = sizeof(own_signatures) / sizeof(own_signatures[0]);
	struct signature_set all = { .n = nown };

	r->nset = set != NULL ? set->n : 0;
	all.n += r->nset;
	r->signatures = calloc(all.n, sizeof(*r->signatures));
	if (r->signatures == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory: %zu signatures", all.n);
	if (r->nset > 0)
		memcpy(r->signatures, set->v, r->nset * sizeof(*set->v));
	memcpy(r->signatures + r->nset, own_signatures, sizeof(own_signatures));
	all.v = r->signatures;
	return matcher_new(&all, text_bytes(r), &r->matcher, err);
}

/* ------------------------------------------------------------------ threads */

static void
tell(void *payload, uint64_t bytes, uint64_t lines)
{
	struct log_reader *r = payload;

	pthread_mutex_lock(&r->lock);
	r->opt->progress(r->opt->payload, bytes, lines);
	pthread_mutex_unlock(&r->lock);
}

/* What a unit gave, into the run's. */
static enum imp_rc
take_unit(struct log_reader *r, struct log_worker *w, struct logs *logs, struct imp_err *err)
{
	enum imp_rc rc = VEC_RESERVE(NULL, &r->logs.v, logs->v.n, err);

	for (size_t i = 0; i < logs->v.n && rc == IMP_OK; i++)
		r->logs.v.v[r->logs.v.n++] = logs->v.v[i];
	if (rc == IMP_OK)
		VEC_FREE(NULL, &logs->v);
	for (size_t i = 0; i < w->scan.damages.n && rc == IMP_OK; i++)
		rc = VEC_PUSH(r->l->budget, &r->l->damages, w->scan.damages.v[i], err);
	return rc;
}

static enum imp_rc
read_units(struct log_reader *r, struct log_worker *w, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	while (rc == IMP_OK && !atomic_load_explicit(&r->stop, memory_order_relaxed)) {
		struct logs logs = { .v = { 0 } };
		size_t i;

		pthread_mutex_lock(&r->lock);
		i = r->next < r->nunits ? r->next++ : r->nunits;
		pthread_mutex_unlock(&r->lock);
		if (i == r->nunits)
			break;
		w->scan.hits_room = LOG_HITS_MAX / r->nunits > ROOM_MIN ? LOG_HITS_MAX / r->nunits : ROOM_MIN;
		w->scan.seconds_room = LOG_SECONDS_MAX / r->nunits > ROOM_MIN ? LOG_SECONDS_MAX / r->nunits : ROOM_MIN;
		rc = log_unit_read(w, &r->units[i], &logs, err);
		if (rc == IMP_OK) {
			pthread_mutex_lock(&r->lock);
			rc = take_unit(r, w, &logs, err);
			pthread_mutex_unlock(&r->lock);
		}
		logs_done(&logs);
	}
	return rc;
}

static void *
thread_run(void *payload)
{
	struct log_reader *r = payload;
	struct log_worker w = {
		.scan = { .l = r->l, .first_pub = r->first_pub, .nsignatures = r->nset, .clock = { .near = r->near_s } },
		.lines = { .clock = { .near = r->near_s } },
		.opt = r->opt,
		.stated_ns = r->stated ? &r->stated_ns : NULL,
		.hash_thread = r->nunits < r->opt->threads,
		.progress = r->opt->progress != NULL ? tell : NULL,
		.payload = r,
	};
	struct imp_err err = { .code = IMP_OK };
	enum imp_rc rc = matcher_thread_new(r->matcher, &w.scan.match, &err);

	if (rc == IMP_OK)
		rc = read_units(r, &w, &err);
	if (rc != IMP_OK) {
		pthread_mutex_lock(&r->lock);
		if (r->rc == IMP_OK) {
			r->rc = rc;
			r->err = err;
		}
		pthread_mutex_unlock(&r->lock);
		atomic_store(&r->stop, true);
	}
	matcher_thread_free(w.scan.match);
	log_worker_done(&w);
	return NULL;
}

static enum imp_rc
run_threads(struct log_reader *r, struct imp_err *err)
{
	unsigned n = r->opt->threads < READER_THREADS_MAX ? r->opt->threads : READER_THREADS_MAX, started = 0;
	pthread_t threads[READER_THREADS_MAX];

	pthread_mutex_init(&r->lock, NULL);
	while (started + 1 < n && started + 1 < r->nunits) {
		if (pthread_create(&threads[started], NULL, thread_run, r) != 0)
			break; /* fewer threads do the same work */
		started++;
	}
	thread_run(r);
	while (started > 0)
		pthread_join(threads[--started], NULL);
	pthread_mutex_destroy(&r->lock);
	if (r->rc != IMP_OK && err != NULL)
		*err = r->err;
	return r->rc;
}

static int
source_cmp(const void *a, const void *b)
{
	const struct log_source *x = a, *y = b;
	int c = slice_cmp(x->pod, y->pod);

	if (c == 0)
		c = slice_cmp(x->container, y->container);
	CMP(c, 0);
	CMP(x->file, y->file);
	return 0;
}

enum imp_rc
logs_read(struct ledger *l, const struct signature_set *set, const struct reader_options *opt, struct logs *ret,
    struct imp_err *err)
{
	struct log_reader r = { .l = l, .opt = opt, .rc = IMP_OK };
	struct imp_err local;
	enum imp_rc rc;

	if (err == NULL)
		err = &local;
	atomic_init(&r.stop, false);
	find_near(&r);
	find_stated_zone(&r);
	rc = find_parts(&r, err);
	if (rc == IMP_OK && r.nparts > 0)
		rc = find_first_pubs(&r, err);
	if (rc == IMP_OK)
		rc = make_units(&r, err);
	if (rc == IMP_OK && r.nunits > 0)
		rc = make_matcher(&r, set, err);
	if (rc == IMP_OK && r.nunits > 0)
		rc = run_threads(&r, err);
	if (rc == IMP_OK) {
		if (r.logs.v.n > 1)
			qsort(r.logs.v.v, r.logs.v.n, sizeof(*r.logs.v.v), source_cmp);
		*ret = r.logs;
	} else {
		logs_done(&r.logs);
	}
	matcher_free(r.matcher);
	free(r.signatures);
	free(r.first_pub);
	free(r.units);
	free(r.parts);
	return rc;
}
