/* tests/fuzz/results.h - a results directory from any bytes: a line "== NAME" begins a file of the directory (results.c has their
 * names), what stands before the first such line is a ledger. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/store.h"

/* Write the directory and ingest it into `s`, in place of what was there. False: the directory cannot be used, which no bytes may make
 * for another reason than IMP_E_DATA and IMP_E_LIMIT. On success the run is selected. */
bool results_ingest(struct store *s, struct slice bytes, int64_t *ret_run_no);
