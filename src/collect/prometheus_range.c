/* collect/prometheus_range.c - a range of time in parts that a server answers. */
#include "config.h"

#include "collect/prometheus.h"

struct prometheus_range
prometheus_range_of(int64_t from_ns, int64_t to_ns, int64_t step_ms)
{
	int64_t from = from_ns / 1000000, over = from % step_ms;

	return (struct prometheus_range){ from - (over < 0 ? over + step_ms : over), to_ns / 1000000, step_ms };
}

uint64_t
prometheus_range_parts(const struct prometheus_range *r)
{
	if (r->to_ms < r->from_ms)
		return 0;
	return (uint64_t)((r->to_ms - r->from_ms) / r->step_ms) / PROMETHEUS_POINTS_MAX + 1;
}

struct prometheus_range
prometheus_range_part(const struct prometheus_range *r, uint64_t n)
{
	struct prometheus_range part = *r;

	part.from_ms = r->from_ms + (int64_t)n * PROMETHEUS_POINTS_MAX * r->step_ms;
	part.to_ms = part.from_ms + (PROMETHEUS_POINTS_MAX - 1) * r->step_ms;
	if (part.to_ms > r->to_ms)
		part.to_ms = r->to_ms;
	return part;
}
