/* What stands around a line in each format, and what the path of a log says. */
#include "config.h"

#include <stdlib.h>

#include "ingest/log_line.h"
#include "ingest/log_loki.h"
#include "ingest/log_name.h"
#include "ingest/log_text.h"
#include "tap.h"

#define T0 INT64_C(1790474565000000000) /* 2026-09-27T02:02:45Z */

static struct log_line_reader reader = { .clock = { .near = T0 / 1000000000 } };

/* A copy of `s` that is followed by nothing but the padding. */
static struct slice
padded(const char *s)
{
	static char *last;
	size_t n = strlen(s);

	free(last);
	last = calloc(1, n + RECORD_PADDING);
	memcpy(last, s, n);
	return (struct slice){ last, n };
}

static struct log_line
read_as(enum log_format format, unsigned names, const char *text)
{
	struct log_layout layout = { .format = format, .names = names };
	struct log_line l = { .pipe = LOG_EITHER };

	ok(log_line_read(&reader, &layout, padded(text), &l, NULL) == IMP_OK, "read: %.60s", text);
	return l;
}

static void
is_text(struct slice got, const char *want, const char *what)
{
	bool pass = slice_eq(got, slice_of(want));

	if (!ok(pass, "%s", what))
		printf("# got  %.*s\n# want %s\n", SLICE_ARG(got), want);
}

/* ------------------------------------------------------------------ CRI */

static const struct {
	const char *line, *text;
	enum log_pipe pipe;
	int64_t ns; /* after T0 */
	bool partial, damage, odd;
} cri[] = {
	{ "2026-09-27T02:02:45.000000001Z stdout F hello", "hello", LOG_STDOUT, 1, false, false, false },
	{ "2026-09-27T10:02:45.5+08:00 stderr P first ", "first ", LOG_STDERR, 500000000, true, false, false },
	{ "2026-09-27T02:02:45Z stdout P:TAG1:TAG2 x", "x", LOG_STDOUT, 0, true, false, false },
	{ "2026-09-27T02:02:45Z stdout F:x", "", LOG_STDOUT, 0, false, false, false },
	{ "2026-09-27T02:02:45Z stdout F", "", LOG_STDOUT, 0, false, false, false },
	{ "2026-09-27T02:02:45Z stdout F ", "", LOG_STDOUT, 0, false, false, false },
	{ "2026-09-27T02:02:45Z stdout F  two blanks", " two blanks", LOG_STDOUT, 0, false, false, false },
	/* the form without a tag, also of a text that begins with a time of its own */
	{ "2026-09-27T02:02:45+00:00 stdout Found it", "Found it", LOG_STDOUT, 0, false, false, true },
	{ "2026-09-27T02:02:45Z stdout 2026-09-27T02:02:44Z INFO x", "2026-09-27T02:02:44Z INFO x", LOG_STDOUT, 0, false, false,
	    true },
	/* two headers, the first without its line */
	{ "2026-09-27T01:47:45.2+00:00 stdout 2026-09-27T02:02:45.2+00:00 stdout F + true", "+ true", LOG_STDOUT, 200000000, false,
	    true, false },
	{ "2026-09-27T01:47:45.2Z std2026-09-27T02:02:45.2Z stderr P x", "x", LOG_STDERR, 200000000, true, true, false },
};

static const char *const not_cri[] = { "", "hello", "2026-09-27T02:02:45Z", "2026-09-27T02:02:45 stdout F no zone",
	"2026-09-27T02:02:45Z stdin F x", "2026-09-27T02:02:45Zstdout F x", "2026/09/27 02:02:45 stdout F x" };

static void
test_cri(void)
{
	for (size_t i = 0; i < sizeof(cri) / sizeof(cri[0]); i++) {
		struct log_line l = read_as(LOG_CRI, 0, cri[i].line);

		is_text(l.text, cri[i].text, "its text");
		is_int(l.t.ns, T0 + cri[i].ns, "its time");
		ok(!l.raw && l.pipe == cri[i].pipe && l.partial == cri[i].partial, "its pipe, whole or not");
		ok((l.damage != NULL) == cri[i].damage && (l.odd != NULL) == cri[i].odd, "what is wrong with it");
	}
	for (size_t i = 0; i < sizeof(not_cri) / sizeof(not_cri[0]); i++) {
		struct log_line l = read_as(LOG_CRI, 0, not_cri[i]);

		ok(l.raw && l.t.kind == LOG_UNDATED, "as it stands: '%s'", not_cri[i]);
		is_text(l.text, not_cri[i], "all of it");
	}
}

/* ------------------------------------------------------------------ docker */

static void
test_docker(void)
{
	struct log_line l = read_as(LOG_DOCKER, 0,
	    "{\"log\":\"a \\u003cb\\u003e \\\"c\\\"\\n\",\"stream\":\"stderr\",\"attrs\":{\"x\":\"1\"},\"time\":\"2026-09-27T02:02:45.000000007Z\"}");

	is_text(l.text, "a <b> \"c\"", "escapes and the line feed are gone");
	is_int(l.t.ns, T0 + 7, "its time");
	ok(l.pipe == LOG_STDERR && !l.partial && !l.raw, "a whole line of stderr");
	l = read_as(LOG_DOCKER, 0, "{\"log\":\"half of a line\",\"stream\":\"stdout\",\"time\":\"2026-09-27T02:02:45Z\"}");
	ok(l.partial, "without line feed it goes on");
	l = read_as(LOG_DOCKER, 0, "{\"log\":\"torn in the mid");
	ok(l.nothing && l.damage != NULL, "half of an object is damage");
	l = read_as(LOG_DOCKER, 0,
	    "{\"log\":\"torn {\"log\":\"whole\\n\",\"stream\":\"stdout\",\"time\":\"2026-09-27T02:02:45Z\"}");
	ok(!l.nothing && l.damage != NULL, "what stands behind a torn one is read");
	is_text(l.text, "whole", "its text");
	l = read_as(LOG_DOCKER, 0, "{\"stream\":\"stdout\",\"time\":\"2026-09-27T02:02:45Z\"}");
	ok(l.nothing && l.damage == NULL, "`log` may be left out");
	l = read_as(LOG_DOCKER, 0, "words of a collector");
	ok(l.raw, "another line");
	is_text(l.text, "words of a collector", "all of it");
}

/* ------------------------------------------------------------------ kubectl, stern */

static void
test_kubectl(void)
{
	struct log_line l = read_as(LOG_KUBECTL, 0, "[pod/im-server-0/im] 2026-09-27T02:02:45.000000009Z text [x]");

	is_text(l.pod, "im-server-0", "the pod");
	is_text(l.container, "im", "the container");
	is_text(l.text, "text [x]", "the text");
	is_int(l.t.ns, T0 + 9, "the time");
	l = read_as(LOG_KUBECTL, 0, "[pod/im-server-0/] I2026/09/27 02:02:45 x");
	is_text(l.container, "", "a container without a name");
	ok(l.t.kind == LOG_UNDATED && !l.raw, "without a time of the runtime");
	is_text(l.text, "I2026/09/27 02:02:45 x", "the program's own is part of the text");
	l = read_as(LOG_KUBECTL, 0, "2026-09-27T02:02:45.000000009Z ");
	ok(l.pod.p == NULL && l.t.ns == T0 + 9 && l.text.n == 0, "an empty line with its time");
	l = read_as(LOG_KUBECTL, 0, "behind a part: no time");
	ok(l.raw, "a line without a time");
}

static void
test_stern(void)
{
	struct log_line l = read_as(LOG_STERN, 2, "im-server-0 im I2026/09/27 02:02:45 x");

	is_text(l.pod, "im-server-0", "stern: the pod");
	is_text(l.container, "im", "stern: the container");
	is_text(l.text, "I2026/09/27 02:02:45 x", "stern: the text");
	l = read_as(LOG_STERN, 2, "\033[36mim-server-0\033[0m \033[96mim\033[0m 2026-09-27T02:02:45.000000003Z \033[1mtext\033[0m");
	is_text(l.pod, "im-server-0", "in colours: the pod");
	is_text(l.text, "text", "in colours: the text");
	is_int(l.t.ns, T0 + 3, "in colours: the time");
	l = read_as(LOG_STERN, 3, "prod im-server-0 im text");
	is_text(l.pod, "im-server-0", "behind a namespace: the pod");
	l = read_as(LOG_STERN, 2, "+ im-server-0 › im");
	ok(l.nothing, "stern's own line");
	l = read_as(LOG_STERN, 2, "\tat Some.Trace(Line)");
	ok(l.raw, "no names in front");
	l = read_as(LOG_STERN_JSON, 0,
	    "{\"message\":\"text\\n\",\"nodeName\":\"n\",\"namespace\":\"x\",\"podName\":\"im-server-0\",\"containerName\":\"im\"}");
	is_text(l.pod, "im-server-0", "JSON: the pod");
	is_text(l.text, "text", "JSON: the text");
	l = read_as(LOG_STERN_JSON, 0,
	    "{\"message\":\"2026-09-27T02:02:45.000000003Z text\",\"podName\":\"p\",\"containerName\":\"c\"}");
	is_text(l.text, "text", "JSON of older versions: the text");
	is_int(l.t.ns, T0 + 3, "JSON of older versions: the time");
	l = read_as(LOG_STERN_JSON, 0, "{\"message\":\"text\",\"timestamp\":\"2026-09-27T02:02:45.000000004Z\",\"podName\":\"p\"}");
	is_int(l.t.ns, T0 + 4, "JSON with a time");
	l = read_as(LOG_STERN_JSON, 0, "{\"message\":\"torn");
	ok(l.nothing && l.damage != NULL, "half of an object is damage");
}

/* ------------------------------------------------------------------ sniffing */

static const struct {
	const char *name, *lines[6];
	const char *want;
	bool named;
} files[] = {
	{ "CRI", { "2026-09-27T02:02:45Z stdout F x", "2026-09-27T02:02:45Z stderr P x" }, "cri", false },
	{ "CRI with raw lines", { "raw", "raw", "2026-09-27T02:02:45Z stdout F x", "2026-09-27T02:02:45Z stdout F x", "raw" },
	    "cri", false },
	{ "docker", { "", "{\"log\":\"x\\n\",\"stream\":\"stdout\",\"time\":\"2026-09-27T02:02:45Z\"}" }, "docker", false },
	{ "kubectl --timestamps", { "2026-09-27T02:02:45.000000009Z I2026/09/27 02:02:45 x" }, "kubectl", false },
	{ "kubectl behind an error",
	    { "failed to get parse function: unsupported log format: \"\\n\"", "2026-09-27T02:02:45.000000009Z x" }, "kubectl",
	    false },
	{ "kubectl --prefix", { "[pod/a/b] text", "[pod/c/d] text" }, "kubectl", true },
	{ "stern", { "+ im-server-0 › im", "im-server-0 im I2026/09/27 02:02:45 x" }, "stern", true },
	{ "stern in colours", { "\033[31mim-server-0\033[0m \033[32mim\033[0m E2026/09/27 02:02:45 x" }, "stern", true },
	{ "stern JSON", { "{\"message\":\"x\",\"podName\":\"a\",\"containerName\":\"b\"}" }, "stern", true },
	{ "Loki", { "{\"status\":\"success\",\"data\":{\"resultType\":\"streams\",\"result\":[]}}" }, "loki", true },
	{ "Go log", { "I2026/09/27 02:02:45 x", "2026/09/27 02:02:45 http: x", "goroutine 7 [running]:" }, "go", false },
	{ "klog", { "I0927 02:02:45.000250  1 f.go:116] x" }, "klog", false },
	{ "zap JSON", { "{\"level\":\"info\",\"ts\":1790474565.25,\"msg\":\"x\"}" }, "json", false },
	{ "zap console", { "2026-09-27T02:02:45.123Z\tINFO\tx" }, "text", false },
	{ "a program's own time", { "2026-09-27T02:02:45.123Z INFO x" }, "text", false },
	{ "words", { "the server has started", "the server has ended" }, "text", false },
	{ "nothing", { "" }, "text", false },
};

static void
test_sniff(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct log_votes votes = { .lines = 0 };
		struct log_layout got;

		for (size_t k = 0; k < 6 && files[i].lines[k] != NULL; k++)
			ok(log_sniff(&reader, padded(files[i].lines[k]), &votes, NULL) == IMP_OK, "sniff %s", files[i].name);
		got = log_sniffed(&votes);
		is_str(log_layout_name(&got), files[i].want, files[i].name);
		ok(got.named == files[i].named, "its lines %s pods", files[i].named ? "name" : "do not name");
	}
}

/* ------------------------------------------------------------------ Loki */

static void
test_loki(void)
{
	struct log_loki l;
	struct slice s = padded(
	    "{\"status\":\"success\",\"data\":{\"resultType\":\"streams\",\"result\":["
	    "{\"stream\":{\"pod\":\"a\",\"container\":\"c\",\"stream\":\"stderr\"},"
	    "\"values\":[[\"1790474565000000003\",\"third\"],[\"1790474565000000001\",\"first b\"],[\"1790474565000000001\",\"first a\"]]},"
	    "{\"stream\":{\"pod\":\"b\"},\"values\":[[\"1790474565000000002\",\"second\\n\",{\"x\":{}}],[\"no time\",\"x\"],7]}],"
	    "\"stats\":{}}}");

	if (!ok(log_loki_read(s, &l, NULL) == IMP_OK, "a Loki answer"))
		return;
	is_int((intmax_t)l.v.n, 4, "its lines");
	is_int((intmax_t)l.damaged, 2, "entries that are none");
	is_text(l.v.v[0].line.text, "first a", "the newest came first: of one time the last is the earliest");
	is_text(l.v.v[1].line.text, "first b", "then the one before it");
	is_text(l.v.v[2].line.text, "second", "streams come together by time");
	is_text(l.v.v[2].line.pod, "b", "the pod of its stream");
	is_text(l.v.v[3].line.container, "c", "the container of its stream");
	ok(l.v.v[3].line.pipe == LOG_STDERR && l.v.v[2].line.pipe == LOG_EITHER && !l.limited, "the pipe of its stream");
	log_loki_done(&l);
	ok(log_loki_read(padded("{\"status\":\"error\"}"), &l, NULL) == IMP_E_DATA, "no answer");
	ok(log_loki_read(padded("{\"data\":{\"result\":[{\"stream\":{},\"val"), &l, NULL) == IMP_E_DATA, "a torn answer");
}

/* ------------------------------------------------------------------ names */

static const struct {
	const char *path, *pod, *container;
	uint64_t instance, number, date;
	bool previous;
} names[] = {
	{ "logs/im-server-0.log", "im-server-0", "", 0, LOG_NUMBER_NONE, LOG_NUMBER_NONE, false },
	{ "logs/im-server-0.log.gz", "im-server-0", "", 0, LOG_NUMBER_NONE, LOG_NUMBER_NONE, false },
	{ "logs/im-server-0.log.2.zst", "im-server-0", "", 0, 2, LOG_NUMBER_NONE, false },
	{ "logs/im-server-0.log.20261130-165034.gz", "im-server-0", "", 0, LOG_NUMBER_NONE, UINT64_C(20261130165034), false },
	{ "logs/im-server-0.previous.log", "im-server-0", "", 0, LOG_NUMBER_NONE, LOG_NUMBER_NONE, true },
	{ "logs/im-server-0/im.log.1", "im-server-0", "im", 0, 1, LOG_NUMBER_NONE, false },
	{ "logs/im-server-0/im-previous.log", "im-server-0", "im", 0, LOG_NUMBER_NONE, LOG_NUMBER_NONE, true },
	{ "logs/prod_im-server-0_0b1c/im/3.log", "im-server-0", "im", 3, LOG_NUMBER_NONE, LOG_NUMBER_NONE, false },
	{ "logs/pods/prod_im-server-0_0b1c/im/3.log.20261130-165034", "im-server-0", "im", 3, LOG_NUMBER_NONE,
	    UINT64_C(20261130165034), false },
	{ "logs/containers/im-server-0_prod_im-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.log", "im-server-0",
	    "im", 0, LOG_NUMBER_NONE, LOG_NUMBER_NONE, false },
	{ "logs/a_b.log", "a_b", "", 0, LOG_NUMBER_NONE, LOG_NUMBER_NONE, false },
};

static void
test_names(void)
{
	struct log_name n, m;
	/* in the order in which they were written */
	static const char *const order[] = { "logs/p/0.log.20261130-165034.gz", "logs/p/0.log", "logs/p/1.log.20261130-170000",
		"logs/p/1.log" };
	static const char *const numbered[] = { "logs/p.previous.log", "logs/p.log.10.gz", "logs/p.log.2", "logs/p.log.1",
		"logs/p.log" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		log_name_read(slice_of(names[i].path), &n);
		is_text(n.pod, names[i].pod, names[i].path);
		is_text(n.container, names[i].container, "its container");
		ok(n.instance == names[i].instance && n.number == names[i].number && n.date == names[i].date &&
			n.previous == names[i].previous,
		    "its part");
	}
	for (size_t i = 0; i + 1 < sizeof(order) / sizeof(order[0]); i++) {
		log_name_read(slice_of(order[i]), &n);
		log_name_read(slice_of(order[i + 1]), &m);
		ok(log_name_same(&n, &m) && log_name_cmp(&n, &m) < 0 && log_name_cmp(&m, &n) > 0, "%s comes before %s", order[i],
		    order[i + 1]);
	}
	for (size_t i = 0; i + 1 < sizeof(numbered) / sizeof(numbered[0]); i++) {
		log_name_read(slice_of(numbered[i]), &n);
		log_name_read(slice_of(numbered[i + 1]), &m);
		ok(log_name_same(&n, &m) && log_name_cmp(&n, &m) < 0 && log_name_cmp(&m, &n) > 0, "%s comes before %s", numbered[i],
		    numbered[i + 1]);
	}
	log_name_read(SLICE("logs/p.log"), &n);
	log_name_read(SLICE("logs/p/c.log"), &m);
	ok(!log_name_same(&n, &m), "a pod and a container of it are two logs");
}

/* ------------------------------------------------------------------ words */

static void
test_words(void)
{
	static const char *const dump[] = { "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0xcdd9b2]", "",
		"goroutine 361307 [running]:", "main.replyOfflineTopicGetSub(0xc000332360, ...)",
		"\t/path/server/hub.go:1132 +0x92", "created by main.(*Hub).run in goroutine 1", "panic({0xa1b2c3?, 0xc0001?})",
		"rax    0x0", "exit status 2", "...additional frames elided..." };

	ok(log_dump_starts(SLICE("panic: runtime error: index out of range")), "a panic");
	ok(log_dump_starts(SLICE("fatal error: concurrent map writes")), "a fatal error");
	ok(log_dump_starts(SLICE("2026/09/27 02:02:45 http: panic serving 10.0.0.1:5432: x")), "a panic of a handler");
	ok(log_dump_starts(SLICE("E2026/09/27 02:02:45 im_http.go:6256: http: panic serving 10.0.0.1:5432: x")),
	    "the same with its place");
	ok(!log_dump_starts(SLICE("don't panic: all is well")) && !log_dump_starts(SLICE("panic")), "no panic");
	for (size_t i = 0; i < sizeof(dump) / sizeof(dump[0]); i++)
		ok(log_dump_goes_on(slice_of(dump[i]), false, true), "of a dump: '%s'", dump[i]);
	ok(!log_dump_goes_on(SLICE("Server is starting up"), false, true), "not of a dump");
	ok(log_dump_goes_on(SLICE("more words of the panic"), false, false), "before the stack there may be words");
	ok(!log_dump_goes_on(SLICE("I2026/09/27 02:02:45 x"), true, false), "but no line of the program");
	ok(log_is_collector_error(SLICE("unable to retrieve container logs for containerd://0123")), "an error of the collector");
	ok(!log_is_collector_error(SLICE("unable to open the database")), "an error of the server");
}

int
main(void)
{
	test_cri();
	test_docker();
	test_kubectl();
	test_stern();
	test_sniff();
	test_loki();
	test_names();
	test_words();
	log_line_reader_done(&reader);
	return done();
}
