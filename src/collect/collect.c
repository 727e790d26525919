#include "config.h"

#include "collect/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "collect/collect_config.h"
#include "collect/collect_job.h"
#include "collect/collect_wait.h"
#include "collect/run_facts.h"

#define REST_ROUNDS_MAX 11 /* of an interval, for a system that does not answer */
#define UNTIL_DRAINED "drained"

static const char *const phase_names[] = { [PHASE_BASELINE] = "baseline",
	[PHASE_LOAD] = "load",
	[PHASE_DRAIN] = "drain",
	[PHASE_FINAL] = "final",
	[_PHASE_MAX] = NULL };

enum task { TASK_OPEN, TASK_SNAPSHOT, TASK_SAMPLE, TASK_WHOLE, TASK_AGAIN };

struct live { /* an instance that is asked */
	const struct instance *in;
	void *state; /* NULL: not open */
	struct collect_result *result;
	unsigned misses;  /* samples that failed, in a row */
	unsigned rest;	  /* rounds of the interval that it is left alone */
	bool counts_dead; /* it told the tally that it ended */
};

struct session {
	const struct collect_config *config;
	const struct collect_options *options;
	struct arena arena; /* of facts */
	struct outdir *out;
	struct journal *journal;
	struct run_facts facts;
	struct collect_job job;
	struct live *live;
	struct collect_results results; /* same order */
	volatile sig_atomic_t never;	/* for options without `stop` */
};

static bool
stopped(const struct session *s)
{
	return *s->job.stop != 0;
}

static struct outdir_counts
kept(const struct session *s)
{
	return s->out != NULL ? outdir_counts(s->out) : (struct outdir_counts){ 0, 0 };
}

/* ------------------------------------------------------------------ options */

enum imp_rc
collect_phase_find(const char *name, enum collect_phase *ret, struct imp_err *err)
{
	const char *nearest;

	for (unsigned i = 0; phase_names[i] != NULL; i++) {
		if (strcmp(phase_names[i], name) == 0) {
			*ret = (enum collect_phase)i;
			return IMP_OK;
		}
	}
	nearest = doc_nearest(slice_of(name), phase_names);
	imp_err_set(err, IMP_E_USAGE, "unknown phase '%.64s'%s%s%s", name, nearest != NULL ? ": did you mean '" : "",
	    nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
	imp_err_hint(err, "phases are baseline, load, drain and final");
	return IMP_E_USAGE;
}

static enum imp_rc
check_names(const struct session *s, const char *const *names, size_t n, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < n && rc == IMP_OK; i++)
		rc = collect_config_has(s->config, names[i], err);
	return rc;
}

static enum imp_rc
check_options(const struct session *s, struct imp_err *err)
{
	const struct collect_options *o = s->options;
	enum imp_rc rc = check_names(s, o->only, o->nonly, err);

	if (rc == IMP_OK)
		rc = check_names(s, o->skip, o->nskip, err);
	if (rc != IMP_OK)
		return rc;
	if (o->every_ns > 0 && o->phase == PHASE_FINAL)
		return imp_err_set(err, IMP_E_USAGE, "the final phase is no interval: it ends when all is collected");
	if (o->until != NULL && o->every_ns == 0)
		return imp_err_set(err, IMP_E_USAGE, "an end of sampling without an interval");
	if (o->until != NULL && strcmp(o->until, UNTIL_DRAINED) != 0 && !run_mark_exists(o->until)) {
		imp_err_set(err, IMP_E_USAGE, "'%.64s' is no mark", o->until);
		imp_err_hint(err, "it is a mark such as load_end or drain_end, or 'drained'");
		return IMP_E_USAGE;
	}
	return IMP_OK;
}

static bool
is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool
is_chosen(const struct session *s, const struct instance *in, enum task task)
{
	const struct collect_options *o = s->options;

	if (task == TASK_AGAIN && in->of->again == NULL)
		return false;
	return (o->nonly == 0 || is_one_of(in->of->name, o->only, o->nonly)) && !is_one_of(in->of->name, o->skip, o->nskip);
}

static enum imp_rc
choose(struct session *s, enum task task, struct imp_err *err)
{
	size_t n = s->config->v.n;

	s->live = calloc(n, sizeof(*s->live));
	s->results.v = calloc(n, sizeof(*s->results.v));
	if (s->live == NULL || s->results.v == NULL)
		return imp_err_set(err, IMP_E_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		const struct instance *in = &s->config->v.v[i];
		struct collect_result *r = &s->results.v[s->results.n];

		if (!is_chosen(s, in, task))
			continue;
		r->system = in->of->name;
		r->source = in->source;
		s->live[s->results.n++] = (struct live){ .in = in, .result = r };
	}
	if (s->results.n == 0)
		return imp_err_set(err, IMP_E_USAGE, "no system is left to be asked");
	return IMP_OK;
}

/* ------------------------------------------------------------------ one system, one thing */

/* It is about our own files or memory: there is no use in going on. */
static bool
is_fatal(enum imp_rc rc)
{
	return rc == IMP_E_CREATE || rc == IMP_E_IO || rc == IMP_E_NOMEM || rc == IMP_E_INTERNAL;
}

static void
say(const struct session *s, const struct live *l, enum task task)
{
	static const char *const names[] = { [TASK_OPEN] = "connecting",
		[TASK_SNAPSHOT] = "snapshot",
		[TASK_SAMPLE] = "sample",
		[TASK_WHOLE] = "collecting",
		[TASK_AGAIN] = "looking again" };
	char line[160];

	if (s->options->progress == NULL)
		return;
	snprintf(line, sizeof(line), "%s %s: %s", l->in->of->name, l->in->source, names[task]);
	s->options->progress(s->options->progress_ctx, line);
}

static void
close_state(struct live *l)
{
	if (l->state != NULL)
		l->in->of->close(l->state);
	l->state = NULL;
}

static enum imp_rc
call(struct session *s, struct live *l, enum task task, struct imp_err *err)
{
	const struct collector *of = l->in->of;
	enum imp_rc rc = IMP_OK;

	if (l->state == NULL) {
		rc = of->open(l->in->settings, &s->job, &l->state, err);
		if (rc == IMP_OK)
			snprintf(l->result->server, sizeof(l->result->server), "%s", journal_last_server(s->journal));
	}
	if (rc != IMP_OK)
		return rc;
	switch (task) {
	case TASK_OPEN:
		return IMP_OK;
	case TASK_SNAPSHOT:
	case TASK_SAMPLE:
		return of->snapshot(l->state, &s->job, task == TASK_SAMPLE, err);
	case TASK_WHOLE:
		return of->whole != NULL ? of->whole(l->state, &s->job, err) : IMP_OK;
	case TASK_AGAIN:
		return of->again(l->state, &s->job, err);
	}
	return IMP_E_INTERNAL;
}

/* A failure that left no line of its own would be one that nobody sees in the report. */
static enum imp_rc
journal_failure(struct session *s, const struct live *l, int64_t from, int64_t ns, const struct imp_err *why, struct imp_err *err)
{
	const struct asked a = {
		.system = l->in->of->name,
		.source = l->in->source,
		.what = "connection",
		.status = why->code == IMP_E_UNAVAILABLE ? ASKED_UNREACHABLE : ASKED_FAILED,
		.why = why->msg,
		.from = from,
		.ns = ns,
		.n = -1,
	};

	return journal_asked(s->journal, &a, err);
}

/* Call it, and keep the account. Only what ends the whole collection is returned; *ret_ok says how it went. */
static enum imp_rc
ask(struct session *s, struct live *l, enum task task, bool *ret_ok, struct imp_err *err)
{
	struct journal_counts asked = journal_counts(s->journal), asked_now;
	struct outdir_counts before = kept(s), after;
	int64_t from = time_now(), begin = time_monotonic(), ns;
	struct imp_err why = { .code = IMP_OK };
	enum imp_rc rc, written = IMP_OK;

	say(s, l, task);
	rc = call(s, l, task, &why);
	ns = time_monotonic() - begin;
	why.code = rc;
	if (rc == IMP_E_UNAVAILABLE)
		close_state(l);
	if (rc != IMP_OK && !is_fatal(rc) && journal_counts(s->journal).requests == asked.requests)
		written = journal_failure(s, l, from, ns, &why, err);
	asked_now = journal_counts(s->journal);
	after = kept(s);
	l->result->requests += asked_now.requests - asked.requests;
	l->result->denied += asked_now.denied - asked.denied;
	l->result->files += after.files - before.files;
	l->result->bytes += after.bytes - before.bytes;
	l->result->ns += ns;
	*ret_ok = rc == IMP_OK;
	/* what is cut short since we were told to end the sampling is no failure */
	if (rc != IMP_OK && l->result->failed.code == IMP_OK && !(task == TASK_SAMPLE && stopped(s)))
		l->result->failed = why;
	if (is_fatal(rc) && err != NULL)
		*err = why;
	return is_fatal(rc) ? rc : written;
}

static enum imp_rc
ask_all(struct session *s, enum task task, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;
	bool ok;

	for (size_t i = 0; i < s->results.n && rc == IMP_OK; i++) {
		struct live *l = &s->live[i];
		uint64_t told = s->job.deads != NULL ? dead_tally_sources(s->job.deads) : 0;

		if (stopped(s)) {
			if (l->result->failed.code == IMP_OK)
				imp_err_set(&l->result->failed, IMP_E_UNAVAILABLE, "stopped before all was collected");
			continue;
		}
		s->job.mark =
		    task == TASK_SNAPSHOT && s->options->phase_given ? job_mark_now(outdir_fd(s->out), s->options->phase) : NULL;
		rc = ask(s, l, task, &ok, err);
		if (s->job.deads != NULL && dead_tally_sources(s->job.deads) > told)
			l->counts_dead = true;
	}
	return rc;
}

/* ------------------------------------------------------------------ an interval */

/* A system that does not answer is left alone for a while, so that the others are sampled in time. */
static enum imp_rc
sample_one(struct session *s, struct live *l, struct imp_err *err)
{
	bool ok = true;
	enum imp_rc rc;

	if (l->rest > 0) {
		l->rest--;
		return IMP_OK;
	}
	rc = ask(s, l, TASK_SAMPLE, &ok, err);
	if (!ok && stopped(s))
		return rc;
	l->result->samples++;
	l->result->samples_failed += !ok;
	l->misses = ok ? 0 : l->misses + 1;
	l->rest = l->misses < 4 ? (1U << l->misses) - 1 : REST_ROUNDS_MAX;
	return rc;
}

static enum imp_rc
sample_all(struct session *s, struct imp_err *err)
{
	enum imp_rc rc = IMP_OK;

	for (size_t i = 0; i < s->results.n && rc == IMP_OK && !stopped(s); i++)
		rc = sample_one(s, &s->live[i], err);
	return rc;
}

static bool
all_drained(const struct session *s)
{
	for (size_t i = 0; i < s->results.n; i++) {
		const struct live *l = &s->live[i];

		if (l->in->of->drained != NULL && (l->state == NULL || l->misses > 0 || !l->in->of->drained(l->state)))
			return false;
	}
	return true;
}

static enum imp_rc
check_drained(const struct session *s, struct imp_err *err)
{
	for (size_t i = 0; i < s->results.n; i++)
		if (s->live[i].in->of->drained != NULL)
			return IMP_OK;
	return imp_err_set(err, IMP_E_USAGE, "nothing that is sampled can say whether it is drained: Kafka could");
}

/* Has the end come? *ret_at is when it does, if that is known, else INT64_MAX. */
static bool
is_over(const struct session *s, int64_t *ret_at)
{
	const struct collect_options *o = s->options;
	const char *mark = o->until != NULL ? o->until : run_phase_mark(o->phase + 1);
	int64_t t;

	*ret_at = INT64_MAX;
	if (strcmp(mark, UNTIL_DRAINED) == 0)
		return all_drained(s);
	/* that the file cannot be read may be since it is being written: it is read again */
	if (run_mark_time(outdir_fd(s->out), mark, &t, NULL) != IMP_OK || t == INT64_MIN)
		return false;
	*ret_at = t;
	return t <= time_now();
}

/* Rounds are due at whole multiples of the interval behind the first: they do not drift, and one that took too long costs those
 * that it covered. */
static enum imp_rc
sample_rounds(struct session *s, struct imp_err *err)
{
	int64_t every = s->options->every_ns, first = time_monotonic(), end;
	enum imp_rc rc = IMP_OK;

	if (s->options->until != NULL && strcmp(s->options->until, UNTIL_DRAINED) == 0)
		rc = check_drained(s, err);
	while (rc == IMP_OK && !stopped(s) && !is_over(s, &end)) {
		int64_t rounds = (time_monotonic() - first) / every + 1;

		wait_until(first + rounds * every, end, s->job.stop);
		if (!stopped(s))
			rc = sample_all(s, err);
	}
	return rc;
}

/* ------------------------------------------------------------------ the whole */

static bool
holds_letters(const struct instance *in)
{
	return in->of->holds_dead_letters != NULL && in->of->holds_dead_letters(in->settings);
}

static struct live *
find_live(const struct session *s, const struct instance *in)
{
	for (size_t i = 0; i < s->results.n; i++)
		if (s->live[i].in == in)
			return &s->live[i];
	return NULL;
}

/* The line that speaks for all sources of letters: one that did not answer, or was not asked, makes it incomplete. Nothing when
 * none was asked. */
static enum imp_rc
write_deads(struct session *s, int64_t begin, struct imp_err *err)
{
	CLEANUP(buf_done) struct buf stem = BUF_INIT(64), line = BUF_INIT(1024);
	bool any = dead_tally_sources(s->job.deads) > 0, whole = true;
	enum imp_rc rc;

	for (size_t i = 0; i < s->config->v.n; i++) {
		const struct instance *in = &s->config->v.v[i];
		const struct live *l = find_live(s, in);

		if (!holds_letters(in) || (l != NULL && l->counts_dead))
			continue;
		any |= l != NULL;
		whole = false;
	}
	if (!any)
		return IMP_OK;
	if (!whole)
		dead_tally_source(s->job.deads, false);
	dead_tally_end(s->job.deads, begin, &line);
	buf_addf(&stem, "db/check-%lld/deads", (long long)s->job.check);
	rc = buf_status(&line, err);
	if (rc == IMP_OK)
		rc = buf_status(&stem, err);
	return rc == IMP_OK ? outdir_put(s->out, stem.p, ".jsonl", buf_slice(&line), NULL, err) : rc;
}

/* Rows and letters, as the next check. */
static enum imp_rc
look_up(struct session *s, enum task task, struct imp_err *err)
{
	int64_t begin = time_now();
	enum imp_rc rc = job_next_check(outdir_fd(s->out), &s->job.check, err), written;

	if (rc == IMP_OK)
		rc = dead_tally_new(s->job.check, &s->job.deads, err);
	if (rc != IMP_OK)
		return rc;
	rc = ask_all(s, task, err);
	written = write_deads(s, begin, rc == IMP_OK ? err : NULL);
	return rc != IMP_OK ? rc : written;
}

static enum imp_rc
do_phase(struct session *s, struct imp_err *err)
{
	enum imp_rc rc;

	if (s->options->dry)
		return ask_all(s, TASK_OPEN, err);
	rc = ask_all(s, TASK_SNAPSHOT, err);
	if (rc == IMP_OK && s->options->phase == PHASE_FINAL)
		rc = look_up(s, TASK_WHOLE, err);
	if (rc == IMP_OK && s->options->every_ns > 0)
		rc = sample_rounds(s, err);
	return rc;
}

static enum imp_rc
open_session(struct session *s, const char *phase, enum task task, struct imp_err *err)
{
	const struct collect_options *o = s->options;
	enum imp_rc rc = check_options(s, err);

	s->job.phase = o->phase;
	s->job.allow_scan = o->allow_scan;
	s->job.stop = o->stop != NULL ? o->stop : &s->never;
	s->job.run = &s->facts;
	s->facts = (struct run_facts)RUN_FACTS_NONE;
	if (rc == IMP_OK)
		rc = choose(s, task, err);
	if (rc == IMP_OK && o->out != NULL && !o->dry)
		rc = outdir_open(o->out, &s->out, err);
	if (rc == IMP_OK && s->out != NULL)
		rc = run_facts_read(outdir_fd(s->out), &s->arena, &s->facts, err);
	if (rc == IMP_OK)
		rc = journal_open(s->out, phase, &s->journal, err);
	s->job.out = s->out;
	s->job.journal = s->journal;
	return rc;
}

/* Ends all, also after a failure: what was closed well is in the manifest. */
static enum imp_rc
close_session(struct session *s, enum imp_rc rc, struct imp_err *err)
{
	enum imp_rc closed;

	for (size_t i = 0; i < s->results.n; i++) {
		struct outdir_counts before = kept(s), after;

		close_state(&s->live[i]);
		after = kept(s);
		s->results.v[i].files += after.files - before.files;
		s->results.v[i].bytes += after.bytes - before.bytes;
	}
	closed = journal_close(s->journal, rc == IMP_OK ? err : NULL);
	rc = rc != IMP_OK ? rc : closed;
	if (s->out != NULL) {
		closed = outdir_write_manifest(s->out, rc == IMP_OK ? err : NULL);
		rc = rc != IMP_OK ? rc : closed;
	}
	outdir_close(s->out);
	dead_tally_free(s->job.deads);
	arena_done(&s->arena);
	free(s->live);
	return rc;
}

enum imp_rc
collect_run(const struct collect_config *c, const struct collect_options *o, struct collect_results *ret, struct imp_err *err)
{
	struct session s = { .config = c, .options = o };
	enum imp_rc rc = open_session(&s, o->dry ? "dry" : phase_names[o->phase], TASK_OPEN, err);

	if (rc == IMP_OK)
		rc = do_phase(&s, err);
	rc = close_session(&s, rc, err);
	if (rc == IMP_OK)
		*ret = s.results;
	else
		collect_results_done(&s.results);
	return rc;
}

enum imp_rc
collect_again(const struct collect_config *c, const struct collect_options *o, const char *const *mids, const char *const *topics,
    size_t n, int64_t *ret_check, struct collect_results *ret, struct imp_err *err)
{
	struct session s = { .config = c, .options = o };
	enum imp_rc rc = open_session(&s, "recheck", TASK_AGAIN, err);

	s.job.phase = PHASE_FINAL;
	s.job.mids = mids;
	s.job.mid_topics = topics;
	s.job.nmids = n;
	if (rc == IMP_OK)
		rc = look_up(&s, TASK_AGAIN, err);
	if (rc == IMP_OK) /* how far consumers are at this check says whether what was absent is still on its way */
		rc = ask_all(&s, TASK_SAMPLE, err);
	rc = close_session(&s, rc, err);
	if (rc == IMP_OK) {
		*ret_check = s.job.check;
		*ret = s.results;
	} else {
		collect_results_done(&s.results);
	}
	return rc;
}

void
collect_results_done(struct collect_results *r)
{
	free(r->v);
	*r = (struct collect_results){ NULL, 0 };
}

enum imp_rc
collect_results_failure(const struct collect_results *r, struct imp_err *err)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->v[i].failed.code == IMP_OK)
			continue;
		if (err != NULL) {
			*err = r->v[i].failed;
			imp_err_wrap(err, "%s %s", r->v[i].system, r->v[i].source);
		}
		return r->v[i].failed.code;
	}
	return IMP_OK;
}
