/* ingest/rfc3339.h - the time format of database rows. Pure. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* `2026-09-26T18:02:45.123456Z`, also with a space for T, an offset for Z, up to nine digits of fraction (more are cut). False for
 * anything else, a time without zone included: it must not be taken for UTC. */
bool rfc3339_parse(struct slice s, int64_t *ret_ns);
