/* store/names.h - names of the selected run by their numbers, for the virtual tables. A list is read when its first name is asked
 * for. Results are SQLite codes, since SQLite calls. Threading: as struct store. */
#pragma once
#include <stdint.h>

#include "base/slice.h"
#include "store/store.h"

enum names_of { NAMES_ACCOUNT, NAMES_TOPIC, NAMES_SCENARIO, NAMES_AGENT, _NAMES_MAX };

struct run_names;

void run_names_free(struct run_names *n); /* takes NULL */

/* Forget what stems from another run or an older state of the store. *ret_state changes with every such state, and is never 0. */
MUST_CHECK int run_names_refresh(struct store *s, uint64_t *ret_state);

/* The state of the last refresh. */
uint64_t run_names_state(const struct store *s);

/* A name, borrowed until the next refresh; {NULL, 0} for a number that has none (a negative one has none). */
MUST_CHECK int run_name(struct store *s, enum names_of of, int64_t no, struct slice *ret);

/* The agent that watches an account, -1: nobody does. */
MUST_CHECK int run_watcher(struct store *s, int64_t account, int64_t *ret_agent);
