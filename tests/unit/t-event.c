/* What the ledger format demands of each event (docs/ledger.md, sections 4 to 8), key by key. */
#include "config.h"

#include "base/buf.h"
#include "ingest/event.h"
#include "tap.h"

#define MISSING "a required key is missing"
#define WRONG "a required key has the wrong type"
#define NO_TIME_INT "the time is not an integer of nanoseconds"
#define NO_CLOCK "the time is before 1834 or after 2105"
#define CLASH "one key with two different values"

#define KEYS_MAX 20

/* Keys with a space between. */
struct demand {
	const char *ev, *required, *optional;
};

static const struct demand events[] = {
	{ "pub", "t mid topic from", "plan try id sc size" },
	{ "ctrl", "t mid", "id code seq text" }, /* or `id` in place of `mid` */
	{ "fail", "t mid why", "id detail bytes" },
	{ "skip", "t mid topic from why", "plan sc" },
	{ "data", "t mid topic seq to", "from sent" },
	{ "conn", "t who state", "pod code why peer" },
	{ "clock", "t agent offset_ns", "rtt_ns source" },
	{ "health", "t agent",
	    "cpu_pct proc_cpu_pct rss_bytes fds fd_limit time_wait ports_used ports_total nr_periods nr_throttled throttled_us net_rx_bytes "
	    "net_tx_bytes queue_depth" },
	{ "mark", "t name", "agent" },
	{ "calibration", "t agent ceiling_per_s sockets", "target version" },
	{ "start", "t agent", "version plan_sha256" },
	{ "end", "t agent", "version plan_sha256 events why" },
	{ "hist", "t topic seq mid by", "pod" },
	{ "histq", "t topic by lo hi status", "found" },
	{ "row", "table mid topic seq", "id created check" },
	{ "rows", "t table complete count", "query kind check" },
	{ "dead", "t mid error", "code topic kafka_topic state check" },
	{ "deads", "t complete count", "check" },
	{ "column", "table column type", "t nullable extra" },
	{ "status", "t name value", "server" },
	{ "innodb", "t", "server history_length deadlock_t deadlock" },
	{ "lag", "t group topic partition committed end", "start lag members" },
	{ "collected", "t system what status", "phase source query file why ns n tries" },
	{ "server", "t system", "phase source address version id role" },
};

/* What a key's value is; all others are texts. */
static const char integers[] =
    " t plan try size code seq bytes sent offset_ns rtt_ns sockets events lo hi found check count partition "
    "committed end start lag members ns n tries history_length deadlock_t ";
static const char numbers[] =
    " cpu_pct proc_cpu_pct rss_bytes fds fd_limit time_wait ports_used ports_total nr_periods nr_throttled "
    "throttled_us net_rx_bytes net_tx_bytes queue_depth ceiling_per_s ";
static const char scalars[] = " id created value nullable "; /* any one value */

static struct record_scanner scanner;
static struct record record;
static struct event event;

static bool
is_in(const char *list, const char *key)
{
	char spaced[40];

	snprintf(spaced, sizeof(spaced), " %s ", key);
	return strstr(list, spaced) != NULL;
}

static const char *
good_value(const char *key)
{
	return is_in(integers, key)	 ? "1790000000000000001" :
	    is_in(numbers, key)		 ? "12.5" :
	    strcmp(key, "complete") == 0 ? "true" :
					   "\"x\"";
}

static const char *
wrong_value(const char *key)
{
	return is_in(integers, key) ? "1.5" : is_in(numbers, key) ? "\"7\"" : is_in(scalars, key) ? "[1]" : "7";
}

/* Split a list of keys in place. */
static unsigned
split(const char *list, char room[400], const char *ret[KEYS_MAX])
{
	unsigned n = 0;
	char *rest = NULL;

	snprintf(room, 400, "%s", list);
	for (char *key = strtok_r(room, " ", &rest); key != NULL; key = strtok_r(NULL, " ", &rest))
		ret[n++] = key;
	return n;
}

/* Check a line; the reason, or "" for an event of the format. */
static const char *
check(const char *line, const char *(*judge)(const struct record *, struct event *))
{
	static char text[4096];
	const char *reason;
	size_t end, n = (size_t)snprintf(text, sizeof(text) - RECORD_PADDING, "%s", line);

	if (record_scan(&scanner, (struct slice){ text, n }, &record, &end) != RECORD_OK)
		return "no record";
	reason = judge(&record, &event);
	return reason != NULL ? reason : "";
}

/* The line of an event with all its keys; `key` has that value instead, or is left out (NULL). */
static const char *
line_with(const struct demand *d, const char *key, const char *value, const char *more)
{
	static struct buf out = BUF_INIT(4096);
	char room[2][400];
	const char *keys[2 * KEYS_MAX];
	unsigned n = split(d->required, room[0], keys);

	n += split(d->optional, room[1], keys + n);
	buf_clear(&out);
	buf_addf(&out, "{\"ev\":\"%s\"", d->ev);
	for (unsigned i = 0; i < n; i++) {
		bool this = key != NULL && strcmp(keys[i], key) == 0;

		if (!this || value != NULL)
			buf_addf(&out, ",\"%s\":%s", keys[i], this ? value : good_value(keys[i]));
	}
	buf_addf(&out, "%s}", more);
	return out.p;
}

static void
judged(const struct demand *d, const char *key, const char *value, const char *want, unsigned want_unknown, const char *what)
{
	const char *got = check(line_with(d, key, value, ""), event_check);

	if (!ok(strcmp(got, want) == 0 && (want[0] != '\0' || event.unknown_keys == want_unknown), "%s: %s %s", d->ev,
		key != NULL ? key : "all keys", what))
		printf("# '%s', %u unknown keys\n", got, event.unknown_keys);
}

static void
required_keys(const struct demand *d)
{
	char room[400];
	const char *keys[KEYS_MAX];
	unsigned n = split(d->required, room, keys);

	for (unsigned i = 0; i < n; i++) {
		bool time = strcmp(keys[i], "t") == 0;

		if (strcmp(d->ev, "ctrl") == 0 && strcmp(keys[i], "mid") == 0)
			continue;
		judged(d, keys[i], NULL, MISSING, 0, "missing");
		if (!is_in(scalars, keys[i]))
			judged(d, keys[i], wrong_value(keys[i]), time ? NO_TIME_INT : WRONG, 0, "of the wrong type");
		judged(d, keys[i], "null", time ? NO_TIME_INT : WRONG, 0, "null");
		judged(d, keys[i], "NaN", time ? NO_TIME_INT : WRONG, 0, "not measured");
	}
}

static void
optional_keys(const struct demand *d)
{
	char room[400];
	const char *keys[KEYS_MAX];
	unsigned n = split(d->optional, room, keys);

	for (unsigned i = 0; i < n; i++) {
		judged(d, keys[i], NULL, "", 0, "left out");
		judged(d, keys[i], "null", "", 0, "null");
		judged(d, keys[i], wrong_value(keys[i]), "", 1, "of the wrong type is an unknown key");
	}
}

static void
one_event(const struct demand *d)
{
	bool timed = is_in(
	    " pub ctrl fail skip data conn clock health mark calibration start end hist histq rows dead deads column status innodb lag collected server ",
	    d->ev);

	judged(d, NULL, NULL, "", 0, "there");
	is_int(event.t, timed ? INT64_C(1790000000000000001) : NO_TIME, "its time");
	is_int(event.shape, strcmp(d->ev, "data") == 0 ? EVENT_DATA : EVENT_OTHER, "its shape");
	required_keys(d);
	optional_keys(d);
	is_str(check(line_with(d, NULL, NULL, ",\"x\":1,\"y\":{\"z\":[2]}"), event_check), "", "with keys that nobody knows");
	is_int(event.unknown_keys, 2, "which are counted");
	is_str(check(line_with(d, NULL, NULL, ",\"x\":1,\"x\":2"), event_check), "", "an unknown key with two values");
	is_str(check(line_with(d, NULL, NULL, ",\"ev\":\"other\""), event_check), CLASH, "two events in one");
}

/* Cases by hand: what no list of keys says. */
static const struct {
	const char *name, *line, *want;
} cases[] = {
	{ "no ev", "{\"t\":1,\"mid\":\"m\"}", "no `ev`" },
	{ "ev is no text", "{\"ev\":7,\"t\":1}", "no `ev`" },
	{ "an empty object", "{}", "no `ev`" },
	{ "ctrl by id alone", "{\"ev\":\"ctrl\",\"t\":1,\"id\":\"7\",\"code\":202}", "" },
	{ "ctrl by a number as id", "{\"ev\":\"ctrl\",\"t\":1,\"id\":7,\"code\":202}", "" },
	{ "ctrl of nobody", "{\"ev\":\"ctrl\",\"t\":1,\"code\":202}", "neither mid nor id" },
	{ "ctrl whose code cannot be read", "{\"ev\":\"ctrl\",\"t\":1,\"mid\":\"m\",\"code\":\"x\"}", "" },
	{ "time as a double", "{\"ev\":\"mark\",\"t\":1.79e18,\"name\":\"x\"}", NO_TIME_INT },
	{ "time in seconds", "{\"ev\":\"mark\",\"t\":1790000000.25,\"name\":\"x\"}", NO_TIME_INT },
	{ "time as text", "{\"ev\":\"mark\",\"t\":\"1790000000000000001\",\"name\":\"x\"}", NO_TIME_INT },
	{ "time beyond 64 bits", "{\"ev\":\"mark\",\"t\":9223372036854775808,\"name\":\"x\"}", NO_TIME_INT },
	{ "the last time", "{\"ev\":\"mark\",\"t\":4300000000000000000,\"name\":\"x\"}", "" },
	{ "time that leaves no room for differences", "{\"ev\":\"mark\",\"t\":4300000000000000001,\"name\":\"x\"}", NO_CLOCK },
	{ "plain data at such a time",
	    "{\"ev\":\"data\",\"t\":-9223372036854775808,\"mid\":\"m\",\"topic\":\"p\",\"seq\":1,\"to\":\"b\"}", NO_CLOCK },
	{ "a key again with the same value", "{\"ev\":\"mark\",\"t\":1,\"name\":\"x\",\"t\":1}", "" },
	{ "a key again with another value", "{\"ev\":\"mark\",\"t\":1,\"name\":\"x\",\"t\":2}", CLASH },
	{ "an optional key again with another value", "{\"ev\":\"mark\",\"t\":1,\"name\":\"x\",\"agent\":\"a\",\"agent\":\"b\"}",
	    CLASH },
	{ "another event's key with two values", "{\"ev\":\"mark\",\"t\":1,\"name\":\"x\",\"seq\":1,\"seq\":2}", "" },
	{ "plain data with two values", "{\"ev\":\"data\",\"t\":1,\"mid\":\"m\",\"topic\":\"p\",\"seq\":1,\"to\":\"b\",\"seq\":2}",
	    CLASH },
	{ "keys in any order", "{\"name\":\"x\",\"t\":1,\"ev\":\"mark\"}", "" },
};

static void
unknown_event(void)
{
	is_str(check("{\"ev\":\"novel\",\"t\":5,\"x\":1}", event_check), "", "an event that nobody knows");
	ok(event.shape == EVENT_UNKNOWN && event.spec == NULL && event.t == 5, "is unknown, with its time");
	is_str(check("{\"ev\":\"novel\"}", event_check), "", "one without a time");
	is_int(event.t, NO_TIME, "has none");
}

static void
member_lines(void)
{
	static const struct {
		const char *name, *line, *want;
		bool topic;
	} rows[] = {
		{ "account", "{\"account\":\"a1\",\"user\":\"u\",\"agent\":\"a\",\"index\":1,\"pair\":\"b1\"}", "", false },
		{ "account without a name", "{\"user\":\"u\"}", MISSING, false },
		{ "account with a number as name", "{\"account\":1}", WRONG, false },
		{ "account twice", "{\"account\":\"a1\",\"account\":\"a2\"}", CLASH, false },
		{ "topic", "{\"topic\":\"p\",\"kind\":\"p2p\",\"members\":[\"a\",\"b\"],\"offline_members\":900}", "", true },
		{ "topic without members", "{\"topic\":\"p\",\"kind\":\"p2p\"}", MISSING, true },
		{ "topic without kind", "{\"topic\":\"p\",\"members\":[]}", MISSING, true },
		{ "topic whose members are a text", "{\"topic\":\"p\",\"kind\":\"p2p\",\"members\":\"a\"}", WRONG, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_str(check(rows[i].line, rows[i].topic ? event_check_topic : event_check_account), rows[i].want, rows[i].name);
}

int
main(void)
{
	record_scanner_init(&scanner);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		one_event(&events[i]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_str(check(cases[i].line, event_check), cases[i].want, cases[i].name);
	unknown_event();
	member_lines();
	record_scanner_done(&scanner);
	return done();
}
