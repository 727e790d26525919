#include "config.h"

#include "ingest/loadgen.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "ingest/json_pull.h"
#include "ingest/rfc3339.h"

#define FIRST_LINE_MAX ((size_t)1 << 20)

const char *
loadgen_format_name(enum loadgen_format f)
{
	static const char *const names[] = {
		[LOADGEN_UNKNOWN] = NULL,
		[LOADGEN_HEALTH] = "health",
		[LOADGEN_EXPORT] = "k6-export",
		[LOADGEN_SUMMARY] = "k6-summary",
		[LOADGEN_MACHINE] = "k6-machine",
		[LOADGEN_RAW] = "k6-raw",
	};

	return names[f];
}

void
loadgen_done(struct loadgen *g)
{
	VEC_FREE(g->arena.budget, &g->metrics);
	VEC_FREE(g->arena.budget, &g->moments);
	arena_done(&g->arena);
}

enum imp_rc
loadgen_add(struct loadgen *g, struct slice name, struct slice stat, double value, uint64_t line, struct imp_err *err)
{
	struct loadgen_metric m = { .value = value, .line = line };

	m.name = arena_slice(&g->arena, name, err);
	m.stat = arena_slice(&g->arena, stat, err);
	if (m.name.p == NULL || m.stat.p == NULL)
		return err->code;
	return VEC_PUSH(g->arena.budget, &g->metrics, m, err);
}

/* ------------------------------------------------------------------ health samples */

struct health_reading {
	struct loadgen *g;
	struct snapshot *s;
	struct json_pull *j;
	struct imp_err *err;
	uint32_t point;
	int64_t clock; /* of the sample before, by whatever clock; NO_TIME */
};

/* The members of one sample that are looked at more than once. */
struct health_sample {
	size_t first; /* of its figures in `moments` */
	int64_t t, clock;
	double port_used, port_total;
	bool has_ratio, damaged;
};

static enum imp_rc
add_moment(struct health_reading *rd, struct slice name, double value)
{
	struct loadgen_moment m = { .value = value, .t = NO_TIME, .point = rd->point, .line = json_pull_line(rd->j) };

	m.name = arena_slice(&rd->g->arena, name, rd->err);
	if (m.name.p == NULL)
		return rd->err->code;
	return VEC_PUSH(rd->g->arena.budget, &rd->g->moments, m, rd->err);
}

/* `ts`: a time with a zone, one without (of the machine's own clock), or Unix seconds. */
static bool
read_clock(const struct record_value *v, int64_t *ret_t, int64_t *ret_clock)
{
	char zoned[64];
	double d;

	*ret_t = *ret_clock = NO_TIME;
	if (v->type == REC_STRING) {
		if (rfc3339_parse(v->s, ret_t)) {
			*ret_clock = *ret_t;
			return time_fits(*ret_t);
		}
		if (v->s.n > 40)
			return false;
		snprintf(zoned, sizeof(zoned), "%.*sZ", SLICE_ARG(v->s));
		return rfc3339_parse(slice_of(zoned), ret_clock) && time_fits(*ret_clock);
	}
	if (v->type != REC_INT && v->type != REC_REAL)
		return false;
	d = v->type == REC_INT ? (double)v->i : v->d;
	if (!(fabs(d) < (double)TIME_MAX / 1e9))
		return false;
	*ret_t = *ret_clock = v->type == REC_INT ? v->i * NS_PER_S : (int64_t)(d * 1e9);
	return true;
}

static enum imp_rc
read_member(struct health_reading *rd, struct slice key, struct health_sample *x)
{
	struct record_value v;
	char name[64];
	double d;

	if (key.n >= sizeof(name)) {
		json_pull_skip(rd->j);
		return IMP_OK;
	}
	memcpy(name, key.p, key.n);
	key.p = name; /* reading the value may move it */
	if (!json_pull_value(rd->j, &v)) {
		json_pull_skip(rd->j);
		return IMP_OK;
	}
	if (slice_eq(key, SLICE("ts"))) {
		x->damaged |= !read_clock(&v, &x->t, &x->clock);
		return IMP_OK;
	}
	if (v.type != REC_INT && v.type != REC_REAL)
		return IMP_OK; /* null, NaN: not measured */
	d = v.type == REC_INT ? (double)v.i : v.d;
	if (slice_eq(key, SLICE("port_used")))
		x->port_used = d;
	else if (slice_eq(key, SLICE("port_total")))
		x->port_total = d;
	x->has_ratio |= slice_eq(key, SLICE("port_use_ratio"));
	return add_moment(rd, key, d);
}

/* The clock of a sample, and what follows from its figures. */
static enum imp_rc
settle_sample(struct health_reading *rd, struct health_sample *x)
{
	enum imp_rc rc = IMP_OK;

	if (!x->has_ratio && x->port_total > 0 && x->port_used >= 0)
		rc = add_moment(rd, SLICE("port_use_ratio"), x->port_used / x->port_total);
	if (rc == IMP_OK && x->t == NO_TIME && x->clock != NO_TIME)
		rc = add_moment(rd, SLICE("ts"), (double)x->clock / 1e9);
	for (size_t i = x->first; i < rd->g->moments.n; i++)
		rd->g->moments.v[i].t = x->t;
	if (x->t != NO_TIME && rd->g->first_t == NO_TIME)
		rd->g->first_t = x->t;
	if (x->t != NO_TIME)
		rd->g->last_t = x->t;
	if (x->clock != NO_TIME && rd->clock != NO_TIME && x->clock - rd->clock > rd->g->longest_gap_ns)
		rd->g->longest_gap_ns = x->clock - rd->clock;
	rd->clock = x->clock;
	return rc;
}

static enum imp_rc
read_sample(struct health_reading *rd)
{
	struct health_sample x = {
		.first = rd->g->moments.n,
		.t = NO_TIME,
		.clock = NO_TIME,
		.port_used = -1,
		.port_total = -1,
	};
	struct slice key;
	enum imp_rc rc = IMP_OK;

	if (!json_pull_enter_if(rd->j, '{'))
		return rd->j->bad ? IMP_OK : snapshot_reject(rd->s, json_pull_line(rd->j), "a sample that is no object", rd->err);
	while (rc == IMP_OK && json_pull_next(rd->j, &key))
		rc = read_member(rd, key, &x);
	if (rc != IMP_OK)
		return rc;
	if (rd->j->bad || x.damaged) {
		rd->g->moments.n = x.first;
		return rd->j->bad ? IMP_OK :
				    snapshot_reject(rd->s, json_pull_line(rd->j), "a sample without a proper time", rd->err);
	}
	rd->g->samples++;
	rc = settle_sample(rd, &x);
	rd->point++;
	return rc;
}

static enum imp_rc
read_health(struct loadgen *g, struct snapshot *s, struct json_pull *j, struct imp_err *err)
{
	struct health_reading rd = { .g = g, .s = s, .j = j, .err = err, .clock = NO_TIME };
	struct slice key;
	enum imp_rc rc = IMP_OK;

	g->format = LOADGEN_HEALTH;
	json_pull_enter(j);
	while (rc == IMP_OK && json_pull_next(j, &key))
		rc = read_sample(&rd);
	return rc;
}

/* ------------------------------------------------------------------ any file */

/* Look at the beginning, as lines. */
static enum imp_rc
looks_raw(const struct snapshot *s, bool *ret, struct imp_err *err)
{
	const struct source_limits limits = { .line_max = FIRST_LINE_MAX, .ratio_max = SOURCE_RATIO_MAX };
	CLEANUP(source_closep) struct source *src = NULL;
	struct source_line line;
	bool more = true, found = false;
	enum imp_rc rc = source_open(s->dirfd, s->path, &limits, &src, err);

	while (rc == IMP_OK && !found && (rc = source_next(src, &line, &more, err)) == IMP_OK && more) {
		if (line.text.n == 0)
			continue;
		found = true;
		*ret = !line.too_long && loadgen_is_raw(line.text);
	}
	return rc;
}

static enum imp_rc
read_document(struct loadgen *g, struct snapshot *s, struct slice text, struct imp_err *err)
{
	struct json_pull j;
	char first;
	enum imp_rc rc = IMP_OK;

	json_pull_init(&j, text);
	first = json_pull_peek(&j);
	if (first == '[')
		rc = read_health(g, s, &j, err);
	else if (first == '{')
		rc = loadgen_read_summary(g, s, &j, err);
	if (rc == IMP_OK && j.lexer.nomem)
		rc = imp_err_set(err, IMP_E_NOMEM, "out of memory: '%s'", s->path);
	if (rc == IMP_OK && g->format != LOADGEN_UNKNOWN && !json_pull_end(&j)) {
		s->cut |= j.torn;
		rc = snapshot_reject(s, json_pull_line(&j), j.torn ? "it ends too early" : "not JSON", err);
	}
	json_pull_done(&j);
	return rc;
}

enum imp_rc
loadgen_read(struct loadgen *g, struct snapshot *s, struct imp_err *err)
{
	CLEANUP(snapshot_text_done) struct snapshot_text text = { .budget = NULL };
	struct imp_err why;
	bool raw = false;
	enum imp_rc rc = looks_raw(s, &raw, &why);

	g->first_t = g->last_t = g->longest_gap_ns = NO_TIME;
	if (rc == IMP_OK && raw)
		rc = loadgen_read_raw(g, s, &why);
	else if (rc == IMP_OK)
		rc = snapshot_text(s, g->arena.budget, &text, &why);
	if (rc == IMP_OK && text.text.n > 0)
		rc = read_document(g, s, text.text, &why);
	if (rc == IMP_E_LIMIT)
		rc = snapshot_reject(s, 0, "too large to be read", &why);
	s->samples = g->samples;
	if (rc == IMP_OK && g->format == LOADGEN_UNKNOWN)
		snapshot_note(s, "neither output of k6 nor health samples");
	if (rc != IMP_OK && err != NULL)
		*err = why;
	return rc;
}
