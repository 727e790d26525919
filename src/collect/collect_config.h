/* collect/collect_config.h - the configuration, read: one instance for each map of a section.
 *
 * Internal to collect/collect*.c. */
#pragma once
#include "base/mem.h"
#include "collect/collect.h"

struct instance {
	const struct collector *of;
	const char *source;
	void *settings; /* of->forget() ends its secrets */
};

struct collect_config {
	struct arena arena; /* of all that follows, and of the document */
	VEC(struct instance) v;
};

#define COLLECTORS_MAX 8

/* All kinds of systems, NULL behind the last. */
extern const struct collector *const collectors[COLLECTORS_MAX + 1];

/* IMP_E_USAGE when the configuration has no section of that name. */
MUST_CHECK enum imp_rc collect_config_has(const struct collect_config *c, const char *name, struct imp_err *err);
