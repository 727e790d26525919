#include "config.h"

#include "report/repair_words.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/time.h"

const char *
repair_words(struct slice how)
{
	if (slice_eq(how, SLICE("replay")))
		return "replayed from the dead letters";
	return slice_eq(how, SLICE("backlog")) ? "the backlog drained" : "not known";
}

void
repair_add_ways(const struct report_repairs *x, struct buf *out)
{
	const struct {
		struct slice how;
		int64_t n;
	} ways[] = {
		{ SLICE("replay"), x->replay },
		{ SLICE("backlog"), x->backlog },
		{ SLICE(""), x->not_known },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (ways[i].n == 0)
			continue;
		buf_add_str(out, any ? ", " : "");
		text_add_count(out, ways[i].n);
		buf_addf(out, " %s%s", repair_words(ways[i].how), ways[i].how.n == 0 ? " how" : "");
		any = true;
	}
}

void
repair_add_span(struct report_span s, struct buf *out)
{
	CLEANUP(buf_done) struct buf least = BUF_INIT(64), most = BUF_INIT(64);

	time_add_length(&least, s.least.v);
	if (s.most.known)
		time_add_length(&most, s.most.v);
	buf_addf(out, "%s%.*s", s.most.known ? "" : "at least ", SLICE_ARG(buf_slice(&least)));
	if (s.most.known && !slice_eq(buf_slice(&least), buf_slice(&most))) /* two ends that read the same are one */
		buf_addf(out, " to %.*s", SLICE_ARG(buf_slice(&most)));
}
