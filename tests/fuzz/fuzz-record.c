/* The record scanner over lines of any bytes. What one scanner has learned from the lines before, and what lies behind a line, must
 * change nothing; a record without its last byte must be torn. */
#include "config.h"

#include "fuzz.h"
#include "ingest/record.h"

struct outcome {
	enum record_rc rc;
	size_t end;
	struct record record;
};

static bool
same_record(const struct record *a, const struct record *b)
{
	if (a->has != b->has || a->clash != b->clash || a->unknown_keys != b->unknown_keys || a->fixed_text != b->fixed_text ||
	    a->not_measured != b->not_measured)
		return false;
	for (unsigned k = 0; k < _RECORD_KEY_MAX; k++) {
		if ((a->has & RECORD_BIT(k)) && (a->v[k].type != b->v[k].type || !slice_eq(a->v[k].s, b->v[k].s)))
			return false;
	}
	return true;
}

static void
walk_strings(struct record_scanner *sc, const struct record *r)
{
	for (unsigned k = 0; k < _RECORD_KEY_MAX; k++) {
		struct slice s;
		size_t pos = 0, bytes = 0;
		bool fine;

		if (!(r->has & RECORD_BIT(k)) || r->v[k].type != REC_RAW)
			continue;
		while (record_next_string(sc, r->v[k].s, &pos, &s, &fine))
			bytes += s.n;
		must(bytes <= 3 * r->v[k].s.n);
	}
}

static void
scan(struct record_scanner *sc, struct slice line, int fill, char *copy, struct outcome *ret)
{
	memcpy(copy, line.p, line.n);
	memset(copy + line.n, fill, RECORD_PADDING);
	ret->rc = record_scan(sc, (struct slice){ copy, line.n }, &ret->record, &ret->end);
	must(ret->rc != RECORD_NOMEM && ret->end <= line.n && (ret->rc != RECORD_TORN || ret->end == line.n));
}

static void
try_line(struct record_scanner *trained, struct slice line)
{
	static struct outcome first, second;
	struct record_scanner fresh;
	char *copies[2] = { malloc(line.n + RECORD_PADDING), malloc(line.n + RECORD_PADDING) };

	must(copies[0] != NULL && copies[1] != NULL);
	record_scanner_init(&fresh);
	scan(trained, line, '"', copies[0], &first);
	scan(&fresh, line, '0', copies[1], &second);
	must(first.rc == second.rc && first.end == second.end);
	if (first.rc == RECORD_OK) {
		must(same_record(&first.record, &second.record));
		walk_strings(trained, &first.record);
		scan(&fresh, (struct slice){ line.p, first.end - 1 }, '}', copies[1], &second);
		must(second.rc == RECORD_TORN);
	}
	record_scanner_done(&fresh);
	free(copies[0]);
	free(copies[1]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;
	struct record_scanner trained;

	record_scanner_init(&trained);
	while (p < end) {
		const char *feed = memchr(p, '\n', (size_t)(end - p));

		if (feed == NULL)
			feed = end;
		try_line(&trained, (struct slice){ p, (size_t)(feed - p) });
		p = feed + 1;
	}
	record_scanner_done(&trained);
	return 0;
}
