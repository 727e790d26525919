/* report/model_load.h - reading rows into the model. Private to model.c and the model_*.c files.
 *
 * An error sticks in the loader: what follows is skipped, and report_load() returns it. Threading: one thread. */
#pragma once
#include "report/model.h"

struct loader {
	struct report *r;
	struct store *s;
	int64_t run_no, list_max;
	enum imp_rc failed;
	struct imp_err *err;
};

void loader_keep(struct loader *l, enum imp_rc rc);
#define LOADER_PUSH(l, vec, ...) loader_keep((l), VEC_PUSH(NULL, (vec), (__VA_ARGS__), (l)->err))

/* A statement with the parameters that it has bound; NULL after a failure. */
sqlite3_stmt *loader_prepare(struct loader *l, const char *sql);
bool loader_row(struct loader *l, sqlite3_stmt *st);
/* Columns. Text is copied to the arena of the report. */
struct slice loader_text(struct loader *l, sqlite3_stmt *st, int i);
struct report_int loader_integer(sqlite3_stmt *st, int i);
bool loader_flag(sqlite3_stmt *st, int i);

/* model_collected.c: who was asked for evidence, and what was not got */
void model_load_collected(struct loader *l);
/* model_repairs.c: what an earlier look-up of the database missed and a later one has */
void model_load_repairs_total(struct loader *l);
void model_load_repairs(struct loader *l);
