/* Prometheus: ranges in parts that a server answers, what stands around the data of an answer, and the settings. */
#include "config.h"

#include "base/time.h"
#include "collect/prometheus.h"
#include "tap.h"

static struct imp_err err;

/* ------------------------------------------------------------------ ranges */

/* Each point of the range is asked for once: parts follow each other by one step, and none has more points than a server gives. */
static void
parts_cover(int64_t from_s, int64_t to_s, int64_t step_ms, uint64_t want_parts)
{
	struct prometheus_range r = prometheus_range_of(from_s * NS_PER_S, to_s * NS_PER_S, step_ms), part;
	uint64_t parts = prometheus_range_parts(&r);
	int64_t next = r.from_ms;
	bool good = true;

	for (uint64_t i = 0; i < parts; i++) {
		part = prometheus_range_part(&r, i);
		good &= part.from_ms == next && part.to_ms >= part.from_ms && part.step_ms == step_ms;
		good &= (part.to_ms - part.from_ms) / step_ms + 1 <= 11000;
		next = part.from_ms + ((part.to_ms - part.from_ms) / step_ms + 1) * step_ms;
	}
	ok(good && next > r.to_ms && next - step_ms <= r.to_ms,
	    "%" PRId64 " s by %" PRId64 " ms: parts follow each other to the end", to_s - from_s, step_ms);
	is_int((intmax_t)parts, (intmax_t)want_parts, "their number");
}

static void
ranges(void)
{
	struct prometheus_range r = prometheus_range_of(1790000003 * NS_PER_S + 7000000, 1790000060 * NS_PER_S, 5000), part;

	is_int(r.from_ms, 1790000000000, "the start is moved back to a multiple of the step");
	is_int(r.to_ms, 1790000060000, "the end stays");
	r = prometheus_range_of(-3 * NS_PER_S, 0, 5000);
	is_int(r.from_ms, -5000, "before 1970 it is moved back too");
	parts_cover(1790000000, 1790000000, 5000, 1);
	parts_cover(1790000000, 1790010999, 1000, 1);
	parts_cover(1790000000, 1790011000, 1000, 2);
	parts_cover(1790000000, 1790021999, 1000, 2);
	parts_cover(1790000000, 1790022000, 1000, 3);
	parts_cover(1790000000, 1790086400, 1000, 8);
	parts_cover(1790000000, 1790000100, 1, 10);
	r = prometheus_range_of(1790000010 * NS_PER_S, 1790000000 * NS_PER_S, 1000);
	is_int((intmax_t)prometheus_range_parts(&r), 0, "an end before the start: nothing to ask");
	r = prometheus_range_of(1790000000 * NS_PER_S, 1790020000 * NS_PER_S, 1000);
	part = prometheus_range_part(&r, 1);
	is_int(part.from_ms, 1790011000000, "the second part begins behind 11000 points");
	is_int(part.to_ms, 1790020000000, "and ends with the range");
}

/* ------------------------------------------------------------------ answers */

static void
answers(void)
{
	static const struct {
		const char *body;
		bool read, success;
		const char *error, *warnings;
	} rows[] = {
		{ "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}", true, true, "", "" },
		{ " {\"status\" : \"success\" , \"data\":[1,{\"a\":\"}\\\"]\"}], \"warnings\":[\"a\",\"b\"]}\n", true, true, "",
		    "a; b" },
		{ "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"exceeded \\\"x\\\"\"}", true, false,
		    "bad_data: exceeded \"x\"", "" },
		{ "{\"status\":\"success\",\"data\":{\"warnings\":[\"inner\"]}}", true, true, "", "" },
		{ "{\"status\":\"success\",\"data\":3}", true, true, "", "" },
		{ "{\"data\":{}}", false, false, NULL, NULL },
		{ "{\"status\":\"success\",\"data\":{\"result\":[", false, false, NULL, NULL },
		{ "{\"status\":\"success\"", false, false, NULL, NULL },
		{ "{\"status\":\"succ", false, false, NULL, NULL },
		{ "{\"status\":\"success\"} x", false, false, NULL, NULL },
		{ "{\"status\":\"success\" \"data\":1}", false, false, NULL, NULL },
		{ "<html>", false, false, NULL, NULL },
		{ "[]", false, false, NULL, NULL },
		{ "{", false, false, NULL, NULL },
		{ "", false, false, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct prometheus_answer a = { .error = "untouched" };
		bool read = prometheus_answer_read(slice_of(rows[i].body), &a);

		if (!ok(read == rows[i].read, "%s answer: %.40s", rows[i].read ? "an" : "no", rows[i].body))
			continue;
		if (!read)
			is_str(a.error, "untouched", "nothing is written");
		else if (is_int(a.success, rows[i].success, "its status"))
			ok(strcmp(a.error, rows[i].error) == 0 && strcmp(a.warnings, rows[i].warnings) == 0, "its words: '%s' '%s'",
			    a.error, a.warnings);
	}
}

/* ------------------------------------------------------------------ settings */

static const struct ask_limits limits = { .timeout_ns = NS_PER_S, .tries = 1, .bytes_max = 1 << 20 };

static void
settings(void)
{
	static const struct {
		const char *text, *want; /* NULL: it is good */
	} rows[] = {
		{ "targets: [{source: im-0, url: http://127.0.0.1/metrics}]", NULL },
		{ "targets: [{source: im-0, url: 'http://h:1/m?format=x'}]\nserver: {url: 'https://p/', queries: [{name: a, query: up}]}",
		    NULL },
		{ "server: {url: 'http://p', queries: [{name: a, query: up, instant: true}], margin: 5m}", NULL },
		{ "name: x", "c.yaml:1:1: `targets`, `server` or both are needed" },
		{ "targets: []", "c.yaml:1:10: 1 to 1000 entries are expected here" },
		{ "targets: [{url: 'http://h'}]", "c.yaml:1:11: key 'source' is missing" },
		{ "targets: [{source: a, url: 'ftp://h'}]", "c.yaml:1:28: a URL begins with http:// or https://" },
		{ "targets: [{source: a, url: 'http://u:p@h/'}]",
		    "c.yaml:1:28: credentials do not stand in a URL: write `user` and `password`" },
		{ "targets: [{source: a, url: 'http:///x'}]", "c.yaml:1:28: a URL without a host" },
		{ "targets: [{source: a, url: \"http://h/\\n\"}]",
		    "c.yaml:1:28: a blank, a control character or a letter beyond ASCII in a URL" },
		{ "targets: [{source: a, url: http://h}, {source: a, url: http://i}]", "c.yaml:1:48: source 'a' is there twice" },
		{ "targets: [{source: a, url: http://h, user: u}]", "c.yaml:1:11: `user` and `password` belong together" },
		{ "targets: [{source: a, url: http://h, cert: c.pem}]", "c.yaml:1:11: `cert` and `key` belong together" },
		{ "targets: [{source: a, url: http://h, token: abc}]",
		    "c.yaml:1:45: a secret does not stand in the configuration" },
		{ "server: {url: http://p, queries: [{name: a, query: up, instant: true, step: 1s}]}",
		    "c.yaml:1:77: an instant query has no step" },
		{ "server: {url: 'http://p?x=1', queries: [{name: a, query: up}]}",
		    "c.yaml:1:15: the address of a server has no query" },
		{ "server: {url: http://p}", "c.yaml:1:9: key 'queries' is missing" },
		{ "server: {url: http://p, queries: [{name: a, quer: up}]}",
		    "c.yaml:1:45: unknown key 'quer': did you mean 'query'?" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena = { .budget = NULL };
		struct doc_node *map;
		void *s = NULL;
		enum imp_rc rc = doc_parse(&arena, "c.yaml", slice_of(rows[i].text), &map, &err);

		if (rc == IMP_OK)
			rc = prometheus_configure(&arena, map, "main", &limits, &s, &err);
		if (rows[i].want == NULL)
			ok(rc == IMP_OK && s != NULL, "good: %.60s", rows[i].text);
		else if (is_int(rc, IMP_E_RULE, rows[i].text))
			is_str(err.msg, rows[i].want, "its place and reason");
		prometheus_forget(s);
		arena_done(&arena);
	}
}

static void
escapes(void)
{
	struct buf out = BUF_INIT(1000);

	http_add_escaped(&out, SLICE("rate(a{b=\"c\"}[5m]) + 1/2"));
	is_str(out.p, "rate%28a%7Bb%3D%22c%22%7D%5B5m%5D%29%20%2B%201%2F2", "all but letters, digits and -._~ is escaped");
	buf_clear(&out);
	http_add_escaped(&out, (struct slice){ "\0\xc3\xa9-._~Az09&", 12 });
	is_str(out.p, "%00%C3%A9-._~Az09%26", "bytes too");
	buf_done(&out);
}

int
main(void)
{
	ranges();
	answers();
	settings();
	escapes();
	return done();
}
