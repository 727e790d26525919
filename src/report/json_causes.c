#include "config.h"

#include "report/json.h"

static void
put_place(struct jsonw *w, const struct cause_place *p)
{
	jsonw_flat_object(w);
	json_place(w, p->file, p->sha256, p->line);
	if (p->t != CAUSE_NO_T)
		json_int(w, "t", p->t);
	if (p->text.n > 0)
		json_text(w, "text", p->text);
	jsonw_end(w);
}

/* Where what matched on one side stands: the first places of each item. */
static void
put_side(struct jsonw *w, const char *key, const struct cause_verdict *v, bool against)
{
	jsonw_key(w, key);
	jsonw_array(w);
	for (size_t i = 0; i < v->nitems; i++) {
		const struct cause_item *item = &v->items[i];

		for (size_t p = 0; p < item->nplaces && item->against == against && item->evaluated && item->matched; p++)
			put_place(w, &item->places[p]);
	}
	jsonw_end(w);
}

static void
put_item(struct jsonw *w, const struct cause_item *item)
{
	jsonw_object(w);
	jsonw_key(w, "side");
	jsonw_str(w, item->against ? "against" : "for");
	json_text(w, "rule", item->rule);
	json_rule_text(w, "text", item->text);
	json_int(w, "weight", item->weight);
	json_bool(w, "decisive", item->decisive);
	json_bool(w, "evaluated", item->evaluated);
	json_bool(w, "matched", item->matched);
	json_bool(w, "covered", item->covered);
	json_bool(w, "aligned", item->aligned);
	json_bool(w, "identity", item->identity);
	json_optional(w, "lo", (struct report_int){ item->evaluated, (int64_t)item->lo });
	json_optional(w, "hi", (struct report_int){ item->evaluated && item->hi != UINT64_MAX, (int64_t)item->hi });
	json_text(w, "reason", slice_of(rule_reason_name(item->reason)));
	json_text(w, "why", item->why);
	json_int(w, "places_total", (int64_t)item->places_total);
	jsonw_key(w, "places");
	jsonw_array(w);
	for (size_t i = 0; i < item->nplaces; i++)
		put_place(w, &item->places[i]);
	jsonw_end(w);
	jsonw_end(w);
}

static void
put_time(struct jsonw *w, const char *key, int64_t t)
{
	json_optional(w, key, (struct report_int){ t != CAUSE_NO_T, t });
}

static void
put_cause(struct jsonw *w, const struct cause_verdict *v)
{
	jsonw_object(w);
	json_text(w, "id", v->id);
	jsonw_key(w, "result");
	jsonw_str(w, cause_result_name(v->result));
	json_int(w, "explains", (int64_t)v->explains);
	json_bool(w, "lower_bound", v->lower_bound);
	put_side(w, "evidence", v, false);
	put_side(w, "against", v, true);
	json_int(w, "also", (int64_t)v->also);
	json_int(w, "repaired", (int64_t)v->repaired);
	json_text(w, "under", v->under);
	put_time(w, "from_t", v->from_t);
	put_time(w, "to_t", v->to_t);
	json_rule_text(w, "title", v->title);
	json_rule_text(w, "says", v->says);
	json_rule_text(w, "why", v->why);
	json_rule_text(w, "about", v->about);
	json_rule_text(w, "fix", v->fix);
	json_int(w, "for_weight", v->for_weight);
	json_int(w, "against_weight", v->against_weight);
	jsonw_key(w, "missing");
	jsonw_flat_array(w);
	for (size_t i = 0; v->missing != NULL && v->missing[i] != NULL; i++)
		jsonw_str(w, v->missing[i]);
	jsonw_end(w);
	jsonw_key(w, "items");
	jsonw_array(w);
	for (size_t i = 0; i < v->nitems; i++)
		put_item(w, &v->items[i]);
	jsonw_end(w);
	jsonw_end(w);
}

/* What ingest found by itself. */
static void
put_finding(struct jsonw *w, const struct report_finding *f)
{
	jsonw_object(w);
	json_text(w, "id", f->id);
	jsonw_key(w, "result");
	jsonw_str(w, "confirmed");
	json_int(w, "explains", 0);
	json_bool(w, "lower_bound", false);
	jsonw_key(w, "evidence");
	jsonw_array(w);
	if (f->path.p != NULL) {
		jsonw_flat_object(w);
		json_place(w, f->path, f->sha256, f->line);
		jsonw_end(w);
	}
	jsonw_end(w);
	json_empty_list(w, "against");
	json_text(w, "detail", f->detail);
	json_int(w, "count", f->count);
	jsonw_end(w);
}

static void
put_slices(struct jsonw *w, const char *key, const struct slice *v, size_t n)
{
	jsonw_key(w, key);
	jsonw_array(w);
	for (size_t i = 0; i < n; i++)
		jsonw_text(w, v[i]);
	jsonw_end(w);
}

/* A set that holds the failures; where there is none, `by` is null: they are spread evenly. */
static void
put_concentration(struct jsonw *w, const struct concentration *x)
{
	jsonw_flat_object(w);
	json_text(w, "of", x->of);
	json_text(w, "kind", x->kind.n > 0 ? x->kind : (struct slice){ NULL, 0 });
	json_text(w, "by", x->spread ? (struct slice){ NULL, 0 } : x->by);
	json_int(w, "values", (int64_t)x->values);
	json_int(w, "of_values", (int64_t)x->of_values);
	json_int(w, "holds", (int64_t)x->holds);
	json_int(w, "total", (int64_t)x->total);
	jsonw_key(w, "share_of_total");
	if (x->spread)
		jsonw_null(w);
	else
		jsonw_double(w, x->share_of_total);
	json_bool(w, "exclusive", x->exclusive);
	put_time(w, "from_t", x->from_t);
	put_time(w, "to_t", x->to_t);
	put_slices(w, "examples", x->examples, x->nexamples);
	put_slices(w, "causes", x->causes, x->ncauses);
	jsonw_end(w);
}

void
json_causes(struct jsonw *w, const struct report *r)
{
	static const struct causes none;
	const struct causes *c = r->causes != NULL ? r->causes : &none;

	jsonw_key(w, "causes");
	jsonw_array(w);
	for (size_t i = 0; i < c->n; i++)
		put_cause(w, &c->v[i]);
	jsonw_end(w);
	jsonw_key(w, "findings");
	jsonw_array(w);
	for (size_t i = 0; i < c->nfindings; i++)
		put_cause(w, &c->findings[i]);
	for (size_t i = 0; i < r->findings.n; i++)
		put_finding(w, &r->findings.v[i]);
	jsonw_end(w);
	jsonw_key(w, "concentration");
	jsonw_array(w);
	for (size_t i = 0; i < c->nconcentration; i++)
		put_concentration(w, &c->concentration[i]);
	jsonw_end(w);
	json_int(w, "failing_messages", r->failing_messages);
	json_int(w, "unexplained_messages", r->causes != NULL ? (int64_t)c->unexplained : r->failing_messages);
}
