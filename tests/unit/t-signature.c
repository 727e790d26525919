/* Signatures in events: which match, what they are about, what it may cost, and that looking ahead changes nothing. */
#include "config.h"

#include "ingest/signature.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "tap.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT_MAX ((size_t)1 << 20)

struct engine {
	struct matcher *m;
	struct matcher_thread *t;
};

static void
engine_done(struct engine *e)
{
	matcher_thread_free(e->t);
	matcher_free(e->m);
}

/* How much text is announced: so little that nothing looks ahead, and enough that something does. */
static const uint64_t announced[] = { 0, MATCHER_PREFILTER_BYTES };

static bool
engine_init(struct engine *e, const struct signature *v, size_t n, uint64_t bytes)
{
	struct signature_set set = { .v = v, .n = n };
	struct imp_err err = { 0 };

	return ok(matcher_new(&set, bytes, &e->m, &err) == IMP_OK && matcher_thread_new(e->m, &e->t, &err) == IMP_OK,
	    "compiled for %ju bytes: %s", (uintmax_t)bytes, err.msg);
}

/* Hits as text: "0 3=subject". */
static enum imp_rc
add_hit(void *payload, size_t which, struct slice subject, struct imp_err *err)
{
	struct buf *out = payload;

	buf_addf(out, "%s%zu", out->n > 0 ? " " : "", which);
	if (subject.p != NULL) {
		buf_add_char(out, '=');
		buf_add_slice(out, subject);
	}
	return buf_status(out, err);
}

static void
is_hits(struct engine *e, struct slice event, const char *want, const char *what)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(TEXT_MAX);

	is_int(matcher_scan(e->t, event, add_hit, &out, NULL), IMP_OK, "scanned");
	is_str(out.n > 0 ? out.p : "", want, what);
}

static const struct signature some[] = {
	{ SLICE("log.overload"), SLICE("topic proxy\\[(?<subject>[^\\]]*)\\]: route .* - cluster: load exceeded") },
	{ SLICE("log.overload"), SLICE("cluster: load exceeded") },
	{ SLICE("log.queue_full"), SLICE("hub: topic's broadcast queue is full(?: (?<subject>\\S+))?") },
	{ SLICE("log.any_topic"), SLICE("topic") },
	{ SLICE("log.overload"), SLICE("server busy") },
	{ SLICE("log.panic"), SLICE("(?s)^panic: (?:.*?\\n\\t(?!\\S*/src/runtime/)\\S*?(?<subject>[\\w.-]+\\.go:\\d+))?") },
	{ SLICE("log.not_hub"), SLICE("(?<!hub\\.go:231: )hub: x") },
	{ SLICE("log.repeated"), SLICE("(\\w+) \\1") },
	{ SLICE("log.recursive"), SLICE("<(?:[^<>]|(?R))*>!") },
	{ SLICE("log.zero"), SLICE("a\0b") },
};

static void
test_hits(uint64_t bytes)
{
	CLEANUP(engine_done) struct engine e = { 0 };

	if (!engine_init(&e, some, LENGTH(some), bytes))
		return;
	is_hits(&e, SLICE("topic proxy[p2pX]: route broadcast - cluster: load exceeded"), "0=p2pX 3", "several ids, each once");
	is_hits(&e, SLICE("call: cluster: load exceeded"), "0", "the second expression of an id, nothing caught");
	is_hits(&e, SLICE("server busy: topic"), "3 0", "in the order of the set, named by the first of the id");
	is_hits(&e, SLICE("hub: topic's broadcast queue is full grpA b"), "2=grpA 3", "a subject");
	is_hits(&e, SLICE("hub: topic's broadcast queue is full"), "2 3", "a group that took no part");
	is_hits(&e, SLICE("panic: boom\n\ngoroutine 1:\nmain.f()\n\t/go/src/runtime/p.go:1\n\t/srv/hub.go:12 +0x9\n"),
	    "5=hub.go:12", "several lines");
	is_hits(&e, SLICE("no panic: boom"), "", "an anchor");
	is_hits(&e, SLICE("hub.go:231: hub: x"), "", "looking back");
	is_hits(&e, SLICE("hub.go:232: hub: x"), "6", "looking back, otherwise");
	is_hits(&e, SLICE("abc abc"), "7", "a reference back");
	is_hits(&e, SLICE("abc abd"), "", "a reference back, otherwise");
	is_hits(&e, SLICE("<a<b>!"), "8", "an expression in itself, which cannot be looked ahead for");
	is_hits(&e, SLICE("<a<b>! <a<b>>!"), "8", "likewise");
	is_hits(&e, SLICE("xa\0b"), "9", "a zero in the expression");
	is_hits(&e, SLICE("\0\xff topic \xc3"), "3", "any bytes");
	is_hits(&e, SLICE(""), "", "nothing");
	is_hits(&e, (struct slice){ NULL, 0 }, "", "nothing at all");
	is_int((intmax_t)matcher_exceeded(e.t), 0, "nothing took too long");
}

static void
test_empty(uint64_t bytes)
{
	static const struct signature empty[] = { { SLICE("log.a"), SLICE("x*") }, { SLICE("log.b"), SLICE("^$") } };
	CLEANUP(engine_done) struct engine none = { 0 }, e = { 0 };

	if (engine_init(&none, NULL, 0, bytes))
		is_hits(&none, SLICE("topic"), "", "no signature");
	if (!engine_init(&e, empty, LENGTH(empty), bytes))
		return;
	is_hits(&e, SLICE("topic"), "0", "an expression that matches nothing");
	is_hits(&e, SLICE(""), "0 1", "an empty event");
}

static void
test_many(void)
{
	static char text[SIGNATURES_MAX + 1][16];
	static struct signature v[SIGNATURES_MAX + 1];
	struct signature_set set = { .v = v, .n = LENGTH(v) };
	CLEANUP(engine_done) struct engine e = { 0 };
	struct imp_err err = { 0 };
	struct matcher *m = NULL;

	for (size_t i = 0; i < LENGTH(v); i++) {
		int n = snprintf(text[i], sizeof(text[i]), "s%04zu", i);

		v[i].id = v[i].re = (struct slice){ text[i], (size_t)n };
	}
	is_int(matcher_new(&set, MATCHER_PREFILTER_BYTES, &m, &err), IMP_E_LIMIT, "one more than the limit");
	ok(m == NULL, "nothing came out");
	if (engine_init(&e, v, SIGNATURES_MAX, MATCHER_PREFILTER_BYTES))
		is_hits(&e, SLICE("s0999 s0063 s0064 s0000 s1000"), "0 63 64 999", "as many as the limit");
}

static void
test_broken(void)
{
	static const struct {
		struct slice re;
		const char *want;
	} rows[] = {
		{ SLICE("a(b"), "signature 'log.x': missing closing parenthesis at byte 3 of the expression" },
		{ SLICE("[b-a]"), "signature 'log.x': range out of order in character class at byte 3 of the expression" },
		{ SLICE("(*UTF)a"), "signature 'log.x': using UTF is disabled by the application at byte 6 of the expression" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct signature v[] = { { SLICE("log.ok"), SLICE("a") }, { SLICE("log.x"), rows[i].re } };
		struct signature_set set = { .v = v, .n = LENGTH(v) };
		struct imp_err err = { 0 };
		struct matcher *m = NULL;

		is_int(matcher_new(&set, MATCHER_PREFILTER_BYTES, &m, &err), IMP_E_DATA, "refused");
		is_str(err.msg, rows[i].want, "why");
		ok(m == NULL, "nothing came out");
	}
}

/* Expressions that would run for hours are given up on, and the others still tell what they saw. */
static void
test_limits(uint64_t bytes)
{
	/* looking back is what only PCRE2 does: everything else stands in the text */
	static const struct signature slow[] = {
		{ SLICE("log.nested"), SLICE("(?:a+)+!bx(?<!!bx)") },
		{ SLICE("log.alternatives"), SLICE("(?:a|aa)+!bx(?<!!bx)") },
		{ SLICE("log.stars"), SLICE("a*a*a*a*a*!bx(?<!!bx)") },
		{ SLICE("log.fine"), SLICE("aaaa!") },
	};
	CLEANUP(engine_done) struct engine e = { 0 };
	char text[5000];

	memset(text, 'a', sizeof(text));
	memcpy(text + sizeof(text) - 3, "!bx", 3);
	if (!engine_init(&e, slow, LENGTH(slow), bytes))
		return;
	is_hits(&e, (struct slice){ text, sizeof(text) }, "3", "the harmless one");
	is_int((intmax_t)matcher_exceeded(e.t), 1, "one event took too long");
	is_hits(&e, SLICE("aaaa!bx"), "3", "the harmless one, in a text that is soon done with");
	is_int((intmax_t)matcher_exceeded(e.t), 1, "no further one");
}

static enum imp_rc
stop(void *payload, size_t which, struct slice subject, struct imp_err *err)
{
	(void)which, (void)subject;
	++*(int *)payload;
	return imp_err_set(err, IMP_E_LIMIT, "enough");
}

static void
test_stop(uint64_t bytes)
{
	CLEANUP(engine_done) struct engine e = { 0 };
	struct imp_err err = { 0 };
	int calls = 0;

	if (!engine_init(&e, some, LENGTH(some), bytes))
		return;
	is_int(matcher_scan(e.t, SLICE("topic, server busy"), stop, &calls, &err), IMP_E_LIMIT, "what `hit` says");
	is_str(err.msg, "enough", "and why");
	is_int(calls, 1, "stopped at the first");
}

/* ------------------------------------------------------------------ with and without looking ahead */

/* The same, expression by expression. */
static void
plain_hits(pcre2_code *const *codes, const struct signature *v, size_t n, struct slice line, struct buf *out)
{
	bool seen[LENGTH(some)] = { false };

	for (size_t i = 0; i < n; i++) {
		pcre2_match_data *data = pcre2_match_data_create_from_pattern(codes[i], NULL);
		size_t which = 0;

		while (!slice_eq(v[which].id, v[i].id))
			which++;
		if (!seen[which] && pcre2_match(codes[i], (PCRE2_SPTR)line.p, line.n, 0, 0, data, NULL) >= 0) {
			PCRE2_UCHAR *subject;
			size_t length;
			bool has = pcre2_substring_get_byname(data, (PCRE2_SPTR) "subject", &subject, &length) == 0;

			add_hit(out, which, has ? (struct slice){ (char *)subject, length } : (struct slice){ NULL, 0 }, NULL);
			if (has)
				pcre2_substring_free(subject);
			seen[which] = true;
		}
		pcre2_match_data_free(data);
	}
}

static void
test_differential(const char *dir, uint64_t bytes)
{
	static const char *const runs[] = { "tinode-403", "tinode-killed", "tinode-overload" };
	CLEANUP(engine_done) struct engine e = { 0 };
	CLEANUP(buf_done) struct buf got = BUF_INIT(TEXT_MAX), want = BUF_INIT(TEXT_MAX);
	pcre2_code *codes[LENGTH(some)];
	size_t lines = 0, hits = 0, different = 0;
	int code;
	size_t at;

	if (!engine_init(&e, some, LENGTH(some), bytes))
		return;
	for (size_t i = 0; i < LENGTH(some); i++)
		codes[i] = pcre2_compile((PCRE2_SPTR)some[i].re.p, some[i].re.n, 0, &code, &at, NULL);
	for (size_t i = 0; i < LENGTH(runs) * 3; i++) {
		char path[512], line[4096];
		gzFile f;

		snprintf(path, sizeof(path), "%s/fixtures/recorded/%s/logs/im-server-%zu.log.gz", dir, runs[i / 3], i % 3);
		f = gzopen(path, "rb");
		while (f != NULL && gzgets(f, line, sizeof(line)) != NULL) {
			struct slice event = { line, strcspn(line, "\n") };

			buf_clear(&got), buf_clear(&want);
			if (matcher_scan(e.t, event, add_hit, &got, NULL) != IMP_OK)
				different++;
			plain_hits(codes, some, LENGTH(some), event, &want);
			different += !slice_eq(buf_slice(&got), buf_slice(&want));
			hits += want.n > 0;
			lines++;
		}
		if (f != NULL)
			gzclose(f);
	}
	for (size_t i = 0; i < LENGTH(some); i++)
		pcre2_code_free(codes[i]);
	is_int((intmax_t)different, 0, "what each expression finds by itself");
	ok(lines > 20000 && hits > 1000, "%zu lines, %zu with a hit", lines, hits);
}

int
main(void)
{
	const char *dir = getenv("top_srcdir");

	for (size_t i = 0; i < LENGTH(announced); i++) {
		test_hits(announced[i]);
		test_empty(announced[i]);
		test_limits(announced[i]);
		test_stop(announced[i]);
		test_differential(dir != NULL ? dir : ".", announced[i]);
	}
	test_many();
	test_broken();
	return done();
}
