#include "config.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "classify/write_sources.h"
#include "ingest/redis.h"
#include "sql_gen.h"

/* What Redis keeps of SLOWLOG unless it is told otherwise: so many entries may be the last of more. */
#define SLOWLOG_DEFAULT 128u

/* A file below redis/. */
struct redis_file {
	struct snapshot_name name;
	uint32_t file;
};

/* One instance, over its files. */
struct instance {
	struct sources *x;
	struct source_row row;
	int64_t number;
	int64_t *figures, *slow, *spikes; /* numbers of the rows */
};

static void
write_figures(struct instance *i, const struct redis_file *f, const struct redis *r)
{
	struct out *o = i->x->o;

	for (size_t k = 0; k < r->figures.n; k++) {
		out_begin(o, sql_classify_insert_redis_info);
		out_int(o, (*i->figures)++);
		out_int(o, i->number);
		out_opt(o, f->name.t);
		out_text(o, r->figures.v[k].name);
		out_text(o, r->figures.v[k].value);
		out_int(o, f->file);
		out_int(o, (int64_t)r->figures.v[k].line);
		out_end(o);
	}
}

static void
write_slow(struct instance *i, const struct redis_file *f, const struct redis *r)
{
	struct out *o = i->x->o;

	for (size_t k = 0; k < r->slow.n; k++) {
		const struct redis_slow *s = &r->slow.v[k];

		out_begin(o, sql_classify_insert_redis_slow);
		out_int(o, (*i->slow)++);
		out_int(o, i->number);
		out_int(o, s->t);
		out_opt(o, s->id);
		out_int(o, s->duration_us);
		out_text(o, s->command);
		out_text(o, s->client);
		out_int(o, f->file);
		out_int(o, (int64_t)s->line);
		out_end(o);
	}
}

static void
write_spikes(struct instance *i, const struct redis_file *f, const struct redis *r)
{
	struct out *o = i->x->o;

	for (size_t k = 0; k < r->spikes.n; k++) {
		const struct redis_spike *s = &r->spikes.v[k];

		out_begin(o, sql_classify_insert_redis_latency);
		out_int(o, (*i->spikes)++);
		out_int(o, i->number);
		out_int(o, s->t);
		out_text(o, s->event);
		out_int(o, s->duration_ns);
		out_opt(o, s->max_ns);
		out_int(o, f->file);
		out_int(o, (int64_t)s->line);
		out_end(o);
	}
}

static void
read_file(struct instance *i, const struct redis_file *f)
{
	struct redis r = { .arena = { .budget = i->x->r->ledger->budget } };
	struct snapshot s;
	enum imp_rc rc;

	sources_begin(i->x, f->file, &s);
	rc = redis_read(&r, &s, i->x->o->err);
	if (rc == IMP_OK) {
		write_figures(i, f, &r);
		write_slow(i, f, &r);
		write_spikes(i, f, &r);
		sources_note(i->x, f->file, &s);
		if (r.figures.n > 0)
			source_row_sample(&i->row, f->name.t);
		i->row.damaged += s.rejected;
		i->row.cut |= s.cut || s.asked_short;
		i->row.limited |= s.asked_limited || r.limited || r.slow.n == SLOWLOG_DEFAULT;
		sources_keep_note(i->x, &i->row, &s);
	} else {
		i->x->o->rc = rc;
	}
	snapshot_done(&s);
	redis_done(&r);
}

static int
file_cmp(const void *a, const void *b)
{
	const struct redis_file *x = a, *y = b;
	int c = slice_cmp(x->name.source, y->name.source);

	if (c == 0 && x->name.t != y->name.t)
		c = x->name.t < y->name.t ? -1 : 1;
	return c != 0 ? c : (x->file > y->file) - (x->file < y->file);
}

/* Whose file it is, and of when. Behind the name of an instance may stand what its answer is of: r0-slowlog@1790000000.json. */
static struct redis_file
name_file(const struct sources *x, uint32_t file)
{
	static const struct slice parts[] = { SLICE("-slowlog"), SLICE("-latency") };
	struct slice path = slice_of(x->r->ledger->inputs->v.v[file].path);
	struct redis_file f = { snapshot_name(path, x->r->mark), file };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (snapshot_ends(path, SLICE(".json")) && slice_has_suffix(f.name.source, parts[i]) &&
		    f.name.source.n > parts[i].n)
			f.name.source.n -= parts[i].n;
	}
	return f;
}

void
write_redis(struct sources *x)
{
	const struct inputs *in = x->r->ledger->inputs;
	CLEANUP(freep) struct redis_file *v = calloc(in->v.n + 1, sizeof(*v));
	int64_t figures = 0, slow = 0, spikes = 0;
	size_t n = 0;

	if (v == NULL && x->o->rc == IMP_OK)
		x->o->rc = imp_err_set(x->o->err, IMP_E_NOMEM, "out of memory: %zu files", in->v.n);
	for (uint32_t f = sources_next(x, INPUT_REDIS, 0); f != NONE; f = sources_next(x, INPUT_REDIS, f + 1))
		v[n++] = name_file(x, f);
	if (n > 1)
		qsort(v, n, sizeof(*v), file_cmp);
	for (size_t i = 0, k; i < n && x->o->rc == IMP_OK; i = k) {
		struct instance one = { .x = x, .row = SOURCE_ROW_INIT, .figures = &figures, .slow = &slow, .spikes = &spikes };

		one.number = source_row_number(x->o);
		one.row.kind = "redis";
		one.row.name = v[i].name.source;
		one.row.file = v[i].file;
		for (k = i; k < n && slice_eq(v[k].name.source, v[i].name.source); k++)
			read_file(&one, &v[k]);
		source_row_put(x->o, one.number, &one.row);
	}
}
