#include "config.h"

#include "ingest/reader_worker.h"

#include <xxhash.h>

#include "base/cleanup.h"
#include "base/search.h"
#include "ingest/event.h"
#include "ingest/line.h"

/* ------------------------------------------------------------------ names */

static bool
is_name(const struct cached_name *c, struct slice name)
{
	return c->p != NULL && c->n == name.n && memcmp(c->p, name.p, name.n) == 0;
}

/* Ask the table, under the lock. */
static enum imp_rc
name_learn(struct worker *w, const struct name_cache *cache, struct slice name, struct cached_name *ret)
{
	struct cached_name known = { NULL, (uint32_t)name.n, 0 };
	enum imp_rc rc;

	pthread_mutex_lock(&w->rd->lock);
	rc = cache->look_up(w->rd->l, name, &known.number, &w->err);
	if (rc == IMP_OK)
		known.p = cache->table->names.v[known.number].p;
	pthread_mutex_unlock(&w->rd->lock);
	if (rc == IMP_OK)
		*ret = known;
	return rc;
}

static enum imp_rc
name_number(struct worker *w, struct name_cache *cache, struct slice name, uint32_t *ret)
{
	struct cached_name *set;
	unsigned way;
	enum imp_rc rc;
	size_t i;

	if (!is_name(&cache->last, name)) {
		i = hash_bytes(name) & (CACHE_SETS - 1);
		set = cache->slot[i];
		for (way = 0; way < CACHE_WAYS && !is_name(&set[way], name);)
			way++;
		if (way == CACHE_WAYS) {
			way = cache->oldest[i]++ % CACHE_WAYS;
			rc = name_learn(w, cache, name, &set[way]);
			if (rc != IMP_OK)
				return rc;
		}
		cache->last = set[way];
	}
	*ret = cache->last.number;
	return IMP_OK;
}

/* ------------------------------------------------------------------ deliveries */

static enum imp_rc
batch_flush(struct worker *w)
{
	struct ledger *l = w->rd->l;
	enum imp_rc rc = IMP_OK;

	pthread_mutex_lock(&w->rd->lock);
	for (size_t i = 0; i < w->batch_n && rc == IMP_OK; i++) {
		struct delivery *d = &w->batch[i];
		struct account *a = &l->accounts.v[d->copy.account];

		if (w->now.agent < a->seen_by)
			a->seen_by = w->now.agent;
		d->copy.member = topic_member(&l->topics.v[d->copy.topic], d->copy.account);
		rc = copies_add(&l->copies, l->topics.v, d->mid, &d->copy, &w->err);
	}
	pthread_mutex_unlock(&w->rd->lock);
	w->batch_n = 0;
	return rc;
}

static enum imp_rc
take_delivery(struct worker *w, const struct event *e, const struct line *line)
{
	const struct record *r = e->r;
	struct delivery *d;
	enum imp_rc rc = IMP_OK;

	if (w->batch_n == BATCH_COPIES)
		rc = batch_flush(w);
	d = &w->batch[w->batch_n];
	d->copy.t = e->t;
	d->copy.seq = r->v[KEY_seq].i;
	d->copy.place = e->place;
	d->copy.check = (uint32_t)XXH3_64bits(line->all.p, line->all.n);
	d->copy.kind = COPY_UNJUDGED;
	if (rc == IMP_OK)
		rc = name_number(w, &w->mids, r->v[KEY_mid].s, &d->mid);
	if (rc == IMP_OK)
		rc = name_number(w, &w->topics, r->v[KEY_topic].s, &d->copy.topic);
	if (rc == IMP_OK)
		rc = name_number(w, &w->accounts, r->v[KEY_to].s, &d->copy.account);
	if (rc == IMP_OK)
		w->batch_n++;
	return rc;
}

/* ------------------------------------------------------------------ damage and counters */

/* Let the span of the damage that has no entries of its own reach to `t`. NO_TIME is before all times: open on that side. */
static void
extend_rest(struct ledger_file *f, int64_t t)
{
	f->rejected_from = t < f->rejected_from ? t : f->rejected_from;
	f->rejected_to = t > f->rejected_to ? t : f->rejected_to;
}

static enum imp_rc
note_damage(struct worker *w, uint64_t place, const char *reason, bool repaired)
{
	struct damage d = {
		.place = place,
		.reason = reason,
		.repaired = repaired,
		.before = w->now.last_t,
		.after = NO_TIME,
	};

	if (repaired)
		w->now.n.repaired++;
	else
		w->now.n.rejected++;
	if (w->damages.n < DAMAGE_PER_FILE_MAX)
		return VEC_PUSH(NULL, &w->damages, d, &w->err);
	if (repaired)
		return IMP_OK;
	if (!w->now.rejected_rest)
		w->now.rejected_from = w->now.rejected_to = w->now.last_t;
	w->now.rejected_rest = w->rest_unplaced = true;
	extend_rest(&w->now, w->now.last_t);
	return IMP_OK;
}

/* A good record with a time places the damage before it. */
static void
note_time(struct worker *w, int64_t t)
{
	if (t == NO_TIME)
		return;
	for (; w->unplaced < w->damages.n; w->unplaced++)
		w->damages.v[w->unplaced].after = t;
	if (w->rest_unplaced)
		extend_rest(&w->now, t);
	w->rest_unplaced = false;
	w->now.last_t = t;
	if (t > w->now.max_t)
		w->now.max_t = t;
}

static void
tell_progress(struct worker *w, uint64_t bytes, bool now)
{
	const struct reader_options *opt = w->rd->opt;
	uint64_t lines = w->now.n.lines;

	if (opt->progress == NULL || w->rd->pass == READER_STRETCHES || (!now && lines - w->lines_told < PROGRESS_LINES))
		return;
	pthread_mutex_lock(&w->rd->lock);
	opt->progress(opt->payload, bytes - w->bytes_told, lines - w->lines_told);
	pthread_mutex_unlock(&w->rd->lock);
	w->bytes_told = bytes;
	w->lines_told = lines;
}

/* ------------------------------------------------------------------ records */

/* Has the agent written the line at hand elsewhere? The readers' lock is held. */
static enum imp_rc
look_up_line(struct worker *w, const struct event *e, const struct line *line)
{
	uint64_t place = place_make(w->file, (uint64_t)place_line(e->place), 0), was = LINESET_NEW;
	enum imp_rc rc;

	if (w->now.agent == NONE || w->line_known)
		return IMP_OK;
	rc = lineset_add(&w->rd->written[w->now.agent], line->all, place, &was, &w->err);
	w->line_known = true;
	w->line_again = was != LINESET_NEW;
	w->line_second = place < was ? place_file(was) : w->file;
	if (rc == IMP_OK && w->line_again && place < was)
		rc = VEC_PUSH(w->rd->l->budget, &w->rd->moved, ((struct moved_line){ was, place }), &w->err);
	return rc;
}

/* Keep the first names in byte order, whichever were read first. */
static enum imp_rc
note_unknown_event(struct ledger *l, struct slice ev, struct imp_err *err)
{
	uint32_t name;
	size_t last = 0;
	enum imp_rc rc = ledger_text(l, ev, &name, err);

	for (size_t i = 0; i < l->unknown_evs.n && rc == IMP_OK; i++) {
		if (l->unknown_evs.v[i] == name)
			return IMP_OK;
		if (slice_cmp(ledger_text_slice(l, l->unknown_evs.v[i]), ledger_text_slice(l, l->unknown_evs.v[last])) > 0)
			last = i;
	}
	if (rc == IMP_OK && l->unknown_evs.n < UNKNOWN_EVENTS_MAX)
		rc = VEC_PUSH(l->budget, &l->unknown_evs, name, err);
	else if (rc == IMP_OK && slice_cmp(ev, ledger_text_slice(l, l->unknown_evs.v[last])) < 0)
		l->unknown_evs.v[last] = name;
	return rc;
}

/* Anything but a delivery goes into the ledger at once, unless the agent wrote the very same line before. */
static enum imp_rc
take_event(struct worker *w, const struct event *e, const struct line *line)
{
	struct ledger *l = w->rd->l;
	enum imp_rc rc;

	pthread_mutex_lock(&w->rd->lock);
	rc = look_up_line(w, e, line);
	if (rc == IMP_OK && w->line_again)
		w->rd->resent[w->line_second]++;
	else if (rc == IMP_OK && e->shape == EVENT_UNKNOWN)
		rc = note_unknown_event(l, e->r->v[KEY_ev].s, &w->err);
	else if (rc == IMP_OK)
		rc = event_apply(l, e, &w->err);
	pthread_mutex_unlock(&w->rd->lock);
	return rc;
}

/* The time of a record belongs to the agent's last `start` at or before it. */
static void
take_stretch_time(struct worker *w, int64_t t)
{
	struct ledger_agent *a = &w->rd->l->agents.v[w->now.agent];
	size_t i;

	LOWER_BOUND(i, 0, a->stretches.n, a->stretches.v[i].start <= t);
	if (i == 0)
		return;
	pthread_mutex_lock(&w->rd->lock);
	if (t > a->stretches.v[i - 1].last)
		a->stretches.v[i - 1].last = t;
	pthread_mutex_unlock(&w->rd->lock);
}

static enum imp_rc
take_member_line(struct worker *w, const struct event *e, enum input_kind kind, bool *ret_ok)
{
	*ret_ok = true;
	if (kind == INPUT_ACCOUNTS)
		return event_apply_account(w->rd->l, e, &w->err);
	return event_apply_topic(w->rd->l, e, &w->scanner, ret_ok, &w->err);
}

/* What was wrong with a record that counts all the same, NULL: nothing. */
static const char *
record_damage(const struct record *r, const struct line *line)
{
	if (line->repair != NULL)
		return line->repair;
	if (r->fixed_text)
		return "text is not UTF-8: U+FFFD stands for it";
	return r->not_measured ? "NaN or Infinity: the field is not measured" : NULL;
}

static enum imp_rc
take_record(struct worker *w, const struct line *line, uint64_t place, enum input_kind kind, bool *repaired)
{
	const struct record *r = &w->record;
	struct event e;
	const char *reason, *damage;
	enum imp_rc rc = IMP_OK;
	bool ok = true;

	reason = kind == INPUT_ACCOUNTS ? event_check_account(r, &e) :
	    kind == INPUT_TOPICS	? event_check_topic(r, &e) :
					  event_check(r, &e);
	w->now.n.records++;
	if (reason != NULL)
		return note_damage(w, place, reason, false);
	e.place = place;
	e.agent = w->now.agent;
	if (kind == INPUT_ACCOUNTS || kind == INPUT_TOPICS) {
		rc = take_member_line(w, &e, kind, &ok);
		if (rc == IMP_OK && !ok)
			return note_damage(w, place, "`members` is not a list of names", false);
	} else if (e.shape == EVENT_DATA)
		rc = take_delivery(w, &e, line);
	else
		rc = take_event(w, &e, line);
	w->now.n.events++;
	w->now.n.unknown_events += e.shape == EVENT_UNKNOWN;
	w->now.n.unknown_keys += e.unknown_keys;
	if (e.t != NO_TIME && (w->now.first_t == NO_TIME || e.t < w->now.first_t))
		w->now.first_t = e.t;
	damage = record_damage(r, line);
	if (rc == IMP_OK && damage != NULL && !*repaired) {
		*repaired = true;
		rc = note_damage(w, place, damage, true);
	}
	note_time(w, e.t);
	return rc;
}

static enum imp_rc
reject(struct worker *w, uint64_t place, const char *reason)
{
	w->now.n.records++;
	return note_damage(w, place, reason, false);
}

/* Later passes: the delivery, or the time, of a record that the first pass has judged. */
static enum imp_rc
take_record_again(struct worker *w, const struct line *line, uint64_t place)
{
	struct event e;

	if (event_check(&w->record, &e) != NULL)
		return IMP_OK;
	e.place = place;
	e.agent = w->now.agent;
	if (w->rd->pass == READER_STRETCHES)
		take_stretch_time(w, e.t);
	else if (e.shape == EVENT_DATA)
		return take_delivery(w, &e, line);
	return IMP_OK;
}

static enum imp_rc
take_line(struct worker *w, const struct source_line *sl, enum input_kind kind)
{
	bool first = w->rd->pass == READER_FIRST, repaired = false;
	struct line line;
	enum line_rc lrc;
	enum imp_rc rc = IMP_OK;

	w->now.n.lines++;
	w->line_known = w->line_again = false;
	if (sl->too_long)
		return first ? reject(w, place_make(w->file, sl->number, 0), "line longer than the limit") : IMP_OK;
	line_begin(&line, sl->text, sl->complete);
	do {
		uint64_t place = place_make(w->file, sl->number, line.pieces);

		lrc = line_next(&line, &w->scanner, &w->record);
		if (lrc == LINE_NOMEM)
			return imp_err_set(&w->err, IMP_E_NOMEM, "out of memory");
		if (lrc == LINE_RECORD)
			rc = first ? take_record(w, &line, place, kind, &repaired) : take_record_again(w, &line, place);
		else if (first && lrc == LINE_REJECTED)
			rc = reject(w, place, line.reason);
		else if (first && line.repair != NULL && !repaired)
			rc = note_damage(w, place, line.repair, true);
	} while (lrc != LINE_END && rc == IMP_OK);
	return rc;
}

/* ------------------------------------------------------------------ files */

/* Is the open file the one that was listed? */
static enum imp_rc
file_same(const struct input_file *in, const struct stat *st, struct imp_err *err)
{
	if ((uint64_t)st->st_size == in->bytes && (uint64_t)st->st_ino == in->inode && input_mtime_ns(st) == in->mtime_ns)
		return IMP_OK;
	imp_err_set(err, IMP_E_IO, "'%s' changed while it was read", in->path);
	imp_err_hint(err, "run ingest again when nothing writes there any more");
	return IMP_E_IO;
}

/* Hand what the worker found in its file over to the ledger. */
static enum imp_rc
file_hand_over(struct worker *w, const struct source *src)
{
	struct ledger *l = w->rd->l;
	const unsigned char *sha256 = source_sha256(src);
	enum imp_rc rc = IMP_OK;

	w->now.cut = source_cut(src);
	w->now.compression = (uint8_t)source_kind(src);
	if (w->rest_unplaced)
		w->now.rejected_to = NO_TIME; /* nothing good came behind them */
	if (sha256 != NULL) {
		w->now.hashed = true;
		memcpy(w->now.sha256, sha256, sizeof(w->now.sha256));
	}
	pthread_mutex_lock(&w->rd->lock);
	for (size_t i = 0; i < w->damages.n && rc == IMP_OK; i++)
		rc = VEC_PUSH(l->budget, &l->damages, w->damages.v[i], &w->err);
	l->files[w->file] = w->now;
	pthread_mutex_unlock(&w->rd->lock);
	return rc;
}

enum imp_rc
worker_read(struct worker *w, uint32_t file)
{
	struct reader *rd = w->rd;
	const struct input_file *in = &rd->l->inputs->v.v[file];
	bool first = rd->pass == READER_FIRST, more = true;
	struct source_limits limits = {
		.line_max = rd->opt->line_max,
		.ratio_max = SOURCE_RATIO_MAX,
		.hash = rd->opt->hash && first,
		.hash_thread = rd->opt->threads > 1 && rd->queue_n == 1,
	};
	CLEANUP(source_closep) struct source *src = NULL;
	struct source_line line;
	enum imp_rc rc;

	w->file = file;
	w->now = rd->l->files[file];
	w->damages.n = w->unplaced = 0;
	w->rest_unplaced = false;
	w->bytes_told = 0;
	w->lines_told = first ? 0 : w->now.n.lines;
	rc = source_open(rd->l->inputs->dirfd, in->path, &limits, &src, &w->err);
	if (rc == IMP_OK)
		rc = file_same(in, source_stat(src), &w->err);
	while (rc == IMP_OK && !atomic_load_explicit(&rd->stop, memory_order_relaxed)) {
		rc = source_next(src, &line, &more, &w->err);
		if (rc != IMP_OK || !more)
			break;
		if (line.number > PLACE_LINE_MAX) {
			rc = imp_err_set(&w->err, IMP_E_LIMIT, "'%s' has more than %u lines", in->path, PLACE_LINE_MAX);
			break;
		}
		rc = take_line(w, &line, in->kind);
		tell_progress(w, source_bytes(src), false);
	}
	if (rc == IMP_OK && w->batch_n > 0)
		rc = batch_flush(w);
	if (rc == IMP_OK && !more)
		rc = source_finish(src, &w->err);
	if (src != NULL)
		tell_progress(w, source_bytes(src), true);
	return rc == IMP_OK && first && !more ? file_hand_over(w, src) : rc;
}

void
worker_init(struct worker *w, struct reader *rd)
{
	w->rd = rd;
	record_scanner_init(&w->scanner);
	w->mids.look_up = ledger_mid;
	w->mids.table = &rd->l->mids;
	w->topics.look_up = ledger_topic;
	w->topics.table = &rd->l->topics_by;
	w->accounts.look_up = ledger_account;
	w->accounts.table = &rd->l->accounts_by;
}

void
worker_done(struct worker *w)
{
	VEC_FREE(NULL, &w->damages);
	record_scanner_done(&w->scanner);
}
