/* Times in logs: what each kind of line says, to the nanosecond, and what must not be taken for a time. */
#include "config.h"

#include <stdlib.h>

#include "ingest/log_time.h"
#include "tap.h"

/* seconds by `date -u -d TEXT +%s` */
#define S_2026_09_27_020245 INT64_C(1790474565)
#define NS INT64_C(1000000000)
#define OFFSET_8H (INT64_C(8) * 3600 * NS)

static const struct {
	const char *text;
	enum log_time_kind kind;
	int64_t ns;
	size_t end; /* of the time itself; 0: to the end */
} stamps[] = {
	{ "2026-09-27T02:02:45Z", LOG_ABSOLUTE, S_2026_09_27_020245 *NS, 0 },
	{ "2026-09-27T02:02:45.5Z rest", LOG_ABSOLUTE, S_2026_09_27_020245 *NS + NS / 2, 22 },
	{ "2026-09-27T02:02:45.123456789+08:00", LOG_ABSOLUTE, S_2026_09_27_020245 *NS + 123456789 - OFFSET_8H, 0 },
	{ "2026-09-27T02:02:45.123+0800\tINFO", LOG_ABSOLUTE, S_2026_09_27_020245 *NS + 123000000 - OFFSET_8H, 28 },
	{ "2026-09-27T02:02:45.1234567899Z", LOG_ABSOLUTE, S_2026_09_27_020245 *NS + 123456789, 0 },
	{ "2026-09-27 02:02:45,250 x", LOG_LOCAL, S_2026_09_27_020245 *NS + NS / 4, 23 },
	{ "2026-09-27T02:02:45", LOG_LOCAL, S_2026_09_27_020245 *NS, 0 },
	{ "2026-09-27T02:02:45 +08:00", LOG_LOCAL, S_2026_09_27_020245 *NS, 19 }, /* behind a blank it is no part of it */
};

static const char *const no_stamps[] = { "", "2026-09-27", "2026-09-27T02:02", "2026/09/27 02:02:45", "2026-13-27T02:02:45Z",
	"2026-09-27T25:02:45Z", "2026-09-27x02:02:45Z", "stdout F text, and nothing else" };

static const struct {
	const char *text;
	enum log_time_kind kind;
	int64_t ns;
} lines[] = {
	{ "E2026/09/27 02:02:45 hub: topic's broadcast queue is full grpX", LOG_LOCAL, S_2026_09_27_020245 *NS },
	{ "I2026/09/27 02:02:45.500001 hub.go:231: hub", LOG_LOCAL, S_2026_09_27_020245 *NS + 500001000 },
	{ "2026/09/27 02:02:45 http: panic serving 10.0.0.1:1: x", LOG_LOCAL, S_2026_09_27_020245 *NS },
	{ "2026/09/27 02:02:45 /src/server/hub.go:231: Ehub", LOG_LOCAL, S_2026_09_27_020245 *NS },
	{ "W2026/09/27 hub.go:231: no time of day", LOG_UNDATED, 0 },
	{ "E02:02:46.000001 only the time of day", LOG_LOCAL, (S_2026_09_27_020245 + 1) * NS + 1000 },
	{ "[mysql] 2026/09/27 02:02:45 packets.go:58 unexpected EOF", LOG_LOCAL, S_2026_09_27_020245 *NS },
	{ "I0927 02:02:45.000250  1 f.go:116] klog", LOG_LOCAL, S_2026_09_27_020245 *NS + 250000 },
	{ "F1231 23:59:59.000000  1 f.go:116] the year before", LOG_LOCAL, INT64_C(1767225599) * NS }, /* near January, below */
	{ "09-27 02:02:45 the short form of stern", LOG_LOCAL, S_2026_09_27_020245 *NS },
	{ "2026-09-27T02:02:45.123Z\tINFO\tzap console", LOG_ABSOLUTE, S_2026_09_27_020245 *NS + 123000000 },
	{ "{\"level\":\"info\",\"ts\":1790474565.25,\"msg\":\"x\"}", LOG_ABSOLUTE, S_2026_09_27_020245 *NS + NS / 4 },
	{ "{\"level\":\"info\",\"ts\":1790474565250,\"msg\":\"x\"}", LOG_ABSOLUTE, S_2026_09_27_020245 *NS + NS / 4 },
	{ "{\"level\":\"info\",\"ts\":1790474565250000001}", LOG_ABSOLUTE, S_2026_09_27_020245 *NS + NS / 4 + 1 },
	{ "{\"msg\":\"a \\\"time\\\":\\\"2020-01-01T00:00:00Z\\\"\",\"time\":\"2026-09-27T02:02:45Z\"}", LOG_ABSOLUTE,
	    S_2026_09_27_020245 *NS },
	{ "{\"in\":{\"time\":\"2020-01-01T00:00:00Z\"},\"time\": \"2026-09-27T02:02:45+08:00\"}", LOG_ABSOLUTE,
	    S_2026_09_27_020245 *NS - OFFSET_8H },
	{ "{\"@timestamp\":\"2026-09-27T02:02:45\",\"cut off in the mid", LOG_LOCAL, S_2026_09_27_020245 *NS },
	{ "time=\"2026-09-27T02:02:45Z\" level=info msg=x", LOG_ABSOLUTE, S_2026_09_27_020245 *NS },
	{ "ts=2026-09-27T02:02:45.5Z caller=x", LOG_ABSOLUTE, S_2026_09_27_020245 *NS + NS / 2 },
};

static const char *const no_lines[] = { "", "panic: runtime error: index out of range", "\t/src/server/hub.go:1132 +0x92",
	"goroutine 7 [running]:", "{\"msg\":\"no time at all\"}", "{", "{\"time\":", "{\"time\":\"", "{\"ts\":\"yesterday\"}",
	"time=", "[", "[x", "E", "I2026/13/27 02:02:45 no such month", "I9927 02:02:45.000001 no such month",
	"12:61:00 no such minute" };

static void
test_stamps(void)
{
	for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
		struct log_clock c = { .near = S_2026_09_27_020245 };
		struct slice s = slice_of(stamps[i].text);
		struct log_time t = { .ns = -1 };
		size_t end = 0;

		for (int again = 0; again < 2; again++) { /* the second time from what is remembered */
			ok(log_time_read(&c, s, &t, &end) && t.kind == stamps[i].kind, "%s", stamps[i].text);
			is_int(t.ns, stamps[i].ns, "its nanoseconds");
			is_int((intmax_t)end, (intmax_t)(stamps[i].end > 0 ? stamps[i].end : s.n), "its end");
		}
	}
	for (size_t i = 0; i < sizeof(no_stamps) / sizeof(no_stamps[0]); i++) {
		struct log_clock c = { .near = S_2026_09_27_020245 };
		struct log_time t;
		size_t end;

		ok(!log_time_read(&c, slice_of(no_stamps[i]), &t, &end), "no time: '%s'", no_stamps[i]);
	}
}

static void
test_lines(void)
{
	struct log_clock c = { .near = S_2026_09_27_020245 }, new_year = { .near = INT64_C(1767312000) }; /* 2026-01-02 */

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct log_time t = { .ns = -1 };
		bool at_new_year = lines[i].text[0] == 'F';

		ok(log_time_of_text(at_new_year ? &new_year : &c, slice_of(lines[i].text), &t) && t.kind == lines[i].kind, "%s",
		    lines[i].text);
		if (lines[i].kind != LOG_UNDATED)
			is_int(t.ns, lines[i].ns, "its nanoseconds");
	}
	for (size_t i = 0; i < sizeof(no_lines) / sizeof(no_lines[0]); i++) {
		struct log_time t;

		ok(!log_time_of_text(&c, slice_of(no_lines[i]), &t), "not the start of a line: '%s'", no_lines[i]);
	}
}

/* Every prefix of a line that is a time is read within its bounds. */
static void
test_cut(void)
{
	struct log_clock c = { .near = S_2026_09_27_020245 };
	unsigned times = 0;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t n = strlen(lines[i].text);

		for (size_t k = 0; k < n; k++) {
			char *copy = malloc(k + 1);
			struct log_time t;

			memcpy(copy, lines[i].text, k);
			times += log_time_of_text(&c, (struct slice){ copy, k }, &t);
			free(copy);
		}
	}
	ok(times > 0, "lines cut anywhere");
}

int
main(void)
{
	test_stamps();
	test_lines();
	test_cut();
	return done();
}
