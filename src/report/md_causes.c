#include "config.h"

#include "report/md.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "report/why_words.h"

/* "**1. `pod.gone` (confirmed): a pod was killed or lost.** im-server-1 was gone from ..." */
static void
add_claim(struct md *m, const struct cause_verdict *v)
{
	md_code(m, v->id);
	buf_addf(m->out, " (%s): ", cause_result_words(v->result));
	md_rule_text(m, v->title.en);
	buf_add_char(m->out, '.');
}

static void
add_says(struct md *m, const struct cause_verdict *v)
{
	if (v->says.en.n == 0)
		return;
	buf_add_char(m->out, ' ');
	md_rule_text(m, v->says.en);
	if (!slice_has_suffix(v->says.en, SLICE(".")))
		buf_add_char(m->out, '.');
}

/* " Owns 1,365 messages, tried from ... to ...; fits 93 more." */
static void
add_share(struct md *m, const struct cause_verdict *v)
{
	buf_add_str(m->out, " Owns ");
	md_plural(m, (int64_t)v->explains, "message", "messages");
	if (v->explains > 0 && v->from_t != CAUSE_NO_T && v->to_t != CAUSE_NO_T) {
		buf_add_str(m->out, ", from ");
		md_time(m, v->from_t);
		buf_add_str(m->out, " to ");
		md_time(m, v->to_t);
	}
	if (v->also > 0) {
		buf_add_str(m->out, "; fits ");
		text_add_count(m->out, (int64_t)v->also);
		buf_add_str(m->out, v->explains > 0 ? " more" : " that others own");
	}
	if (v->repaired > 0) {
		buf_add_str(m->out, "; ");
		md_plural(m, (int64_t)v->repaired, "message", "messages");
		buf_add_str(m->out, " that it kept from being stored ");
		buf_add_str(m->out, v->repaired == 1 ? "is by now: repaired" : "are by now: repaired");
	}
	buf_add_char(m->out, '.');
}

/* " (agents/a/a.jsonl:3585 and 19 more)" */
static void
add_item_places(struct md *m, const struct cause_item *item)
{
	if (item->nplaces == 0)
		return;
	buf_add_str(m->out, " (");
	md_place(m, item->places[0].file, item->places[0].line);
	if (item->places_total > 1) {
		buf_add_str(m->out, " and ");
		text_add_count(m->out, (int64_t)(item->places_total - 1));
		buf_add_str(m->out, " more");
	}
	buf_add_char(m->out, ')');
}

/* What matched on one side, "; " between. False: nothing did. */
static bool
add_side(struct md *m, const struct cause_verdict *v, bool against)
{
	bool any = false;

	for (size_t i = 0; i < v->nitems; i++) {
		const struct cause_item *item = &v->items[i];

		if (item->against != against || !item->evaluated || !item->matched)
			continue;
		buf_add_str(m->out, any ? "; " : "");
		cause_add_item(item, md_add_rule_text, m->out);
		add_item_places(m, item);
		any = true;
	}
	return any;
}

static void
add_sides(struct md *m, const struct cause_verdict *v)
{
	buf_add_str(m->out, "For: ");
	buf_add_str(m->out, add_side(m, v, false) ? ". Against: " : "nothing that was seen. Against: ");
	buf_add_str(m->out, add_side(m, v, true) ? "." : "nothing.");
}

static void
add_reason(struct md *m, const struct cause_verdict *v)
{
	if (v->why.en.n == 0)
		return;
	buf_add_str(m->out, "- Why it is not confirmed: ");
	md_rule_text(m, v->why.en);
	buf_add_str(m->out, ".\n");
}

/* What the cause looks like from elsewhere. */
static void
add_consequences(struct md *m, const struct cause_verdict *parent)
{
	const struct causes *c = m->r->causes;

	for (size_t i = 0; i < c->n; i++) {
		const struct cause_verdict *v = &c->v[i];

		if (v == parent || !slice_eq(v->under, parent->id) || !cause_is_shown(v))
			continue;
		buf_add_str(m->out, "- A consequence of it: ");
		add_claim(m, v);
		add_says(m, v);
		add_share(m, v);
		buf_add_char(m->out, ' ');
		add_sides(m, v);
		buf_add_char(m->out, '\n');
	}
}

static void
add_cause(struct md *m, const struct cause_verdict *v, size_t rank)
{
	buf_addf(m->out, "**%zu. ", rank);
	add_claim(m, v);
	buf_add_str(m->out, "**");
	add_says(m, v);
	add_share(m, v);
	buf_add_str(m->out, "\n\n- ");
	add_sides(m, v);
	buf_add_char(m->out, '\n');
	if (v->result != CAUSE_CONFIRMED)
		add_reason(m, v);
	add_consequences(m, v);
	if (v->fix.en.n > 0) {
		buf_add_str(m->out, "- What to do: ");
		md_rule_text(m, v->fix.en);
		buf_add_char(m->out, '\n');
	}
	buf_add_char(m->out, '\n');
}

/* "**Unexplained: 0 of 1,532 failing messages** (1,365 + 134 + 33 are explained)." */
static void
add_unexplained(struct md *m)
{
	const struct causes *c = m->r->causes;
	size_t owners = 0;

	buf_add_str(m->out, "**Unexplained: ");
	text_add_count(m->out, (int64_t)c->unexplained);
	buf_add_str(m->out, " of ");
	md_plural(m, (int64_t)c->failing, "failing message", "failing messages");
	buf_add_str(m->out, "**");
	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].explains == 0)
			continue;
		buf_add_str(m->out, owners++ > 0 ? " + " : " (");
		text_add_count(m->out, (int64_t)c->v[i].explains);
	}
	buf_add_str(m->out, owners > 1 ? " are explained).\n\n" : owners == 1 ? " explained).\n\n" : ".\n\n");
}

/* Causes that something speaks for, though no message is theirs. */
static void
add_idle(struct md *m)
{
	const struct causes *c = m->r->causes;
	bool any = false;

	for (size_t i = 0; i < c->n; i++) {
		const struct cause_verdict *v = &c->v[i];

		if (v->result != CAUSE_POSSIBLE || cause_is_shown(v))
			continue;
		buf_add_str(m->out, any ? "; " : "**Seen, but the cause of no message here:** ");
		md_code(m, v->id);
		buf_add_str(m->out, " (");
		if (!add_side(m, v, false))
			md_rule_text(m, v->title.en);
		buf_add_char(m->out, ')');
		any = true;
	}
	buf_add_str(m->out, any ? ".\n\n" : "");
}

#define EXAMPLES_SHOWN 3 /* the JSON report has twenty */

static void
add_examples(struct md *m, const struct concentration *x)
{
	size_t shown = x->nexamples < EXAMPLES_SHOWN ? x->nexamples : EXAMPLES_SHOWN;

	for (size_t i = 0; i < shown; i++) {
		md_code(m, x->examples[i]);
		buf_add_str(m->out, i + 1 < shown ? ", " : "");
	}
	if (shown == 0)
		return;
	if (x->values > shown) {
		buf_add_str(m->out, " and ");
		text_add_count(m->out, (int64_t)(x->values - shown));
		buf_add_str(m->out, " more");
	}
	buf_add_str(m->out, "; ");
}

/* "9 of 60 receivers hold all (`b1`, `b2` and 7 more; 15 % of all that could have failed so)" */
static void
add_set(struct md *m, const struct concentration *x)
{
	text_add_count(m->out, (int64_t)x->values);
	buf_add_str(m->out, " of ");
	text_add_count(m->out, (int64_t)x->of_values);
	buf_addf(m->out, " %s %s ", concentration_by(x), x->values == 1 ? "holds" : "hold");
	if (x->holds == x->total)
		buf_add_str(m->out, "all");
	else
		text_add_count(m->out, (int64_t)x->holds);
	buf_add_str(m->out, " (");
	add_examples(m, x);
	buf_addf(m->out, "%.3g %% of what could have failed so)", x->share_of_total * 100);
}

static bool
is_same_failure(const struct concentration *a, const struct concentration *b)
{
	return !a->spread && !b->spread && slice_eq(a->of, b->of) && a->total == b->total;
}

/* Is x->causes[k] named by x, or by a set of the same failures before it? */
static bool
is_named_before(const struct causes *c, const struct concentration *x, size_t k)
{
	for (const struct concentration *y = c->concentration; y <= x; y++)
		for (size_t i = 0; is_same_failure(x, y) && i < (y == x ? k : y->ncauses); i++)
			if (slice_eq(y->causes[i], x->causes[k]))
				return true;
	return false;
}

static void
add_explanations(struct md *m, const struct concentration *first)
{
	const struct causes *c = m->r->causes;
	bool any = false;

	for (const struct concentration *x = first; x < c->concentration + c->nconcentration; x++)
		for (size_t k = 0; is_same_failure(x, first) && k < x->ncauses; k++) {
			if (is_named_before(c, x, k))
				continue;
			buf_add_str(m->out, any ? ", " : ". The messages are owned by ");
			md_code(m, x->causes[k]);
			any = true;
		}
}

/* Which messages, where a set looks at one kind of them. */
static void
add_kind(struct md *m, const struct concentration *x)
{
	if (x->kind.n > 0)
		buf_addf(m->out, " (%.*s)", SLICE_ARG(x->kind));
}

/* All sets that hold the same failures, in one sentence. */
static void
add_sets(struct md *m, const struct concentration *first)
{
	const struct causes *c = m->r->causes;

	for (const struct concentration *x = c->concentration; x < first; x++)
		if (is_same_failure(x, first))
			return;
	buf_add_str(m->out, "- ");
	text_add_count(m->out, (int64_t)first->total);
	buf_addf(m->out, " %s", concentration_of(first));
	add_kind(m, first);
	buf_add_str(m->out, ": ");
	for (const struct concentration *x = first; x < c->concentration + c->nconcentration; x++) {
		if (!is_same_failure(x, first))
			continue;
		buf_add_str(m->out, x > first ? "; " : "");
		add_set(m, x);
	}
	add_explanations(m, first);
	buf_add_str(m->out, ".\n");
}

static void
add_concentration(struct md *m)
{
	const struct causes *c = m->r->causes;
	bool any = false;

	if (c->nconcentration == 0)
		return;
	buf_add_str(m->out, "**Where it concentrates**\n\n");
	for (size_t i = 0; i < c->nconcentration; i++)
		if (!c->concentration[i].spread)
			add_sets(m, &c->concentration[i]);
	for (size_t i = 0; i < c->nconcentration; i++) {
		if (!c->concentration[i].spread)
			continue;
		buf_add_str(m->out, any ? ", " : "- Spread evenly: ");
		text_add_count(m->out, (int64_t)c->concentration[i].total);
		buf_addf(m->out, " %s", concentration_of(&c->concentration[i]));
		add_kind(m, &c->concentration[i]);
		any = true;
	}
	buf_add_str(m->out, any ? ".\n\n" : "\n");
}

/* "`persist.*`" for a family that shares one fate, else the id. */
static void
add_name(struct md *m, const struct cause_verdict *v, size_t family)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(1024);

	if (family > 0)
		buf_addf(&name, "%.*s*", (int)family, v->id.p);
	else
		buf_add_slice(&name, v->id);
	if (buf_part_ok(m->out, &name))
		md_code(m, buf_slice(&name));
}

static void
add_fate_reason(struct md *m, struct slice why)
{
	const struct slice said = SLICE("not looked at: "); /* as the head of the list does */

	if (slice_has_prefix(why, said))
		why = (struct slice){ why.p + said.n, why.n - said.n };
	if (why.n == 0)
		return;
	buf_add_str(m->out, " (");
	md_rule_text(m, why);
	buf_add_char(m->out, ')');
}

/* Those whose fate is the same, and why: "`persist.*`, `pod.gone` (...)". */
static void
add_fate(struct md *m, const struct cause_verdict *first)
{
	const struct causes *c = m->r->causes;
	bool any = false;

	for (size_t i = 0; i < causes_all(c); i++) {
		const struct cause_verdict *v = causes_at(c, i);
		size_t family;

		if (!cause_shares_fate(v, first))
			continue;
		family = causes_family(c, v);
		if (family > 0 && !causes_leads_family(c, v))
			continue;
		buf_add_str(m->out, any ? ", " : "");
		add_name(m, v, family);
		any = true;
	}
	add_fate_reason(m, first->why.en);
}

/* All with one result, those that share a reason together. `open`: those that were looked at as far as the sources go. */
static void
add_fates(struct md *m, enum cause_result result, bool open, const char *head)
{
	const struct causes *c = m->r->causes;
	bool any = false;

	for (size_t i = 0; i < causes_all(c); i++) {
		const struct cause_verdict *v = causes_at(c, i);

		if (v->result != result || cause_is_open(v) != open || causes_fate_first(c, v) != v)
			continue;
		buf_add_str(m->out, any ? "; " : head);
		add_fate(m, v);
		any = true;
	}
	buf_add_str(m->out, any ? ".\n\n" : "");
}

void
md_causes(struct md *m)
{
	const struct causes *c = m->r->causes;
	size_t rank = 0;

	if (c == NULL)
		return;
	buf_add_str(m->out, "## Why\n\n");
	if (c->failing == 0 && c->repaired == 0) {
		buf_add_str(m->out, "Nothing failed: nothing to explain.\n\n");
		return;
	}
	for (size_t i = 0; i < c->n; i++)
		if (cause_is_shown(&c->v[i]) && c->v[i].under.n == 0)
			add_cause(m, &c->v[i], ++rank);
	if (rank == 0)
		buf_add_str(m->out,
		    c->failing > 0 ? "No cause is known for what failed.\n\n" :
				     "Nothing fails, and no cause is known for what was missing at first.\n\n");
	add_unexplained(m);
	add_concentration(m);
	add_idle(m);
	add_fates(m, CAUSE_REFUTED, false, "**Ruled out:** ");
	add_fates(m, CAUSE_NOT_EVALUATED, true, "**Not seen, and not ruled out:** ");
	add_fates(m, CAUSE_NOT_EVALUATED, false, "**Not looked at:** ");
}

/* What ingest found by itself. */
static void
add_finding(struct md *m, const struct report_finding *f)
{
	buf_add_str(m->out, "- ");
	md_code(m, f->id);
	buf_add_str(m->out, ": ");
	text_add_markdown(m->out, f->detail);
	if (f->path.p != NULL) {
		buf_add_str(m->out, " (first at ");
		md_place(m, f->path, f->line);
		buf_add_char(m->out, ')');
	}
	buf_add_char(m->out, '\n');
}

static void
add_rule_finding(struct md *m, const struct cause_verdict *v)
{
	buf_add_str(m->out, "- ");
	add_claim(m, v);
	add_says(m, v);
	buf_add_char(m->out, ' ');
	add_sides(m, v);
	if (v->fix.en.n > 0) {
		buf_add_char(m->out, ' ');
		md_rule_text(m, v->fix.en);
	}
	buf_add_char(m->out, '\n');
}

void
md_findings(struct md *m)
{
	const struct causes *c = m->r->causes;
	size_t shown = m->r->findings.n;

	for (size_t i = 0; c != NULL && i < c->nfindings; i++)
		shown += cause_is_shown(&c->findings[i]);
	if (shown == 0)
		return;
	buf_add_str(m->out, "## Findings\n\n");
	for (size_t i = 0; c != NULL && i < c->nfindings; i++)
		if (cause_is_shown(&c->findings[i]))
			add_rule_finding(m, &c->findings[i]);
	for (size_t i = 0; i < m->r->findings.n; i++)
		add_finding(m, &m->r->findings.v[i]);
	buf_add_char(m->out, '\n');
}
