/* classify/write_collected.c - what a collector asked of whom, and who answered. */
#include "config.h"

#include "classify/write.h"
#include "sql_gen.h"

static void
write_request(struct out *o, const struct ledger *l, const struct collected *c, int64_t no)
{
	out_begin(o, sql_classify_insert_collected);
	out_int(o, no);
	out_int(o, c->t);
	out_text(o, ledger_text_slice(l, c->phase));
	out_text(o, ledger_text_slice(l, c->system));
	out_text(o, ledger_text_slice(l, c->source));
	out_text(o, ledger_text_slice(l, c->what));
	out_redacted(o, ledger_text_slice(l, c->query));
	out_text(o, ledger_text_slice(l, c->file));
	out_text(o, ledger_text_slice(l, c->status));
	out_redacted(o, ledger_text_slice(l, c->why));
	out_opt(o, c->ns);
	out_opt(o, c->n);
	out_opt(o, c->tries);
	out_place(o, c->place);
	out_end(o);
}

static void
write_server(struct out *o, const struct ledger *l, const struct server *s, int64_t no)
{
	out_begin(o, sql_classify_insert_server);
	out_int(o, no);
	out_int(o, s->t);
	out_text(o, ledger_text_slice(l, s->phase));
	out_text(o, ledger_text_slice(l, s->system));
	out_text(o, ledger_text_slice(l, s->source));
	out_redacted(o, ledger_text_slice(l, s->address));
	out_text(o, ledger_text_slice(l, s->version));
	out_text(o, ledger_text_slice(l, s->id));
	out_text(o, ledger_text_slice(l, s->role));
	out_place(o, s->place);
	out_end(o);
}

void
write_collected(struct out *o, const struct run *r)
{
	const struct ledger *l = r->ledger;

	for (size_t i = 0; i < l->collected.n; i++)
		write_request(o, l, &l->collected.v[i], (int64_t)i);
	for (size_t i = 0; i < l->servers.n; i++)
		write_server(o, l, &l->servers.v[i], (int64_t)i);
}
