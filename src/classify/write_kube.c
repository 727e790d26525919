#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/time.h"
#include "classify/write_sources.h"
#include "ingest/kube.h"
#include "sql_gen.h"

/* The cluster forgets events after an hour, by default: what is not there may have been. */
#define EVENT_LIFE_NS (3600 * NS_PER_S)

enum part { PART_PODS, PART_WORKLOADS, PART_EVENTS, PART_USAGE, _PART_MAX };

struct kube_file {
	uint32_t file;
	int64_t t; /* when kubectl was asked, NO_TIME */
};

struct known_event {
	struct kube_event v;
	struct kube_file from;
};

/* One stream for each kind of object, over all files. */
struct cluster {
	struct sources *x;
	struct source_row row[_PART_MAX];
	int64_t number[_PART_MAX]; /* NO_TIME: nothing of this kind was there */
	int64_t next[_PART_MAX];   /* numbers of the rows */

	/* An event stands in each list of the hour that it is kept, and its count grows: the one that counts most is the event. */
	VEC(struct known_event) events;
	struct arena texts;
	struct intern uids;
	VEC(uint32_t) of_uid; /* numbers in `events` */
};

static int64_t
stream_number(struct cluster *c, enum part part, uint32_t file)
{
	if (c->number[part] == NO_TIME) {
		c->number[part] = source_row_number(c->x->o);
		c->row[part].file = file;
	}
	return c->number[part];
}

/* Samples come in the order of the files: their earliest and latest time, whatever that order is. */
static void
note_time(struct source_row *row, int64_t t)
{
	if (t != NO_TIME && (row->first_t == NO_TIME || t < row->first_t))
		row->first_t = t;
	if (t != NO_TIME && (row->last_t == NO_TIME || t > row->last_t))
		row->last_t = t;
}

static void
out_measured(struct out *o, double d)
{
	if (isnan(d))
		out_null(o);
	else
		out_real(o, d);
}

static void
out_resources(struct out *o, const struct kube_resources *r)
{
	out_measured(o, r->cpu_request);
	out_measured(o, r->cpu_limit);
	out_opt(o, r->memory_request);
	out_opt(o, r->memory_limit);
}

/* Begin a row of one part: number, source, time. */
static void
begin(struct cluster *c, enum part part, const char *sql, const struct kube_file *f, int64_t t)
{
	int64_t source = stream_number(c, part, f->file);

	c->row[part].samples++;
	note_time(&c->row[part], t);
	out_begin(c->x->o, sql);
	out_int(c->x->o, c->next[part]++);
	out_int(c->x->o, source);
	out_opt(c->x->o, t);
}

static void
write_container(struct cluster *c, const struct kube_file *f, const struct kube_container *v)
{
	struct out *o = c->x->o;

	begin(c, PART_PODS, sql_classify_insert_kube_container, f, f->t);
	out_text(o, v->namespace);
	out_text(o, v->pod);
	out_text(o, v->uid);
	out_text(o, v->node);
	out_text(o, v->container);
	out_text(o, v->phase);
	out_opt(o, v->ready);
	out_opt(o, v->restarts);
	out_text(o, v->image);
	out_text(o, v->image_id);
	out_resources(o, &v->resources);
	out_text(o, v->probes);
	out_opt(o, v->started_t);
	out_text(o, v->last_reason);
	out_opt(o, v->last_exit);
	out_opt(o, v->last_finished_t);
	out_int(o, f->file);
	out_end(o);
}

static void
write_workload(struct cluster *c, const struct kube_file *f, const struct kube_workload *v)
{
	struct out *o = c->x->o;

	begin(c, PART_WORKLOADS, sql_classify_insert_kube_workload, f, f->t);
	out_text(o, v->kind);
	out_text(o, v->namespace);
	out_text(o, v->name);
	out_text(o, v->container);
	out_opt(o, v->replicas);
	out_opt(o, v->ready_replicas);
	out_text(o, v->image);
	out_resources(o, &v->resources);
	out_text(o, v->probes);
	out_int(o, f->file);
	out_end(o);
}

static void
write_event(struct cluster *c, const struct kube_file *f, const struct kube_event *v)
{
	struct out *o = c->x->o;

	begin(c, PART_EVENTS, sql_classify_insert_kube_event, f, v->t);
	out_text(o, v->type);
	out_text(o, v->reason);
	out_text(o, v->kind);
	out_text(o, v->namespace);
	out_text(o, v->name);
	out_int(o, v->n);
	out_text(o, v->message);
	out_int(o, f->file);
	out_end(o);
}

static enum imp_rc
keep_texts(struct cluster *c, struct kube_event *v)
{
	struct slice *const texts[] = { &v->type, &v->reason, &v->kind, &v->namespace, &v->name, &v->message };
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == IMP_OK; i++) {
		if (texts[i]->p == NULL)
			continue;
		*texts[i] = arena_slice(&c->texts, *texts[i], c->x->o->err);
		rc = texts[i]->p != NULL ? IMP_OK : IMP_E_NOMEM;
	}
	return rc;
}

static enum imp_rc
keep_event(struct cluster *c, const struct kube_file *f, const struct kube_event *v)
{
	struct mem_budget *budget = c->x->r->ledger->budget;
	struct known_event e = { *v, *f }, *known = NULL;
	uint32_t uid = 0;
	enum imp_rc rc = v->uid.p != NULL ? intern_add(&c->uids, v->uid, &uid, c->x->o->err) : IMP_OK;

	if (rc == IMP_OK && v->uid.p != NULL) {
		if (uid < c->of_uid.n)
			known = &c->events.v[c->of_uid.v[uid]];
		else
			rc = VEC_PUSH(budget, &c->of_uid, (uint32_t)c->events.n, c->x->o->err);
	}
	if (rc != IMP_OK || (known != NULL && v->n <= known->v.n))
		return rc;
	rc = keep_texts(c, &e.v);
	if (rc == IMP_OK && known != NULL)
		*known = e;
	else if (rc == IMP_OK)
		rc = VEC_PUSH(budget, &c->events, e, c->x->o->err);
	return rc;
}

static void
write_usage(struct cluster *c, const struct kube_file *f, const struct kube_usage *v)
{
	struct out *o = c->x->o;

	begin(c, PART_USAGE, sql_classify_insert_kube_usage, f, v->t != NO_TIME ? v->t : f->t);
	out_text(o, v->pod);
	out_text(o, v->container);
	out_measured(o, v->cpu);
	out_opt(o, v->memory);
	out_int(o, f->file);
	out_int(o, (int64_t)v->line);
	out_end(o);
}

static void
write_objects(struct cluster *c, const struct kube_file *f, const struct kube *k)
{
	for (size_t i = 0; i < k->containers.n; i++)
		write_container(c, f, &k->containers.v[i]);
	for (size_t i = 0; i < k->workloads.n; i++)
		write_workload(c, f, &k->workloads.v[i]);
	for (size_t i = 0; i < k->events.n && c->x->o->rc == IMP_OK; i++)
		c->x->o->rc = keep_event(c, f, &k->events.v[i]);
	for (size_t i = 0; i < k->usages.n; i++)
		write_usage(c, f, &k->usages.v[i]);
}

/* Which stream the flaws of a file belong to: what it holds, else what its name says. */
static enum part
part_of_file(const struct kube *k, const char *path)
{
	if (k->events.n > 0 || strstr(path, "event") != NULL)
		return PART_EVENTS;
	if (k->usages.n > 0 || strstr(path, "top") != NULL)
		return PART_USAGE;
	return k->workloads.n > 0 ? PART_WORKLOADS : PART_PODS;
}

static void
note_file(struct cluster *c, const struct kube_file *f, const struct snapshot *s, const struct kube *k)
{
	enum part part = part_of_file(k, s->path);

	sources_note(c->x, f->file, s);
	if (k->events.n > 0 || (part == PART_EVENTS && s->rejected == 0)) {
		/* what happened in the hour before kubectl was asked is there; further back something may be missing */
		int64_t start = c->x->r->mark[MARK_load_start];

		stream_number(c, PART_EVENTS, f->file);
		c->row[PART_EVENTS].limited |= f->t == NO_TIME || start == NO_TIME || f->t - EVENT_LIFE_NS > start;
		note_time(&c->row[PART_EVENTS], f->t);
		note_time(&c->row[PART_EVENTS], f->t != NO_TIME ? f->t - EVENT_LIFE_NS : NO_TIME);
	}
	if (s->rejected == 0 && s->note.n == 0 && !s->cut && !s->asked_short && !s->asked_limited)
		return;
	stream_number(c, part, f->file);
	c->row[part].damaged += s->rejected;
	c->row[part].cut |= s->cut || s->asked_short;
	c->row[part].limited |= s->asked_limited;
	sources_keep_note(c->x, &c->row[part], s);
}

static void
read_file(struct cluster *c, const struct kube_file *f)
{
	struct kube k = { .arena = { .budget = c->x->r->ledger->budget } };
	struct snapshot s;
	enum imp_rc rc;

	sources_begin(c->x, f->file, &s);
	if (snapshot_ends(slice_of(s.path), SLICE(".json")))
		rc = kube_read_json(&k, &s, c->x->o->err);
	else
		rc = kube_read_top(&k, &s, c->x->o->err);
	if (rc == IMP_OK) {
		write_objects(c, f, &k);
		note_file(c, f, &s, &k);
	} else {
		c->x->o->rc = rc;
	}
	snapshot_done(&s);
	kube_done(&k);
}

void
write_kube(struct sources *x)
{
	static const char *const names[_PART_MAX] = { "pods", "workloads", "events", "usage" };
	struct cluster c = { .x = x, .texts = { .budget = x->r->ledger->budget } };

	intern_init(&c.uids, x->r->ledger->budget);
	for (int part = 0; part < _PART_MAX; part++) {
		c.row[part] = (struct source_row)SOURCE_ROW_INIT;
		c.row[part].kind = "kube";
		c.row[part].name = slice_of(names[part]);
		c.number[part] = NO_TIME;
	}
	for (uint32_t i = sources_next(x, INPUT_KUBE, 0); i != NONE; i = sources_next(x, INPUT_KUBE, i + 1)) {
		struct slice path = slice_of(x->r->ledger->inputs->v.v[i].path);
		struct kube_file f = { i, snapshot_name(path, x->r->mark).t };

		read_file(&c, &f);
	}
	for (size_t i = 0; i < c.events.n; i++)
		write_event(&c, &c.events.v[i].from, &c.events.v[i].v);
	for (int part = 0; part < _PART_MAX; part++) {
		if (c.number[part] != NO_TIME)
			source_row_put(x->o, c.number[part], &c.row[part]);
	}
	VEC_FREE(x->r->ledger->budget, &c.events);
	VEC_FREE(x->r->ledger->budget, &c.of_uid);
	arena_done(&c.texts);
	intern_done(&c.uids);
}
