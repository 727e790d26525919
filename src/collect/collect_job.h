/* collect/collect_job.h - numbers and names of what a collection writes. Internal to collect/collect*.c. */
#pragma once
#include "collect/collector.h"

/* The look-up that comes next: behind the highest db/check-N, and behind the first one when db/ has other lines, which belong to
 * check 1. */
MUST_CHECK enum imp_rc job_next_check(int dirfd, int64_t *ret, struct imp_err *err);

/* The mark that snapshots taken now may bear in their names: that of the phase, unless timeline.json puts it elsewhere. */
const char *job_mark_now(int dirfd, enum collect_phase phase);
