#include "config.h"

#include "base/cleanup.h"
#include "classify/write.h"
#include "ingest/manifest.h"
#include "ingest/source.h"
#include "sql_gen.h"

void
write_run(struct out *o, const struct run *r, int64_t ingest_no, bool hashed)
{
	const struct plan *p = r->ledger->plan;

	out_begin(o, sql_classify_insert_run);
	out_text(o, r->id);
	out_str(o, r->ledger->inputs->dir);
	out_int(o, ingest_no);
	out_str(o, r->ledger->inputs->digest);
	out_int(o, p->present);
	out_text(o, p->tenant);
	out_text(o, p->server.p != NULL ? p->server : SLICE("im-server"));
	out_text(o, p->gates.p != NULL ? p->gates : SLICE("release"));
	out_int(o, p->shared_host);
	out_text(o, p->log_zone);
	out_text(o, p->mid_prefix);
	out_text(o, p->build_expected);
	out_opt(o, p->planned_accounts);
	out_int(o, r->ledger->has_topics);
	out_int(o, r->has_conns);
	out_int(o, hashed);
	out_end(o);
	for (size_t i = 0; i < p->systems.n; i++) {
		out_begin(o, sql_classify_insert_run_system);
		out_text(o, p->systems.v[i]);
		out_end(o);
	}
	for (size_t i = 0; i < p->pods.n; i++) {
		out_begin(o, sql_classify_insert_run_pod);
		out_text(o, p->pods.v[i]);
		out_end(o);
	}
	for (size_t i = 0; i < p->metrics.n; i++) {
		out_begin(o, sql_classify_insert_run_metric);
		out_text(o, p->metrics.v[i]);
		out_end(o);
	}
	if (p->systems_given && p->systems.n == 0) { /* stated: none */
		out_begin(o, sql_classify_insert_run_system);
		out_str(o, "");
		out_end(o);
	}
}

/* What the manifest lists and the directory has not. */
static void
write_not_there(struct out *o, const struct run *r)
{
	for (size_t i = 0; i < r->ledger->not_there.n; i++) {
		out_begin(o, sql_classify_insert_file);
		out_int(o, (int64_t)(r->ledger->inputs->v.n + i));
		out_text(o, r->ledger->not_there.v[i]);
		out_str(o, input_kind_name(INPUT_UNREAD));
		out_null(o);
		out_int(o, 0);
		out_null(o);
		out_str(o, manifest_state_name(MANIFEST_MISSING));
		out_str(o, "none");
		for (int k = 0; k < 7; k++)
			out_int(o, 0);
		out_end(o);
	}
}

static void
write_files(struct out *o, const struct run *r)
{
	static const char *const compressions[] = { [SOURCE_PLAIN] = "none", [SOURCE_GZIP] = "gzip", [SOURCE_ZSTD] = "zstd" };

	for (uint32_t i = 0; i < r->ledger->inputs->v.n; i++) {
		const struct input_file *in = &r->ledger->inputs->v.v[i];
		const struct ledger_file *f = &r->ledger->files[i];
		char hex[65] = "";

		if (f->hashed)
			source_hex(f->sha256, hex);
		out_begin(o, sql_classify_insert_file);
		out_int(o, i);
		out_str(o, in->path);
		out_str(o, input_kind_name(in->kind));
		out_number(o, f->agent);
		out_int(o, (int64_t)in->bytes);
		out_str(o, f->hashed ? hex : NULL);
		out_str(o, manifest_state_name(f->manifest));
		out_str(o, compressions[f->compression]);
		out_int(o, (int64_t)f->n.lines);
		out_int(o, (int64_t)f->n.records);
		out_int(o, (int64_t)f->n.events);
		out_int(o, (int64_t)f->n.rejected);
		out_int(o, (int64_t)f->n.repaired);
		out_int(o, (int64_t)f->n.resent);
		out_int(o, f->cut);
		out_end(o);
	}
}

static void
write_damage(struct out *o, const struct run *r)
{
	for (size_t i = 0; i < r->ledger->damages.n; i++) {
		const struct damage *d = &r->ledger->damages.v[i];

		out_begin(o, sql_classify_insert_damage);
		out_int(o, (int64_t)i);
		out_place(o, d->place);
		out_str(o, d->repaired ? "repaired" : "rejected");
		out_str(o, d->reason);
		out_end(o);
	}
}

static void
write_agents(struct out *o, const struct run *r)
{
	for (uint32_t i = 0; i < r->ledger->agents.n; i++) {
		const struct ledger_agent *l = &r->ledger->agents.v[i];
		const struct run_agent *a = &r->agents[i];

		out_begin(o, sql_classify_insert_agent);
		out_int(o, i);
		out_text(o, l->name);
		out_int(o, l->planned);
		out_int(o, l->present);
		out_int(o, a->cut_off);
		out_int(o, (int64_t)a->records);
		out_opt(o, a->records_stated);
		out_opt(o, a->clock_worst_ns);
		out_end(o);
		for (size_t k = 0; k < a->stretches.n; k++) {
			if (k + 1 < a->stretches.n && a->stretches.v[k + 1].from == a->stretches.v[k].from)
				continue; /* two `start` lines of one time: the first opens nothing */
			out_begin(o, sql_classify_insert_stretch);
			out_int(o, i);
			out_int(o, a->stretches.v[k].from);
			out_int(o, a->stretches.v[k].to);
			out_int(o, a->stretches.v[k].ended);
			out_end(o);
		}
	}
}

static void
write_accounts(struct out *o, const struct run *r)
{
	int64_t start = r->mark[MARK_load_start];

	for (uint32_t i = 0; i < r->ledger->accounts.n; i++) {
		uint32_t a = r->account_at[i];
		const struct account *acc = &r->ledger->accounts.v[a];
		bool known = r->has_conns && start != NO_TIME;

		out_begin(o, sql_classify_insert_account);
		out_int(o, i);
		out_text(o, r->ledger->accounts_by.names.v[a]);
		out_text(o, ledger_text_slice(r->ledger, acc->user));
		out_number(o, r->account_agent[a]);
		out_int(o, acc->listed);
		out_opt(o, known ? watch_ready(r, a, start) : NO_TIME);
		out_opt(o,
		    known && r->last_window_end != NO_TIME ? (int64_t)watch_disconnects(r, a, start, r->last_window_end) : NO_TIME);
		out_end(o);
	}
}

static void
write_topics(struct out *o, const struct run *r)
{
	for (uint32_t i = 0; i < r->ledger->topics.n; i++) {
		const struct topic *t = &r->ledger->topics.v[r->topic_at[i]];

		out_begin(o, sql_classify_insert_topic);
		out_int(o, i);
		out_text(o, r->ledger->topics_by.names.v[r->topic_at[i]]);
		out_str(o, kind_name(t->kind));
		out_int(o, t->listed);
		out_int(o, t->nmembers);
		out_opt(o, t->offline_members);
		out_end(o);
		for (uint32_t k = 0; k < t->nmembers; k++) {
			out_begin(o, sql_classify_insert_member);
			out_int(o, i);
			out_int(o, k);
			out_int(o, r->account_no[t->members[k]]);
			out_end(o);
		}
	}
}

static void
write_scenarios(struct out *o, const struct run *r)
{
	for (uint32_t i = 0; i < r->scenarios.n; i++) {
		const struct scenario *sc = &r->scenarios.v[i];

		if (sc->fits_none)
			continue;
		out_begin(o, sql_classify_insert_scenario);
		out_int(o, i);
		out_text(o, sc->plan.id);
		out_str(o, sc->plan.kind == KIND_UNKNOWN ? "" : kind_name(sc->plan.kind));
		out_opt(o, sc->plan.planned);
		out_int(o, sc->plan.drain_ns);
		out_int(o, sc->plan.warmup);
		out_opt(o, sc->first_pub);
		out_opt(o, sc->last_pub);
		out_opt(o, sc->window_end);
		out_end(o);
	}
}

static void
write_marks(struct out *o, const struct run *r)
{
	static const char *const sources[] = {
		[MARK_FROM_TIMELINE] = "timeline",
		[MARK_FROM_LEDGER] = "mark",
		[MARK_DERIVED] = "derived",
	};

	for (int m = 0; m < _PLAN_MARK_MAX; m++) {
		if (r->mark[m] == NO_TIME)
			continue;
		out_begin(o, sql_classify_insert_mark);
		out_str(o, plan_mark_name((enum plan_mark)m));
		out_int(o, r->mark[m]);
		out_str(o, sources[r->mark_source[m]]);
		out_end(o);
	}
}

void
write_places(struct out *o, const struct run *r)
{
	write_files(o, r);
	write_not_there(o, r);
	write_damage(o, r);
	write_agents(o, r);
	write_accounts(o, r);
	write_topics(o, r);
	write_scenarios(o, r);
	write_marks(o, r);
}
