/* Logs of a whole run: what becomes a stream, an event, a time, a hit. Every expectation is counted by hand from the lines below. */
#include "config.h"

#include "fault.h"
#include "ingest/log_hits.h"
#include "read-run.h"
#include "tap.h"

#define T0_S INT64_C(1790474565) /* 2026-09-27T02:02:45Z */
#define NS INT64_C(1000000000)
#define OFFSET_8H (8 * 3600 * NS)

static const struct signature signatures[] = {
	{ SLICE("log.full"), SLICE("queue is full (?<subject>\\S+)") },
	{ SLICE("log.panic"), SLICE("^panic: ") },
	{ SLICE("log.full"), SLICE("queue overflows") },
	{ SLICE("log.frame"), SLICE("main\\.handler") },
};
static const struct signature_set set = { signatures, 4, "" };
static struct logs logs;

/* A run that wrote message m-1 at T0 + 0 s and m-2 at T0 + 1 s. */
static void
new_run(const char *more)
{
	run_dir_clear();
	run_dir_put("run.json", "{\"format\":1,\"run_id\":\"r\",\"client_mid_prefix\":\"m-\"%s}", more);
	run_dir_put("agents/a/a.jsonl",
	    "{\"ev\":\"pub\",\"t\":%" PRId64 ",\"mid\":\"m-1\",\"topic\":\"p\",\"from\":\"a1\"}\n"
	    "{\"ev\":\"pub\",\"t\":%" PRId64 ",\"mid\":\"m-2\",\"topic\":\"p\",\"from\":\"a1\"}\n",
	    T0_S * NS, (T0_S + 1) * NS);
}

static void
read_logs(unsigned threads)
{
	struct reader_options opt = { .threads = threads, .line_max = READ_RUN_LINE_MAX, .hash = true };
	struct imp_err err = { 0 };

	logs_done(&logs);
	if (!ok(logs_read(read_run(threads), &set, &opt, &logs, &err) == IMP_OK, "the logs are read"))
		printf("# %s\n", err.msg);
}

static const struct log_source *
source(const char *pod, const char *container)
{
	static const struct log_source none = { .format = "no such source" };

	for (size_t i = 0; i < logs.v.n; i++) {
		if (slice_eq(logs.v.v[i].pod, slice_of(pod)) && slice_eq(logs.v.v[i].container, slice_of(container)))
			return &logs.v.v[i];
	}
	ok(false, "there is a source %s/%s", pod, container);
	return &none;
}

static uint64_t
hits(const struct log_source *s, const char *id)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->hits.n; i++) {
		if (slice_eq(signatures[s->hits.v[i].signature].id, slice_of(id)))
			n += s->hits.v[i].n;
	}
	return n;
}

static void
is_words(struct slice got, const char *want, const char *what)
{
	if (!ok(slice_eq(got, slice_of(want)), "%s", what))
		printf("# got  %.*s\n# want %s\n", SLICE_ARG(got), want);
}

static bool
notes(const struct log_source *s, const char *words)
{
	return s->note.p != NULL && memmem(s->note.p, s->note.n, words, strlen(words)) != NULL;
}

/* ------------------------------------------------------------------ CRI */

static void
test_parts_of_lines(void)
{
	const struct log_source *s;

	new_run("");
	run_dir_put("logs/p/c.log.20260927-020245",
	    "2026-09-27T02:02:45.1Z stdout P the queue \n"
	    "2026-09-27T02:02:45.2Z stderr F another pipe\n"
	    "2026-09-27T02:02:45.3Z stdout P is \n");
	run_dir_put("logs/p/c.log",
	    "2026-09-27T02:02:46.4Z stdout F full grpA\n"
	    "2026-09-27T02:02:46.5Z stderr P queue is full \n"
	    "2026-09-27T02:02:46.6Z stderr P grpB");
	read_logs(1);
	s = source("p", "c");
	is_str(s->format, "cri", "its format");
	is_int((intmax_t)s->events, 3, "three events: parts are joined per pipe, across files, and to the end");
	is_int((intmax_t)hits(s, "log.full"), 2, "both long lines match as a whole");
	is_words(s->hits.v[1].subject, "grpA", "the subject lies in the other file");
	is_words(s->hits.v[1].text, "the queue is full grpA", "the text is the whole line");
	is_int(s->hits.v[1].first_t, T0_S * NS + NS / 10, "a line is of when its first part came");
	is_int((intmax_t)place_file(s->hits.v[1].place), read_run_file("logs/p/c.log.20260927-020245"),
	    "and stands where that stands");
	is_words(s->hits.v[0].subject, "grpB", "a line without an end is one");
	ok(notes(s, "no end"), "which is noted");
	is_int(s->first_t, T0_S * NS + NS / 10, "first");
	is_int(s->last_t, (T0_S + 1) * NS + NS / 2, "last");
	is_int((intmax_t)s->seconds.n, 2, "two seconds");
	is_int((intmax_t)s->seconds.v[0].lines, 2, "events of the first");
	is_str(log_zone_name(s->zone), "own", "its zone");
	is_int((intmax_t)s->damaged, 0, "nothing is damaged");
}

static void
test_raw_lines(void)
{
	const struct log_source *s;

	new_run("");
	run_dir_put("logs/p.log",
	    "2026-09-27T02:02:45Z stdout F one\n"
	    "a raw line: queue is full grpC\n"
	    "2026-09-27T02:02:45.2Z stdout 2026-09-27T02:02:46.2Z stdout F glued\n"
	    "failed to watch file \"/var/log/pods/x\": no space left on device\n");
	read_logs(1);
	s = source("p", "");
	is_int((intmax_t)s->events, 3, "a raw line is an event, words of the collector are not");
	is_int((intmax_t)s->damaged, 1, "of two glued lines one is lost");
	is_int((intmax_t)run.ledger.files[read_run_file("logs/p.log")].n.rejected, 1, "it is counted for its file");
	is_int((intmax_t)run.ledger.files[read_run_file("logs/p.log")].n.records, 4, "records are events and what was rejected");
	is_int((intmax_t)run.ledger.damages.n, 1, "and put down");
	is_int(place_line(run.ledger.damages.v[0].place), 3, "with its line");
	is_int(s->hits.v[0].second, T0_S, "a raw line is of the time before it");
	ok(notes(s, "failed to watch file"), "the collector's words are noted");
	ok(run.ledger.files[read_run_file("logs/p.log")].hashed, "the file is hashed on the way");
}

/* ------------------------------------------------------------------ lines that were sent again */

static void
test_resent(void)
{
	const struct log_source *s;
	FILE *f;

	new_run("");
	run_dir_put("logs/p.log.1",
	    "2026-09-27T02:02:45.1Z stdout F queue is full x\n"
	    "2026-09-27T02:02:45.2Z stdout F queue is full x\n"
	    "2026-09-27T02:02:46Z stdout F no fraction\n");
	run_dir_put("logs/p.log",
	    "2026-09-27T02:02:45.1Z stderr F queue is full x\n" /* another pipe */
	    "2026-09-27T02:02:45.1Z stdout F queue is full y\n" /* another text */
	    "2026-09-27T02:02:45.2Z stdout F queue is full x\n" /* sent again */
	    "2026-09-27T02:02:46Z stdout F no fraction\n"	/* may be two */
	    "2026-09-27T02:02:45.2Z stdout F queue is full x\n" /* and again */);
	read_logs(1);
	s = source("p", "");
	is_int((intmax_t)s->resent, 2, "sent again");
	is_int((intmax_t)s->events, 6, "events without them");
	is_int((intmax_t)hits(s, "log.full"), 4, "hits without them");

	/* all of a part of 10,000 lines comes again behind it: far more than the window holds */
	new_run("");
	for (int part = 1; part >= 0; part--) {
		f = fopen(run_dir_path(part == 1 ? "logs/q.log.1" : "logs/q.log"), "w");
		for (int i = 0; i < 10000; i++)
			fprintf(f, "2026-09-27T02:%02d:%02d.%03dZ stdout F queue is full t\n", 3 + i / 600, i / 10 % 60,
			    i % 10 + 1);
		fprintf(f, "2026-09-27T02:50:00.%dZ stdout F the last\n", part + 1);
		fclose(f);
	}
	read_logs(1);
	s = source("q", "");
	is_int((intmax_t)s->resent, 10000, "all of a long part sent again");
	is_int((intmax_t)s->events, 10002, "each is counted once");
	is_int((intmax_t)hits(s, "log.full"), 10000, "each hits once");
	is_int((intmax_t)s->seconds.n, 1001, "their seconds: a thousand, and the last");
	is_int((intmax_t)run.ledger.files[read_run_file("logs/q.log")].n.lines, 10001,
	    "lines of a file are counted once though it is read twice");
}

/* ------------------------------------------------------------------ zones */

static void
test_zones(void)
{
	const struct log_source *s;

	new_run("");
	run_dir_put("logs/anchored.log",
	    "I2026/09/27 10:02:44 Server\n"
	    "I2026/09/27 10:02:45.003 in: '{\"pub\":{\"head\":{\"x-im-client-mid\":\"m-1\"}}}'\n"
	    "E2026/09/27 10:02:46 hub: queue is full grpA\n"
	    "I2026/09/27 10:02:46.002 in: '{\"pub\":{\"head\":{\"x-im-client-mid\":\"m-2\"}}}'\n"
	    "I2026/09/27 10:02:46.003 in: '{\"pub\":{\"head\":{\"x-im-client-mid\":\"m-3\"}}}'\n");
	run_dir_put("logs/unknown.log", "E2026/09/27 10:02:46 queue is full grpA\nE2026/09/27 10:02:47 queue is full grpA\n");
	run_dir_put("logs/other.log",
	    "E2026/09/27 10:02:46 queue is full grpA\n"
	    "{\"level\":\"info\",\"time\":\"2026-09-27T02:02:46.5Z\"}\n");
	run_dir_put("logs/klog.log", "I0927 02:02:45.000250  1 f.go:116] x\n");
	run_dir_put("logs/own.log", "{\"level\":\"info\",\"ts\":1790474565.25,\"msg\":\"x\"}\n");
	run_dir_put("logs/words.log", "the server\nqueue is full grpA\n");
	read_logs(2);
	s = source("anchored", "");
	is_str(log_zone_name(s->zone), "anchored", "lines with mids anchor a log");
	is_int(s->zone_offset_ns, OFFSET_8H, "to eight hours");
	is_int(s->hits.v[0].second, T0_S + 1, "hits move with it");
	is_int(s->first_t, (T0_S - 1) * NS, "so does the first time");
	is_int(s->seconds.v[0].second, T0_S - 1, "and the seconds");
	is_str(s->format, "go", "its format");
	s = source("unknown", "");
	is_str(log_zone_name(s->zone), "unknown", "no line tells");
	ok(s->first_t == NO_TIME && s->seconds.n == 0, "it testifies to no time");
	is_int((intmax_t)s->hits.n, 1, "its hits are one line");
	ok(s->hits.v[0].second == NO_TIME && s->hits.v[0].n == 2, "without a time, but counted");
	s = source("other", "");
	is_str(log_zone_name(s->zone), "other_line", "a line with a zone tells of the others");
	is_int(s->hits.v[0].second, T0_S + 1, "it does");
	is_str(log_zone_name(source("klog", "")->zone), "unknown", "klog has no zone");
	is_str(source("klog", "")->format, "klog", "its format");
	s = source("own", "");
	is_str(log_zone_name(s->zone), "own", "JSON has one");
	is_int(s->first_t, T0_S * NS + NS / 4, "its time");
	s = source("words", "");
	ok(s->first_t == NO_TIME && s->events == 2 && hits(s, "log.full") == 1, "words without any time are counted");

	new_run(",\"log_zone\":\"+08:00\"");
	run_dir_put("logs/p.log", "E2026/09/27 10:02:46 queue is full grpA\n");
	run_dir_put("logs/q.log", "I2026/09/27 02:02:45 in: m-1\nE2026/09/27 02:02:46 queue is full grpA\n");
	read_logs(1);
	s = source("p", "");
	is_str(log_zone_name(s->zone), "log_zone", "run.json says it");
	is_int(s->hits.v[0].second, T0_S + 1, "taken off");
	s = source("q", "");
	is_str(log_zone_name(s->zone), "log_zone", "what is stated holds");
	ok(notes(s, "+00:00"), "but that lines say otherwise is noted");
}

/* ------------------------------------------------------------------ several lines, one event */

#define STACK(prefix) \
	prefix "panic: boom\n" prefix "\n" prefix "goroutine 7 [running]:\n" prefix "main.handler(0x1)\n" prefix \
	       "\t/s/h.go:1 +0x1\n" prefix "created by main.main\n" prefix "\t/s/h.go:2 +0x2\n" prefix "exit status 2\n"

static void
test_dumps(void)
{
	const struct log_source *s;

	new_run("");
	run_dir_put("logs/bare.log",
	    "I2026/09/27 02:02:44 in: '{\"pub\":\"m-1\n"
	    "  of two lines queue is full grpA'\n" STACK("") "I2026/09/27 02:02:46 Server is up\n"
							     "2026/09/27 02:02:47 http: panic serving 10.0.0.1:1: boom\n"
							     "goroutine 8 [running]:\nmain.handler(0x1)\n\t/s/h.go:1 +0x1\n"
							     "I2026/09/27 02:02:48 the last\n");
	run_dir_put("logs/cri.log",
	    "2026-09-27T02:02:45.1Z stderr F before\n" STACK(
		"2026-09-27T02:02:45.2Z stderr F ") "2026-09-27T02:02:46.3Z stderr F after\n"
						    "2026-09-27T02:02:46.4Z stderr F after\n");
	read_logs(1);
	s = source("bare", "");
	is_int((intmax_t)s->events, 5, "a frame with a line feed, a panic, a start, a handler's panic, the last");
	is_int((intmax_t)hits(s, "log.panic"), 1, "a panic is found at its start");
	is_int((intmax_t)hits(s, "log.frame"), 2, "and within its stack");
	is_int((intmax_t)hits(s, "log.full"), 1, "in a line behind, too");
	is_int(s->hits.v[0].second, T0_S - 1, "which is of the time of its event");
	is_int(place_line(s->hits.v[0].place), 1, "and stands where that begins");
	s = source("cri", "");
	is_int((intmax_t)s->events, 4, "in CRI a dump is one event as well");
	is_int((intmax_t)(hits(s, "log.panic") + hits(s, "log.frame")), 2, "with all of its lines");
}

/* ------------------------------------------------------------------ files that name their pods */

static void
test_named(void)
{
	const struct log_source *s;
	FILE *f;

	new_run("");
	f = fopen(run_dir_path("logs/all.log"), "w");
	for (int i = 0; i < 11; i++) {
		fprintf(f, "[pod/im-0/im] 2026-09-27T02:02:%02d.000000001Z queue is full a\n", 45 + i);
		if (i < 10)
			fprintf(f, "[pod/im-1/im] 2026-09-27T02:02:%02d.000000001Z queue is full b\n", 45 + i);
	}
	fclose(f);
	run_dir_put("logs/stern.log",
	    "+ im-2 › im\n"
	    "\033[32mim-2\033[0m \033[33mim\033[0m 2026-09-27T02:02:45.000000001Z queue is full c\n"
	    "im-3 im 2026-09-27T02:02:45.000000001Z queue is full d\n");
	run_dir_put("logs/loki.log",
	    "{\"status\":\"success\",\"data\":{\"resultType\":\"streams\",\"result\":[{\"stream\":{\"pod\":\"im-4\",\"container\":\"im\"},"
	    "\"values\":[[\"1790474566000000001\",\"queue is full e\"],[\"1790474565000000001\",\"queue overflows\"]]}]}}");
	read_logs(2);
	s = source("im-0", "im");
	is_int((intmax_t)s->events, 11, "a pod of a file of several");
	ok(!s->cut && !s->limited, "eleven lines are no limit");
	s = source("im-1", "im");
	is_int((intmax_t)hits(s, "log.full"), 10, "another pod of it");
	ok(s->cut && s->limited, "exactly ten lines are kubectl's limit");
	is_int((intmax_t)hits(source("im-2", "im"), "log.full"), 1, "stern in colours");
	is_int((intmax_t)hits(source("im-3", "im"), "log.full"), 1, "and without");
	s = source("im-4", "im");
	is_int((intmax_t)hits(s, "log.full"), 2, "Loki");
	is_int(s->hits.v[0].second, T0_S, "in the order of time");
	is_int((intmax_t)logs.v.n, 5, "and no other source");
}

/* ------------------------------------------------------------------ parts, damage */

static void
test_files(void)
{
	const struct log_source *s;

	new_run("");
	run_dir_put("logs/p.log.3", "2026-09-27T02:02:41.5Z stdout F queue is full a\n");
	run_dir_put("logs/p.log.1", "2026-09-27T02:02:42.5Z stdout F not this one: it is there compressed\n");
	run_dir_put("logs/p.log.1.gz", "2026-09-27T02:02:42.5Z stdout F queue is full b\n");
	run_dir_put("logs/p.log", "2026-09-27T02:02:47.5Z stdout F queue is full c\n");
	run_dir_put("logs/p.log.20260927-020245.tmp", "2026-09-27T02:02:47.6Z stdout F not yet whole\n");
	run_dir_put("logs/q.previous.log", "2026-09-27T02:02:42.5Z stdout F queue is full b\n");
	run_dir_put("logs/q.log", "2026-09-27T02:02:43.5Z stdout F suppressed 7 similar messages\n");
	read_logs(3);
	s = source("p", "");
	is_int((intmax_t)s->events, 3, "parts of one log are one stream");
	is_int((intmax_t)s->gaps, 1, "a part is missing");
	ok(s->cut, "so it is cut");
	is_int(s->longest_gap_ns, 5 * NS, "its longest silence");
	is_int(s->first_t, (T0_S - 4) * NS + NS / 2, "the oldest comes first");
	s = source("q", "");
	is_int((intmax_t)s->events, 2, "the log of the container before is the same stream");
	ok(s->sampled && notes(s, "container before"), "sampled, as it says itself");
	ok(!source("p", "")->sampled, "which others do not");
}

static void
test_damage(void)
{
	const struct log_source *s;
	const struct file_counts *n;
	FILE *f;

	new_run("");
	run_dir_bytes("logs/nul.log",
	    SLICE("\0\0\0I2026/09/27 02:02:45 queue is full a\n\0\0\0\0\nI2026/09/27 02:02:46 a \xff b\n"));
	f = fopen(run_dir_path("logs/long.log"), "w");
	fprintf(f, "I2026/09/27 02:02:45 queue is full a %05000d\nI2026/09/27 02:02:46 queue is full a\n", 0);
	fclose(f);
	run_dir_put("logs/docker.log",
	    "{\"log\":\"queue is full \",\"stream\":\"stdout\",\"time\":\"2026-09-27T02:02:45.1Z\"}\n"
	    "{\"log\":\"other\\n\",\"stream\":\"stderr\",\"time\":\"2026-09-27T02:02:45.2Z\"}\n"
	    "{\"log\":\"x\\n\",\"stream\":\"stdout\",\"time\":\"2026-09-27T02:02:45.3Z\"}\n"
	    "{\"log\":\"torn");
	read_logs(1);
	s = source("nul", "");
	n = &run.ledger.files[read_run_file("logs/nul.log")].n;
	is_int((intmax_t)s->events, 2, "behind NULs the line is read");
	is_int((intmax_t)s->damaged, 2, "two runs of NULs");
	is_int((intmax_t)n->repaired, 1, "a byte that is no UTF-8 is counted");
	ok(n->lines == 3 && n->records == 4 && n->events == 2 && n->rejected == 2, "the counts of the file");
	s = source("long", "");
	is_int((intmax_t)hits(s, "log.full"), 2, "the start of a line that is too long is read");
	is_int((intmax_t)s->damaged, 1, "its end is lost");
	s = source("docker", "");
	is_int((intmax_t)hits(s, "log.full"), 1, "parts of a docker line are joined per stream");
	ok(s->events == 2 && s->damaged == 1, "half a line is damage");
}

/* ------------------------------------------------------------------ hits */

static void
test_hits(void)
{
	const struct log_source *s;
	uint64_t sum = 0;
	FILE *f;

	new_run("");
	run_dir_put("logs/p.log",
	    "2026-09-27T02:02:45.1Z stdout F queue is full a\n"
	    "2026-09-27T02:02:45.2Z stdout F queue is full a {\"secret\":\"aGVsbG86d29ybGQ=\"}\n"
	    "2026-09-27T02:02:45.3Z stdout F queue is full b {\"secret\":\"aGVsbG86d29ybGQ=\"}\n"
	    "2026-09-27T02:02:46.1Z stdout F queue is full a\n"
	    "2026-09-27T02:02:46.2Z stdout F queue is full a, queue overflows\n");
	read_logs(1);
	s = source("p", "");
	is_int((intmax_t)s->hits.n, 4, "a line for each second and subject");
	ok(s->hits.v[0].n == 2 && s->hits.v[0].second == T0_S && place_line(s->hits.v[0].place) == 1, "two of one second are one");
	is_int(s->hits.v[0].last_t, T0_S * NS + NS / 5, "with the last of them");
	is_words(s->hits.v[0].text, "queue is full a", "and the first's text");
	ok(memmem(s->hits.v[1].text.p, s->hits.v[1].text.n, "aGVsbG86d29ybGQ=", 16) == NULL, "secrets stay out");
	is_int((intmax_t)hits(s, "log.full"), 5, "a line that matches two expressions of one signature counts once");

	/* more subjects than rows: subjects go, counts stay */
	new_run("");
	f = fopen(run_dir_path("logs/p.log"), "w");
	for (int i = 0; i < (int)LOG_HITS_MAX + 5; i++)
		fprintf(f, "2026-09-27T02:02:45.%dZ stdout F queue is full s%d\n", i + 1000000, i);
	fclose(f);
	read_logs(1);
	s = source("p", "");
	for (size_t i = 0; i < s->hits.n; i++)
		sum += s->hits.v[i].n;
	is_int((intmax_t)sum, (intmax_t)LOG_HITS_MAX + 5, "no hit is lost");
	ok(s->hits.n == 1 && s->hits.v[0].subject.p == NULL && notes(s, "more hits"), "they are one line without a subject");
}

static void
test_threads(void)
{
	size_t n;
	uint64_t events = 0;

	new_run("");
	for (int i = 0; i < 20; i++) {
		char path[32];

		snprintf(path, sizeof(path), "logs/pod-%d.log", i);
		run_dir_put(path, "2026-09-27T02:02:45.1Z stdout F queue is full %d\n2026-09-27T02:02:46Z stdout F x\n", i);
	}
	read_logs(8);
	n = logs.v.n;
	for (size_t i = 0; i < n; i++) {
		events += logs.v.v[i].events;
		if (i > 0 && slice_cmp(logs.v.v[i - 1].pod, logs.v.v[i].pod) >= 0)
			events = 0;
	}
	ok(n == 20 && events == 40, "by several threads, in the order of their names");
}

/* Whichever allocation fails: an error, and nothing is left behind. */
static void
test_faults(void)
{
	struct reader_options opt = { .threads = 1, .line_max = READ_RUN_LINE_MAX };
	int at = 0, wrong = 0;

	new_run("");
	run_dir_put("logs/p.log.1", "2026-09-27T02:02:45.1Z stdout P queue is \n2026-09-27T02:02:45.2Z stdout F full a\n");
	run_dir_put("logs/p.log",
	    STACK("2026-09-27T02:02:45.1Z stdout F ") "2026-09-27T02:02:40.1Z stdout F x\n2026-09-27T02:02:40.1Z "
						      "stdout 2026-09-27T02:02:45.1Z stdout F x\n");
	run_dir_put("logs/q.log", "im-2 im I2026/09/27 02:02:45 queue is full \033[1mc\n");
	run_dir_put("logs/loki.log",
	    "{\"status\":\"success\",\"data\":{\"resultType\":\"streams\",\"result\":[{\"stream\":{\"pod\":\"b\"},"
	    "\"values\":[[\"1790474566000000001\",\"queue is full e\"]]}]}}");
	read_run(1);
	do {
		struct logs got = { .v = { 0 } };
		enum imp_rc rc;

		fault_hits = 0;
		fault_at = ++at;
		rc = logs_read(&run.ledger, &set, &opt, &got, NULL);
		wrong += rc != (fault_hits > 0 ? IMP_E_NOMEM : IMP_OK);
		logs_done(&got);
	} while (fault_hits > 0 && at < 1000);
	fault_at = 0;
	ok(at > 30 && fault_hits == 0, "%d allocations", at - 1);
	is_int(wrong, 0, "each failure is told");
}

/* Hits of one signature, an hour apart: no less can be told of them than each hour. */
static void
test_full(void)
{
	struct log_hits h = { .full = false };
	struct arena arena = { .budget = NULL };
	struct imp_err err = { 0 };
	size_t room = 7;
	enum imp_rc rc = IMP_OK;

	for (int64_t i = 0; i < (int64_t)LOG_HITS_MIN + 500 && rc == IMP_OK; i++) {
		const struct log_hit hit = { .second = i * 3600, .n = 1, .first_t = i, .last_t = i };

		rc = log_hits_add(&h, &arena, &room, &hit, LOG_ABSOLUTE, SLICE("x"), &err);
	}
	ok(rc == IMP_OK && h.full, "hits of more hours than there is room for");
	is_int((intmax_t)h.v.n, LOG_HITS_MIN, "rows of a stream without room");
	rc = log_hits_add(&h, &arena, &room, &(struct log_hit){ .second = 3600, .n = 1 }, LOG_ABSOLUTE, SLICE("x"), &err);
	ok(rc == IMP_OK && h.v.v[1].hit.n == 2, "a row that is there still counts");
	log_hits_done(&h);
	arena_done(&arena);
}

int
main(void)
{
	test_parts_of_lines();
	test_raw_lines();
	test_resent();
	test_zones();
	test_dumps();
	test_named();
	test_files();
	test_damage();
	test_hits();
	test_full();
	test_threads();
	test_faults();
	logs_done(&logs);
	read_run_done();
	return done();
}
