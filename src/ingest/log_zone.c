#include "config.h"

#include "ingest/log_zone.h"

#include "base/time.h"

#define STEP_NS (15 * 60 * NS_PER_S)
#define APART_MAX_NS (60 * NS_PER_S)	     /* between a line and what it is held against */
#define OFFSET_MAX_NS (40 * 3600 * NS_PER_S) /* zones reach 14 h; a date that is not written may be one day off */

const char *
log_zone_name(enum log_zone z)
{
	static const char *const names[_LOG_ZONE_MAX] = { "own", "log_zone", "other_line", "anchored", "unknown" };

	return names[z];
}

void
log_zone_vote(struct log_zone_votes *z, int64_t local_ns, int64_t true_ns)
{
	int64_t apart = local_ns - true_ns, offset, rest;
	unsigned i = 0;

	if (apart > OFFSET_MAX_NS || apart < -OFFSET_MAX_NS || z->votes >= LOG_ZONE_VOTES_ENOUGH)
		return;
	offset = (apart + (apart < 0 ? -STEP_NS / 2 : STEP_NS / 2)) / STEP_NS * STEP_NS;
	rest = apart - offset;
	if (rest > APART_MAX_NS || rest < -APART_MAX_NS)
		return;
	while (i < z->n && z->v[i].offset_ns != offset)
		i++;
	if (i == LOG_ZONE_CANDIDATES)
		return;
	if (i == z->n) {
		z->v[i].offset_ns = offset;
		z->v[i].votes = 0;
		z->n++;
	}
	z->v[i].votes++;
	z->votes++;
}

bool
log_zone_elected(const struct log_zone_votes *z, int64_t *ret_offset_ns)
{
	for (unsigned i = 0; i < z->n; i++) {
		if (z->v[i].votes * 2 > z->votes) {
			*ret_offset_ns = z->v[i].offset_ns;
			return true;
		}
	}
	return false;
}
