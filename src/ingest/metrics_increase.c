#include "config.h"

#include "ingest/metrics_increase.h"

#include <math.h>

#include "ingest/ledger.h"

/* Begin at a sample. */
static void
start_at(struct metrics_increase *x, int64_t t, double value)
{
	x->from_t = x->to_t = t;
	x->first = x->last = value;
	x->increase = 0;
	x->resets = 0;
}

/* A step of `up`, to a sample within from_t ... to_t. */
static void
go_to(struct metrics_increase *x, int64_t t, double value, double up, bool reset)
{
	x->to_t = t;
	x->last = value;
	x->increase += up;
	x->resets += reset;
}

void
metrics_increase_add(struct metrics_increase *x, const struct metrics_marks *marks, int64_t t, double value, uint32_t file,
    uint32_t line)
{
	double step = x->any ? value - x->before : 0;
	double up = step >= 0 ? step : fmax(value, 0); /* it began at 0 again */
	bool first = !x->any;

	if (t == NO_TIME || !isfinite(value))
		return;
	x->any = true;
	x->before = value;
	if (first || t <= marks->load_start)
		start_at(x, t, value);
	else if (t > x->from_t && (!x->reached || t == x->to_t))
		go_to(x, t, value, up, step < 0);
	if (t == x->to_t) {
		x->file = file;
		x->line = line;
	}
	x->reached = x->to_t >= marks->drain_end;
	if (marks->close_start == NO_TIME)
		return;
	if (t <= marks->close_start) {
		x->closing = 0;
		x->closing_known = true;
	} else if (x->closing_known) {
		x->closing += up;
	}
}
