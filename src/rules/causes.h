/* rules/causes.h - why it happened: the causes of a rule set weighed on one run, where the failures concentrate, and what stays
 * unexplained. docs/rules.md has the language and the one formula of confidence.
 *
 * Life cycle: 1. causes_evaluate()  2. read  3. causes_free(). Everything belongs to the result. Threading: one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "rules/rules.h"
#include "store/store.h"

enum cause_result { CAUSE_CONFIRMED, CAUSE_PROBABLE, CAUSE_POSSIBLE, CAUSE_REFUTED, CAUSE_NOT_EVALUATED, _CAUSE_RESULT_MAX };
const char *cause_result_name(enum cause_result r); /* "confirmed", ... */

/* A place in a file of the results directory. */
struct cause_place {
	struct slice file, sha256; /* sha256 empty when not hashed */
	int64_t line;		   /* 0: the whole file */
	int64_t t;		   /* Unix ns; CAUSE_NO_T: not known */
	struct slice text;	   /* what stands there, without secrets; may be empty */
};
#define CAUSE_NO_T INT64_MIN
#define CAUSE_PLACES_MAX 3

/* One `for` or `against` item. */
struct cause_item {
	bool against, decisive;
	int weight;
	struct slice rule;     /* id of the signature, metric or query; empty: its own SQL or codes */
	struct rule_text text; /* what it says, with its figures filled in */
	bool evaluated;	       /* false: `reason`, `why` say why not */
	bool matched;	       /* lower bound >= 1, inside the seconds where that is asked */
	bool covered;	       /* its source covers the load window: absence means something */
	bool aligned;	       /* matched at a time inside the failing seconds */
	bool identity;	       /* matched on the messages' own mid, topic, code or pod */
	uint64_t lo, hi;       /* count; hi UINT64_MAX: open, written "≥ lo" */
	enum rule_reason reason;
	struct slice why; /* one sentence, when not evaluated */
	struct cause_place places[CAUSE_PLACES_MAX];
	size_t nplaces;
	uint64_t places_total;
};

struct cause_verdict {
	struct slice id;
	struct rule_text title, about, fix;
	struct rule_text says; /* one or two sentences with this run's figures; may be empty */
	enum cause_result result;
	bool finding;		 /* explains nothing by its nature: reported apart */
	uint64_t explains, also; /* failing messages that it owns; that it fits besides */
	uint64_t repaired;	 /* messages that it kept out of the database and that are stored by now: they fail no more */
	bool lower_bound;	 /* some count that supports it is one */
	int for_weight, against_weight;
	struct slice under;   /* id of the cause whose consequence it is here; else empty */
	int64_t from_t, to_t; /* of the messages it owns; CAUSE_NO_T: none */
	/* of the result: "capped at possible: ...", what rules it out and on what coverage, what is missing */
	struct rule_text why;
	const char *const *missing; /* names of missing evidence, ended by NULL */
	struct cause_item *items;
	size_t nitems;
};

/* "9 of 60 receivers hold 1,350 of 1,350 missing deliveries". */
struct concentration {
	/* missing | rejected | unknown | unanswered (those of them without any code) | unsent | late_ack | absent */
	struct slice of;
	struct slice kind; /* p2p | group: of these messages alone; empty: of all */
	/* topic | sender | receiver | receiver,topic | sender,topic | sender_pod | receiver_pod | pods | agent | code | second | place */
	struct slice by;
	bool spread; /* no set qualifies: spread evenly (by is empty then) */
	/* it holds all of them and the rest, where ten or more were to be expected, none; its share of the total alone would not name it */
	bool exclusive;
	uint64_t values, of_values, holds, total; /* of a second: how many seconds, of how many */
	double share_of_total;			  /* what the same values hold of everything that could have failed */
	int64_t from_t, to_t;			  /* of a second: the span, both included; else CAUSE_NO_T */
	struct slice *examples; /* at most 20, the largest first; "a,b" where a value has two parts; of a second: none */
	size_t nexamples;
	struct slice *causes; /* ids of the causes that explain this set */
	size_t ncauses;
};

struct causes {
	/* ranked: by explains within confirmed, then probable, possible; then refuted, not evaluated */
	struct cause_verdict *v;
	size_t n;
	struct cause_verdict *findings;
	size_t nfindings;
	uint64_t repaired;	       /* messages that were missing from the database once */
	uint64_t failing, unexplained; /* messages: sum of explains + unexplained = failing */
	struct concentration *concentration;
	size_t nconcentration;
};

/* Weigh all causes of the set on run `run_no`, which is selected and sealed. */
MUST_CHECK enum imp_rc causes_evaluate(const struct ruleset *rs, struct store *s, int64_t run_no, struct causes **ret,
    struct imp_err *err);
/* The same without saying where failures concentrate, for which every message and every missing delivery is looked at. */
MUST_CHECK enum imp_rc causes_weigh(const struct ruleset *rs, struct store *s, int64_t run_no, struct causes **ret,
    struct imp_err *err);
void causes_free(struct causes *c); /* takes NULL */
