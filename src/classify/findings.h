/* classify/findings.h - what a reader of the report must know about the evidence itself: lines that are lost, files that are equal,
 * messages that fit no scenario. They explain no failure; `ledger.lines_lost` keeps a run from PASS. Threading: one thread. */
#pragma once
#include "classify/out.h"
#include "classify/run.h"

/* Write all findings of a run. `vanished` are paths that the run had when it was ingested before. */
void findings_write(struct out *o, const struct run *r, const struct slice *vanished, size_t nvanished);
