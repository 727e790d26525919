#include "config.h"

#include "ingest/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "base/time.h"
#include "ingest/metrics_text.h"

#define BATCH_MIN ((size_t)1 << 10)
#define BATCH_MAX ((size_t)1 << 20)
#define KEY_BYTES_MAX ((size_t)1 << 20)

void
metrics_init(struct metrics *m, struct mem_budget *budget)
{
	size_t room = budget != NULL && budget->limit > budget->used ? budget->limit - budget->used : 0;

	*m = (struct metrics){
		.budget = budget,
		.from = NO_TIME,
		.to = NO_TIME,
		.marks = { NO_TIME, NO_TIME, NO_TIME },
		.key = BUF_INIT(KEY_BYTES_MAX),
		.scratch = BUF_INIT(KEY_BYTES_MAX),
		.batch = budget == NULL ? BATCH_MAX : room / 4 / sizeof(struct metrics_sample),
	};
	if (m->batch < BATCH_MIN)
		m->batch = BATCH_MIN;
	if (m->batch > BATCH_MAX)
		m->batch = BATCH_MAX;
	intern_init(&m->raw, budget);
	intern_init(&m->names, budget);
	intern_init(&m->families, budget);
}

void
metrics_done(struct metrics *m)
{
	for (size_t i = 0; i < m->sources.n; i++)
		buf_done(&m->sources.v[i].note);
	intern_done(&m->raw);
	intern_done(&m->names);
	intern_done(&m->families);
	VEC_FREE(m->budget, &m->raw_series);
	VEC_FREE(m->budget, &m->series);
	VEC_FREE(m->budget, &m->sources);
	VEC_FREE(m->budget, &m->types);
	VEC_FREE(m->budget, &m->samples);
	buf_done(&m->key);
	buf_done(&m->scratch);
}

/* ------------------------------------------------------------------ sources and series */

enum imp_rc
metrics_source(struct metrics *m, struct slice name, struct slice pod, const char *format, uint32_t file, uint32_t *ret,
    struct imp_err *err)
{
	struct metrics_source fresh = { .pod = pod, .format = format, .file = file, .note = BUF_INIT(SNAPSHOT_NOTE_MAX) };
	enum imp_rc rc;

	for (size_t i = m->sources.n; i > 0; i--) {
		if (slice_eq(m->sources.v[i - 1].name, name)) {
			*ret = (uint32_t)(i - 1);
			return IMP_OK;
		}
	}
	fresh.name = arena_slice(&m->names.arena, name, err);
	if (pod.p != NULL)
		fresh.pod = arena_slice(&m->names.arena, pod, err);
	if (fresh.name.p == NULL || (pod.p != NULL && fresh.pod.p == NULL))
		return err != NULL ? err->code : IMP_E_NOMEM;
	rc = VEC_PUSH(m->budget, &m->sources, fresh, err);
	if (rc == IMP_OK)
		*ret = (uint32_t)m->sources.n - 1;
	return rc;
}

/* The type that was declared for a sample's family: the sample's name is the family's, perhaps with an ending. */
static const char *
declared_type(const struct metrics *m, struct slice name)
{
	static const struct slice endings[] = {
		SLICE(""),
		SLICE("_bucket"),
		SLICE("_count"),
		SLICE("_sum"),
		SLICE("_total"),
		SLICE("_created"),
		SLICE("_info"),
		SLICE("_gcount"),
		SLICE("_gsum"),
	};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		uint32_t family;

		if (!slice_has_suffix(name, endings[i]))
			continue;
		family = intern_find(&m->families, (struct slice){ name.p, name.n - endings[i].n });
		if (family != INTERN_NONE)
			return m->types.v[family];
	}
	return "untyped";
}

enum imp_rc
metrics_find(struct metrics *m, uint32_t source, uint32_t *ret, struct imp_err *err)
{
	struct metrics_series fresh = {
		.source = source,
		.first_t = NO_TIME,
		.last_t = NO_TIME,
		.step = NO_TIME,
		.longest = NO_TIME,
		.seen = NONE,
	};
	uint32_t number;
	const char *split;
	struct slice key;
	enum imp_rc rc;

	buf_add(&m->key, &source, sizeof(source)); /* a pod's own */
	rc = buf_status(&m->key, err);
	if (rc == IMP_OK)
		rc = VEC_RESERVE(m->budget, &m->series, 1, err);
	if (rc == IMP_OK)
		rc = intern_add(&m->names, buf_slice(&m->key), &number, err);
	if (rc != IMP_OK)
		return rc;
	if (number == m->series.n) {
		key = m->names.names.v[number];
		key.n -= sizeof(source);
		split = memchr(key.p, '\xff', key.n);
		fresh.name = (struct slice){ key.p, (size_t)(split - key.p) };
		fresh.labels = (struct slice){ split + 1, (size_t)(key.p + key.n - split - 1) };
		fresh.type = declared_type(m, fresh.name);
		m->series.v[m->series.n++] = fresh;
	}
	*ret = number;
	return IMP_OK;
}

/* ------------------------------------------------------------------ samples */

static int
sample_cmp(const void *a, const void *b)
{
	const struct metrics_sample *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static void
note_step(struct metrics_series *s, int64_t step)
{
	if (step <= 0)
		return;
	if (s->step != NO_TIME && step > s->step + s->step / 2)
		s->gaps++;
	if (s->step == NO_TIME || step < s->step)
		s->step = step;
	if (s->longest == NO_TIME || step > s->longest)
		s->longest = step;
}

/* Take a sample into account; false: it says what its neighbour in time said at the same time. */
static bool
note_sample(struct metrics *m, const struct metrics_sample *x)
{
	struct metrics_series *s = &m->series.v[x->series];
	bool equal = x->value == s->last || (isnan(x->value) && isnan(s->last));

	if (x->t != NO_TIME && s->last_t == x->t && equal) {
		m->sources.v[s->source].resent++;
		return false;
	}
	if (x->t != NO_TIME && s->last_t != NO_TIME && x->t < s->last_t) {
		s->disordered = true;
	} else {
		if (s->last_t != NO_TIME)
			note_step(s, x->t - s->last_t);
		s->last_t = x->t;
		s->last = x->value;
	}
	if (x->t != NO_TIME && (s->first_t == NO_TIME || x->t < s->first_t))
		s->first_t = x->t;
	metrics_increase_add(&s->grown, &m->marks, x->t, x->value, x->file, x->line);
	return true;
}

enum imp_rc
metrics_flush(struct metrics *m, struct imp_err *err)
{
	size_t kept = 0;
	enum imp_rc rc;

	if (m->samples.n > 1)
		qsort(m->samples.v, m->samples.n, sizeof(*m->samples.v), sample_cmp);
	for (size_t i = 0; i < m->samples.n; i++) {
		if (note_sample(m, &m->samples.v[i]))
			m->samples.v[kept++] = m->samples.v[i];
	}
	rc = m->take(m->payload, m, m->samples.v, kept, err);
	for (size_t i = 0; i < kept; i++)
		m->series.v[m->samples.v[i].series].samples++;
	m->samples.n = 0;
	return rc;
}

enum imp_rc
metrics_add(struct metrics *m, struct metrics_sample sample, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	if (m->samples.n == m->batch)
		rc = metrics_flush(m, err);
	if (rc != IMP_OK)
		return rc;
	if (m->samples.n == m->samples.cap && m->samples.n > 0 && !mem_fits(m->budget, m->samples.cap * sizeof(sample)))
		rc = metrics_flush(m, err);
	return rc == IMP_OK ? VEC_PUSH(m->budget, &m->samples, sample, err) : rc;
}

/* ------------------------------------------------------------------ times */

/* `s` (a number, see metrics_number()) times `unit` ns, exact for what is written without an exponent. */
static int64_t
scaled(struct slice s, int64_t unit)
{
	bool minus = s.n > 0 && s.p[0] == '-', fraction = false;
	int64_t ns = 0;
	double d;

	for (size_t i = minus || (s.n > 0 && s.p[0] == '+'); i < s.n; i++) {
		if (s.p[i] == '.') {
			fraction = true;
		} else if (s.p[i] < '0' || s.p[i] > '9') {
			if (!metrics_number(s, &d) || !(fabs(d * (double)unit) <= (double)TIME_MAX)) /* NaN, too */
				return NO_TIME;
			return (int64_t)(d * (double)unit);
		} else if (fraction) {
			unit /= 10;
			ns += (s.p[i] - '0') * unit;
		} else if (ns > (TIME_MAX - 9 * unit) / 10) {
			return NO_TIME;
		} else {
			ns = ns * 10 + (s.p[i] - '0') * unit;
		}
	}
	return minus ? -ns : ns;
}

int64_t
metrics_time(const struct metrics *m, struct slice s, bool *seconds)
{
	int64_t as_written = scaled(s, *seconds ? 1000000000 : 1000000), other = scaled(s, *seconds ? 1000000 : 1000000000);
	bool known = m->from != NO_TIME && m->to != NO_TIME;

	if (!known || (as_written >= m->from && as_written <= m->to) || other < m->from || other > m->to)
		return as_written;
	*seconds = !*seconds;
	return other;
}

void
metrics_settle(struct metrics *m, uint32_t source, struct snapshot *s)
{
	struct metrics_source *of = &m->sources.v[source];

	of->samples += s->samples;
	of->damaged += s->rejected;
	of->cut |= s->cut || s->asked_short;
	of->limited |= s->asked_limited;
	if (s->note.n > 0 && of->note.n == 0)
		buf_add_slice(&of->note, buf_slice(&s->note));
}
