/* Any bytes as run.json, timeline.json and topics.jsonl: refused, or facts that a collector can work with. */
#include "config.h"

#include "base/time.h"
#include "collect/run_facts.h"
#include "dir.h"

static bool
is_text(const char *s)
{
	return s == NULL || s[0] != '\0';
}

static bool
is_time(int64_t t)
{
	return t == INT64_MIN || time_fits(t);
}

static void
check_facts(const struct run_facts *f)
{
	must(is_text(f->run_id) && is_text(f->tenant) && is_text(f->mid_prefix));
	must(is_time(f->load_start) && is_time(f->load_end) && is_time(f->drain_end));
	for (size_t i = 0; i < f->ntopics; i++) {
		must(f->topics[i][0] != '\0' && f->kinds[i][0] != '\0');
		must(i == 0 || strcmp(f->topics[i - 1], f->topics[i]) < 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "run.json", "timeline.json", "topics.jsonl" };
	int dirfd = fuzz_dirfd();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct arena arena = { 0 };
		struct run_facts facts;
		int64_t t;
		enum imp_rc rc;

		run_dir_bytes(names[i], (struct slice){ (const char *)data, size });
		rc = run_facts_read(dirfd, &arena, &facts, NULL);
		must(rc == IMP_OK || (rc == IMP_E_DATA && i < 2));
		if (rc == IMP_OK)
			check_facts(&facts);
		if (run_mark_time(dirfd, "load_end", &t, NULL) == IMP_OK)
			must(is_time(t));
		must(unlinkat(dirfd, names[i], 0) == 0);
		arena_done(&arena);
	}
	return 0;
}
