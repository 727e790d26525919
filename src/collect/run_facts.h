/* collect/run_facts.h - what a results directory says of its run: run.json, timeline.json, topics.jsonl (docs/ledger.md).
 *
 * What is missing is not known; what is there and broken is IMP_E_DATA, but for lines of topics.jsonl, which are counted. Marks are
 * those of timeline.json alone: `mark` lines of agents are for the auditor, which reads them when the run has ended. The three files are
 * read as they are, not compressed. Threading: pure, but for the files. */
#pragma once
#include "collect/collector.h"

#define RUN_FACTS_NONE \
	{ \
		.baseline_start = INT64_MIN, .load_start = INT64_MIN, .load_end = INT64_MIN, .drain_end = INT64_MIN \
	}

/* The text of what is found lives in `arena`. */
MUST_CHECK enum imp_rc run_facts_read(int dirfd, struct arena *arena, struct run_facts *ret, struct imp_err *err);

/* Marks by the names of docs/ledger.md. */
bool run_mark_exists(const char *name);
/* The phase whose files the mark names: baseline_start, load_start, load_end, drain_end. */
const char *run_phase_mark(enum collect_phase phase);

/* When the mark was, or is to be, as timeline.json says at this moment (Unix ns); INT64_MIN: it does not say. IMP_E_DATA when
 * it cannot be read, perhaps since it is being written. */
MUST_CHECK enum imp_rc run_mark_time(int dirfd, const char *name, int64_t *ret, struct imp_err *err);
