/* The record scanner against json-c, over the lines of the recorded runs and over 40,000 damaged copies of lines.
 *
 * Both must take the same texts, call the same ones incomplete, and find the same values. Where json-c is laxer or stricter than
 * RFC 8259 and our additions to it is listed in known_difference(), each with its count at the end. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "ingest/record.h"
#include "ingest/source.h"
#include "tap.h"

#define MUTANTS 40000
#define LINES_MAX 4096
#define LINE_BYTES 512

/* One of each kind, and what the writers of the recorded runs never wrote. */
static const char *const sample[] = {
	"{\"ev\":\"start\",\"t\":1790000000000350000,\"agent\":\"b\",\"version\":\"1.0.0\"}",
	"{\"ev\":\"data\",\"t\":1790000099266248406,\"mid\":\"lt-x-a00018-00009\",\"topic\":\"grpXSeG5ZotqD9\",\"seq\":196,\"to\":\"a00042\"}",
	"{\"ev\": \"row\", \"table\": \"messages\", \"mid\": \"lt-x-a0005-000001\", \"topic\": \"grpX\", \"seq\": 1, \"id\": \"1\"}",
	"{\"ev\":\"health\",\"t\":1790000000000000001,\"agent\":\"a\",\"cpu_pct\":12.75,\"rss_bytes\":1.5e9,\"fds\":-0,\"lag\":-1}",
	"{\"topic\":\"grp1\",\"kind\":\"group\",\"members\":[\"a0001\",\"a0002\",\"\\u00e9\"],\"offline_members\":900}",
	"{\"ev\":\"rows\",\"t\":1,\"table\":\"m\",\"complete\":true,\"count\":2,\"query\":null,\"other\":{\"a\":[1,{\"b\":false}],\"c\":{}}}",
	"{\"ev\":\"ctrl\",\"t\":2,\"id\":\"17\",\"code\":503,\"text\":\"a \\\"b\\\" \\\\ \\/ \\n \\ud83d\\ude00 \xe4\xb8\xad\"}",
	"{\"ev\":\"fail\",\"t\":9223372036854775807,\"mid\":\"m\",\"why\":\"timeout\",\"bytes\":0}",
};

/* What mutations put in: where the grammar turns. */
static const char *const pieces[] = {
	"\"",
	"\\",
	"{",
	"}",
	"[",
	"]",
	",",
	":",
	" ",
	"\n",
	"\t",
	"0",
	"1",
	"9",
	"-",
	"+",
	".",
	"e",
	"E",
	"true",
	"false",
	"null",
	"tru",
	"\\u",
	"\\ud800",
	"\\udc00",
	"\\u0000",
	"\\\"",
	"\xc3\xa9",
	"\xe4\xb8\xad",
	"{}",
	"[]",
	"\"t\":1,",
	",\"mid\":\"x\"",
	"\"\":",
	"9223372036854775808",
	"18446744073709551616",
	"1e5",
	"-0",
	"00",
	"0.5",
	"/",
	"\x01",
	"\x7f",
	"'",
	"//",
	"/**/",
	"NaN",
	"\\b",
};

enum difference {
	SAME,
	REPAIRED, /* we read NaN and Infinity and repair text: json-c's answer does not bind us */
	CONTROL,  /* json-c takes raw control characters in strings, */
	QUOTE,	  /* names in single quotes, */
	NUMBER,	  /* 01, -01 and 1. */
	NAME,	  /* and a name ends at its first NUL */
	_DIFFERENCE_MAX
};

static const char *const difference_names[_DIFFERENCE_MAX] = {
	"same",
	"repaired",
	"control character",
	"single quote",
	"number",
	"name with NUL",
};

static struct {
	char text[LINES_MAX][LINE_BYTES];
	size_t n[LINES_MAX];
	size_t count;
} lines;

static struct {
	unsigned compared, accepted, torn, bad, values, wrong;
	unsigned differences[_DIFFERENCE_MAX];
} tally;

static uint64_t seed = 20261130;

static size_t
below(size_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(seed >> 33) % n;
}

static void
complain(struct slice text, const char *what)
{
	if (tally.wrong++ >= 20)
		return;
	printf("# %s: ", what);
	for (size_t i = 0; i < text.n; i++)
		printf(text.p[i] >= ' ' && text.p[i] < 0x7f ? "%c" : "<%02x>", (uint8_t)text.p[i]);
	printf("\n");
}

/* An integer that json-c keeps as an integer and we, beyond int64, as a double. */
static bool
same_number(const struct record_value *v, json_object *o)
{
	if (v->type == REC_INT)
		return json_object_is_type(o, json_type_int) && json_object_get_int64(o) == v->i;
	if (json_object_is_type(o, json_type_double))
		return json_object_get_double(o) == v->d;
	return json_object_is_type(o, json_type_int) && strtod(v->s.p, NULL) == v->d && (v->d >= 0x1p63 || v->d <= -0x1p63);
}

static bool
same_raw(const struct record_value *v, json_object *o)
{
	json_tokener *tok = json_tokener_new_ex(64);
	json_object *again = json_tokener_parse_ex(tok, v->s.p, (int)v->s.n);
	bool same = again != NULL && json_object_equal(again, o) != 0;

	json_object_put(again);
	json_tokener_free(tok);
	return same;
}

static bool
same_value(const struct record_value *v, json_object *o)
{
	switch (v->type) {
	case REC_STRING:
		return json_object_is_type(o, json_type_string) &&
		    slice_eq(v->s, (struct slice){ json_object_get_string(o), (size_t)json_object_get_string_len(o) });
	case REC_INT:
	case REC_REAL:
		return same_number(v, o);
	case REC_BOOL:
		return json_object_is_type(o, json_type_boolean) && json_object_get_boolean(o) == v->i;
	case REC_NULL:
		return o == NULL;
	case REC_RAW:
		return same_raw(v, o);
	case REC_NOT_MEASURED:
		break;
	}
	return false;
}

static bool
has_escaped_nul(struct slice text)
{
	return memmem(text.p, text.n, "\\u0000", 6) != NULL;
}

static void
compare_values(struct slice text, const struct record *r, json_object *o)
{
	int known = 0;

	if (has_escaped_nul(text)) {
		tally.differences[NAME]++;
		return;
	}
	for (unsigned k = 0; k < _RECORD_KEY_MAX; k++) {
		json_object *value = NULL;
		bool there = json_object_object_get_ex(o, record_key_name(k), &value);

		known += there;
		if (there != ((r->has & RECORD_BIT(k)) != 0))
			complain(text, record_key_name(k));
		else if (there && !(r->clash & RECORD_BIT(k)) && !same_value(&r->v[k], value))
			complain(text, record_key_name(k));
		tally.values += there;
	}
	if (json_object_object_length(o) - known > (int)r->unknown_keys)
		complain(text, "unknown keys");
}

/* Why the two may differ on this text, by the byte that we stopped at. */
static enum difference
known_difference(struct slice text, enum record_rc rc, size_t end, const struct record *r, enum json_tokener_error json)
{
	char stop = end < text.n ? text.p[end] : '\0', before = end > 0 ? text.p[end - 1] : '\0';

	if (json == json_tokener_error_parse_utf8_string || (rc == RECORD_OK && r->not_measured))
		return REPAIRED;
	if (rc != RECORD_BAD)
		return SAME;
	if ((uint8_t)stop < ' ')
		return CONTROL;
	if (stop == '\'')
		return QUOTE;
	return before == '.' || (before == '0' && stop >= '0' && stop <= '9') ? NUMBER : SAME;
}

static void
compare(struct record_scanner *sc, struct slice given)
{
	char buf[2 * LINE_BYTES + RECORD_PADDING] = "";
	struct slice text = { buf, given.n };
	json_tokener *tok = json_tokener_new_ex(64);
	static struct record r;
	enum json_tokener_error json;
	enum record_rc rc;
	size_t end;
	json_object *o;

	memcpy(buf, given.p, given.n);
	rc = record_scan(sc, text, &r, &end);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	/* What follows the record is not its business. */
	o = json_tokener_parse_ex(tok, text.p, (int)(rc == RECORD_OK ? end : text.n));
	json = json_tokener_get_error(tok);
	tally.compared++;
	if (text.n > 0 && text.p[0] == '{') {
		bool same = rc == RECORD_OK ? json == json_tokener_success :
		    rc == RECORD_TORN	    ? json == json_tokener_continue :
					      json != json_tokener_success && json != json_tokener_continue;
		enum difference why = same ? SAME : known_difference(text, rc, end, &r, json);

		tally.differences[why]++;
		if (!same && why == SAME)
			complain(text, rc == RECORD_OK ? "taken" : rc == RECORD_TORN ? "torn" : "bad");
		tally.accepted += rc == RECORD_OK;
		tally.torn += rc == RECORD_TORN;
		tally.bad += rc == RECORD_BAD;
		if (same && rc == RECORD_OK && !r.fixed_text && !r.not_measured)
			compare_values(text, &r, o);
	} else if (rc == RECORD_OK) {
		complain(text, "no object");
	}
	json_object_put(o);
	json_tokener_free(tok);
}

static void
keep_line(struct slice text)
{
	if (text.n >= LINE_BYTES || lines.count == LINES_MAX)
		return;
	memcpy(lines.text[lines.count], text.p, text.n);
	lines.n[lines.count++] = text.n;
}

static void
compare_file(struct record_scanner *sc, int dirfd, const char *path)
{
	struct source_limits limits = { .line_max = LINE_BYTES };
	struct source_line line;
	struct source *source;
	bool more = true;

	if (source_open(dirfd, path, &limits, &source, NULL) != IMP_OK)
		return;
	while (source_next(source, &line, &more, NULL) == IMP_OK && more) {
		if (line.too_long)
			continue;
		compare(sc, line.text);
		if (below(50) == 0)
			keep_line(line.text);
	}
	source_close(source);
}

/* All .jsonl files below. */
static void
compare_tree(struct record_scanner *sc, int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		if (strstr(entry->d_name, ".jsonl") != NULL)
			compare_file(sc, fd, entry->d_name);
		else if (strchr(entry->d_name, '.') == NULL)
			compare_tree(sc, fd, entry->d_name);
	}
	if (dir != NULL)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* Replace some bytes at a random place: by a piece, by a random byte, by bytes of another line, or by nothing. */
static void
mutate(struct buf *text)
{
	struct buf old = BUF_INIT(2 * LINE_BYTES);
	size_t at = below(text->n + 1), gone = below(4), other = below(lines.count), from;

	buf_add_slice(&old, buf_slice(text));
	if (gone > old.n - at)
		gone = old.n - at;
	text->n = at;
	switch (below(5)) {
	case 0:
		buf_add_char(text, (char)below(256));
		break;
	case 1:
		from = below(lines.n[other] + 1);
		buf_add(text, lines.text[other] + from, below(lines.n[other] - from + 1));
		break;
	case 2:
		break;
	default:
		buf_add_str(text, pieces[below(sizeof(pieces) / sizeof(pieces[0]))]);
	}
	if (below(16) != 0) /* else it is torn there */
		buf_add(text, old.p + at + gone, old.n - at - gone);
	buf_done(&old);
}

static void
compare_mutants(struct record_scanner *sc)
{
	struct buf text = BUF_INIT(2 * LINE_BYTES);

	for (int i = 0; i < MUTANTS; i++) {
		size_t line = below(lines.count);

		buf_clear(&text);
		buf_add(&text, lines.text[line], lines.n[line]);
		for (size_t more = 1 + below(3); more > 0 && text.n < LINE_BYTES; more--)
			mutate(&text);
		compare(sc, buf_slice(&text));
	}
	buf_done(&text);
}

int
main(void)
{
	const char *top = getenv("top_srcdir");
	int fd = open(top != NULL ? top : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct record_scanner sc;

	record_scanner_init(&sc);
	for (size_t i = 0; i < sizeof(sample) / sizeof(sample[0]); i++) {
		compare(&sc, slice_of(sample[i]));
		keep_line(slice_of(sample[i]));
	}
	is_int(tally.accepted, sizeof(sample) / sizeof(sample[0]), "every sample is taken");
	compare_tree(&sc, fd, "fixtures/recorded");
	printf("# %u lines as they were written, %zu kept for mutation\n", tally.compared, lines.count);
	is_int(tally.compared, tally.accepted, "every recorded line is taken");
	compare_mutants(&sc);
	is_int(tally.wrong, 0, "json-c agrees");
	for (unsigned d = SAME; d < _DIFFERENCE_MAX; d++)
		printf("# %s: %u\n", difference_names[d], tally.differences[d]);
	printf("# taken %u, torn %u, bad %u, values %u\n", tally.accepted, tally.torn, tally.bad, tally.values);
	ok(tally.torn > MUTANTS / 50 && tally.bad > MUTANTS / 4 && tally.values > MUTANTS, "the mutants are of all kinds");
	record_scanner_done(&sc);
	close(fd);
	return done();
}
