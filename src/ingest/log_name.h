/* ingest/log_name.h - what the path of a log file says: whose log it is, and which part of it.
 *
 * logs/POD.log, logs/POD/CONTAINER.log, kubelet's NS_POD_UID/CONTAINER/RESTART.log and POD_NS_CONTAINER-ID.log; behind the name `.N`
 * (a higher one is older), `.YYYYMMDD-HHMMSS`; `previous` in the name. Pure. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

#define LOG_NUMBER_NONE UINT64_MAX

struct log_name {
	struct slice pod, container; /* borrow from the path; container may be empty */
	struct slice base;	     /* the path without compression, part and instance: one for all parts of one log */
	struct slice plain;	     /* the path without compression */
	bool previous;
	uint64_t instance; /* restarts before it, 0 when it is not said */
	uint64_t number;   /* `.N`, LOG_NUMBER_NONE */
	uint64_t date;	   /* YYYYMMDDHHMMSS, LOG_NUMBER_NONE */
};

void log_name_read(struct slice path, struct log_name *ret);

/* Do both belong to one log? */
bool log_name_same(const struct log_name *a, const struct log_name *b);

/* <0 when `a` is the earlier part. */
int log_name_cmp(const struct log_name *a, const struct log_name *b);
