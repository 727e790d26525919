/* ingest/reader_worker.h - internal to ingest/reader*.c: one thread of a pass, reading one file after another.
 *
 * Life cycle: 1. worker_init() on zeroed memory  2. worker_read() for each file  3. worker_done(). Workers of one pass share a
 * struct reader; whatever they put into the ledger they put there under its lock. */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "ingest/lineset.h"
#include "ingest/reader.h"
#include "ingest/record.h"

#define BATCH_COPIES 4096u
#define CACHE_SETS 4096u
#define CACHE_WAYS 4u
#define PROGRESS_LINES 65536u

/* A line that its agent wrote twice counts where it stands first, whichever was read first: its records go there. */
struct moved_line {
	uint64_t from, to; /* place of its first record */
};

struct reader {
	struct ledger *l;
	const struct reader_options *opt;
	enum reader_pass pass;
	pthread_mutex_t lock; /* guards everything below and the ledger */
	uint32_t *queue;      /* files, the largest first */
	size_t queue_n, queue_next;
	struct lineset *written; /* by agent */
	VEC(struct moved_line) moved;
	uint64_t *resent;   /* by file: records that turned out to be the second ones */
	struct imp_err err; /* of the first worker that failed */
	enum imp_rc rc;
	atomic_bool stop;
};

/* Names of one kind that were looked up lately: no lock, no table of all names. */
struct name_cache {
	enum imp_rc (*look_up)(struct ledger *l, struct slice name, uint32_t *ret, struct imp_err *err);
	const struct intern *table;
	struct cached_name {
		const char *p; /* the table's own copy, which never moves; NULL: free */
		uint32_t n, number;
	} last, slot[CACHE_SETS][CACHE_WAYS]; /* `last`: found by the look-up before this; lines come in bursts */
	unsigned char oldest[CACHE_SETS];     /* the way to give up next */
};

struct delivery {
	uint32_t mid;
	struct copy copy;
};

struct worker {
	struct reader *rd;
	struct record_scanner scanner;
	struct record record;
	struct name_cache mids, topics, accounts;
	struct delivery batch[BATCH_COPIES];
	size_t batch_n;
	struct imp_err err;

	/* the file at hand */
	uint32_t file;
	struct ledger_file now;
	VEC(struct damage) damages;
	size_t unplaced; /* first damage that waits for the time behind it */
	bool rest_unplaced;
	bool line_known, line_again; /* the line at hand was looked up among its agent's; it had been there */
	uint32_t line_second;	     /* then: the file where it counts as written again */
	uint64_t bytes_told, lines_told;
};

void worker_init(struct worker *w, struct reader *rd);
void worker_done(struct worker *w);

/* Read one file to its end, or until the reader stops. On failure w->err says why. */
MUST_CHECK enum imp_rc worker_read(struct worker *w, uint32_t file);
