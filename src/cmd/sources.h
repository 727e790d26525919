/* cmd/sources.h - the files behind the store once more: are they what they were, and where does a delivery stand in them?
 *
 * The store keeps deliveries without their lines; whoever wants one finds it again here, in files that are checked by their hash.
 * Life cycle: 1. sources_open()  2. sources_scan()  3. sources_take(), sources_file()  4. sources_close(), also after a failure.
 * Threading: one thread. */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "base/mem.h"
#include "store/store.h"

enum source_state {
	SOURCE_SAME, /* as it was when it was read */
	SOURCE_CHANGED,
	SOURCE_GONE,
	SOURCE_UNREADABLE,
};

struct source_file {
	int64_t file_no, bytes;
	struct slice path, sha256; /* sha256.p NULL: not hashed, then the size must do */
	bool ledger;
	enum source_state state;
};

/* A `data` line of the message. */
struct source_hit {
	struct slice receiver;
	int64_t t, seq;
	size_t file; /* in sources.files */
	uint64_t line;
	bool taken;
};

struct sources {
	struct arena arena;
	struct slice dir;
	VEC(struct source_file) files; /* by file_no */
	VEC(struct source_hit) hits;   /* by file, then by line */
};

/* Read the list of files of a run. */
MUST_CHECK enum imp_rc sources_open(struct sources *src, struct store *s, int64_t run_no, struct imp_err *err);
void sources_close(struct sources *src);

/* Read all files, check them and keep the lines of deliveries of `mid` in those that are the same. */
MUST_CHECK enum imp_rc sources_scan(struct sources *src, struct slice mid, struct imp_err *err);

/* The first line of such a delivery that was not taken yet, now taken; NULL: there is none. */
const struct source_hit *sources_take(struct sources *src, struct slice receiver, int64_t t, int64_t seq);

/* The file of a number; NULL: it has none of the kinds that are checked. */
const struct source_file *sources_file(const struct sources *src, int64_t file_no);
