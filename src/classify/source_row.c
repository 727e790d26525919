#include "config.h"

#include "classify/source_row.h"

#include "sql_gen.h"

void
source_row_sample(struct source_row *row, int64_t t)
{
	row->samples++;
	if (t == NO_TIME)
		return;
	if (row->last_t != NO_TIME && (row->longest_gap_ns == NO_TIME || t - row->last_t > row->longest_gap_ns))
		row->longest_gap_ns = t - row->last_t;
	if (row->first_t == NO_TIME)
		row->first_t = t;
	row->last_t = t;
}

int64_t
source_row_number(struct out *o)
{
	return o->sources++;
}

void
source_row_write(struct out *o, const struct source_row *row)
{
	source_row_put(o, source_row_number(o), row);
}

void
source_row_put(struct out *o, int64_t no, const struct source_row *row)
{
	out_begin(o, sql_classify_insert_source);
	out_int(o, no);
	out_str(o, row->kind);
	out_text(o, row->name);
	out_text(o, row->pod);
	out_text(o, row->container);
	out_str(o, row->format);
	out_opt(o, row->first_t);
	out_opt(o, row->last_t);
	out_int(o, (int64_t)row->samples);
	out_int(o, (int64_t)row->gaps);
	out_opt(o, row->longest_gap_ns);
	out_int(o, row->cut);
	out_int(o, row->sampled);
	out_int(o, row->limited);
	out_int(o, (int64_t)row->damaged);
	out_int(o, (int64_t)row->resent);
	out_str(o, row->zone);
	out_opt(o, row->zone_offset_ns);
	out_text(o, row->note.n > 0 ? row->note : (struct slice){ NULL, 0 });
	out_number(o, row->file);
	out_end(o);
}
