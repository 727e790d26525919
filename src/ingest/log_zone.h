/* ingest/log_zone.h - the zone of log times that carry none: votes, and how they are counted.
 *
 * Two kinds of votes: a line of the same stream with a zone just beside one without, and a line that carries a mid of the run beside
 * that mid's `pub`. Each speaks for the one multiple of 15 minutes that brings both times together. Pure; one thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_ZONE_CANDIDATES 8
#define LOG_ZONE_VOTES_ENOUGH 64 /* more would not change anything */

enum log_zone { LOG_ZONE_OWN, LOG_ZONE_STATED, LOG_ZONE_OTHER_LINE, LOG_ZONE_ANCHORED, LOG_ZONE_UNKNOWN, _LOG_ZONE_MAX };

const char *log_zone_name(enum log_zone z);

struct log_zone_votes {
	struct {
		int64_t offset_ns;
		unsigned votes;
	} v[LOG_ZONE_CANDIDATES];
	unsigned n, votes;
};

/* `local_ns` is the time without zone as if it were UTC, `true_ns` when it was by another clock. A pair that no zone brings within a
 * minute does not vote. */
void log_zone_vote(struct log_zone_votes *z, int64_t local_ns, int64_t true_ns);

/* The offset (local - UTC) that more than half of the votes are for. */
bool log_zone_elected(const struct log_zone_votes *z, int64_t *ret_offset_ns);
