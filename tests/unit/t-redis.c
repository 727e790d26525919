/* Redis: INFO and SLOWLOG, whole and damaged, without secrets. */
#include "config.h"

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

int
main(void)
{
	info();
	slowlog();
	redis_done(&r);
	snapshot_done(&s);
	return done();
}
