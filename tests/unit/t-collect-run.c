/* The configuration and the course of a collection, with systems that are made up here. */
#include "config.h"

#include "collect/collect.h"

#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/settings.h"
#include "base/time.h"
#include "collect/collect_config.h"
#include "collect/collect_job.h"
#include "fault.h"
#include "run-dir.h"
#include "tap.h"

#define CONFIG "impaudit.yaml"

static struct imp_err err;
static volatile sig_atomic_t stop;
static char events[4096]; /* what the systems were asked, in order */
static int live_settings; /* that nobody has forgotten */

/* ------------------------------------------------------------------ systems */

struct settings {
	const char *source;
	int64_t timeout_ns;
	uint64_t tries;
	bool letters;
	struct secret password;
};

struct behaviour {
	enum imp_rc open, snapshot, sample, whole;
	int samples_until_drained; /* 0: it is from the start */
	int stop_at_sample;
	bool denied, forgets_letters;
} is_to;

static enum imp_rc
answer(enum imp_rc rc, struct imp_err *e)
{
	return rc == IMP_OK ? rc : imp_err_set(e, rc, "made up");
}

__attribute__((format(printf, 1, 2))) static void
note(const char *fmt, ...)
{
	size_t n = strlen(events);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(events + n, sizeof(events) - n, fmt, ap);
	va_end(ap);
}

static void
fake_forget(void *settings)
{
	struct settings *s = settings;

	live_settings--;
	secret_done(&s->password);
}

static enum imp_rc
fake_configure(struct arena *arena, const struct doc_node *map, const char *source, const struct ask_limits *limits,
    void **ret_settings, struct imp_err *e)
{
	static const char *const keys[] = { "password", "letters", COLLECTOR_KEYS, NULL };
	struct settings *s = arena_alloc(arena, sizeof(*s), e);
	enum imp_rc rc;

	if (s == NULL)
		return IMP_E_NOMEM;
	live_settings++;
	*s = (struct settings){ .source = source, .timeout_ns = limits->timeout_ns, .tries = limits->tries };
	rc = doc_check_keys(map, keys, e);
	if (rc == IMP_OK)
		rc = setting_bool(doc_get(map, "letters"), false, &s->letters, e);
	if (rc == IMP_OK)
		rc = secret_read(doc_get(map, "password"), &s->password, e);
	if (rc != IMP_OK)
		fake_forget(s);
	else
		*ret_settings = s;
	return rc;
}

static bool
fake_holds(const void *settings)
{
	return ((const struct settings *)settings)->letters;
}

struct state {
	const struct settings *settings;
	int samples;
};

static enum imp_rc
fake_open(const void *settings, const struct collect_job *job, void **ret_state, struct imp_err *e)
{
	const struct settings *s = settings;
	const struct server_identity id = { .system = "fake", .source = s->source, .address = "there:1", .version = "2.0" };
	struct state *state;
	enum imp_rc rc;

	note("open %s\n", s->source);
	rc = answer(is_to.open, e);
	if (rc == IMP_OK)
		rc = journal_server(job->journal, &id, e);
	if (rc != IMP_OK)
		return rc;
	state = calloc(1, sizeof(*state));
	if (state == NULL)
		return imp_err_set(e, IMP_E_NOMEM, "out of memory");
	state->settings = s;
	*ret_state = state;
	return IMP_OK;
}

static enum imp_rc
fake_snapshot(void *st, const struct collect_job *job, bool sample, struct imp_err *e)
{
	CLEANUP(buf_done) struct buf stem = BUF_INIT(256);
	struct state *s = st;
	const struct asked a = { .system = "fake",
		.source = s->settings->source,
		.what = "counters",
		.status = is_to.denied ? ASKED_DENIED : ASKED_OK };
	enum imp_rc rc;

	note("%s %s\n", sample ? "sample" : "snapshot", s->settings->source);
	s->samples += sample;
	if (sample && s->samples == is_to.stop_at_sample)
		stop = 1;
	rc = answer(sample ? is_to.sample : is_to.snapshot, e);
	if (rc != IMP_OK)
		return rc;
	job_stem(job, "metrics", s->settings->source, sample, &stem);
	rc = buf_status(&stem, e);
	if (rc == IMP_OK)
		rc = outdir_put(job->out, stem.p, ".prom", SLICE("up 1\n"), NULL, e);
	return rc == IMP_OK ? journal_asked(job->journal, &a, e) : rc;
}

static enum imp_rc
fake_whole(void *st, const struct collect_job *job, struct imp_err *e)
{
	const struct state *s = st;

	note("whole %s %lld\n", s->settings->source, (long long)job->check);
	if (s->settings->letters && !is_to.forgets_letters)
		dead_tally_source(job->deads, is_to.whole == IMP_OK);
	return answer(is_to.whole, e);
}

static enum imp_rc
fake_again(void *st, const struct collect_job *job, struct imp_err *e)
{
	const struct state *s = st;

	(void)e;
	note("again %s %lld %s/%s %zu\n", s->settings->source, (long long)job->check, job->mid_topics[0], job->mids[0], job->nmids);
	return IMP_OK;
}

static bool
fake_drained(const void *st)
{
	return ((const struct state *)st)->samples >= is_to.samples_until_drained;
}

static const struct collector alpha = { "alpha", fake_configure, fake_forget, fake_holds, fake_open, fake_snapshot, fake_whole,
	fake_again, fake_drained, free };
static const struct collector beta = { "beta", fake_configure, fake_forget, NULL, fake_open, fake_snapshot, NULL, NULL, NULL,
	free };
const struct collector *const collectors[COLLECTORS_MAX + 1] = { &alpha, &beta, NULL };

/* ------------------------------------------------------------------ the configuration */

static struct collect_config *
read_config(const char *text)
{
	struct collect_config *c = NULL;

	err = (struct imp_err){ 0 };
	run_dir_put(CONFIG, "%s", text);
	if (collect_config_read(run_dir_path(CONFIG), &c, &err) != IMP_OK)
		return NULL;
	return c;
}

static void
check_refused(const char *text, const char *want)
{
	struct collect_config *c = read_config(text);
	char got[sizeof(err.msg)];
	size_t folder = strlen(run_dir) + 1;

	ok(c == NULL && err.code == IMP_E_RULE, "refused");
	snprintf(got, sizeof(got), "%s", strlen(err.msg) > folder ? err.msg + folder : err.msg);
	is_str(got, want, "with its place");
	is_int(live_settings, 0, "all is forgotten");
	collect_config_close(c);
}

static void
test_config(void)
{
	struct collect_config *c;
	const struct settings *s;

	setenv("IMP_TEST_SECRET", "geheim", 1);
	c = read_config(
	    "format: 1\ntimeout: 5s\nalpha:\n  - {name: one, password: {env: IMP_TEST_SECRET}}\n  - {name: two, timeout: 7s, tries: 1}\n"
	    "beta: {}\n");
	ok(c != NULL, "a configuration: %s", err.msg);
	s = collect_config_settings(c, &alpha, 0);
	is_str(s->source, "one", "the first");
	is_str(s->password.p, "geheim", "its secret");
	ok(s->timeout_ns == 5000000000, "the limit of all");
	is_int((intmax_t)s->tries, 3, "the default");
	s = collect_config_settings(c, &alpha, 1);
	is_str(s->source, "two", "the second");
	ok(s->timeout_ns == 7000000000, "its own limit");
	is_int((intmax_t)s->tries, 1, "another");
	s = collect_config_settings(c, &beta, 0);
	is_str(s->source, "main", "of a map without a name");
	ok(collect_config_settings(c, &alpha, 2) == NULL && collect_config_settings(c, &beta, 1) == NULL, "no more");
	collect_config_close(c);
	is_int(live_settings, 0, "forgotten");

	check_refused("alpha: {}\n", CONFIG ":1:1: key 'format' is missing");
	check_refused("format: 2\nalpha: {}\n", CONFIG ":1:9: must be 1, not '2'");
	check_refused("format: 1\nalfa: {}\n", CONFIG ":2:1: unknown key 'alfa': did you mean 'alpha'?");
	check_refused("format: 1\n", CONFIG ":1:1: no system is configured");
	check_refused("format: 1\nalpha: []\n", CONFIG ":1:1: no system is configured");
	check_refused("format: 1\nalpha: yes\n", CONFIG ":2:8: a map is expected here, not a single value");
	check_refused("format: 1\nalpha: [{}]\n", CONFIG ":2:9: key 'name' is missing: it tells the maps of a list apart");
	check_refused("format: 1\nalpha: [{name: x}, {name: x}]\n", CONFIG ":2:27: two maps of 'alpha' have the name 'x'");
	check_refused("format: 1\nalpha: {name: ../x}\n",
	    CONFIG ":2:15: a name is of letters, digits, '.', '_' and '-', at most 63, not '../x'");
	check_refused("format: 1\nalpha: {tries: 0}\n", CONFIG ":2:16: '0' is not a number from 1 to 20");
	check_refused("format: 1\nalpha: [{name: x}, {name: y, pasword: 1}]\n",
	    CONFIG ":2:30: unknown key 'pasword': did you mean 'password'?");
	check_refused("format: 1\nalpha: {password: geheim}\n", CONFIG ":2:19: a secret does not stand in the configuration");
	ok(collect_config_read("not-there.yaml", &c, &err) == IMP_E_NOINPUT, "no file: %s", err.msg);
}

/* ------------------------------------------------------------------ the course */

static const char two_of_alpha[] = "format: 1\nalpha: [{name: a, letters: true}, {name: b, letters: true}]\nbeta: {name: c}\n";

struct outcome {
	enum imp_rc rc;
	struct collect_results results;
	struct collect_config *config;
};

static void
outcome_done(struct outcome *o)
{
	collect_results_done(&o->results);
	collect_config_close(o->config);
}

static char out_path[300];

/* Collect into the folder "run" of a directory; systems do as `is_to` says. */
static struct outcome
collect(const char *config, struct collect_options o)
{
	struct outcome r = { .config = read_config(config) };

	events[0] = '\0';
	stop = 0;
	err = (struct imp_err){ 0 };
	snprintf(out_path, sizeof(out_path), "%s/run", run_dir);
	o.out = out_path;
	o.stop = &stop;
	r.rc = collect_run(r.config, &o, &r.results, &err);
	is_to = (struct behaviour){ .open = IMP_OK };
	return r;
}

/* How many files there are below "run" whose names fit. */
static int
count(const char *pattern)
{
	char full[600];
	glob_t g = { 0 };
	int n;

	snprintf(full, sizeof(full), "%s/run/%s", run_dir, pattern);
	n = glob(full, 0, NULL, &g) == 0 ? (int)g.gl_pathc : 0;
	globfree(&g);
	return n;
}

static const char *
content(const char *path)
{
	static char text[8192];
	FILE *f = fopen(run_dir_path(path), "re");
	size_t n = f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f != NULL)
		fclose(f);
	return text;
}

static void
test_final(void)
{
	struct outcome r;

	run_dir_clear();
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL });
	is_int(r.rc, IMP_OK, "a final phase");
	is_str(events, "open a\nsnapshot a\nopen b\nsnapshot b\nopen c\nsnapshot c\nwhole a 1\nwhole b 1\n",
	    "snapshots come first");
	is_int((intmax_t)r.results.n, 3, "results");
	is_str(r.results.v[2].system, "beta", "of a system");
	is_str(r.results.v[2].server, "there:1, 2.0", "who answered");
	is_int((intmax_t)r.results.v[0].requests, 1, "requests");
	is_int((intmax_t)r.results.v[0].files, 1, "files");
	is_int((intmax_t)r.results.v[0].bytes, 5, "bytes");
	is_int(collect_results_failure(&r.results, &err), IMP_OK, "all went well");
	is_int(count("metrics/?@1[0-9]*.prom"), 3, "files by the time");
	ok(strstr(content("run/db/check-1/deads.jsonl"), "\"complete\": true, \"count\": 0, \"check\": 1}") != NULL,
	    "the line about letters");
	is_int(count("collect/*.jsonl"), 1, "a journal");
	ok(strstr(content("run/manifest.sha256"), "  db/check-1/deads.jsonl\n") != NULL &&
		strstr(content("run/manifest.sha256"), "  collect/") != NULL,
	    "the manifest has them");
	outcome_done(&r);

	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL });
	ok(strstr(events, "whole a 2\n") != NULL, "the next is check 2");
	outcome_done(&r);
	ok(access(run_dir_path("run/db/check-2/deads.jsonl"), F_OK) == 0, "in its folder");
}

static void
test_checks(void)
{
	static const struct {
		const char *file;
		int64_t want;
	} rows[] = { { "run.json", 1 }, { "db/status@1790000000.jsonl", 1 }, { "db/rows.txt", 1 }, { "db/rows.jsonl", 2 },
		{ "db/rows.jsonl.gz", 2 }, { "db/check-7/rows.jsonl", 8 }, { "db/check-x/rows.jsonl", 1 },
		{ "db/check-/rows.jsonl", 1 }, { "db/check-99999999999/rows.jsonl", 1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct outdir *d;
		int64_t got = 0;

		run_dir_clear();
		run_dir_put(rows[i].file, "x");
		is_int(outdir_open(run_dir, &d, &err), IMP_OK, rows[i].file);
		is_int(job_next_check(outdir_fd(d), &got, &err), IMP_OK, "the next look-up");
		is_int(got, rows[i].want, "its number");
		outdir_close(d);
	}
}

static void
test_failures(void)
{
	struct outcome r;

	run_dir_clear();
	is_to.open = IMP_E_UNAVAILABLE;
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL });
	is_int(r.rc, IMP_OK, "nobody answers");
	is_str(events, "open a\nopen b\nopen c\nopen a\nopen b\nopen c\n", "each was asked, and again for the rest");
	is_int(collect_results_failure(&r.results, &err), IMP_E_UNAVAILABLE, "that is a failure");
	is_str(err.msg, "alpha a: made up", "the first is named");
	ok(strstr(content("run/db/check-1/deads.jsonl"), "\"complete\": false, \"count\": 0") != NULL, "letters are not complete");
	is_int((intmax_t)r.results.v[0].requests, 2, "lines that the systems did not write");
	outcome_done(&r);

	run_dir_clear();
	is_to.whole = IMP_E_UNAVAILABLE;
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL });
	is_int(r.results.v[0].failed.code, IMP_E_UNAVAILABLE, "broken off");
	is_int(r.results.v[2].failed.code, IMP_OK, "another is well");
	ok(strstr(content("run/db/check-1/deads.jsonl"), "\"complete\": false") != NULL, "letters are not complete");
	outcome_done(&r);

	run_dir_clear();
	is_to.forgets_letters = true;
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL });
	ok(strstr(content("run/db/check-1/deads.jsonl"), "\"complete\": false") != NULL,
	    "a source that says nothing is not complete");
	outcome_done(&r);

	run_dir_clear();
	is_to.denied = true;
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_BASELINE });
	is_int(collect_results_failure(&r.results, &err), IMP_OK, "what is denied is no failure");
	is_int((intmax_t)r.results.v[0].denied, 1, "but is counted");
	outcome_done(&r);

	run_dir_clear();
	is_to.snapshot = IMP_E_IO;
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL });
	is_int(r.rc, IMP_E_IO, "what is about our files ends it");
	is_str(events, "open a\nsnapshot a\n", "at once");
	outcome_done(&r);

	run_dir_clear();
	run_dir_put("run/run.json", "{");
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL });
	is_int(r.rc, IMP_E_DATA, "a broken run.json");
	is_str(events, "", "nobody was asked");
	outcome_done(&r);
}

static void
test_choice(void)
{
	static const char *const alphas[] = { "alpha" }, *const betas[] = { "beta" }, *const others[] = { "gamma" };
	struct outcome r;

	run_dir_clear();
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_BASELINE, .only = betas, .nonly = 1 });
	is_str(events, "open c\nsnapshot c\n", "one alone");
	outcome_done(&r);
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_BASELINE, .skip = alphas, .nskip = 1 });
	is_str(events, "open c\nsnapshot c\n", "without one");
	outcome_done(&r);
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL, .skip = alphas, .nskip = 1 });
	is_int(count("db/check-*"), 0, "letters that nobody was asked for have no line");
	outcome_done(&r);
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL, .only = others, .nonly = 1 });
	is_int(r.rc, IMP_E_USAGE, "one that is not configured");
	outcome_done(&r);
	r = collect(two_of_alpha,
	    (struct collect_options){ .phase = PHASE_FINAL, .only = alphas, .nonly = 1, .skip = alphas, .nskip = 1 });
	is_int(r.rc, IMP_E_USAGE, "none is left");
	outcome_done(&r);
	r = collect(two_of_alpha, (struct collect_options){ .phase = PHASE_FINAL, .dry = true });
	is_str(events, "open a\nopen b\nopen c\n", "only to see who answers");
	is_str(r.results.v[0].server, "there:1, 2.0", "he says so");
	outcome_done(&r);
}

static void
test_marks(void)
{
	const struct collect_options load = { .phase = PHASE_LOAD, .phase_given = true };
	struct outcome r;

	run_dir_clear();
	r = collect("format: 1\nbeta: {name: c}\n", load);
	is_int(count("metrics/c@load_start.prom"), 1, "a phase that was asked for by name");
	outcome_done(&r);
	run_dir_clear();
	run_dir_put("run/timeline.json", "{\"load_start\":%lld}", (long long)(time_now() - 2 * NS_PER_S));
	r = collect("format: 1\nbeta: {name: c}\n", load);
	is_int(count("metrics/c@load_start.prom"), 1, "whose mark is near");
	outcome_done(&r);
	run_dir_clear();
	run_dir_put("run/timeline.json", "{\"load_start\":%lld}", (long long)(time_now() - 60 * NS_PER_S));
	r = collect("format: 1\nbeta: {name: c}\n", load);
	is_int(count("metrics/c@1*.prom"), 1, "whose mark lies elsewhere");
	outcome_done(&r);
	run_dir_clear();
	r = collect("format: 1\nbeta: {name: c}\n", (struct collect_options){ .phase = PHASE_LOAD });
	is_int(count("metrics/c@1*.prom"), 1, "that was not");
	outcome_done(&r);
}

static void
test_interval(void)
{
	static const char one[] = "format: 1\nalpha: {name: a}\n";
	const struct collect_options often = { .phase = PHASE_DRAIN, .phase_given = true, .every_ns = 20000000 };
	struct collect_options drained = often, until = often;
	struct outcome r;

	drained.until = "drained";
	run_dir_clear();
	is_to.samples_until_drained = 3;
	r = collect(one, drained);
	is_int(r.rc, IMP_OK, "until it is drained");
	is_str(events, "open a\nsnapshot a\nsample a\nsample a\nsample a\n", "three samples");
	is_int((intmax_t)r.results.v[0].samples, 3, "are counted");
	is_int(count("metrics/a@load_end.prom"), 1, "the snapshot bears the mark");
	is_int(count("metrics/a@1*.prom"), 3, "samples the time");
	outcome_done(&r);

	run_dir_clear();
	is_to.stop_at_sample = 2;
	is_to.samples_until_drained = 1000;
	r = collect(one, drained);
	is_int(collect_results_failure(&r.results, &err), IMP_OK, "told to stop: that is no failure");
	is_str(events, "open a\nsnapshot a\nsample a\nsample a\n", "and it ends");
	ok(access(run_dir_path("run/manifest.sha256"), F_OK) == 0, "well");
	outcome_done(&r);

	run_dir_clear();
	is_to.stop_at_sample = 1;
	is_to.samples_until_drained = 1000;
	is_to.sample = IMP_E_UNAVAILABLE;
	r = collect(one, drained);
	is_int(collect_results_failure(&r.results, &err), IMP_OK, "cut short by that");
	is_int((intmax_t)r.results.v[0].samples, 0, "is no sample");
	outcome_done(&r);

	run_dir_clear();
	run_dir_put("run/timeline.json", "{\"drain_end\":%lld}", (long long)time_now() - 1);
	r = collect(one, often);
	is_str(events, "open a\nsnapshot a\n", "the next phase has begun already");
	outcome_done(&r);
	run_dir_clear();
	run_dir_put("run/timeline.json", "{\"drain_end\":%lld}", (long long)time_now() + 50000000);
	r = collect(one, often);
	ok(r.results.v[0].samples >= 1, "it begins soon: %d samples", (int)r.results.v[0].samples);
	outcome_done(&r);

	/* rounds that fail: it is left alone for one, then for three, and told to stop at the third sample */
	run_dir_clear();
	is_to.sample = IMP_E_UNAVAILABLE;
	run_dir_put("run/timeline.json", "{\"drain_end\":%lld}", (long long)time_now() + 250000000);
	r = collect(one, often);
	ok(r.results.v[0].samples >= 2 && r.results.v[0].samples <= 4, "one that does not answer: %d samples in 12 rounds",
	    (int)r.results.v[0].samples);
	is_int((intmax_t)r.results.v[0].samples_failed, (intmax_t)r.results.v[0].samples, "failed");
	ok(strstr(events, "sample a\nopen a\nsample a\n") != NULL, "it is connected to anew");
	is_int(collect_results_failure(&r.results, &err), IMP_E_UNAVAILABLE, "evidence is not complete");
	outcome_done(&r);

	until.until = "load";
	r = collect(one, until);
	is_int(r.rc, IMP_E_USAGE, "no mark");
	outcome_done(&r);
	until.until = "drain_end";
	until.every_ns = 0;
	r = collect(one, until);
	is_int(r.rc, IMP_E_USAGE, "an end without interval");
	outcome_done(&r);
	until = often;
	until.phase = PHASE_FINAL;
	r = collect(one, until);
	is_int(r.rc, IMP_E_USAGE, "the final phase is no interval");
	outcome_done(&r);
	r = collect("format: 1\nbeta: {name: c}\n", drained);
	is_int(r.rc, IMP_E_USAGE, "nobody can say whether it is drained");
	outcome_done(&r);
}

static void
test_stopped(void)
{
	struct collect_options o = { .phase = PHASE_FINAL, .stop = &stop };
	struct collect_results results = { NULL, 0 };
	struct collect_config *c;

	run_dir_clear();
	c = read_config(two_of_alpha);
	snprintf(out_path, sizeof(out_path), "%s/run", run_dir);
	o.out = out_path;
	stop = 1;
	events[0] = '\0';
	is_int(collect_run(c, &o, &results, &err), IMP_OK, "told to stop before it began");
	is_str(events, "", "nobody is asked");
	is_int(collect_results_failure(&results, &err), IMP_E_UNAVAILABLE, "and that is not all");
	collect_results_done(&results);
	collect_config_close(c);
	stop = 0;
}

static void
test_again(void)
{
	const char *const mids[] = { "m1", "m2" }, *const topics[] = { "t1", "t2" };
	struct collect_options o = { .phase = PHASE_FINAL };
	struct collect_results results = { NULL, 0 };
	struct collect_config *c;
	int64_t check = 0;

	run_dir_clear();
	c = read_config(two_of_alpha);
	run_dir_put("run/db/check-4/rows.jsonl", "x");
	snprintf(out_path, sizeof(out_path), "%s/run", run_dir);
	o.out = out_path;
	events[0] = '\0';
	is_int(collect_again(c, &o, mids, topics, 2, &check, &results, &err), IMP_OK, "again");
	is_str(events, "open a\nagain a 5 t1/m1 2\nopen b\nagain b 5 t1/m1 2\nsample a\nsample b\n",
	    "those that can, then how they are");
	is_int(check, 5, "the next check");
	collect_results_done(&results);
	collect_config_close(c);
}

/* Every allocation fails once: a clean error or the whole, nothing lost, nothing leaked. */
static void
test_memory(void)
{
	struct collect_options o = { .phase = PHASE_FINAL };
	int n = 0, broken = 0;

	for (bool more = true; more && n < 2000;) {
		struct collect_config *c = NULL;
		struct collect_results results = { NULL, 0 };
		enum imp_rc rc;

		run_dir_clear();
		run_dir_put(CONFIG, "%s", two_of_alpha);
		run_dir_put("run/topics.jsonl", "{\"topic\":\"t\",\"kind\":\"p2p\"}\n");
		snprintf(out_path, sizeof(out_path), "%s/run", run_dir);
		o.out = out_path;
		fault_hits = 0;
		fault_at = ++n;
		rc = collect_config_read(run_dir_path(CONFIG), &c, &err);
		if (rc == IMP_OK)
			rc = collect_run(c, &o, &results, &err);
		fault_at = 0;
		more = fault_hits > 0;
		broken += rc != (more ? IMP_E_NOMEM : IMP_OK) && rc != IMP_OK;
		collect_results_done(&results);
		collect_config_close(c);
		broken += live_settings != 0;
	}
	ok(broken == 0 && n > 30 && n < 2000, "%d allocations", n);
}

int
main(void)
{
	enum collect_phase phase = PHASE_BASELINE;

	run_dir_clear();
	test_config();
	test_final();
	test_checks();
	test_failures();
	test_choice();
	test_marks();
	test_interval();
	test_stopped();
	test_again();
	test_memory();
	is_int(collect_phase_find("drain", &phase, &err), IMP_OK, "a phase");
	is_int(phase, PHASE_DRAIN, "is it");
	is_int(collect_phase_find("drian", &phase, &err), IMP_E_USAGE, "a wrong one");
	is_str(err.msg, "unknown phase 'drian': did you mean 'drain'?", "says what is near");
	return done();
}
