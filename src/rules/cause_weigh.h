/* rules/cause_weigh.h - causes while they are weighed, for causes.c and the cause_*.c files.
 *
 * Order of work: 1. failing messages  2. of every cause the messages that it fits, its failing seconds, its items  3. cause_own():
 * results and owners  4. words. Ownership: all in the arena of the evaluation. Threading: one thread. */
#pragma once
#include "rules/cause.h"
#include "rules/cause_text.h"
#include "rules/count.h"
#include "rules/rule.h"

#define WEIGH_NOBODY UINT32_MAX
#define CLOSENESS_OWN 4 /* the message's own mid, code or answer */
#define CLOSENESS_MAX 4

struct failing_message {
	int64_t no, from_t, to_t;
	int64_t code;	/* of the answer that decided, WEIGH_NO_CODE */
	uint32_t owner; /* index in weighing.v, WEIGH_NOBODY */
};
#define WEIGH_NO_CODE INT64_MIN

/* A message that was missing from the database and is stored by now: a cause may have kept it out all the same. */
struct repaired_message {
	int64_t no, from_t, to_t;
};

struct weighed {
	const struct rule *rule;
	const struct cause *cause;
	unsigned char *fit;	     /* by failing message: closeness + 1, 0 where it does not fit */
	unsigned char *fit_repaired; /* by repaired message: 1 where it fits */
	uint64_t nfit, nowned, nrepaired;
	struct seconds seconds;
	enum rule_reason fit_reason; /* why it is not known which messages it fits */
	struct slice fit_why;
	struct cause_item *items; /* as cause->clauses */
	int for_weight, against_weight;
	evidence_set missing; /* of what it requires */
	enum cause_result result;
	uint32_t under; /* index in weighing.v, WEIGH_NOBODY */
};

struct weighing {
	struct evaluation ev;
	struct failing_message *failing; /* by number */
	size_t nfailing;
	struct repaired_message *repaired; /* by number */
	size_t nrepaired;
	struct weighed *v; /* in the order of the rule set */
	size_t n;
};

static inline bool
weighed_is_strong(const struct weighed *w)
{
	return !w->cause->finding && w->result <= CAUSE_PROBABLE;
}

/* Needs it neither messages nor seconds to be what it is? */
static inline bool
weighed_stands_alone(const struct weighed *w)
{
	return w->cause->finding || (w->cause->without_messages && w->nfit + w->nrepaired == 0);
}

/* The failing message of that number, or NULL. */
struct failing_message *weighing_find(const struct weighing *x, int64_t message_no);
/* Does the cause fit the message of that number, failing or repaired? */
bool weighed_fits(const struct weighing *x, const struct weighed *w, int64_t message_no);

/* cause_fit.c: which failing messages a cause fits, and the seconds they lie in */
MUST_CHECK enum imp_rc cause_fit(struct weighing *x, struct weighed *w, struct imp_err *err);

/* cause_items.c: what speaks for and against a cause; its weights */
MUST_CHECK enum imp_rc cause_weigh_items(struct weighing *x, struct weighed *w, struct imp_err *err);

/* The columns of a row as values for a text, copied. */
MUST_CHECK enum imp_rc cause_take_columns(struct arena *arena, sqlite3_stmt *st, struct text_values *ret, struct imp_err *err);

/* cause_own.c: results by the formula, and whose each failing message is; counts in w->nowned */
MUST_CHECK enum imp_rc cause_own(struct weighing *x, struct imp_err *err);

/* What a cause comes to when it owns messages or not. */
enum cause_result cause_judge(const struct weighed *w, bool owns);
/* Does only the absence of something support it? */
bool cause_only_absence(const struct weighed *w);
/* Is a matched `for` item tied to the failing seconds or messages? */
bool cause_is_aligned(const struct weighed *w);
/* Was every source of its `for` items covered? */
bool cause_is_covered(const struct weighed *w);

/* cause_words.c: what it says, and why its result is what it is */
MUST_CHECK enum imp_rc cause_put_into_words(struct weighing *x, const struct weighed *w, struct cause_verdict *v,
    struct imp_err *err);
