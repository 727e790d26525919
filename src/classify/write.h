/* classify/write.h - the evidence and the judgements of a run as lines of the store. Threading: one thread. */
#pragma once
#include "classify/out.h"
#include "classify/run.h"

/* The run's own line; everything else refers to it. */
void write_run(struct out *o, const struct run *r, int64_t ingest_no, bool hashed);

void write_places(struct out *o, const struct run *r);	  /* files, damage, agents, accounts, topics, scenarios, marks */
void write_events(struct out *o, const struct run *r);	  /* connections, clocks, health, calibrations, marks as written */
void write_messages(struct out *o, const struct run *r);  /* messages with attempts, answers, expectations */
void write_witnesses(struct out *o, const struct run *r); /* history, rows, letters, queries, schema, status */
