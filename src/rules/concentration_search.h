/* rules/concentration_search.h - the search for what one kind of failure has in common, for concentration*.c.
 *
 * Order of work, for each kind of failure and scope: 1. the failures and what could have failed  2. of each dimension the values with
 * most failures (search_candidate())  3. what the same values hold of all (search_totals())  4. sets that stand out, then names. */
#pragma once
#include "rules/places.h"

#define SET_VALUES_MAX 20

/* In the order in which sets are listed. */
enum dimension {
	BY_SENDER_POD,
	BY_RECEIVER_POD,
	BY_PODS,
	BY_TOPIC,
	BY_SENDER,
	BY_RECEIVER,
	BY_RECEIVER_TOPIC,
	BY_SENDER_TOPIC,
	BY_AGENT,
	BY_CODE,
	BY_SECOND,
	BY_PLACE,
	_DIMENSION_MAX
};

#define NO_KEY UINT64_MAX /* it has no value in a dimension */

/* How much of the failures, and of what could have failed, one value holds. */
struct tally {
	uint64_t key, fails, total;
};

/* The values of one dimension that hold most failures. */
struct candidate {
	struct tally top[SET_VALUES_MAX]; /* the largest first */
	size_t n;
	struct tally by_key[SET_VALUES_MAX]; /* the same, to be found by key */
};

/* One kind of failure under way. */
struct search {
	struct places *p;
	struct causes *c;
	enum failure failure;
	enum place_scope scope;
	uint64_t fails, total;
	struct candidate candidates[_DIMENSION_MAX];
	bool named[_DIMENSION_MAX];
	size_t found;
};

/* concentration_count.c: how many failures a message stands for, and how many could have been; 0 outside of the scope */
uint64_t search_fails(const struct search *s, const struct placed_message *m);
uint64_t search_could_fail(const struct search *s, const struct placed_message *m);
/* Do so many hold nearly all? */
bool search_is_most(const struct search *s, uint64_t fails);
/* Is the dimension one of single deliveries, not of messages? */
bool search_is_of_receivers(const struct search *s, enum dimension d);
uint64_t search_message_key(const struct placed_message *m, enum dimension d);
uint64_t search_miss_key(const struct search *s, const struct miss *miss, enum dimension d);
MUST_CHECK enum imp_rc search_candidate(struct search *s, enum dimension d, struct imp_err *err);
MUST_CHECK enum imp_rc search_totals(struct search *s, struct imp_err *err);
/* How many values the dimension has among all that could have failed. */
MUST_CHECK enum imp_rc search_count_values(const struct search *s, enum dimension d, uint64_t *ret, struct imp_err *err);

/* concentration_name.c: the first r->values values of the dimension by name; the causes that own what the set holds */
MUST_CHECK enum imp_rc search_name_values(struct search *s, enum dimension d, struct concentration *r, struct imp_err *err);
MUST_CHECK enum imp_rc search_name_owners(const struct search *s, enum dimension d, struct concentration *r, struct imp_err *err);
