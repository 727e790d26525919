#include "config.h"

#include "report/json.h"

static void
put_server(struct jsonw *w, const struct report_server *s, const struct render_options *opt)
{
	jsonw_flat_object(w);
	json_text(w, "system", s->system);
	json_text(w, "source", s->source);
	json_text(w, "address", s->address);
	json_text(w, "version", s->version);
	json_text(w, "id", s->id);
	json_text(w, "role", s->role);
	json_time(w, "first", s->first, opt);
	json_time(w, "last", s->last, opt);
	json_bool(w, "other_than_before", s->other);
	json_bool(w, "may_lag", s->lags);
	json_optional(w, "requests", s->requests);
	json_optional(w, "failed", s->failed);
	json_text(w, "file", s->path);
	json_optional(w, "line", (struct report_int){ s->path.p != NULL, s->line });
	jsonw_end(w);
}

static void
put_asked(struct jsonw *w, const struct report_asked *x, const struct render_options *opt)
{
	jsonw_flat_object(w);
	json_text(w, "system", x->system);
	json_text(w, "source", x->source);
	json_text(w, "what", x->what);
	json_text(w, "status", x->status);
	json_text(w, "why", x->why);
	json_text(w, "answer", x->target);
	json_int(w, "times", x->times);
	json_time(w, "first", (struct report_int){ true, x->first }, opt);
	json_time(w, "last", (struct report_int){ true, x->last }, opt);
	json_text(w, "file", x->path);
	json_int(w, "line", x->line);
	jsonw_end(w);
}

void
json_collected(struct jsonw *w, const struct report *r, const struct render_options *opt)
{
	jsonw_key(w, "servers");
	jsonw_array(w);
	for (size_t i = 0; i < r->servers.n; i++)
		put_server(w, &r->servers.v[i], opt);
	jsonw_end(w);
	jsonw_key(w, "collected");
	jsonw_object(w);
	json_int(w, "not_all_got", r->asked_total);
	json_int(w, "listed", (int64_t)r->asked.n);
	jsonw_key(w, "requests");
	jsonw_array(w);
	for (size_t i = 0; i < r->asked.n; i++)
		put_asked(w, &r->asked.v[i], opt);
	jsonw_end(w);
	jsonw_end(w);
}

/* ------------------------------------------------------------------ repairs */

static void
put_span(struct jsonw *w, const char *key, struct report_span s)
{
	jsonw_key(w, key);
	jsonw_flat_object(w);
	json_optional(w, "least_ns", s.least);
	json_optional(w, "most_ns", s.most);
	jsonw_end(w);
}

static void
put_look(struct jsonw *w, const char *key, int64_t check, struct report_int t, struct slice file, int64_t line,
    const struct render_options *opt)
{
	jsonw_key(w, key);
	jsonw_flat_object(w);
	json_int(w, "check", check);
	json_time(w, "at", t, opt);
	json_text(w, "file", file);
	json_int(w, "line", line);
	jsonw_end(w);
}

static void
put_repair(struct jsonw *w, const struct report_repair *x, const struct render_options *opt)
{
	jsonw_object(w);
	json_text(w, "mid", x->mid);
	json_text(w, "topic", x->topic);
	json_text(w, "persisted", x->persisted);
	json_text(w, "how", x->how);
	json_text(w, "letter", x->letter);
	json_text(w, "changed", x->changed);
	json_time(w, "since", x->since, opt);
	put_look(w, "missing", x->missed_check, x->missed, x->missed_path, x->missed_line, opt);
	put_look(w, "there", x->check, x->found, x->path, x->line, opt);
	json_time(w, "came_after", x->came.least, opt);
	json_time(w, "came_before", x->came.most, opt);
	put_span(w, "lasted", x->lasted);
	jsonw_end(w);
}

void
json_repairs(struct jsonw *w, const struct report *r, const struct render_options *opt)
{
	const struct report_repairs *x = &r->repairs;

	jsonw_key(w, "repairs");
	jsonw_object(w);
	json_int(w, "total", x->total);
	jsonw_key(w, "how");
	jsonw_flat_object(w);
	json_int(w, "replay", x->replay);
	json_int(w, "backlog", x->backlog);
	json_int(w, "not_known", x->not_known);
	jsonw_end(w);
	json_int(w, "column_changed", x->changed);
	put_span(w, "shortest", x->shortest);
	put_span(w, "median", x->median);
	put_span(w, "longest", x->longest);
	json_int(w, "listed", (int64_t)x->messages.n);
	jsonw_key(w, "messages");
	jsonw_array(w);
	for (size_t i = 0; i < x->messages.n; i++)
		put_repair(w, &x->messages.v[i], opt);
	jsonw_end(w);
	jsonw_end(w);
}
