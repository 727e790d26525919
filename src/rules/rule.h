/* rules/rule.h - rules as they were read, for the files of this layer.
 *
 * To add a kind of rule: its struct here, a line in the table of rule.c, its evaluation. Ownership: everything lives in the arena of
 * the rule set; after rules_load() it is read only. */
#pragma once
#include "base/arena.h"
#include "base/mem.h"
#include "ingest/signature.h"
#include "rules/evidence.h"
#include "rules/metric.h"
#include "rules/rules.h"
#include "rules/value.h"

enum rule_kind {
	RULE_KIND_GATE,
	RULE_KIND_VALIDITY,
	RULE_KIND_PROFILE,
	RULE_KIND_SIGNATURE, /* these three are counted: rules/count.h */
	RULE_KIND_METRIC,
	RULE_KIND_QUERY,
	RULE_KIND_CAUSE,
	_RULE_KIND_MAX
};
bool rule_is_counted(enum rule_kind k);

/* The keys that all kinds have, and those of the kinds that are judged on a run: for tables of keys. */
#define RULE_KEYS "id", "rev", "kind", "title", "why", "fix", "status", "falsepositives", "refs"
#define RULE_JUDGED_KEYS RULE_KEYS, "requires", "applies_when", "tests"

enum rule_status { RULE_STABLE, RULE_TEST, RULE_EXPERIMENTAL, RULE_DEPRECATED };
extern const char *const rule_status_names[]; /* ended by NULL */

/* One measured value against one threshold. A gate requires it; a validity rule fires on it. */
struct condition {
	struct doc_place at;
	struct slice name;
	struct rule_text text;	  /* what is measured */
	struct rule_text open;	  /* why the answer may stay open */
	struct value_expr *value; /* NULL: nothing that this program reads measures it */
	struct threshold threshold;
	unsigned scopes; /* bits of enum value_scope: each is judged */
	evidence_set needs;
	bool has_only_when;
	struct rule_sql only_when; /* is the condition for this run? */
	bool proof;		   /* what the database proves: an invalid run does not excuse it */
};

/* Which runs a rule is for. What is not given does not restrict. */
struct applicability {
	struct slice *systems; /* all of them, where run.json lists systems */
	size_t nsystems;
	unsigned servers; /* bits over rule_server_names; 0: any */
	unsigned kinds;	  /* bits of enum value_scope; 0: any */
	bool has_sql;
	struct rule_sql sql;
	struct rule_text otherwise; /* why not, when the SQL says so */
};

extern const char *const rule_server_names[]; /* ended by NULL */

/* What a line that matches a signature means for the message it is about. */
enum signature_effect { EFFECT_LOST_SILENT, EFFECT_TOLD_CLIENT, EFFECT_DELAYED, EFFECT_FALSE_ACK, EFFECT_INFO };
extern const char *const signature_effect_names[]; /* ended by NULL */

/* Lines of logs that mean something: any of the expressions matches. */
struct log_pattern {
	struct slice *res; /* PCRE2; a group `subject` catches what the line is about */
	size_t nres;
	enum signature_effect effect;
	struct slice *also; /* other signatures that may match the same lines */
	size_t nalso;
};

struct waiver {
	struct doc_place at;
	struct slice gate, until, why;
};

/* `thresholds` of a profile: another one for a condition of a gate. */
struct threshold_change {
	struct doc_place at;
	struct slice gate, condition; /* condition.n 0: the only one */
	struct threshold threshold;
};

/* A profile's own lines; what it extends is followed by rules/profile.c. */
struct profile {
	struct slice extends; /* empty: nothing */
	struct doc_place extends_at;
	const struct doc_node *gates, *validity; /* lists of ids, or NULL */
	struct threshold_change *changes;
	size_t nchanges;
	struct waiver *waivers;
	size_t nwaivers;
};

struct rule {
	enum rule_kind kind;
	struct doc_place at;
	unsigned origin; /* 0: built in, n: from the n-th directory */
	struct slice id;
	int64_t rev;
	enum rule_status status;
	struct rule_text title, about, fix;
	evidence_set needs;
	struct applicability applies;
	bool warning;
	struct condition *conditions;
	size_t nconditions;
	bool has_evidence;
	struct rule_sql evidence;
	const struct doc_node *tests; /* a list, or NULL */
	struct profile profile;
	struct log_pattern log;	   /* of a signature */
	struct metric_expr metric; /* of a metric */
	struct rule_sql query;	   /* of a query: its rows are counted, or its column `n` summed */
	struct cause *cause;	   /* of a cause: rules/cause.h */
};

/* A rule as a profile uses it. */
struct profile_rule {
	const struct rule *rule;
	const struct threshold *thresholds; /* one for each condition; NULL: the rule's own */
	const struct waiver *waiver;	    /* NULL: none */
};

struct profile_plan {
	const struct rule *profile;
	struct profile_rule *gates, *validity;
	size_t ngates, nvalidity;
};

struct ruleset {
	struct arena arena;
	VEC(struct rule *) rules;	/* in the order of the files; replaced ones are gone */
	VEC(struct profile_plan) plans; /* one for each profile */
	char digest[65];
	struct signature_set signatures; /* of all rules of that kind, as the log reader takes them */
};

/* Read one rule. */
MUST_CHECK enum imp_rc rule_parse(struct arena *arena, const struct doc_node *n, struct rule *ret, struct imp_err *err);

/* Read what a signature has of its own. */
MUST_CHECK enum imp_rc signature_parse(struct arena *a, const struct doc_node *n, struct rule *r, struct imp_err *err);

/* Put the expressions of the complete set together for the log reader. */
MUST_CHECK enum imp_rc signatures_collect(struct ruleset *rs, struct imp_err *err);

/* The parts of a profile: `thresholds:` and `waivers:`. Dates are compared with `today` when the set is complete. */
MUST_CHECK enum imp_rc profile_parse(struct arena *arena, const struct doc_node *n, struct profile *ret, struct imp_err *err);
bool profile_is_date(struct slice s); /* YYYY-MM-DD */

/* Work out every profile of the set: what it extends, which rules it names, thresholds, waivers. */
MUST_CHECK enum imp_rc profile_resolve_all(struct ruleset *rs, const char *today, struct imp_err *err);

/* Read one file into the set, without checking what refers to other rules or runs SQL. `origin` as in struct rule. */
MUST_CHECK enum imp_rc ruleset_add_file(struct ruleset *rs, unsigned origin, const char *name, struct slice text,
    struct imp_err *err);

/* What the complete set's rules of `origin` and later say of others, and their SQL, prepared against an empty store. */
MUST_CHECK enum imp_rc ruleset_check(const struct ruleset *rs, unsigned origin, struct imp_err *err);

const struct rule *ruleset_find(const struct ruleset *rs, struct slice id); /* of any kind but cause; NULL: there is none */
const struct rule *ruleset_find_cause(const struct ruleset *rs, struct slice id);
const struct profile_plan *ruleset_plan(const struct ruleset *rs, struct slice id);

/* Everything that is the same for all rules of one run. */
struct evaluation {
	const struct ruleset *rules;
	struct value_source from; /* its payload is this struct */
	evidence_set present;
	struct slice server, gates;
	struct slice *systems;
	size_t nsystems;
	unsigned kinds; /* bits of enum value_scope */
	bool lines_lost;
	struct log_cover {
		bool known;	   /* looked at, when a signature was counted first */
		int64_t open;	   /* expected pods without a log that covers the load */
		struct slice pods; /* the first of these */
	} logs;
};

/* Look at the run; `arena` gets all results. */
MUST_CHECK enum imp_rc evaluation_begin(struct evaluation *ev, const struct ruleset *rs, struct store *s, int64_t run_no,
    struct arena *arena, struct imp_err *err);

/* Move a buffer's content into the arena, unless *rc says that something failed before. The buffer is done after it. */
void evaluation_settle(struct arena *a, struct buf *b, struct slice *ret, enum imp_rc *rc, struct imp_err *err);

/* The names of a set of evidence, ended by NULL. */
MUST_CHECK enum imp_rc evaluation_name_missing(struct arena *a, evidence_set missing, const char *const **ret, struct imp_err *err);

/* Judge one gate or validity rule. */
MUST_CHECK enum imp_rc evaluation_judge(struct evaluation *ev, const struct profile_rule *use, struct rule_verdict *ret,
    struct imp_err *err);

/* Does the rule apply to this run? If not, *ret_why says why. */
MUST_CHECK enum imp_rc evaluation_applies(const struct evaluation *ev, const struct applicability *a, bool *ret,
    struct slice *ret_why, struct imp_err *err);
