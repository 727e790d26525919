#include "config.h"

#include "classify/write.h"
#include "sql_gen.h"

/* Lasting number of a message by its ledger mid, NULL for a foreign one. */
static void
out_message(struct out *o, const struct run *r, uint32_t mid)
{
	out_number(o, r->message_of_mid[mid]);
}

static void
write_history(struct out *o, const struct run *r)
{
	const struct ledger *l = r->ledger;

	for (size_t i = 0; i < l->hists.n; i++) {
		const struct hist *h = &l->hists.v[i];

		if (r->message_of_mid[h->mid] == NONE)
			continue;
		out_begin(o, sql_classify_insert_history);
		out_int(o, (int64_t)i);
		out_message(o, r, h->mid);
		out_int(o, r->topic_no[h->topic]);
		out_int(o, h->seq);
		out_int(o, h->times);
		out_int(o, h->t);
		out_place(o, h->place);
		out_end(o);
	}
	for (size_t i = 0; i < l->histqs.n; i++) {
		const struct histq *q = &l->histqs.v[i];

		out_begin(o, sql_classify_insert_history_query);
		out_int(o, (int64_t)i);
		out_int(o, q->t);
		out_int(o, r->topic_no[q->topic]);
		out_int(o, r->account_no[q->by]);
		out_int(o, q->lo);
		out_int(o, q->hi);
		out_text(o, ledger_text_slice(l, q->status));
		out_opt(o, q->found);
		out_place(o, q->place);
		out_end(o);
	}
}

static void
write_rows(struct out *o, const struct run *r)
{
	const struct ledger *l = r->ledger;

	for (size_t i = 0; i < l->rows.n; i++) {
		const struct row *w = &l->rows.v[i];

		out_begin(o, sql_classify_insert_db_row);
		out_int(o, (int64_t)i);
		out_message(o, r, w->mid);
		out_text(o, ledger_text_slice(l, w->table));
		out_text(o, l->topics_by.names.v[w->topic]);
		out_int(o, w->seq);
		out_text(o, ledger_text_slice(l, w->id));
		out_opt(o, w->created);
		out_int(o, w->check);
		out_place(o, w->place);
		out_end(o);
	}
}

static void
write_queries(struct out *o, const struct run *r)
{
	const struct ledger *l = r->ledger;

	for (size_t i = 0; i < l->queries.n; i++) {
		const struct query *q = &l->queries.v[i];

		out_begin(o, sql_classify_insert_db_query);
		out_int(o, (int64_t)i);
		out_str(o, q->deads ? "deads" : "rows");
		out_int(o, q->t);
		out_text(o, ledger_text_slice(l, q->table));
		out_str(o, kind_name(q->kind));
		out_int(o, q->complete);
		out_int(o, q->count);
		out_int(o, (int64_t)q->found);
		out_int(o, q->holds);
		out_redacted(o, ledger_text_slice(l, q->text));
		out_int(o, q->check);
		out_place(o, q->place);
		out_end(o);
	}
}

static void
write_letters(struct out *o, const struct run *r)
{
	const struct ledger *l = r->ledger;

	for (size_t i = 0; i < l->deads.n; i++) {
		const struct dead *d = &l->deads.v[i];

		out_begin(o, sql_classify_insert_dead_letter);
		out_int(o, (int64_t)i);
		out_message(o, r, d->mid);
		out_int(o, d->t);
		out_redacted(o, ledger_text_slice(l, d->error));
		out_opt(o, d->code);
		out_text(o, ledger_text_slice(l, d->topic));
		out_text(o, ledger_text_slice(l, d->kafka_topic));
		out_str(o, d->replayed ? "replayed" : "dead");
		out_int(o, d->check);
		out_place(o, d->place);
		out_end(o);
	}
}

static void
write_server_facts(struct out *o, const struct run *r)
{
	const struct ledger *l = r->ledger;

	for (size_t i = 0; i < l->columns.n; i++) {
		const struct column *c = &l->columns.v[i];

		out_begin(o, sql_classify_insert_schema_column);
		out_int(o, (int64_t)i);
		out_text(o, ledger_text_slice(l, c->table));
		out_text(o, ledger_text_slice(l, c->name));
		out_text(o, ledger_text_slice(l, c->type));
		out_opt(o, c->nullable);
		out_text(o, ledger_text_slice(l, c->extra));
		out_opt(o, c->t);
		out_place(o, c->place);
		out_end(o);
	}
	for (size_t i = 0; i < l->statuses.n; i++) {
		const struct status *s = &l->statuses.v[i];

		out_begin(o, sql_classify_insert_db_status);
		out_int(o, (int64_t)i);
		out_int(o, s->t);
		out_text(o, ledger_text_slice(l, s->server));
		out_text(o, ledger_text_slice(l, s->name));
		out_text(o, ledger_text_slice(l, s->value));
		out_place(o, s->place);
		out_end(o);
	}
}

static void
write_innodb(struct out *o, const struct run *r)
{
	const struct ledger *l = r->ledger;

	for (size_t i = 0; i < l->innodbs.n; i++) {
		const struct innodb *s = &l->innodbs.v[i];

		out_begin(o, sql_classify_insert_innodb);
		out_int(o, (int64_t)i);
		out_int(o, s->t);
		out_text(o, ledger_text_slice(l, s->server));
		out_opt(o, s->history_length);
		out_opt(o, s->deadlock_t);
		out_redacted(o, ledger_text_slice(l, s->deadlock));
		out_place(o, s->place);
		out_end(o);
	}
}

void
write_witnesses(struct out *o, const struct run *r)
{
	write_history(o, r);
	write_rows(o, r);
	write_queries(o, r);
	write_letters(o, r);
	write_server_facts(o, r);
	write_innodb(o, r);
}
