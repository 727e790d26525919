/* tests/lib/read-run.h - the directory of run-dir.h into a ledger, as ingest does before anything is judged.
 *
 * read_run() starts anew each time; `run` holds what was read until the next. */
#pragma once
#include "ingest/inputs.h"
#include "ingest/ledger.h"
#include "ingest/manifest.h"
#include "ingest/plan.h"
#include "ingest/reader.h"
#include "run-dir.h"

#define READ_RUN_LINE_MAX ((size_t)4096)

static struct {
	struct inputs inputs;
	struct plan plan;
	struct ledger ledger;
	bool open;
} run;

static inline void
read_run_done(void)
{
	if (!run.open)
		return;
	ledger_done(&run.ledger);
	plan_done(&run.plan);
	inputs_close(&run.inputs);
	run.open = false;
}

static inline struct ledger *
read_run(unsigned threads)
{
	struct reader_options opt = { .threads = threads, .line_max = READ_RUN_LINE_MAX, .hash = true };
	struct imp_err err = { 0 };
	bool good;

	read_run_done();
	good = inputs_open(run_dir, &run.inputs, &err) == IMP_OK;
	if (good && plan_read(&run.inputs, &run.plan, &err) != IMP_OK) {
		inputs_close(&run.inputs);
		good = false;
	}
	if (!good) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	run.open = true;
	ledger_init(&run.ledger, NULL);
	good = ledger_prepare(&run.ledger, &run.inputs, &run.plan, &err) == IMP_OK &&
	    reader_members(&run.ledger, &opt, &err) == IMP_OK && ledger_settle_agents(&run.ledger, &err) == IMP_OK;
	copies_begin(&run.ledger.copies, 0, COPIES_WHOLE, true);
	good = good && reader_pass(&run.ledger, READER_FIRST, &opt, &err) == IMP_OK &&
	    reader_hash_rest(&run.ledger, &opt, &err) == IMP_OK && manifest_check(&run.ledger, &opt, &err) == IMP_OK;
	if (!good) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return &run.ledger;
}

/* The number of a file, by its path. */
static inline uint32_t
read_run_file(const char *path)
{
	for (uint32_t i = 0; i < run.inputs.v.n; i++) {
		if (strcmp(run.inputs.v.v[i].path, path) == 0)
			return i;
	}
	printf("Bail out! no file %s\n", path);
	exit(1);
}
