/* What a results directory says of its run, also when it is broken or hostile. */
#include "config.h"

#include "collect/run_facts.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "run-dir.h"
#include "tap.h"

static struct arena arena;
static struct imp_err err;

static enum imp_rc
read_facts(struct run_facts *ret)
{
	CLEANUP(close_fdp) int fd = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return run_facts_read(fd, &arena, ret, &err);
}

static enum imp_rc
mark_time(const char *name, int64_t *ret)
{
	CLEANUP(close_fdp) int fd = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return run_mark_time(fd, name, ret, &err);
}

static void
test_nothing(void)
{
	struct run_facts f = { .run_id = "x" };
	int64_t t = 1;

	run_dir_clear();
	is_int(read_facts(&f), IMP_OK, "an empty directory");
	ok(f.run_id == NULL && f.tenant == NULL && f.mid_prefix == NULL && f.ntopics == 0, "says nothing");
	ok(f.load_start == INT64_MIN && f.load_end == INT64_MIN && f.drain_end == INT64_MIN, "of times neither");
	is_int(mark_time("load_end", &t), IMP_OK, "a mark");
	ok(t == INT64_MIN, "is not known");
}

static void
test_all(void)
{
	struct run_facts f;
	int64_t t = 0;

	run_dir_clear();
	run_dir_put("run.json",
	    "\xef\xbb\xbf{\"format\":1,\"run_id\":\"demo-1\",\"tenant\":\"t008\",\"client_mid_prefix\":\"lt-\",\"scenarios\":[{}]}\n");
	run_dir_put("timeline.json", "{\"baseline_start\":1,\"load_start\":1790000000000000001,\"load_end\":1790000060000000002}");
	run_dir_put("topics.jsonl",
	    "{\"topic\":\"p2p-2\",\"kind\":\"p2p\",\"members\":[\"a\",\"b\"]}\r\n\n"
	    "{\"topic\":\"grp1\",\"kind\":\"group\",\"members\":[]}\n"
	    "{\"topic\":\"p2p-2\",\"kind\":\"p2p\",\"members\":[]}\n"
	    "{\"topic\":\"Z\",\"kind\":\"p2p\"}");
	is_int(read_facts(&f), IMP_OK, "a run");
	is_str(f.run_id, "demo-1", "its id");
	is_str(f.tenant, "t008", "its tenant");
	is_str(f.mid_prefix, "lt-", "its prefix");
	ok(f.load_start == 1790000000000000001, "to the nanosecond");
	ok(f.load_end == 1790000060000000002, "the end");
	ok(f.drain_end == INT64_MIN, "a mark that is not there");
	is_int((intmax_t)f.ntopics, 3, "topics, each once");
	is_str(f.topics[0], "Z", "in byte order");
	is_str(f.topics[1], "grp1", "the second");
	is_str(f.topics[2], "p2p-2", "the third");
	is_str(f.kinds[1], "group", "a kind");
	is_int((intmax_t)f.topics_damaged, 0, "nothing is damaged");
	is_int(mark_time("baseline_start", &t), IMP_OK, "any mark");
	ok(t == 1, "has its time");
}

static void
test_broken(void)
{
	static const char *const texts[] = {
		"",
		"[]",
		"7",
		"{",
		"{\"run_id\":\"x\"} {}",
		"{\"run_id\":\"x\"}x",
		"{'run_id':'x'}",
		"{\"run_id\":\"\xff\"}",
		"{\"a\":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]}",
	};
	struct run_facts f = { .run_id = "as it was" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		run_dir_clear();
		run_dir_put("run.json", "%s", texts[i]);
		is_int(read_facts(&f), IMP_E_DATA, texts[i]);
		is_str(err.msg, "'run.json' is no JSON object", "says which");
	}
	is_str(f.run_id, "as it was", "nothing was written");
	run_dir_clear();
	is_int(symlink("/etc/passwd", run_dir_path("run.json")), 0, "a link that leads out");
	is_int(read_facts(&f), IMP_E_DATA, "is not followed");
}

/* Values of a wrong type are as if they were not there. */
static void
test_odd_values(void)
{
	struct run_facts f;

	run_dir_clear();
	run_dir_put("run.json", "{\"run_id\":7,\"tenant\":null,\"client_mid_prefix\":\"a\\u0000b\"}");
	run_dir_put("timeline.json",
	    "{\"load_start\":\"1790000000000000001\",\"load_end\":1.79e18,\"drain_end\":9223372036854775807}");
	is_int(read_facts(&f), IMP_OK, "odd values");
	ok(f.run_id == NULL && f.tenant == NULL && f.mid_prefix == NULL, "are none");
	ok(f.load_start == INT64_MIN && f.load_end == INT64_MIN && f.drain_end == INT64_MIN, "of times too");
}

static void
test_damaged_topics(void)
{
	struct run_facts f;

	run_dir_clear();
	run_dir_put("topics.jsonl",
	    "{\"topic\":\"a\",\"kind\":\"p2p\"}\n{\"topic\":\"b\",\"ki\n{\"topic\":\"c\"}\n{\"topic\":\"d\",\"kind\":\"p2p\"}{\"topic\":\"e\",\"kind\":\"p2p\"}\n"
	    "{\"topic\":\"f\",\"kind\":\"p2p\"}\n{\"topic\":\"");
	is_int(read_facts(&f), IMP_OK, "damaged topics");
	is_int((intmax_t)f.ntopics, 2, "the whole ones");
	is_str(f.topics[1], "f", "also behind the damage");
	is_int((intmax_t)f.topics_damaged, 4, "and how many are not");
}

/* Lines that do not end where a piece of the file does. */
static void
test_long_lines(void)
{
	static char members[200000];
	struct run_facts f;
	FILE *file;

	run_dir_clear();
	memset(members, ' ', sizeof(members) - 1);
	file = fopen(run_dir_path("topics.jsonl"), "we");
	for (int i = 0; i < 20 && file != NULL; i++)
		fprintf(file, "{\"topic\":\"t%02d\",%s\"kind\":\"p2p\"}\n", i, members);
	if (file != NULL)
		fclose(file);
	is_int(read_facts(&f), IMP_OK, "long lines");
	is_int((intmax_t)f.ntopics, 20, "all of them");
	is_int((intmax_t)f.topics_damaged, 0, "are whole");
}

int
main(void)
{
	test_nothing();
	test_all();
	test_broken();
	test_odd_values();
	test_damaged_topics();
	test_long_lines();
	ok(run_mark_exists("close_end") && !run_mark_exists("load") && !run_mark_exists(""), "names of marks");
	is_str(run_phase_mark(PHASE_BASELINE), "baseline_start", "marks of phases");
	is_str(run_phase_mark(PHASE_LOAD), "load_start", "load");
	is_str(run_phase_mark(PHASE_DRAIN), "load_end", "drain");
	is_str(run_phase_mark(PHASE_FINAL), "drain_end", "final");
	arena_done(&arena);
	return done();
}
