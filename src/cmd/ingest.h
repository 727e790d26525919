/* cmd/ingest.h - what ingest and audit share: one directory read into the store, with progress and a line about it. */
#pragma once
#include "classify/reconcile.h"
#include "cmd/cmd.h"
#include "ingest/source.h"

struct ingest_options {
	uint64_t memory, threads, line_max; /* threads 0: one a core */
	bool no_hash, replace;
};

#define INGEST_DEFAULTS \
	{ \
		.memory = RECONCILE_MEMORY_DEFAULT, .line_max = SOURCE_LINE_MAX_DEFAULT \
	}

/* The entries of an option table for a struct that has a `struct ingest_options` named `member`. */
#define INGEST_OPTS(type, member) \
	{ "memory", 0, OPT_BYTES, offsetof(type, member.memory), "SIZE", "limit of the large tables (default 512M)" }, \
	    { "threads", 0, OPT_COUNT, offsetof(type, member.threads), "N", "readers (default: one a core)" }, \
	    { "line-max", 0, OPT_BYTES, offsetof(type, member.line_max), "SIZE", "longest line that is read (default 16M)" }, \
	    { "no-hash", 0, OPT_FLAG, offsetof(type, member.no_hash), NULL, "leave out the SHA-256 of every file" }, \
	{ \
		"replace", 0, OPT_FLAG, offsetof(type, member.replace), NULL, \
		    "replace a run of this id that came from another directory" \
	}

/* Read `dir` into ctx->store, opened for writing; `signatures` are looked for in logs. */
MUST_CHECK enum imp_rc ingest_directory(struct cmd_context *ctx, const char *dir, const struct ingest_options *opt,
    const struct signature_set *signatures, struct reconcile_result *ret, struct imp_err *err);
