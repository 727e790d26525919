#include "config.h"

#include "report/json.h"

/* Where a message was tried first. */
static void
put_attempt(struct jsonw *w, struct slice file, int64_t line)
{
	json_text(w, "file", file);
	json_int(w, "line", line);
}

static void
put_receivers(struct jsonw *w, const struct report *r, const struct render_options *opt)
{
	json_int(w, "receivers", r->receivers_total);
	jsonw_key(w, "most");
	jsonw_array(w);
	for (size_t i = 0; i < r->receivers.n; i++) {
		const struct report_receiver *x = &r->receivers.v[i];

		jsonw_flat_object(w);
		json_text(w, "receiver", x->name);
		json_int(w, "missing", x->missing);
		json_optional(w, "while_connected", x->connected);
		json_int(w, "topics", x->topics);
		json_time(w, "first", x->first, opt);
		json_time(w, "last", x->last, opt);
		jsonw_end(w);
	}
	jsonw_end(w);
}

static void
put_missing(struct jsonw *w, const struct report *r, const struct render_options *opt)
{
	jsonw_key(w, "missing");
	jsonw_object(w);
	json_optional(w, "total", r->missing_total);
	put_receivers(w, r, opt);
	json_int(w, "listed", (int64_t)r->missing.n);
	jsonw_key(w, "deliveries");
	jsonw_array(w);
	for (size_t i = 0; i < r->missing.n; i++) {
		const struct report_missing *x = &r->missing.v[i];

		jsonw_flat_object(w);
		json_text(w, "mid", x->mid);
		json_text(w, "topic", x->topic);
		json_text(w, "sender", x->sender);
		json_text(w, "receiver", x->receiver);
		json_optional(w, "seq", x->seq);
		json_text(w, "class", x->klass);
		jsonw_key(w, "receiver_disconnected");
		if (x->disconnected.known)
			jsonw_bool(w, x->disconnected.v != 0);
		else
			jsonw_null(w);
		json_time(w, "published", x->first_pub, opt);
		json_time(w, "acked", x->ack_t, opt);
		json_time(w, "window_end", x->window_end, opt);
		put_attempt(w, x->path, x->line);
		jsonw_end(w);
	}
	jsonw_end(w);
	jsonw_end(w);
}

static void
put_lost(struct jsonw *w, const struct report *r, const struct render_options *opt)
{
	jsonw_key(w, "stored");
	jsonw_object(w);
	json_int(w, "total", r->losses_total);
	json_int(w, "listed", (int64_t)r->losses.n);
	jsonw_key(w, "messages");
	jsonw_array(w);
	for (size_t i = 0; i < r->losses.n; i++) {
		const struct report_loss *x = &r->losses.v[i];

		jsonw_flat_object(w);
		json_text(w, "mid", x->mid);
		json_text(w, "topic", x->topic);
		json_text(w, "sender", x->sender);
		json_optional(w, "seq", x->seq);
		json_text(w, "class", x->klass);
		json_text(w, "persisted", x->persisted);
		json_text(w, "last_layer", x->last_layer);
		json_text(w, "place", x->place);
		json_time(w, "published", x->first_pub, opt);
		json_time(w, "acked", x->ack_t, opt);
		put_attempt(w, x->path, x->line);
		jsonw_end(w);
	}
	jsonw_end(w);
	jsonw_end(w);
}

static void
put_marks(struct jsonw *w, const struct report *r, const struct render_options *opt)
{
	jsonw_key(w, "marks");
	jsonw_array(w);
	for (size_t i = 0; i < r->marks.n; i++) {
		jsonw_flat_object(w);
		json_text(w, "name", r->marks.v[i].name);
		json_text(w, "source", r->marks.v[i].source);
		json_time(w, "at", (struct report_int){ true, r->marks.v[i].t }, opt);
		jsonw_end(w);
	}
	jsonw_end(w);
	jsonw_key(w, "windows");
	jsonw_array(w);
	for (size_t i = 0; i < r->scenarios.n; i++) {
		const struct report_scenario *s = &r->scenarios.v[i];

		jsonw_flat_object(w);
		json_text(w, "scenario", s->scope.id);
		json_bool(w, "warmup", s->warmup);
		json_int(w, "drain_ns", s->drain_ns);
		json_time(w, "first_pub", s->first_pub, opt);
		json_time(w, "last_pub", s->last_pub, opt);
		json_time(w, "window_end", s->window_end, opt);
		jsonw_end(w);
	}
	jsonw_end(w);
}

static void
put_files(struct jsonw *w, const struct report *r)
{
	jsonw_key(w, "files");
	jsonw_array(w);
	for (size_t i = 0; i < r->files.n; i++) {
		const struct report_file *f = &r->files.v[i];

		jsonw_flat_object(w);
		json_text(w, "path", f->path);
		json_text(w, "kind", f->kind);
		json_text(w, "sha256", f->sha256);
		json_text(w, "manifest", f->manifest);
		json_text(w, "compression", f->compression);
		json_int(w, "bytes", f->bytes);
		json_int(w, "lines", f->lines);
		json_int(w, "records", f->records);
		json_int(w, "events", f->events);
		json_int(w, "rejected", f->rejected);
		json_int(w, "repaired", f->repaired);
		json_int(w, "resent", f->resent);
		json_bool(w, "cut", f->cut);
		jsonw_end(w);
	}
	jsonw_end(w);
}

static void
put_sources(struct jsonw *w, const struct report *r, const struct render_options *opt)
{
	jsonw_key(w, "sources");
	jsonw_array(w);
	for (size_t i = 0; i < r->sources.n; i++) {
		const struct report_source *s = &r->sources.v[i];

		jsonw_flat_object(w);
		json_text(w, "kind", s->kind);
		json_text(w, "name", s->name);
		json_text(w, "pod", s->pod);
		json_text(w, "container", s->container);
		json_text(w, "format", s->format);
		json_time(w, "first", s->first, opt);
		json_time(w, "last", s->last, opt);
		json_bool(w, "covers_load", s->covers_load);
		json_int(w, "samples", s->samples);
		json_int(w, "gaps", s->gaps);
		json_optional(w, "longest_gap_ns", s->longest_gap_ns);
		json_bool(w, "cut", s->cut);
		json_bool(w, "sampled", s->sampled);
		json_bool(w, "limited", s->limited);
		json_int(w, "damaged", s->damaged);
		json_int(w, "resent", s->resent);
		json_text(w, "zone", s->zone);
		json_optional(w, "zone_offset_ns", s->zone_offset_ns);
		json_text(w, "note", s->note);
		json_text(w, "file", s->path);
		jsonw_end(w);
	}
	jsonw_end(w);
}

static void
put_log_lines(struct jsonw *w, const struct report *r, const struct render_options *opt)
{
	jsonw_key(w, "log_lines");
	jsonw_array(w);
	for (size_t i = 0; i < r->log_lines.n; i++) {
		const struct report_log_line *x = &r->log_lines.v[i];

		jsonw_flat_object(w);
		json_text(w, "signature", x->signature);
		json_text(w, "source", x->source);
		json_int(w, "n", x->n);
		json_bool(w, "lower_bound", !x->covers_load);
		json_time(w, "first", x->first, opt);
		json_time(w, "last", x->last, opt);
		json_text(w, "file", x->path);
		json_int(w, "line", x->line);
		jsonw_end(w);
	}
	jsonw_end(w);
}

static void
put_ledgers(struct jsonw *w, const struct report *r)
{
	jsonw_key(w, "ledgers");
	jsonw_array(w);
	for (size_t i = 0; i < r->agents.n; i++) {
		const struct report_agent *a = &r->agents.v[i];

		jsonw_flat_object(w);
		json_text(w, "agent", a->scope.id);
		json_bool(w, "planned", a->planned);
		json_bool(w, "present", a->present);
		json_bool(w, "cut_off", a->cut_off);
		json_int(w, "records", a->records);
		json_optional(w, "records_stated", a->records_stated);
		json_optional(w, "clock_worst_ns", a->clock_worst_ns);
		jsonw_end(w);
	}
	jsonw_end(w);
}

static void
put_damage(struct jsonw *w, const struct report *r)
{
	jsonw_key(w, "damage");
	jsonw_object(w);
	json_int(w, "total", r->damage_total);
	json_int(w, "listed", (int64_t)r->damage.n);
	jsonw_key(w, "lines");
	jsonw_array(w);
	for (size_t i = 0; i < r->damage.n; i++) {
		jsonw_flat_object(w);
		json_text(w, "file", r->damage.v[i].path);
		json_int(w, "line", r->damage.v[i].line);
		json_text(w, "what", r->damage.v[i].what);
		json_text(w, "reason", r->damage.v[i].reason);
		jsonw_end(w);
	}
	jsonw_end(w);
	jsonw_end(w);
}

void
json_evidence(struct jsonw *w, const struct report *r, const struct render_options *opt)
{
	jsonw_key(w, "losses");
	jsonw_object(w);
	put_missing(w, r, opt);
	put_lost(w, r, opt);
	jsonw_end(w);
	json_repairs(w, r, opt);
	put_marks(w, r, opt);
	put_ledgers(w, r);
	put_damage(w, r);
	json_collected(w, r, opt);
	put_sources(w, r, opt);
	put_log_lines(w, r, opt);
	put_files(w, r);
}
