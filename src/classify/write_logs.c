#include "config.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "classify/source_row.h"
#include "classify/write.h"
#include "sql_gen.h"

static enum imp_rc
name_source(const struct log_source *s, struct buf *ret, struct imp_err *err)
{
	buf_clear(ret);
	buf_add_slice(ret, s->pod);
	if (s->container.n > 0) {
		buf_add_char(ret, '/');
		buf_add_slice(ret, s->container);
	}
	return buf_status(ret, err);
}

static int64_t
write_source(struct out *o, const struct log_source *s)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(64 << 10);
	struct source_row row = SOURCE_ROW_INIT;
	int64_t no = source_row_number(o);

	if (o->rc == IMP_OK)
		o->rc = name_source(s, &name, o->err);
	row.kind = "log";
	row.name = buf_slice(&name);
	row.pod = s->pod;
	row.container = s->container.n > 0 ? s->container : (struct slice){ NULL, 0 };
	row.format = s->format;
	row.first_t = s->first_t;
	row.last_t = s->last_t;
	row.samples = s->events;
	row.gaps = s->gaps;
	row.longest_gap_ns = s->longest_gap_ns;
	row.cut = s->cut;
	row.sampled = s->sampled;
	row.limited = s->limited;
	row.damaged = s->damaged;
	row.resent = s->resent;
	row.zone = log_zone_name(s->zone);
	row.zone_offset_ns = s->zone_offset_ns;
	row.note = s->note;
	row.file = s->file;
	source_row_put(o, no, &row);
	return no;
}

static void
write_hit(struct out *o, int64_t no, int64_t source, const struct log_hit *h, const struct signature_set *set)
{
	out_begin(o, sql_classify_insert_log_hit);
	out_int(o, no);
	out_text(o, set->v[h->signature].id);
	out_int(o, source);
	out_opt(o, h->second);
	out_text(o, h->subject);
	out_int(o, (int64_t)h->n);
	out_opt(o, h->first_t);
	out_opt(o, h->last_t);
	out_text(o, h->text);
	out_place(o, h->place);
	out_end(o);
}

static void
write_signatures(struct out *o, const struct signature_set *set)
{
	for (size_t i = 0; set != NULL && i < set->n; i++) {
		out_begin(o, sql_classify_insert_log_signature);
		out_text(o, set->v[i].id);
		out_end(o);
	}
}

void
write_logs(struct out *o, const struct logs *logs, const struct signature_set *set)
{
	int64_t hit_no = 0;

	write_signatures(o, set);
	for (size_t i = 0; i < logs->v.n; i++) {
		const struct log_source *s = &logs->v.v[i];
		int64_t no = write_source(o, s);

		for (size_t k = 0; k < s->seconds.n; k++) {
			const struct log_second *x = &s->seconds.v[k];

			out_begin(o, sql_classify_insert_log_second);
			out_int(o, no);
			out_int(o, x->second);
			out_int(o, (int64_t)x->lines);
			out_int(o, x->first_t);
			out_int(o, x->last_t);
			out_end(o);
		}
		for (size_t k = 0; k < s->hits.n; k++)
			write_hit(o, hit_no++, no, &s->hits.v[k], set);
	}
}
