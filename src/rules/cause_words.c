/* rules/cause_words.c - what a cause says of a run, why its result is what it is, and the formula for those who ask for it. */
#include "config.h"

#include "rules/cause_weigh.h"
#include "rules/rule_sql.h"

#define WORDS_BYTES_MAX ((size_t)64 << 10)

struct words {
	struct buf en, zh;
};

static void
say(struct words *out, const char *en, const char *zh)
{
	buf_addf(&out->en, "%s%s", out->en.n > 0 ? "; " : "", en);
	buf_addf(&out->zh, "%s%s", out->zh.n > 0 ? "；" : "", zh);
}

/* What was not brought: in full in English, by name in Chinese. */
static void
say_missing(struct words *out, evidence_set missing)
{
	const char *separator = "";

	say(out, "not looked at: ", "未检查：");
	evidence_add_missing(&out->en, missing);
	for (unsigned i = 0; evidence_names[i] != NULL; i++)
		if (missing & (evidence_set)1 << i) {
			buf_addf(&out->zh, "%s%s", separator, evidence_names[i]);
			separator = "、";
		}
}

static void
say_refuted(struct words *out, const struct weighed *w)
{
	for (size_t i = w->cause->nfor; i < w->cause->nclauses; i++) {
		const struct cause_item *item = &w->items[i];

		if (!item->matched || !item->decisive || w->cause->clauses[i].off)
			continue;
		buf_add_slice(&out->en, item->text.en);
		buf_add_slice(&out->zh, item->text.zh);
		return;
	}
	say(out, "nothing that would show it was found, and every source that would have it is complete",
	    "未发现任何支持迹象，且相关来源均完整");
}

static void
say_not_evaluated(struct words *out, const struct weighed *w)
{
	bool said = false, looked = false;

	if (w->fit_reason != RULE_REASON_NONE) {
		say(out, "which messages it fits is not known: ", "无法确定它符合哪些消息：");
		buf_add_slice(&out->en, w->fit_why);
		buf_add_slice(&out->zh, w->fit_why);
		return;
	}
	if (w->missing != 0) {
		say_missing(out, w->missing);
		return;
	}
	for (size_t i = 0; i < w->cause->nfor; i++)
		looked |= w->items[i].evaluated;
	if (looked)
		say(out, "nothing that was seen shows it, but not every source is complete", "未见支持迹象，但并非所有来源都完整");
	for (size_t i = 0; i < w->cause->nfor && !said && !looked; i++) {
		const struct cause_item *item = &w->items[i];

		if (item->evaluated || item->why.n == 0)
			continue;
		say(out, "not looked at: ", "未检查：");
		buf_add_slice(&out->en, item->why);
		buf_add_slice(&out->zh, item->why);
		said = true;
	}
	if (!said && !looked)
		say(out, "nothing that was seen shows it, but not every source is complete", "未见支持迹象，但并非所有来源都完整");
}

/* Why it is not confirmed, or not even probable. */
static void
say_capped(struct words *out, const struct weighed *w, enum cause_result result)
{
	if (result == CAUSE_POSSIBLE && cause_only_absence(w))
		say(out, "only that something is not there supports it", "仅有“缺失”作为支持");
	if (result == CAUSE_POSSIBLE && !w->cause->finding && !w->cause->without_messages && w->nowned + w->nrepaired == 0)
		say(out, w->nfit > 0 ? "every message that it fits has a cause with closer evidence" : "no failing message fits it",
		    w->nfit > 0 ? "它符合的每条消息都有证据更近的原因" : "没有失败消息符合它");
	if (w->against_weight > 0)
		say(out, "something speaks against it", "存在反对证据");
	if (w->for_weight < 3)
		say(out, "too little supports it", "支持证据不足");
	else if (!cause_is_aligned(w))
		say(out, "nothing that supports it is tied to the failing seconds or messages",
		    "支持证据与失败的时间或消息没有对应");
	if (w->missing != 0)
		say_missing(out, w->missing);
}

static enum imp_rc
say_why(const struct weighing *x, const struct weighed *w, struct rule_text *ret, struct imp_err *err)
{
	struct words out = { BUF_INIT(WORDS_BYTES_MAX), BUF_INIT(WORDS_BYTES_MAX) };
	enum imp_rc rc = IMP_OK;

	if (w->result == CAUSE_REFUTED)
		say_refuted(&out, w);
	else if (w->result == CAUSE_NOT_EVALUATED)
		say_not_evaluated(&out, w);
	else if (w->result != CAUSE_CONFIRMED)
		say_capped(&out, w, w->result);
	evaluation_settle(x->ev.from.arena, &out.en, &ret->en, &rc, err);
	evaluation_settle(x->ev.from.arena, &out.zh, &ret->zh, &rc, err);
	return rc;
}

/* ------------------------------------------------------------------ what it says */

struct facts {
	struct arena *arena;
	struct text_values values;
};

static enum imp_rc
take_facts(void *payload, sqlite3_stmt *st, struct imp_err *err)
{
	struct facts *f = payload;

	return f->values.n == 0 ? cause_take_columns(f->arena, st, &f->values, err) : IMP_OK;
}

static void
add_time(struct text_values *v, const char *name, int64_t t)
{
	if (t != CAUSE_NO_T)
		text_values_add_int(v, name, t);
}

/* Its facts first, then what every cause knows. Without the facts that it asks for it has nothing to say. */
static enum imp_rc
say_facts(const struct weighing *x, const struct weighed *w, struct cause_verdict *v, struct imp_err *err)
{
	struct facts f = { .arena = x->ev.from.arena };
	struct value stopped = { 0 };
	enum imp_rc rc = IMP_OK;

	if (w->cause->has_facts)
		rc = rule_sql_run(&w->cause->facts, &x->ev.from, take_facts, &f, &stopped, err);
	if (rc != IMP_OK || (w->cause->has_facts && f.values.n == 0))
		return rc;
	text_values_add_int(&f.values, "explains", (int64_t)v->explains);
	text_values_add_int(&f.values, "also", (int64_t)v->also);
	text_values_add_int(&f.values, "failing", (int64_t)x->nfailing);
	add_time(&f.values, "from_t", v->from_t);
	add_time(&f.values, "to_t", v->to_t);
	return cause_text(f.arena, &w->cause->says, &f.values, &v->says, err);
}

enum imp_rc
cause_put_into_words(struct weighing *x, const struct weighed *w, struct cause_verdict *v, struct imp_err *err)
{
	enum imp_rc rc = say_why(x, w, &v->why, err);

	v->says = (struct rule_text){ { "", 0 }, { "", 0 } };
	if (rc == IMP_OK && v->result <= CAUSE_POSSIBLE && w->cause->says.en.n > 0)
		rc = say_facts(x, w, v, err);
	return rc;
}

/* ------------------------------------------------------------------ rules explain */

static const char formula[] =
    "  W+ and W- are the sums of the weights of the items for and against it that matched: with a lower bound of at\n"
    "  least 1, inside the seconds of the failing messages that it fits; what has no time counts always.\n"
    "    refuted        a decisive item against it matched; or W+ is 0, every source of the items for it is complete and\n"
    "                   all required evidence is there\n"
    "    confirmed      W+ >= 3, W- = 0, a matched item for it lies in the failing seconds or names the messages\n"
    "                   themselves, and all required evidence is there\n"
    "    probable       W+ >= 2 and W+ > 2 W-\n"
    "    possible       W+ > 0\n"
    "    not_evaluated  anything else\n"
    "  At most possible when it owns no failing message, or when only absences support it. A finding owns none by its\n"
    "  nature, and what stands `without_messages` may own none: these need neither messages nor seconds.\n";

static void
explain_clause(struct buf *out, const struct cause_clause *c)
{
	buf_addf(out, "  %s %d  ", c->against ? "against" : "for    ", c->weight);
	if (c->kind == CAUSE_RULE)
		buf_add_slice(out, c->rule);
	else if (c->text.en.n > 0)
		buf_add_slice(out, c->text.en);
	for (size_t i = 0; i < c->ncodes && c->text.en.n == 0; i++)
		buf_addf(out, "%s%lld", i == 0 ? "answered with " : " or ", (long long)c->codes[i]);
	if (c->when == CAUSE_WHEN_INSIDE)
		buf_add_str(out, " (in the failing seconds)");
	if (c->decisive)
		buf_add_str(out, " (decisive)");
	if (c->absence)
		buf_add_str(out, " (an absence)");
	buf_add_char(out, '\n');
}

void
cause_explain(const struct rule *r, struct buf *out)
{
	const struct cause *c = r->cause;

	for (size_t i = 0; i < c->nclauses; i++)
		explain_clause(out, &c->clauses[i]);
	for (const struct doc_node *n = c->parents != NULL ? c->parents->first : NULL; n != NULL; n = n->next)
		buf_addf(out, "%s%.*s", n == c->parents->first ? "  a consequence of " : ", ", SLICE_ARG(n->text));
	if (c->parents != NULL)
		buf_add_char(out, '\n');
	if (c->finding)
		buf_add_str(out, "  a finding: it explains no failing message\n");
	buf_add_str(out, formula);
}
