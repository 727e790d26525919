#include "config.h"

#include "classify/write_sources.h"

#include "base/time.h"

struct slice
sources_pod(const struct sources *x, struct slice name)
{
	if (x->pods.names.n == 0 || intern_find(&x->pods, name) != INTERN_NONE)
		return name;
	return (struct slice){ NULL, 0 };
}

static enum imp_rc
note_flaw(struct sources *x, uint32_t file, const struct flaw *flaw)
{
	struct damage d = {
		.place = place_make(file, flaw->line, 0),
		.reason = flaw->reason,
		.before = NO_TIME,
		.after = NO_TIME,
	};

	return VEC_PUSH(x->r->ledger->budget, &x->r->ledger->damages, d, x->o->err);
}

void
sources_begin(const struct sources *x, uint32_t file, struct snapshot *ret)
{
	const struct ledger_file *f = &x->r->ledger->files[file];

	snapshot_init(ret, x->r->ledger->inputs->dirfd, x->r->ledger->inputs->v.v[file].path);
	ret->asked_short = f->asked_short;
	ret->asked_limited = f->asked_limited;
}

void
sources_asked(const struct sources *x, uint64_t place, struct source_row *row)
{
	const struct ledger_file *f = &x->r->ledger->files[place_file(place)];

	row->cut |= f->asked_short;
	row->limited |= f->asked_limited;
}

void
sources_note(struct sources *x, uint32_t file, const struct snapshot *s)
{
	struct ledger_file *f = &x->r->ledger->files[file];

	if (x->o->rc == IMP_OK)
		x->o->rc = buf_status(&s->note, x->o->err);
	f->n.lines = s->lines;
	f->n.records = s->samples + s->rejected;
	f->n.events = s->samples;
	f->n.rejected = s->rejected;
	f->cut = s->cut;
	f->compression = (uint8_t)s->compression;
	for (size_t i = 0; i < s->flaws.n && x->o->rc == IMP_OK; i++)
		x->o->rc = note_flaw(x, file, &s->flaws.v[i]);
}

void
sources_keep_note(struct sources *x, struct source_row *row, const struct snapshot *s)
{
	if (s->note.n == 0 || row->note.p != NULL || x->o->rc != IMP_OK)
		return;
	row->note = arena_slice(&x->r->arena, buf_slice(&s->note), x->o->err);
	if (row->note.p == NULL)
		x->o->rc = x->o->err->code;
}

uint32_t
sources_next(const struct sources *x, enum input_kind kind, uint32_t from)
{
	const struct inputs *in = x->r->ledger->inputs;

	for (; from < in->v.n && x->o->rc == IMP_OK; from++) {
		if (in->v.v[from].kind == kind)
			return from;
	}
	return NONE;
}

static enum imp_rc
find_pods(struct sources *x)
{
	const struct ledger *l = x->r->ledger;
	uint32_t ignored;
	enum imp_rc rc = IMP_OK;

	intern_init(&x->pods, l->budget);
	for (size_t i = 0; i < l->plan->pods.n && rc == IMP_OK; i++)
		rc = intern_add(&x->pods, l->plan->pods.v[i], &ignored, x->o->err);
	for (size_t i = 0; i < l->conns.n && rc == IMP_OK; i++) {
		if (l->conns.v[i].pod != NONE)
			rc = intern_add(&x->pods, ledger_text_slice(l, l->conns.v[i].pod), &ignored, x->o->err);
	}
	return rc;
}

static void
widen(struct sources *x, int64_t t)
{
	const int64_t day = 86400 * NS_PER_S;

	if (t == NO_TIME)
		return;
	if (x->from == NO_TIME || t - day < x->from)
		x->from = t - day;
	if (x->to == NO_TIME || t + day > x->to)
		x->to = t + day;
}

static void
find_window(struct sources *x)
{
	x->from = x->to = NO_TIME;
	for (int m = 0; m < _PLAN_MARK_MAX; m++)
		widen(x, x->r->mark[m]);
	for (uint32_t i = 0; i < x->r->nmessages; i++)
		widen(x, x->r->messages[i].first_t);
	widen(x, x->r->last_window_end);
}

void
write_sources(struct out *o, struct run *r)
{
	struct sources x = { .o = o, .r = r };

	if (o->rc == IMP_OK)
		o->rc = find_pods(&x);
	if (o->rc == IMP_OK)
		find_window(&x);
	write_metrics(&x);
	write_lag(&x);
	write_redis(&x);
	write_kube(&x);
	write_loadgen(&x);
	write_coverage(&x);
	intern_done(&x.pods);
}
