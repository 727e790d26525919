/* classify/write.h - the evidence and the judgements of a run as lines of the store. Threading: one thread. */
#pragma once
#include "classify/out.h"
#include "classify/run.h"
#include "ingest/log.h"

/* The run's own line; everything else refers to it. */
void write_run(struct out *o, const struct run *r, int64_t ingest_no, bool hashed);

void write_places(struct out *o, const struct run *r);	 /* files, damage, agents, accounts, topics, scenarios, marks */
void write_events(struct out *o, const struct run *r);	 /* connections, clocks, health, calibrations, marks as written */
void write_messages(struct out *o, const struct run *r); /* messages with attempts, answers, expectations */
void write_presence(struct out *o, const struct run *r); /* when accounts were READY, and on which pod */
void write_failing(struct out *o, const struct run *r);	 /* messages that did not end as they should */
/* Evidence that is no ledger, logs apart: read and written at once. Before write_places(): flaws and counts of its files go there. */
void write_sources(struct out *o, struct run *r);
/* Logs as logs_read() left them, `set` what was looked for in them, or NULL. */
void write_logs(struct out *o, const struct logs *logs, const struct signature_set *set);
void write_collected(struct out *o, const struct run *r); /* the journals of collectors */
void write_witnesses(struct out *o, const struct run *r); /* history, rows, letters, queries, schema, status */
