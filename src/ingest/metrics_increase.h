/* ingest/metrics_increase.h - how much one series grew over the load and its drain, and while clients left: the sum of its steps upward,
 * worked out sample by sample as they come in the order of time (truth model, section 8). Pure. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* When: NO_TIME where it is not known. */
struct metrics_marks {
	int64_t load_start, drain_end, close_start; /* drain_end: or the end of the last drain window */
	int64_t load_end;
};

struct metrics_increase {
	bool any;	     /* some dated value was there; all below means something then */
	bool reached;	     /* to_t is at or after drain_end */
	bool closing_known;  /* some sample is at or before close_start */
	int64_t from_t;	     /* the last sample at or before load_start, else the first */
	int64_t to_t;	     /* the first sample at or after drain_end, else the last */
	double increase;     /* from from_t to to_t; a lower bound where there were resets */
	double closing;	     /* from the last sample at or before close_start to the last one */
	double first, last;  /* at from_t and to_t */
	uint64_t resets;     /* steps downward, from from_t to to_t */
	uint32_t file, line; /* of the sample at to_t */
	double before;	     /* the value before the next one */
};

/* The next sample. What has no time, is not measured or infinite is passed over. */
void metrics_increase_add(struct metrics_increase *x, const struct metrics_marks *marks, int64_t t, double value, uint32_t file,
    uint32_t line);
