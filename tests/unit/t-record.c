/* The record scanner by tables: what it takes, where it stops, what the values are. t-record-judge.c compares it with json-c. */
#include "config.h"

#include <stdlib.h>

#include "base/buf.h"
#include "fault.h"
#include "ingest/record.h"
#include "ingest/record_text.h"
#include "tap.h"

/* Bytes behind the text: none of them may matter. */
static const char paddings[] = { '\0', '"', '}', '0', ' ', '\\', '\xff', ']' };

static char *
with_padding(struct slice text, char fill)
{
	char *p = malloc(text.n + RECORD_PADDING);

	if (p == NULL)
		abort();
	memcpy(p, text.p, text.n);
	memset(p + text.n, fill, RECORD_PADDING);
	return p;
}

static void
add_json_free(struct buf *out, struct slice s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] >= ' ' && s.p[i] != '<')
			buf_add_char(out, s.p[i]);
		else
			buf_addf(out, "<%02x>", (uint8_t)s.p[i]);
	}
}

/* "key=type:value ..." in the order of enum record_key, then what else the record says; bytes that are not printable as <hex>. */
static void
show(struct buf *out, const struct record *r)
{
	static const char *const types[] = { "str", "int", "real", "bool", "null", "unmeasured", "raw" };

	buf_clear(out);
	for (unsigned k = 0; k < _RECORD_KEY_MAX; k++) {
		const struct record_value *v = &r->v[k];

		if (!(r->has & RECORD_BIT(k)))
			continue;
		buf_addf(out, "%s=%s:", record_key_name(k), types[v->type]);
		if (v->type == REC_INT || v->type == REC_BOOL)
			buf_addf(out, "%" PRId64, v->i);
		else if (v->type == REC_REAL)
			buf_addf(out, "%.17g", v->d);
		else
			add_json_free(out, v->s);
		buf_add_char(out, ' ');
		if (r->clash & RECORD_BIT(k))
			buf_add_str(out, "clash ");
	}
	if (r->unknown_keys > 0)
		buf_addf(out, "unknown:%u ", r->unknown_keys);
	if (r->fixed_text)
		buf_add_str(out, "fixed ");
	if (r->not_measured)
		buf_add_str(out, "unmeasured ");
	if (out->n > 0)
		out->p[--out->n] = '\0';
	else
		buf_add_str(out, "");
}

/* The record `text` as show() puts it, or the outcome and where it stopped. Fresh and trained scanners and all paddings must agree,
 * else that is what it says. */
static void
scan_and_show(struct slice text, struct buf *out)
{
	struct buf again = BUF_INIT(1 << 20);
	static struct record r;

	buf_clear(out);
	for (size_t i = 0; i < sizeof(paddings); i++) {
		char *p = with_padding(text, paddings[i]);
		struct record_scanner sc;

		record_scanner_init(&sc);
		for (int round = 0; round < 2; round++) {
			size_t end = SIZE_MAX;
			enum record_rc rc = record_scan(&sc, (struct slice){ p, text.n }, &r, &end);

			if (rc == RECORD_OK) {
				show(&again, &r);
				if (end != text.n)
					buf_addf(&again, "%send:%zu", again.n > 0 ? " " : "", end);
			} else {
				buf_clear(&again);
				buf_addf(&again, "%s at %zu", rc == RECORD_TORN ? "torn" : rc == RECORD_BAD ? "bad" : "nomem", end);
			}
			if (i == 0 && round == 0)
				buf_add_slice(out, buf_slice(&again));
			else if (!slice_eq(buf_slice(&again), buf_slice(out)))
				buf_addf(out, " BUT %s with padding %02x in round %d", again.p, (uint8_t)paddings[i], round);
		}
		record_scanner_done(&sc);
		free(p);
	}
	buf_done(&again);
}

struct row {
	struct slice text;
	const char *want;
};
#define ROW(text, want) \
	{ \
		{ "" text, sizeof(text) - 1 }, want \
	}

static const struct row good[] = {
	ROW("{}", ""),
	ROW("{\t}", ""),
	ROW("{\"ev\":\"data\",\"t\":1790000000000350001,\"mid\":\"m-1\",\"topic\":\"grp\",\"seq\":12,\"to\":\"a1\"}",
	    "ev=str:data mid=str:m-1 seq=int:12 t=int:1790000000000350001 to=str:a1 topic=str:grp"),
	ROW("{ \"ev\" : \"data\" ,\r\n\t\"t\" : 5 }", "ev=str:data t=int:5"),
	/* text behind the record is the caller's */
	ROW("{\"seq\":1}{\"seq\":2}", "seq=int:1 end:9"),
	ROW("{\"seq\":1}\0\0", "seq=int:1 end:9"),
	ROW("{\"seq\":1} x", "seq=int:1 end:9"),
	/* integers */
	ROW("{\"t\":0,\"lo\":-0,\"hi\":-1}", "hi=int:-1 lo=int:0 t=int:0"),
	ROW("{\"t\":9223372036854775807}", "t=int:9223372036854775807"),
	ROW("{\"t\":-9223372036854775808}", "t=int:-9223372036854775808"),
	ROW("{\"t\":12345678,\"seq\":123456789,\"hi\":1234567890123456,\"lo\":12345678901234567}",
	    "hi=int:1234567890123456 lo=int:12345678901234567 seq=int:123456789 t=int:12345678"),
	/* other numbers */
	ROW("{\"t\":9223372036854775808}", "t=real:9.2233720368547758e+18"),
	ROW("{\"t\":-9223372036854775809}", "t=real:-9.2233720368547758e+18"),
	ROW("{\"t\":99999999999999999999}", "t=real:1e+20"),
	ROW("{\"t\":18446744073709551616}", "t=real:1.8446744073709552e+19"),
	ROW("{\"t\":36893488147419103233}", "t=real:3.6893488147419103e+19"),
	ROW("{\"t\":1.0,\"lo\":1e3,\"hi\":-2.5E-1}", "hi=real:-0.25 lo=real:1000 t=real:1"),
	ROW("{\"t\":1.79e+18,\"hi\":0.1,\"lo\":-0.0,\"lag\":0e0}",
	    "hi=real:0.10000000000000001 lag=real:0 lo=real:-0 t=real:1.79e+18"),
	ROW("{\"cpu_pct\":NaN,\"fds\":Infinity,\"lag\":-Infinity}",
	    "cpu_pct=unmeasured:NaN fds=unmeasured:Infinity lag=unmeasured:-Infinity unmeasured"),
	ROW("{\"cpu_pct\":1e400,\"fds\":-1e400}", "cpu_pct=unmeasured:1e400 fds=unmeasured:-1e400 unmeasured"),
	/* words */
	ROW("{\"complete\":true,\"why\":null,\"found\":false}", "complete=bool:1 found=bool:0 why=null:null"),
	/* strings */
	ROW("{\"mid\":\"\",\"why\":\"\x7f\"}", "mid=str: why=str:\x7f"),
	ROW("{\"text\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "text=str:\"\\/<08><0c><0a><0d><09>"),
	ROW("{\"text\":\"a\\u0041\\u00e9\\u4e2d\\uFfFd\\ud83d\\ude00z\"}",
	    "text=str:aA<c3><a9><e4><b8><ad><ef><bf><bd><f0><9f><98><80>z"),
	ROW("{\"text\":\"a\\u0000b\"}", "text=str:a<00>b"),
	ROW("{\"text\":\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xef\xbf\xbd\"}",
	    "text=str:<c3><a9><e4><b8><ad><f0><9f><98><80><ef><bf><bd>"),
	ROW("{\"mid\":\"x\\ny\",\"why\":\"\\u0061bc\",\"to\":\"plain\",\"from\":\"\\\\\"}",
	    "from=str:\\ mid=str:x<0a>y to=str:plain why=str:abc"),
	/* text that is repaired: each longest beginning of a valid sequence becomes one U+FFFD */
	ROW("{\"text\":\"\\ud800\"}", "text=str:<ef><bf><bd> fixed"),
	ROW("{\"text\":\"\\udc00\\ud800\"}", "text=str:<ef><bf><bd><ef><bf><bd> fixed"),
	ROW("{\"text\":\"\\udc00\\udc00\"}", "text=str:<ef><bf><bd><ef><bf><bd> fixed"),
	ROW("{\"text\":\"\\ud800\\ud83d\\ude00\"}", "text=str:<ef><bf><bd><f0><9f><98><80> fixed"),
	ROW("{\"text\":\"\\ud800\\u0041\"}", "text=str:<ef><bf><bd>A fixed"),
	ROW("{\"text\":\"\\ud800\\n\"}", "text=str:<ef><bf><bd><0a> fixed"),
	ROW("{\"text\":\"a\xff"
	    "b\x80\"}",
	    "text=str:a<ef><bf><bd>b<ef><bf><bd> fixed"),
	ROW("{\"text\":\"\xc0\xaf\"}", "text=str:<ef><bf><bd><ef><bf><bd> fixed"),
	ROW("{\"text\":\"\xe4\xb8\"}", "text=str:<ef><bf><bd> fixed"),
	ROW("{\"text\":\"\xf0\x9f\x98"
	    "A\"}",
	    "text=str:<ef><bf><bd>A fixed"),
	ROW("{\"text\":\"\xed\xa0\x80\"}", "text=str:<ef><bf><bd><ef><bf><bd><ef><bf><bd> fixed"),
	ROW("{\"text\":\"\xf4\x90\x80\x80\"}", "text=str:<ef><bf><bd><ef><bf><bd><ef><bf><bd><ef><bf><bd> fixed"),
	ROW("{\"text\":\"\xe0\x9f\xbf\xf0\x8f\xbf\xbf\"}",
	    "text=str:<ef><bf><bd><ef><bf><bd><ef><bf><bd><ef><bf><bd><ef><bf><bd><ef><bf><bd><ef><bf><bd> fixed"),
	ROW("{\"other\":\"\xff\"}", "unknown:1 fixed"),
	ROW("{\"\xff\":1}", "unknown:1 fixed"),
	/* keys */
	ROW("{\"m\\u0069d\":\"x\",\"\\u0074\":1}", "mid=str:x t=int:1"),
	ROW("{\"mi\":1,\"midx\":2,\"\":3,\"MID\":4,\"mid \":5,\"nr_throttle\":6,\"plan_sha25\":7}", "unknown:7"),
	ROW("{\"x\":{\"mid\":1},\"mid\":\"y\"}", "mid=str:y unknown:1"),
	/* nested values */
	ROW("{\"members\":[\"a\",\"b\"],\"extra\":{ \"a\" : [ 1 , {} , [] , \"\\n\" ] }}",
	    "extra=raw:{ \"a\" : [ 1 , {} , [] , \"\\n\" ] } members=raw:[\"a\",\"b\"]"),
	ROW("{\"members\":[\"\\ud800\"],\"lag\":[NaN]}", "lag=raw:[NaN] members=raw:[\"\\ud800\"] fixed unmeasured"),
	ROW("{\"extra\":[[],{},{\"a\":{\"b\":[{}]}},true,null,-1.5e3]}", "extra=raw:[[],{},{\"a\":{\"b\":[{}]}},true,null,-1.5e3]"),
	/* given again */
	ROW("{\"mid\":\"x\",\"mid\":\"x\"}", "mid=str:x"),
	ROW("{\"mid\":\"x\",\"mid\":\"\\u0078\"}", "mid=str:x"),
	ROW("{\"mid\":\"x\",\"t\":1,\"mid\":\"y\"}", "mid=str:x clash t=int:1"),
	ROW("{\"t\":1,\"t\":1,\"t\":2}", "t=int:1 clash"),
	ROW("{\"t\":0,\"t\":-0,\"seq\":1,\"seq\":1.0}", "seq=int:1 clash t=int:0"),
	ROW("{\"t\":1.5,\"t\":15e-1,\"seq\":1,\"seq\":\"1\"}", "seq=int:1 clash t=real:1.5"),
	ROW("{\"why\":null,\"why\":null,\"complete\":true,\"complete\":false}", "complete=bool:1 clash why=null:null"),
	ROW("{\"members\":[1],\"members\":[1],\"extra\":[1],\"extra\":[ 1]}", "extra=raw:[1] clash members=raw:[1]"),
	ROW("{\"lag\":NaN,\"lag\":NaN,\"fds\":NaN,\"fds\":Infinity}", "fds=unmeasured:NaN clash lag=unmeasured:NaN unmeasured"),
	ROW("{\"other\":1,\"other\":2}", "unknown:2"),
};

static const struct row bad[] = {
	ROW("x", "bad at 0"),
	ROW("[1]", "bad at 0"),
	ROW("\0", "bad at 0"),
	ROW("{x", "bad at 1"),
	ROW("{,}", "bad at 1"),
	ROW("{\"t\":1,}", "bad at 7"),
	ROW("{\"t\":1,,\"seq\":2}", "bad at 7"),
	ROW("{\"t\":1 \"seq\":2}", "bad at 7"),
	ROW("{\"t\":1]", "bad at 6"),
	ROW("{\"t\"}", "bad at 4"),
	ROW("{\"t\",1}", "bad at 4"),
	ROW("{\"t\":}", "bad at 5"),
	ROW("{\"t\"::1}", "bad at 5"),
	ROW("{t:1}", "bad at 1"),
	ROW("{'t':1}", "bad at 1"),
	ROW("{1:1}", "bad at 1"),
	ROW("{\"t\":1/**/}", "bad at 6"),
	/* NUL and other control characters */
	ROW("{\0\"t\":1}", "bad at 1"),
	ROW("{\"t\":1\0}", "bad at 6"),
	ROW("{\"t\":\0 1}", "bad at 5"),
	ROW("{\"mid\":\"a\0b\"}", "bad at 9"),
	ROW("{\"mid\":\"a\nb\"}", "bad at 9"),
	ROW("{\"mid\":\"a\x1f\"}", "bad at 9"),
	ROW("{\"mid\":\"\\n\t\"}", "bad at 10"),
	ROW("{\"m\0d\":1}", "bad at 3"),
	ROW("{\"t\":1\v}", "bad at 6"),
	ROW("{\"t\":1\xc2\xa0}", "bad at 6"),
	/* strings */
	ROW("{\"mid\":\"\\x\"}", "bad at 9"),
	ROW("{\"mid\":\"\\U0041\"}", "bad at 9"),
	ROW("{\"mid\":\"\\\0\"}", "bad at 9"),
	ROW("{\"mid\":\"\\u00g1\"}", "bad at 12"),
	ROW("{\"mid\":\"\\u-001\"}", "bad at 10"),
	ROW("{\"mid\":\"\\ud800\\uxyz0\"}", "bad at 16"),
	/* numbers */
	ROW("{\"t\":01}", "bad at 6"),
	ROW("{\"t\":-01}", "bad at 7"),
	ROW("{\"t\":00}", "bad at 6"),
	ROW("{\"t\":00000000000000000000000000000000001}", "bad at 6"),
	ROW("{\"t\":+1}", "bad at 5"),
	ROW("{\"t\":.5}", "bad at 5"),
	ROW("{\"t\":1.}", "bad at 7"),
	ROW("{\"t\":1.e1}", "bad at 7"),
	ROW("{\"t\":1e}", "bad at 7"),
	ROW("{\"t\":1e+}", "bad at 8"),
	ROW("{\"t\":1e1.5}", "bad at 8"),
	ROW("{\"t\":-}", "bad at 6"),
	ROW("{\"t\":--1}", "bad at 6"),
	ROW("{\"t\":-a}", "bad at 6"),
	ROW("{\"t\":0x10}", "bad at 6"),
	ROW("{\"t\":1a}", "bad at 6"),
	ROW("{\"t\":1_000}", "bad at 6"),
	ROW("{\"t\":1.5p3}", "bad at 8"),
	ROW("{\"t\":\xd9\xa1}", "bad at 5"),
	/* words */
	ROW("{\"t\":True}", "bad at 5"),
	ROW("{\"t\":trux}", "bad at 8"),
	ROW("{\"t\":truex}", "bad at 9"),
	ROW("{\"t\":nan}", "bad at 6"),
	ROW("{\"t\":-NaN}", "bad at 6"),
	ROW("{\"t\":+Infinity}", "bad at 5"),
	ROW("{\"t\":-Infinit}", "bad at 13"),
	ROW("{\"t\":undefined}", "bad at 5"),
	/* nested values */
	ROW("{\"extra\":[1,]}", "bad at 12"),
	ROW("{\"extra\":[,1]}", "bad at 10"),
	ROW("{\"extra\":[1}}", "bad at 11"),
	ROW("{\"extra\":{\"a\":1]}", "bad at 15"),
	ROW("{\"extra\":{\"a\"}}", "bad at 13"),
	ROW("{\"extra\":{1:1}}", "bad at 10"),
	ROW("{\"extra\":[01]}", "bad at 11"),
	ROW("{\"extra\":[\"\t\"]}", "bad at 11"),
	ROW("{\"extra\":[]]}", "bad at 11"),
};

/* Every proper beginning of a record is torn, and so is a bad one up to the byte that made it bad. */
static void
check_beginnings(struct slice text, size_t whole)
{
	struct buf got = BUF_INIT(1 << 20);
	char want[32] = "";
	size_t n = 0;

	buf_add_str(&got, "");
	while (n < whole && strcmp(got.p, want) == 0) {
		scan_and_show((struct slice){ text.p, n }, &got);
		snprintf(want, sizeof(want), "torn at %zu", n);
		n++;
	}
	is_str(got.p, want, "its beginnings are torn");
	buf_done(&got);
}

static void
check_rows(const struct row *rows, size_t nrows)
{
	struct buf got = BUF_INIT(1 << 20), label = BUF_INIT(1 << 20);

	for (size_t i = 0; i < nrows; i++) {
		const char *at;

		scan_and_show(rows[i].text, &got);
		buf_clear(&label);
		add_json_free(&label, rows[i].text);
		is_str(got.p, rows[i].want, label.p);
		at = strstr(rows[i].want, "end:");
		if (at == NULL)
			at = strstr(rows[i].want, "bad at ");
		check_beginnings(rows[i].text,
		    at != NULL ? strtoul(at + strcspn(at, "0123456789"), NULL, 10) + (*at == 'b') : rows[i].text.n);
	}
	buf_done(&got);
	buf_done(&label);
}

static void
check_depth(void)
{
	struct buf text = BUF_INIT(4096), got = BUF_INIT(4096);

	for (int depth = 63; depth <= 64; depth++) { /* and the record itself */
		buf_clear(&text);
		buf_add_str(&text, "{\"other\":");
		for (int i = 0; i < depth; i++)
			buf_add_str(&text, i % 2 == 0 ? "[" : "{\"\":");
		buf_add_str(&text, "1");
		for (int i = depth; i-- > 0;)
			buf_add_str(&text, i % 2 == 0 ? "]" : "}");
		buf_add_str(&text, "}");
		scan_and_show(buf_slice(&text), &got);
		is_str(got.p, depth == 63 ? "unknown:1" : "bad at 165", depth == 63 ? "64 levels" : "65 levels");
	}
	buf_done(&text);
	buf_done(&got);
}

/* One scanner over lines that differ in all ways a guess could miss. */
static void
check_guesses(void)
{
	static const struct row lines[] = {
		ROW("{\"ev\":\"a\",\"t\":1,\"mid\":\"x\"}", "ev=str:a mid=str:x t=int:1"),
		ROW("{\"ev\":\"a\",\"t\":1,\"mid\":\"x\"}", "ev=str:a mid=str:x t=int:1"),
		ROW("{\"ev\": \"a\", \"t\": 1, \"mid\": \"x\"}", "ev=str:a mid=str:x t=int:1"),
		ROW("{\"ev\":  \"a\",\"t\":\n1,\"mid\":\"x\"}", "ev=str:a mid=str:x t=int:1"),
		ROW("{\"ev\":\"a\",\"mid\":\"x\",\"t\":1}", "ev=str:a mid=str:x t=int:1"),
		ROW("{\"ev\":\"a\",\"mid\":\"x\",\"t\":1,\"new\":1}", "ev=str:a mid=str:x t=int:1 unknown:1"),
		ROW("{\"ev\":\"a\",\"mid\":\"x\",\"t\":1,\"new\":1,\"new\":1,\"mid\":\"y\"}",
		    "ev=str:a mid=str:x clash t=int:1 unknown:2"),
		ROW("{\"ev\":\"a\",\"offline_members\":1,\"ceiling_per_s\":2}",
		    "ceiling_per_s=int:2 ev=str:a offline_members=int:1"),
		ROW("{\"ev\":\"a\",\"offline_members\":1,\"ceiling_per_s\":2}",
		    "ceiling_per_s=int:2 ev=str:a offline_members=int:1"),
		ROW("{}", ""),
		ROW("{\"ev\":\"a\",\"\\u0074\":1}", "ev=str:a t=int:1"),
		ROW("{\"ev\":\"a\",\"\\u0074\":2}", "ev=str:a t=int:2"),
		ROW("{\"ev\":\"a\",\"t\":}", "bad at 14"),
		ROW("{\"ev\":\"a\",\"t\":", "torn at 14"),
		ROW("{\"ev\":\"a\",\"t\": ", "torn at 15"),
		ROW("{\"ev\":\"a\",\"t\"", "torn at 13"),
		ROW("{\"ev\":", "torn at 6"),
	};
	struct buf got = BUF_INIT(4096);
	static struct record r;
	struct record_scanner sc;

	record_scanner_init(&sc);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *p = with_padding(lines[i].text, '"');
		size_t end = 0;
		enum record_rc rc = record_scan(&sc, (struct slice){ p, lines[i].text.n }, &r, &end);

		if (rc == RECORD_OK) {
			show(&got, &r);
		} else {
			buf_clear(&got);
			buf_addf(&got, "%s at %zu", rc == RECORD_TORN ? "torn" : "bad", end);
		}
		is_str(got.p, lines[i].want, "with what was learned from the lines before");
		free(p);
	}
	record_scanner_done(&sc);
	buf_done(&got);
}

/* What lies behind the text is what would come next: all the same it ends where it ends. */
static void
check_end(void)
{
	static const char line[] =
	    "{\"ev\":\"data\",\"t\":1790000000000350001,\"text\":\"\\ud83d\\ude00 \xf0\x9f\x98\x80\",\"lag\":-1.5e10,"
	    "\"extra\":[true,NaN,{\"a\":null}],\"seq\":1234567890123456789}................";
	const size_t whole = sizeof(line) - 1 - RECORD_PADDING;
	static struct record r;
	struct record_scanner sc;
	size_t wrong = 0, end = 0;

	record_scanner_init(&sc);
	is_int(record_scan(&sc, (struct slice){ line, whole }, &r, &end), RECORD_OK, "a line");
	for (size_t n = 1; n < whole; n++)
		wrong += record_scan(&sc, (struct slice){ line, n }, &r, &end) != RECORD_TORN || end != n;
	is_int((intmax_t)wrong, 0, "is torn before each of its bytes");
	record_scanner_done(&sc);
}

static void
check_keys(void)
{
	int found = 0;

	for (unsigned k = 0; k < _RECORD_KEY_MAX; k++) {
		struct buf text = BUF_INIT(256), got = BUF_INIT(256), want = BUF_INIT(256);

		buf_addf(&text, "{\"%s\":%u}", record_key_name(k), k);
		buf_addf(&want, "%s=int:%u", record_key_name(k), k);
		scan_and_show(buf_slice(&text), &got);
		found += slice_eq(buf_slice(&got), buf_slice(&want));
		buf_done(&text);
		buf_done(&got);
		buf_done(&want);
	}
	is_int(found, _RECORD_KEY_MAX, "every key is found by its name");
	ok(_RECORD_KEY_MAX <= 128, "the keys fit a mask");
	is_str(record_key_name(_RECORD_KEY_MAX), "", "no name beyond the last");
}

/* All pairs of bytes at all places of a word, against the plain definition. */
static void
check_plain_run(void)
{
	int wrong = 0;

	for (unsigned i = 0; i < 8; i++) {
		for (unsigned pair = 0; pair < 0x10000; pair++) {
			uint8_t word[9] = "aaaaaaaa";
			unsigned want = 0;

			word[i] = (uint8_t)pair;
			word[(i + 1) % 8] = (uint8_t)(pair >> 8);
			while (want < 8 && word[want] >= 0x20 && word[want] < 0x80 && word[want] != '"' && word[want] != '\\')
				want++;
			wrong += record_plain_run((const char *)word) != want;
		}
	}
	is_int(wrong, 0, "the plain bytes of a word are counted");
}

static void
check_numbers(void)
{
	int wrong = 0, tried = 0;
	uint64_t x = 1;

	for (unsigned digits = 1; digits <= 19; digits++) {
		for (int i = 0; i < 200; i++) {
			char text[64], *p;
			struct record_value v = { 0 };
			struct record_text t = { 0 };
			int64_t want;
			int n;

			x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
			want = (int64_t)(x >> 1);
			for (unsigned cut = digits; cut < 19; cut++)
				want /= 10;
			if (i % 2 != 0)
				want = -want;
			n = snprintf(text, sizeof(text), "%" PRId64 ",", want);
			p = with_padding((struct slice){ text, (size_t)n }, '7');
			t.end = p + n;
			wrong += record_read_value(&t, p, &v) != t.end - 1 || v.type != REC_INT || v.i != want;
			tried++;
			free(p);
		}
	}
	is_int(wrong, 0, "integers of every length");
	is_int(tried, 3800, "and all were tried");
}

static void
check_next_string(void)
{
	static const struct row arrays[] = {
		ROW("[]", "ok"),
		ROW("[ ]", "ok"),
		ROW("[\"a\"]", "a ok"),
		ROW("[\"a\",\"\",\"c\\u0064\"]", "a  cd ok"),
		ROW("[ \"a\" , \"b\xff\" ]", "a b<ef><bf><bd> ok"),
		ROW("[\"a\",1]", "a no"),
		ROW("[\"a\" \"b\"]", "a no"),
		ROW("[\"a\",]", "a no"),
		ROW("[1]", "no"),
		ROW("{}", "no"),
		ROW("\"a\"", "no"),
		ROW("[\"a\"", "a no"),
		ROW("[\"a", "no"),
		ROW("[\"a\"]x", "a no"),
		ROW("", "no"),
	};
	struct buf got = BUF_INIT(4096);
	struct record_scanner sc;

	record_scanner_init(&sc);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		char *p = with_padding(arrays[i].text, ']');
		struct slice s;
		size_t pos = 0;
		bool fine = false;

		buf_clear(&got);
		while (record_next_string(&sc, (struct slice){ p, arrays[i].text.n }, &pos, &s, &fine)) {
			add_json_free(&got, s);
			buf_add_char(&got, ' ');
		}
		buf_add_str(&got, fine ? "ok" : "no");
		is_str(got.p, arrays[i].want, "strings of an array");
		free(p);
	}
	record_scanner_done(&sc);
	buf_done(&got);
}

/* Walking an array leaves the decoded strings of its record alone. */
static void
check_borrowing(void)
{
	struct slice text = SLICE("{\"topic\":\"\\u0067rp\",\"members\":[\"\\u0061\\u0061\\u0061\\u0061\\u0061\",\"\\u0062\"]}");
	char *p = with_padding(text, ' ');
	static struct record r;
	struct record_scanner sc;
	struct slice s;
	size_t end, pos = 0;
	bool fine;

	record_scanner_init(&sc);
	is_int(record_scan(&sc, (struct slice){ p, text.n }, &r, &end), RECORD_OK, "a topic");
	ok(record_next_string(&sc, r.v[KEY_members].s, &pos, &s, &fine) && slice_eq(s, SLICE("aaaaa")), "its first member");
	ok(record_next_string(&sc, r.v[KEY_members].s, &pos, &s, &fine) && slice_eq(s, SLICE("b")), "its second member");
	ok(slice_eq(r.v[KEY_topic].s, SLICE("grp")), "its name still");
	record_scanner_done(&sc);
	free(p);
}

static void
check_memory(void)
{
	struct slice text = SLICE("{\"members\":[\"\\u0061\"],\"mid\":\"\\u0062\"}");
	char *p = with_padding(text, ' ');
	static struct record r;
	struct record_scanner sc;
	struct slice s;
	size_t end, pos = 0;
	bool fine = true;

	record_scanner_init(&sc);
	fault_at = 1;
	is_int(record_scan(&sc, (struct slice){ p, text.n }, &r, &end), RECORD_NOMEM, "no memory for a decoded string");
	is_int(record_scan(&sc, (struct slice){ p, text.n }, &r, &end), RECORD_OK, "there is some again");
	fault_at = 1;
	ok(!record_next_string(&sc, r.v[KEY_members].s, &pos, &s, &fine) && !fine, "no memory for a member");
	ok(record_next_string(&sc, r.v[KEY_members].s, &pos, &s, &fine) && fine && slice_eq(s, SLICE("a")), "there is some again");
	is_int(fault_hits, 2, "both allocations were reached");
	record_scanner_done(&sc);
	free(p);
}

int
main(void)
{
	check_rows(good, sizeof(good) / sizeof(good[0]));
	check_rows(bad, sizeof(bad) / sizeof(bad[0]));
	check_depth();
	check_guesses();
	check_end();
	check_keys();
	check_plain_run();
	check_numbers();
	check_next_string();
	check_borrowing();
	check_memory();
	return done();
}
