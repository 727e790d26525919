/* classify/write_sources.h - internal to classify/write_*.c: evidence that is no ledger, read file by file and written as it is read.
 *
 * Each writer takes the files of its kind in the order of their paths, and puts flaws and counts where files and damage are written
 * from: they come after it. Once o->rc is set all of them do nothing. Threading: one thread. */
#pragma once
#include "classify/run.h"
#include "classify/source_row.h"
#include "classify/write.h"
#include "ingest/snapshot.h"

struct sources {
	struct out *o;
	struct run *r;
	struct intern pods; /* that run.json lists and connections name */
	int64_t from, to;   /* the run with a day around it, NO_TIME: not known */
};

void write_metrics(struct sources *x);	/* metrics/ */
void write_lag(struct sources *x);	/* lag events of kafka/ */
void write_redis(struct sources *x);	/* redis/ */
void write_kube(struct sources *x);	/* kube/ */
void write_loadgen(struct sources *x);	/* loadgen/ */
void write_coverage(struct sources *x); /* of the evidence that ledgers hold: database status, health of the agents */

/* The pod that a name is: itself when it is one of the run, or when nobody says which pods there are; else p is NULL. */
struct slice sources_pod(const struct sources *x, struct slice name);
/* Counts and flaws of one file, to where they are written from. */
void sources_note(struct sources *x, uint32_t file, const struct snapshot *s);

/* Begin with a file, and with what the collector's journal says of it. */
void sources_begin(const struct sources *x, uint32_t file, struct snapshot *ret);
/* The same for a source whose samples stand in ledgers. */
void sources_asked(const struct sources *x, uint64_t place, struct source_row *row);

/* The note of a file as that of its source, unless the source has one. */
void sources_keep_note(struct sources *x, struct source_row *row, const struct snapshot *s);

/* The files of one kind: for (f = sources_next(x, KIND, 0); f != NONE; f = sources_next(x, KIND, f + 1)). NONE also after a failure. */
uint32_t sources_next(const struct sources *x, enum input_kind kind, uint32_t from);
