/* Dead letters: their lines, how many there are as the auditor counts them, and what one line says of all sources. */
#include "config.h"

#include "collect/dead_tally.h"

#include "base/cleanup.h"
#include "tap.h"

static struct imp_err err;

static struct dead_letter
letter(void)
{
	return (struct dead_letter){ .t = 1790000000000000001,
		.mid = SLICE("m1"),
		.error = SLICE("Out of range"),
		.code = DEAD_NO_CODE };
}

static void
test_lines(void)
{
	struct dead_tally *t;
	struct buf line = BUF_INIT(4096);
	struct dead_letter d = letter();

	is_int(dead_tally_new(3, &t, &err), IMP_OK, "a look-up");
	is_int(dead_tally_line(t, &d, &line, &err), IMP_OK, "a letter");
	is_str(line.p,
	    "{\"ev\": \"dead\", \"t\": 1790000000000000001, \"mid\": \"m1\", \"error\": \"Out of range\", \"state\": \"dead\", \"check\": 3}\n",
	    "with what it must have");
	d.code = 1264;
	d.topic = SLICE("grp\"1");
	d.kafka_topic = SLICE("im.dead");
	d.replayed = true;
	buf_clear(&line);
	is_int(dead_tally_line(t, &d, &line, &err), IMP_OK, "a letter");
	is_str(line.p,
	    "{\"ev\": \"dead\", \"t\": 1790000000000000001, \"mid\": \"m1\", \"error\": \"Out of range\", \"code\": 1264, \"topic\": "
	    "\"grp\\\"1\", \"kafka_topic\": \"im.dead\", \"state\": \"replayed\", \"check\": 3}\n",
	    "with all that it can have");
	dead_tally_free(t);
	buf_done(&line);
}

static void
check_end(struct dead_tally *t, const char *want)
{
	struct buf line = BUF_INIT(4096);

	dead_tally_end(t, 7, &line);
	is_str(line.n > 0 ? line.p : "", want, "the line");
	buf_done(&line);
}

static void
add(struct dead_tally *t, const struct dead_letter *d)
{
	struct buf line = BUF_INIT(4096);

	ok(dead_tally_line(t, d, &line, &err) == IMP_OK, "added");
	buf_done(&line);
}

static void
test_count(void)
{
	struct dead_tally *t;
	struct dead_letter d = letter();

	is_int(dead_tally_new(1, &t, &err), IMP_OK, "a look-up");
	check_end(t, "");
	dead_tally_source(t, true);
	check_end(t, "{\"ev\": \"deads\", \"t\": 7, \"complete\": true, \"count\": 0, \"check\": 1}\n");
	add(t, &d);
	add(t, &d); /* the same again */
	d.t++;
	add(t, &d);
	d.error = SLICE("other");
	add(t, &d);
	d.code = 0;
	add(t, &d);
	d.code = 1264;
	add(t, &d);
	d.topic = SLICE("x");
	add(t, &d);
	d.topic = (struct slice){ NULL, 0 };
	d.kafka_topic = SLICE("x");
	add(t, &d);
	d.replayed = true;
	add(t, &d);
	d.mid = SLICE("m\xff");
	add(t, &d);
	d.mid = SLICE("m\xfe"); /* both are U+FFFD in the file, and so one letter */
	add(t, &d);
	dead_tally_source(t, true);
	check_end(t, "{\"ev\": \"deads\", \"t\": 7, \"complete\": true, \"count\": 9, \"check\": 1}\n");
	dead_tally_source(t, false);
	dead_tally_source(t, true);
	is_int((intmax_t)dead_tally_sources(t), 4, "sources");
	check_end(t, "{\"ev\": \"deads\", \"t\": 7, \"complete\": false, \"count\": 9, \"check\": 1}\n");
	dead_tally_free(t);
	dead_tally_free(NULL);
}

int
main(void)
{
	test_lines();
	test_count();
	return done();
}
