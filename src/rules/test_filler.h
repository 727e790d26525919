/* rules/test_filler.h - a rule's test on its way into a store: internal to rules/test_*.c. */
#pragma once
#include "ingest/log_time.h"
#include "rules/test_evidence.h"

/* A test's run on its way into the store. */
struct filler {
	struct test_reader *reader;
	struct store *s;
	bool covers; /* logs and metrics enclose the load */
	int64_t sources, load_start, load_end;
	struct log_clock clock;
};

/* The next line of `text` without its end; false: there is none. */
bool test_next_line(struct slice *text, struct slice *ret);

/* A file below `dir`, and a source whose first file it is and which saw what happened from `first` to `last`. */
MUST_CHECK enum imp_rc test_insert_file(struct filler *f, int64_t file, const char *dir, struct slice name, const char *kind,
    struct imp_err *err);
MUST_CHECK enum imp_rc test_insert_source(struct filler *f, int64_t source, int64_t file, const char *kind, struct slice name,
    int64_t first, int64_t last, struct imp_err *err);

/* `logs:` and `metrics:` of a test. */
MUST_CHECK enum imp_rc test_insert_logs(struct filler *f, const struct doc_node *logs, struct imp_err *err);
MUST_CHECK enum imp_rc test_insert_metrics(struct filler *f, const struct doc_node *metrics, struct imp_err *err);

/* The first time that a line of the logs has; 0 when none has one. */
int64_t test_first_time(struct filler *f, const struct doc_node *logs);
