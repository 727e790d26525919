/* rules/rule_sql.h - SQL that stands in rule files: checked when it is loaded, run on the sealed connection.
 *
 * A statement that fails on a run's evidence, or needs more steps than store_seal() allows, gives an unknown value with that
 * reason; only a failing store is an error. */
#pragma once
#include "rules/value.h"

/* Prepare `q` on `db` (a sealed, empty store): one statement that reads, without parameters. `columns` (ended by NULL; NULL: any)
 * are the names its columns may have, the first `nneeded` of them must be there. */
MUST_CHECK enum imp_rc rule_sql_check(const struct rule_sql *q, sqlite3 *db, const char *const *columns, size_t nneeded,
    struct imp_err *err);

/* The columns that a value's SQL may have: `value`, optionally divided by `per`; or the bounds `lo` and `hi`;
 * `why` a bound is missing; and `detail`, words that are added when the value is on the wrong side. */
extern const char *const rule_sql_value_columns[];

/* The first row as a value. */
MUST_CHECK enum imp_rc rule_sql_value(const struct rule_sql *q, const struct value_source *from, struct value *ret,
    struct imp_err *err);

/* The number of rows; the first ones by their first column in `examples`. */
MUST_CHECK enum imp_rc rule_sql_rows(const struct rule_sql *q, const struct value_source *from, struct value *ret,
    struct imp_err *err);

/* Is the first column of the first row true? `failed` is the answer of a rule that fails. */
MUST_CHECK enum imp_rc rule_sql_holds(const struct rule_sql *q, const struct value_source *from, bool failed, bool *ret,
    struct imp_err *err);

extern const char *const rule_sql_evidence_columns[]; /* file (a path), line */

/* Places in the evidence: the first `max` into `ret`, all of them counted. What fails gives none. */
MUST_CHECK enum imp_rc rule_sql_evidence(const struct rule_sql *q, const struct value_source *from, size_t max,
    struct rule_evidence *ret, size_t *ret_n, uint64_t *ret_total, struct imp_err *err);

/* Run `q`, giving every row to `take` until one of them fails. What stops the statement early is in *v: its reason is
 * RULE_REASON_NONE when nothing did. */
MUST_CHECK enum imp_rc rule_sql_run(const struct rule_sql *q, const struct value_source *from,
    enum imp_rc (*take)(void *payload, sqlite3_stmt *st, struct imp_err *err), void *payload, struct value *v, struct imp_err *err);

/* The SHA-256 of a file of the run, in hex; as it was where it is not known. */
MUST_CHECK enum imp_rc rule_sql_file_hash(const struct value_source *from, struct slice path, struct slice *ret,
    struct imp_err *err);
