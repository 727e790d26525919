/* The agent's ledger on disk: every line is there once and whole, `end` counts them, and what could not be written is said. json-c is
 * the judge of the lines. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "agent/ledger_writer.h"
#include "base/cleanup.h"
#include "run-dir.h"
#include "tap.h"

#define LINES 20000
#define THREADS 3
#define FILE_BYTES_MAX ((size_t)64 << 20)

static int dirfd_;

static struct ledger_writer *
opened(struct ledger_writer_options o)
{
	struct ledger_writer *w = NULL;
	struct imp_err err = { .msg = "" };

	o.dirfd = dirfd_;
	o.version = "0.1";
	o.plan_sha256 = "abc";
	if (o.queue_bytes == 0)
		o.queue_bytes = LEDGER_QUEUE_BYTES_DEFAULT;
	if (!ok(ledger_writer_open(&o, &w, &err) == IMP_OK, "%s opens %s", o.agent, err.msg))
		exit(1);
	return w;
}

/* A file of the ledger, unpacked; false: it is not there. */
static bool
content(const char *name, struct buf *out)
{
	CLEANUP(close_fdp) int fd = openat(dirfd_, name, O_RDONLY);
	static char raw[FILE_BYTES_MAX];
	ssize_t n = fd >= 0 ? read(fd, raw, sizeof(raw)) : -1;
	CLEANUP(freep) char *plain = malloc(FILE_BYTES_MAX);
	ZSTD_DStream *d = ZSTD_createDStream();
	ZSTD_inBuffer in = { raw, n > 0 ? (size_t)n : 0, 0 };
	ZSTD_outBuffer to = { plain, FILE_BYTES_MAX, 0 };

	buf_clear(out);
	if (n >= 0 && strstr(name, ".zst") == NULL)
		buf_add(out, raw, (size_t)n);
	while (n >= 0 && strstr(name, ".zst") != NULL && in.pos < in.size && !ZSTD_isError(ZSTD_decompressStream(d, &to, &in)))
		;
	if (n >= 0 && strstr(name, ".zst") != NULL)
		buf_add(out, plain, to.pos);
	ZSTD_freeDStream(d);
	return n >= 0;
}

struct seen {
	uint64_t lines, bad, numbered;
	bool number[THREADS * LINES];
	int64_t events; /* of `end`, -1: there is none */
	char why[256];
	bool end_last, start_first;
};

static void
look_at(struct seen *s, const char *line, size_t n)
{
	json_object *o, *v;
	CLEANUP(freep) char *copy = strndup(line, n);

	o = json_tokener_parse(copy);
	s->end_last = false;
	if (o == NULL || !json_object_object_get_ex(o, "ev", &v)) {
		s->bad++;
		return;
	}
	if (strcmp(json_object_get_string(v), "start") == 0)
		s->start_first = s->lines == 0;
	if (strcmp(json_object_get_string(v), "end") == 0) {
		s->end_last = true;
		s->events = json_object_object_get_ex(o, "events", &v) ? json_object_get_int64(v) : -1;
		if (json_object_object_get_ex(o, "why", &v))
			snprintf(s->why, sizeof(s->why), "%s", json_object_get_string(v));
	} else {
		s->lines++;
	}
	if (json_object_object_get_ex(o, "seq", &v)) {
		int64_t k = json_object_get_int64(v);

		if (k >= 0 && k < THREADS * LINES && !s->number[k])
			s->numbered++;
		if (k >= 0 && k < THREADS * LINES)
			s->number[k] = true;
	}
	json_object_put(o);
}

/* All files of an agent, in their order. */
static unsigned
read_back(const char *agent, const char *suffix, struct seen *s)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(FILE_BYTES_MAX);
	unsigned files = 0;
	char name[64];

	*s = (struct seen){ .events = -1 };
	for (;; files++) {
		const char *p, *end;

		snprintf(name, sizeof(name), "%s-%04u.jsonl%s", agent, files + 1, suffix);
		if (!content(name, &text))
			return files;
		for (p = text.p; p != NULL && p < text.p + text.n; p = end + 1) {
			end = memchr(p, '\n', text.n - (size_t)(p - text.p));
			if (end == NULL) {
				s->bad++;
				break;
			}
			look_at(s, p, (size_t)(end - p));
		}
	}
}

static void
write_data(struct ledger_lines *l, int64_t k)
{
	ledger_line(l, "data", 1790000000000000000 + k);
	ledger_text(l, "mid", SLICE("lt-\"quoted\"\\\x01\xff"));
	ledger_int(l, "seq", k);
	ledger_str(l, "to", "a0001");
	ledger_str(l, "from", NULL);
	ledger_line_end(l);
}

struct job {
	struct ledger_writer *w;
	int64_t first;
};

static void *
write_lines(void *payload)
{
	const struct job *j = payload;
	struct ledger_lines *l = NULL;

	if (ledger_lines_new(j->w, &l, NULL) != IMP_OK)
		exit(1);
	for (int64_t k = 0; k < LINES; k++) {
		write_data(l, j->first + k);
		if (k % 1000 == 0)
			ledger_lines_flush(l);
	}
	ledger_lines_free(l);
	return NULL;
}

static void
write_from_threads(struct ledger_writer *w)
{
	pthread_t t[THREADS];
	struct job jobs[THREADS];

	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ w, (int64_t)i * LINES };
		if (pthread_create(&t[i], NULL, write_lines, &jobs[i]) != 0)
			exit(1);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static void
test_whole(const char *agent, struct ledger_writer_options o, unsigned files_min)
{
	static struct seen s;
	struct ledger_writer *w;
	unsigned files;

	o.agent = agent;
	w = opened(o);
	write_from_threads(w);
	ok(!ledger_writer_failed(w), "%s: did not fail", agent);
	ok(ledger_writer_close(w, NULL, NULL) == IMP_OK, "%s: ends well", agent);
	files = read_back(agent, o.compress ? ".zst" : "", &s);
	ok(files >= files_min && (files_min > 1 || files == 1), "%s: %u files", agent, files);
	ok(s.bad == 0 && s.numbered == THREADS * LINES && s.lines == THREADS * LINES + 1, "%s: each line once and whole", agent);
	ok(s.start_first && s.end_last && s.events == THREADS * LINES + 1 && s.why[0] == '\0', "%s: end counts them", agent);
}

static void
test_not_over(void)
{
	struct ledger_writer_options o = { .dirfd = dirfd_, .agent = "plain", .queue_bytes = LEDGER_QUEUE_BYTES_DEFAULT };
	struct ledger_writer *w;
	struct imp_err err;

	ok(ledger_writer_open(&o, &w, &err) == IMP_E_CREATE && strstr(err.msg, "plain-0001.jsonl") != NULL,
	    "a ledger is not written over");
}

/* The file may not grow beyond 2 MiB, as on a full disk. */
static void
test_full(void)
{
	static struct seen s;
	struct ledger_writer *w = opened((struct ledger_writer_options){ .agent = "full" });
	struct rlimit old, small;
	struct imp_err err = { .msg = "" };
	struct stat st;
	uint64_t events;

	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){ 2 << 20, old.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	write_from_threads(w);
	ok(ledger_writer_close(w, "planned", &err) == IMP_E_IO, "a full disk is an error: %s", err.msg);
	setrlimit(RLIMIT_FSIZE, &old);
	read_back("full", "", &s);
	events = s.events >= 0 ? (uint64_t)s.events : 0;
	ok(s.bad == 0 && s.end_last && events == s.lines && events > 1, "what is there is whole, and end counts it");
	ok(strstr(s.why, "not in the ledger") != NULL && strstr(s.why, "could not write") != NULL, "end says why: %s", s.why);
	ok(strstr(s.why, "could not write") != NULL && strtoull(s.why, NULL, 10) == THREADS * LINES + 1 - events,
	    "and how many lines are lost");
	ok(fstatat(dirfd_, "full-0001.jsonl", &st, 0) == 0 && st.st_size < 2 << 20, "nothing lies behind it");
}

/* More waits than may. */
static void
test_behind(void)
{
	static struct seen s;
	struct ledger_writer *w = opened((struct ledger_writer_options){ .agent = "behind", .queue_bytes = 1000 });
	struct ledger_lines *l;
	struct imp_err err = { .msg = "" };

	if (ledger_lines_new(w, &l, NULL) != IMP_OK)
		exit(1);
	for (int64_t k = 0; k < 100; k++)
		write_data(l, k);
	ledger_lines_free(l);
	ok(ledger_writer_failed(w), "a disk that cannot follow is a failure");
	ok(ledger_writer_close(w, NULL, &err) == IMP_E_LIMIT, "with its reason: %s", err.msg);
	read_back("behind", "", &s);
	ok(s.events == 1 && strstr(s.why, "100 lines") != NULL && strstr(s.why, "cannot follow") != NULL, "which end gives: %s",
	    s.why);
}

int
main(void)
{
	run_dir_clear();
	dirfd_ = open(run_dir, O_RDONLY | O_DIRECTORY);
	if (dirfd_ < 0)
		return 1;
	test_whole("plain", (struct ledger_writer_options){ .dirfd = 0 }, 1);
	test_whole("packed", (struct ledger_writer_options){ .compress = true }, 1);
	test_whole("soak", (struct ledger_writer_options){ .rotate_bytes = 1 << 20 }, 4);
	test_whole("soakz", (struct ledger_writer_options){ .rotate_bytes = 1 << 20, .compress = true }, 4);
	test_not_over();
	test_full();
	test_behind();
	return done();
}
