#include "config.h"

#include "report/why_words.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

const char *
cause_result_words(enum cause_result r)
{
	static const char *const words[_CAUSE_RESULT_MAX] = {
		[CAUSE_CONFIRMED] = "confirmed",
		[CAUSE_PROBABLE] = "probable",
		[CAUSE_POSSIBLE] = "possible",
		[CAUSE_REFUTED] = "ruled out",
		[CAUSE_NOT_EVALUATED] = "not looked at",
	};

	return words[r];
}

bool
cause_is_shown(const struct cause_verdict *v)
{
	switch (v->result) {
	case CAUSE_CONFIRMED:
	case CAUSE_PROBABLE:
		return true;
	case CAUSE_POSSIBLE:
		return v->finding || v->explains + v->repaired > 0;
	default:
		return false;
	}
}

bool
cause_is_open(const struct cause_verdict *v)
{
	bool looked = false;

	if (v->result != CAUSE_NOT_EVALUATED || (v->missing != NULL && v->missing[0] != NULL))
		return false;
	for (size_t i = 0; i < v->nitems; i++) {
		if (v->items[i].against)
			continue;
		looked |= v->items[i].evaluated;
	}
	return looked;
}

void
cause_add_count(uint64_t lo, uint64_t hi, struct buf *out)
{
	buf_add_str(out, hi == UINT64_MAX ? "≥ " : "");
	text_add_count(out, (int64_t)lo);
	if (hi == UINT64_MAX || hi == lo)
		return;
	buf_add_str(out, " to ");
	text_add_count(out, (int64_t)hi);
}

static bool
contains(struct slice text, struct slice part)
{
	return text.n > 0 && memmem(text.p, text.n, part.p, part.n) != NULL;
}

void
cause_add_item(const struct cause_item *item, void (*add)(struct buf *out, struct slice s), struct buf *out)
{
	CLEANUP(buf_done) struct buf count = BUF_INIT(256);

	add(out, item->text.en);
	cause_add_count(item->lo, item->hi, &count);
	/* the title of a rule does not say how often; a text of its own may */
	if (item->rule.n == 0 || !buf_part_ok(out, &count) || contains(item->text.en, buf_slice(&count)))
		return;
	buf_add_str(out, ": ");
	buf_add_slice(out, buf_slice(&count));
}

static const struct concentration_word {
	const char *name, *one, *many;
} of_words[] = {
	{ "missing", "missing delivery", "missing deliveries" },
	{ "rejected", "refused message", "refused messages" },
	{ "unknown", "message of unknown outcome", "messages of unknown outcome" },
	{ "unanswered", "message without an answer", "messages without an answer" },
	{ "unsent", "message never written", "messages never written" },
	{ "late_ack", "late ack", "late acks" },
	{ "absent", "message in no table", "messages in no table" },
};

static const struct concentration_word by_words[] = {
	{ "topic", "topic", "topics" },
	{ "sender", "sender", "senders" },
	{ "receiver", "receiver", "receivers" },
	{ "receiver,topic", "pair of receiver and topic", "pairs of receiver and topic" },
	{ "sender,topic", "pair of sender and topic", "pairs of sender and topic" },
	{ "sender_pod", "pod of a sender", "pods of senders" },
	{ "receiver_pod", "pod of a receiver", "pods of receivers" },
	{ "pods", "pair of pods", "pairs of pods" },
	{ "agent", "agent", "agents" },
	{ "code", "code", "codes" },
	{ "second", "second", "seconds" },
	{ "place", "place in the order of a topic", "places in the order of a topic" },
};

static const char *
word(const struct concentration_word *words, size_t n, struct slice name, uint64_t count, const char *otherwise)
{
	for (size_t i = 0; i < n; i++)
		if (slice_eq(slice_of(words[i].name), name))
			return count == 1 ? words[i].one : words[i].many;
	return otherwise;
}

const char *
concentration_of(const struct concentration *x)
{
	return word(of_words, sizeof(of_words) / sizeof(*of_words), x->of, x->total, "failures");
}

const char *
concentration_by(const struct concentration *x)
{
	return word(by_words, sizeof(by_words) / sizeof(*by_words), x->by, x->of_values, "values");
}

size_t
causes_all(const struct causes *c)
{
	return c->n + c->nfindings;
}

const struct cause_verdict *
causes_at(const struct causes *c, size_t i)
{
	return i < c->n ? &c->v[i] : &c->findings[i - c->n];
}

bool
cause_shares_fate(const struct cause_verdict *a, const struct cause_verdict *b)
{
	return a->result == b->result && slice_eq(a->why.en, b->why.en);
}

const struct cause_verdict *
causes_fate_first(const struct causes *c, const struct cause_verdict *v)
{
	for (size_t i = 0; i < causes_all(c); i++)
		if (cause_shares_fate(causes_at(c, i), v))
			return causes_at(c, i);
	return v;
}

/* "persist." of "persist.backlog". */
static struct slice
family_of(const struct cause_verdict *v)
{
	const char *dot = v->id.n > 0 ? memchr(v->id.p, '.', v->id.n) : NULL;

	return dot != NULL ? (struct slice){ v->id.p, (size_t)(dot - v->id.p) + 1 } : v->id;
}

size_t
causes_family(const struct causes *c, const struct cause_verdict *v)
{
	struct slice family = family_of(v);
	size_t members = 0;

	for (size_t i = 0; i < causes_all(c); i++) {
		if (!slice_has_prefix(causes_at(c, i)->id, family))
			continue;
		if (!cause_shares_fate(causes_at(c, i), v))
			return 0;
		members++;
	}
	return members > 1 ? family.n : 0;
}

bool
causes_leads_family(const struct causes *c, const struct cause_verdict *v)
{
	struct slice family = family_of(v);

	for (size_t i = 0; i < causes_all(c); i++)
		if (slice_has_prefix(causes_at(c, i)->id, family))
			return causes_at(c, i) == v;
	return true;
}
