/* store/conns.h - connections of the selected run, for the virtual table `missing`: who was connected when, and on which pod. Read when
 * first asked for; call run_names_refresh() (store/names.h) before a row of questions. Results are SQLite codes, since SQLite calls. Threading: as struct store. */
#pragma once
#include <stdint.h>

#include "base/slice.h"
#include "store/store.h"

struct run_conns;

void run_conns_free(struct run_conns *c); /* takes NULL */

/* Was an account not connected at some moment of [from, to]? Connected is who has a `ready` without `closed` or `refused` after it. 0 or
 * 1; -1 in a run without any `conn` line. */
MUST_CHECK int run_disconnected(struct store *s, int64_t account, int64_t from, int64_t to, int *ret);

/* The pod on which an account was READY last, at `t` or before; {NULL, 0} where none is known. Borrowed until the run changes. */
MUST_CHECK int run_pod(struct store *s, int64_t account, int64_t t, struct slice *ret);
