/* ingest/log_unit.h - the files that have to be read by one thread because their lines may belong to one stream: the parts of a log, or
 * all files whose lines name their pods. Internal to ingest/log*.c. */
#pragma once
#include "ingest/log_name.h"
#include "ingest/log_stream.h"

struct log_part { /* one file */
	uint32_t file;
	struct log_name name;
	struct log_layout layout;
};

struct log_unit {
	const struct log_part *parts;
	size_t n;
	uint64_t bytes;
};

#define LOG_STREAMS_MAX 4096 /* of one unit; lines of further pods go to the stream of their file */

struct log_worker {
	struct log_scan scan;
	struct log_line_reader lines;
	const struct reader_options *opt;
	const int64_t *stated_ns; /* run.json's log_zone, NULL */
	bool hash_thread;
	VEC(struct log_stream *) streams; /* of the unit that is being read */
	struct log_stream *last;	  /* of the last line, NULL */
	void (*progress)(void *payload, uint64_t bytes, uint64_t lines);
	void *payload;
};

/* Read a unit; its sources are added to *ret. */
MUST_CHECK enum imp_rc log_unit_read(struct log_worker *w, const struct log_unit *u, struct logs *ret, struct imp_err *err);
void log_worker_done(struct log_worker *w);
