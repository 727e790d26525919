/* agent/ledger_writer.h - the ledger of one agent on disk: lines in the order in which each thread wrote them, never a silent gap.
 *
 *	ledger_writer_open()                      the file and a thread of its own; the `start` line
 *	ledger_lines_new() for each thread        ledger_line() ... ledger_text() ... ledger_line_end(), any number of times;
 *	                                          ledger_lines_flush() at each interval; ledger_lines_free()
 *	ledger_writer_close()                     the `end` line with the number of lines before it
 *
 * Threads fill blocks of their own and hand them on, so that none waits for the disk; what is handed on may hold `queue_bytes`. When
 * the disk cannot follow, or is full, the writer has failed: it takes no more, the agent ends its run, and `end` says why. Room for
 * that line is kept free on the disk all the time. What was handed on goes to the file at once: a process that is killed loses what
 * came since its threads last flushed (every LEDGER_FLUSH_NS_DEFAULT), and its ledger has no `end`.
 *
 * Files are DIR/AGENT-0001.jsonl, -0002 and so on as the limits of rotation ask, with .zst behind them when compressed. Ownership: the
 * lines of a thread are its own; the writer must outlive them. Threading: as above. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#define LEDGER_FLUSH_NS_DEFAULT INT64_C(200000000)
#define LEDGER_QUEUE_BYTES_DEFAULT ((size_t)64 << 20)

struct ledger_writer;
struct ledger_lines;

struct ledger_writer_options {
	int dirfd;	     /* that the files go into; borrowed */
	const char *agent;   /* its name */
	const char *version; /* of the program, for `start` */
	const char *plan_sha256;
	uint64_t rotate_bytes; /* uncompressed bytes of one file; 0: no limit */
	int64_t rotate_ns;     /* time of one file; 0: no limit */
	size_t queue_bytes;
	bool compress;
};

/* IMP_E_CREATE when a file is there already or cannot be made: a ledger is never written over. */
MUST_CHECK enum imp_rc ledger_writer_open(const struct ledger_writer_options *o, struct ledger_writer **ret, struct imp_err *err);
/* Write what there is, and the `end` line: `why` NULL is the planned end. Frees the writer, also on failure. When the writer had failed,
 * its own reason wins and is the error, with the number of lines that are not in the file. */
MUST_CHECK enum imp_rc ledger_writer_close(struct ledger_writer *w, const char *why, struct imp_err *err);

/* Has it failed? Any thread, at any time; cheap. */
bool ledger_writer_failed(const struct ledger_writer *w);

MUST_CHECK enum imp_rc ledger_lines_new(struct ledger_writer *w, struct ledger_lines **ret, struct imp_err *err);
void ledger_lines_free(struct ledger_lines *l); /* flushes; NULL is fine */
/* Hand on what is there. */
void ledger_lines_flush(struct ledger_lines *l);

/* Begin a line: {"ev":EV,"t":T. Then its keys, then ledger_line_end(). After a failure of the writer lines go nowhere, and are counted. */
void ledger_line(struct ledger_lines *l, const char *ev, int64_t t);
void ledger_text(struct ledger_lines *l, const char *key, struct slice value);
void ledger_str(struct ledger_lines *l, const char *key, const char *value); /* NULL: the key is left out */
void ledger_int(struct ledger_lines *l, const char *key, int64_t value);
void ledger_line_end(struct ledger_lines *l);
