/* Two parts of a log of any bytes, cut at the first 0x1e. Whatever they hold, reading them is no error; counts hold together, and a
 * second reading by other means gives the same. */
#include "config.h"

#include "fuzz.h"
#include "ingest/log.h"
#include "read-run.h"

#define LINE_MAX_BYTES 512

static const struct signature signatures[] = {
	{ SLICE("any"), SLICE("(?<subject>[a-z]+) is full") },
	{ SLICE("dump"), SLICE("^panic: ") },
};
static const struct signature_set set = { signatures, 2, "" };

static void
check_source(const struct log_source *s)
{
	uint64_t lines = 0;

	must(s->pod.p != NULL && s->format != NULL && (s->first_t == NO_TIME) == (s->last_t == NO_TIME));
	must(s->first_t <= s->last_t && (s->zone != LOG_ZONE_UNKNOWN || s->zone_offset_ns == NO_TIME));
	for (size_t i = 0; i < s->seconds.n; i++) {
		const struct log_second *x = &s->seconds.v[i];

		must(i == 0 || s->seconds.v[i - 1].second < x->second);
		must(x->lines > 0 && x->first_t <= x->last_t && x->first_t >= s->first_t && x->last_t <= s->last_t);
		lines += x->lines;
	}
	must(lines <= s->events);
	for (size_t i = 0; i < s->hits.n; i++) {
		const struct log_hit *h = &s->hits.v[i];

		must(i == 0 || s->hits.v[i - 1].place <= h->place);
		must(
		    h->n > 0 && h->n <= s->events && h->signature < set.n && h->text.n <= LOG_TEXT_MAX && place_line(h->place) > 0);
		must((h->second == NO_TIME) == (h->first_t == NO_TIME) && h->first_t <= h->last_t);
	}
}

static uint64_t
digest(const struct logs *logs)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < logs->v.n; i++) {
		const struct log_source *s = &logs->v.v[i];

		sum = sum * 31 + s->events + s->resent * 7 + s->damaged * 13 + (uint64_t)s->first_t + (uint64_t)s->zone;
		for (size_t k = 0; k < s->hits.n; k++)
			sum = sum * 31 + s->hits.v[k].n + hash_bytes(s->hits.v[k].text) + s->hits.v[k].place;
	}
	return sum;
}

static uint64_t
read_logs(struct ledger *l, unsigned threads)
{
	struct reader_options opt = { .threads = threads, .line_max = LINE_MAX_BYTES, .hash = threads == 1 };
	struct logs logs = { .v = { 0 } };
	uint64_t sum;

	must(logs_read(l, &set, &opt, &logs, NULL) == IMP_OK);
	for (size_t i = 0; i < logs.v.n; i++)
		check_source(&logs.v.v[i]);
	for (uint32_t i = 0; i < run.inputs.v.n; i++) {
		const struct file_counts *n = &l->files[i].n;

		if (run.inputs.v.v[i].kind == INPUT_LOG)
			must(n->records == n->events + n->rejected && n->resent <= n->events);
	}
	sum = digest(&logs);
	logs_done(&logs);
	return sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice bytes = { (const char *)data, size };
	const char *cut = size > 0 ? memchr(bytes.p, 0x1e, size) : NULL;
	size_t n = cut != NULL ? (size_t)(cut - bytes.p) : size;
	struct ledger *l;

	run_dir_clear();
	run_dir_put("run.json", "{\"format\":1,\"client_mid_prefix\":\"m-\"}");
	run_dir_put("agents/a/a.jsonl",
	    "{\"ev\":\"pub\",\"t\":1790474565000000000,\"mid\":\"m-1\",\"topic\":\"p\",\"from\":\"a1\"}\n");
	run_dir_bytes("logs/p.log.1", (struct slice){ bytes.p, n });
	if (cut != NULL)
		run_dir_bytes("logs/p.log", (struct slice){ cut + 1, size - n - 1 });
	l = read_run(1);
	must(read_logs(l, 1) == read_logs(l, 2));
	return 0;
}
