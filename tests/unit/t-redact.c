/* Secrets go, everything else stays. */
#include "config.h"

#include "base/redact.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "tap.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define R "[redacted]"
#define LOGIN_SECRET "YTAwMDE6c2VjcmV0LWEwMDAx"

struct row {
	const char *in, *want;
};

static void
check(const struct row *rows, size_t n, const char *of)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20), again = BUF_INIT(1 << 20);
		char what[40];

		redact_add(&out, slice_of(rows[i].in));
		snprintf(what, sizeof(what), "%s %zu", of, i);
		is_str(out.n > 0 ? out.p : "", rows[i].want, what);
		redact_add(&again, buf_slice(&out));
		ok(slice_eq(buf_slice(&again), buf_slice(&out)), "%s: twice is once", what);
	}
}

static void
test_frames(void)
{
	static const struct row rows[] = {
		{ "in: '{\"login\":{\"scheme\":\"basic\",\"secret\":\"" LOGIN_SECRET "\",\"id\":\"l3\"}}' sid='co-RCL6' uid=''",
		    "in: '{\"login\":{\"scheme\":\"basic\",\"secret\":\"" R "\",\"id\":\"l3\"}}' sid='co-RCL6' uid=''" },
		{ "{\"login\":{\"scheme\":\"token\",\"secret\":\"L/dJafrUZZ78ICBr\"}}",
		    "{\"login\":{\"scheme\":\"token\",\"secret\":\"" R "\"}}" },
		{ "{ \"secret\" : \"a\\\"b\\\\\" , \"id\":1}", "{ \"secret\" : \"" R "\" , \"id\":1}" },
		/* cut at 512 bytes: the mark and what follows stay */
		{ "in: '{\"acc\":{\"secret\":\"YTAw<...>' sid='x' uid=''",
		    "in: '{\"acc\":{\"secret\":\"" R "<...>' sid='x' uid=''" },
		{ "in: '{\"acc\":{\"secret\":\"YTAw", "in: '{\"acc\":{\"secret\":\"" R },
		{ "in: '{\"acc\":{\"secret\":<...>' sid='x'", "in: '{\"acc\":{\"secret\":<...>' sid='x'" },
		/* JSON within JSON, once and twice; cut inside */
		{ "{\"log\":\"in: '{\\\"secret\\\":\\\"YTAw\\\",\\\"id\\\":1}'\\n\",\"stream\":\"stderr\"}",
		    "{\"log\":\"in: '{\\\"secret\\\":\\\"" R "\\\",\\\"id\\\":1}'\\n\",\"stream\":\"stderr\"}" },
		{ "{\\\\\\\"token\\\\\\\":\\\\\\\"a b\\\\\\\",\\\\\\\"id\\\\\\\":1}",
		    "{\\\\\\\"token\\\\\\\":\\\\\\\"" R "\\\\\\\",\\\\\\\"id\\\\\\\":1}" },
		{ "{\\\"secret\\\":\\\"a\\\\\\\"b\\\",\\\"id\\\":1}", "{\\\"secret\\\":\\\"" R "\\\",\\\"id\\\":1}" },
		{ "{\"log\":\"{\\\"secret\\\":\\\"YTAw\",\"stream\":\"stderr\"}",
		    "{\"log\":\"{\\\"secret\\\":\\\"" R "\",\"stream\":\"stderr\"}" },
		{ "{\"log\":\"in: '{\\\"secret\\\":\\\"YTAw\\u003c...\\u003e' sid='x'\\n\"}",
		    "{\"log\":\"in: '{\\\"secret\\\":\\\"" R "\\u003c...\\u003e' sid='x'\\n\"}" },
		/* answers */
		{ "\"params\":{\"expires\":\"2026-12-14T16:49:15Z\",\"token\":\"0akY6qbj1gALHiBr=\",\"user\":\"usr0akY\"}",
		    "\"params\":{\"expires\":\"2026-12-14T16:49:15Z\",\"token\":\"" R "\",\"user\":\"usr0akY\"}" },
	};

	check(rows, LENGTH(rows), "frames");
}

static void
test_names(void)
{
	static const struct row rows[] = {
		{ "X-Tinode-APIKey: AQEAAAABAAD_rAp4DJh05a1HAwFT3A6K", "X-Tinode-APIKey: " R },
		{ "GET /v0/channels?apikey=AQEAAAABAAD_rAp4&x=1 HTTP/1.1", "GET /v0/channels?apikey=" R "&x=1 HTTP/1.1" },
		{ "\"GET /v0/channels?apikey=AQEAAAAB\" 403", "\"GET /v0/channels?apikey=" R "\" 403" },
		{ "host=db user=im password=s3cret,x dbname=im", "host=db user=im password=" R " dbname=im" },
		{ "Password=a,b;User=im", "Password=" R ";User=im" },
		{ "(password=abc) next", "(password=" R ") next" },
		{ "{Token:abc User:x}", "{Token:" R " User:x}" },
		{ "aws_access_key_id=AKIAIOSFODNN7 aws_secret_access_key = wJalrXUtnFEMI/K7MDENG",
		    "aws_access_key_id=AKIAIOSFODNN7 aws_secret_access_key = " R },
		{ "AWS_SECRET_ACCESS_KEY=wJalr/K7", "AWS_SECRET_ACCESS_KEY=" R },
		{ "db.passwd2='it''s' x", "db.passwd2='" R "' x" },
		{ "SET PASSWORD = 'a b'", "SET PASSWORD = '" R "'" },
		{ "CREATE USER im IDENTIFIED BY 'geheim'", "CREATE USER im IDENTIFIED BY '" R "'" },
		{ "CONFIG SET requirepass geheim", "CONFIG SET requirepass " R },
		{ "mysql --user im --password geheim --host db", "mysql --user im --password " R " --host db" },
		{ "tok token=>\"x\" b", "tok token=>\"" R "\" b" },
		{ "\"password\":null,\"token\":12345}", "\"password\":null,\"token\":" R "}" },
		{ "\"tokens\":[\"a]\",\"b\"],\"c\":1", "\"tokens\":[\"a]\",\"b\"],\"c\":1" },
		{ "\"secrets\":[\"a]\",\"b\"],\"c\":1", "\"secrets\":" R ",\"c\":1" },
		{ "Secret:[89 84 65] Id:3", "Secret:" R " Id:3" },
		{ "\"credentials\":{\"token\":\"x\",\"id\":1}", "\"credentials\":{\"token\":\"" R "\",\"id\":1}" },
		{ "api_key_salt: T713/rYYgW7g4m3v=", "api_key_salt: " R },
	};

	check(rows, LENGTH(rows), "names");
}

static void
test_credentials(void)
{
	static const struct row rows[] = {
		{ "Authorization: Bearer eyJhbGciOi.x-y status=403", "Authorization: Bearer " R " status=403" },
		{ "authorization: Basic dXNlcjpwYXNz", "authorization: Basic " R },
		{ "Authorization: Digest username=\"u\", response=\"6629fa\"\nnext", "Authorization: " R "\nnext" },
		{ "map[Authorization:[Bearer abc] Host:[x]]", "map[Authorization:" R " Host:[x]]" },
		{ "{\"Authorization\":\"Bearer abc\",\"a\":1}", "{\"Authorization\":\"" R "\",\"a\":1}" },
		{ "Cookie: auth=AQEA; theme=dark", "Cookie: " R },
		{ "sent bearer eyJhbGciOi to x", "sent bearer " R " to x" },
		{ "mysql://im:geheim@db:3306/im?x=1", "mysql://im:" R "@db:3306/im?x=1" },
		{ "redis://:p/w#@cache:6379/0", "redis://:" R "@cache:6379/0" },
		{ "amqp://u:a@b@host/v dial failed", "amqp://u:" R "@host/v dial failed" },
		{ "open im:ge:heim@tcp(db:3306)/im", "open im:" R "@tcp(db:3306)/im" },
		{ "dsn \"im:geheim@/im\"", "dsn \"im:" R "@/im\"" },
		{ "-----BEGIN RSA PRIVATE KEY-----\nMIIB\nAAA=\n-----END RSA PRIVATE KEY-----\nx",
		    "-----BEGIN RSA PRIVATE KEY-----" R "-----END RSA PRIVATE KEY-----\nx" },
		{ "-----BEGIN PRIVATE KEY-----\nMIIB", "-----BEGIN PRIVATE KEY-----" R },
	};

	check(rows, LENGTH(rows), "credentials");
}

/* Nothing of this is a secret. */
static void
test_kept(void)
{
	static const char *const texts[] = {
		"",
		"timeout",
		"topic proxy[p2pX]: route broadcast request from proxy to master failed - cluster: load exceeded",
		"I2026/11/30 16:49:56.610755 hdl_websock.go:205: ws: session started TF-6WaqvEME 127.0.0.1:55398 1",
		"Error 1045 (28000): Access denied for user 'im'@'10.0.0.3' (using password: YES)",
		"{\"scheme\":\"basic\",\"login\":true,\"defacs\":{\"auth\":\"JRWPS\"}}",
		"basic authentication failed, bearer token expired",
		"secret \"tls-cert\" not found; failed to sync secret cache",
		"max_tokens=5 token_type=x tokenizer: y",
		"http://im-server-0:6060/v0?x=a@b and https://bob@host/ and bob@example.com",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"密码 为空 password:",
	};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);

		redact_add(&out, slice_of(texts[i]));
		is_str(out.n > 0 ? out.p : "", texts[i], "kept");
	}
}

/* Wherever the text is cut at a character, no part of the secret comes out, and no half of a character. */
static void
test_cuts(void)
{
	static const char text[] =
	    "{\"log\":\"in: '{\\\"acc\\\":{\\\"desc\\\":\\\"群聊\\\",\\\"password\\\":\\\"Ge密heim\\\"}}'\",\"a\":1}";
	struct slice s = slice_of(text);
	bool hidden = true, whole = true, same = true;

	for (size_t pos = 0; pos < s.n;) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20), again = BUF_INIT(1 << 20);

		text_next_char(s, &pos);
		redact_add(&out, (struct slice){ s.p, pos });
		redact_add(&again, buf_slice(&out));
		hidden = hidden && strstr(out.p, "Ge") == NULL;
		whole = whole && text_is_utf8(buf_slice(&out));
		same = same && slice_eq(buf_slice(&out), buf_slice(&again));
	}
	ok(hidden, "hidden at every cut");
	ok(whole, "no character is split");
	ok(same, "twice is once at every cut");
}

static void
test_limit(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(20);

	redact_add(&out, SLICE("password=abc and more than fits"));
	is_int(buf_status(&out, NULL), IMP_E_LIMIT, "more than `out` may hold");
}

int
main(void)
{
	test_frames();
	test_names();
	test_credentials();
	test_kept();
	test_cuts();
	test_limit();
	return done();
}
