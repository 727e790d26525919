/* classify/source_row.h - a stream of evidence that is no ledger, as a line of table `source`: what it can testify to. Pure data; the
 * writer numbers the lines in the order they are written. Threading: one thread. */
#pragma once
#include "classify/out.h"

struct source_row {
	const char *kind; /* log, metrics, kafka, redis, mysql, kube, health, loadgen */
	struct slice name;
	struct slice pod, container; /* p NULL: not known */
	const char *format;	     /* NULL: says nothing */
	int64_t first_t, last_t;     /* NO_TIME: no time is known */
	uint64_t samples, gaps;
	int64_t longest_gap_ns; /* NO_TIME: there is none between two samples */
	bool cut, sampled, limited;
	uint64_t damaged, resent;
	const char *zone;	/* NULL: no log */
	int64_t zone_offset_ns; /* NO_TIME: not known */
	struct slice note;	/* p NULL or empty: none */
	uint32_t file;		/* NONE */
};
#define SOURCE_ROW_INIT \
	{ \
		.first_t = NO_TIME, .last_t = NO_TIME, .longest_gap_ns = NO_TIME, .zone_offset_ns = NO_TIME, .file = NONE \
	}

/* Take a sample at `t` into account; samples are told in the order of time, NO_TIME is no time. */
void source_row_sample(struct source_row *row, int64_t t);

/* Write it, under the next number. */
void source_row_write(struct out *o, const struct source_row *row);
/* The same in two steps, for lines that others refer to before all is known of them. */
int64_t source_row_number(struct out *o);
void source_row_put(struct out *o, int64_t no, const struct source_row *row);
