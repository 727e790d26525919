/* classify/write_loadgen.h - what a foreign load tool says, as lines of the store; also for a command that has files and no run.
 * Threading: one thread. */
#pragma once
#include "classify/source_row.h"
#include "ingest/loadgen.h"

/* Numbers of the lines of `host_sample` and `loadgen_metric` so far. */
struct loadgen_numbers {
	int64_t moments, metrics;
};

/* Everything of one file, and its line of `source`. `s` is what it was read from, `name` what the source is called. */
void write_loadgen_file(struct out *o, struct loadgen_numbers *numbers, struct slice name, uint32_t file, const struct loadgen *g,
    const struct snapshot *s);
