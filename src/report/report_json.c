#include "config.h"

#include "report/render.h"

#include "base/cleanup.h"
#include "report/json.h"

/* The counters of ingest that the stable part names; others follow them. */
static const char *const ingest_counts[] = { "files", "lines", "records", "events", "rejected", "repaired", "resent",
	"unknown_events", NULL };
static const char *const foreign_counts[] = { "data", "ctrl", "fail", "row", "hist", "dead", NULL };

static void
put_counts(struct jsonw *w, const struct report *r, const char *prefix, const char *const *names)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(128);

	for (; *names != NULL; names++) {
		buf_clear(&path);
		buf_addf(&path, "%s%s", prefix, *names);
		if (!buf_part_ok(w->out, &path))
			return;
		json_int(w, *names, report_count(r, path.p));
	}
}

static void
put_other_counts(struct jsonw *w, const struct report *r)
{
	for (size_t i = 0; i < r->counts.n; i++) {
		struct slice name = r->counts.v[i].name;
		bool known = memchr(name.p, '.', name.n) != NULL;

		for (const char *const *n = ingest_counts; *n != NULL && !known; n++)
			known = slice_eq(slice_of(*n), name);
		if (known)
			continue;
		jsonw_key_slice(w, name);
		jsonw_int(w, r->counts.v[i].value);
	}
}

static void
put_agent_names(struct jsonw *w, const struct report *r, const char *key, bool (*wanted)(const struct report_agent *))
{
	jsonw_key(w, key);
	jsonw_flat_array(w);
	for (size_t i = 0; i < r->agents.n; i++)
		if (wanted(&r->agents.v[i]))
			jsonw_text(w, r->agents.v[i].scope.id);
	jsonw_end(w);
}

static bool
is_cut_off(const struct report_agent *a)
{
	return a->present && a->cut_off;
}

static bool
is_absent(const struct report_agent *a)
{
	return a->planned && !a->present;
}

static void
put_ingest(struct jsonw *w, const struct report *r)
{
	jsonw_key(w, "ingest");
	jsonw_object(w);
	put_counts(w, r, "", ingest_counts);
	jsonw_key(w, "foreign");
	jsonw_flat_object(w);
	put_counts(w, r, "foreign.", foreign_counts);
	jsonw_end(w);
	put_agent_names(w, r, "cut_off_agents", is_cut_off);
	put_agent_names(w, r, "absent_agents", is_absent);
	jsonw_key(w, "files_not_read");
	jsonw_flat_array(w);
	for (size_t i = 0; i < r->files.n; i++) {
		const struct report_file *f = &r->files.v[i];

		/* What a manifest names and nobody finds is no file. */
		if (slice_eq(f->kind, SLICE("unread")) && !slice_eq(f->manifest, SLICE("missing")))
			jsonw_text(w, f->path);
	}
	jsonw_end(w);
	put_other_counts(w, r);
	jsonw_end(w);
}

static enum imp_rc
render_json(const struct report *r, const struct render_options *opt, struct buf *out, struct imp_err *err)
{
	struct jsonw w = JSONW_INIT(out);

	jsonw_object(&w);
	jsonw_key(&w, "schema");
	jsonw_str(&w, "impaudit.report/1");
	jsonw_key(&w, "run");
	jsonw_flat_object(&w);
	json_text(&w, "id", r->run.id);
	json_int(&w, "store_version", store_schema_version());
	json_text(&w, "server", r->run.server);
	json_text(&w, "tenant", r->run.tenant);
	json_text(&w, "rules_sha256", slice_of(r->verdict->rules_digest));
	jsonw_end(&w);
	json_verdict(&w, r->verdict);
	put_ingest(&w, r);
	json_scopes(&w, r);
	json_rules(&w, "gates", r->verdict->rules, r->verdict->nrules, JSON_GATES);
	json_causes(&w, r);
	json_trust(&w, r->verdict);
	json_rules(&w, "validity", r->verdict->rules, r->verdict->nrules, JSON_VALIDITY);
	json_evidence(&w, r, opt);
	jsonw_end(&w);
	return buf_status(out, err);
}

const struct renderer renderer_json = { "json", render_json };
