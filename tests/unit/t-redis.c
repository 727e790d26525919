/* Redis: INFO and SLOWLOG, whole and damaged, without secrets. */
#include "config.h"

#include "base/cleanup.h"
#include "ingest/redis.h"
#include "snapshot-file.h"
#include "tap.h"

static struct imp_err err;
static struct redis r;
static struct snapshot s;

static enum imp_rc
read_one(const char *text)
{
	int dirfd = snapshot_file(&s, text);
	enum imp_rc rc;

	redis_done(&r);
	rc = redis_read(&r, &s, &err);
	close(dirfd);
	return rc;
}

static void
info(void)
{
	ok(read_one(
	       "# Server\r\nredis_version:7.0.15\r\nos:Linux 6.1 x86_64\r\n\r\n# Stats\r\nevicted_keys:0\r\nexecutable:\r\n") ==
		    IMP_OK &&
		s.rejected == 0 && r.figures.n == 4,
	    "INFO");
	ok(slice_eq(r.figures.v[1].name, SLICE("os")) && slice_eq(r.figures.v[1].value, SLICE("Linux 6.1 x86_64")) &&
		r.figures.v[1].line == 3,
	    "a figure");
	ok(r.figures.v[3].value.p != NULL && r.figures.v[3].value.n == 0, "an empty value");
	ok(read_one("a:1\nNOAUTH Authentication required.\nb:2:3\n") == IMP_OK && r.figures.n == 2 && s.rejected == 1 &&
		s.flaws.v[0].line == 2,
	    "a line that is none");
	ok(slice_eq(r.figures.v[1].value, SLICE("2:3")), "a colon in a value");
	ok(read_one("<html>:x\n") == IMP_OK && r.figures.n == 0 && s.rejected == 1, "a page of HTML");
	ok(read_one("") == IMP_OK && s.note.n > 0 && s.rejected == 0, "an empty file");
}

static void
slowlog(void)
{
	ok(read_one(
	       "[[14,1790000000,15000,[\"KEYS\",\"*\"],\"10.0.0.1:5\",\"app\"],\n[13,1790000001,20,[\"auth\",\"user\",\"hunter2\"],\"\",\"\"],"
	       "[12,1790000002,5,[]],{\"id\":11,\"timestamp\":1790000003,\"duration_us\":7,\"command\":\"GET a\"}]") == IMP_OK &&
		s.rejected == 0 && r.slow.n == 4,
	    "SLOWLOG");
	ok(r.slow.v[0].t == INT64_C(1790000000000000000) && r.slow.v[0].id == 14 && r.slow.v[0].duration_us == 15000 &&
		slice_eq(r.slow.v[0].command, SLICE("KEYS *")) && slice_eq(r.slow.v[0].client, SLICE("10.0.0.1:5")) &&
		r.slow.v[0].line == 1,
	    "an entry");
	ok(slice_eq(r.slow.v[1].command, SLICE("auth [redacted]")) && r.slow.v[1].client.p == NULL && r.slow.v[1].line == 2,
	    "a password is taken out");
	ok(r.slow.v[2].command.p != NULL && r.slow.v[2].command.n == 0, "an entry without a command");
	ok(r.slow.v[3].id == 11 && slice_eq(r.slow.v[3].command, SLICE("GET a")), "an entry as an object");
	ok(read_one("[[1,\"x\",1,[]],7,[1,1790000000,-5,[]],[2,1790000000,5,[\"GET\"]]]") == IMP_OK && r.slow.n == 1 &&
		s.rejected == 3,
	    "entries that are none");
	ok(read_one("[[2,1790000000,5,[\"GET\"]],[3,17") == IMP_OK && r.slow.n == 1 && s.cut && s.rejected == 1, "a torn file");
	ok(read_one("{\"error\":\"x\"}") == IMP_OK && s.rejected == 1, "another document");
}

static void
latency(void)
{
	const struct redis_spike *v;

	ok(read_one(
	       "{\"latency\":[\n"
	       "{\"event\":\"command\",\"time\":1790000000,\"latest_ms\":1001,\"max_ms\":1002,\"history\":[[1789999990,12],[1790000000,1001]]},\n"
	       "{\"event\":\"fork\",\"time\":1790000100,\"latest_ms\":3,\"max_ms\":7}]}\n") == IMP_OK &&
		s.rejected == 0 && r.spikes.n == 3 && s.samples == 3,
	    "LATENCY");
	v = r.spikes.v;
	ok(v[0].t == INT64_C(1789999990000000000) && v[0].duration_ns == 12000000 && v[0].max_ns == 1002000000 &&
		slice_eq(v[0].event, SLICE("command")) && v[0].line == 2,
	    "a spike of its history");
	ok(v[1].duration_ns == 1001000000 && v[1].line == 2, "and the next");
	ok(v[2].t == INT64_C(1790000100000000000) && v[2].duration_ns == 3000000 && slice_eq(v[2].event, SLICE("fork")) &&
		v[2].line == 3,
	    "without a history the latest");
	ok(read_one("{\"latency\":[]}") == IMP_OK && r.spikes.n == 0 && s.rejected == 0, "no event at all");
	ok(read_one("{\"latency\":[{\"event\":\"fork\",\"time\":1790000100,\"latest_ms\":3,\"history\":[]}]}") == IMP_OK &&
		r.spikes.n == 0 && s.rejected == 0,
	    "a history without any");
	ok(read_one(
	       "{\"latency\":[7,{\"event\":\"\"},{\"event\":\"a\",\"time\":-1,\"latest_ms\":3},{\"event\":\"a\",\"time\":1,\"latest_ms\":1.5},"
	       "{\"event\":\"a\",\"history\":[[1,2],3,[1]]}]}") == IMP_OK &&
		r.spikes.n == 1 && s.rejected == 6,
	    "events and spikes that are none");
	ok(read_one("{\"latency\":[{\"event\":\"a\",\"time\":1,\"latest_ms\":2},{\"ev") == IMP_OK && r.spikes.n == 1 && s.cut &&
		s.rejected == 1,
	    "a torn file");
	ok(read_one("{\"latency\":{}}") == IMP_OK && s.rejected == 1 && r.spikes.n == 0, "another document");
}

/* As many spikes of one event as the server keeps. */
static void
ring(void)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16);

	for (int n = 159; n <= 160; n++) {
		buf_clear(&text);
		buf_add_str(&text, "{\"latency\":[{\"event\":\"a\",\"history\":[");
		for (int i = 0; i < n; i++)
			buf_addf(&text, "%s[%d,1]", i > 0 ? "," : "", i + 1);
		buf_add_str(&text, "]}]}");
		ok(read_one(text.p) == IMP_OK && r.spikes.n == (size_t)n && r.limited == (n == 160), "%d spikes", n);
	}
}

int
main(void)
{
	info();
	slowlog();
	latency();
	ring();
	redis_done(&r);
	snapshot_done(&s);
	return done();
}
